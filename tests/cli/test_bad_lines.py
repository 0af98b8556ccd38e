"""Every command with every kind of bad path, text and stream: a sentence and a status, never a traceback."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.console import Exit

BOX = "box.toml"
NOW = "2026-05-01T12:00:00Z"
SAVE, VIEW, BUNDLE, MAIL, ORDERS = "saves/g-01.toml", "view.toml", "g.bundle", "mail.mbox", "a.orders"

WHY = ["--reason", "why"]
WORDS = {
    "audit": [SAVE],
    "backup": ["games.tar", "--saves", "saves"],
    "bundle": [SAVE],
    "check": [ORDERS, "--save", SAVE],
    "clock away": [SAVE, "amber", "--since", "2026-06-01", "--until", "2026-06-02"],
    "clock back": [SAVE, "amber"],
    "clock expire": [SAVE, *WHY],
    "clock extend": [SAVE, "--hours", "3", *WHY],
    "clock pause": [SAVE, *WHY],
    "clock resume": [SAVE],
    "completion": ["bash"],
    "config get": [SAVE, "grace"],
    "config list": [SAVE],
    "config set": [SAVE, "grace=12", *WHY],
    "setup defaults": ["--moderator", "you@example.org"],
    "setup mail": ["--address", "pbem@example.org", "--imap-server", ".", "--smtp-server", "sendmail"],
    "setup schedule": ["--print", "--scheduler", "cron"],
    "setup test": ["--wait", "1"],
    "dashboard": [SAVE],
    "demo": [],
    "dev fuzz": ["sixteen_thirty", "--count", "1", "--players", "3"],
    "dev leak-test": ["sixteen_thirty", "--count", "1", "--mail-pairs", "0", "--players", "3"],
    "dev lint-game": ["sixteen_thirty", "--count", "1"],
    "dev new-game": ["tide_pools"],
    "dev test-rules": ["cases.toml"],
    "docs": ["moderator"],
    "doctor": ["--saves", "saves", "--offline"],
    "fetch": ["--saves", "saves", "--imap", "imaps://me@127.0.0.1:1/INBOX"],
    "games list": [],
    "games show": ["sixteen_thirty"],
    "ingest": [SAVE, MAIL],
    "live": [SAVE, "--url", "https://games.example.org"],
    "mail broadcast": [SAVE, "words"],
    "mail preview": [SAVE],
    "mail release": [SAVE],
    "new": ["sixteen_thirty", "-o", "n.toml", "--players", "3"],
    "pack check": [BOX],
    "pack diff": [BOX, BOX],
    "pack edit": [BOX],
    "pack export": [BOX, "--table", "countries.countries"],
    "pack import": [BOX, "facts.csv"],
    "pack merge": [BOX, BOX, "-o", "both.toml"],
    "pack new": ["sixteen_thirty", "-o", "fresh.toml"],
    "play": [SAVE],
    "quarantine accept": ["abc"],
    "quarantine discard": ["abc"],
    "quarantine list": [],
    "quarantine show": ["abc"],
    "questions": [SAVE],
    "remind": [SAVE],
    "repair accept-rollback": [SAVE, "--yes", *WHY],
    "repair correct": [SAVE, "turn=2", *WHY],
    "repair reveal": [SAVE, *WHY],
    "repair rewind": [SAVE, "0", "--dry-run"],
    "restore": ["games.tar", "--saves", "again"],
    "run": ["--saves", "saves", "--maildir", MAIL],
    "seat address": [SAVE, "amber", "x@example.org", *WHY],
    "seat agreements": [SAVE, "amber"],
    "seat bot off": [SAVE, "amber", *WHY],
    "seat bot on": [SAVE, "amber", *WHY],
    "seat cc add": [SAVE, "amber", "x@example.org", *WHY],
    "seat cc list": [SAVE, "amber"],
    "seat cc remove": [SAVE, "amber", "x@example.org", *WHY],
    "seat delegate": [SAVE, "amber", "x@example.org", "--until", "2030-06-02", *WHY],
    "seat grant": [SAVE, "end draw"],
    "seat replace": [SAVE, "amber", "x@example.org", "--yes", *WHY],
    "send": ["--saves", "saves"],
    "site": [SAVE, "-o", "public"],
    "spectators add": [SAVE, "x@example.org"],
    "spectators list": [SAVE],
    "spectators remove": [SAVE, "x@example.org"],
    "stats": [SAVE],
    "status": [SAVE],
    "tick": [SAVE],
    "tui": [SAVE],
    "upgrade apply": [SAVE, *WHY],
    "upgrade check": [SAVE],
    "upgrade components": [SAVE, "--pack", BOX, *WHY],
    "verify": [MAIL, BUNDLE],
    "view": [SAVE, "--seat", "amber"],
}
"""Words with which each command works, or fails in a sentence."""

DEAR = {"demo-output", "dev fuzz-dump", "tui-screenshots", "new-output"}
"""Where a path that can be written to costs seconds of work: tried with those only that can't be."""


def commands(group=main, before=()):
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


COMMANDS = dict(commands())


def a_device(path):
    """A null device of our own, where we may make one: a command that goes wrong would destroy the machine's."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, Path(os.devnull).stat().st_rdev)
        path.write_bytes(b"")
    except (AttributeError, OSError):
        return Path(os.devnull)
    return path


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A folder with a game, its view file, a bundle, a letter, and things that are none of these."""
    folder = tmp_path_factory.mktemp("bad")
    here = Path.cwd()
    os.chdir(folder)
    try:
        Path("seed").write_text("00" * 32)
        run("new", "sixteen_thirty", "-o", SAVE, "--players", "3", "--seed", "seed", "--now", NOW)
        run("view", SAVE, "--seat", "amber", "--format", "player-file", "-o", VIEW)
        run("bundle", SAVE, "-o", BUNDLE)
        form = "BEGIN ORDERS g-01 amber\n1: pass\nEND ORDERS\n"
        (folder / MAIL).write_text(f"From a@b Fri May  1 14:07:00 2026\nFrom: a@b.example\n\n{form}", "utf-8")
        (folder / ORDERS).write_text(form, "utf-8")
        run("pack", "new", "sixteen_thirty", "-o", BOX)
        (folder / "facts.csv").write_text("entry,status\nspain,4\n", "utf-8")
        (folder / "cases.toml").write_text("[[case]]\nid = 'x'\n", "utf-8")
        whole = (folder / SAVE).read_bytes()
        (folder / "empty").touch()
        (folder / "cut.toml").write_bytes(whole[:2000])
        (folder / "binary.toml").write_bytes(bytes(range(256)) * 40)
        (folder / "other.toml").write_text("x = 1\n", "utf-8")
        strange = whole.replace(b'game = "sixteen_thirty"', b'game = "chess"')
        (folder / "strange.toml").write_bytes(strange)
        (folder / "nothing").mkdir()
        (folder / "loop").symlink_to("loop")
        (folder / "dangling").symlink_to("nowhere")
        (folder / "device").symlink_to(a_device(tmp_path_factory.mktemp("device") / "null"))
        (folder / os.fsdecode(b"n\xe9.toml")).write_bytes(whole)
    finally:
        os.chdir(here)
    return folder


PATHS = {
    "missing": "nowhere.toml",
    "missing folder": "nowhere/at/all.toml",
    "below a file": "empty/x.toml",
    "nothing at all": "",
    "dash": "-",
    "folder": "nothing",
    "file": "empty",
    "cut": "cut.toml",
    "binary": "binary.toml",
    "other TOML": "other.toml",
    "another game": "strange.toml",
    "loop": "loop",
    "dangling": "dangling",
    "too long": "x" * 300,
    "not UTF-8": os.fsdecode(b"n\xe9.toml"),
    "not UTF-8, missing": os.fsdecode(b"m\xe9.toml"),
    "device": "device",
    "proc": "/proc/g.toml",
}


def run(*words, stdin=None):
    return CliRunner().invoke(main, [str(word) for word in words], input=stdin)


def shown(result):
    """That a command ended with a status and said why, if it is not 0; never by an error of Python's."""
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code in set(map(int, Exit)), result.output
    assert "Traceback" not in result.output
    if result.exit_code in (Exit.USAGE, Exit.BAD_DATA):
        assert result.stderr.strip(), "no word of what is wrong"


def replaced(name, param, value):
    """The words of a command with another value for one parameter."""
    words = list(WORDS[name])
    if isinstance(param, click.Argument):
        at = [parameter.name for parameter in COMMANDS[name].params if isinstance(parameter, click.Argument)].index(
            param.name
        )
        return [*words[:at], value, *words[at + 1 :]]
    if param.opts[-1] in words:
        words[words.index(param.opts[-1]) + 1] = value
        return words
    return [*words, param.opts[-1], value]


def test_the_table_is_whole():
    assert set(WORDS) == set(COMMANDS)


def of_type(*kinds):
    for name, command in COMMANDS.items():
        for param in command.params:
            if isinstance(param.type, kinds):
                yield pytest.param(name, param, id=f"{name}-{param.name}")


@pytest.mark.parametrize(("name", "param"), of_type(click.Path))
def test_every_kind_of_bad_path(begun, tmp_path, monkeypatch, name, param):
    folder = tmp_path / "at"
    shutil.copytree(begun, folder, symlinks=True)
    monkeypatch.chdir(folder)
    for kind, path in PATHS.items():
        if f"{name}-{param.name}" in DEAR and kind not in ("nothing at all", "below a file", "proc", "file"):
            continue
        result = run(*name.split(), *replaced(name, param, path), stdin="")
        try:
            shown(result)
            if kind == "nothing at all":
                assert result.exit_code == Exit.USAGE
            if kind == "missing" and param.type.exists:
                assert result.exit_code == Exit.BAD_DATA, "a missing file is not the command line's fault"
            if kind == "device":
                assert Path(path).is_char_device(), "a device was replaced by a file"
        except AssertionError as error:
            raise AssertionError(f"{kind}: {error}\n{result.output}") from error


TEXTS = ("", " ", "\x1b[31m", "a\nb", "x" * 5000, os.fsdecode(b"\xe9"), "=", "9" * 40, "-1", "🂡")


@pytest.mark.parametrize(
    ("name", "param"), [param for param in of_type(click.types.StringParamType) if "imap" not in param.id]
)
def test_every_kind_of_bad_text(begun, tmp_path, monkeypatch, name, param):
    monkeypatch.chdir(begun)
    for text in TEXTS:
        shutil.copy2(begun / SAVE, tmp_path / "g-01.toml")
        words = [str(tmp_path / "g-01.toml") if word == SAVE else word for word in WORDS[name]]
        monkeypatch.setitem(WORDS, name, words)
        before = (tmp_path / "g-01.toml").read_bytes()
        result = run(*name.split(), *replaced(name, param, text), stdin="")
        try:
            shown(result)
            if result.exit_code in (Exit.USAGE, Exit.FAILED_CHECK, Exit.BAD_DATA):
                assert (tmp_path / "g-01.toml").read_bytes() == before, "refused, and yet something was written"
        except AssertionError as error:
            raise AssertionError(f"{text[:40]!r}: {error}\n{result.output}") from error


# ------------------------------------------------------------------ streams

SHOWING = {
    "status": ["status", "saves"],
    "status as JSON": ["status", "--json", "saves"],
    "desk": ["dashboard", "saves"],
    "games": ["games"],
    "report in Japanese": ["view", SAVE, "--seat", "amber", "--lang", "ja"],
    "view file": ["view", SAVE, "--seat", "amber", "--format", "player-file"],
    "page": ["view", SAVE, "--seat", "amber", "--format", "html", "--lang", "ja"],
    "forms": ["questions", SAVE],
    "audit": ["audit", SAVE],
    "broadcast": ["mail", "broadcast", SAVE, "日本語 – “words”"],
    "of a strange name": ["status", os.fsdecode(b"n\xe9.toml")],
    "of a strange name as JSON": ["status", "--json", os.fsdecode(b"n\xe9.toml")],
    "ingest": ["ingest", SAVE, "-"],
}
STREAMS = {
    "stdout closed": (">&-", {}),
    "stderr closed": ("2>&-", {}),
    "stdin closed": ("<&-", {}),
    "all closed": ("<&- >&- 2>&-", {}),
    "full": (">/dev/full", {}),
    "cut off": ("| true", {}),
    "cp1252": ("", {"PYTHONIOENCODING": "cp1252"}),
    "latin-1": ("", {"PYTHONIOENCODING": "latin-1"}),
    "ascii": ("", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
}


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's redirections")
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("name", SHOWING)
def test_every_kind_of_stream(begun, tmp_path, name, stream):
    folder = tmp_path / "at"
    shutil.copytree(begun, folder, symlinks=True)
    redirect, env = STREAMS[stream]
    command = f'"$0" -m pbem "$@" {redirect}'
    words = ["sh", "-c", command, sys.executable, *SHOWING[name]]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **env}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    said = done.stderr.decode("utf-8", "replace")
    assert "Traceback" not in said, said
    assert "Exception ignored" not in said, said
    # Words that can't be read, either.
    refused = stream == "full" or (name, stream) == ("broadcast", "ascii")
    expected = {Exit.BAD_DATA, Exit.OK} if refused else {Exit.OK}
    assert done.returncode in expected, said


def test_json_and_view_files_are_utf_8_on_every_terminal(begun, monkeypatch):
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONIOENCODING": "cp1252"}
    for words in (SHOWING["status as JSON"], SHOWING["view file"], ["games", "list", "--json"]):
        raw = [
            subprocess.run(
                [sys.executable, "-m", "pbem", *words], cwd=begun, env=variables, capture_output=True, check=True
            ).stdout
            for variables in (env, {**env, "PYTHONIOENCODING": "utf-8"})
        ]
        assert raw[0] == raw[1]
        raw[0].decode("utf-8")


def test_a_screen_needs_a_terminal(begun, tmp_path, monkeypatch):
    """Without one Textual would wait for ever; `pbem play` begins no game that nobody sees."""
    monkeypatch.chdir(tmp_path)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    for words in (["tui", str(begun / SAVE)], ["play", "sixteen_thirty", "-o", "solo.toml"]):
        done = subprocess.run(
            [sys.executable, "-m", "pbem", *words],
            env=env,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=30,
        )
        assert (done.returncode, done.stdout) == (Exit.USAGE, "")
        assert "terminal" in done.stderr
    assert not (tmp_path / "solo.toml").exists()


def test_another_package_called_games_is_named(begun, tmp_path):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "__init__.py").write_text("def load(slug): ...\n", "utf-8")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[2]}"}
    done = subprocess.run(
        [sys.executable, "-m", "pbem", "status", str(begun / SAVE)],
        cwd=begun,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == Exit.BAD_DATA
    assert str(tmp_path / "games") in done.stderr
    assert "pbem docs install" in done.stderr


# ------------------------------------------------------------------ statuses


def test_mail_is_not_read_where_there_is_no_save(begun, tmp_path, monkeypatch):
    """Every letter would be a stranger's, and the whole mailbox put aside."""
    monkeypatch.chdir(tmp_path)
    result = run("ingest", begun / MAIL)
    assert result.exit_code == Exit.BAD_DATA
    assert "--saves" in result.stderr
    result = run("fetch", "--imap", "imaps://me@127.0.0.1:1/INBOX")
    assert result.exit_code == Exit.BAD_DATA
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["audit", "other.toml"], Exit.BAD_DATA),
        (["audit", "nowhere.toml"], Exit.BAD_DATA),
        (["config", "set", SAVE, "grid=99", "--reason", "x"], Exit.USAGE),
        (["config", "set", SAVE, "grid", "--reason", "x"], Exit.USAGE),
        (["config", "set", SAVE, "nothing=1", "--reason", "x"], Exit.USAGE),
        (["clock", "away", SAVE, "amber", "--since", "soon", "--until", "later"], Exit.USAGE),
        (["clock", "away", SAVE, "amber", "--since", "2026-06-02", "--until", "2026-06-01"], Exit.USAGE),
        (["clock", "back", SAVE, "amber"], Exit.FAILED_CHECK),
        (["repair", "rewind", SAVE, "99", "--reason", "x"], Exit.USAGE),
        (["repair", "rewind", SAVE, "99", "--dry-run"], Exit.USAGE),
        (["seat", "replace", SAVE, "amber", "nobody", "--yes", "--reason", "x"], Exit.USAGE),
        (["seat", "delegate", SAVE, "amber", "a@example.org", "--until", "soon", "--reason", "x"], Exit.USAGE),
        (["clock", "pause", SAVE, "--reason", ""], Exit.USAGE),
        (["mail", "broadcast", SAVE, ""], Exit.USAGE),
        (["mail", "broadcast", SAVE, "\x1b[31m"], Exit.USAGE),
        (["repair", "correct", SAVE, "nothing.here=1", "--reason", "x"], Exit.FAILED_CHECK),
        (["clock", "resume", SAVE], Exit.FAILED_CHECK),
        (["mail", "release", SAVE], Exit.FAILED_CHECK),
        (["new", "sixteen_thirty", "-o", "", "--players", "3"], Exit.USAGE),
        (["tick", SAVE, "--now", "9999-12-31T23:59:59Z"], Exit.USAGE),
        (["tick", SAVE, "--now", "0001-01-01"], Exit.USAGE),
        (["new", "sixteen_thirty", "-o", "/proc/g.toml", "--players", "3"], Exit.BAD_DATA),
    ],
)
def test_the_status_says_whose_fault_it_is(begun, monkeypatch, words, code):
    monkeypatch.chdir(begun)
    before = Path(SAVE).read_bytes()
    result = run(*words)
    shown(result)
    assert result.exit_code == code, result.output
    assert Path(SAVE).read_bytes() == before
