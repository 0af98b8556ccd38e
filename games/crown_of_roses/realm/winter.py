"""Wintering (27): exiles, nobles without offices in turn, officeholders by rank, the royals (10.3.4).

By email all may say beforehand where their nobles go, and which cards they keep (`winter_plan`). They are then not
asked again, unless an estate was taken meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypedDict

import msgspec

from games.crown_of_roses.blocks import attach, can_host
from games.crown_of_roses.exile import weaken
from games.crown_of_roses.query import ROYALS, blocks_in, command, full, held, is_heir, rank
from games.crown_of_roses.realm import lodging
from games.crown_of_roses.realm.cleanup import keepable, limit, may_keep
from games.crown_of_roses.realm.parliament import summon
from games.crown_of_roses.refusals import block_meant, meant
from games.crown_of_roses.state import INACTIVE, PARLIAMENT, UNDECLARED
from games.crown_of_roses.table import KIT, Table
from games.crown_of_roses.tie_breaks import ranked
from pbem.kernel.domains import PASS, Below, Choice, Domain, Form, Menu, Series, Subset
from pbem.kernel.game import Play, Rule
from pbem.kernel.joint_questions import asks_together
from pbem.kernel.questions import AskAll
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("10.3.3", "Henry VI", "realm/winter.py", "realm/abilities.py", "blocks.py")
KIT.chapter("10.3.4", "the Queen", "realm/winter.py", "march_paths.py")
KIT.chapter("28.2", "cards carried over", "realm/cleanup.py", "realm/winter.py")
KIT.chapter("27.2", "wintering of nobles, exiles, hosts", "realm/winter.py", "realm/lodging.py")
KIT.chapter("27.3", "wintering of officeholders", "realm/winter.py")
KIT.chapter("27.4", "Henry VI and the Queen", "realm/winter.py")

LATER = "later"


_exile = KIT.question("exile", "27.2")
_hosts = KIT.question("hosts", "27.2")
_host = KIT.question("host", "27.4")
_winter_plan = KIT.question("winter_plan", "27.2", "ballot")
_winter = KIT.question("winter", "27.2")


class NoblePlacement(TypedDict):
    """A noble, and where they winter."""

    noble: str
    place: str


class PlaceAction(NoblePlacement):
    """The same as the turn of a house."""

    do: Literal["place"]


class KeepCards(TypedDict):
    """28.2 The cards that a house will keep in the Clean-up Phase."""

    do: Literal["keep"]
    cards: list[str]


Turn = Literal["pass"] | PlaceAction
Item = Turn | KeepCards


class WinterPlan(msgspec.Struct):
    """The plan of a house: `turns` for 27.2 in order, `places` of all nobles it named."""

    turns: list[Turn] = []
    places: dict[str, str] = {}


Plans = dict[str, WinterPlan]


@KIT.phase("winter")
def winter_phase(table: Table) -> Play:
    """Winter in the order of votes (27.0), kept in `state.order` to go on after the exiles. Allies stay (27.1)."""
    state = table.state
    if not state.stage:
        votes = {house: own.votes for house, own in state.houses.items() if not own.out}
        state.order = yield from ranked(table, list(votes), votes, "winter", "27.2")
        for house in state.order:
            yield from exiles(table, house)
        yield from royal_hosts(table)
        state.stage = "place"
        return
    plans = yield from gather_plans(table)
    yield from unofficed(table, plans)
    yield from officed(table, plans)
    yield from royals(table)
    state.order = []
    state.phase, state.stage = "cleanup", ""


# -- exiles ------------------------------------------------------------------------------------------------------------


def exiles(table: Table, house: str) -> Play:
    """Return nobles from exile; the others stay at home strength, unless spared (27.2, 7.3.2)."""
    state, c = table.state, table.c
    away = [
        key
        for key, block in state.blocks.items()
        if block.owner == house and block.at in c.exiles and (c.blocks[key].noble or key in ROYALS)
    ]
    if not away:
        return
    pick = Subset(away, 0, len(away), what="nobles", why=partial(_not_exiled, table, house))
    back = yield from _exile(house, pick, [], count=len(away))
    left = len(away) - len(back)
    for place in dict.fromkeys(state.blocks[key].at for key in back) or [None]:
        coming = [key for key in back if state.blocks[key].at == place]
        table.log("winter.returns", rule="27.2", house=house, blocks=coming, place=place, count=left, reveals=True)
    for key in back:
        summon(table, key)
    for place in c.exiles:
        stay(table, house, place)


def _not_exiled(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why a block does not come back from exile (27.2); None for what is none."""
    if not (key := block_meant(table, word)):
        return None
    block = table.state.blocks[key]
    if block.owner == house and block.at in table.c.exiles:
        return because("attached", "8.3.3", block=key, host=block.host)
    return because("not_in_exile", "27.2", block=key)


def stay(table: Table, house: str, place: str) -> None:
    """Keep a block in an exile box: royals find a host there, then unspared blocks are weakened (27.2, 10.3.3)."""
    here = blocks_in(table.state, place, house)
    for key in here:
        if key in ROYALS and not table.state.blocks[key].host:
            able = [noble for noble in here if can_host(table, key, noble)]
            if able:
                attach(table, key, max(able, key=lambda noble: rank(table, noble)))
    weaken(table, place, here)


# -- hosts of Henry VI and the Queen -----------------------------------------------------------------------------------


def royal_hosts(table: Table) -> Play:
    """Let Lancaster name a host for Henry VI and for the Queen now; else they are placed last (27.2, 27.4)."""
    state = table.state
    queen = state.blocks["margaret"]
    if queen.at in (INACTIVE, UNDECLARED) and "queen_margaret" in state.houses["lancaster"].cards:
        queen.at, queen.owner, queen.host, queen.steps = (PARLIAMENT, "lancaster", "", full(table.c, "margaret"))
    mine = [key for key in ROYALS if state.blocks[key].at == PARLIAMENT]
    able = lodging.hosts(table, "lancaster", placed=False)
    if not mine or not able:
        return
    choice = Choice([*able, LATER], "noble", partial(_no_royal_host, table, "27.2"))
    form: Form[dict[str, str]] = Form(dict.fromkeys(mine, choice))
    answer = yield from _hosts("lancaster", form, dict.fromkeys(mine, LATER), blocks=mine)
    for key in mine:
        if answer[key] != LATER:
            attach(table, key, answer[key])
            table.log("winter.host", rule="27.2", house="lancaster", block=key, host=answer[key], reveals=True)


def royals(table: Table) -> Play:
    """Attach Henry VI and the Queen, if not placed yet, to a noble of command 2 on the map (27.4, R-09)."""
    state = table.state
    for key in ROYALS:
        block = state.blocks[key]
        if block.at != PARLIAMENT:
            continue
        if not (able := lodging.hosts(table, "lancaster", placed=True)):
            block.at, block.host = UNDECLARED, ""
            table.log("winter.undeclared", rule="27.4", house="lancaster", block=key, reveals=True)
            continue
        host = able[0]
        if len(able) > 1:
            choice = Choice(able, "noble", partial(_no_royal_host, table, "27.4"))
            host = yield from _host("lancaster", choice, able[0], block=key)
        attach(table, key, host)
        block.steps = full(table.c, key)
        table.log("winter.host", rule="27.4", house="lancaster", block=key, host=host, reveals=True)


def _no_royal_host(table: Table, rule: str, word: str) -> RejectionReason | None:
    """Return why a noble does not host Henry VI or the Queen, or not later (27.2, 27.4, R-09); None if not a block."""
    if meant(table, word) == LATER:
        return because("host_now", rule)
    if not (key := block_meant(table, word)):
        return None
    block, need = table.state.blocks[key], table.c.attachment.royal_host_command
    if block.owner != "lancaster" or not table.c.blocks[key].noble or key in ROYALS:
        return because("not_lancasters", rule, block=key)
    if command(table, key) < need:
        return because("host_command", "10.3.3", block=key, command=command(table, key), need=need)
    return because("not_in_parliament" if rule == "27.2" else "not_in_shire", rule, block=key)


# -- placing nobles ----------------------------------------------------------------------------------------------------


def _where(table: Table, noble: str) -> Choice[str]:
    return Choice(lodging.open_estates(table, noble), "place", partial(lodging.bar_lodging, table, noble))


def _placing(table: Table, nobles: list[str]) -> Form[NoblePlacement]:
    noble = Choice(nobles, "noble", partial(_no_guest, table, table.state.blocks[nobles[0]].owner))
    return Form(noble=noble, place=lambda v: _where(table, v.noble))


def _no_guest(table: Table, house: str, key: str) -> RejectionReason | None:
    """Return why a noble is not placed now (27.2, 27.3); None if it isn't a block."""
    if not (key := block_meant(table, key)):
        return None
    block = table.state.blocks[key]
    if block.at != PARLIAMENT:
        return because("not_in_parliament", "27.2", block=key)
    if block.owner != house:
        return because("not_of_house", "27.2", block=key, house=house)
    if key in ROYALS:
        return because("royals_last", "27.4", block=key)
    if block.host:
        return because("attached", "8.3.3", block=key, host=block.host)
    return (
        because("officed_later", "27.3", block=key)
        if held(table.state, key)
        else because("no_estate", "7.2.6", block=key)
    )


def _no_pass(table: Table, nobles: Sequence[str], rule: str, word: str) -> RejectionReason | None:
    """Return why a house can't pass: its heirs are placed, and so are those who hold an office (27.2, 27.3)."""
    if meant(table, word) != PASS or not nobles:
        return None
    return because("heir_is_placed" if rule == "27.2" else "office_is_placed", rule, block=nobles[0])


def gather_plans(table: Table) -> Rule[Plans]:
    """Ask for sealed placements in order, any number (27.2, 27.3), and for cards to keep (28.2).

    Impossible ones are dropped unseen.
    """
    asks = {}
    for house in table.state.order:
        count = len(lodging.waiting(table, house))
        if count > 1:
            ask = _winter_plan(house, partial(_plan, table, house), [], count=count)
            ask.prompt = "ask.winter_plan.keep" if keeping(table, house) else ""
            asks[house] = ask
    if not asks:
        return {}
    answers = yield from AskAll(asks)
    return {house: _read_plan(table, house, answer) for house, answer in answers.items()}


def _read_plan(table: Table, house: str, answer: list[Item]) -> WinterPlan:
    plan = WinterPlan()
    for item in answer:
        if item == PASS:
            plan.turns.append(item)
        elif item["do"] == "keep":
            table.state.houses[house].kept = item["cards"]
        else:
            plan.places[item["noble"]] = item["place"]
            if not held(table.state, item["noble"]):
                plan.turns.append(item)
    return plan


class Placements(Series[Item]):
    """Turns of a house in order.

    A random plan places all, or passes at the end. If cards may be kept, it mostly begins with them.
    """

    __slots__ = ("_keeping", "_nobles", "_placing")

    def __init__(
        self, turn: Callable[[Sequence[Item]], Menu[Item]], nobles: Sequence[str],
        placing: Callable[[str], Choice[str]], keeping: Subset[str] | None,
    ) -> None:  # fmt: skip
        super().__init__(turn, 0, len(nobles) + 1 + bool(keeping), "placements")
        self._nobles, self._placing, self._keeping = nobles, placing, keeping

    def sample(self, below: Below) -> list[Item]:
        found: list[Item] = []
        if self._keeping is not None and below(8):
            found.append({"do": "keep", "cards": self._keeping.sample(below)})
        left = list(self._nobles)
        while left and below(12):
            noble = left.pop(below(len(left)))
            found.append({"do": "place", "noble": noble, "place": self._placing(noble).sample(below)})
        return [*found, PASS] if left else found


def _plan(table: Table, house: str) -> Placements:
    nobles = [key for key in lodging.waiting(table, house) if lodging.can_be_placed(table, key)]
    entries: dict[str, Domain | None] = {"place": _placing(table, nobles)} if nobles else {}
    kept = keeping(table, house)

    def following(so_far: Sequence[Item]) -> Menu[Item]:
        said = any(item != PASS and item["do"] == "keep" for item in so_far)
        keep = {"keep": Form(cards=kept)} if kept is not None and not said else {}
        return Menu({**entries, **keep, PASS: None}, None, partial(_no_item, table, said))

    return Placements(following, nobles, partial(_where, table), kept)


def _no_item(table: Table, said: bool, word: str) -> RejectionReason | None:
    """Return why a plan for winter can't say something (27.2, 28.2); None for another word."""
    word = meant(table, word)
    if word == "place":
        return because("nobody_to_place", "27.2")
    if word != "keep":
        return None
    return because("kept_already" if said else "nothing_to_keep", "28.2")


def keeping(table: Table, house: str) -> Subset[str] | None:
    """Return the cards to keep, at a table with joint questions where the house may keep some (28.2)."""
    count = limit(table, house)
    return keepable(table, house, count) if asks_together(table) and may_keep(table, house, count) else None


def unofficed(table: Table, plans: Plans) -> Play:
    """Place one noble without office each in turn, until all are placed or have passed (27.2)."""
    going = list(table.state.order)
    while going:
        for house in list(going):
            if not (yield from _one(table, house, plans)):
                going.remove(house)


def _one(table: Table, house: str, plans: Plans) -> Rule[bool]:
    """Run the turn of a house: it places a noble or passes (27.2). Returns whether it goes on."""
    state = table.state
    nobles = free(table, house)
    for key in nobles:
        if not lodging.can_be_placed(table, key):
            lodging.withdraw(table, key)
    nobles = [key for key in nobles if state.blocks[key].at == PARLIAMENT]
    if not nobles:
        return False
    bound = [key for key in nobles if lodging.top_office(state, key) != "king"]
    may_pass = not any(is_heir(state, key) for key in bound)
    answer = _planned(table, plans.get(house, WinterPlan()).turns, nobles, may_pass)
    if answer is None:
        heirs = [key for key in bound if is_heir(state, key)]
        menu: Menu[Turn] = Menu(
            {"place": _placing(table, nobles), **({PASS: None} if may_pass else {})},
            None,
            partial(_no_pass, table, heirs, "27.2"),
        )
        answer = yield from _winter(house, menu, partial(_first, table, nobles[0]), count=len(nobles))
    if answer == PASS:
        for key in bound:
            lodging.withdraw(table, key)
        return False
    lodging.lodge(table, answer["noble"], answer["place"])
    return len(nobles) > 1


def free(table: Table, house: str) -> list[str]:
    """Return nobles in Parliament without an office; King Henry VI's host may be placed now too (27.2, W52)."""
    officed = {office.holder for office in table.state.offices.values()}
    return [key for key in lodging.waiting(table, house) if key not in officed]


def _first(table: Table, noble: str) -> PlaceAction:
    return {"do": "place", "noble": noble, "place": lodging.open_estates(table, noble)[0]}


def _planned(table: Table, turns: list[Turn], nobles: list[str], may_pass: bool) -> Turn | None:
    """Return the next placement of a plan, None without one or if an estate was taken; skips placed nobles."""
    while turns:
        item = turns.pop(0)
        if item == PASS:
            return PASS if may_pass else None
        if item["noble"] in nobles:
            return item if item["place"] in lodging.open_estates(table, item["noble"]) else None
    return None


def officed(table: Table, plans: Plans) -> Play:
    """Place officeholders from the lowest office to the highest, each at their highest; nobody may pass (27.3)."""
    state = table.state
    for office in reversed(list(state.offices)):
        holder = state.offices[office].holder
        if office == "king" and holder == "henry_vi":
            holder = state.blocks["henry_vi"].host
        if not holder or state.blocks[holder].at != PARLIAMENT or lodging.top_office(state, holder) != office:
            continue
        house = state.blocks[holder].owner
        if not (places := lodging.open_estates(table, holder)):
            lodging.withdraw(table, holder)
            continue
        place = plans.get(house, WinterPlan()).places.get(holder, "")
        if place not in places:
            place = places[0] if len(places) == 1 else ""
        if not place:
            why = partial(_no_pass, table, [holder], "27.3")
            menu: Menu[PlaceAction] = Menu({"place": _placing(table, [holder])}, None, why)
            answer = yield from _winter(
                house, menu, partial(_first, table, holder), rule="27.3", count=1, office=office
            )
            place = answer["place"]
        lodging.lodge(table, holder, place)
