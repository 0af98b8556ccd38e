"""What is new to a seat since its last letter. It follows from what the seat may see, and from nothing else.

A sealed answer that does not close its question gives nobody news; when it closes, everybody asked hears of it in the
same run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from pbem.kernel.referee import Note, ReplayError
from pbem.kernel.table import Line
from pbem.orders.receipt import TAKEN
from pbem.post.outbox.drafts import drafts_for
from pbem.post.outbox.press import new_press
from pbem.save import Draft, Press, SeatInfo, Session
from pbem.save.errors import ReplayFailed

FULL = "full"
"""The setting `letters` of a seat that wants to be told everything at once."""

_READ = ("send", "help")
LAPSED = "proposal.lapsed"
_CALM = (
    "queue.used",
    "queue.skipped",
    "queue.spared",
    "queue.stale",
    "standing.used",
    "standing.expired",
    LAPSED,
)
"""Notes that can wait for the seat's next letter."""


class News(msgspec.Struct, frozen=True, kw_only=True):
    """What the next letter to a seat has to tell.

    `first`: the seat has had no letter yet. `rewound`: the game was taken back. `ended`: its end is not told yet.
    `asks` is the question that is put to the seat for the first time (0: none), `lines` the narration that it may read,
    `proposals` a fingerprint of the proposals of the open negotiation, if they have changed. `drafts` are receipts and
    messages that wait for it, `wishes` what the seat has asked to read. `full`: the seat is told everything at once,
    with the position; `daily`: the hour of its digest has come.
    """

    first: bool
    rewound: bool
    ended: bool
    asks: int
    lines: Sequence[Line]
    notes: Sequence[Note]
    proposals: str
    press: Sequence[Press]
    drafts: Sequence[Draft]
    wishes: Sequence[Draft] = ()
    full: bool = False
    daily: bool = False

    @property
    def goes(self) -> bool:
        """Whether it goes out now. Mere narration, and notes that want nothing, wait for the seat's next question."""
        if self.full or self.daily:
            return bool(self)
        events = self.first or self.rewound or self.ended or self.asks or self.proposals or self.press
        return bool(events or self.drafts or any(map(is_urgent, self.notes)))

    @property
    def aside(self) -> bool:
        """Whether nothing but receipts and messages goes out: what is new in the game waits on."""
        return (
            bool(self.drafts)
            and not (self.full or self.daily)
            and not msgspec.structs.replace(self, drafts=()).goes
        )

    @property
    def of_play(self) -> bool:
        """Whether anything is new in the game: more than receipts and messages."""
        events = self.first or self.rewound or self.ended or self.asks
        return bool(events or self.lines or self.notes or self.proposals or self.press)

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return self.of_play or bool(self.drafts)


def only_wishes(draft: Draft) -> bool:
    """Whether a receipt is for nothing but wishes to read: what was asked for is the receipt."""
    taken = draft.receipt.get("accepted", [])
    mere = bool(taken) and all(item["fate"] == "wish" and item["text"].startswith(_READ) for item in taken)
    return mere and draft.receipt.get("verdict") == TAKEN and not draft.receipt.get("remarks")


def is_urgent(note: Note) -> bool:
    """Whether a note on a line sent in advance wants something of its writer."""
    return note.problem is not None or note.key not in _CALM


def news_for(session: Session, seat: SeatInfo, *, daily: bool = False) -> News:
    """Gather what is new to a seat. `daily`: the hour of its digest has come."""
    referee, told = session.referee, seat.told
    seen = fingerprint(session, seat.id)
    return News(
        first=not told.letters,
        rewound=bool(told.letters) and seat.told_q == 0,
        ended=referee.over and not told.over,
        asks=referee.q if seat.id in referee.asked() and seat.told_q != referee.q else 0,
        lines=[line for line in told_from(session, seat.seen) if line.only is None or seat.id in line.only],
        notes=[note for note in referee.notes if note.seat == seat.id],
        proposals=seen if seen != told.proposals else "",
        press=list(new_press(session.save, seat)),
        drafts=[
            draft for draft in drafts_for(session.save, seat.id) if not (draft.wish or only_wishes(draft))
        ],
        wishes=[draft for draft in drafts_for(session.save, seat.id) if draft.wish],
        full=seat.letters == FULL or told.newcomer,
        daily=daily,
    )


def told_from(session: Session, line: int) -> Sequence[Line]:
    """The narration from a line on; of a game begun under older rules, what can be told."""
    try:
        return session.lines(line)
    except (ReplayFailed, ReplayError):
        return session.lines(max(line, session.referee.line_base))


def fingerprint(session: Session, seat: str) -> str:
    """A fingerprint of the proposals that a seat may see; "" if there are none or it does not take part."""
    talk = session.referee.talk
    if talk is None or seat not in session.referee.asked():
        return ""
    seen = [[p.id, sorted(p.signed), terms] for p, terms in talk.seen_by(seat)]
    if not seen:
        return ""
    return hashlib.sha256(msgspec.json.encode([session.referee.q, seen])).hexdigest()[:16]
