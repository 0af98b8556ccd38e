"""The dispute file: what one reader may know of a game, so that a stranger can verify it without us.

JSON. While a game runs, other seats' moves are links of the chain that stay closed (their hashes are there, nothing
else: how and when somebody answered is his business); the reader's own are open, each with the key of its commitment.
Once the game is over the seed is in it, everything is open, and every die can be rolled again. docs/save-format.md says
how the chain is made; `verify` needs this file and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Annotated, Any

import msgspec

from pbem.kernel.journal import Move
from pbem.post.outbox.reader import reader_of
from pbem.report.build import told
from pbem.save import Save, SeatInfo, Session, chain
from pbem.save.proof import told_by_seed
from pbem.save.schema import DiceInfo, Rewind

FORMAT = "pbem-bundle-2"
OLDER = "pbem-bundle-1"
"""In which `actions` were called `deeds`, and `agreements` `promises`."""


class Link(msgspec.Struct, omit_defaults=True):
    """A move as a link of the chain. A closed one has its number and hash only.

    `commitment` stands for the answer in the hash; with `answer` and `key` it can be opened.
    """

    n: int
    hash: str
    q: int = 0
    seat: str = ""
    kind: str = ""
    how: str = ""
    at: str = ""
    via: str = ""
    commitment: str = ""
    answer: Any = None
    key: str = ""


class Roll(msgspec.Struct):
    """Open dice as they were told: after which move, what for, the faces, the number of the draw, sides of a die."""

    n: int
    why: str
    dice: list[int]
    draw: int
    sides: Annotated[int, msgspec.Meta(ge=1, le=256)] = 6


_BYTES = re.compile(r"(?:[0-9a-f]{2})*")


class Bundle(msgspec.Struct, kw_only=True):
    """The file. `reader` is the seat it is for, "" the public. `receipts` are the reader's letters as they came in."""

    format: str = FORMAT
    reader: str
    made: str
    name: str
    game: str
    rules: str
    scenario: str
    created: str
    options: dict[str, Any]
    seats: list[str]
    commitment: str
    seed: str = ""
    head: str
    over: bool
    result: dict[str, Any]
    rewinds: list[dict[str, Any]]
    epochs: list[tuple[int, int]]
    links: list[Link]
    rolls: list[Roll]
    narration: list[str]
    receipts: list[dict[str, Any]]
    actions: list[dict[str, Any]]
    press: list[dict[str, Any]]
    agreements: list[dict[str, Any]]


class Found(msgspec.Struct):
    """What a verification found: counts of what holds, and what is wrong (empty: nothing)."""

    links: int = 0
    opened: int = 0
    closed: int = 0
    rolls: int = 0
    wrong: list[str] = []


def bundle(session: Session, reader: str, made: str) -> Bundle:
    """The dispute file of a game for `reader` ("" the public)."""
    save, header = session.save, session.save.header
    seed = bytes.fromhex(save.dice.seed)
    info = next((one for one in save.seats if one.id == reader), None) or SeatInfo("")
    lines = session.lines(0)
    to = {reader}
    return Bundle(
        reader=reader,
        made=made,
        name=header.name,
        game=header.game,
        rules=header.rules,
        scenario=header.scenario,
        created=header.created,
        options=dict(header.options),
        seats=[one.id for one in save.seats],
        commitment=save.dice.commitment,
        seed=save.dice.seed if header.over else "",
        head=header.head,
        over=header.over,
        result=dict(header.result),
        rewinds=[msgspec.to_builtins(one) for one in save.dice.rewinds],
        epochs=save.dice.epochs(),
        links=[
            _link(move, seed, header.over or (bool(reader) and move.seat == reader))
            for move in _moves(session)
        ],
        rolls=_rolls(lines, reader),
        narration=[f"{one.n}: {one.text}" for one in told(reader_of(session, info).say, lines, reader)],
        receipts=[
            msgspec.to_builtins(one) for one in save.intake if reader and reader in one.seat.split(",")
        ],
        actions=[
            _action(msgspec.to_builtins(one), header.over)
            for one in save.actions
            if _may_know(save, reader, one.told)
        ],
        press=[msgspec.to_builtins(one) for one in save.press if not one.to or to & {one.seat, *one.to}],
        agreements=[msgspec.to_builtins(one) for one in save.agreements if to & {one.seat, *one.to}],
    )


def _moves(session: Session) -> list[Any]:
    """The whole journal with its hashes."""
    from pbem.save.codec import earlier_moves

    return [*earlier_moves(session.save), *session.save.moves]


def _may_know(save: Save, reader: str, told: list[str]) -> bool:
    """Whether a reader was told of an action; the public knows what everybody was told."""
    return reader in told or set(told) >= {seat.id for seat in save.seats}


def _action(action: dict[str, Any], over: bool) -> dict[str, Any]:
    """An action without mail addresses in its arguments, nor, while the game runs, what was corrected."""
    args = {key: value for key, value in action.get("args", {}).items() if "@" not in str(value)}
    if not over:
        args.pop("steps", None)
    return {**action, "args": args}


def _link(move: Any, seed: bytes, is_open: bool) -> Link:
    if not is_open:
        return Link(move.n, move.hash)
    key = hmac.digest(seed, b"commit:%d" % move.n, "sha256")
    sealed = chain.commitment(seed, move.n, move.answer)
    return Link(
        move.n,
        move.hash,
        move.q,
        move.seat,
        move.kind,
        move.how,
        move.at,
        move.via,
        sealed,
        move.answer,
        key.hex(),
    )


def _rolls(lines: list[Any], reader: str) -> list[Roll]:
    out = []
    for line in lines:
        dice, draw = line.args.get("dice"), line.args.get("draw")
        if isinstance(dice, list) and isinstance(draw, int) and (line.only is None or reader in line.only):
            out.append(Roll(line.n, line.key, list(dice), draw, line.args.get("sides", 6)))
    return out


# -- verifying -------------------------------------------------------------------------------------------------------


def verify(found: Bundle) -> Found:
    """Check everything that the file lets one check."""
    out = Found()
    if found.format != FORMAT:
        out.wrong.append(f"format {found.format!r}; this pbem reads {FORMAT}")
        return out
    seed = bytes.fromhex(found.seed)
    if found.seed and hashlib.sha256(seed).hexdigest() != found.commitment:
        out.wrong.append("the seed is not the one that was committed to")
    last = _chain(found, seed, out)
    if last != found.head:
        out.wrong.append(f"the chain ends with {last[:16]}…, not with the head {found.head[:16]}…")
    _epochs(found, out)
    if found.seed:
        _dice(found, out)
    return out


def _epochs(found: Bundle, out: Found) -> None:
    """The dice change with every rewind, to the epoch of its number, and with nothing else."""
    try:
        rewinds = msgspec.convert(found.rewinds, list[Rewind])
    except msgspec.ValidationError as error:
        out.wrong.append(f"rewinds: {error}")
        return
    for count, one in enumerate(rewinds, 1):
        if one.epoch != count:
            out.wrong.append(f"rewind {count} leads to the dice of epoch {one.epoch}")
    if DiceInfo(found.seed, found.commitment, rewinds).epochs() != found.epochs:
        out.wrong.append("the epochs of the dice are not those of the rewinds")


def _genesis(found: Bundle) -> str:
    setup = {
        "commitment": found.commitment,
        "created": found.created,
        "game": found.game,
        "name": found.name,
        "options": found.options,
        "scenario": found.scenario,
        "seats": found.seats,
    }
    return hashlib.sha256(chain.canonical(setup)).hexdigest()


def _chain(found: Bundle, seed: bytes, out: Found) -> str:
    before = _genesis(found)
    for count, link in enumerate(found.links, 1):
        if link.n != count:
            out.wrong.append(f"move {count} is missing")
            return before
        if link.commitment:
            _opened(link, before, seed, found.epochs, out)
        elif found.over:
            out.wrong.append(f"move {link.n} is closed though the game is over")
        else:
            out.closed += 1
        before = link.hash
        out.links += 1
    return before


def _opened(link: Link, before: str, seed: bytes, epochs: list[tuple[int, int]], out: Found) -> None:
    """The commitment opens with its key, the key comes from the seed, and the link fits its hash."""
    key = bytes.fromhex(link.key)
    if hmac.digest(key, chain.canonical(link.answer), "sha256").hex() != link.commitment:
        out.wrong.append(f"move {link.n}: the answer is not the one that was committed to")
    if seed and hmac.digest(seed, b"commit:%d" % link.n, "sha256") != key:
        out.wrong.append(f"move {link.n}: its key does not come from the seed")
    move = Move(link.n, link.q, link.seat, link.kind, link.answer, link.how, link.at, link.via)
    if chain.link(before, move, link.commitment, chain.epoch_of(link.n, epochs)) != link.hash:
        out.wrong.append(f"move {link.n} does not fit its hash")
    out.opened += 1


def _dice(found: Bundle, out: Found) -> None:
    """Roll every open die again."""
    for roll in found.rolls:
        out.rolls += 1
        again = told_by_seed(found.seed, found.epochs, roll.n, roll.draw, len(roll.dice), roll.sides)
        if roll.dice not in again:
            out.wrong.append(f"after move {roll.n}, draw {roll.draw}: {roll.why} tells {roll.dice}")


def _of_today(raw: Any) -> Any:
    """The tables of a file of the format before this one, under the names of today."""
    if not isinstance(raw, dict) or raw.get("format") != OLDER:
        return raw
    names = {"deeds": "actions", "promises": "agreements"}
    return {names.get(key, key): value for key, value in raw.items()} | {"format": FORMAT}


def encode(found: Bundle) -> bytes:
    """The file's bytes."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


def decode(data: bytes) -> Bundle:
    """The file. Raises ValueError saying where it is not one."""
    try:
        found = msgspec.convert(_of_today(msgspec.json.decode(data)), Bundle)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"this is no bundle of pbem: {error}") from None
    for place, value in (
        ("seed", found.seed),
        *((f"the key of move {one.n}", one.key) for one in found.links),
    ):
        if not _BYTES.fullmatch(value):
            raise ValueError(f"this is no bundle of pbem: {place} is not a hexadecimal number")
    if not all(one.hash.isascii() for one in found.links):
        raise ValueError("this is no bundle of pbem: a hash is not a hexadecimal number")
    return found
