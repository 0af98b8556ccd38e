"""Replies to questions of the four games, as people write them: what is executed at once, what after one yes.

They are read as by `pbem mail receive`, but nothing is executed and no email is written.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import NamedTuple

import pytest

import games
from pbem.kernel.rejections import Rejection
from pbem.mail.inbox.authenticate import claims_of
from pbem.mail.inbox.body_text import html_to_text
from pbem.mail.inbox.parse import parse_message, with_order_blocks
from pbem.mail.inbox.reply_orders import resolve_reply
from pbem.mail.inbox.stages import Received
from pbem.mail.outbox.mime_message import Outbox, StoredEmail, StoredEmails
from pbem.mail.save_index import SaveIndex, code_of
from pbem.orders.context import question_of
from pbem.orders.statements import answer_words
from pbem.orders.syntax_tree import Answer, RejectedStatement
from pbem.report.short_email_html import page_of
from pbem.save import Save, SeatInfo, Session
from tests.mail.test_read_back import Sent, played

ROOT = Path(__file__).parents[2]
ROWS = tomllib.loads((Path(__file__).parent / "replies" / "strangers.toml").read_text("utf-8"))["reply"]
FILES = {
    "": "kinds.toml",
    "s12": "other_positions.toml",
    "s13": "third_positions.toml",
    "s13b": "fourth_positions.toml",
    "s14": "fifth_positions.toml",
    "s15": "sixth_positions.toml",
}
"""Replies to each kind of question, by the seed of the games in which it is met."""
OF_KINDS = {
    seed: tomllib.loads((Path(__file__).parent / "replies" / name).read_text("utf-8")) for seed, name in FILES.items()
}
PLACES = [(seed, slug, language) for seed, kinds in OF_KINDS.items() for slug in kinds for language in kinds[slug]]
HOME = "pbem@games.example"
KINDS = ("taken", "asked", "never")
NEITHER = "¬"
"""What is neither carried out nor asked back."""


class StrangerReply(NamedTuple):
    """A reply: where, what it means ("" nothing), and whether it is `taken`, `asked` back, or `never` carried out."""

    save: str
    language: str
    seat: str
    answer: str
    kind: str
    text: str


def cases() -> Iterator[StrangerReply]:
    for row in ROWS:
        for kind in KINDS:
            for text in row.get(kind, ()):
                yield StrangerReply(row["save"], row["language"], row["seat"], row.get("answer", ""), kind, text)


class _Sent(StoredEmails):
    """The question's email alone: its text, and its page as text."""

    def __init__(self, *texts: str) -> None:
        super().__init__(Outbox(ROOT / "no-outbox"))
        self.texts = texts

    def to(self, save: Save, seat: SeatInfo) -> Iterator[StoredEmail]:
        yield StoredEmail(1, self.texts)


class AskedSeat:
    """An open question of a save, in a language; nothing is written."""

    made: dict[tuple[str, str, str], AskedSeat] = {}

    def __init__(self, name: str, language: str, seat: str) -> None:
        path = ROOT / "saves" / f"{name}.toml"
        self.session = Session.open(path, games.load)
        self.info = self.session.save.seat(seat)
        self.info.language = language
        self.index, self.sent = SaveIndex([path]), _Sent(Sent(self.session, self.info.id).text)
        asked = question_of(self.session.referee, seat)
        assert asked is not None
        self.asked, self.tags = asked, f"[{name} {seat} {code_of(self.session.save, seat, asked.q)}]"

    @classmethod
    def of(cls, name: str, language: str, seat: str) -> AskedSeat:
        place = name, language, seat
        if place not in cls.made:
            cls.made[place] = cls(*place)
        return cls.made[place]

    def canonical(self, body: str) -> str:
        """The canonical text of an answer; "" if it isn't legal."""
        referee = self.session.referee
        try:
            value = self.asked.domain.parse(answer_words(body), referee.names)
            referee.check(self.info.id, value)
        except Rejection:
            return ""
        return self.asked.domain.text(value)

    def read(self, text: str, subject: str = "Re: your turn", page: str = "") -> tuple[set[str], set[str]]:
        """The answers that a reply gives, which may be a page alone, and those that it is asked back."""
        mail = EmailMessage(policy=SMTP)
        mail["From"], mail["To"], mail["Subject"] = f"Anna <{self.info.addresses[0]}>", HOME, subject
        mail["Message-ID"] = f"<{abs(hash(text + subject + page))}@client.example>"
        mail.set_content(page or f"{text}\n\n{self.tags}\n", subtype="html" if page else "plain", cte="base64")
        letter = with_order_blocks(parse_message(Received("x", mail.as_bytes(), "x")), self.index, self.sent)
        given, asked = set[str](), set[str]()
        for claim in claims_of(letter, self.index, self.session.save.header.name):
            claim = resolve_reply(claim, letter, self.session, self.sent, frozenset({HOME}))
            if claim.reason or claim.block is None or claim.block.problem is not None:
                continue
            refused = [item for item in claim.block.items if isinstance(item, RejectedStatement)]
            offers = claim.doubt.lines if claim.doubt is not None else [item.offer for item in refused if item.offer]
            asked |= {self.canonical(line.partition(": ")[2]) for line in offers}
            answers = [item for item in claim.block.items if isinstance(item, Answer)]
            given |= {found for item in answers if not refused and (found := self.canonical(item.body))}
        return given, asked


@pytest.mark.parametrize("part", [53, pytest.param(1, marks=pytest.mark.slow)])
def test_what_people_write_is_carried_out_as_they_mean_it_or_asked_back(part):
    wrong = []
    for case in list(cases())[::part]:
        question = AskedSeat.of(case.save, case.language, case.seat)
        given, asked = question.read(case.text)
        meant = {question.canonical(case.answer)} if case.answer else set()
        right = {"taken": given == meant, "asked": not given and asked == meant, "never": not given}[case.kind]
        if not right:
            wrong.append((*case, given, asked))
    assert wrong == []


@pytest.mark.parametrize(
    ("subject", "meant"),
    [
        ("Re: 赤でお願いします", {"red"}),
        ("緑さんが怖いので赤に一票 Re: [1630-ballot] 赤と青のどちらに投票しますか", {"red"}),
        ("Re: [1630-ballot] 赤と青のどちらに投票しますか – 5月3日まで", set()),
        ("赤かな、青かな", set()),
        ("議決の件", set()),
    ],
)
def test_an_answer_in_the_subject_alone_is_asked_back_as_a_sentence_too(subject, meant):
    assert AskedSeat.of("1630-ballot", "ja", "black").read("", subject) == (set(), meant)


HEADER = "<b>{}</b> pbem &lt;{}&gt;<br><b>{}</b> Freitag, 1. Mai 2026 09:12<br><b>{}</b> [{}] Your turn"
PAGES = {  # 0: a header, 1: who wrote when
    "outlook": '<p class="MsoNormal">{{}}</p><div style="border-top:solid 1pt">{0}</div>{{}}',
    "gmail": '<div>{{}}</div><div class="gmail_quote"><div>{1} wrote:</div><blockquote>{{}}</blockquote></div>',
    "iphone": '{{}}<br><div>Sent from my iPhone</div><blockquote type="cite">{1} wrote:<br><br>{{}}</blockquote>',
}


@pytest.mark.parametrize("program", PAGES)
@pytest.mark.parametrize(
    ("save", "language", "seat", "said", "answer", "kind"),
    [
        ("1630-ballot", "en", "amber", "Hallo, rot bitte", "red", "asked"),
        ("1630-ballot", "ja", "black", "赤に投票します", "red", "taken"),
        ("is-war", "en", "france", "Let it go", "cede", "taken"),
        ("is-war", "en", "france", "Let it go if they ask nicely", "", "never"),
        ("vq-negotiation", "en", "france", "OK peace with England", "accept england-france-1", "asked"),
        ("1630-exchange", "en", "green", "Done here.", "done", "asked"),
        ("1630-ballot", "en", "green", "red", "red", "taken"),  # its page asks for the next turn below the form
        ("1630-ballot", "en", "green", "Rot bitte", "red", "asked"),
        ("1630-ballot", "en", "green", "red if Black agrees", "", "never"),
    ],
)
def test_a_page_alone_is_read_as_a_text_above_its_copy_and_in_its_place(
    save, language, seat, said, answer, kind, program
):
    question = AskedSeat(save, language, seat)
    sent = Sent(question.session, seat)
    copy = page_of(sent.brief, sent.say).partition("<body")[2].partition(">")[2].partition("</body>")[0]
    question.sent.texts = (sent.text, html_to_text(copy))
    header = HEADER.format("Von:", HOME, "Gesendet:", "Betreff:", save)
    page = PAGES[program].format(header, f"On Fri, 1 May 2026 at 09:12, pbem &lt;{HOME}&gt;")
    filled = copy.replace(f"{question.asked.q}: ?", f"{question.asked.q}: <span style='color:red'>{said}</span>")
    assert filled != copy
    meant = {question.canonical(answer)} - {""}
    for written in (page.format(said, copy), page.format("", filled)):
        given, asked = question.read("", page=written)
        assert {"taken": given == meant, "asked": not given and asked == meant, "never": not given}[kind]


@pytest.mark.parametrize(
    ("instead", "of"),
    [
        (r"[\1 amber \3]", r"\[(\S+) (green) ([\da-f-]+)\]"),
        (r"[\1 \2 07cc-d230-f58c-41e9]", r"\[(\S+) (green) ([\da-f-]+)\]"),
        (r"\g<0><br>I wait<br>for<br>Black", r"\d+: red"),
    ],
)
def test_an_answer_above_the_next_turn_counts_above_the_seats_own_tag_alone(instead, of):
    question = AskedSeat("1630-ballot", "en", "green")
    sent = Sent(question.session, "green")
    copy = page_of(sent.brief, sent.say).partition("<body")[2].partition(">")[2].partition("</body>")[0]
    question.sent.texts = (sent.text, html_to_text(copy))
    filled = copy.replace(f"{question.asked.q}: ?", f"{question.asked.q}: red")
    page = PAGES["gmail"].format("", f"On Fri, 1 May 2026 at 09:12, pbem &lt;{HOME}&gt;").format("", filled)
    assert "next: ?" in page
    assert question.read("", page=page) == ({"red"}, set())
    changed = re.sub(of, instead, page)
    assert changed != page
    assert not question.read("", page=changed)[0]


@pytest.mark.parametrize(
    ("top", "kind"),
    [
        ("See below in red.", "taken"),
        ("Antworten unten in Rot", "taken"),
        ("See below, red.", "asked"),
        ("See below in red if Green agrees", "asked"),
        ("Not below in red", "asked"),
    ],
)
def test_a_line_that_points_to_the_answer_in_the_form_is_none_itself(top, kind):
    question = AskedSeat("1630-ballot", "en", "amber")
    form = f"{question.asked.q}: ?"
    copy = "\n".join(f"> {line}" for line in question.sent.texts[0].splitlines())
    question.tags = ""
    found = question.read(f"{top}\n\nOn Fri, 1 May 2026 pbem <{HOME}> wrote:\n{copy.replace(form, form[:-1] + 'blue')}")
    assert found == (({"blue"}, set()) if kind == "taken" else (set(), {"blue"}))


def test_the_replies_are_of_all_games_and_both_languages():
    places = {(row["save"].partition("-")[0], row["language"]) for row in ROWS}
    assert places == {(game, language) for game in ("1630", "cor", "is", "vq") for language in ("en", "ja")}
    assert sum(1 for _ in cases()) >= 1_500


def read_by(sent: Sent, text: str) -> tuple[set[str], set[str]]:
    """The answers that a reply above a copy of our email gives, and those that it is asked back."""
    items = sent.reply(text)
    refused = [item for item in items if isinstance(item, RejectedStatement)]
    asked = {sent.legal(item.offer.partition(": ")[2]) for item in refused if item.offer}
    given = {sent.legal(item.body) for item in items if isinstance(item, Answer)}
    return (set(), asked) if refused else (given, set())


def drawn_as(seed: str, language: str) -> str:
    """Return the language in whose games the positions were met: of one seed, both languages answer the same ones."""
    return "en" if seed in ("s14", "s15") else language


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "slug", "language"), PLACES)
def test_replies_to_each_kind_of_question_are_carried_out_as_they_are_meant_or_asked_back(
    seed, slug, language, tmp_path
):
    kinds, wrong, met = OF_KINDS[seed][slug][language], [], 0
    for kind, sent in played(slug, language, 1_500, tmp_path, seed, drawn_as(seed, language)):
        for answer, texts in kinds.get(kind, {}).items():
            meant, met = sent.legal(answer), met + 1
            assert meant or answer in ("", NEITHER), f"{kind}: {answer} isn't legal here any more"
            for text in texts:
                given, asked = read_by(sent, text)
                right = (given or asked) == {meant} - {""} if answer else not given
                if not right:
                    wrong.append((kind, answer, text, given, asked))
    assert wrong == []
    assert met == sum(map(len, kinds.values()))


def test_a_name_alone_is_no_answer_if_it_can_be_used_in_two_ways(tmp_path):
    sent = next(sent for kind, sent in played("virgin_queen", "en", 1_500, tmp_path) if kind == "impulse")
    assert read_by(sent, "Grand Vizier") == (set(), set())
    assert read_by(sent, "Grand Vizier for 5 CP")[1] == {"cp grand-vizier"}
