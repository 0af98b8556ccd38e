"""One action has the same keys in every room, and the table of keys in the manual is that of the program."""

import os
from pathlib import Path

from pbem.tui.actions import GLOBAL, IN_ROOM, ROOMS
from pbem.tui.model.order import Words
from pbem.tui.screens.help import keys_of

DOC = Path(__file__).parents[2] / "docs" / "tui.md"
BEGIN, END = "| key | what it does | where |\n|---|---|---|\n", "\n## Terminals"


def table() -> str:
    """Every key, what it does, and in which rooms."""
    words = Words("en")
    keys: dict[str, list[str]] = {}
    rooms: dict[str, list[str]] = {}
    for where, acts in (("everywhere", GLOBAL), *((words(f"room.{name}"), IN_ROOM[name]) for name in ROOMS)):
        for act in acts:
            told = words(f"help.{act.key}")
            keys.setdefault(told, []).extend(keys_of(act).split())
            if where not in rooms.setdefault(told, []):
                rooms[told].append(where)
    rows = [
        f"| {' '.join(f'`{key}`' for key in dict.fromkeys(found))} | {told} | {', '.join(rooms[told])} |\n"
        for told, found in keys.items()
    ]
    return "".join(rows)


def test_the_table_in_the_manual_is_that_of_the_program():
    text = DOC.read_text("utf-8")
    start = text.index(BEGIN) + len(BEGIN)
    end = text.index(END, start)
    if os.environ.get("PBEM_UPDATE_SNAPSHOTS") == "1":
        DOC.write_text(text[:start] + table() + text[end:], "utf-8")
        return
    assert text[start:end] == table(), "PBEM_UPDATE_SNAPSHOTS=1 writes it anew"


def test_one_action_has_the_same_keys_in_every_room():
    """Where a letter would be typed into a list, an action may have its function key alone."""
    keys: dict[str, list[set[str]]] = {}
    for acts in (GLOBAL, *IN_ROOM.values()):
        for act in acts:
            keys.setdefault(act.name, []).append(set(act.keys.split(",")))
    for name, found in keys.items():
        assert min(found, key=len) == set.intersection(*found), name


def test_function_keys_and_those_of_the_app_mean_one_thing():
    everywhere = {key for act in GLOBAL for key in act.keys.split(",")} | {str(n) for n in range(1, 10)}
    meant: dict[str, set[str]] = {}
    for acts in IN_ROOM.values():
        for act in acts:
            for key in act.keys.split(","):
                assert key not in everywhere, f"{key} of {act.name} is a key of the app"
                if key[0] == "f" and key[1:].isdecimal():
                    meant.setdefault(key, set()).add("send" if act.name == "seal" else act.name)
    assert all(len(found) == 1 for found in meant.values()), meant


def test_no_key_of_a_room_stands_for_two_things():
    for name, acts in IN_ROOM.items():
        keys = [key for act in acts for key in act.keys.split(",")]
        assert len(keys) == len(set(keys)), name
