"""Domains of one part: a choice, a pick of several, an amount, an arrangement, a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Generic

import msgspec

from pbem.kernel.domain import Below, Budget, Domain, T, V_co, Value
from pbem.kernel.order_words import (
    Names,
    OrderWord,
    WordCursor,
    is_plain,
    is_quoted,
    listed_words,
    normalize_text,
    option_word,
    quote,
)
from pbem.kernel.rejections import Rejection, RejectionReason, closest_words, rejection
from pbem.lazy_regex import pattern

_NUMBER = pattern(r"[+-]?[0-9]{1,18}")


def whole_number(word: str) -> int:
    """Parse a whole number. Raises `Rejection`."""
    if _NUMBER.fullmatch(word) is None:
        raise rejection("answer.not_a_number", word=word)
    return int(word)


class _Listed(Domain[V_co]):
    """A domain over a list of options (ids as str, or integers)."""

    __slots__ = ()

    source: Sequence[Any]
    what: str
    why: Callable[[Any], RejectionReason | None] | None

    @property
    def listed(self) -> Sequence[Any]:
        return self.source

    def _has(self, option: Any) -> bool:
        """Check whether `option` itself is listed, not only something equal (True is not 1)."""
        listed = self.listed
        if option not in listed:
            return False
        return type(option) is str or any(o == option and type(o) is type(option) for o in listed)

    def _reason(self, option: Any) -> RejectionReason | None:
        """Return the rule's own reason why a known thing isn't an option."""
        if self.why is None or not isinstance(option, (str, int)):
            return None
        try:
            return self.why(option)
        except LookupError:  # unknown to `why`
            return None

    def _refuse_option(self, option: Any) -> Rejection:
        """Return the rejection of `option`: the rule's own reason, or the legal options."""
        near = closest_words(str(option), map(str, self.listed))
        problem = self._reason(option)
        if problem is not None:
            return Rejection(problem.beside(near))
        return rejection("answer.not_now", word=str(option), near=near)

    def _take_one(self, words: WordCursor, options: Sequence[Any]) -> Any:
        word = words.peek()
        try:
            return words.option(options, self.what or "a choice")
        except Rejection as refused:
            if words.names.silenced:  # nobody reads the reason
                raise
            named = refused.problem.key == "answer.not_now" and not isinstance(next(iter(options), ""), int)
            meant = words.names.meant(word) if named else None
            # A word of the game that names no piece, or several, may itself be known to `why`.
            problem = self._reason(meant or str(word).casefold())
            if problem is not None and refused.problem.key != "answer.ambiguous":
                raise Rejection(problem.beside(refused.problem.near)) from None
            raise

    def _slot(self) -> str:
        if self.what:
            return f"<{self.what}>"
        listed = [str(option) for option in self.listed[:7]]
        return "|".join(listed) if len(self.listed) <= 6 else "|".join(listed[:5]) + "|…"


class Choice(_Listed[T], msgspec.Struct, Generic[T], eq=False):
    """Exactly one of the options. The value is the option itself (str or int).

    `what` names the kind of thing in the syntax line. `why(option)` may give the rule by which a known thing isn't an
    option. `cost(option)` is its price, shown next to it.
    """

    source: Sequence[T]
    what: str = ""
    why: Callable[[Any], RejectionReason | None] | None = None
    cost: Callable[[Any], int] | None = None

    def check(self, value: Value) -> None:
        if type(value) is str and value in self.source:
            return
        if not self._has(value):
            raise self._refuse_option(value)

    def options(self) -> Iterator[T]:
        return iter(self.listed)

    def sample(self, below: Below) -> T:
        listed = self.source
        return listed[below(len(listed))]

    def parse_from(self, words: WordCursor) -> T:
        one: T = self._take_one(words, self.listed)
        return one

    def text(self, value: Value) -> str:
        return option_word(value, self.listed)

    def as_word(self, value: Value) -> str:
        text = self.text(value)
        return text if is_plain(text) else quote(text)

    def syntax(self) -> str:
        return self._slot()

    def describe(self, budget: Budget) -> dict[str, Any]:
        if not budget.spend(len(self.listed)):
            return {"type": "unknown"}
        return {"type": "choice", "options": list(self.listed), "what": self.what}


class Subset(_Listed[list[T]], msgspec.Struct, Generic[T], eq=False):
    """A subset of the options, `least` to `most` of them; the value is a list, canonically in option order.

    `groups` caps sub-sets: `[(members, most), …]`. Groups must be disjoint or nested and leave room for `least`, so
    that picking one by one never ends in a dead end. If `need` is given, any pick must contain one of these. `what`
    and `why` as for `Choice`.
    """

    source: Sequence[T]
    least: int
    most: int
    groups: Sequence[tuple[Sequence[Any], int]] = ()
    need: Sequence[Any] = ()
    what: str = ""
    why: Callable[[Any], RejectionReason | None] | None = None

    def check(self, value: Value) -> None:
        if not isinstance(value, list):
            raise rejection("answer.malformed")
        if not value and not self.least:
            return
        listed = self.source
        for option in value:
            if not ((type(option) is str and option in listed) or self._has(option)):
                raise self._refuse_option(option)
        count = len(value)
        if len(set(value)) < count:
            second = next(option for at, option in enumerate(value) if option in value[:at])
            raise rejection("answer.twice", word=str(second))
        if count < self.least:
            raise rejection("answer.too_few", count=count, least=self.least)
        if count > self.most:
            raise rejection("answer.too_many", count=count, most=self.most)
        for members, most in self.groups:
            if sum(option in members for option in value) > most:
                raise rejection("answer.group", most=most, members=", ".join(map(str, members)))
        if self.need and not _among(self.need, value):
            raise rejection("answer.need", near=[str(option) for option in self.need[:8]])

    def options(self) -> Iterator[list[T]]:
        for size in range(self.least, min(self.most, len(self.listed)) + 1):
            for some in combinations(self.listed, size):
                if self._fits(some):
                    yield list(some)

    def sample(self, below: Below) -> list[T]:
        listed = self.source
        least, most = self.least, self.most
        size = least + below(most - least + 1) if most > least else least
        if not size:
            return []
        if self.need or self.groups:
            return self._sample_within(size, below)
        if size == 1 and listed:
            return [listed[below(len(listed))]]
        left = list(range(len(listed)))
        picked: list[int] = []
        while left and len(picked) < size:
            picked.append(left.pop(below(len(left))))
        picked.sort()
        return [*map(listed.__getitem__, picked)]

    def _sample_within(self, size: int, below: Below) -> list[Any]:
        listed = self.source
        left = list(range(len(listed)))
        chosen: list[int] = []
        if self.need:
            needed = [i for i in left if listed[i] in self.need and (not self.groups or self._fits([listed[i]]))]
            if not needed:
                return []
            chosen.append(needed[below(len(needed))])
            left.remove(chosen[0])
        while left and len(chosen) < size:
            index = left.pop(below(len(left)))
            if not self.groups or self._fits([listed[i] for i in (*chosen, index)]):
                chosen.append(index)
        if len(chosen) < self.least:  # overlapping groups can lead into a dead end
            return next(self.options())
        chosen.sort()
        return [listed[i] for i in chosen]

    def parse_from(self, words: WordCursor) -> list[T]:
        chosen: list[Any] = []
        if words.nothing():
            return chosen
        words.apart()
        while words:
            left = [option for option in self.listed if option not in chosen]
            chosen.append(self._take_one(words, left or self.listed))
            words.apart()
        order = {option: i for i, option in enumerate(self.listed)}
        return sorted(chosen, key=lambda option: order[option])

    def text(self, value: Value) -> str:
        return " ".join(option_word(option, self.listed) for option in value) if value else "none"

    def as_word(self, value: Value) -> str:
        if not value:
            return "none"
        return listed_words(value) or quote(self.text(value))

    def syntax(self) -> str:
        count = str(self.least) if self.least == self.most else f"{self.least}-{self.most}"
        return f"{count} of {self._slot()}"

    def describe(self, budget: Budget) -> dict[str, Any]:
        if not budget.spend(len(self.listed)):
            return {"type": "unknown"}
        groups = [{"members": list(members), "most": most} for members, most in self.groups]
        return {
            "type": "pick",
            "options": list(self.listed),
            "least": self.least,
            "most": self.most,
            "groups": groups,
            "need": list(self.need),
            "what": self.what,
        }

    def _fits(self, some: Sequence[Any]) -> bool:
        if self.need and some and not _among(self.need, some):
            return False
        return all(sum(o in members for o in some) <= most for members, most in self.groups)


def _among(need: Sequence[Any], value: Sequence[Any]) -> bool:
    """Check whether `value` contains one of the required elements."""
    for option in value:  # noqa: SIM110 - on every answer: a generator costs more
        if option in need:
            return True
    return False


class Amount(Domain[int]):
    """A whole number from `least` to `most` in steps of `step` counted from `least`."""

    __slots__ = ("least", "most", "step", "what")

    def __init__(self, least: int, most: int, step: int = 1, what: str = "") -> None:
        self.least = least
        self.most = most
        self.step = step
        self.what = what

    def check(self, value: Value) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise rejection("answer.not_a_number", word=str(value))
        if not self.least <= value <= self.most:
            raise rejection("answer.out_of_range", value=value, least=self.least, most=self.most)
        if (value - self.least) % self.step:
            raise rejection("answer.step", value=value, least=self.least, step=self.step)

    def options(self) -> Iterator[int]:
        return iter(range(self.least, self.most + 1, self.step))

    def sample(self, below: Below) -> int:
        return self.least + self.step * below((self.most - self.least) // self.step + 1)

    def parse_from(self, words: WordCursor) -> int:
        return whole_number(words.take(self.what or "a number"))

    def text(self, value: Value) -> str:
        return str(value)

    def syntax(self) -> str:
        span = str(self.least) if self.least == self.most else f"{self.least}-{self.most}"
        return f"<{span}>"

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {"type": "amount", "least": self.least, "most": self.most, "step": self.step, "what": self.what}


class Distribution(Domain[dict[str, int]]):
    """An amount divided among places: `{place = count}`, places with 0 left out.

    `places` maps place → most (or `(least, most)`); the counts add up to `total`, a number or `(least, most)`. The
    bounds must be satisfiable.
    """

    __slots__ = ("bounds", "least", "most", "what")

    def __init__(
        self, places: Mapping[str, int | tuple[int, int]], total: int | tuple[int, int], what: str = ""
    ) -> None:
        self.bounds = {p: (b if isinstance(b, tuple) else (0, b)) for p, b in places.items()}
        self.least, self.most = total if isinstance(total, tuple) else (total, total)
        self.most = min(self.most, sum(high for _, high in self.bounds.values()))
        self.least = max(self.least, sum(low for low, _ in self.bounds.values()))
        self.what = what

    def check(self, value: Value) -> None:
        if not isinstance(value, dict):
            raise rejection("answer.malformed")
        for place, count in value.items():
            if place not in self.bounds:
                raise rejection("answer.not_now", word=str(place), near=closest_words(str(place), self.bounds))
            if not isinstance(count, int) or isinstance(count, bool) or count == 0:
                raise rejection("answer.not_a_number", word=str(count))
        for place, (low, high) in self.bounds.items():
            if not low <= value.get(place, 0) <= high:
                raise rejection("answer.out_of_range", value=f"{place}={value.get(place, 0)}", least=low, most=high)
        total = sum(value.values())
        if not self.least <= total <= self.most:
            raise rejection("answer.total", value=total, least=self.least, most=self.most)

    def options(self) -> Iterator[dict[str, int]]:
        places = list(self.bounds)
        # The least and the most for the places from here on: branches that can't be filled are skipped.
        ahead = [(0, 0)]
        for low, high in reversed(self.bounds.values()):
            ahead.append((ahead[-1][0] + low, ahead[-1][1] + high))
        ahead.reverse()

        def fill(index: int, total: int) -> Iterator[dict[str, int]]:
            if index == len(places):
                yield {}
                return
            low, high = self.bounds[places[index]]
            later_low, later_high = ahead[index + 1]
            first = max(low, self.least - total - later_high)
            for count in range(first, min(high, self.most - total - later_low) + 1):
                for rest in fill(index + 1, total + count):
                    yield {places[index]: count, **rest} if count else rest

        return fill(0, 0)

    def sample(self, below: Below) -> dict[str, int]:
        counts = {place: low for place, (low, _) in self.bounds.items()}
        total = self.least + (below(self.most - self.least + 1) if self.most > self.least else 0)
        room = [p for p, (low, high) in self.bounds.items() for _ in range(high - low)]
        for _ in range(total - sum(counts.values())):
            counts[room.pop(below(len(room)))] += 1
        return {place: count for place, count in counts.items() if count}

    def parse_from(self, words: WordCursor) -> dict[str, int]:
        value: dict[str, int] = {}
        if words.nothing():
            return value
        words.apart()
        while words:
            place, count = self._one(words)
            if place in value:
                raise rejection("answer.twice", word=place)
            if count:
                value[place] = count
            words.apart()
        return value

    def _one(self, words: WordCursor) -> tuple[str, int]:
        places = list(self.bounds)
        name, equals, count = words.equated(places)
        if equals:
            place = str(words.names.pick(name, places))
        else:
            place = str(words.option(places, self.what or "a place"))
            words.apart()
            count = words.take("a number")
        return place, whole_number(count)

    def text(self, value: Value) -> str:
        pairs = ((place, value[place]) for place in self.bounds if value.get(place))
        return " ".join(f"{p if is_plain(p) else quote(p)}={count}" for p, count in pairs) or "none"

    def as_word(self, value: Value) -> str:
        return quote(self.text(value))

    def syntax(self) -> str:
        total = str(self.least) if self.least == self.most else f"{self.least}-{self.most}"
        places = [f"{p}=<{low}-{high}>" for p, (low, high) in list(self.bounds.items())[:6]]
        return f"{total} over {' '.join(places)}{' …' if len(self.bounds) > 6 else ''}"

    def describe(self, budget: Budget) -> dict[str, Any]:
        if not budget.spend(len(self.bounds)):
            return {"type": "unknown"}
        bounds = {place: list(bound) for place, bound in self.bounds.items()}
        return {"type": "arrange", "places": bounds, "least": self.least, "most": self.most, "what": self.what}


def _unprintable(character: str) -> bool:
    """Check for control characters (terminals obey them) and lone surrogates (files can't hold them)."""
    return unicodedata.category(character) in ("Cc", "Cs")


class FreeText(Domain[str]):
    """Free text of at most `most` characters: one line, single blanks, NFKC. The empty text is legal."""

    __slots__ = ("most", "what")

    def __init__(self, most: int = 500, what: str = "text") -> None:
        self.most = most
        self.what = what

    def check(self, value: Value) -> None:
        if not isinstance(value, str) or value != normalize_text(value) or any(map(_unprintable, value)):
            raise rejection("answer.malformed")
        if len(value) > self.most:
            raise rejection("answer.too_long", most=self.most)

    def options(self) -> Iterator[str]:
        return iter(("",))

    def sample(self, below: Below) -> str:
        return ""

    def parse_from(self, words: WordCursor) -> str:
        if words.at == len(words.words) - 1 and is_quoted(words.peek()):
            return str(words.take(self.what))
        return words.rest()

    def parse_word(self, word: str, names: Names) -> str:
        return word.raw if isinstance(word, OrderWord) and not is_quoted(word) else str(word)

    def text(self, value: Value) -> str:
        return quote(value)

    def as_word(self, value: Value) -> str:
        return quote(value)

    def syntax(self) -> str:
        return f'"{self.what}"'

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {"type": "text", "most": self.most, "what": self.what}
