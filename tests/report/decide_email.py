"""The email of a saved moment, to look for what its reader must know to decide."""

from datetime import UTC, datetime
from pathlib import Path

import games
from pbem.orders.reply_form import last_line, short_form
from pbem.report.merge_lines import words_in
from pbem.report.messages import Catalogue
from pbem.report.question_text import asked_of
from pbem.report.short_email import FIRST, SUBJECT, ShortEmail, subject_of, text_of
from pbem.report.text_width import COLUMNS, width
from pbem.save import Session

MOMENTS = Path(__file__).parent / "moments"
DUE = datetime(2026, 5, 3, 12, tzinfo=UTC)


def bare(text):
    """Return a text without white space and line breaks, so that it doesn't matter where lines break."""
    return "".join(text.split())


def email_at(moment, seat, language):
    """Return the subject and the text of the email to a seat at a moment, checked for its measures."""
    session = Session.open(MOMENTS / f"{moment}.toml", games.load)
    referee = session.referee
    say = Catalogue(session.game, referee.table.c, language)
    asked = asked_of(referee, seat, say)
    email = ShortEmail(name="is-war", asked=asked, due=DUE, zone="Europe/Paris")
    email.form_lines = short_form(asked.q, email.name, seat, "3f9c-a1d2")
    email.last, email.legend = last_line(email.name, referee.q), say.text("email.legend")
    subject, text = subject_of(email, say), text_of(email, say)
    lines = text.splitlines()
    assert lines.index(f"{asked.q}: ?") < FIRST
    assert [line for line in lines if width(line) > COLUMNS] == []
    assert width(subject) <= SUBJECT
    assert words_in(text) <= 130
    assert say.missing == set()
    return f"{subject}\n{text}"


def lacking(text, words):
    """Return those of the words that are not in the text."""
    told = bare(text)
    return [word for word in words if bare(word) not in told]
