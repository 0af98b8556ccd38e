"""One action has the same keys in every room."""

from pbem.tui.key_bindings import GLOBAL, IN_ROOM


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
