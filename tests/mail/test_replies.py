"""Replies as mail programs write them: nothing is done that was not surely meant, and nearly all that was is taken."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from email import policy
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.inbox import reply_orders as inbox_replies
from pbem.orders import reply_form as order_slip
from pbem.orders.replies import answer_forms, quotation, sections
from pbem.orders.replies.quotation import QuoteMatcher, comparison_key
from pbem.orders.replies.sections import ReplySorter
from pbem.orders.reply_codes import split_marks, tags_in
from pbem.orders.reply_form import reply_tag, short_form
from tests.mail.replies.ballots import Table, filled
from tests.mail.replies.contents import CLEAN, DIRTY
from tests.mail.replies.programs import HOME, PROGRAMS, Ours, Program, Written


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
def test_of_the_corpus_nothing_is_done_that_was_not_meant_and_nearly_all_that_was_is(shared_ballot, part, capsys):
    counts, wrong, missed = Counter(), [], []
    for name, message, meant, clean in corpus(shared_ballot, part):
        got = {answer for answer in shared_ballot.answer(message.as_bytes()).split("; ") if answer}
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


@pytest.mark.parametrize(
    ("line", "question"),
    [("04:00 (UTC)", ""), ("14:30 CEST", ""), ("4:05 +0200", ""), ("29: red", "29"), ("4:10", "4"), ("Q 12: 00", "12")],
)
def test_a_wrapped_time_is_no_answer_to_a_question(line, question):
    match = sections._NUMBERED.fullmatch(line)
    assert (match[1] if match else "") == question


def test_a_tag_that_a_mail_program_has_broken_is_read():
    for game, seat in (("vq-01", "holy_roman_empire"), ("my-long-name-for-a-game", "protestant")):
        code = "3944-1b55-46a0-6464"
        found = {(game, seat, code)}
        assert max(map(len, short_form(25, game, seat, code))) <= 40
        for lines in (
            short_form(25, game, seat, code),
            *(textwrap.wrap(reply_tag(game, seat, code), 24 + n) for n in range(17)),
        ):
            for text in (
                "\n".join(lines),
                "\n".join(f"> {line}" for line in lines),
                f"> {lines[0]}\n" + "\n".join(lines[1:]),
            ):
                assert {(read.game, read.seat, read.code) for read in tags_in(f"Hello\n{text}\n== x ==")} == found, text
        for text in (f"[{game} {seat}\nand {code}]", f"[{game}\n\n{seat} {code}]", f"[{game} {seat}\n>> {code}]"):
            assert not tags_in(text)


def _without_other(self):
    parts = _PARTS(self)
    parts.other.clear()
    return parts


_PARTS = ReplySorter.parts
FAULTS = {
    "other text does not matter": (ReplySorter, "parts", _without_other),
    "every line is idle": (sections, "is_courtesy", lambda *_: True),
    "beginnings of words count": (inbox_replies, "ExactNames", lambda names: names),
    "a dash begins a signature": (sections, "_SIGNATURE", "--"),
    "quotations are not seen": (quotation, "split_marks", lambda raw: (0, split_marks(raw)[1])),
    "a doubt is an answer": (
        answer_forms,
        "unquoted",
        lambda body, plain=answer_forms.unquoted: plain(body.replace("?", "")),
    ),
    "all that stands in a copy is ours": (QuoteMatcher, "knows", lambda *_: True),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_corpus_finds_planted_faults(shared_ballot, monkeypatch, fault):
    monkeypatch.setattr(*FAULTS[fault])
    for _, message, meant, _clean in corpus(shared_ballot, 3):
        got = {answer for answer in shared_ballot.answer(message.as_bytes()).split("; ") if answer}
        if got - {meant}:
            return
    pytest.fail(f"planted and not found: {fault}")


# -- what properties build -------------------------------------------------------------------------------------------

WORDS = ["red", "blue", "wait", "no", "not", "or", "if", "I", "think", "Ben", "later", "?", "maybe", "the"]
PROSE = st.lists(st.sampled_from(WORDS), min_size=2, max_size=7).map(" ".join)
ANSWERS = st.sampled_from(["red", "blue", "Red.", "*blue*", "{q}: red", "{q}: blue", "q{q}: Red"])
GREETINGS = st.sampled_from(["", "Hi,", "Hello all,", "Hallo", "こんにちは。"])
CLOSINGS = st.sampled_from(["", "Cheers, Anna", "Thanks!", "Viele Grüße\nAnna", "Best regards"])
LATIN = [program for program in PROGRAMS if program.name not in ("iphone-ja", "becky", "outlook-ja", "form-alone")]


@settings(max_examples=60)
@given(st.sampled_from(LATIN), GREETINGS, ANSWERS, CLOSINGS)
def test_an_answer_with_a_greeting_is_taken(shared_ballot, program, greeting, answer, closing):
    ours = shared_ballot.ours["amber"]
    written = filled(Written(f"{greeting}\n\n{answer}\n\n{closing}".strip()), ours.q)
    meant = "red" if "red" in answer.casefold() else "blue"
    assert shared_ballot.answer(program.make(written, ours).as_bytes()) == meant


@settings(max_examples=120)
@given(st.sampled_from(LATIN), ANSWERS, PROSE, st.sampled_from(["above", "below", "bottom", "typed"]))
def test_an_answer_with_words_beside_it_is_not_taken(shared_ballot, program, answer, prose, where):
    ours = shared_ballot.ours["amber"]
    # A "?" in the copy is the form's.
    if where == "typed" and (not program.copies or not comparison_key(prose)):
        where = "below"
    if where == "above":
        written = Written(f"{prose}\n{answer}")
    elif where == "below":
        written = Written(f"{answer}\n\n{prose}")
    else:
        written = Written(answer, **{where: prose})
    meant = {"red", "blue"} & {
        shared_ballot.session.referee.domain("amber").text(word) for word in prose.split() if word in ("red", "blue")
    }
    got = shared_ballot.answer(program.make(filled(written, ours.q), ours).as_bytes())
    assert got == "", (written, meant)


@settings(max_examples=60)
@given(st.sampled_from(LATIN), ANSWERS, ANSWERS, ANSWERS, st.integers(1, 3))
def test_what_he_wrote_in_earlier_letters_of_a_chain_is_not_read(shared_ballot, program, now, before, earlier, marks):
    """He answers his own letter again: that is quoted, and ours below it; the newest alone may count."""
    ours = shared_ballot.ours["amber"]
    old = ours.text.replace(f"{ours.q}: ?", earlier.format(q=ours.q))
    old = "\n".join(f"{'> ' * (1 + marks)}{line}" for line in old.splitlines())
    own = f"On Fri, 1 May 2026, {ours.name} <{ours.address}> wrote:\n{'> ' * marks}{before.format(q=ours.q)}\n{old}"
    got = shared_ballot.answer(_chain(ours, f"{now.format(q=ours.q)}\n\n{own}\n").as_bytes())
    meant = "red" if "red" in now.casefold() else "blue"
    assert got in ("", meant)


def _chain(ours: Ours, text: str) -> EmailMessage:
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"], message["Subject"] = ours.address, HOME, "Re: Re: vote"
    message["In-Reply-To"], message["References"] = "<mine@example.org>", f"{ours.ident} <mine@example.org>"
    message.set_content(text)
    return message
