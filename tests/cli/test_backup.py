"""A moderator's disk is lost, or a save is damaged: `pbem backup` and `pbem restore`."""

from __future__ import annotations

import io
import json
import shutil
import stat
import tarfile

import pytest

from pbem.cli.console import Exit
from pbem.mail import rollback_guard
from pbem.save import load
from tests.cli.conftest import NOW, hand_over


@pytest.fixture
def backup(pbem, new_game):
    """Two emails have left, two wait; a password, a lock and a site lie in the folder, too."""
    folder = new_game.parent
    for path in sorted((folder / "outbox" / "new").iterdir())[:2]:
        path.rename(folder / "outbox" / "cur" / f"{path.name};2,S")
    (folder / "pbem.toml").write_text('[mail]\npassword_file = "hidden.json"\n')
    (folder / "hidden.json").write_text("the password")
    (folder / ".password").write_text("the password")
    (folder / "index.html").write_text("a page")
    rollback_guard.note(folder, load(new_game))
    pbem("backup", "games.tar", "--saves", folder)
    return pbem.folder / "games.tar"


def files(folder):
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_all_games_come_back_into_an_empty_folder(pbem, backup, new_game):
    with tarfile.open(backup) as tar:
        *rest, last = tar.getnames()
        listed = json.load(tar.extractfile("MANIFEST"))
    assert last == "MANIFEST"
    assert [found["name"] for found in listed["files"]] == rest
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert "hidden.json" not in rest
    assert b"the password" not in backup.read_bytes()
    said = pbem("restore", backup, "--saves", "again").stdout
    assert f"{len(rest)} of {len(rest)} files" in said
    before = files(new_game.parent)
    assert files(pbem.folder / "again") == {name: before[name] for name in rest}
    assert pbem("audit", "again/g-01.toml").exit_code == 0
    assert stat.S_IMODE((pbem.folder / "again" / "g-01.toml").stat().st_mode) == 0o600


def test_a_compressed_backup_is_read_as_well(pbem, backup, new_game):
    pbem("backup", "games.tar.gz", "--saves", new_game.parent)
    assert (pbem.folder / "games.tar.gz").read_bytes()[:2] == b"\x1f\x8b"
    pbem("restore", "games.tar.gz", "--saves", "again")
    assert files(pbem.folder / "again")["g-01.toml"] == new_game.read_bytes()


def test_nothing_is_replaced_without_a_yes_and_nothing_is_lost(pbem, backup, new_game):
    folder, good = new_game.parent, new_game.read_bytes()
    new_game.write_bytes(good[:900])
    damaged = files(folder)
    assert "add --yes" in pbem("restore", backup, "--saves", folder, code=Exit.USAGE).stderr
    pbem("restore", backup, "--saves", folder, "--dry-run")
    assert files(folder) == damaged
    pbem("restore", backup, "--saves", folder, "--yes", "--now", NOW)
    assert new_game.read_bytes() == good
    assert (folder / "before-restore-20260501-120000" / "g-01.toml").read_bytes() == good[:900]


def test_emails_sent_since_are_not_sent_again(pbem, backup, new_game):
    folder = new_game.parent
    hand_over(folder)
    pbem("restore", backup, "--saves", folder, "--yes")
    assert not list((folder / "outbox" / "new").iterdir())
    assert len(list((folder / "outbox" / "cur").iterdir())) == 4


def test_a_game_that_has_told_its_players_more_is_named(pbem, backup, new_game):
    folder = new_game.parent
    pbem("clock", "expire", new_game, "--reason", "all agreed", "--now", NOW)
    rollback_guard.note(folder, load(new_game))
    result = pbem("restore", backup, "--saves", folder, "--yes")
    assert f"pbem repair accept-rollback {new_game}" in result.stderr
    pbem("repair", "accept-rollback", new_game, "--yes", "--reason", "disk lost", "--now", NOW)
    assert (
        "isn't older"
        in pbem("repair", "accept-rollback", new_game, "--yes", "--reason", "again", code=Exit.FAILED_CHECK).stderr
    )


def test_a_save_that_was_damaged_when_it_was_copied_is_named_both_times(pbem, new_game):
    folder = new_game.parent
    shutil.copy(new_game, folder / "g-02.toml")
    (folder / "g-02.toml").write_bytes(new_game.read_bytes()[:900])
    assert "g-02.toml" in pbem("backup", "games.tar", "--saves", folder, code=Exit.PARTIAL).stderr
    assert "g-02.toml" in pbem("restore", "games.tar", "--saves", "again", code=Exit.PARTIAL).stderr
    assert (pbem.folder / "again" / "g-02.toml").read_bytes() == new_game.read_bytes()[:900]


def changed(backup, work):
    """A backup whose members `work` has changed."""
    found = {}
    with tarfile.open(backup) as tar:
        for member in tar:
            found[member.name] = tar.extractfile(member).read()
    with tarfile.open(backup, "w") as tar:
        for name, data in work(found).items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


EVIL = ("../evil.toml", "/tmp/evil.toml", "a/../../evil.toml", ".bashrc", "outbox/new/../../../x", "sub/x.toml")


@pytest.mark.parametrize("name", EVIL)
def test_a_backup_writes_only_what_backups_have(pbem, backup, name):
    def add(found):
        listed = json.loads(found["MANIFEST"])
        listed["files"].append({"name": name, "size": 1, "sha256": "0" * 64})
        return found | {name: b"x", "MANIFEST": json.dumps(listed).encode()}

    changed(backup, add)
    before = files(pbem.folder)
    assert "can't be in one" in pbem("restore", backup, "--saves", "again", code=Exit.BAD_DATA).stderr
    assert files(pbem.folder) == before


WRONG = {
    "changed": (lambda found: found | {"g-01.toml": b"x" * len(found["g-01.toml"])}, "g-01.toml' isn't what"),
    "longer": (lambda found: found | {"g-01.toml": found["g-01.toml"] + b"x"}, "g-01.toml' isn't what"),
    "missing": (lambda found: {name: found[name] for name in found if name != "g-01.toml"}, "g-01.toml' isn't what"),
    "extra": (lambda found: found | {"g-09.toml": b"x"}, "g-09.toml' isn't what"),
    "no manifest": (lambda found: {name: found[name] for name in found if name != "MANIFEST"}, "isn't a backup"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_backup_that_is_not_whole_changes_nothing(pbem, backup, case):
    work, says = WRONG[case]
    changed(backup, work)
    assert says in pbem("restore", backup, "--saves", "again", code=Exit.BAD_DATA).stderr
    assert not list((pbem.folder / "again").iterdir())


@pytest.mark.parametrize("data", [b"", b"no tar", b"\x1f\x8b\x08", "cut"])
def test_what_is_no_tar_is_named(pbem, backup, data):
    backup.write_bytes(backup.read_bytes()[:3000] if data == "cut" else data)
    assert "games.tar: " in pbem("restore", backup, "--saves", "again", code=Exit.BAD_DATA).stderr


def test_commands_that_were_meant_for_something_else(pbem, new_game):
    assert "accept-rollback" in pbem("restore", new_game, "--saves", "again", code=Exit.USAGE).stderr
    (pbem.folder / "empty").mkdir()
    assert "no saves" in pbem("backup", "x.tar", "--saves", "empty", code=Exit.BAD_DATA).stderr
    assert not (pbem.folder / "x.tar").exists()
