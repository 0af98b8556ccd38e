"""Cards as their players write them: by what is printed on them, and answered in the same words."""

from __future__ import annotations

import pytest

import games
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.orders.apply import execute_block
from pbem.orders.parser import read
from pbem.orders.receipt import Receipt
from pbem.orders.syntax_tree import Answer
from pbem.report.messages import Catalogue


def start() -> Referee:
    """1630 with the first display open; amber holds a Denmark 2, Netherlands 2, England 3 and Denmark 1."""
    game = games.load("sixteen_thirty")
    setup = Setup(game.slug, game.seats_for(4), "11" * 32, game.scenario().id, game.with_defaults({}))
    return Referee.new(game, setup)


def send(game: Referee, line: str) -> Receipt:
    (block,) = read(f"BEGIN ORDERS g amber\n{line}\nEND ORDERS").blocks
    return execute_block(game, block, game="g", via=line)


def to_call() -> Referee:
    """The same at amber's first call of a vote."""
    game = start()
    while game.pending()[0].seat != "amber" or game.pending()[0].kind != "call":
        for question in game.pending():
            if not question.answered:
                game.submit(question.seat, question.default)
    return game


@pytest.mark.parametrize(
    "line",
    [
        "1: denmark2 netherlands2 england3",
        "1：デンマーク２ オランダ２ イングランド３",
        "1: デンマーク2、オランダ2、イングランド3",
        "1: デンマーク 2、オランダ 2、イングランド 3",
    ],
)
def test_a_card_without_a_blank_before_its_number_is_offered_as_it_is_printed(line):
    game = start()
    (refused,) = send(game, line).refused
    assert refused.offer == "1: denmark-2 netherlands-2 england-3"
    assert not game.sealed
    assert send(game, refused.offer).verdict == "taken"


def test_names_of_several_words_in_a_list_are_offered_as_one_word_each():
    game = to_call()
    q = game.q
    (refused,) = send(game, f"{q}: German Princes side place=German Princes 3").refused
    assert refused.offer == f"{q}: german_princes side place=german_princes-3"
    assert game.q == q
    assert send(game, refused.offer).verdict == "taken"


def test_what_is_offered_and_what_is_possible_names_cards_by_their_faces():
    game = start()
    (refused,) = send(game, "1: denmark-2 netherlands-2 englnd-3").refused
    assert refused.offer == "1: denmark-2 netherlands-2 england-3"
    assert any(word not in game.names.printed.values() for word in refused.problem.near)
    said = Catalogue(games.load("sixteen_thirty"), names=game.names).render_problem(refused.problem)
    assert "england-3" in said
    assert not any(word in said for word in game.names.printed if word not in game.names.printed.values())


@pytest.mark.parametrize("dash", "‐‑‒–−")
def test_a_dash_that_a_phone_puts_into_a_word_is_a_hyphen(dash):
    (block,) = read(f"BEGIN ORDERS g{dash}01 amber ab{dash}cd\n1: denmark{dash}2\nEND ORDERS").blocks
    assert block.game == "g-01"
    (item,) = block.items
    assert isinstance(item, Answer)
    assert item.body == "denmark-2"
