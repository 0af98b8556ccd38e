"""What the email of a command card offers next to its answer: the use of the card, and a policy for others' marches."""

from __future__ import annotations

import shutil
from email import policy
from email.message import EmailMessage
from html import escape
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.dev.synthetic_mail import HOME, START
from pbem.kernel.domains import PASS
from pbem.kernel.referee import QUEUED, STANDING
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox import short_email
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import compose_email
from pbem.orders.context import question_of
from pbem.report.viewfile import view_file
from pbem.save import Session

WINDOWS = ("intercept", "evade", "plan", "respond")
POLICY = "standing intercept, evade, plan, respond: pass if impulse=2 until turn 2"
RULES = [f"standing {window}: pass if impulse=2 until turn>=2" for window in WINDOWS]


def played(folder: Path, words: int = short_email.WORDS) -> Path:
    """The second impulse of a game of three begins; all have been told what the first one brought, in some `words`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(short_email, "WORDS", words)
        return _played(folder)


def _played(folder: Path) -> Path:
    session = synthetic_mail.new_game(folder / "roses.toml", games.load("crown_of_roses"), 3)
    for impulse in (1, 2):
        session = play_on(session, folder, "command", impulse)
    return folder


def play_on(session: Session, folder: Path, kind: str, impulse: int) -> Session:
    synthetic_mail.play(
        session, lambda now: now.pending()[0].kind == kind and now.table.state.impulse == impulse, Random(3)
    )
    synthetic_mail.finish(session, folder)
    return Session.open(folder / "roses.toml", games.load)


class RosesDesk:
    """The email of that question to a seat, and its replies."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "roses.toml"
        session = self.opened()
        self.seat = session.referee.asked()[0]
        self.q = session.referee.q
        self.address = session.save.seat(self.seat).addresses[0]
        *_, path = sorted((folder / "outbox" / "new").glob(f"roses.{self.seat}.*"))
        self.email = decode_mail(path.read_bytes())
        self.code = self.email.text.partition(f"[roses {self.seat}")[2].partition("]")[0]

    def opened(self) -> Session:
        return Session.open(self.path, games.load)

    def write(self, *lines: str) -> Session:
        message = EmailMessage(policy=policy.SMTP)
        message["From"], message["To"], message["Subject"] = self.address, HOME, "Re: [roses]"
        message["Message-ID"] = f"<{len(lines)}@phone.example>"
        message.set_content("\n".join([*lines, "", f"[roses {self.seat}{self.code}]", ""]))
        box = self.folder / "box.mbox"
        sent = synthetic_mail.SyntheticEmail(START, self.address, message.as_bytes())
        box.write_bytes(synthetic_mail.as_mbox([sent]))
        ingest([self.folder], [box], now=START)
        return self.opened()

    def ops(self, card: str) -> int:
        return self.opened().referee.table.c.cards[card].ops if card != PASS else 0

    def emails(self, session: Session) -> list[tuple[str, str, str]]:
        """What the others would get now: subject, text and page."""
        readers = [reader_of(session, seat) for seat in session.save.seats if seat.id != self.seat]
        emails = [compose_email(session, reader, news_for(session, reader.seat)) for reader in readers]
        return [(email.subject, email.text, email.html) for email in emails]


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("roses"), 10_000)


@pytest.fixture
def desk(tmp_path: Path, roomy: Path) -> RosesDesk:
    """An email that has room for what is for later."""
    return RosesDesk(Path(shutil.copytree(roomy, tmp_path / "desk")))


def test_an_email_whose_question_needs_the_room_offers_it_on_its_page(tmp_path):
    email = RosesDesk(played(tmp_path)).email
    assert "standing intercept" not in email.text
    assert POLICY in email.page


def test_the_email_and_the_player_file_offer_it(desk):
    said = " ".join(desk.email.text.split())
    assert POLICY in said
    assert POLICY in desk.email.page
    document = view_file(desk.opened().referee, desk.seat)
    (question,) = document["questions"]
    decision = question["decision"]["en"]
    assert decision["policies"] == [POLICY]
    assert decision["policy"] == "no interception, evasion or response in this impulse, battles by default"
    assert not [fact for fact in decision["facts"] if "standing" in fact]


@pytest.mark.parametrize("broken", [False, True], ids=["whole", "as the email breaks them"])
def test_its_lines_alone_are_in_force_and_leave_the_command_open(desk, broken):
    session = desk.write(POLICY.replace(" until", "\nuntil") if broken else POLICY)
    assert [str(rule) for rule in session.referee.standing] == RULES
    assert desk.seat in session.referee.waiting()


def test_an_answer_the_use_of_the_card_and_the_policy_go_in_one_email(desk):
    referee = desk.opened().referee
    card = next(
        card
        for card in referee.table.state.houses[desk.seat].hand
        if referee.domain(desk.seat).accepts(card) and referee.table.c.cards[card].type == "event"
    )
    session = desk.write(f"{desk.q}: {card}", "next: ops", POLICY)
    assert session.referee.sealed[desk.seat].answer == card
    assert [str(entry) for entry in session.referee.queue] == ["use: ops"]
    assert len(session.referee.standing) == len(RULES)
    referee = session.referee
    while referee.sealed:
        (seat, *_) = referee.waiting()
        referee.submit(seat, referee.domain(seat).sample(lambda n: 0))
    random = Random(1)
    while (desk.seat, "use") not in [(move.seat, move.kind) for move in referee.moves[-40:]] and not referee.sealed:
        (seat, *_) = referee.waiting()
        referee.submit(seat, referee.domain(seat).sample(random.randrange))
    (use,) = [move for move in referee.moves if move.seat == desk.seat and move.kind == "use" and move.how == QUEUED]
    assert use.answer == "ops"
    windows = [move for move in referee.moves if move.seat == desk.seat and move.how == STANDING]
    assert {move.kind for move in windows} <= {*WINDOWS}
    assert question_of(referee, desk.seat) is None or question_of(referee, desk.seat).kind not in WINDOWS


def a_card(desk: RosesDesk, at: int = 0) -> str:
    referee = desk.opened().referee
    hand, faces = referee.table.state.houses[desk.seat].hand, referee.table.c.cards
    return [card for card in hand if referee.domain(desk.seat).accepts(card) and faces[card].type == "event"][at]


def waiting(session: Session) -> list[str]:
    return [str(entry) for entry in session.referee.queue]


def test_the_email_says_that_one_line_can_name_the_use_too(desk):
    assert "You can add the next step: ? then ops" in desk.email.text.splitlines()
    assert "? then ops" in desk.email.page


@pytest.mark.parametrize(
    "line", ["{card} then ops", "{q}: {card} then ops", "{Card}, then ops", "{card} その後 ops", "{card} then {change}"]
)
def test_one_line_names_the_card_and_its_use(desk, line):
    card, change = a_card(desk), "influence" if "{change}" in line else "ops"
    if change != "ops":
        later = desk.opened().referee.next_turn(desk.seat)
        options = [later.domain(desk.seat).text(option) for option in later.domain(desk.seat).options()]
        change = next(option for option in options if " " in option)
    session = desk.write(line.format(card=card, Card=card.capitalize(), q=desk.q, change=change))
    assert session.referee.sealed[desk.seat].answer == card
    assert waiting(session) == [f"use: {change}"]
    assert session.referee.waiting()  # the others see nothing of it


def test_nobody_else_learns_of_it_before_its_turn(tmp_path, roomy):
    """The emails to the others, with the answer alone and with its use, while they answer and the first one acts."""
    told = []
    for use in ("", " then ops"):
        desk = RosesDesk(Path(shutil.copytree(roomy, tmp_path / f"desk{use.replace(' ', '_')}")))
        weakest = min(desk.opened().referee.domain(desk.seat).options(), key=desk.ops)
        session = desk.write(f"{weakest}{use}")
        assert len(waiting(session)) == bool(use)
        told.append([desk.emails(session)])
        referee = session.referee
        for seat in referee.waiting():
            referee.submit(seat, max(referee.domain(seat).options(), key=desk.ops))
        assert referee.waiting()[0] != desk.seat
        assert len(waiting(session)) == bool(use)
        told[-1].append(desk.emails(session))
    assert told[0] == told[1]


def test_what_follows_goes_with_its_answer_and_a_new_line_replaces_both(desk):
    one, two = a_card(desk), a_card(desk, 1)
    assert waiting(desk.write(f"{one} then ops")) == ["use: ops"]
    assert waiting(desk.write(f"{one} then event", "")) == ["use: event"]
    session = desk.write(two, "", "")
    assert session.referee.sealed[desk.seat].answer == two
    assert waiting(session) == []


@pytest.mark.parametrize("line", ["{card} then fly", "{card} then ops or event", "nothing then ops"])
def test_a_line_whose_second_part_is_no_use_is_not_executed(desk, line):
    session = desk.write(line.format(card=a_card(desk)))
    assert desk.seat in session.referee.waiting()
    assert waiting(session) == []


def test_a_house_that_acts_later_is_asked_for_the_first_action_of_a_card_that_is_for_ops_only(desk):
    referee = desk.opened().referee
    state = referee.table.state
    surprise = next(key for key, card in referee.table.c.cards.items() if card.type == "surprise")
    state.phase, state.order, state.at = "action", list(state.houses), 0
    *_, last = state.order
    state.houses[last].command = surprise
    ask = referee.game.next_turn(referee.table, last, False)
    assert (ask.kind, ask.about["card"]) == ("action", surprise)
    assert ask.domain().accepts("done")


def test_the_page_of_a_window_has_a_button_that_passes_it_and_those_that_follow(tmp_path, roomy):
    folder = Path(shutil.copytree(roomy, tmp_path / "window"))
    play_on(Session.open(folder / "roses.toml", games.load), folder, "intercept", 2)
    desk = RosesDesk(folder)
    assert desk.seat in desk.opened().referee.waiting()
    assert escape(quote(POLICY)) in desk.email.page
    session = desk.write(POLICY)
    assert [str(rule) for rule in session.referee.standing if rule.seat == desk.seat] == RULES
    assert session.referee.q > desk.q
