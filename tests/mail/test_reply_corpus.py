"""The corpus of replies, from mailbox to outbox: clean ones are taken, at the latest after one yes; none is ignored.

The replies are made from the tables of `replies/corpus.toml`: what is written, how a program sends it, what programs,
carriers and gateways add.
"""

from __future__ import annotations

import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from itertools import count, cycle
from pathlib import Path
from typing import NamedTuple

import pytest

from pbem.mail.inbox.body_text import html_to_text
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox import mime_message
from pbem.save import SentState, load
from tests.mail.desks import opened

TABLES = tomllib.loads((Path(__file__).parent / "replies" / "corpus.toml").read_text("utf-8"))
HOME = "pbem@games.example"
OTHER = {"red": "blue", "blue": "red"}
JAPANESE = {"red": "赤", "blue": "青"}
_numbers = count(1)


class Reply(NamedTuple):
    """A reply: its text above the copy, how it is sent, and what it means ("" nothing may be done)."""

    name: str
    top: str
    way: str
    says: str
    footer: str = ""
    banner: str = ""
    place: str = ""
    below: str = ""
    whole: str = ""


class QuestionEmail:
    """The email of ours that is answered."""

    def __init__(self, raw: bytes) -> None:
        mail = decode_mail(raw)
        self.text, self.id, self.subject, self.to = mail.text, mail.message_id, mail.subject, mail.to[0]
        self.shown = f"{self.subject}\n\n{html_to_text(mail.page or '')}"
        self.form = next(line for line in self.text.splitlines() if line.endswith(": ?"))
        self.q = int(self.form.partition(":")[0])
        self.tag = next(line for line in self.text.splitlines() if line.startswith("["))
        self.game = self.tag[1:].split()[0]


def filled(text: str, letter: QuestionEmail, answer: str = "red") -> str:
    for key, value in {
        "{q}": str(letter.q), "{a}": answer, "{A}": answer.capitalize(), "{b}": OTHER[answer], "{ja}": JAPANESE[answer],
        "{shown}": f"pbem {letter.game}", "{home}": HOME, "{subject}": letter.subject, "{to}": letter.to,
    }.items():  # fmt: skip
        text = text.replace(key, value)
    return text


def corpus() -> Iterator[Reply]:
    """Yield the replies; each table is combined with the next in turn, so that all of each occur in many."""
    ways, answers = cycle([*TABLES["above"], "bare", "button"]), cycle(("red", "blue"))
    yield from _spelt(ways, answers)
    yield from _sent(answers)
    yield from _added(ways, answers)
    yield from _dirty(ways)
    for row in TABLES["whole"]:
        says = next(answers) if row.get("says", True) else ""
        yield Reply(f"whole {row['name']}", "", "whole", says, place=row.get("place", ""), whole=row["text"])


def _spelt(ways: Iterator[str], answers: Iterator[str]) -> Iterator[Reply]:
    for kind, times in (("clean", 8), ("loose", 4)):
        for text in TABLES[kind]["plain"] * times:
            yield Reply(kind, text, next(ways), "red" if text == "rde" else next(answers))
    for language, pairs in TABLES["polite"].items():
        for opens, closes in pairs * 5:
            text = f"{opens}\n\n{{a}}\n\n{closes}".strip()
            yield Reply(f"polite {language}", text, next(ways), next(answers))


def _sent(answers: Iterator[str]) -> Iterator[Reply]:
    for way, above in (*TABLES["above"].items(), ("bare", []), ("button", [])):
        for footer in TABLES["footers"]["known"][::4]:
            yield Reply(f"way {way}", "{a}", way, next(answers), footer)
        for form in ("{q}: {a}", "{q}: “{a}”", "{q}: {a} ?") if above else ():
            yield Reply(f"place {way}", "", way, next(answers), place=form)
        for below in ("{a}", "{q}: {a}\n\nThanks, Anna") if isinstance(above, str) else ():
            yield Reply(f"below {way}", "", way, next(answers), below=below)


def _added(ways: Iterator[str], answers: Iterator[str]) -> Iterator[Reply]:
    for kind, times in (("known", 5), ("once", 6)):
        for footer in TABLES["footers"][kind] * times:
            yield Reply(f"footer {kind}", "{a}", next(ways), next(answers), footer)
    for banner in (*TABLES["banners"]["known"], *TABLES["banners"]["once"]):
        for way in ("mutt", "gmail", "outlook", "outlook-de", "gmail-ja"):
            yield Reply("banner", "{a}", way, next(answers), banner=banner)
            yield Reply("banner", "", way, next(answers), banner=banner, place="{q}: {a}")


def _dirty(ways: Iterator[str]) -> Iterator[Reply]:
    polite = cycle([pair for pairs in TABLES["polite"].values() for pair in pairs])
    known, banners = cycle(TABLES["footers"]["known"]), cycle(TABLES["banners"]["known"])
    for text in TABLES["dirty"]["alone"] * 6:
        yield Reply("dirty", text, next(ways), "")
    for text in TABLES["dirty"]["beside"]:
        for form in ("{{a}}\n\n{0}", "{0}\n\n{{a}}", "{{q}}: {{a}}\n{0}", "{{a}} {0}"):
            yield Reply("dirty beside", form.format(text), next(ways), "")
        yield Reply("dirty below", "{a}", "mutt", "", below=text)
        yield Reply("dirty banner", "{a}", "gmail", "", banner=text)
        yield Reply("dirty in place", text, "gmail", "", place="{q}: {a}")
        opens, closes = next(polite)
        yield Reply("dirty polite", f"{opens}\n{{a}}\n{closes}\n{text}", next(ways), "", next(known))
        yield Reply("dirty banner below", "{a}\n" + text, "outlook", "", banner=next(banners))


def mail_of(reply: Reply, letter: QuestionEmail) -> bytes:
    """The reply as its program writes it."""
    answer = reply.says or "red"
    top, footer = filled(reply.top, letter, answer), reply.footer
    copy = letter.text.rstrip("\n")
    if reply.banner:
        copy = f"{filled(reply.banner, letter, answer)}\n\n{copy}"
    if reply.place:
        copy = copy.replace(letter.form, filled(reply.place, letter, answer), 1)
    if reply.whole:
        return written(letter, in_whole(filled(reply.whole, letter, answer), copy))
    below = filled(reply.below, letter, answer)
    above = TABLES["above"].get(reply.way, "")
    if reply.way == "button":
        parts = [top, letter.tag, footer]
    elif reply.way == "bare":
        parts = [top, footer]
    elif isinstance(above, str):
        quoted = "\n".join(f"> {line}".rstrip() for line in copy.split("\n"))
        parts = [top, footer, f"{filled(above, letter)}\n{quoted}", below]
    else:
        parts = [top, footer, "\n".join(filled(line, letter) for line in above), copy, below]
    return written(letter, "\n\n".join(part for part in parts if part) + "\n", refers=reply.way != "button")


def in_whole(text: str, copy: str) -> str:
    """Put our email into a reply; lines of it that begin with NUL stand without the mark of a copy."""
    found: list[str] = []
    for line in text.split("\n"):
        mark, held, _ = line.partition("{copy}")
        rows = copy.split("\n") if held else []
        found += [row[1:] if row[:1] == "\0" else f"{mark}{row}".rstrip() for row in rows] if held else [line]
    return "\n".join(found)


def written(letter: QuestionEmail, text: str, *, refers: bool = True, subject: str = "", to: str = "") -> bytes:
    """An email with this text that answers the question, or the email of ours that `to` names."""
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"] = f"Anna <{letter.to}>", HOME
    mail["Subject"] = subject or f"Re: {letter.subject}"
    mail["Message-ID"] = f"<{next(_numbers)}@client.example>"
    if refers:
        mail["In-Reply-To"] = mail["References"] = to or letter.id
    mail.set_content(text, cte="8bit")
    return mail.as_bytes()


class Table:
    """A game with an open ballot, put back before each reply."""

    seat = "amber"

    def __init__(self, desk) -> None:
        self.desk, self.mails = desk, desk.folder / "mail"
        self.mails.mkdir()
        session = opened(desk)
        for seat in session.save.seats:  # their first emails are written again
            seat.told, seat.told_q = SentState(), 0
        session.save.seat(self.seat).name = "千代"
        session.commit()
        desk.ingest(desk.box(desk.mails[:0]))
        (path,) = (desk.folder / "outbox" / "new").glob(f"*.{self.seat}.*")
        self.first = {file.name for file in path.parent.iterdir()}
        self.letter, self.before = QuestionEmail(path.read_bytes()), desk.save.read_bytes()

    def reset(self) -> None:
        self.desk.save.write_bytes(self.before)
        shutil.rmtree(self.desk.folder / "quarantine", ignore_errors=True)
        for path in (self.desk.folder / "outbox" / "new").iterdir():
            if path.name not in self.first:
                path.unlink()
        mime_message._texts_of.cache_clear()  # a file of that name is written again

    def new(self) -> list[bytes]:
        """The emails to the seat since the question, oldest first."""
        paths = (self.desk.folder / "outbox" / "new").glob(f"*.{self.seat}.*")
        return [path.read_bytes() for path in sorted(paths) if path.name not in self.first]

    def take(self, raw: bytes) -> tuple[str, bool]:
        """Take a reply in: the seat's answer after it, and whether its writer got an email."""
        path = self.mails / f"{next(_numbers)}.eml"
        path.write_bytes(raw)
        report = self.desk.ingest(path)
        path.unlink()
        told = any(sent.seat == self.seat for sent in report.sent)
        move = next((move for move in load(self.desk.save).sealed if move.seat == self.seat), None)
        return (move.answer["vote"] if move is not None else ""), told

    def says_yes(self, footer: str = "") -> str:
        """The answer after one yes, by the button of the last email."""
        doubt = load(self.desk.save).seat(self.seat).told.doubt
        if doubt is None:
            return ""
        text = f"yes {doubt.word}\n\n{self.letter.tag}\n\n{footer}\n"
        return self.take(written(self.letter, text, refers=False, subject=f"[{self.letter.game}]"))[0]


@pytest.fixture(scope="module")
def ballot_table(tmp_path_factory, staged, desk_type):
    return Table(desk_type(tmp_path_factory.mktemp("corpus"), staged))


def judged(table: Table, replies: list[Reply]) -> dict[str, list[str]]:
    """The names of the replies by what became of them."""
    found: dict[str, list[str]] = {"first": [], "yes": [], "lost": [], "wrong": [], "silent": [], "nothing": []}
    for reply in replies:
        table.reset()
        got, told = table.take(mail_of(reply, table.letter))
        name = f"{reply.name} | {reply.way} | {reply.top!r} {reply.place} {reply.below} {reply.footer} {reply.banner}"
        if not told:
            found["silent"].append(name)
        if got and got != reply.says:
            found["wrong"].append(f"{name}: {got}")
        elif not reply.says:
            found["nothing"].append(name)
        elif got:
            found["first"].append(name)
        else:
            found["yes" if table.says_yes(reply.footer) == reply.says else "lost"].append(name)
    return found


def test_the_corpus_holds_fifteen_hundred_replies():
    kinds = Counter(reply.name.split()[0] for reply in corpus())
    assert sum(kinds.values()) >= 1_500
    assert kinds["dirty"] >= 400


@pytest.mark.parametrize("part", [23, pytest.param(1, marks=pytest.mark.slow)])
def test_clean_answers_are_taken_nothing_else_is_and_nobody_meets_silence(ballot_table, part):
    replies = list(corpus())[::part]
    found = judged(ballot_table, replies)
    assert found["wrong"] == []
    assert found["silent"] == []
    clean = sum(bool(reply.says) for reply in replies)
    assert len(found["first"]) + len(found["yes"]) >= 0.98 * clean, found["lost"]
    assert len(found["first"]) >= 0.9 * clean, found["yes"]


@pytest.mark.parametrize("text", TABLES["around"]["taken"])
def test_words_around_an_answer_that_add_nothing_are_left_out(ballot_table, text):
    ballot_table.reset()
    assert ballot_table.take(mail_of(Reply("", text, "bare", "red"), ballot_table.letter)) == ("red", True)


@pytest.mark.parametrize("text", TABLES["around"]["asked"])
def test_words_around_an_answer_that_add_something_are_asked_back(ballot_table, text):
    ballot_table.reset()
    assert ballot_table.take(mail_of(Reply("", text, "bare", ""), ballot_table.letter)) == ("", True)


@pytest.mark.parametrize("footer", TABLES["footers"]["once"])
def test_a_footer_is_asked_back_once_and_then_known_word_for_word(ballot_table, footer):
    table = ballot_table
    table.reset()
    got, _ = table.take(mail_of(Reply("", "red", "mutt", "red", footer), table.letter))
    assert got == ""
    assert table.says_yes(footer) == "red"
    assert table.take(mail_of(Reply("", "blue", "gmail", "blue", footer), table.letter))[0] == "blue"
    more = f"{footer}, but wait"
    assert table.take(mail_of(Reply("", "red", "mutt", "red", more), table.letter)) == ("blue", True)


@pytest.mark.parametrize("doubt", TABLES["dirty"]["beside"])
def test_what_takes_back_is_never_learned(ballot_table, doubt):
    table = ballot_table
    table.reset()
    table.take(mail_of(Reply("", "red", "mutt", "red", doubt), table.letter))
    pending = load(table.desk.save).seat(table.seat).told.doubt
    if pending is not None and table.says_yes() == "red":
        assert table.take(mail_of(Reply("", "blue", "mutt", "blue", doubt), table.letter))[0] == "red"


def test_a_yes_counts_once_and_only_for_the_email_that_asked(ballot_table):
    table, footer = ballot_table, TABLES["footers"]["once"][0]
    table.reset()
    table.take(mail_of(Reply("", "red", "mutt", "red", footer), table.letter))
    assert table.take(written(table.letter, "yes\n"))[0] == "", "the question itself asked nothing back"
    table.reset()
    table.take(mail_of(Reply("", "red", "mutt", "red", footer), table.letter))
    word = load(table.desk.save).seat(table.seat).told.doubt.word
    assert table.take(written(table.letter, "blue\n"))[0] == "blue"
    late = written(table.letter, f"yes {word}\n\n{table.letter.tag}\n", refers=False)
    assert table.take(late) == ("blue", True)


def test_a_bare_yes_to_the_email_that_asked_is_enough(ballot_table):
    table = ballot_table
    for yes in ("yes", "Yes.", "はい", "oui", "ja", "sí"):
        table.reset()
        table.take(mail_of(Reply("", "red", "mutt", "red", TABLES["footers"]["once"][1]), table.letter))
        (asked,) = map(decode_mail, table.new())
        quoted = "\n".join(f"> {line}" for line in asked.text.splitlines())
        mail = written(table.letter, f"{yes}\n\n{quoted}\n", to=asked.message_id)
        assert table.take(mail)[0] == "red", yes


@pytest.mark.parametrize("request_line", ["send why", "send state", "help", "letters full", "send card nobody"])
def test_a_request_leaves_the_doubt_open_and_its_email_asks_once_more(ballot_table, request_line):
    table, footer = ballot_table, TABLES["footers"]["once"][1]
    for answered in (0, -1, None):  # the email that asked, the one after the request, the button
        table.reset()
        table.take(mail_of(Reply("", "red", "mutt", "red", footer), table.letter))
        assert table.take(written(table.letter, f"{request_line}\n")) == ("", True)
        asked = [decode_mail(raw) for raw in table.new()]
        assert all("Is red your answer?" in mail.text for mail in asked)
        if answered is None:
            assert table.says_yes(footer) == "red"
        else:
            assert table.take(written(table.letter, "yes\n", to=asked[answered].message_id))[0] == "red"


def test_a_yes_to_another_email_is_asked_once_more_and_the_first_button_still_counts(ballot_table):
    table, footer = ballot_table, TABLES["footers"]["once"][1]
    table.reset()
    table.take(mail_of(Reply("", "red", "mutt", "red", footer), table.letter))
    word = load(table.desk.save).seat(table.seat).told.doubt.word
    assert table.take(written(table.letter, "yes\n")) == ("", True)
    *_, last = map(decode_mail, table.new())
    assert "Is red your answer?" in last.text
    button = written(table.letter, f"yes {word}\n\n{table.letter.tag}\n", refers=False)
    assert table.take(button)[0] == "red"
    assert load(table.desk.save).seat(table.seat).told.learned


@pytest.mark.parametrize("after", ["blue?", "wait, not yet\nblue", "29: red or blue"])
def test_another_answer_ends_the_doubt(ballot_table, after):
    table, footer = ballot_table, TABLES["footers"]["once"][1]
    table.reset()
    table.take(mail_of(Reply("", "red", "mutt", "red", footer), table.letter))
    table.take(written(table.letter, f"{after}\n"))
    pending = load(table.desk.save).seat(table.seat).told.doubt
    assert pending is None or pending.lines != ["29: red"]


@pytest.mark.parametrize("subject", ["red", "29: red", "[ballot] 29: red", "red Re: [ballot] Vote", "Re: 赤"])
def test_an_answer_in_the_subject_is_asked_back_and_one_yes_takes_it(ballot_table, subject):
    table = ballot_table
    table.reset()
    assert table.take(written(table.letter, "\n", subject=subject)) == ("", True)
    assert table.says_yes() == "red"


def test_a_page_that_says_something_else_is_asked_back(ballot_table):
    table = ballot_table
    for page in (
        "<p><s>red</s></p>",
        "<p>not yet, I must ask Ben</p>",
        "<p>blue</p>",
        '<p style="display:none">red</p>',
    ):
        table.reset()
        raw = mail_of(Reply("", "red", "bare", "red"), table.letter)
        mail = message_from_bytes(raw, policy=SMTP)
        mail.add_alternative(page, subtype="html")
        assert table.take(mail.as_bytes()) == ("", True), page
    table.reset()
    mail = message_from_bytes(raw, policy=SMTP)
    mail.add_alternative("<div>red</div>", subtype="html")
    assert table.take(mail.as_bytes()) == ("red", True)
