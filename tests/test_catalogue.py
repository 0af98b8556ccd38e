"""The catalogue of games: listing is free, errors are helpful, third parties are found."""

import importlib.metadata
import subprocess
import sys

import pytest

import games


def test_listing_imports_no_game_and_no_metadata():
    code = (
        "import sys, games; games.catalogue(); "
        "bad = [m for m in sys.modules if m.startswith(('games.', 'importlib.metadata', 'click', 'textual'))]; "
        "sys.exit(str(bad) if bad else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_four_games_are_listed_in_order():
    found = games.catalogue()
    assert [each.slug for each in found] == ["sixteen_thirty", "imperial_struggle", "crown_of_roses", "virgin_queen"]
    assert all(each.status == "ready" and 2 <= each.seats_min <= each.seats_max <= 6 for each in found)
    assert all(each.title and each.title_ja and each.module == f"games.{each.slug}" for each in found)


@pytest.mark.parametrize("slug", games.BUILT_IN)
def test_a_game_loads(slug):
    assert games.load(slug) is games.load(slug)


def test_an_unknown_slug_names_its_neighbours():
    with pytest.raises(games.UnknownGame, match=r"did you mean virgin_queen\?") as caught:
        games.load("virgin-quen")
    assert caught.value.near == ["virgin_queen"]
    with pytest.raises(games.UnknownGame, match=r"known games: sixteen_thirty, "):
        games.entry("zzzzzz")


def test_a_module_without_a_game_says_so(monkeypatch):
    monkeypatch.setitem(games.BUILT_IN, "fold", games.GameEntry("fold", "pbem.kernel.order_words", "Fold", "畳", 2, 2))
    with pytest.raises(games.GameError, match=r"pbem\.kernel\.order_words has no GAME"):
        games.load("fold")


def test_third_party_games(monkeypatch):
    point = importlib.metadata.EntryPoint("chess", "games.sixteen_thirty:GAME", games.ENTRY_POINT_GROUP)
    shadow = importlib.metadata.EntryPoint("virgin_queen", "string:digits", games.ENTRY_POINT_GROUP)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: (shadow, point))
    assert games.load("chess") is games.load("sixteen_thirty")
    assert [each.slug for each in games.catalogue(third_party=True)][4:] == ["chess"]
    assert games.entry("chess").status == "external"
    assert games.entry("virgin_queen").module == "games.virgin_queen"
    assert len(games.catalogue()) == 4
