"""The state of a game of Virgin Queen: plain values only. Ids are those of the data files.

A *power* is one of `POWERS` or `MINORS`; a *seat* is a player, named after their first power (27). An *owner* is a
counter pool (`walloon` and `knights_of_st_john` are Spain's, `morisco` the Ottomans', `huguenot` and `dutch` the
Protestants'). A *place* is a space, a sea or ocean zone, or one of `OFF_MAP`. Saves leave out defaults.
"""

import msgspec

OTTOMAN, SPAIN, ENGLAND, FRANCE, HRE, PROTESTANT = ("ottoman", "spain", "england", "france", "hre", "protestant")
POWERS = (OTTOMAN, SPAIN, ENGLAND, FRANCE, HRE, PROTESTANT)
"""The major powers in impulse order (3.2)."""
IRELAND, PAPACY, PORTUGAL, SCOTLAND, VENICE = "ireland", "papacy", "portugal", "scotland", "venice"
MINORS = (IRELAND, PAPACY, PORTUGAL, SCOTLAND, VENICE)
INDEPENDENT = "independent"
MORISCO = "morisco"

WAR, ALLIED = "war", "allied"
CATHOLIC = "catholic"
"""A religion of a space; the other one is `PROTESTANT`, a power too, and outside the areas there is `none`."""

ON_CARD, TRACK, LATER, GONE, POOL = "card", "track", "later", "gone", "pool"
"""Where a leader or captain is who is not on the map.

On the power card (8.1, placed in spring), on the turn track (back next turn), not yet in the game, out of it,
or a captain in the force pool.
"""


ARMADA = "armada"
PERSIA, POLAND = "war-in-persia", "war-with-poland"
OFF_MAP = (ARMADA, PERSIA, POLAND)
"""Places off the map: aboard the Armada (23.2), and on the cards of foreign wars (23.7)."""

FREE, PATRONIZED = "free", "patronized"
"""An artist or scientist in the pool of their power, or at work for one (22); or on the `TRACK` or `GONE`."""
UNUSED, ATTACK, DEFEND = "unused", "attack", "defend"
"""The boxes of the Walsingham marker (20.8, card 81)."""


class Troops(msgspec.Struct):
    """Land units of one owner in one space; `mercenaries` are never Ottoman, `cavalry` always (5.3)."""

    regulars: int = 0
    mercenaries: int = 0
    cavalry: int = 0

    @property
    def total(self) -> int:
        return self.regulars + self.mercenaries + self.cavalry


class Fleet(msgspec.Struct):
    """Ships of one owner at one place. `power` commands them: the owner's power, its ally, or the borrower (9.2).

    `ships` maps `galley`, `corsair`, `galleon`, `race_built`, `armada` → count; `QueenState.armada` is the
    Armada's strength.
    """

    owner: str
    power: str
    ships: dict[str, int] = {}

    @property
    def total(self) -> int:
        return sum(self.ships.values())


class Leader(msgspec.Struct):
    """An army or naval leader. `at` is a place or one of `ON_CARD`, `TRACK`, `LATER`, `GONE`; `captor` holds a captive.

    `power` commands it (a minor's leader serves its ally; `loan` of naval leaders changes it, 9.2). `naval` is
    true for naval leaders and for Don John while he is one (10).
    """

    power: str
    at: str = LATER
    captor: str = ""
    naval: bool = False
    returns: int = 0
    """The turn in which a leader on the turn track comes back."""


class Captain(msgspec.Struct):
    """A sea captain (5.2) in the `POOL`, on an ocean zone, at a settlement (winter), in Europe, or as a `Leader`."""

    at: str = LATER
    power: str = ""
    damaged: bool = False
    colony: bool = False
    loot: list[str] = []
    route: list[str] = []
    """Zones that count for the circumnavigation (16.6)."""
    returns: int = 0


class Royal(msgspec.Struct):
    """A royal (21). `state`: `later`, `free`, `betrothed`, `wed`, `dead`, `track` (William, back next turn).

    `power` bargains for the royal. `eligibility` is what age has left of it (21.3).
    """

    power: str
    state: str = "later"
    eligibility: int = 0


class Betrothal(msgspec.Struct, array_like=True):
    """A couple whose wedding is resolved in the wedding phase of this turn (9.1, 21.1)."""

    man: str
    woman: str

    @property
    def couple(self) -> list[str]:
        return [self.man, self.woman]


class Patronage(msgspec.Struct):
    """An artist or scientist at work until the patronage phase (22), as if with the given CP.

    `limited`: it is the power's one artist or scientist of the turn; cards 5, 36 and 48 bring more.
    """

    person: str
    power: str
    cp: int
    limited: bool = True


class Informant(msgspec.Struct):
    """An informant on another power's card (19.2).

    `since` is the impulse in which it came (`QueenState.impulses`): it gives dice from the next one on (FAQ 30, 19).
    """

    since: int = 0
    neutral: bool = False
    """Neutralised: back in its owner's pool in winter (19.1, 20.8)."""


class ForeignWar(msgspec.Struct):
    """A war off the map (23.7). `power` fights it with the units at the place of the card's id."""

    power: str
    began: int
    """Enemy units at the start: five give the winner a VP."""
    enemy: int
    """Enemy units left."""


class Siege(msgspec.Struct):
    """A fortified space under siege (15): `by` maps each besieging power → impulse in which the siege began.

    All land units of these powers (and their minor allies) are outside, all others inside.
    """

    by: dict[str, int] = {}


class SpentUnits(msgspec.Struct):
    """Units that may not act again this impulse. `why`: `beaten`, `besieging`, `intercepted` (13.1, 13.2)."""

    space: str
    power: str
    why: str
    units: dict[str, int]
    leaders: list[str] = []


class Minor(msgspec.Struct):
    """A minor or an activated major power (24, 27.1). `ally` is "" while it is inactive.

    `resolved`: its status was resolved this turn; `baseline` the VP of an activated major power when it got its
    ally (27.1).
    """

    ally: str = ""
    influence: dict[str, int] = {}
    resolved: bool = False
    excluded: list[str] = []
    """Powers that declared war on it and can no longer influence it (9.4)."""
    locked: bool = False
    """Portugal until King Sebastian dies (9.4)."""
    baseline: int = 0


class Power(msgspec.Struct):
    """A major power. `hand` and `treasures` are secret; their numbers are public, as are all other fields.

    `home` are home cards on the power card, spent for the turn. `vp` maps a kind of bonus VP (25.2) → points;
    `used` maps an action or event → how often this turn. `stock` holds Spain's `fortress` and `jesuit` markers,
    the Empire's `hire` track, Spain's `escort` galleons.
    """

    seat: str
    ruler: str
    hand: list[str] = []
    treasures: list[str] = []
    fresh: list[str] = []
    """Cards and treasures in hand that wait for the next impulse (11, 16.4); secret like the hand."""
    home: list[str] = []
    home_dropped: list[str] = []
    """Home cards put face down in spring (10 step 5); which one is secret."""
    ruler_dead: bool = False
    card_marks: int = 0
    """+1 and -1 card markers for the next deal (6.2); lasting ones (Suez, foreign war) are in `lasting_marks`."""
    lasting_marks: int = 0
    vp: dict[str, int] = {}
    science: list[str] = []
    stock: dict[str, int] = {}
    used: dict[str, int] = {}
    events: list[str] = []
    """Cards played this turn as event, response or combat card (6.2)."""
    active: bool = True
    """False for an activated major power (27.1): it has no home cards and is played by the seat of its ally."""


class Impulse(msgspec.Struct):
    """The current impulse (11); all of it is public.

    `cp` are points left of the card or treasure being spent, `source` where they come from (`card`, `mandatory`,
    `treasure`, or an event). `families` are the action families bought with the card; `assaulted` spaces assaulted;
    `laid` spaces put under siege in this impulse. `spent` are units that may not act again, `fought` sea battles lost.
    """

    power: str
    card: str = ""
    as_event: bool = False
    cp: int = 0
    source: str = ""
    families: list[str] = []
    treasures: list[str] = []
    assaulted: list[str] = []
    laid: list[str] = []
    spent: list[SpentUnits] = []
    garrisons: dict[str, dict[str, int]] = {}
    """Space under siege at the start of the impulse → units inside then (15.2)."""
    fought: list[str] = []
    revolts: list[str] = []
    """Areas of rebellions in this impulse (18.4)."""
    marks: list[str] = []


class QueenState(msgspec.Struct, omit_defaults=True):
    """The whole game.

    `phase` is one of `sequence.PHASES` or `over`. `control` maps every space → power, minor power or `independent` (a
    space of an allied minor is controlled by the ally, 2.2). `diplomacy` maps `pair(a, b)` → `war` or `allied`, between
    major powers and with minors at war; the alliance of a minor is in `minors`. `land` maps space → owner → troops,
    `fleets` a port or sea zone → fleets; empty entries are left out. `impulses` counts impulses of the game, so that a
    siege knows whether it is older than the current one (15.1).
    """

    powers: dict[str, Power]
    minors: dict[str, Minor]
    control: dict[str, str]
    religion: dict[str, str]
    diplomacy: dict[str, str]
    land: dict[str, dict[str, Troops]]
    fleets: dict[str, list[Fleet]]
    leaders: dict[str, Leader]
    captains: dict[str, Captain]
    deck: list[str]
    turn: int = 1
    last_turn: int = 7
    phase: str = "cards"
    active: str = ""
    impulses: int = 0
    passes: int = 0
    impulse: Impulse | None = None
    unrest: list[str] = []
    fortresses: list[str] = []
    """Fortresses built in Europe and at settlements (17.5)."""
    capitals: dict[str, str] = {}
    """Capital → power; the Protestants' may move or be missing (23.6), the Empire's becomes Prague (23.5)."""
    sieges: dict[str, Siege] = {}
    locked_wars: dict[str, int] = {}
    """Pair at war → turn in whose negotiations it can't end (scenario)."""
    peaces: list[str] = []
    """Pairs that made peace in this diplomacy phase (9.4)."""
    discards: list[str] = []
    removed: list[str] = []
    waiting: list[str] = []
    """Cards that enter later (6.2)."""
    lasting: list[str] = []
    """Events in effect until the end of the turn (6.1)."""
    shown: dict[str, list[str]] = {}
    """Seat → cards and treasures of others that it looks at while it is asked which to take."""
    treasure_pool: list[str] = []
    treasure_used: list[str] = []
    """6.3 Spent treasures, face up; they go back to the pool in the card phase."""
    spain_row: list[str] = []
    portugal_row: list[str] = []
    ships_later: dict[str, dict[str, int]] = {}
    """Owner → ships on the turn track, back in the pool next turn (16.2)."""
    colonies: dict[str, str] = {}
    lost_settlements: list[str] = []
    """Settlements that Spain does not hold (Manila until conquered)."""
    patrols: dict[str, int] = {}
    piracy: dict[str, list[str]] = {}
    """Sea or ocean zone → powers that tried piracy there this turn (16.4)."""
    jesuits: list[str] = []
    armada: int = 0
    suez: int = 0
    """Failed attempts; -1 once the canal is open (23.1)."""
    circumnavigations: int = 0
    mary: str = "absent"
    """Mary, Queen of Scots: `absent`, `free`, `captive`, `executed`, `wed`, `dead` in childbirth (23.3)."""
    excommunicated: bool = False
    league: int = 0
    """The turn in which the Catholic League formed, 0 before (20.10)."""
    sebastian: bool = False
    """King Sebastian is dead: Portugal is open to war (9.4)."""
    hre_faith: str = ""
    """The Empire's secret choice of religion (10 step 3); secret to all but the Empire."""
    royals: dict[str, Royal] = {}
    betrothed: list[Betrothal] = []
    wedding_marker: str = ""
    """The betrothed French royal under the wedding marker: +2 on the roll (21.1; cards 33, 80)."""
    artists: dict[str, str] = {}
    """Artist → `FREE`, `PATRONIZED`, `TRACK` or `GONE` (22.1); missing: not in the game, or a free Italian."""
    scientists: dict[str, str] = {}
    """The same for scientists (22.2)."""
    patronage: list[Patronage] = []
    """Artists and scientists at work; empty outside a turn's action phase to patronage phase."""
    vp_markers: dict[str, int] = {}
    """VP marker of patronage → how many are taken (22.1); missing means none."""
    spies: dict[str, dict[str, Informant]] = {}
    """Power → on whose card → its informant there (19.2); two a power, one a card, neutralised or not."""
    cipher_keys: dict[str, str] = {}
    """Power → the power on whose card its cipher key is (card 91)."""
    walsingham: str = ""
    """Box of the Walsingham marker: `UNUSED` (or nothing), `ATTACK`, `DEFEND`; reset in winter (20.8, card 81)."""
    away: dict[str, dict[str, Troops]] = {}
    """Place off the map → owner → troops, as `land` (23.2, 23.7)."""
    foreign_wars: dict[str, ForeignWar] = {}
    """Card of a foreign war in progress → the war (23.7)."""
    capitals_lost: list[str] = []
    """`huguenot`, `dutch`: factions whose capital was taken this turn, so no rebellion brings it back (18.5)."""
    history: list[dict[str, int]] = []
    """VP of each power at the end of each turn, for ties (25.3)."""
    winners: list[str] = []
    how: str = ""

    @property
    def now(self) -> Impulse:
        """The current impulse, for what happens only within one."""
        assert self.impulse is not None
        return self.impulse


def pair(a: str, b: str) -> str:
    """Return the key of two powers in `QueenState.diplomacy`."""
    return PAIRS[a, b]


PAIRS = {
    (a, b): f"{a}:{b}" if i < j else f"{b}:{a}"
    for i, a in enumerate((*POWERS, *MINORS))
    for j, b in enumerate((*POWERS, *MINORS))
}
"""Both orders of two powers → their key."""
