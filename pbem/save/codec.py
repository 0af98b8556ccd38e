"""A save as text and back, its sections in the order of `SECTIONS`. Reference: save-format.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.lazy_regex import pattern
from pbem.save import chain, migrations, toml_writer
from pbem.save.errors import BrokenChain, SaveError, SaveKeyError, Truncated, Unreadable, WrongFormat
from pbem.save.header_checks import first_fault
from pbem.save.key_positions import KeyFault, dotted, line_of, steps
from pbem.save.schema import (
    FORMAT,
    Agreement,
    CheckpointInfo,
    ClockSettings,
    DiceInfo,
    EmailPart,
    Header,
    MailSettings,
    ModeratorAction,
    OutboxEntry,
    PendingInfo,
    PlayerVote,
    PressMessage,
    ProcessedEmail,
    Save,
    SeatInfo,
)
from pbem.save.to_plain import plain
from pbem.save.toml_reader import bad_key, parse, too_deep, typed

if TYPE_CHECKING:
    from pbem.kernel.journal import ChainedMove

PENDING_MAY_LACK = ("letter", "put", "undelivered", "again", "refused")
GAME_MAY_LACK = ("unsent", "unasked", "release_at", "vote_at", "chain")
SEATS_MAY_LACK = ("understudy", "missed", "told", "letters", "attach", "quiet", "reminders", "bank", "bot_until")
SECTIONS = ("game", "seats", "clock", "dice", "post", "pending")
"""The sections before `[checkpoint]`: all that `pbem status` needs."""

_FIELDS = Save.__struct_fields__
LISTS = _FIELDS[_FIELDS.index("queue") : _FIELDS.index("moves")]
"""The sections between `[checkpoint]` and `[[moves]]`."""

TITLE = "# A game run by pbem. It holds every secret: never send it to a player. Format: docs/save-format.md\n\n"
"""The first line of a save."""
_CHECKPOINT = pattern(r"^\[checkpoint\][ \t]*$", re.MULTILINE)
_MOVES = pattern(r"^\[\[moves\]\][ \t]*$", re.MULTILINE)


# -- writing ---------------------------------------------------------------------------------------------------------


def compose(save: Save) -> str:
    """Return the text of a save. Raises `Unwritable` for values outside TOML, `SaveKeyError` for unreadable ones."""
    return "".join(pieces(save))


def pieces(save: Save) -> list[str]:
    """Return the text of a save in pieces, so that the early moves, most of a late game, aren't copied."""
    if save.checkpoint is None:
        raise ValueError("only the header of this save was read, so the save can't be written")
    fault = first_fault(save)
    if fault is not None:
        raise SaveKeyError(fault.why, key=dotted(fault.path), remedy="Nothing was written.")
    moves = [_entry(move) for move in save.moves]
    later = "".join(moves[: save.checkpoint.n - save.earlier_n])
    save.checkpoint.journal = chain.journal(chain.start(save), save.earlier, later)
    out = [
        TITLE,
        toml_writer.section("game", _lean(_first(plain(save.header, "game"), "chain"), *GAME_MAY_LACK)),
        toml_writer.sections("seats", (_lean(row, *SEATS_MAY_LACK) for row in plain(save.seats, "seats"))),
        toml_writer.section("clock", _lean(plain(save.clock, "clock"), "bank_hours", "players_may")),
        toml_writer.section("dice", _lean(_first(plain(save.dice, "dice"), "version"), "version", "nonces")),
        toml_writer.section("post", _lean(plain(save.post, "post"), "sender", "keep", "site", "maps")),
        toml_writer.sections("pending", (_lean(row, *PENDING_MAY_LACK) for row in plain(save.pending, "pending"))),
        toml_writer.section("checkpoint", plain(save.checkpoint, "checkpoint")),
    ]
    if save.origin is not None:
        out.append(toml_writer.section("origin", plain(save.origin, "origin")))
    out += [toml_writer.sections(name, plain(getattr(save, name), name, sparse=True)) for name in LISTS]
    out += [save.earlier, *moves, toml_writer.END, "\n"]
    return out


def _lean(table: dict[str, Any], *names: str) -> dict[str, Any]:
    """Remove those of the keys that are empty."""
    return {key: value for key, value in table.items() if value or key not in names}


def _first(table: dict[str, Any], name: str) -> dict[str, Any]:
    """Replace a version of 1 by 0, the default, which isn't written."""
    return {**table, name: 0} if table[name] == 1 else table


def _entry(move: ChainedMove) -> str:
    text = toml_writer.inline
    answer = text(plain(move.answer, f"moves[{move.n - 1}].answer"))
    return (
        f"[[moves]]\nn = {move.n}\nq = {move.q}\nseat = {text(move.seat)}\nkind = {text(move.kind)}\n"
        f"answer = {answer}\nhow = {text(move.how)}\nat = {text(move.at)}\nvia = {text(move.via)}\n"
        f"hash = {text(move.hash)}\n\n"
    )


# -- reading ---------------------------------------------------------------------------------------------------------


class _Parts(msgspec.Struct, frozen=True):
    """A text cut into its parts, and the number of lines before each."""

    header: str
    body: str
    journal: str
    body_skips: int
    journal_skips: int


def read(text: str, *, recent: bool = False) -> Save:
    """Read a save; with `recent`, moves up to the checkpoint stay text (`Save.earlier`). Raises `SaveError`s."""
    parts = split(text)
    save = read_header(parts.header)
    _body(save, parts)
    start = _tail(save, parts.journal) if recent else 0
    if start:
        try:
            _recent(save, parts, start)
        except SaveError:
            # Parse everything, so that the error has the key and line of the whole file.
            read(text)
            raise
        return save
    save.moves = _moves(parts.journal, parts.journal_skips)
    try:
        chain.check(chain.start(save), 0, save.moves, save)
    except BrokenChain as error:
        error.line = line_of(text, steps(error.key))
        raise
    return save


def read_header(text: str) -> Save:
    """Read the header from the text before `[checkpoint]`."""
    raw = parse(text)
    if too_deep(raw):
        raise Unreadable("nested too deeply")
    game = raw.get("game")
    written = game.get("format") if isinstance(game, dict) else None
    if written is None:
        raise WrongFormat("this isn't a pbem save: the key `format` is missing", key="game.format")
    if type(written) is not int or written != FORMAT:
        line = line_of(text, ("game", "format"))
        raise WrongFormat(
            f"this save has format {written!r}; this pbem reads format {FORMAT}", key="game.format", line=line
        )
    _known(raw, SECTIONS, text, 0)
    migrations.read_times(raw)
    save = Save(
        header=typed(game, Header, ("game",), text),
        seats=typed(raw.get("seats", []), list[SeatInfo], ("seats",), text),
        clock=typed(raw.get("clock", {}), ClockSettings, ("clock",), text),
        dice=typed(raw.get("dice", {}), DiceInfo, ("dice",), text),
        post=typed(raw.get("post", {}), MailSettings, ("post",), text),
        pending=typed(raw.get("pending", []), list[PendingInfo], ("pending",), text),
    )
    fault = first_fault(save)
    if fault is not None:
        raise bad_key(fault, text)
    return save


def split(text: str) -> _Parts:
    """Cut a text before `[checkpoint]` and before the first move. Raises `Truncated`."""
    if not any(end.rstrip().endswith(toml_writer.END) for end in (text[-80:], text)):
        raise Truncated(f"the last line, '{toml_writer.END}', is missing")
    body = _CHECKPOINT.search(text)
    if body is None:
        # A file of another format has other sections: report the format first.
        read_header(text)
        raise SaveKeyError("the section is missing", key="checkpoint")
    journal = _MOVES.search(text, body.end())
    at = journal.start() if journal else text.rindex(toml_writer.END)
    before = text.count("\n", 0, body.start())
    middle = text[body.start() : at]
    return _Parts(text[: body.start()], middle, text[at:], before, before + middle.count("\n"))


def earlier_moves(save: Save, since: int = 0) -> list[ChainedMove]:
    """Parse the moves after `since` that were kept as text."""
    if since >= save.earlier_n:
        return []
    text = save.earlier[max(0, save.earlier.rfind(f"[[moves]]\nn = {since + 1}\n")) :]
    return [move for move in _moves(text, 0) if move.n > since]


def earlier_move(save: Save, head: str) -> ChainedMove | None:
    """Parse the move kept as text whose hash begins with `head`."""
    text, at = save.earlier, save.earlier.find(f'\nhash = "{head}')
    end = text.find("\n[[moves]]", at)
    found = _moves(text[text.rindex("[[moves]]", 0, at) : end if end > 0 else None], 0)[0] if at > 0 else None
    return found if found is not None and found.hash.startswith(head) else None  # a text may hold such a line


def _body(save: Save, parts: _Parts) -> None:
    from pbem.kernel.referee import AdvanceNote, Move
    from pbem.kernel.standing_orders import AdvanceOrder, AskMe, StandingRule

    text, skips = parts.body, parts.body_skips
    raw = parse(text, skips)
    migrations.in_body(raw)
    _known(raw, ("checkpoint", "origin", *LISTS), text, skips)
    kinds: dict[str, Any] = {
        "checkpoint": CheckpointInfo,
        "origin": CheckpointInfo,
        "queue": list[AdvanceOrder],
        "standing": list[StandingRule],
        "settings": list[AskMe],
        "sealed": list[Move],
        "talk": list[dict[str, Any]],
        "press": list[PressMessage],
        "intake": list[ProcessedEmail],
        "drafts": list[EmailPart],
        "outbox": list[OutboxEntry],
        "notes": list[AdvanceNote],
        "actions": list[ModeratorAction],
        "agreements": list[Agreement],
        "votes": list[PlayerVote],
    }
    for name, kind in kinds.items():
        if name in raw:
            setattr(save, name, typed(raw[name], kind, (name,), text, skips))


def _moves(journal: str, skips: int) -> list[ChainedMove]:
    from pbem.kernel.journal import ChainedMove

    raw = parse(journal, skips)
    _known(raw, ("moves",), journal, skips)
    return typed(raw.get("moves", []), list[ChainedMove], ("moves",), journal, skips)


def _tail(save: Save, journal: str) -> int:
    """Return where the entry of the checkpoint's move begins, 0 if it isn't found."""
    assert save.checkpoint is not None
    return journal.rfind(f"\n[[moves]]\nn = {save.checkpoint.n}\n") + 1


def _recent(save: Save, parts: _Parts, start: int) -> None:
    skips = parts.journal_skips + parts.journal.count("\n", 0, start)
    tail = parts.journal[start:]
    entries = _moves(tail, skips)
    last, save.moves = entries[0], entries[1:]
    follows = _MOVES.search(tail, 1)
    cut = start + (follows.start() if follows else tail.rindex(toml_writer.END))
    save.earlier, save.earlier_n = parts.journal[:cut], last.n
    assert save.checkpoint is not None
    first = chain.start(save)
    if save.checkpoint.journal == chain.journal(first, save.earlier):
        chain.check(last.hash, last.n, save.moves, save)
    else:  # an older file, or one that was edited: compare the moves themselves
        chain.check(first, 0, [*earlier_moves(save), *save.moves], save)


def _known(raw: dict[str, Any], names: tuple[str, ...], text: str, skips: int) -> None:
    for name in raw:
        if name not in names:
            raise bad_key(KeyFault((name,), f"no such section here; known: {', '.join(names)}"), text, skips)
