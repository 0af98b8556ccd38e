"""When letters with news go out: at once, some hours later, or when the moderator has looked at them.

A receipt without news is never held: its writer must know that he was heard. Nobody loses time by it: while letters
that put a question wait for the moderator, its time does not run.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from pbem.clock.policy import UNASKED, moment, stamp
from pbem.post.outbox.letters import ASKS, UNSENT
from pbem.post.outbox.maildir import pending
from pbem.save import Letter, Save

HOLD = "hold"
"""Key of `Letter.more`: until when a letter is held (ISO 8601), `moderator` until he releases it."""


def hold(save: Save, letters: Iterable[Letter], now: datetime) -> None:
    """Hold the letters just written as the game's policy says."""
    hours = save.post.release
    for letter in letters:
        if hours and letter.more.get("news"):
            letter.more[HOLD] = stamp(now + timedelta(hours=hours)) if hours > 0 else "moderator"


def held_back(letter: Letter, now: datetime) -> bool:
    """Whether a letter must not go out yet."""
    until = str(letter.more.get(HOLD, ""))
    return until == "moderator" or (bool(until) and moment(until) > now)


def note_release(save: Save, kept: Iterable[Letter]) -> None:
    """Note in the header when the next held letter is due, and that a question is not put, so that a tick sees it."""
    kept = list(kept)
    save.header.more.pop(UNASKED, None)
    if any(one.more.get(HOLD) == "moderator" and one.more.get(ASKS) == save.header.q for one in kept):
        save.header.more[UNASKED] = True
    times = [str(one.more[HOLD]) for one in kept if one.more.get(HOLD) != "moderator"]
    save.header.more.pop("release_at", None)
    if times:
        save.header.more["release_at"] = min(times)


def held(save: Save) -> list[Letter]:
    """The letters held in a save."""
    return [one for one in pending(save) if one.more.get(HOLD)]


def release(save: Save, seat: str = "") -> int:
    """Let the letters that are held go with the next run (of one seat, or all); returns how many."""
    found = [one for one in held(save) if seat in ("", one.seat)]
    for letter in found:
        letter.more.pop(HOLD)
    note_release(save, held(save))
    if found:
        save.header.more[UNSENT] = True
    return len(found)
