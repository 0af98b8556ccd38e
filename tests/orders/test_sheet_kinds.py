"""`ask` for windows that are answered from reaction sheets: refused, with the reason."""

from __future__ import annotations

import pytest

import games
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ASK, SHEET, sheet_kinds
from pbem.orders.classify import _resolved
from pbem.orders.context import context_of
from pbem.orders.syntax_tree import AskOrder


def context(reactions: str):
    game = games.load("crown_of_roses")
    options = game.with_defaults({"reactions": reactions})
    setup = Setup(game.slug, game.scenarios[0].seats[4], "00" * 32, options=options)
    return context_of(Referee.new(game, setup), "york", "cor-1")


def ask(kind: str, when: str) -> AskOrder:
    return AskOrder(line=1, last=1, text="", kind=kind, when=when)


@pytest.mark.parametrize("when", ["always", "mine"])
def test_a_card_window_of_a_sheet_game_cannot_be_asked_for(when: str) -> None:
    with pytest.raises(Rejection) as refused:
        _resolved(ask("surprise_march", when), context(SHEET))
    assert refused.value.problem.key == "orders.sheet"


@pytest.mark.parametrize(("kind", "when"), [("intercept", "always"), ("*", "always"), ("surprise_march", "never")])
def test_other_windows_can(kind: str, when: str) -> None:
    (setting,) = _resolved(ask(kind, when), context(SHEET))
    assert setting.when == when


def test_at_a_table_that_is_asked_it_is_a_setting_like_any_other() -> None:
    (setting,) = _resolved(ask("surprise_march", "always"), context(ASK))
    assert setting.when == "always"


def test_which_kinds_are_answered_from_sheets() -> None:
    game = games.load("virgin_queen")
    assert "respond_sea_move" in sheet_kinds(game, {"reactions": SHEET})
    assert "sea_intercept" not in sheet_kinds(game, {"reactions": SHEET})
    assert sheet_kinds(game, {}) == ()
