"""Verification of a bundle: its chain, commitments and dice, and a replay of a game that is over.

Only the file is needed, and for the replay the game with the same rules and components.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any

import msgspec

from pbem.clock.beacon import BeaconRound, beacon_of
from pbem.kernel.dice import Dice, Draw
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import BEACON, Move
from pbem.kernel.referee import Referee, components_of
from pbem.mail.bundle import FORMAT, Bundle, BundleRoll, ChainLink, rolls_of
from pbem.report.build import visible_lines
from pbem.report.messages import Catalogue
from pbem.save import chain, checkpoints
from pbem.save.audit import played_again, told_by_seed
from pbem.save.schema import DiceInfo, Header, ModeratorAction, Rewind
from pbem.save.session import facts
from pbem.timestamps import stamp

_MOST = 5
"""Differences of one kind that are named one by one."""


class BundleVerification(msgspec.Struct, rename={"without": "days_without_beacon", "wrong": "errors"}):
    """The results of a verification: counts of what is right, and what is wrong (empty: nothing).

    - `uncovered` are the tables without a hash: only emails prove their contents.
    - `since` is the move from which the game was replayed, 0 for the first; earlier ones were made under other rules.
    - `beacons` are the rounds of a public beacon in the dice, `without` the days with answers but without a round.
    - `replayed`: the game was replayed. `draws` are the rolls and shuffles that came out the same.
    """

    links: int = 0
    opened: int = 0
    closed: int = 0
    rolls: int = 0
    beacons: int = 0
    without: int = 0
    replayed: bool = False
    draws: int = 0
    lines: int = 0
    since: int = 0
    uncovered: tuple[str, ...] = ("press", "receipts", "agreements", "actions")
    wrong: list[str] = []


class _Entered(BeaconRound):
    """A round as the journal holds it, with the name of the beacon."""

    beacon: str = ""


def verify(found: Bundle, load: Callable[[str], Game] | None = None) -> BundleVerification:
    """Check everything that the file allows. `load` finds the game by its slug (None: it isn't replayed)."""
    out = BundleVerification()
    if found.format != FORMAT:
        out.wrong.append(f"format {found.format!r}; this pbem reads {FORMAT}")
        return out
    _left_out(found, out)
    seed = bytes.fromhex(found.seed)
    if found.over and not found.seed:
        out.wrong.append("the game is over, but its seed is missing in the file")
    if found.seed and hashlib.sha256(seed).hexdigest() != found.commitment:
        out.wrong.append("the seed differs from the one that was committed to")
    last = _chain(found, seed, out)
    if last != found.head:
        out.wrong.append(f"the chain ends with {last[:16]}…, not with the head {found.head[:16]}…")
    _beacons(found, out)
    rewinds = _epochs(found, out)
    _actions(found, rewinds, out)
    if out.wrong and max(len(rewinds), len(found.epochs)) > _MANY:
        return out  # made up to cost time: each roll would be repeated for every epoch
    if not found.over and (found.seed or found.result or found.draws):
        out.wrong.append("the game isn't over in this file, but the file has its seed or result")
    if found.seed:
        _dice(found, out)
        if load is not None and found.over:
            _again(found, load, out)
    return out


def _left_out(found: Bundle, out: BundleVerification) -> None:
    """Check that required parts are there, and that a running game shows no moves of others."""
    if found.over and found.draws is None:
        out.wrong.append("the game is over, but its rolls and shuffles are missing in the file")
    if not found.pack_digest:
        out.wrong.append("the file doesn't name the components of the game")
    if found.dice == 1 and found.nonces:
        out.wrong.append("dice of the first version take in no nonces, but there are some in the file")
    shown = sum(bool(link.commitment) and link.seat != (found.reader or None) for link in found.links)
    if shown and not found.over:
        out.wrong.append(f"{shown} moves of others are opened, but they are sealed while a game runs")


def _beacons(found: Bundle, out: BundleVerification) -> None:
    """Check that each round is the one for its day, and that its value follows from its signature."""
    rounds = [link for link in found.links if link.kind == BEACON and isinstance(link.answer, dict)]
    last = 0
    for link in rounds:
        try:
            value, day = msgspec.convert(link.answer, _Entered), datetime.fromisoformat(link.at).date()
            named = beacon_of(value.beacon).named(day)
        except ValueError as error:
            out.wrong.append(f"move {link.n}: no round of a beacon: {error}")
            continue
        if value.round != named:
            out.wrong.append(f"move {link.n}: round {value.round} of the beacon, but {day} has round {named}")
        if value.round <= last:
            out.wrong.append(f"move {link.n}: round {value.round} of the beacon after round {last}")
        if why := value.wrong():
            out.wrong.append(f"move {link.n}: round {value.round} of the beacon: {why}")
        last, out.beacons = value.round, out.beacons + 1
    if rounds:
        begun = {link.at[:10] for link in found.links[rounds[0].n :] if link.at}
        out.without = len(begun - {link.at[:10] for link in rounds})


_MANY = 1000
"""More rewinds than any game has."""


def _epochs(found: Bundle, out: BundleVerification) -> list[Rewind]:
    """Check that the dice change with every rewind, to the epoch of its number, and only then."""
    try:
        rewinds = msgspec.convert(found.rewinds, list[Rewind])
    except msgspec.ValidationError as error:
        out.wrong.append(f"rewinds: {error}")
        return []
    for count, rewind in enumerate(rewinds, 1):
        if rewind.epoch != count:
            out.wrong.append(f"rewind {count} leads to the dice of epoch {rewind.epoch}")
    if _dice_info(found, rewinds).epochs() != found.epochs:
        out.wrong.append("the epochs of the dice are not those of the rewinds")
    return rewinds


def _actions(found: Bundle, rewinds: Sequence[Rewind], out: BundleVerification) -> None:
    """Check that each correction, rewind and change of rules has its action, and the reverse.

    Only the action remains of a correction that was rewound.
    """
    try:
        actions = msgspec.convert(found.actions, list[ModeratorAction])
    except msgspec.ValidationError as error:
        out.wrong.append(f"actions: {error}")
        return
    numbers = [int(action.id[1:]) if action.id[1:].isdecimal() else 0 for action in actions]
    if numbers != sorted(set(numbers)):
        out.wrong.append("the moderator's actions are not in the order of their numbers")
    _corrections(found, [action for action in actions if action.what == "fiat"], rewinds, out)
    changed = {action.at for action in actions if action.what in ("upgrade", "pack")}
    stamps = set(map(stamp, changed))
    for link in found.links:
        if link.kind == checkpoints.UPGRADE and link.at not in stamps:
            out.wrong.append(f"move {link.n} is a change of rules, but no action records it")
    # A change of rules may take the game back to a checkpoint.
    taken_back = [(rewind.n, rewind.at) for rewind in rewinds if rewind.at not in changed]
    told = [action for action in actions if action.what == "rewind" and action.at not in changed]
    if [(_number(action), action.at) for action in told] != taken_back:
        out.wrong.append("the rewinds of the dice differ from those of the actions")


def _corrections(
    found: Bundle, told: Sequence[ModeratorAction], rewinds: Sequence[Rewind], out: BundleVerification
) -> None:
    """Compare the moves that correct the state with the actions: number, time and reason."""
    earliest = min((rewind.n for rewind in rewinds), default=None)
    made = {(link.n, link.at, link.via): link for link in found.links if link.kind == "fiat"}
    said = [(_number(action), stamp(action.at), f"moderator: {action.reason}") for action in told]
    known = set(said)
    for key, link in made.items():
        if key not in known:
            out.wrong.append(f"move {link.n} is a correction, but no action records it as it is")
    hidden = {link.n for link in found.links if not link.commitment}
    for key in said:
        taken_back = earliest is not None and earliest < key[0]
        if key not in made and key[0] not in hidden and not taken_back:
            out.wrong.append(f"an action records move {key[0]} as a correction, but the move differs")


def _number(action: ModeratorAction) -> int:
    n = action.args.get("n")
    return n if isinstance(n, int) else -1


def genesis(found: Bundle) -> str:
    """Return hash_0 of the game."""
    header = Header(
        format=1,
        name=found.name,
        game=found.game,
        scenario=found.scenario,
        rules=found.rules,
        pack_digest=found.pack_digest,
        created=found.created,
        n=0,
        q=0,
        head="",
        options=found.options,
        chain=found.chain,
    )
    return chain.genesis(header, found.seats, _dice_info(found))


def _dice_info(found: Bundle, rewinds: Sequence[Rewind] = ()) -> DiceInfo:
    return DiceInfo(found.seed, found.commitment, list(rewinds), found.dice, found.nonces)


def _chain(found: Bundle, seed: bytes, out: BundleVerification) -> str:
    before = genesis(found)
    for count, link in enumerate(found.links, 1):
        if link.n != count:
            out.wrong.append(f"move {count} is missing")
            return before
        if link.commitment:
            _opened(link, before, seed, found, out)
        elif found.over:
            out.wrong.append(f"move {link.n} is sealed although the game is over")
        else:
            out.closed += 1
            if found.chain > 1 and chain.joined(before, link.inner) != link.hash:
                out.wrong.append(f"move {link.n}, which is sealed, doesn't match its hash")
        before = link.hash
        out.links += 1
    return before


def _opened(link: ChainLink, before: str, seed: bytes, found: Bundle, out: BundleVerification) -> None:
    """Check that the commitment opens with its key, the key comes from the seed, and the link fits its hashes."""
    key = bytes.fromhex(link.key)
    if hmac.digest(key, chain.canonical(link.answer), "sha256").hex() != link.commitment:
        out.wrong.append(f"move {link.n}: the answer differs from the one that was committed to")
    if seed and hmac.digest(seed, b"commit:%d" % link.n, "sha256") != key:
        out.wrong.append(f"move {link.n}: its key doesn't come from the seed")
    move, epoch = move_of(link), chain.epoch_of(link.n, found.epochs)
    if chain.link(before, move, link.commitment, epoch, found.chain) != link.hash:
        out.wrong.append(f"move {link.n} doesn't match its hash")
    elif found.chain > 1 and chain.inner(move, link.commitment, epoch) != link.inner:
        out.wrong.append(f"move {link.n} doesn't match its inner hash")
    out.opened += 1


def move_of(link: ChainLink) -> Move:
    """Return the move of an open link."""
    return Move(link.n, link.q, link.seat, link.kind, link.answer, link.how, link.at, link.via)


def _dice(found: Bundle, out: BundleVerification) -> None:
    for roll in found.rolls:
        out.rolls += 1
        if roll.dice not in _by_seed(found, roll):
            out.wrong.append(f"after move {roll.n}, draw {roll.draw}: {roll.why} tells {roll.dice}")


def _by_seed(found: Bundle, roll: BundleRoll) -> list[list[int]]:
    """Return the possible results of a roll; version 2 dice are compared by the replay instead."""
    if found.dice == 1:
        return told_by_seed(found.seed, found.epochs, roll.n, roll.draw, len(roll.dice), roll.sides)
    out = []
    for draw in found.draws or ():
        if (draw.n, draw.draw, draw.what) == (roll.n, roll.draw, "roll"):
            dice = Dice(bytes.fromhex(found.seed), draw.epoch, draw.draw - 1)
            dice.mixed = lambda mix=draw.mix: mix
            out.append(list(dice.roll(len(roll.dice), roll.sides)))
    return out


def _again(found: Bundle, load: Callable[[str], Game], out: BundleVerification) -> None:
    if any(not link.commitment for link in found.links):
        return  # already reported: it is incomplete
    try:
        game = load(found.game)
    except LookupError:
        out.wrong.append(f"not replayed: the game '{found.game}' isn't installed")
        return
    if game.rules != found.rules:
        out.wrong.append(f"not replayed: it was played under rules {found.rules}, and this pbem has {game.rules}")
        return
    try:
        referee, draws = _played(found, game)
    except Exception as error:  # the file may be hostile: any error of the rules is the file's
        out.wrong.append(f"the journal can't be replayed: {error}")
        return
    out.replayed, out.since = True, found.origin.n if found.origin is not None else 0
    if not referee.over:
        out.wrong.append(f"the journal does not end the game: question {referee.q} is open")
    if (result := facts(referee.result or {})) != found.result:
        out.wrong.append(f"the result is {result}, not {found.result}")
    _same_story(found, game, referee, out)
    out.draws = _same(found.draws or (), draws, "draw", _draw_text, out)


def _played(found: Bundle, game: Game) -> tuple[Referee, list[Draw]]:
    dice = found.epochs, _dice_info(found).mix
    setup = Setup(found.game, tuple(found.seats), found.seed, found.scenario, found.options, found.pack, *dice)
    digest = components_of(game, setup.pack)[0]
    if found.pack_digest and digest != found.pack_digest:
        raise ValueError(f"its components are {found.pack_digest[:16]}…, these are {digest[:16]}…")
    moves, mark = [move_of(link) for link in found.links], None
    if found.origin is not None:
        checkpoints.check(found.origin, moves)
        mark = checkpoints.mark_in(found.origin, game, "origin")
        moves = moves[mark.n :]
    return played_again(game, setup, moves, mark)


def _same_story(found: Bundle, game: Game, referee: Referee, out: BundleVerification) -> None:
    say = Catalogue(game, referee.components, found.language, referee.names)
    lines = referee.table.lines
    story = [f"{text.n}: {text.text}" for text in visible_lines(say, lines, found.reader)]
    out.lines = _same(found.narration, story, "line", str, out)
    rolls = rolls_of(lines, found.reader)
    _same(
        found.rolls, rolls, "roll", lambda roll: f"{roll.why} {roll.dice} (draw {roll.draw} after move {roll.n})", out
    )


def _same(
    theirs: Sequence[Any], ours: Sequence[Any], what: str, text: Callable[[Any], str], out: BundleVerification
) -> int:
    """Compare two lists in order and report where they differ; return how many agree."""
    differ = []
    for at, (their, our) in enumerate(zip_longest(theirs, ours), 1):
        if their != our:
            said, says = ("nothing" if found is None else text(found) for found in (their, our))
            differ.append(f"{what} {at}: the file has {said}; the game, {says}")
            if len(theirs) != len(ours):
                break  # from here on all would differ
    out.wrong += differ[:_MOST]
    if len(differ) > _MOST:
        out.wrong.append(f"{len(differ) - _MOST} more {what}s differ")
    if len(theirs) != len(ours):
        out.wrong.append(f"the file has {len(theirs)} {what}s, the game {len(ours)}")
    return len(ours) - len(differ) if len(theirs) == len(ours) else 0


def _draw_text(one: Draw) -> str:
    size = f"{one.size} of {one.sides} sides" if one.sides else f"of {one.size}"
    out = one.out if len(one.out) <= _LONG else f"{str(one.out[:_LONG])[:-1]}, …]"
    return f"{one.what} {one.draw} after move {one.n} ({size}): {out}"


_LONG = 12
