"""Letters are written straight, and are to the byte what the standard library writes."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from datetime import datetime
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import format_datetime
from random import Random

import pytest

from pbem.moments import moment
from pbem.post.inbox.plain import clean_line
from pbem.post.outbox.message import Outgoing, to_bytes
from pbem.post.outbox.wire import _encoded_once, texts_in, words

POLICY = SMTP.clone(cte_type="7bit", max_line_length=78)


def by_library(letter: Outgoing) -> bytes:
    message = EmailMessage(policy=POLICY)
    message["From"] = Address(display_name=clean_line(letter.name, 60), addr_spec=letter.sender)
    message["To"] = Address(addr_spec=letter.to)
    message["Subject"] = clean_line(letter.subject, 200)
    message["Date"] = format_datetime(letter.at)
    message["Message-ID"] = f"<{letter.ident}>"
    if letter.parents:
        message["In-Reply-To"] = letter.parents[-1]
        message["References"] = " ".join(letter.parents)
    message["Auto-Submitted"] = "auto-replied" if letter.answers else "auto-generated"
    message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
    message.set_content(letter.text)
    mark = hashlib.sha256(letter.ident.encode()).hexdigest()[:32]
    if letter.html:
        message.add_alternative(letter.html, subtype="html")
        message.set_boundary(f"pbem=_{mark}")
    for method, file, content in (
        ("PUBLISH", "deadline.ics", letter.calendar),
        ("CANCEL", "answered.ics", letter.cancelled),
    ):
        if content:
            message.add_attachment(
                content.encode(),
                maintype="text",
                subtype="calendar",
                filename=file,
                params={"method": method, "charset": "utf-8"},
            )
            message.set_boundary(f"pbem=={mark}")
    return message.as_bytes()


WORDS = (
    *(
        "a",
        "bc",
        "Berlin",
        "=",
        "=?utf-8?q?x?=",
        "x" * 90,
        "x" * 76,
        "From here",
        ".",
        "--",
        "<p>&amp;</p>",
        "\t",
    ),
    *(
        "é",
        "Ü",
        "千代",
        "国威が下がりました。",
        "🂡",
        "\u2028",
        "\x0b",
        "\x0c",
        "\x85",
        "\xa0",
        "\r",
        "12:00",
        "(x)",
    ),
)
SUBJECTS = (
    *WORDS,
    "[g-07]",
    "–",
    "Answer question 259 by",
    "please",
    "質問259に",
    "Something)",
    "a@b",
    "a, b;",
    '"q"',
)
NAMES = ("", "pbem g", "pbem vq-07", "pbem a.b", "pbem 千代", 'pbem "x"', "pbem " + "y" * 60)
PEOPLE = (
    "pbem@games.example",
    "a.b+c@x-y.example",
    "o'brien@example.org",
    "l" * 60 + "@" + "d" * 40 + ".example",
)


def some(chance: Random, words: tuple[str, ...], most: int) -> str:
    return "".join(
        chance.choice(words) + chance.choice((" ", " ", "")) for _ in range(chance.randrange(most))
    )


def text(chance: Random) -> str:
    kinds = (WORDS[:2], WORDS[:12], WORDS, WORDS[12:16])
    lines = [some(chance, chance.choice(kinds), 12) for _ in range(chance.randrange(25))]
    return "\n".join(lines) + chance.choice(("", "\n", " ", "\n\n"))


def letter(chance: Random) -> Outgoing:
    host = chance.choice(("games.example", "x" * 40 + ".example"))
    ids = [f"<game.amber.{n}.8d813fbf169b4fab@{host}>" for n in range(chance.randrange(4))]
    return Outgoing(
        ident=f"game.amber.7.{chance.randrange(10**9)}@{host}",
        sender=chance.choice(PEOPLE),
        to=chance.choice(PEOPLE),
        subject=some(chance, SUBJECTS, 16) or "x",
        text=text(chance),
        at=datetime.fromisoformat(chance.choice(("2026-05-01T13:00:00+00:00", "2026-12-31T23:59:59+09:00"))),
        html=chance.choice(("", text(chance))),
        parents=tuple(ids),
        answers=chance.random() < 0.5,
        name=chance.choice(NAMES),
        calendar=chance.choice(
            ("", "BEGIN:VCALENDAR\r\nSUMMARY:千代\r\nEND:VCALENDAR\r\n" * chance.randrange(9))
        ),
        cancelled=chance.choice(("", "", "BEGIN:VCALENDAR\r\n")),
    )


def texts_by_library(raw: bytes) -> tuple[str, str]:
    message = message_from_bytes(raw, policy=default)
    text, page = message.get_body(("plain",)), message.get_body(("html",))
    return text.get_content() if text else "", page.get_content() if page else ""


def test_what_is_written_can_be_read():
    chance = Random(5)
    for _ in range(300):
        one = letter(chance)
        raw = to_bytes(one)
        assert texts_in(raw) == texts_by_library(raw), one


def same(count: int, seed: int) -> None:
    chance = Random(seed)
    for _ in range(count):
        one = letter(chance)
        assert to_bytes(one) == by_library(one), one


def test_letters_are_those_of_the_library():
    same(400, 1)


@pytest.mark.slow
def test_many_letters_are_those_of_the_library():
    same(5_000, 2)


@pytest.mark.parametrize("size", range(60, 96))
def test_lines_of_any_length(size):
    base = {
        "ident": "a@b.example",
        "sender": "p@b.example",
        "to": "q@b.example",
        "at": moment("2026-05-01T13:00:00Z"),
    }
    for end in ("", " ", "\t", "é", "=", " é"):
        body = "\n".join(
            ["x" * size + end, "y" * (size - 3) + " é " + end, ("z" * 9 + " ") * (size // 10) + end]
        )
        one = Outgoing(**base, subject=("word " * 30)[:size].strip() + end.strip(), text=body)
        assert to_bytes(one) == by_library(one)


def test_an_ordinary_letter_is_written_without_the_library():
    code = (
        "import sys\nfrom datetime import UTC, datetime\nfrom pbem.post.outbox.message import Outgoing, to_bytes\n"
        "ids = ('<g.a.1.8d813fbf169b4fab@games.example>', '<g.a.9.8d813fbf169b4fab@games.example>')\n"
        "to_bytes(Outgoing(ident='g.a.2@b.example', sender='p@b.example', to='q@b.example', name='pbem vq-07',\n"
        "  subject='[vq-07] Answer question 259 by Sun 3 May 2026 15:00 CEST (Europe/Berlin), please',\n"
        " text='é', html='<p>', parents=ids, at=datetime.now(UTC), calendar='x'))\n"
        "dear = ('email.message', 'email.headerregistry', 'socket')\n"
        "sys.exit(str([module for module in dear if module in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"


def test_a_subject_with_a_dash_is_folded_as_the_library_folds_it():
    """Wherever the dash stands, and however long the words before and behind it are."""
    chance = Random(11)
    for _ in range(3_000):
        parts = [
            " ".join("x" * chance.randrange(1, 14) for _ in range(chance.randrange(1, 12))) for _ in range(2)
        ]
        subject = " – ".join(parts)
        assert words("Subject", subject) == POLICY.fold_binary(*POLICY.header_store_parse("Subject", subject))
    ours = words("Subject", "[game] With whom do you want to exchange cards – by Mon 13:00")
    assert ours.endswith(b" by\r\n Mon 13:00\r\n")


def test_the_library_is_not_imported_for_a_long_subject_with_a_dash():
    code = (
        "import sys; from pbem.post.outbox.wire import words; "
        "words('Subject', '[game] With whom do you want to exchange cards – by Mon 13:00'); "
        "sys.exit('email.headerregistry' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_short_subject_in_any_script_is_that_of_the_library():
    chance, own = Random(11), 0
    for _ in range(4000):
        parts = (
            "[game]",
            "受領",
            "受領：",
            "五月",
            "é",
            "Zoë",
            "a",
            "–",
            "–",
            "x=y",
            "13:00",
            "_",
            "(x)",
            "🂡",
            "~",
            "it's",
            "ü?",
        )
        subject = " ".join(chance.choice(parts) for _ in range(chance.randrange(1, 12)))
        own += bool(not subject.isascii() and _encoded_once("Subject", subject))
        assert words("Subject", subject) == POLICY.fold_binary(*POLICY.header_store_parse("Subject", subject))
    assert own > 1000


def test_the_library_is_not_imported_for_a_japanese_receipt():
    code = (
        "import sys; from pbem.post.outbox.wire import words; "
        "words('Subject', '[game] 受領'); print('email' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
