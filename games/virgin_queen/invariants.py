"""What must always be true of a state, each with its rule: for fuzzing and for corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from games.virgin_queen import fleets, query
from games.virgin_queen.counters import enough, stacks
from games.virgin_queen.gate import may_stand, trespass
from games.virgin_queen.intrigue.agents import INFORMANTS
from games.virgin_queen.land.entering import garrison
from games.virgin_queen.learning.patronage import chart_of, people_of
from games.virgin_queen.minors import MOST_INFLUENCE
from games.virgin_queen.naval.piracy import PER_TURN as PIRACY_PER_TURN
from games.virgin_queen.naval.piracy import PER_ZONE as PIRACY_PER_ZONE
from games.virgin_queen.naval.voyages import CARRY
from games.virgin_queen.sequence import PHASES
from games.virgin_queen.special import armada, foreign_war
from games.virgin_queen.state import (
    ALLIED,
    ARMADA,
    ATTACK,
    DEFEND,
    ENGLAND,
    FREE,
    GONE,
    INDEPENDENT,
    LATER,
    MINORS,
    OFF_MAP,
    ON_CARD,
    OTTOMAN,
    PATRONIZED,
    POOL,
    POWERS,
    TRACK,
    UNUSED,
    WAR,
    Captain,
    Leader,
    pair,
)
from games.virgin_queen.table import Table
from pbem.kernel.rejections import RejectionReason


def invariants(table: Table) -> list[RejectionReason]:
    """Return all that is wrong with the state; empty for a sound one."""
    found = [
        *_control(table),
        *_cards(table),
        *_treasures(table),
        *_land(table),
        *_ships(table),
        *_sieges(table),
        *_people(table),
        *_places(table),
        *_markers(table),
        *_treaties(table),
        *[found for check in PEOPLE for found in check(table)],
    ]
    state = table.state
    if state.phase == "action" and state.impulse is None:
        found += [*_company(table), *_harbours(table), *_free(table), *_outnumbered(table)]
    return found


def _placed(text: str, rule: str) -> RejectionReason:
    """Return a finding of a position that no rule leads to, although play could go on from it."""
    return RejectionReason("rules.placed", {"text": text}, rule)


def _control(table: Table) -> Iterator[RejectionReason]:
    """Check which turn it is, whose impulse, and where play continues (7)."""
    state, last = table.state, table.c.special["victory"]["last_turn_campaign"]
    if state.phase not in (*PHASES, "over"):
        yield problem(f"there is no phase {state.phase}", "7")
    if not 1 <= state.turn <= state.last_turn <= last:
        yield problem(f"turn {state.turn} of {state.last_turn}", "7")
    if state.active not in (*POWERS, ""):
        yield problem(f"there is no power {state.active}", "12")
    if state.impulses < 0 or not 0 <= state.passes <= len(POWERS):
        yield problem(f"{state.passes} passes in impulse {state.impulses}", "12")


def _cards(table: Table) -> Iterator[RejectionReason]:
    state = table.state
    held = Counter([*state.deck, *state.discards, *state.removed, *state.waiting, *state.lasting])
    for own in state.powers.values():
        held.update([*own.hand, *own.home, *own.home_dropped])
    impulse = state.impulse
    playing = impulse.card if impulse is not None else ""
    for key in table.c.cards:
        if held[key] != 1 and not (key == playing and held[key] == 0):
            yield problem(f"{held[key]} copies of card {key}", "6.2")
    for power, own in state.powers.items():
        for card in own.hand:
            if table.c.cards[card].type == "home" and table.c.cards[card].owner != power:
                yield problem(f"{power} holds {card}, the home card of another power", "6.1")


def _treasures(table: Table) -> Iterator[RejectionReason]:
    state = table.state
    held = Counter([*state.treasure_pool, *state.treasure_used, *state.spain_row, *state.portugal_row])
    spent = sum(own.vp.get("treasure", 0) for own in state.powers.values())
    for own in state.powers.values():
        held.update(own.treasures)
    for captain in state.captains.values():
        held.update(captain.loot)
    if any(number > 1 for number in held.values()) or len(held) + spent != len(table.c.treasures):
        yield problem(f"{len(held)} treasures and {spent} scored of {len(table.c.treasures)}", "6.3")


def _land(table: Table) -> Iterator[RejectionReason]:
    state, c = table.state, table.c
    for owner, pool in c.land_pools.items():
        sizes = [*stacks(state, owner).values()]
        if sum(sizes) > pool.most:
            yield problem(f"{owner}: {sum(sizes)} land units of {pool.most}", "17.1")
        elif not enough(pool, sizes):
            yield _placed(f"{owner}: no counters for its stacks", "5.3")
    for space, here in state.land.items():
        for owner, troops in here.items():
            if min(troops.regulars, troops.mercenaries, troops.cavalry) < 0 or not troops.total:
                yield problem(f"{space}: impossible number of units of {owner}", "5.3")
            if troops.mercenaries and c.land_pools[owner].back != "mercenary":
                yield problem(f"{space}: {owner} has no mercenaries", "5.3")
            if troops.cavalry and c.land_pools[owner].back != "cavalry":
                yield problem(f"{space}: {owner} has no cavalry", "5.3")


def _ships(table: Table) -> Iterator[RejectionReason]:
    state, c = table.state, table.c
    for place, here in state.fleets.items():
        for fleet in here:
            if not fleet.ships or min(fleet.ships.values()) < 1:
                yield problem(f"{place}: impossible number of ships of {fleet.owner}", "5.4")
            if place not in c.zones and not c.spaces[place].port:
                yield problem(f"ships in {place}, which isn't a port", "16.1")
    for owner, pool in c.naval_pools.items():
        if owner != "patrol" and fleets.on_map(state, owner) > pool.count:
            yield problem(f"{owner}: {fleets.on_map(state, owner)} ships of {pool.count}", "17.1")
    if sum(state.patrols.values()) > c.naval_pools["patrol"].count or min(state.patrols.values(), default=1) < 1:
        yield problem(f"patrols: {dict(state.patrols)}", "17.3")


def _sieges(table: Table) -> Iterator[RejectionReason]:
    state = table.state
    for space, siege in state.sieges.items():
        if not query.fortified(table, space) or not siege.by:
            yield problem(f"a siege without besieger or fortification at {space}", "15")
        for power in siege.by:
            if power not in query.powers_in(state, space):
                yield problem(f"{power} besieges {space} without units", "15.3")


def _people(table: Table) -> Iterator[RejectionReason]:
    state, c = table.state, table.c
    for key, leader in state.leaders.items():
        known = leader.at in (ON_CARD, TRACK, LATER, GONE, *OFF_MAP) or leader.at in c.spaces
        known = known or (leader.naval and leader.at in c.zones)
        if leader.captor:
            known = leader.at == "" and leader.captor in POWERS
        if not known:
            yield problem(f"{key} is nowhere: {leader.at or '-'} {leader.captor}", "5.1")
    for key, captain in state.captains.items():
        at = captain.at
        if at not in (POOL, TRACK, LATER, GONE) and not (
            at in c.oceans or at in c.settlements or at in c.zones or (at in c.spaces and c.spaces[at].port)
        ):
            yield problem(f"{key} is nowhere: {at or '-'}", "5.2")
        if at in c.settlements and state.colonies.get(at) != captain.power:
            yield problem(f"{key} winters at {at}, which isn't a colony of {captain.power}", "20.4")
        # What is too much is removed within the impulse, or in the middle of winter (20.4).
        if len(captain.loot) > CARRY[captain.damaged] and state.impulse is None and state.phase != "winter":
            yield problem(f"{key} carries {len(captain.loot)} treasures", "16.5")


def _places(table: Table) -> Iterator[RejectionReason]:
    """Check that no piece is where the gate would not admit it (9.5, 20.10, 23.1)."""
    state = table.state
    found = [(owner, space) for space, here in state.land.items() for owner in here]
    found += [(key, leader.at) for key, leader in state.leaders.items() if not leader.naval]
    navy = [(fleet.power, fleet.power, place) for place, here in state.fleets.items() for fleet in here]
    navy += [(key, leader.power, leader.at) for key, leader in state.leaders.items() if leader.naval]
    # 20.3, 20.4: in winter ships on loan and their leaders are their owner's again before they leave others' ports.
    home = state.phase != "winter"
    found += [(piece, at) for piece, power, at in navy if home or state.control.get(at) == power]
    for piece, place in found:
        if not may_stand(table, piece, place):
            yield _placed(f"{piece} is at {place}", "9.5")


def _markers(table: Table) -> Iterator[RejectionReason]:
    state, c = table.state, table.c
    for minor, entry in state.minors.items():
        for power, points in entry.influence.items():
            if not 0 <= points <= MOST_INFLUENCE:
                yield problem(f"{power} has {points} influence on {minor}, not 0 to {MOST_INFLUENCE}", "24.5")
    tried = Counter(power for here in state.piracy.values() for power in here)
    for power, number in tried.items():
        if number > PIRACY_PER_TURN:
            yield problem(f"{power} has attempted piracy {number} times", "16.4")
    for zone, here in state.piracy.items():
        if len(here) > PIRACY_PER_ZONE or len(set(here)) < len(here):
            yield problem(f"pirates in {zone}: {', '.join(here)}", "16.4")
    colonies = Counter(state.colonies.values())
    colonies.update(captain.power for captain in state.captains.values() if captain.colony)
    for power, number in colonies.items():
        if number > c.markers["colony"].get(power, 0):
            yield problem(f"{power} has {number} colonies, more than its markers", "17.4")
    for name, spaces in (("unrest", state.unrest), ("fortress", state.fortresses)):
        twice = [space for space, number in Counter(spaces).items() if number > 1]
        strange = [space for space in spaces if space not in c.spaces and space not in c.settlements]
        if twice or strange:
            yield problem(f"{name} markers: {', '.join((*twice, *strange))}", "12.4")


def _treaties(table: Table) -> Iterator[RejectionReason]:
    """Check that a minor power is at war or holds spaces only while it is inactive (2.2, 24.2)."""
    state = table.state
    for key, word in state.diplomacy.items():
        a, _, b = key.partition(":")
        if word not in (WAR, ALLIED) or pair(a, b) != key:
            yield problem(f"{key}: {word}", "9.2")
        if word == WAR and query.allied(state, a, b):
            yield problem(f"{a} and {b} are at war and allied", "9.2")
        if any(power in MINORS and (state.minors[power].ally or word == ALLIED) for power in (a, b)):
            yield problem(f"{key}: {word}, though the minor power has an ally", "24.2")
    for space, holder in state.control.items():
        if holder in MINORS and state.minors[holder].ally:
            yield problem(f"{space} is held by {holder}, which has an ally", "2.2")


# -- between impulses --------------------------------------------------------------------------------------------------


def _company(table: Table) -> Iterator[RejectionReason]:
    """Check that enemies share a space only in a siege (13.1, 15), and never a sea zone (16.1).

    In a siege one is inside and one outside. Units with the Morisco unit may be at war with the Ottomans: it
    rises in a Spanish space in peace too (23.1), and no rule separates them when war follows.
    """
    state = table.state
    for space, here in state.land.items():
        if len(here) < 2:
            continue
        risen = OTTOMAN if "morisco" in here else ""
        by = state.sieges[space].by if space in state.sieges else {}
        sides = query.powers_in(state, space)
        for i, side in enumerate(sides):
            for other in sides[i + 1 :]:
                if risen in (side, other):
                    continue
                if query.at_war(state, side, other) and (side in by) == (other in by):
                    yield problem(f"{side} and {other} are both at {space}", "13.1")
    for place, ships in state.fleets.items():
        for i, fleet in enumerate(ships):
            if any(query.at_war(state, fleet.power, other.power) for other in ships[i + 1 :]):
                yield problem(f"ships of enemies at {place}", "16.1")


def _harbours(table: Table) -> Iterator[RejectionReason]:
    """Check that ships, naval leaders and captains are in friendly ports (12.2, 16.1), leaders at sea with ships."""
    state, c = table.state, table.c
    for place, here in state.fleets.items():
        for fleet in here:
            side = query.side_of(state, fleet.power)
            if place in c.spaces and not query.friendly(state, side, place):
                yield problem(f"ships of {side} at {place}, which is not friendly", "12.2")
    people: list[Leader | Captain] = [*state.leaders.values(), *state.captains.values()]
    for place in dict.fromkeys([person.at for person in people]):
        for key, own in query.people_at(state, place, naval=True):
            side = query.side_of(state, own)
            if place in c.zones and not query.ships_of(state, side, place):
                yield problem(f"{key} is at {place} without ships", "16.1")
            if place in c.spaces and not (c.spaces[place].port and query.friendly(state, side, place)):
                yield _placed(f"{key} is at {place}, which isn't a port of his", "12.5")


def _free(table: Table) -> Iterator[RejectionReason]:
    """13.1 Check that no army leader without units of its side or its allies is among enemies."""
    for space in table.state.land:
        for key, own in query.people_at(table.state, space, naval=False):
            side = query.side_of(table.state, own)
            if query.exposed(table, side, space):
                yield _placed(f"{key} of {side} is free among enemies at {space}", "13.1")
    if found := trespass(table):
        yield _placed(f"{found[0]} is at {found[1]} in peace", "9.5")


def _outnumbered(table: Table) -> Iterator[RejectionReason]:
    """Check that every besieger outnumbers the units inside (15.3) and is their enemy."""
    state = table.state
    for space, siege in state.sieges.items():
        for power in siege.by:
            if query.strength(state, power, space) <= garrison(table, space, power):
                yield problem(f"{power} besieges {space} with too few units", "15.3")
            holder = state.control[space]
            if holder != INDEPENDENT and not query.at_war(state, power, holder):
                yield problem(f"{power} besieges {space} of {holder} in peace", "15")


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
