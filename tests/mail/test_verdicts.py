"""What our mail host says of a letter (Authentication-Results, RFC 8601), and for which game it is believed."""

from __future__ import annotations

import re
import sys
from random import Random

import msgspec
import pytest

import games
from pbem.dev import synthetic_mail
from pbem.mail.inbox import authenticate
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.quarantine import Quarantine
from pbem.mail.save_index import code_of
from pbem.save import load
from tests.mail.desks import ballots, fates, opened


def test_a_failure_that_our_host_stamped_counts_and_one_that_came_along_does_not(desk):
    seat, mail = next(iter(ballots(desk).items()))
    ours = b"Authentication-Results: mx.ours.example; dmarc=fail\r\n"
    theirs = b"Authentication-Results: mx.evil.example; dmarc=fail\r\n"
    forged = msgspec.structs.replace(mail, raw=ours + mail.raw)
    assert desk.ingest(desk.box([forged]), authserv="mx.ours.example").emails[0].fate == "quarantined"
    mail = synthetic_mail.write_email(
        opened(desk), seat, synthetic_mail.answers(opened(desk), Random(3))[seat], desk.now, number=1
    )
    honest = msgspec.structs.replace(mail, raw=theirs + mail.raw)
    assert fates(desk.ingest(desk.box([honest], "2.mbox"), authserv="mx.ours.example")) == [(seat, "taken")]


@pytest.mark.parametrize(
    ("fields", "fate"),
    [
        (["{ours}; dkim=pass", "{ours}; spf=pass", "{ours}; dmarc=fail"], "quarantined"),
        (["{ours}; dmarc=pass", "{ours}; dmarc=fail"], "quarantined"),
        (["{ours}; spf=fail; dkim=none", "{ours}; dkim=pass"], "quarantined"),
        (["{theirs}; dmarc=pass", "{ours}; dmarc=fail"], "quarantined"),
        (["{ours}; dmarc=none; spf=fail", "{ours}; dmarc=pass"], "quarantined"),
        (["{ours}; spf=fail", "{ours}; dkim=pass"], "taken"),
        (["{ours}; dkim=fail (expired); dkim=pass; spf=softfail", "{ours}; dmarc=none"], "taken"),
        (["{theirs}; dmarc=fail", "{ours}; dmarc=pass"], "taken"),
        (["{theirs}; dmarc=fail"], "taken"),
    ],
)
def test_all_fields_of_our_host_count_and_the_worst_decides(desk, fields, fate):
    mail = next(iter(ballots(desk).values()))
    names = {"ours": "mx.ours.example", "theirs": "mx.evil.example"}
    head = "".join(f"Authentication-Results: {field.format(**names)}\r\n" for field in fields)
    stamped = msgspec.structs.replace(mail, raw=head.encode() + mail.raw)
    report = desk.ingest(desk.box([stamped]), authserv="mx.ours.example")
    assert [letter.fate for letter in report.emails] == [fate]


HOST = "mx.ours.example"
FORGED = {
    "method with a version": "{h}; dmarc/1=fail header.from={d}",
    "method with a version and blanks": "{h}; dmarc / 1 = fail header.from={d}",
    "field with a version": "{h} 1; dmarc=fail header.from={d}",
    "host in quotes": '"{h}"; dmarc=fail',
    "host in quotes with an escaped sign": '"mx\\.ours.example"; dmarc=fail',
    "host in capitals, with the dot of the root": "MX.OURS.EXAMPLE.; DMARC=FAIL",
    "comment before the host": "(checked) {h}; dmarc=fail",
    "comment right behind the host": "{h}(checked); dmarc=fail",
    "comment with a semicolon": "{h} (a;b) 1; dmarc=fail",
    "comment with a quote": '{h} (5" disk); dmarc=fail reason="x"',
    "comments within comments": "{h}; dmarc (a (b (c)) d) = (p=reject) fail",
    "folded": "{h};\r\n dmarc\r\n\t=\r\n fail",
    "pass in a reason": '{h}; spf=fail reason="no dkim=pass there"; dkim=fail',
    "pass after a semicolon in a reason": '{h}; spf=fail reason="x; dkim=pass"; dkim=fail',
    "pass in the envelope sender": '{h}; spf=fail smtp.mailfrom="; dkim=pass"@evil.example; dkim=fail',
    "pass in nested comments": "{h}; spf=fail (see (there) ; dkim=pass) smtp.mailfrom={d}; dkim=fail",
    "pass behind an escaped bracket": "{h}; spf=fail (a \\) ; dkim=pass ); dkim=fail",
    "pass as a property": "{h}; spf=fail x.dkim=pass; dkim=fail",
    "signed by another domain": "{h}; spf=fail; dkim=pass header.d=evil.example",
    "signed by another domain, in quotes": '{h}; spf=fail; dkim=pass header . d = "evil.example"',
    "signed for another address": "{h}; spf=fail; dkim=pass header.i=@evil.example header.s=a",
    "the sender's domain only in a reason": '{h}; spf=fail; dkim=pass reason="header.d={d}" header.d=evil.example',
    "signed by a domain that ends alike": "{h}; spf=fail; dkim=pass header.d=evil{d}",
    "signed by a domain of the highest level": "{h}; spf=fail; dkim=pass header.d=org",
    "a bracket that does not close": "{h}; spf=pass (a; dmarc=fail header.from={d}",
    "a quote that does not close": '{h}; spf=pass smtp.mailfrom="a@b; dmarc=fail',
}
GENUINE = {
    "a failure in a comment": "{h}; dmarc=pass (not (dmarc=fail) this time)",
    "a failure in a reason": '{h}; dmarc=pass reason="dmarc=fail elsewhere"',
    "a failure of a host whose name begins alike": "{h}.evil.example; dmarc=fail",
    "a failure of a host whose name ends alike": "x{h}; dmarc=fail",
    "nothing": "{h}; none",
    "another method": "{h}; arc=fail; x-dmarc=fail; dmarc=pass",
    "one of two signatures": "{h}; dmarc=none; spf=fail; dkim=fail header.d=list.example; dkim=pass header.d={d}",
    "signed by the domain above": "{h}; spf=fail; dkim=pass header.i=@{d} header.d={d}",
    "Exchange": "{h}; spf=fail (sender IP is 192.0.2.1) smtp.mailfrom={d}; dkim=pass (signature was verified) "
    "header.d={d};dmarc=pass action=none header.from={d};compauth=pass reason=100",
}


@pytest.mark.parametrize(
    ("field", "fate"),
    [(field, "quarantined") for field in FORGED.values()] + [(field, "taken") for field in GENUINE.values()],
    ids=[*FORGED, *GENUINE],
)
def test_every_valid_form_of_a_verdict_is_read(desk, field, fate):
    seat, mail = next(iter(ballots(desk).items()))
    domain = opened(desk).save.seat(seat).addresses[0].rpartition("@")[2]
    head = f"Authentication-Results: {field.format(h=HOST, d=domain)}\r\n"
    report = desk.ingest(desk.box([msgspec.structs.replace(mail, raw=head.encode() + mail.raw)]), authserv=HOST)
    assert [letter.fate for letter in report.emails] == [fate]


def steps(work, *args):
    """How many lines of Python a call runs through."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(*args)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("tail", ["(", '"', "dkim=pass ", '\\"', "- ", "a.", "=;", "header.d=x "])
def test_a_hostile_verdict_costs_what_its_length_costs(tail):
    field = f"{HOST}; dmarc=fail {tail * 1001}"
    short, long = (steps(authenticate._results.__wrapped__, field + tail * more, "a.example") for more in (0, 1000))
    assert short < long < 2.1 * short


def test_what_one_game_took_is_not_taken_again_when_the_moderator_releases_it_for_another(desk):
    """One email to two games, of which one trusts a host that says it is forged."""
    session = opened(desk)
    name = session.save.header.name
    other = synthetic_mail.new_game(desk.folder / "other.toml", games.load("sixteen_thirty"), 4)
    other.save.post.trusted = HOST
    other.save.seat("amber").addresses = session.save.seat("amber").addresses
    other.commit()
    code = code_of(session.save, "amber")
    press = ["BEGIN PRESS to=all", "Hello.", "END PRESS", "END ORDERS"]
    rows = [f"BEGIN ORDERS {name} amber {code}", *press]
    rows += [f"BEGIN ORDERS {other.save.header.name} amber {code_of(other.save, 'amber')}", *press]
    (address,) = session.save.seat("amber").addresses
    head = f"Authentication-Results: {HOST}; dmarc=fail\nFrom: {address}\nMessage-ID: <1@x>\nSubject: x\n\n"
    (desk.folder / "1.eml").write_text(head + "\n".join(rows) + "\n")
    report = desk.ingest(desk.folder / "1.eml")
    assert sorted(letter.fate for letter in report.emails) == ["quarantined", "taken"]
    run = InboxRun([desk.folder], now=desk.now)
    run.release(Quarantine(desk.folder / "quarantine").listed()[0].id)
    assert [(letter.game, letter.fate) for letter in run.finish().emails] == [(other.save.header.name, "taken")]
    assert [len(load(desk.folder / file).press) for file in ("ballot.toml", "other.toml")] == [1, 1]


@pytest.mark.parametrize(("mine", "others", "fate"), [(HOST, "", "quarantined"), ("", HOST, "taken")])
@pytest.mark.parametrize("first", ["a.toml", "z.toml"])
def test_each_game_trusts_a_host_of_its_own(desk, mine, others, fate, first):
    mail = next(iter(ballots(desk).values()))
    session = opened(desk)
    session.save.post.trusted = mine
    session.commit()
    other = desk.save.read_text("utf-8").replace('name = "ballot"', 'name = "other"', 1)
    other = re.sub(r'(?m)^trusted = ".*"$', f'trusted = "{others}"', other)
    assert f'trusted = "{others}"' in other
    (desk.folder / first).write_text(other, "utf-8")
    raw = f"Authentication-Results: {HOST}; dmarc=fail\r\n".encode() + mail.raw
    report = desk.ingest(desk.box([msgspec.structs.replace(mail, raw=raw)]))
    assert [letter.fate for letter in report.emails] == [fate]
