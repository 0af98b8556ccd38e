"""What a seat may not know is dealt again: a leaf of the state is in its view, or concealed, or follows from both."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from pbem.bot.worlds import below
from pbem.kernel.referee import Referee
from tests.bot.positions import SLUGS, positions

TOLD = "public: told when it came about"
OWN = "the seat's own; those of others are dealt anew"
STEP = "where the rules stand in the sequence of play, public"

KNOWN: dict[str, dict[str, str]] = {
    "sixteen_thirty": {
        "discards.*": "told as they fall; what others dropped at the hand limit is dealt anew",
        "players.*.dropped.*": OWN,
        "players.*.history.*": TOLD,
    },
    "imperial_struggle": {
        "round.*": STEP,
        "counted.*": TOLD,
        "counts.*": TOLD,
        "idle_demand.*": TOLD,
        "jacobite_card": TOLD,
        "sides.*.carried": TOLD,
        "sides.*.refused.*": TOLD,
        "spent.*": TOLD,
        "swept.*": TOLD,
        "theater": STEP,
    },
    "crown_of_roses": {
        "at": STEP,
        "stage": STEP,
        "step.*": STEP,
        "battle.*": STEP,
        "fights.*": STEP,
        "beginning": STEP,
        "collected": STEP,
        "entries.*": STEP,
        "blocks.*": "blocks out of play or face up, and the seat's own; those of others change places and steps",
        "garrison.*": TOLD,
        "discards.*": "may be looked at (10.3)",
        "removed.*": TOLD,
        "houses.*.command": "face up once all are chosen (13.1)",
        "houses.*.fell": TOLD,
        "houses.*.heirs.*": TOLD,
        "houses.*.missed": TOLD,
        "houses.*.waiting": TOLD,
        "last_king": TOLD,
    },
    "virgin_queen": {
        "impulse.*": STEP,
        "armada": TOLD,
        "artists.*": TOLD,
        "betrothed.*": TOLD,
        "capitals.*": TOLD,
        "captains.*": TOLD,
        "circumnavigations": TOLD,
        "colonies.*": TOLD,
        "discards.*": "face up (6.1)",
        "excommunicated": TOLD,
        "fleets.*": TOLD,
        "fortresses.*": TOLD,
        "history.*": TOLD,
        "last_turn": STEP,
        "leaders.*": TOLD,
        "lasting.*": "cards in effect, face up (6.1)",
        "league": TOLD,
        "locked_wars.*": TOLD,
        "lost_settlements.*": TOLD,
        "mary": TOLD,
        "minors.*": TOLD,
        "patronage.*.limited": TOLD,
        "powers.*.active": TOLD,
        "powers.*.events.*": TOLD,
        "powers.*.hand.*": "home cards, known to all, and the seat's own",
        "powers.*.home.*": "home cards, known to all",
        "powers.*.home_dropped.*": OWN,
        "powers.*.ruler_dead": TOLD,
        "powers.*.used.*": TOLD,
        "removed.*": TOLD,
        "royals.*": TOLD,
        "scientists.*": TOLD,
        "sebastian": TOLD,
        "ships_later.*": TOLD,
        "sieges.*": TOLD,
        "spies.*.since": TOLD,
        "suez": TOLD,
        "treasure_used.*": TOLD,
        "waiting.*": "cards that enter later, by the turn (6.2)",
    },
}
"""Leaves that no view shows and `conceal` leaves alone → why they are no secret. `*` at the end: all below."""


def known(slug: str, name: str) -> bool:
    """Whether a leaf is on the list."""
    return any(fnmatchcase(name, pattern) for pattern in KNOWN[slug])


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _leaves(item, (*path, at))
    else:
        yield path, value


def _fields(kind: Any, found: set[str]) -> set[str]:
    """The names of the fields of a state and of all that is in it."""
    for field in msgspec.structs.fields(kind):
        found.add(field.encode_name)
        stack = [field.type]
        while stack:
            inner = stack.pop()
            stack += getattr(inner, "__args__", ())
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct) and inner is not kind:
                _fields(inner, found)
    return found


def _name(path: tuple[str | int, ...], fields: set[str]) -> str:
    """A leaf by its field names: ids and places in lists are stars."""
    parts = [part if isinstance(part, str) and part in fields else "*" for part in path]
    return re.sub(r"(\.\*)+", ".*", ".".join(parts))


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return "" if value else value


def unseen(slug: str, number: int, most: int) -> dict[str, int]:
    """Leaves that stay the same in all worlds and whose change no view of the seat shows; `most` are tried a seat."""
    found: dict[str, int] = {}
    fields: set[str] = set()
    for at, (referee, position) in enumerate(islice(positions(slug, number), 6)):
        game, table = position.game, referee.table
        fields = fields or _fields(game.state, set())
        truth = json.loads(msgspec.json.encode(table.state))
        scratch = Referee(game, position.setup)

        def put(state: Any, scratch: Referee = scratch, game: Any = game) -> None:
            scratch.table.state = msgspec.convert(state, type=game.state)

        def seen(state: Any, seat: str, scratch: Referee = scratch, game: Any = game, put: Any = put) -> bytes:
            put(state)
            return msgspec.json.encode(
                [game.view(scratch.table, seat), game.calendar(scratch.table.state)], order="deterministic"
            )

        random = Random(f"{number} {at}")
        for seat in table.seats:
            worlds = []
            for seed in range(5):
                put(truth)
                game.conceal(scratch.table, seat, below(Random(seed)))
                worlds.append(dict(_leaves(json.loads(msgspec.json.encode(scratch.table.state)))))
            fixed = [(p, v) for p, v in _leaves(truth) if all(world.get(p) == v for world in worlds)]
            base = seen(truth, seat)
            for path, value in random.sample(fixed, min(60, len(fixed)))[:most]:
                changed = json.loads(json.dumps(truth))
                inner = changed
                for part in path[:-1]:
                    inner = inner[part]
                inner[path[-1]] = _other(value)
                if inner[path[-1]] == value:
                    continue
                try:
                    if seen(changed, seat) == base:
                        name = _name(path, fields)
                        found[name] = found.get(name, 0) + 1
                except Exception:  # a view that can't be drawn of such a state looks at the leaf
                    continue
    return found


@pytest.mark.parametrize("most", [15, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("slug", SLUGS)
def test_every_leaf_is_seen_or_concealed(slug: str, most: int) -> None:
    found: dict[str, int] = {}
    for number in range(4):
        for name, count in unseen(slug, number, most).items():
            found[name] = found.get(name, 0) + count
    assert {name: count for name, count in found.items() if not known(slug, name)} == {}
