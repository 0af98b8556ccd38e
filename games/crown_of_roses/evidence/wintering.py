"""Where nobles winter, and the cards that are kept (27, 28.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from games.crown_of_roses.evidence.answers import card, comfort, fields, goes, says
from games.crown_of_roses.evidence.facts import Seen
from games.crown_of_roses.evidence.roads import brief
from games.crown_of_roses.query import party
from games.crown_of_roses.realm.lodging import open_estates, waiting
from games.crown_of_roses.realm.winter import free, keeping
from pbem.kernel.domains import PASS
from pbem.kernel.evidence import Fact, Meaning

_PLANNED, _ANSWERS, _KEPT, _LISTED = 3, 6, 2, 14
"""Nobles of a plan that is offered: a longer one can't be read back. Estates and cards that have an answer each, and
estates that a fact has.
"""


def lodges(look: Seen, answer: Any) -> Meaning | None:
    """Return what waits where nobles winter, by a placement or a plan, or what a card does that is kept."""
    items = [fields(item) for item in (answer if isinstance(answer, list) else [answer])]
    placed = [item["place"] for item in items if "place" in item]
    kept = next((card(look, item["cards"]) for item in items if "cards" in item and not placed), None)
    if kept is not None:
        return Meaning(kept.cost, None, kept.follows, -0.5)
    if len(placed) == 1:
        alone = len(_nobles(look)) == 1 and len(placed) == len(items)  # or else a fact has it
        worth = comfort(look, placed[0]) if look.kind == "winter" else -1.0
        return goes(look, placed[0]) if alone else Meaning(rank=worth if len(placed) == len(items) else 9)
    return says("undeclared_rest") if answer == PASS else Meaning(rank=9 * bool(placed))


def lodgings(look: Seen) -> Iterator[str]:
    """Yield where nobles may winter: of a plan some nobles at once; the best estates of each; cards to keep."""
    best = _best(look)
    if look.kind == "winter_plan" and len(best) > 1:
        many = len(best) >= _PLANNED + (not _cards(look)[0])
        kept = [f"keep cards={card}" for card in sorted(_cards(look)[0], key=len)[:many]]
        few = [*best.items()][: 2 - len(kept) if many else _PLANNED]  # of more nobles it shows how
        yield "; ".join([*(f"place {key} {places[0]}" for key, places in few), *kept])
    yield from (f"place {key} {to}" for key, places in best.items() for to in places)
    yield from (f"keep cards={key}" for key in _cards(look)[0][:_KEPT])


def _best(look: Seen) -> dict[str, list[str]]:
    """Return the best estates of each noble that has some: those that fit among the answers."""
    found = {key: open_estates(look.table, key) for key in waiting(look.table, look.seat)}
    most = max(1, (_ANSWERS - _KEPT * bool(_cards(look)[0])) // max(1, len(found)))
    return {key: sorted(to, key=lambda place: -comfort(look, place))[:most] for key, to in found.items() if to}


def _cards(look: Seen) -> tuple[list[str], int]:
    """Return the cards that a plan may keep, those of most OPS first, and how many."""
    choice = keeping(look.table, look.seat) if look.kind == "winter_plan" else None
    if choice is None or not choice.most:
        return [], 0
    return sorted(choice.listed, key=lambda key: -look.table.c.cards[key].ops), choice.most


def _nobles(look: Seen) -> list[str]:
    """Return the nobles whom the question is about."""
    office = look.table.state.offices.get(str(look.about.get("office", "")))
    held = office.holder if office is not None else ""
    holder = look.table.state.blocks["henry_vi"].host if held == "henry_vi" else held  # 27.3: the host is placed
    return (free if look.kind == "winter" else waiting)(look.table, look.seat) if not holder else [holder]


def _estates(look: Seen, nobles: list[str]) -> Fact:
    """Return the open estates of each noble in short."""
    found = {key: sorted(open_estates(look.table, key), key=lambda place: -comfort(look, place)) for key in nobles}
    most = max(_LISTED // len(nobles), 2)
    listed = {key: {place: brief(look, place) for place in to[:most]} for key, to in found.items()}
    near = any("(" in told for places in listed.values() for told in places.values())
    return Fact("estates", {"nobles": listed, "near": near})


def to_place(look: Seen) -> Iterator[Fact]:
    """Yield the nobles who still have to be placed, with what goes with them; cards to keep; further estates."""
    nobles = _nobles(look)
    few = len(nobles) <= _PLANNED
    if len(nobles) > 1:
        yield _estates(look, nobles)
    cards, most = _cards(look)
    if cards:
        yield Fact("may_keep", {"count": most, "cards": cards})
    for noble in nobles:
        guests = party(look.table.state, noble)[1:]
        yield Fact("to_place", {"noble": noble, "guests": guests}, main=few and bool(guests))
