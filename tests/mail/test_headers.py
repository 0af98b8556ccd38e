"""Header fields: who wrote a mail, addresses, ids, and the signs of automation."""

import base64

import pytest

from pbem.mail.headers import decode_words, parse_address, parse_addresses, parse_message_ids, parse_parameters
from pbem.mail.inbox.mime import decode_mail
from tests.mail.mails import JAPANESE, plain


@pytest.mark.parametrize(
    ("value", "sender", "problem"),
    [
        ("anna@example.org", "anna@example.org", ""),
        ("Anna <anna@example.org>", "anna@example.org", ""),
        ("anna@example.org (Anna)", "anna@example.org", ""),
        ("Doe, Anna <anna@example.org>", "anna@example.org", ""),
        ('"bob@x.example" <anna@example.org>', "anna@example.org", ""),
        ("bob@x.example <anna@example.org>", "anna@example.org", ""),
        ("=?utf-8?q?bob=40x=2Eexample?= <anna@example.org>", "anna@example.org", ""),
        ("Anna <ANNA@EXAMPLE.ORG>", "anna@example.org", ""),
        ("anna@example.org, bob@x.example", None, "many_senders"),
        ("anna@example.org, <bob@@x>", None, "bad_sender"),
        ("<anna@example.org> bob@x.example", None, "bad_sender"),
        ("<anna@example.org><bob@x.example>", None, "bad_sender"),
        ("anna@example.org)bob@x.example", None, "bad_sender"),
        ('"anna@example.org"', None, "bad_sender"),
        ("=?utf-8?q?anna=40example=2Eorg?=", None, "bad_sender"),
        ("<@route,@b:anna@example.org>", None, "bad_sender"),
        ("<anna@example.org", None, "bad_sender"),
        ("an\u200bna@example.org", None, "bad_sender"),
        ("", None, "bad_sender"),
        ("undisclosed-recipients:;", None, "bad_sender"),
    ],
)
def test_sender(value, sender, problem):
    letter = decode_mail(b"From: " + value.encode() + b"\n\n57: pass")
    assert letter.sender == sender
    assert letter.problems == ((problem,) if problem else ())


def test_two_from_fields_name_nobody():
    letter = decode_mail(b"From: a@b.example\nFrom: c@d.example\n\nx")
    assert (letter.sender, letter.problems) == (None, ("many_senders",))


def test_look_alikes_are_never_folded_together():
    assert parse_address("Kate@x.example") == "kate@x.example"
    assert parse_address("\u212aate@x.example") == "\u212aate@x.example"  # KELVIN SIGN, whose lower case is k
    assert parse_address("a b@x") is None
    assert parse_address("a@b@c") is None
    assert parse_address("a@b..c") is None


def test_address_lists():
    found, sound = parse_addresses('Team: "A, B" <a@x.example>, c@x.example; (note \\) (inner)) d@x.example')
    assert found == [("A, B", "a@x.example"), ("", "c@x.example"), ("note ) (inner)", "d@x.example")]
    assert sound
    assert parse_addresses('"x@y" <a@x.example>')[0] == [("x@y", "a@x.example")]


def test_header_injection_stays_one_line():
    letter = decode_mail(
        b"From: =?utf-8?q?A=0D=0ABcc=3A_x=40y=00?= <a@b.example>\nSubject: =?utf-8?b?"
        + base64.b64encode("x\r\nBcc: evil@y\u202e\x1b[2J".encode())
        + b"?=\nMessage-ID: <a\x0bb@c>\nReferences: <ok@x> <b\x01d@x>\n\nx"
    )
    assert letter.sender_name == "A Bcc: x@y"
    assert letter.subject == "x Bcc: evil@y"
    assert letter.message_id is None
    assert letter.references == ("<ok@x>",)


def test_encoded_words():
    assert decode_words("=?utf-8?q?a_b?= =?utf-8?q?c?= d") == "a bc d"
    euro = base64.b64encode("€".encode())
    assert decode_words(f"=?utf-8?b?{base64.b64encode('日'.encode()[:2]).decode()}?= =?utf-8?q?=A5?=") == "日"
    assert decode_words(f"=?utf-8*de?b?{euro.decode()}?=") == "€"
    assert (
        decode_words("=?iso-2022-jp?b?" + base64.b64encode(JAPANESE.encode("iso2022_jp")).decode() + "?=") == JAPANESE
    )
    assert decode_words("=?nope?x?a?= =?utf-8?b?!!!?=") == "=?nope?x?a?="


def test_parameters():
    assert parse_parameters('Text/Plain; Charset="utf-8" ; format=flowed') == (
        "text/plain",
        {"charset": "utf-8", "format": "flowed"},
    )
    _, found = parse_parameters("attachment; filename*0*=utf-8''%e2%82; filename*1*=%ac; filename*2=.txt")
    assert found == {"filename": "€.txt"}
    assert parse_parameters('a/b; name="x;y\\"z"; q="open')[1] == {"name": 'x;y"z', "q": "open"}


def test_message_ids():
    assert parse_message_ids("<a@b> (comment) <c@d>") == ("<a@b>", "<c@d>")
    assert parse_message_ids("naked@id") == ("<naked@id>",)
    assert parse_message_ids(None) == ()


# ------------------------------------------------------------------ automatic mail


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Auto-Submitted: auto-replied (vacation)", "auto-submitted"),
        ("Auto-Submitted: No", ""),
        ("Precedence: bulk", "precedence"),
        ("Precedence: junk", "precedence"),
        ("Precedence: list", "precedence"),
        ("Precedence: first-class", ""),
        ("Precedence: auto_reply", "autoreply"),
        ("List-Id: <x.example>", "list"),
        ("Return-Path: <>", "bounce"),
        ("Return-Path: <a@b.example>", ""),
        ("X-Autoreply: yes", "autoreply"),
        ("Content-Type: multipart/report; boundary=b", "report"),
        ("Content-Type: text/calendar; method=REPLY", "calendar"),
    ],
)
def test_signs_of_automation(line, reason):
    assert plain(b"--b\n\nx\n--b--\n", line).automatic == reason


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ("Automatic reply: turn 3", "subject"),
        ("Out of office", "subject"),
        ("自動返信：ターン3", "subject"),
        ("Re: out of office", ""),
        ("Out of office today but here are my orders", ""),
    ],
)
def test_subjects_of_automatic_mail(subject, reason):
    assert decode_mail(f"From: a@b.example\nSubject: {subject}\n\nx".encode()).automatic == reason


def test_bounces_of_daemons():
    assert decode_mail(b"From: MAILER-DAEMON@mx.example\n\nx").automatic == "bounce"
