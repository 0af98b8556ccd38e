"""The surprise cards (63 to 78, B3, L3, W3, Y4), each at its moments."""

from __future__ import annotations

from functools import partial
from typing import TypedDict

from games.crown_of_roses.blocks import leave, put, rehost, support, transfer, update_garrisons
from games.crown_of_roses.events.allies import PEACE
from games.crown_of_roses.events.common import OwnNobleAnswer, commander_form, commanders, raise_command
from games.crown_of_roses.events.mercenaries import FOREIGN, send_home
from games.crown_of_roses.interception import way_out
from games.crown_of_roses.query import ROYALS, attached, blocks_in, full, held, is_heir, party
from games.crown_of_roses.refusals import block_meant, card_meant, meant
from games.crown_of_roses.response_points import (
    ENGAGEMENT,
    IMPULSE,
    INTERCEPTED,
    MARCH,
    ROUND,
    SAIL,
    STEP,
    Fight,
    ResponsePoint,
    fighting,
    playable_by_all,
)
from games.crown_of_roses.state import INACTIVE, UNDECLARED
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

WAR = (*PEACE, ENGAGEMENT, ROUND)
"""Any time of the operations phase."""


class EnemyBlockAnswer(TypedDict):
    """A block of the enemy, or `hidden`."""

    block: str


class AllyAnswer(TypedDict):
    """An ally in play."""

    ally: str


class DiscardAnswer(TypedDict):
    """A card of the discards."""

    card: str


def _fight(moment: ResponsePoint) -> Fight:
    assert moment.fight is not None  # the moments of a battle have an engagement
    return moment.fight


# -- roads and seas ----------------------------------------------------------------------------------------------------


@KIT.response((IMPULSE, STEP, MARCH), ("bad_roads",), playable_by_all)
def bad_roads(table: Table, house: str, moment: ResponsePoint, answer: object) -> None:
    """63 Every border by land costs 1 MP more for the rest of the phase: the card is on the table (R-06)."""


@KIT.response((IMPULSE, STEP, SAIL), ("stormy_seas",), playable_by_all)
def stormy_seas(table: Table, house: str, moment: ResponsePoint, answer: object) -> None:
    """68 No sea moves for the rest of the phase; one that is ordered is called off and its OPS kept."""
    if moment.name == SAIL:
        moment.add("cancel", moment.about["house"])


@KIT.response((INTERCEPTED,), ("evade",), lambda table, house, moment: moment.about["house"] == house or None)
def evade(table: Table, house: str, moment: ResponsePoint, answer: object) -> None:
    """74 The intercepted stack goes back to the shire it came from and stops; it can't be intercepted on the way."""
    moment.add("return", house)


# -- before battle -----------------------------------------------------------------------------------------------------


def _attacker_can_go(table: Table, house: str, moment: ResponsePoint) -> bool | None:
    return bool(_fight(moment).paths.get(_fight(moment).attacker)) or None


@KIT.response((ENGAGEMENT,), ("bad_weather_64", "bad_weather_65"), _attacker_can_go)
def bad_weather(table: Table, house: str, moment: ResponsePoint, answer: object) -> None:
    """64, 65, B3 The engagement does not take place, or is over: the attacker retreats if they have a path (R-51)."""
    moment.add("retreat", _fight(moment).attacker)


def _can_go(table: Table, house: str, moment: ResponsePoint) -> bool | None:
    return (fighting(table, house, moment) and bool(_fight(moment).paths.get(house))) or None


@KIT.response((ENGAGEMENT,), ("retreat_before_battle",), _can_go)
def retreat_before_battle(table: Table, house: str, moment: ResponsePoint, answer: object) -> None:
    """69 Before blocks are shown the own force retreats, if it has a path."""
    moment.add("retreat", house)


KIT.response((ENGAGEMENT, ROUND), ("cooler_heads",), _attacker_can_go)(bad_weather)


# -- in battle ---------------------------------------------------------------------------------------------------------


def _undeclared(table: Table, house: str, moment: ResponsePoint) -> list[str] | None:
    return [key for key in blocks_in(table.state, UNDECLARED, house) if table.c.blocks[key].noble] or None


def _noble(table: Table, house: str, nobles: list[str]) -> Form[OwnNobleAnswer]:
    return Form(noble=Choice(nobles, "noble", partial(_not_undeclared, table)))


def _not_undeclared(table: Table, word: str) -> RejectionReason | None:
    """Return why a noble does not join (67); None if it isn't a block."""
    key = block_meant(table, word)
    return because("not_in_pool", "10.4.4", block=key) if key else None


@KIT.response((ROUND,), ("to_the_standard",), _undeclared, _noble, can=fighting)
def to_the_standard(table: Table, house: str, moment: ResponsePoint, answer: OwnNobleAnswer) -> None:
    """67 An undeclared noble joins the own reserve at full strength."""
    key, place = answer["noble"], _fight(moment).place
    table.state.blocks[key].steps = full(table.c, key)
    put(table, key, place)
    table.log("block.enters", rule="10.4.4", house=house, block=key, place=place, reveals=True)
    moment.add("reserve", house, blocks=[key])


def _inspire(card: str) -> None:
    """Register W3, Y4: with Warwick, or March or Gloucester, in the force it rolls one better for this battle."""

    def can(table: Table, house: str, moment: ResponsePoint) -> bool:
        """Return whether the house fights and controls one of them, by public knowledge."""
        blocks = table.state.blocks
        named = table.c.cards[card].params.leader_any
        return fighting(table, house, moment) and any(blocks[key].owner == house for key in named)

    def find(table: Table, house: str, moment: ResponsePoint) -> bool | None:
        force = _fight(moment).force.get(house, ())
        return any(key in force for key in table.c.cards[card].params.leader_any) or None

    @KIT.response((ROUND,), (card,), find, can=can)
    def run(table: Table, house: str, moment: ResponsePoint, answer: object) -> None:
        moment.add("inspire", house, count=1)


for _card in ("a_warwick", "sun_of_york"):
    _inspire(_card)


def _prey(table: Table, fight: Fight, house: str) -> list[str]:
    """Return enemy nobles who can be turned: no heirs; Clarence until senior heir (76, R-46, 10.3.5)."""
    state = table.state
    found = []
    for key in fight.present(fight.enemy(house)):
        junior = key == "lord_clarence" and is_heir(state, key) and state.houses["york"].heirs[0] != key
        if table.c.blocks[key].noble and (junior or not is_heir(state, key)):
            found.append(key)
    return found


@KIT.response((ROUND,), ("treachery",), playable_by_all, can=fighting)
def treachery(table: Table, house: str, moment: ResponsePoint, answer: object) -> None:
    """76 A die beyond the title of a random enemy noble wins them and their offices, into the own reserve."""
    state, fight = table.state, _fight(moment)
    enemy = fight.enemy(house)
    if not (prey := _prey(table, fight, house)):
        table.log("treachery.nobody", rule="10.4.4", house=enemy, reveals=True)
        return
    index = 1
    if len(prey) > 1:
        index = table.roll(1, "event.pick", sides=len(prey), rule="10.4.4", place=fight.place).total
    key = prey[index - 1]
    colour = table.c.blocks[key].house
    modifier = (
        any(is_heir(state, mine) for mine in fight.present(house))
        + (colour == house)
        - any(is_heir(state, other) for other in fight.present(enemy))
        - (colour == enemy)
    )
    result = table.roll(1, "treachery.roll", rule="10.4.4", house=house, block=key).total + modifier
    if result <= table.c.blocks[key].title:
        table.log("treachery.fails", rule="10.4.4", house=house, block=key, result=result, reveals=True)
        return
    others = attached(state, key)
    blocks = _turn_coat(table, house, key)
    won = [f"{turned} {state.blocks[turned].steps}" for turned in blocks]
    table.log(
        "treachery.succeeds", rule="10.4.4", house=house, block=key, before=enemy, result=result,
        private={house: {"blocks": won}},
    )  # fmt: skip
    moment.add("gone", enemy, blocks=blocks)
    moment.add("guests", enemy, blocks=[guest for guest in others if guest not in blocks])
    moment.add("reserve", house, blocks=blocks)


def _turn_coat(table: Table, house: str, key: str) -> list[str]:
    """Change the side of a noble, with office blocks and offices; other guests seek a new host. Returns blocks."""
    state, c = table.state, table.c
    block = state.blocks[key]
    before, place = block.owner, block.at
    for office in held(state, key):
        support(table, before, -c.offices[office].support, "10.5")
        support(table, house, c.offices[office].support, "10.5")
    block.owner = house
    turned = [key]
    for guest in attached(state, key):
        if c.blocks[guest].kind == "office":
            state.blocks[guest].owner = house
            turned.append(guest)
        else:
            rehost(table, guest, place)
    update_garrisons(table, place)
    return turned


def _marks(table: Table, house: str, moment: ResponsePoint) -> list[str] | None:
    """Return enemy blocks that are shown, and `hidden` if there are others."""
    fight = _fight(moment)
    stack = fight.present(fight.enemy(house))
    seen = [key for key in stack if table.state.blocks[key].shown or key in fight.seen]
    return [*seen, *(["hidden"] if len(seen) < len(stack) else [])]


def _block(table: Table, house: str, marks: list[str]) -> Form[EnemyBlockAnswer]:
    return Form(block=Choice(marks, "block", partial(_no_mark, table)))


def _no_mark(table: Table, word: str) -> RejectionReason | None:
    """Return why a block can't be named (77, 78): it is no enemy's here that was shown; or all were."""
    if key := block_meant(table, word):
        return because("not_shown", "10.4.4", block=key)
    return because("all_shown", "10.4.4") if meant(table, word) == "hidden" else None


@KIT.response((ROUND,), ("wavering_noble_77", "wavering_noble_78"), _marks, _block, can=fighting)
def wavering_noble(table: Table, house: str, moment: ResponsePoint, answer: EnemyBlockAnswer) -> Play:
    """77, 78 An enemy block: mercenaries are gone; beyond their title a noble must retreat; heirs and royals stand."""
    state, fight = table.state, _fight(moment)
    enemy = fight.enemy(house)
    key = answer["block"]
    if key == "hidden":
        stack = [block for block in fight.present(enemy) if not state.blocks[block].shown and block not in fight.seen]
        index = 1
        if len(stack) > 1:
            index = table.roll(1, "event.pick", sides=len(stack), rule="10.4.4", place=fight.place).total
        key = stack[index - 1]
    card = table.c.blocks[key]
    if card.kind == "mercenary":
        send_home(table, key)
        moment.add("gone", enemy, blocks=[key])
        return
    if is_heir(state, key) or key in ROYALS:
        table.log("wavering.stands", rule="10.4.4", house=enemy, private={enemy: {"block": key}})
        return
    roll = table.roll(1, "wavering.roll", rule="10.4.4", house=enemy, place=fight.place).total
    if roll <= card.title:
        table.log("wavering.stands", rule="10.4.4", house=enemy, private={enemy: {"block": key}})
        return
    yield from _slink_away(table, moment, enemy, key)


def _slink_away(table: Table, moment: ResponsePoint, house: str, key: str) -> Play:
    """Retreat with the block and its office blocks; without a path, or as an office block, off the map (R-28)."""
    state, fight = table.state, _fight(moment)
    place = fight.place
    ways = fight.paths.get(house, [])
    table.log("wavering.goes", rule="10.4.4", house=house, block=key, reveals=True)
    if table.c.blocks[key].kind == "office":
        leave(table, key, INACTIVE)
        moment.add("gone", house, blocks=[key])
        return
    gone = [block for block in party(state, key) if block == key or table.c.blocks[block].kind == "office"]
    others = [guest for guest in attached(state, key) if guest not in gone]
    for guest in others:
        state.blocks[guest].host = ""
    if not ways:
        leave(table, key, UNDECLARED)
    else:
        to = yield from way_out(table, house, place, ways, "20.5.4")
        transfer(table, [key], place, to)
    for guest in others:
        rehost(table, guest, place)
    moment.add("gone", house, blocks=gone)
    moment.add("guests", house, blocks=others)


# -- plots -------------------------------------------------------------------------------------------------------------


def _allies(table: Table, but: str = "") -> list[str]:
    return [
        card
        for key, own in table.state.houses.items()
        if key != but
        for card in own.cards
        if table.c.cards[card].type == "ally"
    ]


def _ally(table: Table, house: str, allies: list[str]) -> Form[AllyAnswer]:
    return Form(ally=Choice(allies, "ally", partial(_no_ally, table, house)))


def _no_ally(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why a card can't be named: no ally in play, or an own one (66, 73); None if it isn't a card."""
    if not (card := card_meant(table, word)):
        return None
    mine = card in table.state.houses[house].cards and table.c.cards[card].type == "ally"
    return because("own_ally" if mine else "no_ally_out", "10.4.4", card=card)


@KIT.response(WAR, ("false_friends",), lambda table, house, moment: _allies(table) or None, _ally)
def false_friends(table: Table, house: str, moment: ResponsePoint, answer: AllyAnswer) -> None:
    """66 One ally in play is discarded; none of its options is used."""
    state, card = table.state, answer["ally"]
    owner = next(key for key, own in state.houses.items() if card in own.cards)
    state.houses[owner].cards.remove(card)
    state.discards.append(card)
    table.log("ally.lost", rule="14.2.2", house=owner, cards=[card])


@KIT.response(WAR, ("secret_plots",), lambda table, house, moment: _allies(table, but=house) or None, _ally)
def secret_plots(table: Table, house: str, moment: ResponsePoint, answer: AllyAnswer) -> None:
    """73 One ally in play changes hands; the former owner can't use it in reply."""
    state, card = table.state, answer["ally"]
    owner = next(key for key, own in state.houses.items() if card in own.cards)
    state.houses[owner].cards.remove(card)
    state.houses[house].cards.append(card)
    table.log("ally.taken", rule="14.2.2", house=house, before=owner, card=card)


@KIT.response(WAR, ("england_for_the_english",), playable_by_all)
def england_for_the_english(table: Table, house: str, moment: ResponsePoint, answer: object) -> None:
    """70 Burgundians, Scots and French leave play and do not return this turn: the card is on the table."""
    for key in FOREIGN:
        owner = table.state.blocks[key].owner
        send_home(table, key)
        if owner:
            moment.add("gone", owner, blocks=[key])


KIT.response(WAR, ("leadership",), commanders, commander_form, can=playable_by_all)(raise_command)


def _discards(table: Table, house: str, moment: ResponsePoint) -> list[str] | None:
    return sorted(table.state.discards) or None


def _discard(table: Table, house: str, cards: list[str]) -> Form[DiscardAnswer]:
    return Form(card=Choice(cards, "card", partial(_not_discarded, table)))


def _not_discarded(table: Table, word: str) -> RejectionReason | None:
    """Return why a card can't be taken (75); None if it isn't a card."""
    card = card_meant(table, word)
    return because("not_discarded", "10.4.4", card=card) if card else None


@KIT.response((IMPULSE, STEP), ("careful_planning",), _discards, _discard)
def careful_planning(table: Table, house: str, moment: ResponsePoint, answer: DiscardAnswer) -> None:
    """75 Any card of the discards into the hand, besides the card drawn in its place."""
    state, card = table.state, answer["card"]
    state.discards.remove(card)
    state.houses[house].hand.append(card)
    table.log("planning.takes", rule="10.4.4", house=house, card=card)
