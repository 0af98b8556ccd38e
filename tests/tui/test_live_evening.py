"""Evenings at the live table with real programs: sshd with forced commands, Chromium, a cut line, a kill.

Needs openssh-server and pyte, and for the browser textual-serve, Selenium and Chromium; each test skips without.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.dev.random_game import sampler
from pbem.mail import presence
from pbem.mail.inbox.ingest import ingest
from pbem.mail.outbox.email_parts import turn_of
from pbem.save import Session, load
from pbem.timestamps import moment
from tests import chromium
from tests.examples.kit import quiet
from tests.tui.seats import SEND, SeatTerminal, lines

ROOT = Path(__file__).parents[2]
SSHD = shutil.which("sshd") or shutil.which("/usr/sbin/sshd") or ""
needs_sshd = pytest.mark.skipif(
    not (SSHD and shutil.which("ssh") and shutil.which("ssh-keygen")), reason="openssh-server is not installed"
)
NOW = moment("2026-05-02T09:00:00Z")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python with this checkout and its libraries as an installation has them: `-I` leaves PYTHONPATH out."""
    home = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    (place,) = (home / "lib").glob("python*/site-packages")
    paths = [str(ROOT), sysconfig.get_paths()["purelib"], *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    (place / "checkout.pth").write_text("\n".join(filter(None, paths)))
    return home / "bin" / "python"


@pytest.fixture
def game(tmp_path):
    def copied(name):
        folder = tmp_path / name
        folder.mkdir(mode=0o700)
        return Path(shutil.copy(ROOT / "saves" / f"{name}.toml", folder))

    return copied


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Terminal(SeatTerminal):
    """A pseudo-terminal with a program in it, and the screen that its player sees."""

    def __init__(self, words, wide=120, high=36):
        pyte = pytest.importorskip("pyte")
        self.screen = pyte.Screen(wide, high)
        self.stream = pyte.ByteStream(self.screen)
        super().__init__(words, wide, high)

    def take(self):
        data = super().take()
        with suppress(Exception):  # pyte doesn't know every sequence
            self.stream.feed(data)
        return data

    @property
    def text(self):
        return "\n".join(self.screen.display)

    def wait(self, *texts, seconds=300):
        """Read until one of the texts is on the screen."""
        end = time.monotonic() + seconds
        while not any(text in self.text for text in texts):
            assert time.monotonic() < end, f"{texts} never came:\n{self.text}"
            assert not self.ended, f"it ended:\n{self.text}"
            self.read(0.2)

    def rest(self):
        """Read until nothing has come for a while."""
        self.read(1)
        while not self.ended and time.monotonic() - self.last < 2:
            self.read(0.2)

    def resize(self, wide, high):
        self.screen.resize(high, wide)
        self.size(wide, high)

    def prepare(self, line):
        """Put a line of orders into the email; F8 is then all that is left to do."""
        for keys, shown in lines(line):
            if keys == "advance" and "予約回答" in self.text:
                continue  # a search for an English word finds nothing there, and no policy stands before the line
            self.keys(keys, 0.5)
            while time.monotonic() - self.last < 0.4:
                self.read(0.1)
            self.wait(*(("remove", "削除") if keys == "8" else shown or ("",)))


def live(python, *words):
    done = subprocess.run([python, "-I", "-m", "pbem", "live", *words], capture_output=True, text=True, check=True)
    return done.stdout


class Host:
    """An sshd of its own with the printed lines, and a key for each seat."""

    def __init__(self, folder, python, save):
        self.folder = folder
        self.port = free_port()
        self.keys = {}
        keys = []
        for seat in [*(seat.id for seat in load(save).seats), "public"]:
            self.keys[seat] = self.keygen(f"key-{seat}")
            keys += ["--key", f"{seat}={self.keys[seat]}.pub"]
        printed = live(python, save, *keys)
        lines = [line for line in printed.splitlines() if line.startswith("command=")]
        (folder / "authorized_keys").write_text("\n".join(lines) + "\n")
        config = folder / "sshd_config"
        config.write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.keygen('host')}\nPidFile none\n"
            f"AuthorizedKeysFile {folder / 'authorized_keys'}\nStrictModes no\nUsePAM no\n"
            "AcceptEnv *\nSubsystem sftp internal-sftp\nPermitRootLogin prohibit-password\nMaxStartups 50\n"
        )
        Path("/run/sshd").mkdir(exist_ok=True)
        self.server = subprocess.Popen([SSHD, "-D", "-e", "-f", config], stderr=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 0.2):
                break
            time.sleep(0.1)

    def keygen(self, name):
        file = self.folder / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file], check=True)
        return file

    def words(self, seat, *more, program="ssh"):
        port = "-P" if program in ("sftp", "scp") else "-p"
        options = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]
        options += ["-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-i", self.keys[seat]]
        return [program, port, str(self.port), *options, *more]

    def sit(self, seat, *more, **size):
        found = Terminal(self.words(seat, "-tt", *more, "127.0.0.1"), **size)
        found.wait(f" {self.folder.name} ")
        return found

    def end(self):
        self.server.terminate()
        self.server.wait()


@pytest.fixture
def host(tmp_path, python, game):
    hosts = []

    def begun(name):
        save = game(name)
        hosts.append(Host(save.parent, python, save))
        return save, hosts[-1]

    yield begun
    for found in hosts:
        found.end()


def emails(save):
    new = save.parent / "outbox" / "new"
    return sorted(path.name.split(".")[1] for path in new.iterdir()) if new.is_dir() else []


def until(holds, seconds=300):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.1)
    return holds()


def end_negotiation(terminal):
    """Have nothing more to offer, and send it with what is in the email."""
    terminal.keys("5", 1)
    terminal.wait("w write")
    terminal.write("d")
    terminal.wait("In your orders", "メールの内容")
    terminal.write("\x1b[19~")


@needs_sshd
def test_an_evening_over_ssh(host):
    """Six of Virgin Queen close a negotiation. One line is cut, one session is killed, one is open twice."""
    save, server = host("vq-negotiation")
    seats = [seat.id for seat in load(save).seats]
    sitting = {seat: server.sit(seat) for seat in seats}
    try:
        assert until(lambda: presence.at_table(save) == set(seats))
        twice = server.sit("spain", wide=80, high=24)
        twice.wait("another window", "別の画面")
        third = Terminal(server.words("spain", "-tt", "127.0.0.1"))
        assert until(lambda: third.ended or third.read(0.2))
        third.kill()
        twice.kill()
        assert until(lambda: sum(seat == "spain" for seat, _, fresh in presence._sessions(save) if fresh) == 1)
        assert emails(save) == []

        france = sitting["france"]
        france.keys("8", 2)
        france.keys("a", 1)
        france.keys("\r", 1)
        france.keys("\x1b[200~A letter kept\x1b[201~\r", 2)
        france.kill()  # the line is cut
        assert until(lambda: "france" not in presence.at_table(save))
        sitting["france"] = server.sit("france")
        sitting["france"].keys("8", 2)
        sitting["france"].wait("A letter kept")

        for terminal in sitting.values():
            terminal.rest()
        sent = {seat: terminal.got for seat, terminal in sitting.items()}
        ingest([save], [_orders(save, "ottoman", "1: done")], now=NOW)
        for seat, terminal in sitting.items():
            if seat != "ottoman":
                terminal.read(1)
                assert terminal.got == sent[seat], seat

        for seat in [seat for seat in seats if seat not in ("ottoman", "france")]:
            sitting[seat].read(0.5)
            ingest([save], [_orders(save, seat, "1: done")], now=NOW)
        end_negotiation(sitting["france"])
        assert until(lambda: load(save).header.q > 1), sitting["france"].text
        sitting["england"].read(3)
        sitting["england"].resize(160, 48)
        sitting["england"].wait("at the table", "着席中")
        assert set(emails(save)) <= {"france"}  # the one when its line was cut
    finally:
        for terminal in sitting.values():
            terminal.kill()
    assert until(lambda: not presence.at_table(save))
    assert until(lambda: set(seats) <= set(emails(save)))
    assert [seat for seat in seats if emails(save).count(seat) > (2 if seat == "france" else 1)] == []


def _orders(save, seat, text):
    file = save.parent / f"{seat}.orders"
    file.write_text(f"BEGIN ORDERS {load(save).header.name} {seat}\n{text}\nEND ORDERS\n")
    return file


@needs_sshd
def test_a_key_starts_the_table_and_nothing_else(host):
    save, server = host("1630-ballot")

    def run(*words, seat="amber", program="ssh", **more):
        return subprocess.run(
            server.words(seat, *words, program=program), check=False, capture_output=True, text=True, timeout=30, **more
        )

    marked = save.parent / "was-here"
    done = run("127.0.0.1", f"touch {marked}", stdin=subprocess.DEVNULL)
    assert done.returncode != 0
    assert "terminal" in done.stdout + done.stderr
    assert run("-b", "-", "127.0.0.1", program="sftp", input=f"get {save} x\n").returncode != 0
    assert run(f"127.0.0.1:{save}", str(marked), program="scp").returncode != 0
    assert run("-R", "0:127.0.0.1:1", "-o", "ExitOnForwardFailure=yes", "-N", "127.0.0.1").returncode != 0
    assert not marked.exists()
    os.environ["PBEM_SENDMAIL"] = f"touch {marked};"
    os.environ["TEXTUAL_LOG"] = str(marked)
    try:
        amber = server.sit("amber", "-o", "SendEnv=PBEM_SENDMAIL TEXTUAL_LOG LC_*")
        for key in ("\x03", "\x1a", "\x1c"):
            amber.keys(key, 0.5)
        assert not amber.ended
        amber.kill()
    finally:
        del os.environ["PBEM_SENDMAIL"], os.environ["TEXTUAL_LOG"]
    assert not marked.exists()


@needs_sshd
def test_a_killed_session_is_written_to_by_the_next_run(host, monkeypatch):
    from pbem.mail.scheduler.tick import tick_games

    save, server = host("1630-exchange")
    sitting = {seat: server.sit(seat) for seat in ("amber", "green", "ivory")}
    try:
        ingest([save], [_orders(save, "green", "8: done"), _orders(save, "ivory", "8: done")], now=NOW)
        at = emails(save)
        assert not {"amber", "green", "ivory"} & set(at)
        for pid in sessions(save, "green"):
            os.kill(pid, signal.SIGKILL)
        monkeypatch.setattr(presence, "SILENCE", 8.0)
        assert until(lambda: "green" not in presence.at_table(save))
        tick_games([save.parent], now=NOW)
        assert emails(save) == sorted([*at, "green"])
        assert {"amber", "ivory"} <= presence.at_table(save)
    finally:
        for terminal in sitting.values():
            terminal.kill()


# -- evenings that equal a game by email -----------------------------------------------------------------------------


def journal(path):
    """What a game's journal says, but for the times and the ways."""
    return [(m.n, m.q, m.seat, m.kind, m.answer, m.how) for m in Session.open(path, games.load).moves()]


def by_email(save, given):
    """Answer the same by email, one email at a time."""
    for at, (seat, line) in enumerate(given):
        session = Session.open(save, games.load)
        email = save.with_name(f"{at}.eml")
        email.write_bytes(synthetic_mail.write_email(session, seat, [line], NOW).raw)
        assert ingest([save], [email], now=NOW).counts == {"taken": 1}


def answer_of(session, chance):
    """A seat that is asked, and the line with its answer."""
    referee = session.referee
    seat = chance.choice(referee.waiting())
    value = quiet(referee, seat)
    domain = referee.domain(seat)
    if referee.talk is None and chance.random() < 0.3:
        value = domain.sample(sampler(chance))
    return seat, f"{referee.q}: {domain.text(value)}"


def stored(save, terminals, q, *seats):
    """Read all terminals until the seats' answers to a question are in the save."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        for terminal in terminals.values():
            terminal.read(0.05)
        referee = Session.open(save, games.load).referee
        if referee.over or referee.q > q or not set(seats) & set(referee.waiting()):
            return
    raise AssertionError("\n".join(terminals[seat].text for seat in seats))


def play(save, terminals, answers, chance, turn):
    """Have the terminals answer, so often or to the end of the turn; return the lines."""
    given = []
    while len(given) < answers:
        session = Session.open(save, games.load)
        referee = session.referee
        if referee.over or turn_of(referee) != turn:
            break
        seat, line = answer_of(session, chance)
        terminals[seat].prepare(line)
        terminals[seat].write(SEND)
        stored(save, terminals, referee.q, seat)
        given.append((seat, line))
    return given


EVENINGS = [("1630-exchange", ["amber", "black", "green", "ivory"]), ("is-round", ["britain", "france"])]


@needs_sshd
@pytest.mark.parametrize(("name", "seats"), EVENINGS)
def test_an_evening_to_the_end_of_the_turn(host, name, seats):
    """A line is cut, a session is killed, another is open twice: the journal is that of the same answers by email."""
    save, server = host(name)
    twin = save.parent / "by-email" / save.name
    twin.parent.mkdir()
    shutil.copy(save, twin)
    terminals = {seat: server.sit(seat) for seat in seats}
    chance, turn, windows = Random(3), turn_of(Session.open(save, games.load).referee), []
    try:
        given = play(save, terminals, 4, chance, turn)
        last, other = seats[-1], seats[0]
        assert until(lambda: is_sent(save, last, given))
        terminals[last].kill()  # the line is cut
        assert until(lambda: last not in presence.at_table(save))
        terminals[last] = server.sit(last)
        given += play(save, terminals, 3, chance, turn)
        assert until(lambda: is_sent(save, other, given))
        for pid in sessions(save, other):
            os.kill(pid, signal.SIGKILL)
        terminals[other].kill()
        terminals[other] = server.sit(other)
        given += play(save, terminals, 3, chance, turn)
        # The killed one counts until it falls silent.
        assert until(lambda: presence.TableSession(save, other).others() == 1)
        windows.append(terminals[other])
        terminals[other] = server.sit(other, wide=160, high=48)
        given += play(save, terminals, 99, chance, turn)
        assert turn_of(Session.open(save, games.load).referee) != turn
        assert set(emails(save)) <= {last}  # the one when its line was cut
    finally:
        for terminal in (*terminals.values(), *windows):
            terminal.kill()
    by_email(twin, given)
    assert journal(save) == journal(twin)
    assert until(lambda: not presence.at_table(save))
    assert until(lambda: set(seats) <= set(emails(save)))
    assert [seat for seat in seats if emails(save).count(seat) > 1 + (seat == last)] == []


def is_sent(save, seat, given):
    """Whether no line that was sent is still in the seat's draft, which is kept once a second."""
    file = presence.folder(save) / f"{seat}.drafts"
    text = file.read_text("utf-8") if file.exists() else ""
    return not any(line in text for writer, line in given if writer == seat)


def sessions(save, seat):
    """The processes of a seat's sessions at a table."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = place.read_bytes().split(b"\0")
            if os.fsencode(save) in words and seat.encode() in words and b"live" in words:
                yield int(place.parent.name)


@needs_sshd
def test_answers_in_the_same_moment_all_count(host):
    """Four sealed votes, and the question closes with them; none is lost, none is rejected, nobody gets an email."""
    save, server = host("1630-ballot")
    referee = Session.open(save, games.load).referee
    seats, q = referee.waiting(), referee.q
    terminals = {seat: server.sit(seat) for seat in seats}
    try:
        for seat in seats:
            terminals[seat].prepare(f"{q}: {referee.domain(seat).text(quiet(referee, seat))}")
        for terminal in terminals.values():
            os.write(terminal.handle, SEND.encode())
        stored(save, terminals, q, *seats)
        moves = [move for move in Session.open(save, games.load).moves() if move.q == q]
        assert {move.seat for move in moves} == set(seats)
        assert all(move.via.startswith("table:") for move in moves)
        assert emails(save) == []
    finally:
        for terminal in terminals.values():
            terminal.kill()


# -- the browser -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(bool(chromium.MISSING), reason=chromium.MISSING)
def test_an_evening_in_the_browser(python, game, tmp_path):
    pytest.importorskip("textual_serve", reason="textual-serve is not installed")
    save, port = game("1630-ballot"), free_port()
    url = f"http://127.0.0.1:{port}"
    printed = live(python, save, "--url", url)
    links = dict(re.findall(r"# (\w+)\n.*\n(http\S+)", printed))
    words = [python, "-I", "-m", "pbem", "live", save, "--serve", "--bind", f"127.0.0.1:{port}", "--url", url]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    browser = chromium.launch(tmp_path / "browser")
    try:
        assert until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        chromium.screen(browser, 1200, 800, phone=False)
        browser.execute_cdp_cmd("Network.enable", {})
        browser.get(links["amber"])
        assert until(lambda: "amber" in presence.at_table(save))
        assert until(lambda: browser.title.startswith("●")), browser.title
        amber = browser.current_window_handle
        browser.switch_to.new_window("tab")
        browser.get(links["black"])
        assert until(lambda: presence.at_table(save) == {"amber", "black"})
        fetched = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
        assert fetched
        assert [name for name in fetched if not name.startswith((url, "data:", f"ws://127.0.0.1:{port}"))] == []
        faults = [row["message"] for row in browser.get_log("browser") if row["level"] == "SEVERE"]
        assert faults == []
        browser.refresh()
        assert until(lambda: presence.at_table(save) == {"amber", "black"})
        browser.get(f"{url}/wrong/")
        assert "404" in browser.page_source
        assert until(lambda: presence.at_table(save) == {"amber"})
        browser.close()
        browser.switch_to.window(amber)
        server.kill()  # its sessions notice it
        assert until(lambda: not presence.at_table(save))
        assert until(lambda: browser.find_element("id", "ended").is_displayed())
    finally:
        browser.quit()
        server.kill()
        server.wait()
