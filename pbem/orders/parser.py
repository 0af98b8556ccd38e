"""Parser of an email's text into order blocks. Knows no game: every line becomes a `Statement`, none is dropped."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeGuard

import msgspec

from pbem.kernel.order_words import normalize_text, normalize_word
from pbem.kernel.rejections import RejectionReason
from pbem.lazy_regex import pattern
from pbem.orders import statements
from pbem.orders.reply_codes import LONGEST
from pbem.orders.statements import begins_clause
from pbem.orders.syntax_tree import (
    Answer,
    AskOrder,
    Comment,
    EmailRemark,
    OrderBlock,
    ParsedEmail,
    PressStatement,
    RejectedStatement,
    StandingOrder,
    Statement,
    StopCondition,
)


def cells(text: str) -> int:
    """Return the terminal cells of a text; wide characters count two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


_BEGIN = pattern(r"begin\s+orders?(?:\s*:)?(?:\s+(.*))?$|命令開始\s*:?\s*(.*)$", re.IGNORECASE)
_END = pattern(r"end\s+orders?(?:\W.*)?$|命令終了(?:\W.*)?$", re.IGNORECASE)
_BEGIN_PRESS = pattern(r"begin\s+press(?:\s*:)?(?:\s+(.*))?$|通信開始\s*:?\s*(.*)$", re.IGNORECASE)
_END_PRESS = pattern(r"end\s+press(?:\W.*)?$|通信終了(?:\W.*)?$", re.IGNORECASE)
_TO = pattern(r"(?:to|宛先)\s*[=:]\s*(.*)$", re.IGNORECASE)
_FORM = pattern(r"#\s*form\s+([0-9a-f]{8})(?:-([0-9a-f]{4}))?\b", re.IGNORECASE)
_QUOTED = pattern(r"(?:>\s*)+")
_COPY = pattern(r"-{4,}.*|_{5,}|\*?(?:from|von|de|da|van|差出人|送信者|送信元)\s*:.+|[^@]*@.*:", re.IGNORECASE)
"""What mail programs put above the email that is answered."""
_SENT_FROM = pattern(
    r"(?:sent (?:from|with|via)|get outlook|von meinem|gesendet (?:von|mit)|envoyé|enviado|inviato|.*から送信).*",
    re.IGNORECASE,
)
_BREAKS = dict.fromkeys(map(ord, "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), "\n")
_BIDI = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C))
_DASH = pattern("(?<=\\w)[\u2010-\u2015\u2212](?=\\w)")
"""Dashes within a word: phones turn hyphens into them."""
_UNSAFE = ("Cc", "Cs")
_SHOWN = 160
_WRAPPED = 64
"""Cells from which on mail programs may break a line: most do at 70 to 78."""
_ALONE = ("done", "pass", "accept", "propose", "withdraw")
"""Words that begin an answer, and never the second half of one."""
_HALF_SETTINGS = ("orders.syntax", "orders.condition")


class OrderLimits(msgspec.Struct, frozen=True):
    """How much an email may hold, in characters and numbers. The rest is rejected, and the receipt says so.

    `rows` are lines of any kind, times the seats that an email speaks for; `said` are lines of a reply
    without a block.
    """

    email: int = 400_000
    rows: int = 6_000
    said: int = 100
    line: int = 1_000
    lines: int = 300
    press: int = 20_000
    blocks: int = 40


LIMITS = OrderLimits()


class EmailLine(msgspec.Struct, frozen=True):
    """A line of the email: its number from 1, as written (safe to show), and folded for reading."""

    no: int
    raw: str
    plain: str


def read(text: str, *, several: bool = False, limits: OrderLimits = LIMITS) -> ParsedEmail:
    """Return all order blocks in `text`, with remarks on the email. Never raises.

    In an email only the first block for a seat counts: a mail program that quotes without marks would
    otherwise send its reply form along. `several` (move files) makes all of them count.
    """
    if len(text) > limits.email:
        return ParsedEmail([], [EmailRemark("incoming.too_long", {"most": limits.email})])
    found = ParsedEmail([], [])
    quoted = 0
    rows = [_row(no, raw) for no, raw in enumerate(text.replace("\r\n", "\n").translate(_BREAKS).split("\n"), 1)]
    at = 0
    while at < len(rows):
        row = rows[at]
        at += 1
        mark = _QUOTED.match(row.plain)
        if mark is not None:
            if not quoted and _BEGIN.match(row.plain[mark.end() :]) and not _quoted_form(rows, at - 1, limits):
                quoted = row.no
        elif _BEGIN.match(row.plain):
            if len(found.blocks) == limits.blocks:
                too_many = EmailRemark("incoming.too_many_blocks", {"most": limits.blocks}, row.no)
                found.findings.append(too_many)
                break
            at = _block(rows, at, found, limits)
    if quoted:
        found.findings.append(EmailRemark("incoming.quoted", {}, quoted))
    if not several:
        _only_first(found.blocks)
        _reject_unchanged_forms(found.blocks, rows)
    meant = (block for block in found.blocks if not block.problem or block.problem.key != "order_block.form")
    if told := next(meant, None):
        told.findings = sorted(found.findings, key=lambda finding: finding.line)
    return found


def _quoted_form(rows: Sequence[EmailLine], at: int, limits: OrderLimits) -> bool:
    """Return whether the quotation from `rows[at]` on is an unchanged reply form, which every reply may quote."""
    inner: list[EmailLine] = []
    for row in rows[at : at + limits.lines]:
        mark = _QUOTED.match(row.plain)
        if mark is None:
            break
        if inner and _BEGIN.match(row.plain[mark.end() :]):
            break  # another block begins, so this one has no end
        inner.append(EmailLine(row.no, _QUOTED.sub("", row.raw.lstrip(), count=1), row.plain[mark.end() :]))
        if _END.match(inner[-1].plain):
            break
    scratch = ParsedEmail([], [])
    _block(inner, 1, scratch, limits)
    return is_unchanged_form(scratch.blocks[0])


def _row(no: int, raw: str) -> EmailLine:
    if raw.isascii() and raw.isprintable():
        return EmailLine(no, raw.rstrip(), normalize_text(raw))
    safe = "".join(sign for sign in raw.translate(_BIDI) if sign == "\t" or unicodedata.category(sign) not in _UNSAFE)
    seen = "".join(sign for sign in safe if unicodedata.category(sign) != "Cf")
    return EmailLine(no, safe.rstrip(), _DASH.sub("-", normalize_text(seen)))


def delimits(line: str, *, press: bool) -> bool:
    """Return whether `read` takes a line for the beginning or end of a block, or with `press` of press."""
    plain = _QUOTED.sub("", _row(0, line).plain)
    ends = (_BEGIN, _END, *((_BEGIN_PRESS, _END_PRESS) if press else ()))
    return any(end.match(plain) for end in ends)


def _block(rows: Sequence[EmailLine], at: int, found: ParsedEmail, limits: OrderLimits) -> int:
    """Read the block whose first line is `rows[at - 1]`; return the next index."""
    end, ended = at, False
    while end < len(rows):
        plain = rows[end].plain
        if _BEGIN.match(plain):
            break
        if _END.match(plain):
            ended = True
            break
        end += 1
    block = _head(rows[at - 1])
    block.ended = ended
    body = list(rows[at:end])
    stop = end + 1 if ended else end
    if not ended:
        body, rest = _up_to_signature(body)
        if block.problem is None and (rest or end < len(rows)):
            block.problem = RejectionReason("order_block.no_end")
        elif block.problem is None:
            found.findings.append(EmailRemark("incoming.no_end", {}, body[-1].no if body else block.line))
    block.last = rows[min(stop, len(rows)) - 1].no if ended else (body[-1].no if body else block.line)
    if len(body) > limits.lines:
        block.problem = block.problem or RejectionReason("order_block.too_many_lines", {"most": limits.lines})
        body = body[: limits.lines]
    block.items = _items(body, limits)
    if not ended:
        block.items = [_only_addressed(item) for item in block.items]
    found.blocks.append(block)
    return stop


def _head(row: EmailLine) -> OrderBlock:
    match = _BEGIN.match(row.plain)
    rest = next((group for group in match.groups() if group), "") if match else ""
    words = statements.uncommented(rest).split()
    block = OrderBlock("", "", "", row.no, row.no, [])
    if len(words) < 2:
        block.problem = RejectionReason("order_block.header")
    block.game, block.seat = [*words, "", ""][:2]
    block.code = "".join(words[2:])[:LONGEST]
    return block


def _up_to_signature(body: list[EmailLine]) -> tuple[list[EmailLine], bool]:
    """Return the first paragraph of a block without end, and whether more than a signature follows."""
    end, begun = len(body), False
    for index, row in enumerate(body):
        if row.raw in ("-- ", "--") or (begun and not row.plain):
            end = index
            break
        begun = begun or bool(row.plain)
    rest = False
    for row in body[end:]:
        if row.raw in ("-- ", "--"):
            break
        rest = rest or bool(row.plain and not _QUOTED.match(row.plain))
    return body[:end], rest


def _only_addressed(item: Statement) -> Statement:
    """Reject a bare line if END ORDERS is missing: it may be a greeting."""
    bare = isinstance(item, Answer) and not (item.q or item.kind)
    return item.rejected(RejectionReason("orders.no_end")) if bare else item


def _items(body: Sequence[EmailLine], limits: OrderLimits) -> list[Statement]:
    items: list[Statement] = []
    at = 0
    while at < len(body):
        row = body[at]
        at += 1
        if not row.plain:
            continue
        if _BEGIN_PRESS.match(row.plain):
            at, item = press_at(body, at, limits)
        else:
            at, item = _statement(body, at, limits)
        items.append(item)
    return _doubt_broken(items, {row.no: row.raw for row in body})


_MARKS = "\\ "
"""Removed from the end of a line that continues: several backslashes mean the same as one."""


def _statement(body: Sequence[EmailLine], at: int, limits: OrderLimits) -> tuple[int, Statement]:
    """Read one statement, which continues after a backslash and in lines that begin with a clause."""
    first, raw, plain = body[at - 1], body[at - 1].raw.strip(), body[at - 1].plain
    comment = plain.startswith(statements.COMMENTS)
    alone = plain == "\\"  # a lone backslash continues nothing
    while not (comment or alone) and at < len(body) and len(plain) <= limits.line:
        so_far = statements.uncommented(plain)
        if not (so_far.endswith("\\") or (_goes_on(body[at].plain) and not statements.is_word(so_far))):
            break
        plain = f"{so_far.rstrip(_MARKS)} {body[at].plain}"
        raw = f"{raw.rstrip(_MARKS)} {body[at].raw.strip()}"
        at += 1
    where: dict[str, Any] = {"line": first.no, "last": body[at - 1].no, "text": shortened(raw)}
    if comment:
        return at, Comment(**where)
    if len(plain) > limits.line:
        return at, _bad(where, "orders.too_long", most=limits.line)
    if _QUOTED.match(plain):
        return at, _bad(where, "orders.quoted")
    if _END_PRESS.match(plain):
        return at, _bad(where, "press.stray_end")
    if _goes_on(plain):  # which line it belongs to is unknown
        return at, _bad(where, "orders.broken")
    return at, statements.statement(plain, where)


def _goes_on(plain: str) -> bool:
    return begins_clause(plain) and not statements.is_branch(plain)


def _doubt_broken(items: list[Statement], rows: Mapping[int, str]) -> list[Statement]:
    """Reject a line that a mail program may have broken in two, and what may be its other half.

    Half an answer would do something its writer didn't mean, and half a standing order would act at the wrong
    time.
    """
    checked, broken = list(items), RejectionReason("orders.broken")
    for at, (item, other) in enumerate(pairwise(items)):
        if other.line == item.last + 1 and may_continue(item, other, rows[item.last]):
            half = item if isinstance(item, RejectedStatement) else item.rejected(broken)
            checked[at : at + 2] = [half, other.rejected(broken)]
    return checked


def _is_unnumbered(item: Statement) -> TypeGuard[Answer]:
    return isinstance(item, Answer) and not (item.q or item.kind or item.bold or item.branch)


def may_continue(one: Statement, other: Statement, row: str) -> bool:
    """Return whether a statement may continue in a bare line directly below `row`, its last one."""
    if not _is_unnumbered(other):
        return False
    settings = isinstance(one, StandingOrder | AskOrder | StopCondition)
    if settings and any(begins_clause(word) for word in other.body.split()):
        return True
    if isinstance(one, RejectedStatement):
        return one.problem.key in _HALF_SETTINGS
    if not settings and other.body.split()[0].casefold() in _ALONE:
        return False
    full = cells(row) + 1 + cells(other.body.split()[0]) > _WRAPPED
    return full and (settings or isinstance(one, Answer))


def press_at(body: Sequence[EmailLine], at: int, limits: OrderLimits) -> tuple[int, Statement]:
    """Return where to continue and the press whose first line is `body[at - 1]`."""
    head = body[at - 1]
    end = at
    while end < len(body) and not _END_PRESS.match(body[end].plain) and not _BEGIN_PRESS.match(body[end].plain):
        end += 1
    closed = end < len(body) and bool(_END_PRESS.match(body[end].plain))
    last = body[end].no if closed else body[end - 1].no
    where: dict[str, Any] = {"line": head.no, "last": last, "text": shortened(head.raw.strip())}
    match = _BEGIN_PRESS.match(head.plain)
    rest = next((group for group in match.groups() if group), "") if match else ""
    to = _TO.match(statements.uncommented(rest))
    names = tuple(word for word in re.split(r"[,\s、]+", to.group(1)) if word) if to else ()
    text = unicodedata.normalize("NFC", "\n".join(row.raw for row in body[at:end]).strip("\n"))
    unsent = {**where, "body": text}  # so that its writer gets it back
    item: Statement = PressStatement(to=names, **unsent)
    if not closed:
        item = _bad(unsent, "press.no_end")
    elif not names:
        item = _bad(unsent, "press.recipients")
    elif len(text) > limits.press:
        item = _bad(unsent, "press.too_long", most=limits.press)
    elif not text.strip():
        item = _bad(where, "press.empty")
    return (end + 1 if closed else end), item


def _bad(where: dict[str, Any], key: str, **args: int | str) -> RejectedStatement:
    return RejectedStatement(problem=RejectionReason(key, dict(args)), **where)


def shortened(text: str, most: int = _SHOWN) -> str:
    """Return a line as a receipt quotes it."""
    return text if len(text) <= most else text[: most - 1] + "…"


def form_mark(lines: Iterable[str], comments: Iterable[str] = ()) -> str:
    """Return the comment line that marks a reply form: hashes of its statements and of its other comments."""
    return f"# form {_digest(lines)[:8]}-{_digest(comments)[:4]}"


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(normalize_word(shortened(line)) for line in lines).encode()).hexdigest()


def form_comments(block: OrderBlock) -> list[int]:
    """Return the numbers of the comment lines of the reply form; only of its mark if one was changed."""
    found = [item for item in block.items if isinstance(item, Comment)]
    marks = [match for item in found if (match := _FORM.match(item.text))]
    others = [item.text for item in found if not _FORM.match(item.text)]
    if len(marks) == 1 and marks[0].group(2) == _digest(others)[:4]:
        return [item.line for item in found]
    return [item.line for item in found if _FORM.match(item.text)]


def is_unchanged_form(block: OrderBlock) -> bool:
    """Return whether this is a reply form exactly as it was sent out."""
    marks = [m.group(1) for item in block.items if isinstance(item, Comment) and (m := _FORM.match(item.text))]
    lines = [item.text for item in block.items if not isinstance(item, Comment)]
    return len(marks) == 1 and _digest(lines)[:8] == marks[0].casefold()


def _only_first(blocks: Sequence[OrderBlock]) -> None:
    """Make only one block for each seat count: the first that isn't an unchanged reply form."""
    by_seat: dict[tuple[str, str], list[OrderBlock]] = {}
    for block in blocks:
        by_seat.setdefault((normalize_word(block.game), normalize_word(block.seat)), []).append(block)
    for same in by_seat.values():
        written = [block for block in same if not is_unchanged_form(block)] or same[:1]
        for block in same:
            if block is written[0] or block.problem is not None:
                continue
            key = "order_block.repeated" if any(block is other for other in written) else "order_block.form"
            block.problem = RejectionReason(key, {"seat": block.seat})


def _reject_unchanged_forms(blocks: Sequence[OrderBlock], rows: Sequence[EmailLine]) -> None:
    """Reject an unchanged form in an unmarked copy of our email if the sender wrote anything else.

    Mail programs copy the old email below a reply: "I shall answer tomorrow" isn't an answer. A form without
    a statement, as sent to a seat that isn't asked, does no harm.
    """
    written = any(block.problem is None and not is_unchanged_form(block) for block in blocks)
    for block in blocks:
        says = any(not isinstance(item, Comment) for item in block.items)
        if says and block.problem is None and is_unchanged_form(block) and _in_copy(block, rows, written=written):
            block.problem = RejectionReason("order_block.unchanged")


def _in_copy(block: OrderBlock, rows: Sequence[EmailLine], *, written: bool) -> bool:
    """Return whether a block is in a copy of our email, with text of the sender above it or elsewhere (`written`)."""
    titles = (f"({block.game})".casefold(), f"== {block.game}:".casefold())
    for row in rows[: block.line - 1]:
        plain = row.plain.casefold()
        if _COPY.fullmatch(plain) or plain.endswith(titles[0]) or plain.startswith(titles[1]):
            return written
        written = written or bool(plain and not _QUOTED.match(plain) and not _SENT_FROM.fullmatch(plain))
    return False
