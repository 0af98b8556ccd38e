"""Events against others, and among one's own: changes of heart, plots, desertions, unrest, manpower."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, TypedDict

from games.crown_of_roses.blocks import leave, lose_step, support
from games.crown_of_roses.events import common
from games.crown_of_roses.events.common import event, nobles
from games.crown_of_roses.plague import losses, strongest
from games.crown_of_roses.query import blocks_in, heirs_in_play, is_heir, owners
from games.crown_of_roses.refusals import bar_hand, bar_house, bar_mine, block_meant, card_meant, meant, place_meant
from games.crown_of_roses.state import INACTIVE, UNDECLARED, ActionStep, RosesState
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Menu, Subset, Values
from pbem.kernel.game import Play
from pbem.kernel.questions import REACTION
from pbem.kernel.rejections import RejectionReason, because

_heart = KIT.question("heart", "14.2")
_plot = KIT.question("plot", "14.2")
_deserters = KIT.question("deserters", "14.2")
_deserting = KIT.question("deserting", "14.2", REACTION)
_unity = KIT.question("unity", "14.2")

# -- change of heart ---------------------------------------------------------------------------------------------------


class UndeclaredReturn(common.NobleReturn):
    """An undeclared noble returns."""

    do: Literal["return"]


Withdrawn = TypedDict("Withdrawn", {"do": Literal["withdraw"], "with": str})
"""A noble goes undeclared."""


def _returning(table: Table, house: str) -> dict[str, list[str]]:
    """Return undeclared nobles who can return; with no heir in play it must be an heir (13.3)."""
    able = common.returnable(table, house)
    if heirs_in_play(table, house):
        return able
    return {key: places for key, places in able.items() if is_heir(table.state, key)} or able


def _change(table: Table, house: str) -> dict[str, Domain | None]:
    """Return what the house can do (40)."""
    found: dict[str, Domain | None] = {}
    if able := _returning(table, house):
        found["return"] = common.return_form(table, house, able, "14.2")
    here = nobles(table, house)
    # 13.3 With no heir in play the card must bring one back, if it can.
    if here and not (able and not heirs_in_play(table, house)):
        found["withdraw"] = Choice(here, "noble", partial(bar_mine, table, house, "14.2"))
    return found


def _no_change(table: Table, house: str, card: str) -> RejectionReason | None:
    return None if _change(table, house) else because("no_noble_at_all", "14.2")


def _bar_change(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why no noble returns, or none goes undeclared (40, 13.3)."""
    word = meant(table, word)
    if word == "return":
        return because("nobody_returns", "14.2")
    if word != "withdraw":
        return None
    return because(
        "return_first" if nobles(table, house) else "none_in_play", "13.3" if nobles(table, house) else "14.2"
    )


@event("change_of_heart", bar=_no_change)
def change_of_heart(table: Table, house: str, card: str) -> Play:
    """40 One own noble goes undeclared, or one undeclared returns at full strength to one of their estates."""
    why = partial(_bar_change, table, house)
    menu: Menu[UndeclaredReturn | Withdrawn] = Menu(_change(table, house), None, why)
    answer = yield from _heart(house, menu, common.first_answer(menu), card=card)
    if answer["do"] == "return":
        common.bring_back(table, house, answer["noble"], answer["to"], "14.2")
        return
    key = answer["with"]
    place = table.state.blocks[key].at
    table.log("heart.withdraws", rule="14.2", house=house, place=place, private={house: {"block": key}})
    leave(table, key, UNDECLARED)


# -- plot uncovered ----------------------------------------------------------------------------------------------------


def _targets(table: Table, house: str) -> dict[str, list[str]]:
    state = table.state
    found = {
        place: [other for other in owners(state, place) if other != house]
        for place in (*table.c.shires, *table.c.exiles)
    }
    return {place: others for place, others in found.items() if others}


class StackAnswer(TypedDict):
    """The blocks of a house in a place."""

    place: str
    house: str


class HiddenBlock(StackAnswer):
    """The form value of a hidden block: which block of which stack."""

    do: Literal["hidden"]


Shown = TypedDict("Shown", {"do": Literal["shown"], "with": str})
"""A block that is shown."""


def _whose(table: Table, targets: Mapping[str, Sequence[str]], what: str) -> Form[StackAnswer]:
    """Return the form for a stack of an enemy: its place, and its house."""

    def no_place(word: str) -> RejectionReason | None:
        place = place_meant(table, word)
        if what == "shire" and place in table.c.exiles:
            return because("no_shire", "14.2", place=place)
        return because("no_enemy_there", "14.2", place=place) if place else None

    def whose(v: Values) -> Choice[str]:
        return Choice(targets[v.place], "house", partial(_no_enemy, table, v.place))

    return Form(place=Choice(list(targets), what, no_place), house=whose)


def _no_enemy(table: Table, place: str, word: str) -> RejectionReason | None:
    return bar_house(table, "no_enemy_of", "14.2", word, place=place)


def _not_shown(table: Table, word: str) -> RejectionReason | None:
    """Return why a block can't be named as shown: only one that receives an embassy is (41)."""
    if key := block_meant(table, word):
        return because("not_shown", "14.2", block=key)
    return because("nobody_shown", "14.2") if word == "shown" else None


@event("plot_uncovered", bar=lambda table, house, card: None if _targets(table, house) else because("no_enemy", "14.2"))
def plot_uncovered(table: Table, house: str, card: str) -> Play:
    """41 One enemy block in play, hidden or shown, loses two steps, unless it is an heir.

    Hidden blocks can't be told apart, so a die decides which one of a stack it is; a shown block is the visitor of an
    Embassy.
    """
    targets = _targets(table, house)
    entries: dict[str, Domain | None] = {"hidden": _whose(table, targets, "place")}
    if shown := _shown(table.state, house):
        entries["shown"] = Choice(shown, "block", partial(_not_shown, table))
    menu: Menu[HiddenBlock | Shown] = Menu(entries, None, partial(_not_shown, table))
    answer = yield from _plot(house, menu, common.first_answer(menu), card=card)
    if answer["do"] == "shown":
        key = answer["with"]
    else:
        stack = blocks_in(table.state, answer["place"], answer["house"])
        index = 1
        if len(stack) > 1:
            index = table.roll(1, "event.pick", sides=len(stack), rule="14.2", place=answer["place"]).total
        key = stack[index - 1]
    _uncover(table, key, table.c.cards[card].params.steps)


def _shown(state: RosesState, house: str) -> list[str]:
    if state.embassy is None or state.embassy.house == house:
        return []
    return [key for key in state.embassy.blocks if state.blocks[key].at == state.embassy.place]


def _uncover(table: Table, key: str, steps: int) -> None:
    block = table.state.blocks[key]
    house, place = block.owner, block.at
    if is_heir(table.state, key):
        table.log("plot.heir", rule="14.2", house=house, place=place, private={house: {"block": key}})
        return
    table.log("plot.hits", rule="14.2", house=house, place=place, private={house: {"block": key}})
    for _ in range(steps):
        if lose_step(table, key):
            coloured = bool(table.c.blocks[key].house)
            common.say_gone(table, key, "14.2")
            leave(table, key, UNDECLARED if coloured else INACTIVE)
            return


# -- desertions --------------------------------------------------------------------------------------------------------


def _deserted(table: Table, house: str) -> dict[str, list[str]]:
    return {place: others for place, others in _targets(table, house).items() if place in table.c.shires}


def _no_deserters(table: Table, house: str, card: str) -> RejectionReason | None:
    return None if _deserted(table, house) else because("no_enemy_in_shire", "14.2")


@event("desertions", bar=_no_deserters)
def desertions(table: Table, house: str, card: str) -> Play:
    """42 A shire with enemies: a die says how many steps they lose; their owner takes them one by one."""
    targets = _deserted(table, house)
    first = next(iter(targets))
    default: StackAnswer = {"place": first, "house": targets[first][0]}
    answer = yield from _deserters(house, _whose(table, targets, "shire"), default, card=card)
    place, victim = answer["place"], answer["house"]
    roll = table.roll(1, "event.roll", rule="14.2", house=house, card=card).total
    steps = table.c.cards[card].params.table[roll - 1]
    yield from lose(table, victim, place, steps, card)


def lose(table: Table, house: str, place: str, steps: int, card: str) -> Play:
    """Let a house take step losses in a place, one by one; a block driven below home strength takes no more."""
    if not losses(table, house, place, steps).most:
        return
    chosen = yield from _deserting(
        house, partial(losses, table, house, place, steps, "14.2"), partial(strongest, table, house, place, steps),
        card=card, place=place, steps=steps,
    )  # fmt: skip
    table.log(
        "event.loses", rule="14.2", house=house, place=place, count=len(chosen),
        private={house: {"blocks": list(chosen)}},
    )  # fmt: skip
    for key in chosen:
        if table.state.blocks[key].at == place and lose_step(table, key):
            common.drop_off(table, key, "14.2")


# -- allies and manpower -----------------------------------------------------------------------------------------------


@event("unrest_among_the_gentry", "hidden_schemes")
def unrest(table: Table, house: str, card: str) -> None:
    """43, 44 (R-32) All allies in play are discarded; their options aren't used, also not in reply."""
    state, c = table.state, table.c
    for key, own in state.houses.items():
        allies = [ally for ally in own.cards if c.cards[ally].type == "ally"]
        for ally in allies:
            own.cards.remove(ally)
            state.discards.append(ally)
        if allies:
            table.log("ally.lost", rule="14.2", house=key, cards=allies)


@event("show_of_unity")
def show_of_unity(table: Table, house: str, card: str) -> Play:
    """45 Any number of allies from the hand enter play; each gives the OPS that it gives on entering."""
    c, own = table.c, table.state.houses[house]
    allies = sorted(ally for ally in own.hand if c.cards[ally].type == "ally")
    pick = Subset(allies, 0, len(allies), what="allies", why=partial(_no_ally, table, house))
    chosen = yield from _unity(house, pick, [], card=card)
    for ally in chosen:
        own.hand.remove(ally)
        own.cards.append(ally)
        table.log("ally.enters", rule="14.2.2", house=house, card=ally, reveals=True)
    if ops := sum(c.cards[ally].on_play_ops for ally in chosen):
        table.state.step = ActionStep(house, card, ops, event=True)


def _no_ally(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why a card does not enter play (45); None if it isn't a card."""
    card = card_meant(table, word)
    return bar_hand(table, house, "14.2", word) or (because("no_ally", "14.2", card=card) if card else None)


@event("manpower_shortage_34", "manpower_shortage_35")
def manpower_shortage(table: Table, house: str, card: str) -> None:
    """34, 35 Nobody musters for the rest of the phase: `muster` looks for the card on the table."""
    table.log("manpower.short", rule="18.0")


@event("love_day", bar=lambda table, house, card: common.needs(table, card, ["margaret"]))
def love_day(table: Table, house: str, card: str) -> None:
    """L8 No dice in the battles of this impulse, every attacker retreats (20.5.4); Lancaster gains popular support."""
    support(table, "lancaster", 1, "14.2")
    table.log("love_day.proclaimed", rule="20.5.4")
