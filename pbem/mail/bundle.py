"""The bundle: what one reader may know of a game, as JSON, so that a third party can verify it.

While a game runs, other seats' moves are sealed links of the chain: hashes only, neither how nor when they answered.
The reader's own links are open, each with the key of its commitment. After the end the seed is there and all are
open. `docs/save-format.md` describes the chain.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

import msgspec

from pbem.kernel.dice import Draw
from pbem.mail.outbox.recipient import reader_of
from pbem.report.build import visible_lines
from pbem.save import Save, SeatInfo, Session, chain, checkpoints, codec
from pbem.save.audit import played_again
from pbem.save.schema import CheckpointInfo

FORMAT = "pbem-bundle-3"


class ChainLink(msgspec.Struct, omit_defaults=True):
    """A move as a link of the chain; a sealed link has its number and hashes only.

    `inner` is the hash of the move alone (empty in version 1 of the chain), `hash` joins it to the previous link.
    `commitment` represents the answer in the hash; `answer` and `key` open it.
    """

    n: int
    hash: str
    inner: str = ""
    q: int = 0
    seat: str = ""
    kind: str = ""
    how: str = ""
    at: str = ""
    via: str = ""
    commitment: str = ""
    answer: Any = None
    key: str = ""


class BundleRoll(msgspec.Struct):
    """An open roll: after which move, the reason, the faces, the number of the draw, the sides of a die."""

    n: int
    why: str
    dice: list[int]
    draw: int
    sides: Annotated[int, msgspec.Meta(ge=1, le=256)] = 6


_BYTES = re.compile(r"(?:[0-9a-f]{2})*")


class Bundle(msgspec.Struct, kw_only=True):
    """The contents of the file. `reader` is the seat it is for, "" for the public; `receipts` are the reader's emails.

    `origin` is the checkpoint where the game moved to other rules, set once it is over: replay starts there.
    """

    format: str = FORMAT
    reader: str
    made: datetime
    name: str
    game: str
    rules: str
    scenario: str
    created: datetime
    options: dict[str, Any]
    seats: list[str]
    commitment: str
    seed: str = ""
    head: str
    over: bool
    result: dict[str, Any]
    rewinds: list[dict[str, Any]]
    epochs: list[tuple[int, int]]
    chain: int = 1
    pack: dict[str, Any] = {}
    pack_digest: str = ""
    language: str = "en"
    dice: int = 1
    nonces: dict[str, str] = {}
    draws: list[Draw] | None = None
    origin: CheckpointInfo | None = None
    links: list[ChainLink]
    rolls: list[BundleRoll]
    narration: list[str]
    receipts: list[dict[str, Any]]
    actions: list[dict[str, Any]]
    press: list[dict[str, Any]]
    agreements: list[dict[str, Any]]


def bundle(session: Session, reader: str, made: datetime) -> Bundle:
    """Return the bundle of a game for `reader` ("" for the public)."""
    save, header = session.save, session.save.header
    info = next((seat for seat in save.seats if seat.id == reader), None) or SeatInfo("")
    lines = session.lines(0)
    return Bundle(
        reader=reader,
        made=made,
        name=header.name,
        game=header.game,
        rules=header.rules,
        scenario=header.scenario,
        created=header.created,
        options=dict(header.options),
        seats=[seat.id for seat in save.seats],
        commitment=save.dice.commitment,
        seed=save.dice.seed if header.over else "",
        head=header.head,
        over=header.over,
        result=dict(header.result),
        rewinds=[msgspec.to_builtins(rewind) for rewind in save.dice.rewinds],
        epochs=save.dice.epochs(),
        chain=header.chain,
        pack=dict(header.pack),
        pack_digest=header.pack_digest,
        language=info.language,
        dice=save.dice.version,
        nonces=dict(save.dice.nonces),
        draws=_draws(session) if header.over else None,
        origin=save.origin if header.over else None,
        links=_links(save, reader),
        rolls=rolls_of(lines, reader),
        narration=[f"{text.n}: {text.text}" for text in visible_lines(reader_of(session, info).say, lines, reader)],
        receipts=_plain(intake for intake in save.intake if reader and reader in intake.seat.split(",")),
        actions=_actions(save, reader),
        press=_plain(press for press in save.press if not press.to or reader in (press.seat, *press.to)),
        agreements=_plain(entry for entry in save.agreements if reader in (entry.seat, *entry.to)),
    )


def _plain(entries: Iterable[msgspec.Struct]) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(entry) for entry in entries]


def _links(save: Save, reader: str) -> list[ChainLink]:
    """Return the chain: the reader's own moves are open, all of them once the game is over."""
    seed, over = bytes.fromhex(save.dice.seed), save.header.over
    return [_link(move, save, seed, over or (bool(reader) and move.seat == reader)) for move in _moves(save)]


def _actions(save: Save, reader: str) -> list[dict[str, Any]]:
    """Return the moderator's actions that the reader was notified of; after the end, all corrections too."""
    over, seats = save.header.over, {seat.id for seat in save.seats}
    # The public knows what all seats know.
    known = [
        action
        for action in save.actions
        if reader in action.told or set(action.told) >= seats or (over and action.what == "fiat")
    ]
    return [_action(action, over) for action in _plain(known)]


def _moves(save: Save) -> list[Any]:
    return [*codec.earlier_moves(save), *save.moves]


def _draws(session: Session) -> list[Draw]:
    mark, moves = checkpoints.cut(session.save, session.game, _moves(session.save))
    return played_again(session.game, session.setup, moves, mark)[1]


def _action(action: dict[str, Any], over: bool) -> dict[str, Any]:
    """Return an action without mail addresses and, while the game runs, without the steps of a correction."""
    args = {key: value for key, value in action.get("args", {}).items() if "@" not in str(value)}
    if not over:
        args.pop("steps", None)
    return {**action, "args": args}


def _link(move: Any, save: Save, seed: bytes, is_open: bool) -> ChainLink:
    sealed, epoch = chain.commitment(seed, move.n, move.answer), chain.epoch_of(move.n, save.dice.epochs())
    inner = chain.inner(move, sealed, epoch) if save.header.chain > 1 else ""
    if not is_open:
        return ChainLink(move.n, move.hash, inner)
    key = hmac.digest(seed, b"commit:%d" % move.n, "sha256")
    return ChainLink(
        move.n,
        move.hash,
        inner,
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


def rolls_of(lines: list[Any], reader: str) -> list[BundleRoll]:
    """Return the open rolls that these lines show the reader."""
    out = []
    for line in lines:
        dice, draw = line.args.get("dice"), line.args.get("draw")
        if isinstance(dice, list) and isinstance(draw, int) and (line.only is None or reader in line.only):
            out.append(BundleRoll(line.n, line.key, list(dice), draw, line.args.get("sides", 6)))
    return out


def encode(found: Bundle) -> bytes:
    """Serialise the bundle as JSON (UTF-8)."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


def decode(data: bytes) -> Bundle:
    """Parse a bundle; raise `ValueError` that says where it isn't one."""
    try:
        bundle = msgspec.json.decode(data, type=Bundle)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"this isn't a pbem bundle: {error}") from None
    for place, value in (("seed", bundle.seed), *((f"the key of move {link.n}", link.key) for link in bundle.links)):
        if not _BYTES.fullmatch(value):
            raise ValueError(f"this isn't a pbem bundle: {place} isn't a hexadecimal number")
    if not all(link.hash.isascii() and link.inner.isascii() for link in bundle.links):
        raise ValueError("this isn't a pbem bundle: a hash isn't a hexadecimal number")
    return bundle
