"""Press and agreements: relayed under the names of seats, gated by the game, given back intact."""

from __future__ import annotations

from random import Random

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.kernel.questions import AskAll
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox import press as limits
from pbem.mail.outbox.mime_message import StoredEmail
from pbem.save import Session, load
from tests.mail.desks import opened


@pytest.fixture
def turn(desk):
    """The game between two ballots: somebody's turn."""
    session = Session.open(desk.save, games.load)
    synthetic_mail.play(session, lambda referee: referee.pending()[0].pace == "turn", Random(2))
    session.commit()
    desk.ingest(desk.box([]))
    return desk


def send(desk, seat, *lines, code="", name="p.mbox", number=1):
    session = opened(desk)
    mail = synthetic_mail.write_email(session, seat, list(lines), desk.now, code=code, number=number)
    before = {path.name for path in (desk.folder / "outbox" / "new").glob("*")}
    report = desk.ingest(desk.box([mail], name))
    new = [p for p in (desk.folder / "outbox" / "new").glob("*") if p.name not in before]
    return report, {p.name.split(".")[1]: decode_mail(p.read_bytes()) for p in new}


def press(to, *text):
    return [f"BEGIN PRESS to={to}", *text, "END PRESS"]


def seats(desk):
    return [seat.id for seat in opened(desk).save.seats]


def test_private_press_reaches_one_seat_and_carries_no_address(turn):
    a, b, *_ = seats(turn)
    _, letters = send(turn, a, *press(b, "Shall we?", "Yes."))
    assert set(letters) == {a, b}
    raw = letters[b].text
    assert "| Shall we?" in raw
    assert f"BEGIN PRESS to={a}" in " ".join(raw.split())  # how to answer it
    assert "BEGIN PRESS" not in letters[a].text.partition("BEGIN ORDERS")[0].replace(f"BEGIN PRESS to={b}", "")
    save = load(turn.save)
    for address in save.seat(a).addresses:
        assert address not in raw
    assert save.seat(a).name not in raw


def test_during_an_open_ballot_talk_is_public(desk):
    session = opened(desk)
    assert isinstance(session.referee.now, AskAll)
    a, b, *_ = session.referee.asked()
    report, letters = send(desk, a, *press(b, "Vote with me;", "  I pay."), *press("all", "I vote red!"))
    own = letters[a].text
    assert [letter.refused for letter in report.emails] == [1]
    assert "| Vote with me;\n|   I pay." in own  # comes back with its text intact
    assert "I pay" not in letters[b].text
    assert "| I vote red!" in letters[b].text
    assert "BEGIN PRESS to=all" in " ".join(letters[b].text.split())


def test_press_under_an_older_code_is_sent(turn):
    from pbem.mail.save_index import code_of

    session = opened(turn)
    a, b, *_ = [seat for seat in seats(turn) if seat in session.referee.asked()] + seats(turn)
    old, q = code_of(session.save, a, session.referee.q - 1), session.referee.q
    lines = ["pass", f"{q - 1}: pass", "clear", *press(b, "Not too late.")]
    report, _ = send(turn, a, *lines, code=old)
    assert [(letter.fate, letter.accepted, letter.refused) for letter in report.emails] == [("partly", 1, 3)]
    assert [message.text for message in load(turn.save).press] == ["Not too late."]


def test_no_answer_goes_under_an_older_code(turn):
    """Not to the open question by its number, nor by its kind, nor ahead, nor by a standing answer that fits it."""
    from pbem.mail.save_index import code_of

    session = opened(turn)
    a, b, *_ = [seat for seat in seats(turn) if seat in session.referee.asked()] + seats(turn)
    old, q = code_of(session.save, a, session.referee.q - 1), session.referee.q
    asked = session.referee.pending_to(a)
    domain = session.referee.domain(a)
    text = domain.text(domain.sample(Random(1).randrange))
    before = load(turn.save)
    lines = [
        f"{q}: {text}",
        f"{asked.kind}: {text}",
        f"{q + 70}: {text}",
        f"standing {asked.kind}: {text}",
        "resume",
        *press(b, "Hello."),
    ]
    report, letters = send(turn, a, *lines, code=old)
    assert [(letter.fate, letter.accepted, letter.refused) for letter in report.emails] == [("partly", 1, 5)]
    save = load(turn.save)
    assert (save.header.n, save.header.q, save.queue, save.sealed, save.standing) == (
        before.header.n,
        before.header.q,
        before.queue,
        before.sealed,
        before.standing,
    )
    assert [message.text for message in save.press] == ["Hello."]
    assert "最新のメールに返信してください" in "".join(letters[a].text.split())


def test_press_in_a_letter_for_a_seat_of_before_comes_back(turn):
    from pbem.mail.save_index import code_of

    session = opened(turn)
    a, b, *_ = [seat for seat in seats(turn) if seat in session.referee.asked()] + seats(turn)
    old = code_of(session.save, a)
    session.save.seat(a).told.codes += 1  # the code was made void since
    session.commit()
    report, letters = send(turn, a, *press(b, "Too late?"), code=old)
    assert [letter.fate for letter in report.emails] == ["stale"]
    assert "| Too late?" in letters[a].text
    assert load(turn.save).press == []


def test_an_agreement_is_proposed_countersigned_and_archived(turn):
    a, b, c, *_ = seats(turn)
    _, letters = send(turn, a, *press(b, "agreement: I leave Milan alone", "You leave Vienna alone"))
    ident = f"{a}-{b}-1"
    assert ident in letters[b].text
    assert c not in letters
    _, letters = send(turn, b, *press(a, f"sign {ident}", "I leave Milan alone", "You leave Rome alone"), number=2)
    assert load(turn.save).agreements[0].signed.keys() == {a}  # a changed text is no signature; both are told
    assert all("changed text" in " ".join(letters[x].text.split()) or "文言を変えた" in letters[x].text for x in (a, b))
    send(turn, b, *press(a, f"sign {ident}"), number=3)
    assert load(turn.save).agreements[0].signed.keys() == {a, b}
    send(turn, b, *press(a, f"decline {ident}"), number=4)
    assert load(turn.save).agreements[0].withdrawn == ""
    _, letters = send(turn, c, *press(a, f"sign {ident}"), number=5)
    assert load(turn.save).agreements[0].signed.keys() == {a, b}


def test_the_number_of_an_agreement_tells_nothing_of_others(turn):
    a, b, c, *_ = seats(turn)
    send(turn, a, *press(b, "agreement: peace"), number=1)
    send(turn, a, *press(c, "agreement: peace"), number=2)
    assert [agreement.id for agreement in load(turn.save).agreements] == [f"{a}-{b}-1", f"{a}-{c}-1"]


# -- limits ----------------------------------------------------------------------------------------------------------


def flood(desk, seat, to, letters, blocks, size):
    """Letters full of press from one seat; by recipient the letters that go out, as they are sent."""
    session = opened(desk)
    lines = [line for number in range(blocks) for line in press(to, *long_text(size, number))]
    mails = [synthetic_mail.write_email(session, seat, lines, desk.now, number=number) for number in range(letters)]
    before = {path.name for path in (desk.folder / "outbox" / "new").glob("*")}
    desk.ingest(desk.box(mails, "flood.mbox"))
    found = {}
    for path in sorted((desk.folder / "outbox" / "new").glob("*")):
        if path.name not in before:
            found.setdefault(path.name.split(".")[1], []).append(path.read_bytes())
    return found


def long_text(size, number=0):
    line = f"{number:03d} " + "word " * 150
    return [line[:size]] * max(1, size // len(line))


def test_a_seat_cannot_bury_another_in_press(turn):
    a, b, *_ = seats(turn)
    letters = flood(turn, a, b, letters=12, blocks=5, size=15_000)
    kept = sum(len(message.text) for message in load(turn.save).press)
    assert 0 < kept <= limits.CHARACTERS
    assert sum(map(len, letters[b])) < 150_000
    receipt = " ".join(decode_mail(letters[a][0]).text.split())
    assert "24000 characters" in receipt
    assert len(letters[a][0]) < 500_000
    turn.now += limits.DAY
    flood(turn, a, b, letters=1, blocks=1, size=15_000)
    assert sum(len(message.text) for message in load(turn.save).press) > kept


def test_many_short_messages_are_too_many_all_the_same(turn):
    a, b, c, *_ = seats(turn)
    flood(turn, a, "all", letters=3, blocks=12, size=100)
    assert len(load(turn.save).press) == limits.MESSAGES
    flood(turn, a, c, letters=1, blocks=1, size=100)
    assert len(load(turn.save).press) == limits.MESSAGES, "a message to all counts for each"
    flood(turn, b, c, letters=1, blocks=1, size=100)
    assert len(load(turn.save).press) == limits.MESSAGES + 1, "what others send does not"


def test_a_question_does_not_travel_with_anothers_bulk(desk):
    session = opened(desk)
    a, b, *_ = seats(desk)
    desk.ingest(desk.box([]))
    asked = session.referee.asked()
    assert b in asked
    answers = synthetic_mail.answers(session, Random(1))
    mails = [synthetic_mail.write_email(session, seat, answers[seat], desk.now) for seat in asked]
    talk = [line for number in range(2) for line in press("all", *long_text(9_000, number))]
    mails.append(synthetic_mail.write_email(session, a, talk, desk.now, number=9))
    before = {path.name for path in (desk.folder / "outbox" / "new").glob("*")}
    desk.ingest(desk.box(mails, "bulk.mbox"))
    new = sorted(p for p in (desk.folder / "outbox" / "new").glob(f"ballot.{b}.*") if p.name not in before)
    first, second = (decode_mail(path.read_bytes()) for path in new)
    assert f"[ballot {b} " in first.text
    assert "word word" not in first.text
    assert "PRESS: 2 messages" in first.text
    assert "BEGIN ORDERS" not in second.text
    assert all(f"| {number:03d} word" in second.text for number in range(2))
    assert second.subject == "[ballot] Press"
    assert new[1].name.split(".")[2] == f"{int(new[0].name.split('.')[2]) + 1:04d}"


def test_agreements_do_not_make_a_letter_with_a_question_heavy(turn):
    a, b, *_ = seats(turn)
    for number in range(2):
        lines = press(b, f"agreement: clause {number}", *long_text(9_000, number))
        _, letters = send(turn, a, *lines, name=f"{number}.mbox", number=number)
    register = letters[b].text.partition("AGREEMENTS (THE RULES DON'T ENFORCE\nTHEM)")[2]
    assert "| clause 0" in register
    assert "| clause 1" in register
    assert len(register) < 2_000


def test_an_email_that_brings_press_is_known_by_its_title():
    for text, brings in (
        ("PRESS FROM Black to Amber, Sun 3\nMay 14:00\n| Any objection?\n", True),
        ("黒から琥珀への通\n信（5月3日（日）21:00）\n| 異議は？\n", True),
        ("Vote in France: red or blue?\n", False),
    ):
        assert StoredEmail(1, (text,)).press is brings
