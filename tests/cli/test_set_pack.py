"""`pbem upgrade components SAVE --pack FILE`: other components for a running game."""

from __future__ import annotations

from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

from pbem.cli.console import Exit
from pbem.save import load, store

WHY = ("--reason", "I have the box at last", "--now", "2026-05-01T13:00:00Z")


def box(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(f'game = "sixteen_thirty"\n{text}', "utf-8")
    return folder / name


def letters(folder: Path) -> list[str]:
    """All that each letter carries."""
    found = []
    for file in sorted((folder / "saves" / "outbox" / "new").iterdir()):
        message = message_from_bytes(file.read_bytes(), policy=policy.default)
        parts: list[Any] = [part.get_payload(decode=True) or b"" for part in message.walk()]
        found.append(b"".join(parts).decode("utf-8"))
    return found


def test_what_changes_nothing_that_has_happened_is_put_in_and_told(pbem, new_game):
    before, old = load(new_game), letters(pbem.folder)
    pack = box(pbem.folder, "box.toml", '[cards.army]\nprov = { count = "moderator box" }\n')
    said = pbem("upgrade", "components", new_game, "--pack", f"{pack}", *WHY).stdout
    save = load(new_game)
    assert save.header.pack == {"cards": {"army": {"prov": {"count": "moderator box"}}}}
    assert save.header.pack_digest in said
    assert save.header.pack_digest != before.header.pack_digest
    assert save.header.head == before.header.head
    action = save.actions[-1]
    assert (action.what, action.args["digest"], action.args["facts"]) == ("pack", save.header.pack_digest, 0)
    new = [text for text in letters(pbem.folder) if text not in old]
    assert len(new) == len(save.seats)
    assert all(f"~ pack {save.header.pack_digest}" in text.replace("=7E", "~").replace("=\n", "") for text in new)
    assert (
        "already" in pbem("upgrade", "components", new_game, "--pack", f"{pack}", *WHY, code=Exit.FAILED_CHECK).stderr
    )
    pbem("audit", new_game)


def test_what_would_have_gone_otherwise_is_refused_and_who_plays_is_not_told_why(pbem, new_game):
    whole = new_game.read_bytes()
    pack = box(pbem.folder, "box.toml", "[cards.vote]\ncount = 9\n")
    refused = pbem("upgrade", "components", new_game, "--pack", f"{pack}", *WHY, code=Exit.FAILED_CHECK).stderr
    assert "can't go on from its checkpoint: 0 copies of card vote-i in play" in refused
    assert new_game.read_bytes() == whole
    save = load(new_game)
    save.post.plays = "amber"
    store(new_game, save)
    refused = pbem("upgrade", "components", new_game, "--pack", f"{pack}", *WHY, code=Exit.FAILED_CHECK).stderr
    assert "you play in it" in refused
    assert "vote" not in refused


def test_a_broken_pack_or_other_settings_beside_it_change_nothing(pbem, new_game):
    whole = new_game.read_bytes()
    bad = box(pbem.folder, "bad.toml", "[countries.spain]\nstatus = 9\n")
    pbem("upgrade", "components", new_game, "--pack", f"{bad}", *WHY, code=Exit.BAD_DATA)
    pbem("upgrade", "components", new_game, "--pack", "nowhere.toml", *WHY, code=Exit.BAD_DATA)
    pbem("config", "set", new_game, f"pack={bad}", *WHY, code=Exit.USAGE)
    assert new_game.read_bytes() == whole
