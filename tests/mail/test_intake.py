"""From a mailbox to letters: who gets what, once, and nothing that would tell a secret."""

from __future__ import annotations

from random import Random

from pbem.dev import synthetic_mail
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.quarantine import Quarantine
from pbem.mail.save_index import code_of
from tests.mail.desks import ballots, fates, opened, text_of

# ------------------------------------------------------------------ a whole round


def test_a_whole_round_in_one_mailbox(desk):
    report = desk.ingest(desk.box(desk.mails))
    assert [letter.fate for letter in report.emails].count("quarantined") == 1
    assert [letter.fate for letter in report.emails].count("stale") == 1
    assert [letter.fate for letter in report.emails].count("partly") == 1
    partly = next(letter for letter in report.emails if letter.fate == "partly")
    assert (partly.accepted, partly.refused) == (1, 2)
    assert {letter.fate for letter in report.emails} == {"taken", "partly", "stale", "quarantined"}
    assert sorted(letter.seat for letter in report.sent) == ["amber", "black", "green", "ivory"]
    assert not report.incomplete
    save = desk.read()
    assert save.header.n > 40
    assert save.outbox == []
    assert not save.header.unsent


def test_each_seat_gets_one_letter_with_its_receipts_and_its_prompt(desk):
    desk.ingest(desk.box(desk.mails))
    letters = desk.letters()
    assert len(letters) == 4
    session = opened(desk)
    asked = session.referee.asked()
    for name, raw in letters.items():
        seat = name.split(".")[1]
        code = code_of(session.save, seat)
        assert f"\n[ballot {seat} {code}]\n" in text_of(raw)
        assert (f"\n{session.referee.q}: ?\n" in text_of(raw)) == (seat in asked)


def test_the_same_mailbox_again_changes_nothing(desk):
    box = desk.box(desk.mails)
    first = desk.ingest(box)
    before = desk.everything()
    again = desk.ingest(box)
    assert desk.everything() == before
    assert again.idle
    assert again.known == len(first.emails)


def test_one_letter_at_a_time_is_the_same_game(desk, make_desk):
    for number, mail in enumerate(desk.mails):
        desk.ingest(desk.box([mail], f"{number}.mbox"))
    other = make_desk()
    other.ingest(other.box(other.mails))
    assert [m.answer for m in desk.read().moves] == [m.answer for m in other.read().moves]
    assert desk.read().header.head == other.read().header.head


def test_letters_in_a_maildir_are_taken_in_order_of_delivery(desk):
    folder = desk.folder / "in"
    for name in ("new", "cur", "tmp"):
        (folder / name).mkdir(parents=True)
    for number, mail in enumerate(desk.mails):
        (folder / "new" / f"{mail.at.timestamp():.0f}.{number}.host").write_bytes(mail.raw)
    report = desk.ingest(folder)
    assert not report.incomplete
    assert desk.read().header.n > 40


def test_a_dry_run_writes_nothing_and_shows_everything(desk):
    box = desk.box(desk.mails)
    before = desk.everything()
    dry = desk.ingest(box, dry_run=True)
    assert desk.everything() == before
    real = desk.ingest(box)
    assert fates(dry) == fates(real)
    assert [(s.seat, s.subject) for s in dry.sent] == [(s.seat, s.subject) for s in real.sent]
    for shown, raw in zip(dry.sent, desk.letters().values(), strict=True):
        assert shown.text.strip() == text_of(raw).strip()


# ------------------------------------------------------------------ sealed questions


def test_a_sealed_answer_that_does_not_close_is_nobody_elses_news(desk):
    letters = ballots(desk)
    for seat, mail in list(letters.items())[:-1]:
        report = desk.ingest(desk.box([mail], f"{seat}.mbox"))
        assert [letter.seat for letter in report.sent] == [seat]
    last = list(letters)[-1]
    report = desk.ingest(desk.box([letters[last]], "last.mbox"))
    # The writer hears that he was heard, and whoever is asked next is asked; for the others the result waits.
    assert {letter.seat for letter in report.sent} == {last, *opened(desk).referee.asked()}


def test_the_receipt_of_the_last_vote_reads_like_that_of_the_first(make_desk):
    receipts = {}
    for first in (True, False):
        desk = make_desk()
        letters = ballots(desk)
        mine = next(iter(letters))
        before = [] if first else [letters[seat] for seat in letters if seat != mine]
        desk.ingest(desk.box(before, "before.mbox"))
        receipts[first] = desk.ingest(desk.box([letters[mine]], "mine.mbox")).emails[0].receipt
    assert receipts[True] == receipts[False]


def test_who_voted_what_is_in_no_letter_before_the_ballot_closes(desk):
    letters = ballots(desk)
    seat, mail = next(iter(letters.items()))
    before = {player.id: (player.seen, player.told_q) for player in desk.read().seats if player.id != seat}
    desk.ingest(desk.box([mail]))
    assert {player.id: (player.seen, player.told_q) for player in desk.read().seats if player.id != seat} == before
    assert [name.split(".")[1] for name in desk.letters()] == [seat]


def test_no_letter_names_another_player_or_his_address(desk):
    desk.ingest(desk.box(desk.mails))
    people = {player.id: player for player in desk.read().seats}
    for name, raw in desk.letters().items():
        seat = name.split(".")[1]
        whole = raw.decode("ascii") + text_of(raw)
        for other in people.values():
            if other.id != seat:
                assert other.addresses[0] not in whole
                assert other.name not in text_of(raw)


# ------------------------------------------------------------------ the moderator


def test_a_released_letter_is_taken_in(desk):
    session = opened(desk)
    answer = synthetic_mail.answers(session, Random(2))["amber"]
    mail = synthetic_mail.write_email(session, "amber", answer, desk.now, sender="anna@phone.example")
    (held,) = [letter.held for letter in desk.ingest(desk.box([mail])).emails]
    from pbem.mail.inbox.inbox_run import InboxRun

    run = InboxRun([desk.folder], now=desk.now)
    run.release(held[:5], add_address=True)
    report = run.finish()
    assert fates(report) == [("amber", "taken")]
    assert desk.read().seat("amber").addresses == ["anna@example.org", "anna@phone.example"]
    assert [kept.state for kept in Quarantine(desk.folder / "quarantine").listed(everything=True)] == ["released"]
    assert desk.ingest(desk.folder / "box.mbox").idle
    session = opened(desk)
    later = synthetic_mail.write_email(session, "amber", answer, desk.now, sender="anna@phone.example", number=1)
    assert fates(desk.ingest(desk.box([later], "later.mbox"))) == [("amber", "taken")]


def test_a_move_file_needs_no_code_but_a_stale_one_bounces(desk):
    session = opened(desk)
    answers = synthetic_mail.answers(session, Random(4))
    blocks = ["\n".join([f"BEGIN ORDERS ballot {seat}", *lines, "END ORDERS", ""]) for seat, lines in answers.items()]
    file = desk.folder / "moves.orders"
    file.write_text("".join(blocks), "utf-8")
    report = desk.ingest(file)
    assert [letter.fate for letter in report.emails] == ["taken"] * 4
    assert len(report.sent) == 4
    assert desk.ingest(file).idle
    old = desk.folder / "old.orders"
    code = code_of(desk.read(), "amber", 3)
    old.write_text(f"BEGIN ORDERS ballot amber {code}\n3: pass\nEND ORDERS\n", "utf-8")
    assert [letter.fate for letter in desk.ingest(old).emails] == ["stale"]


def test_a_move_file_for_no_game_of_ours_is_refused_with_the_names_of_those_there_are(desk):
    file = desk.folder / "x.orders"
    file.write_text("BEGIN ORDERS elsewhere amber\n1: pass\nEND ORDERS\n", "utf-8")
    (one,) = desk.ingest(file).emails
    assert one.fate == "wrong"
    assert "ballot" in one.why


# ------------------------------------------------------------------ press


def test_press_is_relayed_by_the_name_of_the_seat(desk):
    session = opened(desk)
    lines = ["BEGIN PRESS to=all", "Vote red with me.", "BEGIN ORDERS ballot black 1111-2222", "END PRESS"]
    mail = synthetic_mail.write_email(session, "amber", lines[:2] + lines[3:], desk.now)
    report = desk.ingest(desk.box([mail]))
    assert sorted(letter.seat for letter in report.sent) == ["amber", "black", "green", "ivory"]
    raw = next(raw for name, raw in desk.letters().items() if ".black." in name)
    assert "| Vote red with me." in text_of(raw)
    assert "PRESS FROM Amber to everybody" in text_of(raw)
    assert "anna" not in (raw.decode("ascii") + text_of(raw)).casefold()


def test_press_to_all_reaches_all_but_its_writer(desk):
    session = opened(desk)
    mail = synthetic_mail.write_email(session, "amber", ["BEGIN PRESS to=all", "Peace!", "END PRESS"], desk.now)
    report = desk.ingest(desk.box([mail]))
    assert sorted(letter.seat for letter in report.sent) == ["amber", "black", "green", "ivory"]
    for name, raw in desk.letters().items():
        assert ("| Peace!" in text_of(raw)) == (".amber." not in name)


# ------------------------------------------------------------------ threads


def test_letters_thread_by_game_and_seat(desk):
    root = desk.read().seat("amber").told.first
    letters = ballots(desk)
    desk.ingest(desk.box([letters["amber"]]))
    (raw,) = desk.letters().values()
    answered = decode_mail(letters["amber"].raw).message_id
    found = decode_mail(raw)
    assert found.references[0] == root
    assert found.references[-1] == found.in_reply_to == answered
    assert found.automatic == "auto-submitted"
    assert b"Auto-Submitted: auto-replied" in raw


def test_a_letter_is_the_same_bytes_whenever_it_is_written(make_desk):
    one, two = make_desk(), make_desk()
    for desk in (one, two):
        desk.ingest(desk.box(desk.mails))
    assert one.letters() == two.letters()
