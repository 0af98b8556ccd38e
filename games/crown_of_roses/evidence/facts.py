"""What the table shows to the house that is asked: shires and blocks, cards and money, the realm, events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from games.crown_of_roses.action import may_be_event
from games.crown_of_roses.battle.forces import GARRISON, dice
from games.crown_of_roses.command import heir_duty
from games.crown_of_roses.components import RosesCard
from games.crown_of_roses.events.raids import dice_of, goals, landed
from games.crown_of_roses.events.steps import on_roll, worth
from games.crown_of_roses.influence import targets
from games.crown_of_roses.interception import ways_out
from games.crown_of_roses.money import shown
from games.crown_of_roses.plague import struck
from games.crown_of_roses.query import (
    ROYALS,
    blocks_in,
    control,
    full,
    king,
    king_house,
    loyalty,
    operations,
    owners,
    total,
)
from games.crown_of_roses.realm.cleanup import mandatory
from games.crown_of_roses.realm.offices import eligible_nobles
from games.crown_of_roses.realm.supporters import boxes
from games.crown_of_roses.response_points import WORDS, sheet
from games.crown_of_roses.stacks import movable, standing
from games.crown_of_roses.state import UNDECLARED, House
from games.crown_of_roses.table import Table
from pbem.kernel.evidence import YOU, Fact, Look, says

Seen = Look[Table]
"""What a house sees of the table when it is asked."""


MOST = 4
"""The number of blocks or nobles that a fact names."""


MOST_TOLD = 6
"""Of a larger hand only the cards are listed, allies without their uses."""


LONG = 200
"""Characters of an English card text that is shown whole before the card is used."""


GOALS = 7
"""Shires that a fact names where an event can strike."""


FEW_HOLDERS = 2
"""Of more nobles who could hold an office a fact has the number."""


THREE = 3
"""Stacks and ways that answers tell; of more there is a line."""


DIE = 6
"""The sides of a die."""


def told(table: Table, key: str) -> str:
    """Return the steps of a block, with its dice."""
    steps = table.state.garrison.steps if key == GARRISON else table.state.blocks[key].steps
    return f"{steps} ({''.join(f'{count}{colour}' for colour, count in dice(table, key).items())})"


def troops(table: Table, keys: Iterable[str]) -> dict[str, str]:
    """Return blocks with steps and dice, the strongest first, not too many."""
    ranked = sorted(keys, key=lambda key: -sum(dice(table, key).values()))
    return {key: told(table, key) for key in ranked[:MOST]}


def houses(look: Seen) -> dict[str, House]:
    """Return the houses, the reader's as `you`."""
    return {look.who(key): own for key, own in look.table.state.houses.items()}


def house_of(look: Seen, house: str) -> str:
    """Return how a text calls who holds or is served: a house, the reader, `contested`, or nobody."""
    return look.who(house) if house else ""


def by_house(look: Seen, place: str) -> dict[str, int]:
    """Return the numbers of blocks of the other houses in a place."""
    state = look.table.state
    return {key: len(blocks_in(state, place, key)) for key in owners(state, place) if key != look.seat}


def beside(look: Seen, place: str) -> dict[str, int]:
    """Return the numbers of blocks of other houses in the shires around a place."""
    found: dict[str, int] = {}
    for other, border in look.table.c.borders.get(place, {}).items():
        for house, count in by_house(look, other).items() if border != "wash" else ():
            found[house] = found.get(house, 0) + count
    return found


def at(look: Seen) -> str:
    """Return the place that a question is about."""
    return str(look.about.get("place", ""))


def lie(look: Seen, place: str) -> dict[str, Any]:
    """Return what a shire is worth, whose it is, and who is there, or else next to it."""
    table = look.table
    foes, mine = by_house(look, place), len(blocks_in(table.state, place, look.seat))
    return {
        "place": place, "value": table.c.shires[place].sv, "loyal": house_of(look, loyalty(table, place)),
        "mark": table.state.marks.get(place, ""), "rebels": house_of(look, table.state.rebels.get(place, "")),
        "there": {**({look.who(look.seat): mine} if mine else {}), **foes}, "near": {} if foes else beside(look, place),
    }  # fmt: skip


def shire(look: Seen) -> Iterator[Fact]:
    """Yield the shire that a question is about."""
    if at(look) in look.table.c.shires:
        found = lie(look, at(look))
        if look.kind == "evade":  # another fact has the reader's blocks
            found["there"] = {key: n for key, n in found["there"].items() if key not in (YOU, look.word("house"))}
        yield Fact("shire", found, (at(look),))


def stack(look: Seen, place: str, *, main: bool = True) -> Fact:
    """Return the reader's blocks in a place, and who is next to them."""
    blocks = troops(look.table, blocks_in(look.table.state, place, look.seat))
    here = place == at(look)
    return Fact(
        "stack", {"place": place, "blocks": blocks, "near": beside(look, place), "here": here}, (place,), main=main
    )


def own_blocks(look: Seen) -> Iterator[Fact]:
    """Yield the reader's blocks there."""
    if blocks_in(look.table.state, at(look), look.seat):
        fact = stack(look, at(look))
        told = look.kind in ("evade", "room")  # of each way out
        yield msgspec.structs.replace(fact, args={**fact.args, "near": {}}) if told else fact


def stacks(look: Seen) -> Iterator[Fact]:
    """Yield the stacks of the house, the largest first; main are those that no answer tells, as they can't move."""
    table, seat = look.table, look.seat
    for place in sorted(standing(table, seat), key=lambda place: -len(blocks_in(table.state, place, seat))):
        yield stack(look, place, main=look.kind == "action" and not movable(table, seat, place))


def positions(look: Seen) -> Iterator[Fact]:
    """Yield where the house stands, in a line: steps of the stacks, and how many enemies are there or next to it."""
    state, places = look.table.state, [*standing(look.table, look.seat)]
    near = {place: by_house(look, place) for place in places}
    told = {}
    for place in sorted(places, key=lambda place: -len(blocks_in(state, place, look.seat))):
        enemies = sum(near[place].values()) + sum(beside(look, place).values())
        steps = sum(state.blocks[key].steps for key in blocks_in(state, place, look.seat))
        told[place] = f"{steps}" + f" ({enemies})" * (enemies > 0)
    if told:
        ops = str(look.table.c.cards[look.word("card")].ops) if look.kind == "use" else ""
        yield Fact("stacks", {"ops": ops, "steps": told}, main=look.kind == "use" or len(told) > 1)


def hurt(look: Seen) -> Iterator[Fact]:
    """Yield the blocks that could have more steps."""
    table = look.table
    mine = (key for place in standing(table, look.seat) for key in blocks_in(table.state, place, look.seat))
    weak = [key for key in mine if table.state.blocks[key].steps < full(table.c, key)]
    yield Fact("weak", {"blocks": troops(table, weak)}) if weak else Fact("none_weak")


def hand(look: Seen) -> Iterator[Fact]:
    """Yield the cards in hand, those of the deck, and what binds the choice."""
    table, own = look.table, look.table.state.houses[look.seat]
    left = table.state.impulses - table.state.impulse
    yield Fact("hand", {"count": len(own.hand), "left": left}, main=False)
    if heir_duty(table, look.seat):
        yield Fact("heir_duty")
    if any(table.c.cards[card].type == "heir" for card in own.hand):
        yield Fact("heirs_lost", main=len(own.hand) <= MOST_TOLD)


def first_acts(look: Seen) -> Iterator[Fact]:
    """Yield the order of impulses, who breaks ties, and the hands of the others."""
    state = look.table.state
    holder = next((office.holder for office in state.offices.values() if office.holder), "")
    yield Fact("first_acts", main=len(state.houses[look.seat].hand) <= MOST_TOLD)
    if holder:
        yield Fact("breaker", {"house": look.who(state.blocks[holder].owner)}, main=False)
    hands = {house: len(own.hand) for house, own in state.houses.items() if house != look.seat}
    yield Fact("hands", {"hands": hands}, main=False)


def spent_for(card: RosesCard) -> list[str]:
    """Return what an ally is discarded for."""
    return list(dict.fromkeys(WORDS.get(terms.kind, terms.kind) for terms in card.options))


def card_text(look: Seen) -> Iterator[Fact]:
    """Yield the text of the card that a question is about; of an ally, what it is discarded for."""
    card = look.table.c.cards[look.word("card")]
    if look.kind == "use" and card.type in ("event", "ally") and not may_be_event(look.table, look.seat, card.id):
        yield Fact("no_event")
        return
    if card.type == "ally":
        yield Fact("ally", {"ops": card.on_play_ops or "", "uses": spent_for(card)})
    short = len(card.text.en) <= LONG or look.kind != "use"
    if not short:
        yield Fact("does", {"card": (card.effect or card.id).rstrip("_0123456789")})
    yield Fact("card_text", {"text": card.text}, main=short and card.type != "ally")


def step_losses(look: Seen) -> Iterator[Fact]:
    """Yield what a card takes from a stack in short; its whole text last."""
    params = look.table.c.cards[look.word("card")].params
    steps = params.table or (params.steps,)
    yield Fact(f"{look.kind}_loses", {"least": min(steps), "most": max(steps)})
    yield from (msgspec.structs.replace(fact, main=False) for fact in card_text(look))


def enemy_stacks(look: Seen) -> Iterator[Fact]:
    """Yield how many blocks each other house has where: what a card may hit, those of the leading house first."""
    table = look.table
    there = {
        place: by_house(look, place) for place in (*table.c.shires, *(table.c.exiles if look.kind == "plot" else ()))
    }
    blocks = {
        house: {place: found[house] for place, found in there.items() if house in found}
        for house in sorted(table.state.houses, key=lambda house: -table.state.houses[house].vp)
    }
    yield Fact("enemy_stacks", {"blocks": {house: found for house, found in blocks.items() if found}})


def stock(look: Seen) -> dict[str, int]:
    """Return the reader's markers in stock."""
    return look.table.state.houses[look.seat].stock


def worths(look: Seen) -> list[str]:
    """Return what the markers in stock are worth, alike ones with their number."""
    found = ((kind.removeprefix("ip"), count) for kind, count in stock(look).items() if count)
    return [f"{count} × {worth}" if count > 1 else worth for worth, count in found]


def box(look: Seen, noble: str, *, main: bool = True, many: bool = False) -> Fact:
    """Return what lies on a noble: base, roses unless they are many, whom they serve, markers, the reader's points."""
    table, card = look.table, look.table.c.blocks[noble]
    order = sorted(table.state.houses, key=lambda house: many and house == look.seat)  # points behind the reader's
    laid = {house: own.roll[noble] for house in order if noble in (own := table.state.houses[house]).roll}
    return Fact(
        "box",
        {
            "noble": noble,
            "base": card.base,
            "roses": {look.who(house): card.roses.count(house) for house in dict.fromkeys(card.roses)},
            "serves": house_of(look, table.state.blocks[noble].owner),
            "markers": {look.who(house): sum(pile.values()) for house, pile in laid.items()},
            "points": str(total(table.c, laid[look.seat])) if look.seat in laid else "",
            "many": many,
        },
        main=main,
    )


def roll(look: Seen) -> Iterator[Fact]:
    """Yield the nobles with influence on them, the reader's or else those with most markers first; all to settle."""
    houses, swap = look.table.state.houses, look.kind == "swap"
    rivals = [house for key, house in houses.items() if not swap or key != look.seat]
    laid = {noble: sum(sum(house.roll.get(noble, {}).values()) for house in rivals) for noble in boxes(look.table)}
    own = houses[look.seat].roll if swap else {}
    given = min(own, key=lambda noble: total(look.table.c, own[noble]), default="")  # what the likeliest swap gives
    mine = [given] if swap else [*houses[look.seat].roll]
    for index, noble in enumerate(sorted(laid, key=lambda noble: (noble not in mine, -laid[noble]))):
        yield box(look, noble, main=index < (MOST if swap else MOST_TOLD), many=not swap and len(laid) > THREE)


def one_box(look: Seen) -> Iterator[Fact]:
    """Yield what lies on the noble who is settled."""
    yield box(look, str(look.word("noble")))


def own_roll(look: Seen) -> Iterator[Fact]:
    """Yield the nobles on whom the reader has markers."""
    for index, noble in enumerate(look.table.state.houses[look.seat].roll):
        yield box(look, noble, main=index < 4)


def laid_by_house(look: Seen) -> Iterator[Fact]:
    """Yield how many markers each house has on the Roll."""
    laid = {key: sum(sum(pile.values()) for pile in own.roll.values()) for key, own in houses(look).items()}
    yield Fact("on_roll", {"markers": laid})
    if mine := on_roll(look.table, look.seat):
        yield Fact("own_on_roll", {"points": worth(look.table, mine)})


def stake(look: Seen) -> Iterator[Fact]:
    """Yield what the shire is worth that is fought for, and whose it is."""
    for fact in shire(look):
        yield msgspec.structs.replace(fact, args={**fact.args, "there": {}})


def reachable(look: Seen) -> list[str]:
    """Return nobles who serve another house or nobody, and whose base the stock can reach, cheapest first."""
    table, have = look.table, total(look.table.c, stock(look))
    others = [key for key in targets(table) if table.state.blocks[key].owner != look.seat]
    able = [key for key in others if missing(look, key) <= have]
    return sorted(able, key=lambda key: (-table.c.blocks[key].title, missing(look, key)))


def missing(look: Seen, noble: str) -> int:
    """Return the points that the reader lacks to reach a noble's base."""
    card, laid = look.table.c.blocks[noble], look.table.state.houses[look.seat].roll.get(noble, {})
    return max(1, card.base - card.roses.count(look.seat) - total(look.table.c, laid))


def reach(look: Seen) -> Iterator[Fact]:
    """Yield the nobles that the stock could win."""
    have = total(look.table.c, stock(look))
    if able := reachable(look)[:MOST] if have else []:
        yield Fact("reach", {"stock": have, "nobles": {key: missing(look, key) for key in able}})
    else:
        yield Fact("no_reach", {"stock": have}, main=have > 0)


def office(look: Seen) -> Iterator[Fact]:
    """Yield what an office brings, its name unless the question has it, and before a bid how many follow."""
    card = look.table.c.offices[look.word("office")]
    named = "" if look.kind in ("bid", "officer") else card.id
    left = len(look.table.state.auction) if look.kind == "bid" else 0
    votes = card.votes if king(look.table.state) else card.votes_without_king
    brings = {"ip": card.ip, "votes": votes, "support": card.support}
    yield Fact("office", {"office": named, **brings, "left": left})


def holders(look: Seen) -> Iterator[Fact]:
    """Yield who could hold the office, by house, the reader's first."""
    found = eligible_nobles(look.table, look.word("office"))
    for house in sorted(found, key=lambda house: house != look.seat):
        few = len(found[house]) <= FEW_HOLDERS
        who = {"house": look.who(house), "nobles": found[house], "count": len(found[house]), "few": few}
        yield Fact("holders", who, main=house == look.seat)


def crown(look: Seen) -> Iterator[Fact]:
    """Yield who would be King, economic points, and how near a political victory is."""
    state = look.table.state
    wins = look.table.c.beginnings[state.beginning].political_turns
    crowned = {key: own.crowned for key, own in houses(look).items() if own.crowned}
    yield Fact("crowned", {"turns": crowned, "wins": wins}) if crowned else Fact("crown_wins", {"wins": wins})


def tied(look: Seen) -> Iterator[Fact]:
    """Yield what the tie decides, and how the tied houses stand."""
    what = look.about["what"]
    houses = {look.who(key): look.table.state.houses[key] for key in look.about["houses"]}
    place = next((about["place"] for _, about in reversed(look.table.trail) if "place" in about), "")
    yield Fact(f"tie.{what}", {"place": place}, (place,) if place else ())
    if what in ("attack", "evade", "respond") and place in look.table.c.shires:
        yield Fact("shire", lie(look, place))
    if what == "impulse":
        ops = max(look.table.c.cards[house.command].ops for house in houses.values())
        yield Fact("commands", {"ops": ops, "cards": {who: [house.command] for who, house in houses.items()}})
    elif what == "crown":
        yield Fact("votes", {"votes": {who: house.votes for who, house in houses.items()}})
    elif "office" in look.about:
        yield from office(look)


def raid(look: Seen) -> Iterator[Fact]:
    """Yield the dice that a responder meets, and what becomes of the shire without one."""
    kind, place = str(look.about.get("what", "")), at(look)
    if not kind:
        return
    count, colour = dice_of(look.table, kind, place, look.seat)
    gain = look.table.c.numbers.raid.support_gain
    yield Fact("raid", {"dice": f"{count}{colour}", "support": gain, "house": look.word("house"), "what": kind})


def struck_by(look: Seen) -> list[str]:
    """Return where the event of a card can strike."""
    return goals(look.table, look.table.c.cards[look.word("card")].params)


def goal_shires(look: Seen) -> Iterator[Fact]:
    """Yield where an event can strike, by holder: value, and how many houses could respond there."""
    table = look.table
    held: dict[str, dict[str, str]] = {}
    able = struck_by(look)
    for place in sorted(able, key=lambda key: -target_worth(look, key))[:GOALS]:
        answering = sum(bool(landed(table, house, place)) for house in table.state.houses)
        told = f"{table.c.shires[place].sv}" + f" ({answering})" * (answering > 0)
        held.setdefault(house_of(look, control(table, place)) or "neutral", {})[place] = told
    yield Fact("goals", {"held": held}, main=len(able) > MOST)


def target_worth(look: Seen, place: str) -> float:
    """Return how much a raid hurts others in a shire: its value, more where they live by it, less at home."""
    table = look.table
    holder, value = control(table, place), table.c.shires[place].sv
    if holder in ("", look.seat) or place in table.state.marks:
        return -value
    return value + (loyalty(table, place) == holder)


def plague_losses(look: Seen) -> Iterator[Fact]:
    """Yield the steps that each shire with blocks of the reader loses."""
    for place, steps in struck(look.table, at(look)).items():
        if here := troops(look.table, blocks_in(look.table.state, place, look.seat)):
            yield Fact("plague", {"place": place, "steps": steps, "blocks": here}, (place,))


def fitting(look: Seen) -> Iterator[Fact]:
    """Yield the reader's surprise cards and allies that belong to this moment."""
    cards = sheet(look.table, look.seat).get(look.kind, [])
    yield Fact("fitting", {"cards": cards}) if cards else Fact("none_fits")


def flight(look: Seen) -> Iterator[Fact]:
    """Yield whether Henry VI and the Queen may flee: only if they are alone."""
    here = blocks_in(look.table.state, at(look), look.seat)
    yield Fact("alone" if all(key in ROYALS for key in here) else "not_alone", {"blocks": here})


def called(look: Seen) -> Iterator[Fact]:
    """Yield where the noble is who is called to an event, if the reader may know."""
    key = str(look.about.get("block", ""))
    block = look.table.state.blocks.get(key)
    if block is not None and block.owner == look.seat:
        yield Fact("called", {"block": key, "steps": told(look.table, key), "place": block.at}, (block.at,))


def pool(look: Seen) -> Iterator[Fact]:
    """Yield the markers that can be taken, and what zeros are for."""
    own = look.table.state.houses[look.seat]
    markers = dict(sorted(own.pool.items(), key=lambda marker: int(marker[0].removeprefix("ip"))))
    yield Fact("income", {"points": look.number("income"), "markers": shown(markers)})
    yield Fact("zeros", {"count": own.pool.get("ip0", 0)})


def landholders(look: Seen) -> Iterator[Fact]:
    """Yield which houses have a noble with an estate in the shire."""
    for house in look.table.state.houses:
        if nobles := landed(look.table, house, at(look)):
            yield Fact(
                "landed",
                {"house": look.who(house), "nobles": nobles},
                main=house == look.seat and look.kind != "respond",
            )


def votes(look: Seen) -> Iterator[Fact]:
    """Yield the votes of all houses."""
    counted = look.about.get("votes") or {key: own.votes for key, own in look.table.state.houses.items()}
    yield Fact("votes", {"votes": {look.who(house): count for house, count in counted.items()}})


kept = says(
    "kept",
    lambda look: {
        "count": len(operations(look.table.c, look.table.state.houses[look.seat].hand)),
        "bound": mandatory(look.table, look.seat),
    },
)
office_block = says("office_block", lambda look: {"block": look.table.c.offices[look.word("office")].block})
points = says("points", lambda look: {"points": {key: own.vp for key, own in houses(look).items() if not own.out}})
purse = says("purse", lambda look: {"points": total(look.table.c, stock(look)), "markers": worths(look)})
supports = says("exile_costs")
purses = says(
    "purses",
    lambda look: {"markers": {key: sum(own.stock.values()) for key, own in houses(look).items() if key != YOU}},
)
way_out = says("ways_out", lambda look: {"places": ways_out(look.table, look.seat, at(look))})
undeclared = says(
    "undeclared", lambda look: {"blocks": own} if (own := blocks_in(look.table.state, UNDECLARED, look.seat)) else None
)
heirs = says("heirs", lambda look: {"blocks": mine} if (mine := [*look.table.state.houses[look.seat].heirs]) else None)
throne = says(
    "king",
    lambda look: (
        {"block": crowned, "house": look.who(king_house(look.table.state))}
        if (crowned := king(look.table.state))
        else None
    ),
)
