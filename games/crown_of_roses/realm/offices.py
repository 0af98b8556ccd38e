"""The Offices Phase (26): terms end, then the offices are auctioned one by one."""

from __future__ import annotations

from functools import partial
from typing import Literal, NotRequired, TypedDict

from games.crown_of_roses.blocks import support, vacate_office
from games.crown_of_roses.money import payable, shift, shown, spend
from games.crown_of_roses.options import chosen
from games.crown_of_roses.query import ROYALS, blocks_in, held, king, total
from games.crown_of_roses.realm.parliament import give_block, present, take_block
from games.crown_of_roses.refusals import bar_house, block_meant, meant
from games.crown_of_roses.state import INACTIVE, PARLIAMENT
from games.crown_of_roses.table import KIT, Table
from games.crown_of_roses.tie_breaks import choose
from pbem.kernel.domains import PASS, Below, Choice, Distribution, Form, Menu, Optional, Values
from pbem.kernel.form import Field
from pbem.kernel.game import Play, Rule
from pbem.kernel.joint_questions import asks_together
from pbem.kernel.questions import Ask, AskAll
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("26.1", "end of terms", "realm/offices.py")
KIT.chapter("26.2", "auctions", "realm/offices.py")
KIT.chapter("26.3", "limits of offices", "realm/offices.py")
KIT.chapter("26.4", "vacant offices, unsold Chancellor", "realm/offices.py")

_bid = KIT.question("bid", "26.2", "ballot")
_officer = KIT.question("officer", "26.2")

VACANT = "vacant"
LATER = "later"
"""In a bid: who gets the office is said when it is won."""


class Bid(TypedDict):
    """A bid: for whom, with which markers, and the own noble that gets the office if the own house wins."""

    side: str
    points: NotRequired[int]
    markers: NotRequired[dict[str, int]]
    noble: NotRequired[str]


Answer = Literal["pass"] | Bid


class Noble(Choice[str]):
    """The noble who gets the office; random games say `later`, the last of them, only sometimes."""

    def sample(self, below: Below) -> str:
        names = list(self.options())
        return names[below(len(names) - 1)] if below(8) else LATER


@KIT.phase("offices")
def offices_phase(table: Table) -> Play:
    """Run the auctions, with a checkpoint before each office (26.0)."""
    state = table.state
    if not state.stage:
        end_terms(table)
        state.stage = "auction"
    elif state.auction:
        rank = state.auction.pop()
        yield from auction(table, next(key for key, card in table.c.offices.items() if card.rank == rank))
    else:
        state.phase, state.stage = "winter", ""


def end_terms(table: Table) -> None:
    """Return all offices but the King's, with their support and their blocks; the King shuffles them (26.1)."""
    state = table.state
    table.log("office.terms", rule="26.1")
    for key, office in state.offices.items():
        if key == "king":
            continue
        if office.holder:
            vacate_office(table, key)
        block = table.c.offices[key].block
        if state.blocks[block].at != INACTIVE:
            take_block(table, block)
    state.auction = [card.rank for key, card in table.c.offices.items() if key != "king"]
    table.shuffle(state.auction)


def eligible_nobles(table: Table, office: str) -> dict[str, list[str]]:
    """Return the nobles in Parliament who can hold an office, by house (26.3); houses without one are left out."""
    state, c = table.state, table.c
    great = c.offices[office].great
    holders = [office.holder for office in state.offices.values()]
    mighty = [office.holder for key, office in state.offices.items() if c.offices[key].great] if great else ()
    crowned = king(state)
    found: dict[str, list[str]] = {}
    for key in blocks_in(state, PARLIAMENT):
        if (
            # The King holds no other office, Henry VI only that one, the Queen none …
            key != crowned
            and key not in ROYALS
            # … others as many as their printed command, which office blocks lack …
            and holders.count(key) < c.blocks[key].command
            # … and one of the three great ones.
            and key not in mighty
        ):
            found.setdefault(state.blocks[key].owner, []).append(key)
    return found


def bar_officer(table: Table, house: str, office: str, noble: str) -> RejectionReason | None:
    """Return why a noble can't hold an office, in the order of `eligible_nobles` (26.3), or None. `house` "": any."""
    state, c = table.state, table.c
    if meant(table, noble) in (VACANT, LATER):
        return because("name_officer", "26.3", office=office)
    if not (noble := block_meant(table, noble)):
        return None
    if noble not in present(state, house or state.blocks[noble].owner):
        return because("not_of_house" if house else "not_in_parliament", "26.3", block=noble, house=house)
    if noble == king(state):
        return because("king_holds", "26.3", block=noble)
    if noble in ROYALS:
        return because("royal_holds", "26.3", block=noble)
    mine = held(state, noble)
    if len(mine) >= c.blocks[noble].command:
        return because("offices_full", "26.3", block=noble, command=c.blocks[noble].command)
    great = [key for key in mine if c.offices[key].great] if c.offices[office].great else []
    return because("great_office", "26.3", block=noble, office=great[0]) if great else None


def auction(table: Table, office: str) -> Play:
    """Auction one office: sealed bids for any house; the one with the highest total gets it (26.2)."""
    state = table.state
    table.log("office.offered", rule="26.2", office=office, left=len(state.auction), reveals=True)
    fitting = eligible_nobles(table, office)
    targets = [house for house in state.houses if house in fitting]
    open_bids = chosen(table, "open_bids") and office != "chancellor"
    bidders = list(targets)
    if open_bids:
        targets = bidders = [house for house, own in state.houses.items() if not own.out]
    bidders = [house for house in bidders if state.houses[house].stock]
    answers: dict[str, Answer] = {}
    if targets and bidders:
        answers = yield from AskAll({house: _ask(table, house, office, targets) for house in bidders})
    totals = dict.fromkeys(targets, 0)
    named: dict[str, str] = {}
    for house, answer in answers.items():
        _show(table, house, answer, totals, named)
    winner = yield from _winner(table, office, totals)
    if winner:
        yield from _award(table, winner, office, named.get(winner, ""))
    elif office == "chancellor":
        yield from unsold(table)
    if not state.offices[office].holder:
        table.log("office.vacant", rule="26.4", office=office)


def _ask(table: Table, house: str, office: str, targets: list[str]) -> Ask[Answer]:
    return _bid(house, partial(_domain, table, house, office, targets), PASS, office=office, houses=targets)


def _domain(table: Table, house: str, office: str, targets: list[str]) -> Menu[Answer]:
    """Return a bid: any markers of the stock, for any house that can hold it; `noble` gets it if won (26.2).

    Or a number of `points`, for which money is changed if needed (9.1, 23.0). At a table with joint questions `noble`
    can't be left out.
    """
    own = table.state.houses[house]

    def markers(v: Values) -> Distribution | None:
        return Distribution(dict(own.stock), (1, sum(own.stock.values())), "markers") if v.points is None else None

    fields: dict[str, Field] = {
        "side": Choice(targets, "house", lambda house: bar_house(table, "no_officer", "26.2", house, office=office))
    }
    if points := payable(table.c, own):
        fields["points"] = Optional(Choice(points, "points", partial(_no_points, table, house)))
    fields["markers"] = markers
    mine = eligible_nobles(table, office).get(house)
    if mine and asks_together(table):
        fields["noble"] = Noble([*mine, LATER], "noble", partial(bar_officer, table, house, office))
    elif mine:
        fields["noble"] = Optional(Choice(mine, "noble", partial(bar_officer, table, house, office)))
    return Menu({PASS: None, "bid": Form(fields)})


def _no_points(table: Table, house: str, word: str | int) -> RejectionReason | None:
    """Return why a house can't bid the given points (26.2, 9.1); None if it isn't a number."""
    stock = total(table.c, table.state.houses[house].stock)
    return because("no_points", "26.2", points=int(word), most=stock) if str(word).isdecimal() else None


def _show(table: Table, house: str, answer: Answer, totals: dict[str, int], named: dict[str, str]) -> None:
    """Show and spend a bid (26.2)."""
    if answer == PASS:
        table.log("office.no_bid", rule="26.2", house=house, reveals=True)
        return
    own = table.state.houses[house]
    if "points" in answer:
        markers = spend(table, house, answer["points"])
        shift(dict(markers), own.pool, markers)
    else:
        markers = dict(answer["markers"])
        shift(own.stock, own.pool, markers)
    points = total(table.c, markers)
    totals[answer["side"]] += points
    if "noble" in answer:
        named[house] = answer["noble"]
    table.log(
        "office.bid", rule="26.2", house=house, side=answer["side"], markers=shown(markers), points=points, reveals=True
    )


def _winner(table: Table, office: str, totals: dict[str, int]) -> Rule[str]:
    """Return the house with the highest total above zero; ties are the tie-breaker's. "" if nobody wins (26.2)."""
    if not (most := max(totals.values(), default=0)):
        return ""
    level = [house for house in totals if totals[house] == most]
    return (yield from choose(table, level, "office", "26.2", office=office))


def _award(table: Table, house: str, office: str, named: str) -> Play:
    """Ask the winner which noble gets the office (26.2). Without one (option) it is given away or left."""
    fitting = eligible_nobles(table, office)
    mine = fitting.get(house, [])
    others = [key for other in table.state.houses for key in fitting.get(other, ())]
    options = mine or ([*others, VACANT] if others else [])
    if not options:
        return
    noble = named if named in mine else options[0]
    if len(options) > 1 and noble != named:
        vacant = options[-1] == VACANT
        choice = Choice(options, "noble", partial(bar_officer, table, house if mine else "", office))
        noble = yield from _officer(house, choice, VACANT if vacant else options[0], office=office)
    if noble != VACANT:
        appoint(table, noble, office)


def appoint(table: Table, noble: str, office: str) -> None:
    """Give a noble an office, its block and its support (26.2)."""
    state = table.state
    house = state.blocks[noble].owner
    state.offices[office].holder = noble
    state.offices[office].used = False
    give_block(table, office, noble)
    table.log("office.given", rule="26.2", house=house, block=noble, office=office, reveals=True)
    support(table, house, table.c.offices[office].support, "26.2")


def unsold(table: Table) -> Play:
    """Give an unsold Chancellor to the lowest income among houses that can hold it (26.4)."""
    able_ones = eligible_nobles(table, "chancellor")
    fitting = {house: own.income for house, own in table.state.houses.items() if house in able_ones}
    if not fitting:
        return
    least = min(fitting.values())
    level = [house for house, income in fitting.items() if income == least]
    house = yield from choose(table, level, "chancellor", "26.4", office="chancellor")
    table.log("office.unsold", rule="26.4", house=house, income=least)
    yield from _award(table, house, "chancellor", "")
