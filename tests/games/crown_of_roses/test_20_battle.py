"""Battles by letter (20): choices sent ahead, plans, and what stays hidden while a battle is on."""

from pathlib import Path

import msgspec
import pytest

from games.crown_of_roses import GAME
from games.crown_of_roses.battle.battle_forces import force_domain
from games.crown_of_roses.battle.losses import HitAllocation
from games.crown_of_roses.query import blocks_in
from games.crown_of_roses.state import ASIDE, Battle, BattleSide
from pbem.dev import rule_tests
from pbem.dev.rule_test_runner import Script
from pbem.kernel.domains import Budget, domain_from
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import AdvanceOrder, StandingRule
from pbem.report.messages import Catalogue

FOLDER = Path(__file__).parents[2] / "cases" / "crown_of_roses"
CASES = {case.id: case for path in sorted(FOLDER.glob("battle*.toml")) for case in rule_tests.load(path)}


def position(key: str) -> Referee:
    """The beginning of a case, everybody asked only where his own things are touched."""
    return Script(CASES[key], GAME).referee


def pass_windows(referee: Referee) -> None:
    for seat in ("york", "lancaster"):
        for kind in ("plan", "surprise_engagement", "surprise_round", "surprise_aftermath", "reroll", "pursue"):
            referee.standing.append(StandingRule(seat, kind, "pass"))


def test_a_whole_battle_can_be_sent_ahead():
    """Lines tied to kinds are used round by round; nobody is asked before the battle is over."""
    referee = position("20.5.4-a")
    pass_windows(referee)
    for step in CASES["20.5.4-a"].answers:
        if not step.refuse:
            referee.queue.append(AdvanceOrder(str(step.seat), str(step.text), kind=step.kind))
    referee.settle()
    assert not referee.queue
    assert referee.table.state.battle is None
    assert referee.table.state.blocks["lord_norfolk"].at == "worcester"


def test_a_line_for_a_question_that_does_not_come_stays_and_harms_nothing():
    referee = position("20.5.4-a")
    pass_windows(referee)
    referee.queue.append(AdvanceOrder("york", "discard heir_march", kind="press"))
    referee.queue.append(AdvanceOrder("lancaster", "lord_pembroke blocks=lord_roos", kind="force"))
    referee.settle()
    assert [entry.kind for entry in referee.queue] == ["press"]
    assert referee.waiting() == ("york",)


def test_who_is_asked_does_not_depend_on_what_stands_there():
    """Whatever the defender's two blocks are, he forms his force by an answer of his own."""
    asked = set()
    for blocks in (("lord_pembroke", "lord_roos"), ("lord_pembroke", "merc_french")):
        case = msgspec.structs.replace(CASES["20.5.4-a"], answers=[])
        if "merc_french" in blocks:
            state = msgspec.json.decode(msgspec.json.encode(case.state))
            state["blocks"]["lord_roos"] = {"at": "inactive", "owner": ""}
            state["blocks"]["merc_french"] = {
                "at": "hereford", "owner": "lancaster", "steps": 2, "host": "lord_pembroke",
            }  # fmt: skip
            case = msgspec.structs.replace(case, state=state)
        referee = Script(case, GAME).referee
        pass_windows(referee)
        referee.settle()
        (pending,) = referee.pending()
        asked.add((pending.seat, pending.kind, str(pending.about)))
    assert len(asked) == 1


@pytest.mark.parametrize("seat", ["york", "lancaster", "moderator", ""])
def test_the_view_tells_others_the_number_of_blocks_that_stand(seat):
    referee = position("20.5.4-a")
    pass_windows(referee)
    referee.settle()
    shown = GAME.view(referee.table, seat).tables[0]
    assert shown.id == "battle"
    rows = {(row[0], row[1]): row for row in shown.rows}
    row = rows["lancaster", "reserve"]
    assert row[2] == 2
    assert bool(row[3]) == (seat in ("lancaster", "moderator"))


def test_hits_go_to_the_strongest_and_may_be_taken_by_what_is_attached():
    referee = position("W39b")
    pass_windows(referee)
    referee.queue += [
        AdvanceOrder("lancaster", "lord_somerset blocks=office_admiral", kind="force"),
        AdvanceOrder("york", "lord_york blocks=office_ireland", kind="force"),
        AdvanceOrder("york", "hold", kind="charge"),
    ]
    referee.settle()
    table = referee.table
    side = table.state.battle.sides["lancaster"]
    count = HitAllocation(table, table.state.battle, side)
    assert sorted(count.options()) == ["lord_somerset", "office_admiral"]
    for _ in range(3):
        count.take("lord_somerset")
    assert count.steps == {}, "his office block goes with him"


def test_every_line_of_a_battle_has_words():
    script = Script(CASES["W37"], GAME)
    assert script.run() == []
    for language in ("en", "ja"):
        catalogue = Catalogue(GAME, script.referee.components, language)
        for line in script.referee.table.lines:
            for seat in ("york", "lancaster", ""):
                catalogue.render_line(line, seat)
        assert sorted(catalogue.missing) == []


def test_a_description_knows_that_who_fights_beside_depends_on_the_leader():
    """20.4.2 Of two nobles of one title either may lead: the other one may fight next to him."""
    referee = position("10.5.4-a")
    pass_windows(referee)
    referee.settle()
    table = referee.table
    side = BattleSide("york", reserve=["lord_norfolk", "lord_northumberland"])
    domain = force_domain(table, table.state.battle, side)
    described = domain_from(domain.describe(Budget()))
    for leader, other in (side.reserve, side.reserve[::-1]):
        assert described.accepts({"leader": leader, "blocks": [other]})
        assert not described.accepts({"leader": leader, "blocks": [leader]})


def test_6_1_a_game_that_ends_in_a_battle_leaves_its_eliminated_nobles_aside():
    table = position("20.4.3-a").table
    table.state.battle = None
    table.state.blocks["merc_french"].at = ASIDE

    def aside() -> bool:
        return any("merc_french lies aside" in str(problem) for problem in GAME.invariants(table))

    assert aside()
    table.state.phase = "over"
    assert not aside()


def test_20_4_3_mercenaries_stand_alone_only_where_they_wait_for_the_winner():
    table = position("20.4.3-a").table
    block = table.state.blocks["merc_french"]
    sides = {house: BattleSide(house) for house in ("york", "lancaster")}
    table.state.battle = Battle("hereford", [], sides, "york", "lancaster")
    block.host = ""

    def alone() -> bool:
        return any("merc_french stands alone" in str(problem) for problem in GAME.invariants(table))

    assert alone()
    sides["lancaster"].reserve = ["merc_french"]
    assert not alone()
    sides["lancaster"].force = ["lord_roos"]
    assert alone()


def test_a_position_dealt_anew_keeps_the_parts_of_a_battle_and_the_place_of_the_garrison():
    """All see how many blocks are in which part, and under which of them the garrison is (9.6)."""
    referee, found = position("W32"), set()
    for deal in "abcdef":
        referee.deal = deal
        state = referee.look("york").table.state
        side = state.battle.sides["lancaster"]
        assert (len(side.reserve), len(side.waiting)) == (1, 4)
        assert sorted([*side.reserve, *side.waiting]) == sorted(blocks_in(state, "london", "lancaster"))
        assert state.garrison.host in side.waiting
        found.add(side.reserve[0])
    assert len(found) > 1
