"""Decoding mail: character sets, structure, signs of automation, hostile input."""

import time
from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.inbox.body_text import clean_line, clean_text, unflow
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.stages import OrderFile
from tests.mail.mails import HEAD, plain, typed

# ------------------------------------------------------------------ ordinary letters


def test_all_fields_of_an_ordinary_letter():
    letter = decode_mail(
        b"Return-Path: <anna@example.org>\r\n"
        b"Authentication-Results: mx.ours.example; dkim=pass\r\n\theader.d=example.org\r\n"
        b"Received: from a by b; Tue, 1 Jul 2025 10:00:01 +0900\r\n"
        b"Received: from c by a; Mon, 1 Jan 2001 00:00:00 +0000\r\n"
        b"Authentication-Results: evil.example; dkim=pass\r\n"
        b'From: "Lastname, Anna" <Anna@Example.ORG>\r\n'
        b"To: pbem@ours.example, Bob <BOB@x.example>\r\nCc: bob@X.example, carl@x.example\r\n"
        b"Reply-To: anna@home.example\r\nDate: Tue, 1 Jul 2025 10:00:00 +0900\r\n"
        b"Subject: =?utf-8?q?Z=C3=BCge?= turn 3\r\nMessage-ID: <abc@example.org>\r\n"
        b"In-Reply-To: <p1@ours.example>\r\nReferences: <p0@ours.example>\r\n <p1@ours.example>\r\n"
        b"\r\nBEGIN ORDERS vq-07 spain 3f9c\r\n57: pass\r\nEND ORDERS\r\n"
    )
    assert letter.sender == "anna@example.org"
    assert letter.sender_name == "Lastname, Anna"
    assert letter.to == ("pbem@ours.example", "bob@x.example", "carl@x.example")
    assert letter.reply_to == "anna@home.example"
    assert letter.subject == "Züge turn 3"
    assert letter.date == "Tue, 1 Jul 2025 10:00:00 +0900"
    assert letter.received == "Tue, 1 Jul 2025 10:00:01 +0900"
    assert letter.message_id == "<abc@example.org>"
    assert letter.in_reply_to == "<p1@ours.example>"
    assert letter.references == ("<p0@ours.example>", "<p1@ours.example>")
    assert letter.auth_results == ("mx.ours.example; dkim=pass header.d=example.org", "evil.example; dkim=pass")
    assert letter.text == "BEGIN ORDERS vq-07 spain 3f9c\n57: pass\nEND ORDERS\n"
    assert letter.automatic == ""
    assert letter.problems == ()


def test_quotes_and_signatures_stay():
    assert plain(b"> 57: pass\n-- \nAnna\n").text == "> 57: pass\n-- \nAnna\n"


def test_line_ends_do_not_change_the_hash():
    unix, windows, mac = (plain(b"57: pass\nx\n".replace(b"\n", end)) for end in (b"\n", b"\r\n", b"\r"))
    assert unix.text == windows.text == mac.text
    assert unix.body_hash == windows.body_hash == mac.body_hash != plain(b"57: play\nx\n").body_hash


def test_a_saved_mbox_line_and_a_byte_order_mark_are_passed_over():
    assert decode_mail(b"From anna@x Tue Jul  1 10:00:00 2025\n" + HEAD + b"\nx").sender == "anna@example.org"
    assert decode_mail(b"\xef\xbb\xbf" + HEAD + b"\nx").problems == ()


# ------------------------------------------------------------------ clean text


def test_control_escape_and_invisible_characters_are_removed():
    dirty = "\x1b[31mred\x1b[0m \x1b]0;title\x07a\u202eb\u200bc\ufeffd\x9b1me\x00f\x7fg\u00adh\U000e0041"
    assert clean_text(dirty) == "red abcdefgh"
    assert clean_text("a\u00a0b\u2009c\u3000d\te") == "a b c\u3000d\te"
    assert clean_text("a\u2028b\x0cc\x85d\r\ne") == "a\nb\nc\nd\ne"
    assert clean_text("\x1b]unclosed") == "unclosed"
    assert clean_text("か\u3099") == "が"
    assert clean_text("\ud800x") == "\ufffdx"


@given(st.text(st.characters(exclude_categories=())))
def test_cleaning_is_idempotent_and_safe(text):
    clean = clean_text(text)
    assert clean_text(clean) == clean
    clean.encode("utf-8")
    assert not any(char < " " and char not in "\n\t" for char in clean)
    assert "\n" not in clean_line(text)


def test_endless_combining_marks_cost_nothing():
    start = time.perf_counter()
    assert len(clean_text("a" + "\u0301\u0323" * 400_000)) < 40
    assert time.perf_counter() - start < 5


def test_flowed_text_is_joined():
    letter = typed(
        b"move vienna \npressburg\n> quoted \n> text\nnext\n-- \nAnna\n", "text/plain; charset=us-ascii; format=flowed"
    )
    assert letter.text == "move vienna pressburg\n> quoted text\nnext\n-- \nAnna\n"


def test_flowed_rules():
    assert unflow("東京 \n都", delsp=True) == "東京都"
    assert unflow(" From here\n >no quote") == "From here\n>no quote"
    assert unflow("> a \n>> b") == "> a \n>> b"
    assert unflow("open ") == "open "
    assert unflow("nbsp\u00a0\nstays") == "nbsp\u00a0\nstays"


def test_a_no_break_space_never_joins_lines():
    assert typed("pass\u00a0\nmove".encode(), "text/plain; charset=utf-8; format=flowed").text == "pass \nmove"


# ------------------------------------------------------------------ structure


def test_alternative_takes_the_plain_text():
    mail = EmailMessage()
    mail["From"] = "a@b.example"
    mail.set_content("57: pass\n")
    mail.add_alternative("<p>57: play</p>", subtype="html")
    letter = decode_mail(mail.as_bytes())
    assert (letter.text, letter.problems) == ("57: pass\n", ())


def test_html_alone_is_read_as_its_text_whatever_surrounds_it():
    """A page alone is read, and marked as one: only what stands by itself in it can be an answer (replies)."""
    outer = MIMEMultipart("alternative")
    outer.attach(MIMEText(" \n", "plain"))
    outer.attach(MIMEText("<p>x</p>", "html"))
    letter = decode_mail(HEAD + outer.as_bytes())
    assert letter.problems == ("html_only",)
    assert letter.text.strip() == "x"


def test_nested_multiparts_and_attachments():
    mail = EmailMessage()
    mail["From"] = "a@b.example"
    mail.set_content("see file\n")
    mail.add_alternative("<p>see file</p>", subtype="html")
    mail.add_attachment("57: pass\n", filename="orders.txt")
    mail.add_attachment(b"58: pass\r\n", maintype="application", subtype="octet-stream", filename="C:\\x\\Über.orders")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="map.png")
    mail.add_attachment("a = 1", filename="view.toml")
    letter = decode_mail(mail.as_bytes())
    assert letter.text == "see file\n"
    assert letter.attachments == (OrderFile("orders.txt", "57: pass\n"), OrderFile("Über.orders", "58: pass\n"))
    assert letter.ignored == ("map.png", "view.toml")
    assert letter.problems == ()


def test_an_attachment_in_the_html_branch_is_found():
    outer, inner = MIMEMultipart("alternative"), MIMEMultipart("mixed")
    outer.attach(MIMEText("words", "plain"))
    inner.attach(MIMEText("<p>words</p>", "html"))
    part = MIMEText("57: pass", "plain")
    part.add_header("Content-Disposition", "inline", filename="a.orders")
    inner.attach(part)
    outer.attach(inner)
    letter = decode_mail(HEAD + outer.as_bytes())
    assert (letter.text, letter.attachments) == ("words", (OrderFile("a.orders", "57: pass"),))


def test_texts_around_an_attachment_are_joined():
    outer = MIMEMultipart("mixed")
    for text in ("one", "two"):
        outer.attach(MIMEText(text, "plain"))
    assert decode_mail(HEAD + outer.as_bytes()).text == "one\ntwo"


def test_a_forwarded_mail_is_not_read():
    outer = MIMEMultipart("mixed")
    outer.attach(MIMEText("fyi", "plain"))
    body = outer.as_bytes().replace(
        b"--" + outer.get_boundary().encode() + b"--",
        b"--" + outer.get_boundary().encode() + b"\nContent-Type: message/rfc822\n\nFrom: x@y\n\n57: play\n--"
        + outer.get_boundary().encode() + b"--",
    )  # fmt: skip
    letter = decode_mail(HEAD + body)
    assert (letter.text, letter.ignored) == ("fyi", ("message/rfc822",))


def test_signed_is_read_and_encrypted_is_named():
    signed = MIMEMultipart("signed")
    signed.attach(MIMEText("57: pass", "plain"))
    signature = MIMEText("-----BEGIN PGP", "plain")
    signature.replace_header("Content-Type", "application/pgp-signature")
    signed.attach(signature)
    letter = decode_mail(HEAD + signed.as_bytes())
    assert (letter.text, letter.ignored) == ("57: pass", ("application/pgp-signature",))
    encrypted = b"\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b--\n"
    assert typed(encrypted, "multipart/encrypted; boundary=b").problems == ("encrypted",)


def test_broken_multiparts():
    assert typed(b"57: pass", "multipart/mixed").text == "57: pass"
    assert typed(b"57: pass", "multipart/mixed; boundary=b").problems == ("bad_mime",)
    cut = typed(b"--b\n\n57: pass", "multipart/mixed; boundary=b")
    assert (cut.text, cut.problems) == ("57: pass", ("bad_mime",))


def test_empty_and_headless():
    assert decode_mail(b"").problems == ("empty",)
    assert decode_mail(b"\r\n\r\n ").problems == ("empty",)
    assert plain(b"").problems == ("no_text",)
    bare = decode_mail(b"57: pass? no: this is no header\n\nmore")
    assert bare.text == "more"
    assert decode_mail(b"just text\n\nmore").text == "just text\n\nmore"
    assert decode_mail(b"just text").problems == ("bad_header", "no_sender")
