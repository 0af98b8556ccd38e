"""Replies the whole way: whose they are, what is taken, and what their writer is told."""

from __future__ import annotations

import shutil
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import Any

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.dev.synthetic_mail import START, TAPPED, write_email
from pbem.kernel.questions import Negotiate
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox.email_parts import MOST_NOTICES
from pbem.mail.quarantine import Quarantine
from pbem.save import Session, load
from tests.mail.replies import ballots
from tests.mail.replies.ballots import Table, filled, text_for
from tests.mail.replies.programs import PROGRAMS, Written

BY_NAME = {program.name: program for program in PROGRAMS}

# -- whose it is -----------------------------------------------------------------------------------------------------


def reply(table, name="gmail-phone", seat="amber", **written):
    ours = table.ours[seat]
    return BY_NAME[name].make(filled(Written(**written), ours.q), ours)


def changed(message, **fields):
    again = message_from_bytes(message.as_bytes(), policy=policy.SMTP)
    for name, value in fields.items():
        del again[name.replace("_", "-")]
        if value:
            again[name.replace("_", "-")] = value
    return again.as_bytes()


def test_the_id_of_our_letter_serves_as_its_code(table):
    message = reply(table, "alone", top="red")
    assert table.answer(message.as_bytes()) == "red"
    ident = table.ours["amber"].ident
    assert table.answer(changed(message, In_Reply_To="", References=f"<a@b.example> {ident}")) == "red"
    assert table.answer(changed(message, In_Reply_To="", References="")) == ""
    forged = ident[:-30].replace(".1.", ".1.0") + ident[-30:]
    for wrong in (ident.replace(".1.", ".2."), ident.replace("amber", "black"), forged, "<x@y.example>"):
        assert table.answer(changed(message, In_Reply_To=wrong, References="")) == "", wrong


@pytest.mark.parametrize("name", ["alone", "button", "gmail", "outlook"])
def test_from_another_address_nothing_counts(table, name):
    message = reply(table, name, top="red")
    assert table.answer(changed(message, From="mallory@example.net")) == ""
    assert table.answer(changed(message, From=table.ours["black"].address)) == ""


def test_an_automatic_mail_answers_nothing(table):
    message = reply(table, top="red")
    assert table.answer(changed(message, Auto_Submitted="auto-replied")) == ""
    assert table.answer(changed(message, Subject="Out of office: Re: vote")) == ""


def test_a_friends_form_is_not_his(table):
    black = table.ours["black"]
    head = f"From: Ben <{black.address}>\nDate: 1 May 2026\nTo: Anna <anna@example.org>\n"
    friend = f"-------- Forwarded Message --------\n{head}"
    form = black.text.replace(f"{black.q}: ?", f"{black.q}: blue")
    for top in ("", "red", "see below"):
        message = reply(table, "button", top=top, bottom=friend + "\n" + form)
        assert table.answer(message.as_bytes()) in ("", "red")
    forwarded = reply(table, "outlook", "black", edited="{q}: blue")
    assert table.answer(changed(forwarded, From=table.ours["amber"].address)) == ""


def test_two_forms_in_one_letter_are_told_apart_by_number(table):
    ours = table.ours["amber"]
    other = f"25: ?\n[{ours.game} black {table.ours['black'].code}]"
    for top, meant in (("{q}: red", ""), ("red", "")):
        assert table.answer(reply(table, "button", top=top, bottom=other).as_bytes()) in (meant, "red")


# -- what he is told -------------------------------------------------------------------------------------------------


def take(desk, message, name="replies.mbox"):
    """Run the intake on a mail; the report."""
    from pbem.dev.synthetic_mail import SyntheticEmail

    raw = message if isinstance(message, bytes) else message.as_bytes()
    return desk.ingest(desk.box([SyntheticEmail(desk.now, "anna@example.org", raw)], name))


def test_a_reply_goes_the_whole_way(table):
    desk = table.desk
    report = take(desk, reply(table, top="red\n\nCheers\nAnna"))
    assert [(outcome.seat, outcome.fate) for outcome in report.emails] == [("amber", "taken")]
    assert [sealed.seat for sealed in desk.read().sealed] == ["amber"]
    again = take(desk, reply(table, top="red\n\nCheers\nAnna"), "again.mbox")
    assert not again.emails


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"top": "red\n\nOr no, let me think about it"}, ["Or no, let me", "only that"]),
        ({"top": "blue", "edited": "{q}: red"}, ["two answers", "blue", "red"]),
        ({"top": "{q}: rde"}, ["rde", "red"]),
    ],
)
def test_what_is_not_taken_is_told_with_a_way_to_say_it(table, written, words):
    report = take(table.desk, reply(table, **written))
    (one,) = report.emails
    assert (one.seat, one.fate) == ("amber", "refused")
    assert all(word in one.receipt for word in words), one.receipt


@pytest.mark.parametrize(
    ("top", "fate", "words"),
    [
        ("red\n" + "and then\n" * 7_000, "quarantined", "6,000"),
        ("red\n" + "{q}: red\n" * 150, "refused", "red"),
        ("{q}: red\n" + "some words\n" * 150, "refused", "some words"),
    ],
)
def test_a_reply_that_says_too_much_is_not_taken_and_its_writer_is_told(table, top, fate, words):
    report = take(table.desk, reply(table, "button", top=top))
    (one,) = report.emails
    assert (one.seat or "amber", one.fate) == ("amber", fate)
    assert [sent.seat for sent in report.sent] == ["amber"]
    assert words in " ".join(decode_mail(Path(report.sent[0].file).read_bytes()).text.split())
    assert not table.desk.read().sealed


def test_a_page_that_cannot_be_read_is_told(table):
    message = reply(table, "alone", top="red")
    message.set_content("<div>" * 11_000 + "red", subtype="html")
    report = take(table.desk, message)
    assert [(outcome.fate, "HTML" in outcome.why) for outcome in report.emails] == [("quarantined", True)]
    assert [sent.seat for sent in report.sent] == ["amber"]
    assert not table.desk.read().sealed


def test_struck_and_hidden_answers_are_not_taken(table):
    for number, body in enumerate(("<s>red</s>", "<p hidden>red</p>", "<p style='display:none'>red</p>")):
        message = reply(table, "alone", top="red")
        message.set_content(f"<html><body>{body}</body></html>", subtype="html")
        message["Message-ID"] = f"<{number}@phone.example>"
        assert "taken" not in [outcome.fate for outcome in take(table.desk, message, f"{number}.mbox").emails], body
        assert not table.desk.read().sealed


@pytest.mark.parametrize("written", [{"top": "{q}: purple"}, {"edited": "{q}: purple"}])
def test_a_refused_line_sent_again_is_refused_again(table, written):
    """Though our last letter quotes it: the first line of a letter, and what stands in the form, is its writer's."""
    for number in range(2):
        message = reply(table, **written)
        message["Message-ID"] = f"<{number}@phone.example>"
        (found,) = take(table.desk, message, f"{number}.mbox").emails
        assert (found.seat, found.fate) == ("amber", "refused")
        assert "purple" in found.receipt


@pytest.mark.parametrize("line", ["red or so", "I vote rde", "red?", "29 - red"])
def test_a_line_near_an_answer_is_refused_with_a_whole_line_that_is_taken(table, line):
    (told,) = take(table.desk, reply(table, top=f"Hi,\n{line}\nThanks, Anna")).emails
    assert (told.seat, told.fate) == ("amber", "refused")
    assert line in told.receipt
    offered = f"{table.ours['amber'].q}: red"
    assert offered in told.receipt
    again = reply(table, top=offered)
    again["Message-ID"] = "<again@phone.example>"
    assert [letter.fate for letter in take(table.desk, again, "again.mbox").emails] == ["taken"]


def test_an_order_that_our_letter_gives_as_an_example_is_its_writers(desk, monkeypatch):
    example, plain = "standing ballot: blue until turn>=4", text_for
    told = f"For the rest of this turn, in the same\nletter: {example}\n\nNEW\n"
    monkeypatch.setattr(ballots, "text_for", lambda *of: plain(*of).replace("NEW\n", told))
    table = Table(desk)
    assert example in table.ours["amber"].text
    (found,) = take(desk, reply(table, top=f"red\n{example}")).emails
    assert (found.fate, found.accepted, found.refused) == ("taken", 2, 0)


def test_prose_beside_a_block_stays_prose_though_it_is_like_an_answer(table):
    ours = table.ours["amber"]
    block = f"BEGIN ORDERS {ours.game} amber {ours.code}\n{ours.q}: blue\nEND ORDERS"
    (told,) = take(table.desk, reply(table, top=f"red please?\n{block}")).emails
    assert (told.fate, told.accepted, told.refused) == ("taken", 1, 0)


@pytest.mark.parametrize(
    "line", ["I shall answer tomorrow", "red seems better to me than anything else", "move the army to Paris by sea"]
)
def test_a_single_line_that_is_not_legal_is_refused_with_its_reason(table, line):
    report = take(table.desk, reply(table, top=line))
    (one,) = report.emails
    assert (one.seat, one.fate, one.accepted) == ("amber", "refused", 0)
    assert line in " ".join(one.receipt.split())
    assert not table.desk.read().sealed


def test_of_prose_alone_the_writer_is_told_and_the_letter_is_kept(table):
    report = take(table.desk, reply(table, top="I shall answer tomorrow.\n\nMy train is late."))
    (held,) = Quarantine(table.desk.folder / "quarantine").listed()
    assert held.reason == "no-orders"
    (outgoing,) = report.sent
    assert outgoing.seat == "amber"
    assert "You wrote: I shall answer tomorrow." in " ".join(decode_mail(Path(outgoing.file).read_bytes()).text.split())


def test_a_question_to_the_moderator_is_quoted_and_kept_for_them(table):
    report = take(table.desk, reply(table, top="How many votes does Green have?"))
    (held,) = Quarantine(table.desk.folder / "quarantine").listed()
    text = " ".join(decode_mail(Path(report.sent[0].file).read_bytes()).text.split())
    assert (held.reason, report.sent[0].seat) == ("no-orders", "amber")
    assert "You wrote: How many votes does Green have? This line was read as a question to the moderator" in text


def test_a_line_of_an_email_that_shows_no_question_is_quoted(table):
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"], message["Subject"] = (
        table.desk.read().seat("amber").addresses[0],
        synthetic_mail.HOME,
        "Hello",
    )
    message["Message-ID"] = "<no-code@client.example>"
    message.set_content("Hi,\n\nI am in Rome until June.\n")
    report = take(table.desk, message)
    text = " ".join(decode_mail(Path(report.sent[0].file).read_bytes()).text.split())
    assert "You wrote: I am in Rome until June. This line was read as text" in text


def test_a_block_edited_within_a_quotation_does_nothing_and_its_writer_is_told_how(table):
    ours = table.ours["amber"]
    block = (f"BEGIN ORDERS {ours.game} amber {ours.code}", f"{ours.q}: red", "END ORDERS")
    quoted = "\n".join(f"> {line}" for line in block)
    message = reply(table, "alone", top=f"On Sunday pbem wrote:\n{quoted}")
    assert table.answer(message.as_bytes()) == ""
    (told,) = take(table.desk, message).sent
    text = " ".join(decode_mail(Path(told.file).read_bytes()).text.split())
    assert told.seat == "amber"
    assert "Reply with just your answer" in text
    assert f"{ours.q}: ?" in text


def test_the_writer_of_an_empty_reply_is_told_and_not_for_ever(table):
    for number in range(MOST_NOTICES + 2):
        report = take(table.desk, changed(reply(table), Message_ID=f"<{number}@phone.example>"))
        assert [outcome.fate for outcome in report.emails] == ["quarantined"]
        assert len(report.sent) == (number < MOST_NOTICES)
    table.desk.now += timedelta(days=1)
    for number in range(MOST_NOTICES + 2, MOST_NOTICES + 6):  # more than a stranger's in a week
        report = take(table.desk, changed(reply(table), Message_ID=f"<{number}@phone.example>"))
        assert len(report.sent) == 1


def test_a_notice_has_a_subject_of_its_own(table):
    """Neither that of the question nor that of news, also for a seat that owes nothing."""
    for name, said in (("alone", "no answer was found"), ("forged", "in quarantine")):
        message = reply(table, "alone", "amber", top="Thanks, Anna" if name == "alone" else "red")
        if name == "forged":
            code = table.ours["amber"].code
            wrong = f"BEGIN ORDERS {table.ours['amber'].game} amber {code[::-1]}\n29: red\nEND ORDERS\n"
            message = reply(table, "alone", "amber", top=wrong)
        report = take(table.desk, changed(message, Message_ID=f"<{name}@phone.example>"), f"{name}.mbox")
        (told,) = report.sent
        assert said in decode_mail(Path(told.file).read_bytes()).subject


MB = 1 << 20


def beside(table, *, text="red\n", page="", photo=0, name="IMG_0029.jpg", first=False, notes=0):
    """A reply to our letter with so many bytes of photo, page or notes next to its text."""
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"] = table.ours["amber"].address, ballots.HOME
    message["Subject"], message["Message-ID"] = "Re: vote", f"<{photo}.{notes}@phone.example>"
    message["In-Reply-To"] = table.ours["amber"].ident
    message.set_content(text)
    if page:
        message.add_alternative(page, subtype="html")
    if photo:
        message.add_attachment(bytes(range(256)) * (photo // 256), "image", "jpeg", filename=name)
    if notes:
        message.add_attachment("notes of the game\n" * (notes // 18), filename="notes.txt")
    if first:
        parts: Any = message.get_payload()
        message.set_payload(parts[::-1])
    return message


@pytest.mark.parametrize(
    "more",
    [
        {"photo": 3 * MB // 2},
        {"photo": 9 * MB},
        {"photo": 3 * MB, "first": True},
        {"page": f'<p>red</p><img src="data:image/jpeg;base64,{"QUJD" * (MB // 2)}">'},
        {"photo": 5 * MB, "name": "voice.mp3", "page": "<p>red</p>"},
    ],
)
def test_an_answer_is_read_whatever_stands_beside_it(table, more):
    assert table.answer(beside(table, **more).as_bytes()) == "red"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"photo": 13 * MB}, "it is too long (16 MB)"),
        ({"notes": 3 * MB // 2}, "it is too long (1 MB)"),
        ({"text": "I say\n" * MB}, "it is too long (1 MB)"),
        ({"text": "\n", "photo": 2 * MB}, "it has no text"),
        ({"text": "\n", "page": f'<img src="data:image/png;base64,{"QUJD" * (MB // 2)}">'}, "(HTML)"),
    ],
)
def test_whoever_sends_too_much_is_told_and_nothing_of_it_counts(table, more, words):
    report = take(table.desk, beside(table, **more))
    assert [outcome.fate for outcome in report.emails] == ["quarantined"]
    (told,) = report.sent
    assert told.seat == "amber"
    assert words in " ".join(decode_mail(Path(told.file).read_bytes()).text.split())
    assert table.desk.read().sealed == []


def test_a_stranger_who_sends_too_much_is_told_nothing(table):
    message = changed(beside(table, photo=13 * MB), From="mallory@example.net")
    report = take(table.desk, message)
    assert [outcome.fate for outcome in report.emails] == ["quarantined"]
    assert report.sent == []


def test_press_and_wishes_are_taken_from_a_reply(table):
    press = "BEGIN PRESS to=all\nI vote red.\n> so you said\nEND PRESS"
    report = take(table.desk, reply(table, top=f"{{q}}: red\n{press}\nsend state"))
    assert [(outcome.fate, outcome.accepted, outcome.refused) for outcome in report.emails] == [("taken", 3, 0)]
    assert [message.text for message in table.desk.read().press] == ["I vote red.\n> so you said"]


def test_an_answer_beside_a_block_that_says_another_refuses_both(table):
    ours = table.ours["amber"]
    block = f"BEGIN ORDERS {ours.game} amber {ours.code}\n{ours.q}: blue\nEND ORDERS"
    assert table.answer(reply(table, top=f"I think this is best.\n{block}\nred is bad").as_bytes()) == "blue"
    assert table.answer(reply(table, top=f"{ours.q}: red\n\n{block}").as_bytes()) == ""
    assert table.answer(reply(table, top=block, edited="{q}: red").as_bytes()) == ""


def test_an_untouched_form_with_words_beside_it_is_no_answer(table):
    from pbem.orders.reply_form import form

    ours, referee = table.ours["amber"], table.session.referee
    old = form(referee, "amber", game=ours.game, code=ours.code)
    assert table.answer(reply(table, "alone", top=old).as_bytes()) == referee.domain("amber").default_text(
        referee.pending()[2].default
    )
    for beside in (f"I shall answer tomorrow\n{old}", f"{old}\nnot yet!"):
        assert table.answer(reply(table, "alone", top=beside).as_bytes()) == ""
    assert table.answer(reply(table, "alone", top=f"{ours.q}: red\n\n{old}").as_bytes()) == "red"


@pytest.mark.parametrize("words", ["No, wait please", "I'll answer tomorrow", "?"])
@pytest.mark.parametrize("kind", ["ours", "form", "old form"])
def test_an_attached_copy_of_our_letter_answers_nothing(table, words, kind):
    """Our text as a file of its own (a copy that was saved, an original that a program attached as text)."""
    from pbem.orders.reply_form import form

    ours, referee = table.ours["amber"], table.session.referee
    old = form(referee, "amber", game=ours.game, code=ours.code)
    copy = {"ours": ours.text, "form": f"{ours.q}: ?\n{ours.tag}", "old form": old}[kind]
    message = reply(table, "alone", top=words)
    message.add_attachment(copy, filename="letter.txt")
    assert table.answer(message.as_bytes()) == ""


# -- negotiations ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def talks(tmp_path_factory):
    """A save with an open negotiation, everybody told of it."""
    folder = tmp_path_factory.mktemp("talks")
    session = synthetic_mail.new_game(folder / "talks.toml", games.load("virgin_queen"), 6)
    synthetic_mail.play(session, lambda referee: isinstance(referee.now, Negotiate), Random(1))
    synthetic_mail.finish(session, folder)
    return folder / "talks.toml"


@pytest.fixture
def send(talks, tmp_path):
    """Take emails into a copy of the negotiation, `tmp_path / "talks.toml"`."""
    shutil.copytree(talks.parent, tmp_path, dirs_exist_ok=True)

    def send(*mails):
        box = tmp_path / f"{len(list(tmp_path.glob('*.mbox')))}.mbox"
        box.write_bytes(synthetic_mail.as_mbox(list(mails)))
        return ingest([tmp_path / "talks.toml"], [box], now=START.replace(hour=20), home=tmp_path)

    return send


def proposal_of(session):
    """Return something that the first seat may propose: the other party, and the order text."""
    domain = session.referee.domain(session.referee.asked()[0])
    return next(
        (value["to"] if "to" in value else value["partner"], domain.text(value))
        for seed in range(500)
        if isinstance(value := domain.sample(Random(seed).randrange), dict) and value["do"] == "propose"
    )


def test_done_does_not_close_him_to_a_proposal_that_he_has_not_read(send, tmp_path):
    save = tmp_path / "talks.toml"
    session = Session.open(save, games.load)
    asked = session.referee.asked()
    other, offer = proposal_of(session)
    early = write_email(session, other, ["done"], START, number=1, style=3)
    again = write_email(session, other, ["done"], START, number=2, style=3)
    propose = write_email(session, asked[0], [offer], START, number=3, style=3)
    report = send(propose, early)
    assert [(outcome.seat, outcome.fate) for outcome in report.emails] == [(asked[0], "taken"), (other, "refused")], (
        report.emails
    )
    assert other not in Session.open(save, games.load).referee.talk.done
    report = send(again)  # it still answers the letter of before
    assert [outcome.fate for outcome in report.emails] == ["refused"]
    now = Session.open(save, games.load)
    report = send(write_email(now, other, ["done"], START, number=4, style=3))
    assert [outcome.fate for outcome in report.emails] == ["taken"]
    assert other in Session.open(save, games.load).referee.talk.done


def test_the_parties_of_a_proposal_that_lapsed_read_it_at_once_and_nobody_else(send, tmp_path):
    save = tmp_path / "talks.toml"
    session = Session.open(save, games.load)
    asked = session.referee.asked()
    send(write_email(session, asked[0], [proposal_of(session)[1]], START, number=1, style=3))
    now = Session.open(save, games.load)
    (proposal,) = now.referee.talk.open.values()
    report = send(*(write_email(now, seat, ["done"], START, number=2, style=3) for seat in asked))
    assert Session.open(save, games.load).referee.q != now.referee.q
    texts = {sent.seat: decode_mail(Path(sent.file).read_bytes()).text for sent in report.sent}
    said = f"1 proposal has lapsed: {proposal.id}."
    assert {seat for seat, text in texts.items() if said in " ".join(text.split())} == set(proposal.parties)
    assert {seat for seat, text in texts.items() if proposal.id in text} == set(proposal.parties)


ANSWERS = ("pass", "Pass.", "パス", "no", "7", "13", "france,spain")
PROSE = ("Thanks!", "I can't go on, sorry", "pass it on to Ben please")


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("words", [*ANSWERS, *PROSE])
def test_an_answer_of_who_has_nothing_to_answer_is_told_so_and_prose_is_put_aside(send, tmp_path, words, left):
    """After leaving a negotiation (the others still talk), or when it is over and others are asked."""
    save = tmp_path / "talks.toml"
    session = Session.open(save, games.load)
    asked = session.referee.asked()
    leaving = asked[:1] if left else asked
    send(*(write_email(session, seat, ["done"], START, number=1, style=TAPPED) for seat in leaving))
    now = Session.open(save, games.load)
    assert (asked[0] in now.referee.waiting()) is False
    before = now.save.header.head
    report = send(write_email(now, asked[0], [words], START, number=2, style=TAPPED))
    fates = [outcome.fate for outcome in report.emails]
    is_answer = words in ANSWERS
    assert fates == (["stale"] if is_answer else ["quarantined"])
    assert len(Quarantine(tmp_path / "quarantine").index) == (not is_answer)
    assert load(save).header.head == before
    (text,) = (decode_mail(Path(sent.file).read_bytes()).text for sent in report.sent)
    said = "you have already left this negotiation" if left else "no question is open to you"
    assert (said in " ".join(text.split())) == is_answer
    assert "REJECTED" not in text


def test_who_has_still_something_to_answer_is_not_told_otherwise(send, tmp_path):
    session = Session.open(tmp_path / "talks.toml", games.load)
    report = send(write_email(session, session.referee.asked()[0], ["pass"], START, number=1, style=TAPPED))
    assert [outcome.fate for outcome in report.emails] == ["refused"]  # with what may be answered
    (text,) = (decode_mail(Path(sent.file).read_bytes()).text for sent in report.sent)
    assert "changes nothing" not in " ".join(text.split())
