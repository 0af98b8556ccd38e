"""Domains rebuilt from their plain description.

With them a player's TUI and offline check offer the referee's choices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pbem.kernel.compound import Menu, Reply, Series
from pbem.kernel.domain import Domain, Unknown
from pbem.kernel.early import Early
from pbem.kernel.form import MISSING, Form, Optional, Values, case_key
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
        case "optional":
            return Optional(domain_from(data["inner"]))
        case "menu":
            return Menu({word: domain_from(part) if part else None for word, part in data["entries"].items()})
        case "reply":
            return Reply(domain_from(data["inner"]), data["seats"])
        case "early":
            return Early(domain_from(data["inner"]), data["seats"])
    return Unknown()


def _series(data: dict[str, Any]) -> Series:
    if "each" in data:
        return Series(domain_from(data["each"]), data["least"], data["most"], data["what"])

    def item(so_far: Sequence[Any]) -> Domain | None:
        node = data["items"]
        for value in so_far:
            if not node:
                return None
            key = case_key([value])
            node = next((after for option, after in node[1] if case_key([option]) == key), None)
            # What comes after an answer that cannot be listed (a free text) was not described.
            if node is None:
                return Unknown()
        return domain_from(node[0]) if node else None

    return Series(item, data["least"], data["most"], data["what"])


def _form(data: dict[str, Any]) -> Form:
    fields: dict[str, Any] = {}
    for field in data["fields"]:
        (_, first), *others = field["cases"]
        plain = not field["reads"] and not others and first
        fields[field["name"]] = domain_from(first) if plain else _dependent(field)
    return Form(fields)


def _dependent(field: dict[str, Any]) -> Callable[[Values], Domain | None]:
    cases = {case_key(key): description for key, description in field["cases"]}

    def domain(values: Values) -> Domain | None:
        read = [getattr(values, name) for name in field["reads"]]
        description = cases.get(case_key([MISSING if value is None else value for value in read]))
        if description is None:  # it reads an answer that cannot be listed (a free text)
            return Unknown()
        return domain_from(description) if description else None

    return domain
