"""Effects of Events on the board, in the words of 3.2.8: small generators that the cards use.

"Unflag" removes an opposing flag, "flag" sets one's own in an empty space, "shift" is whichever of the two the space
allows. None of them costs Action Points, needs a connection or counts as a purchase (5.2 point 4). An effect is
compulsory as far as it can be executed, unless the card says "may" (5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import partial
from typing import TypeVar

from games.imperial_struggle import board
from games.imperial_struggle.state import OTHER, SPAIN, USA
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Subset
from pbem.kernel.game import Play, Rule
from pbem.kernel.kit import Entry, QuestionKind
from pbem.kernel.rejections import RejectionReason, because

BASE, BONUS = "event.base", "event.bonus"
"""Moments at which Events have an effect. A card whose whole effect is granted points has no entry."""
UNFLAG = KIT.question("unflag", "5.2")
_shift = KIT.question("shift", "5.2")
_conflict = KIT.question("conflict", "5.2")
CONFLICTS = KIT.question("conflicts", "5.2")
_bounce = KIT.question("bounce", "5.2")
_squadron = KIT.question("squadron_lost", "5.2")

V = TypeVar("V")
Effect = TypeVar("Effect", bound=Callable[[Table, str], Play | None])


def base(card: str, side: str = "") -> Callable[[Effect], Effect]:
    """Register the decorated function as the base effect of a card, for one side or both."""
    return _register(BASE, card, side)


def bonus(card: str, side: str = "") -> Callable[[Effect], Effect]:
    """Register the decorated function as the bonus effect of a card, for one side or both."""
    return _register(BONUS, card, side)


def _register(moment: str, card: str, side: str) -> Callable[[Effect], Effect]:
    def register(effect: Effect) -> Effect:
        KIT.entry(moment, f"{card}/{side}" if side else card)(lambda table, seat, _: effect(table, seat))
        return effect

    return register


def effect_of(moment: str, card: str, seat: str) -> Entry[Table, str] | None:
    """Return the effect of the version that `seat` plays (3.4.2), None if the card only grants points.

    A single effect in all versions: "west-african-gold-mining".
    """
    entries = KIT.entries[moment]
    return entries.get(f"{card}/{seat}") or entries.get(card)


def rule(table: Table) -> str:
    """Return what the log lines of the card in play cite: its number."""
    return f"#{table.c.events[table.state.now.event].number}"


def opposing(table: Table, seat: str, space: str) -> bool:
    """Return whether `seat` can remove the flag in a space (a Spanish one too, 12.1; a USA one never, 10)."""
    return table.state.flags[space] in (OTHER[seat], SPAIN)


def unflag(
    table: Table,
    seat: str,
    spaces: Iterable[str],
    spared: Callable[[Table, str], RejectionReason | None] = lambda table, space: None,
) -> Rule[str]:
    """Remove one opposing flag, unless `spared` says why it must stay. Returns the space, "" if there was none."""
    named = list(spaces)
    found = [s for s in named if opposing(table, seat, s) and spared(table, s) is None]

    def why(space: str) -> RejectionReason | None:
        return _no_flag(table, seat, named, space) or spared(table, space)

    space = yield from board.ask_space(table, seat, UNFLAG, found, rule(table), why=why)
    if space:
        board.unflag(table, space, rule(table))
    return space


def elsewhere(table: Table, named: Container[str], space: str) -> RejectionReason | None:
    """Return why a card does not work on a space: it isn't one of those `named`. Raises `LookupError` for no space."""
    card = table.c.events[table.state.now.event]
    return None if table.c.spaces[space].id in named else because("card_space", rule(table), card=card.id, space=space)


def _no_flag(table: Table, seat: str, named: Container[str], space: str) -> RejectionReason | None:
    """Return why a card removes no flag from a space (3.2.8)."""
    problem = elsewhere(table, named, space)
    return problem or (None if opposing(table, seat, space) else because("no_opposing_flag", "3.2.8", space=space))


def _no_shift(table: Table, seat: str, named: Container[str], space: str) -> RejectionReason | None:
    """Return why a card does not shift a space (3.2.8)."""
    problem = elsewhere(table, named, space)
    if problem is not None:
        return problem
    flag = table.state.flags[space]
    if flag in (seat, USA):
        return because("own", "3.2.8", space=space) if flag == seat else because("usa", "10", space=space)
    return None if board.in_play(table, space) else because("later", "3.2.1", space=space)


def unmarkable(table: Table, named: Container[str], space: str) -> RejectionReason | None:
    """Return why a card puts no Conflict marker on a space (3.8)."""
    problem = elsewhere(table, named, space)
    if problem is not None or board.markable(table, space):
        return problem
    return because("marked" if space in table.state.conflicts else "later", "3.8", space=space)


def no_squadron(table: Table, owner: str, place: str) -> RejectionReason | None:
    """Return why no Squadron of a side can be named (3.6): there is none."""
    if place == "box":
        return because("empty_box", "3.6", seat=owner)
    there = table.c.spaces[place].type == "naval" and table.state.flags[place] == owner
    return None if there else because("squadron_of", "3.6", seat=owner, space=place)


def why_not_damageable(table: Table, owner: str, why: str, fort: str) -> RejectionReason | None:
    """Return why a Fort can't be damaged (3.2.5): it is none of that side's, or it is damaged. None if it can be."""
    if table.c.spaces[fort].type != "fort":
        return because("fort_space", why, space=fort)
    if table.state.flags[fort] != owner:
        return because("fort_of", why, seat=owner, space=fort)
    return because("damaged", why, space=fort) if fort in table.state.damaged else None


def shift(table: Table, seat: str, spaces: Iterable[str]) -> Rule[str]:
    """Shift one of these spaces for free; own flags can't be shifted. Returns the space or ""."""
    flags, named = table.state.flags, list(spaces)
    open_now = [s for s in named if flags[s] not in (seat, USA) and board.in_play(table, s)]
    why = partial(_no_shift, table, seat, named)
    space = yield from board.ask_space(table, seat, _shift, open_now, rule(table), why=why)
    if space:
        board.shift(table, seat, space, rule(table))
    return space


def mark(table: Table, seat: str, spaces: Iterable[str], count: int = 1, *, plus: bool = False) -> Play:
    """Place `count` Conflict markers, each in a different space, as many as possible (3.8.1)."""
    named = list(spaces)
    where = [s for s in named if board.markable(table, s)]
    why = partial(unmarkable, table, named)
    count = min(count, len(where))
    chosen = where[:count]
    if count == 1:
        chosen = [(yield from board.ask_space(table, seat, _conflict, where, rule(table), why=why))]
    elif count and len(where) > count:
        domain = Subset(where, count, count, what="space", why=why)
        chosen = yield from CONFLICTS(seat, domain, where[:count], rule=rule(table), count=count)
    for space in chosen:
        board.place_conflict(table, space, rule(table), plus=plus)


def return_squadron(table: Table, seat: str) -> Play:
    """Send one opposing Squadron from the map to its Navy Box."""
    where = board.squadrons(table.state, table.c, OTHER[seat])
    why = partial(no_squadron, table, OTHER[seat])
    space = yield from board.ask_space(table, seat, _bounce, where, rule(table), why=why)
    if space:
        board.to_navy_box(table, space, rule(table))


def pick_squadron(table: Table, seat: str, owner: str) -> Rule[str]:
    """Choose a Squadron of `owner` on the map or in the Navy Box; returns the space, "box" or ""."""
    places = board.own_squadrons(table, owner)
    why = partial(no_squadron, table, owner)
    return board.ask_space(table, seat, _squadron, places, rule(table), why=why, owner=owner)


def choose(
    table: Table, seat: str, question: QuestionKind, words: list[str],
    why: Callable[[str], RejectionReason | None] | None = None,
) -> Rule[str]:  # fmt: skip
    """Ask `seat` for one of these words, if there is more than one. Returns it."""
    ask = question(seat, Choice(words, why=why), words[0], rule=rule(table))
    if len(words) == 1:
        return table.only(ask, words[0])
    answer = yield from ask
    return answer


def first(domain: Domain[V]) -> V:
    """Return the first of each option: the answer when the deadline expires."""
    return domain.sample(lambda n: 0)


def held(table: Table, seat: str, spaces: Iterable[str]) -> int:
    """Return how many of these spaces `seat` controls without a Conflict marker (3.8)."""
    return board.flags_in(table.state, seat, spaces)


def political(table: Table, region: str) -> list[str]:
    """Return the Political spaces of a Region."""
    spaces = table.c.spaces
    return [s for s in table.c.of_type["political"] if spaces[s].region == region]


def markets(table: Table, region: str = "", commodity: str = "") -> list[str]:
    """Return the Markets, of a Region or a commodity if one is named."""
    spaces = table.c.spaces
    return [
        s
        for s in table.c.of_type["market"]
        if region in ("", spaces[s].region) and commodity in ("", spaces[s].commodity)
    ]


def countries(table: Table, *names: str) -> list[str]:
    """Return the spaces of these countries."""
    return [s for name in names for s in table.c.of_country[name]]


def local_alliances(table: Table, region: str) -> list[str]:
    """Return the Local Alliances of a Region (3.2.1)."""
    return [s for s in political(table, region) if table.c.spaces[s].local_alliance]


def markable_in(table: Table, region: str, subregion: str = "") -> list[str]:
    """Return the Markets and Political spaces of a Region or sub-region."""
    spaces = table.c.spaces
    return [
        s
        for s in table.c.of_region[region]
        if spaces[s].type in ("market", "political") and subregion in ("", spaces[s].subregion)
    ]
