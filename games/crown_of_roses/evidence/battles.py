"""What battles turn on: both sides, the hits to expect, and what becomes of blocks by each answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from games.crown_of_roses.battle.battle_forces import leaders, limit, strongest
from games.crown_of_roses.battle.charges import chargers
from games.crown_of_roses.battle.dice import inspiration
from games.crown_of_roses.battle.forces import GARRISON, counted, dice, everything, fullest, line_of, present
from games.crown_of_roses.battle.plans import DEFAULTS
from games.crown_of_roses.evidence.answers import blocks_word, comfort, departure, fields, percent, way
from games.crown_of_roses.evidence.facts import DIE, Seen, at, by_house, troops
from games.crown_of_roses.interception import ways_out
from games.crown_of_roses.query import blocks_in, full, is_heir, party
from games.crown_of_roses.state import Battle
from games.crown_of_roses.table import Table
from pbem.kernel.domains import PASS
from pbem.kernel.evidence import NEVER, Fact, Meaning
from pbem.kernel.joint_questions import asks_together


def side(look: Seen, battle: Battle, house: str) -> Iterator[Fact]:
    """Yield what a seat sees of one side of an engagement."""
    table, own = look.table, battle.sides[house]
    mine, here = house == look.seat, [*line_of(table, battle, own), *own.reserve]
    seen = [key for key in here if mine or key == GARRISON or table.state.blocks[key].shown]
    who = {"house": look.who(house)}
    force = [key for key in seen if key not in own.reserve] or seen
    if force:
        yield Fact("side", {**who, "blocks": troops(table, force)}, (battle.place,))
    if mine and len(force) < len(seen):
        yield Fact("in_reserve", {"blocks": troops(table, own.reserve)})
    if hidden := len(here) - len(seen):
        yield Fact("side_unseen", {**who, "count": hidden}, (battle.place,))
    if mine and own.waiting:
        yield Fact("coming", {"blocks": troops(table, own.waiting)})
    elif own.waiting:
        yield Fact("side_coming", {**who, "count": len(own.waiting)})


def battle(look: Seen) -> Iterator[Fact]:
    """Yield both sides of the engagement, the reader's first."""
    fought = look.table.state.battle
    pair = (fought.attacker, fought.defender) if fought is not None else ()
    for house in sorted(pair, key=lambda house: house != look.seat):
        assert fought is not None
        yield from side(look, fought, house)


def hits_due(table: Table, fought: Battle, keys: Iterable[str], house: str) -> float:
    """Return the hits that the dice of blocks bring on average."""
    need, hits = table.c.numbers.dice.need, 0.0
    for key in keys:
        bonus = inspiration(table, fought, house, key)
        hits += sum(n * (7 - max(1, need(colour) - bonus)) / 6 for colour, n in dice(table, key).items())
    return hits


def odds(look: Seen) -> Iterator[Fact]:
    """Yield the hits to expect in a round, once both forces are open."""
    table, fought = look.table, look.table.state.battle
    if fought is None or look.seat not in (fought.attacker, fought.defender):
        return
    mine, theirs = fought.sides[look.seat], fought.sides[fought.enemy(look.seat)]
    if not theirs.force or not all(table.state.blocks[key].shown for key in theirs.force):
        return
    due = [hits_due(table, fought, line_of(table, fought, part), part.house) for part in (mine, theirs)]
    yield Fact("odds", {"mine": f"{due[0]:.1f}", "theirs": f"{due[1]:.1f}"})


def prize(look: Seen) -> Iterator[Fact]:
    """Yield the heirs who fight, as far as the reader knows: who beats one gains popular support."""
    fought, state = look.table.state.battle, look.table.state
    here = blocks_in(state, fought.place) if fought is not None else []
    heirs = [key for key in here if is_heir(state, key)]
    if mine := [key for key in heirs if state.blocks[key].owner == look.seat]:
        yield Fact("own_heirs", {"blocks": mine})
    if theirs := [key for key in heirs if state.blocks[key].shown and key not in mine]:
        yield Fact("their_heirs", {"blocks": theirs})


def most_led(look: Seen) -> Iterator[Fact]:
    """Yield how many blocks each leader there may command."""
    fought = look.table.state.battle
    if fought is None:
        return
    own = fought.sides[look.seat]
    for key in leaders(look.table, fought, own)[:2]:
        yield Fact("may_lead", {"block": key, "count": limit(look.table, key, present(own))})


def pursuers(look: Seen) -> Iterator[Fact]:
    """Yield who could pursue a retreat, and how many cards they hold."""
    fought, state = look.table.state.battle, look.table.state
    assert fought is not None
    if not any(is_heir(state, key) for key in everything(look.table, fought, look.seat)):
        yield Fact("no_pursuers")
        return
    hands = {house: len(state.houses[house].hand) for house in fought.sides if house != look.seat}
    yield Fact("pursuers", {"ops": look.table.c.numbers.battle.pursuit_ops, "hands": hands})


def payers(look: Seen) -> Iterator[Fact]:
    """Yield what a card does for, or against, a pursuit; that the reader has none."""
    ops = look.table.c.numbers.battle.pursuit_ops
    houses, fought = look.table.state.houses, look.table.state.battle
    assert fought is not None
    hand = houses[look.seat].hand
    able = any(look.table.c.cards[card].ops == ops for card in hand)
    count = len(houses[fought.enemy(look.seat)].hand)
    yield Fact(look.kind, {"ops": ops, "count": count}) if able else Fact("no_payers", {"ops": ops})
    if look.kind == "press" and len(hand) == 1:
        yield Fact("last_card", {"card": hand[0]})


def rolled(look: Seen) -> Iterator[Fact]:
    """Yield the hits of those who rolled, a noble's with those of the blocks that go with them."""
    hits: Counter[str] = Counter()
    blocks = look.table.state.blocks
    for key, count in look.about.get("rolls", {}).items():
        host = blocks[key].host if key in blocks else ""
        hits[host if host in look.about["rolls"] else key] += count
    yield Fact("rolled", {"hits": hits, "led": len(hits) < len(look.about.get("rolls", {}))})


def makes_room(look: Seen, answer: Any) -> Meaning:
    """Return where blocks above the limit go, or whether any could."""
    if answer != PASS:
        to = next((move["to"] for move in fields(answer).get("with", ())), "")
        return Meaning(follows=way(look, to, at(look)), rank=1 + comfort(look, to))
    excess = look.number("count") - look.number("limit")
    hosts = [key for key in blocks_in(look.table.state, at(look), look.seat) if not look.table.state.blocks[key].host]
    fits = any(0 < counted(party(look.table.state, key)) <= excess for key in hosts)
    return Meaning(follows=(Fact("attrition_all" if fits else "stays_all", {"count": excess}),))


def attacks(look: Seen, answer: Any) -> Meaning:
    """Return who fights in a shire, how many against how many."""
    mine = blocks_in(look.table.state, answer, look.seat)
    foes = by_house(look, answer)
    return Meaning(follows=(Fact("mine_against", {"blocks": troops(look.table, mine), "foes": foes}),), rank=len(mine))


def after(look: Seen, answer: Any, change: int) -> tuple[Fact, ...]:
    """Return what is left of blocks that lose or gain steps, once for each time they are named."""
    table, left, fallen = look.table, dict[str, str](), list[str]()
    for key in dict.fromkeys(answer):
        if key not in table.state.blocks:
            continue
        steps = min(full(table.c, key), table.state.blocks[key].steps + change * answer.count(key))
        if steps > 0:
            left[key] = f"{steps} ({table.c.blocks[key].steps[-steps]})"
        else:
            fallen.append(key)
    found = [Fact("then", {"blocks": left})] if left else []
    return (*found, *([Fact("fall", {"blocks": fallen})] if fallen else []))


def loses(look: Seen, answer: Any) -> Meaning | None:
    """Return what is left of blocks that lose steps."""
    named = [answer] if isinstance(answer, str) else answer
    if not isinstance(named, list):
        named = [key for part in fields(answer).values() for key in part]
    heirs = sum(key in look.table.state.blocks and is_heir(look.table.state, key) for key in named)
    part = look.kind == "losses" and 0 < len(named) < look.number("count")
    follows = (*after(look, named, -1), *([Fact("rest_by_itself")] if part else []))
    again = named != sorted(named)  # another order of the same blocks
    rank = -heirs - 9 * (not named) - 2 * part - 4 * again
    return Meaning(follows=follows if named else (Fact("by_itself"),), rank=rank)


def gains(look: Seen, answer: Any) -> Meaning | None:
    """Return the steps of blocks that gain some."""
    named = [key for key in answer if key in look.table.state.blocks]
    return Meaning(follows=after(look, named, 1) if named else (Fact("no_gain"),))


def buys(look: Seen, answer: Any) -> Meaning:
    """Return the steps of blocks for which markers are paid, or that they are paid for nothing."""
    named, paid = answer["blocks"], answer["markers"]
    return Meaning(follows=after(look, named, 1), rank=NEVER if look.kind == "disorder" and paid and not named else 0)


def rerolls(look: Seen, answer: Any) -> Meaning | None:
    """Return the hits of a noble and the blocks that roll again with them, and what new dice bring on average."""
    fought, noble, blocks = look.table.state.battle, fields(answer).get("noble", ""), look.table.state.blocks
    if fought is None or not noble:
        return None
    again = [key for key in look.about["rolls"] if key == noble or (key in blocks and blocks[key].host == noble)]
    due = hits_due(look.table, fought, again, blocks[noble].owner)
    now = sum(look.about["rolls"][key] for key in again)
    gain = due - now
    rank = gain if blocks[noble].owner == look.seat else -gain
    told = {"others": [key for key in again if key != noble], "now": now, "hits": f"{due:.1f}"}
    return Meaning(follows=(Fact("expected", told),), rank=rank)


def force(look: Seen, answer: Any) -> Meaning:
    """Return the dice of a battle force, and who stays in reserve."""
    table, battle = look.table, look.table.state.battle
    assert battle is not None
    order = fields(answer)
    going = [key for key in (order.get("leader", ""), *order["blocks"]) if key]
    colours: dict[str, int] = {}
    for key in going:
        for colour, count in dice(table, key).items():
            colours[colour] = colours.get(colour, 0) + count
    stay = [key for key in present(battle.sides[look.seat]) if key not in going]
    found = [Fact("dice", {"dice": "".join(f"{colours[key]}{key}" for key in "RBG" if key in colours)})]
    found.append(Fact("reserve", {"blocks": stay}) if stay else Fact("no_reserve"))
    return Meaning(follows=tuple(found), rank=hits_due(table, battle, going, look.seat))


def forces(look: Seen) -> Iterator[str]:
    """Yield battle forces: the strongest, its leader with one block, or alone."""
    battle = look.table.state.battle
    assert battle is not None
    best = strongest(look.table, battle, battle.sides[look.seat])
    for count in dict.fromkeys((len(best["blocks"]), 1, 0)) if "leader" in best else ():
        yield f"{best['leader']} blocks={blocks_word(best['blocks'][:count])}"


def brings(look: Seen) -> Iterator[str]:
    """Yield the strongest reinforcement."""
    battle = look.table.state.battle
    assert battle is not None
    best = fullest(look.table, battle.sides[look.seat])
    yield best if isinstance(best, str) else f"bring {best['leader']} blocks={blocks_word(best['blocks'])}"


def comes(look: Seen, answer: Any) -> Meaning | None:
    """Return who comes in as reinforcement, with all that belong to them."""
    return Meaning(follows=departure(look, order, at(look))[:1]) if (order := fields(answer)) else None


def charge(look: Seen, answer: Any) -> Meaning:
    """Return the chance that the target of a charge falls at once, and what it strikes back with."""
    table, battle, order = look.table, look.table.state.battle, fields(answer)
    if not order or battle is None:
        return Meaning(follows=(Fact("no_charge"),))
    bonus = table.c.numbers.battle.charge + inspiration(table, battle, look.seat, order["heir"])
    spread = [1.0]
    for colour, count in dice(table, order["heir"]).items():
        hit = (DIE + 1 - max(1, table.c.numbers.dice.need(colour) - bonus)) / DIE
        for _ in range(count):
            spread = [a * (1 - hit) + b * hit for a, b in zip([*spread, 0], [0, *spread], strict=True)]
    target = order["target"]
    steps = table.state.garrison.steps if target == "garrison" else table.state.blocks[target].steps
    back = hits_due(table, battle, [target], battle.enemy(look.seat))
    found = (Fact("strikes_back", {"chance": percent(sum(spread[steps:])), "hits": f"{back:.1f}"}),)
    return Meaning(follows=found, rank=sum(spread[steps:]) - back / 9)


def heirs_who_charge(look: Seen) -> Iterator[Fact]:
    """Yield the reader's heirs who can charge, and what happens to one who falls."""
    battle, charts = look.table.state.battle, look.table.c.numbers
    assert battle is not None
    yield Fact("chargers", {"blocks": troops(look.table, chargers(look.table, battle.sides[look.seat]))})
    enemy = battle.sides[battle.enemy(look.seat)]
    yield Fact("targets", {"blocks": troops(look.table, line_of(look.table, battle, enemy))})
    rules = {"bonus": charts.battle.charge, "modifier": charts.elimination.charge}
    yield Fact("charge_rules", rules, main=False)
    chart = charts.elimination
    yield Fact("heir_fate", {"chance": percent((chart.killed_max - chart.heir) / DIE)})


def parley(look: Seen, answer: Any) -> Meaning:
    """Return what becomes of an engagement by a plan."""
    order = fields(answer)
    key = order.get("parley", "usual" if asks_together(look.table) else PASS)
    stuck = key == "withdraw" and not ways_out(look.table, look.seat, at(look))
    if key == "fight":  # without settings it is no plan
        settled = [f"{name}={word}" for name, word in order.items() if name not in ("do", "parley")]
        key = settled[0] if len(settled) == 1 else "settled" if settled else key
    rank = NEVER if key == "settled" and asks_together(look.table) else -len(order) - stuck  # the same as none
    return Meaning(follows=(Fact(f"parley.{key}", {"stuck": stuck}),), rank=rank)


def fallen(look: Seen) -> Iterator[Fact]:
    """Yield the nobles of the reader about to roll on the elimination table, and its results."""
    battle, chart = look.table.state.battle, look.table.c.numbers.elimination
    if battle is not None and look.seat in battle.sides and (gone := battle.sides[look.seat].gone):
        yield Fact("fallen", {"blocks": gone})
        yield Fact("fates", {"killed": chart.killed_max, "wounded": chart.wounded_max, "heir": chart.heir})


_SETTLED = " ".join(f"{key}={word}" for key, word in DEFAULTS.items())


def parleys(look: Seen) -> Iterator[str]:
    """Yield plans: to fight, not to fight, and to fight with all that a plan can settle, or otherwise than usual."""
    yield from (PASS, "plan withdraw", "plan grant", "plan fight", "plan fight retreat=never")
    if any(is_heir(look.table.state, key) for key in blocks_in(look.table.state, at(look), look.seat)):
        yield "plan fight charge=heir"
    yield f"plan fight {_SETTLED}"
