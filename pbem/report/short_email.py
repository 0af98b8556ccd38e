"""A short email, as data: the question, the news and other remarks. Text and HTML page are made from it.

The question, its answers, the deadline and the form come within the first lines of a phone; then the news;
then how to request more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from pbem.lazy_regex import escape, pattern
from pbem.report.answer_faces import as_sentence
from pbem.report.answer_lines import MARK, untold
from pbem.report.deciding import Option
from pbem.report.merge_lines import words_in
from pbem.report.messages import Catalogue
from pbem.report.question_text import EmailQuestion, question_lines
from pbem.report.text_width import COLUMNS, cut, width, wrap
from pbem.report.times import short_time

if TYPE_CHECKING:
    from pbem.orders.receipt import Accepted, Receipt, Rejected

BLANK = "?"
"""The place of an answer in a form."""
NEXT = "next"
"""What an answer to the first question of the next turn begins with."""
FIRST = 25
"""Lines within which the form appears."""
SUBJECT = 64
"""Cells of a subject."""
PREFIX = "/ "
"""Begins a line that could be taken for an answer: no answer begins so."""
MORE = "…"
_ENDS = ".。！？!?"
"""Signs after which a line is no part of the one before."""
_GAPS = pattern(r"(?<=\S) (?=\S)|(?<=[、：）])(?=[^\s、；：）])")
"""Where a line can be broken anew."""
MOST = 128
"""Words of a text with all facts and meanings that fit below its form."""
_AHEAD_WORDS = 5
"""Answers to the first question of the next turn that are shown."""
_DEFAULT = 70
"""Cells of the longest default that is shown whole."""


class EmailSection(msgspec.Struct, frozen=True):
    """The same words as lines of text and as a piece of a page.

    `below` is what the page has below its form. What is for `later` is left to the page if the question needs the room.
    """

    text: str
    html: str
    below: str = ""
    later: bool = False


class ShortEmail(msgspec.Struct, kw_only=True):
    """The contents of one short email.

    `due` and `zone` are the deadline (ISO 8601) and the reader's zone. `new` are sentences, `left_out` counts
    the omitted ones. `verdict` is what became of the reader's emails, in a word. `alerts` come first (rejections),
    `also` after the news (press, agreements). `form_lines` are the short form, `last` the last line of all,
    `legend` the possible requests. `points` are the public scores and their changes. `reader` says which game and
    seat. `to` is the address for buttons, `picture` the map of the page. `legal` tells whether a line would be taken
    for an answer, which none of our lines may be. `change` is a question that has an answer, which the page offers to
    change. `last_due` is the end of the grace period, `reserve` the hours that the reader has for it. `if_silent` is
    what happens then: the `default`, a `bot` answers, or nothing ("").
    `turn` are answers that make up the likeliest rest of the turn.
    `following` is the first question of the next turn, which may be answered ahead; `queued` are the lines that wait.
    Next to a question the text leaves it to the buttons of the page; `too` is an example of its answer, for a line of
    its own in the reader's turn, for the line of a sealed answer otherwise. `first`: it is the seat's first email.
    """

    name: str
    asked: EmailQuestion | None = None
    due: datetime | None = None
    zone: str = "UTC"
    new: list[str] = []
    left_out: int = 0
    points: list[tuple[str, int, int]] = []
    verdict: str = ""
    alerts: list[EmailSection] = []
    also: list[EmailSection] = []
    nothing: str = ""
    subject: str = ""
    form_lines: list[str] = []
    last: str = ""
    legend: str = ""
    reader: str = ""
    to: str = ""
    picture: str = ""
    legal: Callable[[str], bool] | None = None
    last_due: datetime | None = None
    if_silent: str = "default"
    reserve: int = 0
    change: EmailQuestion | None = None
    turn: list[Option] = []
    following: EmailQuestion | None = None
    too: str = ""
    queued: list[str] = []
    first: bool = False

    @property
    def heading(self) -> str:
        return "email.so_far" if self.first else "email.new"

    @property
    def tag(self) -> list[str]:
        return [line for line in self.form_lines if not line.endswith(f": {BLANK}")]


def shortened(text: str, columns: int) -> str:
    """Return `text` in at most `columns` cells; an ellipsis marks a cut."""
    return text if width(text) <= columns else cut(f"{text}   ", columns + 2).removesuffix("...") + MORE


def subject_of(brief: ShortEmail, say: Catalogue) -> str:
    """Return question and deadline in at most 64 columns; a longer name of a game is still shown whole."""
    head = f"[{brief.name}] "
    if brief.subject or brief.asked is None:
        return head + shortened(brief.subject or brief.nothing, max(SUBJECT - width(head), 12))
    by = say.text("email.subject_by", at=short_time(brief.due, brief.zone, say, "day")) if brief.due else ""
    room = max(SUBJECT - width(head) - width(by), 12)
    asked = brief.asked
    title = asked.kind if asked.kind and width(asked.title) > room else asked.title
    return head + shortened(title, room) + by


def text_of(brief: ShortEmail, say: Catalogue, most: int = 0) -> str:
    """Return the email as text; below the form also what further answers mean, up to `most` words in all."""
    brief = now_only(brief) if brief.asked is not None else brief
    head = reader_lines(brief)
    blocks: list[Sequence[str]] = [head, *(part.text.splitlines() for part in brief.alerts)]
    if brief.asked is not None:
        shown, told = question(brief.asked, brief, say), how(brief.asked, say)
        spare = FIRST - sum(map(len, (head, shown, told, brief.form_lines))) - 1
        if spare < 1 and not brief.alerts:
            blocks, shown = [], [*head, *shown]
        blocks += [shown, told, brief.form_lines] if spare > 1 else [shown, [*told, *brief.form_lines]]
        blocks.append(below(brief, shown))
        at = len(blocks)
        blocks.append(ahead(brief, say))
    else:
        blocks.append(wrap(brief.nothing, COLUMNS) if brief.nothing else [])
        blocks += [ahead(brief, say) if brief.nothing else [], brief.form_lines]
    blocks.append(_news(brief, say))
    blocks += [part.text.splitlines() for part in brief.also]
    foot = [line for part in brief.legend.splitlines() for line in wrap(part, COLUMNS)]
    foot += [brief.last] if brief.last else []
    blocks.append(foot)
    marked = ["\n".join(mark_non_answers(lines, brief)) for lines in blocks]
    if brief.form_lines and _joined(marked).splitlines().index(brief.form_lines[-1]) >= FIRST:
        marked = ["\n".join(mark_non_answers(lines, brief, longer=False)) for lines in blocks]
    text = _joined(marked)
    if brief.asked is not None and (room := most - words_in(text)) > 0:
        marked.insert(at, "\n".join(mark_non_answers(untold(brief.asked.decision, say, shown, room), brief)))
        text = _joined(marked)
    sealed = brief.asked is not None and brief.asked.sealed  # one line more, and the round of an answer less
    if (after := turn_after(brief, say)) and (sealed or words_in(f"{text} {after}") <= MOST):
        marked.insert(at, "\n".join(wrap(after, COLUMNS)))
        text = _joined(marked)
    return text


def _joined(blocks: Sequence[str]) -> str:
    return "\n\n".join(filter(None, blocks)) + "\n"


def now_only(brief: ShortEmail) -> ShortEmail:
    """Return the email without the first question of the next turn."""
    form_lines = [line for line in brief.form_lines if line != f"{NEXT}: {BLANK}"]
    return msgspec.structs.replace(brief, following=None, form_lines=form_lines)


def reader_lines(brief: ShortEmail) -> list[str]:
    """Return the first lines: what became of the reader's emails, and which game and seat this one is for."""
    told = " ".join(filter(None, (brief.verdict, brief.reader)))
    return wrap(told, COLUMNS) if told else []


def mark_non_answers(lines: Sequence[str], brief: ShortEmail, *, longer: bool = True) -> list[str]:
    """Return the lines, marking each that could be taken for an answer, except for the form and its tag.

    One that goes on from the line before is broken anew instead, if it is no answer then; `longer`: in one line more.
    """
    if brief.legal is None:
        return list(lines)
    safe, out = (brief.last, *brief.form_lines), list[str]()
    for line in lines:
        marked = line not in safe and brief.legal(line)
        before = out[-1] if out else ""
        goes_on = line.startswith("  ") and bool(before) and not before.startswith("   ") and before[-1] not in _ENDS
        joined = _with_word_before(before, line.strip(), brief.legal) if marked and goes_on else []
        halves = _halves(line, brief.legal) if marked and goes_on and longer and not joined else []
        if joined or halves:
            out[len(out) - bool(joined) :] = joined or halves
            continue
        prefix = PREFIX + " " * goes_on
        first, *more = wrap(line.strip(), max(COLUMNS, width(line)), prefix) if marked else [line]
        out += [first, *mark_non_answers(more, brief, longer=longer)]
    return out


def _with_word_before(before: str, line: str, legal: Callable[[str], bool]) -> list[str]:
    """Return two lines again, with the end of the first in the second, so that neither is an answer; [] if none do."""
    for at in sorted((found.start() for found in _GAPS.finditer(before, 1)), reverse=True):
        head, word = before[:at].rstrip(), before[at:].strip()
        for gap in ("", " ") if width(word[-1]) + width(line[0]) > 2 else (" ",):
            longer = f"  {word}{gap}{line}"
            if head and width(longer) <= COLUMNS and not (legal(longer) or legal(head)):
                return [head, longer]
    return []


def _halves(line: str, legal: Callable[[str], bool]) -> list[str]:
    """Return a line in two, neither of which is an answer; [] if it can't be broken so."""
    for at in sorted((found.start() for found in _GAPS.finditer(line, 3)), reverse=True):
        two = [line[:at].rstrip(), f"  {line[at:].strip()}"]
        if not any(map(legal, two)):
            return two
    return []


# -- the question ------------------------------------------------------------------------------------------------------


def question(asked: EmailQuestion, brief: ShortEmail, say: Catalogue) -> list[str]:
    """Return the question, its answers, the deadline and the default, so that the form is within the first lines."""
    tail = wrap(deadline(brief, say), COLUMNS)
    if asked.answer:
        tail += wrap(say.text("email.answered", answer=shortened(asked.answer, _DEFAULT)), COLUMNS)
    elif silence := timeout_effect(brief, say):
        tail += wrap(silence, COLUMNS)
    head = reader_lines(brief)
    room = FIRST - len(head) - len(tail) - len(how(asked, say)) - 1 - len(brief.form_lines)
    return [*question_lines(asked, say, room, _offers(asked, say, room // 2), head), *tail]


def how(asked: EmailQuestion, say: Catalogue) -> list[str]:
    """Return how the reply is written."""
    key = "how_again" if asked.answer else "how" if asked.decision.ways or asked.decision.count else "how_these"
    return wrap(say.text(f"email.{key}"), COLUMNS)


def _offers(asked: EmailQuestion, say: Catalogue, room: int) -> list[str]:
    """Return the open proposals, or if they are too long, a note that they follow below the form."""
    whole = [line for offer in asked.offers for line in wrap(offer, COLUMNS, "- ")]
    if len(whole) <= room:
        return whole
    return wrap(say.text("email.offers_below", count=len(asked.offers)), COLUMNS)


def below(brief: ShortEmail, shown: Sequence[str]) -> list[str]:
    """Return the open proposals in full, unless they are among the lines `shown`."""
    offered = brief.asked.offers if brief.asked is not None else []
    whole = [line for text in offered for line in wrap(text, COLUMNS, "- ")]
    return [] if set(whole) <= set(shown) else whole


def facts_told(brief: ShortEmail, say: Catalogue) -> int:
    """Return how many facts the text of the email tells: the page has no fewer."""
    asked = brief.asked
    return sum(line.startswith(MARK) for line in question(asked, brief, say)) if asked is not None else 0


def deadline(brief: ShortEmail, say: Catalogue) -> str:
    """Return the deadline in the reader's time zone."""
    if not brief.due:
        return say.text("report.no_deadline")
    at = short_time(brief.due, brief.zone, say)
    said = say.text("email.by", at=at)
    if brief.last_due is not None:
        said = say.text("email.by_grace", at=at, last=short_time(brief.last_due, brief.zone, say))
    if brief.reserve:
        said = say.text("email.by_reserve", until=said, hours=brief.reserve)
    return said


def ahead(brief: ShortEmail, say: Catalogue) -> list[str]:
    """Return what already waits for the next turn, and how its first question can be answered now."""
    said = next_turn(brief, say)
    if brief.following is not None:
        words = [option.order for option in brief.following.decision.options if not option.part][:_AHEAD_WORDS]
        said += [say.text("email.next_words", words=say.join(words, "comma"))] if words else []
        said.append(" ".join(next_how(brief, say)))
    return [line for text in said for line in wrap(text, COLUMNS)]


def next_how(brief: ShortEmail, say: Catalogue) -> list[str]:
    """Return how the next turn is written, and the one after it if the form has a line for it."""
    several = brief.form_lines.count(f"{NEXT}: {BLANK}") > 1
    return [say.text("email.next_how"), *([say.text("email.next_after")] if several else [])]


def turn_after(brief: ShortEmail, say: Catalogue) -> str:
    """Return how the next turn can be written: below the answer, or in the line of a sealed one; "" if it can't be."""
    if brief.asked is None or not brief.too:
        return ""
    if brief.asked.sealed:
        return say.text("email.then", later=brief.too)
    return say.text("email.next_too", line=f"{NEXT}: {brief.too}")


def next_turn(brief: ShortEmail, say: Catalogue) -> list[str]:
    """Return what already waits for the next turn, and the first question of that turn."""
    said = [say.text("email.queue", lines="; ".join(map(say.faced, brief.queued)))] if brief.queued else []
    asked = brief.following
    return said if asked is None else [*said, say.text("email.next", title=as_sentence(asked.heading, say))]


def timeout_effect(brief: ShortEmail, say: Catalogue) -> str:
    """Return what counts if there is no answer; "" if that has no effect."""
    if brief.asked is None or not brief.if_silent:
        return ""
    if brief.if_silent == "bot":
        return say.text("email.bot")
    if not brief.asked.default:
        return say.text("email.no_default")
    asked, named = brief.asked, brief.asked.default_named
    if say.language == "ja" and asked.silent:  # nobody has to write it: what it means, without ids
        return say.text("email.default", default=shortened(asked.silent, _DEFAULT))
    default = named if 0 < width(named) <= _DEFAULT else shortened(asked.default, _DEFAULT)
    return say.text("email.default", default=default)


def silence_in_words(brief: ShortEmail, say: Catalogue) -> str:
    """Return what counts if there is no answer, in the words of a button."""
    asked = brief.asked
    if asked is None or not asked.silent or brief.if_silent != "default":
        return timeout_effect(brief, say)
    return say.text("email.silent", face=asked.silent)


# -- the news ----------------------------------------------------------------------------------------------------------


def _news(brief: ShortEmail, say: Catalogue) -> list[str]:
    said = news(brief, say)
    if not said:
        return []
    lines = [say.text(brief.heading).upper()]
    for text in said:
        lines += wrap(text, COLUMNS, "- ")
    return lines


def news(brief: ShortEmail, say: Catalogue) -> list[str]:
    """Return the news, a sentence each."""
    said = list(brief.new)
    points = [f"{who} {now} ({change:+d})" for who, now, change in brief.points if change]
    if points:
        said.append(say.text("report.scores", scores=say.join(points, "comma")))
    if brief.left_out:
        said.append(say.text("email.earlier", count=brief.left_out))
    return said


# Receipts in a short email: one or two sentences if all was accepted; rejections at the top, with whole lines.

_AHEAD = ("waiting", "held", "changed", "stopped")
_FIELDS = ("debt",)
"""Fields for which a game may say what happens if they are left out."""
_ANSWERS = ("sealed", "counted", "answered", "acted")


def is_right(receipt: Receipt) -> bool:
    """Return whether every line of an email was accepted, or it was needless."""
    return receipt.needless or (receipt.verdict == "taken" and not receipt.refused and receipt.problem is None)


def is_queued(receipts: Sequence[Receipt]) -> bool:
    """Return whether emails have only answers that wait for their question."""
    fates = {line.fate for receipt in receipts for line in receipt.accepted}
    return bool(fates) and fates <= {"waiting"}


def taken(receipt: Receipt, say: Catalogue) -> Iterator[str]:
    """Yield the accepted lines and remarks, a sentence each."""
    if receipt.needless and receipt.problem is not None:
        yield say.render_problem(receipt.problem)
    for accepted in receipt.accepted:
        if accepted.fate == "press":
            press = next((press for press in receipt.press if press.line == accepted.line), None)
            if press is not None:
                yield say.text("email.press", to=press.to)
        elif accepted.fate == "wish":
            if not accepted.text.startswith(("send", "help")):
                own = f"email.wish.{accepted.text.replace(' ', '_')}"
                yield say.text(own if say.has(own) else "email.wish", text=accepted.text)
        elif accepted.fate.startswith("done."):
            yield say.text(f"receipt.result.{accepted.fate}", accepted.args)
        else:
            yield from _fate(accepted, say)
    for remark in receipt.remarks:
        yield say.text(remark.key, remark.args)
    yield from _left_out(receipt.accepted, say)
    replaced = [line for line in receipt.replaced if not line[:1].isdigit()]
    if replaced:
        yield say.text("email.replaced", lines="; ".join(map(say.faced, replaced)))


def _left_out(lines: Sequence[Accepted], say: Catalogue) -> Iterator[str]:
    """Yield what happens if advance orders leave out a field: `ahead.<field>`, for the words `ahead.<field>.of`."""
    waiting = [line.text for line in lines if line.fate in _AHEAD]
    for field in _FIELDS:
        if not say.has(f"ahead.{field}"):
            continue
        words = say.text(f"ahead.{field}.of").replace("・", " ").split()
        orders = [text.rpartition(": ")[2] for text in waiting if f"{field}=" not in text]
        if any(order.split(" ", 1)[0] in words for order in orders):
            yield say.text(f"ahead.{field}")


def _fate(one: Accepted, say: Catalogue) -> Iterator[str]:
    number, _, answer = one.text.removeprefix("bold: ").partition(": ")
    if one.fate in _ANSWERS and number.isdigit():
        yield say.text(f"email.fate.{one.fate}", answer=say.faced(answer), q=int(number))
    elif one.fate == "superseded" and number.isdigit():
        return
    elif one.fate == "cleared":
        yield say.text("email.cleared" if one.args["count"] else "email.cleared.nothing")
    else:
        fate = say.text(f"receipt.result.{one.fate}", one.args)
        yield say.text("email.queued" if one.fate in _AHEAD else "email.line", text=say.faced(one.text), fate=fate)


def refused(receipt: Receipt, say: Catalogue) -> EmailSection:
    """Return the rejected lines, why, and a whole line to copy; on the page, possible answers are below the form."""
    lines, parts, below = list[str](), list[str](), list[str]()

    def why_and_instead(line: Rejected) -> tuple[str, str, tuple[str, ...]]:
        return say.render_problem(line.problem), say.faced(line.offer), tuple(line.ways)

    if receipt.problem is not None:
        why = say.render_problem(receipt.problem)
        lines += wrap(why, COLUMNS)
        parts.append(escape(why))
    for (why, offer, ways), alike in groupby(receipt.refused, why_and_instead):
        texts, wrote = [line.text for line in alike], say.text("email.wrote")
        lines += [*wrap(wrote, COLUMNS), *(f"  {text}" for text in texts), *wrap(why, COLUMNS)]
        quoted = " ".join(f"<q>{escape(text)}</q>" for text in texts)
        parts.append(f"{escape(wrote)} {quoted}<br>{escape(why)}")
        if offer:
            so = say.text("email.so")
            lines += [so, f"{PREFIX}{offer}"]
            parts.append(f"{escape(so)} {PREFIX}<code>{escape(offer)}</code>")
        if ways:
            so = say.text("email.ways")
            lines += [*wrap(so, COLUMNS), *(f"{PREFIX}{way}" for way in ways)]
            below += [escape(so), *(f"{PREFIX}<code>{escape(way)}</code>" for way in ways)]
    for said in taken(receipt, say):
        lines += wrap(said, COLUMNS, "- ")
        parts.append(escape(said))
    return EmailSection("\n".join(lines), _box("<br>".join(parts)), f"<p>{'<br>'.join(below)}</p>" if below else "")


def _box(told: str) -> str:
    cell = f'<td style="padding:4px 10px;border:2px solid #888888;font-size:15px;line-height:1.3">{told}</td>'
    return f'<table role="presentation" cellspacing="0" width="100%" style="margin:4px 0 8px"><tr>{cell}</tr></table>'


def sentences(receipts: Sequence[Receipt], say: Catalogue) -> list[str]:
    """Return the sentences of several fully accepted emails, each once."""
    return list(dict.fromkeys(said for receipt in receipts for said in taken(receipt, say)))
