"""Domains of several parts: a series, a menu, and the conditional reply to a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Generic

import msgspec
from typing_extensions import TypeVar

from pbem.kernel.basic_domains import Amount, Choice
from pbem.kernel.domain import AnyText, Below, Budget, Domain, T, Value
from pbem.kernel.form import Form
from pbem.kernel.order_words import (
    CONDITIONS,
    NONE_WORDS,
    Names,
    WordCursor,
    is_plain,
    is_single_quoted_word,
    listed_words,
    option_word,
    parts,
    quote,
    raw_of,
    tokens,
)
from pbem.kernel.rejections import Rejection, RejectionReason, closest_words, rejection

PASS: Final = "pass"
"""The answer of a seat that does nothing in a window."""


class Series(Domain[list[T]], Generic[T]):
    """An ordered list in which each item's domain may depend on the items before it.

    `item(so_far)` gives the domain of the next item, or None at the end; up to `least` items it must give a domain.
    If all items have the same domain, `item` is that domain: only then can a long series be described in full. Items
    are separated by blanks, or by `;` if one has several words. `why(so_far, item)` may give the rule by which a
    known thing isn't the next item; it is for items chosen by name.
    """

    __slots__ = ("_worked_out", "each", "item", "least", "most", "what", "why")

    def __init__(
        self,
        item: Domain[T] | Callable[[Sequence[T]], Domain[T] | None],
        least: int = 0,
        most: int = 99,
        what: str = "",
        why: Callable[[Sequence[T], str], RejectionReason | None] | None = None,
    ) -> None:
        self.each = item if isinstance(item, Domain) else None
        self.item: Callable[[Sequence[Any]], Domain | None] = (
            (lambda so_far: item) if isinstance(item, Domain) else item
        )
        self.least = least
        self.most = most
        self.what = what
        self.why = why
        self._worked_out: dict[int, tuple[list[Any], Domain | None]] = {}

    def _after(self, before: list[Any]) -> Domain | None:
        if self.each is not None:
            return self.each
        # Cached: sampling and checking ask for the same beginning one after another.
        known = self._worked_out.get(len(before))
        if known is not None and known[0] == before:
            return known[1]
        domain = self.item(before)
        self._worked_out[len(before)] = (before.copy(), domain)
        return domain

    def check(self, value: Value) -> None:
        if not isinstance(value, list):
            raise rejection("answer.malformed")
        if len(value) > self.most:
            raise rejection("answer.too_many", count=len(value), most=self.most)
        for index, item in enumerate(value):
            domain = self._after(value[:index])
            try:
                (self._explained(None, value[:index]) if domain is None else domain).check(item)
            except Rejection:
                self._explained(domain, value[:index]).check(item)
                raise
        if len(value) < self.least:
            raise rejection("answer.too_few", count=len(value), least=self.least)

    def options(self) -> Iterator[list[T]]:
        def extend(so_far: list[Any]) -> Iterator[list[Any]]:
            if len(so_far) >= self.least:
                yield so_far
            domain = self.item(so_far) if len(so_far) < self.most else None
            for option in domain.options() if domain is not None else ():
                yield from extend([*so_far, option])

        return extend([])

    def sample(self, below: Below) -> list[T]:
        done: list[Any] = []
        while len(done) < self.most:
            domain = self._after(done)
            if domain is None or (len(done) >= self.least and below(3) == 0):
                break
            done.append(domain.sample(below))
        return done

    def parse_from(self, words: WordCursor) -> list[T]:
        done: list[Any] = []
        rest = words.rest()
        if rest.casefold() in NONE_WORDS:
            return done
        pieces = parts(rest)
        if len(pieces) == 1:
            reader = WordCursor(tokens(pieces[0]), words.names)
            while reader:
                domain = self._next(done)
                if isinstance(domain, (Choice, Amount)):
                    reader.apart()
                self._add(done, domain, domain.parse_from(reader))
                if isinstance(domain, (Choice, Amount)):
                    reader.apart()
            return done
        for piece in pieces:
            if piece:
                domain = self._next(done)
                self._add(done, domain, domain.parse_all(WordCursor(tokens(piece), words.names)))
        return done

    def _next(self, done: list[Any]) -> Domain:
        return self._explained(self.item(done) if len(done) < self.most else None, done)

    def _explained(self, domain: Domain | None, done: Sequence[Any]) -> Domain:
        """Return the domain of the item after those `done` (None: no item) with the reason why it bars something."""
        if domain is None and self.why is None:
            raise self._one_too_many(done)
        if domain is not None and (self.why is None or not isinstance(domain, Choice)):
            return domain
        return Choice(() if domain is None else domain.listed, self.what, partial(self._reason, domain, done))

    def _reason(self, domain: Domain | None, done: Sequence[Any], item: Any) -> RejectionReason | None:
        """Return why `item` can't follow those `done`, or that none may follow."""
        problem = self.why(done, item) if self.why is not None and isinstance(item, str) else None
        return problem if problem is not None or domain is not None else self._one_too_many(done).problem

    @staticmethod
    def _one_too_many(done: Sequence[Any]) -> Rejection:
        return rejection("answer.too_many", count=len(done) + 1, most=len(done))

    @staticmethod
    def _add(done: list[Any], domain: Domain, item: Any) -> None:
        domain.check(item)  # later items may rely on it
        done.append(item)

    def text(self, value: Value) -> str:
        if not value:
            return "none"
        items = [(self.item(value[:index]) or AnyText(), item) for index, item in enumerate(value)]
        if all(isinstance(domain, (Choice, Amount)) for domain, _ in items):
            return " ".join(domain.text(item) for domain, item in items)
        written = "; ".join(_piece(domain, item) for domain, item in items)
        alone = is_plain(written) and written.casefold() not in NONE_WORDS
        return f"{written} ;" if len(items) == 1 and not alone else written

    def as_word(self, value: Value) -> str:
        if value and all(isinstance(self.item(value[:index]), Choice) for index in range(len(value))):
            return listed_words(value) or quote(self.text(value))
        return quote(self.text(value))

    def syntax(self) -> str:
        domain = self.item([])
        inner = (self.what and f"<{self.what}>") or (domain.syntax() if domain is not None else "none")
        if self.least == self.most == 1:
            return inner
        count = str(self.least) if self.least == self.most else f"{self.least}-{self.most}"
        return f"{count} x {inner}"

    def describe(self, budget: Budget) -> dict[str, Any]:
        if self.each is not None:
            head = {"type": "series", "least": self.least, "most": self.most, "what": self.what}
            return {**head, "each": self.each.describe(budget)}
        tree = self._tree([], budget)
        if budget.left < 0:
            return {"type": "unknown"}
        return {"type": "series", "least": self.least, "most": self.most, "what": self.what, "items": tree}

    def _tree(self, so_far: list[Any], budget: Budget) -> list[Any]:
        """Describe what follows: `[]` at the end, else `[domain, [[value, subtree], …]]`."""
        domain = self.item(so_far) if len(so_far) < self.most else None
        if domain is None or not budget.spend():
            return []
        described = domain.describe(budget)
        branches = []
        for option in domain.options():
            if not budget.spend():
                break
            branches.append([option, self._tree([*so_far, option], budget)])
        return [described, branches]


BehindWord = Domain | None | Callable[[], Domain | None]
"""What follows a word of a `Menu`: a domain, nothing, or a function that builds one of them."""


M = TypeVar("M", default=Any)
"""A menu's value."""


class Menu(Domain[M], msgspec.Struct, Generic[M], eq=False):
    """Named alternatives, each with a domain of its own or none.

    The value is the bare word (`"pass"`), `{do = "move", …fields}` for a `Form`, or `{do = "bid", with = value}` for
    another domain. An entry may be a function that builds its domain when the word is chosen, because that can be
    expensive. `bag` is what `sample` draws from: words, as often as they are likely (default: each once). `why(word)`
    may give the rule by which a known word isn't legal. `cost(word)` is its price in the points that the question is
    about (0: none, or it depends). With `alone`, a word whose form may
    be empty can stand alone, and then its value is the bare word.
    """

    source: Mapping[str, BehindWord]
    bag: Sequence[str] | None = None
    why: Callable[[str], RejectionReason | None] | None = None
    cost: Callable[[str], int] | None = None
    alone: bool = False

    @property
    def table(self) -> Mapping[str, BehindWord]:
        """The alternatives with their domains, some of them not built yet."""
        return self.source

    @property
    def words(self) -> Sequence[str]:
        """The alternatives by name, without their domains."""
        return tuple(self.table)

    @property
    def entries(self) -> Mapping[str, Domain | None]:
        """The alternatives with their domains, all built."""
        return {word: self.entry(word) for word in self.table}

    def entry(self, word: str) -> Domain | None:
        """Return the domain of `word`, built at first use. Raises KeyError for an unknown word."""
        table = self.table
        entry = table[word]
        if not callable(entry):
            return entry
        domain = entry()
        self.source = {**table, word: domain}  # a copy: the caller may own the table
        return domain

    def check(self, value: Value) -> None:
        table = self.source
        # By far the most frequent case.
        if isinstance(value, str) and value in table and table[value] is None:
            return
        word = value.get("do") if isinstance(value, dict) else value
        if not isinstance(word, str):
            raise rejection("answer.malformed")
        if word not in table:
            problem = self.why(word) if self.why is not None else None
            near = closest_words(word, table)
            raise (
                rejection("answer.not_now", word=word, near=near)
                if problem is None
                else Rejection(problem.beside(near))
            )
        entry = table[word]
        domain = self.entry(word) if callable(entry) else entry
        if domain is None:
            if not isinstance(value, str):
                raise rejection("answer.malformed")
            return
        if not isinstance(value, str):
            self._check_inner(domain, value)
        elif not (self.alone and domain.accepts({})):
            raise rejection("answer.missing", what=word, near=(f"{word} {domain.syntax()}",))

    def _check_inner(self, domain: Domain, value: dict[str, Any]) -> None:
        if isinstance(domain, Form):
            domain.check(value, "do")
        else:
            domain.check(self._inner(domain, value))

    @staticmethod
    def _inner(domain: Domain, value: dict[str, Any]) -> Value:
        # An `AnyText` entry read from words has its value in `with`; a form's value may come from elsewhere.
        if isinstance(domain, Form) or (isinstance(domain, AnyText) and set(value) != {"do", "with"}):
            return {name: part for name, part in value.items() if name != "do"}
        if "with" not in value or len(value) != 2:
            raise rejection("answer.malformed")
        return value["with"]

    def outer(self, word: str, domain: Domain | None, inner: Value) -> Value:
        if domain is None or (self.alone and not inner):
            return word
        return {"do": word, **inner} if isinstance(domain, Form) else {"do": word, "with": inner}

    def options(self) -> Iterator[Value]:
        for word in self.words:
            domain = self.entry(word)
            for inner in domain.options() if domain is not None else (None,):
                yield self.outer(word, domain, inner)

    def sample(self, below: Below) -> Value:
        table = self.source
        bag = self.bag or [*table]
        word = bag[below(len(bag))] if len(bag) > 1 else bag[0]
        entry = table[word]
        domain = self.entry(word) if callable(entry) else entry
        return word if domain is None else self.outer(word, domain, domain.sample(below))

    def parse_from(self, words: WordCursor) -> Value:
        try:
            word = str(words.option(self.words, "a word"))
        except Rejection as refused:
            raise self._barred(words, refused) from None
        domain = self.entry(word)
        return self.outer(word, domain, None if domain is None else self._take_inner(word, domain, words))

    def _barred(self, words: WordCursor, refused: Rejection) -> Rejection:
        """Return why the next word isn't legal: the rule's own reason, if any."""
        if self.why is None or not words or refused.problem.key == "answer.ambiguous":
            return refused
        meant = words.names.meant(words.peek())  # perhaps written by another name
        problem = (self.why(meant) if meant else None) or self.why(raw_of(words.peek()).casefold())
        return refused if problem is None else Rejection(problem.beside(refused.problem.near))

    def _take_inner(self, word: str, domain: Domain, words: WordCursor) -> Value:
        return domain.parse_from(words)

    def text(self, value: Value) -> str:
        if isinstance(value, str):
            return option_word(value, self.words)
        word = value["do"]
        domain = self.entry(word)
        head = option_word(word, self.words)
        inner = None if domain is None else self._inner(domain, value)
        if domain is None or (isinstance(domain, Form) and not inner):
            return head
        return f"{head} {domain.text(inner)}".strip()

    def as_word(self, value: Value) -> str:
        text = self.text(value)
        return text if text == value else quote(text)

    def syntax(self) -> str:
        return " | ".join(w if d is None else f"{w} {d.syntax()}" for w, d in self.entries.items())

    def describe(self, budget: Budget) -> dict[str, Any]:
        # Each entry gets its share, so that a large one leaves room for the others.
        entries: dict[str, Any] = {}
        for index, word in enumerate(self.words):
            domain = self.entry(word)
            share = Budget(max(budget.left, 0) // (len(self.words) - index))  # a spent budget stays spent
            room = share.left
            entries[word] = {} if domain is None else domain.describe(share)
            budget.left -= room - max(share.left, 0)
        return {"type": "menu", "entries": entries, **({"alone": True} if self.alone else {})}


class Reply(Domain):
    """A reply to a window: an answer, `pass`, or a plan of answers of which the first that applies is used.

    A plan is `{plan = [{answer = …, unless = ["england"], after = ["france"]}, …]}`: an answer counts `unless` a
    named seat's reply has taken effect earlier in this window, and only `after` all named ones have; `anyone` is any
    seat. Every answer but the last needs a condition, else later ones would never count. Written `intercept milan
    unless england; pass`. `options` lists the unconditional answers only.
    """

    __slots__ = ("inner", "seats")

    def __init__(self, inner: Domain, seats: Sequence[str]) -> None:
        self.inner = inner
        self.seats = (*seats, "anyone")

    def check(self, value: Value) -> None:
        if not (isinstance(value, dict) and "plan" in value):
            self.inner.check(value)
            return
        plan = value["plan"]
        if len(value) != 1 or not isinstance(plan, list) or not plan:
            raise rejection("answer.malformed")
        if len(plan) > 8:
            raise rejection("answer.too_many", count=len(plan), most=8)
        for step in plan:
            if not isinstance(step, dict) or "answer" not in step:
                raise rejection("answer.malformed")
            self._check_conditions(step)
            self.inner.check(step["answer"])
        if any(len(step) == 1 for step in plan[: max(len(plan) - 1, 1)]):
            raise rejection("answer.plan")

    def _check_conditions(self, step: Mapping[str, Any]) -> None:
        for key, seats in step.items():
            if key == "answer":
                continue
            if key not in CONDITIONS or not isinstance(seats, list) or not seats:
                raise rejection("answer.malformed")
            for seat in seats:
                if seat not in self.seats:
                    raise rejection("answer.not_now", word=str(seat), near=closest_words(str(seat), self.seats))

    def options(self) -> Iterator[Value]:
        return self.inner.options()

    def sample(self, below: Below) -> Value:
        value = self.inner.sample(below)
        if value == PASS or below(8):
            return value
        seat = self.seats[below(len(self.seats))]
        return {"plan": [{"answer": value, CONDITIONS[below(2)]: [seat]}]}

    def parse_from(self, words: WordCursor) -> Value:
        if not any(raw_of(word).casefold() in CONDITIONS for word in words.words[words.at :]):
            return self.inner.parse_all(words)
        steps = [self._step(tokens(piece), words.names) for piece in parts(words.rest()) if piece]
        return {"plan": steps}

    def _step(self, words: list[str], names: Names) -> dict[str, Any]:
        found: dict[str, list[str]] = {}
        answer: list[str] = []
        into = answer
        for word in words:
            key = raw_of(word).casefold()
            if key not in CONDITIONS:
                into.append(word)
            elif key in found:
                raise rejection("answer.twice", word=key)
            else:
                into = found[key] = []
        step: dict[str, Any] = {"answer": self.inner.parse_all(WordCursor(answer, names))}
        for key in CONDITIONS:
            if key in found:
                seats = [seat for word in found[key] for seat in word.split(",") if seat]
                if not seats:
                    raise rejection("answer.missing", what="a seat", near=self.seats)
                step[key] = [str(names.pick(seat, self.seats)) for seat in seats]
        return step

    def text(self, value: Value) -> str:
        if not (isinstance(value, dict) and "plan" in value):
            return _piece(self.inner, value, mark="")
        pieces = []
        for step in value["plan"]:
            tail = "".join(f" {key} {','.join(step[key])}" for key in CONDITIONS if key in step)
            pieces.append(_piece(self.inner, step["answer"]) + tail)
        return "; ".join(pieces)

    def as_word(self, value: Value) -> str:
        text = self.text(value)
        return text if text == value else quote(text)

    def syntax(self) -> str:
        return self.inner.syntax()

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {"type": "reply", "inner": self.inner.describe(budget), "seats": list(self.seats[:-1])}


def _piece(domain: Domain, value: Value, mark: str = ";") -> str:
    """Return the text of `value` as a piece before `mark`: quoted if it could be split or misread."""
    text = domain.text(value)
    if not text or is_single_quoted_word(text) or (mark and len(parts(text, mark)) > 1):
        return domain.as_word(value)
    return domain.as_word(value) if any(raw_of(word).casefold() in CONDITIONS for word in tokens(text)) else text
