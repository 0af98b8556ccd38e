"""Where nobles winter, and the cards that are kept (27, 28.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from games.crown_of_roses.evidence.answers import card, comfort, fields, goes, says
from games.crown_of_roses.evidence.facts import MOST, Seen
from games.crown_of_roses.query import party
from games.crown_of_roses.realm.lodging import open_estates, waiting
from games.crown_of_roses.realm.winter import free, keeping
from pbem.kernel.domains import PASS
from pbem.kernel.evidence import Fact, Meaning

_PLANNED, _ANSWERS, _KEPT = 3, 6, 2
"""Nobles of a plan that is offered: a longer one can't be read back. Estates and cards that have an answer each."""


def lodges(look: Seen, answer: Any) -> Meaning | None:
    """Return what waits where nobles winter, by a placement or a plan, or what a card does that is kept."""
    items = [fields(item) for item in (answer if isinstance(answer, list) else [answer])]
    placed = [item["place"] for item in items if "place" in item]
    kept = next((card(look, item["cards"]) for item in items if "cards" in item and not placed), None)
    if kept is not None:
        return Meaning(kept.cost, None, kept.follows, -0.5)
    if len(placed) == 1:
        return goes(look, placed[0])
    return says("undeclared_rest") if answer == PASS else Meaning(rank=9 * bool(placed))


def lodgings(look: Seen) -> Iterator[str]:
    """Yield where nobles may winter: of a plan some nobles at once; the best estates of each; cards to keep."""
    best = _best(look)
    if look.kind == "winter_plan" and len(best) > 1:
        few = [*best.items()][: _PLANNED if len(best) <= _PLANNED else 2]  # of more nobles it shows how
        yield "; ".join(f"place {key} {places[0]}" for key, places in few)
    yield from (f"place {key} {to}" for key, places in best.items() for to in places)
    yield from (f"keep cards={key}" for key in _cards(look)[0][:_KEPT])


def _best(look: Seen, *, more: bool = False) -> dict[str, list[str]]:
    """Return the best estates of each noble that has some: those that fit among the answers, or the next."""
    found = {key: open_estates(look.table, key) for key in waiting(look.table, look.seat)}
    most = max(1, (_ANSWERS - _KEPT * bool(_cards(look)[0])) // max(1, len(found)))
    parts = slice(most, most + MOST) if more else slice(most)
    return {key: sorted(to, key=lambda place: -comfort(look, place))[parts] for key, to in found.items() if to}


def _cards(look: Seen) -> tuple[list[str], int]:
    """Return the cards that a plan may keep, those of most OPS first, and how many."""
    choice = keeping(look.table, look.seat) if look.kind == "winter_plan" else None
    if choice is None or not choice.most:
        return [], 0
    return sorted(choice.listed, key=lambda key: -look.table.c.cards[key].ops), choice.most


def to_place(look: Seen) -> Iterator[Fact]:
    """Yield the nobles who still have to be placed, with what goes with them; cards to keep; further estates."""
    office = look.table.state.offices.get(str(look.about.get("office", "")))
    held = office.holder if office is not None else ""
    holder = look.table.state.blocks["henry_vi"].host if held == "henry_vi" else held  # 27.3: the host is placed
    nobles = (free if look.kind == "winter" else waiting)(look.table, look.seat) if not holder else [holder]
    if not (few := len(nobles) <= _PLANNED):  # the answers have a place for each
        yield Fact("all_to_place", {"nobles": nobles})
    for noble in nobles:
        guests = party(look.table.state, noble)[1:]
        yield Fact("to_place", {"noble": noble, "guests": guests}, main=few and bool(guests))
    cards, most = _cards(look)
    if cards:
        yield Fact("may_keep", {"count": most, "cards": cards})
    for noble, more in _best(look, more=True).items():
        if more:
            yield Fact("more_estates", {"noble": noble, "places": more}, main=few and look.kind == "winter_plan")
