"""The reply form of an email: an order block with safe default answers, to be edited and sent back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pbem.kernel.domains import Choice, Domain, Form, Optional, Reply, Series, Subset
from pbem.kernel.order_words import NO_NAMES, Names
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.lazy_regex import pattern
from pbem.orders.context import SeatQuestion, answer_line, question_of
from pbem.orders.parser import cells, form_mark
from pbem.orders.statements import BLANK, NEXT

# The short form of an email: `29: ?`, and the tag that says whose answer it is.

COLUMNS = 40
"""Characters of a line that no mail program breaks."""


def short_form(q: int, game: str, seat: str, code: str, *, ahead: int = 0) -> list[str]:
    """Return the lines of the short form: for the open question (`q` 0: none), `ahead` next turns, and the tag."""
    signs = [*([str(q)] if q else []), *NEXT[:1] * ahead]
    return [*(f"{sign}: {BLANK}" for sign in signs), *tag_lines(game, seat, code)]


def tag_lines(game: str, seat: str, code: str) -> list[str]:
    """Return the tag in lines: if it is too long, the code is broken off first, then the seat."""
    whole, name = reply_tag(game, seat, code), f"[{game} {seat}"
    if len(whole) <= COLUMNS:
        return [whole]
    return [*([name] if len(name) <= COLUMNS else [f"[{game}", seat]), f"{code}]"]


def reply_tag(game: str, seat: str, code: str) -> str:
    """Return the tag that names the seat and the question of an email."""
    return f"[{game} {seat} {code}]"


def last_line(game: str, q: int) -> str:
    """Return the last line of an email: text below a copy of it is the writer's."""
    return f"== {game} {q} =="


_TOKEN = pattern(r"[^\s,;=\"]+")
_MOST_WORDS = 8

WIDTH = 70
"""Cells of a comment line: below where mail programs wrap, since a wrapped comment would be read as an order."""


def form(
    referee: Referee,
    seat: str,
    *,
    game: str,
    code: str,
    syntax: Callable[[str], str] = str,
    word: Callable[[str], str] = str,
    blank: bool = False,
) -> str:
    """Return the form for `seat`: its answer so far or the default, with the syntax as comments.

    `syntax` and `word` put how to write an answer, and a word that can be written, into the reader's language.
    `blank`: it holds no answer. Without an open question the block is empty: it can still carry standing orders and
    advance orders. Sent back unchanged, it means exactly what it shows.
    """
    question = question_of(referee, seat)
    return form_for(question, seat, game=game, code=code, syntax=syntax, word=word, names=referee.names, blank=blank)


def form_for(
    question: SeatQuestion | None,
    seat: str,
    *,
    game: str,
    code: str,
    syntax: Callable[[str], str] = str,
    word: Callable[[str], str] = str,
    names: Names = NO_NAMES,
    blank: bool = False,
) -> str:
    """Return the form, as `form` does, for a given question."""
    lines: list[str] = []
    statements: list[str] = []
    notes: list[str] = []
    if question is not None:
        text = "" if blank else with_card_names(question.domain, question.answer or question.default, names)
        lines.append(answer_line(question.q, text) if text else f"{question.q}: {BLANK}")
        statements = continued(lines[0])
        few = dict(_few(question.domain, names))
        slots = {syntax(slot): " | ".join(map(word, words)) for slot, words in few.items()}
        how = syntax(question.domain.syntax())
        notes += wrapped(f"{question.q}: {slots.pop(how, how)}")
        notes += [line for slot, words in slots.items() for line in wrapped(f"{slot}: {words}")]
    head = f"BEGIN ORDERS {game} {seat} {code}".rstrip()
    return "\n".join([head, form_mark(lines, notes), *notes, *statements, "END ORDERS", ""])


def with_card_names(domain: Domain, text: str, names: Names) -> str:
    """Return order text with card names instead of the ids of copies, if it still means the same."""
    shown = _TOKEN.sub(lambda token: names.printed.get(token[0], token[0]), text)
    if shown == text:
        return text
    try:
        again = domain.text(domain.parse(shown, names))
    except Rejection:
        return text
    return shown if _printed(again, names) == _printed(text, names) else text


def _printed(text: str, names: Names) -> list[str]:
    return [names.printed.get(word, f"={word}") for word in _TOKEN.findall(text)]


def _few(domain: Domain, names: Names) -> Iterator[tuple[str, list[str]]]:
    """Yield each field that takes one of a few words, with these, if `syntax` doesn't name them."""
    domain = domain.inner if isinstance(domain, Reply) else domain
    parts: dict[str, Any] = dict(domain.fields) if isinstance(domain, Form) else {"": domain}
    for field, part in parts.items():
        inner = part.domain if isinstance(part, Optional) else part
        slot = field if isinstance(inner, Choice) and field else getattr(inner, "what", "")
        if isinstance(inner, Series):
            inner = inner.item([])
        if isinstance(inner, Choice | Subset) and slot:
            words = list(dict.fromkeys(names.printed.get(str(word), str(word)) for word in inner.listed))
            if 1 < len(words) <= _MOST_WORDS:
                yield f"<{slot}>", words


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """Return `text` as comment lines of at most `width` cells; wide characters count two."""
    lines, room = ["#"], width - 1
    for word in text.split():
        wide = cells(word) + 1
        if wide > room and lines[-1] != "#":
            lines.append("#")
            room = width - 1
        while wide > room:
            cut = _fitting(word, room - 1)
            lines[-1] += f" {word[:cut]}"
            lines.append("#")
            word, room = word[cut:], width - 1
            wide = cells(word) + 1
        lines[-1] += f" {word}"
        room -= wide
    return [line for line in lines if line != "#"]


def continued(line: str, width: int = WIDTH) -> list[str]:
    """Break a statement at blanks into lines of at most `width` cells, ending in a backslash, where possible."""
    rows = [""]
    for word in line.split(" "):
        if rows[-1] and cells(rows[-1]) + cells(word) + 3 > width:
            rows[-1] += " \\"
            rows.append("   ")
        rows[-1] += f" {word}" if rows[-1] else word
    return rows


def _fitting(word: str, room: int) -> int:
    cut = 0
    while cut < len(word) and cells(word[: cut + 1]) <= room:
        cut += 1
    return max(cut, 1)
