"""Examples of a game: saves and letters that its room describes; and one call that builds those of all games.

**How a game adds its own.** A module `tests/examples/<game>.py` with a function `build(examples)`; nothing else has to
be registered. `Examples`, which it is handed, reads, writes and draws lots, so that the same bytes come out every time.
For example::

    if TYPE_CHECKING:
        from tests.examples.kit import Examples

    def in_a_war(referee):
        return referee.pending()[0].kind == "refuse"

    def build(examples: Examples) -> None:
        examples.save("is-war", in_a_war, what="a Territory is being taken, and its owner may refuse")
        examples.save("is-finished", what="a game played to its end")
        examples.turns("is-round", "is-round", what="two Action Rounds", same=action_round)

Names of files begin with a short name of the game (`is-`, `vq-`, `cor-`). `python -m tests.examples [GAME...]` runs it;
each call also writes its row in `examples/README.md`.
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import msgspec

import games
from pbem.dev import synthetic_mail
from pbem.kernel.game import Game
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import AdvanceOrder
from pbem.mail import rollback_guard
from pbem.report.build import build
from pbem.report.model import ReportContext
from pbem.report.text import as_text
from pbem.save import Session
from pbem.timestamps import stamp
from tests.examples import tale

ATTEMPTS = 200
"""How many random games are tried for one that gets to the moment wanted, and how many ways to play a turn."""

TALES = 9
"""With how many sets of dice a tale is tried."""

Fits = Callable[[int, list[str]], bool]
Step = tuple[str, str, str | Callable[[Referee], str]]
"""A seat, a kind of question and its answer: order text, or a function of the referee that writes it."""
Round = Sequence[tuple[str, Sequence[str]]]
"""Emails to one question, in the order of arrival: the seat and its order lines."""


class NoExamples(LookupError):
    """A game that was named has no examples."""


class ExampleRow(msgspec.Struct, frozen=True):
    """A line of the table in `examples/README.md`: the file, what it is, a command to try (or "")."""

    file: str
    what: str
    attempt: str = ""


class Examples:
    """Where one game's examples are made: `saves/` and `examples/` below `into`. `files` and `rows` tell what was.

    What takes many seconds is made only if `long`.
    """

    def __init__(self, game: Game, into: Path, work: Path, long: bool = True) -> None:
        self.game = game
        self.long = long
        self.saves = into / "saves"
        self.folder = into / "examples"
        self.work = work
        self.files: list[Path] = []
        self.rows: list[ExampleRow] = []
        for folder in (self.saves, self.folder):
            folder.mkdir(parents=True, exist_ok=True)

    # -- saves ---------------------------------------------------------------------------------------------------------

    def save(
        self,
        name: str,
        until: synthetic_mail.Until | None = None,
        *,
        what: str,
        players: int = 0,
        scenario: str = "",
        options: Mapping[str, Any] | None = None,
        seeds: Iterable[int | str] | None = None,
        outbox: bool = False,
    ) -> Path:
        """Write `saves/<name>.toml`: a game of made-up people, played at random until `until` holds (None: to its end).

        `until` is asked before every answer and never of a game that is over. The first of `seeds` whose game gets
        there is taken (by default the name and then numbers). `players`: 0 is the most the scenario has. Everybody has
        had his letter; with `outbox` they lie in `examples/outbox`. Raises LookupError if no game gets there.
        """
        path = self.saves / f"{name}.toml"
        players = players or max(self.game.scenario(scenario).seats)
        path.unlink(missing_ok=True)
        for seed in seeds if seeds is not None else (name, *range(ATTEMPTS)):
            session = synthetic_mail.new_game(path, self.game, players, scenario=scenario, options=options)
            synthetic_mail.play(session, lambda referee: until is not None and until(referee), Random(seed))
            if session.referee.over == (until is None):
                break
        else:
            raise LookupError(f"{name}: no game gets there")
        if outbox:
            shutil.rmtree(self.folder / "outbox", ignore_errors=True)
        synthetic_mail.finish(session, self.folder if outbox else self.work)
        attempt = f"`pbem {'audit' if until is None else 'tui'} saves/{path.name}`"
        self._wrote(path, f"saves/{path.name}", what, attempt)
        if outbox:
            self._wrote_outbox(name)
        return path

    def _wrote_outbox(self, name: str) -> None:
        (self.folder / rollback_guard.NAME).unlink(missing_ok=True)  # of no use without its saves
        self.files += sorted((self.folder / "outbox" / "new").iterdir())
        what = f"the emails of `{name}` as a Maildir"
        self.rows.append(ExampleRow("`outbox/`", what, "`cat examples/outbox/new/*`"))

    def scripted(
        self,
        name: str,
        script: Sequence[Step],
        until: synthetic_mail.Until,
        *,
        what: str,
        players: int = 0,
        scenario: str = "",
    ) -> Path:
        """Write `saves/<name>.toml`: a game played by a script, and quietly else, until `until` holds.

        For moments that random games reach seldom. `follow` tells how. Where the dice do not lead there
        others are rolled; raises LookupError if none of them do.
        """
        path = self.saves / f"{name}.toml"
        players = players or max(self.game.scenario(scenario).seats)
        path.unlink(missing_ok=True)
        for attempt in range(ATTEMPTS):
            session = synthetic_mail.new_game(path, self.game, players, scenario=scenario, attempt=attempt)
            try:
                follow(session, script, until)
                break
            except LookupError:
                if attempt == ATTEMPTS - 1:
                    raise
        synthetic_mail.finish(session, self.work)
        self._wrote(path, f"saves/{path.name}", what, f"`pbem tui saves/{path.name}`")
        return path

    # -- letters -------------------------------------------------------------------------------------------------------

    def turns(
        self,
        name: str,
        save: str,
        *,
        what: str,
        same: Callable[[Referee], Hashable],
        letters: int = 2,
        fits: Fits = lambda number, lines: True,
    ) -> Path:
        """Write `examples/<name>.mbox` for one of these saves: letters that each hold a whole turn.

        A turn lasts while its seat alone is asked and `same(referee)` stays as it was. Of random ways to play it, the
        first is taken that no surprise interrupts and whose lines `fits(number of the letter from 0, lines)`;
        LookupError if none does. What is asked of several, or sealed, in between is answered in letters of one line
        each, which do not count.
        """
        path = self.saves / f"{save}.toml"
        return self._mailbox(name, save, what, _turns(self.game, path, self.work, same, letters, fits))

    def round(self, name: str, save: str, *, what: str) -> Path:
        """Write `examples/<name>.mbox`: the letters of `synthetic_mail.demo_round`."""
        return self._mailbox(name, save, what, synthetic_mail.demo_round(self.saves / f"{save}.toml", self.work))

    def letters(self, name: str, save: str, rounds: Sequence[Round], *, what: str) -> Path:
        """Write `examples/<name>.mbox`: letters with these order lines, question after question."""
        path = self.saves / f"{save}.toml"
        mails = correspondence(path, self.work, lambda slug: self.game, rounds)
        return self._mailbox(name, save, what, mails)

    def _mailbox(self, name: str, save: str, what: str, mails: list[synthetic_mail.SyntheticEmail]) -> Path:
        path = self.folder / f"{name}.mbox"
        path.write_bytes(synthetic_mail.as_mbox(mails))
        self._wrote(path, path.name, what, f"`pbem ingest -n saves/{save}.toml examples/{path.name}`")
        return path

    def tale(
        self,
        name: str,
        author: Callable[[], tale.Author],
        *,
        title: str,
        preface: str,
        what: str,
        scenario: str = "",
        fits: Callable[[Sequence[tale.Sent]], bool] = lambda sent: True,
    ) -> Path:
        """Write `saves/<name>.toml`, where the tale begins, `examples/<name>.mbox`, its letters, and `<name>.md`.

        `author()` begins again with each set of dice, until one leads through a tale that `fits`.
        """
        path = self.saves / f"{name}.toml"
        players = max(self.game.scenario(scenario).seats)
        for attempt in range(TALES):
            path.unlink(missing_ok=True)
            session = synthetic_mail.new_game(path, self.game, players, scenario=scenario, attempt=attempt)
            synthetic_mail.finish(session, self.work)
            copy = Session.open(Path(shutil.copy2(path, self.work / path.name)), lambda slug: self.game)
            try:
                sent = tale.tell(copy, author(), synthetic_mail.START + timedelta(hours=2))
            except LookupError:
                continue
            if fits(sent):
                break
        else:
            raise LookupError(f"{name}: no dice lead through the tale")
        self._wrote(path, f"saves/{path.name}", f"where `{name}.md` begins", f"`pbem tui saves/{path.name}`")
        told = self.folder / f"{name}.md"
        told.write_text(tale.page(copy, title, preface, sent), "utf-8")
        self._wrote(told, told.name, f"the emails of `{name}.mbox`, with comments", "")
        return self._mailbox(name, name, what, [letter.mail for letter in sent])

    # -- text ----------------------------------------------------------------------------------------------------------

    def orders(self, name: str, save: str, *, what: str) -> Path:
        """Write `examples/<name>.orders`: an answer of everybody who owes one, as a moderator types it."""
        session = self._open(save)
        blocks = ["# Orders as the moderator types them: no codes needed. Try: pbem ingest -n SAVE THIS-FILE", ""]
        for seat, lines in synthetic_mail.answers(session, Random(3)).items():
            blocks += [f"BEGIN ORDERS {session.save.header.name} {seat}", *lines, "END ORDERS", ""]
        path = self.folder / f"{name}.orders"
        path.write_text("\n".join(blocks), "utf-8")
        self._wrote(path, path.name, what, f"`pbem ingest -n saves/{save}.toml examples/{path.name}`")
        return path

    def story(self, name: str, save: str, *, what: str) -> Path:
        """Write `examples/<name>.txt`: the public narration of a game from its first line."""
        session = self._open(save)
        frame = ReportContext(session.save.header.name)
        page = as_text(build(session.referee, "", "en", lines=session.lines(0), frame=frame))
        path = self.folder / f"{name}.txt"
        path.write_text(page, "utf-8")
        self._wrote(path, path.name, what, "")
        return path

    def _open(self, save: str) -> Session:
        return Session.open(self.saves / f"{save}.toml", lambda slug: self.game)

    def _wrote(self, path: Path, file: str, what: str, attempt: str) -> None:
        self.files.append(path)
        self.rows.append(ExampleRow(f"`{file}`", what, attempt))


# -- turns -----------------------------------------------------------------------------------------------------------


def _turns(
    game: Game, save: Path, work: Path, same: Callable[[Referee], Hashable], letters: int, fits: Fits
) -> list[synthetic_mail.SyntheticEmail]:
    copy = Path(shutil.copy2(save, work / save.name))
    mails: list[synthetic_mail.SyntheticEmail] = []
    at, number = synthetic_mail.START + timedelta(hours=5), 0
    while number < letters:
        session = Session.open(copy, lambda slug: game)
        referee = session.referee
        if referee.over:
            raise LookupError(f"{save.stem} is over after {number} turns")
        pending = referee.pending()
        if len(pending) == 1 and not pending[0].sealed:
            mails.append(_turn(session, game, same, number, at, fits))
            number += 1
            at += timedelta(hours=20)
        else:
            mails += _between(session, at, len(mails))
            at += timedelta(hours=1)
        session.commit(at)
    synthetic_mail.tidy(copy)
    return mails


def _turn(
    session: Session, game: Game, same: Callable[[Referee], Hashable], number: int, at: datetime, fits: Fits
) -> synthetic_mail.SyntheticEmail:
    """The letter with the turn of the seat that is asked; its lines are played."""
    (seat,) = session.referee.waiting()
    for seed in range(ATTEMPTS * 5):
        lines = _way(session.path, game, same, Random(seed))
        if lines and fits(number, lines):
            break
    else:
        raise LookupError(f"{session.path.stem}: no turn of {seat} fits")
    mail = synthetic_mail.write_email(session, seat, lines, at, number=number)
    referee = session.referee
    for line in lines:
        referee.submit(seat, referee.domain(seat).parse(line, referee.names))
    return mail


def _way(path: Path, game: Game, same: Callable[[Referee], Hashable], chance: Random) -> list[str]:
    """What the seat asked could write for its whole turn, tried on the save as read; [] if a surprise stops it."""
    referee = Session.open(path, lambda slug: game).referee
    (seat,) = referee.waiting()
    lines, began = list[str](), same(referee)
    waits = AdvanceOrder(seat, "pass", kind="never")
    referee.queue.append(waits)
    while referee.waiting() == (seat,) and not referee.pending()[0].sealed and same(referee) == began:
        value = referee.domain(seat).sample(chance.randrange)
        lines.append(referee.domain(seat).text(value))
        referee.submit(seat, value)
    return [] if waits.held else lines


def _between(session: Session, at: datetime, number: int) -> list[synthetic_mail.SyntheticEmail]:
    """A letter of everybody who is asked, each with one answer; the answers are given."""
    referee, q = session.referee, session.referee.q
    mails: list[synthetic_mail.SyntheticEmail] = []
    for seat, lines in synthetic_mail.answers(session, Random(number)).items():
        if referee.q != q:
            break
        mails.append(synthetic_mail.write_email(session, seat, lines, at + timedelta(minutes=7 * len(mails)), number=number))
        referee.submit(seat, referee.domain(seat).parse(lines[0].partition(": ")[2], referee.names))
    return mails


# -- all games -------------------------------------------------------------------------------------------------------


def build_all(into: Path, slugs: Iterable[str] = (), *, long: bool = True) -> list[Path]:
    """Build the examples of these games (none named: of all built-in games that have any) below `into`.

    Returns the files written, in order. `examples/README.md` lists those of all games, so it is written only when all
    are built. Without `long`, what takes many seconds is left out. Raises what `games.load` raises, and `NoExamples`
    for a named game without any.
    """
    named = list(slugs)
    made: list[Examples] = []
    for slug in named or games.BUILT_IN:
        game = games.load(slug)
        if find_spec(f"tests.examples.{slug}") is None:
            if named:
                raise NoExamples(f"{slug} has no examples")
            continue
        with tempfile.TemporaryDirectory(prefix="pbem-examples-") as work:
            examples = Examples(game, into, Path(work), long)
            importlib.import_module(f"tests.examples.{slug}").build(examples)
        made.append(examples)
    files = [path for ready in made for path in ready.files]
    if not named:
        page = into / "examples" / "README.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_page(made), "utf-8")
        files.append(page)
    return files


def _page(made: list[Examples]) -> str:
    lines = [
        "# Examples",
        "",
        "Made by `python -m tests.examples`; the same bytes every time. The saves are in `saves/`.",
    ]
    lines += ["`crontab` is what a moderator's cron runs.", ""]
    for examples in made:
        lines += [f"## {examples.game.title['en']}", "", "| file | what it is | try |", "|---|---|---|"]
        lines += [f"| {row.file} | {row.what} | {row.attempt} |" for row in examples.rows]
        lines.append("")
    return "\n".join(lines)


def follow(session: Session, script: Sequence[Step], until: synthetic_mail.Until) -> None:
    """Answer as the script says, else quietly, until `until` holds. Raises LookupError if steps remain."""
    referee, left = session.referee, list(script)
    for _ in range(synthetic_mail.LIMIT):
        if referee.over or until(referee):
            break
        kind = referee.pending()[0].kind
        seat = next((waiting for waiting in referee.waiting() if left and left[0][:2] == (waiting, kind)), "")
        if seat:
            told = left.pop(0)[2]
            text = told if isinstance(told, str) else told(referee)
            value = referee.domain(seat).parse(text, referee.names)
        else:
            seat = referee.waiting()[0]
            value = quiet(referee, seat)
        referee.submit(seat, value, at=stamp(synthetic_mail.START))
    if left or referee.over:
        raise LookupError(f"{session.path.stem}: the script did not get past {left[:1] or 'its end'}")


def quiet(referee: Referee, seat: str) -> Any:
    """Return the answer that makes as little as possible happen."""
    domain = referee.domain(seat)
    for text in ("done", "pass", "end", "none", "wait"):
        try:
            return domain.parse(text)
        except Rejection:
            continue
    return next(iter(domain.options()))


def correspondence(
    save: Path, work: Path, load: Callable[[str], Game], rounds: Sequence[Round]
) -> list[synthetic_mail.SyntheticEmail]:
    """Return the emails in which seats write these lines; rounds are processed in a copy of the save."""
    copy = Path(shutil.copy2(save, work / save.name))
    mails, at = list[synthetic_mail.SyntheticEmail](), synthetic_mail.START + timedelta(hours=2)
    for written in rounds:
        session, batch = Session.open(copy, load), list[synthetic_mail.SyntheticEmail]()
        for seat, lines in written:
            batch.append(synthetic_mail.write_email(session, seat, list(lines), at, number=len(mails) + len(batch)))
            at += timedelta(minutes=47)
        mails += batch
        synthetic_mail.take_in(copy, batch, work, at)
    return mails
