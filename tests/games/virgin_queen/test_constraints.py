"""`constraints.md` as code: the pack that ships keeps every number, and each of them sees a pack that breaks it."""

import copy

import pytest

from games.virgin_queen import GAME, constraints
from games.virgin_queen.constraints import check, inferred
from pbem.kernel.pack import PackError, load_pack, merge_pack

PACK = load_pack(GAME.package)
NUMBERS = [f"A{n:02d}" for n in range(1, 85)]


def test_the_published_pack_keeps_every_number():
    assert [str(problem) for problem in check(PACK.tables)] == []
    assert [str(problem) for problem in inferred(PACK.tables)] == []


GALLEON_AT_NAPLES = {"space": "naples", "owner": "spain", "kind": "galleon", "n": 1}
WRONG = {
    "A01": ("map.spaces.vienna", {"type": "town"}),
    "A02": ("powers.powers.spain", {"capitals": ["madrid"]}),
    "A03": ("map.spaces.reims", {"home": "burgundy"}),
    "A04": ("map.spaces.metz", {"type": "fortress"}),
    "A05": ("map.spaces.reims", {"religion": "none"}),
    "A06": "england",
    "A07": ("map.spaces.la_rochelle", {"home_upper": ""}),
    "A08": ("map.spaces.la_rochelle", {"area": "england"}),
    "A09": ("map.passes.bayonne-navarre", {"range": "alps"}),
    "A10": ("map.waterways.brielle-rotterdam", {"gate": "rotterdam"}),
    "A11": ("map.spaces.antwerp", {"port": ["north_sea"]}),
    "A12": ("map.zones.irish_sea", {"group": "mediterranean"}),
    "A13": ("map.spaces.messina", {"port": ["ionian_sea"]}),
    "A14": ("map.spaces.london", {"port": ["north_sea", "irish_sea", "english_channel"]}),
    "A15": ("map.spaces.vienna", {"connections": ["linz"]}),
    "A16": ("map.spaces.tunis", {"port": [], "connections": [], "passes": []}),
    "A17": ("map.spaces.buda", {"type": "fortress"}),
    "A18": ("map.spaces.amsterdam", {"type": "fortress"}),
    "A19": ("map.spaces.oran", {"only_build": ["galleon"]}),
    "A20": ("scenarios.scenarios.campaign", {"ships": [GALLEON_AT_NAPLES]}),
    "A21": ("map.spaces.reims", {"home_upper": "huguenot"}),
    "A22": ("map.spaces.orleans", {"type": "unfortified"}),
    "A23": ("map.spaces.vienna", {"connections": []}),
    "A24": ("map.spaces.edinburgh", {"area": "england"}),
    "A25": ("map.spaces.ulster", {"type": "fortress"}),
    "A26": ("map.spaces.lisbon", {"port": []}),
    "A27": "france",
    "A28": ("map.oceans.indian_ocean", {"adjacent": []}),
    "A29": ("map.winds.north_atlantic-guinea_coast", {"to": "indian_ocean"}),
    "A30": ("map.settlements.nombre_de_dios_panama", {"zones": ["spanish_main"]}),
    "A31": ("map.hazards.strait-of-magellan", {"b": "mexican_coast"}),
    "A32": ("map.entries.ottoman", {"zones": ["north_atlantic"]}),
    "A33": ("map.treasure_rows", {"spain_boxes": 3}),
    "A34": ("powers", {"impulse_order": ["spain", "ottoman", "england", "france", "hre", "protestant"]}),
    "A35": ("powers.powers.hre", {"home_cards": ["patron-of-arts-sciences"]}),
    "A36": ("powers.powers.ottoman", {"key_track_cards": [2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5]}),
    "A37": ("powers.powers.ottoman", {"auto_win_keys": 5}),
    "A38": ("powers.powers.protestant", {"vp_per_netherlands_key": 2}),
    "A39": ("powers.rulers.philip_ii", {"replaced_by_card": "papal-bull"}),
    "A40": ("powers.rulers.henry_iii", {"dead_admin": 2}),
    "A41": ("powers.minors.venice", {"deactivator": "hre"}),
    "A42": ("powers.minors.scotland", {"activators": ["england", "france", "spain"]}),
    "A43": ("powers.influence.ottoman-hre", {"default": 2}),
    "A44": ("powers.declarations.england-ireland", {"cost": 2}),
    "A45": ("powers.actions.build_galley", {"cost": 1}),
    "A46": ("powers.influence.spain-ireland", {"default": 10}),
    "A48": ("units.land_pools.venice", {"back": "mercenary"}),
    "A49": ("units.naval_pools.hre", {"count": 2}),
    "A50": ("units.land_pools.walloon", {"ones": 4}),
    "A51": ("units.land_pools.knights_of_st_john", {"ones": 3}),
    "A52": ("units.land_pools.ireland", {"ones": 1, "twos": 0, "fours": 0, "sixes": 0}),
    "A53": ("powers.armada", {"strengths": [2, 4, 6]}),
    "A54": ("units.army_leaders.schwendi", {"command": 6}),
    "A55": ("units.naval_leaders.dragut", {"piracy": 0}),
    "A56": ("units.army_leaders.duke_of_guise", {"turn": "4"}),
    "A57": ("units.captains.de_sores", {"powers": ["france"]}),
    "A58": ("units.captains.le_testu", {"also_scientist": "taqi_al_din"}),
    "A59": ("units.royals.elizabeth_i", {"dynasty": "V"}),
    "A60": ("units.royals.elizabeth_i", {"can_die": "old age"}),
    "A61": ("units.royals.mary_queen_of_scots", {"turn": "3"}),
    "A62": ("units.artists.sinan", {"type": "music"}),
    "A63": ("units.science_bonus.telescope", {"id": "spyglass"}),
    "A64": ("units.treasures.vp1", {"count": 3}),
    "A65": ("powers.spain_stock", {"jesuits_per_turn": 2}),
    "A66": ("powers.espionage_markers", {"informants_per_power": 1}),
    "A67": ("cards.cards.papal-bull", {"type": "surprise"}),
    "A68": ("cards.cards.papal-bull", {"turn": "3"}),
    "A69": ("cards.cards.selim-ii", {"cp": 3}),
    "A70": ("cards.cards.storms", {"name": "Gales"}),
    "A71": ("cards.cards.flooding", {"name": "High Water"}),
    "A72": ("cards.cards.council-of-troubles", {"text": {"en": "Spain makes 7 attempts.", "ja": ""}}),
    "A73": ("cards.cards.selim-ii", {"turn": "2"}),
    "A74": ("cards.cards.galleasses", {"type": "combat"}),
    "A75": ("tables.treasure_fleet", {"dice": "2d6"}),
    "A76": ("tables.treasure_fleet", {"rows": [{"lo": 1, "hi": 6, "result": "antilles"}]}),
    "A77": ("tables.patronage.artist", {"rows": [{"lo": -99, "hi": 99, "result": "removed"}]}),
    "A78": ("tables.catholic_league", {"target": 10}),
    "A79": ("tables.jilted", {"rows": [{"lo": 1, "hi": 5, "result": "none"}]}),
    "A80": ("scenarios.scenarios.campaign", {"inactive_minors": ["ireland"]}),
    "A81": ("scenarios.scenarios.tournament", {"first_turn": 4}),
    "A82": ("scenarios.players.players-3", {"activated": ["hre"]}),
    "A83": ("scenarios.scenarios.campaign", {"units": [{"space": "vienna", "owner": "hre", "r": 60}]}),
}  # fmt: skip


def entry(tables, path):
    """What stands at a path: `table.array.id` or `table.name`."""
    at = tables
    for step in path.split("."):
        at = next(e for e in at if e["id"] == step) if isinstance(at, list) else at[step]
    return at


def broken(number):
    """The published pack with the corruption that a number must see."""
    tables = copy.deepcopy(dict(PACK.tables))
    if isinstance(WRONG[number], str):  # areas turn Catholic
        for space in tables["map"]["spaces"]:
            if space.get("area") in (WRONG[number], "scotland" if number == "A06" else "netherlands"):
                space["religion"] = "catholic"
    else:
        path, fields = WRONG[number]
        entry(tables, path).update(fields)
    return tables


@pytest.mark.parametrize("number", WRONG)
def test_a_pack_that_breaks_a_number_is_seen(number):
    assert number in {problem.rule for problem in check(broken(number))}


def test_every_number_is_code_or_the_docstring_says_why_not():
    left_out = set(NUMBERS) - set(WRONG)
    assert left_out == {"A47", "A84"}
    assert all(number in constraints.__doc__ for number in left_out)


def test_what_is_only_inferred_is_not_asked_of_a_moderator():
    tables = copy.deepcopy(dict(PACK.tables))
    units = entry(tables, "scenarios.scenarios.campaign")["units"]
    next(row for row in units if row["space"] == "gibraltar" or row["owner"] == "hre")["space"] = "pressburg"
    before = {problem.rule for problem in check(tables)}
    assert "A84" not in before
    next(row for row in units if row["space"] == "pressburg")["r"] = 5
    assert "A84" in {problem.rule for problem in inferred(tables)}
    assert {problem.rule for problem in check(tables)} == before


def test_a_moderators_pack_is_checked():
    with pytest.raises(PackError) as caught:
        merge_pack(PACK, {"powers": {"powers": {"hre": {"capitals": ["linz"]}}}}, check=check)
    assert "A02" in {problem.rule for problem in caught.value.problems}


def test_a_card_and_a_link_may_be_corrected_but_a_link_has_two_ends():
    """Case PK01 plays what is corrected here."""
    vienna = [*entry(PACK.tables, "map.spaces.vienna")["connections"], "prague"]
    prague = [*entry(PACK.tables, "map.spaces.prague")["connections"], "vienna"]
    card = {"cards": {"cards": {"army-mutiny": {"cp": 2}}}}
    both = {"spaces": {"vienna": {"connections": vienna}, "prague": {"connections": prague}}}
    merged = merge_pack(PACK, {**card, "map": both}, check=check)
    assert entry(merged.tables, "cards.cards.army-mutiny")["cp"] == 2
    assert "prague" in entry(merged.tables, "map.spaces.vienna")["connections"]
    with pytest.raises(PackError) as caught:
        merge_pack(PACK, {"map": {"spaces": {"vienna": {"connections": vienna}}}}, check=check)
    assert "A15" in {problem.rule for problem in caught.value.problems}
    with pytest.raises(PackError) as caught:
        merge_pack(PACK, {"cards": {"cards": {"selim-ii": {"cp": 4}}}}, check=check)
    assert "A69" in {problem.rule for problem in caught.value.problems}


def test_a_moderator_may_lengthen_a_key_track():
    """England's track is reconstructed: another one that rises is taken."""
    card = entry(PACK.tables, "powers.powers.england")
    tables = copy.deepcopy(dict(PACK.tables))
    fields = {key: [*card[key], card[key][-1]] for key in ("key_track_cards", "key_track_vp")}
    entry(tables, "powers.powers.england").update(fields, auto_win_keys=card["auto_win_keys"] + 1)
    assert check(tables) == []
