"""An open negotiation: acts in, signed deals out. Acts are kept in order and replayed from the journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NoReturn

import msgspec

from pbem.kernel.domains import Choice, Domain, Form, LazyMenu, Value, Values, lazy_menu
from pbem.kernel.order_words import WordCursor, raw_of
from pbem.kernel.questions import Negotiate, Proposal
from pbem.kernel.rejections import Rejection, RejectionReason, rejection

PROPOSE, ACCEPT, WITHDRAW, DONE = "propose", "accept", "withdraw", "done"
TERMS = "terms"
"""The field of a proposal that holds its terms, unless they are a form of their own."""

_FIRST, _LATER = (PROPOSE,), (PROPOSE, ACCEPT, WITHDRAW)
"""The acts that need more than their name, while nothing is open and later."""
_BARE = (DONE,)
_FIRST_BAG = (*(PROPOSE,) * 2, *_BARE * 4)
_LATER_BAG = (*_FIRST_BAG, *(ACCEPT,) * 3, WITHDRAW)
"""The acts for random play, as often as they are likely."""


def _offer(clauses: Domain) -> Form:
    """Return the form of a proposal. A form is used itself, unless its fields could be read as those of an act."""
    flat = isinstance(clauses, Form) and _RESERVED.isdisjoint(clauses.fields)
    return clauses if isinstance(clauses, Form) and flat else Form({TERMS: clauses})


_RESERVED = frozenset({"seat", "do", TERMS})
_SIGNATURES = frozenset({ACCEPT, WITHDRAW})


class NegotiationLog:
    """The result of a negotiation's acts: `open` proposals, signed `deals`, and who is `done`.

    It is `closed` when all are done, or as many deals as the rule allows are signed.
    """

    __slots__ = ("closed", "count", "deals", "done", "gone", "open", "request")

    def __init__(self, request: Negotiate) -> None:
        self.request = request
        self.open: dict[str, Proposal] = {}
        self.deals: list[Proposal] = []
        self.done: set[str] = set()
        self.closed = False
        self.count: dict[str, int] = {}
        self.gone: dict[str, tuple[tuple[str, ...], str]] = {}
        """Closed proposals: their parties, and the message that says what became of them."""
        for seat, terms in request.opening:
            flat = isinstance(terms, Mapping) and _RESERVED.isdisjoint(terms)
            self._propose(seat, terms if flat else {TERMS: terms})
            self.done.add(seat)

    @classmethod
    def replayed(cls, request: Negotiate, acts: Iterable[Mapping[str, Any]]) -> list[Proposal]:
        """Return the deals that `acts` led to; used in replay, without checks."""
        talk = cls(request)
        for act in acts:
            talk.carry_out(act)
        return talk.deals

    def carry_out(self, act: Mapping[str, Any]) -> None:
        seat, do = act["seat"], act["do"]
        if do == DONE:
            self.done.add(seat)
            self.closed = len(self.done) == len(self.request.seats)
            return
        self.done.discard(seat)
        if do == PROPOSE:
            self._propose(seat, act)
        elif do == WITHDRAW:
            proposal = self.open[act["id"]]
            proposal.signed.pop(seat, None)
            if proposal.by == seat:
                del self.open[proposal.id]
                self.gone[proposal.id] = proposal.parties, "negotiation.withdrawn"
        elif do == ACCEPT:
            proposal = self.open[act["id"]]
            proposal.signed[seat] = act.get("give", True)
            if proposal.agreed:
                self.deals.append(self.open.pop(proposal.id))
                self.gone[proposal.id] = proposal.parties, "negotiation.agreed"
                self.closed = len(self.deals) == self.request.limit
        else:
            raise rejection("answer.malformed")

    def _propose(self, seat: str, act: Mapping[str, Any]) -> None:
        terms = terms_of(act)
        parties = self.request.parties
        others = [other for other in parties(seat, terms) if other != seat]
        if strangers := [other for other in others if other not in self.request.seats]:
            self._wrong("parties", f"names '{strangers[0]}', who does not take part")
        if not others:
            self._wrong("parties", f"names nobody who could sign what {seat} proposes")
        count, to = self.count, f"{seat}-{'-'.join(others)}"
        count[seat] = count.get(seat, 0) + 1
        # Numbered per group of parties, so that the number reveals nothing about proposals to others.
        count[to] = number = count.get(to, 0) + 1
        key = f"{to}-{number}"
        self.open[key] = Proposal(key, seat, (seat, *others), terms, {seat: True})
        self.done.difference_update(others)

    # Its callers hold the game's function in a local: `said_of` finds the author's line by it.
    def _wrong(self, function: str, what: str) -> NoReturn:
        raise TypeError(f"Negotiate '{self.request.kind}': `{function}` {what}")


def terms_of(act: Mapping[str, Any]) -> Any:
    """Return the terms that an act proposes."""
    terms = {key: term for key, term in act.items() if key not in ("seat", "do")}
    return terms[TERMS] if TERMS in terms and len(terms) == 1 else terms


class _ProposalId(Choice, eq=False):
    """The proposals that a seat may sign or withdraw; for others it gets the reason."""

    def parse_from(self, words: WordCursor) -> Value:
        word = raw_of(words.peek()).casefold()
        # Checked first, because the word may be the start of another: `a-b-1` of `a-b-12`.
        problem = self._reason(word) if word not in self.listed else None
        if problem is not None:
            raise Rejection(problem)
        return super().parse_from(words)


class OpenNegotiation(NegotiationLog):
    """An open `Negotiate`. `acts` is the journal: `{seat, do, …}` in order of arrival."""

    __slots__ = ("_clauses", "_signings", "acts")

    def __init__(self, request: Negotiate) -> None:
        super().__init__(request)
        self.acts: list[dict[str, Any]] = []
        # The state doesn't change during a negotiation, so a seat's options are computed once. A signer's
        # form may depend on the other signatures, so it is computed once between two signatures.
        self._clauses: dict[str, Form | None] = {}
        self._signings: dict[str, dict[str, Form | RejectionReason]] = {}

    def domain(self, seat: str) -> LazyMenu:
        """Return what `seat` may do now. Most acts are `done`, so the domains of others are built when chosen."""
        form, why = partial(self._form, seat), partial(self._why, seat)
        if not self.open:
            return lazy_menu(_FIRST, form, _BARE, _FIRST_BAG, why=why)
        return lazy_menu(_LATER, form, _BARE, _LATER_BAG, why=why)

    def _form(self, seat: str, act: str) -> Form | None:
        """Return the form of an act, None if `seat` can't make it now."""
        if act == PROPOSE:
            return self._offering(seat) if self.count.get(seat, 0) < self.request.proposals else None
        if act == WITHDRAW:
            mine = [key for key, proposal in self.open.items() if seat in proposal.signed]
            return Form({"id": _ProposalId(mine, "proposal", partial(self._no_signature, seat))}) if mine else None
        signable, barred = self.signable(seat)
        if not signable:
            return None
        ids = _ProposalId(list(signable), "proposal", lambda key: barred.get(key) or self._no_offer(seat, key))
        return Form({"id": ids, "give": lambda v: signable[v.id].field("give", {})})

    def signable(self, seat: str) -> tuple[dict[str, Form], dict[str, RejectionReason]]:
        """Return the proposals that `seat` hasn't signed: its form, or why it can't sign."""
        signable: dict[str, Form] = {}
        barred: dict[str, RejectionReason] = {}
        for key, proposal in self.open.items():
            if seat in proposal.parties and seat not in proposal.signed:
                form = self._signing(seat, proposal)
                if isinstance(form, Form):
                    signable[key] = form
                else:
                    barred[key] = form
        return signable, barred

    def _why(self, seat: str, word: str) -> RejectionReason | None:
        """Return why an act can't be made now; None if the word isn't an act."""
        act = next((act for act in _LATER if word and act.startswith(word)), "")
        if act == PROPOSE:
            most = self.request.proposals
            if self.count.get(seat, 0) >= most:
                return self._no("answer.limit", most=most)
            return self._no("negotiation.nothing_to_propose")
        if act == ACCEPT:
            barred = self.signable(seat)[1]
            return next(reversed(barred.values()), None) or self._no("negotiation.nothing_to_accept")
        return self._no("negotiation.nothing_to_withdraw") if act == WITHDRAW else None

    def _no_offer(self, seat: str, key: str) -> RejectionReason | None:
        """Return why `seat` can't sign a proposal that it knows of."""
        if key in self.open and seat in self.open[key].signed:
            return self._no("negotiation.signed", id=key)
        return self._closed(seat, key)

    def _no_signature(self, seat: str, key: str) -> RejectionReason | None:
        """Return why `seat` can't withdraw a proposal that it knows of."""
        if key in self.open and seat in self.open[key].parties:
            return self._no("negotiation.unsigned", id=key)
        return self._closed(seat, key)

    def _closed(self, seat: str, key: str) -> RejectionReason | None:
        """Return what became of a proposal that `seat` knows of. Proposals among others must stay secret."""
        if key in self.gone:
            parties, told = self.gone[key]
            return self._no(told, id=key) if self._may_know(seat, parties) else None
        if key in self.open and self._may_know(seat, self.open[key].parties):
            return self._no("negotiation.others", id=key)
        return None

    def _may_know(self, seat: str | None, parties: tuple[str, ...]) -> bool:
        return self.request.public or seat in parties

    def _no(self, key: str, **args: object) -> RejectionReason:
        return RejectionReason(key, args, self.request.rule)

    def seen_by(self, seat: str | None) -> list[tuple[Proposal, Any]]:
        """Return the open proposals that `seat` may see, with what it may see of their terms.

        They are copies with only that part. Of other signers they show only that they have signed.
        """
        return [(copy, copy.terms) for p in self.open.values() if (copy := self._copy_for(seat, p)) is not None]

    def deals_of(self, seat: str | None) -> list[Proposal]:
        """Return the signed deals that `seat` may see, as copies with only the part that it may see."""
        return [copy for deal in self.deals if (copy := self._copy_for(seat, deal)) is not None]

    def _copy_for(self, seat: str | None, proposal: Proposal) -> Proposal | None:
        if not self._may_know(seat, proposal.parties):
            return None
        terms = proposal.terms if proposal.by == seat else self.shown(proposal)
        signed = {who: given if who == seat else True for who, given in proposal.signed.items()}
        return msgspec.structs.replace(proposal, terms=terms, signed=signed)

    def shown(self, proposal: Proposal) -> Any:
        """Return the terms as the other parties see them."""
        return proposal.terms if self.request.visible_terms is None else self.request.visible_terms(proposal.terms)

    def visible_log(self, act: Mapping[str, Any]) -> Any:
        """Return the terms of a proposing act as the other parties would see them."""
        terms = terms_of(act)
        return terms if self.request.visible_terms is None else self.request.visible_terms(terms)

    def act(self, seat: str, value: Any) -> None:
        if isinstance(value, str):
            act = {"seat": seat, "do": value}
            self.carry_out(act)
        else:
            act = {"seat": seat, **value}
            self.carry_out(act)
            if act["do"] in _SIGNATURES:
                self._signings.pop(act["id"], None)
        self.acts.append(act)

    def imagined(self, seat: str, shown: Mapping[str, Value]) -> None:
        """Replace others' proposals by what `seat` may know, `shown` by id, or drop them: for bots."""
        if not self.request.public:
            self.open = {key: proposal for key, proposal in self.open.items() if seat in proposal.parties}
            self.deals = [deal for deal in self.deals if seat in deal.parties]
            self.gone = {key: told for key, told in self.gone.items() if seat in told[0]}
        for key, proposal in list(self.open.items()):
            if proposal.by == seat or shown[key] == proposal.terms:
                continue
            imagine = self.request.sample_terms
            terms = imagine(proposal.by, shown[key]) if imagine is not None else None
            if terms is None:
                del self.open[key]
            else:
                self.open[key] = msgspec.structs.replace(proposal, terms=terms)
        self.acts = []

    def refresh(self) -> None:
        """Forget cached options after a correction of the state."""
        self._clauses, self._signings = {}, {}

    def invalid_proposals(self) -> list[tuple[Proposal, RejectionReason]]:
        """Withdraw the proposals that a correction of the state made impossible; return them with the reason."""
        self.refresh()
        dropped = []
        for proposal in list(self.open.values()):
            offering = self._offering(proposal.by)
            try:
                if offering is None:
                    raise rejection("answer.no_question")
                offering.check({TERMS: proposal.terms} if TERMS in offering.fields else proposal.terms)
            except Rejection as refused:
                dropped.append((proposal, refused.problem))
                self.act(proposal.by, {"do": WITHDRAW, "id": proposal.id})
        return dropped

    def _offering(self, seat: str) -> Form | None:
        if seat not in self._clauses:
            terms = self.request.terms
            clauses: object = terms(seat)
            if not isinstance(clauses, Domain | None):
                self._wrong("terms", f"returned {type(clauses).__name__}: it must return a domain or None")
            self._clauses[seat] = clauses if clauses is None else _offer(clauses)
        return self._clauses[seat]

    def _signing(self, seat: str, proposal: Proposal) -> Form | RejectionReason:
        """Return the form for a party that hasn't signed, or why it can't sign now."""
        illegal = self._illegal(seat, proposal) if self.request.conflict is not None else None
        if illegal is not None:
            return illegal
        forms = self._signings.setdefault(proposal.id, {})
        if seat not in forms:
            forms[seat] = self._signature(seat, proposal)
        return forms[seat]

    def _signature(self, seat: str, proposal: Proposal) -> Form | RejectionReason:
        if self.request.signing_domain is None:
            return Form(give=_nothing)
        sign = self.request.signing_domain
        try:
            domain: object = sign(seat, proposal)
        except Rejection as refused:
            return refused.problem
        if not isinstance(domain, Domain | None):
            self._wrong("signing_domain", f"returned {type(domain).__name__}: it must return a domain or None")
        return Form(give=_nothing if domain is None else domain)

    def _illegal(self, seat: str, proposal: Proposal) -> RejectionReason | None:
        """Return why the last signature would make a deal that conflicts with the signer's other deals.

        Deals without `seat` are ignored: it must not learn of them, and their parties check them.
        """
        if self.request.conflict is None or not set(proposal.parties) <= {seat, *proposal.signed}:
            return None
        known = [deal for deal in self.deals if self.request.public or seat in deal.parties]
        conflict = self.request.conflict
        illegal: object = conflict([*known, proposal])
        if not isinstance(illegal, RejectionReason | None):
            self._wrong("conflict", f"returned {illegal!r}: it must return a RejectionReason or None")
        return illegal


def _nothing(_values: Values) -> None:
    """Return no domain: this signer adds nothing."""
