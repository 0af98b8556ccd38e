"""Spring deployment (10), winter (20), and the wars of powers that nobody plays (27.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from games.virgin_queen import fleets, spring, spring_phase
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.evidence.acts import threats
from games.virgin_queen.evidence.shared import (
    Facts,
    Look,
    acting,
    effect,
    first,
    foes_near,
    follows,
    leaders,
    reader,
    space,
    standing,
    wars,
)
from games.virgin_queen.evidence.war import haven, some
from games.virgin_queen.keys import number_of_keys, protestant_spaces, religious_vp
from games.virgin_queen.query import FAR, seat_of, strength
from games.virgin_queen.state import FRANCE, POWERS, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT
from games.virgin_queen.winter import league, phase, ports, return_of_troops
from games.virgin_queen.winter.other_steps import GAINS
from games.virgin_queen.winter.return_paths import WinterPaths
from pbem.kernel.domains import Optional
from pbem.kernel.evidence import Fact, Meaning

# -- spring


def capitals(look: Look) -> Facts:
    """Tell what is ready to leave the capitals."""
    power = reader(look)
    for at in spring.starts(look.table, power):
        units, chiefs = spring.ready(look.table, power, at)
        args = {"space": at, "power": look.who(power), "units": units, "leaders": chiefs}
        yield Fact("own_there", args, (at,))


def arrivals(look: Look) -> Facts:
    """Tell the leaders on the power card and how good they are."""
    for key in spring.on_card(look.table, reader(look)):
        yield from leaders(look, [key])


def posts(look: Look, capital: str) -> list[str]:
    """Return where a formation may deploy, the most menaced spaces first, then keys with few units."""
    power, state, spaces = reader(look), look.table.state, look.table.c.spaces
    enemies = {at: sum(foes_near(look, power, at).values()) for at in spring.reach(look.table, power, capital)}

    def needs(at: str) -> tuple[int, bool, int]:
        return -enemies[at], spaces[at].type != "key", strength(state, power, at)

    return sorted(enemies, key=needs)


def marches(look: Look) -> Iterator[dict[str, Any]]:
    """Yield deployments to the spaces that need them most, with as many units as may go together."""
    power = reader(look)
    for at in spring.starts(look.table, power):
        over_sea = spring.reach(look.table, power, at)
        for to in posts(look, at)[:3]:
            units = some(look, power, at, spring.OVER_SEA if over_sea[to] else FAR)
            yield {"origin": at, "to": to, **({"units": units} if units else {})}


def deployments(look: Look) -> Iterator[str]:
    """Yield whole deployments."""
    menu = spring.deploy_domain(look.table, reader(look), spring.starts(look.table, reader(look)))
    inner = menu.entry("deploy")
    yield from (menu.text(menu.outer("deploy", inner, march)) for march in marches(look) if inner is not None)


def springs(look: Look) -> Iterator[str]:
    """Yield whole springs: nothing but what must be said, each way to say it, and the best deployments."""
    form = spring_phase.domain(look.table, reader(look))
    must: dict[str, Any] = {}
    ways: dict[str, list[Any]] = {}
    for name in form.fields:
        domain = form.field(name, must)
        if domain is not None and not isinstance(domain, Optional):
            ways[name] = [*islice(domain.options(), 4)]
            must[name] = ways[name][0]
    yield form.text(must)
    yield from (form.text({**must, name: way}) for name in ways for way in ways[name])
    yield from (form.text({**must, **march}) for march in marches(look))


def deploy(look: Look, answer: Any) -> Meaning | None:
    """Return what is left in the capital and what is at the goal."""
    if not isinstance(answer, Mapping) or "to" not in answer:
        return Meaning(follows=follows("stays")) if answer in ("pass", {}) else None
    return Meaning(follows=haven(look, reader(look), answer["to"]))


KIT.turns_on("deploy", facts=(first(6, capitals, threats, wars),), means=deploy, likely=deployments)
KIT.turns_on("spring", facts=(first(6, capitals, arrivals, threats), first(0, wars)), means=deploy, likely=springs)


def fleet_of_treasure(look: Look) -> Facts:
    """Tell how many galleons guard the treasure fleet, and how many may."""
    limit = look.table.c.special["treasure_escort"]["max_galleons"]
    yield Fact("escort", {"count": look.table.state.powers[SPAIN].stock["escort"], "most": limit})


def galleons(look: Look, answer: Any) -> Meaning | None:
    """Return how many galleons would guard the fleet."""
    if not isinstance(answer, Mapping):
        return None
    sign = 1 if answer["do"] == "send" else -1
    now = look.table.state.powers[SPAIN].stock["escort"] + sign * len(answer["with"])
    return Meaning(follows=follows("escort_then", count=now))


KIT.turns_on("escort", facts=(fleet_of_treasure, wars), means=galleons)


def captains_here(look: Look) -> Facts:
    """Tell the ratings of the captains in the pool, and the ports with ships."""
    table = look.table
    for key, card in table.c.captains.items():
        if "england" in card.powers and table.state.captains[key].at == "pool":
            yield Fact("captain_of", {"captain": key, "battle": card.battle, "piracy": card.piracy})
    ports = {at: sum(fleets.counts(table.state, "england", at).values()) for at in table.c.homes["england"]}
    yield Fact("ports", {"ships": {at: number for at, number in ports.items() if number}})


def commands(look: Look) -> Iterator[str]:
    """Yield the best captains at the ports with most ships."""
    table = look.table
    pool = [
        key
        for key, card in table.c.captains.items()
        if "england" in card.powers and table.state.captains[key].at == "pool"
    ]
    ships = {at: sum(fleets.counts(table.state, "england", at).values()) for at in table.c.homes["england"]}
    for key in sorted(pool, key=lambda key: -table.c.captains[key].battle)[:2]:
        yield from (f"place {key} {at}" for at in sorted(ships, key=lambda at: -ships[at])[:3] if ships[at])


KIT.turns_on("captains", facts=(first(4, captains_here, wars),), likely=commands)


def faiths(look: Look) -> Facts:
    """Tell how many spaces are Protestant: the VP of the choice follow from them until the end."""
    yield Fact("protestant_spaces", {"count": protestant_spaces(look.table)})


def faith(look: Look, answer: str) -> Meaning:
    """Return the VP of a religion as things are now."""
    return Meaning(follows=follows("vp_now", vp=religious_vp(look.table, f"hre_{answer}")))


KIT.turns_on("faith", facts=(faiths,), means=faith)


def newcomer(look: Look) -> Facts:
    """Tell how good the leader is."""
    card = look.table.c.generals[look.word("leader")]
    yield from leaders(look, [card.id])
    if card.naval or card.also_naval:
        yield Fact("admiral", {"leader": card.id, "battle": card.naval_battle or card.battle, "piracy": card.piracy})


def armies(look: Look) -> Facts:
    """Tell where the power has most units, or for a naval leader most ships."""
    table, power = look.table, reader(look)
    naval = table.c.generals[look.word("leader")].naval
    found = {
        at: sum(fleets.counts(table.state, power, at).values()) if naval else strength(table.state, power, at)
        for at in table.c.spaces
    }
    most = sorted((at for at in found if found[at]), key=lambda at: -found[at])[:4]
    if most:
        yield Fact("armies", {"spaces": {at: found[at] for at in most}}, tuple(most))


def placed(look: Look, answer: Any) -> Meaning | None:
    """Return what is where the leader appears."""
    if answer == "wait":
        return Meaning(follows=follows("waits"))
    power, at = reader(look), answer["with"]
    if answer["do"] == "army":
        return Meaning(follows=haven(look, power, at), rank=strength(look.table.state, power, at))
    ships = sum(fleets.counts(look.table.state, power, at).values())
    return Meaning(follows=follows("ships_here", count=ships), rank=ships)


KIT.turns_on("leader", facts=(newcomer, armies, wars), means=placed)


def kept(look: Look, answer: str) -> Meaning:
    """Return the CP and the event of a home card."""
    return Meaning(cost=look.table.c.cards[answer].cp, follows=(effect(look, answer),))


KIT.turns_on("home_card", facts=(acting, wars), means=kept)


# -- winter


def homeward(look: Look) -> Facts:
    """Tell what the rules do without orders: who goes where, who is lost on the way."""
    table, power = look.table, reader(look)
    ways = WinterPaths(table, power, ports.harbour(table, power, {}))
    plan = return_of_troops.ReturnPlan(ways)
    lost = plan.complete()
    for at, units in lost.items():
        yield Fact("winter_lost", {"space": at, "units": units}, (at,))
    costly = sorted(plan.orders, key=lambda order: not ways.attrition(order["origin"], order["to"]))
    for order in costly:
        half = ways.attrition(order["origin"], order["to"])
        args = {"space": order["origin"], "to": order["to"], "units": order["units"]}
        yield Fact("winter_half" if half else "winter_home", args, (order["origin"], order["to"]))


def moorings(look: Look) -> Facts:
    """Tell between which ports ships may be divided."""
    table, power = look.table, reader(look)
    for place, near in ports.return_ports(table, power).items():
        ships = sum(fleets.counts(table.state, power, place).values())
        if len(near) > 1:
            yield Fact("winter_ports", {"place": place, "ships": ships, "ports": near}, (place, *near))


def homes(look: Look) -> Iterator[str]:
    """Yield no orders, then another port for ships, and another goal for a stack."""
    table, power = look.table, reader(look)
    form = phase.plan(table, power)
    yield "none"
    for place, near in ports.return_ports(table, power).items():
        for word, (fleet, kind) in ports.stacks(table, power, place).items() if len(near) > 1 else ():
            yield form.text({"ships": {word: {near[1]: fleet.ships[kind]}}})
            break
    ways = WinterPaths(table, power, ports.harbour(table, power, {}))
    plan, rule = return_of_troops.ReturnPlan(ways), return_of_troops.ReturnPlan(ways)
    rule.complete()
    done = [(order["origin"], order["to"]) for order in rule.orders]
    others = ((at, to, kinds) for at in ways.stacks if ways.must_leave(at) for to, kinds in plan.goals(at).items())
    for at, to, kinds in islice((found for found in others if found[:2] not in done), 1):
        yield form.text({"land": [{"origin": at, "to": to, "units": {key: plan.units(at)[key] for key in kinds}}]})


def ordered(look: Look, answer: Any) -> Meaning | None:
    """Return what no orders mean, and which stacks lose half on their way."""
    if not answer:
        return Meaning(follows=follows("by_rule"), rank=1)
    ways = WinterPaths(look.table, reader(look))
    half = any(ways.attrition(move["origin"], move["to"]) for move in answer.get("land", ()))
    return Meaning(follows=follows("half_lost")) if half else None


KIT.turns_on("winter", facts=(first(4, homeward, moorings),), means=ordered, likely=homes)


def treasury(look: Look) -> Facts:
    """Tell where the Hire Track is."""
    table, power = look.table, reader(look)
    most = table.c.special["hire_track"]["winter_refill_to"]
    yield Fact("hire_track", {"now": table.state.powers[power].stock.get("hire", 0), "most": most})
    for at in (at for at, holder in table.state.capitals.items() if holder == power):
        yield space(look, at)


def gains(look: Look, answer: str) -> Meaning | None:
    """Return how many units the Empire gets."""
    return Meaning(follows=follows("gains", count=GAINS[answer])) if answer in GAINS else None


KIT.turns_on("reinforce", facts=(treasury, wars), means=gains)


def quiet(look: Look, answer: list[str]) -> Meaning:
    """Return whose a space is and whether it is a key: unrest makes it count for nothing."""
    table, at = look.table, answer[0]
    args = {"holder": look.who(table.state.control[at]), "kind": table.c.spaces[at].type}
    return Meaning(follows=follows("of_whom", **args), rank=table.c.spaces[at].type == "key")


KIT.turns_on("morisco_unrest", facts=(standing,), means=quiet)


def leaguers(look: Look) -> Facts:
    """Tell what the League brings, and the keys of France."""
    faiths = look.table.state.religion
    yield space(look, league.SEAT)
    yield Fact("french_keys", {"count": number_of_keys(look.table, "france")})
    if found := [at for at in league.candidates(look.table) if faiths[at] == PROTESTANT]:
        yield Fact("turns_catholic", {"spaces": found}, tuple(found))


def joins_league(look: Look, answer: list[str]) -> Meaning:
    """Return whose a space is, who is there and is sent away."""
    state, at = look.table.state, answer[0]
    units = {look.who(power): n for power in POWERS if (n := strength(state, power, at))}
    note = (
        follows("sends_away", units=units)
        if units
        else follows("of_whom", holder=look.who(state.control[at]), kind=state.religion[at])
    )
    return Meaning(follows=note)


KIT.turns_on("league_spaces", facts=(leaguers, standing), means=joins_league)


def french_units(look: Look) -> Facts:
    """Tell where the units are of which some are removed, and where enemies are beside them."""
    kind, land = look.about["what"], look.table.state.land
    here = {at: n for at, owners in land.items() if FRANCE in owners and (n := getattr(owners[FRANCE], kind))}
    yield Fact("stationed", {"kind": kind, "spaces": here}, tuple(here))
    yield from threats(look)


KIT.turns_on("league_losses", facts=(french_units, wars))


# -- powers that nobody plays


def quarrels(look: Look) -> Facts:
    """Tell who is stronger: keys and cards of all powers."""
    own = look.table.state.powers
    yield Fact(
        "hands",
        {"cards": {look.who(power): len(own[power].hand) for power in POWERS if seat_of(look.table.state, power)}},
    )
    yield from standing(look)


def new_war(look: Look, answer: list[str]) -> Meaning:
    """Return what a war would cost at other times, and how many keys the enemy has."""
    if not answer:
        return Meaning(follows=follows("no_war"))
    cost = relations.cost(look.table, look.word("power"), answer[0])
    return Meaning(follows=follows("war_saved", cp=cost, keys=number_of_keys(look.table, answer[0])))


def defend(look: Look, answer: str) -> Meaning:
    """Return what joining the defence means."""
    on = look.about["on"]
    if answer == "no":
        return Meaning(follows=follows("not_joined", on=on))
    return Meaning(follows=follows("at_war_with", on=on, cards=len(look.table.state.powers[on].hand)))


KIT.turns_on("new_wars", facts=(quarrels, wars), means=new_war)
KIT.turns_on("defend", facts=(quarrels, wars), means=defend)
