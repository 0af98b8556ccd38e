"""What a seat may see, and what is hidden from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen.courts.deaths import MARY
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.intrigue.agents import INFORMANTS, USED
from games.virgin_queen.keys import keys, protestant_spaces, secret_vp, vp
from games.virgin_queen.query import at_war, seat_of, side_of
from games.virgin_queen.special import armada
from games.virgin_queen.state import (
    ARMADA,
    GONE,
    HRE,
    LATER,
    OFF_MAP,
    ON_CARD,
    PATRONIZED,
    POWERS,
    SPAIN,
    UNUSED,
    QueenState,
    Troops,
)
from games.virgin_queen.table import Table
from pbem.kernel.domains import Below
from pbem.kernel.geography import Conic
from pbem.kernel.questions import MODERATOR
from pbem.kernel.view import CardView, Column, Hand, MapSpace, Notice, TableView, Track, TrackMarker, View

CHART = Conic(36, 52, 43, 12)
"""The projection of the map."""


def view(table: Table, seat: str) -> View:
    """Return the view of the table for `seat`."""
    state: QueenState = table.state
    people = _people(table)
    halves = ("protestant", "huguenot", "dutch")
    homes = [home for home, spaces in table.c.homes.items() if spaces and home not in halves]
    return View(
        game="virgin_queen",
        seat=seat,
        clock=clock(state),
        tables=[
            _diplomacy(table), _war_costs(table), _influence(table), _powers(table), _leaders(table), _captains(table),
            *people_tables(table),
            *(_spaces(table, home, people) for home in homes), _seas(table, people), _oceans(table, people),
        ],
        tracks=_tracks(table),
        hands=[hand for power in POWERS for hand in _hands(table, power, seat)],
        notices=_notices(table, seat),
        map=[_space(table, key) for key in table.c.spaces],
        scores={power: vp(table, power) for power in POWERS},
    )  # fmt: skip


def clock(state: QueenState) -> dict[str, Any]:
    """Return public facts on time."""
    return {
        "turn": state.turn, "phase": state.phase, "active": state.active, "impulse": state.impulses,
        "passes": state.passes,
    }  # fmt: skip


def ships_text(table: Table, place: str) -> list[str]:
    """Return the ships at a place: `owner-kind number`; borrowed ones name their commander."""
    found = []
    for fleet in table.state.fleets.get(place, ()):
        found += [f"{fleet.owner}-{kind} {number}" for kind, number in fleet.ships.items() if number]
    return found


def _people(table: Table) -> dict[str, list[str]]:
    state = table.state
    found: dict[str, list[str]] = {}
    for key, leader in state.leaders.items():
        if not leader.captor:
            found.setdefault(leader.at, []).append(key)
    for key, captain in state.captains.items():
        found.setdefault(captain.at, []).append(key)
    return found


def _marks(table: Table, space: str) -> list[str]:
    state = table.state
    there = {
        "unrest": state.unrest, "fortress": state.fortresses, "capital": state.capitals, "jesuit": state.jesuits,
        "siege": state.sieges,
    }  # fmt: skip
    besiegers = state.sieges[space].by if space in state.sieges else ()
    return [*(mark for mark, spaces in there.items() if space in spaces), *besiegers]


def _spaces(table: Table, home: str, people: dict[str, list[str]]) -> TableView:
    state, c = table.state, table.c
    columns = [
        Column("space", "name"), Column("units", "name"), Column("control", "name"), Column("type", "name"),
        Column("religion", "faith"), Column("ships", "name"), Column("leaders", "name"), Column("marks", "name"),
        Column("links", "name", printed=True), Column("passes", "name", printed=True),
        Column("port", "name", printed=True),
    ]  # fmt: skip
    rows = []
    for key in c.homes[home]:
        space = c.spaces[key]
        religion = state.religion[key]
        rows.append([
            key, units_text(state.land.get(key, {})), state.control[key], space.type,
            religion if religion != "none" else None,
            ships_text(table, key), people.get(key, []), _marks(table, key), [*space.connections, *space.waterways],
            list(space.passes), list(space.port),
        ])  # fmt: skip
    return TableView(f"home_{home}", columns, rows, "map", {"home": home})


def _seas(table: Table, people: dict[str, list[str]]) -> TableView:
    columns = [Column("zone", "name"), Column("group", "name"), Column("ships", "name"), Column("leaders", "name"),
               Column("pirates", "name"), Column("adjacent", "name", printed=True)]  # fmt: skip
    state = table.state
    rows = [
        [key, zone.group, ships_text(table, key), people.get(key, []), state.piracy.get(key, []), list(zone.adjacent)]
        for key, zone in table.c.zones.items()
    ]
    return TableView("seas", columns, rows, "map")


def _oceans(table: Table, people: dict[str, list[str]]) -> TableView:
    columns = [Column("zone", "name"), Column("captains", "name"), Column("patrols", "number"),
               Column("colonies", "name"), Column("pirates", "name"),
               Column("adjacent", "name", printed=True)]  # fmt: skip
    state, c = table.state, table.c
    rows = []
    for key, zone in c.oceans.items():
        colonies = [f"{at}/{power}" for at, power in state.colonies.items() if key in c.settlements[at].zones]
        rows.append([
            key, people.get(key, []), state.patrols.get(key, 0), colonies, state.piracy.get(key, []),
            list(zone.adjacent),
        ])  # fmt: skip
    return TableView("oceans", columns, rows, "map")


def _powers(table: Table) -> TableView:
    columns = [
        Column("power", "name"), Column("seat", "name"), Column("ruler", "name"), Column("keys", "number"),
        Column("vp", "number"), Column("cards", "number"), Column("treasures", "number"), Column("marks", "number"),
        Column("bonus", "name"), Column("science", "name"), Column("stock", "name"),
    ]  # fmt: skip
    rows = []
    for power in POWERS:
        own = table.state.powers[power]
        rows.append([
            power, seat_of(table.state, power) or None, own.ruler, len(keys(table, power)), vp(table, power),
            len(own.hand),
            len(own.treasures), own.card_marks + own.lasting_marks, [f"{kind} {n}" for kind, n in own.vp.items()],
            list(own.science), [f"{kind} {n}" for kind, n in own.stock.items()],
        ])  # fmt: skip
    return TableView("powers", columns, rows, "powers")


def _diplomacy(table: Table) -> TableView:
    columns = [Column("power", "name"), Column("other", "name"), Column("status", "name")]
    rows = [[*key.split(":"), status] for key, status in table.state.diplomacy.items()]
    rows += [[key, minor.ally, "allied"] for key, minor in table.state.minors.items() if minor.ally]
    return TableView("diplomacy", columns, rows, "diplomacy")


def _war_costs(table: Table) -> TableView:
    rows = [
        [power, [f"{on} {relations.cost(table, power, on)}" for on in others if relations.allowed(table, power, on)]]
        for power, others in table.c.declarations.items()
    ]
    return TableView("war_costs", [Column("power", "name"), Column("costs", "name")], rows, "diplomacy")


def _influence(table: Table) -> TableView:
    columns = [Column("power", "name"), Column("ally", "name"), Column("influence", "name"), Column("resolved", "flag")]
    rows = [
        [key, minor.ally or None, [f"{power} {n}" for power, n in minor.influence.items()], minor.resolved]
        for key, minor in table.state.minors.items()
    ]
    return TableView("influence", columns, rows, "diplomacy")


def _captains(table: Table) -> TableView:
    """Return the captains in play (5.2), their loads (16.5, 17.4) and their way round the world (16.6)."""
    columns = [Column("captain", "name"), Column("power", "name"), Column("place", "name"),
               Column("damaged", "flag"), Column("colony", "flag"), Column("loot", "number"),
               Column("route", "name"), Column("battle", "number"), Column("piracy", "number"),
               Column("navigation", "number")]  # fmt: skip
    rows = [
        [key, captain.power or None, _place(captain.at), captain.damaged, captain.colony, len(captain.loot),
         _way(captain.route), card.battle, card.piracy, card.navigation]
        for key, captain in table.state.captains.items()
        if captain.at not in (LATER, GONE) and (card := table.c.captains[key])
    ]  # fmt: skip
    return TableView("captains", columns, rows, "powers")


def _place(at: str) -> str:
    """Return the name of a leader's or captain's place; `on the ruler's sheet` (4) is not a card of a hand."""
    return "power_card" if at == ON_CARD else at


def _way(route: list[str]) -> list[str]:
    """Return the sea zones that a captain has seen, in order, from steps `FROM>TO` (16.6)."""
    zones = [zone for step in route for zone in step.split(">")]
    return [zone for at, zone in enumerate(zones) if at == 0 or zone != zones[at - 1]]


def _leaders(table: Table) -> TableView:
    columns = [Column("leader", "name"), Column("power", "name"), Column("kind", "name"), Column("place", "name"),
               Column("captor", "name"), Column("battle", "number"), Column("command", "number"),
               Column("piracy", "number"), Column("at_sea", "number")]  # fmt: skip
    rows = [
        [key, leader.power, "navy" if leader.naval else "army", _place(leader.at) or None, leader.captor or None,
         card.battle, card.command or None, card.piracy or None, card.naval_battle or None]
        for key, leader in table.state.leaders.items()
        if leader.at not in (LATER, GONE) and (card := table.c.generals[key])
    ]  # fmt: skip
    return TableView("leaders", columns, rows, "powers")


def _tracks(table: Table) -> list[Track]:
    state = table.state
    scores = [TrackMarker(power, vp(table, power)) for power in POWERS]
    return [
        Track("vp", min(0, *(m.at for m in scores)), max(25, *(m.at for m in scores)), scores),
        Track("protestant_spaces", 0, 60, [TrackMarker("protestant", protestant_spaces(table))]),
        Track("turn", 1, 7, [TrackMarker("turn", state.turn)]),
    ]


def _hands(table: Table, power: str, seat: str) -> list[Hand]:
    state, own = table.state, table.state.powers[power]
    sees = seat in (seat_of(state, power), MODERATOR) and seat != ""
    hands = [
        Hand(power, "cards", len(own.hand), [CardView(card) for card in own.hand] if sees else None),
        Hand(power, "treasures", len(own.treasures), [CardView(t) for t in own.treasures] if sees else None),
    ]
    loot = [treasure for captain in state.captains.values() if captain.power == power for treasure in captain.loot]
    if loot:  # with its captains (16.5 step 6)
        hands.append(Hand(power, "loot", len(loot), [CardView(t) for t in loot] if sees else None))
    if power == SPAIN:
        row = state.spain_row
        hands.append(Hand(power, "spain_row", len(row), [CardView(t) for t in row] if sees else None))
    return hands


def _notices(table: Table, seat: str) -> list[Notice]:
    state = table.state
    notices = []
    if state.hre_faith and seat in (seat_of(state, HRE), MODERATOR) and seat:
        notices.append(Notice("notice.faith", {"faith": state.hre_faith, "vp": secret_vp(table)}))
    if state.impulse is not None:
        notices.append(Notice("notice.impulse", {"power": state.impulse.power, "cp": state.impulse.cp}))
    if state.phase == "over":
        notices.append(Notice("notice.over", {"power": state.winners, "how": state.how}))
    return notices


def _space(table: Table, key: str) -> MapSpace:
    space, state = table.c.spaces[key], table.state
    there, holder = state.land.get(key, {}), side_of(state, state.control[key])
    foes = sum(troops.total for own, troops in there.items() if at_war(state, side_of(state, own), holder))
    number = sum(troops.total for troops in there.values()) - foes
    mark = f"{number}+{foes}" if foes else str(number or "")
    links = [*space.connections, *space.passes, *space.waterways]
    return MapSpace(key, *CHART.at(space.lon, space.lat), state.control[key], mark, links, space.home)


def conceal(table: Table, seat: str, below: Below) -> None:
    """Resample all that `seat` must not know: others' cards, treasures and booty, the deck, Portugal's row, the faith.

    Spain has seen what was taken from its row (16.5): for its player booty stays unchanged.
    """
    state: QueenState = table.state
    others = [own for power, own in state.powers.items() if seat_of(state, power) != seat]
    kinds = table.c.cards
    state.shown = {who: ids for who, ids in state.shown.items() if who == seat}
    known = state.shown.get(seat, ())
    for own in others:
        own.fresh = []

    def loose(hand: list[str]) -> list[int]:
        return [i for i, card in enumerate(hand) if kinds[card].type != "home" and card not in known]

    _deal([(pile, loose(pile)) for pile in (state.deck, *(own.hand for own in others))], below)
    mine = {power for power in POWERS if seat_of(state, power) == seat}
    booty = [captain.loot for captain in state.captains.values() if captain.power not in mine]
    rows = [] if SPAIN in mine else [state.spain_row, *booty]
    piles = [state.treasure_pool, state.portugal_row, *rows, *(own.treasures for own in others)]
    _deal([(pile, [i for i, key in enumerate(pile) if key not in known]) for pile in piles], below)
    if state.hre_faith and seat != seat_of(state, HRE):
        state.hre_faith = ("catholic", "balanced", "protestant")[below(3)]
    for own in others:
        in_hand = [i for i, card in enumerate(own.hand) if kinds[card].type == "home"]
        if len(in_hand) == 1 and len(own.home_dropped) == 1:
            cards = sorted((own.hand[in_hand[0]], own.home_dropped[0]))
            own.hand[in_hand[0]], own.home_dropped[0] = cards if below(2) else reversed(cards)


def _deal(places: list[tuple[list[str], Any]], below: Below) -> None:
    things = sorted(pile[i] for pile, indices in places for i in indices)
    for i in range(len(things) - 1, 0, -1):
        j = below(i + 1)
        things[i], things[j] = things[j], things[i]
    rest = iter(things)
    for pile, indices in places:
        for i in indices:
            pile[i] = next(rest)


SEXES = {"m": "man", "f": "woman"}


def units_text(here: Mapping[str, Troops]) -> list[str]:
    """Return units as `owner-kind number`."""
    return [
        f"{owner}-{kind} {number}"
        for owner, troops in here.items()
        for kind in ("regulars", "mercenaries", "cavalry")
        if (number := getattr(troops, kind))
    ]


def people_tables(table: Table) -> list[TableView]:
    """Return the tables; those without content yet are left out."""
    found = [royals(table), patronage(table), vp_markers(table)]
    state = table.state
    if state.turn >= table.c.special["espionage_markers"]["first_turn"] or state.jesuits:
        found.append(espionage(table))
    if state.armada or state.away or state.foreign_wars:
        found.append(off_map(table))
    return found


def royals(table: Table) -> TableView:
    """Return the chart of royals available to wed, and the couples (21)."""
    state, c = table.state, table.c
    couples = [betrothal.couple for betrothal in state.betrothed]
    partner = {royal: other for couple in couples for royal, other in (couple, couple[::-1])}
    rows = []
    for key, royal in state.royals.items():
        if royal.state in ("later", "dead", "wed"):
            continue
        card = c.royals[key]
        plus = key == state.wedding_marker
        captive = key == MARY and state.mary == "captive"
        rows.append([
            key, royal.power, SEXES[card.sex], royal.eligibility, card.dynasty or None,
            "captive" if captive else royal.state, partner.get(key), plus,
        ])  # fmt: skip
    columns = [
        Column("royal", "name"), Column("power", "name"), Column("sex", "name"), Column("eligibility", "number"),
        Column("dynasty", "text"), Column("status", "name"), Column("betrothed_to", "name"),
        Column("wedding_marker", "flag"),
    ]  # fmt: skip
    return TableView("royals", columns, rows, "diplomacy")


def patronage(table: Table) -> TableView:
    """Return artists and scientists in the game: free or at work, for which power and CP (22)."""
    state, c = table.state, table.c
    work = {patronage.person: patronage for patronage in state.patronage}
    rows = []
    for chart, people in ((state.artists, c.artists), (state.scientists, c.scientists)):
        for key, where in chart.items():
            if where == GONE:
                continue
            card, busy = people[key], work.get(key)
            patron = busy.power if busy is not None else None
            rows.append([
                key, card.owner, card.type or "scientist", card.rating, patron if where == PATRONIZED else where,
                busy.cp if busy is not None else None,
            ])  # fmt: skip
    columns = [
        Column("person", "name"), Column("power", "name"), Column("type", "name"), Column("rating", "number"),
        Column("place", "name"), Column("cp", "number"),
    ]  # fmt: skip
    return TableView("patronage", columns, rows, "powers")


def vp_markers(table: Table) -> TableView:
    """Return VP markers of patronage that are left (22.1)."""
    taken = table.state.vp_markers
    rows = [
        [marker.type if marker.kind == "artist" else "scientist", marker.vp, marker.count - taken.get(marker.id, 0)]
        for marker in table.c.vp_markers.values()
    ]
    columns = [Column("type", "name"), Column("vp", "number"), Column("left", "number")]
    return TableView("vp_markers", columns, rows, "powers")


def espionage(table: Table) -> TableView:
    """Return informants, cipher keys, Jesuits and used assassinations of each power (19)."""
    state = table.state
    rows = []
    for power in POWERS:
        own = state.powers[power]
        mine = state.spies.get(power, {})
        marks = ["assassination"] if own.used.get(USED) else []
        if power == "england" and state.walsingham not in ("", UNUSED):
            marks.append(f"walsingham-{state.walsingham}")
        rows.append([
            power, [on for on, informant in mine.items() if not informant.neutral],
            [on for on, informant in mine.items() if informant.neutral],
            INFORMANTS - len(mine), state.cipher_keys.get(power),
            list(state.jesuits) if power == "spain" else [], marks,
        ])  # fmt: skip
    columns = [
        Column("power", "name"), Column("informants", "name"), Column("neutralised", "name"),
        Column("in_pool", "number"), Column("cipher_key", "name"), Column("jesuits", "name"), Column("used", "name"),
    ]  # fmt: skip
    return TableView("espionage", columns, rows, "powers")


def off_map(table: Table) -> TableView:
    """Return units aboard the Armada and in foreign wars, and their enemies (23.2, 23.7)."""
    state = table.state
    rows = []
    for place in OFF_MAP:
        war = state.foreign_wars.get(place)
        if (place == ARMADA and not state.armada) or (place != ARMADA and war is None):
            continue
        units = units_text(state.away.get(place, {}))
        leaders = [key for key, leader in state.leaders.items() if leader.at == place]
        at = armada.place(table) if place == ARMADA else None
        rows.append([
            place, at, units, leaders, state.armada if war is None else None, war.enemy if war is not None else None,
            war.began if war is not None else None,
        ])  # fmt: skip
    columns = [
        Column("place", "name"), Column("at", "name"), Column("units", "name"), Column("leaders", "name"),
        Column("strength", "number"), Column("enemy", "number"), Column("began", "number"),
    ]  # fmt: skip
    return TableView("off_map", columns, rows, "powers")
