"""`pbem play`: start a game now, against bots or with others at the same keyboard."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

import games
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, failing, note
from pbem.cli.new import known_scenario, save_file, seed_of
from pbem.cli.options import NEW_FILE, GameSlug, add_option
from pbem.cli.tui import opened
from pbem.kernel.game import Game, Setup
from pbem.mail.bots import set_due
from pbem.save import ClockSettings, SeatInfo, Session, load_header

BOT = "bot"
_USUAL = 4  # default number of seats, if the game allows it


def _effort(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    from pbem.bot import Effort

    try:
        Effort.named(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return value


@command("play", "sixteen_thirty --guide", "crown_of_roses --seats anna,bot,ben")
@click.argument("game", metavar="[GAME|SAVE]", default="")
@add_option(
    "--seats", "NAME,bot,…", "Players in the order of the seats: a name, or bot [default: you and bots].", default=""
)
@options.scenario
@add_option(
    "--effort",
    "EFFORT",
    "Effort of the bots: low, normal, high, or seconds such as 1s.",
    default="normal",
    callback=_effort,
)
@add_option("-o --output", "SAVE", "Save to write.", type=NEW_FILE)
@add_option("--seed", "FILE", "File with the seed of all dice [default: a new one].", default="")
@click.option("--guide", is_flag=True, help="Explain each question, for a first game.")
@options.lang
@options.theme
@options.now
def play_command(
    game: str,
    seats: str,
    scenario: str,
    effort: str,
    output: Path | None,
    seed: str,
    guide: bool,
    lang: str | None,
    theme: str,
    now: datetime,
) -> None:
    """Play now, alone or at one keyboard.

    Start a GAME, or go on with the SAVE of one; without either, choose from a list. Bots play the
    other seats. F9 gives a hint, Ctrl+Z takes back an answer.
    """
    from pbem.tui import NoTerminal, play

    with failing(NoTerminal, code=Exit.USAGE, hint="`pbem new` starts a game by email"):
        game = game or opened("play")
        path = Path(game)
        if not (path.suffix == ".toml" and path.is_file()):
            path = _begin(game, seats, scenario, effort, output, seed, now)
        people = _people(path)
        note(f"{path}: go on with pbem play {path}")
        play(path, people, language=lang or "", theme=theme, guided=guide)


def _begin(slug: str, seats: str, scenario: str, effort: str, output: Path | None, seed: str, now: datetime) -> Path:
    """Begin a new game. Bots have answered what comes before the first player's question."""
    from pbem.tui import need_terminal

    slug = GameSlug().convert(slug, None, None)
    game = games.load(slug)
    known_scenario(game, scenario)
    people = _seated(game, scenario, seats, effort)
    need_terminal()  # before a save is written
    target = _target(output, slug)
    ids = tuple(seat.id for seat in people)
    setup = Setup(slug, ids, seed_of(seed), game.scenario(scenario).id, game.with_defaults({}))
    clock = ClockSettings("UTC", dict.fromkeys(game.default_hours, 0))  # no deadlines
    session = Session.create(target, game, setup, people, clock=clock, at=now)
    set_due(session, now)
    session.commit(now)
    return target


def _target(output: Path | None, slug: str) -> Path:
    if output is not None:
        return save_file(output)
    number = 1
    while (target := Path(f"{slug.replace('_', '-')}-{number}.toml")).exists():
        number += 1
    return target


def _seated(game: Game, scenario: str, written: str, effort: str) -> list[SeatInfo]:
    possible = game.scenario(scenario).seats
    names = [name.strip() for name in written.split(",")] if written else []
    if not names:
        names = ["me", *[BOT] * (max(n for n in possible if n <= max(_USUAL, min(possible))) - 1)]
    if len(names) not in possible:
        numbers = ", ".join(map(str, sorted(possible)))
        raise CommandFailed(f"{game.slug} can't be played by {len(names)}", Exit.USAGE, hint=f"{numbers} can play")
    if all(name == BOT for name in names):
        raise CommandFailed("all players are bots", Exit.USAGE, hint="write --seats me,bot,…")
    ids = game.seats_for(len(names), scenario)
    return [
        SeatInfo(ident, "" if name == BOT else name, understudy=effort if name == BOT else "")
        for ident, name in zip(ids, names, strict=True)
    ]


def _people(path: Path) -> list[str]:
    """Return the seats of a save that no bot plays. Raises `CommandFailed` if players play it by mail."""
    save = load_header(path)
    if any(seat.addresses for seat in save.seats):
        raise CommandFailed(f"{path} is played by mail", hint=f"pbem tui {path} --seat SEAT shows it")
    return [seat.id for seat in save.seats if not seat.understudy]
