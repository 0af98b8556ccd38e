"""Changes of blocks: hosts, leaving the map, lost steps, attrition, elimination (8.2, 8.3.3, 20.6.1, 22)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from games.crown_of_roses.components import RosesComponents
from games.crown_of_roses.money import clear_box
from games.crown_of_roses.query import ROYALS, attached, blocks_in, command, full, held, is_heir, owners, party, rank
from games.crown_of_roses.refusals import bar_host
from games.crown_of_roses.state import INACTIVE, OUT, UNAVAILABLE, UNDECLARED, RosesState
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play

KIT.chapter("8.1", "nobles, heirs, what of blocks is hidden", "components.py", "view.py", "state.py")
KIT.chapter("8.2", "states of blocks", "blocks.py", "battle/cards.py")
KIT.chapter("8.3.3", "attached blocks", "blocks.py", "battle/losses.py")
KIT.chapter("9.6", "the Tower garrison", "blocks.py", "battle/battle_order.py", "battle/losses.py")
KIT.chapter("20.6.1", "the elimination table", "blocks.py", "battle/cards.py")
KIT.chapter("22", "attrition", "blocks.py")

_garrison = KIT.question("garrison", "9.6")


def support(table: Table, house: str, change: int, rule: str) -> None:
    """Change popular support, kept between 1 and 9 (7.1.2)."""
    own = table.state.houses[house]
    limits = table.c.limits
    before = own.support
    own.support = max(limits.support_min, min(limits.support_max, before + change))
    if own.support != before:
        table.log("support.changed", rule=rule, house=house, change=own.support - before, level=own.support)


def put(table: Table, key: str, place: str) -> None:
    """Move a block and all that is attached to it to a place."""
    state = table.state
    for member in party(state, key):
        block = state.blocks[member]
        block.at = place
        if block.pinned:
            block.pinned = False


def transfer(table: Table, keys: Iterable[str], origin: str, to: str) -> None:
    """Move blocks, each with all that is attached to it, from one place to another, and settle what they leave."""
    for key in keys:
        put(table, key, to)
    update_garrisons(table, origin)


def attach(table: Table, key: str, host: str) -> None:
    """Attach a block to a host (8.3.3): it comes to the host's place and serves the same house."""
    block, carrier = table.state.blocks[key], table.state.blocks[host]
    block.at, block.owner, block.host = carrier.at, carrier.owner, host


def can_host(table: Table, key: str, host: str, leaving: Collection[str] = ()) -> bool:
    """Return whether a noble can host an attached block without office, or does; `leaving` find another host."""
    state, c = table.state, table.c
    # 8.3.3 A guest hosts nobody, nor does a block without command: Henry VI, even as the King.
    if not c.blocks[host].noble or host == key or state.blocks[host].host or not c.blocks[host].command:
        return False
    # 10.3.3, 10.3.4 Henry VI and the Queen, both if need be.
    if key in ROYALS:
        return royal(table, host)
    # 8.3.3 One mercenary block, by a noble with a command.
    others = [guest for guest in attached(state, host) if guest != key and guest not in leaving]
    mercenaries = sum(c.blocks[guest].kind == "mercenary" for guest in others)
    return command(table, host) >= c.attachment.host_command and mercenaries < c.attachment.max_mercenaries


def royal(table: Table, host: str) -> bool:
    """Return whether a noble can host Henry VI and the Queen (10.3.3, 10.3.4, R-09)."""
    state, c = table.state, table.c
    able = c.blocks[host].noble and not state.blocks[host].host
    return able and command(table, host) >= c.attachment.royal_host_command


def rehost(table: Table, key: str, place: str) -> None:
    """Attach a block to the highest noble there that can host it, else undeclared; royals may be alone (8.3.3)."""
    block = table.state.blocks[key]
    block.host = ""
    hosts = [noble for noble in blocks_in(table.state, place, block.owner) if can_host(table, key, noble)]
    if hosts:
        attach(table, key, max(hosts, key=lambda noble: rank(table, noble)))
    elif key not in ROYALS:
        block.at, block.pinned = UNDECLARED, False


def leave(table: Table, key: str, to: str, *, keep: bool = False) -> None:
    """Move a block from the map to a pool, with what follows for guests, offices and influence (8.2).

    Blocks that go undeclared stay controlled and keep their offices (R-28); others no longer serve anybody. `keep`: a
    noble who fled or retreated to the undeclared pool keeps their office blocks too (20.6.1).
    """
    state, c = table.state, table.c
    block = state.blocks[key]
    place, house = block.at, block.owner
    guests = attached(state, key)
    block.at, block.host, block.pinned, block.steps = to, "", False, full(c, key)
    for guest in guests:
        if c.blocks[guest].kind == "office" and keep and to == UNDECLARED:
            put(table, guest, to)
            state.blocks[guest].steps = full(c, guest)
        elif c.blocks[guest].kind == "office":
            _vacate(c, state, guest)
        else:
            rehost(table, guest, place)
    if to != UNDECLARED:
        for office in held(state, key):
            vacate_office(table, office)
        block.owner = ""
    if to in (UNAVAILABLE, OUT):
        for purse in state.houses.values():
            clear_box(purse, key)
    if to == OUT:
        _remove_heir(table, key)
    if to != UNDECLARED:
        dismiss(table, key)
    update_garrisons(table, place, house)


def _vacate(c: RosesComponents, state: RosesState, key: str) -> None:
    block = state.blocks[key]
    block.at, block.owner, block.host, block.pinned, block.steps = INACTIVE, "", "", False, full(c, key)


def _remove_heir(table: Table, key: str) -> None:
    """Remove the card of an heir who is gone (10.3)."""
    state = table.state
    for house in state.houses.values():
        if key in house.heirs:
            house.heirs.remove(key)
            house.cards.remove(table.c.heir_card[key])
            state.removed.append(table.c.heir_card[key])
    if all(state.blocks[noble].at == OUT for noble in ("henry_vi", "lord_prince_edward")):
        _exile_queen(table)


def _exile_queen(table: Table) -> None:
    """Remove the Queen for good, block and card, once Henry VI and Prince Edward are gone (10.3.4)."""
    state = table.state
    lancaster = state.houses.get("lancaster")
    if lancaster is None or state.blocks["margaret"].at == OUT:
        return
    for pile in (lancaster.cards, lancaster.hand):
        if "queen_margaret" in pile:
            pile.remove("queen_margaret")
            state.removed.append("queen_margaret")
    table.log("queen.gone", rule="10.3.4", house="lancaster")
    leave(table, "margaret", OUT)


def dismiss(table: Table, key: str) -> None:
    """Discard the card of a mercenary block that is gone (20.4.3, 20.6.1); nothing for other blocks."""
    state, c = table.state, table.c
    if c.blocks[key].kind != "mercenary":
        return
    for card in [card for card in state.lasting if c.cards[card].params.block == key]:
        state.lasting.remove(card)
        state.discards.append(card)


def withdraw_block(table: Table, key: str) -> None:
    """Make an eliminated block without title unavailable; the Queen returns in winter (20.6.1, 10.3.4).

    Henry VI is killed with his block (10.3.3). The card of mercenaries is discarded.
    """
    if key == "henry_vi":
        table.log("battle.henry", rule="10.3.3", house=table.state.blocks[key].owner, block=key, reveals=True)
        leave(table, key, OUT)
    elif key == "margaret":
        leave(table, key, UNDECLARED)
    else:
        leave(table, key, UNAVAILABLE)


def vacate_office(table: Table, office: str) -> None:
    """Vacate an office (10.5): its holder's house loses the support it gave, its block leaves the map."""
    state, c = table.state, table.c
    holder = state.offices[office].holder
    house = state.blocks[holder].owner
    state.offices[office].holder = ""
    block = state.blocks[c.offices[office].block]
    if block.host == holder:
        _vacate(c, state, c.offices[office].block)
    table.log("office.lost", rule="10.5", office=office, block=holder, house=house)
    if house:
        support(table, house, -c.offices[office].support, "10.5")


def update_garrisons(table: Table, place: str, house: str = "") -> None:
    """Update a place that a block left: nobody is pinned without enemies (16.4); the garrison finds a host (9.6).

    `house` is the house the block served, if it serves another now, or none: the garrison stays with that house.
    """
    state = table.state
    if table.c.is_place(place) and len(owners(state, place)) < 2:
        for key in blocks_in(state, place):
            if state.blocks[key].pinned:
                state.blocks[key].pinned = False
    host = state.garrison.host
    if place == "london" and host and state.blocks[host].at != "london":
        house = house or state.blocks[host].owner
        left = [key for key in blocks_in(state, "london", house) if not state.blocks[key].host]
        state.garrison.host = left[0] if left else ""
        state.garrison.aside = not left
        table.log("garrison.passes", rule="9.6", house=house if left else "", reveals=True)


def occupy_tower(table: Table, house: str) -> bool:
    """Give the first house to enter London a garrison that is nobody's (9.6). Returns whether it did."""
    state = table.state
    here = [key for key in blocks_in(state, "london", house) if not state.blocks[key].host]
    if state.garrison.host or state.garrison.aside or not here:
        return False
    state.garrison.host = here[0]
    table.log("garrison.taken", rule="9.6", house=house)
    return True


def post_garrison(table: Table, house: str) -> Play:
    """Let the house that has just got the garrison put it under one of its blocks in London (9.6)."""
    state = table.state
    if len(blocks_in(state, "london", house)) < 2:
        return
    hosts = [key for key in blocks_in(state, "london", house) if not state.blocks[key].host]
    choice = Choice(hosts, "block", partial(bar_host, table, house, "london", "9.6"))
    state.garrison.host = yield from _garrison(house, choice, state.garrison.host, place="london")


def lose_step(table: Table, key: str) -> bool:
    """Take a step (8.3). True if the block was at home strength: then the caller eliminates it."""
    block = table.state.blocks[key]
    if block.steps > 1:
        block.steps -= 1
        return False
    return True


def eliminate(table: Table, key: str, modifier: int) -> str:
    """Roll the fate of an eliminated noble (20.6.1); returns their new state. `modifier` depends on the situation.

    Clarence in another house's service has no heir's modifier (R-21), but as an active heir is never inactive nor
    unavailable (8.2).
    """
    state, e = table.state, table.c.numbers.elimination
    heir = is_heir(state, key)
    active = any(key in own.heirs for own in state.houses.values())
    house = state.blocks[key].owner
    roll = table.roll(1, "elimination.roll", rule="20.6.1", house=house, block=key).total
    result = roll + modifier + (e.heir if heir else 0)
    if result <= e.killed_max:
        to, word = (OUT if active else UNAVAILABLE), "killed"
    elif result <= e.wounded_max:
        to, word = (UNDECLARED if active else INACTIVE), "wounded"
    else:
        to, word = UNDECLARED, "fled"
    table.log(f"elimination.{word}", rule="20.6.1", house=house, block=key, result=result, reveals=True)
    leave(table, key, to, keep=True)
    return to


def attrition(table: Table, blocks: Sequence[str], rule: str, *, leader: str = "", modifier: int = 0) -> None:
    """Roll for each block (22.0); +1 for an heir or the leader. Only its house sees which block rolls.

    An office's block that has left with its noble, lost before its turn came, does not roll.
    """
    state, c = table.state, table.c
    table_of = c.numbers.attrition.steps
    owners = [state.blocks[key].owner for key in blocks]
    for key, house in zip(blocks, owners, strict=True):
        block = state.blocks[key]
        if block.owner != house:
            continue
        place = block.at
        bonus = c.numbers.attrition.leader if key == leader or is_heir(state, key) else 0
        roll = table.roll(1, "attrition.roll", rule=rule, house=house, place=place).total
        lost = table_of[max(1, min(6, roll + bonus + modifier)) - 1]
        key_of = "attrition.loss" if lost else "attrition.none"
        table.log(key_of, rule="22.0", house=house, place=place, private={house: {"block": key}})
        if lost and lose_step(table, key):
            if c.blocks[key].noble:
                eliminate(table, key, c.numbers.elimination.attrition)
            else:
                table.log("attrition.gone", rule="22.0", house=house, block=key, reveals=True)
                leave(table, key, INACTIVE)


def from_most(left: dict[str, int], count: int) -> list[str]:
    """Take `count` keys, each time the one with most left. Counts down `left`."""
    chosen: list[str] = []
    for _ in range(min(count, sum(left.values()))):
        key = max(left, key=lambda block: left[block])
        left[key] -= 1
        chosen.append(key)
    return chosen
