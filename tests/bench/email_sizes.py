"""How long emails are: over random games, in each language, what a player has to read and to scroll past."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import msgspec

from pbem import LANGUAGES
from pbem.dev import synthetic_mail
from pbem.kernel.game import Game
from pbem.kernel.referee import Referee
from pbem.mail.bots import set_due
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import compose_email
from pbem.mail.outbox.write import write_emails
from pbem.report.merge_lines import words_in
from pbem.report.text_width import width
from pbem.save import Session

STOPS = 40
"""How often a language's games are looked at."""


class Sizes(msgspec.Struct, frozen=True):
    """The emails of a game in one language; first emails, which are invitations, do not count.

    `words`: half of them have at most so many; `words_95`: 95 of 100; `words_most`: all. `form`: by which line the form
    stands in all. `subject`: cells of the longest, `page`: bytes of the longest.
    """

    language: str
    emails: int
    words: int
    words_95: int
    words_most: int
    form: int
    subject: int
    page: int


def run(
    game: Game, stops: int = STOPS, *, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Sizes]:
    """Measure the emails of random games; `progress` hears of each look at a game."""
    total = stops * len(LANGUAGES)
    found = []
    for at, language in enumerate(LANGUAGES):
        emails = []
        for number, session in enumerate(looks(game, language, stops), 1):
            emails += list(_emails(session))
            progress(at * stops + number, total)
        found.append(_sizes(language, emails))
    return found


def looks(
    game: Game, language: str, count: int, chance: Random | None = None, most: int = 60, folder: Path = Path()
) -> Iterator[Session]:
    """Random games, again and again after some more answers, with what the seats had to be told until then told."""
    chance, now = chance or Random(f"{game.slug} {language}"), synthetic_mail.START
    session = _begun(game, language, folder / f"{game.slug}-{language}-0.toml")
    for number in range(count):
        if session.referee.over:
            session = _begun(game, language, folder / f"{game.slug}-{language}-{number}.toml")
        target = session.referee.n + chance.randrange(3, most)
        synthetic_mail.play(session, partial(_has_come_to, target), chance)
        set_due(session, now)
        yield session
        write_emails(session, now)
        session.save.outbox = []


def _has_come_to(n: int, referee: Referee) -> bool:
    return referee.n >= n


def _begun(game: Game, language: str, path: Path) -> Session:
    """A new game of the most players, all of whom read this language."""
    session = synthetic_mail.new_game(path, game, max(game.scenarios[0].seats))
    for seat in session.save.seats:
        seat.language = language
    return session


def _emails(session: Session) -> Iterator[tuple[int, int, int, int]]:
    """Words, line of the form, cells of the subject and bytes of the page of what the seats are to be told now."""
    for seat in session.save.seats:
        news = news_for(session, seat)
        if not news.goes or news.first:
            continue
        email = compose_email(session, reader_of(session, seat), news)
        lines, form = email.text.splitlines(), f"{session.referee.q}: ?"
        at = lines.index(form) + 1 if form in lines else 0
        yield words_in(email.text), at, width(email.subject), len(email.html.encode())


def _sizes(language: str, emails: list[tuple[int, int, int, int]]) -> Sizes:
    if not emails:
        return Sizes(language, 0, 0, 0, 0, 0, 0, 0)
    words = sorted(email[0] for email in emails)
    form, subject, page = (max(email[column] for email in emails) for column in (1, 2, 3))
    count = len(words)
    return Sizes(language, count, words[count // 2], words[int(count * 0.95)], words[-1], form, subject, page)
