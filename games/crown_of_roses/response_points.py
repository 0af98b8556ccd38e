"""Response points (10.4.4, 14.2.2): when surprise cards and allies may be played out of turn, and who is asked.

A chapter calls `offer` at such a point. One window asks, by public knowledge alone, every house that could respond.
Effects on cards and blocks are executed here; effects on the affair itself are returned, for example as
`met.of("retreat")` (cards 64, 65, 69, B3). After an effect the window opens again. The package `events` registers
cards and options of allies by moment (`KIT.response`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeVar

import msgspec

from games.crown_of_roses import draw, tie_breaks
from games.crown_of_roses.components import CardTerms, RosesComponents
from games.crown_of_roses.events.raids import disperse
from games.crown_of_roses.invariants import invariants
from games.crown_of_roses.query import owners
from games.crown_of_roses.refusals import meant
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.composite_domains import BehindWord
from pbem.kernel.corrections import manual
from pbem.kernel.domains import PASS, Menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.kit import Response
from pbem.kernel.questions import REACTION
from pbem.kernel.rejections import RejectionReason, because

M = TypeVar("M")

KIT.chapter("10.1", "where cards go", "response_points.py", "action.py")
KIT.chapter("10.2.1", "house surprises, no card drawn", "response_points.py")
KIT.chapter("10.4.4", "surprise cards", "response_points.py", "events/surprise_cards.py", "events/aftermath_cards.py")

IMPULSE = "impulse"
"""10.4.4 Before command cards are laid. About: `impulse`."""
STEP = "step"
"""13.2 Before the action step of a house, for the others. About: `house`, `card`."""
MARCH = "march"
"""16.1 A land move was ordered: before the first border. About: `house`, `place`, `count`."""
SAIL = "sail"
"""17.0 A sea move was ordered: `cancel` stops it, its OPS are not spent. About: `house`, `origin`, `place`, `count`."""
INTERCEPTED = "intercepted"
"""16.5 A stack was intercepted: `return` takes it back to where it came from, and it stops. About: `house`, `place`."""
ENGAGEMENT = "engagement"
"""20.2 An engagement is to begin, no block is shown: `retreat`. About: `place`, `attacker`, `defender`."""
ROUND = "round"
"""20.4 A round begins, forces chosen, not shown: `retreat`, `reserve`, `gone`, `inspire`. About: as before, `round`."""
LINE = "line"
"""20.5.2 Before the dice of line combat, allies only: `dice` for a side, `garrison`. About: as before, `round`."""
AFTERMATH = "aftermath"
"""20.6 Before the eliminated roll: `spared` blocks do not (they are at their destination already). About: `place`."""
INCOME = "income"
"""23.1.4 Allies for influence points (executed here). About: `turn`."""
GATHERING = "gathering"
"""24.2.1 Before the influence on a noble is compared: allies add some (executed here). About: `noble`."""
VOTE = "vote"
"""24.2.2, 24.2.3 Before and after the count, allies only: `votes` of `side`. About: `when` (`before`, `after`)."""

MOMENTS = {
    moment: KIT.question(f"surprise_{moment}", "10.4.4", REACTION, cards=True)
    for moment in (
        IMPULSE, STEP, MARCH, SAIL, INTERCEPTED, ENGAGEMENT, ROUND, LINE, AFTERMATH, INCOME, GATHERING, VOTE,
    )
}  # fmt: skip
"""All moments with the question that their window puts."""


class Fight(msgspec.Struct):
    """An engagement as cards see it; the combat chapter makes one for each call.

    `force` and `reserve` are blocks by house, `paths` where a house could retreat to (public: 20.5.4), `seen` the
    blocks that were shown in this battle, `fallen` those eliminated in it.
    """

    place: str
    attacker: str
    defender: str
    force: dict[str, list[str]] = {}
    reserve: dict[str, list[str]] = {}
    paths: dict[str, list[str]] = {}
    seen: list[str] = []
    fallen: list[str] = []

    def present(self, house: str) -> list[str]:
        return [*self.force.get(house, ()), *self.reserve.get(house, ())]

    def enemy(self, house: str) -> str:
        return self.defender if house == self.attacker else self.attacker


class CardEffect(msgspec.Struct):
    """What a card did to the affair it was played into.

    `do` is `cancel`, `return`, `retreat`, `reserve` (`blocks` joined the reserve of `side`; they are there and serve
    it already), `gone` (`blocks` left the fight), `inspire` (+1 on all combat rolls of the side's force until the
    battle ends); `dice` (`count` dice that hit on `hits_on`; the hits of one of them go to `target` if it is set),
    `garrison` (+1 on the garrison's rolls), `spared`, `votes` (`count`).
    """

    do: str
    side: str
    card: str = ""
    blocks: list[str] = []
    count: int = 0
    hits_on: int = 0
    target: str = ""


ENDS = ("cancel", "return", "retreat")
"""Effects after which nothing more is played at a moment."""


class ResponsePoint(msgspec.Struct):
    """A response point: its name, its public facts, its engagement, and its effects."""

    name: str
    about: dict[str, Any]
    fight: Fight | None = None
    effects: list[CardEffect] = []

    def of(self, do: str) -> list[CardEffect]:
        return [effect for effect in self.effects if effect.do == do]

    @property
    def over(self) -> bool:
        """Whether what was about to happen is cancelled."""
        return bool(self.effects) and any(effect.do in ENDS for effect in self.effects)

    def add(self, do: str, side: str, **more: Any) -> None:
        """Note an effect; `play` adds the card."""
        self.effects.append(CardEffect(do, side, **more))


class AllyOption(msgspec.Struct):
    """An ally's option (14.2.2) at a moment: the card, and the numbers in its text."""

    moment: ResponsePoint
    card: str
    terms: CardTerms


def of_allies(*moments: str) -> tuple[str, ...]:
    """Return the moments, by kind of option, as the kit knows them for options of allies."""
    return tuple(f"ally.{moment}" for moment in moments)


WORDS: dict[str, str] = {}
"""Kind of an ally's option → its word in the menu."""
NEEDS = {
    "bad_weather_64": "attacker_stays", "bad_weather_65": "attacker_stays", "cooler_heads": "attacker_stays",
    "retreat_before_battle": "no_way_out", "to_the_standard": "nobody_undeclared", "a_warwick": "leader_absent",
    "sun_of_york": "leader_absent", "escape": "nobody_fell", "black_jack_and_deepwood": "nobody_fell",
    "false_friends": "no_ally_in_play", "secret_plots": "no_ally_in_play", "leadership": "no_leader_out",
    "careful_planning": "no_discards",
}  # fmt: skip
"""Surprise card, or kind of an ally's option → the message that what it needs is not there."""
OF_SIDES = (
    "retreat_before_battle", "to_the_standard", "a_warwick", "sun_of_york", "treachery", "wavering_noble_77",
    "wavering_noble_78",
)  # fmt: skip
"""Those that are for the two sides of an engagement only."""


def playable_by_all(table: Table, house: str, what: M) -> bool:
    """Let everybody play a card, without any condition."""
    return True


def fighting(table: Table, house: str, moment: ResponsePoint) -> bool:
    """Return whether a house is one of the two sides of an engagement."""
    return moment.fight is not None and house in (moment.fight.attacker, moment.fight.defender)


def possibly_in_hand(table: Table, cards: Mapping[str, Any]) -> list[str]:
    """Return those of the cards that may be in a hand, by public knowledge."""
    if not cards:
        return []
    state = table.state
    seen = {*state.discards, *state.removed, *state.lasting}
    for house in state.houses.values():
        seen.update(house.cards)
        seen.add(house.command)
    return [card for card in cards if card not in seen]


def could(table: Table, moment: ResponsePoint, possible: Sequence[str], house: str) -> bool:
    """Return whether a house might respond, by public knowledge: a card nobody has seen, or an ally before it."""
    own = table.state.houses[house]
    if own.out:
        return False
    if own.hand:
        cards, faces = KIT.responses[moment.name] if possible else {}, table.c.cards
        for card in possible:
            if faces[card].house in ("", house) and cards[card].can(table, house, moment):
                return True
    for ally in own.cards:  # noqa: SIM110 - before every window: a generator costs more than all the rest
        if _uses(table.c, moment.name, ally) and _options(table, moment, house, ally):
            return True
    return False


def menu_of(table: Table, moment: ResponsePoint, house: str) -> dict[str, BehindWord]:
    """Return what a house can really play: its surprise cards, its allies with what they are discarded for."""
    own = table.state.houses[house]
    cards = KIT.responses.get(moment.name, {})
    entries: dict[str, BehindWord] = {}
    for card in sorted(own.hand):
        if card in cards and cards[card].can(table, house, moment):
            _enter(table, house, cards[card], moment, card, entries)
    for ally in own.cards:
        uses: dict[str, BehindWord] = {}
        for response, option in _options(table, moment, house, ally):
            _enter(table, house, response, option, WORDS[response.key], uses)
        if uses:
            entries[ally] = Menu(uses, None, partial(_no_option, table, house, moment, ally))
    return entries


def _no_option(table: Table, house: str, moment: ResponsePoint, ally: str, word: str) -> RejectionReason | None:
    """Return why an ally can't be discarded for something (14.2.2); None for what no ally is discarded for."""
    if word not in WORDS.values():
        return None
    kinds = [terms.kind for terms in table.c.cards[ally].options if WORDS.get(terms.kind) == word]
    if not kinds:
        return because("no_such_option", "14.2.2", card=ally)
    if not any(response.key == kinds[0] for response, _ in _uses(table.c, moment.name, ally)):
        return because("other_moment", "14.2.2", card=ally)
    return _unfulfilled(table, house, moment, kinds[0], ally, "14.2.2")


def _unfulfilled(table: Table, house: str, moment: ResponsePoint, what: str, card: str, rule: str) -> RejectionReason:
    """Return why a house can't use a surprise card, or an ally for something, at a moment to which it belongs."""
    if what in OF_SIDES and not fighting(table, house, moment):
        return because("only_sides", rule, card=card)
    return because(NEEDS[what], rule, card=card, blocks=list(table.c.cards[card].params.leader_any))


def _enter(
    table: Table, house: str, response: Response[Table, M, Any, Any], what: M, word: str, entries: dict[str, BehindWord]
) -> None:
    """Put a word with its domain into a menu, if there is anything to do with it."""
    found = response.find(table, house, what)
    if found is not None:
        entries[word] = partial(response.form, table, house, found) if response.form is not None else None


def _options(
    table: Table, moment: ResponsePoint, house: str, ally: str
) -> list[tuple[Response[Table, AllyOption, Any, Any], AllyOption]]:
    """Return what an ally can be discarded for at a moment, by public knowledge."""
    found = []
    for response, terms in _uses(table.c, moment.name, ally):
        option = AllyOption(moment, ally, terms)
        if response.can(table, house, option):
            found.append((response, option))
    return found


@lru_cache(maxsize=512)
def _uses(c: RosesComponents, moment: str, ally: str) -> list[tuple[Response[Table, AllyOption, Any, Any], CardTerms]]:
    kinds = KIT.responses.get(f"ally.{moment}", {})
    return [(kinds[terms.kind], terms) for terms in c.cards[ally].options if terms.kind in kinds]


def offer(
    table: Table, name: str, about: Mapping[str, Any], *, fight: Fight | None = None, touches: Sequence[str] | None = ()
) -> Rule[ResponsePoint]:
    """Open the window of a moment until nobody plays anything more. Returns the `ResponsePoint` with its effects.

    `about` are public facts. `touches` are the houses that are asked by default; others are if their settings or
    standing orders say so (nobody by default: cards of the kind "at any time" cost no emails; None: everybody).
    """
    moment = ResponsePoint(name, dict(about), fight)
    while not moment.over and (yield from _window(table, moment, touches)):
        pass
    if not moment.of("return"):
        yield from disperse(table)  # 14.2.1 a card may have brought blocks to rebels
    return moment


def _window(table: Table, moment: ResponsePoint, touches: Sequence[str] | None) -> Rule[bool]:
    """Open the window once. Returns whether something was played."""
    possible = possibly_in_hand(table, KIT.responses.get(moment.name, {}))
    able = [house for house in table.state.houses if could(table, moment, possible, house)]
    if not able:
        return False
    about = dict(moment.about)
    if touches is not None:
        about["touches"] = list(touches)
    replies = yield from MOMENTS[moment.name].window(
        {house: partial(_menu, table, moment, house) for house in able}, **about
    )
    if not (wishes := dict(replies.in_order(able))):
        return False
    order = list(dict.fromkeys(house for house in (*table.state.order, *able) if house in able))
    played = False
    for house in (yield from _in_order(table, moment, order, wishes)):
        answer = replies.of(house)
        if moment.over or answer == PASS or not _menu(table, moment, house).accepts(answer):
            continue
        replies.took_effect(house)
        played = True
        yield from play(table, moment, house, answer)
    return played


def _menu(table: Table, moment: ResponsePoint, house: str) -> Menu:
    entries = menu_of(table, moment, house)
    return Menu({PASS: None, **entries}, [PASS, PASS, *entries], partial(bar_card, table, moment, house))


def bar_card(table: Table, moment: ResponsePoint, house: str, word: str) -> RejectionReason | None:
    """Return why a house can't play a card at a moment, by its own cards alone (10.4.4, 14.2.2); None for no card."""
    card, own = meant(table, word), table.state.houses[house]
    if card not in table.c.cards:
        return None
    if card in own.cards:
        uses = _uses(table.c, moment.name, card)
        if len(uses) == 1:
            return _unfulfilled(table, house, moment, uses[0][0].key, card, "14.2.2")
        return because("ally_later", "14.2.2", card=card)
    if card not in own.hand:
        return because("not_in_hand", "10.4.4", card=card)
    if table.c.cards[card].type != "surprise":
        return because("no_surprise", "10.4.4", card=card, type=table.c.cards[card].type)
    if card not in KIT.responses.get(moment.name, {}):
        return because("other_moment", "10.4.4", card=card)
    return _unfulfilled(table, house, moment, card, card, "10.4.4")


def _in_order(table: Table, moment: ResponsePoint, houses: Sequence[str], wishes: Mapping[str, Any]) -> Rule[list[str]]:
    """Ask the King for the order where several houses discard allies at once; not for dice and votes (14.2.2)."""
    houses_of = table.state.houses
    allies = [house for house in houses if house in wishes and word_of(wishes[house]) in houses_of[house].cards]
    if len(allies) < 2 or moment.name in (LINE, VOTE, INCOME):
        return list(houses)
    first = yield from tie_breaks.order(table, allies, "ally", "14.2.2")
    return [*first, *(house for house in houses if house not in first)]


def word_of(answer: Any) -> str:
    """Return the card that an answer plays."""
    return str(answer["do"] if isinstance(answer, dict) else answer)


def play(table: Table, moment: ResponsePoint, house: str, answer: Any, *, own: bool = False) -> Play:
    """Execute what a house plays at a moment; the answer is one of `menu_of`. `own`: among its own actions."""
    card = word_of(answer)
    before, since = len(moment.effects), len(table.lines)
    if not own:
        table.stop_advance_orders()
    if card in table.state.houses[house].cards:
        yield from _discard_ally(table, moment, house, card, answer["with"])
    else:
        yield from _play_surprise(table, moment, house, card, answer)
    for effect in moment.effects[before:]:
        effect.card = card
    if own:
        face = table.c.cards[card]
        lasts = face.manual or face.duration == "ops_phase"
        table.stop_concerned(since, house, lambda name: table.seats if lasts else _owners_of(table, name))


def _owners_of(table: Table, name: str) -> Iterable[str]:
    """Return the houses of a house, a block or a place."""
    state = table.state
    if name in state.blocks:
        return (state.blocks[name].owner,) if state.blocks[name].owner else ()
    return (name,) if name in state.houses else owners(state, name)


def _play_surprise(table: Table, moment: ResponsePoint, house: str, card: str, answer: Any) -> Play:
    """Execute the card's text; a card from the deck replaces it, none for a house card (10.4.4, 10.2.1, R-47)."""
    state, face = table.state, table.c.cards[card]
    state.houses[house].hand.remove(card)
    if face.duration == "ops_phase":
        state.lasting.append(card)
    else:
        draw.discard(table, card)
    table.log("surprise.played", rule="10.4.4", house=house, card=card, reveals=True)
    if face.manual:
        yield from manual(table, card, house, invariants, rule="10.4.4")
    else:
        yield from KIT.responses[moment.name][card].run(table, house, moment, answer)
    if not face.house:
        draw.draw(table, house, 1)
    if face.reshuffle:
        reshuffle(table)


def _discard_ally(table: Table, moment: ResponsePoint, house: str, card: str, answer: Any) -> Play:
    """Execute one of an ally's options and discard it (14.2.2); card 21 leaves the game (10.1, R-35)."""
    word = word_of(answer)
    own = table.state.houses[house]
    terms = next(terms for terms in table.c.cards[card].options if WORDS.get(terms.kind) == word)
    table.log("ally.used", rule="14.2.2", house=house, card=card, option=word, reveals=True)
    own.cards.remove(card)
    (table.state.removed if card == "coppini" else table.state.discards).append(card)
    if table.c.cards[card].manual:
        yield from manual(table, card, house, invariants, rule="14.2.2")
    else:
        response = KIT.responses[f"ally.{moment.name}"][terms.kind]
        yield from response.run(table, house, AllyOption(moment, card, terms), answer)


def reshuffle(table: Table) -> None:
    """Shuffle the discards into the deck (14.1.3, card 76)."""
    state = table.state
    state.deck += state.discards
    state.discards = []
    table.shuffle(state.deck)
    table.log("draw.reshuffle", rule="12.0")


def sheet(table: Table, house: str) -> dict[str, list[str]]:
    """Return the surprise cards and allies of a house, by the windows in which they can be played (10.4.4, 14.2.2)."""
    own = table.state.houses[house]
    found: dict[str, list[str]] = {}
    for moment, question in MOMENTS.items():
        uses = KIT.responses.get(f"ally.{moment}", {})
        cards = [card for card in sorted(own.hand) if card in KIT.responses.get(moment, {})]
        cards += [card for card in own.cards if any(use.kind in uses for use in table.c.cards[card].options)]
        if cards:
            found[question.kind] = cards
    return found
