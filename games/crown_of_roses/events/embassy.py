"""Embassy (14.1.1): the King, or a deputy sent by writ, receives a foreign envoy; enemies keep away."""

from __future__ import annotations

from functools import partial

from games.crown_of_roses.blocks import attrition, leave, transfer
from games.crown_of_roses.draw import take_top
from games.crown_of_roses.events import writs
from games.crown_of_roses.events.common import drop_off, event, send
from games.crown_of_roses.events.raids import Responder, ask_for_writ, sent_by_writ
from games.crown_of_roses.interception import way_out, ways_out
from games.crown_of_roses.query import blocks_in, in_play, king, king_house, owners, party
from games.crown_of_roses.refusals import meant
from games.crown_of_roses.state import INACTIVE, UNDECLARED, ActionStep, Embassy
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import PASS, Domain, Menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("14.1.1", "Embassy", "events/embassy.py")


@event("embassy_58", "embassy_59")
def embassy(table: Table, house: str, card: str) -> Play:
    """58, 59 A die names the shire; the King goes there or sends another; their enemies leave; then one OPS."""
    face = table.c.cards[card].params
    roll = table.roll(1, "event.roll", rule="14.1.1", house=house, card=card).total
    shire = face.die[roll - 1]
    table.log("embassy.comes", rule="14.1.1", house=house, place=shire)
    with table.within("embassy", house=house, place=shire):
        visitor = yield from _visitor(table, shire)
        if visitor is None:
            table.log("embassy.nobody", rule="14.1.1", place=shire, reveals=True)
        else:
            yield from _receive(table, visitor, shire)
    table.state.step = ActionStep(house, card, face.ops_after, event=True)


def _visitor(table: Table, shire: str) -> Rule[Responder | None]:
    """Return the King if in play, unless a writ sends another; None if there is neither (14.1.1, 10.5.1)."""
    state = table.state
    errand = writs.WritEvent(shire)
    able = [key for key in state.houses if writs.entitled(table, key)]
    if able:
        replies = yield from ask_for_writ.window(
            {key: partial(_menu, table, key, errand) for key in able}, place=shire, block=king(state) or "none",
            touches=able,
        )  # fmt: skip
        order = [key for key in dict.fromkeys((*state.order, *able)) if key in able]
        wanting = {key: answer for key in order if not isinstance(answer := replies.of(key), str)}
        sent = yield from sent_by_writ(table, errand, replies, wanting)
        if sent is not None:
            return sent
    crowned = king(state)
    if not crowned or not in_play(table, crowned):
        return None
    return Responder(king_house(state), crowned)


def _menu(table: Table, house: str, errand: writs.WritEvent) -> Menu[writs.Reply]:
    entries: dict[str, Domain | None] = {PASS: None}
    writ = writs.form(table, house, errand)
    if writ is not None:
        entries["writ"] = writ
    return Menu(entries, None, partial(_no_writ, table, house, errand))


def _no_writ(table: Table, house: str, errand: writs.WritEvent, word: str) -> RejectionReason | None:
    """Return why a house can't issue a writ (14.1.1, 14.2.2); Lord Stourton goes later, for a noble named by one."""
    if meant(table, word) == writs.STOURTON:
        return because("stourton_later", "14.2.2", card=writs.STOURTON)
    return writs.why_not(table, house, errand, word)


def _receive(table: Table, visitor: Responder, shire: str) -> Play:
    """Show the visitor in the shire; enemies there retreat, or go undeclared where they can't."""
    state = table.state
    blocks: list[str] = []
    if visitor.block:
        if state.blocks[visitor.block].at != shire:
            send(table, visitor.block, shire)
        blocks = party(state, visitor.block)
    state.embassy = Embassy(shire, visitor.house, blocks)
    table.log(
        "embassy.received", rule="14.1.1", house=visitor.house, place=shire, block=visitor.block or writs.STOURTON,
        steps=state.blocks[visitor.block].steps if visitor.block else 0, reveals=True,
    )  # fmt: skip
    for other in [key for key in (*state.order, *state.houses) if key != visitor.house]:
        if other in owners(state, shire):
            yield from _withdraw(table, other, shire)
    for key in blocks_in(state, shire):
        state.blocks[key].pinned = False


def _withdraw(table: Table, house: str, shire: str) -> Play:
    """Retreat with all blocks of a house to one shire; over the fens they roll for attrition (20.5.4)."""
    state = table.state
    stack = blocks_in(state, shire, house)
    ways = ways_out(table, house, shire)
    table.stop_advance_orders(house)
    if not ways:
        table.log("embassy.scatters", rule="14.1.1", house=house, place=shire, count=len(stack))
        for key in stack:
            if state.blocks[key].at == shire and not state.blocks[key].host:
                _scatter(table, key)
        return
    to = yield from way_out(table, house, shire, ways, "14.1.1")
    transfer(table, [key for key in stack if not state.blocks[key].host], shire, to)
    table.log(
        "embassy.retreats", rule="14.1.1", house=house, origin=shire, place=to, count=len(stack),
        private={house: {"blocks": stack}},
    )  # fmt: skip
    if table.c.borders[shire][to] == "fens":
        attrition(table, stack, "20.5.4", modifier=table.c.numbers.attrition.fens)


def _scatter(table: Table, key: str) -> None:
    """Make a noble without path undeclared, with office blocks; mercenaries leave, the royals too (R-51)."""
    state = table.state
    for guest in party(state, key)[1:]:
        if table.c.blocks[guest].kind == "mercenary":
            leave(table, guest, INACTIVE)
        elif table.c.blocks[guest].kind != "office":
            state.blocks[guest].host = ""
            leave(table, guest, UNDECLARED)
    drop_off(table, key, "14.1.1")


@event("affairs_of_state")
def affairs_of_state(table: Table, house: str, card: str) -> Play:
    """57 The top card is shown and discarded: a mandatory event, else OPS; the phase ends after combat."""
    state = table.state
    state.affairs = True
    if not (drawn := take_top(table)):
        return
    state.discards.append(drawn)
    face = table.c.cards[drawn]
    table.log("affairs.drawn", rule="14.1.3", house=house, card=drawn, ops=face.ops, reveals=True)
    if face.type == "mandatory":
        yield from KIT.entries["event"][drawn].run(table, house, drawn)
    else:
        state.step = ActionStep(house, drawn, face.ops)
