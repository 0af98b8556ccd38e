"""Constraints of blocks, cards, offices, tracks and tables (C to F)."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator

from games.crown_of_roses.components import HOUSES
from games.crown_of_roses.constraints_base import CrownTables, Finding, dice, strength

OPTION_KINDS = {
    "combat_dice", "vote_or_ip", "ally_influence", "command", "return_undeclared_noble", "heir_to_exile",
    "planned_uprising", "pirate_raid", "draw_card", "free_influence", "respond", "take_office_block",
    "take_mercenary_block", "garrison_bonus",
}  # fmt: skip
EARLIEST = {
    "B1": 1, "B4": 3, "B5": 2, "B8": 3, "L1": 1, "L4": 3, "L5": 1, "L7": 5, "W1": 1, "W2": 1, "W5": 1, "W8": 1,
    "Y1": 1,
    "Y2": 4, "Y5": 3, "Y7": 2, "Y8": 5,
}  # fmt: skip
CARRY = {
    "B1": 2, "B5": 1, "B8": 1, "L2": 2, "L4": 1, "L7": 1, "W1": 1, "W2": 2, "W8": 1, "Y1": 1, "Y5": 1, "Y7": 2,
    "Y8": 1,
}  # fmt: skip
EMBASSY = {
    "58": ["east_riding", "lancashire", "essex", "lincoln", "hampshire", "hampshire"],
    "59": ["devon", "norfolk", "kent", "kent", "durham", "durham"],
}


def _all_blocks(box: CrownTables) -> Iterator[Finding]:
    """Check C01 to C03, C26: what holds of every block."""
    for key, block in box.blocks.items():
        steps, noble = block["steps"], block["kind"] in ("noble", "heir")
        yield "C01", 2 <= len(steps) <= 4, f"{key} has 2 to 4 steps"
        yield ("C01", all(re.fullmatch(r"(\d[RBG])+", step) for step in steps), f"{key}: a step is dice like 2B1G")
        falls = all(dice(a) >= dice(b) and strength(a) > strength(b) for a, b in itertools.pairwise(steps))
        yield "C02", falls and dice(steps[-1]) == 1, f"{key}: steps fall to one die"
        if block["kind"] in ("office", "mercenary"):
            yield "C03", not block["title"] and not block["command"], f"{key} has neither title nor command"
        if noble:
            yield "C03", 1 <= block["title"] <= 4, f"{key} has a title of 1 to 4"
            yield "C03", (block["command"] >= 1) == (key != "henry_vi"), f"{key}: command"
        if block["kind"] == "noble":
            yield "C03", block["base"] >= 1, f"{key} has a box on the Roll of Parliament"
        roses = Counter(block["roses"])
        fair = all(house in HOUSES and count <= 3 for house, count in roses.items())
        yield ("C26", block["base"] >= 0 and fair and (block["base"] > 0 or not roses), f"{key}: base and roses")


def _named_blocks(box: CrownTables) -> Iterator[Finding]:
    """Check C04 to C11: blocks that the examples name."""
    b = {key.removeprefix("lord_"): block for key, block in box.blocks.items()}
    highest = max(block["title"] for block in b.values())
    warwick = b["warwick"]
    yield "C04", warwick["title"] == 4 == highest and warwick["command"] == 2, "Warwick: title 4, command 2"
    yield ("C04", (warwick["base"], warwick["roses"]) == (4, ["york"] * 3), "Warwick: base 4, three white roses")
    yield ("C05", b["clarence"]["title"] == 2 and b["clarence"]["base"] > 0, "Clarence: title 2, a box on the Roll")
    yield "C06", b["beaumont"]["roses"] == ["lancaster"] * 2, "Beaumont: two red roses"
    yield "C07", b["herbert"]["command"] == 1 == b["stanley"]["command"], "Herbert and Stanley command 1"
    yield ("C08", (b["fauconberg"]["title"], b["fauconberg"]["command"]) == (1, 3), "Fauconberg: title 1, command 3")
    exeter = (b["exeter"]["title"], b["exeter"]["command"], b["derby"]["title"])
    yield "C09", exeter == (2, 2, 2) and b["exeter"]["base"] > 0, "Exeter and Derby"
    yield (
        "C10",
        b["northumberland"]["title"] == 3 and b["hastings"]["title"] <= 2,
        "Northumberland 3, Hastings at most 2",
    )
    yield (
        "C11",
        b["hastings"]["title"] < b["arundel"]["title"] and b["arundel"]["command"] >= 1,
        "Arundel over Hastings",
    )


def _more_blocks(box: CrownTables) -> Iterator[Finding]:
    """Check C12 to C25: more blocks that the examples name."""
    b = {key.removeprefix("lord_"): block for key, block in box.blocks.items()}
    edward = b["prince_edward"]["command"] == 2 and b["stanley"]["title"] >= b["ormond"]["title"]
    yield "C12", edward, "Prince Edward commands 2; Stanley ranks with Ormond"
    yield "C13", b["richmond"]["steps"][0] == "2B1G", "Richmond: two blue, one green"
    yield "C14", b["pembroke"]["family"] == b["richmond"]["family"], "Pembroke and Richmond share a shield"
    sons = {b[key]["family"] for key in ("york", "march", "rutland", "clarence", "gloucester")}
    yield "C15", len(sons) == 1, "the heirs of York share a shield"
    royal = all(b[key]["command"] == 0 and b[key]["family"] == "lancaster" for key in ("henry_vi", "margaret"))
    yield "C16", royal, "Henry VI and the Queen have no command and use Lancaster's estates"
    for number, key, least in (
        ("C17", "shrewsbury", 2),
        ("C18", "stafford", 2),
        ("C19", "somerset", 2),
        ("C21", "york", 1),
    ):
        yield number, b[key]["command"] >= least, f"{key} commands at least {least}"
    yield "C19", b["somerset"]["title"] >= 2, "Somerset has title 2 or more"
    last = [dice(step) for step in b["office_admiral"]["steps"]][-2:]
    yield "C20", last == [2, 1], "the Admiral's block falls from two dice to one"
    for key in ("york", "march", "rutland", "gloucester", "henry_vi", "prince_edward", "richmond"):
        yield "C22", not b[key]["base"], f"{key} has no box on the Roll"
    for key in ("warwick", "clarence", "exeter", "fauconberg"):
        yield "C22", b[key]["base"] > 0, f"{key} has a box on the Roll"
    yield "C25", 2 <= len(box.tables["blocks"]["garrison"]["steps"]) <= 4, "the garrison has 2 to 4 strengths"


def _heirs(box: CrownTables) -> Iterator[Finding]:
    """Check C23, C24: heirs and their cards."""
    orders: dict[str, list[int]] = {house: [] for house in HOUSES}
    cards = {card["block"]: card for card in box.house.values() if card["type"] == "heir"}
    for key, block in box.blocks.items():
        if block["kind"] == "heir":
            orders[block["house"]].append(block["heir_order"])
            yield ("C23", key in cards and cards[key]["house"] == block["house"], f"{key} has a card of that house")
    for house, count in {"york": 5, "lancaster": 4, "buckingham": 4, "warwick": 4}.items():
        yield "C24", len(orders[house]) == count, f"{house} has {count} heirs"
        yield ("C23", sorted(orders[house]) == list(range(1, count + 1)), f"the heirs of {house} are 1 to {count}")


def _operations(box: CrownTables) -> Iterator[Finding]:
    ops = box.ops
    types = ["ally"] * 27 + ["event"] * 29 + ["mandatory"] * 6 + ["surprise"] * 16
    yield "D01", [ops[str(n)]["type"] for n in range(1, 79)] == types, "types by number"
    for number, card in ops.items():
        yield "D03", 1 <= card["ops"] <= 3 or number == "57", f"card {number}: OPS 1 to 3"
    known = {"42": 2, "44": 2, "60": 2, "61": 2, "62": 2, "58": 1, "59": 1, "57": 0}
    for number, value in known.items():
        yield "D04", ops[number]["ops"] == value, f"card {number} has {value} OPS"
    corners = Counter(card["plague"] for card in ops.values())
    yield "D05", set(corners) <= set(box.shires) and corners["lincoln"] > 0, "every card names a plague shire"
    for number, shires in EMBASSY.items():
        yield "D06", ops[number]["params"]["die"] == shires, f"card {number}: {', '.join(shires)}"
    yield "D07", {n for n, c in ops.items() if c.get("reshuffle")} == {"57", "76"}, "57 and 76 reshuffle"
    gives = {n for n, c in ops.items() if c.get("on_play_ops")}
    wanted = {str(n) for n in (9, 10, 12, 13, 14, 15, 16, 18, 21, 22, 23, 24, 25, 26)}
    yield "D08", gives == wanted, "which allies give 1 OPS"
    lasting = all(c["duration"] == "until_discarded" and c["options"] for c in ops.values() if c["type"] == "ally")
    yield "D09", lasting, "allies stay until discarded for an option"
    no_london = all("london" in ops[n]["params"]["exclude"] for n in ("37", "38"))
    yield ("D12", no_london and "london" not in ops["33"]["params"]["exclude"], "only Jack Cade rises in London")
    bring = {n: ops[n]["params"]["block"] for n in ("49", "52", "55", "56")}
    merc = {"49": "merc_burgundians", "52": "merc_french", "55": "merc_scots", "56": "merc_welsh"}
    yield "D13", bring == merc, "which cards bring mercenaries"
    kinds = {o["kind"] for c in ops.values() for o in c.get("options", ())}
    yield "D14", kinds == OPTION_KINDS, f"options of allies: {kinds ^ OPTION_KINDS}"
    for number, card in ops.items():
        for option in card.get("options", ()):
            if option["kind"] == "combat_dice":
                right = option["hits_on"] == {"G": 6, "B": 5, "R": 4}.get(option["colour"])
                yield "D14", right, f"card {number}: colour and hit number"


def _house_cards(box: CrownTables) -> Iterator[Finding]:
    house = box.house
    heirs = {number: card["earliest_turn"] for number, card in house.items() if card["type"] == "heir"}
    yield "D02", set(heirs) == set(EARLIEST), "which house cards are heirs"
    yield "D10", heirs == EARLIEST, "earliest turns of the heirs"
    none = {number for number, card in house.items() if not card["ops"]}
    starters = {number for number, card in house.items() if card.get("starts")}
    yield "D03", none == {"B1", "L1", "W1", "W2", "Y1"} == starters, "the starting heirs have no OPS"
    known = {"Y5": 2, "B2": 1}
    for number, value in known.items():
        yield "D04", house[number]["ops"] == value, f"card {number} has {value} OPS"
    carry = {number: card["carry"] for number, card in house.items() if card.get("carry")}
    yield "D11", carry == CARRY, "how many cards may be carried over"
    yield "D12", "london" in house["B2"]["params"]["exclude"], "Buckingham's Rebellion is not in London"
    values = [card["ops"] for card in (*box.ops.values(), *house.values())]
    yield ("D15", max(values) == 3 and any(c["ops"] == 3 for c in house.values()), "3 OPS is the most, in hand too")


def _offices(box: CrownTables) -> Iterator[Finding]:
    """Check E: offices and tracks."""
    ranks = [o["id"] for o in sorted(box.offices.values(), key=lambda o: int(o["rank"]))]
    order = [
        "king", "chancellor", "exchequer", "marshal", "admiral", "captain_of_calais", "lieutenant_of_ireland",
        "warden",
    ]  # fmt: skip
    yield "E01", ranks == order and [box.offices[o]["rank"] for o in order] == list(range(1, 9)), "the ranks"
    chancellor = box.offices["chancellor"]
    given = (box.offices["king"]["support"], chancellor["votes"], chancellor["votes_without_king"])
    yield ("E02", given == (3, 3, 5) and box.offices["admiral"]["ip"] == 2, "bonuses of King, Chancellor, Admiral")
    great = {key for key, office in box.offices.items() if office["great"]}
    named = set(box.tables["blocks"]["attachment"]["great_offices"])
    yield "E03", great == {"king", "chancellor", "exchequer"} == named, "the great offices"
    for key, office in box.offices.items():
        block = box.blocks.get(office["block"])
        yield "E04", block is not None and block["kind"] == "office", f"{key} has its block"
    levels = {level["id"]: level for level in box.tables["tracks"]["popular_support"]}
    track = [levels[f"level{n}"] for n in range(1, 10)]
    limits = box.tables["tracks"]["limits"]
    yield ("E05", track[3]["ip"] == 2 and (limits["support_min"], limits["support_max"]) == (1, 9), "popular support")
    for field in ("ip", "votes", "cards"):
        rises = all(a[field] <= b[field] for a, b in itertools.pairwise(track))
        yield "E05", rises, f"{field} of popular support never falls"
    hand = box.numbers["hand"]
    yield ("E06", (hand["base"], hand["max_bonus"], hand["maximum"]) == (5, 4, 9), "hands: 5, 4 more, at most 9")


def _numbers(box: CrownTables) -> Iterator[Finding]:
    """Check F: tables by their examples."""
    lost, e = box.numbers["attrition"], box.numbers["elimination"]
    steps = lost["steps"]

    def loses(modifier: int) -> list[int]:
        return [die for die in range(1, 7) if steps[min(6, max(1, die + modifier)) - 1]]

    shape = len(steps) == 6
    yield "F01", shape and loses(0) == [1, 2], "attrition: 1 and 2 lose a step"
    yield "F02", shape and loses(lost["leader"]) == [1], "an heir or leader loses on 1"
    yield "F03", shape and loses(lost["leader"] + lost["fens"]) == [1, 2], "over the fens on 1 and 2"
    yield "F04", 1 + e["attrition"] + e["heir"] > e["killed_max"], "attrition kills no heir"
    given = (e["killed_max"], e["wounded_max"], e["attrition"], e["enemy_retreated"], e["heir"], e["charge"])
    yield "F05", given == (3, 5, 2, 1, 1, -2), "the elimination table"
    acts, moves = box.numbers["actions"], box.numbers["movement"]
    yield ("F06", (moves["halves"], acts["sea_move"], acts["admiral_sea_move"]) == (8, 3, 2), "4 MP; 3 or 2 OPS by sea")
    raid = box.numbers["raid"]
    dice_of = (raid["french"], raid["scots"], raid["pirate"])
    yield "F07", dice_of == ("3B", "2B", "2G"), "dice of raids"
    spared = (raid["french_vs_calais"], raid["scots_vs_warden"], raid["pirate_vs_admiral"])
    yield "F07", spared == ("2B", "1B", "1G"), "dice of raids against the office"
    battle = box.numbers["battle"]
    yield ("F15", (battle["rounds_before_retreat"], battle["pursuit_ops"], battle["writ_ops"]) == (2, 3, 3), "retreats")


GROUPS = (_all_blocks, _named_blocks, _more_blocks, _heirs, _operations, _house_cards, _offices, _numbers)
