"""News put into words as the seat wants them: a short letter, or one with the position below; and press alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from pbem.markup import escape
from pbem.post.outbox import pictures, press
from pbem.post.outbox.news import News
from pbem.post.outbox.reader import Reader, frame
from pbem.post.outbox.receipts import answered
from pbem.post.outbox.shortly import brief_of
from pbem.post.outbox.wording import as_page, as_text
from pbem.report import brief
from pbem.report.brief import Brief, Part
from pbem.report.brief_page import PAGE, page_of
from pbem.report.build import build
from pbem.report.catalogue import Catalogue
from pbem.report.cells import wrap
from pbem.report.letter import (
    PHONE,
    LetterText,
    news_text,
    position_text,
    possible_text,
    pre,
)
from pbem.report.model import Report
from pbem.report.receipt import letters_text
from pbem.save import Press, Session

NOTHING = "nothing"
"""The setting `attach` of a seat that wants neither map nor view file with its letters."""
_RULE = "-" * brief.COLUMNS
_NEWS = (None, 100, 50, 25, 10)
"""Lines of news that a long letter tells one by one, if there is no room for more."""
_ELEMENT = len("\n<pre></pre>")


def letter_text(session: Session, reader: Reader, news: News, sender: str = "") -> LetterText:
    """The letter that tells a seat its news."""
    shown, say = brief_of(session, reader, news, sender), reader.say
    subject, picture = brief.subject_of(shown, say), _picture(session, reader, shown)
    if news.ended:
        seed, told = session.save.dice.seed, say.text("mail.seed_text")
        shown.also.append(Part(f"{as_text(told, brief.COLUMNS)}\n{seed}", as_page(f"{told}\n{seed}")))
    if news.full:
        shown.also.append(below(_in_detail(session, reader, news, room_below(shown, say)), shown, say))
    return LetterText(subject, brief.text_of(shown, say), page_of(shown, say), picture)


def _picture(session: Session, reader: Reader, shown: Brief) -> str:
    """The map around what is asked, if it can be drawn here and the seat wants it; puts its place into the page."""
    wanted = session.save.post.maps and reader.seat.attach != NOTHING
    if shown.asked is None or not wanted or not pictures.can_draw(reader.say.language):
        return ""
    from pbem.report.letter_map import letter_map  # only where letters show maps

    found = letter_map(session.referee, reader.seat.id, shown.asked, reader.say)
    if found is None:
        return ""
    shown.picture = pictures.tag(found.alt)
    return found.svg


def _in_detail(session: Session, reader: Reader, news: News, room: int) -> str:
    """What stands below a long letter: receipts, every word of the question, the news and the position.

    Of the news so many lines as the page has room for, the last ones.
    """
    report = report_of(session, reader, news)
    letters, _ = answered(news.drafts, session.referee, news.notes)
    first = [letters_text(letters, reader.say, reader.seat.zone)] if letters else []
    first.append(possible_text(report))
    position, text = position_text(report), ""
    for most in _NEWS:
        parts = [*first, news_text(report, most), position]
        text = "\n\n".join(part.rstrip("\n") for part in parts if part)
        if _bytes(text) <= room:
            break
    return text


def below(text: str, shown: Brief, say: Catalogue) -> Part:
    """What stands below a short letter, as it is, as far as its page has room; none of its lines is an answer."""
    lines = brief.guarded(text.splitlines(), shown)
    room = room_below(shown, say)
    if _bytes("\n".join(lines)) > room:
        end = ["", *brief.guarded(wrap(say.text("short.too_long"), PHONE), shown)]
        room -= _bytes("\n".join(end)) + 1
        sizes = accumulate(_bytes(line) + 1 for line in lines)
        lines = [*lines[: sum(size <= room for size in sizes)], *end]
    told = "\n".join(lines)
    return Part(f"{_RULE}\n\n{told}", pre(told))


def room_below(shown: Brief, say: Catalogue) -> int:
    """The bytes that a page has room for below a short letter."""
    return PAGE - len(page_of(shown, say).encode()) - _ELEMENT


def _bytes(text: str) -> int:
    """How long text is in a page."""
    return len(escape(text).encode())


def report_of(session: Session, reader: Reader, news: News | None = None) -> Report:
    """The report for a seat, with the lines of its news."""
    seat, lines = reader.seat, news.lines if news is not None else ()
    about = frame(session, seat)
    return build(session.referee, seat.id, seat.language, lines=lines, frame=about, catalogue=reader.say)


def press_text(session: Session, reader: Reader, messages: Sequence[Press]) -> LetterText:
    """A letter of press alone. It asks nothing and has no form."""
    words = reader.words
    parts = [words("press.alone"), *press.told(session, reader, messages, with_form=False)]
    page = "\n".join(map(as_page, parts))
    text = "\n\n".join(map(as_text, parts)) + "\n"
    subject = words("press.subject", game=session.save.header.name)
    return LetterText(subject, text, f"<html><body>{page}</body></html>")
