"""Emails of a game go through Postfix and Dovecot, and are answered by the mail programs of this machine.

`apt-get install --no-install-recommends postfix dovecot-imapd mutt neomutt s-nail alpine aerc emacs-nox` installs what
they need, `roundcube-core roundcube-sqlite3 php-cli php-sqlite3 chromium chromium-driver` the webmailer. Without the
servers, or one of the programs, its tests are skipped.
"""

from __future__ import annotations

import os
import pwd
import smtplib
import time
from types import SimpleNamespace

import pytest

from pbem.mail.inbox.mime import decode_mail
from pbem.mail.transport.dispatch import dispatch
from pbem.mail.transport.smtp import carrier
from pbem.save import load, load_header
from tests.mail.desks import ballots
from tests.mail.real_programs import NAMES, answer_with, arrived, postfix
from tests.mail.test_mail_was_read import piped
from tests.mail.test_reply_corpus import HOME, QuestionEmail, Table
from tests.mail.ticks import HOUR, hand_over, pass_time, steady
from tests.mail.webmail import webmail

__all__ = ["postfix", "webmail"]  # fixtures
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["question", "reminder"])
def asked(request, postfix, tmp_path_factory, staged, desk_type):
    """A table, and the email to its seat as Postfix delivered it: the question, or the reminder a day later."""
    table = Table(desk_type(tmp_path_factory.mktemp("servers"), staged))
    desk = table.desk
    if request.param == "reminder":
        hand_over(desk)
        desk.due = load_header(desk.save).pending[0].due
        desk.now = desk.due - HOUR
        steady(desk, desk.now)
        pass_time([desk.folder], now=desk.now)
        table.first |= {path.name for path in (desk.folder / "outbox" / "new").iterdir()}
    done = dispatch(desk.folder, carrier(postfix.url), now=desk.now)
    assert len(done.sent) == 4
    mails = arrived(postfix.player, postfix.log, count=len(done.sent))
    (raw,) = (raw for raw in mails if decode_mail(raw).to == (table.letter.to,))
    table.before = desk.save.read_bytes()
    return SimpleNamespace(table=table, letter=QuestionEmail(raw), raw=raw)


def lay_out(asked, postfix, name: str) -> None:
    """Leave the email alone in the player's mailbox, under a name that Dovecot doesn't know; open the game again."""
    for path in (*postfix.player.glob("[nc]*/*"), *postfix.pbem.glob("[nc]*/*")):
        path.unlink()
    path = postfix.player / "new" / name
    path.write_bytes(asked.raw)
    os.chown(path, pwd.getpwnam("mail").pw_uid, -1)
    asked.table.reset()


@pytest.mark.parametrize("mode", ["top", "place", "below"])
@pytest.mark.parametrize("name", NAMES)
def test_what_installed_programs_send_through_real_servers_is_taken(asked, dovecot, postfix, tmp_path, name, mode):
    lay_out(asked, postfix, tmp_path.name)
    raw = answer_with(name, mode, asked.letter.q, asked.letter.to, dovecot, postfix, tmp_path)
    assert decode_mail(raw).to == (HOME,)
    assert asked.table.take(raw) == ("red", True)


@pytest.mark.parametrize("mode", ["top", "place", "below"])
def test_what_a_webmailer_sends_is_taken(asked, dovecot, postfix, webmail, tmp_path, mode):
    lay_out(asked, postfix, tmp_path.name)
    webmail.reply(mode, asked.letter.q)
    (raw,) = arrived(postfix.pbem, postfix.log)
    assert decode_mail(raw).sender == asked.letter.to
    assert asked.table.take(raw) == ("red", True)


def until(done, log) -> None:
    """Wait for an effect of the mail server."""
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end, log.read_text()[-2000:]
        time.sleep(0.1)


def test_postfix_hands_emails_over_and_keeps_those_that_have_to_wait(postfix, desk):
    first, second = list(ballots(desk).values())[:2]
    mail, log = postfix.piped / "mail", postfix.log.read_text

    def hand_in(sent):
        with smtplib.SMTP("127.0.0.1", postfix.port, timeout=30) as server:
            server.sendmail(sent.sender, ["piped@games.example"], sent.raw)
        until(mail.exists, postfix.log)
        status = piped(desk, mail.read_bytes()).exit_code
        mail.unlink()
        (postfix.piped / "status.part").write_text(str(int(status)))
        (postfix.piped / "status.part").rename(postfix.piped / "status")

    hand_in(first)
    until(lambda: "relay=piped" in log() and "status=sent" in log(), postfix.log)
    assert [done.verdict for done in load(desk.save).intake] == ["taken"]
    desk.save.write_bytes(desk.save.read_bytes()[:2000])
    hand_in(second)
    until(lambda: "status=deferred" in log(), postfix.log)
    assert "status=bounced" not in log()
