"""The state of a game of Imperial Struggle: plain values only.

Ids are those of the data files. A side is written `britain` or `france`; what belongs to nobody is `""`.
"""

import msgspec

BRITAIN, FRANCE, USA, SPAIN, NOBODY = "britain", "france", "usa", "spain", ""
SEATS = (BRITAIN, FRANCE)
OTHER = {BRITAIN: FRANCE, FRANCE: BRITAIN}

ECONOMIC, DIPLOMATIC, MILITARY = "economic", "diplomatic", "military"
TYPES = (ECONOMIC, DIPLOMATIC, MILITARY)
MAJOR, MINOR = "major", "minor"


class Side(msgspec.Struct):
    """One side. `hand`, face-down `ministries` and the order of the pools are secret.

    `ministries` are all cards in play, `revealed` those of them that are face up. `box`, `unbuilt` and `aside` count
    Squadrons (Navy Box, Unbuilt box, Turn Track); those on the map are in `StruggleState.flags`. `basic` and `bonus`
    are the pools of War tiles, drawn from the end. `refused` are Territories refused in the current war.
    """

    limit: int
    hand: list[str] = []
    ministries: list[str] = []
    revealed: list[str] = []
    debt: int = 0
    trp: int = 0
    box: int = 0
    unbuilt: int = 0
    aside: int = 0
    basic: list[str] = []
    bonus: list[str] = []
    refused: list[str] = []
    tiles: list[str] = []
    """Investment tiles taken this turn, in order."""
    carried: int = 0
    """Bonus tiles owed at the start of the first round of turn 4 (7.6)."""


class Pool(msgspec.Struct):
    """Action Points to spend this round.

    `action` is `major`, `minor` or `any` (Event points and points that join either action of their type). `opens`: the
    points are an action of their own, so that Debt and Treaty Points may be added (bound by `limit`, a key of
    `action_points.LIMITS`). `source` says where they come from: `tile`, an Event, a Ministry card.
    """

    type: str
    points: int
    action: str
    limit: str = ""
    opens: bool = True
    source: str = "tile"


class ActionRound(msgspec.Struct):
    """The Action Round under way; a new one for each. All of it is public.

    `action` is the action begun and not finished: `major:economic`, `minor` … (5.2: one is finished before the next).
    `closed` lists finished ones. `regions` maps a point type → Regions already bought in. `changed` are spaces whose
    flag changed in the round, `isolated` the Markets isolated at its start, `deployed` the Naval spaces whose Squadron
    has moved already. `begun`: something of the tile has been used, the Event included (no passing, 6.2). `marks` are
    effects that hold for the round (keys of `action_points.BARS`, `costs.MARK_CUTS` …).
    """

    seat: str
    tile: str = ""
    event: str = ""
    bonus: bool = False
    event_over: bool = False
    pools: list[Pool] = []
    action: str = ""
    closed: list[str] = []
    upgrade: bool = False
    regions: dict[str, list[str]] = {}
    acquired: list[str] = []
    used: list[str] = []
    changed: list[str] = []
    isolated: list[str] = []
    deployed: list[str] = []
    bought: int = 0
    borrowed: int = 0
    converted: str = ""
    marks: list[str] = []
    begun: bool = False


class StruggleState(msgspec.Struct):
    """The whole game.

    `phase`: `planning` (12.2), `turn` (upkeep to deal), `ministry`, `initiative`, `action`, `close` (4.1.10 to 4.1.14),
    `war`, `over`. `vp` is the one common track: France scores up, Britain down. `flags` maps every space →
    owner (`""`: empty; Squadrons are the flags of Naval spaces). `conflicts` maps space → 1, or 2 for the +1
    kind. `damaged` are Forts. `advantages` maps each Advantage → holder; `exhausted` holds Advantages and
    Ministry abilities (`card` or `card/2`). `huguenots` maps a Territory → whether its marker is still
    unflipped. `theaters` maps theater → side → War tiles there. `swept` counts, within a Scoring Phase or a war,
    what each side has swept.
    """

    sides: dict[str, Side]
    flags: dict[str, str]
    draw: list[str]
    stack: list[str]
    initiative: str = FRANCE
    first: str = FRANCE
    active: str = ""
    turn: int = 1
    phase: str = "turn"
    vp: int = 15
    round: ActionRound | None = None
    rounds: int = 0
    """Action Rounds finished this turn, by both sides together."""
    conflicts: dict[str, int] = {}
    damaged: list[str] = []
    advantages: dict[str, str] = {}
    exhausted: list[str] = []
    huguenots: dict[str, bool] = {}
    discards: list[str] = []
    removed: list[str] = []
    """Event and Ministry cards, and basic War tiles, out of the game."""
    display: list[str] = []
    spent: list[str] = []
    """Investment tiles in the used box."""
    awards: dict[str, str] = {}
    award_stack: list[str] = []
    demand: list[str] = []
    idle_demand: list[str] = []
    war: str = ""
    """The next war, or the one being fought; "" after the last."""
    theaters: dict[str, dict[str, list[str]]] = {}
    theater: int = 0
    """Theaters of the war resolved so far."""
    byng: str = ""
    dominance: str = ""
    """Holder of the Atlantic Dominance marker."""
    counted: list[str] = []
    """Conflict markers that gave strength in this war (removed at its end, 7.5)."""
    conquered: list[str] = []
    """Naval spaces taken with Conquest Points in this war (each Squadron once, 7.2.1.1)."""
    jacobite_victories: int = 0
    jacobite_defeat: bool = False
    jacobite_card: bool = False
    """France may hold Jacobite Uprisings as a third card."""
    townshend: str = ""
    swept: dict[str, int] = {}
    spanish: list[str] = []
    """With 12.1: sides owed a free shift in Spain after the theater."""
    counts: dict[str, int] = {}
    """Per-turn counters of Ministry abilities (Merchant Banks …); cleared by the Reset Phase."""
    winner: str = ""
    how: str = ""

    @property
    def now(self) -> ActionRound:
        """The Action Round under way, for code that runs only within one."""
        assert self.round is not None
        return self.round
