"""The fields of an answer form: parts with a value of their own, one kind for each editor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pbem.kernel.domains import Amount, Choice, Distribution, Domain, FreeText, Subset, Value
from pbem.kernel.order_words import normalize_text
from pbem.kernel.rejections import Rejection, RejectionReason

SKIP: Any = object()  # the value of an optional part that is left out


class Incomplete(Exception):
    """A field isn't filled in yet."""


@dataclass(frozen=True)
class FormRow:
    """A row of the form: `path` is its place in the tree, `label` a field name ("" for the answer itself)."""

    path: str
    label: str
    leaf: AnswerField
    depth: int


class Node:
    """A part of an answer. `value` raises `Incomplete`; `load` sets it from an accepted value."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    def value(self) -> Value:
        raise NotImplementedError

    def load(self, value: Value) -> None:
        raise NotImplementedError

    def slots(self, path: str = "", label: str = "", depth: int = 0) -> Iterator[FormRow]:
        raise NotImplementedError

    @property
    def complete(self) -> bool:
        try:
            self.value()
        except Incomplete:
            return False
        return True


class AnswerField(Node):
    """A part with a value of its own. `kind` names its editor."""

    kind = "free"

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self.held: Value = None

    def value(self) -> Value:
        if self.held is None or not self.domain.accepts(self.held):
            raise Incomplete
        return self.held

    def load(self, value: Value) -> None:
        self.held = value

    def set(self, value: Value) -> None:
        """Set the entered text, which may be wrong or unfinished."""
        self.held = value

    def use(self, key: Value, by: int = 1) -> bool:
        """Take, mark or count what a row of a list stands for. Return False if it has no such row."""
        if key not in getattr(self, "options", ()):
            return False
        self.set(key)
        return True

    def slots(self, path: str = "", label: str = "", depth: int = 0) -> Iterator[FormRow]:
        yield FormRow(path, label, self, depth)

    def problem(self) -> RejectionReason | None:
        """Return what is wrong with the entered text, or None, also while nothing is entered."""
        try:
            if self.held not in (None, "", [], {}):
                self.domain.check(self.held)
        except Rejection as refused:
            return refused.problem
        return None


class ChoiceLeaf(AnswerField):
    """A choice of one of `options`."""

    kind = "choice"

    def __init__(self, domain: Choice) -> None:
        super().__init__(domain)
        self.options = list(domain.listed)
        if len(self.options) == 1:
            self.held = self.options[0]


class PickLeaf(AnswerField):
    """A choice of some of `options`; none leaves out an optional part (`may_skip`)."""

    kind = "pick"

    def __init__(self, domain: Subset, *, may_skip: bool = False) -> None:
        super().__init__(domain)
        self.options = list(domain.listed)
        self.may_skip = may_skip
        self.least = 0 if may_skip else domain.least
        self.most = min(domain.most, len(self.options))
        self.held = list(self.options) if self.least == len(self.options) else []

    def value(self) -> Value:
        if not self.held and self.may_skip:
            return SKIP
        return super().value()

    def use(self, key: Value, by: int = 1) -> bool:
        held = self.held or []
        self.held = [option for option in self.options if (option in held) != (option == key)]
        return key in self.options

    def problem(self) -> RejectionReason | None:
        return None if self.may_skip and not self.held else super().problem()


class AmountLeaf(AnswerField):
    """A whole number from `least` to `most`."""

    kind = "amount"

    def __init__(self, domain: Amount) -> None:
        super().__init__(domain)
        self.least, self.most, self.step = domain.least, domain.most, domain.step
        if self.least == self.most:
            self.held = self.least


class ArrangeLeaf(AnswerField):
    """Counts by place. `bounds` are the least and the most of each, `left` is how many must still be placed."""

    kind = "arrange"

    def __init__(self, domain: Distribution) -> None:
        super().__init__(domain)
        self.bounds = domain.bounds
        self.least, self.most = domain.least, domain.most
        self.held = {place: low for place, (low, _) in self.bounds.items() if low}

    def use(self, key: Value, by: int = 1) -> bool:
        if key not in self.bounds:
            return False
        low, high = self.bounds[key]
        counts = {**self.held, key: min(max(self.held.get(key, 0) + by, low), high)}
        self.held = {place: counts[place] for place in self.bounds if counts.get(place)}
        return True

    @property
    def total(self) -> int:
        return sum(self.held.values())


class TextLeaf(AnswerField):
    """A free text."""

    kind = "text"

    def __init__(self, domain: FreeText) -> None:
        super().__init__(domain)
        self.most = domain.most
        self.held = ""

    def set(self, value: Value) -> None:
        self.held = normalize_text(str(value))


class FreeLeaf(AnswerField):
    """A part beyond the limit of a schema: its text goes to pbem as it is."""

    def value(self) -> Value:
        if not self.held:
            raise Incomplete
        return self.held


class VerbField(AnswerField):
    """A choice of a menu's word, or of an action on a list (`act`)."""

    kind = "choice"

    def __init__(self, words: list[str], *, acts: bool = False) -> None:
        super().__init__(Choice(words))
        self.options = words
        self.acts = acts
        if len(words) == 1 and not acts:
            self.held = words[0]
