"""Migrate saves of earlier versions: keys under other names, or in a table `more`, are moved.

Works on the parsed tables before they are typed. Values of the wrong type are left for the type check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from pbem.timestamps import aware, moment

# The times in the header of a save, which people edit: texts become times before the type check.


def read_times(raw: dict[str, Any]) -> None:
    """Replace texts by times in the tables of a header; "" is None. Other values are left for the type check."""
    for table, may_lack, must in _with_times(raw):
        for name in (*may_lack, *must):
            text = table.get(name)
            if text == "" and name in may_lack:
                del table[name]
            elif isinstance(text, str | datetime):
                with suppress(ValueError):
                    table[name] = moment(text) if isinstance(text, str) else aware(text)


def _with_times(raw: dict[str, Any]) -> Iterator[tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]]:
    """Yield the header's tables with times: the table, its optional keys, its required keys."""
    game, clock, post, dice = (raw.get(name) for name in ("game", "clock", "post", "dice"))
    yield from ((table, ("read", "release_at", "vote_at"), ("created",)) for table in tables_in([game]))
    for seat in tables_in(raw.get("seats")):
        for told in tables_in([seat.get("told")]):
            yield told, ("digest", "noticed", "quiet", "requested"), ()
            yield from ((moving, (), ("at", "until")) for moving in tables_in([told.get("moving")]))
        yield from ((delegate, ("since", "until"), ()) for delegate in tables_in(seat.get("delegates")))
    yield from ((pause, ("until",), ("since",)) for pause in _inner(clock, "pauses"))
    yield from ((absence, (), ("since", "until")) for absence in _inner(clock, "absences"))
    yield from ((onlooker, ("at",), ()) for onlooker in _inner(post, "onlookers"))
    yield from ((rewind, ("at",), ()) for rewind in _inner(dice, "rewinds"))
    asked = ("since", "due", "put", "undelivered", "again", "refused")
    yield from ((pending, asked, ()) for pending in tables_in(raw.get("pending")))


def _inner(section: Any, name: str) -> list[dict[str, Any]]:
    return tables_in(section.get(name)) if isinstance(section, dict) else []


def tables_in(value: Any) -> list[dict[str, Any]]:
    """Return the tables in a list; other values are left for the type check."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


_SECTIONS = {"deeds": "actions", "promises": "agreements"}
_GAME = {"unsent": "unsent", "unasked": "unasked", "release_at": "release_at"}
_SEAT = {
    "letters": "letters",
    "root": "first",
    "last": "last",
    "press": "press",
    "talk": "proposals",
    "over": "over",
    "newcomer": "newcomer",
    "notices": "notices",
    "event": "entry",
}
_LETTER = {"news": "news", "asks": "asks", "calendar": "calendar", "cancelled": "cancelled"}
_MESSAGES = {
    "queue": "advance",
    "talk": "negotiation",
    "block": "order_block",
    "letter": "incoming",
    "fiat": "correction",
}
"""First part of the keys of stored messages: of notes, receipts and their reasons."""
_DRAFT = {"receipt": "receipt", "subject": "subject", "entered": "entered"}


def in_header(raw: dict[str, Any]) -> None:
    """Move the old keys of `[game]`, `[[seats]]` and `[clock]`."""
    game, clock, post = raw.get("game"), raw.get("clock"), raw.get("post")
    if isinstance(game, dict):
        more = _taken(game, _GAME, game)
        if "from" in more and isinstance(post, dict):
            post["sender"] = more.pop("from")
        _leave(game, more)
    if isinstance(clock, dict):
        _leave(clock, _taken(clock, {}, clock))
    for seat in tables_in(raw.get("seats")):
        if "more" in seat:
            told: dict[str, Any] = {}
            _leave(seat, _taken(seat, _SEAT, told))
            seat["told"] = told


def in_body(raw: dict[str, Any]) -> None:
    """Move the old sections between `[checkpoint]` and `[[moves]]`, and old keys in them."""
    for old, new in _SECTIONS.items():
        if old in raw and new not in raw:
            raw[new] = raw.pop(old)
    for press in tables_in(raw.get("press")):
        _leave(press, _taken(press, {}, press))
    drafts, emails = [], []
    for email in tables_in(raw.get("outbox")):
        if email.get("kind") == "draft":
            drafts.append(_draft(email))
        else:
            emails.append(_email(email))
    if drafts:
        raw["drafts"] = [*raw.get("drafts", []), *drafts]
        raw["outbox"] = emails
    _rename_messages(raw.get("notes"))
    for draft in tables_in(raw.get("drafts")):
        _rename_messages(draft.get("receipt"))


def _rename_messages(value: Any) -> None:
    """Give the messages in a value the keys of today, wherever a table has a `key`."""
    if isinstance(value, dict):
        if isinstance(key := value.get("key"), str):
            first, dot, rest = key.partition(".")
            value["key"] = _MESSAGES.get(first, first) + dot + rest
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        _rename_messages(inner)


def _draft(old: dict[str, Any]) -> dict[str, Any]:
    """Convert an unwritten email part; earlier versions kept it in the outbox with kind `draft`."""
    new: dict[str, Any] = {key: old[key] for key in ("id", "seat", "at", "more") if key in old}
    if "body" in old:
        new["text"] = old["body"]
    if "In-Reply-To" in (headers := _headers(old)):
        new["reply_to"] = headers["In-Reply-To"]
    _leave(new, _taken(new, _DRAFT, new))
    return new


def _email(email: dict[str, Any]) -> dict[str, Any]:
    headers = _headers(email)
    for old, new in (("From", "sender"), ("Message-ID", "message_id")):
        if old in headers:
            email[new] = headers[old]
    if headers:
        email["thread"] = str(headers.get("References", "")).split()
    more = _taken(email, _LETTER, email)
    if "hold" in more:
        until = more.pop("hold")
        email["held"] = True
        if until != "moderator":
            email["held_until"] = until
    _leave(email, more)
    return email


def _headers(email: dict[str, Any]) -> dict[str, Any]:
    headers = email.pop("headers", {})
    return headers if isinstance(headers, dict) else {}


def _taken(table: dict[str, Any], names: Mapping[str, str], into: dict[str, Any]) -> dict[str, Any]:
    """Move what `names` (old → new) finds in the table's `more` to `into`; return the rest."""
    more = table.pop("more", {})
    if not isinstance(more, dict):
        return {"more": more}
    into.update({new: more[old] for old, new in names.items() if old in more})
    return {key: value for key, value in more.items() if key not in names}


def _leave(table: dict[str, Any], rest: Mapping[str, Any]) -> None:
    """Put back unknown keys, so that the type check rejects them by name."""
    if rest:
        table["more"] = dict(rest)
