"""The contents of a save as typed structs. save-format.md explains every key; this module does no I/O.

Times are aware UTC datetimes in whole seconds (`pbem.timestamps`), ISO 8601 in the file. Kernel types are imported
for type checkers only, so that `pbem status` doesn't import the referee.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from pbem.kernel.journal import ChainedMove
    from pbem.kernel.referee import AdvanceNote, Move
    from pbem.kernel.standing_orders import AdvanceOrder, AskMe, StandingRule

FORMAT = 1
"""The file format version that this package reads and writes."""


class Scores(msgspec.Struct, forbid_unknown_fields=True):
    """`history` of `[game]`: the public points when a turn began; `label` is the turn as the game counts it."""

    label: str
    points: dict[str, int] = {}


class Header(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`[game]`: which game this is and how far it is."""

    format: int
    name: str
    game: str
    scenario: str
    rules: str
    pack_digest: str
    created: datetime
    n: int
    q: int
    head: str
    lines: int = 0
    over: bool = False
    clock: dict[str, Any] = {}
    result: dict[str, Any] = {}
    options: dict[str, Any] = {}
    pack: dict[str, Any] = {}
    history: list[Scores] = []
    read: datetime | None = None
    unsent: bool = False
    unasked: bool = False
    release_at: datetime | None = None
    vote_at: datetime | None = None
    chain: int = 1

    @property
    def moment(self) -> str:
        """Turn, phase and the like, in one line: `turn 3, phase action`."""
        told = ((key, value) for key, value in self.clock.items() if not isinstance(value, list | dict))
        return ", ".join(f"{key} {value}" for key, value in told if value not in ("", None))


class Delegate(msgspec.Struct, forbid_unknown_fields=True):
    """`[[seats.delegates]]`: a temporary player of the seat, `since` to `until` (None: open)."""

    address: str
    since: datetime | None = None
    until: datetime | None = None

    def plays(self, at: datetime) -> bool:
        return self.until is None or at < self.until


class SentEntry(msgspec.Struct, forbid_unknown_fields=True):
    """`entry` of `told`: the calendar entry that the seat was last sent, for its question `q`, due `due`.

    `sequence` counts its changes (RFC 5545); `on`: it is in the calendar, not cancelled.
    """

    uid: str
    due: datetime
    q: int
    sequence: int
    on: bool


class SentDoubt(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`doubt` of `told`: what email number `letter` asked the seat back about question `q`.

    A yes, or the button's `word`, executes `lines`; `beside` is the text that was not understood, `learn` holds the
    keyed hashes under which it is known after that. `again` are later emails that asked the same once more.
    """

    q: int
    word: str
    letter: int
    lines: list[str]
    beside: list[str] = []
    learn: list[str] = []
    again: list[int] = []


class NewAddress(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`moving` of `told`: the address that a seat wants, asked for `at`, and the code that must come back from it.

    `old` is the former address, from which the change can be stopped until `until`; before the code has come back it
    is "", and `until` is how long the code counts. `tries` counts the emails to new addresses since `at`.
    """

    address: str
    code: str
    at: datetime
    until: datetime
    old: str = ""
    tries: int = 1


class SentState(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`told` of `[[seats]]`: what emails have reported to the seat.

    `learned` are keyed hashes of footers and banners that say nothing, with the time of the yes. `quiet` is until when
    news waits because the seat has quiet hours. `request` is what the seat asks of the moderator, since `requested`.
    `unheard`: its player has let a deadline pass and has never written.
    """

    letters: int = 0
    first: str = ""
    last: str = ""
    press: int = 0
    proposals: str = ""
    proposed: int = 0
    digest: datetime | None = None
    over: bool = False
    newcomer: bool = False
    notices: int = 0
    noticed: datetime | None = None
    codes: int = 0
    entry: SentEntry | None = None
    moves: int = 0
    seen: int = 0
    seen_head: str = ""
    foreign: list[str] = []
    doubt: SentDoubt | None = None
    learned: dict[str, datetime] = {}
    moving: NewAddress | None = None
    quiet: datetime | None = None
    request: str = ""
    requested: datetime | None = None
    unheard: bool = False


class SeatInfo(msgspec.Struct, forbid_unknown_fields=True):
    """`[[seats]]`, in clockwise order: the player of a seat and what they know.

    `quiet` are hours without emails (`22-07`), `reminders` the hours before a deadline ("": as the game, or `off`).
    `bank` is how many hours of the reserve are spent, `bot_until` when the player wants back the seat that a bot plays.
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
    watchers: list[str] = []
    delegates: list[Delegate] = []
    tenure: int = 0
    understudy: str = ""
    missed: int = 0
    told: SentState = msgspec.field(default_factory=SentState)
    letters: str = ""
    attach: str = ""
    quiet: str = ""
    reminders: str = ""
    bank: int = 0
    bot_until: datetime | None = None


class Pause(msgspec.Struct, forbid_unknown_fields=True):
    """`[clock] pauses`: the clock is stopped from `since` to `until` (None: open); each `id` counts once."""

    id: str
    since: datetime
    until: datetime | None = None
    reason: str = ""


class AbsenceEntry(msgspec.Struct, forbid_unknown_fields=True):
    """`[clock] absences`: a player is away; the clock of questions to their seat is stopped."""

    seat: str
    since: datetime
    until: datetime


class ExtensionEntry(msgspec.Struct, forbid_unknown_fields=True):
    """`[clock] extensions`: more hours for question `q`; each `id` counts once."""

    id: str
    q: int
    hours: int


class ClockSettings(msgspec.Struct, forbid_unknown_fields=True):
    """`[clock]`: when the clock runs, and what happens at the deadline."""

    zone: str = "UTC"
    hours: dict[str, int] = {}
    days: list[str] = []
    quiet: list[str] = []
    grid: int = -1
    least: int = 12
    time_up: dict[str, str] = {}
    grace: int = 24
    absent_after: int = 0
    remind: list[int] = msgspec.field(default_factory=lambda: [24, 2])
    outage: int = 6
    bank_hours: int = 0
    players_may: dict[str, str] = {}
    pauses: list[Pause] = []
    absences: list[AbsenceEntry] = []
    extensions: list[ExtensionEntry] = []


class Spectator(msgspec.Struct, forbid_unknown_fields=True):
    """`onlookers` of `[post]`: a spectator, who gets only what is public."""

    address: str
    language: str = "en"
    hours: int = 0
    letters: int = 0
    seen: int = 0
    press: int = 0
    q: int = 0
    at: datetime | None = None


class MailSettings(msgspec.Struct, forbid_unknown_fields=True):
    """`[post]`: how emails come and go."""

    sender: str = ""
    moderator: list[str] = []
    plays: str = ""
    trusted: str = ""
    release: int = 0
    language: str = "en"
    keep: str = ""
    site: str = ""
    maps: str = ""
    beacon: str = ""
    notify: str = ""
    onlookers: list[Spectator] = []


class Rewind(msgspec.Struct, forbid_unknown_fields=True):
    """`[[dice.rewinds]]`: after move `n` the dice come from `epoch`; `was_n` `was_head` end the dead branch.

    Epochs count the rewinds, so that nobody can choose the one with the best dice.
    """

    n: int
    epoch: int
    at: datetime | None = None
    was_n: int = 0
    was_head: str = ""


class DiceInfo(msgspec.Struct, forbid_unknown_fields=True):
    """`[dice]`: the secret seed (hex), its published SHA-256, and all rewinds in order.

    From `version` 2 on the dice depend on the answers and on the players' `nonces`, by seat. `beacon` is the last
    round of a public beacon that they included.
    """

    seed: str
    commitment: str
    rewinds: list[Rewind] = []
    version: int = 1
    nonces: dict[str, str] = {}
    beacon: int = 0

    @property
    def mix(self) -> str:
        """The value for `Setup.mix`."""
        from pbem.kernel.dice import initial_mix

        return initial_mix(self.nonces) if self.version > 1 else ""

    @property
    def epoch(self) -> int:
        """The current epoch of the dice. It goes into reply codes, so that answers to a dead branch are rejected."""
        return self.rewinds[-1].epoch if self.rewinds else 0

    def epochs(self) -> list[tuple[int, int]]:
        """Return `Setup.epochs`: the switches on the live branch."""
        live: list[tuple[int, int]] = []
        for rewind in self.rewinds:
            while live and live[-1][0] >= rewind.n:
                live.pop()
            live.append((rewind.n, rewind.epoch))
        return live


class PendingInfo(msgspec.Struct, forbid_unknown_fields=True):
    """`[[pending]]`: a question to a seat, until the question closes, answered or not."""

    q: int
    seat: str
    kind: str
    pace: str = "turn"
    since: datetime | None = None
    due: datetime | None = None
    sealed: bool = False
    moved: int = 0
    letter: str = ""
    put: datetime | None = None
    undelivered: datetime | None = None
    again: datetime | None = None
    refused: datetime | None = None


class CheckpointInfo(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[checkpoint]`: a kernel `CheckpointRecord` with its state as tables (`[checkpoint.state…]`).

    - `digest`: SHA-256 (hex) of everything else but `journal`, order included: a state is changed by a journaled
      correction only;
    - `journal`: SHA-256 of hash_0 and the text of the moves up to `n` ("": unknown); if it fits, their chain is whole
      and they needn't be parsed;
    - `mix`, `ahead`: what the dice have included.
    """

    n: int
    q: int
    epoch: int
    counter: int
    lines: int
    digest: str
    state: dict[str, Any]
    journal: str = ""
    mix: str = ""
    ahead: str = ""


class PressMessage(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[press]]`: a message of `seat` to the seats `to` (empty: everybody), received `at` in email `via`."""

    id: str
    seat: str
    text: str
    at: datetime
    to: list[str] = []
    via: str = ""


class ProcessedEmail(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[intake]]`: a processed email; `key` in the source, Message-ID and body hash identify it."""

    key: str
    message_id: str = ""
    body_hash: str = ""
    seat: str = ""
    at: datetime | None = None
    verdict: str = ""


class EmailPart(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[drafts]]`: a part of a seat's next email, a `text` or a `receipt`.

    `reply_to` is the Message-ID of the email that it answers, `subject` that email's subject. The receipt is data
    (`Receipt`), rendered when the email is written; `entered`: for orders that the moderator entered.
    `wish` is a request (`send state`, `help`), answered in an email of its own.
    """

    id: str
    seat: str
    text: str = ""
    at: datetime | None = None
    reply_to: str = ""
    receipt: dict[str, Any] = {}
    subject: str = ""
    entered: bool = False
    wish: str = ""


class OutboxEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[outbox]]`: an email written and not yet delivered."""

    id: str
    seat: str
    to: str
    subject: str
    kind: str = ""
    body: str = ""
    html: str = ""
    at: datetime | None = None
    of_play: bool = True
    sender: str = ""
    message_id: str = ""
    thread: list[str] = []
    news: bool = False
    asks: int = 0
    held: bool = False
    held_until: datetime | None = None
    calendar: str = ""
    cancelled: str = ""
    view: str = ""
    proof: str = ""
    picture: str = ""
    bundle: str = ""
    board: str = ""


class ModeratorAction(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[actions]]`: what the moderator (`by`) did outside the rules, why, and which seats were notified.

    `mark` is a keyed fingerprint of the command until it has ended, by which its repetition is recognised.
    """

    id: str
    at: datetime
    by: str
    what: str
    reason: str = ""
    told: list[str] = []
    args: dict[str, Any] = {}
    mark: str = ""


class Agreement(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[agreements]]`: a non-binding agreement: clauses of `seat` to `to`.

    `signed` is who has signed it when, `withdrawn` who withdrew it.
    """

    id: str
    seat: str
    to: list[str]
    text: str
    at: datetime | None = None
    signed: dict[str, datetime] = {}
    withdrawn: str = ""


class PlayerVote(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[votes]]`: what `seat` has proposed (`act` and `value`), about question `q`, until when.

    `asked` are the seats that vote, `agreed` those that have agreed: a secret until there is a `result` (`agreed`,
    `not agreed`, or `notice`: agreed, and done at `until` unless the seat concerned writes). `turn` is when it began.
    """

    id: int
    act: str
    seat: str
    at: datetime
    until: datetime
    q: int
    value: str = ""
    asked: list[str] = []
    agreed: list[str] = []
    result: str = ""
    turn: str = ""
    reminded: bool = False


class Save(msgspec.Struct, kw_only=True):
    """A save. `load_header` leaves `checkpoint` None and everything below it empty (`whole` is False).

    - `sealed`: answers to the open question while others are missing; `talk`: acts of an open negotiation;
    - `moves`: the journal after move `earlier_n`; `earlier`: the text of the entries before, written back unchanged;
    - `origin`: where other rules took over: the moves up to it stay in the journal and chain and aren't replayed
      (None: all are).
    """

    header: Header
    seats: list[SeatInfo]
    clock: ClockSettings
    dice: DiceInfo
    post: MailSettings = msgspec.field(default_factory=MailSettings)
    pending: list[PendingInfo] = []
    checkpoint: CheckpointInfo | None = None
    origin: CheckpointInfo | None = None
    queue: list["AdvanceOrder"] = []  # from here to `votes`: the list sections of the file, in order (`codec.LISTS`)
    standing: list["StandingRule"] = []
    settings: list["AskMe"] = []
    sealed: list["Move"] = []
    talk: list[dict[str, Any]] = []
    press: list[PressMessage] = []
    intake: list[ProcessedEmail] = []
    drafts: list[EmailPart] = []
    outbox: list[OutboxEntry] = []
    notes: list["AdvanceNote"] = []
    actions: list[ModeratorAction] = []
    agreements: list[Agreement] = []
    votes: list[PlayerVote] = []
    moves: list["ChainedMove"] = []
    earlier: str = ""
    earlier_n: int = 0

    @property
    def whole(self) -> bool:
        """Whether more than the header was read; only such a save can be stored."""
        return self.checkpoint is not None

    def seat(self, key: str) -> SeatInfo:
        """Return the seat of that id. Raises KeyError with the known seats."""
        for seat in self.seats:
            if seat.id == key:
                return seat
        raise KeyError(f"'{key}' isn't a seat; seats: {', '.join(seat.id for seat in self.seats)}")
