"""`pbem new`: write the save of a new game and the first emails."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import click

import games
from pbem import LANGUAGES, atomic_files
from pbem.cli import completion, options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, failing, note, warn
from pbem.cli.mail import show_report
from pbem.cli.options import NEW_FILE, GameSlug, add_option
from pbem.clock.policy import AT_FIRST, RESERVE
from pbem.kernel.dice import commitment
from pbem.kernel.game import Game, Setup
from pbem.kernel.pack import PackError
from pbem.kernel.referee import components_of
from pbem.kernel.rejections import Rejection
from pbem.lazy_regex import clean
from pbem.mail.bots import set_due
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.outbox.mime_message import NOBODY
from pbem.save import ClockSettings, SeatInfo, Session
from pbem.save.folder_settings import folder_settings
from pbem.save.key_positions import Steps, positions, steps
from pbem.save.pack_files import parted
from pbem.save.settings import YEAR, SettingError, UnknownZone, address, known_zone, set_setting

_SEAT = re.compile(r"(?P<id>[^=<,\s]+)\s*(?:=\s*(?P<name>[^<]*?)\s*(?:<(?P<addresses>[^>]*)>)?\s*(?P<more>,.*)?)?")
_SEAT_SYNTAX = "id=Name <address>,zone,language"


@command(
    "new",
    "sixteen_thirty -o g1.toml --seat amber=Anna --seat black=Ben --seat 'green=Chiyo <c@example.jp>,,ja'",
    "imperial_struggle -o is-1.toml --players 2 --answer-hours turn=72",
)
@click.argument("game", type=GameSlug())
@add_option("-o --output", "SAVE", "Save to write (*.toml).", type=NEW_FILE, required=True, **options.READS_SETTINGS)
@add_option("--players", "N", "Number of players [default: as many as --seat names].", type=click.IntRange(1))
@add_option(
    "--seat seats",
    "ID=NAME<ADDRESS>,ZONE,LANG",
    "A player: amber='Anna <anna@example.org>,Europe/Berlin,en'. Emails go to the first of several addresses. "
    "Default time zone: that of the game. With `,secret` the player gets a secret that can replace reply codes.",
    multiple=True,
    shell_complete=completion.new_seats,
)
@options.scenario
@add_option(
    "--option house_rules",
    "NAME=VALUE",
    "House rule (repeatable).",
    multiple=True,
    shell_complete=completion.house_rules,
)
@options.pack
@add_option(
    "--answer-hours hours",
    "PACE=N",
    "Hours to answer a question of a pace: turn, reaction, negotiation, ballot (repeatable).",
    multiple=True,
    shell_complete=completion.paces,
)
@add_option(
    "--set settings",
    "NAME=VALUE",
    "Setting as in `pbem config set`, such as players_may.end=moderator (repeatable).",
    multiple=True,
    shell_complete=completion.settings,
)
@add_option("--timezone zone", "ZONE", "Time zone of the game, such as Europe/Berlin.", default="UTC")
@add_option("--name", "TEXT", "Name of the game in emails [default: that of the file].", default="")
@add_option(
    "--seed",
    "FILE",
    "File with the seed of all dice, in hexadecimal; - asks for it [default: a new one]. Keep it secret.",
    default="",
)
@add_option(
    "--invite",
    "FILE",
    "Let all players take part in the seed. First run: write it to FILE and print invitations. Second run, with "
    "every player's --nonce: start the game.",
    type=NEW_FILE,
)
@add_option("--nonce nonces", "SEAT=TEXT", "Text that a player gave for the dice (one for each seat).", multiple=True)
@options.sender
@options.now
def new_command(
    game: str,
    output: Path,
    players: int | None,
    seats: tuple[str, ...],
    scenario: str,
    house_rules: tuple[str, ...],
    pack: Path | None,
    hours: tuple[str, ...],
    settings: tuple[str, ...],
    zone: str,
    name: str,
    seed: str,
    invite: Path | None,
    nonces: tuple[str, ...],
    sender: str,
    now: datetime,
) -> None:
    """Start a game.

    It writes the save, and the first email of each player to outbox/ next to it.
    """
    loaded = _game_of(game, scenario)
    people = seat_list(loaded, scenario, players, seats)
    ids = tuple(seat.id for seat in people)
    corrections = own_pack(pack, loaded)
    by_seat = _nonces(nonces, ids)
    if invite is not None:
        seed = _invited(invite, ids, by_seat, name or output.stem)
        if not seed:
            return
    setup = Setup(game, ids, seed_of(seed), loaded.scenario(scenario).id, _chosen(loaded, house_rules), corrections)
    clock = _clock(loaded, zone, hours)
    home = _at_home(people, sender, clock.zone)
    words: dict[str, Any] = {"name": name, "clock": clock, "at": now, "sender": home, "nonces": by_seat}
    session = Session.create(save_file(output), loaded, setup, people, **words)
    _set_defaults(session, hours, settings)
    _begin(session, sender, now)


def _clock(game: Game, zone: str, hours: tuple[str, ...]) -> ClockSettings:
    paces = {**game.default_hours, **_hours(hours, game)}
    return ClockSettings(_zone(zone, "--timezone"), paces, time_up={**AT_FIRST}, bank_hours=RESERVE)


def _set_defaults(session: Session, hours: tuple[str, ...], settings: tuple[str, ...]) -> None:
    """Apply the defaults of `pbem.toml`, except for what options give, then the options. Raises `CommandFailed`."""
    folder, post = folder_settings.get(), session.save.post
    rows = [(*map(str.strip, text.partition("=")[::2]), f"--set {text}") for text in settings]
    if folder is not None:
        boss = folder.moderator
        post.moderator, post.language = list(boss.addresses), boss.language or post.language
        given = {"zone", *(f"hours.{text.partition('=')[0]}" for text in hours)}
        new = ((name, text, f"pbem.toml: new.{name}") for name, text in folder.new.items() if name not in given)
        rows = [*new, *rows]
    for name, value, where in rows:
        try:
            set_setting(session.save, name, value)
        except SettingError as error:
            raise CommandFailed(f"{where}: {error}", Exit.USAGE if where.startswith("--") else Exit.BAD_DATA) from None


def _at_home(people: list[SeatInfo], sender: str, zone: str) -> str:
    """Return the game's own address. Seats without a zone get the game's. Raises `CommandFailed`."""
    home = _address(sender, "--from-address") if sender else ""
    for seat in people:
        seat.zone = seat.zone or zone
        seat.addresses = [_address(address, f"--seat {seat.id}", (home,)) for address in seat.addresses]
    return home


def _game_of(slug: str, scenario: str) -> Game:
    game = games.load(slug)
    known_scenario(game, scenario)
    if game.status != "complete":
        warn(f"{game.title['en']} is {game.status}: its rules are not all in this version")
        for section, about in game.missing.items():
            warn(f"  not written: section {section}, {about}")
    return game


def save_file(output: Path) -> Path:
    """Return the file of the save, in an existing folder."""
    target = output if output.suffix == ".toml" else output.with_name(f"{output.name}.toml")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _nonces(written: tuple[str, ...], ids: tuple[str, ...]) -> dict[str, str]:
    given: dict[str, str] = {}
    for text in written:
        seat, _, nonce = text.partition("=")
        nonce = nonce.strip()
        if seat not in ids or not nonce or seat in given or clean(nonce) != nonce or "\n" in nonce:
            hint = f"once for each seat: {', '.join(ids)}"
            raise CommandFailed(f"--nonce {text!r}: write SEAT=TEXT", Exit.USAGE, hint=hint)
        given[seat] = nonce
    return given


def _invited(file: Path, ids: tuple[str, ...], given: dict[str, str], name: str) -> str:
    """Return the seed file to which the invitations commit; "" if they are printed now. Raises `CommandFailed`.

    The seed is drawn before any nonce is known, and can't be drawn again: the invitations commit to it.
    """
    if not given:
        if file.exists():
            raise CommandFailed(f"{file} already exists", hint="players were invited: begin with their --nonce")
        seed = secrets.token_hex(32)
        atomic_files.replace(file, f"{seed}\n".encode(), 0o600)
        data(f"Invitation to {name}. The dice follow from a seed, whose SHA-256 is")
        data(f"  {commitment(bytes.fromhex(seed))}")
        data("and from what each player gives. Answer with the line of your seat; change its text as you like:")
        for seat in ids:
            data(f"  --nonce {seat}={secrets.token_hex(8)}")
        data("Your first email must quote this SHA-256 and your text as you gave it.")
        note(f"{file} is the seed: keep it secret, and begin with everybody's --nonce")
        return ""
    missing = [seat for seat in ids if seat not in given]
    if missing:
        raise CommandFailed(f"--nonce is missing for {', '.join(missing)}", hint="deal when all have answered")
    if not file.exists():
        raise CommandFailed(f"'{file}' doesn't exist", hint="run the same command without --nonce to create it")
    return str(file)


def _begin(session: Session, sender: str, now: datetime) -> None:
    set_due(session, now)
    session.commit(now)
    save, path = session.save, session.path
    data(str(path))
    note(f"{session.game.title['en']}, {len(save.seats)} seats; dice committed to {save.dice.commitment}")
    if not any(seat.addresses for seat in save.seats):
        note("no seat has an address, so no emails were written: play with move files")
        return
    show_report(InboxRun([path], now=now, sender=sender).finish(), home=path.parent)
    if not sender:
        note(f"these emails come from {NOBODY}: answers to them get lost\n  → pbem new --from-address, or PBEM_FROM")


def seat_list(game: Game, scenario: str, players: int | None, written: tuple[str, ...]) -> list[SeatInfo]:
    """Return the seats of the game in its order; those without a player are empty. Raises `CommandFailed`."""
    named: dict[str, SeatInfo] = {}
    for seat in map(_one_seat, written):
        if seat.id in named:
            raise CommandFailed(f"--seat {seat.id} is given twice", Exit.USAGE, hint="name each seat once")
        named[seat.id] = seat
    count = players or len(named)
    possible = game.scenario(scenario).seats
    if count not in possible:
        numbers = ", ".join(map(str, sorted(possible)))
        hint = f"{numbers} can play: say how many with --players, or name them with --seat"
        why = f"{game.slug} can't be played by {count}" if count else "who plays?"
        raise CommandFailed(why, Exit.USAGE, hint=hint)
    ids = game.seats_for(count, scenario)
    strange = [name for name in named if name not in ids]
    if strange:
        why = f"no seat '{strange[0]}' with {len(ids)} players"
        raise CommandFailed(why, Exit.USAGE, hint=f"seats: {', '.join(ids)}")
    return [named.get(ident) or SeatInfo(ident, zone="") for ident in ids]


def _one_seat(text: str) -> SeatInfo:
    """Parse `id=Name <address …>,zone,language,secret`. The default zone "" is the game's."""
    match = _SEAT.fullmatch(text.strip())
    if match is None:
        raise CommandFailed(f"--seat {text!r} is malformed", Exit.USAGE, hint=f"write --seat '{_SEAT_SYNTAX}'")
    if clean(text) != text or "\n" in text:
        raise CommandFailed(f"--seat {text!r} holds control characters", Exit.USAGE, hint="write it on one line")
    name, addresses = match["name"] or "", match["addresses"] or ""
    if not addresses and "@" in name:  # `amber=Anna anna@example.org`, without the angle brackets
        words = name.split()
        name, addresses = (" ".join(w for w in words if ("@" in w) is sign) for sign in (False, True))
    seat = SeatInfo(match["id"], name, zone="")
    seat.addresses = [_address(word, f"--seat {seat.id}") for word in re.split(r"[\s;,]+", addresses) if word]
    for part in (part.strip() for part in (match["more"] or "").split(",")):
        if part == "secret":
            seat.secret = secrets.token_hex(8)
        elif part in LANGUAGES:
            seat.language = part
        elif part:
            seat.zone = _zone(part, f"--seat {seat.id}")
    return seat


def _address(text: str, option: str, own: tuple[str, ...] = ()) -> str:
    with failing(ValueError, f"{option}: ", Exit.USAGE):
        return address(text, own)


def _zone(text: str, option: str) -> str:
    hint = f"write --seat '{_SEAT_SYNTAX}'" if option.startswith("--seat") else ""
    with failing(UnknownZone, f"{option}: ", Exit.USAGE, hint):
        return known_zone(text)


def seed_of(file: str) -> str:
    """Return the seed in a file, or as it is typed (`-`); "" for none. Raises `CommandFailed`."""
    if not file:
        return ""
    try:
        text = click.prompt("Seed", hide_input=True) if file == "-" else Path(file).read_text("ascii").strip()
    except UnicodeDecodeError:
        text = "?"
    except FileNotFoundError:
        hint = "--seed names a file, or - to be asked: on a command line everybody on this machine could read it"
        raise CommandFailed(f"{file[:8]}…: no such file", Exit.USAGE, hint=hint) from None
    if len(text) < 32 or len(text) % 2 or re.fullmatch(r"[0-9A-Fa-f]+", text) is None:
        raise CommandFailed("a seed needs at least 32 hexadecimal digits", Exit.USAGE, hint="or leave --seed out")
    return text.lower()


def _chosen(game: Game, house_rules: tuple[str, ...]) -> dict[str, Any]:
    known = {option.id: option for option in game.options}
    chosen = {}
    for text in house_rules:
        key, _, value = text.partition("=")
        if key not in known:
            names = ", ".join(known) or "none"
            raise CommandFailed(f"{game.slug} has no option '{key}'", Exit.USAGE, hint=f"options: {names}")
        hint = f"write --option {key}={known[key].domain.syntax()}"
        with failing(Rejection, f"--option {text}: ", Exit.USAGE, hint):
            chosen[key] = known[key].domain.parse(value)
    return game.with_defaults(chosen)


def known_scenario(game: Game, scenario: str) -> None:
    """Raise `CommandFailed` if the game has no such scenario."""
    with failing(ValueError, code=Exit.USAGE, hint=f"pbem games show {game.slug} lists them"):
        game.scenario(scenario)


def own_pack(path: Path | None, game: Game) -> dict[str, Any]:
    """Return the checked corrections of the moderator. Raises `CommandFailed` naming file, line and key."""
    if path is None:
        return {}
    with failing(ValueError, f"{path}: ", hint="it must be TOML, written as `pbem docs packs` shows"):
        text = path.read_text("utf-8")
        head, own = parted(text)
    if head.get("game", game.slug) != game.slug:
        raise CommandFailed(f"{path} is a pack for {head['game']}, not for {game.slug}")
    try:
        components_of(game, own)
    except PackError as error:
        lines = positions(text)
        problems = "\n".join(_placed(path, lines, line) for line in str(error).split("\n"))
        hint = f"correct the file; pbem games show {game.slug} --provenance lists the tables, pbem docs packs the form"
        raise CommandFailed(problems, hint=hint) from None
    return own


def _placed(path: Path, lines: Mapping[Steps, int], problem: str) -> str:
    """Add the line of the key that a problem begins with, if the file has it."""
    key = steps(problem.split(maxsplit=1)[0].rstrip(":"))
    line = next((lines[key[:size]] for size in range(len(key), 1, -1) if key[:size] in lines), lines.get(key, 0))
    return f"{path}, line {line}: {problem}" if line else f"{path}: {problem}"


def _hours(written: tuple[str, ...], game: Game) -> dict[str, int]:
    hours = {}
    for text in written:
        pace, _, number = text.partition("=")
        if pace not in game.default_hours or not re.fullmatch("[0-9]{1,4}", number) or int(number) > YEAR:
            hint = f"write PACE=N, N from 0 (no deadline) to {YEAR}; paces: {', '.join(game.default_hours)}"
            raise CommandFailed(f"--answer-hours {text!r} isn't PACE=N", Exit.USAGE, hint=hint)
        hours[pace] = int(number)
    return hours
