"""Domains rebuilt from their plain description.

A player's terminal and the offline check offer the referee's choices with them. Each reader takes what
`Domain.describe` of its domain returns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from pbem.kernel.basic_domains import Amount, Choice, Distribution, FreeText, Subset
from pbem.kernel.composite_domains import Menu, Reply, Series
from pbem.kernel.domain import AnyText, Below, Budget, Domain, Value
from pbem.kernel.form import MISSING, Form, Optional, Values, case_key
from pbem.kernel.order_words import CONDITIONS, WordCursor, parts, raw_of, tokens

# Early answers: to a question put to several seats at once although their turns follow one another.

WAIT: Final = "wait"
"""The answer of a seat that wants to be asked in its turn."""


class EarlyAnswer(Reply):
    """An answer given before one's turn: as in turn, on conditions about earlier seats, or `wait`.

    A plan is written as in a window: `none unless england; wait`. If none of its answers applies, the seat is asked
    in its turn, as after `wait`.
    """

    __slots__ = ()

    def __init__(self, inner: Domain, seats: Sequence[str]) -> None:
        super().__init__(inner, [seat for seat in seats if seat != "anyone"])

    def check(self, value: Value) -> None:
        if value != WAIT:
            super().check(value)

    def options(self) -> Iterator[Value]:
        yield from self.inner.options()
        yield WAIT

    def sample(self, below: Below) -> Value:
        return super().sample(below) if below(8) else WAIT

    def parse_from(self, words: WordCursor) -> Value:
        rest = words.words[words.at :]
        if len(rest) == 1 and raw_of(rest[0]).casefold() == WAIT:
            words.at = len(words.words)
            return WAIT
        if any(raw_of(word).casefold() in CONDITIONS for word in rest):
            *pieces, last = parts(words.rest())
            if last.casefold() != WAIT:  # implied
                pieces.append(last)
            words = WordCursor(tokens("; ".join(pieces)), words.names)
        return super().parse_from(words)

    def text(self, value: Value) -> str:
        return WAIT if value == WAIT else super().text(value)

    def syntax(self) -> str:
        return f"{self.inner.syntax()} | {WAIT}"

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {**super().describe(budget), "type": "early"}


def effective_answer(value: Value, acted: Collection[str]) -> Value:
    """Return the effective early answer when the seats in `acted` have acted before its turn."""
    if not (isinstance(value, dict) and "plan" in value):
        return value
    done = {*acted, "anyone"} if acted else set(acted)
    for step in value["plan"]:
        if set(step.get("after", ())) <= done and not set(step.get("unless", ())) & done:
            return step["answer"]
    return WAIT


Description = Mapping[str, Any]
"""The result of `Domain.describe`: `type`, and what the reader of that type needs."""


def domain_from(data: Description) -> Domain:
    """Return the domain that a `Domain.describe` result describes; `AnyText` past its limit."""
    reader = _READERS.get(data.get("type", ""))
    return reader(data) if reader else AnyText()


def _pick(data: Description) -> Subset[object]:
    groups = [(group["members"], group["most"]) for group in data["groups"]]
    least, most = data["least"], data["most"]
    return Subset(tuple(data["options"]), least, most, groups=groups, need=data["need"], what=data["what"])


def _arrange(data: Description) -> Distribution:
    places = {place: (low, high) for place, (low, high) in data["places"].items()}
    return Distribution(places, (data["least"], data["most"]), data["what"])


def _series(data: Description) -> Series:
    least, most, what = data["least"], data["most"], data["what"]
    return Series(domain_from(data["each"]) if "each" in data else _item(data["items"]), least, most, what)


def _item(tree: list[Any]) -> Callable[[Sequence[object]], Domain | None]:
    def item(so_far: Sequence[object]) -> Domain | None:
        node = tree
        for value in so_far:
            if not node:
                return None
            key = case_key([value])
            after: list[list[Any]] = [below for option, below in node[1] if case_key([option]) == key]
            # What follows an answer that can't be listed (a free text) wasn't described.
            if not after:
                return AnyText()
            node = after[0]
        return domain_from(node[0]) if node else None

    return item


def _form(data: Description) -> Form:
    fields: dict[str, Domain | Callable[[Values], Domain | None]] = {}
    for field in data["fields"]:
        only = field["cases"][0][1] if not field["reads"] and len(field["cases"]) == 1 else None
        fields[field["name"]] = domain_from(only) if only else _dependent(field)
    return Form(fields)


def _dependent(field: Description) -> Callable[[Values], Domain | None]:
    cases = {case_key(key): description for key, description in field["cases"]}

    def domain(values: Values) -> Domain | None:
        read: list[object] = [getattr(values, name) for name in field["reads"]]
        description = cases.get(case_key([MISSING if value is None else value for value in read]))
        if description is None:  # it depends on an answer that can't be listed (a free text)
            return AnyText()
        return domain_from(description) if description else None

    return domain


def _menu(data: Description) -> Menu:
    entries = {word: domain_from(part) if part else None for word, part in data["entries"].items()}
    return Menu(entries, alone=data.get("alone", False))


_READERS: dict[str, Callable[[Description], Domain]] = {
    "choice": lambda data: Choice(tuple(data["options"]), data["what"]),
    "pick": _pick,
    "amount": lambda data: Amount(data["least"], data["most"], data["step"], data["what"]),
    "arrange": _arrange,
    "text": lambda data: FreeText(data["most"], data["what"]),
    "series": _series,
    "form": _form,
    "optional": lambda data: Optional(domain_from(data["inner"])),
    "menu": _menu,
    "reply": lambda data: Reply(domain_from(data["inner"]), data["seats"]),
    "early": lambda data: EarlyAnswer(domain_from(data["inner"]), data["seats"]),
}
