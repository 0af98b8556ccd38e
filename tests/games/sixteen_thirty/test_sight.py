"""What each player sees of the table, and what the rules themselves hold impossible."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from games.sixteen_thirty import GAME
from games.sixteen_thirty.view import CHART, conceal, view
from pbem.dev.rule_test_files import Case
from pbem.dev.rule_test_runner import Script
from pbem.kernel.questions import MODERATOR

SEATS = ["tim", "martin", "simon"]
STATE = {
    "phase": "player", "active": "martin", "first": "simon", "turn": 3,
    "countries": {"spain": {"side": "red", "status": 6, "leader": True}, "england": {"side": "blue", "unrest": True}},
    "players": {
        "tim": {
            "hand": ["vote-a", "open-1b", "england-2a"], "score": 5,
            "counters": ["spain", "poland", "spain", "england"],
            "piles": {
                "spain": {"cards": ["spain-2a", "spain-1a", "open-1a"], "votes": 4},
                "england": {"cards": ["england-1a"], "votes": 1, "inferior": True},
            },
        },
        "martin": {"hand": ["france-1a"], "score": 2, "piles": {"spain": {"cards": ["spain-3a"], "votes": 3}}},
        "simon": {"hand": []},
    },
}  # fmt: skip


@pytest.fixture
def table():
    state = msgspec.json.decode(msgspec.json.encode(STATE))
    supply = {"deck": ["players.*.hand", "players.*.piles", "discards"], "spare": ["players.*.counters"]}
    last = {"discards": ["army-a"]}
    case = Case("x", "x", "x", "sixteen_thirty", seats=SEATS, supply=supply, state=state, last=last, ask_me="never")
    found = Script(case, GAME)
    table = found.referee.table
    table.state = msgspec.json.decode(found.mark.state, type=GAME.state)
    return table


def tables(table, seat):
    return {shown.id: shown for shown in view(table, seat).tables}


# -- the view ----------------------------------------------------------------------------------------------------------


def test_the_map_and_the_tracks(table):
    sight = view(table, "martin")
    assert (sight.game, sight.seat) == ("sixteen_thirty", "martin")
    assert sight.clock == {"turn": 3, "phase": "player", "active": "martin", "first": "simon"}
    assert sight.scores == {"tim": 5, "martin": 2, "simon": 0}
    rows = {row[0]: row[1:] for row in tables(table, "martin")["countries"].rows}
    assert rows["spain"] == ["red", 6, 2, 1, True, False]
    assert rows["england"] == ["blue", 1, 1, 0, False, True]
    assert list(rows) == list(table.state.countries)
    status, turn = sight.tracks
    assert (status.id, status.low, status.high) == ("status", 0, 7)
    assert {mark.name: mark.at for mark in status.marks} == {key: row[1] for key, row in rows.items()}
    assert (turn.id, turn.low, turn.high, [(m.name, m.at) for m in turn.marks]) == ("turn", 1, 10, [("turn", 3)])
    spain = next(space for space in sight.map if space.id == "spain")
    assert (spain.x, spain.y, spain.side, spain.mark) == (*CHART.at(-3.7, 40.42), "red", "6")
    assert (spain.links, spain.region) == (["france", "england"], "europe")
    assert len(sight.map) == 9
    assert [(n.key, n.args) for n in sight.notices] == [
        ("view.deck", {"deck": len(table.state.deck), "discards": 1}),
        ("view.inferior", {}),
    ]


def test_the_tables_and_their_columns(table):
    sight = view(table, "tim")
    assert [(shown.id, shown.group) for shown in sight.tables] == [
        ("countries", "map"), ("influence", "influence"), ("players", "players"), ("counters", "secret"),
        ("neighbours", "reference"),
    ]  # fmt: skip
    assert {
        shown.id: " ".join(f"{column.key}:{column.kind}" for column in shown.columns) for shown in sight.tables
    } == {
        "countries": "country:name side:name status:number army:number ability:number leader:flag unrest:flag",
        "influence": "country:name tim:text martin:text simon:text",
        "players": "seat:name score:number hand:number counters:number first:flag active:flag",
        "counters": "country:name points:number",
        "neighbours": "country:name adjacent:name",
    }
    assert tables(table, "tim")["neighbours"].rows[0] == ["spain", ["france", "england"]]


def test_influence_on_the_table_marks_open_cards_and_inferior_piles(table):
    rows = {row[0]: row[1:] for row in tables(table, "")["influence"].rows}
    assert rows["spain"] == ["4 (2+1+o1)", "3 (3)", ""]
    assert rows["england"] == ["1* (1)", "", ""]
    assert list(rows) == list(table.state.countries)


def test_of_players_all_see_points_and_numbers_of_cards(table):
    assert tables(table, "")["players"].rows == [
        ["tim", 5, 3, 4, False, False],
        ["martin", 2, 1, 4, False, True],
        ["simon", 0, 0, 4, True, False],
    ]


@pytest.mark.parametrize("phase", ["display", "player", "end", "over"])
def test_nobody_is_to_play_but_in_a_players_turn(table, phase):
    table.state.phase = phase
    mine = phase == "player"
    found = view(table, "tim")
    assert found.clock["active"] == GAME.calendar(table.state)["active"] == ("martin" if mine else "")
    rows = next(shown.rows for shown in found.tables if shown.id == "players")
    assert [row[-1] for row in rows] == [False, mine, False]
    assert [row[-2] for row in rows] == [False, False, True]  # the first player stays it


def test_counters_are_seen_by_their_owner_and_the_moderator_until_the_game_is_over(table):
    def shown(seat):
        return [(shown.title["seat"], shown.rows) for shown in view(table, seat).tables if shown.id == "counters"]

    assert shown("tim") == [("tim", [["england", 1], ["poland", 0], ["spain", 4], ["spain", 4]])]
    assert [owner for owner, _ in shown("martin")] == ["martin"]
    assert shown("") == []
    assert [owner for owner, _ in shown(MODERATOR)] == SEATS
    table.state.phase = "over"
    assert [owner for owner, _ in shown("")] == SEATS


def test_hands_are_seen_by_their_owner_and_the_moderator(table):
    def hands(seat):
        return [(hand.seat, hand.id, hand.count, hand.cards) for hand in view(table, seat).hands]

    tim, martin, simon = hands("tim")
    assert tim[:3] == ("tim", "hand", 3)
    assert [(card.id, card.uses) for card in tim[3]] == [
        ("england-2a", ["call", "ballot"]), ("open-1b", ["call", "ballot"]), ("vote-a", ["special"]),
    ]  # fmt: skip
    assert (martin, simon) == (("martin", "hand", 1, None), ("simon", "hand", 0, None))
    assert [cards for *_, cards in hands("")] == [None, None, None]
    assert [[card.id for card in cards] for *_, cards in hands(MODERATOR)][1:] == [["france-1a"], []]


def test_what_is_concealed_is_dealt_anew_and_nothing_else(table):
    state = table.state
    before = msgspec.json.decode(msgspec.json.encode(state), type=GAME.state)
    conceal(table, "tim", Random(1).randrange)
    assert state.players["tim"] == before.players["tim"]
    assert (state.countries, state.discards) == (before.countries, before.discards)
    for owner in ("martin", "simon"):
        assert len(state.players[owner].hand) == len(before.players[owner].hand)
        assert len(state.players[owner].counters) == len(before.players[owner].counters)
        assert state.players[owner].piles == before.players[owner].piles
    assert GAME.invariants(table) == []
    assert state.deck != before.deck
    assert state.deck[:40] != before.deck[-40:][::-1]
    assert sum(card == other for card, other in zip(state.deck, before.deck, strict=True)) < 10
    kept = [p.counters for p in state.players.values()] + [state.spare]
    assert kept != [p.counters for p in before.players.values()] + [before.spare]
    moved, martin, spare = set(), set(), set()
    for seed in range(60):
        conceal(table, "tim", Random(seed).randrange)
        moved |= {state.deck[0], state.deck[-1]}
        spare.add(tuple(sorted(state.spare)))
        martin |= {state.players["martin"].hand[0], tuple(sorted(state.players["martin"].counters))}
    assert len(moved) > 60
    assert len(martin) > 60
    assert len(spare) > 20


# -- what must always hold ---------------------------------------------------------------------------------------------


def wrong(table):
    return [(problem.rule, problem.args["text"]) for problem in GAME.invariants(table)]


def test_a_sound_position_breaks_nothing(table):
    assert wrong(table) == []


def test_a_card_lost_or_doubled(table):
    table.state.players["martin"].hand.append("vote-a")
    table.state.discards.clear()
    assert wrong(table) == [
        ("set-up", "0 copies of card army-a in play"),
        ("set-up", "2 copies of card vote-a in play"),
    ]


@pytest.mark.parametrize("change", ["lost", "added", "other"])
def test_a_counter_lost_or_added(table, change):
    counters = table.state.players["tim"].counters
    if change != "added":
        counters.remove("poland")
    if change != "lost":
        counters.append("denmark")
    assert wrong(table) == [("set-up", "victory point counters were lost or added")]


def test_a_pile_without_a_card_of_its_own_or_with_one_of_another_country(table):
    piles = table.state.players["tim"].piles
    piles["poland"] = piles.pop("spain")
    assert wrong(table) == [("influence", "tim's pile of poland has no card of its own")]


def test_a_pile_that_is_not_worth_its_votes(table):
    table.state.players["martin"].piles["spain"].votes = 4
    assert wrong(table) == [("influence", "martin's pile of spain is not worth 4")]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("status", -1, ("war", "spain: status -1")), ("status", 8, ("war", "spain: status 8")), ("status", 0, None),
        ("status", 7, None), ("army", -1, ("war", "spain: army size -1, ability 1")), ("army", 0, None),
        ("ability", -1, ("war", "spain: army size 2, ability -1")), ("ability", 0, None), ("army", 12, None),
        ("side", "green", ("5", "spain: side green")), ("side", "neutral", None), ("side", "red", None),
        ("side", "blue", None),
    ],
)  # fmt: skip
def test_tracks_and_sides_have_their_ends(table, field, value, said):
    setattr(table.state.countries["spain"], field, value)
    assert wrong(table) == ([said] if said else [])
