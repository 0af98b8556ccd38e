"""Cards of patronage (22): 36, 48, and the Italians of 5 (texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen.events.common import ask, event, option
from games.virgin_queen.learning.patronage import ITALY, KINDS, drawable, patronize
from games.virgin_queen.state import HRE
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Form
from pbem.kernel.game import Rule

KIT.question("event_patronage", "6.1")
BULL_CP, PATRON_CP, COMMISSION_CP = 4, 4, 3
RUDOLF = "rudolf_ii"


def italians(table: Table) -> list[str]:
    """22.1, 22.2 Return the kinds of which an Italian may be drawn."""
    return [kind for kind in KINDS if drawable(table, kind, ITALY)]


def patronize_italian(table: Table, power: str, card: str, cp: int) -> Rule[None]:
    """#5, #48 Patronise a random Italian artist or scientist, as if with so many CP, outside the limit of one."""
    kind = yield from option(table, power, card, italians(table))
    patronize(table, power, kind, ITALY, cp, limited=False, rule="6.1")


# -- Patron of Arts & Sciences (#36) -----------------------------------------------------------------------------------


def patrons(table: Table) -> dict[str, list[str]]:
    """#36 Return kind → people the Empire may draw: its own or Italians. None after Rudolf's wedding (21.1)."""
    if table.state.royals[RUDOLF].state == "wed":
        return {}
    found = {kind: [owner for owner in (HRE, ITALY) if drawable(table, kind, owner)] for kind in KINDS}
    return {kind: owners for kind, owners in found.items() if owners}


@event("patron-of-arts-sciences", lambda table, power: bool(patrons(table)))
def patron_of_arts_sciences(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #36: an artist and a scientist, imperial or Italian, as if with 4 CP each, outside the limit."""
    found = patrons(table)
    fields = {kind: Choice(owners, "power") for kind, owners in found.items() if len(owners) > 1}
    order = {kind: owners[0] for kind, owners in found.items()}
    if fields:
        default = {kind: order[kind] for kind in fields}
        order |= yield from ask(table, power, "patron-of-arts-sciences", "patronage", Form(fields), default)
    for kind, owner in order.items():
        patronize(table, power, kind, owner, PATRON_CP, limited=False, rule="6.1")


# -- Commissioned from Italy (#48) -------------------------------------------------------------------------------------


@event("commissioned-from-italy", lambda table, power: bool(italians(table)))
def commissioned_from_italy(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #48: a random Italian artist or scientist, as if with 3 CP."""
    yield from patronize_italian(table, power, "commissioned-from-italy", COMMISSION_CP)
