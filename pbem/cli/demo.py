"""`pbem demo` and `pbem examples`: what it looks like, and how the repository's examples are made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pbem.kernel.referee import Referee


@click.command("demo")
@click.option(
    "--keep", type=click.Path(path_type=Path, file_okay=False), help="Work in this folder and leave it there."
)
def demo_command(keep: Path | None) -> None:
    """A whole example in a temporary folder."""
    import tempfile

    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        _demo(keep)
        return
    with tempfile.TemporaryDirectory(prefix="pbem-demo-") as folder:
        _demo(Path(folder))


def _demo(folder: Path) -> None:
    """An open ballot, a mailbox of four players, the letters that follow."""
    from datetime import timedelta

    from pbem.cli.console import data
    from pbem.cli.look import show_prompts
    from pbem.cli.mail import show_report
    from pbem.post.ingest import ingest
    from pbem.post.sources import open_source
    from pbem.trial import staging

    save = folder / "demo.toml"
    ballot(save, folder)
    (folder / "work").mkdir()
    mails = staging.whole_round(save, folder / "work")
    box = folder / "round.mbox"
    box.write_bytes(staging.as_mbox(mails))
    data(f"A game of 1630 Something in {save}: a ballot is open, sealed, to four players.\n")
    show_prompts(save)
    data(f"\n{len(mails)} letters in {box}; the first of them:\n")
    data(next(iter(open_source(box))).raw.decode("utf-8", "replace"))
    data(f"\n$ pbem ingest {save} {box}")
    show_report(ingest([save], [box], now=mails[-1].at + timedelta(minutes=5)))
    data("\nOne of the letters that went out:\n")
    new = sorted((folder / "outbox" / "new").iterdir())
    data(plain_part(new[-1].read_bytes()))
    data(f"$ pbem prompts {save}")
    show_prompts(save)


def plain_part(raw: bytes) -> str:
    """The headers that matter and the plain text of a message."""
    from pbem.post.mime import read_letter

    letter = read_letter(raw)
    return f"To: {', '.join(letter.to)}\nSubject: {letter.subject}\n\n{letter.text}"


@click.group("examples")
def examples_group() -> None:
    """The examples of the repository."""


@examples_group.command("build")
@click.option("--into", type=click.Path(path_type=Path, file_okay=False), default=".", show_default=True)
def build_command(into: Path) -> None:
    """Write saves/ and examples/ anew. The same bytes every time."""
    from pbem.cli.console import data

    for path in build(into):
        data(str(path))


def build(into: Path) -> list[Path]:
    """Make every example below `into`; returns the files written, in order."""
    import shutil
    import tempfile

    from pbem.trial import staging

    saves, examples = into / "saves", into / "examples"
    for folder in (saves, examples):
        folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(examples / "outbox", ignore_errors=True)
    made = [saves / f"1630-{name}.toml" for name in ("ballot", "exchange", "finished")]
    for path in made:
        path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="pbem-examples-") as name:
        work = Path(name)
        ballot(made[0], examples)
        mails = staging.whole_round(made[0], work)
        (examples / "round.mbox").write_bytes(staging.as_mbox(mails))
        exchange(made[1], work)
        finished(made[2], work)
    files = {
        "ballot.orders": _move_file(made[0]),
        "exchange.orders": _move_file(made[1]),
        "finished.txt": _story(made[2]),
        "crontab": _template("crontab"),
        "README.md": _template("README.md"),
    }
    for name, text in files.items():
        (examples / name).write_text(text, "utf-8")
    written = [examples / "round.mbox", *(examples / name for name in files)]
    return [*made, *written, *sorted((examples / "outbox" / "new").iterdir())]


def ballot(path: Path, home: Path) -> None:
    """Four players of 1630, in the second turn, before an open sealed ballot; their letters lie in the outbox."""
    from random import Random

    import games
    from pbem.trial import staging

    def open_ballot(referee: Referee) -> bool:
        pending = referee.pending()
        return pending[0].kind == "ballot" and referee.game.clock(referee.table.state)["turn"] == 2

    session = staging.setting_up(path, games.load("sixteen_thirty"), 4)
    staging.play(session, open_ballot, Random(path.stem))
    staging.finish(session, home)


def exchange(path: Path, home: Path) -> None:
    """A window for a trade, with an offer on the table."""
    from random import Random

    import games
    from pbem.trial import staging

    def on_offer(referee: Referee) -> bool:
        return referee.talk is not None and bool(referee.talk.open)

    session = staging.setting_up(path, games.load("sixteen_thirty"), 4)
    staging.play(session, on_offer, Random(path.stem))
    staging.finish(session, home)


def finished(path: Path, home: Path) -> None:
    """A game played to its end: the seed is public, and every die can be rolled again."""
    from random import Random

    import games
    from pbem.trial import staging

    session = staging.setting_up(path, games.load("sixteen_thirty"), 4)
    staging.play(session, lambda referee: referee.over, Random(path.stem))
    staging.finish(session, home)


def _move_file(save: Path) -> str:
    """An answer of everybody who owes one, as a moderator types it."""
    from random import Random

    from pbem.cli.look import opened
    from pbem.trial import staging

    session = opened(save)
    blocks = ["# Orders as the moderator types them: no codes needed. Try: pbem ingest -n SAVE THIS-FILE", ""]
    for seat, lines in staging.answers(session, Random(3)).items():
        blocks += [f"BEGIN ORDERS {session.save.header.name} {seat}", *lines, "END ORDERS", ""]
    return "\n".join(blocks)


def _template(name: str) -> str:
    """A file of the examples that is kept as it stands."""
    from importlib.resources import files

    return (files("pbem.cli") / "templates" / name).read_text("utf-8")


def _story(save: Path) -> str:
    """The public narration of a game from its first line."""
    from pbem.cli.look import opened
    from pbem.report import Frame, as_text, build

    session = opened(save)
    name = session.save.header.name
    return as_text(build(session.referee, "", "en", lines=session.lines(0), frame=Frame(name)))


COMMANDS = [demo_command, examples_group]
