"""Receipts in the reader's language: what was accepted, what was rejected and why; alone, also what is open.

A receipt is first put into sections of rows, then these into text. A long email has several receipts
(`receipts_text`), followed once by what is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from pbem.kernel.referee import PendingQuestion
from pbem.report import text
from pbem.report.messages import Catalogue
from pbem.report.model import ReportContext
from pbem.report.text_width import cut, wrap
from pbem.report.times import deadline, when

if TYPE_CHECKING:
    from pbem.orders.receipt import Accepted, OpenQuestion, Receipt, Rejected

WIDTH = text.WIDTH
_ORDER, _NOTE = "  ", "    "


class ReceiptRow(msgspec.Struct, frozen=True):
    """One order as it would be written ("" for a remark), with notes, a suggestion, and ways to answer."""

    order: str
    notes: list[str]
    offer: str = ""
    ways: Sequence[str] = ()


class ReceiptSection(msgspec.Struct, frozen=True):
    """Rows under a title; "" for rows that need none."""

    title: str
    rows: list[ReceiptRow]


class Answered(msgspec.Struct, frozen=True):
    """A player's email and its receipts; without `by_mail` the moderator entered the orders for them."""

    receipts: Sequence[Receipt]
    at: datetime | None = None
    subject: str = ""
    by_mail: bool = True


# -- one receipt alone -----------------------------------------------------------------------------------------------


def receipt_text(receipt: Receipt, say: Catalogue, frame: ReportContext | None = None) -> str:
    """Return the receipt as text for its seat, with what is open; `frame` gives deadline, zones, chain head.

    Accepted and rejected lines are canonical, and each stands whole on a line of its own, so that they can be copied.
    """
    title = wrap(say.text("receipt.title", seat=receipt.seat, game=receipt.game), WIDTH)
    blocks: list[Iterable[str]] = [
        [*title, *(line for said in _verdict(receipt, say) for line in wrap(said, WIDTH))],
        *(_lines(section, say, WIDTH) for section in _sections(receipt, say, titles=True)),
        _open(receipt, say, frame),
        *(
            _lines(ReceiptSection(say.text(f"receipt.{kind}"), [ReceiptRow("", [told]) for told in lines]), say, WIDTH)
            for kind, lines in (
                ("queue", receipt.queue),
                ("standing", receipt.standing),
                ("settings", receipt.settings),
            )
        ),
        _foot(receipt, say, frame),
    ]
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block))) + "\n"


def _open(receipt: Receipt, say: Catalogue, frame: ReportContext | None) -> Iterator[str]:
    owed = [question for question in receipt.open if not question.answer]
    if not owed:
        yield from wrap(say.text("receipt.all_answered"), WIDTH)
    if not receipt.open:
        return
    yield from text.heading(say.text("receipt.open"), WIDTH)
    for question in receipt.open:
        yield from _question(question, receipt.seat, say)
    if frame is not None:
        yield from text.until(deadline(frame.due, frame.zone, frame.reader_zone, say), say)


def _question(one: OpenQuestion, seat: str, say: Catalogue) -> Iterator[str]:
    pending = PendingQuestion(
        one.q, seat, one.kind, one.rule, one.pace, one.about, one.secret, one.prompt, None, one.sealed,
        bool(one.answer),
    )  # fmt: skip
    yield from wrap(f"{one.q}. {say.render_prompt(pending)}", WIDTH)
    if one.answer:
        yield from wrap(say.text("receipt.answer_so_far", answer=say.faced(one.answer)), WIDTH, "  ")
        return
    if one.syntax:
        yield from wrap(say.text("report.syntax", syntax=say.syntax(one.syntax)), WIDTH, "  ")
    key = "report.default" if one.default else "report.no_default"
    yield from wrap(say.text(key, default=say.faced(one.default)), WIDTH, "  ")


def _foot(receipt: Receipt, say: Catalogue, frame: ReportContext | None) -> Iterator[str]:
    if receipt.digest:
        yield say.text("receipt.digest", digest=receipt.digest)
    if frame is not None and frame.head:
        yield from wrap(say.text("receipt.head", head=frame.head), WIDTH)


# -- receipts in an email ----------------------------------------------------------------------------------------------


def receipts_text(emails: Sequence[Answered], say: Catalogue, zone: str, columns: int = WIDTH) -> str:
    """Return the receipts for a seat's emails since its last one, in their order; times are in `zone`."""
    blocks = [text.heading(say.text("receipt.letters", count=len(emails)), columns)]
    for number, answered in enumerate(emails, 1):
        first, *rest = _email_heading(answered, say, zone)
        mark = f"{number}. " if len(emails) > 1 else ""
        lines = [*wrap(first, columns, mark), *(cut(said, columns) for said in rest)]
        for receipt in answered.receipts:
            lines += [line for said in _verdict(receipt, say) for line in wrap(said, columns)]
            for section in _sections(receipt, say):
                lines += _lines(section, say, columns)
            if receipt.digest:
                lines += wrap(say.text("receipt.digest", digest=receipt.digest), columns)
        blocks.append(lines)
    return "\n\n".join("\n".join(block) for block in blocks)


def _email_heading(one: Answered, say: Catalogue, zone: str) -> Iterator[str]:
    """Yield the time and subject of an email, by which its writer recognises it."""
    key = "receipt.letter" if one.by_mail else "receipt.entered"
    yield say.text(key, at=when(one.at, zone, say) if one.at is not None else "-")
    if one.subject:
        yield say.text("receipt.subject", subject=one.subject)


# -- contents of a receipt -------------------------------------------------------------------------------------------


def _verdict(receipt: Receipt, say: Catalogue) -> Iterator[str]:
    empty = receipt.verdict == "taken" and not (receipt.accepted or receipt.press)
    if receipt.verdict != "stale":
        yield say.text("receipt.empty" if empty else f"receipt.{receipt.verdict}")
    if receipt.problem is not None:
        yield say.render_problem(receipt.problem)


def _sections(receipt: Receipt, say: Catalogue, *, titles: bool = False) -> Iterator[ReceiptSection]:
    """Yield the rejected lines first, so that they are seen. A title that only repeats the verdict is left out."""
    mixed = titles or bool(receipt.accepted and receipt.refused)
    for title, rows in (
        (say.text("receipt.rejected") if mixed else "", [_refused(rejected, say) for rejected in receipt.refused]),
        (
            say.text("receipt.accepted") if mixed else "",
            [_accepted(accepted, receipt, say) for accepted in receipt.accepted],
        ),
        (say.text("receipt.remarks"), [ReceiptRow("", [said]) for said in _remarks(receipt, say)]),
        (say.text("receipt.replaced"), [ReceiptRow("", [say.faced(old)]) for old in receipt.replaced]),
    ):
        if rows:
            yield ReceiptSection(title, rows)


def _accepted(one: Accepted, receipt: Receipt, say: Catalogue) -> ReceiptRow:
    said = say.text(f"receipt.result.{one.fate}", one.args)
    if one.fate == "press":  # the length shows that the press arrived whole
        press = next((press for press in receipt.press if press.line == one.line), None)
        said = say.text("receipt.press", to=press.to, count=len(press.text)) if press is not None else said
    return ReceiptRow(say.faced(one.text), [said])


def _refused(one: Rejected, say: Catalogue) -> ReceiptRow:
    why = say.render_problem(one.problem)
    return ReceiptRow(one.text, [say.text("receipt.line", line=one.line, why=why)], one.offer, one.ways)


def _remarks(receipt: Receipt, say: Catalogue) -> Iterator[str]:
    for remark in receipt.remarks:
        yield say.text(remark.key, remark.args)
    own = [line for line in receipt.comments if line not in receipt.form]
    if own:
        yield say.text("receipt.comments", lines=own, count=len(own))


# -- sections as text --------------------------------------------------------------------------------------------------


def _lines(section: ReceiptSection, say: Catalogue, columns: int) -> Iterator[str]:
    """Yield orders whole on separate lines, so that they can be copied, with wrapped notes below."""
    if section.title and section.rows:
        yield from text.heading(section.title, columns)
    for row in section.rows:
        if row.order:
            yield _ORDER + row.order
        for note in row.notes:
            yield from wrap(note, columns, _NOTE if row.order else "- ")
        if row.offer:
            yield _NOTE + say.text("receipt.offer", text=row.offer)
        if row.ways:
            yield _NOTE + say.text("receipt.ways")
            yield from (_NOTE + "  " + way for way in row.ways)
