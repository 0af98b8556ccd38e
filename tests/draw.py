"""`python -m tests.draw GAME`: what players get at random moments, for somebody who reads it with fresh eyes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click

from pbem import LANGUAGES
from pbem.cli.options import GameSlug
from pbem.kernel.game import Game
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import compose_email
from pbem.save import SeatInfo, Session
from pbem.tui.model.game_source import open_source
from tests.bench.email_sizes import looks
from tests.tui.helpers import grid, make_app, running

APART, RARE = 40, 25
"""The most answers between two looks, in all games and where kinds of question are looked for."""
_MOST = 4_000
"""Looks at random games: the rarest kinds may not come."""


@click.command("draw")
@click.argument("game", type=GameSlug())
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True)
@click.option("--seed", default="1", show_default=True, help="Another seed draws other games.")
@click.option("--count", default=10, show_default=True, help="How many to draw.")
@click.option("--rare", is_flag=True, help="Each kind of question at most once.")
@click.option("--screen", metavar="WxH", help="Draw the first picture of a terminal of this size, not the email.")
def draw(game: str, lang: str, seed: str, count: int, rare: bool, screen: str | None) -> None:
    """Draw emails, or screens of a terminal, that ask something in random games.

    \b
    Examples:
      python -m tests.draw virgin_queen --lang ja --count 30 --rare
      python -m tests.draw crown_of_roses --screen 100x30
    """
    import games

    with TemporaryDirectory(prefix="pbem-draw-") as folder:
        drawn = moments(games.load(game), lang, Random(f"{game} {lang} {seed}"), Path(folder), rare=rare)
        for number, (session, seat) in zip(range(1, count + 1), drawn, strict=False):
            kind = session.referee.pending_to(seat.id).kind
            click.echo(f"##### {number} · {game} {lang} · {seat.id} · {kind} · move {session.referee.n}")
            click.echo(asyncio.run(_screen(session, seat, lang, screen)) if screen else _email(session, seat))


def moments(
    game: Game, language: str, chance: Random, folder: Path, *, rare: bool
) -> Iterator[tuple[Session, SeatInfo]]:
    """Yield open questions of random games, each with one seat that is asked and must be told."""
    seen = set[str]()
    for session in looks(game, language, _MOST, chance, RARE if rare else APART, folder):
        asked = [seat for seat in session.save.seats if seat.id in session.referee.asked()]
        chance.shuffle(asked)
        for seat in asked:
            news, kind = news_for(session, seat), session.referee.pending_to(seat.id).kind
            if news.goes and not news.first and not (rare and kind in seen):
                seen.add(kind)
                yield session, seat
                break


def _email(session: Session, seat: SeatInfo) -> str:
    email = compose_email(session, reader_of(session, seat), news_for(session, seat))
    return f"Subject: {email.subject}\n\n{email.text}"


async def _screen(session: Session, seat: SeatInfo, language: str, size: str) -> str:
    session.commit()
    app = make_app(open_source(session.path, seat.id), language=language)
    columns, rows = map(int, size.split("x"))
    async with running(app, (columns, rows)) as pilot:
        await pilot.pause()
        return grid(app)


if __name__ == "__main__":
    draw()
