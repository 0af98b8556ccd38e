"""Royals, patronage, espionage and what is off the map, as tables. All of it is public (4, 19.2, 21, 22, 23.7)."""

from __future__ import annotations

from collections.abc import Mapping

from games.virgin_queen.courts.deaths import MARY
from games.virgin_queen.intrigue.agents import INFORMANTS, USED
from games.virgin_queen.special import armada
from games.virgin_queen.state import ARMADA, GONE, OFF_MAP, PATRONIZED, POWERS, UNUSED, Troops
from games.virgin_queen.table import Table
from pbem.kernel.view import Column, TableView

SEXES = {"m": "man", "f": "woman"}


def units_text(here: Mapping[str, Troops]) -> list[str]:
    """Return units as `owner-kind number`."""
    return [
        f"{owner}-{kind} {number}"
        for owner, troops in here.items()
        for kind in ("regulars", "mercenaries", "cavalry")
        if (number := getattr(troops, kind))
    ]


def tables(table: Table) -> list[TableView]:
    """Return the tables; those without content yet are left out."""
    found = [royals(table), patronage(table), vp_markers(table)]
    state = table.state
    if state.turn >= table.c.special["espionage_markers"]["first_turn"] or state.jesuits:
        found.append(espionage(table))
    if state.armada or state.away or state.foreign_wars:
        found.append(off_map(table))
    return found


def royals(table: Table) -> TableView:
    """Return the chart of royals available to wed, and the couples (21)."""
    state, c = table.state, table.c
    couples = [betrothal.couple for betrothal in state.betrothed]
    partner = {royal: other for couple in couples for royal, other in (couple, couple[::-1])}
    rows = []
    for key, royal in state.royals.items():
        if royal.state in ("later", "dead", "wed"):
            continue
        card = c.royals[key]
        plus = key == state.wedding_marker
        captive = key == MARY and state.mary == "captive"
        rows.append([
            key, royal.power, SEXES[card.sex], royal.eligibility, card.dynasty or None,
            "captive" if captive else royal.state, partner.get(key), plus,
        ])  # fmt: skip
    columns = [
        Column("royal", "name"), Column("power", "name"), Column("sex", "name"), Column("eligibility", "number"),
        Column("dynasty", "text"), Column("status", "name"), Column("betrothed_to", "name"),
        Column("wedding_marker", "flag"),
    ]  # fmt: skip
    return TableView("royals", columns, rows, "diplomacy")


def patronage(table: Table) -> TableView:
    """Return artists and scientists in the game: free or at work, for which power and CP (22)."""
    state, c = table.state, table.c
    work = {patronage.person: patronage for patronage in state.patronage}
    rows = []
    for chart, people in ((state.artists, c.artists), (state.scientists, c.scientists)):
        for key, where in chart.items():
            if where == GONE:
                continue
            card, busy = people[key], work.get(key)
            patron = busy.power if busy is not None else None
            rows.append([
                key, card.owner, card.type or "scientist", card.rating, patron if where == PATRONIZED else where,
                busy.cp if busy is not None else None,
            ])  # fmt: skip
    columns = [
        Column("person", "name"), Column("power", "name"), Column("type", "name"), Column("rating", "number"),
        Column("place", "name"), Column("cp", "number"),
    ]  # fmt: skip
    return TableView("patronage", columns, rows, "powers")


def vp_markers(table: Table) -> TableView:
    """Return VP markers of patronage that are left (22.1)."""
    taken = table.state.vp_markers
    rows = [
        [marker.type if marker.kind == "artist" else "scientist", marker.vp, marker.count - taken.get(marker.id, 0)]
        for marker in table.c.vp_markers.values()
    ]
    columns = [Column("type", "name"), Column("vp", "number"), Column("left", "number")]
    return TableView("vp_markers", columns, rows, "powers")


def espionage(table: Table) -> TableView:
    """Return informants, cipher keys, Jesuits and used assassinations of each power (19)."""
    state = table.state
    rows = []
    for power in POWERS:
        own = state.powers[power]
        mine = state.spies.get(power, {})
        marks = ["assassination"] if own.used.get(USED) else []
        if power == "england" and state.walsingham not in ("", UNUSED):
            marks.append(f"walsingham-{state.walsingham}")
        rows.append([
            power, [on for on, informant in mine.items() if not informant.neutral],
            [on for on, informant in mine.items() if informant.neutral],
            INFORMANTS - len(mine), state.cipher_keys.get(power),
            list(state.jesuits) if power == "spain" else [], marks,
        ])  # fmt: skip
    columns = [
        Column("power", "name"), Column("informants", "name"), Column("neutralised", "name"),
        Column("in_pool", "number"), Column("cipher_key", "name"), Column("jesuits", "name"), Column("used", "name"),
    ]  # fmt: skip
    return TableView("espionage", columns, rows, "powers")


def off_map(table: Table) -> TableView:
    """Return units aboard the Armada and in foreign wars, and their enemies (23.2, 23.7)."""
    state = table.state
    rows = []
    for place in OFF_MAP:
        war = state.foreign_wars.get(place)
        if (place == ARMADA and not state.armada) or (place != ARMADA and war is None):
            continue
        units = units_text(state.away.get(place, {}))
        leaders = [key for key, leader in state.leaders.items() if leader.at == place]
        at = armada.place(table) if place == ARMADA else None
        rows.append([
            place, at, units, leaders, state.armada if war is None else None, war.enemy if war is not None else None,
            war.began if war is not None else None,
        ])  # fmt: skip
    columns = [
        Column("place", "name"), Column("at", "name"), Column("units", "name"), Column("leaders", "name"),
        Column("strength", "number"), Column("enemy", "number"), Column("began", "number"),
    ]  # fmt: skip
    return TableView("off_map", columns, rows, "powers")
