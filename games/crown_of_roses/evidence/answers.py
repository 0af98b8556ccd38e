"""What each answer means, and which answers are likely, outside battles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from games.crown_of_roses.battle.forces import dice
from games.crown_of_roses.components import RosesCard
from games.crown_of_roses.events import writs
from games.crown_of_roses.events.common import most_needed
from games.crown_of_roses.events.raids import dice_of, landed
from games.crown_of_roses.events.steps import worth
from games.crown_of_roses.evidence.facts import (
    DIE,
    MOST,
    MOST_TOLD,
    Seen,
    at,
    beside,
    by_house,
    house_of,
    lie,
    missing,
    reachable,
    spent_for,
    struck_by,
    target_worth,
    told,
)
from games.crown_of_roses.evidence.roads import many_estates, many_ways, moved, roads
from games.crown_of_roses.interception import interception_sources, loose, ways_out
from games.crown_of_roses.march_paths import boat_price, cost
from games.crown_of_roses.money import compose, payable
from games.crown_of_roses.muster import takers
from games.crown_of_roses.query import (
    blocks_in,
    command,
    estates,
    full,
    is_heir,
    loyalty,
    owners,
    strength,
    total,
    undeclared_heirs,
)
from games.crown_of_roses.realm.lodging import hosts
from games.crown_of_roses.realm.offices import eligible_nobles
from games.crown_of_roses.realm.supporters import boxes
from games.crown_of_roses.response_points import WORDS, word_of
from games.crown_of_roses.stacks import blocks_of_stack, followers, leaders, movable, room_at, standing
from games.crown_of_roses.table import Table
from pbem.kernel.domains import PASS
from pbem.kernel.evidence import NEVER, Fact, Meaning


def says(key: str, rank: float = 0, **args: Any) -> Meaning:
    """Return the meaning of an answer from which one thing follows."""
    return Meaning(follows=(Fact(key, args),), rank=rank)


def percent(chance: float) -> int:
    """Return a chance in percent."""
    return round(100 * min(1.0, max(0.0, chance)))


_ALIKE = ("surprise", "ally", "heir", "mandatory")
PASSES = {
    "pursue": says("no_pursuit"), "press": says("turned_back"), "swap": says("no_swap"), "writ": says("goes_themself"),
    "respond": says("no_response"),
}  # fmt: skip
"""Kind of question → what it means to pass."""


def fields(answer: Any) -> Mapping[str, Any]:
    """Return the fields of an answer; {} for a bare word."""
    return answer if isinstance(answer, Mapping) else {}


def one(answer: Any) -> str:
    """Return a single word of an answer, "" if it has more."""
    word = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    return word if isinstance(word, str) else ""


def blocks_word(keys: Sequence[str]) -> str:
    """Return blocks as an order names them."""
    return ",".join(keys) if keys else "none"


def way(look: Seen, to: str, origin: str = "") -> tuple[Fact, ...]:
    """Return what waits in a shire: whose it is, who is there, or next to it."""
    if to not in look.table.c.shires:
        return ()
    fens = look.table.c.borders.get(origin, {}).get(to) == "fens"
    told = [] if many_ways(look) or many_estates(look) else [Fact("way", lie(look, to), (to,))]  # or else a fact has it
    return (*told, *([Fact("by_fens")] if fens else []))


def comfort(look: Seen, to: str) -> float:
    """Return how good a shire is to be in: its value, loyal to the reader or not, and who is near."""
    table = look.table
    if to not in table.c.shires:
        return 0
    worth = table.c.shires[to].sv + (loyalty(table, to) == look.seat) - sum(by_house(look, to).values())
    return worth + len(blocks_in(table.state, to, look.seat)) / 2 - sum(beside(look, to).values()) / 4


def goes(look: Seen, answer: Any) -> Meaning | None:
    """Return what a destination means: of a retreat, an evasion, a noble who enters play."""
    to = answer if isinstance(answer, str) else fields(answer).get("to", "")
    if to in ("stay", PASS):
        return Meaning() if look.kind == "retreat" else says("stays")
    return Meaning(follows=way(look, to, at(look)), rank=comfort(look, to))


def steps_of(table: Table, keys: Iterable[str]) -> dict[str, str]:
    """Return the steps of blocks, as words: a number behind "Henry 6" would count them."""
    return {key: str(table.state.blocks[key].steps) for key in keys}


def departure(look: Seen, order: Mapping[str, Any], origin: str) -> tuple[Fact, Fact]:
    """Return who goes with a stack, and who stays behind."""
    going = blocks_of_stack(look.table, order["leader"], order["blocks"])
    stay = [key for key in blocks_in(look.table.state, origin, look.seat) if key not in going]
    left = Fact("left_in" if stay else "empty", {"place": origin, "blocks": steps_of(look.table, stay)})
    return Fact("sent", {"blocks": steps_of(look.table, going)}), left


def sets_out(look: Seen, order: Mapping[str, Any]) -> tuple[Fact, Fact]:
    """Return how strong a stack is that moves and who is next to it, and who stays behind: one can name them all."""
    going, left = departure(look, order, order["origin"])
    steps: dict[str, str] = going.args["blocks"]
    rolled: Counter[str] = Counter()
    for key in steps:
        rolled.update(dice(look.table, key))
    told = f"{sum(map(int, steps.values()))} ({''.join(f'{count}{colour}' for colour, count in rolled.items())})"
    return Fact("sets_out", {"steps": told, "near": beside(look, order["origin"])}), left


def stacks_out(look: Seen, place: str, usable: Sequence[str], most: int) -> Iterator[tuple[str, list[str]]]:
    """Yield each leader of a place with as many blocks as they can lead, the strongest first, and alone."""
    table = look.table
    for leader in leaders(table, look.seat, place, usable):
        series, chosen = followers(table, leader, usable, most), list[str]()
        while (choice := series.item(chosen)) is not None:
            steps = steps_of(table, choice.options())
            chosen.append(max(steps, key=lambda key: strength(table.c, key, int(steps[key]))))
        yield from ((leader, blocks) for blocks in ((chosen, []) if chosen else ([],)))


def attempt(look: Seen, answer: Any) -> Meaning:
    """Return the chance to intercept or evade, with how much against how many in all, and what that leaves behind."""
    if not (order := fields(answer)):
        return says("stands") if look.kind == "evade" else Meaning()
    origin, chance = order.get("origin") or at(look), percent(command(look.table, order["leader"]) / DIE)
    sent, left = departure(look, order, origin)
    foes = by_house(look, at(look)).get(look.word("house"), 0)
    rank = chance / 100 + sum(map(int, sent.args["blocks"].values())) / 100
    if "to" in order:
        return Meaning(chance=chance, follows=(*way(look, order["to"], origin), sent), rank=rank)
    tried = Fact("against", {**sent.args, "chance": chance, "count": foes})
    return Meaning(follows=(tried, left), rank=rank)


def interceptions(look: Seen) -> Iterator[str]:
    """Yield the stacks that could intercept."""
    yield PASS
    for origin in interception_sources(look.table, look.seat, at(look)):
        for leader, others in stacks_out(look, origin, loose(look.table, look.seat, origin), 99):
            yield f"intercept {origin} {leader} blocks={blocks_word(others)}"


def evasions(look: Seen) -> Iterator[str]:
    """Yield the stacks that could evade, to the best shires."""
    yield PASS
    to = sorted(ways_out(look.table, look.seat, at(look)), key=lambda place: -comfort(look, place))[:3]
    for leader, others in stacks_out(look, at(look), loose(look.table, look.seat, at(look)), 99):
        for place in to:
            yield f"evade {leader} blocks={blocks_word(others)} to={place}"


def marches(look: Seen, answer: Any) -> Meaning:
    """Return what a step of a march costs, and what waits where it goes."""
    order, table = fields(answer), look.table
    if not (to := order.get("to", "")):
        return Meaning(rank=-1)
    if order["do"] == "go" and to in roads(look):  # a fact has it
        return Meaning(rank=comfort(look, to))
    price = boat_price(table, at(look), to) if order["do"] == "boat" else cost(table, look.seat, at(look), to)
    waits = lie(look, to) if to in table.c.shires else {"there": {}, "abroad": True}
    forced = (Fact("forced"),) if order["do"] == "force" else ()
    found = Fact("step", {**moved(price), **waits}, (to,))
    return Meaning(follows=(found, *forced), rank=comfort(look, to) - 2 * len(forced))


def card(look: Seen, answer: Any) -> Meaning | None:
    """Return the OPS of a card, its kind, and what it does or is discarded for."""
    key = one(fields(answer).get("card", answer))
    if key not in look.table.c.cards:
        return PASSES.get(look.kind)
    face = look.table.c.cards[key]
    paid = look.kind in ("pursue", "press")  # all have the same OPS
    if paid and face.type == "heir":
        return says("heir_lost", rank_of(face))
    many = len(look.table.state.houses[look.seat].hand) > MOST_TOLD
    plain = {"heir": True, "surprise": look.kind == "command", "ally": look.kind == "command" and many}.get(face.type)
    said = {"type": face.type, "card": deed(look, key), "uses": spent_for(face)}
    kind = "kind" if plain else {"ally": "uses", "event": "does"}.get(face.type, "kind_does")
    return Meaning(0 if paid else face.ops, None, (Fact(kind, said),), rank_of(face))


def rank_of(face: RosesCard) -> float:
    """Return how early a card is named: by OPS; of the same, alike ones are named together."""
    return face.ops - (1 + _ALIKE.index(face.type)) / 10 if face.type in _ALIKE else face.ops


def deed(look: Seen, key: str) -> str:
    """Return the card whose event one has, without the number of its copy."""
    return (look.table.c.cards[key].effect or key).rstrip("_0123456789")


def uses(look: Seen, answer: Any) -> Meaning | None:
    """Return what becomes of a command card: an event, an ally, an heir, or OPS."""
    table, key = look.table, look.word("card")
    face = table.c.cards[key]
    if answer == "event":
        return says(f"event_of.{face.type}", -0.5)
    if answer == "ops":
        found = Fact("ops_lose_heir" if face.type == "heir" else "spent_next", {"ops": face.ops})
        return Meaning(follows=(found,), rank=-0.4)  # nothing ranks above it: so words come behind it
    # OPS are spent in the next question.
    return Meaning(rank=NEVER if fields(answer).get("do") in ("change", "card") else -1)


def acts(look: Seen, answer: Any) -> Meaning | None:
    """Return the price of an action and what it brings."""
    order, table, prices = fields(answer), look.table, look.table.c.numbers.actions
    match order.get("do"):
        case "return":
            return Meaning(prices.return_heir, None, (Fact("home_strength"), *way(look, order["to"])), 3)
        case "muster":
            block = order["block"]
            steps = table.state.blocks[block].steps
            return Meaning(prices.muster, None, (Fact("a_step", {"before": steps, "steps": steps + 1}),), 1)
        case "influence":
            noble, laid = order["noble"], total(table.c, dict(order["markers"]))
            have = total(table.c, table.state.houses[look.seat].roll.get(noble, {})) + laid
            found = Fact("then_laid", {"all": have, **noble_won(look, noble)})
            return Meaning(prices.influence, None, (found,), 1.5 if have >= table.c.blocks[noble].base else 0.5)
        case "move" | "sail":
            price = prices.land_move if order["do"] == "move" else prices.sea_move
            return Meaning(price, None, sets_out(look, order), 1.2)
        case "card":
            return plays(look, order["with"])
    return Meaning(rank=-1) if answer == "done" else None


def actions(look: Seen) -> Iterator[str]:
    """Yield the likeliest actions: an heir back, influence that wins a noble, a step, the largest stacks."""
    table, seat = look.table, look.seat
    for key in undeclared_heirs(table.state, seat):
        for place in sorted(estates(table, key), key=lambda place: -comfort(look, place))[:2]:
            yield f"return {key} {place}"
    yield from (f"influence {noble} markers={markers}" for noble, markers in winnable(look, 2))
    places = sorted(standing(table, seat), key=lambda place: -len(blocks_in(table.state, place, seat)))
    shires = [place for place in places if place in table.c.shires]
    weak = [(place, block) for place in shires for block in takers(table, seat, place)]
    for place, block in sorted(weak, key=lambda pair: table.state.blocks[pair[1]].steps)[:2]:
        yield f"muster {place} {block}"
    for place in places[:3]:
        out = stacks_out(look, place, movable(table, seat, place), room_at(table, seat, place))
        yield from (f"move {place} {leader} blocks={blocks_word(others)}" for leader, others in islice(out, 1))


def plays(look: Seen, answer: Any) -> Meaning | None:
    """Return what a surprise card does, or what an ally is discarded for."""
    key, cards = word_of(answer), look.table.c.cards
    if key not in cards:
        return PASSES.get(look.kind)
    if cards[key].type != "ally":
        return says("does", 1, card=deed(look, key))
    word = word_of(fields(answer).get("with", ""))
    terms = next((terms for terms in cards[key].options if WORDS.get(terms.kind) == word), None)
    if terms is None:
        return None
    numbers = {"count": terms.count or terms.markers or terms.amount or terms.points, "need": terms.hits_on}
    return says(f"ally.{word}", 1, **numbers)


def noble(look: Seen, answer: Any) -> Meaning | None:
    """Return what a noble is: title, command, steps, heir or not, and where they are."""
    key = one(next(iter(answer.values()), "") if isinstance(answer, dict) else answer)
    if key not in look.table.state.blocks:
        return PASSES.get(look.kind)
    block, printed = look.table.state.blocks[key], look.table.c.blocks[key]
    able = command(look.table, key) if block.owner == look.seat else printed.command
    steps = told(look.table, key) if block.owner == look.seat else ""
    place = block.at if block.owner == look.seat and look.table.c.is_place(block.at) else ""
    near = sum((beside(look, place) | by_house(look, place)).values()) if place in look.table.c.shires else 0
    args = {"title": printed.title, "command": able, "steps": steps, "heir": is_heir(look.table.state, key)}
    found = Fact("noble" if printed.noble else "steps", {**args, "place": place, "near": near})
    return Meaning(follows=(found,), rank=able)


def bid(look: Seen, answer: Any) -> Meaning:
    """Return what is left in stock after a bid."""
    c, order = look.table.c, fields(answer)
    spent = order.get("points") or total(c, order.get("markers") or {})
    left = total(c, look.table.state.houses[look.seat].stock) - spent
    return says("ip_left" if spent else "keeps_ip", points=left)


def bids(look: Seen) -> Iterator[str]:
    """Yield bids for the own house: the least, a third, everything."""
    own = look.table.state.houses[look.seat]
    able = payable(look.table.c, own)
    sides = look.about["houses"]
    side = look.seat if look.seat in sides else sides[0]
    mine = eligible_nobles(look.table, look.word("office")).get(look.seat)
    yield PASS
    for points in sorted({able[0], able[len(able) // 3], able[-1]} if able else set()):
        yield f"bid {side} points={points}"
        if mine:
            yield f"bid {side} points={points} noble=later"
    if own.stock and not able:  # zeros alone
        yield f"bid {side} markers={next(iter(own.stock))}=1{' noble=later' * bool(mine)}"


def crowns(look: Seen, answer: Any) -> Meaning | None:
    """Return who is King if all candidates vote for themselves and the reader for this house; or after a tie."""
    state = look.table.state
    if answer not in state.houses:
        return None
    own = state.houses[answer]
    heir = next(iter(own.heirs), answer)
    if look.kind == "pick" and look.about["what"] != "crown":
        return says("has", points=own.vp, markers=sum(own.stock.values()))
    found = [Fact("has_crowned", {"points": own.vp, "turns": own.crowned})]
    if look.kind == "pick":
        return Meaning(follows=(Fact("is_king", {"block": heir}), *found))
    votes = {house: look.about["votes"][house] for house in look.about["running"]}
    if look.seat != answer:
        votes[answer] += look.about["votes"][look.seat]
        votes.pop(look.seat, None)
    best = [house for house, count in votes.items() if count == max(votes.values())]
    key = "would_be_king" if best == [answer] else "would_tie" if answer in best else "would_not"
    args = {"block": heir, "count": votes[answer], "house": look.who(best[0])}
    return Meaning(follows=(Fact(key, args), *found), rank=answer == look.seat)


def income(look: Seen, answer: Any) -> Meaning | None:
    """Return how good a way to take points is: the fewer zeros, the better."""
    return Meaning(rank=-answer["zeros"])


def incomes(look: Seen) -> Iterator[str]:
    """Yield the ways to take points, with no zeros or all."""
    for zeros in {0: 1, look.table.state.houses[look.seat].pool.get("ip0", 0): 1}:
        yield from (f"{how} zeros={zeros}" for how in ("small", "large"))


def orders(look: Seen) -> Iterator[str]:
    """Yield an order of the tied houses for each that may come first."""
    houses = look.about["houses"]
    for first in sorted(houses, key=lambda house: house != look.seat):
        yield " ".join([first, *(house for house in houses if house != first)])


def swaps(look: Seen) -> Iterator[str]:
    """Yield swaps of the reader's smallest stacks for the largest of others on another noble."""
    houses, c = look.table.state.houses, look.table.c
    mine = sorted(houses[look.seat].roll, key=lambda noble: total(c, houses[look.seat].roll[noble]))
    theirs = [(sum(pile.values()), noble, house) for house, own in houses.items() if house != look.seat
              for noble, pile in own.roll.items()]  # fmt: skip
    for _, noble, house in sorted(theirs, reverse=True)[:3]:
        yield from (f"swap {other} {look.seat} {noble} {house}" for other in mine[:2] if other != noble)
    yield PASS


def swap(look: Seen, answer: Any) -> Meaning | None:
    """Return the sizes of two stacks."""
    order, houses = fields(answer), look.table.state.houses
    if not order:
        return PASSES[look.kind]
    one, other = (
        sum(houses[order[house]].roll[order[on]].values()) for on, house in (("noble", "house"), ("other", "whose"))
    )
    return says("swapped", one=one, other=other)


def strikes(look: Seen, answer: Any) -> Meaning | None:
    """Return what an event meets in a shire."""
    if look.word("card") == "reinforcements":
        blocks, here = look.table.state.blocks, blocks_in(look.table.state, answer, look.seat)
        able = {key: most for key in here if blocks[key].steps < (most := full(look.table.c, key))}
        lacking = sum(able.values()) - sum(blocks[key].steps for key in able)
        of = {key: f"{blocks[key].steps}/{most}" for key, most in able.items()}
        return says("of_full" if able else "no_gain", lacking, blocks=of)
    few = len(struck_by(look)) <= MOST  # or else a fact has the best
    return Meaning(follows=way(look, answer) if few else (), rank=target_worth(look, answer))


def stack_targets(look: Seen) -> Iterator[str]:
    """Yield the stacks of other houses, those of the leading house and the smallest first."""
    state, word = look.table.state, "hidden " if look.kind == "plot" else ""
    found = [(-state.houses[house].vp, count, place, house) for place in look.table.c.shires
             for house, count in by_house(look, place).items()]  # fmt: skip
    yield from (f"{word}{place} {house}" for _, _, place, house in sorted(found)[:8])


def hits_stack(look: Seen, answer: Any) -> Meaning | None:
    """Return how much it hurts: by the number of blocks there, and by how near their house is to victory."""
    order = fields(answer)
    if "place" not in order:
        return None
    count = by_house(look, order["place"]).get(order["house"], 0)
    vp = look.table.state.houses[order["house"]].vp
    return Meaning(rank=vp - count if look.kind == "plot" else vp + count)  # a fact has the numbers


def heart(look: Seen, answer: Any) -> Meaning | None:
    """Return where a noble goes, or who they are."""
    order = fields(answer)
    if to := order.get("to", ""):
        return Meaning(follows=(Fact("full_strength"), *way(look, to)), rank=comfort(look, to))
    meant = noble(look, order.get("with", ""))
    return Meaning(follows=(*meant.follows, Fact("off_map")), rank=-1) if meant is not None else None


def responds(look: Seen, answer: Any) -> Meaning | None:
    """Return who goes to meet raiders or rebels, and the chance that none of their dice hits."""
    order, table = fields(answer), look.table
    key = order.get("noble", "") or next(iter(order.get("nobles", ())), "")
    if not key:
        return PASSES["respond"] if answer == PASS else None
    block = table.state.blocks[key]
    if block.owner != look.seat:
        return None
    count, colour = dice_of(table, str(look.about["what"]), at(look), look.seat, key)
    miss = ((table.c.numbers.dice.need(colour) - 1) / DIE) ** count
    found = Fact("goes_there", {"chance": percent(miss), "steps": told(table, key), "place": block.at})
    return Meaning(follows=(found,), rank=block.steps + 9 * ("noble" in order))  # a writ costs a card too


def responders(look: Seen) -> Iterator[str]:
    """Yield the reader's nobles who have land there, and those whom a writ of theirs could call."""
    table, errand = look.table, writs.WritEvent(at(look))
    yield from (f"answer {key}" for key in landed(table, look.seat, at(look)))
    mine = [key for key in writs.nameable(table, look.seat, errand)
            if table.state.blocks[key].owner == look.seat and writs.can_go(table, look.seat, key)]  # fmt: skip
    for paid in writs.cards(table, look.seat)[:1]:
        best = sorted(mine, key=lambda key: -table.state.blocks[key].steps)
        yield from (f"writ {paid} nobles={key}" for key in best[:3])


def disorders(look: Seen) -> Iterator[str]:
    """Yield the purchase of steps for the weakest nobles."""
    table, own = look.table, look.table.state.houses[look.seat]
    keys = [key for key in table.state.blocks if table.state.blocks[key].owner == look.seat
            and table.c.blocks[key].noble and table.state.blocks[key].at in table.c.shires
            and owners(table.state, table.state.blocks[key].at) == [look.seat]]  # fmt: skip
    wanted = most_needed(table, keys, total(table.c, own.stock))
    if wanted and (markers := compose(table.c, own.stock, len(wanted))):
        paid = ",".join(f"{key}={count}" for key, count in markers.items())
        yield f"markers={paid} blocks={','.join(wanted)}"
    yield "markers=none blocks=none"


def settles(look: Seen) -> Iterator[str]:
    """Yield all nobles in order, if they are few, or one of them."""
    found = boxes(look.table)
    yield from [" ".join(found)] * (len(found) <= MOST)
    yield from found


def settled(look: Seen, answer: list[str]) -> Meaning:
    """Return that the nobles who aren't named are asked for later, where an answer may name all."""
    count = len(boxes(look.table))
    return says("others_follow") if len(answer) < count <= MOST else Meaning(rank=len(answer) == count)


def winnable(look: Seen, most: int) -> Iterator[tuple[str, str]]:
    """Yield nobles whom the stock can win now, with the markers for it."""
    c, own = look.table.c, look.table.state.houses[look.seat]
    for key in reachable(look)[:most]:
        if markers := compose(c, own.stock, missing(look, key), large=True):
            yield key, ",".join(f"{kind}={count}" for kind, count in markers.items())


def kingmaker(look: Seen) -> Iterator[str]:
    """Yield the nobles that the stock can win now."""
    yield PASS
    yield from (f"put noble={noble} markers={markers}" for noble, markers in winnable(look, 3))


def takes_back(look: Seen, answer: Any) -> Meaning:
    """Return the points that come back from the Roll."""
    points = worth(look.table, answer)
    return says("back", -points, points=points)


def takings(look: Seen) -> Iterator[str]:
    """Yield the smallest markers, from each of the reader's nobles on the Roll first."""
    c, roll = look.table.c, look.table.state.houses[look.seat].roll
    for first in list(roll)[:4]:
        left, taken = look.number("count"), list[str]()
        for noble in sorted(roll, key=lambda key: key != first):
            for kind in sorted(roll[noble], key=lambda kind: total(c, {kind: 1})):
                count = min(left, roll[noble][kind])
                left -= count
                taken += [f"{noble}-{kind}={count}"] if count else []
        yield " ".join(taken)


def sheltering(look: Seen) -> Iterator[str]:
    """Yield each noble who can be the host of both royals."""
    yield from (" ".join([key] * len(look.about["blocks"])) for key in hosts(look.table, "lancaster", placed=False))


def noble_won(look: Seen, noble: str) -> dict[str, Any]:
    """Return the base of a noble, whom they serve, and their title."""
    card = look.table.c.blocks[noble]
    return {"base": card.base, "serves": house_of(look, look.table.state.blocks[noble].owner), "title": card.title}


def puts(look: Seen, answer: Any) -> Meaning | None:
    """Return the points laid on a noble, and the base."""
    order, c = fields(answer), look.table.c
    if not order:
        return None
    return says("lays", points=total(c, order["markers"]), **noble_won(look, order["noble"]))
