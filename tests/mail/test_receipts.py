"""Receipts in letters: one clear account of all that a seat has sent, and what is open now, once."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from importlib.resources import files
from itertools import islice
from random import Random

from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.dev import synthetic_mail
from pbem.kernel.referee import AdvanceNote
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox.email_parts import answered, kept
from pbem.mail.save_index import code_of
from pbem.save import EmailPart, load
from tests.mail.desks import opened
from tests.toy import playing as toy
from tests.toy.letters import send

KEYS = re.compile(r'"((?:advance|standing|sealed|proposal)\.[a-z_]+)"')


def write(desk, seat, *lines, number=1, **more):
    return synthetic_mail.write_email(opened(desk), seat, list(lines), desk.now, number=number, style=3, **more)


def in_full(desk):
    """All seats want letters in full: with their receipts in detail."""
    session = opened(desk)
    for seat in session.save.seats:
        seat.letters = "full"
    session.commit()


def told(desk, *mails, name="r.mbox"):
    """Run the intake on these mails; by seat the letter that goes out: text and page."""
    folder = desk.folder / "outbox" / "new"
    before = {path.name for path in folder.glob("*")}
    desk.ingest(desk.box(mails, name) if mails else desk.folder / name)
    found = {}
    for path in sorted(folder.glob("*")):
        if path.name not in before:
            whole = message_from_bytes(path.read_bytes(), policy=policy.default)
            page = whole.get_body(("html",)).get_content()
            found[path.name.split(".")[1]] = (decode_mail(path.read_bytes()).text, page)
    return found


def ballot(desk):
    """The open question, a seat that reads English, and two of its answers."""
    referee = opened(desk).referee
    for seat in referee.asked():
        domain = referee.domain(seat)
        texts = [domain.text(value) for value in islice(domain.options(), 50)]
        plain = [text for text in texts if "=" not in text]  # no cards: their copies are told by their faces
        if len(plain) > 1 and seat != "green":
            return referee.q, seat, *plain[:2]
    raise LookupError


def one_line(text):
    return re.sub(r"\s+", " ", text)


def test_two_letters_of_a_seat_have_one_receipt_and_what_is_open_is_told_once(desk):
    in_full(desk)
    q, seat, war, peace = ballot(desk)
    first = write(desk, seat, f"{q}: {war}")
    second = write(desk, seat, f"{q}: {peace}, please", f"{q}: {peace}", number=2)
    third = write(desk, seat, f"{q}: {peace}", number=3)
    letters = told(desk, first, second, third)
    assert set(letters) == {seat}  # nothing has closed
    text, page = letters[seat]
    said = text.partition("WHAT HAS HAPPENED")[0]
    assert "RECEIPT FOR YOUR 3 EMAILS" in said
    marks = ["1. Your email of ", "2. Your email of ", "3. Your email of "]
    marks = [said.index(mark) for mark in marks]
    assert marks == sorted(marks)
    one, two, three = said[marks[0] : marks[1]], said[marks[1] : marks[2]], said[marks[2] :]
    assert f'"Re: [ballot] question {q}"' in one
    assert f"/ {q}: {war}\n    no longer in force: a later email" in one
    assert "None of your lines was accepted." in two
    assert f"  {q}: {peace}, please\n    Line " in two
    assert "Line " in two
    assert "'please' isn't a part of your answer" in one_line(two)
    assert f"Did you mean: {q}: {peace}" in two
    assert f"/ {q}: {peace}\n    sealed until question {q} closes" in three
    assert f"- {q}: {war}" in three  # replaced
    assert text.count("\nBy ") == 1
    assert "STILL OPEN" not in text
    assert f"Your answer is {peace}." in one_line(text)
    assert "RECEIPT FOR YOUR 3 EMAILS" in page
    (path,) = (desk.folder / "outbox" / "new").glob(f"ballot.{seat}.0002.*")
    assert "Rejected" not in decode_mail(path.read_bytes()).subject, "the last one counts"
    assert f"{q}: {peace}, please" in one_line(page)


def test_a_wholly_right_letter_is_answered_in_two_lines(desk):
    """What it says, the next turn's form, and the tag: the news waits for the next question."""
    q, seat, war, peace = ballot(desk)
    text, page = told(desk, write(desk, seat, f"{q}: {war}"))[seat]
    assert seat == "ivory"
    tag = f"[ballot {seat} {code_of(opened(desk).save, seat)}]"
    said, ahead, last = one_line(text).partition("Next turn (optional): ")
    assert said == (f"Accepted. 1630 Something · you are Ivory Your answer is {war}. You can change it until then. ")
    assert ahead
    assert last.endswith(f'"next:": next: ? {tag} ')
    assert f">{tag}</div>" in page
    assert "Accepted – you can change it until " in subject_to(desk, seat)
    text, _ = told(desk, write(desk, seat, f"{q}: {peace}", number=2), name="2.mbox")[seat]
    assert f"Your answer is {peace}." in text
    assert war not in text


def subject_to(desk, seat):
    *_, path = sorted((desk.folder / "outbox" / "new").glob(f"ballot.{seat}.*"))
    return decode_mail(path.read_bytes()).subject


def test_what_was_refused_stands_on_top_with_a_whole_line_to_copy(desk):
    q, seat, war, _ = ballot(desk)
    text, page = told(desk, write(desk, seat, f"{q}: {war}, please"))[seat]
    lines = text.splitlines()
    assert lines[:4] == ["Rejected. 1630 Something · you are Ivory", "", "You wrote", f"  {q}: {war}, please"]
    assert f"/ {q}: {war}" in lines  # to be copied, and no answer as it stands
    assert f"{q}: ?" in lines
    assert lines.index(f"{q}: ?") > lines.index(f"/ {q}: {war}")
    assert f"<code>{q}: {war}</code>" in page
    assert subject_to(desk, seat) == "[ballot] Rejected: please read"


def test_what_is_closed_by_the_end_of_the_run_is_not_told_as_sealed(desk):
    in_full(desk)
    answers = synthetic_mail.answers(opened(desk), Random(1))
    letters = told(desk, *(write(desk, seat, *lines) for seat, lines in answers.items()))
    for seat in answers:
        text, page = letters[seat]
        key = "sealed until" if seat != "green" else "封印します"
        assert key not in text + page
        closed = "which is closed now" if seat != "green" else "もう締め切られています"
        assert closed.replace(" ", "") in re.sub(r"\s", "", text)
    assert "あなたのメールの受領書" in letters["green"][0]
    assert "に届いたメール" in letters["green"][0]


def test_orders_that_the_moderator_typed_are_told_as_such(desk):
    in_full(desk)
    q, seat, war, _ = ballot(desk)
    (desk.folder / "typed.orders").write_text(f"BEGIN ORDERS ballot {seat}\n{q}: {war}\nEND ORDERS\n")
    text, _ = told(desk, name="typed.orders")[seat]
    assert "Entered for you by the moderator" in text
    assert "Your email of" not in text


def test_receipts_wait_in_the_save_as_data(desk):
    """For a seat without an address; written when it has one, in the words of that time."""
    in_full(desk)
    q, seat, war, _ = ballot(desk)
    session = opened(desk)
    info = session.save.seat(seat)
    address, info.addresses = info.addresses, []
    session.commit()
    for number, line in enumerate((f"{q}: {war}, please", f"{q}: {war}", "nonsense: 3"), 1):
        path = desk.folder / f"{number}.orders"
        path.write_text(f"BEGIN ORDERS ballot {seat}\n{line}\nEND ORDERS\n")
        assert told(desk, name=path.name) == {}
    drafts = load(desk.save).drafts
    assert len(drafts) == 3
    assert all(letter.text == "" and letter.receipt["seat"] == seat for letter in drafts)
    session = opened(desk)
    session.save.seat(seat).addresses = address
    session.commit()
    text, _ = told(desk, name="1.orders")[seat]
    assert "RECEIPT FOR YOUR 3 EMAILS" in text
    assert "'nonsense'" in text
    assert load(desk.save).drafts == []


# -- what has become of a line since ---------------------------------------------------------------------------------


def draft(receipt):
    return EmailPart(f"{receipt.seat}.x", receipt.seat, receipt=kept(receipt), subject="s")


def fates(receipts, game):
    letters, game.notes[:] = answered([draft(receipt) for receipt in receipts], game, game.notes)
    return [[(a.text, a.fate) for a in r.accepted] for letter in letters for r in letter.receipts]


def test_a_line_sent_ahead_and_used_in_the_same_run_is_told_as_used():
    game = toy.start()
    receipt = send(game, "france", "action: hold", via="<f>")
    assert fates([receipt], game) == [[("action: hold", "waiting")]]
    send(game, "england", "hold", via="<e>")
    assert game.q == 3
    assert [note.key for note in game.notes if note.seat == "france"] == ["advance.used"]
    assert fates([receipt], game) == [[("action: hold", "used")]]
    assert not [note for note in game.notes if note.seat == "france"]  # told once


def test_a_line_sent_ahead_that_turns_out_illegal_is_told_as_refused():
    game = toy.start()
    receipt = send(game, "france", "action: march vienna milan", via="<f>")
    send(game, "england", "hold", via="<e>")
    (letter,), _ = answered([draft(receipt)], game, game.notes)
    (now,) = letter.receipts
    assert now.verdict == "refused"
    assert [(refused.line, refused.text, refused.problem.rule) for refused in now.refused] == [
        (2, "action: march vienna milan", "3.1")
    ]


def test_a_line_that_a_later_letter_replaced_says_so():
    game = toy.start()
    one = send(game, "france", "action: hold", via="<1>")
    two = send(game, "france", "ballot: accept", via="<2>")
    assert fates([one, two], game) == [[("action: hold", "superseded")], [("ballot: accept", "waiting")]]


def test_a_line_that_was_cleared_after_it_was_held_is_not_told_as_waiting():
    game = toy.start()
    one = send(game, "france", "bold", "ballot: reject", via="<1>")
    two = send(game, "france", "clear", via="<2>")
    assert two.replaced == ["bold: ballot: reject"]
    assert fates([one, two], game)[0] == [("bold", "bold"), ("ballot: reject", "superseded")]


def test_several_blocks_of_one_letter_stand_under_it_together():
    game = toy.start()
    receipts = [send(game, "france", "ballot: accept", via="<1>") for _ in range(2)]
    assert [len(letter.receipts) for letter in answered([draft(receipt) for receipt in receipts], game, [])[0]] == [2]


def test_notes_that_are_no_receipts_business_stay():
    game = toy.start()
    receipt = send(game, "france", "ballot: accept", via="<1>")
    other = [AdvanceNote("spain", "advance.used", "x", None, "<1>", 2), AdvanceNote("france", "standing.used", "x")]
    game.notes[:] = other
    _, game.notes[:] = answered([draft(receipt)], game, game.notes)
    assert game.notes == other


def test_every_note_has_its_words():
    """Whatever the kernel, the orders and the save note, a letter can say it."""
    rooms = ("kernel/advance_orders.py", "kernel/referee.py", "orders/context.py", "save/rewind.py")
    texts = [files("pbem").joinpath(room).read_text("utf-8") for room in rooms]
    found = {key for text in texts for key in KEYS.findall(text)}
    assert {"advance.stale", "advance.rewound", "sealed.dropped", "standing.expired"} <= found
    for language in LANGUAGES:
        assert {f"note.{key}" for key in found} - set(messages("pbem.report", language)) == set()
