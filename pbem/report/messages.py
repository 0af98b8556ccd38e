"""Messages: from a key and arguments to a sentence in the reader's language.

Texts are in `pbem/report/locale/<language>.toml` (kernel, orders, emails, reports) and in
`games/<game>/locale/<language>.toml` (the game's, which may override). A file is TOML with the message keys
quoted: `"war.won" = "{winner} defeats {loser}."`; tables are allowed as prefixes. `Catalogue` documents
placeholders.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

import msgspec

from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.kernel.evidence import YOU
from pbem.kernel.game import Game
from pbem.kernel.order_words import NO_NAMES, Names
from pbem.kernel.pack import BilingualText
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import AdvanceNote, PendingQuestion
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.table import LogLine
from pbem.lazy_regex import clean, pattern

# Texts and drawings that several emails share: tables and maps that all seats may see.

T = TypeVar("T")

MOST = 128
"""How many drawings are kept; the oldest is dropped. A table of a large game takes about 10 kB."""


class RenderCache:
    """Drawings by the objects drawn. Callers must not change them."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def alike(self, kind: str, thing: Any, draw: Callable[[], T]) -> T:
        """Return what `draw` makes of an object, or made of an equal one (1 isn't true)."""
        try:
            key = (kind, msgspec.msgpack.encode(thing))
        except (TypeError, ValueError, OverflowError):  # cells of other games may hold any object
            return draw()
        return self._cached(key, None, draw)

    def same(self, kind: str, thing: Any, draw: Callable[[], T]) -> T:
        """Return what `draw` makes of an object, or made of the identical one before."""
        return self._cached((kind, id(thing)), thing, draw)

    def _cached(self, key: tuple[Any, ...], thing: Any, draw: Callable[[], T]) -> T:
        known = self._kept.get(key)
        if known is None:
            if len(self._kept) >= MOST:
                del self._kept[next(iter(self._kept))]
            # The object is kept, too: otherwise its id could be used again.
            known = self._kept[key] = (thing, draw())
        return known[1]


_SLOT = pattern(r"<([a-z][a-z_ ]*)>")
_HOLE = pattern(r"\{(\w+)(?::(\w+|[\w -]+/[\w -]+)|\?([^{}|]*)\|?([^{}]*))?\}")
"""`{name}`, `{name:form}`; `{name?before|behind}` adds the words around it, and is empty if there is no value."""
_TOKEN = pattern(r"[^\s,;=\"]+")
Trail = Sequence[tuple[str, Mapping[str, Any]]]


_NOT_YOU = frozenset(["religion"])
"""Arguments that may have the name of a seat but don't mean it: the Protestants are a power and a faith."""
_YOURS = (
    (pattern(r"\b[Yy]ou's"), "your"),
    (pattern(r"\b[Tt]he ((?:[\w'-]+ ){0,2}[\w'-]+) of you\b"), r"your \1"),
    (pattern(r" of you\b"), " of yours"),
    (pattern(r"\(you\)"), "(yours)"),
    (pattern(r"(^|[.!?] )y(?=our?\b)"), r"\1Y"),
)


def _read(line: LogLine, seat: str) -> tuple[str, dict[str, Any]]:
    own = (line.private or {}).get(seat)
    return (line.key, line.args) if own is None else (f"{line.key}.private", {**line.args, **own})


def _as_you(value: Any, seat: str) -> Any:
    if isinstance(value, list | tuple):
        return [_as_you(item, seat) for item in value]
    return YOU if seat and value == seat else value


def seen_by(args: Mapping[str, Any], seat: str, but: Container[str] = _NOT_YOU) -> dict[str, Any]:
    """Return the arguments of a message as a seat reads them: it is "you", `but` in some."""
    return {name: value if name in but else _as_you(value, seat) for name, value in args.items()}


def placeholders(text: str) -> list[str]:
    """Return the names of the placeholders in a message."""
    return [found[1] for found in _HOLE.finditer(text)]


@cache
def report_messages(language: str) -> Catalogue:
    """Return the messages of reports and emails alone, without a game's, in one of `LANGUAGES`."""
    return Catalogue(None, language=language)


@lru_cache(4096)  # an email is put into words more than once
def alphanumeric(text: str) -> str:
    """Return the letters and digits of a name, for comparison with an id."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", text).casefold() if sign.isalnum())


class Catalogue:
    """The messages of a game in one language. `missing` collects the keys that were not found.

    **Placeholders.** `{seat}` is replaced by the argument: ids by display names, other words by the message
    `word.<word>` if there is one. Lists are joined with commas and "and"; mappings and "id number" become
    name and value ("id number" the message `counted.<id>`, if there is one); true and false become yes and no. A
    suffix selects another form:

    * `{n:signed}`: +1. `{dice:dice}`: 3 + 5. `{n:card/cards}`: a number with its noun, such as 1 card or 2 cards.
    * `{seat:takes/take}`: only the verb, which agrees with who does it: one, or several, "you", or an id
      that has a message `plural.<id>`.
    * `{x:or}`: a list with "or". `{x:comma}`: a list with commas only.
    * `{x:the}`: the message `the.<x>`, if there is one. `{what:what}`: the message `expected.<x>`.
    * `{x:raw}`: the argument unchanged.

    **Variants.** `key.one` and `key.other` are chosen by the argument `count`; `key@agenda=war` has priority
    if the argument `agenda` is `war`. `key.private` is for a seat that has private arguments of a line.
    """

    def __init__(
        self, game: Game | None, components: Any = None, language: str = "en", names: Names | None = None
    ) -> None:
        self.game = game
        self.components = components
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        if names is None:
            names = game.words(components) if game is not None and components is not None else NO_NAMES
        self.names = names
        packages = ["pbem.report"] + ([game.package] if game is not None else [])
        self._texts: dict[str, str] = {}
        for package in packages:
            self._texts.update(messages(package, self.language))
        self._variants: dict[str, list[tuple[str, str, str]]] = {}
        for key, text in self._texts.items():
            if "@" in key:
                base, _, condition = key.partition("@")
                name, _, value = condition.partition("=")
                self._variants.setdefault(base, []).append((name, value, text))
        self.missing: set[str] = set()
        self.drawn = RenderCache()

    # -- messages ----------------------------------------------------------------------------------------------------

    def has(self, key: str) -> bool:
        return key in self._texts or f"{key}.other" in self._texts

    def text(self, key: str, args: Mapping[str, Any] | None = None, /, **more: Any) -> str:
        """Return the message with its arguments. An unknown key is noted and rendered with its arguments."""
        args = {**(args or {}), **more}
        template = self._template(key, args)
        if template is None:
            self.missing.add(key)
            said = ", ".join(f"{name}={self.value(value)}" for name, value in args.items())
            return f"{key} ({said})" if said else key
        return _HOLE.sub(lambda hole: self._fill(key, hole, args), template)

    def _template(self, key: str, args: Mapping[str, Any]) -> str | None:
        texts = self._texts
        for name, value, text in self._variants.get(key, ()):
            if name in args and str(args[name]) == value:
                return text
        if "count" in args:
            one = texts.get(f"{key}.one") if args["count"] == 1 else None
            if one is not None:
                return one
        found = texts.get(key)
        return texts.get(f"{key}.other") if found is None else found

    def _fill(self, key: str, hole: re.Match[str], args: Mapping[str, Any]) -> str:
        name = hole[1]
        if name not in args and hole[3] is not None:
            return ""
        if name not in args:
            self.missing.add(f"{key}:{{{name}}}")
            return hole[0]
        value, form = args[name], hole[2] or ""
        if hole[3] is not None:
            return f"{hole[3]}{self.value(value)}{hole[4]}" if value else ""
        if "/" in form:
            one, other = form.split("/")
            if isinstance(value, str | list | tuple):
                return other if self._is_several(value) else one
            return f"{self.value(value)} {one if value == 1 else other}"
        return self.value(value, form)

    def _is_several(self, who: Any) -> bool:
        if isinstance(who, str):
            return who == YOU or f"plural.{who}" in self._texts
        return len(who) > 1 or any(self._is_several(only) for only in who)

    def syntax(self, text: str) -> str:
        """Return a syntax with its placeholders in the reader's words; literal words stay unchanged."""
        return _SLOT.sub(lambda found: f"<{self.slot(found[1])}>", text)

    def slot(self, name: str) -> str:
        """Return the reader's word for a part of an answer."""
        return self._texts.get(f"field_name.{name}") or self._texts.get(f"field.{name}") or self._word(name, "")

    # -- values ------------------------------------------------------------------------------------------------------

    def name(self, key: str) -> str:
        """Return the display name of an id."""
        if key in self.names.names:
            return self.names.of(key, self.language)
        return self._texts.get(f"name.{key}", key)

    def value(self, value: Any, form: str = "") -> str:
        """Return any argument as words. `form` is the suffix of its placeholder."""
        if isinstance(value, bool):
            return self._texts["word.yes" if value else "word.no"]
        if value is None:
            return self._texts["word.nothing"]
        if isinstance(value, int):
            return f"{value:+d}" if form == "signed" else str(value)
        if isinstance(value, BilingualText):
            return str(getattr(value, self.language))
        if isinstance(value, Mapping):
            return self._mapping(value, form)
        if isinstance(value, (list, tuple)):
            if form == "dice":
                return " + ".join(map(str, value))
            return self.join([self.value(item, form) for item in value], form)
        return self._word(clean(str(value)), form)

    def _word(self, word: str, form: str) -> str:
        if form == "raw":
            return word
        if form == "what":
            return self._what(word)
        if form and f"{form}.{word}" in self._texts:
            return self._texts[f"{form}.{word}"]
        if word in self.names.names:
            return self.names.of(word, self.language)
        for prefix in ("word", "name"):
            if f"{prefix}.{word}" in self._texts:
                return self._texts[f"{prefix}.{word}"]
        thing, blank, number = word.rpartition(" ")
        if blank and number.removeprefix("-").isdigit() and " " not in thing:
            if self.has(f"counted.{thing}"):
                return self.text(f"counted.{thing}", count=int(number))
            return f"{self._word(thing, '')} {number}"
        return self._composed(word)

    def _composed(self, word: str) -> str:
        thing, at, place = word.partition("@")  # `open-2@sweden`
        if at and thing in self.names.names:
            return self.text("list.at", thing=thing, place=place)
        for sign in "/+":  # an id within another, or several: `naples/galley`
            if sign in word and " " not in word:
                parts = word.split(sign)
                if sign == "/" and len(parts) == 2 and self.has("list.within"):
                    return self.text("list.within", thing=parts[1], place=parts[0])
                return sign.join(self._word(part, "") for part in parts)
        pair = word.split("-")
        if len(pair) == 2 and all(part in self.names.names for part in pair):
            return self.join([self._word(part, "") for part in pair])
        return word

    def _what(self, word: str) -> str:
        """Return what is asked for (`expected.<word>`), or a field with what it means: `partner= (with)`."""
        for prefix in ("expected", "field", "word", "field_name"):
            label = self._texts.get(f"{prefix}.{word}")
            if label is not None:
                return f"{word}= ({label})" if prefix == "field" and label != word else label
        if word.startswith("="):
            return word
        if word not in self.names.names:
            self.missing.add(f"expected.{word}")
        return self.name(word)

    def _mapping(self, value: Mapping[str, Any], form: str) -> str:
        pairs = []
        nested = any(isinstance(item, (Mapping, list, tuple)) for item in value.values())
        for key, item in value.items():
            name = self._texts.get(f"field.{key}") or self._word(key, "")
            said = self._texts.get(f"{key}.{item}") or self.value(item, form)
            if isinstance(item, int) and any(map(str.isdigit, name)):  # two numbers side by side say nothing
                pairs.append(self.text("list.times", count=item, thing=name))
            else:
                pairs.append(f"{name}{self._texts['list.colon']}{said}" if nested else f"{name} {said}")
        return self._texts["list.semicolon"].join(pairs) if nested else self.join(pairs, "comma")

    def join(self, words: Sequence[str], form: str = "") -> str:
        """Join words as a list: "a, b and c", 「a、b、c」; `form` "or" and "comma" change the last separator."""
        if not words:
            return self._texts["word.nothing"]
        comma = self._texts["list.comma"]
        last = comma if form == "comma" else self._texts["list.or" if form == "or" else "list.and"]
        return comma.join(words[:-1]) + last + words[-1] if len(words) > 1 else words[0]

    # -- texts of a game ---------------------------------------------------------------------------------------------

    def label(self, key: str, args: Mapping[str, Any] | None = None) -> str:
        """Return a short label: the message `key`, or the name of the word after its last dot."""
        if self.has(key):
            return self.text(key, args)
        word = key.rpartition(".")[2]
        known = self._word(word, "")
        if known != word or word in self.names.names:
            return known
        self.missing.add(key)
        return word

    def rule(self, rule: str) -> str:
        """Return a rule section as it is cited: `[13.2]`; sections without numbers by their names. "" for none."""
        return f"[{self._texts.get(f'rule.{rule}', rule)}]" if rule else ""

    def render_line(self, line: LogLine, seat: str) -> str | None:
        """Return a log line as `seat` may read it; None if it must not. The moderator reads everything."""
        if line.only is not None and seat not in (*line.only, MODERATOR):
            return None
        said = self.text(*_read(line, seat))
        if seat == MODERATOR:
            for reader in line.private or ():
                said += " " + self.text("line.private", seat=reader, text=self.text(*_read(line, reader)))
        return self._cited(said, line.rule)

    def read_in(self, line: LogLine, seat: str) -> dict[str, Any]:
        """Return the arguments that appear in a line as `seat` reads it; none if it must not."""
        if line.only is not None and seat not in (*line.only, MODERATOR):
            return {}
        key, args = _read(line, seat)
        shown = self.shown(key, args)
        return {name: value for name, value in args.items() if name in shown}

    def shown(self, key: str, args: Mapping[str, Any]) -> frozenset[str]:
        """Return the arguments that appear in a message."""
        return frozenset(name for name in placeholders(self._template(key, args) or "") if name in args)

    def read_by(self, line: LogLine, seat: str) -> tuple[str, dict[str, Any]]:
        """Return the message of a line that `seat` may read and its arguments, in which the seat is "you"."""
        key, args = _read(line, seat)
        return key, seen_by(args, seat)

    def to_you(self, key: str, args: Mapping[str, Any]) -> str:
        """Return a message about "you" as English says it: "your", and capitals where sentences begin."""
        said = self.text(key, args)
        for found, instead in _YOURS if self.language == "en" else ():
            said = found.sub(instead, said)
        return said

    def render_problem(self, problem: RejectionReason) -> str:
        """Return why an answer was rejected, in a sentence, with the closest legal words and the rule."""
        said = self.text(problem.key, problem.args)
        if problem.near:
            near = dict.fromkeys(map(self.faced, problem.near))
            said += self.text("problem.near", near=", ".join(map(self.typed, near)))
        return self._cited(said, problem.rule)

    def render_prompt(self, pending: PendingQuestion) -> str:
        """Return the text of a question. Only for the seat that is asked: `secret` may fill the text."""
        args = {"seat": pending.seat, **pending.about, **pending.secret}
        return self._cited(self.text(pending.prompt, args), pending.rule)

    def render_trail(self, trail: Trail) -> str:
        """Return the enclosing affairs (`Table.trail`), outermost first; "" at the top of play."""
        return " > ".join(self.text(f"within.{key}", about) for key, about in trail)

    def render_note(self, note: AdvanceNote) -> str:
        """Return what became of an advance order."""
        said = self.text(f"note.{note.key}", text=note.text, line=note.line, letter=note.letter)
        return f"{said} {self.render_problem(note.problem)}" if note.problem is not None else said

    def typed(self, word: str, what: str = "") -> str:
        """Return an id as it is typed, with its name as a `what` (`<what>.<id>`), unless that is the same."""
        # `card.storms` may also be a line of the log, with placeholders.
        own = self._texts.get(f"{what}.{word}", "")
        name = own if own and not _HOLE.search(own) and own[-1] not in ".。" else self.name(word)
        return word if alphanumeric(name) == alphanumeric(word) else f"{word} ({name})"

    def faced(self, order: str) -> str:
        """Return order text with card names instead of the ids of copies: any copy will do."""
        return _TOKEN.sub(lambda token: self.names.printed.get(token[0], token[0]), order)

    def _cited(self, said: str, rule: str) -> str:
        return f"{said} {self.rule(rule)}" if rule else said
