"""What every run shares: bytecode kept in one place, and a half of the tests for each of two workers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

KEPT = Path(__file__).parents[1] / ".pytest_cache" / "bytecode"


def _keep_bytecode() -> None:
    """Compile each module once, not in every process that a test starts, even where the checkout stays free of it."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(KEPT)
    sys.dont_write_bytecode = False


if sys.dont_write_bytecode:
    _keep_bytecode()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give each worker consecutive tests: what a module makes for its tests is then made once, not by each of them."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None
