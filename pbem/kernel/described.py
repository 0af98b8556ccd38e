"""Domains rebuilt from their plain description, so that a player's TUI and offline check offer the referee's choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.kernel.compound import Form, Menu, Optional, Reply, Series, Values
from pbem.kernel.domain import Domain, Unknown
from pbem.kernel.simple import Amount, Arrange, Choice, Pick, Text


def domain_from(data: dict[str, Any]) -> Domain:
    """The domain that `Domain.describe` told of. Past the description's limit it is `Unknown`."""
    match data.get("type"):
        case "choice":
            return Choice(tuple(data["options"]), data["what"])
        case "pick":
            groups = [(group["members"], group["most"]) for group in data["groups"]]
            options, least, most = tuple(data["options"]), data["least"], data["most"]
            return Pick(options, least, most, groups=groups, need=data["need"], what=data["what"])
        case "amount":
            return Amount(data["least"], data["most"], data["step"], data["what"])
        case "arrange":
            places = {place: (low, high) for place, (low, high) in data["places"].items()}
            return Arrange(places, (data["least"], data["most"]), data["what"])
        case "text":
            return Text(data["most"], data["what"])
        case "series":
            return _series(data)
        case "form":
            return _form(data)
        case "menu":
            return Menu({word: domain_from(part) if part else None for word, part in data["entries"].items()})
        case "reply":
            return Reply(domain_from(data["inner"]), data["seats"])
    return Unknown()


def _series(data: dict[str, Any]) -> Series:
    if "each" in data:
        return Series(domain_from(data["each"]), data["least"], data["most"], data["what"])

    def item(so_far: Sequence[Any]) -> Domain | None:
        node = data["items"]
        for value in so_far:
            node = next((sub for one, sub in node[1] if one == value), []) if node else []
        return domain_from(node[0]) if node else None

    return Series(item, data["least"], data["most"], data["what"])


def _form(data: dict[str, Any]) -> Form:
    fields: dict[str, Any] = {}
    for field in data["fields"]:
        if field["reads"]:
            fields[field["name"]] = _dependent(field)
        else:
            fields[field["name"]] = _fixed(field, field["cases"][0][1] if field["cases"] else {})
    return Form(fields)


def _fixed(field: dict[str, Any], description: dict[str, Any]) -> Any:
    domain = domain_from(description)
    return Optional(domain) if field["optional"] else domain


def _dependent(field: dict[str, Any]) -> Any:
    def domain(values: Values) -> Domain | None:
        key = [getattr(values, name) if getattr(values, name) is not None else "" for name in field["reads"]]
        for case, description in field["cases"]:
            if case == key:
                return _fixed(field, description) if description else None
        return Unknown()

    return domain
