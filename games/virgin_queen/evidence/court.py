"""What decisions about deals, wars, ransoms and minor powers turn on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from games.virgin_queen import cards
from games.virgin_queen.courts.deaths import ELIZABETH
from games.virgin_queen.diplomacy import clauses, deal_text, declarations, gifts, negotiation, relations
from games.virgin_queen.evidence import shared
from games.virgin_queen.evidence.phases import eligible, elizabeth, match, odds
from games.virgin_queen.evidence.shared import Facts, Look, Order, first, means, note, reader, words
from games.virgin_queen.keys import number_of_keys, vp
from games.virgin_queen.query import at_war, fortified, mates, neighbours, seat_of, ships_of, strength
from games.virgin_queen.state import IRELAND, MINORS, POWERS
from games.virgin_queen.table import KIT
from pbem.kernel.evidence import Fact, Meaning, says
from pbem.kernel.questions import Proposal

LIKELY = 2
"""So many whole proposals are in an email."""


def own(look: Look) -> list[str]:
    """Return the powers for which the reader decides, allies that nobody plays among them."""
    return clauses.powers_of(look.table.state, look.seat)


def in_cp(look: Look, held: Sequence[str]) -> dict[str, int]:
    """Return the CP of cards."""
    return {card: look.table.c.cards[card].cp for card in held}


def prices_of_war(look: Look) -> Facts:
    """Tell what it costs the reader's powers to declare war, and which of their wars can't end now."""
    table = look.table
    for power in own(look):
        open_ = [other for other in relations.listed(table.c, power) if relations.allowed(table, power, other)]
        if open_:
            costs = {other: relations.cost(table, power, other) for other in open_}
            yield note("war_prices", power=look.who(power), costs=costs)
        foes = [other for other in POWERS if at_war(table.state, power, other)]
        if fixed := [foe for foe in foes if not relations.may_make_peace(table, power, foe)]:
            yield note("no_peace", power=look.who(power), foes=fixed)


def drawn_from(look: Look, power: str) -> Facts:
    """Tell from which cards a gift is drawn."""
    if held := cards.loose(look.table, power):
        yield note("drawn_from", power=look.who(power), cards=in_cp(look, held))


def givable(look: Look) -> Facts:
    """Tell from what a gift is drawn, and which mercenaries may go, if somebody could get them."""
    state, found = look.table.state, [*partners(look)]
    for power in own(look):
        open_to = {kind for giver, _, kinds in found if giver == power for kind in kinds}
        yield from drawn_from(look, power) if "give-cards" in open_to else ()
        if "give-treasures" in open_to:
            yield note("treasures_held", main=False, power=look.who(power), treasures=[*state.powers[power].treasures])
        if "give-mercenaries" in open_to:
            men = sum(gifts.soldiers(state, power).values())
            yield note("mercenaries_held", main=False, power=look.who(power), count=men)


def captives(look: Look) -> Facts:
    """Tell which army leaders of the reader are captives, and which captives the reader holds."""
    state, mine = look.table.state, own(look)
    held = {key: leader for key, leader in state.leaders.items() if leader.captor and leader.captor != leader.power}
    if lost := {key: leader.captor for key, leader in held.items() if leader.power in mine}:
        yield note("captives_lost", leaders=lost)
    if kept := {key: leader.power for key, leader in held.items() if leader.captor in mine}:
        yield note("captives_kept", leaders=kept)


def bachelors(look: Look, couples: Iterable[tuple[str, str]]) -> Facts:
    """Tell the reader's royals of possible couples, with what they add to the roll; of others the best of each sex."""
    state, best = look.table.state, dict[str, dict[str, int]]()
    royals = eligible(look, list(dict.fromkeys(royal for couple in couples for royal in couple)))
    for power in own(look):
        if mine := {royal: plus for royal, plus in royals.items() if state.royals[royal].power == power}:
            yield note("royals", main=False, power=look.who(power), royals=mine)
    sexes: set[tuple[str, str]] = set()
    for royal in sorted(royals, key=lambda royal: -royals[royal]):
        power, sex = state.royals[royal].power, look.table.c.royals[royal].sex
        if power not in own(look) and (power, sex) not in sexes:
            sexes.add((power, sex))
            best.setdefault(power, {})[royal] = royals[royal]
    if best:
        yield note("royals_of_others", main=False, royals=best)


def couples_to_be(look: Look) -> Facts:
    """Tell the royals that could wed one of another player's, where a deal may say so."""
    wed = {clauses.WED, clauses.PEACE_WED}
    pairs = [(power, other) for power, other, kinds in partners(look) if not wed.isdisjoint(kinds)]
    yield from bachelors(look, (couple for pair in pairs for couple in clauses.couples(look.table, *pair)))


def partners(look: Look) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each power of the reader with each of another player, and the clauses that they could agree on now."""
    for power in (mine := own(look)):
        for other in POWERS:
            if other not in mine and seat_of(look.table.state, other):
                yield power, other, [*clauses.kinds(look.table, power, other)]


def offers(look: Look) -> Iterator[str]:
    """Yield whole proposals: peace with enemies, alliances with others; and the end of talks."""
    yield "done"
    usual = (clauses.PEACE, clauses.ALLIANCE)
    found = [(power, other, of) for power, other, kinds in partners(look) for of in usual if of in kinds]
    found.sort(key=lambda offer: offer[2] != clauses.PEACE)
    for power, other, of in found[:LIKELY]:
        yield f"propose {f'{power} ' if len(own(look)) > 1 else ''}{other} of={of}"


def proposal(look: Look, answer: Order | str) -> Meaning | None:
    """Tell what binds after a proposal: nothing until all have confirmed."""
    if isinstance(answer, str):
        return means(note("talk_over"), rank=-1) if answer == "done" else None
    if answer["do"] != "propose":
        return means(rank=2 * (answer["do"] == "accept"))
    of = answer.get("of", ())
    if clauses.PEACE in of:
        return means(note("peace_binds"), rank=1)
    return means(note("alliance_binds")) if clauses.ALLIANCE in of else None


def terms(look: Look) -> Facts:
    """Tell the reader's announced deals in words."""
    for deal, parts in look.about["terms"].items():
        yield from (leg(look, "terms", part, deal) for part in parts)


def offered(look: Look, deal: Proposal) -> Facts:
    """Tell what is in a proposal of the open negotiation."""
    yield from (leg(look, "offer", part) for part in clauses.legs(look.table, deal))


def leg(look: Look, key: str, part: Order, deal: str = "") -> Fact:
    """Return a part of a deal: what it settles, what the reader gives and gets, or else its first power."""
    mine, p, q = own(look), part["power"], part["partner"]
    giver, other = (q, p) if q in mine and p not in mine else (p, q)
    settles: list[str] = []
    gives: list[str] = []
    gets: list[str] = []
    args: dict[str, object] = {"deal": deal, "power": look.who(giver), "partner": look.who(other)}
    for what, said in deal_text.clauses_of(part):
        if what in ("peace", "alliance"):
            settles.append(what)
        elif what == "wed":
            args["couple"] = [said["man"], said["woman"]]
        else:
            (gives if said["power"] == giver else gets).extend(goods(what, said))
    args |= {"settles": settles or ["exchange" if gives and gets else "gift"]}
    args |= {"gives": gives, "gets": gets, "shows": part.get("show", [])}
    return note(key if giver in mine else f"{key}_of_others", **args)


def goods(what: str, said: Order) -> list[str]:
    """Return what a clause hands over: names, or numbers of things."""
    if what == "lend":
        return [f"ships {said['count']}", *said["leaders"]]
    if what in ("cards", "treasures", "mercenaries"):
        return [f"{what} {said['count']}"]
    return list(said["leaders"] if what == "return" else said["spaces"])


def price_of_deals(look: Look) -> Facts:
    """Tell what the reader's deals cost: cards at random, keys with VP; and how likely their weddings succeed."""
    parts = [part for deal in look.about["terms"].values() for part in deal]
    gives = (("power", "give_cards"), ("partner", "take_cards"))
    yield from ceded(look, parts)
    if any(part[side] in own(look) and given in part for part in parts for side, given in gives):
        for power in own(look):
            yield from drawn_from(look, power)
    for couple in dict.fromkeys((part["groom"], part["bride"]) for part in parts if "groom" in part):
        yield match(look, *couple)


def ceded(look: Look, parts: Sequence[Order]) -> Facts:
    """Tell how the spaces that change hands change the VP of the reader, if they do."""
    mine, control = own(look), dict(look.table.state.control)
    for part in parts:
        control |= dict.fromkeys(part.get("cede", ()), part["partner"])
        control |= dict.fromkeys(part.get("receive", ()), part["power"])
    before = {power: vp(look.table, power) for power in mine}
    with shared.supposing(look, control=control):
        after = {power: vp(look.table, power) for power in mine}
    changed = [power for power in mine if after[power] != before[power]]
    yield from (note("vp_after", power=look.who(power), vp=before[power], then=after[power]) for power in changed)


def announced(look: Look, answer: Mapping[str, str] | str) -> Meaning | None:
    """Tell how likely a wedding succeeds, and what an alliance between one's own powers brings."""
    if isinstance(answer, str):
        return None
    if answer["do"] == "ally":
        return means(note("alliance_binds"))
    return means(note("match_odds", **odds(look.table, answer["groom"], answer["bride"])), rank=1)


def own_royals(look: Look) -> Facts:
    """Tell the reader's royals that could wed, and what Elizabeth brings unmarried."""
    couples = negotiation.own_couples(look.table, own(look))
    yield from bachelors(look, couples)
    if any(ELIZABETH in couple for couple in couples):
        yield from elizabeth(look)


def own_weddings(look: Look) -> Iterator[str]:
    """Yield the couples that the reader may announce alone."""
    yield "pass"
    yield from (f"wed {man} {woman}" for man, woman in negotiation.own_couples(look.table, own(look))[:6])


THINGS = {clauses.LEND: "ships", clauses.BORROW: "ships", clauses.CEDE: "spaces", clauses.RECEIVE: "spaces"}
THINGS |= {clauses.PEACE_WED: clauses.WED, clauses.RETURN: "captives", clauses.RECOVER: "captives"}
THINGS |= {f"{way}-{gift}": gift for way in ("give", "take") for gift in clauses.GIFTS}
"""What a clause is about, where giving and getting are the same."""
possible = says(
    "can_propose",
    lambda look: {"kinds": [*dict.fromkeys(THINGS.get(kind, kind) for *_, found in partners(look) for kind in found)]},
)
KIT.turns_on(
    "negotiation",
    facts=(first(6, shared.wars, prices_of_war, shared.standing, possible, givable, captives), first(0, couples_to_be)),
    means=proposal,
    likely=offers,
    terms=offered,
)
KIT.turns_on(
    "confirm",  # all deals first, none last: a deal that is not confirmed fails for all its parties
    facts=(first(6, terms, price_of_deals), shared.BESIDE),
    means=lambda look, deals: (
        means(*[note("deals_bind")] * (len(deals) > 1), rank=len(deals))
        if deals
        else means(note("deals_void"), rank=-1)
    ),
)
KIT.turns_on("announce", facts=(own_royals,), means=announced, likely=own_weddings)


def prisoners(look: Look) -> Facts:
    """Tell the ratings of the captives and who holds them."""
    for key in dict.fromkeys(leader for held in look.about.values() for leader in held):
        ratings = shared.rated(look.table.c.generals[key], "battle", "command")
        yield note("captive", leader=key, captor=look.table.state.leaders[key].captor, **ratings)


def ransom_price(look: Look) -> Facts:
    """Tell from what the ransom is drawn: cards, or treasures if the hand has no more cards than treasures."""
    for power in look.about:
        held, hand = cards.loose(look.table, power), look.table.state.powers[power]
        if len(held) > len(hand.treasures):
            count, worth = len(hand.hand), in_cp(look, held)
            yield note("ransom_cards", power=look.who(power), count=count, cards=worth)
        else:
            yield note("ransom_treasures", power=look.who(power), treasures=list(hand.treasures))


def freed(look: Look, answer: Mapping[str, list[str]] | list[str]) -> Meaning:
    """Tell who comes home, for how many cards."""
    number = sum(map(len, answer.values())) if isinstance(answer, Mapping) else len(answer)
    return means(note("ransomed", count=number), rank=1) if number else means(note("held_on"))


KIT.turns_on("homecoming", facts=(lambda look: shared.leaders(look, [look.word("leader")]),), means=shared.spots())
KIT.turns_on("berth", facts=(shared.wars,), means=shared.spots())
KIT.turns_on(
    "quarter", facts=(lambda look: (shared.space(look, at) for at in gifts.capitals(look.table, reader(look))),)
)
KIT.turns_on("ransom", facts=(prisoners, ransom_price), means=freed)


def enemies(look: Look) -> Facts:
    """Tell the VP, keys and units of each possible enemy, and if there are several what a war on each costs."""
    costs, spaces = look.about["costs"], look.table.c.spaces
    men = {other: sum(strength(look.table.state, other, at) for at in spaces) for other in costs}
    cost = {other: f"{costs[other]}:" if len(costs) > 1 else "" for other in costs}
    if major := [other for other in costs if other in POWERS]:
        keys = {other: f"{vp(look.table, other)} ({number_of_keys(look.table, other)}" for other in major}
        yield note(
            "keys_and_vp", several=len(costs) > 1, powers={to: f"{cost[to]}{keys[to]}, {men[to]})" for to in major}
        )
    if minor := [other for other in costs if other not in POWERS]:
        own = {other: len(shared.keys_of(look, homes_of(look, other))) for other in minor}
        yield note(
            "influence_gone", several=len(costs) > 1, minors={to: f"{cost[to]}{own[to]} ({men[to]})" for to in minor}
        )


def payable(look: Look) -> Facts:
    """Tell the cards and treasures that can pay, with their CP."""
    purse = declarations.money(look.table, look.word("power"))
    order, known = sorted(purse, key=lambda key: -purse[key]), look.table.c.cards
    held = {key: purse[key] for key in order if key in known}
    like = {purse[key]: key for key in order if key not in known}
    treasures = Counter(like[purse[key]] for key in order if key not in known)
    yield note("payable", cards=held, treasures=dict(treasures)) if purse else note("cannot_pay")


def wars_to_pay(look: Look) -> Iterator[str]:
    """Yield a declaration on each power that can be paid for, with the payment that loses least."""
    form = declarations.domain(look.table, look.word("power"))
    purse = declarations.money(look.table, look.word("power"))
    yield form.text({"on": []})
    for other, cost in look.about["costs"].items():
        if found := declarations.payments(purse, cost):
            cheapest = min(found, key=lambda way: sum(purse[key] for key in way.split("+")))
            yield form.text({"on": [other], "pay": cheapest})


def declared(look: Look, answer: Order | str) -> Meaning:
    """Tell what is paid, and how much of it beyond the price."""
    on = answer.get("on", ()) if isinstance(answer, Mapping) else ()
    if not on or isinstance(answer, str):
        return means(note("no_declaration"), rank=-1)
    purse = declarations.money(look.table, look.word("power"))
    cost = sum(look.about["costs"][other] for other in on)
    over = sum(purse[key] for key in answer["pay"].split("+") if key in purse) - cost
    return means(*[note("paid_beyond", cp=over)] * bool(over), cost=cost + over)


KIT.turns_on(
    "declare_war", facts=(payable, enemies, shared.WARS, first(0, prices_of_war)), means=declared, likely=wars_to_pay
)


def lands(look: Look) -> Facts:
    """Tell what a minor power has: keys, units, and the strength of the attacker that is near."""
    state, minor = look.table.state, look.about.get("minor") or look.word("other")
    homes = homes_of(look, minor)
    units = {at: strength(state, minor, at) for at in homes if strength(state, minor, at)}
    keys = shared.keys_of(look, homes)
    yield note("minor_keys", homes, minor=minor, count=len(keys), spaces=keys)
    if units:
        yield note("minor_units", minor=minor, units=units)
    if foe := look.about.get("against") or look.about.get("on" if "minor" in look.about else "power", ""):
        yield near_force(look, foe, homes)


def homes_of(look: Look, minor: str) -> list[str]:
    """Return the home spaces that a minor power holds."""
    return [at for at in look.table.c.homes[minor] if look.table.state.control[at] == minor]


def near_force(look: Look, power: str, homes: Sequence[str]) -> Fact:
    """Return how many units a power has in these spaces and next to them, and ships in their waters and the next."""
    table, state = look.table, look.table.state
    land = dict.fromkeys(near for at in homes for near in (at, *neighbours(table, power, at)))
    zones = dict.fromkeys(zone for at in homes for zone in table.c.spaces[at].port)
    zones |= dict.fromkeys(near for zone in list(zones) for near in table.c.zones[zone].adjacent)
    waters = [*zones, *dict.fromkeys(port for zone in zones for port in table.c.ports[zone])]
    units, ships = sum(strength(state, power, at) for at in land), sum(ships_of(state, power, at) for at in waters)
    return note("near_force", power=look.who(power), units=units, ships=ships)


def intervening(look: Look, answer: str) -> Meaning:
    """Tell what standing aside and stepping in mean."""
    minor, foe = look.word("minor"), look.word("against")
    if answer == "neutral":
        return means(note("stands_alone", minor=minor, power=foe))
    war = [] if at_war(look.table.state, look.word("power"), foe) else [note("war_with", power=foe)]
    return means(note("ally_gained", minor=minor, count=len(shared.keys_of(look, homes_of(look, minor)))), *war, rank=1)


def guests(look: Look) -> Facts:
    """Tell which of the reader's units would have to leave the minor power's spaces."""
    state, power, homes = look.table.state, look.word("power"), look.table.c.homes[look.word("minor")]
    yield from shared.by_space("guests", {at: number for at in homes if (number := strength(state, power, at))})


def free_war(look: Look, answer: str) -> Meaning:
    """Tell what a war at no cost would cost in the diplomacy phase, and what peace means."""
    power, on = look.word("power"), look.word("on")
    if answer != "yes":
        return means(note("leave_spaces" if look.kind == "join_war" else "at_peace", power=on))
    price = relations.cost(look.table, power, on)
    return means(note("war_free", power=on, cp=price) if price > 0 else note("war_with", power=on))


def irish(look: Look, answer: str) -> Meaning:
    """Tell the odds in numbers of a march on Dublin."""
    state, power = look.table.state, reader(look)
    if state.control["dublin"] in shared.owns(look):
        return means(note("joins", units=strength(state, power, "dublin")))
    friends = mates(state, power)
    theirs = sum(strength(state, other, "dublin") for other in (*POWERS, *MINORS) if other not in friends)
    walls = fortified(look.table, "dublin") and state.control["dublin"] not in (power, IRELAND)
    ours = strength(state, power, "ulster")
    return means(note("march_siege" if walls else "march_open", ours=ours, theirs=theirs), rank=1)


def strongholds(look: Look) -> Facts:
    """Tell the strength at Ulster and at Dublin."""
    yield from (shared.space(look, at) for at in ("ulster", "dublin"))


KIT.turns_on("intervene", facts=(lands, shared.wars, shared.STANDING), means=intervening)
KIT.turns_on("join_war", facts=(lands, guests, shared.wars, shared.STANDING), means=free_war)
KIT.turns_on("irish_war", facts=(strongholds, shared.wars, shared.standing), means=free_war)
KIT.turns_on("irish_march", facts=(strongholds,), means=words({"stay": note("stays_put")}, irish))


def new_war(look: Look, answer: list[str]) -> Meaning:
    """Return what the wars would cost at other times, and how many keys the enemies have."""
    if not answer:
        return means(note("no_war"))
    cost = sum(relations.cost(look.table, look.word("power"), foe) for foe in answer)
    return means(note("war_saved", cp=cost, keys=sum(number_of_keys(look.table, foe) for foe in answer)))


def join(look: Look, answer: str) -> Meaning:
    """Return what joining the defence means."""
    on = look.word("on")
    return means(note("at_war_with", on=on, cards=len(look.table.state.powers[on].hand)))


KIT.turns_on("new_wars", facts=(shared.hands, shared.standing, shared.wars), means=new_war)
KIT.turns_on(
    "defend",
    facts=(shared.hands, shared.standing, shared.wars),
    means=words({"no": lambda look: note("not_joined", on=look.word("on"))}, join),
)
