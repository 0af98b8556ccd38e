"""Letters over random games of all four kinds, in both languages: short, and none of their lines is an answer."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.kernel.domains import Budget, domain_from
from pbem.kernel.rejections import Rejection
from pbem.mail.outbox import email_parts
from pbem.mail.outbox.email_parts import add_receipt
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import compose_email, legal_of, question_of
from pbem.orders.apply import execute_block
from pbem.orders.parser import read
from pbem.orders.reply_codes import tags_in
from pbem.report.deciding import Decision
from pbem.report.merge_lines import words_in
from pbem.report.short_email import FIRST, SUBJECT, subject_of
from pbem.report.text_width import COLUMNS, width
from pbem.save import Session, load
from pbem.timestamps import moment
from tests.bench import email_sizes
from tests.bench.command import PLAYED_BY

ROOT = Path(__file__).parents[2]
GAMES = [entry.slug for entry in games.catalogue() if entry.status == "ready"]
STOPS = 12
PAGE = 40_000


class Lines(HTMLParser):
    """A page as a mail program turns it into text: a line for each block, and for each cell of a table."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines, self.quiet = [""], 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.quiet += tag in ("style", "title")
        if tag in ("p", "div", "h1", "h2", "li", "ul", "a", "td", "th", "tr", "br", "table", "caption", "pre"):
            self.lines.append("")

    def handle_endtag(self, tag):
        self.quiet -= tag in ("style", "title")
        self.handle_starttag("br" if tag not in ("style", "title") else "", [])

    def handle_data(self, data):
        if not self.quiet:
            first, *rest = data.split("\n")
            self.lines[-1] += first
            self.lines += rest


def stops(slug: str, language: str, count: int = STOPS) -> Iterator[Session]:
    return email_sizes.looks(games.load(slug), language, count)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("slug", GAMES)
def test_no_line_of_ours_is_an_answer_and_letters_are_short(slug, language):
    words = []
    for session in stops(slug, language):
        referee = session.referee
        for seat in session.save.seats:
            news = news_for(session, seat)
            if not news.goes:
                continue
            letter = compose_email(session, reader_of(session, seat), news)
            legal = question_of(session, reader_of(session, seat)).legal
            ours = letter.text.splitlines() + Lines(letter.html).lines
            assert [line for line in ours if line.strip() and legal(line)] == []
            asked = question_of(session, reader_of(session, seat)).asked
            if asked is not None:  # what is offered to be sent is taken
                assert [text for text in offered(asked.decision) if not legal(text)] == []
            assert width(letter.subject) <= SUBJECT
            assert len(letter.html.encode()) <= PAGE
            lines = letter.text.splitlines()
            wide = [line for line in lines if width(line) > COLUMNS]
            assert wide == ([session.save.dice.seed] if news.ended else [])
            if news.asks:
                tag = tags_in(letter.text)[0]
                assert (tag.game, tag.seat, tag.line) == (
                    session.save.header.name,
                    seat.id,
                    lines.index(f"{referee.q}: ?") + 2 + ("next: ?" in lines),
                )
                assert next(no for no, line in enumerate(lines, 1) if line.endswith("]")) <= FIRST
            if news.first:  # an invitation
                assert words_in(letter.text) < 300
            else:
                words.append(words_in(letter.text))
    words.sort()
    assert len(words) >= STOPS / 2
    assert words[int(len(words) * 0.95)] < 250, words[-5:]


def offered(decision: Decision) -> list[str]:
    """The whole answers that a letter prints."""
    more = [decision.added, decision.example, decision.default]
    found = [option for option in (*decision.options, *more) if option is not None and not option.part]
    return [option.order for option in found]


POSITIONS = (
    ("1630-ballot", "amber"),
    ("1630-ballot", "green"),
    ("cor-auction", "lancaster"),
    ("cor-battle", "york"),
    ("is-round", "france"),
    ("is-war", "france"),
    ("vq-interception", "protestant"),
    ("vq-negotiation", "france"),
)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(("name", "seat"), POSITIONS)
def test_eight_positions(name, seat, language):
    """A letter at each of the examples' positions, to a seat that has been told all until its last answer."""
    session = Session.open(ROOT / "saves" / f"{name}.toml", games.load)
    info = session.save.seat(seat)
    info.language = language
    info.told.letters, info.told_q = 1, 1
    info.seen = since_own_answer(session, seat)
    letter = compose_email(session, reader_of(session, info), news_for(session, info))
    lines = letter.text.splitlines()
    assert words_in(letter.text) <= 130
    assert tags_in(letter.text)[0].line <= FIRST
    assert [line for line in lines if width(line) > COLUMNS] == []
    assert width(letter.subject) <= SUBJECT
    assert len(letter.html.encode()) <= PAGE


def test_an_answer_stands_in_a_line_with_what_it_means():
    def shown(name: str, seat: str) -> str:
        session = Session.open(ROOT / "saves" / f"{name}.toml", games.load)
        info = session.save.seat(seat)
        info.told.letters, info.told_q = 1, 1
        letter = compose_email(session, reader_of(session, info), news_for(session, info))
        return " ".join(letter.text.split())

    assert "charge lord_york office_chancellor – " in shown("cor-battle", "york")
    assert "blocks=none –" in shown("cor-battle", "york") or '"none"' not in shown("cor-battle", "york")
    impulse = shown("cor-impulse", "york")
    assert "french_raid_30 (French Raid)" in impulse or "french_raid_30 – " in impulse
    assert "intercept montauban – " in shown("vq-interception", "protestant")


@pytest.mark.parametrize(("language", "told"), [("en", "1 CP"), ("ja", "1CP")])
def test_what_an_action_costs_stands_beside_its_word(language, told):
    for session in stops("virgin_queen", language, 40):
        asked = [question.seat for question in session.referee.pending() if question.kind == "action"]
        if not asked:
            continue
        seat = session.save.seat(asked[0])
        shown = question_of(session, reader_of(session, seat)).asked
        assert shown is not None
        ways = {way.word: way.price for way in shown.decision.ways}
        if "move" in ways:
            assert told in ways["move"]
            assert not any(told in option.order for option in shown.decision.options)
            return
    raise AssertionError("no letter that asks for an action")


def since_own_answer(session: Session, seat: str) -> int:
    """The lines told until the seat's last answer."""
    last = max((move.n for move in session.moves() if move.seat == seat), default=0)
    base = session.referee.line_base
    return base + sum(line.n <= last for line in session.lines(base))


def test_the_first_letter_is_an_invitation_in_less_than_300_words():
    for slug in GAMES:
        for language in ("en", "ja"):
            (session,) = stops(slug, language, 1)
            for seat in session.save.seats:
                seat.told.letters = 0
                news = news_for(session, seat)
                assert news.first
                letter = compose_email(session, reader_of(session, seat), news)
                assert words_in(letter.text) < 300


def test_saves_of_the_examples_can_be_read():
    assert {name for name, _ in POSITIONS} <= {path.stem for path in (ROOT / "saves").glob("*.toml")}
    for name, seat in POSITIONS:
        assert seat in [player.id for player in load(ROOT / "saves" / f"{name}.toml").seats]


def test_what_would_be_an_answer_is_known():
    """The guard itself: the reading of a bare line, a numbered one, a wish."""
    session = Session.open(ROOT / "saves" / "1630-ballot.toml", games.load)
    legal = legal_of(session.referee, "amber")
    for line in ("red", " Red.", "29: red", "*blue*", "help", "send state", '"red"'):
        assert legal(line), line
    for line in ("29: ?", "/ red", "→ red", "- red", "red / blue", "If silent: blue", "By Sun 14:00", "", "== x 29 =="):
        assert not legal(line), line
    with pytest.raises(Rejection):
        session.referee.domain("amber").parse("/ red", session.referee.names)


@pytest.mark.parametrize("done", [False, True])
def test_a_receipt_shows_the_proposals_that_are_open_to_its_reader(done):
    session = Session.open(ROOT / "saves" / "vq-negotiation.toml", games.load)
    referee, seat = session.referee, session.save.seat("france")
    seat.told.letters, seat.told_q, seat.seen = 1, referee.q, session.save.header.lines
    seat.told.proposals = news_for(session, seat).proposals
    (block,) = read(f"BEGIN ORDERS vq-negotiation france\n{'done' if done else 'letters full'}\nEND ORDERS").blocks
    receipt = execute_block(referee, block, game="vq-negotiation", seat="france", via="m1", at="2026-05-01T12:00:00Z")
    add_receipt(session, receipt, "m1", moment("2026-05-01T12:00:00Z"))
    letter = compose_email(session, reader_of(session, seat), news_for(session, seat))
    assert "?" not in letter.text.splitlines()[0]  # two lines, no form
    for said in (letter.text, letter.html):
        assert "england-france-1" in said


def test_a_title_that_is_too_long_for_a_subject_gives_way_to_the_kind_of_question():
    session = Session.open(ROOT / "saves" / "cor-battle.toml", games.load)
    shown = question_of(session, reader := reader_of(session, session.save.seat("york")))
    shown.asked.decision.title = "A battle of which much is to be said before anything is asked of anybody"
    subject = subject_of(shown, reader.say)
    assert "…" not in subject
    assert shown.asked.kind in subject


def test_bench_tells_how_long_letters_are():
    sizes = email_sizes.run(games.load("sixteen_thirty"), 8)
    assert [size.language for size in sizes] == ["en", "ja"]
    for size in sizes:
        assert 0 < size.words <= size.words_95 <= size.words_most < 250
        assert 0 < size.form <= FIRST
        assert 0 < size.subject <= SUBJECT
        assert 0 < size.page <= PAGE


@pytest.mark.parametrize("back", [1, 5, 64])
def test_the_last_answer_of_a_seat_is_found_however_long_ago(monkeypatch, back):
    """The journal is read from its end; parts of it, of any length, give what the whole of it gives."""
    monkeypatch.setattr(email_parts, "_BACK", back)
    session = Session.open(ROOT / "saves" / "is-war.toml", games.load)
    still = {pending.q for pending in session.referee.pending()}
    whole = email_parts.groups_of(session.moves())
    for seat in session.setup.seats:
        own = [g[-1].n for g in whole if g[-1].q not in still and any(m.seat == seat and m.how == "chosen" for m in g)]
        assert email_parts.answered_until(session, seat) == max(own)
    assert email_parts.answered_until(session, "nobody") == email_parts.answered_until(session, "") == 0


@pytest.mark.parametrize(
    ("slug", "questions"),
    [(slug, 60) for slug in GAMES] + [pytest.param(slug, 900, marks=pytest.mark.slow) for slug in GAMES],
)
def test_each_question_of_a_game_can_be_emailed_and_described(slug, questions, tmp_path):
    """Also the second of a kind: an act may repeat the last one of its seat (Imperial Struggle, `place` [5.6.1])."""
    session = synthetic_mail.new_game(tmp_path / "game.toml", games.load(slug), PLAYED_BY[slug])
    asked = 0

    def written(referee):
        nonlocal asked
        session.sync(synthetic_mail.START)
        for seat in referee.waiting() if asked < questions else ():
            assert question_of(session, reader_of(session, session.save.seat(seat))).asked is not None
            for nodes in (0, 200, 2_000):  # what a terminal and a player's file know of it
                domain_from(session.referee.domain(seat).describe(Budget(nodes)))
            asked += 1
        return asked >= questions

    synthetic_mail.play(session, written, Random(1))
    assert asked >= 60
