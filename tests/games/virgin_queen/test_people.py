"""Royals, patronage, espionage, what stands off the map: saved, shown, held to the rules; deaths (21.4, 23)."""

from random import Random

import msgspec
import pytest

from games.virgin_queen import GAME, formations
from games.virgin_queen.courts import deaths
from games.virgin_queen.intrigue import agents
from games.virgin_queen.invariants import invariants
from games.virgin_queen.learning import patronage, science
from games.virgin_queen.state import Betrothal, Captain, Fleet, ForeignWar, Informant, Patronage, QueenState, Troops
from games.virgin_queen.view import people_tables
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from pbem.save.to_plain import plain

BOX = components_of(GAME, {})[1]


def opened(players=6, scenario="campaign"):
    setup = Setup(GAME.slug, GAME.seats_for(players, scenario), f"{players:064x}", scenario)
    return Referee.new(GAME, setup).table


@pytest.fixture
def table():
    """A game with everything under way."""
    found = opened()
    state = found.state
    state.turn, state.impulses = 3, 9
    state.artists["bruegel"] = state.scientists["vesalius"] = "patronized"
    state.patronage = [Patronage("bruegel", "spain", 3), Patronage("vesalius", "spain", 2)]
    state.vp_markers = {"artist-any-1": 2}
    state.powers["spain"].science = ["telescope"]
    state.spies = {"england": {"spain": Informant(since=4), "france": Informant(since=9, neutral=True)}}
    state.cipher_keys, state.walsingham, state.jesuits = {"hre": "ottoman"}, "attack", ["york"]
    state.wedding_marker = "elisabeth_of_valois"
    state.armada = 4
    state.fleets["seville"] = [Fleet("spain", "spain", {"armada": 1})]
    state.away = {"armada": {"spain": Troops(regulars=3)}, "war-in-persia": {"ottoman": Troops(regulars=2)}}
    state.foreign_wars = {"war-in-persia": ForeignWar("ottoman", 5, 4)}
    state.capitals_lost = ["dutch"]
    return found


def test_a_save_holds_all_of_it_and_of_a_new_game_nothing(table):
    text = plain(table.state)
    assert msgspec.convert(text, QueenState) == table.state
    new = plain(opened().state)
    fields = {"patronage", "vp_markers", "spies", "cipher_keys", "walsingham", "away", "foreign_wars", "capitals_lost"}
    assert fields <= set(text)
    assert not fields & set(new)
    assert text["betrothed"] == [["philip_ii", "elisabeth_of_valois"]]  # as saves have always had it


def test_it_is_sound_and_shown(table):
    assert invariants(table) == []
    shown = {columns.id: columns.rows for columns in people_tables(table)}
    assert list(shown) == ["royals", "patronage", "vp_markers", "espionage", "off_map"]
    couple = next(row for row in shown["royals"] if row[0] == "elisabeth_of_valois")
    assert couple[1:] == ["france", "woman", 4, "V", "betrothed", "philip_ii", True]
    assert ["bruegel", "spain", "painting", 3, "spain", 3] in shown["patronage"]
    assert ["any", 1, 4] in shown["vp_markers"]
    england = next(row for row in shown["espionage"] if row[0] == "england")
    assert england[1:] == [["spain"], ["france"], 0, None, [], ["walsingham-attack"]]
    assert shown["off_map"][0] == ["armada", "seville", ["spain-regulars 3"], [], 4, None, None]
    assert shown["off_map"][1] == ["war-in-persia", None, ["ottoman-regulars 2"], [], None, 4, 5]


FAULTS = {
    "21.1": lambda s: s.betrothed.append(Betrothal("don_carlos", "margaret_of_valois")),
    "21.1 marker": lambda s: setattr(s, "wedding_marker", "charles_ix"),
    "21": lambda s: setattr(s.royals["don_carlos"], "state", "lost"),
    "22": lambda s: s.artists.update(clouet="patronized"),
    "22 twice": lambda s: s.patronage.append(Patronage("herrera", "spain", 2)),
    "22.1": lambda s: s.vp_markers.update({"artist-painting-3": 2}),
    "22.2": lambda s: s.powers["france"].science.append("telescope"),
    "19.2": lambda s: s.spies.update(spain={"spain": Informant()}),
    "19.2 later": lambda s: s.spies.update(spain={"france": Informant(since=10)}),
    "19.2 Jesuits": lambda s: s.jesuits.append("paris"),
    "19": lambda s: s.cipher_keys.update(hre="hre"),
    "20.8": lambda s: setattr(s, "walsingham", "asleep"),
    "23.2": lambda s: setattr(s.away["armada"]["spain"], "regulars", 5),
    "23.2 nowhere": lambda s: s.fleets.pop("seville"),
    "23.7": lambda s: setattr(s.away["war-in-persia"]["ottoman"], "regulars", 9),
    "23.7 over": lambda s: s.foreign_wars.clear(),
    "5.1": lambda s: setattr(s.leaders["alva"], "at", "war-with-poland"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_is_found(table, fault):
    FAULTS[fault](table.state)
    assert fault.split()[0] in {problem.rule for problem in invariants(table)}


def test_troops_off_the_map_count_against_their_pool_and_stay_in_winter(table):
    before = formations.pool_left(table, "spain")
    formations.put(table, "armada", "spain", {"mercenaries": 1})
    assert formations.pool_left(table, "spain") == before - 1
    assert formations.count(table.state, "spain", "armada") == {"regulars": 3, "mercenaries": 1}
    formations.shift(table, "spain", "armada", "seville", {"mercenaries": 1, "regulars": 3}, [])
    assert "armada" not in table.state.away
    assert table.state.land["seville"]["spain"].mercenaries >= 1


def test_an_informant_counts_from_the_next_impulse_on(table):
    assert agents.spying(table, "england", "spain")
    assert not agents.spying(table, "england", "france")
    agents.place(table, "england", "hre", origin="france")
    assert not agents.spying(table, "england", "hre")
    table.state.impulses += 1
    assert agents.spying(table, "england", "hre")
    agents.remove(table, "england", "hre")
    agents.remove(table, "england", "spain")
    assert table.state.spies == {}


def test_who_is_drawn_works_and_is_free_again(table):
    assert "titian" in patronage.drawable(table, "artist", patronage.ITALY)
    assert "galileo" not in patronage.drawable(table, "scientist", patronage.ITALY)  # not before turn 6
    person = patronage.patronize(table, "france", "artist", "italy", 4, limited=False, rule="22.1")
    work = table.state.patronage[-1]
    assert (work.person, work.power, work.cp, work.limited) == (person, "france", 4, False)
    assert person not in patronage.drawable(table, "artist", "italy")
    assert invariants(table) == []
    patronage.release(table, work, "free")
    assert person in patronage.drawable(table, "artist", "italy")
    assert [artist.person for artist in patronage.in_order(table, "artist")] == ["bruegel"]
    assert [scientist.person for scientist in patronage.in_order(table, "scientist")] == ["vesalius"]


def test_the_best_marker_that_is_left(table):
    assert patronage.markers_left(table, "artist", "painting", 2) == ["artist-painting-2", "artist-any-1"]
    table.state.vp_markers = {"artist-painting-3": 1, "artist-any-1": 6}
    assert patronage.markers_left(table, "artist", "painting", 3) == ["artist-painting-2"]
    assert "telescope" not in science.on_offer(table, "france")
    assert "coastal_fortification" in science.on_offer(table, "spain")
    assert "coastal_fortification" not in science.on_offer(table, "france")


# -- deaths (21.4, 23) -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("power", ["spain", "england", "france", "hre"])
def test_23_a_ruler_dies(power):
    table = opened(scenario="tournament")
    own = table.state.powers[power]
    deaths.ruler_dies(table, power)
    assert own.ruler_dead
    if own.ruler in table.state.royals:
        assert table.state.royals[own.ruler].state in ("dead", "wed")
    assert invariants(table) == []


def test_23_3_mary_goes_with_elizabeth():
    table = opened(scenario="tournament")
    deaths.ruler_dies(table, "england")
    assert table.state.mary == "executed"
    england = table.state.powers["england"]
    assert england.vp["mary_executed"] == -1
    assert england.used[deaths.ELIZABETH_DIED]


def test_23_4_henry_iii_dies_as_leader_royal_and_ruler():
    table = opened(scenario="tournament")
    table.state.powers["france"].ruler = "henry_iii"
    deaths.leader_dies(table, "henry_iii")
    state = table.state
    assert (state.leaders["henry_iii"].at, state.royals["henry_iii"].state) == ("gone", "dead")
    assert state.powers["france"].ruler_dead


def test_21_4_the_other_one_is_free_again(table):
    deaths.royal_dies(table, "philip_ii")
    state = table.state
    assert state.betrothed == []
    assert (state.royals["elisabeth_of_valois"].state, state.royals["philip_ii"].state) == ("free", "dead")
    assert state.wedding_marker == ""


def test_captains_colonies_and_booty_are_shown(table):
    """16.5, 17.4: who holds a colony, and what a captain carries; which treasures, his player alone sees."""
    state = table.state
    state.colonies = {"roanoke_island": "england"}
    loot = [state.treasure_pool.pop(), state.treasure_pool.pop()]
    state.captains["drake"] = Captain(at="antilles", power="england", damaged=True, loot=list(loot))
    for seat in ("england", "france", ""):
        seen = GAME.view(table, seat)
        (oceans,) = [shown for shown in seen.tables if shown.id == "oceans"]
        assert ["roanoke_island/england"] in [row[3] for row in oceans.rows]
        (captains,) = [shown for shown in seen.tables if shown.id == "captains"]
        assert ["drake", "england", "antilles", True, False, 2, []] in [row[:7] for row in captains.rows]
        (booty,) = [hand for hand in seen.hands if hand.id == "loot"]
        assert (booty.count, booty.cards is None) == (2, seat != "england")
    held = {seat: set() for seat in ("england", "spain", "france")}
    dice = Random(7)
    for seat, found in held.items():
        for _ in range(9):
            GAME.conceal(table, seat, dice.randrange)
            found.add(tuple(state.captains["drake"].loot))
            state.captains["drake"].loot[:] = loot
    assert (len(held["england"]), len(held["spain"])) == (1, 1)
    assert len(held["france"]) > 1
