"""Options that are tested only when chosen.

Testing every space of a map is expensive, testing one is cheap. An email, a view file or a rejection lists all
options; an answer needs the test of a few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from pbem.kernel.basic_domains import Choice
from pbem.kernel.composite_domains import BehindWord, Menu
from pbem.kernel.domain import Below, Domain, Value
from pbem.kernel.order_words import WordCursor, raw_of
from pbem.kernel.rejections import Rejection, RejectionReason, rejection


def lazy_choice(
    possible: Sequence[str],
    fits: Callable[[str], bool],
    what: str = "",
    order: Iterable[str] | None = None,
    why: Callable[[Any], RejectionReason | None] | None = None,
    cost: Callable[[Any], int] | None = None,
) -> LazyChoice:
    """Return a choice among those of `possible` that fit. At least one must.

    `fits(option)` is the test, called once an option. Lists have the order of `order`, which holds all of `possible`
    (default: that of `possible`). `what`, `why` and `cost` as for `Choice`.
    """
    return LazyChoice((), what, why, cost, possible, fits, order)


class LazyChoice(Choice[str], eq=False):
    """A `Choice` whose options are tested when chosen, each once. Made by `lazy_choice`."""

    possible: Sequence[str] = ()
    test: Callable[[str], bool] = bool
    order: Iterable[str] | None = None
    known: dict[str, bool] = {}

    @property
    def listed(self) -> Sequence[str]:
        """All options: this tests each."""
        if not self.source:
            self.source = tuple(self._all())
        return self.source

    def _all(self) -> list[str]:
        possible = self.possible
        if self.order is None:
            return [option for option in possible if self.fits(option)]
        return [option for option in self.order if option in possible and self.fits(option)]

    def fits(self, option: str) -> bool:
        known = self.known.get(option)
        if known is None:
            known = self.known[option] = self.test(option)
        return known

    def any(self) -> bool:
        """Check whether there is an option. If there is none, the question must not be put."""
        fits = self.fits
        for option in self.possible:  # noqa: SIM110 - on every question: a generator costs more
            if fits(option):
                return True
        return False

    def check(self, value: Value) -> None:
        if type(value) is not str or value not in self.possible or not self.fits(value):
            super().check(value)  # it raises the reason

    def sample(self, below: Below) -> str:
        left = [*self.possible]
        while left:
            option = left.pop(below(len(left)))
            if self.fits(option):
                return option
        raise AssertionError(f"nothing fits among {self.possible}")


def lazy_menu(
    possible: Sequence[str],
    build: Callable[[str], Domain | None],
    bare: Sequence[str] = (),
    bag: Sequence[str] | None = None,
    can: Callable[[str], bool] | None = None,
    why: Callable[[str], RejectionReason | None] | None = None,
    rule: Callable[[str], str] | None = None,
    cost: Callable[[str], int] | None = None,
) -> LazyMenu:
    """Return a menu of the words of `possible` that are legal now, and of `bare`. At least one must be legal.

    `build(word)` gives the domain of a word of `possible`, None if it isn't legal now. `bare` words need nothing and
    are always legal. `can(word)` is a cheaper test than `build`, used for lists of words. `bag`, `why` and `cost` as
    for `Menu`; the bag may hold words that aren't legal. `rule(word)` is cited in rejections of what follows a word.
    """
    return LazyMenu({}, bag, why, cost, False, possible, build, bare, can, rule)


class LazyMenu(Menu[Any], eq=False):
    """A `Menu` whose words are tested when chosen, each once. Made by `lazy_menu`."""

    possible: Sequence[str] = ()
    build: Callable[[str], Domain | None] = lambda word: None
    bare: Sequence[str] = ()
    can: Callable[[str], bool] | None = None
    rule: Callable[[str], str] | None = None
    forms: dict[str, Domain | None] = {}

    @property
    def table(self) -> Mapping[str, BehindWord]:
        """All legal words: this tests each."""
        if not self.source:
            self.source = self._all()
        return self.source

    def _all(self) -> dict[str, BehindWord]:
        can = self.can or (lambda word: self.form(word) is not None)
        entries: dict[str, BehindWord] = {word: partial(self.form, word) for word in self.possible if can(word)}
        return {**entries, **dict.fromkeys(self.bare)}

    def form(self, word: str) -> Domain | None:
        """Return the domain of a word of `possible`, None if it isn't legal."""
        forms = self.forms
        if word not in forms:
            forms[word] = self.build(word)
        return forms[word]

    def check(self, value: Value) -> None:
        if isinstance(value, str) and value in self.bare:
            return
        word = value.get("do") if isinstance(value, dict) else None
        form = self.form(word) if isinstance(word, str) and word in self.possible else None
        if form is None:
            Menu(self.table, None, self.why).check(value)  # it raises the reason
        elif self.rule is None:
            self._check_inner(form, value)
        else:
            try:
                self._check_inner(form, value)
            except Rejection as refused:
                raise Rejection(refused.problem.under(self.rule(str(word)))) from None

    def _take_inner(self, word: str, domain: Domain, words: WordCursor) -> Value:
        try:
            return domain.parse_from(words)
        except Rejection as refused:
            raise Rejection(refused.problem.under(self.rule(word) if self.rule else "")) from None

    def _barred(self, words: WordCursor, refused: Rejection) -> Rejection:
        barred = super()._barred(words, refused)
        if barred is not refused or self.rule is None or refused.problem.key != "answer.unknown":
            return barred
        word = raw_of(words.peek()).casefold()
        rule = self.rule(word)  # the rule of an action, if it is one
        return rejection("answer.not_now", rule=rule, near=refused.problem.near, word=word) if rule else refused

    def sample(self, below: Below) -> Value:
        bag = self.bag or (*self.possible, *self.bare)
        while bag:
            word = bag[below(len(bag))]
            if word in self.bare:
                return word
            form = self.form(word)
            if form is not None:
                return self.outer(word, form, form.sample(below))
            bag = [other for other in bag if other != word]
        raise AssertionError(f"no word is legal among {self.possible}")
