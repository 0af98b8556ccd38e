"""What the shell completes: commands, games, seats, scenarios, house rules, settings, questions, letters put aside."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from pbem.cli import main
from tests.cli.conftest import NOW


def completed(words, last):
    shell = ShellComplete(main, {}, "pbem", "_PBEM_COMPLETE")
    return [completion.value for completion in shell.get_completions([str(word) for word in words], last)]


@pytest.mark.parametrize(
    ("words", "last", "found"),
    [
        (["new", "crown_of_roses", "--scenario"], "s", ["short"]),
        (["new", "crown_of_roses", "--seat"], "y", ["york="]),
        (["new", "nothing", "--scenario"], "", []),
        (["new", "--scenario"], "", []),
        (["play", "virgin_queen", "--scenario"], "t", ["tournament"]),
        (["new", "crown_of_roses", "--option"], "est", ["estate_income=", "estates="]),
        (["new", "crown_of_roses", "--option"], "estates=", ["estates=shield", "estates=shire"]),
        (["new", "sixteen_thirty", "--answer-hours"], "r", ["reaction="]),
        (["config", "set", "x.toml"], "time_up.b", ["time_up.ballot="]),
        (["config", "set", "x.toml"], "language=", ["language=en", "language=ja"]),
        # bash takes `=` for a word of its own
        (["config", "set", "x.toml", "days", "="], "t", ["tue", "thu"]),
        (["config", "set", "x.toml", "language", "=", "en"], "da", ["days="]),
        (["config", "set", "x.toml", "language"], "=", ["en", "ja"]),
        (["config", "set", "x.toml", "grace"], "=", []),
        (["config", "set", "x.toml", "zone=UTC"], "language=j", ["language=ja"]),
        (["quarantine", "list", "--reason"], "unk", ["unknown-sender", "unknown-game", "unknown-seat"]),
        (["quarantine", "show"], "", []),
    ],
)
@pytest.mark.usefixtures("pbem")  # in a folder of its own
def test_what_the_shell_completes(words, last, found):
    assert completed(words, last) == found


def test_the_shell_completes_what_stands_in_a_save(pbem, new_game):
    raw = b"From: x@evil.example\r\nMessage-ID: <1@x>\r\n\r\nhello\r\n"
    (pbem.folder / "x.eml").write_bytes(raw)
    pbem("ingest", "--saves", "saves", "x.eml", "--now", NOW)
    (held,) = pbem.json("quarantine", "--saves", "saves", "list")
    (status,) = pbem.json("status", "saves")
    for words, last, found in (
        (["clock", "away", new_game], "am", ["amber"]),
        (["seat", "replace", new_game], "b", ["black"]),
        (["view", new_game, "--seat"], "", ["amber", "black", "green", "ivory", "public", "moderator"]),
        (["tui", new_game, "--seat"], "iv", ["ivory"]),
        (["bundle", new_game, "--seat"], "g", ["green"]),
        (["config", "set", new_game], "plays=", ["plays=amber", "plays=black", "plays=green", "plays=ivory"]),
        (["config", "set", new_game, "plays", "="], "i", ["ivory"]),
        (["clock", "extend", new_game, "--question"], "", [str(status["question"])]),
        (["quarantine", "--saves", "saves", "show"], "", [held["id"]]),
        (["quarantine", "accept", "--saves", "saves"], held["id"][:3], [held["id"]]),
        (["quarantine", "--saves", "saves", "discard", "--seat"], "bl", ["black"]),
        (["view", pbem.folder / "nowhere.toml", "--seat"], "", []),
    ):
        assert [*dict.fromkeys(completed(words, last))] == found, words


def test_every_word_that_names_something_known_is_completed():
    """Wherever a seat, a scenario, a setting, a question or a letter put aside is named."""
    known = {"seat", "seats", "scenario", "ident", "idents", "settings", "house_rules", "question"}

    def named(command, *path):
        for name, inner in getattr(command, "commands", {}).items():
            yield from named(inner, *path, name)
        for param in command.params:
            if param.name in known:
                yield path, param

    found = list(named(main))
    assert {param.name for _, param in found} == known
    plain = {(*path, param.name) for path, param in found if param._custom_shell_complete is None}
    numbers_or_people = {("dev", "fuzz", "seats"), ("dev", "leak-test", "seats"), ("play", "seats")}
    assert plain == numbers_or_people
