"""Constraints of the scenarios (G) and of bids on the Roll of Parliament (F08 to F12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from games.crown_of_roses.components import HOUSES
from games.crown_of_roses.constraints_base import CrownTables, Finding


def _bids(box: CrownTables) -> Iterator[Finding]:
    """Check F08 to F12: the bids of 24.2.1."""

    def bid(house: str, total: int, noble: str) -> int:
        roses = Counter(box.blocks[noble]["roses"])
        return total + (roses[house] if total else 0)

    base = box.blocks["lord_warwick"]["base"]
    yield "F08", bid("lancaster", 9, "lord_beaumont") == 11, "Lancaster's 1 + 3 + 5 on Beaumont counts 11"
    yield (
        "F09",
        bid("york", 4, "lord_warwick") == 7 < bid("lancaster", 9, "lord_warwick"),
        "9 beats 4 and three roses",
    )
    yield ("F11", base > 3 and 2 * box.blocks["lord_warwick"]["title"] == 8, "3 IP fail on Warwick, who moves 8 votes")
    yield "F12", bid("york", 0, "lord_warwick") == 0, "a bid of zeros gets no roses"


def _scenarios(box: CrownTables) -> Iterator[Finding]:
    for begin in box.tables["scenarios"]["scenarios"]:
        key, count = begin["id"], begin["players"]
        houses = [house["id"] for house in begin["houses"]]
        yield "G03", houses == list(HOUSES[:count]), f"{key}: houses of {count} players"
        yield ("G03", begin["last_turn"] <= box.tables["tracks"]["limits"]["turns"], f"{key}: ends after the track")
        if begin["scenario"] == "campaign":
            yield "G02", begin["political_turns"] == 5, f"{key}: five turns as King"
        place, owner = _places(begin)
        yield from _pieces(box, begin, place, owner)
        for house in begin["houses"]:
            yield from _house(box, begin, house, place)
    counts = {begin["players"] for begin in box.tables["scenarios"]["scenarios"]}
    short = any(b["last_turn"] - b["first_turn"] < 4 for b in box.tables["scenarios"]["scenarios"])
    yield "G01", counts == {2, 3, 4} and short, "2, 3 and 4 players and a short game"


def _places(begin: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return block → shire and block → house of a set-up, attached blocks included, office blocks not."""
    place: dict[str, str] = {}
    owner: dict[str, str] = {}
    for house in begin["houses"]:
        for block, shire in house["start"]:
            place[block], owner[block] = shire, house["id"]
        for block, host in house["attached"]:
            place[block], owner[block] = place.get(host, ""), house["id"]
    return place, owner


def _pieces(
    box: CrownTables, begin: Mapping[str, Any], place: dict[str, str], owner: dict[str, str]
) -> Iterator[Finding]:
    """Check G05, G13 to G15: every block once, no shire contested, the King."""
    key = begin["id"]
    listed = [b for h in begin["houses"] for b, _ in (*h["start"], *h["attached"])]
    held = [office for h in begin["houses"] for office, _ in h["offices"]]
    blocks = [box.offices[office]["block"] for office in held if office in box.offices]
    rest = [*begin["out"], *begin["captured"], *begin["inactive"]]
    yield ("G05", len(listed) == len(set(listed)) and len(held) == len(set(held)), f"{key}: a block is used twice")
    every = Counter([*listed, *blocks, *rest])
    yield ("G14", set(every) == set(box.blocks) and max(every.values()) == 1, f"{key}: every block has one state")
    holders: dict[str, set[str]] = {}
    for block, shire in place.items():
        holders.setdefault(shire, set()).add(owner[block])
    for shire, here in holders.items():
        yield "G13", len(here) == 1 and shire in box.shires, f"{key}: {shire} is contested"
    king = box.blocks[begin["king"]]
    heirs = next(h["heirs"] for h in begin["houses"] if h["id"] == begin["king_house"])
    senior = min((box.blocks[b]["heir_order"] for b in heirs), default=0)
    yield ("G15", begin["king"] in heirs and king["heir_order"] == senior, f"{key}: the King is the senior heir")


def _house(
    box: CrownTables, begin: Mapping[str, Any], house: Mapping[str, Any], place: Mapping[str, str]
) -> Iterator[Finding]:
    """Check G04, G06 to G12: one house of a set-up."""
    key = f"{begin['id']}: {house['id']}"
    own = {block for block, _ in (*house["start"], *house["attached"])}
    cards = {card["block"]: card for card in box.house.values() if card["type"] == "heir"}
    yield "G07", 1 <= len(house["heirs"]) <= 2, f"{key} has one or two heirs"
    for block in house["heirs"]:
        card = cards[block]
        right = block in own and card["earliest_turn"] <= begin["first_turn"] and card["id"] in house["cards_in_play"]
        yield "G07", right and card["house"] == house["id"], f"{key}: {block} can't be an heir yet"
    stacks = Counter(place[b] for b in own if b not in ("henry_vi", "margaret"))
    stacks.update(place[noble] for office, noble in house["offices"] if noble in place and noble != "henry_vi")
    for shire, count in stacks.items():
        yield "G08", shire in box.shires and count <= box.limit(shire), f"{key} over-stacks {shire}"
    yield from _offices(box, key, house["offices"], own)
    yield "G10", 1 <= house["support"] <= 9 and 0 <= house["ip"] <= 100, f"{key}: popular support or IP"
    for block, host in house["attached"]:
        yield "G12", box.blocks[host]["command"] >= 2, f"{key}: {host} can't host {block}"
    in_play, in_hand = set(house["cards_in_play"]), set(house["cards_in_hand"])
    own_cards = {c["id"] for c in box.house.values() if c["house"] == house["id"]}
    gone = own_cards & set(begin["removed_cards"])
    once = not (in_play & in_hand) and not ((in_play | in_hand) & gone)
    yield ("G11", once and in_play | in_hand | gone == own_cards, f"{key}: each card in hand, in play or removed")
    yield from _estates(box, begin, house)


def _offices(box: CrownTables, key: str, offices: Sequence[Sequence[str]], own: set[str]) -> Iterator[Finding]:
    """Check G04, G09: officeholders are in play and hold no more offices than they may."""
    for noble in dict.fromkeys(noble for _, noble in offices):
        mine = [office for office, holder in offices if holder == noble]
        great = sum(box.offices[office]["great"] for office in mine)
        few = noble == "henry_vi" or len(mine) <= box.blocks[noble]["command"]
        yield "G04", noble in own, f"{key}: {noble} holds an office and is not in play"
        alone = "king" not in mine or len(mine) == 1
        yield "G09", few and great <= 1 and alone, f"{key}: offices of {noble}"


def _estates(box: CrownTables, begin: Mapping[str, Any], house: Mapping[str, Any]) -> Iterator[Finding]:
    """Check G06: every noble starts in an estate of their own, of their guest, of their office, or a royal one."""
    for block, key in house["start"]:
        shire = box.shires.get(key)
        party = [block, *(guest for guest, host in house["attached"] if host == block)]
        families = {box.blocks[member]["family"] for member in party}
        offices = {office for office, noble in house["offices"] if noble in party}
        royal = begin["king_house"] == house["id"] and bool(set(party) & set(house["heirs"]))
        at_home = shire is not None and bool(
            families & set(shire["estates"]) or offices & set(shire["office_estates"]) or (royal and shire["royal"])
        )
        yield "G06", at_home, f"{begin['id']}: {block} does not start in an estate"


GROUPS = (_bids, _scenarios)
