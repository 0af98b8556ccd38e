"""Whole games played by letter: every sampled answer, written as an order, is read back as itself."""

from __future__ import annotations

from random import Random

import pytest

import games
from pbem.kernel.domains import Budget
from pbem.kernel.game import Setup
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import ALWAYS
from pbem.orders.apply import execute_block
from pbem.orders.context import question_of
from pbem.orders.offline_check import check
from pbem.orders.parser import read
from pbem.orders.reply_form import form

PLAYABLE = [known.slug for known in games.catalogue() if known.status == "ready"]
LETTERS = 150


def view_of(referee: Referee, seat: str) -> dict:
    question = question_of(referee, seat)
    clock = dict(referee.game.calendar(referee.table.state))
    asked = {
        "q": question.q,
        "kind": question.kind,
        "rule": question.rule,
        "sealed": question.sealed,
        "negotiation": question.talk,
        "about": question.about,
        "domain": question.domain.describe(Budget()),
    }
    names = referee.names
    return {
        "game": "g",
        "seat": seat,
        "seats": [*referee.setup.seats, MODERATOR],
        "q": referee.q,
        "clock": clock,
        "names": names.names,
        "aliases": names.aliases,
        "faces": names.printed,
        "questions": [asked],
        "kinds": list(referee.game.question_kinds),
    }


def waiting(referee: Referee) -> list[str]:
    return [question.seat for question in referee.pending() if not question.answered]


@pytest.mark.parametrize("slug", PLAYABLE)
def test_a_game_played_by_letter(slug):
    game = games.load(slug)
    seats = game.seats_for(max(game.scenario().seats))
    options = game.with_defaults({})
    setup = Setup(slug, seats, "11" * 32, game.scenario().id, options)
    referee = Referee.new(game, setup, ask_me=ALWAYS)
    random = Random(7)
    written = 0
    while not referee.over and written < LETTERS:
        seat = random.choice(waiting(referee))
        question = question_of(referee, seat)
        value = question.domain.sample(random.randrange)
        line = f"{question.q}: {question.domain.text(value)}"
        text = f"BEGIN ORDERS g {seat}\n{line}\nEND ORDERS\n"
        (offline,) = check(view_of(referee, seat), text)
        assert not offline.refused, (line, str(offline))
        blank = form(referee, seat, game="g", code="")
        if question.default:
            (tried,) = check(view_of(referee, seat), blank)
            assert [accepted.text for accepted in tried.accepted] == [f"{question.q}: {question.default}"], blank
        (block,) = read(text).blocks
        receipt = execute_block(referee, block, game="g", at="t", via=f"<{written}>")
        if receipt.refused:
            # Only two deals that can't stand together may be refused after all.
            assert question.talk, str(receipt)
        else:
            assert [accepted.text for accepted in receipt.accepted] == [line]
        written += 1
    assert written
    again = Referee.resume(game, referee.setup, referee.moves, ask_me=ALWAYS)
    assert again.digest() == referee.digest()
