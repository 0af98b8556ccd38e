"""What powers may agree on (9.1, 9.2): the form of a deal, and each clause that is possible now.

A deal is between two powers, or has further parts (`also`). All powers that it names must sign and confirm it,
and it is executed as a whole or not at all (9.1). In a part `of` lists the clauses. Each clause but `peace` and
`alliance` has its field. Everything named is public; the game's dice draw cards and treasures. `show` reveals
one's own cards and treasures to the partner on proposal and binds nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

import msgspec

from games.virgin_queen import fleets, refusals
from games.virgin_queen.components import QueenComponents
from games.virgin_queen.courts.deaths import MARY
from games.virgin_queen.diplomacy import gifts, relations
from games.virgin_queen.diplomacy.gifts import NOTHING, DealPromises
from games.virgin_queen.formations import LongSeries
from games.virgin_queen.gate import may_stand
from games.virgin_queen.query import SIDES, admirals, at_war, commander, other_players, seat_of
from games.virgin_queen.state import FRANCE, INDEPENDENT, MINORS, POWERS, PROTESTANT, SPAIN, QueenState
from games.virgin_queen.table import Table
from pbem.kernel.domains import Amount, Below, Choice, Distribution, Domain, Form, Optional, Subset
from pbem.kernel.questions import Proposal

PEACE, PEACE_WED, ALLIANCE, LEND, BORROW, WED = "peace", "dynastic-peace", "alliance", "lend", "borrow", "wed"
RETURN, RECOVER, CEDE, RECEIVE, SHOW = "return", "recover", "cede", "receive", "show"
GIFTS = ("cards", "treasures", "mercenaries")
NOT_LENT = ("corsair", "armada")
PARTS = 5
"""The most parts of a deal besides its first."""
GROUPS = (
    ((PEACE, PEACE_WED, ALLIANCE, LEND, BORROW), 1),
    (("give-cards", "take-cards"), 1),
    (("give-treasures", "take-treasures"), 1),
    (("give-mercenaries", "take-mercenaries"), 1),
)
"""Clauses that exclude each other: peace and alliance (9.1), gifts in both directions (9.1)."""


def powers_of(state: QueenState, seat: str) -> list[str]:
    """Return the major powers for which a seat negotiates: its own and those activated as its allies (27)."""
    return [power for power in POWERS if seat_of(state, power) == seat]


def terms(table: Table, seat: str) -> Form | None:
    """Return the form of a proposal: `power` (if several), `partner`, clauses, their fields, further parts."""
    state = table.state
    mine = powers_of(state, seat)
    partners = {power: found for power in mine if (found := _partners(table, power, NOTHING))}
    if not partners:
        return None
    several = len(mine) > 1

    def power_of(values: Any) -> str:
        return str(values.power if several else mine[0])

    parts: dict[str, Form | None] = {}

    def part(before: Sequence[Mapping[str, Any]]) -> Form | None:
        key = repr(before)  # deals with the same beginning are checked and listed over and over
        if key not in parts:
            parts[key] = _part(table, before)
        return parts[key]

    def also(values: Any) -> Domain | None:
        if list(values.of) == [SHOW]:
            return None
        return Optional(_Also(part, lambda: _leg(power_of(values), values)))

    fields: dict[str, Any] = {"power": Choice(list(partners), "power")} if several else {}
    return Form({**fields, **_fields(table, power_of, partners.__getitem__, NOTHING), "also": also})


def _partners(table: Table, power: str, said: DealPromises) -> list[str]:
    return [other for other in other_players(table.state, power) if any(kinds(table, power, other, said))]


def _fields(table: Table, power_of: Any, partners: Any, said: DealPromises) -> dict[str, Any]:
    def partner(values: Any) -> Domain:
        return Choice(partners(power_of(values)), "power", lambda other: refusals.partner(table, other))

    def of(values: Any) -> Domain:
        p, q = power_of(values), values.partner
        found = [*kinds(table, p, q, said)]
        groups = [(here, most) for group, most in GROUPS if len(here := [c for c in group if c in found]) > most]
        why = partial(refusals.clause, table, p, q, said)
        return Subset(found, 1, len(found), groups=groups, what="clauses", why=why)

    fields: dict[str, Any] = {"partner": partner, "of": of}
    memo: dict[tuple[str, str, str], Domain | None] = {}
    for name, (clauses, build) in FIELDS.items():
        fields[name] = _field(table, power_of, name, clauses, build, memo, said)
    return fields


def _field(
    table: Table,
    power_of: Callable[[Any], str],
    name: str,
    clauses: Sequence[str],
    build: Callable[[Table, str, str, Any, DealPromises], Domain | None],
    memo: dict[tuple[str, str, str], Domain | None],
    said: DealPromises,
) -> Any:
    """Return a field of the form. The state doesn't change meanwhile, so each domain is computed once."""

    def field(values: Any) -> Domain | None:
        if not any(clause in clauses for clause in values.of):
            return None
        p, q = power_of(values), values.partner
        if name in ("admirals", "bride"):
            return build(table, p, q, values, said)
        if (name, p, q) not in memo:
            memo[name, p, q] = build(table, p, q, values, said)
        return memo[name, p, q]

    return field


class _Also(LongSeries):
    """Further parts of a deal, none or more, between any two powers, of what the earlier parts have left."""

    __slots__ = ()

    def __init__(
        self, part: Callable[[Sequence[Mapping[str, Any]]], Form | None], first: Callable[[], dict[str, Any]]
    ) -> None:
        super().__init__(lambda so_far: part([first(), *so_far]), 0, PARTS, "parts")

    def sample(self, below: Below) -> Any:
        return [] if below(4) else super().sample(below)


def _leg(power: str, values: Any) -> dict[str, Any]:
    found = {"power": power, "partner": values.partner, "of": values.of}
    return found | {name: value for name in FIELDS if (value := getattr(values, name)) is not None}


def _part(table: Table, before: Sequence[Mapping[str, Any]]) -> Form | None:
    """Return the form of one more part, None if the powers can't agree on anything more."""
    said = DealPromises.of(before)
    known: dict[str, list[str]] = {}

    def partners(power: str) -> list[str]:
        if power not in known:
            known[power] = _partners(table, power, said)
        return known[power]

    found = [power for power in POWERS if seat_of(table.state, power) and partners(power)]
    if not found:
        return None
    fields = _fields(table, lambda values: values.power, partners, said)
    return Form({"power": Choice(found, "power"), **fields})


def legs(table: Table, deal: Proposal) -> list[Mapping[str, Any]]:
    """Return all parts of a deal, each with its `power` and `partner`."""
    first = {"power": powers_of(table.state, deal.by)[0], **deal.terms}
    return [first, *deal.terms.get("also", ())]


def binding(deal: Proposal) -> Proposal | None:
    """9.1 Return the part of a deal that changes the game, None if nothing: showing cards is done at once."""
    of = [clause for clause in deal.terms["of"] if clause != SHOW]
    terms = {key: value for key, value in deal.terms.items() if key != SHOW} | {"of": of}
    return msgspec.structs.replace(deal, terms=terms) if of else None


def kinds(table: Table, p: str, q: str, said: DealPromises = NOTHING) -> Iterator[str]:
    """Yield the clauses that p and q could agree on now, next to other parts of the same deal."""
    state = table.state
    if said is NOTHING and _showable(state, p):  # showing is always possible: 9.1 bars only agreements
        yield SHOW
    if relations.is_barred_by_league(state, p, q) or frozenset((p, q)) in said.pairs:
        return
    if at_war(state, p, q):
        if relations.may_make_peace(table, p, q):
            yield PEACE
            if couples(table, p, q, said):
                yield PEACE_WED
    else:
        if relations.may_ally(table, p, q) and not said.bars_alliance(p, q):
            yield ALLIANCE
            yield from [LEND] if lendable(table, p, q, said) else []
            yield from [BORROW] if lendable(table, q, p, said) else []
        if couples(table, p, q, said):
            yield WED
    yield from [RETURN] if captives(table.state, p, q) else []
    yield from [RECOVER] if captives(table.state, q, p) else []
    yield from [CEDE] if ceded(table, p, q, said) else []
    yield from [RECEIVE] if ceded(table, q, p, said) else []
    for gift in GIFTS:
        yield from [f"give-{gift}"] if gifts.limit(table, p, q, gift, said) else []
        yield from [f"take-{gift}"] if gifts.limit(table, q, p, gift, said) else []


def _showable(state: QueenState, power: str) -> list[str]:
    """9.1 Return the cards and treasures of a hand, each of which may be shown to another player."""
    own = state.powers[power]
    return [*own.hand, *own.treasures]


def lendable(table: Table, lender: str, borrower: str, said: DealPromises = NOTHING) -> dict[str, int]:
    """9.2 Return the ships that a power could lend, by key: its own, no corsairs, no Armada, one way in a turn."""
    state = table.state
    if state.powers[borrower].used.get(f"lent-to-{lender}"):
        return {}
    return {
        key: left
        for key, (place, fleet, kind) in fleets.keyed(state, lender, lent=False).items()
        if kind not in NOT_LENT
        and (left := fleet.ships[kind] - said.count("ships", lender, key)) > 0
        and SIDES.get(fleet.owner, fleet.owner) == fleet.power == lender
        and harbours(table, borrower, place)
    }


def harbours(table: Table, borrower: str, place: str) -> list[str]:
    """9.2 Return the borrower's ports nearest to lent ships over sea zones; the route uses no port."""
    c, control = table.c, table.state.control
    zones = [place] if place in c.zones else list(c.spaces[place].port)
    seen = set(zones)
    while zones:
        if found := [
            port
            for zone in zones
            for port in c.ports[zone]
            if control[port] == borrower and may_stand(table, borrower, port)
        ]:
            return list(dict.fromkeys(found))
        zones = [near for zone in zones for near in c.zones[zone].adjacent if near not in seen]
        seen.update(zones)
    return []


def some_ships(found: Mapping[str, int]) -> Domain:
    """Return a domain of at least one of the ships that may be lent."""
    return Distribution(dict(found), (1, sum(found.values())), what="ships")


def _admirals(table: Table, lender: str, values: Any, said: DealPromises) -> Domain | None:
    """Return the naval leaders who may go with the ships (9.2)."""
    state = table.state
    keyed = fleets.keyed(state, lender, lent=False)
    places = {keyed[key][0] for key in values.lend or values.borrow}
    there = [key for place in sorted(places) for key in admirals(state, lender, place)]
    found = [key for key in there if commander(state, key).power == lender and key not in said.things]
    return Subset(found, 0, len(found), what="leaders") if found else None


def captives(state: QueenState, captor: str, owner: str) -> list[str]:
    """9.1 Return army leaders of `owner` whom `captor` holds."""
    return [key for key, leader in state.leaders.items() if leader.captor == captor and leader.power == owner]


def ceded(table: Table, giver: str, receiver: str, said: DealPromises = NOTHING) -> list[str]:
    """9.1 Return the spaces that one power may cede to another."""
    state, c = table.state, table.c
    found = _cedable(c, giver, receiver)
    for minor in MINORS:
        if state.minors[minor].ally == receiver:  # its home spaces are its ally's (2.2)
            found += tuple(space for space in c.homes[minor] if space not in found)
    return [space for space in found if state.control[space] == giver and space not in said.things]


@cache
def _cedable(c: QueenComponents, giver: str, receiver: str) -> tuple[str, ...]:
    return tuple(space for space in c.spaces if _may_cede(c, giver, receiver, space))


def _may_cede(c: QueenComponents, giver: str, receiver: str, space: str) -> bool:
    """9.1 Return whether a power could cede a space to another if it held it; not by a minor power's alliance."""
    # 9.1 a): back to its home power.
    info = c.spaces[space]
    if info.home == receiver or space in c.homes[receiver]:
        return True
    # b) in France, between France and the Protestants; c) in the Netherlands, between Spain and the Protestants.
    if info.home == FRANCE and {giver, receiver} == {FRANCE, PROTESTANT}:
        return True
    if info.area == "netherlands" and {giver, receiver} == {SPAIN, PROTESTANT}:
        return True
    # d) an independent space next to a home space of the receiver, by land or in one sea zone.
    near = (*c.land[space], *(port for zone in info.port for port in c.ports[zone]))
    return info.home == INDEPENDENT and any(at in c.homes[receiver] for at in near)


def _gift(gift: str, *, give: bool) -> Any:
    def build(table: Table, p: str, q: str, _: Any, said: DealPromises) -> Domain:
        giver, receiver = (p, q) if give else (q, p)
        most = gifts.limit(table, giver, receiver, gift, said)
        if gift == "mercenaries":
            return Distribution(gifts.soldiers(table.state, giver, said), (1, most), what=gift)
        return Amount(1, most, what=gift)

    return build


def couples(table: Table, p: str, q: str, said: DealPromises = NOTHING) -> list[tuple[str, str]]:
    """9.1 Return men and women, one of p and one of q (or both of p), who may be betrothed."""
    sides = ((p, q), (q, p)) if p != q else ((p, p),)
    found = []
    for side, other in sides:
        men = single(table, side, "m")
        women = single(table, other, "f") if men else []
        found += [(man, woman) for man in men for woman in women if not _same_house(table, man, woman)]
    return [couple for couple in found if said.things.isdisjoint(couple)]


def single(table: Table, power: str, sex: str) -> list[str]:
    """9.1 Return the royals of a power who are free to wed: not captive Mary, no captive army leader."""
    state, c = table.state, table.c
    own = {key: c.royals[key] for key, royal in state.royals.items() if royal.power == power and royal.state == "free"}
    held = {key for key, card in own.items() if card.leader and state.leaders[card.leader].captor}
    if state.mary == "captive":
        held.add(MARY)
    return [key for key, card in own.items() if card.sex == sex and key not in held]


def bachelors(table: Table, seat: str) -> list[str]:
    """9.1 Return the men who are free to wed, of all powers for which a seat negotiates."""
    return [man for power in powers_of(table.state, seat) for man in single(table, power, "m")]


def _same_house(table: Table, man: str, woman: str) -> bool:
    house = table.c.royals[man].dynasty
    return bool(house) and house == table.c.royals[woman].dynasty


def _groom(table: Table, p: str, q: str, _: Any, said: DealPromises) -> Domain:
    men = list(dict.fromkeys(man for man, _ in couples(table, p, q, said)))
    return Choice(men, "royal", partial(refusals.royal, table, (p, q)))


def _bride(table: Table, p: str, q: str, values: Any, said: DealPromises) -> Domain:
    women = [woman for man, woman in couples(table, p, q, said) if man == values.groom]
    return Choice(women, "royal", partial(refusals.royal, table, (p, q)))


FIELDS: dict[str, tuple[tuple[str, ...], Any]] = {
    "lend": ((LEND,), lambda table, p, q, _, said: some_ships(lendable(table, p, q, said))),
    "borrow": ((BORROW,), lambda table, p, q, _, said: some_ships(lendable(table, q, p, said))),
    "admirals": ((LEND, BORROW), lambda table, p, q, v, said: _admirals(table, p if v.lend else q, v, said)),
    "return": ((RETURN,), lambda table, p, q, *_: _some(captives(table.state, p, q), "leaders")),
    "recover": ((RECOVER,), lambda table, p, q, *_: _some(captives(table.state, q, p), "leaders")),
    "cede": ((CEDE,), lambda table, p, q, _, said: _spaces(table, p, q, said)),
    "receive": ((RECEIVE,), lambda table, p, q, _, said: _spaces(table, q, p, said)),
    **{
        f"{way}_{gift}": ((f"{way}-{gift}",), _gift(gift, give=way == "give"))
        for gift in GIFTS
        for way in ("give", "take")
    },
    "groom": ((WED, PEACE_WED), _groom),
    "bride": ((WED, PEACE_WED), _bride),
    "show": ((SHOW,), lambda table, p, *_: _some(_showable(table.state, p), "cards")),
}
"""Field → the clauses that need it, and its domain for (table, power, partner, fields before, other parts)."""


def _spaces(table: Table, giver: str, receiver: str, said: DealPromises) -> Domain:
    found = ceded(table, giver, receiver, said)
    return Subset(found, 1, len(found), what="spaces", why=partial(refusals.ceding, table, giver, receiver))


def _some(found: Sequence[str], what: str) -> Domain:
    return Subset(list(found), 1, len(found), what=what)


def parties(table: Table, seat: str, value: Mapping[str, Any]) -> list[str]:
    """Return which seats must sign: the proposer and the seats of all other powers that the deal names (9.1)."""
    named = [value["partner"]]
    for part in value.get("also", ()):
        named += [part["power"], part["partner"]]
    return list(dict.fromkeys([seat, *(seat_of(table.state, power) for power in named)]))
