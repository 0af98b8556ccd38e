"""What decisions about the faith of spaces, revolts, espionage, the treasure fleet and foreign wars turn on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from games.virgin_queen import formations
from games.virgin_queen.events.special import FEWEST_FOES
from games.virgin_queen.evidence import shared
from games.virgin_queen.evidence.shared import Facts, Look, Order, first, means, note, words
from games.virgin_queen.formations import count
from games.virgin_queen.gate import england_spain_cost
from games.virgin_queen.intrigue import agents, assassination, dice, plot
from games.virgin_queen.keys import protestant_spaces, religious_vp, vp
from games.virgin_queen.naval import plunder
from games.virgin_queen.query import seat_of
from games.virgin_queen.religion import uprising
from games.virgin_queen.religion.conversion import ConversionAttempts, guarded, others_left, within_reach
from games.virgin_queen.special import foreign_war, treasure_fleet
from games.virgin_queen.state import CATHOLIC, ENGLAND, POWERS, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.evidence import Fact, Meaning, says

MAJOR = 6
"""The face that turns a space at once, or may turn one under units."""
CATHOLIC_CARDS = ("papal-bull", "tridentine-catechism", "index-of-prohibited-books", "spanish-inquisition")
SCORING = [SPAIN, ENGLAND, PROTESTANT]
"""The powers with public VP from the number of Protestant spaces."""


def reach_of(look: Look, area: str, religion: str) -> tuple[tuple[Fact, ...], int]:
    """Return how many spaces of an area can turn to a religion, those under units of the other one apart."""
    near = within_reach(look.table, ConversionAttempts(religion, area, 0, ""))
    free = [at for at in near if not guarded(look.table, at, religion)]
    most = min(len(near), others_left(look.table, area, religion))
    told, keys = note("reach", near, count=most, free=min(most, len(free))), shared.keys_of(look, free)
    return ((told, note("reach_keys", spaces=keys)) if keys else (told,)), len(free)


def turnable(look: Look) -> tuple[list[str], list[str]]:
    """Return the spaces that the attempts can turn, keys first: free ones, and those that units of the other hold."""
    only, religion = look.about.get("only"), look.word("religion")
    attempts = ConversionAttempts(religion, look.word("area"), 0, "", only=None if only is None else tuple(only))
    found = shared.keys_first(look, within_reach(look.table, attempts))
    held = [at for at in found if guarded(look.table, at, religion)]
    return [at for at in found if at not in held], held


def candidates(look: Look) -> Facts:
    """Tell which spaces can turn: keys, and which of them units of the other faith hold; a list where many turn."""
    free, held = turnable(look)
    keys = shared.keys_of(look, free)
    listed = look.about.get("count", look.about.get("sixes")) > 1
    yield note("can_turn" if listed or len(free) < 2 else "free_spaces", free, spaces=free, count=len(free), keys=keys)
    if listed and keys:
        yield note("keys_among", keys, spaces=keys)
    if held and (look.kind == "convert_major" or look.about["majors"]):
        yield note("held_by_units", held, spaces=held)


def faith_vp(look: Look) -> Facts:
    """Tell the number of Protestant spaces and what it is worth now, and where that changes next."""
    number = protestant_spaces(look.table)
    scoring = [power for power in SCORING if power in shared.owns(look)] or SCORING
    worth = {look.who(power): religious_vp(look.table, power) for power in scoring}
    rows = look.table.c.tables["protestant_space_vp"]["rows"]
    row = next(row for row in rows if row["lo"] <= number <= row["hi"])
    religion = CATHOLIC if look.about.get("card") in CATHOLIC_CARDS else look.about.get("religion", PROTESTANT)
    then = row["hi"] + 1 if religion == PROTESTANT else row["lo"] - 1
    yield note("faith_worth", count=number, then=then, vp=worth)


def turning(look: Look) -> Iterator[str]:
    """Yield answers that turn one space each, or the keys first; dice may turn one under units, or calm unrest."""
    free, held = turnable(look)
    free.sort(key=lambda at: (not shared.is_key(look, at), len(at)))  # short names: a list in one line
    number = look.number("count") if look.kind == "convert" else min(look.number("sixes"), len(free))
    name = "free" if look.kind == "convert" else "now"
    major = held if look.kind == "convert" and look.about["majors"] else []
    neither = "held=none " if major else ""
    lists = [",".join(free[:number])] * bool(free) if number > 1 else free
    if major and number > 1:
        under = held[: look.number("majors")]
        yield f"held={','.join(under)} free={','.join(free[: number - len(under)]) or 'none'}"
    yield from (f"{neither}{name}={at}" for at in lists[:1])
    if look.kind == "convert_major" and (calm := min(look.number("unrest"), look.number("sixes"))):
        yield f"calm={calm} now={','.join(free[: look.number('sixes') - calm]) or 'none'}"
        yield f"calm={calm}"
    yield from (f"{neither}{name}={at}" for at in lists[1:])
    yield from (f"held={at}" for at in major if number == 1)
    yield "now=none"


def turned(look: Look, answer: Mapping[str, list[str]] | str) -> Meaning | None:
    """Tell of a space that turns: key, holder, units; of several, the keys among them."""
    if isinstance(answer, str):
        return None
    spaces = [at for part in ("now", "held", "free") for at in answer.get(part, ())]
    keys = shared.keys_of(look, spaces)
    told = shared.brief(look, spaces[0]) if len(spaces) == 1 else [note("reach_keys", spaces=keys)] * bool(keys)
    return means(*told, rank=len(keys) - (not spaces and "calm" not in answer))


def restless(look: Look, answer: object) -> Meaning | None:
    """Tell of a space that gets unrest; unrest keeps a space from counting."""
    at = shared.named(answer)
    if not at:
        return None
    holder, faith = look.who(look.table.state.control[at]), uprising.other(look.table.state.religion[at])
    told = {"marks": shared.marks(look, at), "near": faiths_beside(look, at)[faith], "faith": faith}
    return means(note("faith_beside", holder=holder, **told), rank=-shared.is_key(look, at))


sixes = says("sixes", lambda look: {"face": MAJOR, "count": look.about["sixes"], "unrest": look.about["unrest"]})
KIT.turns_on("convert", facts=(candidates, faith_vp, shared.STANDING), means=turned, likely=turning)
KIT.turns_on("convert_major", facts=(sixes, says("sixes_wait"), candidates, faith_vp), means=turned, likely=turning)
KIT.turns_on("convert_unrest", facts=(says("unrest_stops"),), means=restless)


def resisting(table: Table, at: str, religion: str) -> dict[str, int]:
    """Return the units of a faith that stand against a revolt, by their strength."""
    found = uprising.defenders(table, at, table.state.control[at], religion)
    return {key: uprising.strength_of(key, units) for key, (_, units) in found.items()}


def resistance(table: Table, at: str, religion: str) -> int:
    """Return how many units of the other faith must go for a revolt of a religion to succeed."""
    return sum(resisting(table, at, uprising.other(religion)).values())


def revolt_odds(look: Look, at: str, religion: str, dice: int) -> int:
    """Return the chance in percent that a revolt succeeds."""
    if not uprising.any_faithful(look.table, at, uprising.other(religion)):
        return 100
    return round(100 * shared.at_least(dice, resistance(look.table, at, religion)))


def under_fire(look: Look) -> Facts:
    """Tell which units resist, and that all must go for the revolt to succeed."""
    at, religion = look.word("space"), uprising.other(look.table.state.religion[look.word("space")])
    found = uprising.defenders(look.table, at, look.word("power"), religion)
    units = {key: uprising.strength_of(key, some) for key, (_, some) in found.items()}
    yield note("resisting", [at], units=units, count=look.number("count"))


def joining(look: Look) -> Facts:
    """Tell which spaces can join, whose they are, and the enemies next to them."""
    power, religion = look.word("power"), look.table.state.religion[look.word("space")]
    for at in shared.keys_first(look, uprising.joiners(look.table, power, look.word("space"), religion)):
        near = shared.foes_near(look, power, at)
        yield note("can_join", [at], main=look.number("count") > 1, space=at, notes=shared.marks(look, at), near=near)


def rebels_there(look: Look) -> Facts:
    """Tell what is where the leaders would appear."""
    at = look.word("space")
    yield from (fact if fact.key != "spot" else note("revolt_at", [at], space=at) for fact in shared.spot(look, at))


KIT.turns_on("revolt_losses", facts=(under_fire,))
KIT.turns_on("revolt_spaces", facts=(joining, shared.STANDING), means=shared.spots())
KIT.turns_on("capital", facts=(says("capital_serves"),), means=shared.spots(nowhere="no_capital"))
KIT.turns_on(
    "rebel_leaders",
    facts=(rebels_there,),
    means=lambda look, keys: means(shared.general(look, keys[0])) if len(keys) == 1 else None,
)


def mary_alive(look: Look) -> Facts:
    """Tell what captive Mary is worth to England's enemies."""
    kill, rise = (dice.column(look.table, word) for word in ("assassination", "english_catholic_rebellion"))
    more = {"kill": kill["attack_dice_mary_captive_vs_elizabeth"], "rise": rise["attack_dice_mary_captive"]}
    yield note("mary_alive", **more)
    yield note("war_price_now", power=SPAIN, cp=england_spain_cost(look.table))


def beheaded(look: Look, answer: str) -> Meaning:
    """Tell what an execution costs, and what war between England and Spain costs after it."""
    lost = note("mary_dead", vp=vp(look.table, ENGLAND) - 1)
    with shared.supposing(look, mary="executed"):
        return means(lost, note("war_price_then", cp=england_spain_cost(look.table)))


KIT.turns_on("execute_mary", facts=(mary_alive, shared.standing), means=words({"no": note("mary_captive")}, beheaded))


def target_hand(look: Look) -> Facts:
    """Tell how much the target holds, and the informants between the two powers."""
    state, power, target = look.table.state, look.word("power"), look.word("target")
    hand = state.powers[target]
    yield note("target_hand", power=target, cards=len(hand.hand), treasures=len(hand.treasures))
    spy = agents.informant(look.table, target, power)
    if spy is not None and not spy.neutral:
        yield note("their_spy", power=target, dice=dice.common(look.table)["informant_attack_dice"])
    if power == ENGLAND and target == SPAIN and state.jesuits:
        yield note("jesuits", state.jesuits, spaces=list(state.jesuits))


def faiths_beside(look: Look, at: str) -> dict[str, int]:
    """Return how many spaces of the same area next to one have each faith."""
    area = next((area for area in look.table.c.areas.values() if at in area), ())
    near = [other for other in look.table.c.land[at] if other in area]
    faiths = [look.table.state.religion[other] for other in near]
    return {faith: faiths.count(faith) for faith in (CATHOLIC, PROTESTANT)}


def exposed(look: Look, answer: str) -> Meaning:
    """Tell where a Jesuit works: the space, and how many Catholic spaces are next to it."""
    beside = faiths_beside(look, answer)
    return means(*shared.spot(look, answer), note("faith_near", **beside), rank=beside[CATHOLIC])


def jesuit_dice(look: Look) -> dict[str, object]:
    """Return what a Jesuit is worth to Spain."""
    more = dice.column(look.table, "english_catholic_rebellion")["attack_dice_per_jesuit"]
    return {"count": len(look.table.state.jesuits), "dice": more}


def spies(look: Look) -> Facts:
    """Tell where the reader's informants are, and who spies on the reader."""
    power = look.word("power")
    yield note("own_spies", powers=list(look.table.state.spies.get(power, {})))
    if others := [other for other in POWERS if agents.informant(look.table, other, power) is not None]:
        yield note("spied_by", powers=others)


def placed(look: Look, answer: Mapping[str, str] | str) -> Meaning | None:
    """Tell of the power on whose card the informant goes."""
    on = "" if isinstance(answer, str) else answer["on"]
    if on not in POWERS:
        return means(*shared.spot(look, on)) if on else None
    war = shared.hostile(look, on)
    return means(shared.rival(look, on)[0], *[note("rival_war")] * war, rank=war)


def contest(table: Table, told: Order) -> tuple[int, int]:
    """Return the dice of the attack and of the defence of an act of espionage."""
    action, power, target = told["action"], told["power"], told["target"]
    if action == "assassination":
        attack = assassination.attack_dice(table, power, told["leader"], told["cp"])
        return attack, assassination.defence_dice(table, told["leader"])
    listed = dice.column(table, action)
    defence = listed["base_defence_dice"] + dice.shared_defence(table, target)
    if action == "english_catholic_rebellion":
        return plot.attack_dice(table, told["cp"]), defence
    return listed["base_attack_dice"] + dice.shared_attack(table, power, target), defence


def espionage(look: Look) -> Facts:
    """Tell the dice of both sides and the chance, and whom it is aimed at."""
    attack, defence = contest(look.table, look.about)
    chance = shared.more_hits(attack, defence)
    yield note("espionage_dice", power=look.word("power"), attack=attack, defence=defence, chance=chance)
    if "leader" in look.about:
        yield note("aimed_at", leader=look.word("leader"), power=look.word("target"))
    if look.about["action"] == "english_catholic_rebellion":
        yield note("plot_wins", chance=shared.more_hits(attack, defence, 4), power=SPAIN)


def countered(look: Look, answer: str) -> Meaning:
    """Tell the chance of the action once a card is played."""
    (attack, defence), common = contest(look.table, look.about), dice.common(look.table)
    shift = {
        "walsingham": (0, common["walsingham_defence_dice"]),
        "mary-queen-of-scots": (2, 0),
        "double-agent": (-common["informant_attack_dice"], 0),
    }
    if answer not in shift:
        return means(note("espionage_as_it_is", chance=shared.more_hits(attack, defence)))
    more, less = shift[answer]
    then = note("espionage_then", chance=shared.more_hits(max(attack + more, 0), defence + less))
    return means(then, note("card_spent", cp=look.table.c.cards[answer].cp))


KIT.turns_on(
    "intelligence",
    facts=(target_hand,),
    means=lambda look, answer: means(note(f"intelligence.{shared.named(answer)}")) if shared.named(answer) else None,
)
KIT.turns_on("intelligence_take", facts=(target_hand, shared.wars), means=shared.by_card)
KIT.turns_on("expose", facts=(says("jesuit_dice", jesuit_dice),), means=exposed)
KIT.turns_on("event_agent", facts=(spies, shared.WARS), means=placed)
KIT.turns_on("respond_espionage", facts=(espionage, shared.STANDING), means=countered)


def rises(look: Look, answer: str) -> Meaning | None:
    """Tell how likely a rising of English Catholics succeeds in a space, and how many spaces join it."""
    if answer not in look.table.c.spaces:
        return None
    chance = revolt_odds(look, answer, CATHOLIC, plot.DICE)
    joins = min(plot.SPACES - 1, len(uprising.joiners(look.table, SPAIN, answer, CATHOLIC)))
    rank = chance + 10 * joins + 50 * shared.is_key(look, answer)
    return means(*shared.brief(look, answer), note("joins_revolt", count=joins), chance=chance, rank=rank)


def what_follows(look: Look) -> Facts:
    """Tell what a rising brings: regulars, spaces, war; and which spaces are keys."""
    yield note("rising_brings", units=plot.REGULARS, count=plot.SPACES)
    found = plot.targets(look.table)
    if held := {at: number for at in found if (number := resistance(look.table, at, CATHOLIC))}:
        yield note("resisting_at", held, units=held)
    if keys := shared.keys_of(look, found):
        yield note("keys_among", keys, spaces=keys)


KIT.turns_on("rising", facts=(what_follows, shared.STANDING), means=rises)


def hunters(look: Look) -> Facts:
    """Tell which expeditions could meet the fleet, by zone."""
    state = look.table.state
    others = [power for power in POWERS if power != SPAIN and seat_of(state, power)]
    for zone in treasure_fleet.ZONES:
        here = {look.who(power): treasure_fleet.expeditions(look.table, power, zone) for power in others}
        if any(here.values()):
            yield note("hunters", [zone], zone=zone, captains={power: here[power] for power in here if here[power]})


def fleet_dice(look: Look, escorts: int) -> int:
    """Return the dice that the treasure fleet rolls."""
    rule = look.table.c.tables["treasure_fleet"]["defence_dice"]
    return int(rule["base"] + rule["per_escort_galleon"] * escorts)


def shipped(look: Look, answer: object) -> Meaning | None:
    """Tell how many such treasures there are: only what sails can come home, and only that can be robbed."""
    c = look.table.c.treasures
    treasure = c.get(shared.named(answer))
    if treasure is None:
        return None
    like = [key for key in look.table.state.spain_row if (c[key].kind, c[key].value) == (treasure.kind, treasure.value)]
    return means(note("in_row", count=len(like)), rank=treasure.value)


def zone_odds(look: Look) -> dict[str, int]:
    """Return the chance in percent of each zone of the fleet."""
    last = "spanish_main" if "manila" in look.table.state.lost_settlements else "mexican_coast"
    faces = dict.fromkeys(treasure_fleet.ZONES, 0)
    for row in look.table.c.tables["treasure_fleet"]["rows"]:
        faces[row["result"] if row["result"] in faces else last] += row["hi"] - row["lo"] + 1
    return {zone: shared.percent(number) for zone, number in faces.items() if number}


def again(look: Look, answer: str) -> Meaning:
    """Tell the chance that the fleet comes to a zone with an expedition of England."""
    if answer == "keep":
        there = treasure_fleet.expeditions(look.table, ENGLAND, look.word("zone"))
        return means(note("fleet_met", captains=there) if there else note("fleet_missed"))
    chances = zone_odds(look)
    mine = sum(chances[zone] for zone in chances if treasure_fleet.expeditions(look.table, ENGLAND, zone))
    return means(note("fleet_reach"), chance=mine)


def robs(look: Look, answer: str) -> Meaning:
    """Tell the chance of a prize and the risk of an expedition."""
    entry, rolled = look.table.state.captains[answer], look.table.c.tables["treasure_fleet"]["attack_dice"]
    attack = rolled["damaged" if entry.damaged else "undamaged"] + look.table.c.captains[answer].piracy
    attack += plunder.bonus(answer, look.word("zone"), SPAIN)
    defence = fleet_dice(look, look.number("escorts"))
    hurt = 100 - shared.more_hits(attack, defence, 0)
    lost = hurt if entry.damaged else 100 - shared.more_hits(attack, defence, -1)
    risk = note("fleet_risk", damaged=max(hurt - lost, 0), lost=lost)
    return means(
        note("fleet_dice", attack=attack, defence=defence), risk, chance=shared.more_hits(attack, defence), rank=1
    )


zones = says("fleet_zones", lambda look: {"chances": zone_odds(look)})
prizes = says("fleet_prizes", lambda look: {"count": look.number("count"), "escorts": look.about["escorts"]})
escorted = says(
    "fleet_escort", lambda look: {"count": (n := treasure_fleet.escorts(look.table)), "dice": fleet_dice(look, n)}
)
KIT.turns_on("cargo", facts=(escorted, hunters), means=shipped)
KIT.turns_on("fleet_reroll", facts=(hunters, escorted, zones), means=again)
KIT.turns_on(
    "fleet_attack", facts=(prizes, shared.STANDING), means=words({treasure_fleet.NOBODY: note("fleet_passes")}, robs)
)


def foe_army(look: Look) -> Facts:
    """Tell how strong the enemy may be, what the war costs and what it may bring."""
    yield note("foreign_enemy", least=FEWEST_FOES, most=6)
    winner = look.table.c.special["bonus_vp"]["war_winner"]
    yield note("foreign_stakes", card=look.word("card"), vp=winner, count=foreign_war.WINNER)


def troops(look: Look) -> Facts:
    """Tell where the power's units are, and the leaders who could go."""
    power, here = look.word("power"), dict[str, int]()
    for word, number in foreign_war.free_units(look.table, power).items():
        space = word.partition("/")[0]
        here[space] = here.get(space, 0) + number
    yield from shared.by_space("units_by_space", here)
    able = foreign_war.free_leaders(look.table, power)
    yield from shared.leaders(look, [key for key in able if not look.table.c.generals[key].default])


def armies(look: Look) -> Iterator[str]:
    """Yield armies for a foreign war from where most units are, with the best leader: the most, and the fewest."""
    found, here = foreign_war.free_units(look.table, look.word("power")), dict[str, int]()
    for word, number in found.items():
        here[word.partition("/")[0]] = here.get(word.partition("/")[0], 0) + number
    order = sorted(found, key=lambda word: (-here[word.partition("/")[0]], "cavalry" in word, -found[word]))
    cards, able = look.table.c.generals, foreign_war.free_leaders(look.table, look.word("power"))
    chiefs = sorted(able, key=lambda key: (-cards[key].battle, -cards[key].command))
    for most in (foreign_war.MOST, foreign_war.LEAST):
        units = formations.some_of({word: found[word] for word in order}, min(most, sum(found.values())))
        named = " ".join(f"{word}={number}" for word, number in units.items())
        yield " ".join([f'units="{named}"', *(f"leader={key}" for key in chiefs[:1])])


def home(look: Look) -> dict[str, object]:
    """Return who comes home."""
    power = look.word("power")
    return {"power": look.who(power), "units": count(look.table.state, power, look.word("card"))}


KIT.turns_on("campaign", facts=(first(6, foe_army, troops), shared.WARS), likely=armies)
KIT.turns_on("veterans", facts=(says("veterans", home), shared.wars), means=shared.spots())
