"""Decoding mail: character sets, structure, signs of automation, hostile input."""

import base64
import re
import time
from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest
from hypothesis import given
from hypothesis import strategies as st

import games
from pbem.kernel.referee import components_of
from pbem.post.headers import (
    decode_words,
    parse_address,
    parse_addresses,
    parse_message_ids,
    parse_parameters,
)
from pbem.post.inbox.mime import decode_mail
from pbem.post.inbox.plain import clean_line, clean_text, decode_bytes, unflow
from pbem.post.inbox.values import Mail, OrderFile

HEAD = b"From: Anna <Anna@Example.ORG>\nMessage-ID: <1@x>\nSubject: hi\n"
JAPANESE = "ウィーンから進撃します。移動 vienna pressburg"


def plain(body: bytes, *more: str) -> Mail:
    return decode_mail(HEAD + "".join(f"{line}\n" for line in more).encode() + b"\n" + body)


def typed(body: bytes, content_type: str, encoding: str = "8bit") -> Mail:
    return plain(body, f"Content-Type: {content_type}", f"Content-Transfer-Encoding: {encoding}")


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
    assert letter.auth_results == (
        "mx.ours.example; dkim=pass header.d=example.org",
        "evil.example; dkim=pass",
    )
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


# ------------------------------------------------------------------ character sets


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("utf-8", "utf-8"),
        ('"ISO-2022-JP"', "iso2022_jp"),
        ("Shift_JIS", "cp932"),
        ("EUC-JP", "euc_jp"),
        ("utf-16", "utf-16"),
    ],
)
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
def test_japanese(label, codec, encoding):
    import quopri

    data = JAPANESE.encode(codec)
    wrapped = base64.encodebytes(data) if encoding == "base64" else quopri.encodestring(data)
    letter = typed(wrapped, f"text/plain; charset={label}", encoding)
    assert letter.text.strip() == JAPANESE
    assert letter.problems == ()


def test_iso_2022_jp_unencoded_and_with_vendor_kanji():
    assert typed(JAPANESE.encode("iso2022_jp"), "text/plain; charset=iso-2022-jp").text == JAPANESE
    letter = typed(b"\x1b$B\x2d\x21\x7c\x62\x1b(B ok", "text/plain; charset=iso-2022-jp")
    assert letter.text == "①髙 ok"
    assert letter.problems == ()
    assert decode_bytes(b"\x1b(I1\x1b(B", "iso-2022-jp") == ("ｱ", "")
    assert decode_bytes(b"\xad\xa1", "euc-jp") == ("①", "")


def test_shift_jis_labelled_as_iso_2022_jp():
    assert decode_bytes(JAPANESE.encode("cp932"), "iso-2022-jp")[0] == JAPANESE


@pytest.mark.parametrize("codec", ["cp932", "euc_jp", "iso2022_jp"])
def test_japanese_without_a_label_is_guessed_and_flagged(codec):
    letter = plain(JAPANESE.encode(codec))
    assert letter.text == JAPANESE
    assert letter.problems == ("unknown_charset",)


def test_undeclared_utf_8_is_fine():
    assert plain(JAPANESE.encode()).problems == ()


@pytest.mark.parametrize("codec", ["cp932", "euc_jp"])
@pytest.mark.parametrize("slug", ["sixteen_thirty", "imperial_struggle", "crown_of_roses", "virgin_queen"])
def test_orders_with_any_japanese_name_need_no_label(slug, codec):
    """Kanji alone, too: a name of the game between English words.

    Left out are words that nobody can tell: bytes that are UTF-8, and one that is two rare kanji either way.
    """
    game = games.load(slug)
    names = game.names(components_of(game, {})[1]).names
    found = {
        words["ja"]
        for words in names.values()
        if re.search(r"[\u3041-\u30fa\u4e00-\u9fff]", words.get("ja", ""))
    }
    wrong = []
    for name in sorted(found):
        text = f"BEGIN ORDERS vq-07 spain 3f9c-a1d2\n57: move {name} regulars=4\nEND ORDERS\n"
        try:
            data = text.encode(codec)
            data.decode("utf-8")
        except UnicodeEncodeError:
            continue
        except UnicodeDecodeError:
            if decode_bytes(data, None)[0] != text and name != "琥珀":
                wrong.append(name)
    assert len(found) > 10
    assert wrong == []


@pytest.mark.parametrize("codec", ["cp932", "euc_jp"])
@pytest.mark.parametrize("head", ["命令開始", "BEGIN ORDERS"])
def test_japanese_orders_of_kanji_alone_need_no_label(codec, head):
    text = f"{head} vq-07 英国 3f9c-a1d2\n57: 前進\n命令終了\n"
    assert decode_bytes(text.encode(codec), None)[0] == text


@pytest.mark.parametrize(
    "text",
    [
        "Crème brûlée à la carte, déjà vu",
        "Grüße aus Köln: 57: Straße nach Überlingen",
        "¿Qué tal? mañana será",
        "Ærø, Ålborg, smørrebrød, Öland",
        "É À Ü Ö Ä",
        "pää, määrä, hyvää yötä",
        "“quoted” – dash’s, naïve façade…",
    ],
)
@pytest.mark.parametrize("codec", ["cp1252", "latin-1"])
def test_western_letters_are_not_taken_for_japanese(text, codec):
    try:
        data = text.encode(codec)
    except UnicodeEncodeError:
        return
    assert decode_bytes(data, None)[0] == text


def test_latin_1_and_its_curly_quotes():
    assert typed(b"caf\xe9 \x93x\x94", "text/plain; charset=iso-8859-1").text == "café “x”"
    assert typed(b"caf\xe9\x81", "text/plain; charset=latin1").problems == ()


def test_wrong_and_unknown_charsets_are_noted_not_fatal():
    wrong = typed("déjà vu".encode("latin-1"), "text/plain; charset=utf-8")
    assert (wrong.text, wrong.problems) == ("déjà vu", ("wrong_charset",))
    unknown = typed("déjà".encode(), "text/plain; charset=klingon-7")
    assert (unknown.text, unknown.problems) == ("déjà", ("unknown_charset",))


@pytest.mark.parametrize(
    "name", ["zip", "rot13", "base64", "punycode", "idna", "unicode_escape", "undefined", "\0", "../x"]
)
def test_codecs_that_are_no_character_sets_are_refused(name):
    assert decode_bytes(b"57: pass", name) == ("57: pass", "unknown_charset")


def test_quoted_printable_soft_breaks():
    assert typed(
        b"move vienna =\npressburg caf=C3=A9=\n", "text/plain; charset=utf-8", "quoted-printable"
    ).text == ("move vienna pressburg café")


def test_damaged_base64_gives_what_there_is():
    letter = typed(base64.b64encode(b"57: pass!!")[:-3] + b"*", "text/plain", "base64")
    assert letter.text.startswith("57: pas")
    assert "bad_mime" in letter.problems


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
        b"move vienna \npressburg\n> quoted \n> text\nnext\n-- \nAnna\n",
        "text/plain; charset=us-ascii; format=flowed",
    )
    assert letter.text == "move vienna pressburg\n> quoted text\nnext\n-- \nAnna\n"


def test_flowed_rules():
    assert unflow("東京 \n都", delsp=True) == "東京都"
    assert unflow(" From here\n >no quote") == "From here\n>no quote"
    assert unflow("> a \n>> b") == "> a \n>> b"
    assert unflow("open ") == "open "
    assert unflow("nbsp\u00a0\nstays") == "nbsp\u00a0\nstays"


def test_a_no_break_space_never_joins_lines():
    assert (
        typed("pass\u00a0\nmove".encode(), "text/plain; charset=utf-8; format=flowed").text == "pass \nmove"
    )


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
    mail.add_attachment(
        b"58: pass\r\n", maintype="application", subtype="octet-stream", filename="C:\\x\\Über.orders"
    )
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="map.png")
    mail.add_attachment("a = 1", filename="view.toml")
    letter = decode_mail(mail.as_bytes())
    assert letter.text == "see file\n"
    assert letter.attachments == (
        OrderFile("orders.txt", "57: pass\n"),
        OrderFile("Über.orders", "58: pass\n"),
    )
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


# ------------------------------------------------------------------ who wrote it


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
        decode_words("=?iso-2022-jp?b?" + base64.b64encode(JAPANESE.encode("iso2022_jp")).decode() + "?=")
        == JAPANESE
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
