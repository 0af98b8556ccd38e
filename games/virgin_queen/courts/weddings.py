"""Weddings (21.1), the Virgin Queen's VP (21.2), age (21.3); Mary Stuart and the Virgin Queen card (23.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from games.virgin_queen import cards, impulse, responses
from games.virgin_queen.courts import dowries
from games.virgin_queen.courts.deaths import ELIZABETH, MARY, leader_dies, part, royal_dies, ruler_dies
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import ENGLAND, FRANCE, Betrothal, Impulse
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.victory import award
from pbem.kernel.domains import Choice
from pbem.kernel.game import Rule

KIT.chapter("21.1", "weddings and their bonuses", "courts/")
KIT.chapter("21.2", "the Virgin Queen's VP", "courts/weddings.py")
KIT.chapter("21.3", "ageing", "courts/weddings.py")
KIT.chapter("23.3", "England: the Virgin Queen, Mary Stuart, deaths of rulers", "courts/", "events/courts.py")
_ask_reroll = KIT.question("wedding_reroll", "21.1")

WILLIAM, LEICESTER = "william_of_orange", "leicester"
DON_CARLOS, ANNA = "don_carlos", "anna_of_austria"
CANCELLED, WIFE, HUSBAND = "last_minute_cancellation", "wife_dies_in_childbirth", "husband_murdered"
MARKER = 2
"""On the roll of the royal under the wedding marker (cards 33, 80)."""
EDICT = "edict_wedding"
"""In `Power.used` of France: 2 on its next wedding roll of the turn (card 50)."""
WILLIAM_AGAIN = 2
"""Eligibility with which William comes back (21.1)."""
YOUNG = 5
"""The lowest roll with which a man does not age (21.3)."""


class WeddingResult(TypedDict):
    """A line of the royal wedding table (21.1)."""

    lo: int
    hi: int
    result: str
    vp: int
    cards: int


class JiltRow(TypedDict):
    """A line of the table for suitors whom Elizabeth jilts (23.3)."""

    lo: int
    hi: int
    result: str
    amount: NotRequired[int]


@KIT.phase("weddings")
def wedding_phase(table: Table) -> Rule[None]:
    """21 Resolve weddings in the order of the betrothals, the Virgin Queen's VP, then ageing."""
    state = table.state
    table.log("wedding.phase", rule="21", turn=state.turn)
    for couple in list(state.betrothed):
        groom = state.royals[couple.man].power
        about: dict[str, Any] = {"power": groom, "target": ENGLAND, "couple": couple.couple}
        if ELIZABETH in couple.couple and (yield from responses.offer(table, "wedding", about)):
            continue
        yield from wed(table, couple)
    state.wedding_marker = ""
    virgin_queen(table)
    age(table)


def wed(table: Table, couple: Betrothal) -> Rule[None]:
    """21.1 Resolve a wedding in the wedding phase; Mary's at once in the diplomacy phase."""
    state = table.state
    powers = list(dict.fromkeys(state.royals[royal].power for royal in couple.couple))
    total = yield from _total(table, couple, powers)
    row = row_of(table, total)
    table.log("wedding.result", rule="21.1", couple=couple.couple, total=total, result=row["result"])
    if row["result"] == CANCELLED:
        part(table, couple)
        return
    marked = state.wedding_marker in couple.couple
    part(table, couple)
    if row["result"] == WIFE:
        _wife_dies(table, couple)
    elif row["result"] == HUSBAND:
        _husband_dies(table, couple)
    else:
        yield from _married(table, couple, powers, row["vp"], row["cards"], marked)


def _total(table: Table, couple: Betrothal, powers: list[str]) -> Rule[int]:
    """21.1 Return a die for each of the couple, eligibilities (one power's: the higher only), and the marker."""
    state = table.state
    dice = list(table.roll(2, "wedding.rolls", rule="21.1", couple=couple.couple).dice)
    if couple.man == DON_CARLOS:
        _again(table, couple, dice, max(dice))
    if couple.woman == ANNA and (yield from _smaller_again(table, couple, powers, dice)):
        _again(table, couple, dice, min(dice))
    total = sum(dice) + plus(table, couple.couple)
    if FRANCE in powers:
        state.powers[FRANCE].used.pop(EDICT, 0)
    return total


def plus(table: Table, couple: Sequence[str]) -> int:
    """21.1 Return what is added to the dice of a couple: eligibilities (one power's: the higher only), markers."""
    state = table.state
    powers = {state.royals[royal].power for royal in couple}
    ratings = [state.royals[royal].eligibility for royal in couple]
    found = max(ratings) if len(powers) == 1 else sum(ratings)
    if state.wedding_marker in couple:
        found += MARKER
    return found + MARKER * bool(FRANCE in powers and state.powers[FRANCE].used.get(EDICT))


def row_of(table: Table, total: int) -> WeddingResult:
    """21.1 Return the line of the royal wedding table for a total."""
    rows: list[WeddingResult] = table.c.tables["marriage"]["rows"]
    return next(row for row in rows if row["lo"] <= total <= row["hi"])


def _smaller_again(table: Table, couple: Betrothal, powers: list[str], dice: list[int]) -> Rule[bool]:
    """21.1 Anna of Austria: ask her power, or the groom's if nobody plays hers, to reroll the smaller die."""
    seat = next((seat for power in powers[::-1] if (seat := seat_of(table.state, power))), "")
    if not seat:
        return False
    domain = Choice(("no", "yes"))
    about: dict[str, Any] = {"royal": ANNA, "couple": couple.couple, "dice": dice}
    return (yield from _ask_reroll(seat, domain, "no", **about)) == "yes"


def _again(table: Table, couple: Betrothal, dice: list[int], old: int) -> None:
    dice[dice.index(old)] = table.roll(1, "wedding.again", rule="21.1", couple=couple.couple).total


def _gone(table: Table, royal: str) -> None:
    """21.1 Remove a royal who has wed; William only if the Protestants got VP from it (ruling 76)."""
    entry = table.state.royals[royal]
    entry.state = "wed"
    if royal == WILLIAM:
        entry.state, entry.eligibility = "track", WILLIAM_AGAIN
    if royal == MARY:
        table.state.mary = "wed"


def _wife_dies(table: Table, couple: Betrothal) -> None:
    """21.1 Apply the wife's death; Mary's as an execution without the VP and the cheaper war (9.5), see 23.3."""
    _gone(table, couple.man)
    if couple.woman == ELIZABETH and table.state.powers[ENGLAND].ruler == ELIZABETH:
        ruler_dies(table, ENGLAND)
        return
    royal_dies(table, couple.woman)
    if couple.woman == MARY:
        table.state.mary = "dead"


def _husband_dies(table: Table, couple: Betrothal) -> None:
    """21.1 Apply the husband's death: rulers (23) and army leaders die as such; William leaves the game (FAQ 30)."""
    _gone(table, couple.woman)
    ruled = [power for power, own in table.state.powers.items() if own.ruler == couple.man]
    leader = table.c.royals[couple.man].leader
    if ruled and not table.state.powers[ruled[0]].ruler_dead:
        ruler_dies(table, ruled[0])
    elif leader:
        leader_dies(table, leader)
    royal_dies(table, couple.man)


def _married(table: Table, couple: Betrothal, powers: list[str], vp: int, marks: int, marked: bool) -> Rule[None]:
    """21.1 Give VP and card markers to the powers that took part (a Valois to France's card), then the bonuses."""
    state, c = table.state, table.c
    for power in powers:
        if vp:
            award(table, power, "wedding", vp)
        dowries.card_mark(table, power, marks)
    for royal in couple.couple:
        if c.royals[royal].dynasty == "V":
            award(table, FRANCE, "valois_marriage", 1)
    if marked:
        award(table, FRANCE, "wedding", 1)
    sides = [state.royals[royal].power for royal in couple.couple]
    for royal in couple.couple:
        _gone(table, royal)
        if royal == WILLIAM and vp:
            state.royals[royal].state = "wed"
    for royal in couple.couple:
        yield from dowries.bonus(table, royal, *sides)


def jilt(table: Table, couple: Betrothal) -> Rule[None]:
    """23.3 Let Elizabeth leave her suitor: she is unmarried again, his power rolls for compensation."""
    state = table.state
    groom = state.royals[couple.man].power
    part(table, couple)
    table.log("wedding.jilted", rule="23.3", couple=couple.couple, power=groom)
    if not seat_of(state, groom):
        return
    roll = table.roll(1, "wedding.jilted_rolls", rule="23.3", power=groom).total
    rows: list[JiltRow] = table.c.tables["jilted"]["rows"]
    row = next(row for row in rows if row["lo"] <= roll <= row["hi"])
    table.log("wedding.redress", rule="23.3", power=groom, result=row["result"], count=row.get("amount", 0))
    if row["result"] == "draw_card":
        cards.draw(table, groom, row["amount"], "23.3")
    elif row["result"] != "none":
        words = ["buy_mercenary"] if row["result"] == "mercenaries" else ["buy_mercenary", "buy_influence"]
        state.impulse = Impulse(power=groom)  # a mercenary costs 1 CP
        yield from impulse.spend(table, groom, row["amount"], "event", words)
        state.impulse = None


def virgin_queen(table: Table) -> None:
    """21.2 Give England 1 VP while Elizabeth is on the chart and unmarried, at most five in the game."""
    special = table.c.special["bonus_vp"]
    royal = table.state.royals[ELIZABETH]
    had = table.state.powers[ENGLAND].vp.get("virgin_queen", 0)
    if royal.state == "free" and had < special["virgin_queen_max"]:
        award(table, ENGLAND, "virgin_queen", special["virgin_queen_per_turn"])


def age(table: Table) -> None:
    """21.3 Age the unmarried: women lose 1 eligibility, men on a roll below 5 (Leicester on the better of two)."""
    state, c = table.state, table.c
    least = c.tables["ageing"]["minimum"]
    for key, royal in state.royals.items():
        if royal.state != "free":
            continue
        if c.royals[key].sex == "m":
            number = 2 if key == LEICESTER else 1
            if max(table.roll(number, "age.rolls", rule="21.3", royal=key).dice) >= YOUNG:
                continue
        if royal.eligibility > least:
            royal.eligibility -= 1
            table.log("age.older", rule="21.3", royal=key, now=royal.eligibility)
