"""Standing answers and ask-me settings: kept, replaced, used, expired."""

from __future__ import annotations

import pytest

import games
from pbem.kernel.advance_orders import facts_named_in
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import Condition
from pbem.orders.context import context_of, drop_expired
from tests.toy.letters import fates, reasons, send
from tests.toy.playing import start, to_ballot


def test_standing_answers_are_resolved_kept_and_used():
    game = start()
    receipt = send(
        game,
        "spain",
        "standing intercept: pass if space=ヴェネツィア until turn 3",
        "standing all: pass if mover=France",
    )
    assert receipt.standing == [
        "standing intercept: pass if space=venice until turn>=3",
        "standing all: pass if mover=france",
    ]
    send(game, "england", "march vienna venice")
    assert game.sealed["spain"].how == "standing"
    assert [n.key for n in game.notes if n.seat == "spain"] == ["standing.used"]


def test_a_letters_standing_answers_replace_those_of_the_same_kind():
    game = start()
    send(game, "spain", "standing intercept: pass", "standing ballot: accept")
    receipt = send(game, "spain", "standing intercept: intercept fleet if space=milan", "standing intercept: pass")
    assert receipt.replaced == ["standing intercept: pass"]
    assert receipt.standing == [
        "standing ballot: accept",
        "standing intercept: intercept fleet if space=milan",
        "standing intercept: pass",
    ]
    assert fates(send(game, "spain", "cancel standing intercept")) == [(2, "cancelled")]
    assert [s.kind for s in game.standing] == ["ballot"]
    refused = send(game, "spain", "cancel standing intercept").refused[0]
    assert (refused.problem.key, refused.problem.near) == ("orders.no_standing", ("ballot",))
    assert send(game, "spain", "cancel standing").standing == []


def test_kinds_and_clock_facts_that_do_not_exist_are_refused():
    receipt = send(start(), "spain", "standing intercpt: pass", "standing ballot: accept until round 3", "ask x: never")
    assert reasons(receipt) == [(2, "orders.kind"), (3, "orders.until"), (4, "orders.kind")]
    assert receipt.refused[0].problem.near[0] == "intercept"
    assert "turn" in receipt.refused[1].problem.near


def test_expired_standing_answers_are_swept():
    game = start()
    send(game, "spain", "standing ballot: accept until turn 2", "ask all: never until turn 2")
    to_ballot(game)
    game.submit("england", "accept")
    game.submit("france", "accept")
    assert game.table.state.turn == 2
    drop_expired(game)
    assert game.standing == []
    assert game.settings == []
    assert [n.text for n in game.notes if n.key == "standing.expired"] == ["standing ballot: accept until turn>=2"]


def test_settings_say_when_to_be_asked():
    game = start()
    send(game, "spain", "ask intercept: never")
    send(game, "france", "ask all: never")
    assert send(game, "spain", "ask intercept: never until turn 3").settings == ["ask intercept: never until turn>=3"]
    send(game, "england", "march vienna venice")
    assert game.asked() == ("france",)
    assert [(m.seat, m.how) for m in game.moves[1:]] == [("france", "settings"), ("spain", "settings")]


@pytest.mark.parametrize("slug", ["sixteen_thirty", "imperial_struggle", "crown_of_roses", "virgin_queen"])
def test_a_number_in_a_condition_stays_one_whatever_is_called_by_it(slug):
    """Cards of Crown of Roses are also called by their numbers."""
    game = games.load(slug)
    setup = Setup(
        game.slug, game.seats_for(min(game.scenario().seats)), "11" * 32, game.scenario().id, game.with_defaults({})
    )
    context = context_of(Referee.new(game, setup), setup.seats[0], "g")
    counted = [key for key, fact in context.clock.items() if type(fact) is int]
    assert "turn" in counted
    for key in (*counted, "strength", "nobody_knows"):
        for op in (">=", "<", "=", "!="):
            some = [Condition(key, op, str(number)) for number in range(1, 120)]
            assert list(context.conditions(some)) == some
            assert key not in counted or list(context.until(some)) == some
    for number in range(1, 120):
        assert not facts_named_in(f"{number} = {number}", dict.fromkeys(context.names.names, "x"), context.names)


def test_a_card_may_be_called_by_its_number():
    game = games.load("crown_of_roses")
    setup = Setup(game.slug, game.seats_for(3), "11" * 32, game.scenario().id, game.with_defaults({}))
    context = context_of(Referee.new(game, setup), setup.seats[0], "g")
    assert context.condition(Condition("card", "=", "4")).value == "greystoke"
    assert context.condition(Condition("turn", "=", "4")).value == "4"


def test_a_word_that_is_compared_with_a_number_is_refused_and_holds_what_stands_behind_a_brake():
    game = start()
    receipt = send(
        game, "england", "standing ballot: accept until turn>=milan", "stop if strength>=many", "march vienna pressburg"
    )
    assert reasons(receipt) == [(2, "orders.number"), (3, "orders.number"), (4, "orders.behind")]
    assert game.q == 1


@pytest.mark.parametrize(
    "brake",
    [
        "stop if",
        "stop if winning",
        "stop if turn==3",
        "stop if strength>=many",
        "stop if " + ", ".join(f"k{number}=1" for number in range(13)),
        "停止 もし",
        "停止 もし 春",
        "if won: if lost: hold",
    ],
)
@pytest.mark.parametrize("behind", ["march vienna pressburg", "1: march vienna pressburg", "ballot: accept", "1: hold"])
def test_nothing_behind_a_brake_that_cannot_be_read_is_carried_out(brake, behind):
    game = start()
    receipt = send(game, "england", brake, behind)
    assert [line for line, _ in reasons(receipt)] == [2, 3]
    assert (game.q, game.queue) == (1, [])


def test_a_condition_with_a_number_holds_when_its_time_comes():
    game = start()
    send(game, "spain", "standing ballot: accept if turn=2", "standing ballot: propose until turn>=1")
    assert [str(order) for order in game.standing] == ["standing ballot: accept if turn=2"]
