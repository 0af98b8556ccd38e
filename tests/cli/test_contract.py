"""What scripts rely on: the shapes of JSON, exit statuses, which stream says what, what `--help` imports."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import click
import pytest

import games
import pbem.cli
from pbem.cli import main
from pbem.cli.commands import MADE, OLD, entry, every_command
from pbem.cli.console import Exit
from pbem.dev import fuzz
from pbem.dev.random_game import FuzzFailure
from pbem.kernel.game import Setup
from pbem.mail.inbox.stages import EmailOutcome, IngestReport
from tests.cli.conftest import NOW
from tests.toy.planted import toy

CASE = "tests/cases/sixteen_thirty"


def test_help_imports_neither_tui_nor_rich_nor_games():
    code = (
        "import sys\n"
        "from pbem.cli import main\n"
        "try:\n    main(['--help'], prog_name='pbem')\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "roots = {name.partition('.')[0] for name in sys.modules}\n"
        "bad = sorted(roots & {'textual', 'rich', 'games', 'msgspec', 'filelock', 'email', 'mailbox'})\n"
        "bad += [name for name in sys.modules if name.startswith(('pbem.kernel', 'pbem.mail', 'pbem.save'))]\n"
        "sys.exit(str(bad) if bad else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "ingest" in done.stdout


def found(name):
    """A command by its full name."""
    command: Any = main
    for word in name.split():
        command = command.commands[word]
    return command


@pytest.mark.parametrize("name", sorted(every_command()))
def test_every_help_page_explains_its_arguments_and_has_two_examples(pbem, name):
    page = pbem(*name.split(), "--help").stdout
    assert "Usage: " in page
    examples = page.partition("\nExamples:\n")[2].splitlines()
    assert len(examples) >= 2
    assert all(re.match(f"  pbem (-q )?{name}( |$)", line) for line in examples)
    command = found(name)
    assert all(option.help for option in command.params if isinstance(option, click.Option))
    assert ("\nArguments:\n" in page) == any(isinstance(param, click.Argument) for param in command.params)


def test_the_table_of_commands_says_what_their_files_say():
    for name in every_command():
        command = found(name)
        assert (command.name, command.get_short_help_str()) == (name.split()[-1], entry(name)[1])
        assert re.match("[A-Z][a-z]+ ", entry(name)[1]), "it begins with a verb"


def test_no_command_is_missing_from_the_table():
    for module in iter_modules(pbem.cli.__path__):
        import_module(f"pbem.cli.{module.name}")
    assert MADE.keys() - {"games", "quarantine", "setup"} == set(every_command())


def test_the_first_page_fits_a_screen_and_shows_every_command(pbem):
    page = pbem("--help").stdout
    lines = page.splitlines()
    assert max(map(len, lines)) <= 80
    for name in main.commands:
        assert re.search(f"^  {name} ", page, re.MULTILINE), name


def options():
    for name in every_command():
        for option in found(name).params:
            if isinstance(option, click.Option) and not option.hidden:
                yield name, option


def test_an_option_is_spelt_the_same_everywhere():
    """One name has one metavar; a number is N, a time TIME; no TEXT where a better word fits."""
    metavars: dict[str, set[str]] = {}
    for _, option in options():
        if not option.is_flag:
            kind = option.metavar or option.type.name
            metavars.setdefault(option.opts[-1], set()).add(kind)
    several = {name: kinds for name, kinds in metavars.items() if len(kinds) > 1}
    # A file, folder or save to write; a date or a time; a seed or its file; a filter by reason, game or seat.
    assert several.keys() == {"--output", "--until", "--seed", "--reason", "--seat", "--game"}
    assert not [name for name, kinds in metavars.items() if kinds & {"integer", "text", "float", "path"}]


@pytest.mark.parametrize(
    "gone",
    [
        "--anew",
        "--by",
        "--dump",
        "--from",
        "--i-know",
        "--into",
        "--keep",
        "--language",
        "--letter",
        "--log",
        "--minutes",
        "--most",
        "--plan",
        "--q",
        "--zone",
    ],
)
def test_no_old_spelling_of_an_option_is_left(gone):
    assert not [name for name, option in options() if gone in option.opts]


@pytest.mark.parametrize("old", sorted(OLD))
def test_an_old_name_is_answered_with_the_new_one(pbem, old):
    result = pbem(*old.split(), "x", code=Exit.USAGE)
    assert f"`{old}` is now `{OLD[old]}`" in result.stderr.replace("orders`", f"{old}`")
    pbem(*OLD[old].split(" --")[0].split(), "--help")


def test_a_group_alone_lists_or_shows_its_help(pbem):
    assert "sixteen_thirty" in pbem("games").stdout
    pbem("quarantine")
    assert "pause" in pbem("clock", code=Exit.USAGE).stderr


def test_quarantine_release_behind_the_folder_still_works_for_a_release(pbem, new_game):
    result = pbem("quarantine", "--saves", "saves", "release", "abc", code=Exit.BAD_DATA)
    assert "`quarantine release` is now `quarantine accept`" in result.stderr
    assert "'abc'" in result.stderr


def test_version(pbem):
    from pbem import __version__

    assert pbem("--version").stdout == f"pbem {__version__}\n"


def test_a_misspelt_command_is_guessed(pbem):
    assert "ingest" in pbem("injest", code=Exit.USAGE).stderr


def test_games(pbem):
    listed = pbem.json("games")
    assert [game["slug"] for game in listed][:1] == ["sixteen_thirty"]
    for game in listed:
        assert {"slug", "title", "seats", "scenarios", "status"} <= set(game)
    ours = listed[0]
    assert ours["seats"] == [3, 4, 5, 6]
    assert ours["scenarios"] == ["standard"]
    assert "sixteen_thirty" in pbem("games").stdout


def test_one_game_and_its_provenance(pbem):
    one = pbem.json("games", "show", "sixteen_thirty")
    assert one["scenarios"][0]["seats"]["4"] == ["amber", "black", "green", "ivory"]
    assert {option["id"] for option in one["options"]} >= {"placing", "exchange"}
    found = pbem.json("games", "show", "sixteen_thirty", "--provenance")
    assert set(found) == {"tables", "total", "reconstructed", "moderator"}
    assert "reconstructed" in pbem("games", "show", "sixteen_thirty", "--provenance").stdout


def test_an_unknown_game_names_its_neighbours(pbem):
    result = pbem("games", "show", "sixteen_tirty", code=Exit.BAD_DATA)
    assert "did you mean sixteen_thirty?" in result.stderr
    assert result.stdout == ""


def test_check(pbem, pytestconfig):
    found = pbem.json("dev", "test-rules", pytestconfig.rootpath / CASE)
    assert set(found) == {"cases", "passed", "failed"}
    assert found["cases"] == found["passed"] > 10
    assert found["failed"] == []


def test_check_says_what_fails(pbem):
    bad = pbem.folder / "bad.toml"
    bad.write_text("[[case]]\nid = 'x'\n", "utf-8")
    found = pbem.json("dev", "test-rules", bad, code=Exit.FAILED_CHECK)
    assert found["passed"] == 0
    assert set(found["failed"][0]) >= {"id", "rule", "why"}


def test_check_of_nothing_is_no_success(pbem):
    (pbem.folder / "empty").mkdir()
    result = pbem("dev", "test-rules", "empty", "--json", code=Exit.BAD_DATA)
    assert json.loads(result.stdout) == {"schema": "pbem/check/2", "cases": 0, "passed": 0, "failed": []}
    assert "no cases in empty" in result.stderr


def test_check_game(pbem):
    assert pbem.json("dev", "lint-game", "sixteen_thirty", "--count", "1") == []
    assert "nothing missing" in pbem("dev", "lint-game", "sixteen_thirty", "--count", "1").stdout


def test_fuzz(pbem):
    found = pbem.json("dev", "fuzz", "sixteen_thirty", "--count", "3", "--players", "3", "--seed", "5")
    assert set(found) == {
        "games",
        "decisions",
        "per_second",
        "failures",
        "dead_ends",
        "replay_mismatches",
        "checkpoint_mismatches",
    }
    assert found["games"] == 3
    assert found["decisions"] > 100
    assert found["failures"] == found["dead_ends"] == 0
    assert "possible numbers" in pbem("dev", "fuzz", "sixteen_thirty", "--players", "9", code=Exit.USAGE).stderr


def test_fuzz_plays_every_game_in_turn_until_its_time_is_up(pbem, monkeypatch):
    played = []

    def run(game, *, games, first=0, **_):
        played.append((game.slug, first))
        broken = FuzzFailure("crash", "why", game.slug, first, Setup(game.slug, ("a",), ""), [])
        failures = [broken] if len(played) == 3 else []
        return fuzz.FuzzResult(games=games, failures=failures)

    monkeypatch.setattr("pbem.dev.fuzz.run", run)
    clock = iter(range(0, 9000, 1500))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    found = pbem.json("dev", "fuzz", "--count", "2", "--for-hours", "0.5", "--output", "found", code=Exit.FAILED_CHECK)
    slugs = [game.slug for game in games.catalogue()]
    assert played == [(slug, first) for first in (0, 2) for slug in slugs]
    assert (found["games"], found["failures"]) == (4 * len(slugs), 1)
    assert {slug: figures["games"] for slug, figures in found["by_game"].items()} == dict.fromkeys(slugs, 4)
    assert [path.name for path in (pbem.folder / "found").iterdir()] == [f"{slugs[2]}-0-crash.txt"]


def test_leaks(pbem, monkeypatch):
    found = pbem.json(
        "dev", "leak-test", "sixteen_thirty", "--count", "3", "--mail-pairs", "1", "--players", "3", "--seed", "5"
    )
    assert set(found) == {"seed", "pairs", "post", "changed", "steps", "seconds", "ended", "leaks"}
    assert (found["pairs"], found["post"], found["leaks"]) == (3, 1, [])
    assert found["steps"] > 6
    assert "possible numbers" in pbem("dev", "leak-test", "sixteen_thirty", "--players", "9", code=Exit.USAGE).stderr
    monkeypatch.setattr("games.load", lambda slug: toy("view"))
    result = pbem("dev", "leak-test", "toy", "--count", "20", "--mail-pairs", "0", code=Exit.FAILED_CHECK)
    assert "20 pairs" in result.stdout
    assert "view" in result.stderr
    again = next(line for line in result.stderr.splitlines() if "again: pbem dev leak-test toy" in line)
    number = again.split("--only ")[1]
    assert "view" in pbem("dev", "leak-test", "toy", "--only", number, code=Exit.FAILED_CHECK).stderr


def test_completion(pbem):
    for shell in ("bash", "zsh", "fish"):
        assert "_PBEM_COMPLETE" in pbem("completion", shell).stdout


@pytest.mark.parametrize(
    ("words", "last", "found"),
    [
        ([], "inj", []),
        ([], "ing", ["ingest"]),
        (["games", "show"], "six", ["sixteen_thirty"]),
        (["seat"], "r", ["replace"]),
        (["new"], "vir", ["virgin_queen"]),
        (["dev", "fuzz"], "", ["sixteen_thirty", "imperial_struggle", "crown_of_roses", "virgin_queen"]),
        (["view", "x.toml", "--format"], "h", ["html"]),
        (["view", "x.toml"], "--se", ["--seat"]),
        (["check"], "--v", ["--view"]),
    ],
)
def test_what_the_shell_completes(words, last, found):
    from click.shell_completion import ShellComplete

    shell = ShellComplete(main, {}, "pbem", "_PBEM_COMPLETE")
    assert [completion.value for completion in shell.get_completions(words, last)] == found


def test_exit_statuses_are_stable():
    assert {status.name: status.value for status in Exit} == {
        "OK": 0,
        "FAILED_CHECK": 1,
        "USAGE": 2,
        "BAD_DATA": 3,
        "BUSY": 4,
        "PARTIAL": 5,
        "NO_EMAIL": 65,
        "BUG": 70,
        "TRY_AGAIN": 75,
        "NO_GAMES": 78,
        "INTERRUPTED": 130,
    }


# ------------------------------------------------------------------ what is wrong is said in sentences


def test_no_traceback_for_what_people_do(pbem, new_game):
    new_game.with_name("cut.toml").write_text(new_game.read_text("utf-8")[:2000], "utf-8")
    (pbem.folder / "x.toml").write_text("not toml at all [", "utf-8")
    for words, code in (
        (("view", "saves/cut.toml", "--seat", "amber"), Exit.BAD_DATA),
        (("questions", "x.toml"), Exit.BAD_DATA),
        (("questions", "nowhere.toml"), Exit.BAD_DATA),
        (("view", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("repair", "rewind", "saves/g-01.toml", "99", "--reason", "x"), Exit.USAGE),
        (("repair", "correct", "saves/g-01.toml", "nothing.here=1", "--reason", "x"), Exit.FAILED_CHECK),
        (("ingest", "saves/g-01.toml"), Exit.USAGE),
        (("ingest", "saves/g-01.toml", "missing.mbox"), Exit.BAD_DATA),
        (("quarantine", "show", "abc"), Exit.BAD_DATA),
        (("new", "sixteen_thirty", "-o", "saves/g-01.toml", "--players", "4"), Exit.BAD_DATA),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "9"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--seat", "mauve=X"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--option", "placing=upside"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--timezone", "Mars/Olympus"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--seed", "xyz"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--seat", "amber=A <not an address>"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--seat", "amber=A\x1b <a@example.org>"), Exit.USAGE),
        (("ingest", "--now", "yesterday", "saves/g-01.toml", "-"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--answer-hours", f"turn={10**15}"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--answer-hours", "turn=-1"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--scenario", "war"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "two words.toml", "--players", "4"), Exit.BAD_DATA),
        (("questions", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("bundle", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("seat", "agreements", "saves/g-01.toml", "mauve"), Exit.USAGE),
        (("mail", "preview", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("mail", "release", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("seat", "replace", "saves/g-01.toml", "mauve", "x@example.org", "--yes", "--reason", "x"), Exit.USAGE),
        (("clock", "back", "saves/g-01.toml", "mauve"), Exit.USAGE),
        (("remind", "saves/cut.toml"), Exit.BAD_DATA),
        (("dashboard", "saves/cut.toml"), Exit.BAD_DATA),
        (("tui", "saves/g-01.toml", "--lang", "fr"), Exit.USAGE),
        (("tui", "saves/g-01.toml", "--theme", "mauve"), Exit.USAGE),
        (("view", "saves/g-01.toml", "--seat", "amber", "--lang", "fr"), Exit.USAGE),
        (("status", "saves/cut.toml"), Exit.BAD_DATA),
    ):
        result = pbem(*words, code=code)
        assert result.stdout == "", words
        assert result.stderr.strip(), words
        assert "Traceback" not in result.stderr
    assert not (pbem.folder / "n.toml").exists()


def test_hints_fit_what_is_wrong(pbem, new_game):
    new = ("new", "sixteen_thirty", "-o", "n.toml")
    twice = ("--seat", "amber=A", "--seat", "amber=B", "--seat", "black=C")
    for words, hint, code in (
        ((*new, "--players", "4", "--scenario", "war"), "pbem games show sixteen_thirty lists them", Exit.USAGE),
        ((*new, *twice), "--seat amber is given twice", Exit.USAGE),
        ((*new[:3], "two words.toml", "--players", "4"), "pbem new --name", Exit.BAD_DATA),
        ((*new, "--players", "4", "--answer-hours", "turn=9999"), "0 (no deadline) to 8784", Exit.USAGE),
    ):
        assert hint in pbem(*words, code=code).stderr


def test_status_tells_cron_of_a_save_that_cannot_be_read(pbem, new_game):
    new_game.with_name("cut.toml").write_text(new_game.read_text("utf-8")[:2000], "utf-8")
    result = pbem("status", "saves", code=Exit.PARTIAL)
    assert "g-01" in result.stdout
    assert "cut.toml" in result.stderr
    result = pbem("status", "saves/cut.toml", "--json", code=Exit.BAD_DATA)
    assert json.loads(result.stdout) == {"schema": "pbem/status/2", "games": []}


@pytest.mark.parametrize("text", ["hello", "x = 1\n# end of save\n"])
def test_what_is_no_save_is_told_before_any_mail_is_read(pbem, new_game, text):
    """A file of this kind is no letter, and the players of the game meant are no strangers."""
    (pbem.folder / "bad.toml").write_text(text, "utf-8")
    (pbem.folder / "box.mbox").write_text("From a@b Fri May  1 14:07:00 2026\nFrom: a@b.example\n\nhello\n", "utf-8")
    assert "bad.toml" in pbem("ingest", "bad.toml", "box.mbox", code=Exit.BAD_DATA).stderr
    assert not (pbem.folder / "quarantine").exists()


def test_a_save_cut_to_nothing_is_broken_not_missing(pbem, new_game):
    """Its mail waits until it is whole again."""
    form = pbem.json("questions", new_game, "--seat", "amber")[0]["form"]
    mail = f"From: anna@example.org\nMessage-ID: <1@example.org>\n\n{form}"
    whole = new_game.read_bytes()
    for damage in (b"", b"garbage"):
        new_game.write_bytes(damage)
        result = pbem("ingest", "--saves", "saves", "-", stdin=mail, code=Exit.PARTIAL)
        assert "postponed" in result.stdout
    (pbem.folder / "a.orders").write_text(form, "utf-8")
    result = pbem("ingest", "--saves", "saves", "a.orders", code=Exit.PARTIAL)
    assert "postponed: a save here can't be read" in result.stdout
    new_game.write_bytes(whole)
    assert "accepted: 1 accepted" in pbem("ingest", "--saves", "saves", "-", stdin=mail).stdout


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.ENOSPC, "free disk space and run the command again"), (errno.EACCES, "who may write there")],
)
def test_what_the_system_refuses_comes_with_what_to_do(pbem, new_game, monkeypatch, number, hint):
    def refuse(*_, **__):
        raise OSError(number, "no", "saves/heartbeat.json")

    monkeypatch.setattr("pbem.clock.heartbeat.store", refuse)
    (pbem.folder / "empty.mbox").write_bytes(b"")
    result = pbem("ingest", "--saves", "saves", "empty.mbox", code=Exit.BAD_DATA)
    assert "saves/heartbeat.json" in result.stderr
    assert hint in result.stderr


# ------------------------------------------------------------------ on a terminal


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_tables_are_drawn_on_a_terminal_and_plain_in_a_pipe(pbem):
    import pty

    here, there = pty.openpty()
    home = {**os.environ, "TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "pbem", "games"]
    done = subprocess.run(command, stdout=there, stderr=subprocess.PIPE, check=False, env=home)
    os.close(there)
    shown = os.read(here, 100_000).decode()
    os.close(here)
    assert done.returncode == 0, done.stderr
    assert "╭" in shown
    assert "1630 Something" in shown
    assert "╭" not in pbem("games").stdout


class Screen:
    """A terminal that remembers what was written on it."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True


@pytest.mark.parametrize(("seconds", "drawn"), [(0.4, False), (1.6, True)])
def test_a_bar_appears_once_a_second_has_passed(monkeypatch, seconds, drawn):
    from pbem.cli import console

    screen, now = Screen(), [0.0]
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setenv("TERM", "xterm")
    with console.progress_bar("letters") as progress:
        for done in range(1, 5):
            now[0] += seconds / 4
            progress(done, 10)
        now[0] += 0.3
        if drawn:
            progress(5, 10)
    assert ("letters" in screen.text) is drawn


@pytest.mark.parametrize(("seconds", "drawn"), [(0.1, False), (1.4, True)])
def test_work_that_cannot_say_how_far_it_is_shows_that_it_goes_on(monkeypatch, seconds, drawn):
    from pbem.cli import console

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with console.busy("setting the table"):
        time.sleep(seconds)
    assert ("setting the table" in screen.text) is drawn
    written = screen.text
    time.sleep(0.2)
    assert screen.text == written


def test_a_locked_save_is_busy(pbem, new_game, monkeypatch):
    from pbem.save import Session

    monkeypatch.setattr(Session.commit, "__kwdefaults__", {"timeout": 0.1})
    lock = str(new_game.resolve()) + ".lock"
    code = f"""
import time
from pbem.file_locks import lock
with lock({lock!r}):
    print("held", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        result = pbem("repair", "correct", new_game, "countries.england.status=3", "--reason", "x", code=Exit.BUSY)
        other.kill()
    assert "Try again when it has finished" in result.stderr


def test_an_interrupted_command_has_a_status_of_its_own(pbem, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pbem.dev.fuzz.run", interrupted)
    result = pbem("dev", "fuzz", "sixteen_thirty", code=Exit.INTERRUPTED)
    assert result.stdout == ""
    assert "interrupted" in result.stderr


# ------------------------------------------------------------------ cron


def test_quiet_says_nothing_when_nothing_happened(pbem, new_game):
    (pbem.folder / "empty.mbox").write_bytes(b"")
    result = pbem("-q", "ingest", "--saves", "saves", "empty.mbox")
    assert (result.stdout, result.stderr) == ("", "")
    assert "nothing new" in pbem("ingest", "--saves", "saves", "empty.mbox").stderr


def test_the_template_of_the_examples_is_in_the_package():
    from importlib.resources import files

    assert "pbem -q run" in (files("pbem.cli") / "templates" / "crontab").read_text("utf-8")


def test_the_view_of_a_seat_is_toml(pbem, new_game):
    document = tomllib.loads(pbem("view", new_game, "--seat", "amber", "--format", "player-file").stdout)
    assert document["seat"] == "amber"


def test_json_names_things_as_the_docs_do(pbem, new_game):
    """Schemas of version 2; the structs behind them have shorter names."""
    (asked, *_) = pbem.json("questions", new_game)
    assert {"question", "choices"} <= asked.keys()
    assert not {"q", "words"} & asked.keys()
    seen = pbem.json("dashboard", new_game, "--now", NOW)
    assert {"quarantine_from_players", "mail_last_read", "cron_last_ran", "failed_saves"} <= seen.keys()
    (game,) = seen["games"]
    assert "held_back" in game
    assert "question" in game["waiting"][0]
    (pbem.folder / "other.mbox").write_text(
        "From x@example.org Fri May  1 00:00:00 2026\nFrom: x@example.org\nTo: pbem@games.example\n"
        f"Subject: x\nMessage-ID: <1@x>\n\nBEGIN ORDERS g-01 {asked['seat']} 0000-0000\npass\nEND ORDERS\n"
    )
    done = pbem.json("ingest", new_game, pbem.folder / "other.mbox", "--now", NOW)
    assert {"emails", "counts", "sent_count", "already_processed", "failed_saves", "moderator_messages"} <= set(done)
    (email,) = done["emails"]
    assert (email["result"], done["counts"]) == ("quarantined", {"quarantined": 1})
    assert {"reason", "quarantine_id", "accepted_orders", "rejected_orders", "needs_forwarding"} <= email.keys()
    (held,) = pbem.json("quarantine", "--saves", "saves", "list")
    assert held["id"] == email["quarantine_id"]
    assert held["has_reply_code"] is False
    run = pbem.json("tick", new_game, "--now", NOW)
    assert {"games_opened", "expired_questions", "moderator_messages", "emails"} <= run.keys()
    report = json.loads(pbem("view", new_game, "--seat", "public", "--format", "json").stdout)
    assert {"tables", "tracks", "waiting_for", "chain_head", "mail_last_read", "is_over"} <= report.keys()
    (checked,) = pbem.json("upgrade", "check", new_game)["games"]
    assert {"moderator_plays", "unchanged", "first_different_move", "reason", "before", "after"} <= checked.keys()


@pytest.mark.parametrize(("fate", "result"), [("taken", "accepted"), ("partly", "partial"), ("failed", "failed")])
def test_results_in_json_are_called_as_in_the_docs(fate, result):
    report = IngestReport(emails=[EmailOutcome(where="1", fate=fate)], counts={fate: 1})
    assert report.published().emails[0].fate == result
    assert report.published().counts == {result: 1}
    assert report.emails[0].fate == fate
