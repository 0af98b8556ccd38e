"""Pairs of worlds that are set up side by side, to compare what the set-up logs and sends.

World B's shuffles are world A's, with pieces unknown to X exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableSequence, Sequence
from random import Random
from typing import Any

import msgspec

from pbem.dev.leak_test_pairs import End, Leaked, Pair, heard, may_reveal
from pbem.dev.observation import SeatObservation
from pbem.dev.random_game import sampler
from pbem.kernel.dice import Dice
from pbem.kernel.game import Game, Setup
from pbem.kernel.negotiation import ACCEPT, PROPOSE, OpenNegotiation, terms_of
from pbem.kernel.questions import Negotiate, Proposal
from pbem.kernel.referee import CheckpointRecord, Referee
from pbem.kernel.standing_orders import ALWAYS

# Pairs of worlds that differ in one secret deal of other seats about the proposal that X is asked to sign.

_LOOKED_AT = 40
"""Checkpoints that are searched for one where deals are made."""

_TRIES = 200
"""Random acts among which one must fit."""


def where_deals_are_made(
    game: Game, setup: Setup, marks: Sequence[CheckpointRecord], random: Random
) -> CheckpointRecord | None:
    """Return a checkpoint before a private negotiation of three or more seats, or None."""
    for mark in random.sample(marks, min(_LOOKED_AT, len(marks))):
        now = Referee.resume(game, setup, [], mark, ask_me=ALWAYS).now
        if isinstance(now, Negotiate) and not now.public and now.limit is None and len(now.seats) > 2:
            return mark
    return None


class DealPair(Pair):
    """Two worlds in a negotiation, and a seat that must not learn what others have signed."""

    at_end = "deals"

    def __init__(self, game: Game, setup: Setup, mark: CheckpointRecord, random: Random) -> None:
        super().__init__(game, setup, mark, random.choice(setup.seats), random)
        self.step = "a deal of others"
        self.below = sampler(random)

    def _play(self) -> None:
        """Settle the others' deal in A, compare what X is offered, and let X sign."""
        a, b = self._world(), self._world()
        offered = self._offer(a, b)
        if offered is None or a.talk is None or not self._settle(a, a.talk, offered):
            raise End("parted")
        self.result.changed += 1
        for seat in offered.parties:
            if seat not in (offered.by, self.seat):
                self._sign([a, b], seat, offered.id)
        self._offer(a, b)  # X's proposal number must not count other proposals
        self.result.steps += len(offered.parties)
        observer = SeatObservation(self.game, self.seat, self.random)
        self._same(observer.difference(a, b))
        self._sign_by_email(a, b, offered, observer)
        self._same(observer.difference(a, b))

    def _world(self) -> Referee:
        return Referee.resume(self.game, self.setup, [], self.mark, ask_me=ALWAYS)

    def _offer(self, a: Referee, b: Referee) -> Proposal | None:
        """Make a proposal to X and a third seat in both worlds. Return None if none is found."""
        talk = a.talk
        if talk is None or self.seat not in talk.request.seats:
            return None
        for _ in range(_TRIES):
            seat = self.random.choice(talk.request.seats)
            value = a.domain(seat).sample(self.below)
            parties = _parties(talk, seat, value)
            if seat == self.seat or self.seat not in parties or len(parties) < 3:
                continue
            if b.domain(seat).accepts(value):
                return self._propose([a, b], seat, value)
        return None

    def _settle(self, a: Referee, talk: OpenNegotiation, offered: Proposal) -> bool:
        """Make a deal of others in A alone, if possible one that excludes the proposal to X."""
        legal, last = talk.request.conflict, None
        others = [seat for seat in talk.request.seats if seat != self.seat]
        for _ in range(_TRIES):
            seat = self.random.choice(others)
            value = a.domain(seat).sample(self.below)
            parties = _parties(talk, seat, value)
            if not parties or self.seat in parties:
                continue
            last = seat, value
            deal = Proposal("deal", seat, tuple(parties), terms_of(value), {})
            if legal is None or legal([deal, offered]) is not None:
                break
        if last is None:
            return False
        proposal = self._propose([a], *last)
        for seat in proposal.parties[1:]:
            self._sign([a], seat, proposal.id)
        if a.domain(last[0]).accepts(last[1]):
            self._propose([a], *last)  # another of the kind stays open
        return True

    def _propose(self, worlds: Sequence[Referee], seat: str, value: Any) -> Proposal:
        found = None
        for world in worlds:
            world.submit(seat, value)
            if found is None and world.talk is not None:
                found = next(reversed(world.talk.open.values()))
        if found is None:
            raise End("parted")
        return found

    def _sign(self, worlds: Sequence[Referee], seat: str, key: str) -> None:
        """Let one of the others sign, with the same words in all these worlds."""
        value = self._signature(worlds[0], seat, key)
        if value is None or not all(world.domain(seat).accepts(value) for world in worlds):
            raise End("parted")
        for world in worlds:
            world.submit(seat, value)

    def _sign_by_email(self, a: Referee, b: Referee, offered: Proposal, observer: SeatObservation) -> None:
        """Let X sign by email as the rules allow in B: A must accept it with the same receipt."""
        value = self._signature(b, self.seat, offered.id)
        if value is None:
            raise End("parted")
        text = b.domain(self.seat).text(value)
        told = [observer.receipt_text(b, observer.receipt(world, [f"{world.q}: {text}"])) for world in (a, b)]
        if told[0] != told[1]:
            raise Leaked("receipt for a signature", *told)

    def _signature(self, world: Referee, seat: str, key: str) -> Any:
        domain = world.domain(seat)
        for _ in range(_TRIES):
            value: object = domain.sample(self.below)
            if isinstance(value, dict) and value["do"] == ACCEPT and value["id"] == key:
                return value
        return None

    @staticmethod
    def _same(difference: tuple[str, str, str] | None) -> None:
        if difference is not None:
            raise Leaked(*difference)


def _parties(talk: OpenNegotiation, seat: str, value: object) -> Sequence[str]:
    """Return the seats that have to sign what an act proposes; none if it isn't a proposal."""
    if not isinstance(value, dict) or value["do"] != PROPOSE:
        return ()
    return talk.request.parties(seat, terms_of(value))


class TrackedPiece(str):
    """A piece that remembers its shuffle and its place in it."""

    __slots__ = ("lay",)
    lay: tuple[int, int]


class TrackingDice(Dice):
    """The dice of a seed, with shuffled items marked so that they can be found again."""

    __slots__ = ("shuffled",)

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed)
        self.shuffled = 0

    def shuffle(self, items: MutableSequence[Any]) -> None:
        super().shuffle(items)
        for at, item in enumerate(items):
            if isinstance(item, str):
                items[at] = piece = TrackedPiece(item)
                piece.lay = self.shuffled, at
        self.shuffled += 1


class RenamingDice(Dice):
    """The dice of a seed that exchange some shuffled pieces: shuffle and place → piece."""

    __slots__ = ("becomes", "shuffled")

    def __init__(self, seed: bytes, becomes: Mapping[tuple[int, int], str]) -> None:
        super().__init__(seed)
        self.becomes = becomes
        self.shuffled = 0

    def shuffle(self, items: MutableSequence[Any]) -> None:
        super().shuffle(items)
        others = [self.becomes.get((self.shuffled, at), item) for at, item in enumerate(items)]
        if sorted(map(str, others)) == sorted(map(str, items)):  # each occurs as often as before
            items[:] = others
        self.shuffled += 1


def found_again(state: Any, other: Any) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield for each marked piece of a state what is in its place in another state (as plain values)."""
    if isinstance(state, TrackedPiece):
        if isinstance(other, str):
            yield state.lay, other
    elif isinstance(state, msgspec.Struct):
        for key in state.__struct_fields__:
            yield from found_again(getattr(state, key), other.get(key) if isinstance(other, dict) else None)
    elif isinstance(state, dict):
        for key, part in state.items():
            yield from found_again(part, other.get(key) if isinstance(other, dict) else None)
    elif isinstance(state, (list, tuple)) and isinstance(other, list):
        for part, beside in zip(state, other, strict=False):
            yield from found_again(part, beside)


class SetUp(Pair):
    """Two worlds played to their first question, and the seat that must not tell them apart."""

    at_end = "set-up"

    def __init__(self, game: Game, setup: Setup, random: Random) -> None:
        start = CheckpointRecord(0, 0, 0, 0, 0, b"")
        super().__init__(game, setup, start, random.choice(setup.seats), random)
        self.step = "the set-up"

    def _play(self) -> None:
        seed = bytes.fromhex(self.setup.seed)
        marked = self._world(TrackingDice(seed)).table.state
        a = self._world(Dice(seed))
        self.mark = msgspec.structs.replace(self.mark, state=msgspec.json.encode(a.table.state))
        hidden = msgspec.json.decode(self.concealed())
        b = self._world(RenamingDice(seed, dict(found_again(marked, hidden))))
        self.result.changed += a.table.state != b.table.state
        self._compare(a, b)

    def _world(self, dice: Dice) -> Referee:
        return Referee.new(self.game, self.setup, dice=dice)

    def _compare(self, a: Referee, b: Referee) -> None:
        told = [heard(world.table.lines, self.seat) for world in (a, b)]
        if len(told[0]) != len(told[1]):
            raise Leaked("how many lines tell of the set-up", str(len(told[0])), str(len(told[1])))
        for (line, args), (other, others) in zip(*told, strict=True):
            if (line.key, args, line.rule) == (other.key, others, other.rule):
                continue
            if may_reveal(self.game, line, other):
                raise End("learnt")
            raise Leaked("a line from which nobody may learn", f"{line.key} {args}", f"{other.key} {others}")
        difference = SeatObservation(self.game, self.seat, self.random).difference(a, b)
        if difference is not None:
            raise Leaked(*difference)
