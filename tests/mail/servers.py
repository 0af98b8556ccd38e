"""Real mail servers on loopback, with and without TLS: aiosmtpd, dovecot, and an authority of our own."""

from __future__ import annotations

import contextlib
import grp
import imaplib
import json
import os
import pwd
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_hex
from types import SimpleNamespace
from urllib.parse import parse_qs

import pytest
import trustme
from aiosmtpd.controller import Controller

DOVECOT = shutil.which("dovecot") or next((p for p in ("/usr/sbin/dovecot",) if Path(p).exists()), "")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# ------------------------------------------------------------------ certificates


class Authority:
    """Who signs our servers' certificates: a good one, one for another host, one that is out of date."""

    def __init__(self, folder: Path) -> None:
        self.ca = trustme.CA()
        self.pem = folder / "ca.pem"
        self.ca.cert_pem.write_to_path(self.pem)
        self.certs = {
            "good": self.ca.issue_cert("127.0.0.1", "localhost"),
            "other": self.ca.issue_cert("mail.example.org"),
            "old": self.ca.issue_cert("127.0.0.1", not_after=datetime(2020, 1, 1, tzinfo=UTC)),
        }

    def server(self, which: str = "good") -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.certs[which].configure_cert(context)
        return context


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


# ------------------------------------------------------------------ SMTP


class Desk25:
    """What a server does with mail: keeps it, or refuses as it is told."""

    def __init__(self) -> None:
        self.mails = []
        self.refuse = {}
        self.refuse_sender = ""
        self.refuse_large = ""
        self.tls = []

    async def handle_MAIL(self, server, session, envelope, address, options):
        if self.refuse_sender:
            return self.refuse_sender
        sizes = [int(option.partition("=")[2]) for option in options if option.upper().startswith("SIZE=")]
        if self.refuse_large and sizes and sizes[0] > 500_000:
            return self.refuse_large
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refuse:
            return self.refuse[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.tls.append(session.ssl is not None)
        self.mails.append((envelope.mail_from, envelope.rcpt_tos, envelope.content))
        return "250 taken"


@contextlib.contextmanager
def smtp_server(**more):
    desk = Desk25()
    server = Controller(desk, hostname="127.0.0.1", port=free_port(), server_hostname="mx.test", **more)
    server.start()
    try:
        yield SimpleNamespace(desk=desk, url=f"smtp://127.0.0.1:{server.port}", port=server.port)
    finally:
        server.stop()


# ------------------------------------------------------------------ IMAP


CONF = """
base_dir = {home}/run
state_dir = {home}/run
log_path = {home}/log
protocols = imap
listen = 127.0.0.1, 127.0.0.2
ssl = yes
ssl_cert = <{home}/cert.pem
ssl_key = <{home}/key.pem
disable_plaintext_auth = no
{people}
mail_location = maildir:{home}/mail
first_valid_uid = 0
first_valid_gid = 0
mail_uid = {uid}
mail_gid = {gid}
auth_mechanisms = plain login xoauth2
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {home}/oauth2.conf
}}
passdb {{
  driver = static
  mechanisms = plain login
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={home}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


OAUTH2 = """
introspection_mode = post
introspection_url = http://127.0.0.1:{port}/
username_attribute = user
active_attribute = active
active_value = yes
"""


class Provider(ThreadingHTTPServer):
    """A server of tokens; those in `good` are in force."""

    good: set[str]


class Introspection(BaseHTTPRequestHandler):
    """What a provider tells Dovecot about a token: whether it is in force, and whose it is."""

    server: Provider

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        token = parse_qs(body)["token"][0]
        said = json.dumps({"active": "yes" if token in self.server.good else "no", "user": "anna"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *words) -> None:
        pass


@pytest.fixture(scope="session")
def provider():
    with Provider(("127.0.0.1", 0), Introspection) as server:
        server.good = set()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="session")
def dovecot(authority, provider):
    """A real IMAP server of this machine, as root or as whoever we are; its maildir, its URL and its password.

    The password is made up, so that nobody logs in to the server of another test run that got the same port.
    """
    if not DOVECOT:
        pytest.skip("no dovecot here: apt-get install dovecot-imapd (.ci/run does, where it can)")
    said = ""
    for _ in range(5):  # a free port may be somebody else's a moment later
        # Not in pytest's folder: the next run that begins closes that to other users, the server's among them.
        home = Path(os.path.realpath(tempfile.mkdtemp(prefix="pbem-dovecot-")))
        found = SimpleNamespace(home=home, mail=home / "mail", port=free_port(), password=token_hex(8))
        conf, tls = _configure(found, authority)
        (home / "oauth2.conf").write_text(OAUTH2.format(port=provider.server_port))
        server = subprocess.Popen([DOVECOT, "-F", "-c", str(conf)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            said = _wait_for(found, server)
            if not said:
                found.url, found.tls = f"imap://anna@127.0.0.1:{found.port}", f"imaps://anna@127.0.0.1:{tls}"
                yield found
                return
        finally:
            server.terminate()
            server.wait(10)
            shutil.rmtree(home, ignore_errors=True)
    pytest.skip(f"dovecot does not start here: {said}")


def _configure(found, authority):
    """Write what a server needs; returns its configuration and its port for TLS."""
    home = found.home
    home.chmod(0o755)
    (home / "run").mkdir()
    for name in ("new", "cur", "tmp"):
        (home / "mail" / name).mkdir(parents=True)
    tls, user = free_port(), pwd.getpwuid(os.getuid())
    authority.certs["good"].private_key_pem.write_to_path(home / "key.pem")
    for number, blob in enumerate(authority.certs["good"].cert_chain_pems):
        blob.write_to_path(home / "cert.pem", append=number > 0)
    people, owner = "", user
    if not user.pw_uid:  # root: the package's own users serve, and mail is not root's
        owner = pwd.getpwnam("mail")
        for place in [home, *(home / "mail").rglob("*"), home / "mail"]:
            os.chown(place, owner.pw_uid, owner.pw_gid)
    else:
        group = grp.getgrgid(user.pw_gid).gr_name
        people = (
            f"default_internal_user = {user.pw_name}\ndefault_login_user = {user.pw_name}\n"
            f"default_internal_group = {group}"
        )
    conf = home / "dovecot.conf"
    ids = {"uid": owner.pw_uid, "gid": owner.pw_gid}
    conf.write_text(CONF.format(home=home, people=people, port=found.port, tls=tls, password=found.password, **ids))
    return conf, tls


def _wait_for(found, server):
    """Wait until the server answers; returns why it does not, "" if it does."""
    for _ in range(100):
        if server.poll() is not None:
            return server.stderr.read().decode()[:300]
        with contextlib.suppress(OSError, imaplib.IMAP4.error):
            link = imaplib.IMAP4("127.0.0.1", found.port, timeout=5)
            link.login("anna", found.password)
            link.logout()
            return ""
        time.sleep(0.1)
    log = (found.home / "log").read_text() if (found.home / "log").exists() else ""
    return log[-500:] or "no answer"


@pytest.fixture
def mailbox(dovecot, monkeypatch):
    """An empty INBOX, and how to put mail into it."""
    monkeypatch.setenv("PBEM_IMAP_PASSWORD", dovecot.password)

    def talk(work):
        link = imaplib.IMAP4("127.0.0.1", dovecot.port, timeout=10)
        link.login("anna", dovecot.password)
        link.select("INBOX")
        try:
            return work(link)
        finally:
            link.logout()

    def clear(link):
        if int(link.select("INBOX")[1][0]):
            link.store("1:*", "+FLAGS", r"(\Deleted)")
            link.expunge()

    talk(clear)

    def put(mails):
        def add(link):
            for mail in mails:
                when = imaplib.Time2Internaldate(mail.at)
                assert link.append("INBOX", "", when, mail.raw)[0] == "OK"

        talk(add)

    def flags():
        return talk(lambda link: [b"Seen" in line for line in link.fetch("1:*", "(FLAGS)")[1] if line])

    return SimpleNamespace(url=dovecot.url, tls=dovecot.tls, password=dovecot.password, put=put, flags=flags, talk=talk)
