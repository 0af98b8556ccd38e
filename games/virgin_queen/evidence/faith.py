"""What decisions about the faith of spaces and about revolts turn on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from games.virgin_queen.evidence.notes import at_least, brief, general, keys_first, marks, named, says, spot, spots
from games.virgin_queen.evidence.shared import Facts, Look, first, foes_near, standing
from games.virgin_queen.keys import protestant_spaces, religious_vp
from games.virgin_queen.query import seat_of
from games.virgin_queen.religion import uprising
from games.virgin_queen.religion.conversion import ConversionAttempts, guarded, within_reach
from games.virgin_queen.religion.core import others_left
from games.virgin_queen.state import ENGLAND, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.evidence import Fact, Meaning

MAJOR = 6
"""The face that turns a space at once, or may turn one under units."""
SCORING = (SPAIN, ENGLAND, PROTESTANT)
"""The powers with public VP from the number of Protestant spaces."""


# -- conversion


def attempts_of(look: Look) -> ConversionAttempts:
    """Return the attempts that a question is about."""
    only = look.about.get("only")
    return ConversionAttempts(
        look.word("religion"), look.word("area"), 0, "", only=None if only is None else tuple(only)
    )


def reach_of(look: Look, area: str, religion: str) -> tuple[tuple[Fact, ...], int]:
    """Return how many spaces of an area can turn to a religion, those under units of the other one apart."""
    attempts = ConversionAttempts(religion, area, 0, "")
    near = within_reach(look.table, attempts)
    free = [at for at in near if not guarded(look.table, at, religion)]
    most = min(len(near), others_left(look.table, area, religion))
    keys = [at for at in free if look.table.c.spaces[at].type == "key"]
    notes = [Fact("reach", {"count": most, "free": min(most, len(free))}, tuple(near))]
    return ((*notes, Fact("reach_keys", {"spaces": keys})) if keys else tuple(notes)), len(free)


def candidates(look: Look) -> Facts:
    """Tell which spaces can turn: keys, and which of them units of the other faith hold; a list where many turn."""
    found = keys_first(look, within_reach(look.table, attempts_of(look)))
    held = [at for at in found if guarded(look.table, at, look.word("religion"))]
    free = [at for at in found if at not in held]
    keys = [at for at in free if look.table.c.spaces[at].type == "key"]
    listed = look.about.get("count", look.about.get("sixes")) > 1
    yield Fact("free_spaces", {"count": len(free), "keys": keys}, tuple(free), main=not listed)
    yield Fact("can_turn", {"spaces": free, "count": len(free)}, main=listed)
    if listed and keys:
        yield Fact("keys_among", {"spaces": keys}, tuple(keys))
    if held and (look.kind == "convert_major" or look.about["majors"]):
        yield Fact("held_by_units", {"spaces": held}, tuple(held))


def faith_vp(look: Look) -> Facts:
    """Tell the number of Protestant spaces and what it is worth now, and where that changes next."""
    table = look.table
    number = protestant_spaces(table)
    scoring = [power for power in SCORING if seat_of(table.state, power) == look.seat] or SCORING
    worth = {look.who(power): religious_vp(table, power) for power in scoring}
    step = 1 if look.about.get("religion", PROTESTANT) == PROTESTANT else -1
    row = next(row for row in table.c.tables["protestant_space_vp"]["rows"] if row["lo"] <= number <= row["hi"])
    then = row["hi"] + 1 if step > 0 else row["lo"] - 1
    yield Fact("faith_worth", {"count": number, "then": then, "vp": worth})


def turning(look: Look) -> Iterator[str]:
    """Yield answers that turn one space each, or the keys first."""
    spaces = keys_first(look, within_reach(look.table, attempts_of(look)))
    free = [at for at in spaces if not guarded(look.table, at, look.word("religion"))]
    number = look.number("count") if look.kind == "convert" else min(look.about["sixes"], len(free))
    name = "free" if look.kind == "convert" else "now"
    if number == 1:
        yield from (f"{name}={at}" for at in free)
    elif free:
        yield f"{name}={','.join(free[:number])}"


def turned(look: Look, answer: Any) -> Meaning | None:
    """Tell of a space that turns: key, holder, units; of several, the keys among them."""
    if not isinstance(answer, Mapping):
        return None
    spaces = [*answer.get("now", ()), *answer.get("held", ()), *answer.get("free", ())]
    keys = [at for at in spaces if look.table.c.spaces[at].type == "key"]
    if len(spaces) == 1:
        return Meaning(follows=brief(look, spaces[0]), rank=len(keys))
    return Meaning(follows=(Fact("reach_keys", {"spaces": keys}),) if keys else (), rank=len(keys))


KIT.turns_on("convert", facts=(candidates, faith_vp, first(0, standing)), means=turned, likely=turning)


def sixes(look: Look) -> Facts:
    """Tell what unused sixes can do."""
    yield Fact("sixes", {"face": MAJOR, "count": look.about["sixes"], "unrest": look.about["unrest"]})
    yield Fact("sixes_wait")


KIT.turns_on("convert_major", facts=(sixes, candidates, faith_vp), means=turned, likely=turning)


def restless(look: Look, answer: Any) -> Meaning | None:
    """Tell of a space that gets unrest; unrest keeps a space from counting."""
    at = named(answer)
    return Meaning(follows=brief(look, at), rank=-(look.table.c.spaces[at].type == "key")) if at else None


KIT.turns_on("convert_unrest", facts=(says("unrest_stops"),), means=restless)


# -- revolts


def resistance(table: Table, at: str, religion: str) -> int:
    """Return how many units of the other faith must go for a revolt of a religion to succeed."""
    holder, faith = table.state.control[at], uprising.other(religion)
    found = uprising.defenders(table, at, holder, faith)
    return sum(uprising.strength_of(key, units) for key, (_, units) in found.items())


def revolt_odds(look: Look, at: str, religion: str, dice: int) -> int:
    """Return the chance in percent that a revolt succeeds."""
    if not uprising.any_faithful(look.table, at, uprising.other(religion)):
        return 100
    return round(100 * at_least(dice, resistance(look.table, at, religion)))


def under_fire(look: Look) -> Facts:
    """Tell which units resist, and that all must go for the revolt to succeed."""
    at, holder = look.word("space"), look.word("power")
    religion = uprising.other(look.table.state.religion[at])
    found = uprising.defenders(look.table, at, holder, religion)
    units = {key: uprising.strength_of(key, some) for key, (_, some) in found.items()}
    yield Fact("resisting", {"units": units, "count": look.number("count")}, (at,))


KIT.turns_on("revolt_losses", facts=(under_fire,))


def joining(look: Look) -> Facts:
    """Tell which spaces can join, whose they are, and the enemies beside them."""
    power, at = look.word("power"), look.word("space")
    religion = look.table.state.religion[at]
    for space in keys_first(look, uprising.joiners(look.table, power, at, religion)):
        near = foes_near(look, power, space)
        yield Fact(
            "can_join", {"space": space, "notes": marks(look, space), "near": near}, (space,), look.number("count") > 1
        )


KIT.turns_on("revolt_spaces", facts=(joining, first(0, standing)), means=spots())


KIT.turns_on("capital", facts=(says("capital_serves"),), means=spots(nowhere="no_capital"))


def appears(look: Look, answer: Any) -> Meaning | None:
    """Tell the ratings of a leader who may appear."""
    return Meaning(follows=general(look, answer[0])) if isinstance(answer, list) and len(answer) == 1 else None


def rebels_there(look: Look) -> Facts:
    """Tell what stands where the leaders would appear."""
    for fact in spot(look, look.word("space")):
        yield (fact if fact.key != "spot" else Fact("revolt_at", {"space": look.word("space")}, (look.word("space"),)))


KIT.turns_on("rebel_leaders", facts=(rebels_there,), means=appears)
