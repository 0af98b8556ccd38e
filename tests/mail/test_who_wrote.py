"""Who wrote: codes, secrets, forged letters, and what is never answered."""

from __future__ import annotations

import os
import re
from datetime import timedelta
from email.utils import format_datetime
from itertools import islice
from random import Random

import msgspec
import pytest

from pbem.dev import synthetic_mail
from pbem.mail import quarantine
from pbem.mail.inbox import parse
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.pipeline import STRANGERS
from pbem.mail.outbox.email_parts import NOTICES
from pbem.mail.quarantine import Quarantine
from pbem.mail.save_index import code_of
from pbem.orders.parser import form_mark, read
from tests.mail.desks import ballots, fates, opened, text_of
from tests.mail.ticks import set_policy

# ------------------------------------------------------------------ identity


def test_a_forged_letter_is_put_aside_and_its_victim_told(desk):
    session = opened(desk)
    asked = session.referee.asked()
    forged = synthetic_mail.write_email(session, asked[0], ["1: pass"], desk.now, code="1234-5678")
    report = desk.ingest(desk.box([forged]))
    assert fates(report) == [(asked[0], "quarantined")]
    assert [letter.seat for letter in report.sent] == [asked[0]]
    held = Quarantine(desk.folder / "quarantine").listed()
    assert [kept.reason for kept in held] == ["wrong-code"]
    assert desk.read().sealed == []
    (raw,) = desk.letters().values()
    assert "1: pass" not in text_of(raw)


def test_a_right_code_from_a_strange_address_is_put_aside_and_the_seat_told(desk):
    mail = next(iter(ballots(desk).items()))
    seat, session = mail[0], opened(desk)
    stolen = synthetic_mail.write_email(session, seat, ["1: pass"], desk.now, sender="mallory@evil.example")
    report = desk.ingest(desk.box([stolen]))
    assert fates(report) == [(seat, "quarantined")]
    (raw,) = desk.letters().values()
    assert decode_mail(raw).to == (session.save.seat(seat).addresses[0],)
    assert "mallory" not in raw.decode("ascii") + text_of(raw)


def test_nobody_answers_a_stranger(desk):
    session = opened(desk)
    mail = synthetic_mail.write_email(
        session, "amber", ["1: pass"], desk.now, code="1234-5678", sender="x@evil.example"
    )
    spam = b"From: x@evil.example\nMessage-ID: <s@x>\nSubject: buy\n\nBuy now\n"
    report = desk.ingest(desk.box([mail, msgspec.structs.replace(mail, raw=spam)]))
    assert [letter.fate for letter in report.emails] == ["quarantined", "quarantined"]
    assert report.sent == []
    assert desk.read().intake == []


@pytest.mark.parametrize(
    "header", ["Auto-Submitted: auto-replied", "Precedence: bulk", "List-Id: <l.example>", "X-Autoreply: yes"]
)
def test_automatic_mail_is_never_answered_even_with_a_right_code(desk, header):
    mail = next(iter(ballots(desk).values()))
    raw = header.encode() + b"\r\n" + mail.raw
    report = desk.ingest(desk.box([msgspec.structs.replace(mail, raw=raw)]))
    assert fates(report) == [(("", "quarantined"))]
    assert report.sent == []
    assert desk.read().sealed == []


@pytest.mark.parametrize("subject", ["Vacation: my orders", "Out of office", "自動返信：命令"])
def test_orders_with_a_right_code_count_whatever_their_subject_looks_like(desk, subject):
    seat, mail = next(iter(ballots(desk).items()))
    raw = re.sub(rb"Subject: [^\r\n]*", b"Subject: " + subject.encode(), mail.raw, count=1)
    report = desk.ingest(desk.box([msgspec.structs.replace(mail, raw=raw)]))
    assert fates(report) == [(seat, "taken")]


def test_our_own_address_is_never_answered(desk):
    session = opened(desk)
    mail = synthetic_mail.write_email(session, "amber", ["1: pass"], desk.now, sender=synthetic_mail.HOME)
    report = desk.ingest(desk.box([mail]))
    assert [letter.why for letter in report.emails] == ["comes from our own address; never answered"]
    assert report.sent == []


def test_notices_end_before_they_become_a_loop(desk):
    session = opened(desk)
    sent = 0
    for number in range(NOTICES + 3):
        mail = synthetic_mail.write_email(session, "amber", ["1: pass"], desk.now, code="1234-5678", number=number)
        sent += len(desk.ingest(desk.box([mail], f"{number}.mbox")).sent)
    assert sent == NOTICES
    assert len(Quarantine(desk.folder / "quarantine").listed()) == NOTICES + 3
    desk.ingest(desk.box([ballots(desk)["amber"]], "good.mbox"))
    mail = synthetic_mail.write_email(session, "amber", ["1: pass"], desk.now, code="1234-5678", number=99)
    assert len(desk.ingest(desk.box([mail], "bad.mbox")).sent) == 1


def test_the_seats_secret_stands_in_for_a_code(desk):
    session = opened(desk)
    session.save.seat("amber").secret = "feedfacefeedface"
    session.commit()
    answer = synthetic_mail.answers(session, Random(2))["amber"]
    good = synthetic_mail.write_email(session, "amber", answer, desk.now, code="feedfacefeedface")
    bad = synthetic_mail.write_email(session, "amber", answer, desk.now, code="feedfacefeedfacf", number=1)
    assert [letter.fate for letter in desk.ingest(desk.box([good, bad])).emails] == ["taken", "quarantined"]


def test_another_address_of_the_list_will_do_whatever_its_case(desk):
    session = opened(desk)
    session.save.seat("amber").addresses.append("anna@work.example")
    session.commit()
    answer = synthetic_mail.answers(session, Random(2))["amber"]
    mail = synthetic_mail.write_email(session, "amber", answer, desk.now, sender="ANNA@Work.Example")
    report = desk.ingest(desk.box([mail]))
    assert fates(report) == [("amber", "taken")]
    assert decode_mail(next(iter(desk.letters().values()))).to == ("anna@example.org",)


def test_a_seat_cannot_write_for_another(desk):
    session = opened(desk)
    mail = synthetic_mail.write_email(session, "amber", ["1: pass"], desk.now, sender="ben@example.com")
    report = desk.ingest(desk.box([mail]))
    assert fates(report) == [("amber", "quarantined")]
    assert desk.read().sealed == []


def test_a_stale_reply_changes_nothing_and_is_answered(desk):
    session = opened(desk)
    save = session.save
    mail = synthetic_mail.write_email(
        session, "amber", ["pass"], desk.now, code=code_of(save, "amber", save.header.q - 1)
    )
    report = desk.ingest(desk.box([mail]))
    assert fates(report) == [("amber", "stale")]
    assert [letter.seat for letter in report.sent] == ["amber"]
    assert desk.read().header.head == save.header.head


@pytest.mark.parametrize(
    ("reason", "words", "change"),
    [("too-long", "400,000 characters", lambda raw: raw + b"x" * 70 + b"\n" + b"all of the last letter\n" * 20_000)],
)
def test_a_letter_that_is_not_read_is_answered_with_the_reason(desk, reason, words, change):
    session = opened(desk)
    mail = synthetic_mail.write_email(session, "amber", ["29: pass"], desk.now)
    report = desk.ingest(desk.box([msgspec.structs.replace(mail, raw=change(mail.raw))]))
    (held,) = Quarantine(desk.folder / "quarantine").listed()
    assert held.reason == reason
    assert [outgoing.seat for outgoing in report.sent] == ["amber"]
    (letter,) = desk.letters().values()
    assert words in " ".join(text_of(letter).split())
    assert "html_only" not in text_of(letter)
    assert desk.read().header.head == session.save.header.head


def test_a_letter_of_html_alone_is_read(desk):
    session = opened(desk)
    mail = synthetic_mail.write_email(session, "amber", ["29: red"], desk.now, style=1)
    raw = mail.raw.replace(b"text/plain", b"text/html").replace(b"\r\n\r\n", b"\r\n\r\n<pre>", 1)
    report = desk.ingest(desk.box([msgspec.structs.replace(mail, raw=raw)]))
    assert fates(report) == [("amber", "taken")]


def test_an_empty_letter_is_told_so_and_what_was_in_it_that_is_not_read(desk):
    mail = synthetic_mail.write_email(opened(desk), "amber", ["29: pass"], desk.now)
    sender = f"From: {opened(desk).save.seat('amber').addresses[0]}\n"
    empty = f"{sender}Message-ID: <1@x.example>\n\n\n"
    picture = f"{sender}Message-ID: <2@x.example>\nContent-Type: image/png; name=orders.png\n\nx\n"
    box = [msgspec.structs.replace(mail, raw=raw.encode()) for raw in (empty, picture)]
    desk.ingest(desk.box(box))
    held = Quarantine(desk.folder / "quarantine").listed()
    assert [(kept.reason, kept.detail) for kept in held] == [("no-text", ""), ("no-text", "orders.png")]
    (letter,) = desk.letters().values()
    assert " ".join(text_of(letter).split()).count("it has no text") == 2
    assert "no_text" not in text_of(letter)


def test_a_letter_that_a_full_disk_does_not_take_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            quarantine.write_durably(tmp_path / "tmp", tmp_path / "new", b"x" * 5000)
    assert list(tmp_path.iterdir()) == []


def test_a_long_subject_of_a_letter_put_aside_is_cut_visibly(desk):
    mail = synthetic_mail.write_email(opened(desk), "amber", ["29: pass"], desk.now)
    raw = re.sub(rb"(?m)^Subject: .*", b"Subject: " + b"word " * 30, mail.raw)
    raw = raw.replace(b"BEGIN", b"BEGN").replace(b"29: ", b"29 ")
    desk.ingest(desk.box([msgspec.structs.replace(mail, raw=raw)]))
    (letter,) = desk.letters().values()
    told = " ".join(text_of(letter).partition("Rejected (in quarantine):")[2].partition("You wrote")[0].split())
    assert told.endswith("...")


def test_a_japanese_letter_says_in_japanese_what_goes_where(desk):
    """The words to be typed stay as they are, with their names next to them."""
    set_policy(desk, "grace")
    session = opened(desk)
    seat = next(player for player in session.save.seats if player.language == "ja")
    desk.ingest(desk.box([synthetic_mail.write_email(session, seat.id, [f"{session.referee.q}: nonsense"], desk.now)]))
    (raw,) = desk.letters().values()
    text = text_of(raw)
    assert "受け付けられませんでした" in text
    assert "可能なもの：" in text
    assert all(named in text.replace("\n", "") for named in ("red (赤)", "blue (青)"))
    assert "無回答なら：" in text
    assert "遅くとも" in text.replace("\n", "")


def test_notices_come_again_after_a_week(desk):
    """Three forged letters must not keep a player from ever hearing of a mistake of his own."""
    session, sent = opened(desk), []
    for number in range(NOTICES + 2):
        if number == NOTICES + 1:
            desk.now += timedelta(days=8)
        mail = synthetic_mail.write_email(session, "amber", ["1: pass"], desk.now, code="1234-5678", number=number)
        sent.append(len(desk.ingest(desk.box([mail], f"{number}.mbox")).sent))
    assert sent == [1] * NOTICES + [0, 1]


@pytest.mark.parametrize("stamped", [b"Date", b"Received"])
def test_a_letter_without_message_id_may_be_sent_again(desk, stamped):
    """A, then B, then A again: the last one counts and has its receipt; the same mailbox again changes nothing."""
    session = opened(desk)
    seat, domain = "amber", session.referee.domain("amber")
    votes = list(islice(domain.options(), 2))
    mails = []
    for number, vote in enumerate([votes[0], votes[1], votes[0]]):
        line = f"{session.referee.q}: {domain.text(vote)}"
        at = desk.now + timedelta(minutes=number)
        mail = synthetic_mail.write_email(session, seat, [line], at, number=number)
        raw = re.sub(rb"(Message-ID|Date|Received): [^\r\n]*\r\n(\s+[^\r\n]*\r\n)*", b"", mail.raw)
        said = format_datetime(at).encode()
        head = b"Date: " + said if stamped == b"Date" else b"Received: from x by y; " + said
        mails.append(msgspec.structs.replace(mail, raw=head + b"\r\n" + raw))
    box = desk.box(mails)
    desk.now += timedelta(hours=1)
    report = desk.ingest(box)
    assert fates(report) == [(seat, "taken")] * 3
    assert [sealed.answer for sealed in desk.read().sealed] == [votes[0]]
    assert desk.ingest(box).known == 3


def renewed(desk, seat):
    """The code of a seat before and after; the text of the one letter that went out."""
    before = code_of(desk.read(), seat)
    return before, lambda: (code_of(desk.read(), seat), text_of(next(iter(desk.letters().values()))))


def test_a_code_used_by_another_is_void_and_its_owner_gets_a_new_one(desk):
    """He hears no more than that: not who wrote, nor about what."""
    stolen = ballots(desk)["amber"]
    raw = re.sub(rb"Subject: [^\r\n]*", b"Subject: you owe me", stolen.raw, count=1)
    thief = raw.replace(stolen.sender.encode(), b"mallory@evil.example")
    old, now = renewed(desk, "amber")
    report = desk.ingest(desk.box([msgspec.structs.replace(stolen, raw=thief)]))
    assert [letter.fate for letter in report.emails] == ["quarantined"]
    assert [letter.seat for letter in report.sent] == ["amber"]
    fresh, text = now()
    assert fresh != old
    assert "was used in an email from an address" in " ".join(text.split())
    assert fresh in text
    for secret in (old, "owe me", "mallory", "evil", "your address"):
        assert secret not in text, secret
    # The old code is dead, for the thief and for a letter of the owner that was under way; the new one counts.
    assert [letter.fate for letter in desk.ingest(desk.box([stolen], "2.mbox")).emails] == ["stale"]
    assert desk.read().sealed == []
    again = synthetic_mail.write_email(opened(desk), "amber", [], desk.now, sender="mallory@evil.example", code=old)
    assert [letter.fate for letter in desk.ingest(desk.box([again], "3.mbox")).emails] == ["quarantined"]
    assert code_of(desk.read(), "amber") == fresh, "a dead code is worth nothing"
    assert [letter.fate for letter in desk.ingest(desk.box([ballots(desk)["amber"]], "4.mbox")).emails] == ["taken"]


@pytest.mark.parametrize("thief_comes", ["in a run before", "first", "last"])
def test_press_with_a_code_that_was_used_by_another_is_relayed_or_comes_back(desk, thief_comes):
    """Such a letter counts as `taken` if its press was relayed, and as `stale` if its writer has got it back."""
    press = ["BEGIN PRESS to=all", "shall we?", "END PRESS"]
    mine = synthetic_mail.write_email(opened(desk), "amber", press, desk.now)
    thief = msgspec.structs.replace(mine, raw=mine.raw.replace(mine.sender.encode(), b"mallory@evil.example"))
    if thief_comes == "in a run before":
        desk.ingest(desk.box([thief]))
        report = desk.ingest(desk.box([mine], "2.mbox"))
    else:
        report = desk.ingest(desk.box([thief, mine] if thief_comes == "first" else [mine, thief]))
    (fate,) = (letter.fate for letter in report.emails if letter.seat == "amber" and letter.fate != "quarantined")
    relayed = [message.text for message in desk.read().press]
    told = "\n".join(map(text_of, desk.letters().values()))
    if thief_comes == "last":
        assert (fate, relayed) == ("taken", ["shall we?"])
    else:
        assert (fate, relayed) == ("stale", [])
        assert "| shall we?" in told
        assert "All your lines were accepted" not in told


def test_a_code_used_by_another_player_tells_each_his_own(desk):
    letters = ballots(desk)
    theirs = letters["black"].sender
    mail = msgspec.structs.replace(
        letters["amber"], raw=letters["amber"].raw.replace(letters["amber"].sender.encode(), theirs.encode())
    )
    report = desk.ingest(desk.box([mail]))
    assert sorted(letter.seat for letter in report.sent) == ["amber", "black"]
    told = {name.split(".")[1]: " ".join(text_of(raw).split()) for name, raw in desk.letters().items()}
    assert "names a seat that isn't yours" in told["black"]
    assert "was used in an email from an address" not in told["black"]
    assert "was used in an email from an address" in told["amber"]
    assert "names a seat" not in told["amber"]


def test_a_secret_used_by_another_is_replaced(desk):
    session = opened(desk)
    session.save.seat("amber").secret = "0123456789abcdef"
    session.commit()
    mail = synthetic_mail.write_email(
        opened(desk), "amber", ["1: pass"], desk.now, code="0123456789abcdef", sender="m@evil.example"
    )
    desk.ingest(desk.box([mail]))
    fresh = desk.read().seat("amber").secret
    assert fresh != "0123456789abcdef"
    texts = [text_of(raw) for name, raw in desk.letters().items() if ".amber." in name]
    assert len(texts) == 1
    assert fresh in texts[0]
    assert not any(fresh in text_of(raw) for name, raw in desk.letters().items() if ".amber." not in name)


def test_a_letter_of_comments_is_not_told_that_its_lines_were_taken(desk):
    mail = synthetic_mail.write_email(opened(desk), "amber", ["#29 pass"], desk.now)
    desk.ingest(desk.box([mail]))
    (letter,) = desk.letters().values()
    assert "your order block has no orders" in " ".join(text_of(letter).split())
    assert "All your lines were accepted" not in text_of(letter)


def test_an_answer_from_a_new_address_is_told_for_what_it_is(desk):
    """As a reply, that is without a block: the moderator is told whose it is, its seat that the code was used."""
    session = opened(desk)
    answers = synthetic_mail.answers(session, Random(2))
    seat, lines = next(iter(answers.items()))
    code = code_of(session.save, seat)
    raw = f"From: A <a@phone.example>\nMessage-ID: <1@x>\nSubject: Re\n\n{lines[0]}\n\n> [ballot {seat} {code}]\n"
    (desk.folder / "1.eml").write_text(raw)
    report = desk.ingest(desk.folder / "1.eml")
    assert fates(report) == [(seat, "quarantined")]
    assert "has no orders" not in report.emails[0].why
    (kept,) = Quarantine(desk.folder / "quarantine").listed()
    assert (kept.game, kept.seat, kept.coded) == ("ballot", seat, True)
    assert [letter.seat for letter in report.sent] == [seat]
    run = InboxRun([desk.folder], now=desk.now)
    run.release(kept.id, add_address=True)
    assert fates(run.finish()) == [(seat, "taken")]
    assert [move.seat for move in desk.read().sealed] == [seat]
    assert "a@phone.example" in desk.read().seat(seat).addresses


def test_a_stranger_who_only_names_a_seat_moves_nothing(desk):
    """Neither by a tag with a made-up code nor by one of another seat's letters."""
    session = opened(desk)
    seat, other = session.referee.asked()[:2]
    code = code_of(session.save, other)
    for number, tag in enumerate((f"[ballot {seat} 1234-5678]", f"[ballot {seat} {code}]", f"[chess {seat} {code}]")):
        raw = f"From: A <a@phone.example>\nMessage-ID: <{number}@x>\nSubject: Re\n\npass\n\n> {tag}\n"
        (desk.folder / f"{number}.eml").write_text(raw)
        report = desk.ingest(desk.folder / f"{number}.eml")
        assert [letter.fate for letter in report.emails] == ["quarantined"]
        assert report.sent == []
    assert not any(kept.coded for kept in Quarantine(desk.folder / "quarantine").listed())


@pytest.mark.parametrize("whose", ["", "amber"])
def test_a_released_letter_does_not_speak_for_several_seats_unasked(desk, whose):
    """The moderator vouches for who wrote it; what it says in others' names counts for none of them."""
    session = opened(desk)
    answers = synthetic_mail.answers(session, Random(2))
    block = "\n".join(["BEGIN ORDERS ballot black", *answers["black"], "END ORDERS"])
    mail = synthetic_mail.write_email(session, "amber", answers["amber"], desk.now, sender="anna@phone.example")
    raw = mail.raw.replace(b"END ORDERS", f"END ORDERS\r\n\r\n{block}".encode(), 1)
    (held,) = {letter.held for letter in desk.ingest(desk.box([msgspec.structs.replace(mail, raw=raw)])).emails}
    run = InboxRun([desk.folder], now=desk.now)
    if not whose:
        with pytest.raises(quarantine.QuarantineError, match="amber, black: name its seat with --seat"):
            run.release(held)
    else:
        run.release(held, seat=whose)
    run.finish()
    assert {move.seat for move in desk.read().sealed} <= {whose}


@pytest.mark.parametrize(("size", "seen"), [(75_000, [75_000] * 2 + [STRANGERS] * 2), (390_000, [])])
def test_quoted_forms_by_the_thousand_cost_little(desk, monkeypatch, size, seen):
    """The beginnings of forms; of a stranger's letter hardly anything is read, of thousands of lines nothing."""
    head = f"BEGIN ORDERS ballot amber 1234-5678\n> {form_mark([], [])}\n"
    text = f"> {head}" * 7_000
    mails = []
    for sender in ("anna@example.org", "x@evil.example"):
        raw = (
            f"From: {sender}\nMessage-ID: <{sender}>\nSubject: x\n"
            f"Content-Type: multipart/mixed; boundary=b\n\n--b\n\n{text[:size]}\n"
            f"--b\nContent-Type: text/plain; name=a.txt\n\n{text[:size]}\n--b--\n"
        )
        mails.append(synthetic_mail.SyntheticEmail(desk.now, sender, raw.encode()))
    lengths = []
    monkeypatch.setattr(parse, "read", lambda text: lengths.append(len(text)) or read(text))
    report = desk.ingest(desk.box(mails))
    assert [letter.fate for letter in report.emails] == ["quarantined"] * 2
    assert lengths == seen
