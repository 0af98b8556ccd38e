"""`pbem backup` and `pbem restore`: all games of a folder in one file."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, data, event, note, warn
from pbem.cli.exit_codes import Exit
from pbem.cli.options import PathParam, dry_run_option, now_option, saves_option, sure, use_folder_settings, yes_option
from pbem.cli.repair import audited_of_several

if TYPE_CHECKING:
    from pbem.mail.backup import Restoration


@command("backup", "pbem backup games.tar", "pbem backup games.tar --saves ~/games")
@click.argument("file", type=PathParam(dir_okay=False))
@saves_option
@now_option
@click.pass_context
def backup_command(ctx: click.Context, file: Path, saves: Path, now: datetime) -> None:
    """Write a copy of all games.

    A tar file (*.tar, *.tar.gz) with saves, outbox, quarantine and settings, as they are now; a run may be at work.
    It contains all secrets of the games, but no passwords.
    """
    from pbem.mail.backup import back_up
    from pbem.mail.save_index import SaveIndex

    index = SaveIndex([saves])
    if not (index.paths or index.broken):
        raise CommandFailed(f"{saves}: no saves here", hint="name their folder: --saves FOLDER")
    mail = use_folder_settings(ctx, saves)
    secret = mail.file(mail.mail.password_file)
    made = back_up(saves, file, now, frozenset({secret} if secret else ()))
    size = sum(found.size for found in made.files)
    event(f"{file}: {len(index.paths) + len(index.broken)} games, {len(made.files)} files, {size:,} bytes")
    for path, why in index.broken.items():
        warn(f"copied as it is: {why if str(path) in str(why) else f'{path}: {why}'}")
    if index.broken:
        ctx.exit(Exit.PARTIAL)


@command("restore", "pbem restore games.tar --dry-run", "pbem restore games.tar --saves ~/games --yes")
@click.argument("file", type=PathParam(exists=True, dir_okay=False))
@saves_option
@dry_run_option
@yes_option
@now_option
@click.pass_context
def restore_command(ctx: click.Context, file: Path, saves: Path, dry_run: bool, yes: bool, now: datetime) -> None:
    """Restore games from a backup.

    Each save is checked as by `pbem audit`. If the folder isn't empty, it asks; files that it replaces are moved to a
    folder `before-restore-…`. Emails that were sent since aren't sent again.
    """
    import shutil
    import tempfile

    from pbem.mail.backup import BackupError, restore, unpack

    if file.suffix == ".toml":
        hint = f"pbem repair accept-rollback {file}"
        raise CommandFailed(f"{file} is a save, not a backup", Exit.USAGE, hint=hint)
    saves.mkdir(mode=0o700, parents=True, exist_ok=True)
    used = any(not path.name.startswith(".") and path.suffix != ".lock" for path in saves.iterdir())
    fresh = Path(tempfile.mkdtemp(prefix=".restore-", dir=saves))
    try:
        manifest = unpack(file, fresh)
        if used and not dry_run:
            made = manifest.made[:16].replace("T", " ")
            sure(f"{saves} has files already. Put the {len(manifest.files)} files of {made} there?", yes)
        aside = saves / f"before-restore-{now:%Y%m%d-%H%M%S}"
        done = restore(fresh, manifest, saves, _fault, aside, dry_run=dry_run)
    except BackupError as error:
        raise CommandFailed(f"{file}: {error}") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    _tell(done, saves, aside, len(manifest.files), dry_run=dry_run)
    if done.faults:
        ctx.exit(Exit.PARTIAL)


def _fault(save: Path) -> str:
    """Return what `pbem audit` finds wrong with a save; "" if nothing."""
    found = audited_of_several(save)
    return found if isinstance(found, str) else "; ".join(found["roll_errors"])


def _tell(done: Restoration, saves: Path, aside: Path, count: int, *, dry_run: bool) -> None:
    data(f"{len(done.put)} of {count} files put into {saves}; the others are there already")
    if done.kept:
        data(f"{len(done.kept)} files that were in their place: {aside}")
    for name, why in done.faults.items():
        warn(f"{name}: {why}")
    for name, why in done.behind.items():
        warn(f"{name}: {why}\n  → pbem repair accept-rollback {saves / name}")
    if dry_run:
        note("dry run: nothing was written")


COMMANDS = {"backup": backup_command, "restore": restore_command}
