"""What is scored, and what a change of the map does to it: Awards, goods, Prestige, VP, Debt (4.1.12, 5.2, 7.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import sub
from typing import Any, NamedTuple

from games.imperial_struggle import board
from games.imperial_struggle.scoring import leader
from games.imperial_struggle.state import BRITAIN, FRANCE, MAJOR, MINOR, NOBODY, OTHER, SEATS
from games.imperial_struggle.table import Table
from games.imperial_struggle.wars import conquest
from games.imperial_struggle.wars.fight import listed
from pbem.kernel.evidence import NEVER, Fact, Look, Meaning

StruggleLook = Look[Table]
NONE = "none"
_NEAR = 3
"""The lead up to which an Award is still told with a tile."""
UNCHANGED = Meaning(follows=(Fact("no_change"),))


class Goal(NamedTuple):
    """What is scored: its name, the spaces that count, the reward, and the lead that it takes."""

    name: str
    spaces: tuple[str, ...]
    vp: int = 0
    trp: int = 0
    margin: int = 1

    @property
    def told(self) -> list[str]:
        """The reward, and the lead that it takes if that is more than one."""
        return [*filter(None, (self.reward,)), *([f"by-{self.margin}"] if self.margin > 1 else [])]

    @property
    def reward(self) -> str:
        parts = [f"{n}{what}" for n, what in ((self.vp, "VP"), (self.trp, "TRP")) if n]
        return "+".join(parts)


def awards(table: Table) -> list[Goal]:
    """Return the Awards of this turn, and Prestige. In a war they have been paid, and the next are not known."""
    state, c = table.state, table.c
    paid = state.phase == "war"
    found = [
        Goal(region, c.of_region[region], *(() if paid else (award.vp, award.trp, award.margin)))
        for region, award in ((region, c.awards[key]) for region, key in state.awards.items())
    ]
    prestige = tuple(space for space in c.prestige if board.in_play(table, space))
    return [*found, Goal("prestige", prestige, 0 if paid else c.scoring["prestige"])]


def good(table: Table, name: str) -> Goal:
    """Return a commodity with its reward in this era."""
    reward = table.c.commodities[name].reward(table.c.turn(table.state.turn).era)
    return Goal(name, table.c.of_commodity[name], reward.vp, reward.trp)


def demand(table: Table) -> list[Goal]:
    """Return the goods in demand; in a war all, without a reward."""
    if table.state.phase == "war":
        return [Goal(name, table.c.of_commodity[name]) for name in table.c.commodities]
    return [good(table, name) for name in table.state.demand]


def ratio(look: StruggleLook, spaces: Iterable[str]) -> str:
    """Return how many of these spaces count for the reader and for the other side."""
    britain, france = board.tally(look.table.state, spaces)
    return f"{britain}:{france}" if look.seat == BRITAIN else f"{france}:{britain}"


def lead(look: StruggleLook, goal: Goal) -> int:
    """Return 1 if the reader wins this as things stand, -1 if the other side does."""
    first = leader(*board.tally(look.table.state, goal.spaces), goal.margin)
    return 0 if not first else 1 if first == look.seat else -1


# -- facts -------------------------------------------------------------------------------------------------------------


def score(look: StruggleLook) -> Iterator[Fact]:
    """Yield the goods in demand and the Awards: who has how many, and the reward."""
    war = look.table.state.phase == "war"
    full = look.kind in ("initiative", "tile", "points_type", "add_demand")
    for key, goals in (("goods", [] if war else demand(look.table)), ("awards", awards(look.table))):
        near = key == "awards" and look.kind == "tile"
        shown = [goal for goal in goals if not near or abs(sub(*board.tally(look.table.state, goal.spaces))) <= _NEAR]
        said = {goal.name: [ratio(look, goal.spaces), *goal.told] for goal in shown}
        if said:
            main = full and (key == "goods" or look.kind not in ("initiative", "points_type"))
            yield Fact("regions" if war else key + "_near" * near, {"counts": said, "gap": _NEAR}, main=main)
    if war and look.kind in ("unflag", "spoils_unflag", "conquer"):
        yield Fact("market_region")


def purse(look: StruggleLook) -> Iterator[Fact]:
    """Yield the points left, and what Debt and Treaty Points could add."""
    state, now, side = look.table.state, look.table.state.round, look.table.state.sides[look.seat]
    pools = [pool for pool in now.pools if pool.points] if now is not None else []
    said = {
        action: [f"{pool.type} {pool.points}" for pool in pools if pool.action == action and not pool.limit]
        for action in (MAJOR, MINOR, "any")
    }
    limited = {pool.limit: f"{pool.type} {pool.points}" for pool in pools if pool.limit}
    debt = {"debt": board.available_debt(state, look.seat), "trp": side.trp}
    yield Fact("points" if pools else "debt_left", {**said, **debt, "limited": limited, "spent": look.kind == "act"})


def track(look: StruggleLook) -> Iterator[Fact]:
    """Yield the VP, and where the game ends."""
    ends, vp = look.table.c.scoring, look.table.state.vp
    said = {"vp": vp, "high": look.who(FRANCE), "most": ends["france_wins"], "low": look.who(BRITAIN)}
    main = look.kind in ("refuse", "score_cotton", "spoils_unflag")
    yield Fact("track", {**said, "least": ends["britain_wins"]}, main=main)


def region(look: StruggleLook) -> Iterator[Fact]:
    """Yield how the Region of the space stands, and what a further refusal costs."""
    c, space = look.table.c, look.word("space")
    yield Fact("region", {"region": c.region[space], "count": ratio(look, c.of_region[c.region[space]])}, (space,))
    refused = len(look.table.state.sides[look.seat].refused) + 1
    if refused < len(c.refusals):
        yield Fact("refusal_next", {"vp": c.refusals[refused]})


# -- what a change of the map means ------------------------------------------------------------------------------------


def change(look: StruggleLook, spaces: Iterable[str], owner: str = NOBODY, *, marked: bool = False) -> Meaning:
    """Return what becomes of all counts, Advantages and VP if spaces get this owner, or a Conflict marker."""
    state, named = look.table.state, list(spaces)
    goals = [goal for goal in (*demand(look.table), *awards(look.table)) if not set(named).isdisjoint(goal.spaces)]
    before = {goal: (ratio(look, goal.spaces), lead(look, goal)) for goal in goals}
    flags, conflicts = state.flags, state.conflicts
    if marked:
        state.conflicts = {**conflicts, **dict.fromkeys(named, 1)}
    else:
        state.flags = {**flags, **dict.fromkeys(named, owner)}
        state.conflicts = {key: n for key, n in conflicts.items() if key not in named}
    after = {goal: (ratio(look, goal.spaces), lead(look, goal)) for goal in goals}
    state.flags, state.conflicts = flags, conflicts
    moved = [goal for goal in goals if before[goal][0] != after[goal][0]]
    turned = {goal: after[goal][1] - before[goal][1] for goal in goals}
    swing, trp = (sum(getattr(goal, what) * turned[goal] for goal in goals) for what in ("vp", "trp"))
    telling = [goal for goal in moved if goal.reward and turned[goal]]
    goods = [goal for goal in moved if goal.name in look.table.c.commodities and state.phase == "war"]
    told = sorted(goods or telling or moved, key=lambda goal: goal.margin)  # the lead is said behind its count
    said = {goal.name: f"{before[goal][0]}→{after[goal][0]}" for goal in told}
    rewards = {"vp": f"{swing:+d}" if swing else "", "trp": f"{trp:+d}" if trp else ""}
    lead_needed = max((goal.margin for goal in told), default=1)
    said_of = {"counts": said, "lead": lead_needed if lead_needed > 1 else "", **rewards}
    follows = [Fact("counts", said_of)] if said else [Fact("no_count")]
    for space in named:
        follows += [*([] if marked else _advantages(look, space, owner)), *_uses(look, space)]
    worth = sum((goal.vp + goal.trp / 2 + 0.1) * _better(before[goal][0], after[goal][0]) for goal in moved)
    return Meaning(follows=tuple(follows), rank=2 * swing + worth / 2)


def _better(before: str, after: str) -> int:
    """Return whether a count has become better for the reader, 1, or worse, -1."""
    was, then = (int(mine) - int(theirs) for mine, theirs in (before.split(":"), after.split(":")))
    return 1 if then > was else -1


def _advantages(look: StruggleLook, space: str, owner: str) -> Iterator[Fact]:
    """Yield the Advantages that change hands with a flag."""
    state = look.table.state
    for key in look.table.c.fed.get(space, ()):
        others = {state.flags[other] for other in look.table.c.advantages[key].spaces if other != space}
        if owner in SEATS and others <= {owner}:
            yield Fact("gains_advantage", {"seat": look.who(owner), "advantage": key})
        elif state.advantages[key]:
            yield Fact("ends_advantage", {"seat": look.who(state.advantages[key]), "advantage": key})


def _uses(look: StruggleLook, space: str) -> Iterator[Fact]:
    """Yield that a Market's good is not in demand, and in which theater of the next war a space is an Alliance."""
    c, state = look.table.c, look.table.state
    place = c.spaces[space]
    if place.commodity and place.commodity not in state.demand and state.phase != "war":
        yield Fact("idle", {"good": place.commodity})
    fronts = c.wars[state.war].theaters if state.war else ()
    found = [front.id for front in fronts if space in listed(c, state.war, front.id)]
    if found:
        yield Fact("alliance_in", {"theaters": found})


def held(look: StruggleLook, spaces: Iterable[str]) -> tuple[Fact, ...]:
    """Return whose flags are on these spaces."""
    flags = look.table.state.flags
    owners = dict.fromkeys(look.who(flags[space]) for space in spaces if flags[space])
    return (Fact("held_by", {"holders": list(owners)}),) if owners else ()


def removal(look: StruggleLook, answer: str) -> Meaning:
    """Return what the removal of a flag changes."""
    return UNCHANGED if answer == NONE else change(look, [answer])


def shift(look: StruggleLook, answer: str) -> Meaning:
    """Return what a shift changes: a flag is removed, or an own one placed."""
    if answer == NONE:
        return UNCHANGED
    taken = look.table.state.flags[answer]
    made = change(look, [answer], NOBODY if taken else look.seat)
    return Meaning(follows=(*made.follows, Fact("removes" if taken else "places")), rank=made.rank)


def marking(look: StruggleLook, answer: Any) -> Meaning:
    """Return what Conflict markers change: their spaces count for nobody, and cost less."""
    spaces, flags = answer if isinstance(answer, list) else [answer], look.table.state.flags
    made = change(look, spaces, marked=True)
    theirs = sum((flags[key] == OTHER[look.seat]) - (flags[key] == look.seat) for key in spaces)
    return Meaning(follows=(*made.follows, *held(look, spaces)), rank=made.rank + theirs / 2)


def by_good(look: StruggleLook, spaces: Iterable[str], said: Callable[[str], str]) -> dict[str, list[str]]:
    """Return spaces by their good, or Region, with its count and reward; goods in demand first."""
    places, found = look.table.c.spaces, dict[str, list[str]]()
    for key in spaces:
        found.setdefault(places[key].commodity or places[key].region, []).append(said(key))
    goals = {goal.name: goal for goal in (*demand(look.table), *awards(look.table))}
    order = sorted(found, key=lambda name: (name not in look.table.state.demand, name not in goals))
    counts = {name: f"{ratio(look, goal.spaces)}{goal.reward and f' ({goal.reward})'}" for name, goal in goals.items()}
    return {name: [*([counts[name]] if name in counts else []), *found[name]] for name in order}


def theirs(look: StruggleLook) -> Iterator[Fact]:
    """Yield the spaces of the other side in India that can be marked, by good, and the counts of the goods there."""
    table, c, other = look.table, look.table.c, OTHER[look.seat]
    found = [key for key in c.of_region["india"] if table.state.flags[key] == other and board.markable(table, key)]
    found = [key for key in found if not board.protected(table, key)]
    yield Fact("theirs", {"seat": other, "spaces": by_good(look, found, str)}, tuple(found))
    names = dict.fromkeys(c.spaces[key].commodity for key in c.of_region["india"] if c.spaces[key].commodity)
    yield Fact("goods_there", {"counts": {name: ratio(look, c.of_commodity[name]) for name in names}}, main=False)


def usa(look: StruggleLook, answer: list[str]) -> Meaning:
    """Return whose flags give way to USA flags, and the VP for these at the end; or whose leave their Forts."""
    if not answer:
        return UNCHANGED
    if look.kind == "usa_flags":  # 10, 11: a Territory that was British at set-up counts for France
        taken = [key for key in answer if look.table.c.spaces[key].setup == BRITAIN]
        won = sum(look.table.state.flags[key] != FRANCE for key in taken) * look.table.c.scoring["territory"]
        owners = dict.fromkeys(look.who(look.table.state.flags[key]) for key in answer if look.table.state.flags[key])
        told = (Fact("usa_end", {"vp": won, "holders": list(owners)}),)
        nothing = len(answer) - len(taken)  # one that brings nothing comes later, and is offered alone
        return Meaning(follows=told, rank=NEVER if nothing and len(answer) > 1 else won - 3 * nothing)
    made = change(look, answer, NOBODY)
    return Meaning(follows=(*made.follows, *held(look, answer)), rank=made.rank)


def conquering(look: StruggleLook, answer: Any) -> Meaning:
    """Return what a conquest changes, and what it costs; to stop loses the points."""
    if isinstance(answer, str):
        return Meaning(follows=(Fact("points_lost", {"points": look.number("points")}),))
    space = answer["space"]
    made, cost = change(look, [space], look.seat), conquest.price(look.table, space)
    dearer = cost if cost > min(look.table.c.conquest.values()) else 0
    lands = _territory(look, space) if look.table.c.spaces[space].type == "territory" else ()
    return Meaning(
        dearer,
        None,
        (*lands, *made.follows, *held(look, [space])),
        made.rank + sum(sum(fact.args.values()) for fact in lands),
    )


def _territory(look: StruggleLook, space: str) -> tuple[Fact, ...]:
    """Return the VP for a Territory at the end, and what it costs the other side to refuse it."""
    c, state, other = look.table.c, look.table.state, OTHER[look.seat]
    vp, before, refused = c.scoring["territory"], c.spaces[space].setup, len(state.sides[other].refused)
    refusable = state.flags[space] == other and refused < len(c.refusals)
    said = {"vp": vp * (before == other), "denied": vp * (before == look.seat and state.flags[space] == other)}
    said["refusal"] = c.refusals[refused] if refusable else 0
    return (Fact("territory", said),) if any(said.values()) else ()


def refusal(look: StruggleLook, answer: str) -> Meaning:
    """Return the VP after either answer."""
    vp, space = look.table.state.vp, look.word("space")
    if answer == conquest.CEDE:
        made = change(look, [space], OTHER[look.seat])
        return Meaning(follows=(Fact("vp_stays", {"vp": vp}), *made.follows))
    vp += look.number("vp") * (1 if look.seat == BRITAIN else -1)
    return Meaning(follows=(Fact("vp_then", {"vp": vp}),))
