"""Short notes beside an answer: what a space, a power, a card or a person is now, and what dice can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import comb
from typing import Any

from games.virgin_queen.evidence.shared import Facts, Look, effect, foes_near, follows, reader, ships_there, units_there
from games.virgin_queen.keys import vp
from games.virgin_queen.query import allied, at_war, controls, fortified
from games.virgin_queen.table import Table
from pbem.kernel.evidence import Builder, Fact, Meaning

HIT, FACES = 5, 6


def says(key: str, **args: Any) -> Builder[Table]:
    """Return a builder of a fact that is always the same."""
    return lambda look: iter((Fact(key, args),))


# -- spaces


def marks(look: Look, at: str) -> list[str]:
    """Return what makes a space special: key, fortress, capital, unrest, siege."""
    state, info = look.table.state, look.table.c.spaces[at]
    found = {
        "key": info.type == "key",
        "fortress": info.type == "fortress" or at in state.fortresses,
        "capital": at in state.capitals,
        "unrest": at in state.unrest,
        "siege": at in state.sieges,
    }
    return [word for word, there in found.items() if there]


def brief(look: Look, at: str) -> tuple[Fact, ...]:
    """Tell only what makes a space special, and who is there."""
    found, units = marks(look, at), units_there(look, at)
    notes = [Fact("spot_marks", {"marks": found}, (at,))] if found else []
    return (*notes, *([Fact("spot_units", {"units": units})] if units else []))


def spot(look: Look, at: str) -> tuple[Fact, ...]:
    """Tell of a place: whose and who is there; key, fortress, unrest, siege; the reader's enemies beside it."""
    table = look.table
    state = table.state
    afloat = {side: sum(kinds.values()) for side, kinds in ships_there(look, at).items()}
    ships = (Fact("spot_ships", {"ships": afloat}),) if afloat else ()
    if at not in table.c.spaces:
        return ships
    notes = [Fact("spot", {"holder": look.who(state.control[at]), "marks": marks(look, at)}, (at,))]
    if units := units_there(look, at):
        notes.append(Fact("spot_units", {"units": units}))
    if near := foes_near(look, reader(look), at):
        notes.append(Fact("spot_near", {"units": near}))
    return (*notes, *ships)


def spots(**words: str) -> Callable[[Look, Any], Meaning | None]:
    """Return the meaning of answers that name a place; `words` are the notes on those that name none."""

    def told(look: Look, answer: Any) -> Meaning | None:
        at = named(answer)
        if at in look.table.c.spaces or at in look.table.c.zones:
            return Meaning(follows=spot(look, at), rank=at in look.table.c.spaces and "key" in marks(look, at))
        return Meaning(follows=follows(words[at]), rank=-1) if at in words else None

    return told


def named(answer: Any) -> str:
    """Return the single thing that an answer names: a word, the only one of a list, or what a word goes with."""
    if isinstance(answer, Mapping):
        answer = answer.get("with", next(iter(answer.values()), ""))
    if isinstance(answer, list):
        answer = answer[0] if len(answer) == 1 else ""
    return answer if isinstance(answer, str) else ""


def front(look: Look, power: str, most: int = 5) -> Facts:
    """Tell which spaces of a power have most enemy units beside them."""
    state = look.table.state
    near = {at: sum(foes_near(look, power, at).values()) for at in controls(state, power)}
    found = sorted((at for at in near if near[at]), key=lambda at: -near[at])[:most]
    if found:
        yield Fact("front", {"spaces": {at: near[at] for at in found}}, tuple(found))


def keys_first(look: Look, spaces: Sequence[str]) -> list[str]:
    """Return spaces with keys first, then fortified ones."""
    table = look.table
    return sorted(spaces, key=lambda at: (table.c.spaces[at].type != "key", not fortified(table, at)))


# -- powers


def rival(look: Look, power: str) -> tuple[Fact, ...]:
    """Tell of a power: cards and treasures in hand, VP, war or alliance with the reader."""
    state, mine = look.table.state, reader(look)
    if power not in state.powers:
        return ()
    hand = state.powers[power]
    notes = [Fact("rival", {"cards": len(hand.hand), "treasures": len(hand.treasures), "vp": vp(look.table, power)})]
    if at_war(state, mine, power):
        notes.append(Fact("rival_war"))
    elif power != mine and allied(state, mine, power):
        notes.append(Fact("rival_ally"))
    return tuple(notes)


# -- cards and treasures


def card_does(look: Look) -> Facts:
    """Tell what the card that asks does, in a few words."""
    yield effect(look, look.word("card"), "event")


def worth(look: Look, key: str) -> tuple[Fact, ...]:
    """Tell in a few words what a card does, and what kind it is if it is no event; of a treasure its name says all."""
    card = look.table.c.cards.get(key)
    if card is None:
        return ()
    kind = () if card.type == "event" else follows("card_type", type=card.type)
    return effect(look, key), *kind


def by_card(look: Look, answer: Any) -> Meaning | None:
    """Tell of the card that an answer names, its CP as its price; the dearest first."""
    key = named(answer)
    if key not in look.table.c.cards:
        return None
    cp = look.table.c.cards[key].cp
    return Meaning(cost=cp, follows=worth(look, key), rank=cp)


# -- people


def general(look: Look, key: str) -> tuple[Fact, ...]:
    """Tell of an army leader: whose, ratings, with how many units."""
    card, entry = look.table.c.generals[key], look.table.state.leaders[key]
    units = units_there(look, entry.at).get(look.who(entry.power), 0) if entry.at in look.table.c.spaces else 0
    args = {"power": look.who(entry.power), "battle": card.battle, "command": card.command, "units": units}
    return (Fact("leads", args),)


def captain(look: Look, key: str) -> tuple[Fact, ...]:
    """Tell of a captain: whose, where, ratings, booty, damage."""
    card, entry = look.table.c.captains[key], look.table.state.captains[key]
    notes = [
        Fact("sails", {"power": look.who(entry.power), "zone": entry.at, "count": len(entry.loot)}),
        Fact("captain_ratings", {"piracy": card.piracy, "navigation": card.navigation}),
    ]
    return (*notes, Fact("damaged")) if entry.damaged else tuple(notes)


# -- dice


def at_least(dice: int, hits: int) -> float:
    """Return the chance that dice show at least so many hits (5 or 6)."""
    share = (FACES + 1 - HIT) / FACES
    return sum(comb(dice, n) * share**n * (1 - share) ** (dice - n) for n in range(max(hits, 0), dice + 1))


def more_hits(attack: int, defence: int, by: int = 1) -> int:
    """Return the chance in percent that the attack shows at least `by` hits more than the defence."""
    share = (FACES + 1 - HIT) / FACES
    chance = sum(
        comb(defence, n) * share**n * (1 - share) ** (defence - n) * at_least(attack, n + by)
        for n in range(defence + 1)
    )
    return round(100 * chance)


def percent(faces: int, of: int = FACES) -> int:
    """Return so many faces of a die as a chance in percent."""
    return round(100 * faces / of)
