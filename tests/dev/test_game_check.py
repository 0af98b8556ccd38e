"""`pbem dev lint-game` names what a game lacks, and finds nothing in games that lack nothing."""

from __future__ import annotations

import copy
import importlib
import shutil
import sys
from pathlib import Path

import pytest

import games
from pbem.data_cache import _locale, messages
from pbem.dev import lint_game
from pbem.dev.lint_game import check
from pbem.kernel.game_loop import pack_of
from pbem.kernel.pack import Pack

AUCTION = Path(__file__).parents[2] / "examples/auction/auction"
END = "        state.lots.pop()\n"
"""The end of a lot, where code can be put that random games don't reach."""
PEEK = "min(look.table.seats, key=look.seat.__eq__)"
HALF = "counts = int(lot[-1]) * (1 + lot.startswith(state.tastes[look.seat]))"
YIELD = 'yield Fact("coins"'


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
        (("__init__.py", '("bid",)', '("bid",), loss_lines={"sold": ("seat", "coins")}'), 'no "plot.losses"'),
        (("__init__.py", '_kinds=("bid",)', '_kinds=()'), "question_kinds: 'bid' is asked and not among them"),
        (("__init__.py", "default=0,", "default=99,"), "question bid: its default 99 is not legal"),
        (("__init__.py", 'pace="ballot"', 'pace="hurry"'), "paces: 'hurry' (of bid) is not among them"),
        (("__init__.py", ', "ja": "競売"', ""), "title: has no text for 'ja'"),
        (("__init__.py", 'scores, "winners"', 'scores, "winner"'), "result: has no winners"),
        (("__init__.py", "if other != seat:", "if True:"), "sees, or the view shows"),
        (("__init__.py", END, ""), "play: no end after"),
        (("__init__.py", END, f'{END}        if not state: table.log("never")\n'), 'locale/en.toml: no "never"'),
        (("__init__.py", END, f'{END}        if not state: raise rejection("bar")\n'), 'locale/en.toml: no "bar"'),
        (("__init__.py", 'evidence={"bid": Evidence((worth,))},', ""), "question bid: has no evidence"),
        (("__init__.py", "Evidence((worth,))", "Evidence()"), "question bid: has no evidence"),
        (("__init__.py", HALF, HALF.replace("look.seat", PEEK)), "'worth' tells"),
        (("__init__.py", YIELD, f"for _ in range(7): {YIELD}"), "main facts"),
        (("locale/en.toml", '"title.bid"', '"title.bud"'), 'locale/en.toml: no "title.bid"'),
        (("locale/ja.toml", '"guide.bid"', '"guide.bud"'), 'locale/ja.toml: no "guide.bid"'),
        (("locale/en.toml", "What do you bid", "What do you bid (bid=2)"), '"ask.bid" has a number of its own'),
        (("locale/en.toml", "What do you bid", "Bid coins=… or"), "\"ask.bid\" holds '='"),
        (("locale/en.toml", "coins: {coins}", "a b c d e f g h i j k l {coins}"), "words"),
        (("locale/en.toml", "Bid for the {lot}?", "Bid for {prize}?"), '"title.bid" wants {prize}'),
        (("locale/ja.toml", "{lot}に入札", "painting-1に入札"), "other placeholders"),
        (("__init__.py", "lot = state.lots[-1]", "lot = state.heap[-1]"), "'State' object has no attribute 'heap'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_missing_is_named(auction, change, said):
    fewer = ("__init__.py", "for n in (2, 3, 4)", "for n in (2,)")
    assert any(said in str(lack) for lack in check(auction(change, fewer), games=1))


def test_a_word_without_a_face_is_named(auction):
    changes = [
        ("__init__.py", "import Amount, Below", "import Amount, Below, Choice"),
        ("__init__.py", "Amount(0, state.coins[seat])", 'Choice(["all_in", "painting-1"])'),
    ]
    found = [str(lack) for lack in check(auction(*changes), games=1)]
    for language in ("en", "ja"):
        assert any(lack.startswith(f'locale/{language}.toml: no "face.bid.all_in"') for lack in found)
    assert not any("face.bid.painting-1" in lack for lack in found)  # it has a name in both languages


@pytest.mark.parametrize(
    ("slug", "file", "array"),
    [
        ("sixteen_thirty", "cards", "special"),
        ("imperial_struggle", "events", "events"),
        ("crown_of_roses", "cards", "operations"),
        ("virgin_queen", "cards", "cards"),
    ],
)
def test_a_card_that_no_code_carries_out_is_named(monkeypatch, slug, file, array):
    game = games.load(slug)
    assert not list(lint_game._pack(game))

    def extended(game, override):
        pack = pack_of(game, override)
        tables = copy.deepcopy(pack.tables)
        tables[file][array].append({**tables[file][array][0], "id": "card-of-nobody"})
        return Pack(slug, tables, "", {})

    monkeypatch.setattr(lint_game, "pack_of", extended)
    assert any("'card-of-nobody'" in str(lack) for lack in lint_game._pack(game))


@pytest.mark.parametrize(
    ("slug", "place", "value"),
    [
        ("sixteen_thirty", ("constants", "hand", "deal"), 12),
        ("imperial_struggle", ("setup", "start", "debt_limit"), 99),
        ("crown_of_roses", ("cards", "operations", 0, "ops"), 9),
        ("virgin_queen", ("cards", "cards", 0, "cp"), 9),
    ],
)
def test_a_pack_that_breaks_its_own_constraint_is_told(monkeypatch, slug, place, value):
    game = games.load(slug)

    def broken(game, override):
        pack = pack_of(game, override)
        tables = copy.deepcopy(pack.tables)
        at = tables
        for step in place[:-1]:
            at = at[step]
        assert place[-1] in at
        at[place[-1]] = value
        return Pack(slug, tables, "", {})

    monkeypatch.setattr(lint_game, "pack_of", broken)
    assert any("breaks a constraint" in str(lack) for lack in lint_game._pack(game))


@pytest.mark.slow
@pytest.mark.parametrize("slug", games.BUILT_IN)
def test_the_games_that_ship_lack_nothing(slug):
    assert [str(lack) for lack in check(games.load(slug), games=1)] == []
