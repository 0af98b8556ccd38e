"""What a save holds, as typed structs. docs/save-format.md explains every key; this module reads and writes nothing.

Kernel types are named here for type checkers only, so that `pbem status` need not import the referee.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from pbem.kernel.referee import Move, Note
    from pbem.kernel.standing import AskMe, Queued, Standing
    from pbem.save.body import Entry

FORMAT = 1
"""The version of the file format that this package reads and writes."""


class Header(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`[game]`: which game this is and where it stands.

    `name` is the id in letters (`vq-07`), `game` the slug, `rules` and `pack_digest` what it is pinned to, `created` a
    UTC time (ISO 8601). `n` counts moves, `q` questions, `lines` narration lines; `head` is the hash of the last move.
    `clock` are public facts of time (turn, phase …); `result` is {} until the game is `over`. `options` are the house
    rules, `pack` the moderator's corrections of components. `more` is room for settings of later versions.
    """

    format: int
    name: str
    game: str
    scenario: str
    rules: str
    pack_digest: str
    created: str
    n: int
    q: int
    head: str
    lines: int = 0
    over: bool = False
    clock: dict[str, Any] = {}
    result: dict[str, Any] = {}
    options: dict[str, Any] = {}
    pack: dict[str, Any] = {}
    more: dict[str, Any] = {}


class SeatInfo(msgspec.Struct, forbid_unknown_fields=True):
    """`[[seats]]`, in clockwise order: who sits there and what he has been told.

    `addresses` are mail addresses, the first gets the letters; `zone` an IANA name; `secret` a random token that
    proves a letter's origin ("" if unused). `seen` counts the narration lines told in letters, `told_q` is the last
    question put in one. `more` is room for settings of later versions.
    """

    id: str
    name: str = ""
    addresses: list[str] = []
    zone: str = "UTC"
    language: str = "en"
    secret: str = ""
    seen: int = 0
    told_q: int = 0
    notes: str = ""
    more: dict[str, Any] = {}


class ClockPolicy(msgspec.Struct, forbid_unknown_fields=True):
    """`[clock]`: the game's zone, hours to answer for each pace (`turn`, `reaction` …), and what later code adds."""

    zone: str = "UTC"
    hours: dict[str, int] = {}
    more: dict[str, Any] = {}


class Rewind(msgspec.Struct, forbid_unknown_fields=True):
    """`[[dice.rewinds]]`: after move `n` the dice come from `epoch`; `was_n` `was_head` end the dead branch."""

    n: int
    epoch: int
    at: str = ""
    was_n: int = 0
    was_head: str = ""


class DiceInfo(msgspec.Struct, forbid_unknown_fields=True):
    """`[dice]`: the secret seed (hex), its published SHA-256, and every rewind in the order they happened."""

    seed: str
    commitment: str
    rewinds: list[Rewind] = []

    @property
    def epoch(self) -> int:
        """The epoch that the dice are in now; goes into prompt codes, so that answers to a dead branch bounce."""
        return self.rewinds[-1].epoch if self.rewinds else 0

    def epochs(self) -> list[tuple[int, int]]:
        """`Setup.epochs`: the switches that lie on the live branch."""
        live: list[tuple[int, int]] = []
        for one in self.rewinds:
            live = [(n, epoch) for n, epoch in live if n < one.n]
            live.append((one.n, one.epoch))
        return live


class PendingInfo(msgspec.Struct, forbid_unknown_fields=True):
    """`[[pending]]`: a question open to a seat. One stands here until the question closes, answered or not.

    `since` is when it was first put, `due` when time runs out ("": no deadline); both ISO 8601, UTC.
    """

    q: int
    seat: str
    kind: str
    pace: str = "turn"
    since: str = ""
    due: str = ""
    sealed: bool = False


class CheckpointInfo(msgspec.Struct, forbid_unknown_fields=True):
    """`[checkpoint]`: a kernel `Mark` with its state as tables (`[checkpoint.state…]`).

    `digest` is the SHA-256 (hex) of all the rest, order included: a state is corrected by a journaled fiat,
    never by hand.
    """

    n: int
    q: int
    epoch: int
    counter: int
    lines: int
    digest: str
    state: dict[str, Any]


class Press(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[press]]`: a message of `seat` to the seats `to` (empty: everybody), received `at` in letter `via`."""

    id: str
    seat: str
    text: str
    to: list[str] = []
    at: str = ""
    via: str = ""
    more: dict[str, Any] = {}


class Intake(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[intake]]`: a letter that was dealt with; `key` in the source, Message-ID and body hash make it known again."""

    key: str
    message_id: str = ""
    body_hash: str = ""
    seat: str = ""
    at: str = ""
    verdict: str = ""


class Letter(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[outbox]]`: a letter written and not yet delivered.

    `to` is a mail address, `headers` further header lines. A letter `of_play` tells of the game and is withdrawn by a
    rewind; receipts and relayed press are not.
    """

    id: str
    seat: str
    to: str
    subject: str
    kind: str = ""
    body: str = ""
    html: str = ""
    at: str = ""
    of_play: bool = True
    headers: dict[str, str] = {}
    more: dict[str, Any] = {}


class Save(msgspec.Struct, kw_only=True):
    """A save. `load_header` leaves `checkpoint` None and everything below it empty (`whole` is False).

    `sealed` are the answers given to the open question while others are missing, `talk` the acts of an open
    negotiation. `moves` is the journal from move `earlier_n` + 1 on; the entries before it are kept as `earlier`, the
    text they have in the file, and are written back as they stand.
    """

    header: Header
    seats: list[SeatInfo]
    clock: ClockPolicy
    dice: DiceInfo
    pending: list[PendingInfo] = []
    checkpoint: CheckpointInfo | None = None
    queue: list[Queued] = []
    standing: list[Standing] = []
    settings: list[AskMe] = []
    sealed: list[Move] = []
    talk: list[dict[str, Any]] = []
    press: list[Press] = []
    intake: list[Intake] = []
    outbox: list[Letter] = []
    notes: list[Note] = []
    moves: list[Entry] = []
    earlier: str = ""
    earlier_n: int = 0

    @property
    def whole(self) -> bool:
        """Whether more than the header was read; only such a save can be stored."""
        return self.checkpoint is not None

    def seat(self, key: str) -> SeatInfo:
        """The seat of that id. Raises KeyError naming the seats there are."""
        for seat in self.seats:
            if seat.id == key:
                return seat
        raise KeyError(f"no seat '{key}'; seats: {', '.join(seat.id for seat in self.seats)}")
