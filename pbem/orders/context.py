"""What an order block is checked against: the seat's open question and public facts only.

It is built from a running game or from a player file, so that the referee and the offline check agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pbem.kernel.domains import PASS, Domain, domain_from
from pbem.kernel.negotiation import ACCEPT, DONE, PROPOSE, WITHDRAW
from pbem.kernel.order_words import Names, normalize_word
from pbem.kernel.questions import MODERATOR, Negotiate
from pbem.kernel.referee import SETTINGS, AdvanceNote, Referee
from pbem.kernel.rejections import Rejection, closest_words, rejection
from pbem.kernel.standing_orders import Condition, lines_of, sheet_kinds
from pbem.lazy_regex import pattern
from pbem.orders.receipt import OpenQuestion, Receipt
from pbem.orders.statements import THEN, kind_word, split_then

ACTS = (PROPOSE, ACCEPT, WITHDRAW, DONE)
_NUMBER = pattern(r"-?\d{1,9}")
_BY_NUMBER = ("card", "cards")
"""Facts that are things which players also name by a number."""


class SeatQuestion(msgspec.Struct, frozen=True):
    """A question open to the seat. `talk`: a negotiation. `answer` is the seat's answer so far, as order text."""

    q: int
    kind: str
    rule: str
    domain: Domain
    sealed: bool = False
    talk: bool = False
    answer: str = ""
    default: str = ""
    pace: str = ""
    prompt: str = ""
    about: Mapping[str, Any] = {}
    secret: Mapping[str, Any] = {}

    def shown(self, answer: str | None = None) -> OpenQuestion:
        """Return the question as a receipt lists it, with `answer` as the seat's own if given."""
        own = self.answer if answer is None else answer
        return OpenQuestion(
            self.q, self.kind, self.rule, self.pace, self.prompt, dict(self.about), dict(self.secret),
            self.sealed, own, self.default, self.domain.syntax(),
        )  # fmt: skip


class Context(msgspec.Struct, frozen=True):
    """What one seat's lines are checked against. `lines` counts its advance orders, `held` those on hold.

    `next_turn` returns the first question of its next turn, as things stand.
    """

    game: str
    seat: str
    seats: tuple[str, ...]
    q: int
    over: bool
    question: SeatQuestion | None
    clock: Mapping[str, Any]
    names: Names
    kinds: tuple[str, ...] = ()
    sheet_kinds: tuple[str, ...] = ()
    private_press: bool = True
    lines: int = 0
    held: int = 0
    standing: tuple[str, ...] = ()
    outcomes: Mapping[str, Sequence[str]] = {}
    next_turn: Callable[[], SeatQuestion | None] = lambda: None

    @property
    def facts(self) -> dict[str, Any]:
        """The public facts that conditions on the open question refer to."""
        return {**self.clock, **(self.question.about if self.question else {})}

    def kind(self, word: str) -> str:
        """Return the kind of question meant by `word` (folded). Raises `Rejection` for an unknown kind."""
        if word == "*" or not self.kinds:
            return word
        known = list(self.kinds)
        if self.question is not None and self.question.kind not in known:
            known.append(self.question.kind)
        exact = [kind for kind in known if normalize_word(kind) == word]
        begun = exact or [kind for kind in known if normalize_word(kind).startswith(word)]
        if len(begun) != 1:
            raise rejection("orders.kind", word=word, near=begun[:8] or closest_words(word, known))
        return begun[0]

    def condition(self, one: Condition) -> Condition:
        """Return the condition with names and aliases in its value turned into ids, unless it is a number.

        The compared fact decides; if it isn't known yet, digits are a number, except for a card. Raises
        `Rejection` for a word that is compared with a number, since that would never hold.
        """
        fact, number = self.facts.get(one.key), _NUMBER.fullmatch(one.value) is not None
        ordered = one.op not in ("=", "!=")
        if not number and (ordered or type(self.clock.get(one.key)) is int):
            raise rejection("orders.number", word=one.key, value=one.value)
        if number and (ordered or type(fact) is int or (fact is None and one.key not in _BY_NUMBER)):
            return Condition(one.key, one.op, str(int(one.value)))
        found = self.names.exact(one.value, [*self.seats, *self.names.names])
        return Condition(one.key, one.op, str(found) if found is not None else one.value.casefold())

    def conditions(self, some: Iterable[Condition]) -> tuple[Condition, ...]:
        return tuple(self.condition(item) for item in some)

    def check_branch(self, word: str, before: str) -> None:
        """Raise `Rejection` unless the line `before` can have the result `word`."""
        if word not in self.outcomes:
            raise rejection("orders.no_outcome", word=word, near=tuple(self.outcomes))
        if not before:
            raise rejection("orders.branch_first", word=word)
        first = normalize_word(before.split(maxsplit=1)[0])
        if not any(normalize_word(verb).startswith(first) for verb in self.outcomes[word]):
            raise rejection("orders.branch", word=word, line=before, near=tuple(self.outcomes[word]))

    def until(self, some: Iterable[Condition]) -> tuple[Condition, ...]:
        """Return conditions on the clock. Raises `Rejection` for an unknown clock fact, which would never come."""
        for item in some:
            if item.key not in self.clock:
                raise rejection("orders.until", word=item.key, near=self.clock)
        return self.conditions(some)

    def is_done(self, body: str) -> bool:
        try:
            return self.names.pick(body, ACTS) == DONE
        except Rejection:
            return False


def context_of(referee: Referee, seat: str, game: str) -> Context:
    """Return the context of `seat` in a running game; `game` is the game's id in emails."""
    own = [entry for entry in referee.queue if entry.seat == seat and not entry.refused]
    state = referee.table.state
    return Context(
        game=game,
        seat=seat,
        seats=tuple(referee.setup.seats),
        q=referee.q,
        over=referee.over,
        question=question_of(referee, seat),
        clock=dict(referee.game.calendar(state)),
        names=referee.names,
        kinds=tuple(referee.game.question_kinds),
        sheet_kinds=sheet_kinds(referee.game, referee.setup.options),
        private_press=referee.game.talk_is_private(state, referee.paces()),
        lines=len(own),
        held=sum(entry.held for entry in own),
        standing=tuple({standing.kind for standing in referee.standing if standing.seat == seat}),
        outcomes=referee.game.outcome_words,
        next_turn=lambda: next_turn_of(referee, seat),
    )


def question_of(referee: Referee, seat: str) -> SeatQuestion | None:
    """Return the question open to `seat`, whether it has answered or not."""
    pending = referee.pending_to(seat)
    if pending is None:
        return None
    domain = referee.domain(seat)
    talk = isinstance(referee.now, Negotiate)
    own = referee.sealed.get(seat)
    answer = domain.text(own.answer) if own is not None and own.how != SETTINGS else ""
    if talk and pending.answered:
        answer = DONE
    return SeatQuestion(
        q=pending.q,
        kind=pending.kind,
        rule=pending.rule,
        domain=domain,
        sealed=pending.sealed,
        talk=talk,
        answer=answer,
        default=domain.default_text(pending.default),
        pace=pending.pace,
        prompt=pending.prompt,
        about=pending.about,
        secret=pending.secret,
    )


def with_next(text: str, legal: Callable[[str], str], later: Callable[[], SeatQuestion | None], names: Names) -> str:
    """Return the legal answer in a line that also begins the next turn (`gruuthuse then event`), with that; else ""."""
    head, rest = split_then(text)
    answer = legal(head) if rest else ""
    question = later() if answer not in ("", PASS) else None
    if question is None:
        return ""
    try:
        value = question.domain.parse(rest, names)
        question.domain.check(value)
    except Rejection:
        return ""
    return f"{answer} {THEN[0]} {question.domain.text(value)}"


def next_turn_of(referee: Referee, seat: str) -> SeatQuestion | None:
    """Return the first question of a seat's next turn, as things stand (`Referee.next_turn`)."""
    later = referee.next_turn(seat)
    return question_of(later, seat) if later is not None else None


def context_from(view: Mapping[str, Any]) -> Context:
    """Return the context in a player file (keys: orders.md). Raises KeyError or TypeError if keys are missing."""
    asked, later = next(iter(view.get("questions", ())), None), view.get("next")
    queue = list(view.get("queue", ()))
    return Context(
        game=view["game"],
        seat=view["seat"],
        seats=tuple(view["seats"]),
        q=view["q"],
        over=view.get("over", False),
        question=None if asked is None else _question_from(asked),
        clock=view.get("clock", {}),
        names=Names(view.get("names"), view.get("aliases"), view.get("faces"), view.get("said")),
        kinds=tuple(view.get("kinds", ())),
        sheet_kinds=tuple(view.get("sheet_kinds", ())),
        private_press=view.get("private_press", True),
        lines=len(queue),
        held=len(queue),
        standing=tuple(kind_word(line.split(":")[0].split()[-1]) for line in view.get("standing", ())),
        outcomes=view.get("outcomes", {}),
        next_turn=lambda: _question_from(later) if later else None,
    )


def _question_from(asked: Mapping[str, Any]) -> SeatQuestion:
    domain, talk = domain_from(asked["domain"]), asked.get("negotiation", False)
    same = ("sealed", "answer", "default", "pace", "prompt", "about", "secret")
    more = {name: asked[name] for name in same if name in asked}
    return SeatQuestion(asked["q"], asked["kind"], asked.get("rule", ""), domain, talk=talk, **more)


def seat_named(word: str, names: Names, seats: Iterable[str]) -> str:
    """Return the seat meant by `word`: its id, a name or an alias, "" if none. Prefixes aren't accepted."""
    return str(names.exact(word, [*seats, MODERATOR]) or "")


def answer_line(q: int, text: str) -> str:
    """Return an answer to question `q` as an order line."""
    return f"{q}: {text}"


def write_in_force(receipt: Receipt, referee: Referee, seat: str, own: OpenQuestion | None = None) -> None:
    """Record what is open and in force. `own` is the open question as the seat sees it; None: look it up."""
    if own is None and (question := question_of(referee, seat)) is not None:
        own = question.shown()
    receipt.open = [own] if own is not None else []
    receipt.queue = lines_of(seat, referee.queue)
    receipt.standing = lines_of(seat, referee.standing)
    receipt.settings = lines_of(seat, referee.settings)


def drop_expired(referee: Referee) -> None:
    """Drop advance orders of past questions and expired standing orders, and add notes for their seats."""
    clock = referee.game.calendar(referee.table.state) if referee.standing or referee.settings else {}
    for entry in [queued for queued in referee.queue if 0 < queued.q < referee.q or referee.over]:
        if not entry.refused:  # already reported
            referee.notes.append(AdvanceNote(entry.seat, "advance.stale", str(entry), None, entry.letter, entry.line))
        drop(referee.queue, [entry])
    for standing in [order for order in referee.standing if order.expired(clock)]:
        referee.notes.append(AdvanceNote(standing.seat, "standing.expired", str(standing)))
        drop(referee.standing, [standing])
    ended = [setting for setting in referee.settings if setting.until and all(c.holds(clock) for c in setting.until)]
    drop(referee.settings, ended)


def drop(some: list[Any], gone: Sequence[Any]) -> None:
    """Remove `gone` from `some` by identity: equal lines are different lines."""
    some[:] = [item for item in some if not any(item is other for other in gone)]
