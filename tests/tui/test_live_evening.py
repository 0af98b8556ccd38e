"""Evenings at the live table with real programs: sshd with forced commands, Chromium, a cut line, a kill.

Needs openssh-server and pyte, and for the browser textual-serve, Selenium and Chromium; each test skips without.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import sysconfig
import termios
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pbem.mail import presence
from pbem.mail.inbox.ingest import ingest
from pbem.save import load
from pbem.timestamps import moment
from tests import chromium

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


class Terminal:
    """A pseudo-terminal with a program in it, and the screen that its player sees."""

    def __init__(self, words, wide=120, high=36):
        pyte = pytest.importorskip("pyte")
        self.screen = pyte.Screen(wide, high)
        self.stream = pyte.ByteStream(self.screen)
        self.got = 0
        self.ended = False
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execvp(words[0], [str(word) for word in words])
        fcntl.ioctl(self.handle, termios.TIOCSWINSZ, struct.pack("HHHH", high, wide, 0, 0))

    def read(self, seconds):
        end = time.monotonic() + seconds
        while not self.ended and (left := end - time.monotonic()) > 0:
            if select.select([self.handle], [], [], left)[0]:
                try:
                    data = os.read(self.handle, 65536)
                except OSError:
                    data = b""
                self.ended = not data
                self.got += len(data)
                with suppress(Exception):  # pyte doesn't know every sequence
                    self.stream.feed(data)

    @property
    def text(self):
        return "\n".join(self.screen.display)

    def wait(self, *texts, seconds=60):
        """Read until one of the texts is on the screen."""
        end = time.monotonic() + seconds
        while not any(text in self.text for text in texts):
            assert time.monotonic() < end, f"{texts} never came:\n{self.text}"
            assert not self.ended, f"it ended:\n{self.text}"
            self.read(0.2)

    def keys(self, text, wait=1.0):
        os.write(self.handle, text.encode())
        self.read(wait)

    def resize(self, wide, high):
        self.screen.resize(high, wide)
        fcntl.ioctl(self.handle, termios.TIOCSWINSZ, struct.pack("HHHH", high, wide, 0, 0))

    def kill(self, how=signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(self.pid, how)
        self.read(1)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        os.close(self.handle)


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
        end = time.monotonic() + 10
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


def until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.1)
    return holds()


def end_negotiation(terminal):
    """Have nothing more to offer, and send it with what is in the email."""
    terminal.keys("5", 1)
    terminal.wait("w write")
    terminal.keys("d", 2)
    terminal.keys("\x1b[19~", 2)
    terminal.keys("\r", 1)


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
        third.read(8)
        assert third.ended
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
        assert until(lambda: "france" not in presence.at_table(save), 30)
        sitting["france"] = server.sit("france")
        sitting["france"].keys("8", 2)
        sitting["france"].wait("A letter kept")

        for terminal in sitting.values():
            terminal.read(1)
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
    assert until(lambda: not presence.at_table(save), 30)
    assert until(lambda: set(seats) <= set(emails(save)), 30)
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
        for place in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                words = place.read_bytes().split(b"\0")
                if os.fsencode(save) in words and b"green" in words and b"live" in words:
                    os.kill(int(place.parent.name), signal.SIGKILL)
        monkeypatch.setattr(presence, "SILENCE", 8.0)
        assert until(lambda: "green" not in presence.at_table(save), 30)
        tick_games([save.parent], now=NOW)
        assert emails(save) == sorted([*at, "green"])
        assert {"amber", "ivory"} <= presence.at_table(save)
    finally:
        for terminal in sitting.values():
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
        assert until(lambda: presence.at_table(save) == {"amber"}, 20)
        browser.close()
        browser.switch_to.window(amber)
        server.kill()  # its sessions notice it
        assert until(lambda: not presence.at_table(save), 30)
        assert until(lambda: browser.find_element("id", "ended").is_displayed(), 10)
    finally:
        browser.quit()
        server.kill()
        server.wait()
