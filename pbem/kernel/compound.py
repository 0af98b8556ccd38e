"""Domains of several parts: a series, a form, a menu, and the conditional reply to a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from pbem.kernel.domain import Below, Budget, Domain, Unknown, Value
from pbem.kernel.problems import Refused, nearest, refuse
from pbem.kernel.simple import Choice
from pbem.kernel.words import Names, Reader, tokens

PASS = "pass"
"""The answer of everybody who does nothing in a window."""


class Optional(Domain):
    """A field of a `Form` that may be left out; leaving it out must be executable too."""

    __slots__ = ("domain",)

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    def check(self, value: Value) -> None:
        self.domain.check(value)

    def options(self) -> Iterator[Value]:
        return self.domain.options()

    def sample(self, below: Below) -> Value:
        return self.domain.sample(below)

    def take(self, words: Reader) -> Value:
        return self.domain.take(words)

    def take_word(self, word: str, names: Names) -> Value:
        return self.domain.take_word(word, names)

    def text(self, value: Value) -> str:
        return self.domain.text(value)

    def as_word(self, value: Value) -> str:
        return self.domain.as_word(value)

    def syntax(self) -> str:
        return self.domain.syntax()

    def describe(self, budget: Budget) -> dict[str, Any]:
        return self.domain.describe(budget)


class Series(Domain):
    """An ordered list in which each item's domain may depend on the items before it.

    `item(so_far)` gives the domain of the next item, or None when the series must end. As long as fewer than `least`
    items are there it must give a domain. Where all items have the same domain, `item` is that domain: only then can
    a long series be described in full. Items are separated by blanks, or by `;` where an item has several words.
    """

    __slots__ = ("each", "item", "least", "most", "what")

    def __init__(
        self,
        item: Domain | Callable[[Sequence[Any]], Domain | None],
        least: int = 0,
        most: int = 99,
        what: str = "",
    ) -> None:
        self.each = item if isinstance(item, Domain) else None
        self.item: Callable[[Sequence[Any]], Domain | None] = (
            (lambda so_far: item) if isinstance(item, Domain) else item
        )
        self.least = least
        self.most = most
        self.what = what

    def check(self, value: Value) -> None:
        if not isinstance(value, list):
            raise refuse("answer.malformed")
        if len(value) > self.most:
            raise refuse("answer.too_many", count=len(value), most=self.most)
        for index, one in enumerate(value):
            domain = self.item(value[:index])
            if domain is None:
                raise refuse("answer.too_many", count=len(value), most=index)
            domain.check(one)
        if len(value) < self.least:
            raise refuse("answer.too_few", count=len(value), least=self.least)

    def options(self) -> Iterator[Value]:
        def extend(so_far: list[Any]) -> Iterator[list[Any]]:
            if len(so_far) >= self.least:
                yield so_far
            domain = self.item(so_far) if len(so_far) < self.most else None
            for one in domain.options() if domain is not None else ():
                yield from extend([*so_far, one])

        return extend([])

    def sample(self, below: Below) -> Value:
        done: list[Any] = []
        while len(done) < self.most:
            domain = self.item(done)
            if domain is None or (len(done) >= self.least and below(3) == 0):
                break
            done.append(domain.sample(below))
        return done

    def take(self, words: Reader) -> Value:
        if words.peek().casefold() in ("none", "nothing", "なし", "-"):
            words.at += 1
            return []
        rest = " ".join(f'"{w}"' if " " in w else w for w in words.words[words.at :])
        words.at = len(words.words)
        done: list[Any] = []
        if ";" in rest:
            for part in rest.split(";"):
                reader = Reader(tokens(part), words.names)
                if reader:
                    done.append(self._next(done).take(reader))
                    reader.end()
            return done
        reader = Reader(tokens(rest), words.names)
        while reader:
            done.append(self._next(done).take(reader))
        return done

    def _next(self, done: list[Any]) -> Domain:
        domain = self.item(done) if len(done) < self.most else None
        if domain is None:
            raise refuse("answer.too_many", count=len(done) + 1, most=len(done))
        return domain

    def text(self, value: Value) -> str:
        if not value:
            return "none"
        parts = []
        for index, one in enumerate(value):
            domain = self.item(value[:index])
            parts.append(domain.text(one) if domain is not None else str(one))
        several = any(" " in part or part == "none" for part in parts)
        return ("; ".join(parts) + (" ;" if len(parts) == 1 else "")) if several else " ".join(parts)

    def as_word(self, value: Value) -> str:
        return f'"{self.text(value)}"'

    def take_word(self, word: str, names: Names) -> Value:
        reader = Reader(tokens(word if ";" in word else word.replace(",", " ")), names)
        value = self.take(reader)
        reader.end()
        return value

    def syntax(self) -> str:
        domain = self.item([])
        inner = (self.what and f"<{self.what}>") or (domain.syntax() if domain is not None else "none")
        count = str(self.least) if self.least == self.most else f"{self.least}-{self.most}"
        return f"{count} × {inner}"

    def describe(self, budget: Budget) -> dict[str, Any]:
        if self.each is not None:
            head = {"type": "series", "least": self.least, "most": self.most, "what": self.what}
            return {**head, "each": self.each.describe(budget)}
        tree = self._tree([], budget)
        if budget.left < 0:
            return {"type": "unknown"}
        return {"type": "series", "least": self.least, "most": self.most, "what": self.what, "items": tree}

    def _tree(self, so_far: list[Any], budget: Budget) -> list[Any]:
        """`[]` at the end, else `[domain, [[value, subtree], …]]`."""
        domain = self.item(so_far) if len(so_far) < self.most else None
        if domain is None or not budget.spend():
            return []
        described = domain.describe(budget)
        branches = []
        for one in domain.options():
            if not budget.spend():
                break
            branches.append([one, self._tree([*so_far, one], budget)])
        return [described, branches]


class Values:
    """The fields of a form so far, by attribute: `v.origin`. A field that was left out is None."""

    __slots__ = ("_read", "_values")

    def __init__(self, values: Mapping[str, Any], read: set[str] | None = None) -> None:
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_read", read)

    def __getattr__(self, name: str) -> Any:
        if self._read is not None:
            self._read.add(name)
        return self._values.get(name)


Field = Domain | Callable[[Values], Domain | None]
"""A field's domain, or a function of the fields before it; None means the field does not apply."""


class Form(Domain):
    """Named fields in order, each of which may depend on those before: `{origin = "vienna", to = "pressburg"}`.

    Written as words in field order, or as `name=word` in any order; optional fields only as `name=word`. For every accepted beginning each further field
    must have an answer (or be None or `Optional`).
    """

    __slots__ = ("_worked_out", "fields")

    def __init__(self, fields: Mapping[str, Field] | None = None, **more: Field) -> None:
        self.fields: dict[str, Field] = {**(fields or {}), **more}
        self._worked_out: dict[str, tuple[dict[str, Any], Domain | None]] = {}

    def field(self, name: str, before: Mapping[str, Any]) -> Domain | None:
        """The domain of field `name` given the fields `before` it."""
        field = self.fields[name]
        if isinstance(field, Domain):
            return field
        # Listing, sampling and checking ask for the same beginning one after another.
        known = self._worked_out.get(name)
        if known is not None and known[0] == before:
            return known[1]
        domain = field(Values(before))
        self._worked_out[name] = (dict(before), domain)
        return domain

    def check(self, value: Value) -> None:
        if not isinstance(value, dict):
            raise refuse("answer.malformed")
        strange = next((name for name in value if name not in self.fields), None)
        if strange is not None:
            raise refuse("answer.unknown_field", word=strange, near=nearest(strange, self.fields))
        before: dict[str, Any] = {}
        for name in self.fields:
            domain = self.field(name, before)
            if name not in value:
                if domain is None or isinstance(domain, Optional):
                    continue
                raise refuse("answer.missing", what=name, near=(domain.syntax(),))
            if domain is None:
                raise refuse("answer.unknown_field", word=name)
            domain.check(value[name])
            before[name] = value[name]

    def options(self) -> Iterator[Value]:
        names = list(self.fields)

        def fill(index: int, before: dict[str, Any]) -> Iterator[dict[str, Any]]:
            if index == len(names):
                yield before
                return
            domain = self.field(names[index], before)
            if domain is None or isinstance(domain, Optional):
                yield from fill(index + 1, before)
            for one in domain.options() if domain is not None else ():
                yield from fill(index + 1, {**before, names[index]: one})

        return fill(0, {})

    def sample(self, below: Below) -> Value:
        value: dict[str, Any] = {}
        for name in self.fields:
            domain = self.field(name, value)
            if domain is None or (isinstance(domain, Optional) and below(2)):
                continue
            value[name] = domain.sample(below)
        return value

    def take(self, words: Reader) -> Value:
        keyed, plain = self._split(words)
        reader = Reader(plain, words.names)
        value: dict[str, Any] = {}
        for name in self.fields:
            domain = self.field(name, value)
            if domain is None:
                continue
            if name in keyed:
                value[name] = domain.take_word(keyed.pop(name), words.names)
            elif isinstance(domain, Optional):
                continue
            elif reader:
                value[name] = self._positional(domain, reader, last=name == list(self.fields)[-1])
            else:
                raise refuse("answer.missing", what=name, near=(domain.syntax(),))
        if keyed:
            strange = next(iter(keyed))
            raise refuse("answer.unknown_field", word=strange, near=nearest(strange, self.fields))
        reader.end()
        return value

    def _positional(self, domain: Domain, reader: Reader, *, last: bool) -> Value:
        if last or isinstance(domain, (Choice, Form, Menu)):
            return domain.take(reader)
        return domain.take_word(reader.take("a word"), reader.names)

    def _split(self, words: Reader) -> tuple[dict[str, str], list[str]]:
        """Separate `name=word` from plain words; consumes everything."""
        keyed: dict[str, str] = {}
        plain: list[str] = []
        for word in words.words[words.at :]:
            name, equals, rest = word.partition("=")
            found = words.names.exact(name, list(self.fields)) if equals else None
            if equals and (found is not None or " " not in word):
                key = str(found or name)
                if key in keyed:
                    raise refuse("answer.twice", word=key)
                keyed[key] = rest
            else:
                plain.append(word)
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
            simple = isinstance(domain, Choice) and not keyed
            if not simple:
                keyed = True
            word = domain.as_word(value[name])
            parts.append(word if simple else f"{name}={word}")
            before[name] = value[name]
        return " ".join(parts)

    def as_word(self, value: Value) -> str:
        return f'"{self.text(value)}"'

    def take_word(self, word: str, names: Names) -> Value:
        return self.parse(word, names)

    def syntax(self) -> str:
        parts = []
        before: dict[str, Any] = {}
        for name in self.fields:
            field = self.fields[name]
            if not isinstance(field, Domain):
                parts.append(f"<{name}>")
                continue
            inner = f"<{name}>" if isinstance(field, Choice) else f"{name}={field.syntax()}"
            parts.append(f"[{inner}]" if isinstance(field, Optional) else inner)
            before[name] = None
        return " ".join(parts)

    def describe(self, budget: Budget) -> dict[str, Any]:
        prefixes: list[dict[str, Any]] = [{}]
        fields = []
        for name, field in self.fields.items():
            optional, cases, reads = self._cases(name, prefixes, budget)
            fields.append({"name": name, "optional": optional, "reads": reads, "cases": cases})
            if budget.left < 0:
                return {"type": "unknown"}
            if any(not isinstance(f, Domain) for f in list(self.fields.values())[len(fields) :]):
                prefixes = self._extend(name, prefixes, budget)
        return {"type": "form", "fields": fields}

    def _cases(
        self, name: str, prefixes: list[dict[str, Any]], budget: Budget
    ) -> tuple[bool, list[list[Any]], list[str]]:
        """The descriptions of one field: `[[values read, description or {}], …]`, and which fields it reads."""
        field = self.fields[name]
        if isinstance(field, Domain):
            return isinstance(field, Optional), [[[], field.describe(budget)]], []
        read: set[str] = set()
        for prefix in prefixes:
            field(Values(prefix, read))
        reads = [n for n in self.fields if n in read]
        cases: list[list[Any]] = []
        seen: list[list[Any]] = []
        optional = False
        for prefix in prefixes:
            key = [prefix.get(n, "") for n in reads]
            if key in seen:
                continue
            if not budget.spend():
                break
            seen.append(key)
            domain = field(Values(prefix))
            optional = optional or isinstance(domain, Optional)
            cases.append([key, domain.describe(budget) if domain is not None else {}])
        return optional, cases, reads

    def _extend(self, name: str, prefixes: list[dict[str, Any]], budget: Budget) -> list[dict[str, Any]]:
        longer: list[dict[str, Any]] = []
        for prefix in prefixes:
            domain = self.field(name, prefix)
            if domain is None or isinstance(domain, Optional):
                longer.append(prefix)
            room = max(budget.left, 0)
            for one in islice(domain.options(), room + 1) if domain is not None else ():
                if not budget.spend():
                    return longer
                longer.append({**prefix, name: one})
        return longer


class Menu(Domain):
    """Named alternatives, each with a domain of its own or none.

    The value is the bare word (`"pass"`), or `{do = "move", …fields}` for a `Form`, or `{do = "bid", with = value}` for
    any other domain. `weights` steer `sample` only.
    """

    __slots__ = ("_entries", "weights")

    def __init__(
        self,
        entries: Mapping[str, Domain | None] | Callable[[], Mapping[str, Domain | None]],
        weights: Mapping[str, int] | None = None,
    ) -> None:
        self._entries = entries
        self.weights = weights

    @property
    def entries(self) -> Mapping[str, Domain | None]:
        """The alternatives, built on first use."""
        entries = self._entries
        if callable(entries):
            entries = self._entries = entries()
        return entries

    def check(self, value: Value) -> None:
        word = value if isinstance(value, str) else value.get("do") if isinstance(value, dict) else None
        if word is None:
            raise refuse("answer.malformed")
        if word not in self.entries:
            raise refuse("answer.not_now", word=str(word), near=nearest(str(word), self.entries))
        domain = self.entries[word]
        if domain is None:
            if not isinstance(value, str):
                raise refuse("answer.malformed")
            return
        if isinstance(value, str):
            raise refuse("answer.missing", what=word, near=(f"{word} {domain.syntax()}",))
        domain.check(self._inner(domain, value))

    @staticmethod
    def _inner(domain: Domain, value: dict[str, Any]) -> Value:
        if isinstance(domain, (Form, Unknown)):
            return {name: one for name, one in value.items() if name != "do"}
        if "with" not in value or len(value) != 2:
            raise refuse("answer.malformed")
        return value["with"]

    @staticmethod
    def _outer(word: str, domain: Domain | None, inner: Value) -> Value:
        if domain is None:
            return word
        return {"do": word, **inner} if isinstance(domain, Form) else {"do": word, "with": inner}

    def options(self) -> Iterator[Value]:
        for word, domain in self.entries.items():
            for inner in domain.options() if domain is not None else (None,):
                yield self._outer(word, domain, inner)

    def sample(self, below: Below) -> Value:
        entries = self.entries
        words = list(entries)
        if self.weights is None:
            word = words[below(len(words))]
        else:
            heavy = [w for w in words for _ in range(self.weights.get(w, 1))]
            word = heavy[below(len(heavy))]
        domain = entries[word]
        return word if domain is None else self._outer(word, domain, domain.sample(below))

    def take(self, words: Reader) -> Value:
        word = str(words.option(list(self.entries), "a word"))
        domain = self.entries[word]
        return self._outer(word, domain, None if domain is None else domain.take(words))

    def text(self, value: Value) -> str:
        if isinstance(value, str):
            return value
        domain = self.entries[value["do"]]
        return (
            f"{value['do']} {domain.text(self._inner(domain, value))}".strip() if domain else str(value["do"])
        )

    def as_word(self, value: Value) -> str:
        return f'"{self.text(value)}"'

    def take_word(self, word: str, names: Names) -> Value:
        return self.parse(word, names)

    def syntax(self) -> str:
        return " | ".join(w if d is None else f"{w} {d.syntax()}" for w, d in self.entries.items())

    def describe(self, budget: Budget) -> dict[str, Any]:
        entries = {word: {} if d is None else d.describe(budget) for word, d in self.entries.items()}
        return {"type": "menu", "entries": entries}


class Reply(Domain):
    """A reply to a window: an answer, `pass`, or a plan of answers of which the first that applies is used.

    A plan is `{plan = [{answer = …, unless = ["england"], after = ["france"]}, …]}`: an answer counts `unless` one of
    the named seats' replies has taken effect earlier in this window, and only `after` all of the named ones have;
    `anyone` stands for any seat. Written `intercept milan unless england; pass`.
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
            raise refuse("answer.malformed")
        if len(plan) > 8:
            raise refuse("answer.too_many", count=len(plan), most=8)
        for step in plan:
            if (
                not isinstance(step, dict)
                or "answer" not in step
                or set(step) - {"answer", "unless", "after"}
            ):
                raise refuse("answer.malformed")
            self.inner.check(step["answer"])
            for key in ("unless", "after"):
                for seat in step.get(key, []):
                    if seat not in self.seats:
                        raise refuse("answer.not_now", word=str(seat), near=nearest(str(seat), self.seats))
                if key in step and not step[key]:
                    raise refuse("answer.malformed")
        if len(plan) == 1 and set(plan[0]) == {"answer"}:
            raise refuse("answer.malformed")

    def options(self) -> Iterator[Value]:
        return self.inner.options()

    def sample(self, below: Below) -> Value:
        value = self.inner.sample(below)
        if value == PASS or below(8):
            return value
        seat = self.seats[below(len(self.seats))]
        return {"plan": [{"answer": value, ("unless", "after")[below(2)]: [seat]}]}

    def take(self, words: Reader) -> Value:
        rest = " ".join(f'"{w}"' if " " in w else w for w in words.words[words.at :])
        words.at = len(words.words)
        steps = []
        for part in rest.split(";") if "; " in rest or rest.endswith(";") else [rest]:
            if part.strip():
                steps.append(self._step(tokens(part), words.names))
        if not steps:
            raise refuse("answer.missing", what="an answer", near=(self.inner.syntax(),))
        return steps[0]["answer"] if len(steps) == 1 and set(steps[0]) == {"answer"} else {"plan": steps}

    def _step(self, words: list[str], names: Names) -> dict[str, Any]:
        step: dict[str, Any] = {}
        for key in ("after", "unless"):
            if key in words:
                cut = words.index(key)
                named = [w for word in words[cut + 1 :] for w in word.split(",")]
                stop = next((i for i, w in enumerate(named) if w in ("after", "unless")), len(named))
                step[key] = [str(names.pick(w, self.seats)) for w in named[:stop]]
                if not step[key]:
                    raise refuse("answer.missing", what="a seat", near=self.seats)
                words = words[:cut] + named[stop:]
        reader = Reader(words, names)
        answer = self.inner.take(reader)
        reader.end()
        return {"answer": answer, **{k: step[k] for k in ("unless", "after") if k in step}}

    def text(self, value: Value) -> str:
        if not (isinstance(value, dict) and "plan" in value):
            return self.inner.text(value)
        parts = []
        for step in value["plan"]:
            tail = "".join(f" {k} {','.join(step[k])}" for k in ("unless", "after") if k in step)
            parts.append(self.inner.text(step["answer"]) + tail)
        return "; ".join(parts)

    def syntax(self) -> str:
        return self.inner.syntax()

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {"type": "reply", "inner": self.inner.describe(budget), "seats": list(self.seats[:-1])}

    def parse(self, text: str, names: Names = Names()) -> Value:
        try:
            return super().parse(text, names)
        except Refused:
            raise
