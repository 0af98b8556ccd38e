"""Spring deployment (10), winter (20), weddings and what they bring, learning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from games.virgin_queen import spring, spring_phase
from games.virgin_queen.courts import weddings
from games.virgin_queen.courts.dowries import FRANCIS, MERCENARIES
from games.virgin_queen.diplomacy import clauses
from games.virgin_queen.evidence import shared
from games.virgin_queen.evidence.faith import faith_vp, reach_of
from games.virgin_queen.evidence.shared import Facts, Look, first, means, note, reader, words
from games.virgin_queen.evidence.war import some
from games.virgin_queen.keys import number_of_keys, protestant_spaces, religious_vp
from games.virgin_queen.learning import evaluation
from games.virgin_queen.minors import MOST_INFLUENCE
from games.virgin_queen.query import FAR, seat_of, ships_of, strength
from games.virgin_queen.religion.conversion import ATTEMPTS
from games.virgin_queen.state import ENGLAND, FRANCE, POWERS, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.winter import league, phase, ports, return_of_troops
from games.virgin_queen.winter.other_steps import GAINS
from games.virgin_queen.winter.return_paths import WinterPaths
from pbem.kernel.domains import Optional
from pbem.kernel.evidence import Fact, Meaning, says


def capitals(look: Look) -> Facts:
    """Tell what is ready to leave the capitals."""
    power = reader(look)
    for at in spring.starts(look.table, power):
        units, chiefs = spring.ready(look.table, power, at)
        yield note("own_there", [at], space=at, power=look.who(power), units=units, leaders=chiefs)


def arrivals(look: Look) -> Facts:
    """Tell how good the leaders on the power card are, and where they can appear, with the units there; captains."""
    new, generals, captains = spring.on_card(look.table, reader(look)), look.table.c.generals, look.table.c.captains
    if ashore := [generals[key] for key in new if not generals[key].naval]:
        yield note("newcomers", leaders={card.id: f"{card.battle} ({card.command})" for card in ashore})
    entries = [domain for key in new for domain in spring.leader_entries(look.table, key).values() if domain]
    spaces = {at for domain in entries for at in domain.options() if at in look.table.c.spaces}
    units = {at: strength(look.table.state, reader(look), at) for at in sorted(spaces)}
    yield from shared.by_space("entrances", dict(sorted(units.items(), key=lambda item: -item[1])[:6]))
    if reader(look) == ENGLAND and spring.captains_domain(look.table):
        cards = [captains[key] for key in pool(look)]
        yield note("captains_to_place", captains={card.id: f"{card.battle} ({card.piracy})" for card in cards})


def kept_card(look: Look) -> Facts:
    """Tell which home cards there are to choose from: a power keeps one."""
    if choice := spring.home_cards(look.table, reader(look)):
        yield note("one_home_card", cards=[*choice.listed])


def marches(look: Look) -> Iterator[dict[str, Any]]:
    """Yield deployments to the most menaced spaces, then keys with few units, with as many as may go together."""
    power, state = reader(look), look.table.state
    for at in spring.starts(look.table, power):
        over_sea = spring.reach(look.table, power, at)
        enemies = shared.menace(look, power, over_sea)

        def needs(to: str, enemies: dict[str, int] = enemies) -> tuple[int, bool, int]:
            return -enemies[to], not shared.is_key(look, to), strength(state, power, to)

        for to in sorted(over_sea, key=needs)[:3]:
            units = some(look, power, at, spring.OVER_SEA if over_sea[to] else FAR)
            yield {"origin": at, "to": to, **({"units": units} if units else {})}


def deployments(look: Look) -> Iterator[str]:
    """Yield whole deployments."""
    menu = spring.deploy_domain(look.table, reader(look), spring.starts(look.table, reader(look)))
    inner = menu.entry("deploy")
    yield from (menu.text(menu.outer("deploy", inner, march)) for march in marches(look) if inner is not None)


def springs(look: Look) -> Iterator[str]:
    """Yield whole springs: nothing but what must be said, each way to say it, home cards first, and deployments."""
    form = spring_phase.domain(look.table, reader(look))
    must: dict[str, Any] = {}
    ways: dict[str, list[Any]] = {}
    for name in form.fields:
        domain = form.field(name, must)
        if domain is not None and not isinstance(domain, Optional):
            ways[name] = [*islice(domain.options(), 4 if name == "home_card" else 2)]
            must[name] = ways[name][0]
    yield form.text(must)
    varied = sorted((name for name in ways if len(ways[name]) > 1), key=lambda name: name != "home_card")
    for name in varied[:2]:  # the others are told as a fact: an answer says them all, and is long
        yield from (form.text({**must, name: way}) for way in ways[name])
    yield from (form.text({**must, **march}) for march in marches(look))
    if "captains" in form.fields:
        said = "" if not must else f"{form.text(must)} "
        yield from (f'{said}captains="{command.removeprefix("place ")}"' for command in islice(commands(look), 1))


def deploy(look: Look, answer: Mapping[str, str] | str) -> Meaning | None:
    """Return what the goal is like, the units where new leaders appear, and what a home card does."""
    if answer in ("pass", {}):
        return means(note("stays"))
    order: Mapping[str, Any] = answer if isinstance(answer, Mapping) else {}
    card = [shared.effect(look, order["home_card"])] if "home_card" in order else []
    if "faith" in order:
        card.append(note("vp_now", vp=religious_vp(look.table, f"hre_{order['faith']}")))
    said = {key: shared.named(at) for key, at in order.items() if key in look.table.c.generals}
    there = {at: strength(look.table.state, reader(look), at) for at in said.values() if at in look.table.c.spaces}
    comes = [note("units_with", units=there if len(there) > 1 else sum(there.values()))] if there else []
    haven = shared.haven(look, reader(look), order["to"]) if "to" in order else ()
    return means(*haven, *card, *comes) if haven or comes or card else None


def fleet_of_treasure(look: Look) -> dict[str, object]:
    """Return how many galleons guard the treasure fleet, and how many may."""
    limit = look.table.c.special["treasure_escort"]["max_galleons"]
    return {"count": look.table.state.powers[SPAIN].stock["escort"], "most": limit}


def galleons(look: Look, answer: Mapping[str, str] | str) -> Meaning | None:
    """Return how many galleons would guard the fleet."""
    if isinstance(answer, str):
        return None
    sign = 1 if answer["do"] == "send" else -1
    return means(note("escort_then", count=look.table.state.powers[SPAIN].stock["escort"] + sign * len(answer["with"])))


def pool(look: Look) -> list[str]:
    """Return the English captains that can be placed."""
    captains, state = look.table.c.captains, look.table.state.captains
    return [key for key, card in captains.items() if ENGLAND in card.powers and state[key].at == "pool"]


def harbours(look: Look) -> dict[str, int]:
    """Return how many ships England has in each of its home ports with some."""
    ships = {at: ships_of(look.table.state, ENGLAND, at) for at in look.table.c.homes[ENGLAND]}
    return {at: number for at, number in ships.items() if number}


def captains_here(look: Look) -> Facts:
    """Tell the ratings of the captains in the pool, and the ports with ships."""
    for key in pool(look):
        yield note("captain_of", captain=key, **shared.rated(look.table.c.captains[key], "battle", "piracy"))
    yield note("ports", ships=harbours(look))


def commands(look: Look) -> Iterator[str]:
    """Yield the best captains at the ports with most ships."""
    ships = harbours(look)
    for key in sorted(pool(look), key=lambda key: -look.table.c.captains[key].battle)[:2]:
        yield from (f"place {key} {at}" for at in sorted(ships, key=lambda at: -ships[at])[:3])


def newcomer(look: Look) -> Facts:
    """Tell how good the leader is."""
    card = look.table.c.generals[look.word("leader")]
    yield from shared.leaders(look, [card.id])
    if card.naval or card.also_naval:
        yield note("admiral", leader=card.id, battle=card.naval_battle or card.battle, piracy=card.piracy)


def armies(look: Look) -> Facts:
    """Tell where the power has most units, or for a naval leader most ships."""
    number = ships_of if look.table.c.generals[look.word("leader")].naval else strength
    yield from shared.by_space(
        "armies", {at: number(look.table.state, reader(look), at) for at in look.table.c.spaces}, 4
    )


def placed(look: Look, answer: Mapping[str, str]) -> Meaning:
    """Return what is where the leader appears."""
    power, at = reader(look), answer["with"]
    if answer["do"] == "army":
        return means(*shared.haven(look, power, at), rank=strength(look.table.state, power, at))
    ships = ships_of(look.table.state, power, at)
    return means(note("ships_here", count=ships), rank=ships)


protestants = says("protestant_spaces", lambda look: {"count": protestant_spaces(look.table)})
KIT.turns_on("deploy", facts=(first(6, capitals, shared.threats, shared.wars),), means=deploy, likely=deployments)
KIT.turns_on(
    "spring", facts=(first(6, kept_card, capitals, arrivals, shared.threats), shared.WARS), means=deploy, likely=springs
)
KIT.turns_on("escort", facts=(says("escort", fleet_of_treasure), shared.wars), means=galleons)
KIT.turns_on("captains", facts=(first(4, captains_here, shared.wars),), likely=commands)
KIT.turns_on(
    "faith",
    facts=(protestants,),
    means=lambda look, word: means(note("vp_now", vp=religious_vp(look.table, f"hre_{word}"))),
)
KIT.turns_on("leader", facts=(newcomer, armies, shared.wars), means=words({"wait": note("waits")}, placed))
KIT.turns_on(
    "home_card",
    facts=(shared.acting, shared.wars),
    means=lambda look, card: means(shared.effect(look, card), cost=look.table.c.cards[card].cp),
)


def plans(look: Look) -> tuple[WinterPaths, return_of_troops.ReturnPlan, dict[str, dict[str, int]]]:
    """Return the ways home of the reader's troops, the plan that the rules make without orders, and who is lost."""
    ways = WinterPaths(look.table, reader(look), ports.harbour(look.table, reader(look), {}))
    plan = return_of_troops.ReturnPlan(ways)
    return ways, plan, plan.complete()


def homeward(look: Look) -> Facts:
    """Tell what the rules do without orders: who goes where, who is lost on the way."""
    ways, plan, lost = plans(look)
    yield from (note("winter_lost", [at], space=at, units=units) for at, units in lost.items())
    for order in sorted(plan.orders, key=lambda order: not ways.attrition(order["origin"], order["to"])):
        origin, to = order["origin"], order["to"]
        key = "winter_half" if ways.attrition(origin, to) else "winter_home"
        yield note(key, (origin, to), space=origin, to=to, units=order["units"])


def moorings(look: Look) -> Facts:
    """Tell between which ports ships may be divided."""
    for place, near in ports.return_ports(look.table, reader(look)).items():
        if len(near) > 1:
            ships = ships_of(look.table.state, reader(look), place)
            yield note("winter_ports", (place, *near), place=place, ships=ships, to=near[0], ports=near[1:])


def homes(look: Look) -> Iterator[str]:
    """Yield no orders, then another port for ships, and another goal for a stack."""
    table, power = look.table, reader(look)
    form = phase.plan(table, power)
    yield "none"
    for place, near in ports.return_ports(table, power).items():
        for word, (fleet, kind) in islice(ports.stacks(table, power, place).items(), int(len(near) > 1)):
            yield form.text({"ships": {word: {near[1]: fleet.ships[kind]}}})
    ways, rule, _ = plans(look)
    plan = return_of_troops.ReturnPlan(ways)
    done = [(order["origin"], order["to"]) for order in rule.orders]
    others = ((at, to, kinds) for at in ways.stacks if ways.must_leave(at) for to, kinds in plan.goals(at).items())
    for at, to, kinds in islice((found for found in others if found[:2] not in done), 1):
        yield form.text({"land": [{"origin": at, "to": to, "units": {key: plan.units(at)[key] for key in kinds}}]})


def ordered(look: Look, answer: Mapping[str, list[dict[str, str]]]) -> Meaning | None:
    """Return what no orders mean, and which stacks lose half on their way."""
    if not answer:
        return means(note("by_rule"), rank=1)
    ways = WinterPaths(look.table, reader(look))
    moves = answer.get("land", ())
    half = any(ways.attrition(move["origin"], move["to"]) for move in moves)
    there = [fact for move in moves[:1] for fact in shared.haven(look, reader(look), move["to"])]
    return means(*[note("half_lost")] * half, *there)


def treasury(look: Look) -> Facts:
    """Tell where the Hire Track is."""
    table, power = look.table, reader(look)
    most = table.c.special["hire_track"]["winter_refill_to"]
    yield note("hire_track", now=table.state.powers[power].stock.get("hire", 0), most=most)
    yield from (shared.space(look, at) for at, holder in table.state.capitals.items() if holder == power)


def leaguers(look: Look) -> Facts:
    """Tell what the League brings, and the keys of France."""
    yield shared.space(look, league.SEAT)
    yield note("french_keys", count=number_of_keys(look.table, FRANCE))
    faiths = look.table.state.religion
    if found := [at for at in league.candidates(look.table) if faiths[at] == PROTESTANT]:
        yield note("turns_catholic", found, spaces=found)


def joins_league(look: Look, answer: list[str]) -> Meaning:
    """Return whose a space is, who is there and is sent away."""
    state, at = look.table.state, answer[0]
    if units := {look.who(power): n for power in POWERS if (n := strength(state, power, at))}:
        return means(note("sends_away", units=units))
    return means(of_whom(look, at, state.religion[at]))


def of_whom(look: Look, at: str, kind: str) -> Fact:
    """Return whose a space is, and of which kind."""
    return note("of_whom", holder=look.who(look.table.state.control[at]), kind=kind)


def french_units(look: Look) -> Facts:
    """Tell where the units are of which some are removed, and where enemies are next to them."""
    here = stationed(look)
    yield note("stationed", here, kind=look.word("what"), spaces=here)
    yield from shared.threats(look)


def stationed(look: Look) -> dict[str, int]:
    """Return how many units of the kind that loses some France has in each space."""
    kind, land = look.word("what"), look.table.state.land
    return {at: n for at, owners in land.items() if FRANCE in owners and (n := getattr(owners[FRANCE], kind))}


def spared(look: Look) -> Iterator[str]:
    """Yield losses where fewest enemies are near, and among those where most units are."""
    lost, left = stationed(look), look.number("count")
    for at in sorted(lost, key=lambda at: (sum(shared.foes_near(look, FRANCE, at).values()), -lost[at])):
        lost[at] = min(lost[at], left)
        left -= lost[at]
    yield " ".join(f"{at}={number}" for at, number in lost.items() if number)


KIT.turns_on("winter", facts=(first(4, homeward, moorings),), means=ordered, likely=homes)
KIT.turns_on(
    "reinforce",
    facts=(treasury, shared.wars),
    means=lambda look, word: means(note("gains", count=GAINS[word])) if word in GAINS else None,
)
KIT.turns_on(
    "morisco_unrest",  # whether a space is a key: unrest makes it count for nothing
    facts=(shared.standing,),
    means=lambda look, spaces: means(shared.unruly(look, spaces), rank=len(shared.keys_of(look, spaces))),
)
KIT.turns_on("league_spaces", facts=(leaguers, shared.standing), means=joins_league)
KIT.turns_on("league_losses", facts=(french_units, shared.wars), likely=spared)


DIE = range(1, 7)
MARRIED = "married"
ENDS = ("vp", "plain", "off", "death")


def outcome(table: Table, total: int) -> str:
    """Return how a wedding ends: `vp` (a wedding with VP), `plain` (one without), `off`, `death`."""
    row = weddings.row_of(table, total)
    if row["result"] == MARRIED:
        return "vp" if row["vp"] else "plain"
    return "off" if row["result"] == weddings.CANCELLED else "death"


def odds(table: Table, man: str, woman: str, more: int = 0) -> dict[str, int]:
    """Return the chances in percent of the four ends of a wedding; `more` is added to the total."""
    plus, ends = weddings.plus(table, (man, woman)) + more, dict.fromkeys(ENDS, 0)
    for a, b, again in product(DIE, DIE, DIE):
        dice = [a, b]
        if man == weddings.DON_CARLOS:
            dice[dice.index(max(dice))] = again
        ends[outcome(table, sum(dice) + plus)] += 1
    odds = {end: round(100 * ends[end] / sum(ends.values())) for end in ENDS}
    return {**odds, "wed": odds["vp"] + odds["plain"]}


def eligible(look: Look, royals: Sequence[str]) -> dict[str, int]:
    """Return what royals add to the roll of their wedding."""
    return {royal: look.table.state.royals[royal].eligibility for royal in royals}


def match(look: Look, man: str, woman: str) -> Fact:
    """Return how a wedding of these two may end."""
    return note("match", couple=[man, woman], **odds(look.table, man, woman))


def so_far(look: Look) -> Facts:
    """Tell what the dice mean for this couple now."""
    dice, couple = look.about["dice"], list(look.about["couple"])
    plus = weddings.plus(look.table, couple)
    yield note("wedding_total", dice=list(dice), plus=plus, total=sum(dice) + plus)
    yield note("wedding_now", couple=couple, **_result(look.table, sum(dice) + plus))


def _result(table: Table, total: int) -> dict[str, object]:
    row = weddings.row_of(table, total)
    return {"result": row["result"], "vp": row["vp"], "cards": f"{row['cards']:+d}" if row["cards"] else ""}


def rerolled(look: Look, answer: str) -> Meaning:
    """Tell what the dice bring, and what the lower die may bring if it is rolled again."""
    table, dice = look.table, look.about["dice"]
    kept = sum(dice) - min(dice) + weddings.plus(table, look.about["couple"])
    if answer == "no":
        return means(note("wedding_result", **_result(table, kept + min(dice))))
    here = weddings.row_of(table, kept + min(dice))["lo"]
    better = sum(weddings.row_of(table, kept + face)["lo"] > here for face in DIE)
    ends = {"wedding_worst": 1, "wedding_best": 6}
    told = [note(key, **_result(table, kept + face)) for key, face in ends.items()]
    return means(note("wedding_better", chance=shared.percent(better)), *told)


def elizabeth(look: Look) -> Facts:
    """Tell how Elizabeth's wedding may end, and what her staying unmarried brings."""
    if "couple" in look.about:
        yield match(look, *look.about["couple"])
    had = look.table.state.powers[ENGLAND].vp.get("virgin_queen", 0)
    yield note("virgin_queen", vp=had, left=int(look.table.c.special["bonus_vp"]["virgin_queen_max"]) - had)


def royal(look: Look, answer: str) -> Meaning:
    """Tell how the wedding of the chosen royal may end: with the marker, or with Louise."""
    if look.word("card") == "louise-of-lorraine":
        return means(note("eligibility", plus=look.table.state.royals[answer].eligibility))
    couple = next(couple for couple in look.table.state.betrothed if answer in couple.couple)
    chance = odds(look.table, couple.man, couple.woman, weddings.MARKER)["vp"]
    return means(note("couple", couple=couple.couple), chance=chance, rank=chance)


KIT.turns_on("wedding_reroll", facts=(so_far, shared.STANDING), means=rerolled)
KIT.turns_on("respond_wedding", facts=(elizabeth, shared.standing), means=shared.by_card)
grooms = says(
    "grooms",
    lambda look: {"royals": eligible(look, free)} if (free := clauses.bachelors(look.table, look.seat)) else None,
)
KIT.turns_on("respond_negotiation", facts=(grooms,), means=shared.by_card)
KIT.turns_on("event_royal", means=royal)


def tracks(look: Look) -> Facts:
    """Tell the influence of all on the minor powers that are open."""
    for minor, entry in look.table.state.minors.items():
        marks = {look.who(side): n for side, n in entry.influence.items() if seat_of(look.table.state, side)}
        if not entry.resolved and look.word("power") in entry.influence:
            yield note("influence_on", minor=minor, marks=marks)


def befriended(look: Look, answer: str) -> Meaning:
    """Tell the influence on a minor power afterwards, and who leads there."""
    entry, power = look.table.state.minors[answer], look.word("power")
    then = min(entry.influence[power] + FRANCIS, MOST_INFLUENCE)
    ally = look.who(entry.ally) if entry.ally else "none"
    return means(note("influence_then", power=power, points=then, ally=ally), rank=then)


def converting(look: Look) -> str:
    """Return the religion of a free action."""
    return look.table.c.actions[look.word("action")].converts_to[look.word("power")]


def area(look: Look, answer: str) -> Meaning:
    """Tell how many spaces of an area can turn."""
    notes, rank = reach_of(look, answer, converting(look))
    return means(*notes, rank=rank)


tries = says("tries", lambda look: {"count": ATTEMPTS, "religion": converting(look)})
KIT.turns_on("dowry_influence", facts=(tracks,), means=befriended)
KIT.turns_on("dowry_troops", facts=(says("guard", lambda look: {"count": MERCENARIES}),), means=shared.spots())
KIT.turns_on("dowry_action", facts=(tries, faith_vp, shared.STANDING), means=area)


def learned(look: Look) -> Facts:
    """Tell which bonuses the reader has, and which others have taken."""
    power, all_ = look.word("power"), look.table.state.powers
    yield note("bonuses", power=look.who(power), bonuses=list(all_[power].science))
    if taken := [bonus for other, hand in all_.items() if other != power for bonus in hand.science]:
        yield note("bonuses_taken", main=False, bonuses=taken)


def achieved(look: Look, answer: list[str]) -> Meaning:
    """Tell what a bonus does; of a whole answer, the VP that are left for it."""
    if len(answer) == 1:
        return means(note(f"bonus.{answer[0]}"))
    return means(note("achieved_vp", vp=vp_for(look, look.number("most") - len(answer))))


def vp_for(look: Look, points: int) -> int:
    """Return the VP that so many points of an achievement bring now."""
    work = next(work for work in look.table.state.patronage if work.person == look.word("person"))
    marker = evaluation.best(look.table, work, points) if points > 0 else ""
    return look.table.c.vp_markers[marker].vp if marker else 0


def points(look: Look) -> Facts:
    """Tell the VP for each number of bonuses."""
    most = look.number("most")
    yield note("achieved_all", **{f"with_{n}": str(vp_for(look, most - n)) for n in range(most + 1)})


KIT.turns_on("science", facts=(learned,), means=lambda look, bonus: means(note(f"bonus.{bonus}")))
KIT.turns_on("achievement", facts=(points, learned, shared.STANDING), means=achieved)
