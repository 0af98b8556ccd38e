"""The state of a game of Crown of Roses: plain typed values, string keys, no rules."""

from typing import TYPE_CHECKING

import msgspec

UNDECLARED = "undeclared"
INACTIVE = "inactive"
UNAVAILABLE = "unavailable"
OUT = "out"
PARLIAMENT = "parliament"
"""24.2 Nobles in Parliament, with their office blocks: face up next to the board, from the King Phase to winter."""
ASIDE = "aside"
"""20.5.3 Where eliminated nobles and their office blocks are until their fate is rolled for (20.6.1)."""
POOLS = (UNDECLARED, INACTIVE, UNAVAILABLE, OUT, PARLIAMENT, ASIDE)
"""8.2 Where a block is when it is not in play (in a shire or an exile box)."""

_set = msgspec.Struct.__setattr__  # cheaper than `super`: at every change of a block


class Block(msgspec.Struct):
    """A block (8). `at` a shire, an exile box, or one of `POOLS`; `owner` the house that controls it ("" nobody).

    `steps` are those it has left: 1 is home strength. `host` is the block it is attached to (8.3.3). `moved` holds for
    the impulse (16.1), `mustered` for the action step (18.0), `pinned` until the shire is no longer contested (16.4).
    `shown` (8.1) holds from the moment it is laid open in battle (20.4.2) until all battles of the impulse are over
    (21.2).
    """

    at: str = INACTIVE
    owner: str = ""
    steps: int = 1
    host: str = ""
    moved: bool = False
    mustered: bool = False
    pinned: bool = False
    shown: bool = False

    # Every block that is made or changed is noted, so that `query.census` can keep its lists: blocks are asked for by
    # place a hundred times as often as they move.
    def __post_init__(self) -> None:
        MADE[0] += 1

    if not TYPE_CHECKING:  # else mypy would accept any name for a field

        def __setattr__(self, name: str, value: object) -> None:
            _set(self, name, value)
            if name in ("at", "owner", "host"):
                MOVED.append(self)


MADE = [0]
"""How many blocks of any game were made; no part of a game."""
MOVED: list[Block] = []
"""Blocks of any game that were placed, attached, or changed hands since the last census; no part of a game."""


class EnteredStack(msgspec.Struct):
    """A stack that entered a shire in this impulse: order of engagements (20.1) and paths of retreat (20.5.4).

    `origin` is the place it came from; entries are in order, an interception before what it intercepted.
    """

    house: str
    place: str
    origin: str
    blocks: list[str]
    intercepted: bool = False


class House(msgspec.Struct):
    """A player's house. `stock`, `pool` and the stacks of `roll` count markers by kind (`ip0` … `ip10`, 9.1).

    `heirs` are the active heir blocks (9.4, 10.3.2), `cards` those face up in front of them; `command` is the card of
    this impulse, `income` what the influence track shows (7.1.1), `vp` economic points, `crowned` turns as King
    (7.1.3). Houses that are `out` left the game in turn `fell`. `votes` is the votes marker (9.5, 24.2.3). `waiting`:
    there was no junior heir when this impulse began, but a card for one; `missed`: so it stayed in some impulse of
    this turn (28.3.3). `kept` are the cards that it said in its plan for winter to keep (28.2), if it said so.
    """

    hand: list[str] = []
    cards: list[str] = []
    heirs: list[str] = []
    stock: dict[str, int] = {}
    pool: dict[str, int] = {}
    roll: dict[str, dict[str, int]] = {}
    support: int = 1
    income: int = 0
    vp: int = 0
    crowned: int = 0
    command: str = ""
    out: bool = False
    fell: int = 0
    votes: int = 0
    waiting: bool = False
    missed: bool = False
    kept: list[str] | msgspec.UnsetType = msgspec.UNSET


class OfficeHolder(msgspec.Struct):
    """A parliament card: the noble who holds it, and whether its ability was used this turn (10.5).

    With `holder` "" its marker (9.2) is in the box of the office (7.5.3).
    """

    holder: str = ""
    used: bool = False


class Garrison(msgspec.Struct):
    """The Tower garrison (9.6): the block it is attached to ("" nobody's) and its strength.

    `aside`: its last host left no heir to it, so nobody gets it before the combat step is over.
    """

    host: str = ""
    steps: int = 1
    aside: bool = False


class Embassy(msgspec.Struct):
    """An embassy (14.1.1) at `place` for the impulse: closed to the enemies of `house`, whose `blocks` stay."""

    place: str
    house: str
    blocks: list[str] = []


class BattleSide(msgspec.Struct):
    """A house in a battle (20.3): blocks in the battle force, in reserve, and reinforcements `waiting` to arrive.

    `brought` is the noble who led the initial force in (20.4.1), `origin` where it came from, `leader` who commands
    this round; `gone` the nobles eliminated in this engagement whose fate is open, `wards` the host lost → Henry VI
    (10.3.3). `plan` holds what the house decided beforehand for this engagement, `guests` are blocks whose host fell in
    this round (8.3.3).
    """

    house: str
    leader: str = ""
    force: list[str] = []
    reserve: list[str] = []
    waiting: list[str] = []
    gone: list[str] = []
    wards: dict[str, str] = {}
    brought: str = ""
    origin: str = ""
    plan: dict[str, str] = {}
    guests: list[str] = []


class Battle(msgspec.Struct):
    """A battle under way in a shire (20): the engagement of `attacker` and `defender`, its round, all who take part.

    `order` are the houses still to fight, `heirs` those that had an heir there (20.7.1), `fought` whether there was an
    engagement; `inspired` the nobles who add 1 to all dice with those they lead (cards Y4, W3), `watch` the same for
    the garrison.
    """

    place: str
    order: list[str]
    sides: dict[str, BattleSide] = {}
    attacker: str = ""
    defender: str = ""
    round: int = 1
    heirs: list[str] = []
    fought: bool = False
    inspired: list[str] = []
    watch: bool = False
    blocks: list[str] = []

    def enemy(self, house: str) -> str:
        return self.defender if house == self.attacker else self.attacker


class ActionStep(msgspec.Struct):
    """An action step under way (13.2): OPS `left` of the command card `card`; `mustered` steps by shire (18.0).

    `event`: the OPS were given by an event, whose card is laid by as its text says.
    `only_influence` is whether all OPS so far went to influence (10.5.3); `done` counts the actions that were paid for.
    """

    house: str
    card: str
    left: int
    mustered: dict[str, int] = {}
    only_influence: bool = True
    influenced: list[str] = []
    done: int = 0
    event: bool = False


class RosesState(msgspec.Struct):
    """Everything on the table.

    `phase` is where play goes on: draw, command, action, combat, influence, king, victory, offices, winter, cleanup or
    over. `order` is the impulse order (13.2), `at` the index of the acting house in it. `marks` maps shire → depleted,
    plundered or devastated (9.3); `rebels` shire → house (14.2.1); `breaker` is who breaks ties this turn when no
    office does (10.5.1). `boosts` maps a noble → what cards add to their command until the impulse, or the battle in
    their shire, is over (card 72, 14.2.2). `affairs`: Affairs of State ends the phase with this impulse (14.1.3).
    `queen_used`: card L2 is face down (10.3.4), until clean-up. `stage` is how far a phase of 24 to 27 has come,
    `auction` the ranks of offices still to be awarded, the next one last (26.2); `collected` the last turn with an
    Influence Phase (28.3.2), `last_king` the house that had the last King (25).

    `fights` are the battles still to be fought in the combat step, shire → houses, the last to enter first (20.1),
    None outside it; `battle` is the one under way.
    """

    beginning: str
    turn: int
    houses: dict[str, House]
    blocks: dict[str, Block]
    offices: dict[str, OfficeHolder]
    deck: list[str]
    phase: str = "draw"
    impulse: int = 0
    impulses: int = 0
    order: list[str] = []
    at: int = 0
    step: ActionStep | None = None
    discards: list[str] = []
    removed: list[str] = []
    lasting: list[str] = []
    marks: dict[str, str] = {}
    rebels: dict[str, str] = {}
    entries: list[EnteredStack] = []
    garrison: Garrison = msgspec.field(default_factory=Garrison)
    boosts: dict[str, int] = {}
    fights: dict[str, list[str]] | None = None
    battle: Battle | None = None
    embassy: Embassy | None = None
    affairs: bool = False
    queen_used: bool = False
    breaker: str = ""
    winners: list[str] = []
    stage: str = ""
    auction: list[int] = []
    collected: int = 0
    last_king: str = ""
