"""What a rule may yield: `Ask`, `AskAll`, `Window`, `Negotiate`, `Checkpoint`.

All are plain values, cheap to build: a rule yields one, play stops until it is answered, and `yield` returns the
answer. `domain` may be a function, called only when somebody has to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Generic

import msgspec
from typing_extensions import TypeVar

from pbem.kernel.domains import PASS, Domain, Value
from pbem.kernel.rejections import RejectionReason

MODERATOR = "moderator"
"""The moderator's seat, asked what no player can answer (a card set to manual)."""

REACTION = "reaction"
"""The pace of unforeseen questions, in another player's turn or in the middle of one's own."""

V = TypeVar("V", default=Any)
"""The type of a question's answer."""

P = TypeVar("P", default=Any)
"""The type of a proposal's terms."""

LazyDomain = Domain[V] | Callable[[], Domain[V]]


class Ask(msgspec.Struct, Generic[V]):
    """One seat answers; `yield` returns the value.

    - `kind`: the question's stable id (order lines and standing orders match it);
    - `prompt`: a message key, by default `ask.<kind>`, filled from `about`;
    - `about`: public facts only; `secret`: facts for the asked seat only;
    - `default`: the answer at the deadline, or a function that builds it; None: the moderator decides;
    - `pace`: `turn`, `reaction`, `negotiation` or `ballot`.
    """

    seat: str
    kind: str
    domain: LazyDomain[V]
    rule: str = ""
    default: V | Callable[[], V | None] | None = None
    pace: str = "turn"
    about: dict[str, Any] = {}
    secret: dict[str, Any] = {}
    prompt: str = ""

    def __iter__(self) -> Generator[Request, Any, V]:
        answer: V = yield self
        return answer


class AskAll(msgspec.Struct, Generic[V]):
    """Several seats answer, sealed; `yield` returns `{seat: value}`. Nothing is shown before the last answer.

    Who is asked, the kind, rule and `about` must follow from public knowledge.
    """

    asks: Mapping[str, Ask[V]]

    def __iter__(self) -> Generator[Request, Any, dict[str, V]]:
        answers: dict[str, V] = yield self
        return answers


class Window(msgspec.Struct, Generic[V]):
    """A response point, sealed; `yield` returns `Replies`.

    `domains` maps each seat that could respond *by public knowledge alone* → its domain, which must accept `pass`.
    `about["touches"]` may name the seats whose things are touched: by default only they want to be asked. `cards`:
    what is played in it comes from hands; such windows can be answered from reaction sheets.
    """

    kind: str
    domains: Mapping[str, LazyDomain[V]]
    rule: str = ""
    about: dict[str, Any] = {}
    pace: str = REACTION
    prompt: str = ""
    secret: Mapping[str, dict[str, Any]] = {}
    cards: bool = False

    def __iter__(self) -> Generator[Request, Any, Replies[V]]:
        replies: Replies[V] = yield self
        return replies


class Replies(Generic[V]):
    """The replies to a window: take them `in_order` in the rule's order and report which took effect."""

    __slots__ = ("answers", "effective")

    def __init__(self, answers: Mapping[str, Value]) -> None:
        self.answers = answers
        self.effective: list[str] = []

    def in_order(self, order: Sequence[str] | None = None) -> Iterator[tuple[str, V]]:
        """Yield each seat's applicable answer except `pass`, in `order`. Plans depend on what took effect before."""
        answers = self.answers
        for seat in answers if order is None else order:
            if answers.get(seat, PASS) != PASS and (answer := self.of(seat)) != PASS:
                yield seat, answer

    def of(self, seat: str) -> V:
        """Return the seat's answer in the present position: the first step of its plan that applies, else `pass`."""
        answer: Any = self.answers.get(seat, PASS)
        if not (isinstance(answer, dict) and "plan" in answer):
            plain: V = answer
            return plain
        found: Any = PASS
        for step in answer["plan"]:
            if self._met(step):
                found = step["answer"]
                break
        done: V = found
        return done

    def took_effect(self, seat: str) -> None:
        """Record that this seat's reply was executed."""
        self.effective.append(seat)

    def _met(self, step: Mapping[str, Any]) -> bool:
        done = set(self.effective) | ({"anyone"} if self.effective else set())
        return set(step.get("after", ())) <= done and not set(step.get("unless", ())) & done


class Proposal(msgspec.Struct, Generic[P]):
    """A proposed deal in a negotiation: `terms` by seat `by`, to be signed by all `parties` (`by` has signed)."""

    id: str
    by: str
    parties: tuple[str, ...]
    terms: P
    signed: dict[str, Value] = {}

    @property
    def agreed(self) -> bool:
        return all(party in self.signed for party in self.parties)


Deal = Proposal
"""What `Negotiate` returns a list of: proposals that all parties have signed, in order of the last signature."""


class Negotiate(msgspec.Struct, Generic[P]):
    """A window in which seats talk, propose, sign, withdraw or say done; `yield` returns a list of `Deal`.

    - `terms(seat)`: the domain of a proposal's terms, None if this seat may not propose;
    - `parties(seat, terms)`: who has to sign; the proposer always does;
    - `signing_domain(seat, proposal)`: what a signer adds (None: nothing), or raises `Rejection` if they can't now;
    - `visible_terms(terms)`: what the other parties see of the terms (default: all);
    - `sample_terms(by, shown)`: terms by `by` that look so to the others, in a resampled state; it may exchange hidden
      pieces to make them possible (None: impossible). For bots only; without it they sign only what hides nothing;
    - `conflict(deals)`: why these deals conflict, else None. The last one is about to be signed by a party to all of
      them: a rejection must not reveal the deals of others;
    - `opening`: proposals that are open from the start; their seats are done until somebody proposes something to them;
    - `limit`: close as soon as the given number of deals are signed; `public`: everybody sees the proposals.
    """

    seats: tuple[str, ...]
    terms: Callable[[str], Domain[P] | None]
    parties: Callable[[str, P], Sequence[str]]
    signing_domain: Callable[[str, Proposal[P]], Domain | None] | None = None
    visible_terms: Callable[[P], Value] | None = None
    sample_terms: Callable[[str, Value], P | None] | None = None
    conflict: Callable[[list[Proposal[P]]], RejectionReason | None] | None = None
    opening: Sequence[tuple[str, P]] = ()
    limit: int | None = None
    public: bool = False
    kind: str = "negotiation"
    hours: int = 48
    rule: str = ""
    about: dict[str, Any] = {}
    pace: str = "negotiation"
    prompt: str = ""
    proposals: int = 12

    def __iter__(self) -> Generator[Request, Any, list[Deal[P]]]:
        deals: list[Deal[P]] = yield self
        return deals


class Checkpoint(msgspec.Struct):
    """A point where the state is complete: `play(table)` can restart here."""

    def __iter__(self) -> Generator[Request, Any, None]:
        yield self


Request = Ask | AskAll | Window | Negotiate | Checkpoint
