"""Hostile mail: limits, bombs that must not cost time, and bytes of any kind that must never raise."""

import base64
import time
from email.message import EmailMessage

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pbem.mail.inbox.body_text import clean_line, clean_text, decode_bytes
from pbem.mail.inbox.mime import MimeLimits, decode_mail

HEAD = b"From: Anna <Anna@Example.ORG>\nMessage-ID: <1@x>\nSubject: hi\n"
JAPANESE = "ウィーンから進撃します。移動 vienna pressburg"


# ------------------------------------------------------------------ guards


def test_too_large_reads_the_headers_only():
    letter = decode_mail(HEAD + b"\n57: pass\n" + b"x" * 2000, MimeLimits(size=1000))
    assert (letter.sender, letter.text, letter.problems) == ("anna@example.org", "", ("too_large",))
    assert letter.size > 2000


def test_too_deep():
    body = b"57: pass"
    for level in range(30):
        body = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n%s\n--b%d--\n" % (level, level, body, level)
    assert "too_deep" in decode_mail(HEAD + body).problems


def test_too_many_parts():
    body = b"--b\n\nx\n" * 5000 + b"--b--\n"
    letter = decode_mail(HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + body)
    assert letter.problems == ("too_many_parts",)
    assert letter.text.count("x") == 64


def test_too_many_and_too_long_headers():
    assert "too_many_headers" in decode_mail(HEAD + b"X: y\n" * 1000 + b"\nx").problems
    assert "long_header" in decode_mail(HEAD + b"X-Long: " + b"y" * 100_000 + b"\n\nx").problems


BOMBS = {
    "same boundary in itself": HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n"
    + b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 20_000,
    "rfc822 chain": HEAD + b"Content-Type: message/rfc822\n\n" * 30_000,
    "deep multiparts": HEAD
    + b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (n, n) for n in range(20_000)),
    "line breaks": HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"\n" * 1_000_000,
    "dashes": HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b-" * 250_000,
    "open quotes": b'From: ' + b'"\\' * 500_000 + b"\n\nx",
    "open brackets": b"From: " + b"(" * 16_000 + b"\nTo: " + b"(\\" * 8_000 + b"\nCc: " + b"<" * 16_000 + b"\n\nx",
    "commas": b"From: " + b"," * 16_000 + b"\nTo: " + b"a@b," * 4_000 + b"\n\nx",
    "encoded words": b"Subject: " + b"=?utf-8?q?" * 1_600 + b"\n\nx",
    "blanks between words": b"Subject: " + b"?=                " * 900 + b"\n\nx",
    "parameters": b'Content-Type: text/plain' + b';x="\\"' * 2_500 + b"\n\nx",
    "parameter blanks": b"Content-Type: text/plain;" + b"\n " * 5_000 + b"\n\nx",
    "ids": b"References: " + b"a" * 16_000 + b"\nIn-Reply-To: " + b"<a@" * 5_000 + b"\n\nx",
    "escapes": HEAD + b"\n" + b"\x1b]" * 500_000,
    "jis escapes": HEAD + b"Content-Type: text/plain; charset=iso-2022-jp\n\n" + b"\x1b$B\x1b(B" * 150_000,
    "quotes": HEAD + b"Content-Type: text/plain; format=flowed\n\n" + b">" * 1_000_000,
    "soft breaks": HEAD + b"Content-Type: text/plain; format=flowed\n\n" + b"a \n" * 300_000,
    "headers": b"A: b\n" * 200_000 + b"\nx",
    "folds": b"A: b\n" + b" c\n" * 300_000 + b"\nx",
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_defused(name):
    start = time.perf_counter()
    decode_mail(BOMBS[name][: 1 << 20])
    assert time.perf_counter() - start < 5


# ------------------------------------------------------------------ never raises


def check(raw: bytes) -> None:
    letter = decode_mail(raw, MimeLimits(size=4000, depth=3, parts=5, headers=20, header_length=300))
    assert letter == decode_mail(raw, MimeLimits(size=4000, depth=3, parts=5, headers=20, header_length=300))
    msgspec.json.encode(letter)
    assert letter.size == len(raw)
    lines = [letter.sender_name, letter.subject, letter.date, letter.received, *letter.auth_results, *letter.to]
    lines += [*letter.references, *letter.ignored, *(file.name for file in letter.attachments)]
    assert all(line.isprintable() or clean_line(line) == line for line in lines)
    for text in (letter.text, *(file.text for file in letter.attachments)):
        assert clean_text(text) == text


SAMPLES = [
    HEAD + b"\n57: pass\n",
    HEAD + b"Content-Type: text/plain; charset=iso-2022-jp\n\n" + JAPANESE.encode("iso2022_jp"),
    HEAD + b"Content-Type: text/plain; charset=euc-jp\n\n" + JAPANESE.encode("euc_jp"),
    HEAD + b"Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\nContent-Transfer-Encoding: base64\n\n"
    + base64.encodebytes(JAPANESE.encode()),
    (b'From: =?utf-8?b?5pel?= "a, \\" b" (c (d)) <a@b.example>\nReturn-Path: <>\nTo: g: x@y, z@w;\n'
    b'Content-Type: multipart/mixed; boundary="b b"\n\npre\n--b b\nContent-Type: multipart/alternative; boundary=c\n\n'
    b"--c\n\nplain\n--c\nContent-Type: text/html\n\n<p>\n--c--\n--b b\n"
    b"Content-Disposition: attachment; filename*0*=utf-8''%e2; filename*1=x.orders\n"
    b"Content-Transfer-Encoding: quoted-printable\n\n57=3A=20pass=\n\n--b b--\nafter"),
]  # fmt: skip


@settings(max_examples=300)
@given(st.binary(max_size=5000))
def test_any_bytes(raw):
    check(raw)


BITS = [b"\n", b"\n\n", b"\r", b"\x1b$B", b"\x1b(I", b"--b b\n", b"=?", b"?=", b'"', b";", b"\xff" * 3]


@st.composite
def mutated(draw) -> bytes:
    raw = draw(st.sampled_from(SAMPLES))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(raw)))
        end = min(len(raw), at + draw(st.integers(0, 12)))
        copied = draw(st.integers(0, len(raw)))
        copy = raw[copied : copied + draw(st.integers(0, 200))]
        raw = raw[:at] + draw(st.binary(max_size=6) | st.sampled_from([*BITS, copy])) + raw[end:]
    return raw


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_mutated_mails(raw):
    check(raw)


CHARSETS = [
    *(None, "us-ascii", "utf-8", "iso-2022-jp", "shift_jis", "euc-jp", "latin-1", "utf-7", "utf-16", "utf-32-le"),
    *("gb2312", "hz-gb-2312", "big5", "euc-kr", "iso-2022-kr", "koi8-r", "macintosh", "windows-874", "x" * 99),
]
PIECES = [b"\x1b$B", b"\x1b(I", b"\x1b(J", b"!", b"\xa4\xa2", b"~{"]


@settings(max_examples=300)
@given(st.binary() | st.lists(st.sampled_from(PIECES)).map(b"".join), st.sampled_from(CHARSETS))
def test_any_bytes_in_any_charset(data, charset):
    text, problem = decode_bytes(data, charset)
    assert problem in {"", "unknown_charset", "wrong_charset"}
    clean_text(text).encode()


@settings(max_examples=200)
@given(st.text(max_size=300))
@example("0\r\n0")
@example("\x80\x1b$")  # no Japanese: that has seven bits
def test_a_written_text_arrives(text):
    """What the standard library writes is read back, up to cleaning."""
    mail = EmailMessage()
    mail["From"] = "a@b.example"
    try:
        mail.set_content(text)
    except UnicodeError:
        return
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    assert decode_mail(mail.as_bytes()).text.strip("\n") == clean_text(lines).strip("\n")
