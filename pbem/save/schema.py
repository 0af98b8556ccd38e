"""What a save holds, as typed structs. save-format.md explains every key; this module reads and writes nothing.

Times are aware UTC datetimes in whole seconds (`pbem.timestamps`), ISO 8601 in the file.
Kernel types are named here for type checkers only, so that `pbem status` need not import the referee.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from pbem.kernel.referee import AdvanceNote, Move
    from pbem.kernel.standing_orders import AdvanceOrder, AskMe, StandingRule
    from pbem.save.moves import ChainedMove

FORMAT = 1
"""The version of the file format that this package reads and writes."""


class Scores(msgspec.Struct, forbid_unknown_fields=True):
    """`history` of `[game]`: the public points when a turn began; `label` is the turn as the game counts it."""

    label: str
    points: dict[str, int] = {}


class Header(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """`[game]`: which game this is and where it stands.

    `name` is the id in letters (`vq-07`), `game` the slug, `rules` and `pack_digest` what it is pinned to.
    `created` is when it began, `n` counts moves, `q` questions, `lines` narration lines; `head` is the hash of the last
    move.
    `clock` are public facts of time (turn, phase …); `result` is {} until the game is `over`. `options` are the house
    rules, `pack` the moderator's corrections of components, `history` the course of the public scores, `read` when
    mail was last read for this game. `unsent`: letters are still to be written or delivered; `release_at`: when the
    next letter that is held goes out; `unasked`: the moderator holds letters that put the open question, so that its
    time does not run. `chain` is the version of the chain of hashes.
    """

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
    chain: int = 1

    @property
    def moment(self) -> str:
        """Turn, phase and the like, in one line: `turn 3, phase action`."""
        told = ((key, value) for key, value in self.clock.items() if not isinstance(value, list | dict))
        return ", ".join(f"{key} {value}" for key, value in told if value not in ("", None))


class Delegate(msgspec.Struct, forbid_unknown_fields=True):
    """`[[seats.delegates]]`: somebody who plays the seat for a while, `since` to `until` (None: open)."""

    address: str
    since: datetime | None = None
    until: datetime | None = None

    def plays(self, at: datetime) -> bool:
        """Whether their time is not over."""
        return self.until is None or at < self.until


class SentEntry(msgspec.Struct, forbid_unknown_fields=True):
    """`entry` of `told`: the calendar entry that the seat was sent last, for its question `q`, due `due`.

    `sequence` counts its changes (RFC 5545); `on`: the calendar shows it, it was not cancelled.
    """

    uid: str
    due: datetime
    q: int
    sequence: int
    on: bool


class SentState(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`told` of `[[seats]]`: what letters have told the seat.

    `letters` counts them; `first` and `last` are their Message-IDs, between which a mail program threads the others.
    `press` counts the messages of `[[press]]` up to the last letter; `proposals` is a fingerprint of the proposals that
    the seat may see, `proposed` the number of the letter that told of them. `digest` is the hour up to
    which its daily news is settled. `over`: the end of the game was told.
    `newcomer`: who plays the seat has not read yet what a first letter tells. `notices` counts letters put aside
    that it was told of since its last order, and since `noticed`. `codes` counts the codes that were made void because
    somebody else had used one. `entry` is its calendar entry.
    `moves` counts the moves told of. `seen` is the last move whose head its answer to an open question carried back,
    `seen_head` the beginning of that head; `foreign` are heads it carried back that this game never had.
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


class SeatInfo(msgspec.Struct, forbid_unknown_fields=True):
    """`[[seats]]`, in clockwise order: who sits there and what he has been told.

    `addresses` are mail addresses, the first gets the letters; `zone` an IANA name; `secret` a random token that
    proves a letter's origin ("" if unused). `seen` counts the narration lines told in letters, `told_q` is the last
    question put in one. `watchers` get copies without codes, `delegates` play for a while, `tenure` counts who has sat
    here before: the codes of a predecessor are void. `understudy` is the effort of the bot that plays the seat, "" if
    none does; `missed` counts deadlines missed in a row. `told` is what letters have told the seat.
    `letters` is how they are written: "" the question and what is new; `full` the position as well, and at once
    whatever is new; `digest 7` news once a day, at that hour of the seat's zone. `attach` is what goes with each: ""
    the map, if the game's letters show it; `view` the view file as well; `nothing` neither.
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


class Pause(msgspec.Struct, forbid_unknown_fields=True):
    """`[clock] pauses`: the clock stands from `since` to `until` (None: open); each `id` counts once."""

    id: str
    since: datetime
    until: datetime | None = None
    reason: str = ""


class AbsenceEntry(msgspec.Struct, forbid_unknown_fields=True):
    """`[clock] absences`: a player is away; the clock of what is put to him stands."""

    seat: str
    since: datetime
    until: datetime


class ExtensionEntry(msgspec.Struct, forbid_unknown_fields=True):
    """`[clock] extensions`: more hours for question `q`; each `id` counts once."""

    id: str
    q: int
    hours: int


class ClockSettings(msgspec.Struct, forbid_unknown_fields=True):
    """`[clock]`: when the clock runs, and what happens when time is up.

    `zone` is the game's, `hours` the time to answer for each pace (`turn`, `reaction` …), `days` the playing days
    (`mon` …; none named: all), `quiet` dates without play, `grid` the hour of the day at which deadlines fall (-1: any
    full hour), `least` the hours that everybody gets. `time_up` says for each pace what happens at the deadline: `wait`
    (the default), `grace`, `default`, `moderator` or `bot`; a seat that has missed `absent_after` deadlines in a row is
    played by an understudy (0: never); `grace` are the hours of grace. `remind` are the hours before a
    deadline at which reminders go out. After `outage` hours without cron or mail no deadline bites.
    """

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
    pauses: list[Pause] = []
    absences: list[AbsenceEntry] = []
    extensions: list[ExtensionEntry] = []


class Spectator(msgspec.Struct, forbid_unknown_fields=True):
    """`onlookers` of `[post]`: who follows the game from outside: he gets what is public, and nothing else.

    `hours` is the least time between two letters to him. `letters` counts them; `seen`, `press` and `q` are the lines,
    the messages and the question up to which he was told, `at` is when.
    """

    address: str
    language: str = "en"
    hours: int = 0
    letters: int = 0
    seen: int = 0
    press: int = 0
    q: int = 0
    at: datetime | None = None


class MailSettings(msgspec.Struct, forbid_unknown_fields=True):
    """`[post]`: how letters come and go.

    `sender` is the address that letters come from ("": that of the run). `moderator` are the moderator's addresses,
    `plays` is the seat he plays himself ("": none). `trusted` is the host
    whose Authentication-Results count. `release` says when letters with news go out: 0 at once, n after n hours,
    -1 when the moderator releases them. `language` is the one in which the moderator is written to. With `keep` "raw"
    the mails that decide the game are kept as they came, their hash in `via`. `site` is the folder that `pbem tick`
    keeps the game's pages in ("": none), beside the save unless it is absolute.
    With `maps` "png" letters show the map
    around what they ask. `beacon` names a public beacon whose round of the day goes into the dice
    (`CHAIN:GENESIS:PERIOD`).
    `notify` is told of public events ("": nobody): an address of the web, or a program beside the
    save. `onlookers` follow the game.
    """

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
    """`[dice]`: the secret seed (hex), its published SHA-256, and every rewind in the order they happened.

    From `version` 2 on the dice take in what was answered, and the `nonces` that players gave, by seat. `beacon` is the
    last round of a public beacon that they have taken in.
    """

    seed: str
    commitment: str
    rewinds: list[Rewind] = []
    version: int = 1
    nonces: dict[str, str] = {}
    beacon: int = 0

    @property
    def mix(self) -> str:
        """`Setup.mix`."""
        from pbem.kernel.dice import initial_mix

        return initial_mix(self.nonces) if self.version > 1 else ""

    @property
    def epoch(self) -> int:
        """The epoch that the dice are in now; goes into prompt codes, so that answers to a dead branch bounce."""
        return self.rewinds[-1].epoch if self.rewinds else 0

    def epochs(self) -> list[tuple[int, int]]:
        """`Setup.epochs`: the switches that lie on the live branch."""
        live: list[tuple[int, int]] = []
        for rewind in self.rewinds:
            while live and live[-1][0] >= rewind.n:
                live.pop()
            live.append((rewind.n, rewind.epoch))
        return live


class PendingInfo(msgspec.Struct, forbid_unknown_fields=True):
    """`[[pending]]`: a question open to a seat. One stands here until the question closes, answered or not.

    `since` is when it was first put, `due` when time runs out (None: no deadline). `moved` counts how
    often the deadline was put off after it had been announced. `letter` is the file in the outbox that puts it to the
    seat, `put` when it was laid there. `undelivered` is since when it has not reached everybody whom it asks, so that
    its time does not run; `again` when it was put to the seat once more after that letter had come back. `refused` is
    when an answer to it was refused for the first time.
    """

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
    """`[checkpoint]`: a kernel `Mark` with its state as tables (`[checkpoint.state…]`).

    `digest` is the SHA-256 (hex) of all the rest but `journal`, order included: a state is corrected by a journaled
    fiat, never by hand. `journal` is the SHA-256 of the hash of the set-up and the text of the moves up to `n` ("": not
    known); where it fits, these moves need not be parsed to know that their chain is whole. `mix` and `ahead` are what
    the dice have taken in.
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
    """`[[press]]`: a message of `seat` to the seats `to` (empty: everybody), received `at` in letter `via`."""

    id: str
    seat: str
    text: str
    at: datetime
    to: list[str] = []
    via: str = ""


class ProcessedEmail(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[intake]]`: a letter that was dealt with; `key` in the source, Message-ID and body hash make it known again."""

    key: str
    message_id: str = ""
    body_hash: str = ""
    seat: str = ""
    at: datetime | None = None
    verdict: str = ""


class EmailPart(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[drafts]]`: a part of a seat's next letter, a `text` or a `receipt`.

    `reply_to` is the Message-ID of the letter that it answers, `subject` what that is about. The receipt is data
    (`pbem.orders.Receipt`) and is put into words when the letter is written; `entered`: for orders that the moderator
    entered, not for a letter. `wish` is what the seat wants to read (`send state`, `help`): a letter of its own.
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
    """`[[outbox]]`: a letter written and not yet delivered.

    `to` and `sender` are mail addresses, `message_id` and `thread` (of letters before it, oldest first) stand in angle
    brackets. A letter `of_play` tells of the game and is withdrawn by a rewind; receipts and relayed press are not.
    `news`: it tells more than receipts; `asks` is the question that it is the first to put to its seat. While `held` it
    does not go out until `held_until`, or until the moderator releases it. `calendar` and `cancelled` are iCalendar
    texts that go with it: what the seat owes by when, and an entry that holds no longer. `view` is the
    seat's view file, `proof` what it quotes so that it can be verified, `picture` the map (SVG) that its page shows,
    `bundle` the dispute file and `board` the whole map (SVG) if the seat has asked for them.
    """

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
    """`[[actions]]`: what the moderator (`by`) did to the game outside the rules, why, and which seats were told.

    `mark` is a keyed fingerprint of the command, so that the same one is known when it is given again.
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
    """`[[agreements]]`: an agreement that does not bind: clauses of `seat` to `to`.

    `signed` is who has signed it when, `withdrawn` who withdrew it.
    """

    id: str
    seat: str
    to: list[str]
    text: str
    at: datetime | None = None
    signed: dict[str, datetime] = {}
    withdrawn: str = ""


class Save(msgspec.Struct, kw_only=True):
    """A save. `load_header` leaves `checkpoint` None and everything below it empty (`whole` is False).

    `sealed` are the answers given to the open question while others are missing, `talk` the acts of an open
    negotiation. `moves` is the journal from move `earlier_n` + 1 on; the entries before it are kept as `earlier`, the
    text they have in the file, and are written back as they stand. `origin` is where the game passed to other rules:
    the moves up to it stay in the journal and in the chain, and are played no more (None: all are).
    """

    header: Header
    seats: list[SeatInfo]
    clock: ClockSettings
    dice: DiceInfo
    post: MailSettings = msgspec.field(default_factory=MailSettings)
    pending: list[PendingInfo] = []
    checkpoint: CheckpointInfo | None = None
    origin: CheckpointInfo | None = None
    queue: list[AdvanceOrder] = []
    standing: list[StandingRule] = []
    settings: list[AskMe] = []
    sealed: list[Move] = []
    talk: list[dict[str, Any]] = []
    press: list[PressMessage] = []
    intake: list[ProcessedEmail] = []
    drafts: list[EmailPart] = []
    outbox: list[OutboxEntry] = []
    notes: list[AdvanceNote] = []
    actions: list[ModeratorAction] = []
    agreements: list[Agreement] = []
    moves: list[ChainedMove] = []
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
        raise KeyError(f"'{key}' isn't a seat; seats: {', '.join(seat.id for seat in self.seats)}")
