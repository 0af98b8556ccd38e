"""Parser of one line of a block into one statement. The line is already folded (NFKC) and stripped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pbem.kernel.order_words import ANSWER_WORDS, normalize_text, normalize_word
from pbem.kernel.rejections import Rejection, RejectionReason, rejection
from pbem.kernel.standing_orders import ALWAYS, MINE, NEVER, Condition, condition
from pbem.lazy_regex import pattern
from pbem.orders.player_words import BEGINNINGS, player_words
from pbem.orders.syntax_tree import (
    Answer,
    AskOrder,
    CancelOrder,
    InfoRequest,
    KeywordCommand,
    RejectedStatement,
    StandingOrder,
    Statement,
    StopCondition,
)

# Conditions and their clauses: `if space=milan, strength>=4 unless … until turn 5`.

IF, UNLESS, UNTIL = "if", "unless", "until"
Clauses = dict[str, tuple[Condition, ...]]

_KEYWORDS = {"if": IF, "unless": UNLESS, "until": UNTIL, "もし": IF, "除く": UNLESS, "まで": UNTIL}
_WORD = pattern(r'"[^"]*"|[^\s"]+')
_OPERATOR = pattern(r"\s*(!=|>=|<=|=|>|<)\s*")
_AND = pattern(r"\s*,\s*|\s+and\s+|\s*、\s*", re.IGNORECASE)
_MOST = 12


def begins_clause(text: str) -> bool:
    """Return whether a text begins with a keyword of a clause."""
    return text.split(None, 1)[0].casefold() in _KEYWORDS if text.strip() else False


def conditions(text: str) -> tuple[Condition, ...]:
    """Read `a=b, c>=3` (`,` or `and` between). Raises `Rejection`."""
    tidy = _OPERATOR.sub(r"\1", text.strip())
    parts = [part.strip().strip('"') for part in _AND.split(tidy)]
    if len(parts) > _MOST:
        raise rejection("orders.too_many", most=_MOST)
    return tuple(_one(part) for part in parts)


def _one(text: str) -> Condition:
    try:
        found = condition(text)
    except Rejection:
        raise rejection("orders.condition", word=text) from None
    if not re.fullmatch(r"\w+", found.key) or re.match(r"[!<>=]", found.value):
        raise rejection("orders.condition", word=text)
    return Condition(found.key.casefold(), found.op, found.value)


def deadline(text: str) -> tuple[Condition, ...]:
    """Read what follows `until`: conditions, or `turn 5` (from turn 5 on), `phase winter`. Raises `Rejection`."""
    plain = re.fullmatch(r"([^\W\d]\w*)\s+(\w+)", text.strip())
    if plain is None:
        return conditions(text)
    key, value = plain.groups()
    return conditions(f"{key}{'>=' if value.isascii() and value.isdigit() else '='}{value}")


def split(text: str) -> tuple[str, Clauses]:
    """Separate an answer from the clauses after it. Raises `Rejection` for a clause that can't be read.

    A plan's own `unless england` (a seat, no comparison) stays with the answer.
    """
    words = [(m.start(), m.group()) for m in _WORD.finditer(text)]
    problem: Rejection | None = None
    if sum(word.casefold() in _KEYWORDS for _, word in words) > _MOST:
        raise rejection("orders.too_many", most=_MOST)
    for index, (start, word) in enumerate(words):
        keyword = _KEYWORDS.get(word.casefold())
        if keyword is None:
            continue
        try:
            return text[:start].strip(), _read([w for _, w in words[index:]])
        except Rejection as refused:
            compares = any(_OPERATOR.search(w) for _, w in words[index:])
            if keyword != UNLESS or compares:
                problem = refused
    if problem is not None:
        raise problem
    return text.strip(), {}


def _read(words: Sequence[str]) -> Clauses:
    """Return conditions by keyword from words that begin with a keyword. Raises `Rejection`."""
    parts: list[tuple[str, list[str]]] = []
    for word in words:
        keyword = _KEYWORDS.get(word.casefold())
        if keyword is not None:
            parts.append((keyword, []))
        else:
            parts[-1][1].append(word)
    found: Clauses = {}
    for keyword, rest in parts:
        text = " ".join(rest)
        some = deadline(text) if keyword == UNTIL else conditions(text)
        found[keyword] = (*found.get(keyword, ()), *some)
    return found


STANDING = "standing KIND[, KIND …]: ANSWER [if key=value, …] [unless key=value] [until turn 5]"
ASK = "ask KIND: always|mine|never [until turn 5]"
BRANCH = "if lost: ANSWER"
STOP = "stop if key=value, …"
CANCEL = "cancel standing [KIND]"
ALL = "*"
NEXT = ("next", "次")
"""What an answer to the first question of the next turn begins with."""
THEN = ("then", "その後")
"""What stands between an answer and the first one of the next turn in one line: `gruuthuse then event`."""
BLANK = "?"
"""The placeholder of a reply form without a safe default: never an answer."""

_THEN = pattern(rf"\s*[,;、]?(?:\s+{THEN[0]}\s+|\s*{THEN[1]}\s*[、:]?\s*)", re.IGNORECASE)
_COMMENT = pattern(r'(?:"[^"]*"|[^"])*?(?:^|(?<=\s))(?://|#)(?=\s|$)')
_WORDS = {
    "bold": "bold",
    "resume": "resume",
    "clear": "clear",
    "test": "test",
    "強行": "bold",
    "再開": "resume",
    "消去": "clear",
    "テスト": "test",
}
_WHEN = {"always": ALWAYS, "mine": MINE, "never": NEVER, "常に": ALWAYS, "自分": MINE, "不要": NEVER}
_ANSWERS = {word: key for key, words in ANSWER_WORDS.items() for word in words}
ORDERS = (StandingOrder, AskOrder, CancelOrder, InfoRequest)
"""Statements that a reply may hold outside of a block, besides answers and press."""
SEND = ("state", "map", "log", "cards", "sheet", "rules", "why", "bundle")
"""What `send` can request."""
LETTERS = ("short", "full", "digest")
"""Length and time of the emails to a seat (`letters`)."""
_SEND_WORDS = {
    "状態": "state",
    "地図": "map",
    "経過": "log",
    "カード": "cards",
    "対応表": "sheet",
    "規則": "rules",
    "理由": "why",
    "証拠": "bundle",
}
_LETTERS_WORDS = {"短": "short", "全": "full", "まとめ": "digest"}
_HELP = ("help", "ヘルプ", "助け")
_WISHES = (*_HELP, *_SEND_WORDS, "send", "送信", "letters", "手紙", "メール", "attach", *BEGINNINGS)
_EVERY = ("all", "any", "*", "すべて", "全て", "全部")
COMMENTS = ("//", "#")
"""What a comment begins with."""
_NUMBERED = pattern(r"(?:q\s*|質問\s*)?(\d{1,9})\s*:\s*(.*)$", re.IGNORECASE)
_KINDED = pattern(r"([^\W\d][\w\-]*)\s*:\s*(.*)$")
_BOLD = pattern(r"(?:bold|強行)\s*:\s*(.+)$", re.IGNORECASE)
_BRANCH = pattern(r"(?:if|もし)\s*([^\W\d][\w\-]*)\s*:\s*(.*)$", re.IGNORECASE)
_OUTCOMES = {"勝利": "won", "敗北": "lost", "迎撃": "intercepted", "回避": "evaded", "失敗": "tried", "同数": "tied"}
_STANDING = pattern(r"(?:standing\s+|常時\s*)([\w\-*]+(?:\s*[,、]\s*[\w\-*]+)*)\s*:\s*(.+)$", re.IGNORECASE)
_CANCEL = pattern(r"(?:cancel\s+standing|取消\s*常時|常時\s*取消)(?:\s+([\w\-*]+))?$", re.IGNORECASE)
_ASK = pattern(r"(?:ask\s+|通知\s*)([\w\-*]+)(?:\s*:\s*|\s+)(\w+)(?:\s+(?:until|まで)\s+(.+))?$", re.IGNORECASE)
_SEND = pattern(r"(?:send|送信)\s+(\w+)$", re.IGNORECASE)
_ABOUT = pattern(r"(?:(?:send|送信)\s+(?:card|about|カード)|カード)\s+(\S.{0,59})$", re.IGNORECASE)
_LETTERS = pattern(r"(?:letters|手紙|メール(?=\s*(?:全|短|まとめ)))\s*[=\s]\s*(\w+)(?:\s+(\d{1,2}))?$", re.IGNORECASE)
_ATTACH = pattern(r"(?:attach)\s*[=\s]\s*(map|view|nothing)$", re.IGNORECASE)
_COMMANDS = ("standing", "常時", "cancel", "取消", "stop", "停止", "ask", "通知")
_STOP = pattern(r"(?:stop\s+if|停止\s*もし)\s+(.+)$", re.IGNORECASE)


def split_then(text: str) -> tuple[str, str]:
    """Return the parts before and after the first `then`; the second is "" without both."""
    head, *rest = _THEN.split(text, 1) if any(word in text.casefold() for word in THEN) else [text]
    return (head, rest[0].strip()) if head.strip() and rest else (text, "")


def uncommented(text: str) -> str:
    """Return `text` without a trailing comment: a lone `#` or `//` outside quotes and all that follows."""
    found = _COMMENT.match(text)
    return text[: found.end()].rstrip().removesuffix("//").removesuffix("#").rstrip() if found else text


def statement(plain: str, where: dict[str, Any]) -> Statement:
    """Read one statement: a command, else an answer. A line that can't be read becomes a `RejectedStatement`."""
    text = uncommented(plain)
    try:
        item = _command(text, where)
    except Rejection as refused:
        return RejectedStatement(problem=refused.problem, **where)
    return item if item is not None else _answer(text, where)


def wish(text: str, where: dict[str, Any]) -> InfoRequest | None:
    """Read a request: `send state`, `send card jack_cade`, `help`, `away 2026-12-24`; None if it is none of these.

    It may be anywhere in an email, because it changes nothing in the game.
    """
    folded = text.casefold()
    if not folded.startswith(_WISHES):  # nearly every line
        return None
    if folded in _HELP or text in _SEND_WORDS:
        return InfoRequest(what="help" if folded in _HELP else f"send {_SEND_WORDS[text]}", **where)
    if match := _SEND.match(text):
        word = _SEND_WORDS.get(match[1], match[1].casefold())
        return InfoRequest(what=f"send {word}", **where) if word in SEND else None
    if match := _ABOUT.match(text):
        return InfoRequest(what="send about", value=match[1].strip(' "'), **where)
    if match := _LETTERS.match(text):
        word, hour = _LETTERS_WORDS.get(match[1], match[1].casefold()), match[2] or ""
        if word in LETTERS and (not hour or (word == "digest" and int(hour) < 24)):
            return InfoRequest(what="letters", value=f"{word} {hour}".strip(), **where)
    if match := _ATTACH.match(text):
        return InfoRequest(what="attach", value=match[1].casefold(), **where)
    if (asked := player_words(text)) is not None:
        return InfoRequest(what=asked[0], value=asked[1], **where)
    return None


def is_word(text: str) -> bool:
    """Return whether a line is a command of one word, which takes no clause."""
    return text.casefold() in _WORDS


def _command(text: str, where: dict[str, Any]) -> Statement | None:
    word = _WORDS.get(text.casefold())
    if word is not None:
        return KeywordCommand(word=word, **where)
    if (wanted := wish(text, where)) is not None:
        return wanted
    if not text.casefold().startswith(_COMMANDS):  # nearly every line
        return None
    if match := _STANDING.match(text):
        body, found = split(match.group(2))
        if not body:
            return RejectedStatement(problem=RejectionReason("orders.empty"), **where)
        kinds = tuple(kind_word(word.strip()) for word in match.group(1).replace("、", ",").split(","))
        body, clauses = answer_words(body), [found.get(k, ()) for k in (IF, UNLESS, UNTIL)]
        return StandingOrder(kinds=kinds, body=body, when=clauses[0], unless=clauses[1], until=clauses[2], **where)
    if match := _CANCEL.match(text):
        kind = kind_word(match.group(1) or "all")
        return CancelOrder(kind="" if kind == ALL else kind, **where)
    if match := _STOP.match(text):
        try:
            return StopCondition(stops=conditions(match.group(1)), **where)
        except Rejection as refused:
            return RejectedStatement(problem=refused.problem, holds=True, **where)
    if match := _ASK.match(text):
        when = _when(match.group(2))
        if when:
            until = deadline(match.group(3)) if match.group(3) else ()
            return AskOrder(kind=kind_word(match.group(1)), when=when, until=until, **where)
    return _half_command(text, where)


def _half_command(text: str, where: dict[str, Any]) -> Statement | None:
    """Reject a line that begins like a command and isn't one, so that it isn't taken for an answer."""
    first, second = [*text.casefold().split(), "", ""][:2]
    if first in ("standing", "常時"):
        return RejectedStatement(problem=RejectionReason("orders.syntax", {"syntax": STANDING}), **where)
    if first == "cancel" and (not second or "standing".startswith(second)):
        return RejectedStatement(problem=RejectionReason("orders.syntax", {"syntax": CANCEL}), **where)
    if first == "ask" and ":" in text:
        return RejectedStatement(problem=RejectionReason("orders.syntax", {"syntax": ASK}), **where)
    if (first, second) in (("stop", "if"), ("停止", "もし")):
        return RejectedStatement(problem=RejectionReason("orders.syntax", {"syntax": STOP}), holds=True, **where)
    return None


def _when(word: str) -> str:
    folded = word.casefold()
    hits = {when for known, when in _WHEN.items() if known.startswith(folded)}
    return hits.pop() if len(hits) == 1 else ""


def _answer(text: str, where: dict[str, Any]) -> Statement:
    bold = False
    if match := _BOLD.match(text):
        bold, text = True, match.group(1).strip()
    branch = ""
    if match := _BRANCH.match(text):
        branch, text = _OUTCOMES.get(match[1], normalize_word(match[1])), match[2].strip()
        if _BRANCH.match(text) or _NUMBERED.match(text):
            return RejectedStatement(problem=RejectionReason("orders.syntax", {"syntax": BRANCH}), holds=True, **where)
    q, kind, body = 0, "", text
    if match := _NUMBERED.match(text):
        q, body = int(match.group(1)), match.group(2)
    elif match := _KINDED.match(text):
        kind, body = kind_word(match.group(1)), match.group(2)
    body = answer_words(body)
    if body in ("", BLANK) or body.startswith(COMMENTS):
        return RejectedStatement(problem=RejectionReason("orders.empty"), **where)
    return Answer(body=body, q=q, kind=kind, bold=bold, branch=branch, **where)


def is_branch(text: str) -> bool:
    """Return whether a line depends on the result of the line before it (`if lost: …`)."""
    return _BRANCH.match(text) is not None


def kind_word(word: str) -> str:
    """Return a kind as written, folded; `*` for all."""
    folded = normalize_word(word)
    return ALL if folded in _EVERY else folded


def answer_words(body: str) -> str:
    """Return an answer with single blanks, straight quotes and its first word in English."""
    plain = normalize_text(body)
    first, blank, rest = plain.partition(" ")
    return f"{_ANSWERS[first]}{blank}{rest}" if first in _ANSWERS else plain
