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

_PLANNED = 3
"""Nobles whose plan for winter is offered whole: a longer one fills more lines of an email than are read back."""
_ANSWERS, _KEPT = 6, 2
"""Estates that have room among the answers, and cards."""


def lodges(look: Seen, answer: Any) -> Meaning | None:
    """Return what waits where nobles winter, by a placement or a plan, or what a card does that is kept."""
    items = [fields(item) for item in (answer if isinstance(answer, list) else [answer])]
    placed = [item["place"] for item in items if "place" in item]
    kept = [key for item in items for key in item.get("cards", ())]
    if len(kept) == 1 and not placed and (told := card(look, kept)) is not None:
        return Meaning(told.cost, None, told.follows, -0.5)
    if len(placed) == 1:
        return goes(look, placed[0])
    return says("undeclared_rest") if answer == PASS else Meaning(rank=9) if placed else None


def lodgings(look: Seen) -> Iterator[str]:
    """Yield where nobles may winter: of a plan all of few nobles at once; the best estates of each; cards to keep."""
    best = _best(look)
    if look.kind == "winter_plan" and 1 < len(best) <= _PLANNED:
        yield "; ".join(f"place {key} {places[0]}" for key, places in best.items())
    yield from (f"place {key} {to}" for key, places in best.items() for to in places)
    if look.kind == "winter_plan":
        yield from (f"keep cards={key}" for key in _cards(look)[:_KEPT])


def _best(look: Seen) -> dict[str, list[str]]:
    """Return the best estates of each noble that has some, as many as there is room for."""
    found = {key: open_estates(look.table, key) for key in waiting(look.table, look.seat)}
    room = _ANSWERS - _KEPT * (look.kind == "winter_plan" and bool(_cards(look)))
    most = max(1, room // max(1, len(found)))
    return {key: sorted(to, key=lambda place: -comfort(look, place))[:most] for key, to in found.items() if to}


def _cards(look: Seen) -> list[str]:
    """Return the cards that may be kept, those of most OPS first."""
    choice = keeping(look.table, look.seat)
    return sorted(choice.listed if choice else (), key=lambda key: -look.table.c.cards[key].ops)


def to_place(look: Seen) -> Iterator[Fact]:
    """Yield the nobles who still have to be placed, with what goes with them, and further estates."""
    office = look.table.state.offices.get(str(look.about.get("office", "")))
    held = office.holder if office is not None else ""
    holder = look.table.state.blocks["henry_vi"].host if held == "henry_vi" else held  # 27.3: the host is placed
    nobles = (free if look.kind == "winter" else waiting)(look.table, look.seat) if not holder else [holder]
    if not (few := len(nobles) <= _PLANNED):  # the answers have a place for each
        yield Fact("all_to_place", {"nobles": nobles})
    for noble in nobles:
        guests = party(look.table.state, noble)[1:]
        yield Fact("to_place", {"noble": noble, "guests": guests}, main=few and bool(guests))
    if look.kind == "winter_plan" and (choice := keeping(look.table, look.seat)) and choice.most:
        yield Fact("may_keep", {"count": choice.most, "cards": _cards(look)})
    for noble, told in _best(look).items():
        ranked = sorted(open_estates(look.table, noble), key=lambda place: -comfort(look, place))
        if more := [place for place in ranked if place not in told][:MOST]:
            yield Fact("more_estates", {"noble": noble, "places": more}, main=few and look.kind == "winter_plan")
