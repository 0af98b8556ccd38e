"""A short email as an HTML page: the facts as rows, and a big button for each likely answer, in words.

It looks the same where a mail program drops the style sheet, inverts colours or shows no pictures, because all that
matters stands in `style` attributes of tables. It is in the order of the text, and loads nothing. A button writes an
email with the answer and the tag in its body; a code is never in a subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from urllib.parse import quote

import msgspec

from pbem.kernel.composite_domains import PASS
from pbem.lazy_regex import escape, pattern
from pbem.report import short_email as short
from pbem.report.answer_faces import capital
from pbem.report.answer_lines import words_below
from pbem.report.deciding import Option
from pbem.report.merge_lines import words_in
from pbem.report.messages import Catalogue
from pbem.report.model import ReportSpace, SpacesAround
from pbem.report.question_text import EmailQuestion
from pbem.report.short_email import ShortEmail
from pbem.report.text_width import width, wrap

PAGE = 40_000
"""Bytes of a page without its picture: mail programs show it whole, and a phone loads it at once."""
LINK = 400
"""Characters of a mailto: link that every mail program accepts."""
BUTTONS = 8
"""Buttons with the last one, for any other answer."""
_AHEAD = 4
"""Buttons for the next turn."""
_ARROW = "→ "
_HEADING_END = pattern(r"((?:[^:：（]|:(?! )|（[^）]*）)+?(?:: |：))")
_TAGS = pattern(r"<[^>]*>")
_LABEL = 24
"""Cells of the heading of a fact in its row."""
_SCREEN, _LINE, _APART, _PLAIN = 312, 21, 8, 35
"""Pixels between a question of one line with its deadline and the first button; of a line, a margin, a space's name."""
_ROW, _HEADING = 38, 34
"""Cells of a line, and of one of the question."""
_BELOW = 96
"""Cells of the second part of a button, in two lines."""
_LABELLED, _LONGEST = 66, 110
"""Cells of the label of a button, in two lines, and of one that is too long for a button."""
_WORDS, _FORM = 175, 28
"""Words of a page, and those that its form needs. If there are more, it tells less."""
_LARGE = 58
"""Cells of a question that has two lines in large letters."""
_DARK = "@media (prefers-color-scheme:dark){.b,.b a{background:#123a52!important;color:#e8f3fa!important}}"
_FONT = (
    "padding:10px 12px;font-family:-apple-system,'Segoe UI',Roboto,'Hiragino Sans','Noto Sans JP',sans-serif;"
    "font-size:17px;line-height:1.4;overflow-wrap:anywhere;word-break:break-word"
)
_SMALL = "font-size:15px;margin:4px 0 8px"
_TAG = ((50, 14), (58, 12))
"""Up to so many characters of a tag are in one line of a phone, in letters of so many pixels."""
_WIDE = 'role="presentation" cellpadding="0" cellspacing="0" width="100%"'
_CELL = "padding:3px 10px 3px 0;border-top:1px solid #888888"
_PLACE = "padding:6px 4px;font-size:15px;line-height:1.25;border:2px solid"
_HERE, _BY = "#a3291a;background:#fbd9d3;color:#1a1a1a", "#7a6a3a;background:#f3ead2;color:#1a1a1a"
_BUTTON = "display:block;padding:12px;background:#eaf2f8;color:#12384f;text-decoration:none;line-height:1.3"


class _Extent(msgspec.Struct, frozen=True):
    """How much a page tells: what follows from an answer, facts, the buttons with what follows, facts they repeat.

    `answers` is how many answers have a button.
    """

    follows: int = 9
    facts: int = 7
    noted: int = BUTTONS
    spare: bool = False
    beside: int = 0
    answers: int = BUTTONS


_LEVELS = (
    *(_Extent(follows, spare=True) for follows in (9, 3, 2, 1)),
    _Extent(1),
    *(_Extent(1, facts, noted) for some in ((6, 5, 4), (3, 2)) for noted in (BUTTONS, 6, 5, 4, 3, 2) for facts in some),
    *(_Extent(0, facts) for facts in (7, 6, 5, 4, 3, 2)),
    *(_Extent(0, 2, answers=answers) for answers in (6, 5, 4, 3)),
)
"""From most to least: the last facts go first, then what answers mean, the likeliest last, then the last answers."""


def page_of(brief: ShortEmail, say: Catalogue) -> str:
    """Return the email as a page."""
    return page_around(body_of(brief, say), short.subject_of(brief, say), say.language)


def page_around(body: str, title: str, language: str) -> str:
    """Return a page with this body, which looks the same in all mail programs."""
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="format-detection" content="telephone=no,date=no,address=no">\n'
        f"<title>{escape(title)}</title>\n<style>{_DARK}</style>\n</head>\n"
        f'<body style="margin:0;padding:0">\n<table {_WIDE} align="center" style="max-width:600px">'
        f'<tr><td style="{_FONT}"><div role="main">\n{body}\n</div></td></tr></table>\n</body>\n</html>\n'
    )


def body_of(brief: ShortEmail, say: Catalogue) -> str:
    """Return the contents of the page."""
    news = [*_news(brief, say)]
    legend = [f'<p style="{_SMALL}">{escape(part)}</p>' for part in brief.legend.splitlines()]
    least = short.facts_told(brief, say)
    beside = max(least - len(brief.asked.decision.facts), 0) if brief.asked is not None else 0
    form = _FORM + (words_in(short.turn_after(brief, say)) if brief.asked is not None and brief.asked.sealed else 0)
    for told in _LEVELS:
        head = [*_head(brief, say, msgspec.structs.replace(told, facts=max(told.facts, least), beside=beside))]
        room = _WORDS - words_in(_TAGS.sub(" ", "\n".join([*head, *news, *legend])))
        if room >= form:
            break
    parts = [*head, *_form(brief, say, room), *(part.below for part in brief.alerts), brief.picture, *news]
    parts += [*(part.html for part in brief.also), *legend]
    if brief.last:
        parts.append(_tag(brief.last))
    return "\n".join(filter(None, parts))


def room_for_news(brief: ShortEmail, say: Catalogue) -> int:
    """Return how many words of news leave space for what each answer means: that is worth more."""
    told = [*_head(brief, say, _Extent(1)), *_news(msgspec.structs.replace(brief, left_out=1), say), brief.legend]
    return _WORDS - _FORM - words_in(_TAGS.sub(" ", "\n".join(told)))


def _head(brief: ShortEmail, say: Catalogue, told: _Extent) -> Iterator[str]:
    if brief.verdict or brief.reader:
        word = f"<b>{escape(brief.verdict)}</b> " if brief.verdict else ""
        yield f'<div style="font-size:15px">{word}{_safe(brief.reader, brief)}</div>'
    yield from (part.html for part in brief.alerts)
    asked = brief.asked
    if asked is not None:
        yield from _question(asked, brief, say, told)
    elif brief.nothing:
        yield _heading(brief.nothing, brief)
        yield from _ahead(brief, say)
    if (changed := brief.change) is not None:
        heading = say.text("email.change") if changed.answer else changed.heading
        yield f'<h2 style="font-size:17px;margin:14px 0 6px">{_safe(heading, brief)}</h2>'
        yield from buttons(brief, say)


def _ahead(brief: ShortEmail, say: Catalogue) -> Iterator[str]:
    """Yield what already waits for the next turn, and buttons for its first question."""
    for said in short.next_turn(brief, say):
        yield f'<p style="{_SMALL}">{_safe(said, brief)}</p>'
    if brief.queued and brief.to:
        yield _button(brief, [f"{short.NEXT}: clear"], say.text("email.take_back"))
    if brief.following is not None:
        yield from _buttons_of(brief.following, brief, say, _Extent(0))


def _heading(text: str, brief: ShortEmail) -> str:
    size = 21 if width(text) <= _LARGE else 19
    return f'<h1 style="font-size:{size}px;line-height:1.25;margin:2px 0 4px">{_safe(text, brief)}</h1>'


def _question(asked: EmailQuestion, brief: ShortEmail, say: Catalogue, told: _Extent) -> Iterator[str]:
    yield _heading(asked.heading, brief)
    answered = say.text("email.answered", answer=asked.answer) if asked.answer else ""
    rest = answered or short.silence_in_words(brief, say)
    by = short.deadline(brief, say)
    yield f'<p style="margin:0 0 8px"><b>{escape(by)}</b> {_safe(rest, brief)}</p>'
    yield from (f'<p style="{_SMALL}">{_safe(text, brief)}</p>' for text in (asked.lead, *asked.offers) if text)
    if asked.around is not None:
        yield _map_cells(asked.around, brief)
    facts, room = asked.decision.facts, _fact_pixels(asked, brief)
    facts = facts[: min(told.facts, len(facts) - asked.decision.spare * (not told.spare))]
    facts = [*facts, *asked.decision.beside[: told.beside]]
    first = max(sum(high <= room for high in accumulate(_heights(facts))), 1)
    yield from _rows(facts[:first], brief)
    if asked.decision.count:
        yield f'<p style="{_SMALL}">{_safe(asked.decision.count, brief)}</p>'
    yield from buttons(brief, say, told)
    yield from _rows(facts[first:], brief)


def _map_cells(around: SpacesAround, brief: ShortEmail) -> str:
    """Return the spaces that the question turns on: where from, where, and those next to it, below one another."""
    beside = [*around.beside]
    span = f' rowspan="{len(beside)}"' if len(beside) > 1 else ""
    first = [] if around.origin is None else [_space(around.origin, _BY, brief, span), _sign("→", span)]
    first.append(_space(around.place, _HERE, brief, span))
    rows = [_sign("–") + _space(space, _BY, brief) for space in beside] or [""]
    rows[0] = "".join(first) + rows[0]
    told = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<table {_WIDE} style="margin:4px 0 8px">{told}</table>'


def _space(place: ReportSpace, look: str, brief: ShortEmail, span: str = "") -> str:
    told = " ".join(filter(None, (place.side_name, place.mark)))
    below = f"<br>{_safe(told, brief)}" if told else ""
    return f'<td{span} align="center" style="{_PLACE} {look}"><b>{_safe(place.name, brief)}</b>{below}</td>'


def _sign(sign: str, span: str = "") -> str:
    return f'<td{span} align="center" style="font-size:20px;padding:0 2px">{sign}</td>'


def _fact_pixels(asked: EmailQuestion, brief: ShortEmail) -> int:
    """Return how many pixels of facts leave the first button on the first screen."""
    room = _SCREEN - _LINE if width(asked.heading) > _HEADING else _SCREEN
    for part in brief.alerts:
        room -= _LINE * (3 + _lines(_TAGS.sub("", part.html)))
    for text in filter(None, (asked.lead, *asked.offers)):
        room -= _LINE * _lines(text) + _APART
    if asked.around is not None:
        names = [_PLAIN + _LINE if space.side_name or space.mark else _PLAIN for space in asked.around.beside]
        room -= sum(names) + 2 * _APART
    return room


def _lines(text: str, cells: int = _ROW) -> int:
    return -(-width(text) // cells)


def _heights(facts: Sequence[str]) -> Iterator[int]:
    """Yield the pixels of facts as rows of one table, whose widest heading leaves the rest of the screen."""
    split = [_labelled(fact) for fact in facts]
    widest = max((width(label) for label, _ in split), default=0)
    for label, rest in split:
        lines = max(_lines(label, _LABEL), len(wrap(rest, _ROW - widest))) if label else _lines(rest)
        yield _LINE * lines + _APART


def _rows(facts: Sequence[str], brief: ShortEmail) -> Iterator[str]:
    if facts:
        rows = "".join(_row(fact, brief) for fact in facts)
        yield f'<table {_WIDE} style="font-size:16px;line-height:1.3;margin:0 0 8px">{rows}</table>'


def _row(fact: str, brief: ShortEmail) -> str:
    label, rest = _labelled(fact)
    if not label:
        return f'<tr><td colspan="2" style="{_CELL}">{_safe(rest, brief)}</td></tr>'
    shown = f'<th scope="row" align="left" valign="top" style="{_CELL}">{_safe(label, brief)}</th>'
    return f'<tr>{shown}<td style="{_CELL}">{_safe(rest, brief)}</td></tr>'


def _labelled(fact: str) -> tuple[str, str]:
    """Split a fact with a heading, with its colon, from the rest: `Votes in Poland: …`; not within brackets."""
    found = _HEADING_END.match(fact)
    return (found[1], fact[found.end() :]) if found and width(found[1]) <= _LABEL + width(": ") else ("", fact)


def _form(brief: ShortEmail, say: Catalogue, room: int) -> Iterator[str]:
    """Yield the form, and in `room` words how the answers without a button are written."""
    asked = brief.asked
    if not brief.form_lines:
        return
    if asked is None:
        yield from _next_form(brief, say)
        yield _tag(" ".join(brief.tag))
        return
    yield f'<p style="{_SMALL}">{escape(" ".join(short.how(asked, say)))}</p>'
    yield f"<div>{escape(brief.form_lines[0])}</div>"
    room -= words_in(" ".join((*short.how(asked, say), *brief.form_lines)))
    below = []
    if (said := short.turn_after(brief, say)) and (asked.sealed or words_in(said) <= room):
        below, room = [said], room - words_in(said)
    below += words_below(asked.decision, say, tapped(brief), room)
    following = [*_next_form(brief, say)]
    ahead = [*_ahead(brief if following else short.now_only(brief), say), *following]
    counted = words_in(" ".join(line for line in brief.form_lines if line.startswith(short.NEXT)))
    if brief.too and words_in(_TAGS.sub(" ", " ".join((*ahead, *below)))) > room + counted:
        ahead = [*_ahead(short.now_only(brief), say)]  # the line in `below` says how the next turn is written
    yield from ahead
    yield _tag(" ".join(brief.tag))
    yield from (f'<p style="{_SMALL}">{_safe(line, brief)}</p>' for line in below)


def _next_form(brief: ShortEmail, say: Catalogue) -> Iterator[str]:
    """Yield how the next turn is written, and its lines of the form."""
    if brief.following is None or _most(brief, brief.following) <= 0:
        return
    yield f'<p style="{_SMALL}">{escape(" ".join(short.next_how(brief, say)))}</p>'
    yield from (f"<div>{line}</div>" for line in brief.form_lines if line.startswith(short.NEXT))


def _tag(text: str) -> str:
    size = next((size for most, size in _TAG if width(text) <= most), 11)
    return f'<div style="font-size:{size}px">{escape(text)}</div>'


def tapped(brief: ShortEmail, asked: EmailQuestion | None = None) -> list[Option]:
    """Return the answers that have a button, in the order of their rank: whole ones, also of a single thing."""
    asked = asked or brief.asked or brief.change
    if asked is None or not brief.to or not brief.form_lines:
        return []
    whole = [
        option
        for option in asked.decision.options
        if option.order.isascii()
        and width(option.face) <= _LONGEST
        and (option.alone or not option.part)
        and not (asked is brief.change and asked.answer in (option.order, option.face))
    ]
    sign = _beginning(asked, brief)
    found = [option for option in whole if len(mailto(brief, f"{sign}: {option.order}")) <= LINK]
    most = max(_most(brief, asked) - 1 - bool(brief.turn and asked is brief.asked), 0)
    out = [option for option in found[most:] if option.order == PASS][:most]  # to decline always has a button
    return [*found[: most - len(out)], *out]


def _most(brief: ShortEmail, asked: EmailQuestion) -> int:
    """Return how many buttons a question may have, with the one for any other answer."""
    if asked is not brief.following:
        return BUTTONS
    now = brief.asked
    return _AHEAD if now is None else min(_AHEAD, _left(brief, now) - bool(now.policies or now.standing))


def _left(brief: ShortEmail, asked: EmailQuestion) -> int:
    """Return how many buttons a question leaves to what is for later."""
    return BUTTONS - 1 - len(tapped(brief, asked))


def _beginning(asked: EmailQuestion, brief: ShortEmail) -> str:
    """Return what an answer begins with: the number of its question, or that it is for the next turn."""
    return short.NEXT if asked is brief.following else str(asked.q)


def buttons(brief: ShortEmail, say: Catalogue, told: _Extent = _LEVELS[0]) -> Iterator[str]:
    """Yield a button for each likely answer, in words, with so much of what follows, and one for any other."""
    if (asked := brief.asked or brief.change) is not None:
        yield from _buttons_of(asked, brief, say, told)


def _buttons_of(asked: EmailQuestion, brief: ShortEmail, say: Catalogue, told: _Extent) -> Iterator[str]:
    if not brief.to or not brief.form_lines:
        return
    sign = _beginning(asked, brief)
    for at, option in enumerate(tapped(brief, asked)[: told.answers]):
        noted = [*filter(None, (option.price,)), *option.follows[: told.follows if at < told.noted else 0]]
        while len(noted) > 1 and width(say.join(noted, "comma")) > _BELOW:
            noted.pop()
        below = say.join(noted, "comma") if noted else ""
        yield _button(brief, [f"{sign}: {option.order}"], option.face, below)
    if asked is brief.following:
        if _most(brief, asked) > 0:
            yield _button(brief, [f"{sign}: "], say.text("email.next_other"))
        return
    if label := _turn(asked, brief, say):
        yield _button(brief, _turn_lines(asked, brief), label)
    for lines, label in _rule(asked, brief, say) if _left(brief, asked) > 0 else ():
        yield _button(brief, lines, label)
    example = asked.decision.example if told.spare else None
    below = say.text("email.example", text=example.face) if example is not None and example.face else ""
    yield _button(brief, [f"{asked.q}: "], say.text("email.other"), below)


def _rule(asked: EmailQuestion, brief: ShortEmail, say: Catalogue) -> Iterator[tuple[Sequence[str], str]]:
    """Yield the lines of the one button that sets standing orders, if a link can hold them, and its label.

    A policy comes before the standing order for this kind of question: in a window it passes that window too.
    """
    offers: list[tuple[Sequence[str], str]] = [(asked.policies, asked.policy)] if asked.policies else []
    if asked.standing and asked.silent:
        lines = [f"{asked.q}: {asked.default}", asked.standing]
        offers.append((lines, say.text("email.until_turn_ends", face=asked.silent)))
    fitting = (offer for offer in offers if len(mailto(brief, "\r\n".join(offer[0]))) <= LINK)
    yield from islice(fitting, 1 if asked is brief.asked else 0)


def _turn(asked: EmailQuestion, brief: ShortEmail, say: Catalogue) -> str:
    """Return what the button for the rest of the turn does, all of it; "" if there is none or it has no room."""
    if not brief.turn or asked is not brief.asked or not brief.to:
        return ""
    first, *others = [option.face for option in brief.turn]
    begin = f"{first.partition(' ')[0]} "
    label = say.text("email.turn", acts=say.join([first, *(face.removeprefix(begin) for face in others)], "comma"))
    fits = width(label) <= _LABELLED and len(mailto(brief, "\r\n".join(_turn_lines(asked, brief)))) <= LINK
    return label if fits else ""


def _turn_lines(asked: EmailQuestion, brief: ShortEmail) -> list[str]:
    return [f"{q}: {option.order}" for q, option in enumerate(brief.turn, asked.q)]


def _button(brief: ShortEmail, lines: Sequence[str], words: str, below: str = "") -> str:
    return button(f"{_ARROW}{capital(words)}", mailto(brief, "\r\n".join(lines)), capital(below))


def button(label: str, link: str, below: str = "") -> str:
    """Return a link that looks like a button, with a line of smaller text if there is one."""
    more = f'<br><span style="font-size:15px">{escape(below)}</span>' if below else ""
    return (
        f'<table {_WIDE} style="margin:0 0 8px"><tr><td class="b" style="border:2px solid #0b4f7d;'
        f'border-radius:8px;background:#eaf2f8"><a href="{escape(link)}" style="{_BUTTON}">'
        f"<b>{escape(label)}</b>{more}</a></td></tr></table>"
    )


def mailto(brief: ShortEmail, line: str) -> str:
    """Return a link that writes `line` and the tag: percent-encoded UTF-8, blanks `%20`, breaks `%0D%0A`."""
    asked = brief.asked or brief.change
    number = asked.q if asked is not None else 0
    subject, tag = _quoted(f"[{brief.name}] {number}"), _quoted(" ".join(brief.tag))
    return f"mailto:{_quoted(brief.to, '@')}?subject={subject}&body={_quoted(line)}%0D%0A%0D%0A{tag}%0D%0A"


@lru_cache(512)
def _quoted(text: str, safe: str = "") -> str:
    """Return a text percent-encoded; a page has most of its links several times until it fits."""
    return quote(text, safe=safe)


def _news(brief: ShortEmail, say: Catalogue) -> Iterator[str]:
    said = short.news(brief, say)
    if said:
        yield f'<h2 style="font-size:17px;margin:14px 0 2px">{escape(say.text(brief.heading))}</h2>'
        lines = "".join(f"<li>{_safe(text, brief)}</li>" for text in said)
        yield f'<ul style="margin:2px 0;padding-left:20px">{lines}</ul>'


def _safe(text: str, brief: ShortEmail) -> str:
    """Return text for the page, marked if it could be taken for an answer."""
    if brief.legal is not None and brief.legal(text):
        text = short.PREFIX + text
    return escape(text)
