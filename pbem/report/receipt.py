"""The receipt of a block of orders, in the reader's language: what was taken, what refused and why, what is open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pbem.kernel.referee import Pending
from pbem.report import text
from pbem.report.catalogue import Catalogue
from pbem.report.cells import wrap
from pbem.report.model import Frame
from pbem.report.times import deadline

if TYPE_CHECKING:
    from pbem.orders.receipt import Accepted, OpenQuestion, Receipt, Rejected

WIDTH = text.WIDTH


def receipt_text(receipt: Receipt, say: Catalogue, frame: Frame | None = None) -> str:
    """The receipt (`pbem.orders.Receipt`) as text for its seat.

    `say` is the game's catalogue in the reader's language; of `frame` the deadline, the zones and the head are told.
    Accepted and refused lines stand in canonical form, each whole on lines of its own, so that they can be copied.
    """
    frame = frame or Frame()
    blocks: list[Iterable[str]] = [
        _head(receipt, say),
        _list(say, "receipt.rejected", (line for one in receipt.refused for line in _refused(one, say))),
        _list(say, "receipt.accepted", (line for one in receipt.accepted for line in _accepted(one, say))),
        _list(say, "receipt.remarks", _remarks(receipt, say)),
        _list(say, "receipt.replaced", (f"- {one}" for one in receipt.replaced)),
        _open(receipt, say, frame),
        *(
            _list(say, f"receipt.{kind}", (f"- {one}" for one in getattr(receipt, kind)))
            for kind in ("queue", "standing", "settings")
        ),
        _foot(receipt, say, frame),
    ]
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block))) + "\n"


def _list(say: Catalogue, key: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines under a heading; nothing if there are none."""
    for at, line in enumerate(lines):
        if not at:
            yield from text.heading(say.text(key), WIDTH)
        yield line


def _head(receipt: Receipt, say: Catalogue) -> Iterator[str]:
    yield from wrap(say.text("receipt.title", seat=receipt.seat, game=receipt.game), WIDTH)
    empty = receipt.verdict == "taken" and not (receipt.accepted or receipt.press)
    yield from wrap(say.text("receipt.empty" if empty else f"receipt.{receipt.verdict}"), WIDTH)
    if receipt.problem is not None:
        yield from wrap(say.render_problem(receipt.problem), WIDTH)


def _accepted(one: Accepted, say: Catalogue) -> Iterator[str]:
    yield say.text("receipt.line", line=one.line, text=one.text)
    yield from wrap(say.text(f"fate.{one.fate}", one.args), WIDTH, "    ")


def _refused(one: Rejected, say: Catalogue) -> Iterator[str]:
    yield say.text("receipt.line", line=one.line, text=one.text)
    yield from wrap(say.render_problem(one.problem), WIDTH, "    ")
    if one.offer:
        yield "    " + say.text("receipt.offer", text=one.offer)


def _remarks(receipt: Receipt, say: Catalogue) -> Iterator[str]:
    for remark in receipt.remarks:
        yield from wrap(say.text(remark.key, remark.args), WIDTH, "- ")
    for press in receipt.press:
        said = say.text("receipt.press", to=press.to, count=len(press.text), line=press.line)
        yield from wrap(said, WIDTH, "- ")
    if receipt.comments:
        yield from wrap(say.text("receipt.comments", lines=receipt.comments), WIDTH, "- ")


def _open(receipt: Receipt, say: Catalogue, frame: Frame) -> Iterator[str]:
    owed = [one for one in receipt.open if not one.answer]
    if not owed:
        yield from wrap(say.text("receipt.all_answered"), WIDTH)
    if not receipt.open:
        return
    yield from text.heading(say.text("receipt.open"), WIDTH)
    for one in receipt.open:
        yield from _question(one, receipt.seat, say)
    yield from text.until(deadline(frame.due, frame.zone, frame.reader_zone, say), say)


def _question(one: OpenQuestion, seat: str, say: Catalogue) -> Iterator[str]:
    pending = Pending(
        one.q,
        seat,
        one.kind,
        one.rule,
        one.pace,
        one.about,
        one.secret,
        one.prompt,
        None,
        one.sealed,
        bool(one.answer),
    )
    yield from wrap(f"{one.q}. {say.render_prompt(pending)}", WIDTH)
    if one.answer:
        yield from wrap(say.text("receipt.answer_so_far", answer=one.answer), WIDTH, "  ")
        return
    if one.syntax:
        yield from wrap(say.text("report.syntax", syntax=say.syntax(one.syntax)), WIDTH, "  ")
    key = "report.default" if one.default else "report.no_default"
    yield from wrap(say.text(key, default=one.default), WIDTH, "  ")


def _foot(receipt: Receipt, say: Catalogue, frame: Frame) -> Iterator[str]:
    if receipt.digest:
        yield say.text("receipt.digest", digest=receipt.digest)
    if frame.head:
        yield from wrap(say.text("receipt.head", head=frame.head), WIDTH)
