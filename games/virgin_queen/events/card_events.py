"""Events of cards, treasures and money: 27, 29, 30, 49, 51, 63, 94, 98 (6.1; texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.virgin_queen import cards
from games.virgin_queen.events import common
from games.virgin_queen.impulse import SKIPS
from games.virgin_queen.minors import MOST_INFLUENCE
from games.virgin_queen.query import other_players, seat_of
from games.virgin_queen.state import FRANCE, OTTOMAN, POWERS, SPAIN, VENICE
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Menu, Optional, Series
from pbem.kernel.game import Play

KIT.question("event_gift", "6.1")
KIT.question("event_payment", "6.1")
KIT.question("event_prophecy", "6.1")
KIT.question("event_take", "6.1")

PAY_AT_LEAST = 3
TOP = 4


def employers(table: Table, power: str) -> list[str]:
    """#27 Return the powers with mercenaries on the map."""
    return [other for other in POWERS if common.number_of(table, other, "mercenaries")]


@common.targeted("mercenaries-demand-pay", "target", employers)
def demand_pay(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #27: the power pays a card or treasure of 3 CP or more, or loses half its mercenaries, rounded up."""
    card, target = "mercenaries-demand-pay", aim["target"]
    entries: dict[str, Domain | None] = {"remove": None}
    if found := common.payment(table, target, PAY_AT_LEAST):
        entries["pay"] = Choice(found, "card")
    said = yield from common.ask(table, target, card, "payment", Menu(entries), "remove")
    if said != "remove":
        common.give_up(table, target, said["with"])
        return
    yield from common.dismiss(
        table, target, card, "mercenaries", (common.number_of(table, target, "mercenaries") + 1) // 2
    )


def debtors(table: Table, power: str) -> list[str]:
    """#30 Return Spain and France, if they have mercenaries on the map or treasures in hand."""
    own = table.state.powers
    return [who for who in (SPAIN, FRANCE) if common.number_of(table, who, "mercenaries") or own[who].treasures]


def riches(table: Table, power: str) -> list[str]:
    """#30 Return the treasure of the highest value in CP that a power holds, if it holds any."""
    worth = {key: table.c.treasures[key] for key in table.state.powers[power].treasures}
    found = [key for key, info in worth.items() if info.kind == "cp"]
    return [max(found, key=lambda key: worth[key].value)] if found else []


@common.targeted("state-bankruptcy", "target", debtors)
def state_bankruptcy(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #30: Spain or France removes three mercenaries or gives up its highest treasure in CP."""
    card, target = "state-bankruptcy", aim["target"]
    best = riches(table, target)
    number = common.number_of(table, target, "mercenaries")
    said = "remove"
    if table.state.powers[target].treasures:
        words = [*(["remove"] if number or not best else []), *(["treasure"] if best else [])]
        said = yield from common.ask(table, target, card, "option", Choice(words, "option"), words[0])
    if said == "treasure":
        common.give_up(table, target, best[0])
    else:
        yield from common.dismiss(table, target, card, "mercenaries", min(3, number))


def healthy(table: Table, power: str) -> list[str]:
    """#29 Return the other powers in play whose rulers live and are not ill yet."""
    own = {other: table.state.powers[other] for other in common.others(power) if common.played(table, other)}
    return [other for other, entry in own.items() if not entry.ruler_dead and not entry.used.get(SKIPS)]


@common.targeted("ruler-falls-ill", "target", healthy)
def ruler_falls_ill(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #29: the power skips its next impulse of this turn; that is neither a pass nor an impulse."""
    table.state.powers[aim["target"]].used[SKIPS] = 1
    table.log("event.ill", rule="6.1", power=aim["target"])


def presents(table: Table, power: str) -> list[str]:
    """#49 Return the cards that may be given: neither home cards nor mandatory events."""
    return [card for card in cards.loose(table, power) if table.c.cards[card].type != "mandatory"]


def overture(table: Table, power: str) -> Menu:
    """#49 Return `give <card> <power>`; a power without such a card gives none."""
    if not presents(table, power):
        return Menu({"none": None})
    form = Form(card=Choice(presents(table, power), "card"), to=Choice(other_players(table.state, power), "power"))
    return Menu({"give": form})


@common.event("diplomatic-overture", lambda t, p: bool(t.state.deck) and bool(other_players(t.state, p)))
def diplomatic_overture(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #49: two cards are drawn, then one of the hand goes to another power."""
    state = table.state
    cards.draw(table, power, 2, "6.1")
    domain = overture(table, power)
    said = yield from common.ask(table, power, "diplomatic-overture", "gift", domain, lambda: next(domain.options()))
    if said == "none":
        table.log("event.no_gift", rule="6.1", power=power, reveals=True)
        return
    given, to = said["card"], said["to"]
    state.powers[power].hand.remove(given)
    state.powers[to].hand.append(given)
    private = {seat: {"what": given} for seat in (seat_of(state, power), seat_of(state, to))}
    table.log("event.gift", rule="6.1", power=power, other=to, private=private)


@common.event("fugger-loan", lambda t, p: bool(t.state.deck))
def fugger_loan(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #51: two cards now, one card less in the next deal (6.2)."""
    cards.draw(table, power, 2, "6.1")
    table.state.powers[power].card_marks -= 1
    table.log("event.marker", rule="6.2", power=power, marks=-1)


@common.event("gregorian-calendar", lambda t, p: bool(t.state.deck))
def gregorian_calendar(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #94: the ally of the Papacy, else Spain, draws two cards and discards one."""
    who = table.state.minors["papacy"].ally or SPAIN
    cards.draw(table, who, 2, "6.1")
    yield from common.discard_one(table, who, "gregorian-calendar")


def prophecy(table: Table) -> Form:
    """#63 Return `take <card>`, and the order in which the others will be drawn. Left out, they keep their order."""
    top = table.state.deck[: -TOP - 1 : -1]

    def rest(values: Any) -> Domain | None:
        left = [card for card in top if card != values.take]

        def item(done: Sequence[str]) -> Domain | None:
            free = [card for card in left if card not in done]
            return Choice(free, "card") if free else None

        return Optional(Series(item, len(left), len(left), "card")) if len(left) > 1 else None

    return Form(take=Choice(list(top), "card"), rest=rest)


@common.event("nostradamus-prophecies", lambda t, p: bool(t.state.deck))
def nostradamus(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #63: one of the top four cards goes into the hand, the rest back on top in any order."""
    state = table.state
    top = state.deck[: -TOP - 1 : -1]
    seat = seat_of(state, power)
    table.log("event.prophecy", rule="6.1", power=power, count=len(top), private={seat: {"cards": list(top)}})
    state.shown = {seat: top}
    said = yield from common.ask(
        table, power, "nostradamus-prophecies", "prophecy", prophecy(table), lambda: {"take": top[0]}
    )
    state.shown = {}
    rest = said.get("rest", [card for card in top if card != said["take"]])
    del state.deck[-len(top) :]
    state.deck += reversed(rest)
    cards.put_by(table, power, "card", said["take"])
    table.log("event.foresees", rule="6.1", power=power, private={seat: {"what": said["take"]}})


def influence_open(table: Table) -> bool:
    """#98 Return whether the Ottomans may gain influence on Venice."""
    venice = table.state.minors[VENICE]
    return not venice.resolved and venice.influence.get(OTTOMAN, MOST_INFLUENCE) < MOST_INFLUENCE


def _safiye(table: Table, power: str) -> bool:
    if power == OTTOMAN:
        return influence_open(table) or bool(table.state.deck)
    return common.played(table, OTTOMAN) and seat_of(table.state, OTTOMAN) != seat_of(table.state, power)


@common.event("sultana-safiye", _safiye)
def sultana_safiye(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #98: another power sees the Ottoman hand and takes a card; the Ottomans get influence or a card."""
    state, card = table.state, "sultana-safiye"
    if power == OTTOMAN:
        uses = [word for word, may in (("influence", influence_open(table)), ("draw", state.deck)) if may]
        said = uses[0]
        if len(uses) > 1:
            said = yield from common.ask(table, power, card, "option", Choice(uses, "option"), uses[0])
        if said == "draw":
            cards.draw(table, power, 1, "6.1")
            return
        marks = state.minors[VENICE].influence
        points = min(3, MOST_INFLUENCE - marks[OTTOMAN])
        marks[OTTOMAN] += points
        table.log("minor.influence", rule="24.5", power=OTTOMAN, minor=VENICE, points=points, now=marks[OTTOMAN])
        return
    own, seat = state.powers[OTTOMAN], seat_of(state, power)
    seen = {"cards": list(own.hand), "treasures": list(own.treasures)}
    table.log("event.looks", rule="6.1", power=power, victim=OTTOMAN, private={seat: seen})
    domain = Menu({"take": Choice(presents(table, OTTOMAN), "card")} if presents(table, OTTOMAN) else {"none": None})
    state.shown = {seat: [*own.hand, *own.treasures]}
    said = yield from common.ask(table, power, card, "take", domain, lambda: next(domain.options()))
    state.shown = {}
    if said == "none":
        table.log("event.nothing", rule="6.1", power=power, victim=OTTOMAN, reveals=True)
        return
    own.hand.remove(said["with"])
    state.powers[power].hand.append(said["with"])
    private = {reader: {"what": said["with"]} for reader in (seat, seat_of(state, OTTOMAN))}
    table.log("event.taken", rule="6.1", power=power, victim=OTTOMAN, private=private)
