"""Replies as mail programs write them: nothing is done that was not surely meant, and nearly all that was is taken."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games
from pbem.orders import slip as order_slip
from pbem.orders.replies import judging, layout, parts
from pbem.orders.replies.ours import Walk, squashed
from pbem.orders.replies.parts import Sorting
from pbem.orders.replies.tags import split_marks, tags_in
from pbem.orders.slip import last_line, slip, tag
from pbem.post.inbox import replies as inbox_replies
from pbem.post.inbox.claims import claims_of
from pbem.post.inbox.mime import decode_mail
from pbem.post.inbox.quarantine import Quarantine
from pbem.post.inbox.reading import letter_of, with_blocks
from pbem.post.inbox.replies import settled
from pbem.post.inbox.values import Received
from pbem.post.outbox.maildir import Outbox
from pbem.post.outbox.sent import SentLetters
from pbem.post.save_index import SaveIndex, code_of
from pbem.save import OutLetter, Session
from tests.post.replies.contents import CLEAN, DIRTY
from tests.post.replies.programs import HOME, PROGRAMS, Ours, Program, Written

BY_NAME = {program.name: program for program in PROGRAMS}


def page_of(text: str, q: int, tag: str) -> str:
    """A page of ours: buttons, then the text in paragraphs, as letters have them."""
    buttons = "".join(
        f"<td><a href='mailto:{HOME}?subject=x&amp;body={q}%3A%20{word}'>→ {word}</a></td>"
        for word in ("red", "blue")
    )
    paragraphs = "".join(f"<p>{block.replace(chr(10), '<br>')}</p>" for block in text.strip().split("\n\n"))
    return f"<table><tr>{buttons}</tr></table>{paragraphs}"


def text_for(game: str, seat: str, q: int, code: str) -> str:
    """A letter of ours, as the design shows it."""
    form = "\n".join(slip(q, game, seat, code))
    return f"""\
Hapsburg Empire, vote called by Black:
red / blue
By Sun 3 May 14:00 (Berlin)
If silent: blue

Reply, writing on top just your answer,
or put it in place of the "?":

{form}

NEW
- You score 6, Green 4, Black 2, Ivory
  2.
- All leaders and unrest leave the map.
- Turn 2: Black plays and calls this
  vote.

For more reply: send state · send log ·
help
{last_line(game, q)}
"""


class Table:
    """A game with an open ballot, and a letter of ours in its outbox."""

    def __init__(self, desk) -> None:
        self.desk = desk
        session = Session.open(desk.save, games.load)
        self.sent = SentLetters(Outbox(desk.folder / "outbox"))
        self.ours = {seat: self._write(session, seat) for seat in ("amber", "black")}
        session.commit()
        self.session = session
        self.index = SaveIndex([desk.save])

    def _write(self, session: Session, seat: str, number: int = 1) -> Ours:
        save, q = session.save, session.referee.q
        info, game = save.seat(seat), save.header.name
        code = code_of(save, seat, q)
        text = text_for(game, seat, q, code)
        page = page_of(text, q, f"[{game} {seat} {code}]")
        ident = info.told.last
        save.outbox.append(
            OutLetter(
                f"{seat}.{number:04d}", seat, info.addresses[0], "s", body=text, html=page, message_id=ident
            )
        )
        subject = f"[{game}] Vote on the Hapsburg Empire – by Sun 14:00"
        return Ours(game, seat, info.name, info.addresses[0], q, code, subject, text, page, ident)

    def answer(self, raw: bytes, seat: str = "amber") -> str:
        """What a mail makes the seat do, as canonical text; "" if nothing."""
        letter = letter_of(Received("x", raw, "x"))
        if letter.mail.automatic and letter.mail.automatic != "subject":
            return ""
        letter = with_blocks(letter, self.index, self.sent)
        done = []
        for claim in claims_of(letter, self.index, self.ours[seat].game):
            claim = settled(claim, letter, self.session, self.sent, frozenset({HOME}))
            if claim.reason or claim.block is None or claim.block.problem is not None:
                continue
            done += self._executed(claim)
        return "; ".join(done)

    def _executed(self, claim) -> list[str]:
        from pbem.kernel.problems import Refused
        from pbem.orders.items import Answer

        found, domain = [], self.session.referee.domain(claim.seat)
        for item in claim.block.items:
            if isinstance(item, Answer) and item.q in (0, self.session.referee.q):
                try:
                    value = domain.parse(item.body, self.session.referee.names)
                except Refused:
                    return []  # one that is refused refuses them all
                found.append(f"{domain.text(value)}")
        return found if len(set(found)) == 1 else []


@pytest.fixture
def table(desk):
    return Table(desk)


@pytest.fixture(scope="module")
def shared(tmp_path_factory, staged, desk_type):
    return Table(desk_type(tmp_path_factory.mktemp("replies"), staged))


def filled(written: Written, q: int) -> Written:
    return Written(
        *(
            part.replace("{q}", str(q))
            for part in (written.top, written.bottom, written.edited, written.typed)
        )
    )


def fits(program: Program, written: Written) -> bool:
    """Whether this can be written in this program at all."""
    if program.name == "form-alone":
        return bool(written.edited) or not written.typed
    if not program.copies and (written.edited or written.typed):
        return False
    return program.name not in ("iphone-ja", "becky", "outlook-ja") or _japanese(written)


def _japanese(written: Written) -> bool:
    try:
        f"{written.top}{written.bottom}{written.edited}{written.typed}".encode("iso-2022-jp")
    except UnicodeEncodeError:
        return False
    return True


def corpus(table: Table, part: int = 1):
    """Replies: the name, the mail, what may come of it ("" nothing), whether it says one thing and no more.

    `part`: every so many of them; each program and each content among them.
    """
    ours = table.ours["amber"]
    contents = [(name, written, meant, True) for name, (written, meant) in CLEAN.items()]
    contents += [(name, written, "", False) for name, written in DIRTY.items()]
    for at, program in enumerate(PROGRAMS):
        for number, (name, written, meant, clean) in enumerate(contents):
            if (at + number) % part == 0 and fits(program, written):
                yield f"{program.name}/{name}", program.make(filled(written, ours.q), ours), meant, clean


@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_of_the_corpus_nothing_is_done_that_was_not_meant_and_nearly_all_that_was_is(shared, part, capsys):
    counts, wrong, missed = Counter(), [], []
    for name, message, meant, clean in corpus(shared, part):
        got = {answer for answer in shared.answer(message.as_bytes()).split("; ") if answer}
        counts["replies"] += 1
        counts["clean"] += clean
        counts["taken"] += clean and got == {meant}
        if got - {meant}:
            wrong.append((name, got))
        elif clean and not got:
            missed.append(name)
    with capsys.disabled():
        sys.stdout.write(f"\n{dict(counts)}; wrong: {len(wrong)}; missed: {', '.join(missed)}\n")
    assert counts["replies"] >= 400
    assert wrong == []
    assert counts["taken"] >= 0.9 * counts["clean"]


def test_tags_of_two_lines_are_read_as_well(desk, monkeypatch):
    monkeypatch.setattr(order_slip, "COLUMNS", 30)
    broken = Table(desk)
    assert "[ballot amber\n" in broken.ours["amber"].text
    clean, taken, wrong = 0, 0, []
    for name, message, meant, is_clean in corpus(broken, 5):
        got = {answer for answer in broken.answer(message.as_bytes()).split("; ") if answer}
        clean, taken = clean + is_clean, taken + (is_clean and got == {meant})
        if got - {meant}:
            wrong.append((name, got))
    assert wrong == []
    assert taken >= 0.9 * clean


def test_a_tag_that_a_mail_program_has_broken_is_read():
    for game, seat in (("vq-01", "holy_roman_empire"), ("my-long-name-for-a-game", "protestant")):
        code = "3944-1b55-46a0-6464"
        found = {(game, seat, code)}
        assert max(map(len, slip(25, game, seat, code))) <= 40
        for lines in (
            slip(25, game, seat, code),
            *(textwrap.wrap(tag(game, seat, code), 24 + n) for n in range(17)),
        ):
            for text in (
                "\n".join(lines),
                "\n".join(f"> {line}" for line in lines),
                f"> {lines[0]}\n" + "\n".join(lines[1:]),
            ):
                assert {read[:3] for read in tags_in(f"Hello\n{text}\n== x ==")} == found, text
        for text in (
            f"[{game} {seat}\nand {code}]",
            f"[{game}\n\n{seat} {code}]",
            f"[{game} {seat}\n>> {code}]",
        ):
            assert not tags_in(text)


def _without_other(self):
    parts = _PARTS(self)
    parts.other.clear()
    return parts


_PARTS = Sorting.parts
FAULTS = {
    "other text does not matter": (Sorting, "parts", _without_other),
    "every line is idle": (parts, "is_idle", lambda *_: True),
    "beginnings of words count": (inbox_replies, "WholeNames", lambda names: names),
    "a dash begins a signature": (parts, "_SIGNATURE", "--"),
    "quotations are not seen": (layout, "split_marks", lambda raw: (0, split_marks(raw)[1])),
    "a doubt is an answer": (judging, "stripped", lambda body: parts.stripped(body.replace("?", ""))),
    "all that stands in a copy is ours": (Walk, "knows", lambda *_: True),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_corpus_finds_planted_faults(shared, monkeypatch, fault):
    monkeypatch.setattr(*FAULTS[fault])
    for _, message, meant, _clean in corpus(shared, 3):
        got = {answer for answer in shared.answer(message.as_bytes()).split("; ") if answer}
        if got - {meant}:
            return
    pytest.fail(f"planted and not found: {fault}")


# -- what properties build -------------------------------------------------------------------------------------------

WORDS = ["red", "blue", "wait", "no", "not", "or", "if", "I", "think", "Ben", "later", "?", "maybe", "the"]
PROSE = st.lists(st.sampled_from(WORDS), min_size=2, max_size=7).map(" ".join)
ANSWERS = st.sampled_from(["red", "blue", "Red.", "*blue*", "{q}: red", "{q}: blue", "q{q}: Red"])
GREETINGS = st.sampled_from(["", "Hi,", "Hello all,", "Hallo", "こんにちは。"])
CLOSINGS = st.sampled_from(["", "Cheers, Anna", "Thanks!", "Viele Grüße\nAnna", "Best regards"])
LATIN = [
    program for program in PROGRAMS if program.name not in ("iphone-ja", "becky", "outlook-ja", "form-alone")
]


@settings(max_examples=60)
@given(st.sampled_from(LATIN), GREETINGS, ANSWERS, CLOSINGS)
def test_an_answer_with_a_greeting_is_taken(shared, program, greeting, answer, closing):
    ours = shared.ours["amber"]
    written = filled(Written(f"{greeting}\n\n{answer}\n\n{closing}".strip()), ours.q)
    meant = "red" if "red" in answer.casefold() else "blue"
    assert shared.answer(program.make(written, ours).as_bytes()) == meant


@settings(max_examples=120)
@given(st.sampled_from(LATIN), ANSWERS, PROSE, st.sampled_from(["above", "below", "bottom", "typed"]))
def test_an_answer_with_words_beside_it_is_not_taken(shared, program, answer, prose, where):
    ours = shared.ours["amber"]
    if where == "typed" and (not program.copies or not squashed(prose)):  # a "?" in the copy is the form's
        where = "below"
    if where == "above":
        written = Written(f"{prose}\n{answer}")
    elif where == "below":
        written = Written(f"{answer}\n\n{prose}")
    else:
        written = Written(answer, **{where: prose})
    meant = {"red", "blue"} & {
        shared.session.referee.domain("amber").text(word) for word in prose.split() if word in ("red", "blue")
    }
    got = shared.answer(program.make(filled(written, ours.q), ours).as_bytes())
    assert got == "", (written, meant)


@settings(max_examples=60)
@given(st.sampled_from(LATIN), ANSWERS, ANSWERS, ANSWERS, st.integers(1, 3))
def test_what_he_wrote_in_earlier_letters_of_a_chain_is_not_read(
    shared, program, now, before, earlier, marks
):
    """He answers his own letter again: that is quoted, and ours below it; the newest alone may count."""
    ours = shared.ours["amber"]
    old = ours.text.replace(f"{ours.q}: ?", earlier.format(q=ours.q))
    old = "\n".join(f"{'> ' * (1 + marks)}{line}" for line in old.splitlines())
    own = f"On Fri, 1 May 2026, {ours.name} <{ours.address}> wrote:\n{'> ' * marks}{before.format(q=ours.q)}\n{old}"
    got = shared.answer(_chain(ours, f"{now.format(q=ours.q)}\n\n{own}\n").as_bytes())
    meant = "red" if "red" in now.casefold() else "blue"
    assert got in ("", meant)


def _chain(ours: Ours, text: str) -> EmailMessage:
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"], message["Subject"] = ours.address, HOME, "Re: Re: vote"
    message["In-Reply-To"], message["References"] = "<mine@example.org>", f"{ours.ident} <mine@example.org>"
    message.set_content(text)
    return message


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
    from pbem.trial.synthetic_mail import Mail

    return desk.ingest(desk.box([Mail(desk.now, "anna@example.org", message.as_bytes())], name))


def test_a_reply_goes_the_whole_way(table):
    desk = table.desk
    report = take(desk, reply(table, top="red\n\nCheers\nAnna"))
    assert [(outcome.seat, outcome.fate) for outcome in report.letters] == [("amber", "taken")]
    assert [sealed.seat for sealed in desk.read().sealed] == ["amber"]
    again = take(desk, reply(table, top="red\n\nCheers\nAnna"), "again.mbox")
    assert not again.letters


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"top": "red\n\nOr no, let me think about it"}, ["Or no, let me think about it", "just that"]),
        ({"top": "blue", "edited": "{q}: red"}, ["two things", "blue", "red"]),
        ({"top": "{q}: rde"}, ["rde", "red"]),
    ],
)
def test_what_is_not_taken_is_told_with_a_way_to_say_it(table, written, words):
    report = take(table.desk, reply(table, **written))
    (one,) = report.letters
    assert (one.seat, one.fate) == ("amber", "refused")
    assert all(word in one.receipt for word in words), one.receipt


@pytest.mark.parametrize("written", [{"top": "{q}: purple"}, {"edited": "{q}: purple"}])
def test_a_refused_line_sent_again_is_refused_again(table, written):
    """Though our last letter quotes it: the first line of a letter, and what stands in the form, is its writer's."""
    for number in range(2):
        message = reply(table, **written)
        message["Message-ID"] = f"<{number}@phone.example>"
        (found,) = take(table.desk, message, f"{number}.mbox").letters
        assert (found.seat, found.fate) == ("amber", "refused")
        assert "purple" in found.receipt


@pytest.mark.parametrize("line", ["red please", "I vote rde", "red?", "29 - red"])
def test_a_line_near_an_answer_is_refused_with_a_whole_line_that_is_taken(table, line):
    (told,) = take(table.desk, reply(table, top=f"Hi,\n{line}\nThanks, Anna")).letters
    assert (told.seat, told.fate) == ("amber", "refused")
    assert line in told.receipt
    offered = f"{table.ours['amber'].q}: red"
    assert offered in told.receipt
    again = reply(table, top=offered)
    again["Message-ID"] = "<again@phone.example>"
    assert [one.fate for one in take(table.desk, again, "again.mbox").letters] == ["taken"]


def test_an_order_that_our_letter_gives_as_an_example_is_its_writers(desk, monkeypatch):
    example, plain = "standing ballot: blue until turn>=4", text_for
    told = f"For the rest of this turn, in the same\nletter: {example}\n\nNEW\n"
    monkeypatch.setattr(sys.modules[__name__], "text_for", lambda *of: plain(*of).replace("NEW\n", told))
    table = Table(desk)
    assert example in table.ours["amber"].text
    (found,) = take(desk, reply(table, top=f"red\n{example}")).letters
    assert (found.fate, found.accepted, found.refused) == ("taken", 2, 0)


def test_prose_beside_a_block_stays_prose_though_it_is_like_an_answer(table):
    ours = table.ours["amber"]
    block = f"BEGIN ORDERS {ours.game} amber {ours.code}\n{ours.q}: blue\nEND ORDERS"
    (told,) = take(table.desk, reply(table, top=f"red please?\n{block}")).letters
    assert (told.fate, told.accepted, told.refused) == ("taken", 1, 0)


def test_of_prose_alone_the_writer_is_told_and_the_letter_is_kept(table):
    report = take(table.desk, reply(table, top="I shall answer tomorrow"))
    (held,) = Quarantine(table.desk.folder / "quarantine").listed()
    assert held.reason == "no-orders"
    assert [outgoing.seat for outgoing in report.sent] == ["amber"]


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


def test_an_empty_reply_is_not_answered(table):
    report = take(table.desk, reply(table))
    assert [outcome.fate for outcome in report.letters] == ["quarantined"]
    assert report.sent == []


def test_press_and_wishes_are_taken_from_a_reply(table):
    press = "BEGIN PRESS to=all\nI vote red.\n> so you said\nEND PRESS"
    report = take(table.desk, reply(table, top=f"{{q}}: red\n{press}\nsend state"))
    assert [(outcome.fate, outcome.accepted, outcome.refused) for outcome in report.letters] == [
        ("taken", 3, 0)
    ]
    assert [message.text for message in table.desk.read().press] == ["I vote red.\n> so you said"]


def test_an_answer_beside_a_block_that_says_another_refuses_both(table):
    ours = table.ours["amber"]
    block = f"BEGIN ORDERS {ours.game} amber {ours.code}\n{ours.q}: blue\nEND ORDERS"
    assert table.answer(reply(table, top=f"I think this is best.\n{block}\nred is bad").as_bytes()) == "blue"
    assert table.answer(reply(table, top=f"{ours.q}: red\n\n{block}").as_bytes()) == ""
    assert table.answer(reply(table, top=block, edited="{q}: red").as_bytes()) == ""


def test_an_untouched_form_with_words_beside_it_is_no_answer(table):
    from pbem.orders import form

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
    from pbem.orders import form

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
    from random import Random

    from pbem.kernel.questions import Negotiate
    from pbem.trial import synthetic_mail

    folder = tmp_path_factory.mktemp("talks")
    session = synthetic_mail.new_game(folder / "talks.toml", games.load("virgin_queen"), 6)
    synthetic_mail.play(session, lambda referee: isinstance(referee.now, Negotiate), Random(1))
    synthetic_mail.finish(session, folder)
    return folder / "talks.toml"


def test_done_does_not_close_him_to_a_proposal_that_he_has_not_read(talks, tmp_path):
    import shutil
    from random import Random

    from pbem.post.inbox.ingest import ingest
    from pbem.trial.synthetic_mail import START, as_mbox, letter

    save = tmp_path / "talks.toml"
    shutil.copytree(talks.parent, tmp_path, dirs_exist_ok=True)

    def send(*mails):
        box = tmp_path / f"{len(list(tmp_path.glob('*.mbox')))}.mbox"
        box.write_bytes(as_mbox(list(mails)))
        return ingest([save], [box], now=START.replace(hour=20), home=tmp_path)

    session = Session.open(save, games.load)
    asked = session.referee.asked()
    domain = session.referee.domain(asked[0])
    offer = next(
        (value["to"] if "to" in value else value["partner"], domain.text(value))
        for seed in range(500)
        if isinstance(value := domain.sample(Random(seed).randrange), dict) and value["do"] == "propose"
    )
    other = offer[0]
    early = letter(session, other, ["done"], START, number=1, style=3)
    again = letter(session, other, ["done"], START, number=2, style=3)
    propose = letter(session, asked[0], [offer[1]], START, number=3, style=3)
    report = send(propose, early)
    assert [(outcome.seat, outcome.fate) for outcome in report.letters] == [
        (asked[0], "taken"),
        (other, "refused"),
    ], report.letters
    assert other not in Session.open(save, games.load).referee.talk.done
    report = send(again)  # it still answers the letter of before
    assert [outcome.fate for outcome in report.letters] == ["refused"]
    now = Session.open(save, games.load)
    report = send(letter(now, other, ["done"], START, number=4, style=3))
    assert [outcome.fate for outcome in report.letters] == ["taken"]
    assert other in Session.open(save, games.load).referee.talk.done
