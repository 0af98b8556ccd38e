"""An answer form: a tree of nodes made from a domain, shown as a flat list of rows.

Every domain has its node. Fields hold a value. Other nodes make their children once the values before them are known,
so a form shows just the fields that apply. `AnswerDraft` has the whole answer: value, order text, problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pbem.kernel import domains
from pbem.kernel.domains import WAIT, Domain, Value
from pbem.kernel.order_words import CONDITIONS, NO_NAMES, Names
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.tui.model import answer_fields
from pbem.tui.model.answer_fields import SKIP, ChoiceLeaf, FormRow, Incomplete, Node, PickLeaf, VerbField

NOW = "now"
ADD, DROP = "add", "drop"  # the actions on a list of items: add one, drop the last one


class GateNode(Node):
    """A word that says whether a part is given, then the part. `closed` is the value without it."""

    inner: Node

    def __init__(self, domain: Domain, words: list[str], opens: str, closed: Value) -> None:
        super().__init__(domain)
        self.verb = VerbField(words)
        self.verb.held, self.opens, self.closed = words[0], opens, closed

    def value(self) -> Value:
        return self.inner.value() if self.verb.held == self.opens else self.closed

    def load(self, value: Value) -> None:
        if value == self.closed:
            self.verb.held = str(value)
        else:
            self.verb.held = self.opens
            self.inner.load(value)


class OptionalNode(GateNode):
    """A part that may be left out: a yes or no, then the part."""

    def __init__(self, domain: domains.Optional) -> None:
        super().__init__(domain, ["no", "yes"], "yes", SKIP)
        self.inner = make(domain.domain)
        for row in self.inner.slots():  # what may be left out is given only by choosing it
            if isinstance(row.leaf, ChoiceLeaf):
                row.leaf.held = None
            elif isinstance(row.leaf, PickLeaf):
                row.leaf.held = []

    def slots(self, path: str = "", label: str = "", depth: int = 0) -> Iterator[FormRow]:
        yield FormRow(f"{path}?", label, self.verb, depth)
        if self.verb.held == self.opens:
            yield from self.inner.slots(path, label, depth + 1)


class FormNode(Node):
    """Fields in order. A dependent field appears when the fields before it are known."""

    domain: domains.Form

    def __init__(self, domain: domains.Form) -> None:
        super().__init__(domain)
        self.children: dict[str, Node] = {}

    def fields(self) -> Iterator[tuple[str, Node]]:
        before: dict[str, Any] = {}
        open_ = False
        for name, field in self.domain.fields.items():
            if open_ and not isinstance(field, Domain):
                continue
            domain = self.domain.field(name, before)
            if domain is None:
                self.children.pop(name, None)
                continue
            child = self._child(name, domain)
            yield name, child
            try:
                value = child.value()
            except Incomplete:
                open_ = True
                continue
            if value is not SKIP:
                before[name] = value

    def _child(self, name: str, domain: Domain) -> Node:
        old = self.children.get(name)
        if old is not None and old.domain is domain:
            return old
        child = make(domain)
        if old is not None and old.complete:
            value = old.value()
            if value is not SKIP and domain.accepts(value):
                child.load(value)
        self.children[name] = child
        child.domain = domain
        return child

    def value(self) -> Value:
        found = {name: child.value() for name, child in self.fields()}
        if any(name not in found and self.domain.field(name, _without_skipped(found)) for name in self.domain.fields):
            raise Incomplete
        return _without_skipped(found)

    def load(self, value: Value) -> None:
        self.children = {}
        for name in self.domain.fields:
            domain = self.domain.field(name, {k: value[k] for k in self.children if k in value})
            if domain is None:
                continue
            child = self._child(name, domain)
            if name in value:
                child.load(value[name])

    def slots(self, path: str = "", label: str = "", depth: int = 0) -> Iterator[FormRow]:
        for name, child in self.fields():
            yield from child.slots(f"{path}/{name}", name, depth)


def _without_skipped(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if value is not SKIP}


class MenuNode(Node):
    """A verb, then its arguments."""

    domain: domains.Menu

    def __init__(self, domain: domains.Menu) -> None:
        super().__init__(domain)
        self.verb = VerbField(list(domain.words))
        self.children: dict[str, Node] = {}

    def inner(self) -> Node | None:
        word = self.verb.held
        domain = self.domain.entry(word) if word is not None else None
        if domain is None:
            return None
        if word not in self.children:
            self.children[word] = make(domain)
        return self.children[word]

    def value(self) -> Value:
        word, inner = self.verb.value(), self.inner()
        if inner is None:
            return word
        value = inner.value()
        return {"do": word, **value} if isinstance(inner, FormNode) else {"do": word, "with": value}

    def load(self, value: Value) -> None:
        self.verb.held = value if isinstance(value, str) else value["do"]
        inner = self.inner()
        if inner is not None:
            rest = {name: item for name, item in value.items() if name != "do"}
            inner.load(rest if isinstance(inner, FormNode) else rest["with"])

    def slots(self, path: str = "", label: str = "", depth: int = 0) -> Iterator[FormRow]:
        inner, only = self.inner(), len(self.verb.options) == 1
        if inner is None or not only:  # else nothing is to be chosen
            yield FormRow(f"{path}!", label or "do", self.verb, depth)
        if inner is not None:
            yield from inner.slots(f"{path}/{self.verb.held}", str(self.verb.held), depth + (not only))


class ListNode(Node):
    """The common part of series and plans: items that can be added and dropped."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self.items: list[Node] = []

    def may_add(self) -> bool:
        raise NotImplementedError

    def add(self) -> None:
        raise NotImplementedError

    def least_items(self) -> int:
        """Return the minimum number of items, which are shown from the start."""
        return 0

    def act(self, word: str) -> None:
        if word == ADD and self.may_add():
            self.add()
        elif word == DROP and self.items:
            self.items.pop()

    def more(self, path: str, depth: int) -> Iterator[FormRow]:
        words = [ADD] * self.may_add() + [DROP] * (len(self.items) > self.least_items())
        if words:
            yield FormRow(f"{path}+", "more", AddItemField(self, words), depth)


class AddItemField(VerbField):
    """Adds to a list or drops from it; never holds a value."""

    def __init__(self, owner: ListNode, words: list[str]) -> None:
        super().__init__(words, acts=True)
        self.owner = owner

    def set(self, value: Value) -> None:
        self.owner.act(str(value))


class SeriesNode(ListNode):
    """Items in order, each of which may depend on those before."""

    domain: domains.Series

    def __init__(self, domain: domains.Series) -> None:
        super().__init__(domain)
        self._refresh()

    def least_items(self) -> int:
        return self.domain.least

    def may_add(self) -> bool:
        self._refresh()
        return self._next() is not None

    def add(self) -> None:
        domain = self._next()
        if domain is not None:
            self.items.append(make(domain))

    def _next(self) -> Domain | None:
        if len(self.items) >= self.domain.most:
            return None
        try:
            return self.domain.item([item.value() for item in self.items])
        except Incomplete:
            return None

    def _refresh(self) -> None:
        """Update the items after a change: drop impossible ones, add required ones."""
        done: list[Value] = []
        for at, item in enumerate(list(self.items)):
            domain = self.domain.item(done) if len(done) == at else None
            if domain is None:
                del self.items[at:]
                break
            if not item.complete:
                del self.items[at + 1 :]
                break
            value = item.value()
            if item.domain is not domain and not domain.accepts(value):
                self.items[at:] = [make(domain)]
                break
            done.append(value)
        while len(self.items) < self.domain.least and (domain := self._next()) is not None:
            self.items.append(make(domain))

    def value(self) -> Value:
        self._refresh()
        found = [item.value() for item in self.items]
        if len(found) < self.domain.least:
            raise Incomplete
        return found

    def load(self, value: Value) -> None:
        self.items = []
        for at, item in enumerate(value):
            domain = self.domain.item(value[:at])
            assert domain is not None
            self.items.append(make(domain))
            self.items[-1].load(item)

    def slots(self, path: str = "", label: str = "", depth: int = 0) -> Iterator[FormRow]:
        self._refresh()
        for at, item in enumerate(self.items, 1):
            yield from item.slots(f"{path}/{at}", f"{label or self.domain.what or 'item'} {at}", depth)
        yield from self.more(path, depth)


class StepNode(Node):
    """One answer of a plan, with its conditions."""

    def __init__(self, domain: domains.Reply) -> None:
        super().__init__(domain)
        self.answer = make(domain.inner)
        words = [f"{key} {seat}" for key in CONDITIONS for seat in domain.seats]
        self.conditions = PickLeaf(domains.Subset(words, 0, len(words)))

    def value(self) -> Value:
        step: dict[str, Any] = {"answer": self.answer.value()}
        for word in self.conditions.held:
            key, _, seat = word.partition(" ")
            step.setdefault(key, []).append(seat)
        return step

    def load(self, value: Value) -> None:
        self.answer.load(value["answer"])
        self.conditions.held = [f"{key} {seat}" for key in CONDITIONS for seat in value.get(key, ())]

    def slots(self, path: str = "", label: str = "", depth: int = 0) -> Iterator[FormRow]:
        yield from self.answer.slots(path, label, depth)
        if self.answer.complete and self.answer.value() != "pass":
            yield FormRow(f"{path}~", "condition", self.conditions, depth + 1)


class ReplyNode(ListNode):
    """A reply to a window: one answer, or a plan, whose first applicable answer is used."""

    domain: domains.Reply

    def __init__(self, domain: domains.Reply) -> None:
        super().__init__(domain)
        self.items = [StepNode(domain)]

    def least_items(self) -> int:
        return 1

    def may_add(self) -> bool:
        last = self.items[-1]
        return len(self.items) < 8 and last.complete and len(last.value()) > 1

    def add(self) -> None:
        self.items.append(StepNode(self.domain))

    def value(self) -> Value:
        steps = [item.value() for item in self.items]
        return steps[0]["answer"] if len(steps) == 1 and len(steps[0]) == 1 else {"plan": steps}

    def load(self, value: Value) -> None:
        plan = value["plan"] if isinstance(value, dict) and "plan" in value else [{"answer": value}]
        self.items = []
        for step in plan:
            self.add()
            self.items[-1].load(step)

    def slots(self, path: str = "", label: str = "", depth: int = 0) -> Iterator[FormRow]:
        for at, item in enumerate(self.items, 1):
            yield from item.slots(f"{path}/{at}", label if at == 1 else "otherwise", depth)
        yield from self.more(path, depth)


class EarlyAnswerNode(GateNode):
    """An answer given in advance, or none: then the question is asked in its turn."""

    def __init__(self, domain: domains.EarlyAnswer) -> None:
        super().__init__(domain, [NOW, WAIT], NOW, WAIT)
        self.inner = ReplyNode(domain)

    def slots(self, path: str = "", label: str = "", depth: int = 0) -> Iterator[FormRow]:
        yield FormRow(f"{path}!", "when", self.verb, depth)
        if self.verb.held == self.opens:
            yield from self.inner.slots(path, label, depth)


def make(domain: Domain) -> Node:
    """Return the node of a domain."""
    node: Node
    match domain:
        case domains.Choice():
            node = ChoiceLeaf(domain)
        case domains.Subset():
            node = PickLeaf(domain)
        case domains.Amount():
            node = answer_fields.AmountLeaf(domain)
        case domains.Distribution():
            node = answer_fields.ArrangeLeaf(domain)
        case domains.FreeText():
            node = answer_fields.TextLeaf(domain)
        case domains.Optional(domain=domains.Subset() as inner) if inner.least > 0:
            node = PickLeaf(inner, may_skip=True)
        case domains.Optional():
            node = OptionalNode(domain)
        case domains.Form():
            node = FormNode(domain)
        case domains.Menu():
            node = MenuNode(domain)
        case domains.Series():
            node = SeriesNode(domain)
        case domains.Reply():
            node = EarlyAnswerNode(domain) if isinstance(domain, domains.EarlyAnswer) else ReplyNode(domain)
        case _:
            node = answer_fields.FreeLeaf(domain)
    return node


class AnswerDraft:
    """An answer to one question, from the first row to the order text."""

    def __init__(self, domain: Domain, names: Names = NO_NAMES) -> None:
        self.domain = domain
        self.names = names
        self.root = make(domain)

    def slots(self) -> list[FormRow]:
        return list(self.root.slots())

    def first_path(self) -> str | None:
        """Return the path of the first row of the answer itself, not of when it is given."""
        return next((slot.path for slot in self.slots() if slot.label != "when"), None)

    def value(self) -> Value:
        """Return the answer. Raises `Incomplete`."""
        value = self.root.value()
        if value is SKIP:
            raise Incomplete
        return value

    def text(self) -> str:
        """Return the order text, or "" while something is missing or wrong."""
        try:
            value = self.value()
            self.domain.check(value)
        except (Incomplete, Rejection):
            return ""
        return self.domain.text(value)

    def problem(self) -> RejectionReason | None:
        """Return what is wrong with the answer, or None while it is only unfinished."""
        for slot in self.slots():
            found = slot.leaf.problem()
            if found is not None:
                return found
        try:
            self.domain.check(self.value())
        except Incomplete:
            return None
        except Rejection as refused:
            return refused.problem
        return None

    def reads(self, text: str) -> bool:
        try:
            self.domain.parse(text, self.names)
        except Rejection:
            return False
        return True

    def read(self, text: str) -> RejectionReason | None:
        """Load an order text. Return why it can't be loaded; then nothing has changed."""
        try:
            value = self.domain.parse(text, self.names)
        except Rejection as refused:
            return refused.problem
        fresh = make(self.domain)
        fresh.load(value)
        self.root = fresh
        return None

    def missing(self) -> FormRow | None:
        open_ = (slot for slot in self.slots() if not isinstance(slot.leaf, AddItemField) and not slot.leaf.complete)
        return next(open_, None)
