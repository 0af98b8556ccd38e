"""Reports as data: JSON with the keys of `model.Report`, sorted by nothing but the order of its fields."""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.report.model import Report


def as_json(report: Report, indent: int = 2) -> str:
    """The report as JSON; the keys are the fields of `model.Report`, which documents them."""
    return msgspec.json.format(msgspec.json.encode(report), indent=indent).decode()


def without_nothing(value: Any) -> Any:
    """Plain data fit for TOML: keys without a value are left out, empty places in lists become ""."""
    if isinstance(value, dict):
        return {key: without_nothing(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return ["" if item is None else without_nothing(item) for item in value]
    return value
