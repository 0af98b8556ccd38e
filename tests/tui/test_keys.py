"""One action has the same keys in every room, and answers take few of them."""

import pytest

from pbem.tui.key_bindings import GLOBAL, IN_ROOM
from tests.tui.helpers import running

MIDDLE = (100, 30)


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


PLAIN, SEALED = ("is-war", "france"), ("1630-ballot", "green")


@pytest.mark.parametrize(
    ("place", "keys"), [(PLAIN, ["down", "enter"]), (PLAIN, ["c", "enter"]), (SEALED, ["down", "enter", "enter"])]
)
async def test_an_answer_takes_a_key_and_enter_and_a_sealed_one_its_confirmation(opened, monkeypatch, place, keys):
    app, sent = opened(*place), []
    monkeypatch.setattr(app, "send", lambda email, **_: sent.append(email.answers))
    async with running(app, MIDDLE) as pilot:
        q = app.present.asked[0].q
        await pilot.press(*keys[:-1])
        assert not sent
        await pilot.press(keys[-1])
        await pilot.pause()
        assert [list(answers) for answers in sent] == [[q]]


@pytest.mark.parametrize("place", [PLAIN, SEALED])
async def test_an_answer_takes_a_click_and_a_sealed_one_its_confirmation(opened, monkeypatch, place):
    app, sent = opened(*place), []
    monkeypatch.setattr(app, "send", lambda email, **_: sent.append(email.answers))
    async with running(app, MIDDLE) as pilot:
        await pilot.click("#few", offset=(3, 0))
        await pilot.pause()
        if place == SEALED:
            assert not sent
            await pilot.click("ConfirmDialog OptionList", offset=(3, 0))
            await pilot.pause()
        assert len(sent) == 1
