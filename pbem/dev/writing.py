"""What players write in a pair of worlds: X everything a player can, alike in both; others what X must not notice.

An act of X is a few lines, made from data that is equal for X in both worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from pbem.dev.leak_test_pairs import End, Leaked
from pbem.dev.random_game import sampler
from pbem.kernel.game import Game
from pbem.kernel.negotiation import ACCEPT, PROPOSE, WITHDRAW, terms_of
from pbem.kernel.questions import Negotiate
from pbem.mail.outbox.press import CHARACTERS, MESSAGES, of_seat
from pbem.orders.statements import SEND, THEN
from pbem.save import Session

Lines = list[str]

_TRIES = 8
_ACTS = (2, 3, 4)
"""Numbers of acts that X may have in one email."""

_MOST = 60
"""Standing orders, and settings, that a seat may have."""

_HABITS = ("letters full", "letters digest")
"""The email settings of others."""

_KEPT = ("letters short", "letters full", "attach view", "attach map", "attach nothing")
_NEAR = ("99999: pass", "1: pass", "nonsense: 3 = 4", "stop if turn=99", "cancel standing", "resume", "clear")


class Writing:
    """The writing of one pair: X is `seat` among `seats`."""

    def __init__(self, game: Game, seat: str, seats: Sequence[str], random: Random) -> None:
        self.game, self.seat, self.random = game, seat, random
        self.others = [other for other in seats if other != seat]
        self.habits = Random(random.random())
        self.settles = random.random() < 0.5
        """Whether X has standing orders and settings, which hide that others have some."""

    def answer(self, a: Session, b: Session, seat: str, *, sealed: bool) -> tuple[Lines, Lines]:
        """Return the answer of `seat` in each world: equal, or different if it is sealed and not X's."""
        mine, yours = a.referee.domain(seat), b.referee.domain(seat)
        below = sampler(self.random)
        if isinstance(a.referee.now, Negotiate):
            return ([f"{a.referee.q}: done"],) * 2
        free = sealed and seat != self.seat
        if free and self.random.random() < 0.3:
            values = mine.sample(below), yours.sample(below)
        else:
            value = next(
                (sample for sample in (mine.sample(below) for _ in range(_TRIES)) if yours.accepts(sample)), None
            )
            if value is None:
                if seat == self.seat:
                    raise Leaked(f"{seat} may answer in A only", mine.syntax(), yours.syntax())
                if not free:
                    raise End("parted")
                values = mine.sample(below), yours.sample(below)
            else:
                values = value, value
        q, one = a.referee.q, mine.text(values[0])
        if seat == self.seat and Random(f"{q} {one}").random() < 0.5:
            one += "".join(f" {THEN[0]} {later}" for later in self._next_turn(a, b))
            return [f"{q}: {one}"], [f"{q}: {one}"]
        return [f"{q}: {one}"], [f"{q}: {yours.text(values[1])}"]

    # -- what X writes ---------------------------------------------------------------------------------------------

    def own(self, a: Session, b: Session, *, much: bool = False) -> Lines:
        """Return an email of X besides the answer: some acts, the same in both worlds. `much`: up to the limits."""
        acts: list[Callable[[Session, Session], Lines]] = [
            self._wish, self._setting, self._ahead, self._offered, self._near, self._press, self._agreement,
            self._signature, self.deal,
        ]  # fmt: skip
        lines: Lines = []
        for act in self.random.sample(acts, self.random.choice(_ACTS)):
            lines += act(a, b)
        return [*lines, *self._much()] if much else lines

    def _wish(self, a: Session, b: Session) -> Lines:
        thing = self.random.choice(list(a.referee.names.names) or ["card"])
        return [self.random.choice(("help", *(f"send {word}" for word in SEND), f"send card {thing}"))]

    def _setting(self, a: Session, b: Session) -> Lines:
        hour = self.random.randrange(24)
        return [self.random.choice((*_KEPT, f"letters digest {hour}", f"letters digest {hour}"))]

    def _ahead(self, a: Session, b: Session) -> Lines:
        kind = self.random.choice(("all", *self.game.question_kinds))
        until = self.random.choice(("", " until turn 99"))
        ways = [f"{a.referee.q + self.random.randrange(1, 3)}: pass", f"{kind}: pass"]
        settled = [
            f"standing {kind}: pass{until}",
            f"standing {kind}: pass if turn=99",
            f"ask {kind}: {self.random.choice(('always', 'mine', 'never'))}{until}",
        ]
        return self.random.sample([*ways, *settled] if self.settles else ways, 2)

    def _offered(self, a: Session, b: Session) -> Lines:
        """Return what an email of X offers next to its answer: policies, and the first question of the next turn."""
        asked = a.referee.pending_to(self.seat)
        kind = asked.kind if asked is not None else ""
        lines, other = (list(self.game.policies(world.referee.table, self.seat, kind)) for world in (a, b))
        if lines != other:
            raise Leaked(f"{self.seat} is offered", str(lines), str(other))
        return [*(lines if self.settles else ()), *(f"next: {later}" for later in self._next_turn(a, b))]

    def _next_turn(self, a: Session, b: Session) -> Lines:
        """Return an answer to the first question of X's next turn, if there is one: the same in both worlds."""
        mine, yours = (world.referee.next_turn(self.seat) for world in (a, b))
        kinds = ["" if coming is None else coming.pending()[0].kind for coming in (mine, yours)]
        if kinds[0] != kinds[1]:
            raise Leaked(f"{self.seat} is offered", *kinds)
        if mine is None or yours is None:
            return []
        value = mine.domain(self.seat).sample(sampler(self.random))
        text = mine.domain(self.seat).text(value)
        if not yours.domain(self.seat).accepts(value):
            raise Leaked(f"{self.seat} may plan in A only", text, kinds[0])
        return [text]

    def _near(self, a: Session, b: Session) -> Lines:
        if self.seat not in a.referee.waiting() or self.random.random() < 0.5:
            return [self.random.choice(_NEAR)]
        domain = a.referee.domain(self.seat)
        text = domain.text(domain.sample(sampler(self.random)))
        at = self.random.randrange(len(text) + 1)
        return ["test", f"{a.referee.q}: {text[:at]}{text[at + 1 :]}"]

    def _to(self) -> str:
        some = self.random.sample(self.others, self.random.randrange(len(self.others)) + 1)
        return self.random.choice(("all", ",".join(some)))

    def _press(self, a: Session, b: Session) -> Lines:
        return press_block(self._to(), "x" * self.random.randrange(1, 300))

    def _much(self) -> Lines:
        """Return one item more than X may send: messages of a day, agreements, standing orders or settings."""
        words = ("standing", "ask", "") if self.settles else ("", "", "agreement: ")
        word = self.random.choice(words)
        if word in ("standing", "ask"):
            said = "pass if turn={}" if word == "standing" else "mine until turn {}"
            kinds = self.game.question_kinds or ("never",)
            return [f"{word} {kinds[at % len(kinds)]}: {said.format(900 + at)}" for at in range(_MOST + 1)]
        size = CHARACTERS // MESSAGES - len(word)
        to = self.random.choice(("all", "all", self.random.choice(self.others)))
        return [line for _ in range(MESSAGES + 1) for line in press_block(to, word + "y" * size)]

    def _agreement(self, a: Session, b: Session) -> Lines:
        return press_block(self._to(), f"agreement: we keep out of each other's way {self.random.randrange(9)}")

    def _signature(self, a: Session, b: Session) -> Lines:
        """Return an answer to an agreement of X, of another seat, or one that doesn't exist."""
        known = [agreement.id for agreement in of_seat(a.save, self.seat)]
        if known != [agreement.id for agreement in of_seat(b.save, self.seat)]:
            raise Leaked("agreements", str(known), str([agreement.id for agreement in of_seat(b.save, self.seat)]))
        between = "-".join(self.random.sample(self.others, len(self.others)))
        ident = self.random.choice((*known, *known, f"{between}-1", f"{self.seat}-{self.others[0]}-9"))
        word = self.random.choice(("sign", "decline", "withdraw"))
        return press_block(self._to(), f"{word} {ident}")

    def deal(self, a: Session, b: Session) -> Lines:
        """Return an act of an open negotiation that fits both worlds, or one on a proposal that doesn't exist."""
        now, domain = a.referee.now, a.referee.domain
        if not isinstance(now, Negotiate) or self.seat not in a.referee.waiting():
            return []
        below = sampler(self.random)
        for _ in range(_TRIES):
            value: Any = domain(self.seat).sample(below)
            if not isinstance(value, dict) or not domain(self.seat).accepts(value):
                continue
            text = domain(self.seat).text(value)
            if not b.referee.domain(self.seat).accepts(value):
                raise Leaked(f"{self.seat} may do in A only", text, b.referee.domain(self.seat).syntax())
            if value["do"] in (ACCEPT, WITHDRAW) and self.random.random() < 0.3:
                text = text.replace(value["id"], f"{value['id']}9")
            return [f"{a.referee.q}: {text}"]
        return []

    # -- what others write ---------------------------------------------------------------------------------------------

    def offers(self, a: Session, b: Session) -> Iterator[tuple[str, Lines]]:
        """Yield proposals of others to X in an open negotiation, the same in both worlds."""
        now, below = a.referee.now, sampler(self.random)
        if not isinstance(now, Negotiate) or now.public:
            return
        for seat in self.others:
            if seat not in a.referee.waiting() or self.random.random() < 0.5:
                continue
            value: Any = a.referee.domain(seat).sample(below)
            fits = isinstance(value, dict) and b.referee.domain(seat).accepts(value)
            if fits and value["do"] == PROPOSE and self.seat in now.parties(seat, terms_of(value)):
                yield seat, [f"{a.referee.q}: {a.referee.domain(seat).text(value)}"]

    def secrets(self, session: Session) -> list[tuple[str, Lines]]:
        """Return what others send in only one world: X must not notice it."""
        found: list[tuple[str, Lines]] = []
        for seat in self.others:
            if self.random.random() < 0.5:
                continue
            kind = self.random.choice(self.game.question_kinds or ("never",))
            lines = self.random.sample(
                [f"standing {kind}: pass if turn=99", f"ask {kind}: mine until turn 99", "99999: pass"],
                self.random.randrange(3),
            )
            third = [other for other in self.others if other != seat]
            if third and self.random.random() < 0.5:
                to = self.random.choice(third)
                lines += press_block(to, "x" * self.random.randrange(1, 400))
                if self.random.random() < 0.5:
                    lines += press_block(to, "agreement: the two of us")
            if third and isinstance(session.referee.now, Negotiate) and seat in session.referee.asked():
                lines += self._proposal(session, seat)
            if lines:
                found.append((seat, [*lines, *self.habits.sample(_HABITS, self.habits.randrange(2))]))
        return found

    def _proposal(self, session: Session, seat: str) -> Lines:
        referee = session.referee
        now: Any = referee.now
        for _ in range(_TRIES):
            value: Any = referee.domain(seat).sample(sampler(self.random))
            proposes = isinstance(value, dict) and value["do"] == PROPOSE and not now.public
            if proposes and self.seat not in now.parties(seat, terms_of(value)):
                return [f"{referee.q}: {referee.domain(seat).text(value)}"]
        return []


def press_block(to: str, text: str) -> Lines:
    """Return press as it is written in an order block."""
    return [f"BEGIN PRESS to={to}", text, "END PRESS"]
