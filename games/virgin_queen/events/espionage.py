"""Cards of espionage (19): 80, 81, 89, 91, 102, 105 (texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import cards, impulse
from games.virgin_queen.events.common import ask, ask_consent, event, option, targeted
from games.virgin_queen.events.courts import royal_wedding
from games.virgin_queen.events.faith import french_match
from games.virgin_queen.intrigue import agents, assassination, intelligence
from games.virgin_queen.intrigue.dice import ACTIONS
from games.virgin_queen.query import seat_of
from games.virgin_queen.responses import response
from games.virgin_queen.state import ATTACK, DEFEND, ENGLAND
from games.virgin_queen.table import KIT, Table
from pbem.kernel.game import Rule

KIT.question("event_agent", "6.1")
POINTS = 3
"""CP of espionage that cards 80 and 81 bring (ruling 64)."""
MARY_DICE = 2


@event("the-black-queen")
def black_queen(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #80: a royal wedding as with card 33, or a free informant, active at once, and 3 CP of espionage."""
    card = "the-black-queen"
    words = ["espionage", *(["wedding"] if french_match(table) else [])]
    if (yield from option(table, power, card, words)) == "wedding":
        yield from royal_wedding(table, power, card)
        return
    if found := agents.cards(table, power):
        form = agents.form(table, power, found)
        order = yield from ask(table, power, card, "agent", form, lambda: next(form.options()))
        agents.send(table, power, order, at_once=True)
    yield from impulse.spend(table, power, POINTS, "event", ACTIONS)


@event("walsingham")
def walsingham(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #81: Walsingham attacks for the rest of the turn; then 3 CP of espionage."""
    table.state.walsingham = ATTACK
    table.log("intrigue.walsingham", rule="6.1", power=power, box=f"walsingham-{ATTACK}")
    yield from impulse.spend(table, power, POINTS, "event", ACTIONS)


@response("espionage", "walsingham", lambda t, p, a: p == ENGLAND == a["target"])
def walsingham_defends(table: Table, power: str, about: Mapping[str, Any]) -> None:
    """Resolve #81, before espionage dice against England: Walsingham defends for the rest of the turn (FAQ 28)."""
    table.state.walsingham = DEFEND
    table.log("intrigue.walsingham", rule="6.1", power=power, box=f"walsingham-{DEFEND}")


def _mary_helps(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    plot = about["action"] == "english_catholic_rebellion" or about.get("leader") == assassination.ELIZABETH
    return plot and table.state.mary == "captive" and power != ENGLAND


@response("espionage", "mary-queen-of-scots", _mary_helps)
def mary(table: Table, power: str, about: Mapping[str, Any]) -> None:
    """Resolve #89: two more attack dice with Mary a captive, against Elizabeth or for an English rebellion."""
    about["bonus"]["mary-queen-of-scots"] = MARY_DICE
    table.log("intrigue.bonus", rule="6.1", power=power, card="mary-queen-of-scots", count=MARY_DICE)


@targeted("cipher-key", "target", agents.rivals)
def cipher_key(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #91: the cipher key goes on another power's card; then perhaps intelligence, not if activated (27.1)."""
    target = aim["target"]
    table.state.cipher_keys[power] = target
    table.log("intrigue.cipher_key", rule="6.1", power=power, target=target)
    if not table.state.powers[power].active:
        return
    if (yield from ask_consent(table, power, "cipher-key", "intelligence", other=target)):
        yield from intelligence.gain(table, power, target)


@response("espionage", "double-agent", lambda t, p, a: p != a["power"] and agents.spying(t, a["power"], a["target"]))
def double_agent(table: Table, power: str, about: Mapping[str, Any]) -> None:
    """Resolve #102: neutralise the acting power's informant, which gives no dice, and see a random card of it."""
    state, actor = table.state, about["power"]
    intelligence.neutralise(table, actor, about["target"])
    loose = cards.loose(table, actor)
    if loose:
        seen = {"cards": [loose[table.dice.below(len(loose))]], "treasures": []}
        private = {seat_of(state, power): seen}
        table.log("event.looks", rule="6.1", power=power, victim=actor, private=private)


@event("bond-of-association", lambda t, p: not t.state.powers[ENGLAND].ruler_dead)
def bond(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #105: three more defence dice for Elizabeth until the turn ends."""
    table.state.powers[ENGLAND].used[assassination.BOND] = 1
    table.log("intrigue.bond", rule="6.1", power=power, count=assassination.BOND_DICE)
