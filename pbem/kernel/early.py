"""The answer to a question that is put to several seats at once, although their turns come one after another."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from pbem.kernel.compound import Reply
from pbem.kernel.domain import Below, Budget, Domain, Value
from pbem.kernel.words import CONDITIONS, Reader, parts, raw_of, tokens

WAIT: Final = "wait"
"""The answer of a seat that wants to be asked when its turn comes."""


class Early(Reply):
    """An answer given before one's turn: as later, on conditions about what seats do before it, or `wait`.

    A plan is written as in a window: `none unless england; wait`. Where none of its answers applies the seat is asked
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

    def take(self, words: Reader) -> Value:
        rest = words.words[words.at :]
        if len(rest) == 1 and raw_of(rest[0]).casefold() == WAIT:
            words.at = len(words.words)
            return WAIT
        if any(raw_of(word).casefold() in CONDITIONS for word in rest):
            *pieces, last = parts(words.rest())
            if last.casefold() != WAIT:  # that goes without saying
                pieces.append(last)
            words = Reader(tokens("; ".join(pieces)), words.names)
        return super().take(words)

    def text(self, value: Value) -> str:
        return WAIT if value == WAIT else super().text(value)

    def syntax(self) -> str:
        return f"{self.inner.syntax()} | {WAIT}"

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {**super().describe(budget), "type": "early"}


def in_force(value: Value, acted: Collection[str]) -> Value:
    """What an early answer comes to when the seats in `acted` have done something before its turn."""
    if not (isinstance(value, dict) and "plan" in value):
        return value
    done = {*acted, "anyone"} if acted else set(acted)
    for step in value["plan"]:
        if set(step.get("after", ())) <= done and not set(step.get("unless", ())) & done:
            return step["answer"]
    return WAIT
