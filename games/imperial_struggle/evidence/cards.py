"""What Events, Ministries, Advantages and goods are good for (3.4, 3.5, 4.1.12, 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from games.imperial_struggle import advantages, board
from games.imperial_struggle.evidence import counts
from games.imperial_struggle.evidence.counts import UNCHANGED, Goal, StruggleLook, change, good, held, marking, ratio
from games.imperial_struggle.state import OTHER
from pbem.kernel.evidence import NEVER, Fact, Meaning, says


def effect(look: StruggleLook, key: str) -> str:
    """Return the word for the base effect of an Event, for the reader's side."""
    return f"does-{key}-{look.seat}" if look.table.c.events[key].versions == "sides" else f"does-{key}"


def event(look: StruggleLook, answer: Any) -> Meaning:
    """Return the kind of tile that an Event needs, its bonus, and whether a Ministry of the reader pays for that."""
    c, own, follows = look.table.c, look.table.state.sides[look.seat].ministries, list[Fact]()
    for key in answer if isinstance(answer, list) else [answer]:
        card, condition = c.events[key], c.events[key].condition
        held = any(condition.keyword in c.ministries[other].keywords for other in own)
        kind = card.action if card.action != "any" else ""
        said: dict[str, Any] = {"type": kind, "effect": effect(look, key), "held": "keyword-held" if held else ""}
        said["bonus"] = condition.keyword or condition.advantage or condition.kind
        follows.append(Fact("event", said))
    return Meaning(follows=tuple(follows), rank=-sum(bool(fact.args["held"]) for fact in follows))


def minister(look: StruggleLook, answer: list[str]) -> Meaning:
    """Return the keywords of Ministry cards, and what they do."""
    cards = look.table.c.ministries
    told = ({"words": list(cards[key].keywords), "effect": f"does-{key}"} for key in answer)
    return Meaning(follows=tuple(Fact("minister", said) for said in told))


def era(look: StruggleLook) -> Iterator[Fact]:
    """Yield the keywords that the bonus of the Events in hand takes: of how many; and the era."""
    events, hand = look.table.c.events, look.table.state.sides[look.seat].hand
    words = Counter(events[key].condition.keyword for key in hand if events[key].condition.keyword)
    if words:
        yield Fact("keywords", {"words": dict(words)})
    yield Fact("era", {"era": look.table.c.turn(look.table.state.turn).era}, main=not words)


def advantage(look: StruggleLook, answer: Any) -> Meaning:
    """Return what Advantages do; only those of the other side are worth exhausting."""
    keys, follows = answer if isinstance(answer, list) else [answer], list[Fact]()
    for key in keys:
        card = look.table.c.advantages[key]
        where = card.target.commodity or card.target.subregion or card.target.region or card.region
        best = {"discount": card.target.discount, **(_best(look, key) if look.kind == "free_advantage" else {})}
        follows.append(Fact(f"advantage.{card.kind}", {"where": where, **best}))
    theirs = all(look.table.state.advantages[key] == OTHER[look.seat] for key in keys)
    rank = 0 if look.kind != "exhaust" else 1 if theirs else NEVER
    return Meaning(follows=tuple(follows), rank=rank) if keys else UNCHANGED


def _best(look: StruggleLook, key: str) -> dict[str, Any]:
    """Return where an Advantage changes most, and what."""
    table, kind = look.table, look.table.c.advantages[key].kind
    spaces = advantages.targets(table, look.seat, key)
    if kind == "unflag-discount":
        spaces = [at for at in advantages.places(table.c, key) if table.state.flags[at] == OTHER[look.seat]]
    means = {space: change(look, [space], marked=kind == advantages.MARK) for space in spaces}
    best = max(means, key=lambda space: means[space].rank, default="")
    return {"space": best, **means[best].follows[0].args} if best else {}


def holders(look: StruggleLook) -> Iterator[Fact]:
    """Yield the Advantages of each side that are not exhausted, and what they do."""
    state = look.table.state
    for seat, key in ((OTHER[look.seat], "their_advantages"), (look.seat, "advantages")):
        found = [tile for tile in state.advantages if state.advantages[tile] == seat and tile not in state.exhausted]
        by_kind: dict[str, list[str]] = {}
        for tile in found:
            by_kind.setdefault(look.table.c.advantages[tile].kind, []).append(tile)
        if found:
            yield Fact(key, {"advantages": by_kind}, main=False)


def _told(look: StruggleLook, goal: Goal) -> dict[str, str]:
    return {"good": goal.name, "count": ratio(look, goal.spaces), "reward": goal.reward}


def commodity(look: StruggleLook, answer: str) -> Meaning:
    """Return how a commodity stands, and what it pays."""
    if answer in (counts.NONE, "decline"):
        return UNCHANGED
    goal = good(look.table, "cotton" if answer == "score" else answer)
    won = counts.lead(look, goal) * (-1 if look.kind == "replace_demand" else 1)
    key, winner = "good", {1: look.seat, -1: OTHER[look.seat]}.get(counts.lead(look, goal), "")
    if look.kind == "score_cotton":
        key = "good_gains" if winner else "good_tied"
    return Meaning(follows=(Fact(key, {**_told(look, goal), "seat": look.who(winner)}),), rank=won * goal.vp)


newcomer = says("good_drawn", lambda look: _told(look, good(look.table, look.word("commodity"))))


def alliance(look: StruggleLook, answer: Mapping[str, Any]) -> Meaning:
    """Return what a Local Alliance or two markers change."""
    if answer["do"] == "conflicts":
        return marking(look, answer["with"])
    made = change(look, [answer["with"]], look.seat)
    return Meaning(follows=(*held(look, [answer["with"]]), *made.follows), rank=made.rank)


def alliances(look: StruggleLook) -> Iterator[str]:
    """Yield the Local Alliances, and the markers that hurt the other side most."""
    table, india = look.table, look.table.c.of_region["india"]
    loose = [key for key in india if board.markable(table, key) and not board.protected(table, key)]
    ranked = sorted(loose, key=lambda key: (-change(look, [key], marked=True).rank, not table.state.flags[key]))
    yield from (f"ally {key}" for key in india if table.c.spaces[key].local_alliance)
    if len(ranked) > 1:
        yield f"conflicts {' '.join(ranked[:2])}"
