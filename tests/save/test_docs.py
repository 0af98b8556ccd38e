"""docs/reference/save-format.md names everything that a save may hold, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from pbem.kernel.journal import ChainedMove
from pbem.kernel.referee import AdvanceNote
from pbem.kernel.standing_orders import AdvanceOrder, AskMe, StandingRule
from pbem.save import (
    AbsenceEntry,
    Agreement,
    CheckpointInfo,
    ClockSettings,
    Delegate,
    DiceInfo,
    EmailPart,
    ExtensionEntry,
    Header,
    MailSettings,
    ModeratorAction,
    OutboxEntry,
    Pause,
    PendingInfo,
    PressMessage,
    ProcessedEmail,
    Rewind,
    SaveError,
    Scores,
    SeatInfo,
    SentEntry,
    SentState,
    codec,
    toml_writer,
)

TEXT = (Path(__file__).parents[2] / "docs/reference/save-format.md").read_text("utf-8")


def keys(struct: type[msgspec.Struct]) -> set[str]:
    return set(struct.__struct_encode_fields__)


@pytest.mark.parametrize(
    ("title", "structs"),
    [
        ("[game]", [Header, Scores]),
        ("[[seats]]", [SeatInfo, Delegate, SentState, SentEntry]),
        ("[clock]", [ClockSettings, Pause, AbsenceEntry, ExtensionEntry]),
        ("[post]", [MailSettings]),
        ("[dice]", [DiceInfo, Rewind]),
        ("[[pending]]", [PendingInfo]),
        ("[checkpoint]", [CheckpointInfo]),
        ("[[moves]]", [ChainedMove]),
    ],
)
def test_sections(title: str, structs: list[type[msgspec.Struct]]) -> None:
    chapter = re.split(r"^## ", TEXT.split(f"\n## `{title}`", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", chapter))))
    for struct in structs:
        assert keys(struct) <= words
    rows = re.findall(r"^\| (`[^|]*`) \|", chapter, re.MULTILINE)
    listed = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    assert listed <= set().union(*map(keys, structs))


@pytest.mark.parametrize(
    ("name", "struct"),
    [
        ("queue", AdvanceOrder),
        ("standing", StandingRule),
        ("settings", AskMe),
        ("press", PressMessage),
        ("intake", ProcessedEmail),
        ("drafts", EmailPart),
        ("outbox", OutboxEntry),
        ("notes", AdvanceNote),
        ("actions", ModeratorAction),
        ("agreements", Agreement),
    ],
)
def test_lists(name: str, struct: type[msgspec.Struct]) -> None:
    row = next(line for line in TEXT.split("\n") if line.startswith(f"| `[[{name}]]` |"))
    assert set(re.findall(r"`(\w+)`", row.split("|")[2])) == keys(struct)


def test_the_order_of_the_sections() -> None:
    order = TEXT.split("```")[1]
    places = [
        order.index(f"{'[' * (2 - (name in ('game', 'clock', 'dice', 'post', 'checkpoint')))}{name}]")
        for name in (*codec.SECTIONS, "checkpoint", *codec.LISTS, "moves")
    ]
    assert places == sorted(places)
    assert toml_writer.END in order


def test_every_refusal_has_a_remedy() -> None:
    assert all(len(kind.remedy) > 10 for kind in SaveError.__subclasses__())
