"""The no-leak law over the post: what a seat gets by mail depends on nothing that it may not know."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

import games
from pbem.kernel.table import Line
from pbem.trial import pairing, post_leaks
from pbem.trial.post_leaks import SettingsPair

PAIRS = {"sixteen_thirty": 4, "imperial_struggle": 2, "crown_of_roses": 2, "virgin_queen": 1}


@pytest.mark.parametrize("slug", PAIRS)
def test_pairs_through_the_post(slug: str) -> None:
    result = post_leaks.run(games.load(slug), PAIRS[slug], seed=1)
    assert [str(leak) for leak in result.leaks] == []
    assert result.changed == PAIRS[slug]
    assert result.steps >= PAIRS[slug]


def test_settings_tell_nothing_to_who_is_asked_too() -> None:
    result = post_leaks.run(games.load("crown_of_roses"), 2, seed=2, of=SettingsPair)
    assert [str(leak) for leak in result.leaks] == []
    assert result.changed  # in some pair settings have answered


def test_what_a_screen_shows_too_much_is_found() -> None:
    def screens(path: Path, seat: str, now: datetime) -> dict[str, str]:
        return {"log": "all quiet", "talk": str(path.read_text("utf-8").count("[[standing]]"))}

    result = post_leaks.run(games.load("sixteen_thirty"), 8, seed=1, first=True, screens=screens)
    assert [leak.where for leak in result.leaks] == ["screen talk"]


@pytest.mark.parametrize("slug", PAIRS)
def test_what_may_be_learnt_names_its_rule(slug: str) -> None:
    lists = pairing._lists(games.load(slug).package)
    assert lists is not None
    for table in ("public", "private"):
        assert lists[table]
        assert all(isinstance(rule, str) and rule for rule in lists[table].values())


def test_telling_everybody_the_drawn_cards_is_no_learning() -> None:
    game = games.load("sixteen_thirty")

    def drawn(cards: list[str], told: dict[str, list[str]]) -> Line:
        return Line(
            "deck.drawn", {"seat": "red", **told}, "2", private={"red": {"cards": cards}}, learns=True
        )

    one, other = ["spain-1a"], ["france-1a"]
    assert pairing.may_be_learnt(game, drawn(one, {}), drawn(other, {}))
    assert not pairing.may_be_learnt(game, drawn(one, {"cards": one}), drawn(other, {"cards": other}))
    assert not pairing.may_be_learnt(game, drawn(one, {}))


def test_hashes_of_the_journal_are_made_alike_and_nothing_else() -> None:
    head, other = "ab" * 32, "cd" * 32
    for text in ("~ head 3 0 {}", "hash {} of the journal"):
        assert post_leaks.alike(text.format(head)) == post_leaks.alike(text.format(other))
    assert post_leaks.alike("[g red 07cc-d230-3f9c-a1d2]") == post_leaks.alike("[g red 07cc-d230-ffff-0000]")
    assert post_leaks.alike("[g red 07cc-d230]") != post_leaks.alike("[g red 07cc-d231]")
    assert post_leaks.alike("~ seen red 3 x") != post_leaks.alike("~ seen red 4 x")


def test_of_a_line_that_is_public_in_part_no_more_may_be_learnt() -> None:
    game = games.load("crown_of_roses")

    def placed(**told: object) -> Line:
        return Line("influence.placed", {"house": "york", "count": 1, **told}, "19.0")

    assert pairing.may_be_learnt(game, placed(block="norfolk"), placed(block="hastings"))
    told = [placed(block=block, markers=markers) for block, markers in (("norfolk", "3"), ("norfolk", "1"))]
    assert not pairing.may_be_learnt(game, *told)
