"""Invariants of royals (21), patronage (22), espionage (19) and of what is off the map (23.2, 23.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from games.virgin_queen.intrigue.agents import INFORMANTS
from games.virgin_queen.learning.patronage import chart_of, people_of
from games.virgin_queen.special import armada, foreign_war
from games.virgin_queen.state import (
    ARMADA,
    ATTACK,
    DEFEND,
    ENGLAND,
    FREE,
    GONE,
    OFF_MAP,
    PATRONIZED,
    POWERS,
    TRACK,
    UNUSED,
)
from games.virgin_queen.table import Table
from pbem.kernel.rejections import RejectionReason

ROYALS = ("later", "free", "betrothed", "wed", "dead", "track")
MARY = ("absent", "free", "captive", "executed", "wed", "dead")


def problem(text: str, rule: str) -> RejectionReason:
    """Return what is wrong with a state."""
    return RejectionReason("rules.custom", {"text": text}, rule)


def _royals(table: Table) -> Iterator[RejectionReason]:
    """21.1 Check that a betrothed royal is in one couple, a man and a woman, and no other royal is betrothed."""
    state, c = table.state, table.c
    couples = Counter(royal for betrothal in state.betrothed for royal in betrothal.couple)
    for betrothal in state.betrothed:
        if [c.royals[royal].sex for royal in betrothal.couple] != ["m", "f"]:
            yield problem(f"{betrothal.man} and {betrothal.woman} are betrothed, but aren't a man and a woman", "21.1")
    for key, royal in state.royals.items():
        if royal.state not in ROYALS or royal.eligibility < 0:
            yield problem(f"{key}: {royal.state} {royal.eligibility}", "21")
        if couples[key] != (royal.state == "betrothed"):
            yield problem(f"{key} is {royal.state} and in {couples[key]} couples", "21.1")
    if state.wedding_marker and state.wedding_marker not in couples:
        yield problem(f"the wedding marker is on {state.wedding_marker}, who isn't betrothed", "21.1")
    if state.mary not in MARY:
        yield problem(f"'{state.mary}' isn't a state of Mary", "23.3")


def _patronage(table: Table) -> Iterator[RejectionReason]:
    """22 Check who works: on the chart as such, once; one artist and one scientist a power; markers, bonuses once."""
    state, c = table.state, table.c
    busy = Counter(work.person for work in state.patronage)
    for kind in ("artist", "scientist"):
        chart, people = chart_of(table, kind), people_of(table, kind)
        for key, where in chart.items():
            if key not in people or where not in (FREE, PATRONIZED, TRACK, GONE):
                yield problem(f"{kind} {key}: {where}", "22")
            if busy[key] != (where == PATRONIZED):
                yield problem(f"{key} is {where} and has {busy[key]} patrons", "22")
        limited = Counter(work.power for work in state.patronage if work.limited and work.person in people)
        for power, number in limited.items():
            if number > 1:
                yield problem(f"{power} patronises {number} of a kind ({kind})", "22")
    held = Counter(bonus for own in state.powers.values() for bonus in own.science)
    for bonus, number in held.items():
        if bonus not in c.science or number > 1:
            yield problem(f"{number} powers have {bonus}", "22.2")
    for marker, number in state.vp_markers.items():
        if not 0 < number <= c.vp_markers[marker].count:
            yield problem(f"{number} VP markers {marker} are taken", "22.1")


def _spies(table: Table) -> Iterator[RejectionReason]:
    """19.2, 20.8 Check informants (two a power, on others' cards), Walsingham, Jesuits (one a space of England)."""
    state, c = table.state, table.c
    for power, on in state.spies.items():
        if power not in POWERS or not on or len(on) > INFORMANTS or power in on or not set(on) <= set(POWERS):
            yield problem(f"informants of {power}: {', '.join(on) or '-'}", "19.2")
        if any(informant.since > state.impulses for informant in on.values()):
            yield problem(f"an informant of {power} dates from a later impulse", "19.2")
    for power, target in state.cipher_keys.items():
        if power not in POWERS or target not in POWERS or power == target:
            yield problem(f"the cipher key of {power} is on {target}", "19")
    if state.walsingham not in ("", UNUSED, ATTACK, DEFEND):
        yield problem(f"Walsingham: {state.walsingham}", "20.8")
    if len(set(state.jesuits)) < len(state.jesuits) or not set(state.jesuits) <= set(c.areas[ENGLAND]):
        yield problem(f"Jesuits: {', '.join(state.jesuits)}", "19.2")


def _off_map(table: Table) -> Iterator[RejectionReason]:
    """23.2, 23.7 Check the Armada's load, and each foreign war: a power, enemies, at most eight units."""
    state = table.state
    afloat = bool(armada.place(table))
    if bool(state.armada) != afloat or state.armada not in (0, *table.c.special["armada"]["strengths"]):
        yield problem(f"the Armada: {state.armada} at {armada.place(table) or '-'}", "23.2")
    if armada.aboard(table) > state.armada:
        yield problem(f"{armada.aboard(table)} units aboard the Armada, which holds {state.armada}", "23.2")
    for card, war in state.foreign_wars.items():
        there = sum(troops.total for troops in state.away.get(card, {}).values())
        if foreign_war.FIGHTS.get(card) != war.power or not 0 <= war.enemy <= war.began:
            yield problem(f"{card}: {war.power} against {war.enemy} of {war.began}", "23.7")
        if there > foreign_war.MOST:
            yield problem(f"{there} units in {card}", "23.7")
    for place, here in state.away.items():
        if place not in OFF_MAP or (place != ARMADA and place not in state.foreign_wars):
            yield problem(f"units at {place}, where no war is fought", "23.7")
        if any(not troops.total for troops in here.values()) or not here:
            yield problem(f"a stack without units at {place}", "5.3")
    for key, leader in state.leaders.items():
        if leader.at in OFF_MAP and not (afloat if leader.at == ARMADA else leader.at in state.foreign_wars):
            yield problem(f"{key} is at {leader.at}", "5.1")


PEOPLE = (_royals, _patronage, _spies, _off_map)
