"""What decisions about espionage, the treasure fleet and foreign wars turn on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen.events.special import FEWEST_FOES
from games.virgin_queen.evidence.faith import resistance, revolt_odds
from games.virgin_queen.evidence.notes import brief, by_card, more_hits, named, percent, spot, spots
from games.virgin_queen.evidence.shared import Facts, Look, first, follows, leaders, standing, wars
from games.virgin_queen.formations import count
from games.virgin_queen.gate import england_spain_cost
from games.virgin_queen.intrigue import agents, assassination, dice, english_rebellion, plot
from games.virgin_queen.keys import vp
from games.virgin_queen.naval import plunder
from games.virgin_queen.query import at_war, seat_of
from games.virgin_queen.religion import uprising
from games.virgin_queen.special import foreign_war, treasure_fleet
from games.virgin_queen.state import CATHOLIC, ENGLAND, POWERS, SPAIN
from games.virgin_queen.table import KIT
from pbem.kernel.evidence import Fact, Meaning

# -- Mary, Queen of Scots


def mary_alive(look: Look) -> Facts:
    """Tell what captive Mary is worth to England's enemies."""
    kill, rise = (dice.column(look.table, word) for word in ("assassination", "english_catholic_rebellion"))
    args = {"kill": kill["attack_dice_mary_captive_vs_elizabeth"], "rise": rise["attack_dice_mary_captive"]}
    yield Fact("mary_alive", args)
    yield Fact("war_price_now", {"power": SPAIN, "cp": england_spain_cost(look.table)})


def beheaded(look: Look, answer: Any) -> Meaning | None:
    """Tell what an execution costs, and what war between England and Spain costs after it."""
    state = look.table.state
    if answer == "no":
        return Meaning(follows=follows("mary_captive"))
    before, state.mary = state.mary, "executed"
    price, state.mary = england_spain_cost(look.table), before
    return Meaning(follows=follows("mary_dead", vp=vp(look.table, ENGLAND) - 1) + follows("war_price_then", cp=price))


KIT.turns_on("execute_mary", facts=(mary_alive, standing), means=beheaded)


# -- intelligence


def target_hand(look: Look) -> Facts:
    """Tell how much the target holds, and the informants between the two powers."""
    state, power, target = look.table.state, look.word("power"), look.about["target"]
    hand = state.powers[target]
    yield Fact("target_hand", {"power": target, "cards": len(hand.hand), "treasures": len(hand.treasures)})
    spy = agents.informant(look.table, target, power)
    if spy is not None and not spy.neutral:
        yield Fact("their_spy", {"power": target, "dice": dice.common(look.table)["informant_attack_dice"]})
    if power == ENGLAND and target == SPAIN and state.jesuits:
        yield Fact("jesuits", {"spaces": list(state.jesuits)}, tuple(state.jesuits))


def found_out(look: Look, answer: Any) -> Meaning | None:
    """Tell what a result of intelligence brings."""
    word = named(answer)
    return Meaning(follows=follows(f"intelligence.{word}")) if word else None


KIT.turns_on("intelligence", facts=(target_hand,), means=found_out)


def exposed(look: Look, answer: Any) -> Meaning | None:
    """Tell where a Jesuit works: the space, and how many Catholic spaces are beside it."""
    table = look.table
    near = [at for at in table.c.land[answer] if at in table.c.areas[ENGLAND]]
    faiths = [table.state.religion[at] for at in near]
    args = {"catholic": faiths.count("catholic"), "protestant": faiths.count("protestant")}
    return Meaning(follows=(*spot(look, answer), Fact("faith_near", args)), rank=args["catholic"])


def jesuits(look: Look) -> Facts:
    """Tell what a Jesuit is worth to Spain."""
    dice_ = dice.column(look.table, "english_catholic_rebellion")["attack_dice_per_jesuit"]
    yield Fact("jesuit_dice", {"count": len(look.table.state.jesuits), "dice": dice_})


KIT.turns_on("expose", facts=(jesuits,), means=exposed)
KIT.turns_on("intelligence_take", facts=(target_hand, wars), means=by_card)


def spies(look: Look) -> Facts:
    """Tell where the reader's informants are, and who spies on the reader."""
    state, power = look.table.state, look.word("power")
    yield Fact("own_spies", {"powers": list(state.spies.get(power, {}))})
    others = [other for other in POWERS if agents.informant(look.table, other, power) is not None]
    if others:
        yield Fact("spied_by", {"powers": others})


def placed(look: Look, answer: Any) -> Meaning | None:
    """Tell of the power on whose card the informant goes."""
    on = answer["on"] if isinstance(answer, Mapping) else ""
    if on not in POWERS:
        return Meaning(follows=spot(look, on)) if on else None
    hand = look.table.state.powers[on]
    war = at_war(look.table.state, look.word("power"), on)
    notes = follows("rival", cards=len(hand.hand), treasures=len(hand.treasures), vp=vp(look.table, on))
    return Meaning(follows=notes + (follows("rival_war") if war else ()), rank=war)


KIT.turns_on("event_agent", facts=(spies, first(0, wars)), means=placed)


def contest(look: Look) -> tuple[int, int]:
    """Return the dice of the attack and of the defence."""
    table, about = look.table, look.about
    power, target, listed = about["power"], about["target"], dice.column(table, about["action"])
    if about["action"] == "assassination":
        found = assassination.attack_dice(table, power, about["leader"], about["cp"])
        return found, assassination.defence_dice(table, about["leader"])
    defence = listed["base_defence_dice"] + dice.shared_defence(table, target)
    if about["action"] == "english_catholic_rebellion":
        return plot.attack_dice(table, about["cp"]), defence
    return listed["base_attack_dice"] + dice.shared_attack(table, power, target), defence


def espionage(look: Look) -> Facts:
    """Tell the dice of both sides and the chance, and whom it is aimed at."""
    attack, defence = contest(look)
    args = {"attack": attack, "defence": defence, "chance": more_hits(attack, defence)}
    yield Fact("espionage_dice", {"power": look.word("power"), **args})
    if "leader" in look.about:
        yield Fact("aimed_at", {"leader": look.word("leader"), "power": look.about["target"]})
    if look.about["action"] == "english_catholic_rebellion":
        yield Fact("plot_wins", {"chance": more_hits(attack, defence, 4), "power": SPAIN})


def countered(look: Look, answer: Any) -> Meaning | None:
    """Tell the chance of the action once a card is played."""
    attack, defence = contest(look)
    shift = {
        "walsingham": (0, dice.common(look.table)["walsingham_defence_dice"]),
        "mary-queen-of-scots": (2, 0),
        "double-agent": (-dice.common(look.table)["informant_attack_dice"], 0),
    }
    if answer not in shift:
        return Meaning(follows=follows("espionage_as_it_is", chance=more_hits(attack, defence)))
    more, less = shift[answer]
    then = follows("espionage_then", chance=more_hits(max(attack + more, 0), defence + less))
    return Meaning(follows=(*then, Fact("card_spent", {"cp": look.table.c.cards[answer].cp})))


KIT.turns_on("respond_espionage", facts=(espionage, first(0, standing)), means=countered)


# -- risings in England


def rises(look: Look, answer: Any) -> Meaning | None:
    """Tell how likely a rising of English Catholics succeeds in a space, and how many spaces join it."""
    if not isinstance(answer, str) or answer not in look.table.c.spaces:
        return None
    chance = revolt_odds(look, answer, CATHOLIC, english_rebellion.DICE)
    joins = min(english_rebellion.SPACES - 1, len(uprising.joiners(look.table, SPAIN, answer, CATHOLIC)))
    key = look.table.c.spaces[answer].type == "key"
    return Meaning(
        chance=chance,
        follows=(*brief(look, answer), Fact("joins_revolt", {"count": joins})),
        rank=chance + 10 * joins + 50 * key,
    )


def what_follows(look: Look) -> Facts:
    """Tell what a rising brings: regulars, spaces, war; and which spaces are keys."""
    yield Fact("rising_brings", {"units": english_rebellion.REGULARS, "count": english_rebellion.SPACES})
    found = english_rebellion.targets(look.table)
    keys = [at for at in found if look.table.c.spaces[at].type == "key"]
    held = {at: number for at in found if (number := resistance(look.table, at, CATHOLIC))}
    if held:
        yield Fact("resisting_at", {"units": held}, tuple(held))
    if keys:
        yield Fact("keys_among", {"spaces": keys}, tuple(keys))


KIT.turns_on("rising", facts=(what_follows, first(0, standing)), means=rises)


# -- the treasure fleet


def hunters(look: Look) -> Facts:
    """Tell which expeditions could meet the fleet, by zone."""
    table = look.table
    for zone in treasure_fleet.ZONES:
        here = {
            key: look.who(power)
            for power in POWERS
            if power != SPAIN and seat_of(table.state, power)
            for key in treasure_fleet.expeditions(table, power, zone)
        }
        if here:
            yield Fact("hunters", {"zone": zone, "captains": here}, (zone,))


def escorted(look: Look) -> Facts:
    """Tell the escort and the dice that it rolls."""
    number = treasure_fleet.escorts(look.table)
    rule = look.table.c.tables["treasure_fleet"]["defence_dice"]
    yield Fact("fleet_escort", {"count": number, "dice": rule["base"] + rule["per_escort_galleon"] * number})


def shipped(look: Look, answer: Any) -> Meaning | None:
    """Tell what a treasure is: only what sails can come home, and only that can be robbed."""
    treasure = look.table.c.treasures.get(named(answer))
    return None if treasure is None else Meaning(rank=treasure.value)


KIT.turns_on("cargo", facts=(escorted, hunters), means=shipped)


def zone_odds(look: Look) -> dict[str, int]:
    """Return the chance in percent of each zone of the fleet."""
    manila = "manila" in look.table.state.lost_settlements
    last = "spanish_main" if manila else "mexican_coast"
    faces = dict.fromkeys(treasure_fleet.ZONES, 0)
    for row in look.table.c.tables["treasure_fleet"]["rows"]:
        zone = row["result"] if row["result"] in faces else last
        faces[zone] += row["hi"] - row["lo"] + 1
    return {zone: percent(number) for zone, number in faces.items() if number}


def elsewhere(look: Look) -> Facts:
    """Tell the chance of each zone, and how many treasures sail."""
    yield Fact("fleet_zones", {"chances": zone_odds(look)})


def again(look: Look, answer: Any) -> Meaning | None:
    """Tell the chance that the fleet comes to a zone with an expedition of England."""
    table, odds = look.table, zone_odds(look)
    mine = [zone for zone in odds if treasure_fleet.expeditions(table, ENGLAND, zone)]
    if answer == "keep":
        there = treasure_fleet.expeditions(table, ENGLAND, look.word("zone"))
        return Meaning(follows=follows("fleet_met", captains=there) if there else follows("fleet_missed"))
    return Meaning(chance=sum(odds[zone] for zone in mine), follows=follows("fleet_reach"))


KIT.turns_on("fleet_reroll", facts=(hunters, escorted, elsewhere), means=again)


def robbery(look: Look, captain: str) -> tuple[int, int]:
    """Return the dice of an expedition and of the fleet."""
    table, rule = look.table, look.table.c.tables["treasure_fleet"]
    entry, zone = table.state.captains[captain], look.word("zone")
    attack = rule["attack_dice"]["damaged" if entry.damaged else "undamaged"] + table.c.captains[captain].piracy
    attack += plunder.bonus(captain, zone, SPAIN)
    return attack, rule["defence_dice"]["base"] + rule["defence_dice"]["per_escort_galleon"] * look.about["escorts"]


def booty(look: Look) -> Facts:
    """Tell what a hit can bring."""
    yield Fact("fleet_prizes", {"count": look.number("count"), "escorts": look.about["escorts"]})


def robs(look: Look, answer: Any) -> Meaning | None:
    """Tell the chance of a prize and the risk of an expedition."""
    if answer == treasure_fleet.NOBODY:
        return Meaning(follows=follows("fleet_passes"))
    attack, defence = robbery(look, answer)
    damaged = look.table.state.captains[answer].damaged
    hurt = 100 - more_hits(attack, defence, 0)
    lost = hurt if damaged else 100 - more_hits(attack, defence, -1)
    dice_ = Fact("fleet_dice", {"attack": attack, "defence": defence})
    risk = Fact("fleet_risk", {"damaged": max(hurt - lost, 0), "lost": lost})
    return Meaning(chance=more_hits(attack, defence), follows=(dice_, risk), rank=1)


KIT.turns_on("fleet_attack", facts=(booty, first(0, standing)), means=robs)


# -- foreign wars


def foe_army(look: Look) -> Facts:
    """Tell how strong the enemy may be, what the war costs and what it may bring."""
    card, rule = look.word("card"), look.table.c.special["bonus_vp"]
    yield Fact("foreign_enemy", {"least": FEWEST_FOES, "most": 6})
    yield Fact("foreign_stakes", {"card": card, "vp": rule["war_winner"], "count": foreign_war.WINNER})


def troops(look: Look) -> Facts:
    """Tell where the power's units are, and the leaders who could go."""
    table, power = look.table, look.word("power")
    here: dict[str, int] = {}
    for word, number in foreign_war.free_units(table, power).items():
        space = word.partition("/")[0]
        here[space] = here.get(space, 0) + number
    yield Fact("units_by_space", {"spaces": here}, tuple(here))
    yield from leaders(
        look, [key for key in foreign_war.free_leaders(table, power) if not table.c.generals[key].default]
    )


KIT.turns_on("campaign", facts=(first(6, foe_army, troops), first(0, wars)))


def veterans(look: Look) -> Facts:
    """Tell who comes home."""
    power, card = look.word("power"), look.word("card")
    yield Fact("veterans", {"power": look.who(power), "units": count(look.table.state, power, card)})


KIT.turns_on("veterans", facts=(veterans, wars), means=spots())
