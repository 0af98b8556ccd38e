"""What a decision turns on: facts, the meaning of an answer, and the world in which a seat looks at them.

Facts are computed on a `Look`: a copy of the table in which everything that the seat must not know has been dealt
again by `Game.conceal`. They can't leak, whatever code computes them, because there is nothing true to leak.
A game registers them with `Kit.turns_on`, in `games/<slug>/evidence.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic

import msgspec
from typing_extensions import TypeVar

from pbem.kernel.questions import Proposal
from pbem.kernel.table import Table

NEVER = float("-inf")
"""The rank of an answer that isn't offered, though the rules allow it: it only costs something."""
YOU = "you"
"""What a fact calls the reader, as an argument or as a key of one."""

TB = TypeVar("TB", bound=Table, default=Table)


class Fact(msgspec.Struct, frozen=True):
    """A sentence: the message `fact.<key>` with its arguments.

    `spaces` are shown on the map next to the question. A fact that isn't `main` is left out of emails: it is on the
    screen, on the page, and in the answer to `send why`. One that is `spare` is repeated by what the answers mean; if
    it isn't `main` either, an email tells it where all answers fit too.
    """

    key: str
    args: dict[str, Any] = {}
    spaces: tuple[str, ...] = ()
    main: bool = True
    spare: bool = False


class Meaning(msgspec.Struct, frozen=True):
    """What an answer costs (in the words of `email.cost`), its chance in percent, and what follows from it.

    Answers of a higher `rank` come first.
    """

    cost: int = 0
    chance: int | None = None
    follows: tuple[Fact, ...] = ()
    rank: float = 0


class Look(msgspec.Struct, Generic[TB], frozen=True):
    """The world of a seat that is asked: a copy of the table, dealt again, and what the question is about."""

    table: TB
    seat: str
    kind: str
    about: Mapping[str, Any]
    secret: Mapping[str, Any]

    def word(self, key: str) -> str:
        """Return an id that the question is about. Raises KeyError."""
        found: str = self.about[key]
        return found

    def number(self, key: str) -> int:
        """Return a number that the question is about. Raises KeyError."""
        found: int = self.about[key]
        return found

    def who(self, seat: str) -> str:
        """Return how the reader calls a seat: `you`, or its id."""
        return YOU if seat == self.seat else seat


Builder = Callable[[Look[TB]], Iterator[Fact]]


def says(key: str, args: Callable[[Any], Mapping[str, object] | None] = lambda look: {}, at: str = "") -> Builder[Any]:
    """Return a builder of one fact, or none without arguments; `at` is the argument that names its space."""

    def build(look: Look[Any]) -> Iterator[Fact]:
        if (told := args(look)) is not None:
            yield Fact(key, dict(told), (str(told[at]),) if at else ())

    return build


class Evidence(msgspec.Struct, Generic[TB], frozen=True):
    """What the questions of a kind turn on.

    `means(look, answer)` gets an answer as the domain has it; for a pick of several it gets each candidate alone, as
    a list of one. `likely` yields whole answers as order text, of a question that has too many. `none` is the reason
    why the prompt and the answers already say everything. `terms` says what is in a proposal of a negotiation.
    """

    facts: tuple[Builder[TB], ...] = ()
    means: Callable[[Look[TB], Any], Meaning | None] | None = None
    likely: Callable[[Look[TB]], Iterable[str]] | None = None
    none: str = ""
    terms: Callable[[Look[TB], Proposal], Iterator[Fact]] | None = None

    def told(self, look: Look[TB]) -> Iterator[Fact]:
        for build in self.facts:
            yield from build(look)


NO_EVIDENCE: Evidence[Any] = Evidence()
"""The evidence of a kind that nobody has registered."""
