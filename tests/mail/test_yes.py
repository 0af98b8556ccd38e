"""What was asked back, from mailbox to outbox: the button of the email is pressed, or it is answered with yes."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

import games
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox import mime_message
from pbem.save import SentState, Session, load

SAVES = Path(__file__).parents[2] / "saves"
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOME = "pbem@games.example"
BESIDE = "Anna Example, Berlin"


class AskedSeat(NamedTuple):
    """A saved game, a seat that is asked, its language, and a legal answer."""

    save: str
    seat: str
    language: str
    answer: str


FIRST = AskedSeat("1630-ballot", "amber", "en", "red")
MOMENTS = [
    FIRST,
    AskedSeat("vq-assassination", "england", "ja", "no"),
    *(
        pytest.param(moment, marks=pytest.mark.slow)
        for moment in (
            AskedSeat("cor-battle", "york", "en", "hold"),
            AskedSeat("is-war", "france", "ja", "cede"),
            AskedSeat("vq-interception", "protestant", "en", "pass"),
        )
    ),
]


class Mailbox:
    """A game of the saves, whose emails are written again; `seat` writes and reads."""

    def __init__(self, folder: Path, asked: AskedSeat) -> None:
        self.folder, self.seat, self.now, self.count = folder, asked.seat, NOW, 0
        self.save = Path(shutil.copy2(SAVES / f"{asked.save}.toml", folder / "game.toml"))
        session = Session.open(self.save, games.load)
        for info in session.save.seats:
            info.told, info.told_q = SentState(), 0
        info = session.save.seat(asked.seat)
        info.language, self.address = asked.language, info.addresses[0]
        session.commit()
        self.run()
        (self.question,) = self.emails()
        self.answers = self.answered()
        self.before = shutil.copytree(folder, folder.with_name(f"{folder.name}.before"))

    def run(self, *sources: Path) -> None:
        ingest([self.folder], sources, now=self.now)

    def emails(self):
        """The emails to the seat, oldest first."""
        paths = (self.folder / "outbox" / "new").glob(f"*.{self.seat}.*")
        return [decode_mail(path.read_bytes()) for path in sorted(paths)]

    def send(self, text: str, to: str = "", subject: str = "Re: game"):
        """Send an email, in reply to one of ours if `to` names it; the email that comes back."""
        self.count += 1
        mail = EmailMessage(policy=SMTP)
        mail["From"], mail["To"], mail["Subject"] = self.address, HOME, subject
        mail["Message-ID"] = f"<{self.count}@client.example>"
        if to:
            mail["In-Reply-To"] = mail["References"] = to
        mail.set_content(text, cte="8bit")
        path = self.folder / "one.eml"
        path.write_bytes(mail.as_bytes())
        self.run(path)
        return self.emails()[-1]

    def press(self, page: str, word: str, change=str):
        """Press the button whose link writes `word`, as a phone does it: a new email, whose body it may `change`."""
        (link,) = [link for link in links_of(page) if f"body={word}" in link]
        return self.tap(link, change)

    def tap(self, link: str, change=str):
        """Send the email that a link writes."""
        said = parse_qs(urlsplit(link).query)
        assert urlsplit(link).path == HOME
        return self.send(change(said["body"][0]), subject=said["subject"][0])

    def reset(self) -> None:
        """Put the game back to its question."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.before, self.folder)
        mime_message._texts_of.cache_clear()  # a file of that name is written again

    def answered(self) -> list[object]:
        """The seat's answers, given or sealed."""
        save = load(self.save)
        return [move.answer for move in (*save.moves, *save.sealed) if move.seat == self.seat]

    def fresh(self) -> str:
        """The answers since the question, as text."""
        return str(self.answered()[len(self.answers) :])


def links_of(page: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'href="(mailto:[^"]+)"', page)]


@pytest.fixture(params=MOMENTS, ids=lambda moment: moment.save)
def asked(request, tmp_path):
    """A game in which an answer was asked back, and the email that asks."""
    box = Mailbox(tmp_path, request.param)
    email = box.send(f"{request.param.answer}\n\n{BESIDE}\n", box.question.message_id)
    assert box.fresh() == "[]"
    return box, email, request.param.answer


PHONES = {
    "as it is": str,
    "with a line of the phone": lambda body: f"{body}\r\nSent from my iPhone\r\n",
    "with breaks as text": lambda body: body.replace("\r\n", "<BR>"),
    "without breaks": lambda body: " ".join(body.split()),
}


def test_the_button_takes_what_the_email_showed_and_the_footer_is_known(asked):
    box, email, answer = asked
    receipt = box.press(email.page, "yes")
    assert answer in box.fresh()
    assert receipt.text.split()[0].rstrip("。.") in ("Accepted", "受領しました")
    told = load(box.save).seat(box.seat).told
    assert told.doubt is None
    assert len(told.learned) == 1
    before = box.fresh()
    again = box.press(email.page, "yes")
    assert box.fresh() == before, "a button counts once"
    assert again.message_id != receipt.message_id


@pytest.mark.parametrize("phone", [name for name in PHONES if name != "as it is"])
def test_the_button_counts_whatever_a_phone_does_to_its_email(tmp_path, phone):
    box = Mailbox(tmp_path, FIRST)
    email = box.send(f"{FIRST.answer}\n\n{BESIDE}\n", box.question.message_id)
    box.press(email.page, "yes", PHONES[phone])
    assert FIRST.answer in box.fresh()


def test_a_reply_with_yes_takes_it_unless_yes_is_another_answer(asked):
    box, email, answer = asked
    quoted = "\n".join(f"> {line}" for line in email.text.splitlines())
    shown = box.send(f"{'はい' if answer == 'no' else 'Yes.'}\n\n{quoted}\n", email.message_id)
    if answer == "no":
        assert box.fresh() == "[]", "yes is an answer to this question"
        shown = box.press(shown.page, "yes")
    assert answer in box.fresh()
    assert shown.text.split()[0].rstrip("。.") in ("Accepted", "受領しました")


def test_a_yes_with_a_condition_is_asked_back_again(tmp_path):
    box = Mailbox(tmp_path, FIRST)
    email = box.send(f"red\n\n{BESIDE}\n", box.question.message_id)
    for text in ("yes, but only if Ben agrees", "yes\n\nwait, let me ask Ben", "Yes?", "not yes"):
        box.send(f"{text}\n", email.message_id)
        assert box.fresh() == "[]", text


def test_the_word_of_another_doubt_counts_for_nothing(asked):
    box, email, _ = asked
    word = load(box.save).seat(box.seat).told.doubt.word
    other = chr(ord("a") + ord("z") - ord(word[0])) + word[1:]
    box.press(email.page, "yes", lambda body: body.replace(word, other))
    assert box.fresh() == "[]"


ACCEPTED = ("Accepted", "受領しました")
FINISHED = ("1630-finished", "is-finished")
EVERY = [
    *(path for path in sorted(SAVES.glob("*.toml")) if path.stem not in FINISHED),
    *sorted((SAVES.parent / "tests" / "report" / "moments").glob("*.toml")),
]
FEW = ("is-round", "vq-assassination")


@pytest.mark.parametrize("path", [
    pytest.param(path, id=path.stem, marks=() if path.stem in FEW else pytest.mark.slow) for path in EVERY
])  # fmt: skip
def test_each_button_of_a_question_is_taken_as_its_label_says(path, tmp_path):
    """As it is, and as phones change it: with breaks as text, and with their line below."""
    seat = Session.open(path, games.load).referee.asked()[0]
    for language in ("en", "ja"):
        folder = tmp_path / language
        folder.mkdir()
        box = Mailbox(folder, AskedSeat(str(path.with_suffix("")), seat, language, ""))
        *answers, other = links_of(box.question.page)
        changes = list(PHONES.values())[:3] if path.stem not in FEW else [str]
        for link in answers:
            for change in changes:
                box.reset()
                receipt = box.tap(link, change)
                assert receipt.text.split()[0].rstrip("。.") in ACCEPTED, (link, receipt.text)
        box.reset()
        assert box.tap(other).text.split()[0].rstrip("。.") not in ACCEPTED
