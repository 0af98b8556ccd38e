"""Events that bring unrest: 24, 28, 47, 64, 73 (6.1, 12.4; texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import cards
from games.virgin_queen.events import common
from games.virgin_queen.events.common import choose, event
from games.virgin_queen.formations import add, pool_left
from games.virgin_queen.query import land, occupied, seat_of, strength
from games.virgin_queen.religion.conversion import ConversionAttempts, convert, may_convert
from games.virgin_queen.state import ENGLAND, INDEPENDENT, MINORS, OTTOMAN, POWERS, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.winter.other_steps import within
from pbem.kernel.domains import Choice, Form, Subset
from pbem.kernel.game import Play, Rule

KIT.question("event_uprising", "6.1")

MORISCO = "morisco"


def oppressed(table: Table) -> dict[str, list[str]]:
    """#24 Return power → its unoccupied home spaces under another power."""
    control = table.state.control
    found = {}
    for power in (*POWERS, *MINORS):
        spaces = [space for space in table.c.homes[power] if control[space] not in (power, INDEPENDENT)]
        if spaces := common.empty(table, spaces):
            found[power] = spaces
    return found


def _uprising_aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
    found = oppressed(table)
    domain = Form(
        target=Choice(list(found), "power"),
        spaces=lambda v: Subset(found[v.target], 1, min(3, len(found[v.target])), what="spaces"),
    )
    first = next(iter(found))
    default = {"target": first, "spaces": found[first][:3]}
    chosen = yield from common.ask(table, power, "homeland-uprising", "uprising", domain, default)
    return common.announce(table, power, "homeland-uprising", dict(chosen))


@event("homeland-uprising", lambda t, p: bool(oppressed(t)), _uprising_aim)
def homeland_uprising(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #24: unrest on up to three of them."""
    common.unrest(table, aim["spaces"])


def rebels(table: Table) -> list[str]:
    """#28 Return unoccupied Spanish home spaces within two spaces of Granada, Granada included."""
    near = ("granada", *within(table, "granada", 2))
    return common.empty(table, [space for space in near if space in table.c.homes[SPAIN]])


def hideouts(table: Table) -> list[str]:
    """#28 Return where the Morisco unit appears: Granada, or unoccupied spaces next to it against Spanish units."""
    state = table.state
    if not pool_left(table, MORISCO):
        return []
    if not strength(state, SPAIN, "granada"):
        return ["granada"]
    return [space for space in table.c.land["granada"] if not occupied(state, space)]


def _who(table: Table) -> str:
    """#28 Return the power that chooses: the Ottomans; if nobody plays them, England (FAQ 28)."""
    return OTTOMAN if common.played(table, OTTOMAN) else ENGLAND


def _revolt_aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
    spaces = yield from common.several(table, _who(table), "morisco-revolt", rebels(table), 3)
    place = yield from choose(table, _who(table), "morisco-revolt", "space", hideouts(table))
    return common.announce(table, power, "morisco-revolt", {"spaces": spaces, "space": place})


@event("morisco-revolt", lambda t, p: bool(rebels(t) or hideouts(t)), _revolt_aim)
def morisco_revolt(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[str | None]:
    """Resolve #28: unrest, and the Morisco unit; Spain keeps the card while it lives (FAQ 28)."""
    yield from ()
    state = table.state
    common.unrest(table, aim["spaces"])
    if not aim["space"]:
        return None
    add(table, aim["space"], MORISCO, "regulars", 1)
    table.log("event.moriscos", rule="23.1", space=aim["space"])
    state.lasting.append("morisco-revolt")
    return cards.KEPT


@KIT.entry("impulse", "morisco-revolt")
def quiet(table: Table, power: str, _: None) -> None:
    """#28 Discard the card once the Morisco unit is gone: before every impulse and every deal."""
    if cards.released(table.state):
        table.log("event.moriscos_end", rule="6.1")


@event("cloth-embargo")
def cloth_embargo(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #47: unrest in Antwerp without Spanish regulars, and England draws and discards.

    If others than England and Spain hold London or Antwerp, Antwerp's holder draws instead.
    """
    state = table.state
    holder = state.control["antwerp"]
    if state.control["london"] == ENGLAND and holder == SPAIN:
        here = land(state, "antwerp")
        if not any(here[owner].regulars for owner in (SPAIN, "walloon") if owner in here):
            common.unrest(table, ["antwerp"])
        cards.draw(table, ENGLAND, 1, "6.1")
        yield from common.discard_one(table, ENGLAND, "cloth-embargo")
    elif holder in POWERS and common.played(table, holder):
        cards.draw(table, holder, 1, "6.1")


GODLY = 2
"""#64 Spaces that may get unrest."""


def godly(table: Table) -> list[str]:
    """#64 Return unoccupied Protestant spaces in England."""
    state = table.state
    return common.empty(table, [at for at in table.c.areas[ENGLAND] if state.religion[at] == PROTESTANT])


def calling(table: Table) -> bool:
    """#64, 18.1 Return whether any space in England can turn Protestant."""
    return may_convert(table, ConversionAttempts(PROTESTANT, ENGLAND, 4, "6.1"))


def _puritan_aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
    found = godly(table)
    words = [word for word, may in (("unrest", bool(found)), ("convert", calling(table))) if may]
    use = yield from common.option(table, power, "puritans", words)
    spaces = []
    if use == "unrest":
        spaces = yield from common.several(table, power, "puritans", found, GODLY)
    return common.announce(table, power, "puritans", {"option": use, "spaces": spaces})


@event("puritans", lambda t, p: bool(godly(t)) or calling(t), _puritan_aim)
def puritans(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #64: unrest on up to two Protestant spaces in England, or four attempts of England to convert there."""
    if aim["option"] == "unrest":
        common.unrest(table, aim["spaces"])
    else:
        yield from convert(table, ENGLAND, ConversionAttempts(PROTESTANT, ENGLAND, 4, "6.1"))


def suspects(table: Table, power: str) -> list[str]:
    """#73 Return the other powers that hold something."""
    state = table.state
    apart = [other for other in common.others(power) if seat_of(state, other) != seat_of(state, power)]
    return [other for other in apart if common.holds_something(table, other)]


def _hunt_aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
    chosen = yield from common.aim_at("target", suspects, "witch-hunt")(table, power)
    taken = {*table.state.unrest, *table.state.land, *table.state.fleets}
    found = [space for space in table.c.homes[chosen["target"]] if space not in taken]
    space = yield from choose(table, power, "witch-hunt", "space", found)
    return common.announce(table, power, "witch-hunt", {**chosen, "space": space})


@event("witch-hunt", lambda t, p: bool(suspects(t, p)), _hunt_aim)
def witch_hunt(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #73: a random card or treasure, and unrest on a home space of the victim without units."""
    common.take_random(table, power, aim["target"])
    if aim["space"]:
        common.unrest(table, [aim["space"]])
