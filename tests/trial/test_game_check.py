"""`pbem check-game` names what a game lacks, and finds nothing in games that lack nothing."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import pytest

import games
from pbem.report.catalogue import _locale, messages
from pbem.trial.game_check import check

AUCTION = Path(__file__).parents[2] / "examples/auction/auction"


@pytest.fixture
def auction(tmp_path, monkeypatch):
    """Loads the auction of examples/ from a copy, with texts of its files replaced: `(file, old, new)`."""

    def load(*changes):
        shutil.copytree(AUCTION, tmp_path / "auction", ignore=shutil.ignore_patterns("__pycache__"))
        for file, old, new in changes:
            path = tmp_path / "auction" / file
            text = path.read_text("utf-8")
            assert old in text
            path.write_text(text.replace(old, new), "utf-8")
        return importlib.import_module("auction").GAME

    def forget():
        sys.modules.pop("auction", None)
        _locale.cache_clear()
        messages.cache_clear()

    forget()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield load
    forget()


def test_the_auction_lacks_nothing(auction):
    assert [str(lack) for lack in check(auction())] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("locale/ja.toml", '"kind.bid"', '"kind.bit"'), 'locale/ja.toml: no "kind.bid"'),
        (("locale/en.toml", '"withdrawn"', '"gone"'), 'locale/en.toml: no "withdrawn"'),
        (("locale/en.toml", '"clock.lot"', '"fact.lot"'), 'locale/en.toml: no "clock.lot"'),
        (("locale/en.toml", "{left}", "{rest}"), "has other placeholders"),
        (("__init__.py", '"lot": lot}', '"lots": lot}'), 'locale/en.toml: "ask.bid" wants {lot}'),
        (("__init__.py", 'kinds=("bid",)', 'kinds=("bid",), losses={"sold": ("seat", "coins")}'), 'no "plot.losses"'),
        (("__init__.py", 'kinds=("bid",)', "kinds=()"), "kinds: 'bid' is asked and not among them"),
        (("__init__.py", "default=0,", "default=99,"), "question bid: its default 99 is not legal"),
        (("__init__.py", 'pace="ballot"', 'pace="hurry"'), "paces: 'hurry' (of bid) is not among them"),
        (("__init__.py", ', "ja": "競売"', ""), "title: has no text for 'ja'"),
        (("__init__.py", 'scores, "winners"', 'scores, "winner"'), "result: has no winners"),
        (("__init__.py", "if other != seat:", "if True:"), "conceal: changes what the seat sees"),
        (("__init__.py", "        state.lots.pop()\n", ""), "play: no end after"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_missing_is_named(auction, change, said):
    fewer = ("__init__.py", "for n in (2, 3, 4)", "for n in (2,)")
    assert any(said in str(lack) for lack in check(auction(change, fewer), games=1))


@pytest.mark.slow
@pytest.mark.parametrize("slug", games.BUILT_IN)
def test_the_games_that_ship_lack_nothing(slug):
    assert [str(lack) for lack in check(games.load(slug), games=1)] == []
