"""The treasure fleet (23.2): what Spain brings home, and the attacks on it."""

from __future__ import annotations

from typing import Any

from games.virgin_queen import cards, fleets
from games.virgin_queen.intrigue.agents import informant
from games.virgin_queen.naval import piracy, plunder, voyages
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import ENGLAND, POWERS, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Subset
from pbem.kernel.game import Rule

_ask_cargo = KIT.question("cargo", "23.2")
_ask_reroll = KIT.question("fleet_reroll", "23.2", "reaction")
_ask_attack = KIT.question("fleet_attack", "23.2", "reaction")

ESCORTS = 2
"""With this number of galleons three treasures sail."""
ZONES = ("north_atlantic", "antilles", "spanish_main", "mexican_coast")
TREASURE, VP, ESCORT = "treasure", "vp", "escort"
NOBODY = "none"


def treasure_fleet(table: Table) -> Rule[None]:
    """23.2 Execute steps 1 to 6. Only Spain sees its choice."""
    state = table.state
    if state.treasure_pool:  # to a full row too (FAQ 30)
        state.spain_row.append(state.treasure_pool.pop())
        table.log("treasure.rows", rule="23.2", spain=len(state.spain_row), portugal=len(state.portugal_row),
                  private={seat_of(state, SPAIN): {"treasures": list(state.spain_row)}})  # fmt: skip
    cargo = yield from _cargo(table)
    if not cargo:
        table.log("fleet.none", rule="23.2", power=SPAIN)
        return
    table.log("fleet.sails", rule="23.2", power=SPAIN, count=len(cargo), escorts=escorts(table))
    zone = yield from _zone(table)
    attackers = yield from _attacks(table, zone, cargo)
    for treasure in cargo:
        state.spain_row.remove(treasure)
        cards.give_treasure(table, SPAIN, treasure, "23.2")
    for captain in attackers:
        yield from plunder.offer_home(table, captain, "23.2")


def escorts(table: Table) -> int:
    """10, 23.2 Return the galleons that guard the fleet."""
    return table.state.powers[SPAIN].stock.get(ESCORT, 0)


def _cargo(table: Table) -> Rule[list[str]]:
    """23.2 step 2 Return the cargo: three treasures of the row with two galleons as escort, else two, or all."""
    state, special = table.state, table.c.special["treasure_escort"]["selected_treasures"]
    most = int(special["with_two_escorts"] if escorts(table) >= ESCORTS else special["otherwise"])
    row = list(state.spain_row)
    if len(row) <= most:
        return row
    domain = Subset(row, most, most, what="treasures")
    chosen = yield from _ask_cargo(seat_of(state, SPAIN), domain, row[:most], power=SPAIN, count=most)
    return list(chosen)  # the journal's own list must not change


def _zone(table: Table) -> Rule[str]:
    """23.2 step 3 Return where the fleet appears; England, with an expedition or an informant, may have it rerolled."""
    zone = _roll(table)
    seat, spy = seat_of(table.state, ENGLAND), informant(table, ENGLAND, SPAIN)
    watches = (spy is not None and not spy.neutral) or any(expeditions(table, ENGLAND, at) for at in ZONES)
    if seat and watches:
        domain = Choice(("keep", "reroll"))
        if (yield from _ask_reroll(seat, domain, "keep", power=ENGLAND, zone=zone)) == "reroll":
            zone = _roll(table)
    return zone


def _roll(table: Table) -> str:
    rows = table.c.tables["treasure_fleet"]["rows"]
    roll = table.roll(1, "fleet.rolls", rule="23.2", power=SPAIN).total
    zone = str(next(row["result"] for row in rows if row["lo"] <= roll <= row["hi"]))
    if zone not in ZONES:  # 6: from the Philippines, if Spain holds them
        zone = ZONES[2] if "manila" in table.state.lost_settlements else ZONES[3]
    table.log("fleet.zone", rule="23.2", power=SPAIN, zone=zone)
    return zone


def expeditions(table: Table, power: str, zone: str) -> list[str]:
    """Return the captains of a power in an ocean zone."""
    return [key for key, captain in table.state.captains.items() if captain.power == power and captain.at == zone]


def _attacks(table: Table, zone: str, cargo: list[str]) -> Rule[list[str]]:
    """23.2 step 4 Let powers of other players (27) attack in impulse order; return who attacked and is left."""
    state = table.state
    done: list[str] = []
    for power in POWERS:
        left, seat = expeditions(table, power, zone), seat_of(state, power)
        while left and seat and seat != seat_of(state, SPAIN):
            about: dict[str, Any] = {"power": power, "zone": zone, "count": len(cargo), "escorts": escorts(table)}
            captain = yield from _ask_attack(seat, Choice([*left, NOBODY], "captain"), NOBODY, **about)
            if captain == NOBODY:
                break
            left.remove(captain)
            yield from _attack(table, captain, zone, cargo)
            if state.captains[captain].at == zone:
                done.append(captain)
    return done


def _attack(table: Table, captain: str, zone: str, cargo: list[str]) -> Rule[None]:
    """23.2 step 4 Resolve one expedition: its hits less the fleet's are rewards, or hits on it if negative."""
    state, dice = table.state, table.c.tables["treasure_fleet"]
    entry = state.captains[captain]
    power = entry.power
    number = dice["attack_dice"]["damaged" if entry.damaged else "undamaged"] + table.c.captains[captain].piracy
    number += plunder.bonus(captain, zone, SPAIN)
    against = dice["defence_dice"]["base"] + dice["defence_dice"]["per_escort_galleon"] * escorts(table)
    table.log("fleet.attacked", rule="23.2", power=power, captain=captain, zone=zone)
    with table.within("piracy", power=power, victim=SPAIN, zone=zone):
        net = piracy.hits(table, number, "piracy.rolls", power, "23.2")
        net -= piracy.hits(table, against, "piracy.resist_rolls", SPAIN, "23.2")
        table.log("fleet.net", rule="23.2", power=power, captain=captain, count=net)
        if net > 0:
            yield from piracy.rewards(
                table, power, net,
                lambda: [*([TREASURE] if cargo else []), VP, *([ESCORT] if escorts(table) else [])],
                lambda kind: _reward(table, captain, kind, cargo),
                pirate=power, captain=captain, zone=zone,
            )  # fmt: skip
            yield from voyages.lighten(table, captain, "23.2")
        elif net == -1 and not entry.damaged:
            yield from voyages.damage(table, captain, "23.2")
        elif net < 0:
            table.log("piracy.captain_lost", rule="23.2", captain=captain, power=power)
            voyages.remove(table, captain)
    table.stop_advance_orders()


def _reward(table: Table, captain: str, kind: str, cargo: list[str]) -> Rule[None]:
    """23.2 step 4 Execute one reward: a random treasure of the fleet, 1 VP, or a galleon of the escort is lost."""
    yield from ()
    state = table.state
    entry = state.captains[captain]
    table.log("piracy.reward", rule="23.2", power=entry.power, victim=SPAIN, reward=kind)
    if kind == VP:
        piracy.award(table, entry.power)
    elif kind == ESCORT:
        fleets.lose_escort(table)
    else:
        treasure = cargo.pop(table.dice.below(len(cargo)))
        state.spain_row.remove(treasure)
        entry.loot.append(treasure)
        seats = dict.fromkeys(seat for power in (entry.power, SPAIN) if (seat := seat_of(state, power)))
        private = {seat: {"treasure": treasure} for seat in seats}
        table.log("piracy.treasure", rule="23.2", captain=captain, victim=SPAIN, private=private)
