"""Character sets: declared, undeclared, wrongly declared."""

import base64
import re

import pytest

import games
from pbem.kernel.referee import components_of
from pbem.mail.inbox.body_text import decode_bytes
from tests.mail.mails import JAPANESE, plain, typed


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
    found = {words["ja"] for words in names.values() if re.search(r"[\u3041-\u30fa\u4e00-\u9fff]", words.get("ja", ""))}
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
    assert typed(b"move vienna =\npressburg caf=C3=A9=\n", "text/plain; charset=utf-8", "quoted-printable").text == (
        "move vienna pressburg café"
    )


def test_damaged_base64_gives_what_there_is():
    letter = typed(base64.b64encode(b"57: pass!!")[:-3] + b"*", "text/plain", "base64")
    assert letter.text.startswith("57: pas")
    assert "bad_mime" in letter.problems
