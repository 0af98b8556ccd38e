"""Planned uprisings and raids (14.2.1): responders, dice, rebels, and the cards with their targets.

The order of response is R-40: offices whose estate the shire is, then other nobles with an estate there, both in
impulse order; a writ; the house with most blocks there. One window asks for all of this at once.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, TypedDict

import msgspec

from games.crown_of_roses.blocks import eliminate, leave, lose_step, support
from games.crown_of_roses.components import CardTerms
from games.crown_of_roses.events import writs
from games.crown_of_roses.events.common import (
    event,
    event_shire,
    first_of,
    gain,
    gains,
    hits_on,
    most_needed,
    say_gone,
    send,
)
from games.crown_of_roses.muster import mark
from games.crown_of_roses.options import chosen
from games.crown_of_roses.query import (
    blocks_in,
    held,
    is_bound_by_embassy,
    is_closed_by_embassy,
    king,
    king_house,
    loyalty,
    owners,
    party,
)
from games.crown_of_roses.refusals import bar_host, bar_mine, bar_own, block_meant, meant, place_meant
from games.crown_of_roses.state import INACTIVE, OUT, UNDECLARED
from games.crown_of_roses.table import KIT, Table
from games.crown_of_roses.tie_breaks import ranked
from pbem.kernel.domains import PASS, Choice, Domain, Form, Menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import REACTION, Replies
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("14.2.1", "raids, uprisings, rebels", "events/raids.py")

UPRISING = "uprising"
SPARED = {"french": "captain_of_calais", "scots": "warden", "pirate": "admiral"}
"""10.5.5, 10.5.6, 10.5.8 Raiders → the office whose holder meets fewer of them."""


class Responder(msgspec.Struct):
    """The responder: a noble's block, or Lord Stourton (no block) for a house."""

    house: str
    block: str = ""


class RaidResponse(TypedDict):
    """A noble with an estate in the shire answers."""

    do: Literal["answer"]
    noble: str


Reply = writs.Reply | RaidResponse
"""The answers of a house to a raid or an uprising."""

_respond = KIT.question("respond", "14.2.1", REACTION)
ask_for_writ = KIT.question("writ", "10.5.1", REACTION, cards=True)
_pressed_who = KIT.question("pressed", "14.2.1", REACTION)
_hits = KIT.question("hits", "20.5.3", REACTION)
_rebel_steps = KIT.question("rebel_steps", "14.2.1")

# -- who may answer ----------------------------------------------------------------------------------------------------


def by_office(table: Table, key: str, shire: str) -> bool:
    """Return whether a noble may answer for an office with an estate in the shire; the King for a royal one (R-40)."""
    state, c = table.state, table.c
    offices = held(state, key)
    if "king" in offices and shire in c.royal_estates:
        return True
    return any(shire in c.office_estates.get(office, ()) for office in offices)


def by_family(table: Table, key: str, shire: str) -> bool:
    """Return whether a noble has a family estate there; heirs of the King's house have the royal ones (7.2.4)."""
    state, c = table.state, table.c
    if shire in c.family_estates.get(c.blocks[key].family, ()):
        return True
    owner = state.blocks[key].owner
    heir = owner in state.houses and key in state.houses[owner].heirs
    return bool(shire in c.royal_estates and heir and king(state) and king_house(state) == owner)


def landed(table: Table, house: str, shire: str) -> list[str]:
    """Return nobles of a house with an estate in the shire, anywhere on the map (control is public)."""
    return [
        key
        for key, block in table.state.blocks.items()
        if block.owner == house
        and table.c.blocks[key].noble
        # The only noble without command is Henry VI; a house rule may keep such nobles at home.
        and (table.c.blocks[key].command or chosen(table, "henry_volunteers"))
        and (by_office(table, key, shire) or by_family(table, key, shire))
    ]


def _candidates(table: Table, shire: str) -> list[str]:
    return [
        house
        for house, own in table.state.houses.items()
        if not own.out and (landed(table, house, shire) or writs.entitled(table, house) or writs.STOURTON in own.cards)
    ]


def _menu(table: Table, house: str, errand: writs.WritEvent) -> Menu[Reply]:
    entries: dict[str, Domain | None] = {PASS: None}
    able = _volunteers(table, house, errand.shire)
    if able and not is_closed_by_embassy(table.state, errand.shire, house):
        entries["answer"] = Form(noble=Choice(able, "noble", partial(_no_volunteer, table, house, errand.shire)))
    return Menu({**entries, **_substitutes(table, house, errand)}, None, partial(_no_reply, table, house, errand))


def _volunteers(table: Table, house: str, shire: str) -> list[str]:
    state = table.state
    return [
        key
        for key in landed(table, house, shire)
        if table.c.is_place(state.blocks[key].at) and not is_bound_by_embassy(state, key)
    ]


def _no_volunteer(table: Table, house: str, shire: str, word: str) -> RejectionReason | None:
    """Return why a noble can't answer, in the order of `landed` and `_volunteers` (14.2.1); None if not a block."""
    problem, key = bar_mine(table, house, "14.2.1", word), block_meant(table, word)
    if problem or not key:
        return problem
    if not (by_office(table, key, shire) or by_family(table, key, shire)):
        return because("no_estate_there", "14.2.1", block=key, shire=shire)
    if is_bound_by_embassy(table.state, key):
        return because("embassy_bound", "14.1.1", block=key)
    return because("commandless", "14.2.1", block=key)


def _no_reply(table: Table, house: str, errand: writs.WritEvent, word: str) -> RejectionReason | None:
    """Return why a house can't reply so (14.2.1, 10.5.1)."""
    if meant(table, word) != "answer":
        return writs.why_not(table, house, errand, word)
    embassy = table.state.embassy
    if embassy is not None and is_closed_by_embassy(table.state, errand.shire, house):
        return because("embassy", "14.1.1", place=errand.shire, house=embassy.house)
    return because("no_volunteer", "14.2.1", shire=errand.shire)


def _substitutes(table: Table, house: str, errand: writs.WritEvent) -> dict[str, Domain | None]:
    """Return whom a house can send instead of an own block: Lord Stourton (card 22), a noble named by a writ."""
    entries: dict[str, Domain | None] = {}
    if writs.STOURTON in table.state.houses[house].cards:
        entries[writs.STOURTON] = None
    writ = writs.form(table, house, errand)
    if writ is not None:
        entries["writ"] = writ
    return entries


# -- the order of response ---------------------------------------------------------------------------------------------


def respond(table: Table, errand: writs.WritEvent, runner: str, kind: str) -> Rule[Responder | None]:
    """Find the responder; None if there is none (R-40)."""
    able = _candidates(table, errand.shire)
    replies: Replies[Reply] = Replies({})
    if able:
        replies = yield from _respond.window(
            {house: partial(_menu, table, house, errand) for house in able}, house=runner, place=errand.shire,
            what=kind, touches=able,
        )  # fmt: skip
    order = list(dict.fromkeys(house for house in (*table.state.order, *able) if house in able))
    found = _volunteer(table, errand, replies, order)
    if found is None:
        found = yield from _by_writ(table, errand, replies, order)
    if found is None:
        found = yield from _pressed(table, errand.shire)
    return found


def _volunteer(table: Table, errand: writs.WritEvent, replies: Replies[Reply], order: list[str]) -> Responder | None:
    """Return the volunteer: offices first, then others and Lord Stourton, each in impulse order."""
    for first in (True, False):
        for house in order:
            answer = replies.of(house)
            if answer == writs.STOURTON and not first:
                replies.took_effect(house)
                writs.send_stourton(table, house)
                return Responder(house)
            if isinstance(answer, str) or answer["do"] != "answer":
                continue
            key = answer["noble"]
            if not first or by_office(table, key, errand.shire):
                replies.took_effect(house)
                return Responder(house, key)
    return None


def _by_writ(
    table: Table, errand: writs.WritEvent, replies: Replies[Reply], order: list[str]
) -> Rule[Responder | None]:
    """Send a noble named by a writ; the house that controls them may name another, or send Lord Stourton."""
    wanting = {
        house: answer for house in order if not isinstance(answer := replies.of(house), str) and answer["do"] == "writ"
    }
    return (yield from sent_by_writ(table, errand, replies, wanting))


def sent_by_writ(
    table: Table, errand: writs.WritEvent, replies: Replies[Reply] | Replies[writs.Reply],
    wanting: dict[str, writs.Writ],
) -> Rule[Responder | None]:  # fmt: skip
    """Return the `Responder` of the first writ that names somebody who can go, None without one (10.5.1)."""
    first = list(wanting)
    if len(first) > 1:
        first = yield from ranked(table, first, dict.fromkeys(first, 0), "writ", "10.5.1")
    for house in first:
        if key := writs.issue(table, house, errand, wanting[house]):
            replies.took_effect(house)
            table.stop_advance_orders()
            return (yield from countered(table, errand, key))
    return None


def countered(table: Table, errand: writs.WritEvent, key: str) -> Rule[Responder]:
    """Ask the house whose noble a writ names to send somebody else. Returns the `Responder` (10.5.1, 14.2.2)."""
    state = table.state
    while True:
        house = state.blocks[key].owner
        able = writs.STOURTON in state.houses[house].cards or (
            writs.entitled(table, house) and house not in errand.used
        )
        if not able:
            return Responder(house, key)
        replies = yield from ask_for_writ.window(
            {house: partial(_counter_menu, table, house, errand)}, place=errand.shire, block=key, touches=[house]
        )
        answer = replies.of(house)
        if answer == PASS:
            return Responder(house, key)
        replies.took_effect(house)
        table.stop_advance_orders()
        if isinstance(answer, str):  # Lord Stourton
            writs.send_stourton(table, house)
            return Responder(house)
        if not (other := writs.issue(table, house, errand, answer)):
            return Responder(house, key)
        key = other


def _counter_menu(table: Table, house: str, errand: writs.WritEvent) -> Menu[writs.Reply]:
    why = partial(writs.why_not, table, house, errand)
    return Menu({PASS: None, **_substitutes(table, house, errand)}, None, why)


def _pressed(table: Table, shire: str) -> Rule[Responder | None]:
    """Return a block of the house with most blocks in the shire; None in an empty shire (R-40)."""
    state = table.state
    if not (here := {house: len(blocks_in(state, shire, house)) for house in owners(state, shire)}):
        return None
    house = (yield from ranked(table, list(here), here, "respond", "14.2.1"))[0]
    stack = [key for key in blocks_in(state, shire, house) if not state.blocks[key].host]
    able = [key for key in stack if table.c.blocks[key].noble] or stack
    key = able[0]
    if here[house] > 1:
        choice = Choice(able, "block", partial(_not_pressed, table, house, shire))
        key = yield from _pressed_who(house, choice, able[0], place=shire)
    return Responder(house, key)


def _not_pressed(table: Table, house: str, shire: str, word: str) -> RejectionReason | None:
    """Return why a block does not respond (R-40); None if it isn't a block."""
    problem, key = bar_host(table, house, shire, "14.2.1", word), block_meant(table, word)
    return problem or (because("noble_responds", "14.2.1", block=key) if key else None)


# -- what happens ------------------------------------------------------------------------------------------------------


def strike(table: Table, house: str, card: str, kind: str, shire: str) -> Play:
    """Execute a raid or planned uprising of `house` in a shire (14.2.1)."""
    table.log(f"raid.{kind}", rule="14.2.1", house=house, place=shire)
    errand = writs.WritEvent(shire)
    with table.within("raid", house=house, place=shire, card=card):
        responder = yield from respond(table, errand, house, kind)
        if responder is None:
            if kind == UPRISING:
                table.state.rebels[shire] = house
                table.log("raid.rebels", rule="14.2.1", house=house, place=shire, reveals=True)
            else:
                table.log("raid.unanswered", rule="14.2.1", place=shire, reveals=True)
                yield from mark(table, house, shire, "plundered", "14.2.1")
            return
        table.log(
            "raid.answered", rule="14.2.1", house=responder.house, place=shire, block=responder.block or writs.STOURTON,
            reveals=True,
        )  # fmt: skip
        rolled = False
        if responder.block:
            if table.state.blocks[responder.block].at != shire:
                send(table, responder.block, shire)
            rolled = yield from _meet(table, house, kind, shire, responder)
        support(table, responder.house, table.c.numbers.raid.support_gain, "14.2.1")
        if rolled:
            yield from mark(table, house, shire, "plundered", "14.2.1")
        yield from meet_rebels(table, responder.house, shire)


def _meet(table: Table, house: str, kind: str, shire: str, responder: Responder) -> Rule[bool]:
    """Fight, or gain two steps if the noble is the house's own (R-42). Returns whether dice were rolled."""
    key = responder.block
    if kind == UPRISING and responder.house == house:
        gain(table, house, most_needed(table, [key], 2), "14.2.1")
        return False
    count, colour = dice_of(table, kind, shire, responder.house, key)
    hits = roll_hits(table, responder.house, shire, count, colour)
    yield from take_hits(table, responder.house, shire, party(table.state, key), hits)
    return True


def dice_of(table: Table, kind: str, shire: str, house: str, key: str = "") -> tuple[int, str]:
    """Return the dice against a responder (14.2.1).

    Raiders as printed, fewer against the fitting office; an uprising the shire's value in green, one more if it is
    loyal to another house.
    """
    c = table.c
    if kind == UPRISING:
        loyal = loyalty(table, shire)
        return c.shires[shire].sv + (loyal not in ("", house)), "G"
    met = bool(key) and SPARED[kind] in held(table.state, key)
    printed = c.numbers.raid.fewer(kind) if met else c.numbers.raid.dice(kind)
    return int(printed[:-1]), printed[-1]


def roll_hits(table: Table, house: str, shire: str, count: int, colour: str) -> int:
    """Roll dice of one colour (20.5.2). Returns the number of hits."""
    need = table.c.numbers.dice.need(colour)
    dice = table.roll(count, "raid.roll", rule="20.5.2", house=house, place=shire).dice
    hits = sum(die >= need for die in dice)
    table.log("raid.hits", rule="20.5.2", house=house, place=shire, count=hits)
    return hits


def take_hits(table: Table, house: str, shire: str, blocks: list[str], hits: int) -> Play:
    """Let the owner allocate hits (20.5.3). Blocks below home strength roll at once (14.2.1)."""
    state = table.state
    domain = hits_on(table, blocks, hits)
    if not domain.least:
        return
    chosen = first_of(domain)
    if len(blocks) > 1:
        chosen = yield from _hits(house, domain, chosen, place=shire, count=domain.least)
    for key in chosen:
        if state.blocks[key].at == shire and lose_step(table, key):
            fall(table, key)


def fall(table: Table, key: str) -> None:
    """Eliminate a block outside battle: nobles roll; others leave the map; Henry VI is killed (20.6.1)."""
    card = table.c.blocks[key]
    if key == "henry_vi":
        say_gone(table, key, "10.3.3")
        leave(table, key, OUT)
    elif card.noble:
        eliminate(table, key, 0)
    else:
        say_gone(table, key, "20.6.1")
        leave(table, key, UNDECLARED if key == "margaret" else INACTIVE)


# -- rebels ------------------------------------------------------------------------------------------------------------


def meet_rebels(table: Table, house: str, shire: str) -> Play:
    """Let a stack meet rebels: those of its own house give two steps, others are fought; rebels are gone (14.2.1)."""
    state = table.state
    rebel = state.rebels.get(shire, "")
    stack = blocks_in(state, shire, house)
    if not rebel or not stack:
        return
    del state.rebels[shire]
    table.log("rebels.met", rule="14.2.1", house=house, place=shire)
    if rebel == house:
        bar = partial(bar_own, table, house, shire, "14.2.1")
        chosen = yield from _rebel_steps(
            house, partial(gains, table, stack, 2, bar, "14.2.1"), lambda: most_needed(table, stack, 2), place=shire
        )
        gain(table, house, chosen, "14.2.1")
        return
    count, colour = dice_of(table, UPRISING, shire, house)
    hits = roll_hits(table, house, shire, count, colour)
    yield from take_hits(table, house, shire, stack, hits)
    yield from mark(table, rebel, shire, "plundered", "14.2.1")


def disperse(table: Table) -> Play:
    """Let rebels meet the blocks in their shires, however these entered (14.2.1)."""
    state = table.state
    for shire in list(state.rebels):
        for house in owners(state, shire):
            yield from meet_rebels(table, house, shire)


def goals(table: Table, terms: CardTerms, sea: str = "") -> list[str]:
    """Return the shires that a card, or an ally's option, allows; `sea` if the text names none."""
    if terms.only:
        return list(terms.only)
    sea = terms.sea or sea
    return [
        key
        for key, shire in table.c.shires.items()
        if key not in terms.exclude and (not sea or sea in shire.seas or (sea == "any" and shire.seas))
    ]


def bar_goal(table: Table, terms: CardTerms, word: str) -> RejectionReason | None:
    """Return why a raid or uprising can't strike a shire, in the order of `goals`; None if it isn't a place."""
    if not (place := place_meant(table, word)):
        return None
    if terms.only:
        return because("only_shires", "14.2.1", place=place, shires=list(terms.only))
    if place in table.c.exiles or place in terms.exclude:
        return because("shire_spared", "14.2.1", place=place)
    return (
        because("other_coast", "14.2.1", place=place, sea=terms.sea)
        if terms.sea
        else because("inland", "14.2.1", place=place)
    )


def _crowned(table: Table, house: str, card: str) -> RejectionReason | None:
    """Return why Y3 can't be played: only while no heir of York is King."""
    unless = table.c.cards[card].params.requires_not_king
    barred = bool(unless) and king_house(table.state) == unless
    return because("king_of", "14.2.1", card=card, house=unless) if barred else None


@event(
    "french_raid_30", "french_raid_31", "french_raid_32", "jack_cade", "pirate_raid_36", "robyn_of_redesdale",
    "robyn_of_holderness", "scots_raid", "buckinghams_rebellion", "conyers", "winter_of_discontent",
    bar=_crowned,
)  # fmt: skip
def raid(table: Table, house: str, card: str) -> Play:
    """30 to 33, 36 to 39, B2, W6, Y3: choose the shire and let it come."""
    terms = table.c.cards[card].params
    able = goals(table, terms)
    choice = Choice(able, "shire", partial(bar_goal, table, terms))
    shire = yield from event_shire(house, choice, able[0], rule="14.2.1", card=card)
    yield from strike(table, house, card, terms.raid or UPRISING, shire)
