"""What events share: registering a card, targets, random draws, unrest, control, peace.

The power that resolves a card answers (11); if nobody plays it, the first choice is used. All questions about
targets are public; what a hand offers is in the domain of the asked seat only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from games.virgin_queen import cards
from games.virgin_queen.displacement import displace
from games.virgin_queen.formations import add, settle
from games.virgin_queen.gate import BOUND, may_stand
from games.virgin_queen.land.control import take_over
from games.virgin_queen.land.losses import check_siege
from games.virgin_queen.query import allied, mates, occupied, other_sides, powers_in, seat_of, set_peace
from games.virgin_queen.state import POWERS
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Distribution, Domain, Form, Subset
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import REACTION, Ask

KIT.chapter("6.1", "cards", "events/", "responses.py", "land/")

RULE = "6.1"
for _kind in (
    "answer", "captain", "card", "leader", "option", "place", "power", "settlement", "ship", "space", "spaces",
    "units", "zone",
):  # fmt: skip
    KIT.question(f"event_{_kind}", RULE)
Can = Callable[[Table, str], bool]
Run = Callable[[Table, str, Mapping[str, Any]], Rule[str | bool | None] | None]
Aim = Callable[[Table, str], Rule[Mapping[str, Any]]]
V = TypeVar("V")


def event(card: str, can: Can = lambda table, power: True, aim: Aim | None = None) -> Callable[[Run], Run]:
    """Register a card as an event. `can(table, power)`: whether its conditions hold.

    `aim(table, power)` names its targets in public before anybody may stop it: public facts, perhaps with
    `space`, `spaces` or `target` (a power). `run(table, power, aim)` executes it.
    """
    if aim is not None:
        name = aim
        KIT.entry("aim", card)(lambda table, power, _: name(table, power))
    return KIT.entry("event", card, lambda table, power, _: can(table, power))


def targeted(
    card: str, kind: str, found: Callable[[Table, str], Sequence[str]], resolver: str = ""
) -> Callable[[Run], Run]:
    """Register an event with a single target of those `found` (see `aim_at`), possible if there are any."""
    return event(card, lambda table, power: bool(found(table, power)), aim_at(kind, found, card, resolver))


def played(table: Table, power: str) -> bool:
    """Return whether a power has a player."""
    return bool(seat_of(table.state, power))


def ask(
    table: Table,
    power: str,
    card: str,
    kind: str,
    domain: Domain[V],
    default: V | Callable[[], V],
    prompt: str = "",
    **about: Any,
) -> Rule[V]:
    """Ask the player of a power about a card; use `default` if nobody plays it. `kind` without its `event_`."""
    seat = seat_of(table.state, power)
    if not seat:
        chosen: V = default() if callable(default) else default
        return chosen
    return (yield from _question(table, seat, kind, domain, default, prompt, power=power, card=card, **about))


def _question(
    table: Table, seat: str, kind: str, domain: Domain[V], default: V | Callable[[], V], prompt: str = "", **about: Any
) -> Ask[V]:
    active = table.state.impulse is not None and seat == seat_of(table.state, table.state.impulse.power)
    question = KIT.kinds[f"event_{kind}"](seat, domain, default, **about)
    question.prompt = prompt
    if not active:
        question.pace = REACTION
    return question


def choose(table: Table, power: str, card: str, kind: str, found: Sequence[str]) -> Rule[str]:
    """Return one of several things; not asked where there is no choice, "" if there is nothing."""
    seat = seat_of(table.state, power)
    if not seat or not found:
        return found[0] if found else ""
    asked = _question(table, seat, kind, Choice(list(found), kind), found[0], power=power, card=card)
    return table.only(asked, found[0]) if len(found) == 1 else (yield from asked)


def nested(
    table: Table, power: str, card: str, kind: str, found: Mapping[str, Sequence[str]], **fields: str
) -> Rule[dict[str, str]]:
    """Return one of several things, then one of those that go with it. `fields`: the two by name, what each is."""
    (one, outer), (two, inner) = fields.items()
    domain = Form({one: Choice(list(found), outer), two: lambda v: Choice(found[getattr(v, one)], inner)})
    first = next(iter(found))
    return (yield from ask(table, power, card, kind, domain, {one: first, two: found[first][0]}))


def aim_at(kind: str, found: Callable[[Table, str], Sequence[str]], card: str, resolver: str = "") -> Aim:
    """Return an aim of one thing that the card's resolver chooses: a `space`, a `target` (a power), a `leader`."""

    def aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
        word = {"target": "power"}.get(kind, kind)
        chosen = yield from choose(table, resolver or power, card, word, found(table, power))
        return announce(table, power, card, {kind: chosen})

    return aim


def announce(table: Table, power: str, card: str, aim: dict[str, Any]) -> dict[str, Any]:
    """Log publicly what a card is aimed at."""
    named = [word for value in aim.values() for word in ([value] if isinstance(value, str) else value) if word]
    if named:
        table.log("event.aims", rule=RULE, power=power, card=card, aims=named)
    return aim


def several(table: Table, power: str, card: str, found: Sequence[str], most: int) -> Rule[list[str]]:
    """Return up to `most` spaces."""
    if not found:
        return []
    domain = Subset(list(found), 0, min(most, len(found)), what="spaces")
    return (yield from ask(table, power, card, "spaces", domain, list(found)[:most], most=most))


def spread(
    table: Table, power: str, card: str, bounds: Mapping[str, int], total: int | tuple[int, int]
) -> Rule[dict[str, int]]:
    """Return how many units where: `{place: number}`."""
    domain = Distribution(dict(bounds), total, what="units")
    if not bounds or not domain.most:
        return {}
    most = domain.most
    if len(bounds) == 1 and domain.least == most:
        return {next(iter(bounds)): most}
    default: dict[str, int] = {}
    for place, room in bounds.items():
        if number := min(room, most - sum(default.values())):
            default[place] = number
    return (yield from ask(table, power, card, "units", domain, default, most=most))


def ask_consent(table: Table, power: str, card: str, what: str, **about: Any) -> Rule[bool]:
    """Return whether a power agrees; no if nobody plays it or the deadline expires. `what`: key of the question."""
    domain = Choice(("no", "yes"))
    answer = yield from ask(table, power, card, "answer", domain, "no", f"ask.event_{what}", what=what, **about)
    return bool(answer == "yes")


def option(table: Table, power: str, card: str, words: Sequence[str]) -> Rule[str]:
    """Return which of its uses a card gets."""
    return (yield from choose(table, power, card, "option", words))


def holds_something(table: Table, power: str) -> bool:
    """6.3 Return whether a random card or treasure can be drawn from a power, by public knowledge."""
    return bool(cards.loose(table, power) or table.state.powers[power].treasures)


def take_random(table: Table, power: str, victim: str) -> None:
    """6.3 Move a random card or treasure from one power's hand to another's; only these two see which."""
    state = table.state
    kind, key = cards.random_from(table, victim)
    if not kind:
        table.log("event.nothing", rule="6.3", power=power, victim=victim)
        return
    (state.powers[power].hand if kind == "card" else state.powers[power].treasures).append(key)
    private = {seat: {"what": key} for seat in (seat_of(state, power), seat_of(state, victim)) if seat}
    table.log("event.taken", rule="6.3", power=power, victim=victim, private=private)


def discard_one(table: Table, power: str, card: str) -> Play:
    """Make a power discard a card of its hand: no home card, and a mandatory event only if it has no others."""
    state = table.state
    if not cards.loose(table, power):
        return
    domain = Choice(discardable_cards(table, power), "card")
    chosen = yield from ask(table, power, card, "card", domain, lambda: discardable_cards(table, power)[0])
    state.powers[power].hand.remove(chosen)
    cards.discard(table, chosen)
    table.log("event.discards", rule=RULE, power=power, what=chosen, reveals=True)


def discardable_cards(table: Table, power: str) -> list[str]:
    """Return what a power may discard or give: no home cards; mandatory events only if it has no others."""
    loose = cards.loose(table, power)
    return [card for card in loose if table.c.cards[card].type != "mandatory"] or loose


def unrest(table: Table, spaces: Sequence[str]) -> None:
    """12.4 Put unrest on spaces; one marker is enough."""
    new = [space for space in spaces if space not in table.state.unrest]
    if new:
        table.state.unrest += new
        table.log("event.unrest", rule="12.4", spaces=new)


def remove_unrest(table: Table, power: str, spaces: Sequence[str]) -> None:
    """12.4 Take unrest off spaces."""
    for space in spaces:
        table.state.unrest.remove(space)
        table.log("control.calm", rule="12.4", power=power, space=space)


def empty(table: Table, spaces: Sequence[str]) -> list[str]:
    """12.4 Return the unoccupied ones among spaces that are not in unrest yet."""
    state = table.state
    return [space for space in spaces if space not in state.unrest and not occupied(state, space)]


def welcome(table: Table, power: str) -> list[str]:
    """Return friendly spaces without a siege, unrest or other powers' units (6.1, 17)."""
    state = table.state
    friends = mates(state, power)
    return [
        space
        for space in table.c.spaces
        if state.control[space] in friends
        and space not in state.unrest
        and space not in state.sieges
        and friends.issuperset(powers_in(state, space))
        and (power not in BOUND or may_stand(table, power, space))
    ]


def seize(table: Table, power: str, *spaces: str) -> Play:
    """Give a power control of spaces by an event; others there are displaced (12.5), not into another of them."""
    state = table.state
    for space in spaces:
        take_over(table, space, power, RULE)
    for space in spaces:
        others = [side for side in other_sides(state, space, power) if not allied(state, side, power)]
        yield from displace(table, space, others)


def end_war(table: Table, a: str, b: str) -> Play:
    """End a war in the middle of a turn; displace units from spaces of the other power (12.5)."""
    state = table.state
    set_peace(table, a, b)
    table.log("deal.peace", rule=RULE, a=a, b=b)
    for space, holder in list(state.control.items()):
        for guest, host in ((a, b), (b, a)):
            if holder == host and guest in other_sides(state, space):
                yield from displace(table, space, [guest])


def dismiss(table: Table, power: str, card: str, kind: str, number: int) -> Play:
    """Remove `number` of a power's regulars or mercenaries, from spaces of its choice."""
    state = table.state
    here = {}
    for space, land in state.land.items():
        for owner, troops in land.items():
            if table.c.power_of_owner[owner] == power and getattr(troops, kind):
                here[space if owner == power else f"{space}/{owner}"] = getattr(troops, kind)
    gone = yield from spread(table, power, card, here, min(number, sum(here.values())))
    if not gone:
        return
    spaces: dict[str, int] = {}
    for place, some in gone.items():
        space, slash, owner = place.partition("/")
        add(table, space, owner if slash else power, kind, -some)
        spaces[space] = spaces.get(space, 0) + some
    settle(table, power, *spaces)
    table.log("event.dismissed", rule=RULE, power=power, kind=kind, spaces=spaces)
    for space in dict.fromkeys(place.partition("/")[0] for place in gone):
        yield from check_siege(table, space)


def number_of(table: Table, power: str, kind: str) -> int:
    """Return how many regulars or mercenaries of its own pools a power has on the map."""
    return sum(
        getattr(troops, kind)
        for land in table.state.land.values()
        for owner, troops in land.items()
        if table.c.power_of_owner[owner] == power
    )


def others(power: str) -> list[str]:
    """Return the other major powers, in impulse order."""
    return [other for other in POWERS if other != power]


def payment(table: Table, power: str, least: int) -> list[str]:
    """Return cards (not home, not mandatory) and treasures of a hand that are worth at least the given CP."""
    c, own = table.c, table.state.powers[power]
    found = [card for card in own.hand if c.cards[card].type not in ("home", "mandatory") and c.cards[card].cp >= least]
    return found + [key for key in own.treasures if c.treasures[key].kind == "cp" and c.treasures[key].value >= least]


def give_up(table: Table, power: str, what: str) -> None:
    """Discard a card or a treasure of a hand."""
    cards.give_up(table, power, what)
    table.log("event.discards", rule=RULE, power=power, what=what, reveals=True)
