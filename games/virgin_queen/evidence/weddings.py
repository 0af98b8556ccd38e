"""What decisions about royals and learning turn on: how a wedding may end, what it brings, what a bonus does."""

from __future__ import annotations

from itertools import product
from typing import Any

from games.virgin_queen.courts import weddings
from games.virgin_queen.courts.dowries import FRANCIS, MERCENARIES
from games.virgin_queen.diplomacy import clauses
from games.virgin_queen.evidence.faith import faith_vp, reach_of
from games.virgin_queen.evidence.notes import by_card, says, spots
from games.virgin_queen.evidence.shared import Facts, Look, first, follows, reader, standing
from games.virgin_queen.learning import evaluation
from games.virgin_queen.query import seat_of
from games.virgin_queen.religion.conversion import ATTEMPTS
from games.virgin_queen.state import MINORS
from games.virgin_queen.table import KIT, Table
from pbem.kernel.evidence import Fact, Meaning

DIE = range(1, 7)
MARRIED = "married"
ENDS = ("vp", "plain", "off", "death")


def outcome(table: Table, total: int) -> str:
    """Return how a wedding ends: `vp` (a wedding with VP), `plain` (one without), `off`, `death`."""
    row = weddings.row_of(table, total)
    if row["result"] == MARRIED:
        return "vp" if row["vp"] else "plain"
    return "off" if row["result"] == weddings.CANCELLED else "death"


def odds(table: Table, man: str, woman: str, more: int = 0) -> dict[str, int]:
    """Return the chances in percent of the four ends of a wedding; `more` is added to the total."""
    plus, ends = weddings.plus(table, (man, woman)) + more, dict.fromkeys(ENDS, 0)
    for a, b, again in product(DIE, DIE, DIE):
        dice = [a, b]
        if man == weddings.DON_CARLOS:
            dice[dice.index(max(dice))] = again
        ends[outcome(table, sum(dice) + plus)] += 1
    return {end: round(100 * ends[end] / sum(ends.values())) for end in ENDS}


def match(look: Look, man: str, woman: str, more: int = 0) -> Fact:
    """Return how a wedding of these two may end."""
    return Fact("match", {"couple": [man, woman], **odds(look.table, man, woman, more)})


# -- the wedding itself


def so_far(look: Look) -> Facts:
    """Tell what the dice mean for this couple now."""
    table, dice = look.table, look.about["dice"]
    total = sum(dice) + weddings.plus(table, look.about["couple"])
    yield Fact("wedding_total", {"dice": list(dice), "plus": total - sum(dice), "total": total})
    yield Fact("wedding_now", {"couple": list(look.about["couple"]), **_result(table, total)})


def _result(table: Table, total: int) -> dict[str, Any]:
    row = weddings.row_of(table, total)
    return {"result": row["result"], "vp": row["vp"], "cards": f"{row['cards']:+d}" if row["cards"] else ""}


def rerolled(look: Look, answer: Any) -> Meaning | None:
    """Tell what the dice bring, and what the lower die may bring if it is rolled again."""
    table, dice = look.table, look.about["dice"]
    kept = sum(dice) - min(dice) + weddings.plus(table, look.about["couple"])
    now = kept + min(dice)
    if answer == "no":
        return Meaning(follows=(Fact("wedding_result", _result(table, now)),))
    rows = [weddings.row_of(table, kept + face)["lo"] for face in DIE]
    here = weddings.row_of(table, now)["lo"]
    better = sum(lo > here for lo in rows)
    ends = (Fact("wedding_worst", _result(table, kept + 1)), Fact("wedding_best", _result(table, kept + 6)))
    return Meaning(chance=round(100 * better / 6), follows=ends)


KIT.turns_on("wedding_reroll", facts=(so_far, first(0, standing)), means=rerolled)


def elizabeth(look: Look) -> Facts:
    """Tell how Elizabeth's wedding may end, and what her staying unmarried brings."""
    if "couple" in look.about:
        yield match(look, *look.about["couple"])
    had = look.table.state.powers["england"].vp.get("virgin_queen", 0)
    left = int(look.table.c.special["bonus_vp"]["virgin_queen_max"]) - had
    yield Fact("virgin_queen", {"vp": had, "left": left})


KIT.turns_on("respond_wedding", facts=(elizabeth, standing), means=by_card)


def grooms(look: Look) -> Facts:
    """Tell whom the reader could marry off."""
    free = clauses.bachelors(look.table, look.seat)
    if free:
        state = look.table.state
        yield Fact("grooms", {"royals": {man: state.royals[man].eligibility for man in free}})


KIT.turns_on("respond_negotiation", facts=(grooms,), means=by_card)


def royal(look: Look, answer: Any) -> Meaning | None:
    """Tell how the wedding of the chosen royal may end: with the marker, or with Louise."""
    if not isinstance(answer, str):
        return None
    if look.word("card") == "louise-of-lorraine":
        return Meaning(follows=(Fact("eligibility", {"plus": look.table.state.royals[answer].eligibility}),))
    couple = next(couple for couple in look.table.state.betrothed if answer in couple.couple)
    chances = odds(look.table, couple.man, couple.woman, weddings.MARKER)
    return Meaning(chance=chances["vp"], follows=(Fact("couple", {"couple": couple.couple}),), rank=chances["vp"])


KIT.turns_on("event_royal", facts=(), means=royal)


# -- what a wedding brings


def tracks(look: Look) -> Facts:
    """Tell the influence of all on the minor powers that are open."""
    state = look.table.state
    for minor in MINORS:
        marks = {look.who(power): n for power, n in state.minors[minor].influence.items() if seat_of(state, power)}
        if not state.minors[minor].resolved and reader(look) in state.minors[minor].influence:
            yield Fact("influence_on", {"minor": minor, "marks": marks})


def befriended(look: Look, answer: Any) -> Meaning | None:
    """Tell the influence on a minor power afterwards, and who leads there."""
    entry = look.table.state.minors[answer]
    mine = entry.influence[look.word("power")] + FRANCIS
    return Meaning(
        follows=follows("influence_then", points=mine, ally=look.who(entry.ally) if entry.ally else "none"), rank=mine
    )


KIT.turns_on("dowry_influence", facts=(tracks,), means=befriended)


KIT.turns_on("dowry_troops", facts=(says("guard", count=MERCENARIES),), means=spots())


def free_action(look: Look) -> Facts:
    """Tell how many attempts a free action has."""
    religion = look.table.c.actions[look.about["action"]].converts_to[look.word("power")]
    yield Fact("tries", {"count": ATTEMPTS, "religion": religion})


def area(look: Look, answer: Any) -> Meaning | None:
    """Tell how many spaces of an area can turn."""
    religion = look.table.c.actions[look.about["action"]].converts_to[look.word("power")]
    notes, rank = reach_of(look, answer, religion)
    return Meaning(follows=notes, rank=rank)


KIT.turns_on("dowry_action", facts=(free_action, faith_vp, first(0, standing)), means=area)


# -- learning


def learned(look: Look) -> Facts:
    """Tell which bonuses the reader has, and which others have taken."""
    table, power = look.table, look.word("power")
    own = table.state.powers[power].science
    yield Fact("bonuses", {"power": look.who(power), "bonuses": list(own)})
    taken = [bonus for other, hand in table.state.powers.items() if other != power for bonus in hand.science]
    if taken:
        yield Fact("bonuses_taken", {"bonuses": taken}, main=False)


def bonus(look: Look, answer: Any) -> Meaning | None:
    """Tell what a bonus does."""
    return Meaning(follows=follows(f"bonus.{answer}"))


KIT.turns_on("science", facts=(learned,), means=bonus)


def achieved(look: Look, answer: Any) -> Meaning | None:
    """Tell what a bonus does; of a whole answer, the VP that are left for it."""
    if len(answer) == 1:
        return Meaning(follows=follows(f"bonus.{answer[0]}"))
    return Meaning(follows=follows("achieved_vp", vp=vp_for(look, look.number("most") - len(answer))))


def vp_for(look: Look, points: int) -> int:
    """Return the VP that so many points of an achievement bring now."""
    work = next(work for work in look.table.state.patronage if work.person == look.word("person"))
    marker = evaluation.best(look.table, work, points) if points > 0 else ""
    return look.table.c.vp_markers[marker].vp if marker else 0


def points(look: Look) -> Facts:
    """Tell what the achievement brings without a bonus."""
    yield Fact("achieved_all", {"vp": vp_for(look, look.number("most")), "most": look.number("most")})


KIT.turns_on("achievement", facts=(points, learned, first(0, standing)), means=achieved)
