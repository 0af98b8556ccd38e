"""What the decisions turn on: facts of each question, and what its answers mean (`Kit.turns_on`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from games.imperial_struggle import board, military, sequence, shifting, tiles  # noqa: F401 - all kinds of question
from games.imperial_struggle.events.conditions import fulfilled
from games.imperial_struggle.scoring import leader
from games.imperial_struggle.state import BRITAIN, FRANCE, MAJOR, MINOR, NOBODY, OTHER, SEATS, USA
from games.imperial_struggle.table import KIT, Table
from games.imperial_struggle.wars import conquest
from games.imperial_struggle.wars.strength import listed, strength
from pbem.kernel.domains import PASS
from pbem.kernel.evidence import Fact, Look, Meaning

Sight = Look[Table]
NONE, BOX = "none", "box"

# -- what is scored at the end of the turn -----------------------------------------------------------------------------


class Goal(NamedTuple):
    """What is scored: its name, the spaces that count, the reward, and the lead that it takes."""

    name: str
    spaces: tuple[str, ...]
    vp: int
    trp: int
    margin: int


def awards(table: Table) -> list[Goal]:
    """Return the Awards of this turn, and Prestige. In a war they have been paid, and the next are not known."""
    state, c = table.state, table.c
    found = [
        Goal(region, c.of_region[region], 0, 0, 1)
        if state.phase == "war"
        else Goal(region, c.of_region[region], c.awards[key].vp, c.awards[key].trp, c.awards[key].margin)
        for region, key in state.awards.items()
    ]
    prestige = tuple(space for space in c.prestige if board.in_play(table, space))
    return [*found, Goal("prestige", prestige, c.scoring["prestige"], 0, 1)]


def goods(table: Table, names: Iterable[str]) -> list[Goal]:
    """Return commodities with their rewards in this era."""
    c, era = table.c, table.c.turn(table.state.turn).era
    rewards = {name: c.commodities[name].reward(era) for name in names}
    return [Goal(name, c.of_commodity[name], one.vp, one.trp, 1) for name, one in rewards.items()]


def _demanded(table: Table) -> list[Goal]:
    """Return the commodities in demand; in a war all, without a reward."""
    if table.state.phase != "war":
        return goods(table, table.state.demand)
    return [Goal(name, table.c.of_commodity[name], 0, 0, 1) for name in table.c.commodities]


def _ratio(look: Sight, spaces: Iterable[str]) -> str:
    """Return how many of these spaces count for the reader and for the other side."""
    britain, france = board.tally(look.table.state, spaces)
    return f"{britain}:{france}" if look.seat == BRITAIN else f"{france}:{britain}"


def _lead(look: Sight, goal: Goal) -> int:
    """Return 1 if the reader wins this goal as things stand, -1 if the other side does."""
    first = leader(*board.tally(look.table.state, goal.spaces), goal.margin)
    return 0 if not first else 1 if first == look.seat else -1


def _listing(look: Sight, found: Iterable[Goal]) -> dict[str, str]:
    return {
        goal.name: " ".join([_ratio(look, goal.spaces), *([f"({_reward(goal)})"] if _reward(goal) else [])])
        for goal in found
    }


def _reward(goal: Goal) -> str:
    return " + ".join([*([f"{goal.vp} VP"] if goal.vp else []), *([f"{goal.trp} TRP"] if goal.trp else [])])


def to_score(look: Sight) -> Iterator[Fact]:
    """Yield the goods in demand and the Awards: who has how many, and the reward."""
    state, found = look.table.state, awards(look.table)
    main = look.kind in ("initiative", "tile", "act", "points_type", "add_demand")
    demand = () if state.phase == "war" else state.demand
    if demand:
        yield Fact("goods", {"goods": _listing(look, goods(look.table, demand))}, main=main)
    if state.awards:
        key = "regions" if state.phase == "war" else "awards"
        yield Fact(key, {"awards": _listing(look, found)}, main=main or not demand)
    wide = [goal.name for goal in found if goal.margin > 1]
    if wide:
        yield Fact("margin", {"margin": max(goal.margin for goal in found), "regions": wide})


def change(look: Sight, spaces: Iterable[str], owner: str = NOBODY, *, marked: bool = False) -> Meaning:
    """Return what becomes of all counts, Advantages and VP if spaces get this owner, or a Conflict marker."""
    state, table, named = look.table.state, look.table, list(spaces)
    every = [*awards(table), *_demanded(table)]
    touched = [goal for goal in every if not set(named).isdisjoint(goal.spaces)]
    before = [(_ratio(look, goal.spaces), _lead(look, goal)) for goal in touched]
    flags, conflicts = state.flags, state.conflicts
    state.flags = flags if marked else {**flags, **dict.fromkeys(named, owner)}
    state.conflicts = {**conflicts, **dict.fromkeys(named if marked else (), 1)}
    state.conflicts = {key: n for key, n in state.conflicts.items() if marked or key not in named}
    after = [(_ratio(look, goal.spaces), _lead(look, goal)) for goal in touched]
    state.flags, state.conflicts = flags, conflicts
    moved = {
        goal.name: f"{was} → {then}"
        for goal, (was, _), (then, _) in zip(touched, before, after, strict=True) if was != then
    }  # fmt: skip
    swing = sum(
        goal.vp * (then - was) for goal, (_, was), (_, then) in zip(touched, before, after, strict=True)
    )
    follows = [Fact("counts", {"counts": moved})] if moved else []
    if swing:
        follows.append(Fact("swing", {"vp": swing}))
    for space in named:
        follows += [] if marked else _advantages_of(look, space, owner)
        follows += _uses(look, space)
    worth = sum(
        (goal.vp + goal.trp / 2 + 0.1) * _better(moved[goal.name]) for goal in touched if goal.name in moved
    )
    return Meaning(follows=tuple(follows), rank=2 * swing + worth / 2)


def _better(moved: str) -> int:
    """Return whether a count has become better for the reader, 1, or worse, -1."""
    mine, theirs, then, others = map(int, moved.replace(" → ", ":").split(":"))
    return 1 if then - others > mine - theirs else -1


def _advantages_of(look: Sight, space: str, owner: str) -> Iterator[Fact]:
    """Yield the Advantages that change hands with a flag."""
    state = look.table.state
    for key in look.table.c.fed.get(space, ()):
        others = {state.flags[other] for other in look.table.c.advantages[key].spaces if other != space}
        if owner in SEATS and others <= {owner}:
            yield Fact("gains_advantage", {"seat": look.who(owner), "advantage": key})
        elif state.advantages[key]:
            yield Fact("ends_advantage", {"seat": look.who(state.advantages[key]), "advantage": key})


def _uses(look: Sight, space: str) -> Iterator[Fact]:
    """Yield that a Market's good is not in demand, and in which theater of the next war a space is an Alliance."""
    c, state = look.table.c, look.table.state
    place = c.spaces[space]
    if place.commodity and place.commodity not in state.demand and state.phase != "war":
        yield Fact("idle", {"good": place.commodity})
    if state.war:
        found = [front.id for front in c.wars[state.war].theaters if space in listed(c, state.war, front.id)]
        if found:
            yield Fact("alliance_in", {"theaters": found})


# -- points, and the end of the game -----------------------------------------------------------------------------------


def purse(look: Sight) -> Iterator[Fact]:
    """Yield the points left, and what Debt and Treaty Points could add."""
    state, now = look.table.state, look.table.state.round
    pools = now.pools if now is not None else []
    left = {
        action: [
            f"{pool.type} {pool.points}"
            for pool in pools
            if pool.action == action and pool.points and not pool.limit
        ]
        for action in (MAJOR, MINOR, "any")
    }
    if any(left.values()):
        yield Fact("points", left)
    for pool in pools:
        if pool.limit and pool.points:
            yield Fact("extra_points", {"points": f"{pool.type} {pool.points}", "limit": pool.limit})
    side = state.sides[look.seat]
    yield Fact("debt_left", {"debt": board.available_debt(state, look.seat), "trp": side.trp})


def track(look: Sight) -> Iterator[Fact]:
    """Yield the VP, and where the game ends."""
    ends = look.table.c.scoring
    yield Fact(
        "track",
        {
            "vp": look.table.state.vp, "high": look.who(FRANCE), "most": ends["france_wins"],
            "low": look.who(BRITAIN), "least": ends["britain_wins"],
        },
        main=look.kind in ("refuse", "conquer", "score_cotton", "spoils_unflag"),
    )  # fmt: skip


# -- spaces ------------------------------------------------------------------------------------------------------------


def _owner_after(look: Sight, space: str) -> str:
    """Return whose the space is after a shift."""
    return NOBODY if look.table.state.flags[space] else look.seat


def removal(look: Sight, answer: str) -> Meaning:
    """Return what the removal of a flag changes."""
    if answer == NONE:
        return Meaning(follows=(Fact("no_change"),))
    return change(look, [answer])


def shift(look: Sight, answer: str) -> Meaning:
    """Return what a shift changes: a flag is removed, or an own one placed."""
    if answer == NONE:
        return Meaning(follows=(Fact("no_change"),))
    owner = _owner_after(look, answer)
    made = change(look, [answer], owner)
    said = Fact("places" if owner else "removes")
    return Meaning(follows=(said, *made.follows), rank=made.rank)


def marking(look: Sight, answer: Any) -> Meaning:
    """Return what Conflict markers change: their spaces count for nobody, and cost less."""
    made = change(look, answer if isinstance(answer, list) else [answer], marked=True)
    return Meaning(follows=(*_holders(look, answer), *made.follows), rank=made.rank)


def _holders(look: Sight, answer: Any) -> Iterator[Fact]:
    """Yield whose the spaces are."""
    flags = look.table.state.flags
    for space in answer if isinstance(answer, list) else [answer]:
        yield Fact("held_by", {"holder": look.who(flags[space])}) if flags[space] else Fact("empty")


def marker(look: Sight) -> Iterator[Fact]:
    """Yield what a Conflict marker does."""
    yield Fact("marker")


def force(look: Sight, answer: Any) -> Meaning:
    """Return what a Fort or a Squadron is worth: the Markets it protects, and its strength in the war."""
    if isinstance(answer, dict):  # a forced loss
        if answer["do"] == "tile":
            return _returned(look, answer["with"])
        answer = answer["with"]
    c, state = look.table.c, look.table.state
    if answer == BOX:
        return Meaning(follows=(Fact("in_box"),), rank=1)
    owner, kind = state.flags[answer], c.spaces[answer].type
    if kind == "market":
        return shift(look, answer)
    guarded = [key for key in c.of_type["market"] if answer in c.guards[key] and state.flags[key] == owner]
    follows = [Fact(kind, {"owner": look.who(owner)})]
    if guarded:
        follows.append(Fact("guards", {"count": len(guarded)}))
    fronts = [front.id for front in _fronts_of(look, answer)]
    follows.append(Fact("strength_in", {"theaters": fronts}) if fronts else Fact("no_strength"))
    worth = len(guarded) + 2 * len(fronts) + len(c.fed.get(answer, ()))
    return Meaning(follows=tuple(follows), rank=-worth if owner == look.seat else worth)


def _fronts_of(look: Sight, space: str) -> Iterator[Any]:
    """Yield the theaters of the war, from the present one on, in which a Fort or a Squadron is strength."""
    state, place = look.table.state, look.table.c.spaces[space]
    if state.war:
        for front in look.table.c.wars[state.war].theaters[state.theater :]:
            if place.region in (
                front.squadrons if place.type == "naval" else front.regions if front.forts else ()
            ):
                yield front


def _returned(look: Sight, tile: str) -> Meaning:
    value = look.table.c.war_tiles[tile].value
    where = next(key for key, sides in look.table.state.theaters.items() if tile in sides[look.seat])
    return Meaning(follows=(Fact("tile_in", {"value": value, "theater": where}),), rank=-2 * value)


KIT.turns_on("unflag", "lose_flag", facts=(to_score,), means=removal)
KIT.turns_on("spoils_unflag", facts=(to_score, track), means=removal)
KIT.turns_on("shift", "spanish_shift", facts=(to_score,), means=shift)
KIT.turns_on("conflict", "conflicts", "advantage_space", facts=(marker, to_score), means=marking)
KIT.turns_on("fort_or_cotton", facts=(to_score,), means=force)
KIT.turns_on("bounce", "squadron_lost", "lose_squadron", "fort_fleet", "overrun", means=force)

# -- wars --------------------------------------------------------------------------------------------------------------


def _strength(look: Sight, theater: str, seat: str) -> tuple[int, int]:
    """Return the strength of a side in a theater of the next war: of its War tiles, and of all else."""
    war = look.table.c.wars[look.table.state.war]
    front = next(front for front in war.theaters if front.id == theater)
    parts = strength(look.table, war, front, seat)
    return parts["tiles"], sum(parts.values()) - parts["tiles"]


def _front(look: Sight, theater: str) -> tuple[Fact, ...]:
    """Return both sides' strength in a theater, as far as the reader may know it."""
    other = OTHER[look.seat]
    own, more = _strength(look, theater, look.seat)
    bonus = len(tiles.bonus_in(look.table, other, theater))
    return (
        Fact("ours", {"tiles": own, "more": more}),
        Fact("theirs", {"more": _strength(look, theater, other)[1], "bonus": bonus}),
    )


def fronts(look: Sight) -> Iterator[Fact]:
    """Yield the strength in each theater."""
    for theater in look.table.state.theaters:
        ours, theirs = _front(look, theater)
        yield Fact("front", {**theirs.args, "theater": theater, "ours": ours.args["more"]})


def prize(look: Sight, theater: str) -> Fact:
    """Return the most that a theater pays its winner."""
    war = look.table.c.wars[look.table.state.war]
    rows = [row for front in war.theaters if front.id == theater for row in front.spoils]
    rows = [row for row in rows if row.winner in ("either", look.seat)]
    return Fact("prize", {"vp": max(row.vp for row in rows), "cp": max(row.cp for row in rows)})


def theater(look: Sight, answer: Any) -> Meaning:
    """Return how a theater stands."""
    name = answer["theater"] if isinstance(answer, dict) else answer
    ours, theirs = _front(look, name)
    own, other = sum(ours.args.values()), theirs.args["more"] + theirs.args["bonus"]
    return Meaning(follows=(ours, theirs, prize(look, name)), rank=-abs(own - other) / 4)


def drawn(look: Sight) -> Iterator[Fact]:
    """Yield the value of the tile that has been drawn, and what its symbol does."""
    tile = look.table.c.war_tiles[look.secret["tile"]]
    yield Fact("tile_value", {"tile": tile.id, "value": tile.value})
    if tile.symbol:
        yield Fact(f"symbol.{tile.symbol}")


def upgraded(look: Sight, answer: Mapping[str, str]) -> Meaning:
    """Return which of the two tiles stays, and which goes."""
    kept = answer["keep"]
    names = {"tile": look.secret[kept], "away": look.secret["new" if kept == "old" else "old"]}
    fact = Fact("tile_out" if answer["other"] == "game" else "tile_back", names)
    return Meaning(follows=(fact,), rank=look.table.c.war_tiles[names["tile"]].value)


def upgrade_front(look: Sight) -> Iterator[Fact]:
    """Yield how the theater stands, and the symbols of both tiles."""
    yield Fact("ours_now", dict(_front(look, look.about["theater"])[0].args))
    yield Fact("theirs_now", dict(_front(look, look.about["theater"])[1].args))
    symbols = {look.table.c.war_tiles[tile].symbol for tile in look.secret.values()}
    yield from (Fact(f"symbol.{symbol}") for symbol in sorted(symbols) if symbol)


def byng(look: Sight) -> Iterator[Fact]:
    """Yield the strength of the Byng marker."""
    yield Fact("byng", {"value": look.table.c.special.marker_strength})


def plans(look: Sight) -> Iterator[str]:
    """Yield the tiles as they were drawn, and the strongest where most is paid."""
    worth = look.table.c.war_tiles
    order = sorted(look.secret["tiles"], key=lambda tile: -worth[tile].value)
    ways = list(look.about["theaters"])
    rich = sorted(ways, key=lambda name: -sum(prize(look, name).args.values()))
    yield " ".join(order[rich.index(name)] for name in ways)
    yield " ".join(look.secret["tiles"])


def assigned(look: Sight, answer: list[str]) -> Meaning:
    """Return where the tiles lie."""
    return Meaning(follows=(Fact("lies", {"tiles": dict(zip(look.about["theaters"], answer, strict=True))}),))


KIT.turns_on("place", facts=(drawn,), means=theater)
KIT.turns_on("upgrade", facts=(upgrade_front,), means=upgraded)
KIT.turns_on("plan", facts=(fronts,), means=assigned, likely=plans)
KIT.turns_on("byng", facts=(byng,), means=theater)
KIT.turns_on("return_tile", means=theater)
KIT.turns_on(
    "make_room", facts=(fronts,), means=lambda look, answer: Meaning(follows=_front(look, answer["theater"]))
)

# -- conquest ----------------------------------------------------------------------------------------------------------


def conquering(look: Sight, answer: Any) -> Meaning:
    """Return what a conquest changes, and what it costs; to stop loses the points."""
    if isinstance(answer, str):
        return Meaning(follows=(Fact("points_lost", {"points": look.about["points"]}),))
    space = answer["space"]
    made = change(look, [space], look.seat)
    return Meaning(
        conquest.price(look.table, space), None, (*_holders(look, space), *made.follows), made.rank
    )


def refusal(look: Sight, answer: str) -> Meaning:
    """Return the VP after either answer."""
    vp, space = look.table.state.vp, look.about["space"]
    if answer == conquest.CEDE:
        made = change(look, [space], OTHER[look.seat])
        return Meaning(follows=(Fact("vp_stays", {"vp": vp}), *made.follows))
    vp += look.about["vp"] * (1 if look.seat == BRITAIN else -1)
    return Meaning(follows=(Fact("vp_then", {"vp": vp}),))


def region(look: Sight) -> Iterator[Fact]:
    """Yield how the Region of the space stands, and what a further refusal costs."""
    c, space = look.table.c, look.about["space"]
    yield Fact(
        "region", {"region": c.region[space], "count": _ratio(look, c.of_region[c.region[space]])}, (space,)
    )
    refused = len(look.table.state.sides[look.seat].refused) + 1
    if refused < len(c.refusals):
        yield Fact("refusal_next", {"vp": c.refusals[refused]})


def usa(look: Sight, answer: list[str]) -> Meaning:
    """Return whose flags give way."""
    if not answer:
        return Meaning(follows=(Fact("no_change"),))
    made = change(look, answer, USA if look.kind == "usa_flags" else NOBODY)
    return Meaning(follows=(*_holders(look, answer), *made.follows), rank=made.rank)


def usa_flag(look: Sight) -> Iterator[Fact]:
    """Yield what a USA flag does."""
    yield Fact("usa_flag")


KIT.turns_on("conquer", facts=(track,), means=conquering)
KIT.turns_on("refuse", facts=(track, region), means=refusal)
KIT.turns_on("usa_flags", facts=(usa_flag,), means=usa)
KIT.turns_on("usa_forts", means=usa)

# -- cards, Advantages and goods ---------------------------------------------------------------------------------------


def event(look: Sight, answer: Any) -> Meaning:
    """Return the kind of tile that an Event needs, its bonus, and whose Ministry pays for that."""
    cards = answer if isinstance(answer, list) else [answer]
    follows: list[Fact] = []
    for key in cards:
        card = look.table.c.events[key]
        bonus = card.condition.keyword or card.condition.advantage or card.condition.kind
        follows.append(
            Fact("event", {"type": "any-tile" if card.action == "any" else card.action, "bonus": bonus})
        )
        follows += [Fact("bonus_by", {"card": own}) for own in _with_keyword(look, card.condition.keyword)]
    return Meaning(follows=tuple(follows), rank=-sum(fact.key == "bonus_by" for fact in follows))


def _with_keyword(look: Sight, keyword: str) -> list[str]:
    cards = look.table.c.ministries
    return [key for key in look.table.state.sides[look.seat].ministries if keyword in cards[key].keywords]


def ministers(look: Sight) -> Iterator[Fact]:
    """Yield the reader's Ministry cards with their keywords."""
    held = {
        key: list(look.table.c.ministries[key].keywords)
        for key in look.table.state.sides[look.seat].ministries
    }
    if held:
        yield Fact("ministers", {"cards": held})


def minister(look: Sight, answer: list[str]) -> Meaning:
    """Return the keywords of Ministry cards, and what they do."""
    cards = look.table.c.ministries
    follows = [
        fact
        for key in answer
        for fact in (Fact("keywords", {"words": list(cards[key].keywords)}), Fact(f"does.{key}"))
    ]
    return Meaning(follows=tuple(follows))


def era(look: Sight) -> Iterator[Fact]:
    """Yield the era, and the Events in hand with the keywords of their bonus."""
    c, turn = look.table.c, look.table.c.turn(look.table.state.turn)
    yield Fact("era", {"era": turn.era})
    hand = {
        key: [c.events[key].condition.keyword or "no-keyword"]
        for key in look.table.state.sides[look.seat].hand
    }
    if hand:
        yield Fact("hand", {"events": hand})


def advantage(look: Sight, answer: Any) -> Meaning:
    """Return who has Advantages, and what these do."""
    cards, follows = look.table.c.advantages, list[Fact]()
    for key in answer if isinstance(answer, list) else [answer]:
        holder = look.table.state.advantages[key]
        if holder != look.seat:
            follows.append(Fact("held_by", {"holder": look.who(holder)}) if holder else Fact("unheld"))
        target = cards[key].target
        where = target.commodity or target.subregion or target.region or cards[key].region
        follows.append(Fact(f"advantage.{cards[key].kind}", {"where": where}))
    worth = {look.seat: -1, NOBODY: -0.5, OTHER[look.seat]: 1} if look.kind == "exhaust" else {}
    rank = sum(worth.get(look.table.state.advantages[key], 0) for key in answer if isinstance(answer, list))
    return Meaning(follows=tuple(follows or [Fact("no_change")]), rank=rank)


def holders(look: Sight) -> Iterator[Fact]:
    """Yield the Advantages of each side."""
    held = look.table.state.advantages
    for seat in (look.seat, OTHER[look.seat]):
        found = [key for key in held if held[key] == seat]
        if found:
            key = "advantages" if seat == look.seat else "their_advantages"
            yield Fact(key, {"advantages": found}, main=look.kind == "exhaust")


def commodity(look: Sight, answer: str) -> Meaning:
    """Return how a commodity stands, and what it pays."""
    if answer in (NONE, "decline"):
        return Meaning(follows=(Fact("no_change"),))
    goal = goods(look.table, ["cotton" if answer == "score" else answer])[0]
    won = _lead(look, goal) * (-1 if look.kind == "replace_demand" else 1)
    fact = Fact("good", {"good": goal.name, "count": _ratio(look, goal.spaces), "reward": _reward(goal)})
    return Meaning(follows=(fact,), rank=won * goal.vp)


def newcomer(look: Sight) -> Iterator[Fact]:
    """Yield how the commodity that has been drawn stands."""
    goal = goods(look.table, [look.about["commodity"]])[0]
    yield Fact("good_drawn", {"good": goal.name, "count": _ratio(look, goal.spaces), "reward": _reward(goal)})


def alliance(look: Sight, answer: Mapping[str, Any]) -> Meaning:
    """Return what a Local Alliance or two markers change."""
    if answer["do"] == "ally":
        made = change(look, [answer["with"]], look.seat)
        return Meaning(follows=(*_holders(look, answer["with"]), *made.follows), rank=made.rank)
    return marking(look, answer["with"])


def alliances(look: Sight) -> Iterator[str]:
    """Yield the Local Alliances, and the markers that hurt the other side most."""
    state, c = look.table.state, look.table.c
    india = c.of_region["india"]
    yield from (
        f"ally {key}" for key in india if c.spaces[key].local_alliance and state.flags[key] != look.seat
    )
    loose = [key for key in india if board.markable(look.table, key) and not board.protected(look.table, key)]
    ranked = sorted(loose, key=lambda key: -change(look, [key], marked=True).rank)
    yield from (f"conflicts {first} {second}" for first, second in zip(ranked, ranked[1:4], strict=False))


KIT.turns_on("discard", "walpole", facts=(ministers,), means=event)
KIT.turns_on("ministry", facts=(era,), means=minister)
KIT.turns_on("exhaust", "refresh", "free_advantage", facts=(holders,), means=advantage)
KIT.turns_on("add_demand", "score_cotton", facts=(to_score, track), means=commodity)
KIT.turns_on("replace_demand", facts=(newcomer, track), means=commodity)
KIT.turns_on("hyder_ali", facts=(marker, to_score), means=alliance, likely=alliances)
KIT.turns_on("points_type", "debt_or_treaty", facts=(purse, to_score))

# -- tiles and Action Rounds -------------------------------------------------------------------------------------------


def tile(look: Sight, answer: Any) -> Meaning:
    """Return the symbols of a tile, and the Events in hand that it plays."""
    if isinstance(answer, str) or answer["do"] != "take":
        return Meaning(rank=-1)
    c = look.table.c
    taken = c.investments[answer["with"]]
    hand = look.table.state.sides[look.seat].hand
    fitting = [key for key in hand if taken.event and c.events[key].action in ("any", taken.major)]
    follows = (
        [Fact("plays", {"events": fitting})] if fitting else [Fact("event_symbol")] if taken.event else []
    )
    if taken.upgrade:
        follows.append(Fact("upgrade_symbol"))
    return Meaning(follows=tuple(follows), rank=taken.major_points + len(fitting) / 2)


def takes(look: Sight) -> Iterator[str]:
    """Yield every tile on display."""
    yield from (f"take {key}" for key in look.table.state.display)


def display(look: Sight) -> Iterator[Fact]:
    """Yield the tiles on display."""
    yield Fact("display", {"tiles": list(look.table.state.display)})
    with_event = [key for key in look.table.state.display if look.table.c.investments[key].event]
    yield Fact("display_events", {"tiles": with_event}, main=False)


def first(look: Sight, answer: str) -> Meaning:
    """Return what it means to begin, or to come second."""
    return Meaning(follows=(Fact("begins" if answer == look.seat else "ends"),))


def act(look: Sight, answer: Any) -> Meaning:
    """Return the price of an action, and what it changes."""
    word = answer if isinstance(answer, str) else answer["do"]
    found = _ACTS.get(word)
    return found(look, answer) if found is not None else Meaning(rank=-0.5)


def _shifting(look: Sight, answer: Mapping[str, Any]) -> Meaning:
    made = shift(look, answer["space"])
    price = shifting.purchase(
        look.table, look.seat, answer["space"], answer.get("using", ""), answer.get("huguenots", "")
    ).cost
    return Meaning(price, None, made.follows, made.rank + 1 - price / 2)


def _event(look: Sight, answer: Mapping[str, Any]) -> Meaning:
    paid = fulfilled(look.table, look.seat, answer["card"])
    return Meaning(follows=(Fact("with_bonus" if paid else "without_bonus"),), rank=2 + paid)


def _site(look: Sight, answer: Mapping[str, Any]) -> Meaning:
    """Return the price of what is done in a space with Military points."""
    action = KIT.actions[answer["do"]]
    where = action.form(look.table, look.seat, action.find(look.table, look.seat)).field("space", {})
    return Meaning(cost=where.cost(answer["space"]) if getattr(where, "cost", None) else 0)


def _fixed(key: str, rank: float) -> Callable[[Sight, Any], Meaning]:
    return lambda look, answer: Meaning(look.table.c.costs[key], rank=rank)


def _sailing(look: Sight, answer: Mapping[str, Any]) -> Meaning:
    """Return the price of a deployment, the Markets that the Squadron would protect, and its wars."""
    c, state, space = look.table.c, look.table.state, answer["space"]
    box = answer.get("origin", BOX if state.sides[look.seat].box else "")
    cost = military.deployment(look.table, space, box).cost
    made = change(look, [space], look.seat)
    guarded = [key for key in c.of_type["market"] if space in c.guards[key] and state.flags[key] == look.seat]
    fronts = [front.id for front in _fronts_of(look, space)]
    follows = [*([Fact("guards", {"count": len(guarded)})] if guarded else []), *made.follows]
    follows += [Fact("strength_in", {"theaters": fronts})] if fronts else []
    return Meaning(cost, None, tuple(follows), made.rank + len(guarded) / 4 + len(fronts) / 4 - cost / 2)


def _building(look: Sight, answer: Any) -> Meaning:
    """Return the price of a Squadron."""
    by = "" if isinstance(answer, str) else answer.get("by", "")
    return Meaning(military.construction(look.table, by).cost, None, (Fact("to_box"),), 0.1)


def _use(look: Sight, answer: Mapping[str, Any]) -> Meaning:
    made = marking(look, answer["space"]) if "space" in answer else Meaning()
    return Meaning(follows=(*advantage(look, answer["advantage"]).follows, *made.follows), rank=1)


def _passing(look: Sight, answer: Any) -> Meaning:
    side = look.table.state.sides[look.seat]
    falls = answer.get("debt", min(look.table.c.limits["pass_debt"], side.debt))
    return Meaning(follows=(Fact("debt_falls", {"debt": falls}),) if falls else (), rank=-2)


def _ending(look: Sight, answer: Any) -> Meaning:
    left = sum(pool.points for pool in look.table.state.now.pools)
    return Meaning(follows=(Fact("points_lost", {"points": left}),) if left else (), rank=-2)


_ACTS: dict[str, Callable[[Sight, Any], Meaning]] = {
    "shift": _shifting, "event": _event, "fort": _site, "repair": _site, "seize": _site, "clear": _site,
    "buy": _fixed("tile", 0.6), "draw": _fixed("card", 0.2), "convert": _fixed("convert", 0.4), "advantage": _use, "squadron": _building, "deploy": _sailing,
    "pass": _passing, "end": _ending,
}  # fmt: skip


def acts(look: Sight) -> Iterator[str]:
    """Yield the shifts that matter most."""
    found = KIT.actions["shift"].find(look.table, look.seat)
    if found is not None:
        ranked = sorted(found.spaces.listed, key=lambda key: -_shifting(look, {"space": key}).rank)
        yield from (f"shift {key}" for key in ranked[:12])
    sea = military.harbours(look.table, look.seat) if look.table.state.sides[look.seat].box else None
    if sea is not None:
        best = sorted(sea.what.listed, key=lambda key: -_sailing(look, {"space": key}).rank)
        yield from (f"deploy {key}" for key in best[:3])


KIT.turns_on("initiative", facts=(display, to_score), means=first)
KIT.turns_on("tile", facts=(to_score, purse), means=tile, likely=takes)
KIT.turns_on("act", facts=(purse, to_score), means=act, likely=acts)
