"""What tests ask of a moderator's folder (the fixture `desk`) and of its report."""

from __future__ import annotations

from random import Random

import games
from pbem.dev import synthetic_mail
from pbem.mail.inbox.mime import decode_mail
from pbem.save import Session


def fates(report):
    return [(letter.seat, letter.fate) for letter in report.emails]


def opened(desk):
    return Session.open(desk.save, games.load)


def ballots(desk, chance=None):
    """One honest letter of each seat asked."""
    session = opened(desk)
    answers = synthetic_mail.answers(session, chance or Random(1))
    return {seat: synthetic_mail.write_email(session, seat, lines, desk.now) for seat, lines in answers.items()}


def text_of(raw):
    return decode_mail(raw).text
