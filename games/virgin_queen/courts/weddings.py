"""Weddings (21.1), the Virgin Queen's VP (21.2), age (21.3); Mary Stuart and the Virgin Queen card (23.3)."""

from __future__ import annotations

from games.virgin_queen.state import Betrothal
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.unwritten import NotWritten, left, part
from pbem.kernel.game import Play

KIT.chapter("21.1", "weddings and their bonuses")
KIT.chapter("21.2", "the Virgin Queen's VP")
KIT.chapter("21.3", "ageing")
KIT.chapter("23.3", "England: the Virgin Queen, Mary Stuart, deaths of rulers")
left("21.1", 95)
part("21.1", 33, 50)
part("23.3", 37)


def wed(table: Table, couple: Betrothal) -> Play:
    """21.1 Resolve a wedding: in the wedding phase, Mary's at once in the diplomacy phase."""
    raise NotWritten("21.1")
