"""What a rule works with: the state, the components, the dice, and the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from typing import Any, Generic

import msgspec
from typing_extensions import TypeVar

from pbem.kernel.dice import Dice
from pbem.kernel.questions import Ask

S = TypeVar("S", default=Any)
C = TypeVar("C", default=Any)
V = TypeVar("V", default=Any)


class LogLine(msgspec.Struct, gc=False):
    """One log line: a message key with arguments, rendered for each reader.

    `only` limits who may read the line (None: everybody). `private` maps seat → arguments that this seat gets
    besides, or instead of, `args`; it then reads the message `<key>.private`. `reveals` marks lines that reveal
    something hidden or random to all readers. `affair` is the innermost `Table.within` that it was said in.
    """

    key: str
    args: dict[str, Any]
    rule: str = ""
    only: tuple[str, ...] | None = None
    private: Mapping[str, dict[str, Any]] | None = None
    reveals: bool = False
    n: int = 0
    affair: tuple[str, dict[str, Any]] | None = None

    @property
    def is_irreversible(self) -> bool:
        """Whether it reveals something hidden or random to anybody, which no rewind can take back."""
        return self.reveals or self.private is not None


class DiceRoll(msgspec.Struct):
    """Dice as they fell."""

    dice: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.dice)

    def at_least(self, face: int) -> int:
        """Return how many dice show a face or more."""
        return sum(die >= face for die in self.dice)


class PromptTrail:
    """The result of `Table.within`; a class because `contextlib` costs several times as much, at every vote."""

    __slots__ = ("trail",)

    def __init__(self, trail: list[tuple[str, dict[str, Any]]]) -> None:
        self.trail = trail

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.trail.pop()


class Table(Generic[S, C]):
    """The table of one game.

    `state` is the game's typed state, `c` its components, `seats` the ids in clockwise order, `options` the house
    rules in force (`Game.in_force`). Rules change `state` in place.
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
        self.spared: list[tuple[Ask[Any], Any, str | None]] = []
        self.n = 0

    def private_copy(self) -> Table[S, C]:
        """Copy the table and its state, to try something out."""
        other: Table[S, C] = Table(self.c, self.seats, self.options, self.scenario, Dice(b""))
        other.state = msgspec.json.decode(msgspec.json.encode(self.state), type=type(self.state))
        return other

    def rule(self, option: str) -> Any:
        """Return the value of a house rule. Raises KeyError if the game doesn't offer it."""
        return self.options[option]

    def log(
        self,
        key: str,
        /,
        *,
        rule: str = "",
        private: Mapping[str, dict[str, Any]] | None = None,
        reveals: bool = False,
        **args: Any,
    ) -> None:
        """Log what happened. `key` is a message of the game's locale; arguments are ids, numbers, lists of them."""
        if wrong := [seat for seat, part in (private or {}).items() if not isinstance(part, dict)]:
            raise TypeError(f"{key}: `private` of {wrong[0]} must be a dict of arguments, such as {{'cards': […]}}")
        self.lines.append(LogLine(key, args, rule, None, private, reveals, self.n, self._affair()))

    def log_private(
        self, seats: Sequence[str], key: str, /, *, rule: str = "", reveals: bool = False, **args: Any
    ) -> None:
        """Log as `log`, for `seats` only: nobody else learns that there is a line."""
        self.lines.append(LogLine(key, args, rule, tuple(seats), None, reveals, self.n, self._affair()))

    def roll(self, count: int, why: str, sides: int = 6, rule: str = "", **about: Any) -> DiceRoll:
        """Roll openly. `why` is a message key fixed before the roll; sides other than six are logged."""
        dice = self.dice.roll(count, sides)
        if sides != 6:
            about["sides"] = sides
        args = {"dice": list(dice), **about, "draw": self.dice.counter}
        self.lines.append(LogLine(why, args, rule, None, None, True, self.n, self._affair()))
        return DiceRoll(dice)

    def _affair(self) -> tuple[str, dict[str, Any]] | None:
        return self.trail[-1] if self.trail else None

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle in place, unseen.

        Rolls quote the number of their draw, and a shuffle counts: shuffle only on occasions that everybody knows of.
        """
        self.dice.shuffle(items)

    def stop_advance_orders(self, *seats: str) -> None:
        """Put the queues of these seats (none: all) on hold: something happened that their writers couldn't know."""
        self.held.update(seats or self.seats)

    def stop_concerned(self, since: int, seat: str, owners: Callable[[str], Iterable[str]]) -> None:
        """Put on hold the queues of the others whom the public lines from number `since` on concern.

        `owners` returns the seats of an id, by what everybody knows. For the rest it is a turn like any other: what
        they have written waits only if what it names has changed.
        """
        for line in self.lines[since:]:
            for value in line.args.values() if line.only is None else ():
                for name in value if isinstance(value, list) else (value,):
                    if isinstance(name, str):
                        self.held.update(other for other in owners(name) if other != seat)

    def record_outcome(self, word: str, seat: str) -> None:
        """Record the public outcome of a step of `seat` (`Game.outcome_words`), for the branches of its plan."""
        self.came.setdefault(seat, set()).add(word)

    def only(self, ask: Ask[V], answer: V, *, then: str | None = None) -> V:
        """Return the only possible answer to a question that, as everybody knows, isn't asked for that reason.

        An advance order that says the same is then used up. What else it may say answers the question of the kind
        `then`; "": it is dropped; None: it goes on waiting.
        """
        self.spared.append((ask, answer, then))
        return answer

    def within(self, key: str, /, **about: Any) -> PromptTrail:
        """Name the enclosing affair (a battle inside a card), for the head of each prompt, in a `with` statement."""
        self.trail.append((key, about))
        return self._within

    def clockwise(self, first: str) -> tuple[str, ...]:
        """Return all seats, beginning with `first`."""
        return self._clockwise[first]
