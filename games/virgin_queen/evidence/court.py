"""What decisions about deals, wars, ransoms and minor powers turn on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from games.virgin_queen import cards
from games.virgin_queen.diplomacy import clauses, deal_text, declarations, gifts, negotiation, relations
from games.virgin_queen.evidence.notes import spots
from games.virgin_queen.evidence.shared import Facts, Look, first, follows, leaders, reader, space, standing, wars
from games.virgin_queen.evidence.weddings import match, odds
from games.virgin_queen.keys import number_of_keys, vp
from games.virgin_queen.query import at_war, fortified, mates, neighbours, seat_of, ships_of, strength
from games.virgin_queen.state import IRELAND, MINORS, POWERS
from games.virgin_queen.table import KIT
from pbem.kernel.evidence import Fact, Meaning
from pbem.kernel.questions import Proposal

LIKELY = 2
"""So many whole proposals stand in an email."""


def own(look: Look) -> list[str]:
    """Return the powers for which the reader decides, allies that nobody plays among them."""
    return clauses.powers_of(look.table.state, look.seat)


# -- negotiations


def prices_of_war(look: Look) -> Facts:
    """Tell what it costs the reader's powers to declare war, and which of their wars can't end now."""
    table = look.table
    for power in own(look):
        open_ = [other for other in relations.listed(table.c, power) if relations.allowed(table, power, other)]
        if open_:
            costs = {other: relations.cost(table, power, other) for other in open_}
            yield Fact("war_prices", {"power": look.who(power), "costs": costs})
        foes = [other for other in POWERS if at_war(table.state, power, other)]
        if fixed := [foe for foe in foes if not relations.may_make_peace(table, power, foe)]:
            yield Fact("no_peace", {"power": look.who(power), "foes": fixed})


def givable(look: Look) -> Facts:
    """Tell from what a gift is drawn, and which mercenaries may go."""
    table = look.table
    for power in own(look):
        held, stock = cards.loose(table, power), table.state.powers[power].treasures
        if held:
            worth = {card: table.c.cards[card].cp for card in held}
            yield Fact("drawn_from", {"power": look.who(power), "cards": worth})
        if stock:
            yield Fact("treasures_held", {"power": look.who(power), "treasures": list(stock)}, main=False)
        if men := sum(gifts.soldiers(table.state, power).values()):
            yield Fact("mercenaries_held", {"power": look.who(power), "count": men}, main=False)


def captives(look: Look) -> Facts:
    """Tell which army leaders of the reader are captives, and which captives the reader holds."""
    state, mine = look.table.state, own(look)
    held = {key: leader for key, leader in state.leaders.items() if leader.captor and leader.captor != leader.power}
    lost = {key: leader.captor for key, leader in held.items() if leader.power in mine}
    kept = {key: leader.power for key, leader in held.items() if leader.captor in mine}
    yield from [Fact("captives_lost", {"leaders": lost})] if lost else []
    yield from [Fact("captives_kept", {"leaders": kept})] if kept else []


def bachelors(look: Look) -> Facts:
    """Tell the royals that are free to wed, by power, with what they add to the roll."""
    state = look.table.state
    for power in POWERS:
        free = [royal for sex in "mf" for royal in clauses.single(look.table, power, sex)]
        if free:
            ratings = {royal: state.royals[royal].eligibility for royal in free}
            yield Fact("royals", {"power": look.who(power), "royals": ratings}, main=False)


def offers(look: Look) -> Iterator[str]:
    """Yield whole proposals: peace with enemies, alliances with others; and the end of talks."""
    mine = own(look)
    yield "done"
    found = []
    for power in mine:
        by = f"{power} " if len(mine) > 1 else ""
        for other in POWERS:
            if other not in mine and seat_of(look.table.state, other):
                of = clauses.kinds(look.table, power, other)
                found += [(by, other, clause) for clause in (clauses.PEACE, clauses.ALLIANCE) if clause in of]
    found.sort(key=lambda offer: offer[2] != clauses.PEACE)
    yield from (f"propose {by}{other} of={clause}" for by, other, clause in found[:LIKELY])


def proposal(look: Look, answer: Any) -> Meaning | None:
    """Tell what binds after a proposal: nothing until all have confirmed."""
    if answer == "done":
        return Meaning(rank=-1, follows=follows("talk_over"))
    if not isinstance(answer, Mapping) or answer["do"] != "propose":
        return Meaning(rank=2 * (answer["do"] == "accept")) if isinstance(answer, Mapping) else None
    of = answer.get("of", ())
    if clauses.PEACE in of:
        return Meaning(rank=1, follows=follows("peace_binds"))
    return Meaning(follows=follows("alliance_binds")) if clauses.ALLIANCE in of else None


# -- confirmation


def terms(look: Look) -> Facts:
    """Tell the reader's announced deals in words."""
    for deal, parts in look.about["terms"].items():
        for part in parts:
            yield leg(look, "terms", part, deal)


def offered(look: Look, deal: Proposal) -> Facts:
    """Tell what is in a proposal of the open negotiation."""
    for part in clauses.legs(look.table, deal):
        yield leg(look, "offer", part)


def leg(look: Look, key: str, part: Mapping[str, Any], deal: str = "") -> Fact:
    """Return a part of a deal: what it settles, what the reader gives and gets, or else its first power."""
    mine, p, q = own(look), part["power"], part["partner"]
    giver, other = (q, p) if q in mine and p not in mine else (p, q)
    settles: list[str] = []
    gives: list[str] = []
    gets: list[str] = []
    args: dict[str, Any] = {"deal": deal, "power": look.who(giver), "partner": look.who(other)}
    for what, said in deal_text.clauses_of(part):
        if what in ("peace", "alliance"):
            settles.append(what)
        elif what == "wed":
            args["couple"] = [said["man"], said["woman"]]
        else:
            (gives if said["power"] == giver else gets).extend(goods(what, said))
    args |= {"settles": settles or ["exchange"], "gives": gives, "gets": gets, "shows": part.get("show", [])}
    return Fact(key if giver in mine else f"{key}_of_others", args)


def goods(what: str, said: Mapping[str, Any]) -> list[str]:
    """Return what a clause hands over: names, or numbers of things."""
    if what == "lend":
        return [f"ships {said['count']}", *said["leaders"]]
    if what in ("cards", "treasures", "mercenaries"):
        return [f"{what} {said['count']}"]
    return list(said["leaders"] if what == "return" else said["spaces"])


def confirmed(look: Look, answer: Any) -> Meaning | None:
    """Tell all deals first, none last: a deal that is not confirmed fails for all its parties."""
    if not answer:
        return Meaning(follows=follows("deals_void"), rank=-1)
    return Meaning(rank=len(answer))


def price_of_deals(look: Look) -> Facts:
    """Tell what the reader's deals cost: cards at random, keys with VP; and how likely their weddings succeed."""
    parts = [part for deal in look.about["terms"].values() for part in deal]
    mine = own(look)
    yield from ceded(look, parts)
    if any(
        (part["power"] in mine and "give_cards" in part) or (part["partner"] in mine and "take_cards" in part)
        for part in parts
    ):
        yield from [fact for fact in givable(look) if fact.key == "drawn_from"]
    for couple in dict.fromkeys((part["groom"], part["bride"]) for part in parts if "groom" in part):
        yield match(look, *couple)


def ceded(look: Look, parts: Sequence[Mapping[str, Any]]) -> Facts:
    """Tell how the spaces that change hands change the VP of the reader, if they do."""
    table = look.table
    for power in own(look):
        before, old = vp(table, power), dict(table.state.control)
        for part in parts:
            table.state.control |= dict.fromkeys(part.get("cede", ()), part["partner"])
            table.state.control |= dict.fromkeys(part.get("receive", ()), part["power"])
        after, table.state.control = vp(table, power), old
        if after != before:
            yield Fact("vp_after", {"power": look.who(power), "vp": before, "then": after})


KIT.turns_on(
    "negotiation",
    facts=(first(6, wars, prices_of_war, givable, captives), first(0, bachelors, standing)),
    means=proposal,
    likely=offers,
    terms=offered,
)
KIT.turns_on("confirm", facts=(first(6, terms, price_of_deals), first(0, wars, standing)), means=confirmed)


# -- announcements of one's own, homes for what deals bring


def announced(look: Look, answer: Any) -> Meaning | None:
    """Tell how likely a wedding succeeds, and what an alliance between one's own powers brings."""
    if answer == "pass":
        return None
    if answer["do"] == "ally":
        return Meaning(follows=follows("alliance_binds"))
    chances = odds(look.table, answer["groom"], answer["bride"])
    return Meaning(follows=follows("match_odds", **chances), rank=1)


def own_weddings(look: Look) -> Iterator[str]:
    """Yield the couples that the reader may announce alone."""
    yield "pass"
    yield from (f"wed {man} {woman}" for man, woman in negotiation.own_couples(look.table, own(look))[:6])


KIT.turns_on("announce", facts=(bachelors,), means=announced, likely=own_weddings)


def who_returns(look: Look) -> Facts:
    """Tell the ratings of the leader who comes home."""
    yield from leaders(look, [look.word("leader")])


KIT.turns_on("homecoming", facts=(who_returns,), means=spots())
KIT.turns_on("berth", facts=(wars,), means=spots())


def capitals(look: Look) -> Facts:
    """Tell what stands in the capitals that can take mercenaries, and what threatens them."""
    for at in gifts.capitals(look.table, reader(look)):
        yield space(look, at)


KIT.turns_on("quarter", facts=(capitals,))


# -- ransom


def prisoners(look: Look) -> Facts:
    """Tell the ratings of the captives and who holds them."""
    for key in dict.fromkeys(leader for held in look.about.values() for leader in held):
        card, captor = look.table.c.generals[key], look.table.state.leaders[key].captor
        yield Fact("captive", {"leader": key, "captor": captor, "battle": card.battle, "command": card.command})


def ransom_price(look: Look) -> Facts:
    """Tell from what the ransom is drawn: cards, or treasures if the hand has no more cards than treasures."""
    table = look.table
    for power in look.about:
        held, stock = cards.loose(table, power), table.state.powers[power].treasures
        if len(held) > len(stock):
            worth = {card: table.c.cards[card].cp for card in held}
            hand = len(table.state.powers[power].hand)
            yield Fact("ransom_cards", {"power": look.who(power), "count": hand, "cards": worth})
        else:
            yield Fact("ransom_treasures", {"power": look.who(power), "treasures": list(stock)})


def freed(look: Look, answer: Any) -> Meaning | None:
    """Tell who comes home, for how many cards."""
    number = sum(len(held) for held in answer.values()) if isinstance(answer, Mapping) else len(answer)
    return Meaning(follows=follows("ransomed", count=number), rank=1) if number else Meaning(follows=follows("held_on"))


KIT.turns_on("ransom", facts=(prisoners, ransom_price), means=freed)


# -- declarations of war


def enemies(look: Look) -> Facts:
    """Tell the keys and VP of each possible enemy."""
    table = look.table
    major = [other for other in look.about["costs"] if other in POWERS]
    if major:
        told = {other: f"{number_of_keys(table, other)}/{vp(table, other)}" for other in major}
        yield Fact("keys_and_vp", {"powers": told})


def payable(look: Look) -> Facts:
    """Tell the cards and treasures that can pay, with their CP."""
    purse = declarations.money(look.table, look.word("power"))
    order = sorted(purse, key=lambda key: -purse[key])
    if purse:
        yield Fact("payable", {"cards": {key: purse[key] for key in order}})
    else:
        yield Fact("cannot_pay", {})


def cheapest(look: Look, on: Sequence[str]) -> str:
    """Return the payment that loses least, "" if they can't be paid for."""
    purse = declarations.money(look.table, look.word("power"))
    found = declarations.payments(purse, sum(look.about["costs"][other] for other in on))
    return min(found, key=lambda way: sum(purse[key] for key in way.split("+")), default="")


def wars_to_pay(look: Look) -> Iterator[str]:
    """Yield a declaration on each power that can be paid for, with the payment that loses least."""
    form = declarations.domain(look.table, look.word("power"))
    yield form.text({"on": []})
    for other in look.about["costs"]:
        if pay := cheapest(look, [other]):
            yield form.text({"on": [other], "pay": pay})


def declared(look: Look, answer: Any) -> Meaning | None:
    """Tell the price, what is paid beyond it, and what a war on a minor power costs besides."""
    table, power = look.table, look.word("power")
    on = answer.get("on", ()) if isinstance(answer, Mapping) else ()
    if not on:
        return Meaning(follows=follows("no_declaration"), rank=-1)
    cost, purse = sum(look.about["costs"][other] for other in on), declarations.money(table, power)
    paid = [key for key in answer["pay"].split("+") if key in purse]
    notes: list[Fact] = []
    if over := sum(purse[key] for key in paid) - cost:
        notes += follows("paid_beyond", cp=over)
    notes += [Fact("influence_gone", {"minor": other}) for other in on if other in table.state.minors]
    return Meaning(cost=cost, follows=tuple(notes))


KIT.turns_on("declare_war", facts=(payable, enemies, first(0, prices_of_war, wars)), means=declared, likely=wars_to_pay)


# -- minor powers


def lands(look: Look) -> Facts:
    """Tell what a minor power has: keys, units, and the strength of the attacker that is near."""
    table = look.table
    state, minor = table.state, look.word("minor")
    homes = [at for at in table.c.homes[minor] if state.control[at] == minor]
    found = [at for at in homes if table.c.spaces[at].type == "key"]
    units = {at: strength(state, minor, at) for at in homes if strength(state, minor, at)}
    yield Fact("minor_keys", {"minor": minor, "count": len(found), "spaces": found}, tuple(homes))
    if units:
        yield Fact("minor_units", {"minor": minor, "units": units})
    foe = look.about.get("against") or look.about.get("on", "")
    if foe:
        yield near_force(look, foe, homes)


def near_force(look: Look, power: str, homes: Sequence[str]) -> Fact:
    """Return how many units a power has in these spaces and beside them, and ships in their waters and the next."""
    table = look.table
    state = table.state
    land = dict.fromkeys(near for at in homes for near in (at, *neighbours(table, power, at)))
    zones = dict.fromkeys(zone for at in homes for zone in table.c.spaces[at].port)
    zones |= dict.fromkeys(near for zone in list(zones) for near in table.c.zones[zone].adjacent)
    waters = [*zones, *dict.fromkeys(port for zone in zones for port in table.c.ports[zone])]
    args = {
        "power": look.who(power),
        "units": sum(strength(state, power, at) for at in land),
        "ships": sum(ships_of(state, power, at) for at in waters),
    }
    return Fact("near_force", args)


def intervening(look: Look, answer: Any) -> Meaning | None:
    """Tell what standing aside and stepping in mean."""
    state, power = look.table.state, look.word("power")
    minor, foe = look.word("minor"), look.word("against")
    if answer == "neutral":
        return Meaning(follows=follows("stands_alone", minor=minor, power=foe))
    keys = sum(look.table.c.spaces[at].type == "key" for at in look.table.c.homes[minor] if state.control[at] == minor)
    war = () if at_war(state, power, foe) else follows("war_with", power=foe)
    return Meaning(follows=(Fact("ally_gained", {"minor": minor, "count": keys}), *war), rank=1)


KIT.turns_on("intervene", facts=(lands, wars, first(0, standing)), means=intervening)


def guests(look: Look) -> Facts:
    """Tell which of the reader's units would have to leave the minor power's spaces."""
    state, power = look.table.state, look.word("power")
    homes = look.table.c.homes[look.word("minor")]
    here = {at: strength(state, power, at) for at in homes if strength(state, power, at)}
    if here:
        yield Fact("guests", {"spaces": here}, tuple(here))


def free_war(look: Look, answer: Any) -> Meaning | None:
    """Tell what a war at no cost would cost in the diplomacy phase, and what peace means."""
    power, on = look.word("power"), look.about["on"]
    if answer == "yes":
        price = relations.cost(look.table, power, on)
        return Meaning(follows=follows("war_free", power=on, cp=price) if price > 0 else follows("war_with", power=on))
    return Meaning(follows=follows("leave_spaces" if look.kind == "join_war" else "at_peace", power=on))


KIT.turns_on("join_war", facts=(lands, guests, wars, first(0, standing)), means=free_war)


def dublin(look: Look) -> Facts:
    """Tell the strength at Ulster and at Dublin."""
    yield space(look, "ulster")
    yield space(look, "dublin")


KIT.turns_on("irish_war", facts=(dublin, wars, standing), means=free_war)


def irish(look: Look, answer: Any) -> Meaning | None:
    """Tell the odds in numbers of a march on Dublin."""
    state, power = look.table.state, reader(look)
    if answer == "stay":
        return Meaning(follows=follows("stays_put"))
    ours = strength(state, power, "ulster")
    friends = mates(state, power)
    theirs = sum(strength(state, other, "dublin") for other in (*POWERS, *MINORS) if other not in friends)
    walls = fortified(look.table, "dublin") and state.control["dublin"] not in (power, IRELAND)
    return Meaning(follows=follows("march_siege" if walls else "march_open", ours=ours, theirs=theirs), rank=1)


KIT.turns_on("irish_march", facts=(dublin,), means=irish)
