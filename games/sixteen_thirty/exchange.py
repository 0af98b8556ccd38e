"""Exchanging cards (3): up to three a side, from hands, with one other player, and no lies about the kind of card.

The phasing player names a partner, with a first offer if they like, then both negotiate in a window of fixed length
(S-26). Who has made a first offer is done until the partner proposes something. A proposal lists the cards of its
maker; the partner sees their kinds, and their votes only if the maker says so. The signer names their own cards for
the kinds asked, so an agreed deal can always be delivered. Cards may be given for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NotRequired, TypedDict

from games.sixteen_thirty import refusals
from games.sixteen_thirty.components import ThirtyComponents, face_of
from games.sixteen_thirty.table import KIT, Table
from pbem.kernel.domains import Below, Choice, Domain, Form, Menu, Optional, Series, Subset, Value
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask, Deal, Negotiate, Proposal
from pbem.kernel.rejections import rejection

KIT.chapter("3", "the exchange with one player", "exchange.py")
_partner = KIT.question("partner", "3")
EXCHANGE = KIT.question("exchange", "3", "negotiation")
NOBODY = "nobody"


class ExchangeOffer(TypedDict):
    """Terms of a proposal: own cards for kinds of cards, from whom, and whether their votes are shown."""

    to: NotRequired[str]
    give: list[str]
    want: list[str]
    votes: NotRequired[str]


class FirstOffer(TypedDict, total=False):
    """What is offered to a partner in naming them: as in an exchange, or nothing yet."""

    give: list[str]
    want: list[str]
    votes: str


Meant = Mapping[str, tuple[str, str]]
"""What each card may be called: `ThirtyComponents.meant`."""


def exchange(table: Table, seat: str) -> Play:
    """Run the phase: at most one exchange, if the player or their partner has a card to give."""
    if not (partners := _possible(table, seat)):
        return
    opening: ExchangeOffer | None = None
    if table.rule("exchange") == "open":
        seats = (seat, *partners)
    else:
        answer = yield from ask_partner(table, seat)
        partner = answer if isinstance(answer, str) else answer["do"]
        if partner == NOBODY:
            return
        seats = (seat, partner)
        opening = _opening(answer)
        table.log("exchange.opens", rule="3", seat=seat, partner=partner)
    deals = yield from Negotiate(
        seats,
        terms=partial(_clauses, table, seat, seats),
        parties=lambda who, terms: (who, terms.get("to", seats[1]) if who == seats[0] else seats[0]),
        signing_domain=partial(_delivery, table),
        visible_terms=partial(_shown, table),
        sample_terms=partial(_imagined, table),
        limit=1,
        opening=[(seat, opening)] if opening is not None else [],
        public=len(seats) > 2,
        kind=EXCHANGE.kind,
        rule=EXCHANGE.rule,
        about={"seat": seat, "partners": list(seats[1:])},
    )
    for deal in deals:
        _swap(table, deal)


def _possible(table: Table, seat: str) -> Sequence[str]:
    """Return the possible partners: one of both must have a card to give."""
    players, others = table.state.players, table.clockwise(seat)[1:]
    return others if players[seat].hand else [other for other in others if players[other].hand]


def ask_partner(table: Table, seat: str) -> Ask[Any]:
    """Ask for a partner, who may be named together with a first offer."""
    return _partner(seat, partial(_partners, table, seat), NOBODY)


class _Partners(Menu[Any], eq=False):
    """A seat, alone or with a first offer. Listed and drawn are seats alone: offers are too many."""

    def options(self) -> Iterator[Value]:
        return iter(self.words)

    def sample(self, below: Below) -> Value:
        return self.words[below(len(self.words))]

    def syntax(self) -> str:
        offer = self.entry(self.words[-1])
        return f"{' | '.join(self.words)} {offer.syntax() if offer is not None else ''}".strip()


class _FirstOffer(Form[FirstOffer]):
    """What is offered in naming a partner. No field depends on another, so that a view file describes it whole."""

    def check(self, value: Value, beside: str | None = None) -> None:
        super().check(value, beside)
        if "give" not in value and not value.keys().isdisjoint(self.fields):
            raise rejection("answer.missing", what="give", rule="3")

    def options(self) -> Iterator[FirstOffer]:
        return filter(self.accepts, super().options())

    def sample(self, below: Below) -> FirstOffer:
        offer = super().sample(below)
        return offer if "give" in offer else {}


def _partners(table: Table, seat: str) -> _Partners:
    offer, why = partial(_first_offer, table, seat), partial(refusals.partner, table, seat)
    return _Partners({NOBODY: None, **dict.fromkeys(_possible(table, seat), offer)}, None, why, alone=True)


def _first_offer(table: Table, seat: str) -> Form[FirstOffer]:
    """Return the form `[give=<own cards> [want=<kinds>] [votes=told|vague]]`: without `want` it is a gift."""
    hand, most = sorted(table.state.players[seat].hand), table.c.hand.exchange
    if not hand:
        return Form()
    give = Subset(hand, 1, most, what="card", why=partial(refusals.in_hand, table, seat, "3"))
    return _FirstOffer(give=Optional(give), want=Optional(_wanted(table.c)), votes=_VOTES)


def _opening(answer: Any) -> ExchangeOffer | None:
    """Return the offer that names a partner, if there is one."""
    if isinstance(answer, str) or "give" not in answer:
        return None
    offer: ExchangeOffer = {"give": answer["give"], "want": answer.get("want", [])}
    if "votes" in answer:
        offer["votes"] = answer["votes"]
    return offer


def _clauses(table: Table, seat: str, seats: tuple[str, ...], who: str) -> Form[ExchangeOffer] | None:
    """Return the form `give=<own cards> want=<kinds> [votes=told|vague] [to=<partner>]`; `want=none` is a gift."""
    hand, most = table.state.players[who].hand, table.c.hand.exchange
    if not hand:
        return None
    fields: dict[str, Domain] = {}
    if who == seat and len(seats) > 2:
        fields["to"] = Choice(seats[1:], "partner")
    why = partial(refusals.in_hand, table, who, "3")
    fields["give"] = Subset(sorted(hand), 1, most, what="card", why=why)  # their order in hand is a secret
    fields["want"] = _wanted(table.c)
    fields["votes"] = _VOTES
    return Form(fields)


_VOTES = Optional(Choice(("vague", "told")))


@lru_cache(maxsize=16)
def _wanted(c: ThirtyComponents) -> Series[str]:
    return Series(Choice(kinds(c), "card"), 0, c.hand.exchange, "card")


def kinds(c: ThirtyComponents) -> tuple[str, ...]:
    """Return what a card may be called: its kind (`england`, `open`, `vote`) or kind and votes (`england-2`)."""
    out = dict.fromkeys(c.meant[key][0] for key in c.deck)
    out.update(dict.fromkeys(face_of(key) for key in c.deck if c.cards[key].votes))
    return tuple(out)


def _shown(table: Table, terms: ExchangeOffer) -> ExchangeOffer:
    """Return the terms as the partner sees them."""
    told = terms.get("votes") == "told"  # `meant` has the kind, then the face
    return {**terms, "give": [table.c.meant[key][told] for key in terms["give"]]}


def _imagined(table: Table, by: str, heard: ExchangeOffer) -> ExchangeOffer | None:
    """Imagine cards of `by` for their proposal: nobody may lie about kinds (3).

    In a world of chance they may lack one: they get it from the deck for a card that they don't offer.
    """
    hand, deck = table.state.players[by].hand, table.state.deck
    told = heard.get("votes") == "told"
    give: list[str] = []
    for face in heard["give"]:
        held = [key for key in hand if key not in give and table.c.meant[key][told] == face]
        if not held:
            spare = [key for key in hand if key not in give]
            found = next((key for key in deck if table.c.meant[key][told] == face), None)
            if found is None or not spare:
                return None
            at, other = deck.index(found), hand.index(spare[0])
            deck[at], hand[other] = hand[other], deck[at]
            held = [found]
        give.append(held[0])
    return {**heard, "give": give}


def _delivery(table: Table, who: str, proposal: Proposal[ExchangeOffer]) -> Domain[list[str]] | None:
    """Return which cards the signer gives, by the kinds asked; None for a gift. Raises `Rejection` if they lack one."""
    offer: ExchangeOffer = proposal.terms
    meant, hand, want = table.c.meant, table.state.players[who].hand, offer["want"]
    if not want:
        return None
    if not _suffices(meant, hand, want):
        raise rejection("exchange.lacking", rule="3", kinds=list(want))
    return Series(partial(_next_card, meant, hand, want), len(want), len(want), "card")


def _next_card(meant: Meant, hand: Sequence[str], want: Sequence[str], so_far: Sequence[str]) -> Domain[str] | None:
    """Return the cards that serve the next kind asked and leave enough for those after it."""
    if len(so_far) == len(want):
        return None
    left = [key for key in hand if key not in so_far]
    now, later = want[len(so_far)], want[len(so_far) + 1 :]
    fitting = [key for key in left if now in meant[key]]
    if later:
        fitting = [key for key in fitting if _suffices(meant, [k for k in left if k != key], later)]
    return Choice(fitting, "card")


def _suffices(meant: Meant, left: Sequence[str], want: Sequence[str]) -> bool:
    """Return whether `left` can serve all that is wanted; kinds with votes first, as they are harder to serve."""
    # Most hands that do not suffice have no card of some kind.
    if not set().union(*map(meant.__getitem__, left)).issuperset(want):
        return False
    free = list(left)
    for kind in sorted(want, key=lambda kind: not kind[-1].isdigit()) if len(want) > 1 else want:
        for key in free:
            if kind in meant[key]:
                free.remove(key)
                break
        else:
            return False
    return True


def _swap(table: Table, deal: Deal[ExchangeOffer]) -> None:
    """Deliver both sides at once. The public log shows the kinds, the two players see the cards."""
    players, meant = table.state.players, table.c.meant
    maker, partner = deal.parties
    offer: ExchangeOffer = deal.terms
    given, taken = offer["give"], list[str](deal.signed[partner]) if offer["want"] else []
    for giver, taker, cards in ((maker, partner, given), (partner, maker, taken)):
        for key in cards:
            players[giver].hand.remove(key)
            players[taker].hand.append(key)
    kinds_given = [meant[key][0] for key in given]
    if not taken:
        both = {"cards": given}
        table.log("exchange.gift", rule="3", seat=maker, partner=partner, given=kinds_given,
                  private={maker: both, partner: both})  # fmt: skip
        return
    table.log(
        "exchange.done", rule="3", seat=maker, partner=partner,
        given=kinds_given, taken=[meant[key][0] for key in taken],
        private={maker: {"gave": given, "got": taken}, partner: {"gave": taken, "got": given}},
    )  # fmt: skip
