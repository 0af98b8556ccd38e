"""What scripts rely on: the shapes of JSON, exit statuses, which stream says what, what `--help` imports."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
import tomllib
from importlib import import_module
from pkgutil import iter_modules

import pytest

import games
import pbem.cli
from pbem.cli import main
from pbem.cli.commands import TABLE
from pbem.cli.exits import Exit
from pbem.kernel.game import Setup
from pbem.trial import fuzz
from pbem.trial.random_game import Failure
from tests.toy.planted import toy

CASE = "tests/cases/sixteen_thirty"


def test_help_imports_neither_tui_nor_rich_nor_games():
    code = (
        "import sys\n"
        "from pbem.cli import main\n"
        "try:\n    main(['--help'], prog_name='pbem')\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "roots = {name.partition('.')[0] for name in sys.modules}\n"
        "bad = sorted(roots & {'textual', 'rich', 'games', 'msgspec', 'filelock', 'email', 'mailbox'})\n"
        "bad += [name for name in sys.modules if name.startswith(('pbem.kernel', 'pbem.post', 'pbem.save'))]\n"
        "sys.exit(str(bad) if bad else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "ingest" in done.stdout


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_has_help(pbem, name):
    assert "Usage: " in pbem(name, "--help").stdout


def test_the_table_of_commands_says_what_their_files_say():
    for name, (file, what) in TABLE.items():
        command = main.commands[name]
        assert (command.name, command.get_short_help_str(200)) == (name, what)
        assert command in import_module(f"pbem.cli.{file}").COMMANDS


def test_no_command_is_missing_from_the_table():
    files = [import_module(f"pbem.cli.{module.name}") for module in iter_modules(pbem.cli.__path__)]
    assert {command.name for file in files for command in getattr(file, "COMMANDS", [])} == set(TABLE)


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
    one = pbem.json("games", "sixteen_thirty")
    assert one["scenarios"][0]["seats"]["4"] == ["amber", "black", "green", "ivory"]
    assert {option["id"] for option in one["options"]} >= {"placing", "exchange"}
    found = pbem.json("games", "sixteen_thirty", "--provenance")
    assert set(found) == {"tables", "total", "reconstructed", "moderator"}
    assert "reconstructed" in pbem("games", "sixteen_thirty", "--provenance").stdout


def test_an_unknown_game_names_its_neighbours(pbem):
    result = pbem("games", "sixteen_tirty", code=Exit.DATA)
    assert "did you mean sixteen_thirty?" in result.stderr
    assert result.stdout == ""


def test_check(pbem, pytestconfig):
    found = pbem.json("check", pytestconfig.rootpath / CASE)
    assert set(found) == {"cases", "passed", "failed"}
    assert found["cases"] == found["passed"] > 10
    assert found["failed"] == []


def test_check_says_what_fails(pbem):
    bad = pbem.folder / "bad.toml"
    bad.write_text("[[case]]\nid = 'x'\n", "utf-8")
    found = pbem.json("check", bad, code=Exit.REFUSED)
    assert found["passed"] == 0
    assert set(found["failed"][0]) >= {"id", "rule", "why"}


def test_check_of_nothing_is_no_success(pbem):
    (pbem.folder / "empty").mkdir()
    result = pbem("check", "empty", "--json", code=Exit.DATA)
    assert json.loads(result.stdout) == {"schema": "pbem/check/1", "cases": 0, "passed": 0, "failed": []}
    assert "no cases in empty" in result.stderr


def test_check_game(pbem):
    assert pbem.json("check-game", "sixteen_thirty", "--games", "1") == []
    assert "nothing missing" in pbem("check-game", "sixteen_thirty", "--games", "1").stdout


def test_fuzz(pbem):
    found = pbem.json("fuzz", "sixteen_thirty", "--games", "3", "--seats", "3", "--seed", "5")
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
    assert "possible numbers" in pbem("fuzz", "sixteen_thirty", "--seats", "9", code=Exit.USAGE).stderr


def test_fuzz_plays_every_game_in_turn_until_its_time_is_up(pbem, monkeypatch):
    played = []

    def run(game, *, games, first=0, **_):
        played.append((game.slug, first))
        broken = Failure("crash", "why", game.slug, first, Setup(game.slug, ("a",), ""), [])
        failures = [broken] if len(played) == 3 else []
        return fuzz.Result(games=games, failures=failures)

    monkeypatch.setattr("pbem.trial.fuzz.run", run)
    clock = iter(range(0, 9000, 1500))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    found = pbem.json("fuzz", "--games", "2", "--hours", "0.5", "--dump", "found", code=Exit.REFUSED)
    slugs = [game.slug for game in games.catalogue()]
    assert played == [(slug, first) for first in (0, 2) for slug in slugs]
    assert (found["games"], found["failures"]) == (4 * len(slugs), 1)
    assert {slug: figures["games"] for slug, figures in found["by_game"].items()} == dict.fromkeys(slugs, 4)
    assert [path.name for path in (pbem.folder / "found").iterdir()] == [f"{slugs[2]}-0-crash.txt"]


def test_leaks(pbem, monkeypatch):
    found = pbem.json("leaks", "sixteen_thirty", "--pairs", "3", "--seats", "3", "--seed", "5")
    assert set(found) == {"seed", "pairs", "post", "changed", "steps", "seconds", "ended", "leaks"}
    assert (found["pairs"], found["post"], found["leaks"]) == (3, 2, [])
    assert found["steps"] > 6
    assert "possible numbers" in pbem("leaks", "sixteen_thirty", "--seats", "9", code=Exit.USAGE).stderr
    monkeypatch.setattr("games.load", lambda slug: toy("view"))
    result = pbem("leaks", "toy", "--pairs", "20", "--post", "0", code=Exit.REFUSED)
    assert "20 pairs" in result.stdout
    assert "view" in result.stderr
    again = next(line for line in result.stderr.splitlines() if "again: pbem leaks toy" in line)
    number = again.split("--number ")[1]
    assert "view" in pbem("leaks", "toy", "--number", number, code=Exit.REFUSED).stderr


def test_completion(pbem):
    for shell in ("bash", "zsh", "fish"):
        assert "_PBEM_COMPLETE" in pbem("completion", shell).stdout


@pytest.mark.parametrize(
    ("words", "last", "found"),
    [
        ([], "inj", []),
        ([], "ing", ["ingest"]),
        (["games"], "six", ["sixteen_thirty"]),
        (["new"], "vir", ["virgin_queen"]),
        (["fuzz"], "", ["sixteen_thirty", "imperial_struggle", "crown_of_roses", "virgin_queen"]),
        (["report", "x.toml", "--format"], "h", ["html"]),
        (["report", "x.toml"], "--se", ["--seat"]),
        (["orders", "check"], "--v", ["--view"]),
    ],
)
def test_what_the_shell_completes(words, last, found):
    from click.shell_completion import ShellComplete

    shell = ShellComplete(main, {}, "pbem", "_PBEM_COMPLETE")
    assert [completion.value for completion in shell.get_completions(words, last)] == found


def test_exit_statuses_are_stable():
    assert {status.name: status.value for status in Exit} == {
        "OK": 0,
        "REFUSED": 1,
        "USAGE": 2,
        "DATA": 3,
        "BUSY": 4,
        "PARTLY": 5,
        "NO_EMAIL": 65,
        "TRY_AGAIN": 75,
        "NO_GAMES": 78,
        "INTERRUPTED": 130,
    }


# ------------------------------------------------------------------ what is wrong is said in sentences


def test_no_traceback_for_what_people_do(pbem, new_game):
    new_game.with_name("cut.toml").write_text(new_game.read_text("utf-8")[:2000], "utf-8")
    (pbem.folder / "x.toml").write_text("not toml at all [", "utf-8")
    for words, code in (
        (("report", "saves/cut.toml", "--seat", "amber"), Exit.DATA),
        (("prompts", "x.toml"), Exit.DATA),
        (("prompts", "nowhere.toml"), Exit.DATA),
        (("report", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("rewind", "saves/g-01.toml", "99", "--reason", "x"), Exit.USAGE),
        (("fiat", "saves/g-01.toml", "nothing.here=1", "--reason", "x"), Exit.REFUSED),
        (("ingest", "saves/g-01.toml"), Exit.USAGE),
        (("ingest", "saves/g-01.toml", "missing.mbox"), Exit.DATA),
        (("quarantine", "show", "abc"), Exit.DATA),
        (("new", "sixteen_thirty", "-o", "saves/g-01.toml", "--players", "4"), Exit.DATA),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "9"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--seat", "mauve=X"), Exit.USAGE),
        (
            ("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--option", "placing=upside"),
            Exit.USAGE,
        ),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--zone", "Mars/Olympus"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--seed", "xyz"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--seat", "amber=A <not an address>"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--seat", "amber=A\x1b <a@example.org>"), Exit.USAGE),
        (("ingest", "--now", "yesterday", "saves/g-01.toml", "-"), Exit.USAGE),
        (
            ("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--hours", f"turn={10**15}"),
            Exit.USAGE,
        ),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--hours", "turn=-1"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "n.toml", "--players", "4", "--scenario", "war"), Exit.USAGE),
        (("new", "sixteen_thirty", "-o", "two words.toml", "--players", "4"), Exit.DATA),
        (("prompts", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("bundle", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("agreements", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("preview", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("release", "saves/g-01.toml", "--seat", "mauve"), Exit.USAGE),
        (("substitute", "saves/g-01.toml", "mauve", "x@example.org", "--reason", "x"), Exit.USAGE),
        (("absent", "saves/g-01.toml", "--seat", "mauve", "--cancel"), Exit.USAGE),
        (("remind", "saves/cut.toml"), Exit.DATA),
        (("desk", "saves/cut.toml"), Exit.DATA),
        (("tui", "saves/g-01.toml", "--lang", "fr"), Exit.USAGE),
        (("tui", "saves/g-01.toml", "--theme", "mauve"), Exit.USAGE),
        (("report", "saves/g-01.toml", "--seat", "amber", "--lang", "fr"), Exit.USAGE),
        (("status", "saves/cut.toml"), Exit.DATA),
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
        ((*new, "--players", "4", "--scenario", "war"), "pbem games sixteen_thirty lists them", Exit.USAGE),
        ((*new, *twice), "--seat amber stands here twice", Exit.USAGE),
        ((*new[:3], "two words.toml", "--players", "4"), "pbem new --name", Exit.DATA),
        ((*new, "--players", "4", "--hours", "turn=9999"), "0 (no deadline) to 8784", Exit.USAGE),
    ):
        assert hint in pbem(*words, code=code).stderr


def test_status_tells_cron_of_a_save_that_cannot_be_read(pbem, new_game):
    new_game.with_name("cut.toml").write_text(new_game.read_text("utf-8")[:2000], "utf-8")
    result = pbem("status", "saves", code=Exit.PARTLY)
    assert "g-01" in result.stdout
    assert "cut.toml" in result.stderr
    result = pbem("status", "saves/cut.toml", "--json", code=Exit.DATA)
    assert json.loads(result.stdout) == {"schema": "pbem/status/1", "games": []}


@pytest.mark.parametrize("text", ["hello", "x = 1\n# end of save\n"])
def test_what_is_no_save_is_told_before_any_mail_is_read(pbem, new_game, text):
    """A file of this kind is no letter, and the players of the game meant are no strangers."""
    (pbem.folder / "bad.toml").write_text(text, "utf-8")
    (pbem.folder / "box.mbox").write_text(
        "From a@b Fri May  1 14:07:00 2026\nFrom: a@b.example\n\nhello\n", "utf-8"
    )
    assert "bad.toml" in pbem("ingest", "bad.toml", "box.mbox", code=Exit.DATA).stderr
    assert not (pbem.folder / "quarantine").exists()


def test_a_save_cut_to_nothing_is_broken_not_missing(pbem, new_game):
    """Its mail waits until it is whole again."""
    form = pbem.json("prompts", new_game, "--seat", "amber")[0]["form"]
    mail = f"From: anna@example.org\nMessage-ID: <1@example.org>\n\n{form}"
    whole = new_game.read_bytes()
    for damage in (b"", b"garbage"):
        new_game.write_bytes(damage)
        result = pbem("ingest", "--saves", "saves", "-", stdin=mail, code=Exit.PARTLY)
        assert "postponed" in result.stdout
    (pbem.folder / "a.orders").write_text(form, "utf-8")
    result = pbem("ingest", "--saves", "saves", "a.orders", code=Exit.PARTLY)
    assert "postponed: a save here can't be read" in result.stdout
    new_game.write_bytes(whole)
    assert "taken: 1 taken" in pbem("ingest", "--saves", "saves", "-", stdin=mail).stdout


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.ENOSPC, "make room and run the command again"), (errno.EACCES, "who may write there")],
)
def test_what_the_system_refuses_comes_with_what_to_do(pbem, new_game, monkeypatch, number, hint):
    def refuse(*_, **__):
        raise OSError(number, "no", "saves/heartbeat.json")

    monkeypatch.setattr("pbem.clock.heartbeat.store", refuse)
    (pbem.folder / "empty.mbox").write_bytes(b"")
    result = pbem("ingest", "--saves", "saves", "empty.mbox", code=Exit.DATA)
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
from pbem.locks import lock
with lock({lock!r}):
    print("held", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        result = pbem("fiat", new_game, "countries.england.status=3", "--reason", "x", code=Exit.BUSY)
        other.kill()
    assert "Try again when it has finished" in result.stderr


def test_an_interrupted_command_has_a_status_of_its_own(pbem, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pbem.trial.fuzz.run", interrupted)
    result = pbem("fuzz", "sixteen_thirty", code=Exit.INTERRUPTED)
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
    document = tomllib.loads(pbem("report", new_game, "--seat", "amber", "--format", "view").stdout)
    assert document["seat"] == "amber"
