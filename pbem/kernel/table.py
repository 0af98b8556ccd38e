"""What a rule holds while it runs: the state, the components, the dice, and a voice."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from typing import Any, Generic

import msgspec
from typing_extensions import TypeVar

from pbem.kernel.dice import Dice
from pbem.kernel.questions import Ask

S = TypeVar("S", default=Any)
"""A game's state."""
C = TypeVar("C", default=Any)
"""A game's components."""
V = TypeVar("V", default=Any)


class LogLine(msgspec.Struct, gc=False):
    """One line of narration: a message key with arguments, rendered when somebody reads it.

    `only` limits who may read the line at all (None: everybody). `private` maps seat → arguments that only this seat
    gets instead of, or besides, `args`; it then reads the message `<key>.private`. `learns` marks lines from which all
    readers learn something hidden or random.
    """

    key: str
    args: dict[str, Any]
    rule: str = ""
    only: tuple[str, ...] | None = None
    private: Mapping[str, dict[str, Any]] | None = None
    learns: bool = False
    n: int = 0

    @property
    def reveals(self) -> bool:
        """Whether anybody learns something hidden or random from it, which no rewind can take back."""
        return self.learns or self.private is not None


class DiceRoll(msgspec.Struct):
    """Dice as they fell."""

    dice: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.dice)


class PromptTrail:
    """What `Table.within` returns; a class because `contextlib` costs several times as much, on every vote."""

    __slots__ = ("trail",)

    def __init__(self, trail: list[tuple[str, dict[str, Any]]]) -> None:
        self.trail = trail

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.trail.pop()


class Table(Generic[S, C]):
    """The table of one running game.

    `state` is the game's typed state, `c` its components, `seats` the ids in clockwise order, `options` the house rules
    in force (`Game.in_force`). Rules change `state` in place.
    """

    __slots__ = (
        "_clockwise",
        "_within",
        "c",
        "came",
        "dice",
        "held",
        "lines",
        "n",
        "options",
        "scenario",
        "seats",
        "spared",
        "state",
        "trail",
    )

    def __init__(
        self, components: C, seats: Sequence[str], options: Mapping[str, Any], scenario: str, dice: Dice
    ) -> None:
        self.c = components
        self.seats = tuple(seats)
        self._clockwise = {seat: (*seats[at:], *seats[:at]) for at, seat in enumerate(seats)}
        self.options = options
        self.scenario = scenario
        self.dice = dice
        self.state: S
        self.lines: list[LogLine] = []
        self.trail: list[tuple[str, dict[str, Any]]] = []
        self._within = PromptTrail(self.trail)
        self.held: set[str] = set()
        self.came: dict[str, set[str]] = {}
        self.spared: list[tuple[Ask[Any], Any]] = []
        self.n = 0

    def private_copy(self) -> Table[S, C]:
        """A table of its own with a copy of the state: what is tried there does not happen here."""
        other: Table[S, C] = Table(self.c, self.seats, self.options, self.scenario, Dice(b""))
        other.state = msgspec.json.decode(msgspec.json.encode(self.state), type=type(self.state))
        return other

    def rule(self, option: str) -> Any:
        """What a house rule says. Raises KeyError for one that the game does not offer."""
        return self.options[option]

    def log(
        self,
        key: str,
        /,
        *,
        rule: str = "",
        private: Mapping[str, dict[str, Any]] | None = None,
        learns: bool = False,
        **args: Any,
    ) -> None:
        """Tell what happened. `key` is a message of the game's locale; arguments are ids, numbers, lists of them."""
        self.lines.append(LogLine(key, args, rule, None, private, learns, self.n))

    def log_private(
        self, seats: Sequence[str], key: str, /, *, rule: str = "", learns: bool = False, **args: Any
    ) -> None:
        """As `say`, to `seats` alone: nobody else hears that there was anything to tell."""
        self.lines.append(LogLine(key, args, rule, tuple(seats), None, learns, self.n))

    def roll(self, count: int, why: str, sides: int = 6, rule: str = "", **about: Any) -> DiceRoll:
        """Roll openly. `why` is a message key fixed before the dice fall; sides other than six are told."""
        dice = self.dice.roll(count, sides)
        if sides != 6:
            about["sides"] = sides
        self.lines.append(
            LogLine(
                why, {"dice": list(dice), **about, "draw": self.dice.counter}, rule, None, None, True, self.n
            )
        )
        return DiceRoll(dice)

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle in place, unseen.

        Rolls quote the number of their draw, and a shuffle counts: shuffle on occasions that everybody knows of.
        """
        self.dice.shuffle(items)

    def surprise(self, *seats: str) -> None:
        """Something happened that the writer of a letter could not know: stop these seats' queues (none: all)."""
        self.held.update(seats or self.seats)

    def outcome(self, word: str, seat: str) -> None:
        """What has come of the step of `seat` in public (`Game.outcomes`), for the branches of its plan."""
        self.came.setdefault(seat, set()).add(word)

    def only(self, ask: Ask[V], answer: V) -> V:
        """The one possible answer to a question that is not asked for that reason, as everybody knows.

        A line that says the same and was sent in advance has then done its work.
        """
        self.spared.append((ask, answer))
        return answer

    def within(self, key: str, /, **about: Any) -> PromptTrail:
        """Name the enclosing affair (a battle inside an interception inside a card), for the head of each prompt.

        To be used in a `with` at once, which ends it.
        """
        self.trail.append((key, about))
        return self._within

    def clockwise(self, first: str) -> tuple[str, ...]:
        """All seats, beginning with `first`."""
        return self._clockwise[first]
