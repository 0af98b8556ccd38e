"""Conditions and their clauses: `if space=milan, strength>=4 unless … until turn 5`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.kernel.problems import Refused, refuse
from pbem.kernel.standing import Condition, condition
from pbem.patterns import pattern

IF, UNLESS, UNTIL = "if", "unless", "until"
Clauses = dict[str, tuple[Condition, ...]]

_KEYWORDS = {"if": IF, "unless": UNLESS, "until": UNTIL, "もし": IF, "除く": UNLESS, "まで": UNTIL}
_WORD = pattern(r'"[^"]*"|[^\s"]+')
_OPERATOR = pattern(r"\s*(!=|>=|<=|=|>|<)\s*")
_AND = pattern(r"\s*,\s*|\s+and\s+|\s*、\s*", re.IGNORECASE)
_MOST = 12


def begins_clause(text: str) -> bool:
    """Whether a text begins with a word that begins a clause."""
    return text.split(None, 1)[0].casefold() in _KEYWORDS if text.strip() else False


def conditions(text: str) -> tuple[Condition, ...]:
    """Read `a=b, c>=3` (`,` or `and` between). Raises `Refused`."""
    tidy = _OPERATOR.sub(r"\1", text.strip())
    parts = [part.strip().strip('"') for part in _AND.split(tidy)]
    if len(parts) > _MOST:
        raise refuse("orders.too_many", most=_MOST)
    return tuple(_one(part) for part in parts)


def _one(text: str) -> Condition:
    try:
        found = condition(text)
    except Refused:
        raise refuse("orders.condition", word=text) from None
    if not re.fullmatch(r"\w+", found.key) or re.match(r"[!<>=]", found.value):
        raise refuse("orders.condition", word=text)
    return Condition(found.key.casefold(), found.op, found.value)


def deadline(text: str) -> tuple[Condition, ...]:
    """Read what follows `until`: conditions, or `turn 5` (from turn 5 on), `phase winter`. Raises `Refused`."""
    plain = re.fullmatch(r"([^\W\d]\w*)\s+(\w+)", text.strip())
    if plain is None:
        return conditions(text)
    key, value = plain.groups()
    return conditions(f"{key}{'>=' if value.isascii() and value.isdigit() else '='}{value}")


def split(text: str) -> tuple[str, Clauses]:
    """Separate an answer from the clauses behind it. Raises `Refused` for a clause that cannot be read.

    A plan's own `unless england` (a seat, no comparison) stays with the answer.
    """
    words = [(m.start(), m.group()) for m in _WORD.finditer(text)]
    problem: Refused | None = None
    for index, (start, word) in enumerate(words):
        keyword = _KEYWORDS.get(word.casefold())
        if keyword is None:
            continue
        try:
            return text[:start].strip(), _read([w for _, w in words[index:]])
        except Refused as refused:
            compares = any(_OPERATOR.search(w) for _, w in words[index:])
            if keyword != UNLESS or compares:
                problem = refused
    if problem is not None:
        raise problem
    return text.strip(), {}


def _read(words: Sequence[str]) -> Clauses:
    """Words that begin with a keyword → keyword → conditions. Raises `Refused`."""
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
