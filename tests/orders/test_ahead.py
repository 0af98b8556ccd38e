"""A turn written ahead is held if what it names has changed in public since."""

from __future__ import annotations

import pytest

from pbem.kernel import advance_orders
from pbem.kernel.referee import Referee
from pbem.kernel.view import Column, TableView, View
from tests.toy.letters import fates, send
from tests.toy.places import NAMES
from tests.toy.playing import POWERS, start


def go(referee: Referee, seat: str, line: str) -> None:
    send(referee, seat, line)
    for other in POWERS:
        if other in referee.waiting() and referee.now.__class__.__name__ == "Window":
            referee.submit(other, "pass")


def held(referee: Referee) -> list[tuple[str, bool]]:
    return [(entry.text, entry.held) for entry in referee.queue]


def test_a_turn_written_ahead_is_played_if_nothing_it_names_has_changed() -> None:
    referee = start()
    assert fates(send(referee, "france", "march vienna pressburg")) == [(2, "waiting")]
    go(referee, "england", "march milan genoa")
    assert [(move.seat, move.answer["to"]) for move in referee.moves if move.kind == "action"] == [
        ("england", "genoa"),
        ("france", "pressburg"),
    ]


@pytest.mark.parametrize("line", ["march vienna pressburg", "hold", "march milan genoa"])
def test_it_is_held_only_by_what_it_names(line: str) -> None:
    referee = start()
    send(referee, "france", "march genoa milan", line)
    go(referee, "england", "march venice vienna")
    assert not any(entry.held for entry in referee.queue)


def test_it_is_held_with_all_behind_it_and_told_once() -> None:
    referee = start()
    send(referee, "france", "march venice milan", "ballot: accept")
    go(referee, "england", "march venice milan")
    assert held(referee) == [("march venice milan", True), ("accept", True)]
    assert referee.waiting() == ("france",)
    notes = [note for note in referee.notes if note.seat == "france"]
    assert [(note.key, note.problem.args["what"]) for note in notes if note.problem] == [("advance.changed", ["milan"])]
    referee.settle()
    assert [note for note in referee.notes if note.seat == "france"] == notes


def test_resume_lets_it_go_on() -> None:
    referee = start()
    send(referee, "france", "march venice milan")
    go(referee, "england", "march venice milan")
    send(referee, "france", "resume")
    assert [move.seat for move in referee.moves if move.kind == "action"] == ["england", "france"]


def test_bold_lines_are_played_whatever_has_changed() -> None:
    referee = start()
    send(referee, "france", "bold: march venice milan")
    go(referee, "england", "march venice milan")
    assert [move.seat for move in referee.moves if move.kind == "action"] == ["england", "france"]


def test_lines_of_ones_own_turn_are_not_watched() -> None:
    referee = start()
    send(referee, "england", "march venice milan", "ballot: accept")
    assert [entry.watched for entry in referee.queue] == [{}]


def test_a_piece_is_where_it_stands_and_what_is_in_many_spaces_is_no_piece() -> None:
    columns = [Column("space", "name"), Column("units", "name")]
    rows = [["milan", ["lannoy", "regulars"]], ["genoa", ["regulars"]]]
    view = View("toy", "", tables=[TableView("spaces", columns, rows, "map")])
    told = advance_orders.public_facts(view)
    assert told["lannoy"] == "milan"
    assert "regulars" not in told
    watched = advance_orders.facts_named_in("march lannoy to=genoa", told, NAMES)
    assert set(watched) == {"lannoy", "genoa"}
    rows[0][1], rows[1][1] = ["regulars"], ["lannoy", "regulars"]
    assert advance_orders.changed_facts(watched, view) == ["lannoy", "genoa"]


def test_tables_that_are_no_map_hold_nothing() -> None:
    columns = [Column("power", "name"), Column("cards", "number")]
    view = View("toy", "", tables=[TableView("powers", columns, [["spain", 3]], "powers")])
    assert advance_orders.public_facts(view) == {}
