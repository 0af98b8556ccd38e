"""Mistakes of an author, planted one at a time in the tutorial game: each is named by the tool it is for.

The mistakes stand in `mistakes.toml`.
"""

from __future__ import annotations

import importlib
import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import games
from pbem import data_cache
from pbem.cli import main
from pbem.cli.dev import new_game, template
from pbem.dev import fuzz, leak_test
from pbem.dev.lint_game import check

MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))["mistake"]


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Write the tutorial game with replacements, and have it found; returns its slug."""

    def plant(*edits):
        shutil.copytree(template() / "lanterns", tmp_path / "lanterns", ignore=shutil.ignore_patterns("__pycache__"))
        module = tmp_path / "lanterns" / "__init__.py"
        text = module.read_text("utf-8")
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new)
        module.write_text(text, "utf-8")
        monkeypatch.setenv("PBEM_GAMES", str(tmp_path))
        monkeypatch.setattr(sys, "path", [*sys.path])
        for name in [name for name in sys.modules if name.partition(".")[0] == "lanterns"]:
            monkeypatch.delitem(sys.modules, name)
        importlib.invalidate_caches()
        return "lanterns"

    yield plant
    sys.modules.pop("lanterns", None)


def named(slug: str, tool: str, tmp_path: Path) -> str:
    """What a tool says of the game, a line for each thing it found."""
    if tool == "load":
        with pytest.raises(games.GameError) as error:
            games.load(slug)
        return str(error.value)
    game = games.load(slug)
    if tool in ("check", "texts"):
        return "\n".join(str(lack) for lack in check(game) if lack.is_text == (tool == "texts"))
    if tool == "fuzz":
        return "\n".join(map(str, fuzz.run(game, games=3).failures))
    if tool == "seen":
        run = CliRunner().invoke(main, ["new", slug, "--players", "3", "-o", str(tmp_path / "g.toml")])
        assert not run.exit_code, run.output
        return (
            CliRunner().invoke(main, ["view", str(tmp_path / "g.toml"), "--seat", "public"]).output.replace("\n", " ")
        )
    return "\n".join(map(str, leak_test.run(game, 12).leaks))


@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake["about"] for mistake in MISTAKES])
def test_a_mistake_is_named(mistake, planted, tmp_path):
    found = named(planted(*mistake["edits"]), mistake["tool"], tmp_path)
    assert re.search(mistake["says"], found), found or "nothing found"
    assert "Traceback" not in found.splitlines()[0]


@pytest.mark.parametrize("tool", ["check", "texts", "fuzz", "leaks"])
def test_the_tutorial_game_itself_is_clean(tool, planted, tmp_path):
    assert named(planted(), tool, tmp_path) == ""


def test_nothing_tested_is_no_success(planted):
    slug = planted(("secrets=SECRETS", "secrets=SECRETS, conceal=lambda table, seat, below: None"))
    run = CliRunner().invoke(main, ["dev", "leak-test", slug, "--count", "4", "--mail-pairs", "0"])
    assert run.exit_code == 1, run.output


def test_one_cause_is_not_told_a_hundred_times(planted):
    slug = planted(("    return State(deck, hands", "    State(deck, hands"))
    run = CliRunner().invoke(main, ["dev", "fuzz", slug, "--count", "30"])
    assert run.exit_code == 1
    assert run.output.count("`setup` returned NoneType") == 5
    assert "crash: 25 games more" in run.output


def test_a_crash_of_the_game_under_leaks_is_a_line_not_a_traceback(planted):
    conceal = "def conceal(table: Table, seat: str, below: Any) -> None:\n    table.state.none\n\n\n"
    slug = planted(("def discard(", f"{conceal}def discard("), ("secrets=SECRETS", "secrets=SECRETS, conceal=conceal"))
    run = CliRunner().invoke(main, ["dev", "leak-test", slug, "--count", "12", "--mail-pairs", "0"])
    assert run.exit_code == 1
    assert "lanterns/__init__.py:" in run.output
    assert "9 times more" in run.output
    assert "Traceback" not in run.output
    assert "deals the hidden pieces again" not in run.output


def test_a_fact_that_crashes_an_email_is_a_crash_with_its_line_and_no_leak(planted):
    slug = planted(('    yield Fact("points"', '    return Fact("points"'))
    run = CliRunner().invoke(main, ["dev", "leak-test", slug, "--count", "0", "--mail-pairs", "1"])
    assert run.exit_code == 1
    assert "0 leaks, 1 crashes" in run.output
    assert re.search(r"crash: lanterns/__init__.py:\d+: TypeError: 'Fact' object is not iterable", run.output)
    assert "Traceback" not in run.output


@pytest.fixture
def fresh_texts():
    """Have the texts of all games read again, before and after a test."""
    yield data_cache._locale.cache_clear(), data_cache.messages.cache_clear()
    data_cache._locale.cache_clear()
    data_cache.messages.cache_clear()


def test_a_verb_that_does_not_agree_with_you_is_named(planted, tmp_path, fresh_texts):
    slug = planted()
    texts = tmp_path / slug / "locale" / "en.toml"
    texts.write_text(texts.read_text("utf-8").replace("{seat:shows/show}", "shows"), "utf-8")
    assert 'locale/en.toml: "shown" tells a seat "You shows"' in named(slug, "texts", tmp_path)


def test_a_broken_file_of_texts_is_named_by_each_command(planted, tmp_path, fresh_texts):
    slug = planted()
    with (tmp_path / slug / "locale" / "ja.toml").open("a", encoding="utf-8") as file:
        file.write('"shown" = "twice"\n')
    for command in (["dev", "lint-game", slug], ["dev", "fuzz", slug], ["new", slug, "--players", "3", "-o", "g.toml"]):
        run = CliRunner().invoke(main, command)
        assert "lanterns: ja.toml: Cannot overwrite a value (at line" in run.output, run.output


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            ('startswith("gust") else', 'startswith("gust") or 1 // 0 else'),
            "answer 4: the rules crashed: lanterns/__init__.py:76: Zero",
        ),
        (
            ("        yield Checkpoint()", '        yield "show"'),
            "can't be set up: lanterns/__init__.py:50: TypeError: `play` yielded str",
        ),
    ],
    ids=["later", "at the start"],
)
def test_a_rule_test_names_the_line_where_the_rules_crashed(edit, said, planted):
    planted(edit)
    run = CliRunner().invoke(main, ["dev", "test-rules", str(template() / "tests" / "cases")])
    assert run.exit_code == 1
    assert said in run.output, run.output


def test_a_game_of_ones_own_keeps_the_words_of_the_sentences(tmp_path):
    new_game("tide_pools", tmp_path)
    text = (tmp_path / "tide_pools" / "locale" / "ja.toml").read_text("utf-8")
    assert "Tide Pools" not in text
    rules = (tmp_path / "tide_pools" / "__init__.py").read_text("utf-8")
    assert 'title={"en": "Tide Pools", "ja": "Tide Pools"}' in rules
    assert rules.startswith('"""Tide Pools: ')
