"""The news in few words: what happened to the reader first, one sentence for several lines of the same.

What a game's `news.toml` lists is left to the log: steps, dice, and what changes nothing (`left_out`, patterns of
keys, also `key@argument=value`). `affairs` are the contexts (`Table.within`) whose lines make one sentence. `acts`
are no news to the seat that did them. `headings` are the lines that begin a part of the game. `moves` maps
the key that begins a move to the key of its steps, which are reported as one.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import msgspec

from pbem.data_cache import folder_of, toml_tables
from pbem.kernel.evidence import YOU
from pbem.kernel.table import LogLine
from pbem.lazy_regex import pattern
from pbem.report.answer_faces import capital
from pbem.report.messages import Catalogue
from pbem.report.text_width import width

_WIDE = 0x1100
"""The first code point of the scripts that are written without blanks."""
_BACK = 12
"""How many sentences back a similar one is searched: farther away it belongs to another event."""
_FROM, _TO = "origin", "place"
"""The arguments of a step of a move."""
_LISTS = ("cards",)
"""Arguments whose lists are joined."""
_END = ".。"
_LOWER = pattern(r"(Your?|An?|The)\b")

TO_YOU, NEAR, SCORED, REST, OWN = range(4, -1, -1)
"""How much a sentence matters to its reader: what happened to them and what they got, what is near their question, who
gained points, the rest, and what they did themselves.
"""
_SCORES = ("vp", "score", "winner", "winners")
"""Arguments of lines that tell who gained points."""


class Sentence(msgspec.Struct):
    """Lines that say the same of several things: the arguments `args` hold all of them, where they differ in `odd`."""

    key: str
    args: dict[str, Any]
    shown: frozenset[str]
    lines: list[LogLine]
    text: str = ""
    odd: str = ""
    weight: int = REST
    moving: bool = True
    affair: int = 0


class NewsTable(msgspec.Struct, frozen=True):
    """What a game's `news.toml` says."""

    left_out: tuple[str, ...] = ()
    affairs: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    moves: dict[str, str] = {}
    headings: tuple[str, ...] = ()

    def begins(self, key: str) -> bool:
        """Check if this line begins a part of the game, so that a log shows it as a heading."""
        return _matches(key, self.headings)

    def leaves_out(self, one: Sentence) -> bool:
        cases = (f"{one.key}@{name}={value}" for name, value in one.args.items() if isinstance(value, str | int))
        return one.args.get("count") == 0 or any(_matches(case, self.left_out) for case in (one.key, *cases))

    def affair(self, one: Sentence) -> tuple[str, dict[str, Any]] | None:
        affair = one.lines[0].affair
        return affair if affair is not None and affair[0] in self.affairs else None


def _matches(key: str, patterns: Sequence[str]) -> bool:
    return any(key == wanted or ("*" in wanted and fnmatchcase(key, wanted)) for wanted in patterns)


@cache
def news_table(package: str) -> NewsTable:
    """Return what the news of a game leaves out and joins; another game's may have no such file."""
    place = folder_of(package, "news.toml")
    return msgspec.convert(toml_tables(place.read_bytes()), NewsTable) if place.is_file() else NewsTable()


def merged(
    lines: Sequence[LogLine], seat: str, say: Catalogue, near: Collection[str] = ()
) -> tuple[list[Sentence], int]:
    """Return the sentences that `seat` may read (`near` its question), and how many lines only the log has."""
    table = news_table(say.game.package) if say.game is not None else NewsTable()
    said: list[Sentence] = []
    besides = 0
    for line in lines:
        if line.only is not None and seat not in line.only:
            continue
        one = _sentence(line, seat, say)
        if (steps := table.moves.get(line.key)) is not None:
            for before in said:
                before.moving &= before.lines[0].key != steps
        one.moving = line.key in table.moves.values()
        if table.leaves_out(one):
            besides += 1
        elif not any(_joins(before, one, table) for before in reversed(said[-_BACK:])):
            said.append(one)
    known: dict[str, Sentence] = {}
    heaviest: dict[int, int] = {}
    for sentence in said:
        if _FROM in sentence.args and sentence.args[_FROM] == sentence.args.get(_TO):
            continue  # there and back
        sentence.affair = id(affair) if (affair := table.affair(sentence)) is not None else -len(known) - 1
        sentence.text = _put(sentence, say, later=sentence.affair in heaviest)
        first = known.setdefault(
            f"{sentence.affair} {sentence.text}" if affair is not None else sentence.text, sentence
        )
        weight = max(_weight(sentence, seat, near, table.acts), heaviest.get(first.affair, OWN))
        heaviest[first.affair] = weight
    for kept in known.values():
        kept.weight = heaviest[kept.affair]
    return [kept for kept in known.values() if kept.text], besides


def _sentence(line: LogLine, seat: str, say: Catalogue) -> Sentence:
    key, args = say.read_by(line, seat)
    shorter = f"news.{key}" if say.has(f"news.{key}") else key
    return Sentence(key, args, say.shown(shorter, args), [line])


def _put(one: Sentence, say: Catalogue, *, later: bool) -> str:
    """Return a sentence in words: `there.<key>` (later in an affair) or `news.<key>`, if there are such."""
    keys = (f"there.{one.key}" if later else "", f"news.{one.key}", one.key)
    key = next((key for key in keys if say.has(key)), one.key)
    return capital(say.to_you(key, one.args))


def _joins(before: Sentence, one: Sentence, table: NewsTable) -> bool:
    """Add a line to a sentence that says the same of another thing, or to a move that it goes on with."""
    if (before.key, before.shown) != (one.key, one.shown) or before.args.get("count") != one.args.get("count"):
        return False
    if table.affair(before) is not table.affair(one):
        return False
    old, new = before.args, one.args
    differ = {name for name in one.shown if old[name] != new[name]}
    if before.moving and {_FROM, _TO} <= one.shown and differ <= {_FROM, _TO} and old[_TO] == new[_FROM]:
        old[_TO] = new[_TO]
    elif len(differ) == 1 and before.odd in ("", *differ) and _is_listed(odd := differ.pop(), new):
        several = dict.fromkeys((*_listed(old[odd]), *_listed(new[odd])))
        old[odd] = sorted(several, key=lambda item: item != YOU)
        before.odd = odd
    elif differ:
        return False
    before.lines += one.lines
    return True


def _is_listed(odd: str, args: Mapping[str, Any]) -> bool:
    return odd in _LISTS or (isinstance(args[odd], str) and odd != _FROM)


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) else list(value)


def _weight(one: Sentence, seat: str, near: Collection[str], acts: Sequence[str]) -> int:
    line, words = one.lines[0], list(_words(one.args))
    if words[:1] == [YOU] and _matches(line.key, acts):
        return OWN
    if YOU in words or line.only is not None or seat in (line.private or {}):
        return TO_YOU
    if any(word in near for word in words):
        return NEAR
    return SCORED if any(name in one.args for name in _SCORES) else REST


def _words(args: Mapping[str, Any]) -> Iterator[Any]:
    for value in args.values():
        yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))


def words_in(text: str) -> int:
    """Count the words of a text, roughly: in scripts without blanks five wide characters count as two words."""
    wide = max(width(text) - len(text), 0)
    narrow = sum(
        (word.isascii() and word.isalnum()) or any(sign.isalnum() and ord(sign) < _WIDE for sign in word)
        for word in text.split()
    )
    return narrow + wide * 2 // 5


def within(said: Sequence[Sentence], most: int) -> tuple[list[str], int]:
    """Return the news that fit into `most` words, what matters most, then the latest; and how many are left out."""
    affairs: dict[int, list[int]] = {}
    for at, sentence in enumerate(said):
        affairs.setdefault(sentence.affair or -at - 1, []).append(at)
    ranked = sorted(affairs.values(), key=lambda parts: (said[parts[0]].weight, parts[-1]), reverse=True)
    told: list[list[int]] = []
    room = most
    for parts in ranked:
        kept = list(parts)
        while kept and sum(words_in(said[at].text) for at in kept) > room:
            kept.pop()
        if kept:
            told.append(kept)
            room -= sum(words_in(said[at].text) for at in kept)
    if said and not told:  # the first sentence of an affair: later ones say "there"
        told.append([min((parts[0] for parts in ranked), key=lambda at: words_in(said[at].text))])
    told.sort(key=lambda parts: (-said[parts[0]].weight, parts[0]))
    left = sum(len(sentence.lines) for sentence in said) - sum(len(said[at].lines) for parts in told for at in parts)
    return [_as_one([said[at].text for at in parts]) for parts in told], left


def news_of(
    lines: Sequence[LogLine], seat: str, say: Catalogue, most: int, near: Collection[str] = ()
) -> tuple[list[str], int]:
    """Return what `seat` is told of these lines in `most` words, and how many lines only the log has."""
    said, besides = merged(lines, seat, say, near)
    told, left = within(said, most)
    return told, left + besides


def _as_one(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    if texts[0].endswith("。"):
        return "".join(texts)
    first, *rest = (text.rstrip(_END) for text in texts)
    return "; ".join((first, *map(_lower, rest))) + "."


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:] if _LOWER.match(text) else text
