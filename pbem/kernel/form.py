"""Forms: named fields in order, each of which may depend on those before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from typing_extensions import TypeVar

from pbem.kernel.basic_domains import Choice, Subset
from pbem.kernel.domain import Below, Budget, Domain, T, Value
from pbem.kernel.order_words import Names, OrderWord, WordCursor, is_plain, is_quoted, quote, raw_of, tokens
from pbem.kernel.rejections import Rejection, closest_words, rejection

MISSING: dict[str, Any] = {"missing": True}
"""The description of a field that was left out. No domain has this value."""


F = TypeVar("F", bound=Mapping[str, Any], default=dict[str, Any])
"""The type of a form's value: a `TypedDict`, or any dict."""


class Optional(Domain[T]):
    """A field of a `Form` that may be left out; the answer has to be executable without it."""

    __slots__ = ("domain",)

    def __init__(self, domain: Domain[T]) -> None:
        self.domain = domain

    def check(self, value: Value) -> None:
        self.domain.check(value)

    def options(self) -> Iterator[T]:
        return self.domain.options()

    def sample(self, below: Below) -> T:
        return self.domain.sample(below)

    def parse_from(self, words: WordCursor) -> T:
        return self.domain.parse_from(words)

    def parse_word(self, word: str, names: Names) -> T:
        return self.domain.parse_word(word, names)

    def text(self, value: Value) -> str:
        return self.domain.text(value)

    def as_word(self, value: Value) -> str:
        return self.domain.as_word(value)

    def syntax(self) -> str:
        return self.domain.syntax()

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {"type": "optional", "inner": self.domain.describe(budget)}


class Values(dict[str, Any]):
    """The fields of a form so far, by name or attribute: `v["origin"]`, `v.origin`.

    By attribute, and with `get`, a field that was left out is None.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        dict.__init__(self, values)  # cheaper than `super`; called for each dependent field
        self.__dict__ = values

    def __getattr__(self, name: str) -> Any:
        return None


class _UnexpectedRead(Exception):
    """A field was read that no sample had read."""


class _Watched(Values):
    """Values that record which fields are read."""

    def __init__(self, values: Mapping[str, Any], read: set[str], open_to: set[str] | None = None) -> None:
        self._values = values  # no items and attributes of its own, so that each access is seen
        self._read = read
        self._open = open_to

    def __getattr__(self, name: str) -> Any:
        if self._open is not None and name not in self._open:
            raise _UnexpectedRead
        self._read.add(name)
        return self._values.get(name)

    def __getitem__(self, name: str) -> Any:
        return self.__getattr__(name)

    def __contains__(self, name: object) -> bool:
        return self.__getattr__(str(name)) is not None

    def get(self, name: str, default: Any = None) -> Any:
        value = self.__getattr__(name)
        return default if value is None else value


def _possible(domain: Domain) -> list[str]:
    """Return what may be written for a field, if that is a short list; else its syntax."""
    if isinstance(domain, (Choice, Subset)) and 0 < len(domain.listed) <= _FEW:
        return [str(option) for option in domain.listed]
    return [domain.syntax()]


_FEW = 12
"""The most options listed for a missing field."""

Field = Domain | Callable[[Any], Domain | None]
"""A field's domain, or a function of the fields before it; None: the field doesn't apply."""


class Form(Domain[F]):
    """Named fields in order, each of which may depend on those before: `{origin = "vienna", to = "pressburg"}`.

    Written as words in field order, or as `name=word` in any order; optional fields only as `name=word`. For every
    accepted beginning each further field must have an answer (or be None or `Optional`).
    """

    __slots__ = ("_worked_out", "fields")

    def __init__(self, fields: Mapping[str, Field] | None = None, **more: Field) -> None:
        self.fields: Mapping[str, Field] = more if fields is None else {**fields, **more} if more else fields
        self._worked_out: dict[str, tuple[dict[str, Any], Domain | None]] | None = None

    def field(self, name: str, before: dict[str, Any]) -> Domain | None:
        """Return the domain of field `name` given the fields `before` it."""
        field = self.fields[name]
        return field if isinstance(field, Domain) else self._inner(name, field, before)

    def _inner(self, name: str, field: Callable[[Values], Domain | None], before: dict[str, Any]) -> Domain | None:
        # Cached: listing, sampling and checking ask for the same beginning one after another.
        if self._worked_out is None:
            self._worked_out = {}
        known = self._worked_out.get(name)
        if known is not None and known[0] == before:
            return known[1]
        domain = field(Values(before))
        self._worked_out[name] = (before.copy(), domain)
        return domain

    def check(self, value: Value, beside: str | None = None) -> None:
        """Check as `Domain.check`. `beside` is a key of `value` that isn't a field but another part of the answer."""
        if not isinstance(value, dict):
            raise rejection("answer.malformed")
        before: dict[str, Any] = {}
        for name, field in self.fields.items():
            domain = self._inner(name, field, before) if callable(field) else field
            if name in value:
                if domain is None:
                    raise rejection("answer.idle_field", word=name)
                before[name] = part = value[name]
                domain.check(part)
            elif domain is not None and not isinstance(domain, Optional):
                raise rejection("answer.missing", what=name, near=_possible(domain))
        if len(before) < (len(value) if beside is None else len(value) - 1):
            raise self._no_field(str(next(name for name in value if name not in self.fields and name != beside)))

    def _no_field(self, word: str) -> Rejection:
        if word in self.fields:
            return rejection("answer.idle_field", word=word)
        return rejection("answer.unknown_field", word=word, near=closest_words(word, self.fields))

    def options(self) -> Iterator[Value]:
        names = list(self.fields)

        def fill(index: int, before: dict[str, Any]) -> Iterator[dict[str, Any]]:
            if index == len(names):
                yield before
                return
            domain = self.field(names[index], before)
            if domain is None or isinstance(domain, Optional):
                yield from fill(index + 1, before)
            for option in domain.options() if domain is not None else ():
                yield from fill(index + 1, {**before, names[index]: option})

        return fill(0, {})

    def sample(self, below: Below) -> Value:
        value: dict[str, Any] = {}
        for name, field in self.fields.items():
            domain = self._inner(name, field, value) if callable(field) else field
            if domain is None or (isinstance(domain, Optional) and below(2)):
                continue
            value[name] = domain.sample(below)
        return value

    # -- words -------------------------------------------------------------------------------------------------------

    def parse_from(self, words: WordCursor) -> Value:
        if self._nothing(words):
            return {}
        keyed, plain = self._split(words)
        reader = WordCursor(plain, words.names)
        value: dict[str, Any] = {}
        for name in self.fields:
            domain = self.field(name, value)
            if domain is None:
                continue
            if name in keyed:
                value[name] = domain.parse_word(keyed.pop(name), words.names)
            elif isinstance(domain, Optional):
                continue
            elif reader:
                value[name] = self._positional(domain, reader, last=self._is_last(name, keyed))
            else:
                raise rejection("answer.missing", what=name, near=_possible(domain))
            domain.check(value[name])  # later fields may rely on it
        if keyed:
            raise self._no_field(next(iter(keyed)))
        reader.end()
        return value

    def _is_last(self, name: str, keyed: Mapping[str, str]) -> bool:
        """Check whether no field after `name` can take words without being named."""
        names = list(self.fields)
        later = names[names.index(name) + 1 :]
        return all(key in keyed or isinstance(self.fields[key], Optional) for key in later)

    def _positional(self, domain: Domain, reader: WordCursor, *, last: bool) -> Value:
        if isinstance(domain, Choice):
            return domain.parse_from(reader)
        return domain.parse_all(reader) if last else domain.parse_word(reader.take("a word"), reader.names)

    def _nothing(self, words: WordCursor) -> bool:
        """Check whether the rest is the word for leaving all fields out."""
        at = words.at
        if len(words.words) - at == 1 and words.nothing() and self.accepts({}):
            return True
        words.at = at
        return False

    def _split(self, words: WordCursor) -> tuple[dict[str, str], list[str]]:
        """Separate `name=word` from plain words; consumes everything."""
        keyed: dict[str, str] = {}
        plain: list[str] = []
        for word in words.words[words.at :]:
            name, equals, rest = raw_of(word).partition("=")
            found = words.names.exact(name.strip(), list(self.fields)) if equals else None
            if is_quoted(word) or not equals or (found is None and not is_plain(name.strip())):
                plain.append(word)
                continue
            key = str(found or name.strip())
            if key in keyed:
                raise rejection("answer.twice", word=key)
            inner = tokens(rest)
            keyed[key] = inner[0] if len(inner) == 1 else OrderWord(rest.strip(), rest.strip())
        words.at = len(words.words)
        return keyed, plain

    def text(self, value: Value) -> str:
        parts = []
        keyed = False
        before: dict[str, Any] = {}
        for name in self.fields:
            domain = self.field(name, before)
            if domain is None:
                continue
            if name not in value:
                keyed = True
                continue
            if isinstance(domain, Choice) and not keyed:
                parts.append(domain.text(value[name]))
            else:
                keyed = True
                parts.append(f"{name}={domain.as_word(value[name])}")
            before[name] = value[name]
        return " ".join(parts) or "none"

    def as_word(self, value: Value) -> str:
        return quote(self.text(value))

    def syntax(self) -> str:
        parts = []
        for name, field in self.fields.items():
            if not isinstance(field, Domain):  # it may be optional, and then only `name=word` is read
                parts.append(f"{name}=<{name}>")
                continue
            inner = f"<{name}>" if isinstance(field, Choice) else f"{name}={field.syntax()}"
            parts.append(f"[{inner}]" if isinstance(field, Optional) else inner)
        return " ".join(parts)

    # -- description -------------------------------------------------------------------------------------------------

    def describe(self, budget: Budget) -> dict[str, Any]:
        """Describe as `Domain.describe`, with the cases of fields that others read, as samples show."""
        for read in (self._read_by_samples(), set(self.fields)):
            share = Budget(budget.left)
            try:
                fields = self._describe(share, read)
            except _UnexpectedRead:
                continue
            budget.left = share.left
            return {"type": "unknown"} if share.left < 0 else {"type": "form", "fields": fields}
        raise AssertionError("unreachable: with all fields open none is unread")

    def _read_by_samples(self) -> set[str]:
        if all(isinstance(field, Domain) for field in self.fields.values()):
            return set()
        read: set[str] = set()
        step = 0

        def below(n: int) -> int:
            nonlocal step
            step = (step * 1103515245 + 12345) % 2**31
            return (step >> 8) % n

        for _ in range(12):
            value: dict[str, Any] = {}
            for name, field in self.fields.items():
                domain = field if isinstance(field, Domain) else field(_Watched(value, read))
                if domain is not None and not (isinstance(domain, Optional) and below(2)):
                    value[name] = domain.sample(below)
        return read

    def _describe(self, budget: Budget, read: set[str]) -> list[dict[str, Any]]:
        prefixes: list[dict[str, Any]] = [{}]
        fields: list[dict[str, Any]] = []
        for name in self.fields:
            reads, cases = self._cases(name, prefixes, budget, read)
            fields.append({"name": name, "reads": reads, "cases": cases})
            if budget.left < 0:
                break
            if name in read:
                prefixes = self._extend(name, prefixes, budget)
        return fields

    def _cases(
        self, name: str, prefixes: Sequence[dict[str, Any]], budget: Budget, open_to: set[str]
    ) -> tuple[list[str], list[list[Any]]]:
        """Return which fields this one reads, and `[[values read, description or {}], …]`."""
        field = self.fields[name]
        if isinstance(field, Domain):
            return [], [[[], field.describe(budget)]]
        read: set[str] = set()
        found = [(prefix, field(_Watched(prefix, read, open_to))) for prefix in prefixes]
        reads = [n for n in self.fields if n in read]
        cases: list[list[Any]] = []
        seen: set[bytes] = set()
        for prefix, domain in found:
            key = [prefix.get(n, MISSING) for n in reads]
            mark = case_key(key)
            if mark in seen:
                continue
            if not budget.spend():
                break
            seen.add(mark)
            cases.append([key, domain.describe(budget) if domain is not None else {}])
        return reads, cases

    def _extend(self, name: str, prefixes: list[dict[str, Any]], budget: Budget) -> list[dict[str, Any]]:
        longer: list[dict[str, Any]] = []
        for prefix in prefixes:
            domain = self.field(name, prefix)
            if domain is None or isinstance(domain, Optional):
                longer.append(prefix)
            room = max(budget.left, 0)
            for option in islice(domain.options(), room + 1) if domain is not None else ():
                if not budget.spend():
                    return longer
                longer.append({**prefix, name: option})
        return longer


def case_key(values: Sequence[Any]) -> bytes:
    """Return a hashable key of values in which 1, "1" and True differ and the order of keys doesn't count."""
    return msgspec.json.encode(values, order="deterministic")
