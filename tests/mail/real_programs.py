"""Real mail programs that answer an email: read by IMAP from Dovecot, sent by SMTP through Postfix, both on loopback.

The programs run in their default settings, at a terminal of ours: only the account and the editor are set.
"""

from __future__ import annotations

import contextlib
import os
import pty
import pwd
import select
import shutil
import signal
import smtplib
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.mail.servers import free_port

MASTER = next((p for p in ("/usr/lib/postfix/sbin/master", "/usr/libexec/postfix/master") if Path(p).exists()), "")
_LONGEST = 30
"""Seconds until a program that waits for keys is given up."""

MAIN = """\
compatibility_level = 3.6
queue_directory = {home}/queue
data_directory = {home}/data
daemon_directory = {programs}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.games.example
mydestination =
virtual_mailbox_domains = static:all
virtual_mailbox_base = /
virtual_mailbox_maps = inline:{{ {{ pbem@games.example = {pbem}/ }} }}, static:{player}/
transport_maps = inline:{{ {{ piped@games.example = piped: }} }}
virtual_minimum_uid = 1
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
maillog_file = {home}/log
maillog_file_prefixes = /
alias_maps =
"""
SERVICES = """\
127.0.0.1:{port} inet n - n - - smtpd
postlog unix-dgram n - n - 1 postlogd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
virtual unix - n n - - virtual
piped unix - n n - - pipe flags=Rq user=mail argv=/bin/sh {home}/hand.sh
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
"""


HAND = """\
cat > {home}/piped/mail.part && mv {home}/piped/mail.part {home}/piped/mail
until status=$(cat {home}/piped/status 2>&-); do sleep 0.1; done
rm {home}/piped/status
exit $status
"""
"""The user of a mail server can't start the tests' Python: the email goes to them, and their status comes back."""


@pytest.fixture(scope="module")
def postfix(dovecot):
    """A real SMTP server: mail to games.example goes to `pbem`, a Maildir, mail to players to Dovecot's."""
    if not MASTER or os.getuid():
        pytest.skip("needs Postfix, and root to start it: apt-get install --no-install-recommends postfix")
    # Not in pytest's folder, which only its own user may enter.
    home = Path(os.path.realpath(tempfile.mkdtemp(prefix="pbem-postfix-")))
    home.chmod(0o755)
    owner, mail = pwd.getpwnam("postfix"), pwd.getpwnam("mail")
    for name in ("queue", "etc", "data", "pbem", "piped"):
        (home / name).mkdir()
    queues = ("active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "maildrop", "private",
              "public", "saved", "trace")  # fmt: skip
    for name in queues:
        (home / "queue" / name).mkdir(mode=0o710 if name == "public" else 0o700)
        os.chown(home / "queue" / name, owner.pw_uid, -1)
    (home / "queue" / "pid").mkdir()
    os.chown(home / "data", owner.pw_uid, -1)
    for name in ("pbem", "piped"):
        os.chown(home / name, mail.pw_uid, mail.pw_gid)
    (home / "hand.sh").write_text(HAND.format(home=home))
    words = {"home": home, "programs": Path(MASTER).parent, "pbem": home / "pbem", "player": dovecot.mail,
             "port": free_port(), "uid": mail.pw_uid, "gid": mail.pw_gid}  # fmt: skip
    (home / "etc" / "main.cf").write_text(MAIN.format(**words))
    (home / "etc" / "master.cf").write_text(SERVICES.format(**words))
    server = subprocess.Popen([MASTER, "-c", str(home / "etc"), "-d"], stderr=subprocess.PIPE)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), smtplib.SMTP("127.0.0.1", words["port"], timeout=5):
                break
            time.sleep(0.1)
        yield SimpleNamespace(url=f"smtp://127.0.0.1:{words['port']}", port=words["port"], pbem=home / "pbem",
                              piped=home / "piped", player=dovecot.mail, log=home / "log")  # fmt: skip
    finally:
        server.terminate()
        server.wait(10)
        shutil.rmtree(home, ignore_errors=True)


def arrived(box: Path, log: Path, count: int = 1) -> list[bytes]:
    """Wait for messages in a Maildir, and take them out."""
    end = time.monotonic() + _LONGEST
    while len(found := list(box.glob("new/*"))) < count:
        if time.monotonic() > end:
            raise AssertionError(f"nothing came: {log.read_text()[-2000:] if log.exists() else 'no log'}")
        time.sleep(0.1)
    mails = [path.read_bytes() for path in found]
    for path in found:
        path.unlink()
    return mails


EDIT = """\
import sys, pathlib
mode, q, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
text = path.read_text("utf-8", "replace")
if mode == "top":
    gap = "--text follows this line--\\n" if "--text follows this line--" in text else "\\n\\n"
    head, gap, body = text.partition(gap) if text.startswith(("From:", "To:", "Subject:")) else ("", "", text)
    text = head + gap + "red\\n\\n" + body
elif mode == "below":
    text = text.rstrip("\\n") + "\\n\\nred\\n"
else:
    assert q + ": ?" in text, text
    text = text.replace(q + ": ?", q + ": red", 1)
path.write_text(text, "utf-8")
"""
_MUTT = """\
set folder="imap://anna@127.0.0.1:{imap}/" spoolfile="+INBOX" imap_user=anna imap_pass={password}
set ssl_starttls=no ssl_force_tls=no smtp_url="smtp://127.0.0.1:{smtp}/" certificate_file="{folder}/cert"
set from="{address}" realname="Anna" use_from=yes editor="{folder}/edit"
set fast_reply=yes include=yes copy=no record="" move=no delete=no wait_key=no quit=yes
push "<reply><send-message><quit>"
"""
_NAIL = """\
set v15-compat from="Anna <{address}>" mta=smtp://127.0.0.1:{smtp} smtp-auth=none imap-auth=login
set dot
set hostname=example.org quote editor={folder}/edit VISUAL={folder}/edit smtp-hostname=""
"""
_ALPINE = """\
personal-name=Anna
user-domain=example.org
customized-hdrs=From: Anna <{address}>
smtp-server=127.0.0.1:{smtp}/novalidate-cert/notls
inbox-path={{127.0.0.1:{imap}/imap/user=anna/novalidate-cert/notls}}INBOX
default-fcc=""
editor={folder}/edit
feature-list=enable-alternate-editor-implicitly,enable-alternate-editor-cmd,quit-without-confirm,
    include-text-in-reply,allow-changing-from,no-save-will-advance,suppress-user-agent-when-sending
last-version-used=7.00
last-time-prune-questioned=126.11
"""
_AERC_ACCOUNT = """\
[anna]
source = imap+insecure://anna:{password}@127.0.0.1:{imap}
outgoing = smtp+none://127.0.0.1:{smtp}
smtp-starttls = no
default = INBOX
from = Anna <{address}>
"""
_GNUS = """\
(setq user-full-name "Anna" user-mail-address "{address}" mail-host-address "example.org"
      gnus-home-directory "{folder}/" gnus-startup-file "{folder}/newsrc" message-directory "{folder}/"
      network-security-level 'low nsm-settings-file "{folder}/nsm"
      auth-sources '("{folder}/authinfo") gnus-select-method '(nnnil)
      message-send-mail-function 'message-smtpmail-send-it smtpmail-smtp-server "127.0.0.1"
      smtpmail-smtp-service {smtp} smtpmail-stream-type nil message-auto-save-directory nil
      gnus-message-highlight-citation nil shr-use-fonts nil)
(require 'gnus) (require 'gnus-msg) (require 'smtpmail)
(gnus-no-server)
(gnus-group-read-ephemeral-group
 "INBOX" '(nnimap "play" (nnimap-address "127.0.0.1") (nnimap-server-port {imap}) (nnimap-stream network)
                  (nnimap-user "anna")))
(set-buffer (seq-find (lambda (b) (string-prefix-p "*Summary" (buffer-name b))) (buffer-list)))
(gnus-summary-select-article nil t)
(gnus-summary-reply-with-original 1)
(write-region (point-min) (point-max) "{folder}/draft")
(call-process "{folder}/edit" nil nil nil "{folder}/draft")
(erase-buffer)
(insert-file-contents "{folder}/draft")
(message-send)
"""


class Terminal:
    """A program at a terminal: its output is read, and keys are sent when a text has appeared."""

    def __init__(self, argv: list[str], folder: Path, env: dict[str, str]) -> None:
        self.shown = b""
        self.child, self.master = pty.fork()
        if not self.child:
            os.chdir(folder)
            os.execvpe(argv[0], argv, env)

    def wait(self, text: bytes, done=lambda: False) -> bool:
        """Read until a text appears; return whether it did before `done` or the end of the program."""
        end = time.monotonic() + _LONGEST
        while time.monotonic() < end and not done():
            if text and text in self.shown:
                self.shown = self.shown.partition(text)[2]
                return True
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self.master, 1 << 16)
                except OSError:
                    return False
        return False

    def press(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.master)


NAMES = ("mutt", "neomutt", "s-nail", "alpine", "aerc", "emacs")
STEPS = {
    "alpine": [
        (b"PASSWORD", "{password}\r"), (b"Preserve password", "n"), (b"[ballot]", "r"), (b"Reply to all", "n"),
        (b"editor done", "\x18"), (b"Send message", "y"),
    ],
    "aerc": [(b"[ballot]", "Rq"), (b"Send this email?", "y")],
}  # fmt: skip
"""What is typed, each after its text has appeared; the others type nothing, or get their keys at the start."""


def _argv(name: str, folder: Path, words: dict[str, object]) -> list[str]:
    """Write the settings of a program; return its command line."""
    files = {
        "mutt": {"rc": _MUTT}, "neomutt": {"rc": _MUTT}, "s-nail": {"rc": _NAIL}, "alpine": {"rc": _ALPINE},
        "aerc": {".config/aerc/accounts.conf": _AERC_ACCOUNT},
        "emacs": {"gnus.el": _GNUS, "authinfo": "machine 127.0.0.1 login anna password {password}\n"},
    }[name]  # fmt: skip
    for file, text in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text.format(**words, folder=folder), "utf-8")
        (folder / file).chmod(0o600)
    box = f"imap://anna:{words['password']}@127.0.0.1:{words['imap']}/INBOX"
    return {
        "mutt": ["mutt", "-n", "-F", "rc"],
        "neomutt": ["neomutt", "-n", "-F", "rc"],
        "s-nail": ["s-nail", "-n", "-#", "-f", box],
        "alpine": ["alpine", "-p", "rc", "-i"],
        "aerc": ["aerc"],
        "emacs": ["emacs", "-Q", "--batch", "-l", "gnus.el"],
    }[name]


def answer_with(name: str, mode: str, q: int, address: str, dovecot, postfix, folder: Path) -> bytes:
    """Let a program answer the email in the player's mailbox; return what arrives at the game's address."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    words = {"imap": dovecot.port, "smtp": postfix.port, "password": dovecot.password, "address": address}
    (folder / "edit.py").write_text(EDIT, "utf-8")
    (folder / "edit").write_text(f'#!/bin/sh\nexec {sys.executable} {folder}/edit.py {mode} {q} "$1"\n', "utf-8")
    (folder / "edit").chmod(0o700)
    argv = _argv(name, folder, words)
    env = {**os.environ, "HOME": str(folder), "TERM": "xterm", "LANG": "C.UTF-8", "MAILRC": str(folder / "rc"),
           "EDITOR": str(folder / "edit"), "XDG_CONFIG_HOME": str(folder / ".config"),
           "LINES": "40", "COLUMNS": "120"}  # fmt: skip
    if name == "s-nail":
        told = b"reply 1\n~e\n.\nquit\n"
        subprocess.run(argv, input=told, cwd=folder, env=env, timeout=_LONGEST, check=False)
        return arrived(postfix.pbem, postfix.log)[0]
    here = Terminal(argv, folder, env)
    try:
        for text, typed in STEPS.get(name, []):
            if not here.wait(text):
                raise AssertionError(f"{name} did not show {text!r}: {here.shown[-3000:]!r}")
            here.press(typed.format(**words).encode())
        here.wait(b"", lambda: any(postfix.pbem.glob("new/*")))
        if not any(postfix.pbem.glob("new/*")):
            raise AssertionError(f"{name} sent nothing: {here.shown[-3000:].decode(errors='replace')}")
        return arrived(postfix.pbem, postfix.log)[0]
    finally:
        here.close()
