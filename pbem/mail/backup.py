"""A copy of a folder of games in one tar file, and the way back.

The last member, `MANIFEST`, lists the others as JSON, with size and SHA-256. What says how far mail was read comes
before the saves, and the emails come after them: a run at work meanwhile can only make them newer, which a later run
recognises. No lock is needed, as each file is replaced by renaming. Passwords are left out.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from pbem import __version__, atomic_files
from pbem.file_locks import lock
from pbem.mail import rollback_guard
from pbem.mail.save_index import is_save
from pbem.save.errors import SaveError
from pbem.timestamps import stamp

MANIFEST = "MANIFEST"
SCHEMA = "pbem/backup/1"
_STATE = ("*.json", ".pbem-notify.json")
_SAVES = ("*.toml", "*.toml.bak", "*.d/**/*", "ca.pem")
_MAIL = ("quarantine/*.jsonl", "quarantine/new/*", "quarantine/cur/*", "outbox/*.json", "outbox/new/*", "outbox/cur/*")
_CHUNK = 1 << 20


class BackupError(ValueError):
    """A backup that can't be used; the message says why."""


class BackedUp(msgspec.Struct, frozen=True):
    """A file of a backup, by its path from the folder."""

    name: str
    size: int
    sha256: str


class Manifest(msgspec.Struct):
    """The last member of a backup."""

    schema: str = SCHEMA
    made: str = ""
    pbem: str = ""
    files: list[BackedUp] = []

    @property
    def saves(self) -> list[str]:
        return [found.name for found in self.files if found.name.endswith(".toml") and "/" not in found.name]


def back_up(folder: Path, target: Path, now: datetime, secret: frozenset[Path] = frozenset()) -> Manifest:
    """Write the backup of a folder, readable by its owner only; `secret` files are left out. Raises OSError."""
    manifest = Manifest(made=stamp(now), pbem=__version__)
    target = Path(os.path.realpath(target))
    plain = target.is_file() or not target.exists()  # a device or a pipe is written to directly
    fresh = atomic_files.beside(target) if plain else target
    zipped = target.suffix in (".gz", ".tgz")
    try:
        with open(fresh, "wb", opener=atomic_files.private) as out:
            with tarfile.open(fileobj=out, mode="w|gz" if zipped else "w|", format=tarfile.PAX_FORMAT) as tar:
                for path in _files(folder):
                    if path not in secret and (found := _add(tar, folder, path)) is not None:
                        manifest.files.append(found)
                listed = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
                tar.addfile(_member(MANIFEST, len(listed), 0), io.BytesIO(listed))
            out.flush()
            with suppress(OSError):  # a pipe
                os.fsync(out.fileno())
        if plain:
            fresh.replace(target)
            atomic_files.sync_folder(target.parent)
    except BaseException:
        if plain:
            fresh.unlink(missing_ok=True)
        raise
    return manifest


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that belong to its games, in the order in which they have to be read."""
    for pattern in (*_STATE, *_SAVES, *_MAIL):
        for path in sorted(folder.glob(pattern)):
            hidden = path.name.startswith(".") and path.name not in _STATE
            if path.is_file() and not path.is_symlink() and not hidden and path.suffix not in (".lock", ".tmp"):
                yield path


def _add(tar: tarfile.TarFile, folder: Path, path: Path) -> BackedUp | None:
    """Add one file as it is now; an email that was moved meanwhile is found under its other name."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        moved = next(iter(path.parent.parent.glob(f"cur/{atomic_files.unflagged(path.name)}[:;]*")), None)
        if path.parent.name != "new" or moved is None:
            return None
        path, data = moved, moved.read_bytes()
    name = path.relative_to(folder).as_posix()
    tar.addfile(_member(name, len(data), path.stat().st_mtime), io.BytesIO(data))
    return BackedUp(name, len(data), hashlib.sha256(data).hexdigest())


def _member(name: str, size: int, time: float) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = size, int(time), 0o600
    return member


def unpack(source: Path, into: Path) -> Manifest:
    """Unpack a backup into an empty folder. Raises `BackupError` unless it is whole, OSError."""
    manifest, unpacked = None, dict[str, BackedUp]()
    try:
        with tarfile.open(source, "r:*") as tar:
            for member in tar:
                stream = tar.extractfile(member) if member.isreg() else None
                if stream is not None and member.name == MANIFEST:
                    manifest = _manifest(stream.read())
                elif stream is None or member.name in unpacked or not _is_ours(member.name):
                    raise BackupError(f"it isn't a backup of pbem: '{member.name}' can't be in one")
                else:
                    unpacked[member.name] = _extract(stream, into / member.name, member.name)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise BackupError(f"it is damaged: {error}") from None
    if manifest is None:
        raise BackupError("it isn't a backup of pbem, or its end is missing: it has no MANIFEST")
    listed = {found.name: found for found in manifest.files}
    if wrong := next((name for name in {**listed, **unpacked} if listed.get(name) != unpacked.get(name)), ""):
        raise BackupError(f"'{wrong}' isn't what its MANIFEST lists")
    return manifest


def _manifest(data: bytes) -> Manifest:
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.DecodeError as error:
        raise BackupError(f"its manifest can't be read: {error}") from None
    if manifest.schema != SCHEMA:
        raise BackupError(f"its format is '{manifest.schema}'; this pbem reads '{SCHEMA}'")
    return manifest


def _is_ours(name: str) -> bool:
    """Check that a name stays within the folder and is of a kind that backups have."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or str(path) != name or "\\" in name or "\0" in name:
        return False
    kinds = [pattern.replace("**/*", "*") for pattern in (*_STATE, *_SAVES, *_MAIL)]
    deep = len(path.parts) > 1 and path.parts[0].endswith(".d")
    return deep or any(len(PurePosixPath(kind).parts) == len(path.parts) and path.match(kind) for kind in kinds)


def _extract(stream: IO[bytes], target: Path, name: str) -> BackedUp:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    hasher, size = hashlib.sha256(), 0
    with open(target, "xb", opener=atomic_files.private) as out:
        while chunk := stream.read(_CHUNK):
            hasher.update(chunk)
            size += out.write(chunk)
    return BackedUp(name, size, hasher.hexdigest())


class Restoration(msgspec.Struct):
    """What a restore does: files `put` back, those in the way that are `kept` elsewhere, and games to look at.

    `faults` are saves that can't be read, `behind` games that have told their players more: name → why.
    """

    put: list[str] = []
    kept: list[str] = []
    faults: dict[str, str] = {}
    behind: dict[str, str] = {}


def restore(
    fresh: Path, manifest: Manifest, folder: Path, check: Callable[[Path], str], aside: Path, *, dry_run: bool
) -> Restoration:
    """Move the unpacked files of a backup to their folder; those in their way go `aside`. Raises OSError, `Busy`.

    `check` returns what is wrong with a save, or "". Emails that have left since, and what players have read since,
    stay as they are.
    """
    out = Restoration()
    with lock(folder / "cron.lock", 0):
        _remember(fresh, folder)
        for name in manifest.saves:
            if not is_save(fresh / name):
                continue
            if why := check(fresh / name):
                out.faults[name] = why.replace(str(fresh), str(folder))
            else:
                out.behind |= _behind(fresh, name)
        for listed in sorted(manifest.files, key=lambda listed: listed.name.endswith(".toml")):
            if not _is_there(fresh, folder, listed.name):
                out.put.append(listed.name)
                out.kept += [listed.name] if (folder / listed.name).exists() else []
        if not dry_run:
            for name in out.put:
                _put(fresh / name, folder / name, aside / name)
    return out


def _remember(fresh: Path, folder: Path) -> None:
    """Add to the unpacked `heads.json` the chain heads that emails have reported since."""
    heads = rollback_guard.load(fresh)
    for name, now in rollback_guard.load(folder).items():
        then = heads.get(name)
        if then is None or then.start != now.start or (then.epoch, then.n) < (now.epoch, now.n):
            heads[name] = now
    if heads:
        rollback_guard.write(fresh, heads)


def _behind(fresh: Path, name: str) -> dict[str, str]:
    from pbem.save import load

    try:
        rollback_guard.check(fresh, load(fresh / name, recent=True))
    except (SaveError, OSError) as error:
        return {name: str(error)}
    return {}


def _is_there(fresh: Path, folder: Path, name: str) -> bool:
    """Check if the folder has a file already: the same, one that was continued, or an email in another state."""
    here, path = folder / name, PurePosixPath(name)
    if len(path.parts) == 3 and path.parts[0] in ("outbox", "quarantine"):
        ident = atomic_files.unflagged(path.name)
        box = folder / path.parts[0]
        return (box / "new" / ident).exists() or any(box.glob(f"cur/{ident}*"))
    with suppress(FileNotFoundError, IsADirectoryError):
        now, then = here.read_bytes(), (fresh / name).read_bytes()
        return now == then or (path.suffix == ".jsonl" and now.startswith(then))
    return False


def _put(source: Path, target: Path, aside: Path) -> None:
    if target.exists():
        aside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.replace(aside)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    source.replace(target)
