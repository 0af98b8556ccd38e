"""Constraints of power cards, rulers, minor powers, actions and the cost of war (A34 to A47)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from games.virgin_queen.constraints.base import Finding, QueenTables, by_id
from games.virgin_queen.state import MINORS, POWERS

COSTS = {
    "move_clear": (1, 1), "move_pass": (2, 2), "control_unfortified": (1, 1), "assault_or_foreign_war": (1, 1),
    "raise_regular": (2, 2), "buy_mercenary": (1, 1), "raise_cavalry": (1, 1), "build_fortress": (2, 2),
    "naval_move": (1, 1), "build_galley": (2, 2), "build_corsair": (1, 1), "build_galleon": (2, 2),
    "upgrade_armada": (3, 3), "piracy_europe": (2, 2), "piracy_world": (2, 2), "launch_expedition": (1, 1),
    "build_patrol": (2, 2), "build_overseas_fortress": (2, 2), "preach_sermons": (2, 2), "suppress_heresy": (2, 2),
    "rebellion": (2, 5), "gain_intelligence": (2, 2), "place_agent": (2, 2), "assassination": (2, 4),
    "english_catholic_rebellion": (3, 5), "patronize_artist": (2, 4), "patronize_scientist": (2, 4),
    "buy_influence": (1, 1),
}  # fmt: skip
LAST_RULERS = ("philip_ii", "elizabeth_i", "henry_iii", "rudolf_ii")
DEAD = {"philip_ii": 1, "elizabeth_i": 1, "henry_iii": 1, "rudolf_ii": 1, "charles_ix": 0}
ACTIVATED = {
    "ottoman": {"england": 0, "france": 0, "protestant": 0, "spain": 1},
    "hre": {"england": 0, "france": 0, "protestant": 0, "spain": 1, "ottoman": 3},
}
POSSIBLE_ALLY = -2


def _cards(box: QueenTables) -> Iterator[Finding]:
    """Check A34, A35: impulse order and home cards."""
    order = tuple(box.tables["powers"]["impulse_order"])
    yield "A34", order == POWERS == tuple(box.powers), f"impulse order: {', '.join(order)}"
    for power, card in box.powers.items():
        yield "A35", len(set(card["home_cards"])) == 2, f"{power} has two home cards"
        for key in card["home_cards"]:
            home = box.cards.get(key, {})
            yield ("A35", (home.get("type"), home.get("owner")) == ("home", power), f"{key}: a home card of {power}")
    number = sum(card["type"] == "home" for card in box.cards.values())
    yield "A35", number == 12, f"{number} home cards of 12"


def _tracks(box: QueenTables) -> Iterator[Finding]:
    """Check A36 to A38: cards and VP by keys, automatic victory."""
    for power, card in box.powers.items():
        if power == "protestant":
            continue
        cards, points = card["key_track_cards"], card["key_track_vp"]
        yield "A36", cards[0] == 1, f"{power} without keys draws one card"
        yield "A36", points[0] == 0, f"{power} without keys has no VP"
        rising = cards == sorted(cards) and points == sorted(points)
        yield "A36", rising, f"{power}: tracks never fall as keys rise"
        fit = len(cards) == len(points) == card["auto_win_keys"] + 1
        yield "A37", fit, f"{power}: the tracks end at the box of automatic victory"
    card = box.powers["protestant"]
    yield "A36", card["cards_by_min_of_rows"] == [4, 5, 6, 7], "the Protestants draw 4, 5, 6 or 7 cards"
    yield "A37", card["auto_win_other_keys"] == 5, "five keys outside the Netherlands win for the Protestants"
    yield "A38", card["vp_per_netherlands_key"] == 3, "a Netherlands key is worth 3 VP"
    steps = card["other_keys_vp"]
    yield "A38", steps == [2 * n for n in range(6)], "another key is worth 2 VP to the Protestants"


def _rulers(box: QueenTables) -> Iterator[Finding]:
    """Check A39, A40: rulers, their successors and deaths."""
    for power, card in box.powers.items():
        first = box.rulers.get(card["first_ruler"], {})
        yield "A39", first.get("power") == power, f"{power}: {card['first_ruler']} is no ruler of it"
    for key in LAST_RULERS:
        yield "A39", not box.rulers[key].get("replaced_by_card"), f"{key} is the last ruler"
    changing = {ruler["power"] for ruler in box.rulers.values() if ruler.get("replaced_by_card")}
    yield "A39", changing == {"ottoman", "france", "hre"}, f"rulers change in: {', '.join(sorted(changing))}"
    for key, ruler in box.rulers.items():
        if card_id := ruler.get("replaced_by_card"):
            kind = box.cards.get(card_id, {}).get("type")
            yield "A39", kind == "mandatory", f"{key}: {card_id} is no mandatory event"
        if key in DEAD:
            dead = (ruler["dead_admin"], ruler["dead_bonus"])
            yield "A40", dead == (DEAD[key], 0), f"{key}: dead, admin and bonus are {dead}"


def _minors(box: QueenTables) -> Iterator[Finding]:
    """Check A41 to A43, A46: who influences whom."""
    yield "A41", tuple(box.minors) == MINORS, f"minor powers: {', '.join(box.minors)}"
    start: dict[str, dict[str, int]] = {}
    for row in box.tables["powers"]["influence"]:
        start.setdefault(row["on"], {})[row["power"]] = row["default"]
        yield "A46", 0 <= row["default"] <= 9, f"{row['id']}: influence runs from 0 to 9"
    for key, minor in box.minors.items():
        three = minor["activators"]
        yield ("A41", len(set(three)) == 3 and set(three) <= set(POWERS), f"{key}: three powers may activate it")
        apart = minor["deactivator"] in POWERS and minor["deactivator"] not in three
        yield "A41", apart, f"{key}: one other power may deactivate it"
        yield ("A46", set(start.get(key, ())) == {*three, minor["deactivator"]}, f"{key}: influence of four powers")
        yield "A03", set(minor["spaces"]) == box.homes(key), f"{key}: its home spaces"
        keyed = any(box.spaces[space]["type"] == "key" for space in minor["spaces"])
        yield "24.3", keyed, f"{key} has no key to winter in"
    for key in ("ireland", "papacy", "venice"):
        yield "A42", "hre" in box.minors[key]["activators"], f"the Empire may have {key}"
    portugal, scotland = (set(box.minors[key]["activators"]) for key in ("portugal", "scotland"))
    yield "A42", {"england", "france"} <= portugal, "England and France may have Portugal"
    yield "A42", scotland == {"england", "france", "protestant"}, "who may have Scotland"
    yield "A41", box.activated["hre"]["deactivator"] == "ottoman", "the Ottomans deactivate the Empire"
    yield "A41", "protestant" in box.activated["hre"]["activators"], "the Protestants may activate the Empire"
    for key, expected in ACTIVATED.items():
        yield "A43", start.get(key) == expected, f"influence on {key} at the start"


def _war(box: QueenTables) -> Iterator[Finding]:
    """Check A44: what a declaration of war costs."""
    dow: dict[str, dict[str, int]] = {}
    for row in box.tables["powers"]["declarations"]:
        dow.setdefault(row["by"], {})[row["on"]] = row["cost"]
        known = row["cost"] in (-1, POSSIBLE_ALLY, 99) or row["cost"] > 0
        yield "A44", known, f"{row['id']}: {row['cost']} is no cost of war"
    yield "A44", dow["england"]["ireland"] == 1, "England pays 1 CP for war on Ireland"
    moving = dow["england"]["spain"] == dow["spain"]["england"] == 99
    yield "A44", moving, "the cost between England and Spain moves (9.5)"
    pair = box.tables["powers"]["dow_england_spain"]
    steps = [pair[key] for key in ("start", "minimum", "excommunication", "mary_captive", "mary_executed")]
    yield "A44", steps == [5, 1, -2, -2, -3], f"England and Spain: {steps}"
    for a in POWERS:
        row = set(dow.get(a, ()))
        yield "A44", row == {*POWERS, *MINORS} - {a}, f"the row of {a} names every other power"
        for b in MINORS:
            if a in box.minors[b]["activators"]:
                yield "A44", dow[a][b] == POSSIBLE_ALLY, f"{b} is a possible ally of {a}"


def _actions(box: QueenTables) -> Iterator[Finding]:
    """Check A45, A66: the list of actions."""
    actions = by_id(box.tables["powers"]["actions"])
    yield "A45", set(actions) == set(COSTS), "the list of actions"
    for key, cost in COSTS.items():
        action: Mapping[str, Any] = actions.get(key, {"cost": 0, "most": 0, "powers": []})
        found = (action["cost"], action["most"])
        yield "A45", found == cost, f"{key} costs {found}, but the rules give {cost}"
        yield "A45", set(action["powers"]) <= set(POWERS), f"{key}: unknown powers"
        if action.get("category") == "espionage":
            yield "A66", action.get("first_turn") == 3, f"{key}: espionage begins on turn 3"
    yield "A45", "ottoman" not in actions["buy_mercenary"]["powers"], "the Ottomans hire no mercenaries"
    yield "A45", actions["raise_cavalry"]["powers"] == ["ottoman"], "only the Ottomans raise cavalry"


def _specials(box: QueenTables) -> Iterator[Finding]:
    """Check A53, A65, A66 and the numbers of 23.1 and 25."""
    p = box.tables["powers"]
    yield "A53", p["armada"]["strengths"] == [2, 4, 6, 8], "the Armada has 2, 4, 6 or 8"
    yield "A26", set(p["armada"]["ports"]) == {"seville", "corunna", "lisbon"}, "ports of the Armada"
    stock = list(p["spain_stock"].values())[:4]
    yield "A65", stock == [1, 2, 1, 2], f"Spain's fortresses and Jesuits: {stock}"
    marks = p["espionage_markers"]
    kinds = ("informants_per_power", "assassination_used_per_power", "cipher_key_per_power", "first_turn")
    yield "A66", [marks[key] for key in kinds] == [2, 1, 1, 3], "markers of espionage"
    suez = p["suez"]
    steps = [suez[key] for key in ("success_total", "add_per_failed_attempt", "excavation_bonus", "vp")]
    yield "23.1", steps == [6, 1, 2, 2], f"Suez: {steps}"
    v = p["victory"]
    keys = (
        "normal_vp", "dominance_lead", "dominance_first_turn", "last_turn_campaign", "religious_protestant_spaces",
        "religious_catholic_spaces", "catholic_win_for_france_if_france_plus_scotland_at_most",
        "gunpowder_plot_net_hits",
    )  # fmt: skip
    found = [v[key] for key in keys]
    yield "25.1", found == [25, 5, 4, 7, 50, 9, 3, 4], f"numbers of victory: {found}"


GROUPS = (_cards, _tracks, _rulers, _minors, _war, _actions, _specials)
