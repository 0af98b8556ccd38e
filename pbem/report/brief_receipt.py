"""Receipts in a short letter: a wholly right one in a sentence or two; what was refused at the top, with whole lines.

A receipt says "Your answer is red", never `29: red`: nothing in our letters reads as an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pbem.markup import escape
from pbem.report.brief import COLUMNS, PREFIX, Part
from pbem.report.catalogue import Catalogue
from pbem.report.cells import wrap

if TYPE_CHECKING:
    from pbem.orders.receipt import Accepted, Receipt, Rejected

_AHEAD = ("waiting", "held", "changed", "stopped")
_FIELDS = ("debt",)
"""Fields of which a game may say what is done where they are left out."""
_ANSWERS = ("sealed", "counted", "answered", "acted")


def is_right(receipt: Receipt) -> bool:
    """Whether every line of a letter was taken, and nothing is to be said of it beside that."""
    return receipt.verdict == "taken" and not receipt.refused and receipt.problem is None


def taken(receipt: Receipt, say: Catalogue) -> Iterator[str]:
    """What was taken, a sentence each."""
    for accepted in receipt.accepted:
        if accepted.fate == "press":
            press = next((press for press in receipt.press if press.line == accepted.line), None)
            if press is not None:
                yield say.text("short.press", to=press.to)
        elif accepted.fate == "wish":
            if not accepted.text.startswith(("send", "help")):
                yield say.text("short.wish", text=accepted.text)
        else:
            yield from _fate(accepted, say)
    for remark in receipt.remarks:
        yield say.text(remark.key, remark.args)
    yield from _left_out(receipt.accepted, say)
    replaced = [line for line in receipt.replaced if not line[:1].isdigit()]
    if replaced:
        yield say.text("short.replaced", lines="; ".join(map(say.faced, replaced)))


def _left_out(lines: Sequence[Accepted], say: Catalogue) -> Iterator[str]:
    """What will be done where lines sent ahead leave out a field: `ahead.<field>`, for the words `ahead.<field>.of`."""
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
        yield say.text(f"short.fate.{one.fate}", answer=say.faced(answer), q=int(number))
    elif one.fate == "superseded" and number.isdigit():
        return
    else:
        fate = say.text(f"fate.{one.fate}", one.args)
        yield say.text("short.line", text=say.faced(one.text), fate=fate)


def refused(receipt: Receipt, say: Catalogue) -> Part:
    """What was not taken: the words as they were read, why, and a whole line to copy."""
    lines = [say.text("short.not_taken" if not receipt.accepted else "short.partly")]
    parts = [f"<p><strong>{escape(lines[0])}</strong></p>"]
    if receipt.problem is not None:
        why = say.text("receipt.stale") if receipt.verdict == "stale" else say.render_problem(receipt.problem)
        lines += wrap(why, COLUMNS)
        parts.append(f"<p>{escape(why)}</p>")
    for (why, offer, ways), alike in groupby(receipt.refused, lambda line: _reason(line, say)):
        texts, wrote = [line.text for line in alike], say.text("short.wrote")
        lines += [*wrap(wrote, COLUMNS), *(f"  {text}" for text in texts), *wrap(why, COLUMNS)]
        quoted = " ".join(f"<q>{escape(text)}</q>" for text in texts)
        parts.append(f"<p>{escape(wrote)} {quoted}<br>{escape(why)}</p>")
        if offer:
            so = say.text("short.so")
            lines += [so, f"{PREFIX}{offer}"]
            parts.append(f"<p>{escape(so)} {PREFIX}<code>{escape(offer)}</code></p>")
        if ways:
            so = say.text("short.ways")
            lines += [*wrap(so, COLUMNS), *(f"{PREFIX}{way}" for way in ways)]
            parts.append(f"<p>{escape(so)}</p>")
            parts += [f"<p>{PREFIX}<code>{escape(way)}</code></p>" for way in ways]
    for said in taken(receipt, say):
        lines += wrap(said, COLUMNS, "- ")
        parts.append(f"<p>{escape(said)}</p>")
    return Part("\n".join(lines), "\n".join(parts))


def _reason(line: Rejected, say: Catalogue) -> tuple[str, str, tuple[str, ...]]:
    """Why a line was refused, and what can be written instead: told once for lines that have it in common."""
    return say.render_problem(line.problem), say.faced(line.offer), tuple(line.ways)


def sentences(receipts: Sequence[Receipt], say: Catalogue) -> list[str]:
    """What several right letters say, each sentence once."""
    return list(dict.fromkeys(said for receipt in receipts for said in taken(receipt, say)))
