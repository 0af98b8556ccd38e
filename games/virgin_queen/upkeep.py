"""The card phase (8): persons, Spain's markers, the deck and the deal, treasures and colonies."""

from __future__ import annotations

from functools import cache

from games.virgin_queen.cards import draw, draw_treasure, released
from games.virgin_queen.components import QueenComponents
from games.virgin_queen.courts.deaths import MARY
from games.virgin_queen.keys import base_cards
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import FREE, GONE, LATER, ON_CARD, POOL, POWERS, SPAIN, TRACK, Captain
from games.virgin_queen.table import KIT, Table

KIT.chapter("8.1", "new persons", "upkeep.py")
KIT.chapter("8.2", "Spain's fortresses and Jesuits", "upkeep.py")
KIT.chapter("8.3", "new cards and the deal", "upkeep.py")
KIT.chapter("8.4", "treasures and colonies", "upkeep.py")


@KIT.phase("cards")
def cards_phase(table: Table) -> None:
    """8 Resolve the card phase."""
    table.log("turn.begins", rule="7", turn=table.state.turn)
    persons(table)
    spanish_markers(table)
    new_cards(table)
    deal(table)
    treasures(table)


def persons(table: Table) -> None:
    """8.1 Bring in new persons, and those who return from the turn track."""
    state, c = table.state, table.c
    turn = str(state.turn)
    due = [key for key, card in c.generals.items() if card.turn == turn and not card.default]
    new = [key for key in due if state.leaders[key].at == LATER]
    new += [key for key, leader in state.leaders.items() if leader.at == TRACK and leader.returns <= state.turn]
    if state.leaders["dragut"].at == GONE and state.leaders["uluch"].at == LATER:
        new.append("uluch")
    new += _stand_ins(table, new)
    for key in new:
        state.leaders[key].at = ON_CARD
        table.log("leader.enters", rule="8.1", leader=key, power=state.leaders[key].power)
    _others(table, turn)
    state.capitals_lost = []
    for owner, ships in state.ships_later.items():
        table.log("ships.return", rule="8.1", owner=owner, count=sum(ships.values()))
    state.ships_later = {}


def _stand_ins(table: Table, new: list[str]) -> list[str]:
    """8.1, 5.1 Return default leaders, one for a pool whose leaders were all removed without a new one."""
    state = table.state
    found = []
    for key, others in _replaced(table.c).items():
        in_play = [other for other in others if state.leaders[other].at not in (LATER, GONE)]
        leader = state.leaders[key]
        if any(other in new for other in others):
            if leader.at != LATER:
                leader.at, leader.captor = GONE, ""
        elif not in_play and leader.at == LATER and any(state.leaders[other].at == GONE for other in others):
            found.append(key)
    return found


@cache
def _replaced(c: QueenComponents) -> dict[str, list[str]]:
    """5.1 Return default leader → the army leaders of its pool."""
    pools: dict[str, list[str]] = {}
    for key, card in c.generals.items():
        if not card.default and not card.naval:
            pools.setdefault(card.owner, []).append(key)
    return {key: pools.get(card.owner, []) for key, card in c.generals.items() if card.default}


def _others(table: Table, turn: str) -> None:
    """8.1 Put captains into their pools, royals, artists and scientists on their charts."""
    state, c = table.state, table.c
    for key, card in c.captains.items():
        captain = state.captains[key]
        if (captain.at == LATER and card.turn == turn) or (captain.at == TRACK and captain.returns <= state.turn):
            state.captains[key] = Captain(at=POOL)
            table.log("captain.enters", rule="8.1", captain=key)
    for key, royal in c.royals.items():
        entering = state.royals[key].state == "later" and royal.turn == turn
        if entering or state.royals[key].state == "track":
            state.royals[key].state = "free"
            table.log("royal.enters", rule="8.1", royal=key, power=royal.power)
            if key == MARY and state.mary == "absent":
                state.mary = "free"
    for people, chart in ((c.artists, state.artists), (c.scientists, state.scientists)):
        for key, person in people.items():
            due = person.turn.isdigit() and int(person.turn) <= state.turn and person.owner != "italy"
            if (key not in chart and due) or chart.get(key) == TRACK:
                chart[key] = FREE


def spanish_markers(table: Table) -> None:
    """8.2 Fill up Spain's stock of fortresses and Jesuits; markers left over count."""
    state = table.state
    limits = table.c.special["spain_stock"]
    spain = state.powers[SPAIN]
    coast = "coastal_fortification" in spain.science
    walls = "fortress_markers_with_coastal_fortification" if coast else "fortress_markers_per_turn"
    douai = "jesuits_after_english_college_douai" if "english-college-douai" in state.removed else "jesuits_per_turn"
    spain.stock["fortress"] = max(spain.stock["fortress"], limits[walls])
    spain.stock["jesuit"] = max(spain.stock["jesuit"], limits[douai])


def new_cards(table: Table) -> None:
    """6.2, 8.3 Add the cards of this turn, home cards to their powers, others to the deck; return home cards."""
    state, c = table.state, table.c
    released(state)
    state.deck += state.discards
    state.discards = []
    turns = (str(state.turn), "league") if 0 < state.league < state.turn else (str(state.turn),)
    entering = [card for card in state.waiting if c.cards[card].turn in turns]
    for card in entering:
        state.waiting.remove(card)
        if c.cards[card].type == "home":
            state.powers[c.cards[card].owner].home.append(card)
        else:
            state.deck.append(card)
    if entering:
        table.log("cards.enter", rule="6.2", cards=entering)
    for power in POWERS:
        own = state.powers[power]
        own.hand += own.home + own.home_dropped
        own.home, own.home_dropped, own.events, own.used = [], [], [], {}
    table.shuffle(state.deck)


def deal(table: Table) -> None:
    """6.2, 8.3 Deal each power's cards: keys, ruler, markers. An inactive major power gets none (27.1)."""
    state, c = table.state, table.c
    ottoman = state.powers["ottoman"]
    if state.turn == 2 and ottoman.ruler == "suleiman" and ottoman.active and "selim-ii" in state.deck:
        state.deck.remove("selim-ii")
        ottoman.hand.append("selim-ii")
        table.log("cards.selim", rule="3.3")
    for power in POWERS:
        own = state.powers[power]
        if not seat_of(state, power):
            continue
        ruler = c.rulers[own.ruler]
        bonus = ruler.dead_bonus if own.ruler_dead else ruler.bonus
        number = max(0, base_cards(table, power) + bonus + own.card_marks + own.lasting_marks)
        own.card_marks = 0
        draw(table, power, number)


def treasures(table: Table) -> None:
    """6.3, 8.4 Return used treasures, fill Spain's and Portugal's rows, and roll for colonies."""
    state, c = table.state, table.c
    state.treasure_pool += state.treasure_used
    state.treasure_used = []
    table.shuffle(state.treasure_pool)
    boxes = c.map["treasure_rows"]
    spanish = boxes["spain_boxes"] if "manila" in state.lost_settlements else boxes["spain_boxes_with_philippines"]
    for row, most in ((state.spain_row, spanish), (state.portugal_row, boxes["portugal_boxes"])):
        while len(row) < most and state.treasure_pool:
            row.append(state.treasure_pool.pop())
    seat = seat_of(state, SPAIN)
    table.log("treasure.rows", rule="6.3", spain=len(state.spain_row), portugal=len(state.portugal_row),
              private={seat: {"treasures": list(state.spain_row)}})  # fmt: skip
    for settlement, power in list(state.colonies.items()):
        _colony(table, settlement, power)


def colony_plus(table: Table, power: str) -> int:
    """8.4 Return what the bonuses of a power add to the dice of its colonies."""
    return int("plantation" in table.state.powers[power].science)


def colony_result(c: QueenComponents, total: int) -> str:
    """8.4 Return what a total brings a colony."""
    return next(str(row["result"]) for row in c.tables["colony"]["rows"] if row["lo"] <= total <= row["hi"])


def _colony(table: Table, settlement: str, power: str) -> None:
    state, c = table.state, table.c
    wintering = [key for key, captain in state.captains.items() if captain.at == settlement]
    plus = colony_plus(table, power) + ("schmidel" in wintering)
    roll = table.roll(2, "colony.rolls", rule="8.4", power=power, settlement=settlement, plus=plus)
    result = colony_result(c, roll.total + plus)
    table.log("colony.result", rule="8.4", power=power, settlement=settlement, result=result)
    if result == "eliminated":
        del state.colonies[settlement]
        for key in wintering:
            state.captains[key].at = c.settlements[settlement].zones[0]
    elif result.startswith("treasure"):
        draw_treasure(table, power, "8.4")
        if result.endswith("virginia_dare"):
            state.powers[power].vp["virginia_dare"] = state.powers[power].vp.get("virginia_dare", 0) + 1
