"""One run of the intake: each letter is identified, applied and stored; at the end everybody is told.

Letters are gathered up to a limit and dealt with game by game, each game's in their order: all of them are one
transaction on its save (lock, apply, store with their keys and receipts), so that a game with many letters is written
once. A letter that fails costs no other. What all seats are told is written at the end of the run, in the order of the
seats. A run that died is simply run again: keys keep anything from being done twice, and a mark in the save says that
letters are still to be written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

import games
from pbem.clock.policy import stamp
from pbem.kernel.words import fold
from pbem.orders import Block, apply, explain, read, say
from pbem.post.deadlines import set_due
from pbem.post.game_pool import GamePool
from pbem.post.inbox import identify
from pbem.post.inbox.keys import codes_of, has_seat, info, intake_key, received_at, written_blocks
from pbem.post.inbox.mime import Letter, read_letter
from pbem.post.inbox.outcomes import AGAIN, IngestReport, Outcome
from pbem.post.inbox.plain import clean_text, decode_bytes
from pbem.post.inbox.quarantine import Held, Quarantine, QuarantineError
from pbem.post.inbox.quarantining import Aside
from pbem.post.inbox.sources import Received
from pbem.post.outbox.delivery import Delivery, crowded
from pbem.post.outbox.drafts import add_receipt
from pbem.post.outbox.maildir import Outbox
from pbem.post.outbox.press import take_press
from pbem.post.outbox.reader import frame
from pbem.post.save_index import SaveIndex, own_addresses
from pbem.post.transport.bounces import Bounce, Bounces, returned
from pbem.save import Intake as Entry
from pbem.save import SaveError, Session
from pbem.save.session import Loader

GATHERED = 1000
"""Letters gathered before they are dealt with, and the bytes of them: what a run holds of a mailbox at once."""

GATHERED_BYTES = 4 << 20

EARLY = 200
"""Letters kept for the end of the run because their question is not open yet; those beyond are put aside at once."""

BROKEN = "its save cannot be read"

Genuine = list[tuple[Block, identify.Verdict]]


def home_of(saves: Sequence[Path]) -> Path:
    """The folder in which quarantine and outbox of these saves lie."""
    first = saves[0]
    return first if first.is_dir() else first.parent


class Item(msgspec.Struct):
    """A letter at hand: its place in the run, its blocks, and whether this is the last try."""

    number: int
    received: Received
    letter: Letter
    blocks: list[Block]
    last: bool = False


class Intake:
    """One run. `take` each message, then `finish`. `progress` hears how many messages are dealt with and read."""

    def __init__(
        self,
        saves: Sequence[Path],
        *,
        now: datetime,
        sender: str = "",
        authserv: str = "",
        home: Path | None = None,
        game: Loader = games.load,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.home = home or home_of(saves)
        self.now = now
        self.sender = sender
        self.progress = progress
        self.index = SaveIndex(saves)
        saved = list(self.index.headers.values())
        self.own = own_addresses(saved, sender)
        self.authserv = authserv or next((one.post.trusted for one in saved if one.post.trusted), "")
        self.report = IngestReport(discreet=[one.header.name for one in saved if one.post.plays])
        self.games = GamePool(self.index, game, now)
        self.quarantine = Quarantine(self.home / "quarantine")
        self.aside = Aside(self.quarantine, self.games, self.report, now)
        self.outbox = Outbox(self.home / "outbox")
        self.delivery = Delivery(self.games, self.outbox, self.report, now=now, sender=sender)
        self._gathered: dict[str, list[Item]] = {}
        self._count, self._bytes = 0, 0
        self._taken, self._at, self._dealt = 0, 0, 0
        self._notes: list[tuple[int, Outcome]] = []
        self._early: list[Item] = []

    @property
    def opened(self) -> set[Path]:
        """The saves that this run has opened."""
        return self.games.ever

    def session(self, path: Path) -> Session:
        """The game of a save. The lock is held."""
        return self.games.session(path)

    def early(self) -> list[str]:
        """Where the letters lie that wait in memory for their question: a source must not take them for done."""
        return [item.received.where for item in self._early]

    # -- one message -------------------------------------------------------------------------------------------------

    def take(self, received: Received) -> None:
        """Deal with one message of a source, or gather it: `flush` and `finish` leave none undone."""
        self._taken += 1
        self._at = self._taken
        if received.kind == "unreadable":
            verdict = identify.Verdict(reason="unreadable", detail=received.where)
            self._put_aside(received, None, verdict)
        elif received.kind == "orders":
            self.flush()
            self._take_file(received)
        else:
            self._take_mail(received, read_letter(received.raw))
        if self._count >= GATHERED or self._bytes >= GATHERED_BYTES:
            self.flush()
        if not self._gathered:
            self._tell_notes()
            self._progress(self._taken)

    def _take_mail(self, received: Received, letter: Letter) -> None:
        if self.aside.known(received, letter):
            self.report.known += 1
            return
        verdict = identify.of_letter(letter, self.own, self.authserv)
        if verdict is None:
            blocks = written_blocks(letter, cut=not received.raw.endswith(b"\n"))
            self._gather(Item(self._taken, received, letter, blocks))
            return
        if letter.automatic in ("bounce", "report") and (hit := returned(received.raw, self.index)):
            name, seat, address = hit
            why = f"{letter.subject[:80]} (from {letter.sender or 'nobody'})"
            bounce = Bounce(at=stamp(self.now), why=why, to=address, game=name, seat=seat)
            Bounces(self.home).note(bounce)
        self._put_aside(received, letter, verdict)

    # -- gathering ---------------------------------------------------------------------------------------------------

    def _gather(self, item: Item) -> None:
        """Put a letter to those for its game; one for several games, or for none, is dealt with by itself."""
        names = self._games_of(item)
        if len(names) == 1:
            self._gathered.setdefault(names.pop(), []).append(item)
            self._count += 1
            self._bytes += len(item.received.raw)
            return
        if names:
            self.flush()
        self._at = item.number
        self._deal(item)

    def _games_of(self, item: Item) -> set[str]:
        """The games that a letter is about: those its blocks name, or the first of its writer's."""
        names = {fold(block.game) for block in item.blocks}
        found = {name for name in names if name in self.index.headers}
        if len(found) < len(names) or not names:
            first = next(self.index.seats_of(item.letter.sender or ""), None)
            found |= {fold(first[0].header.name)} if first is not None else set()
        return found

    def flush(self) -> None:
        """Deal with what has been gathered: after it, all but `early` letters are on disk."""
        gathered, self._gathered = self._gathered, {}
        self._count = self._bytes = 0
        for name, items in gathered.items():
            path = self.index.path(name)
            left = items
            while left:
                left = left[self._together(path, left) :]
            self._progress(self._dealt + len(items))
        while len(self._early) > EARLY:
            item = self._early.pop(0)
            item.last = True
            self._at = item.number
            self._deal(item)
        self._tell_notes()

    def _together(self, path: Path, items: list[Item]) -> int:
        """Letters to one game in one transaction; how many of them are dealt with.

        If one fails, those before it are done again without it, and it is given up.
        """
        count = 0
        try:
            with self.games.transaction(path) as session:
                for item in items:
                    self._at = item.number
                    self._deal(item)
                    count += 1
        except SaveError as error:
            self.report.broken[str(path)] = str(error)
            for item in items:
                self._at = item.number
                self._note(item.received, "postponed", item.blocks[0] if item.blocks else None, str(error))
            return len(items)
        except Exception as error:  # a fault of the rules must not keep the other letters from being read
            if os.environ.get("PBEM_DEBUG"):
                raise
            if count == len(items) > 1:  # all were applied, and then they could not be written
                return sum(self._together(path, [item]) for item in items)
            if count and len(items) > 1:
                self._together(path, items[:count])
            failed = items[min(count, len(items) - 1)]
            self._at = failed.number
            first = failed.blocks[0] if failed.blocks else None
            self._note(failed.received, "failed", first, f"{type(error).__name__}: {error}")
            return min(count + 1, len(items))
        if crowded(session.save):
            self.delivery.send(path)
        return len(items)

    # -- one letter --------------------------------------------------------------------------------------------------

    def _deal(self, item: Item) -> None:
        """Apply the blocks that are genuine, game by game; a letter with any other goes into quarantine as well."""
        received, letter = item.received, item.letter
        if not item.blocks:
            self._put_aside(received, letter, identify.of_empty(letter, self.index))
            return
        genuine, doubtful, early = self._sorted(item)
        if genuine:
            # His letter: a block for a game that is not here goes into the receipt of the first one that is.
            strays = [one for one in doubtful if one[1].reason == "unknown-game"]
            doubtful = [one for one in doubtful if one not in strays]
            first = next(iter(genuine.values()))
            first += [(block, first[0][1]) for block, _ in strays]
        for name, own in genuine.items():
            self._transact(received, letter, name, own)
        if genuine:
            self.games.afterwards(lambda: self.aside.settle(received, letter))
        if early:
            waiting = Item(item.number, received, letter, early)
            self.games.afterwards(lambda: self._early.append(waiting))
        if doubtful:
            block, verdict = doubtful[0]
            self._put_aside(received, letter, verdict, block)

    def _sorted(self, item: Item) -> tuple[dict[str, Genuine], Genuine, list[Block]]:
        """The blocks of a letter: genuine ones by game, doubtful ones, and those that come too early."""
        genuine: dict[str, Genuine] = {}
        doubtful: Genuine = []
        early: list[Block] = []
        for block in item.blocks:
            if self._broken(block):
                self._note(item.received, "postponed", block, BROKEN)
                continue
            verdict = identify.of_block(item.letter, block, self.index)
            if verdict.seat:
                genuine.setdefault(fold(block.game), []).append((block, verdict))
            elif verdict.reason == "ahead" and not item.last:
                early.append(block)
            else:
                doubtful.append((block, verdict))
        return genuine, doubtful, early

    def _broken(self, block: Block) -> bool:
        """Whether a block is for a game whose save is here and cannot be read: it must wait, not be refused."""
        return fold(block.game) in {fold(path.stem) for path in self.index.broken}

    def _take_file(self, received: Received) -> None:
        """A move file: whoever can put files here is the moderator, so that it needs no code; a stale one bounces."""
        text = clean_text(decode_bytes(received.raw, None)[0])
        digest = hashlib.sha256(received.raw).hexdigest()
        letter = Letter(message_id=f"<{received.key}>", text=text, body_hash=digest)
        reading = read(text, several=True)
        by_game: dict[str, list[tuple[Block, identify.Verdict]]] = {}
        for block in reading.blocks:
            save = self.index.find(block.game)
            if save is None and self._broken(block):
                self._note(received, "postponed", block, BROKEN)
                continue
            if save is None:
                known = ", ".join(one.header.name for one in self.index.headers.values()) or "none"
                self._note(received, "wrong", block, f"there is no game '{block.game}' here; games: {known}")
                continue
            by_game.setdefault(fold(block.game), []).append(
                (block, identify.Verdict(by_secret=not block.code))
            )
        if not reading.blocks:
            why = "; ".join(say(one.key, one.args) for one in reading.findings)
            why = why or "no block from BEGIN ORDERS to END ORDERS in this file"
            self._note(received, "wrong", None, why)
        for name, blocks in by_game.items():
            self._transact(received, letter, name, blocks)

    # -- one transaction ---------------------------------------------------------------------------------------------

    def _transact(
        self, received: Received, letter: Letter, name: str, blocks: Genuine, *, vouched: bool = False
    ) -> None:
        """Apply the blocks of one letter to one save; all of it or nothing. In a transaction, its errors end that."""
        path = self.index.path(name)
        key = intake_key(letter, blocks, vouched=vouched)
        if self.games.at_work(path):
            self._apply_all(self.games.session(path), received, letter, blocks, key)
            return
        try:
            with self.games.transaction(path) as session:
                self._apply_all(session, received, letter, blocks, key)
        except SaveError as error:
            self.report.broken[str(path)] = str(error)
            self._note(received, "postponed", blocks[0][0], str(error))
        except Exception as error:
            if os.environ.get("PBEM_DEBUG"):
                raise
            self._note(received, "failed", blocks[0][0], f"{type(error).__name__}: {error}")
        else:
            if crowded(session.save):
                self.delivery.send(path)

    def _apply_all(
        self, session: Session, received: Received, letter: Letter, blocks: Genuine, key: str
    ) -> None:
        if self.games.knows(session.path, key):
            self.games.afterwards(self._known)
            return
        done = [self._apply(session, received, letter, one, verdict, key) for one, verdict in blocks]
        seats = ",".join(dict.fromkeys(one.seat for one in done))
        fates = ",".join(dict.fromkeys(one.fate for one in done))
        at = received_at(received, letter, self.now)
        self.games.note(session, Entry(key, letter.message_id or "", letter.body_hash, seats, at, fates))
        for one in done:
            self._say(one)

    def _known(self) -> None:
        self.report.known += 1

    def _apply(
        self,
        session: Session,
        received: Received,
        letter: Letter,
        block: Block,
        verdict: identify.Verdict,
        key: str,
    ) -> Outcome:
        referee, save = session.referee, session.save
        at, via = received_at(received, letter, self.now), f"{received.kind}:{key[:16]}"
        codes = None if verdict.by_secret else codes_of(session, verdict.seat or fold(block.seat))
        # Taken before the answer goes in: whether it was the last one must not show in what its writer reads.
        q, about = referee.q, frame(session, info(save, verdict.seat or fold(block.seat)))
        receipt = apply(referee, block, game=save.header.name, codes=codes, seat=verdict.seat, at=at, via=via)
        if receipt.open and receipt.open[0].q != q:
            set_due(session, self.now)
            about = frame(session, info(save, receipt.seat))
        take_press(session, receipt, block)
        reply_to = letter.message_id or "" if received.kind == "mail" else ""
        place, by_mail = f"{key[:12]}.{block.line:04d}", received.kind == "mail"
        text = add_receipt(session, receipt, about, place, at, reply_to, letter.subject, by_mail=by_mail)
        if receipt.accepted and has_seat(save, receipt.seat):
            save.seat(receipt.seat).told.notices = 0
        why = explain(receipt.problem) if receipt.problem is not None else ""
        fate: Any = receipt.verdict
        return Outcome(
            where=received.where,
            fate=fate,
            game=save.header.name,
            seat=receipt.seat,
            why=why,
            receipt=text,
            accepted=len(receipt.accepted),
            refused=len(receipt.refused),
            by_hand=not info(save, receipt.seat).addresses,
        )

    # -- quarantine --------------------------------------------------------------------------------------------------

    def _put_aside(
        self, received: Received, letter: Letter | None, verdict: identify.Verdict, block: Block | None = None
    ) -> None:
        number = self._at

        def put(held: Held) -> None:
            game, seat = (block.game, block.seat) if block else ("", "")
            why = held.sentence()
            self._notes.append(
                (
                    number,
                    Outcome(
                        where=received.where, fate="quarantined", game=game, seat=seat, why=why, held=held.id
                    ),
                )
            )

        self.aside.put(received, letter, verdict, block, put)

    def release(self, beginning: str, *, seat: str = "", add_address: bool = False) -> None:
        """Take in a letter from the quarantine: the moderator vouches for it, so that its code does not matter.

        `seat` says whose it is if its blocks do not. With `add_address` its sender goes on the seat's list. Raises
        `QuarantineError`, also if there is nothing in it to take in.
        """
        held = self.quarantine.find(beginning)
        received = Received(held.id, self.quarantine.raw(held), f"quarantine {held.id}")
        letter = read_letter(received.raw)
        blocks = written_blocks(letter)
        by_game: dict[str, list[tuple[Block, identify.Verdict]]] = {}
        for block in blocks:
            save = self.index.find(block.game)
            block.seat = seat or block.seat
            if save is not None and has_seat(save, fold(block.seat)):
                verdict = identify.Verdict(seat=fold(block.seat), by_secret=True)
                by_game.setdefault(fold(block.game), []).append((block, verdict))
        if not by_game:
            raise QuarantineError(
                f"{held.id} holds no orders for a game and seat that are here: read it with "
                f"pbem quarantine show {held.id}, then send a move file or refuse it"
            )
        for name, own in by_game.items():
            self._transact(received, letter, name, own, vouched=True)
            if add_address and letter.sender:
                self._add_address(name, own[0][1].seat, letter.sender)
        self._tell_notes()
        if not any(one.fate in AGAIN for one in self.report.letters):
            self.quarantine.settle(held, "released")

    def _add_address(self, name: str, seat: str, address: str) -> None:
        path = self.index.path(name)
        with self.games.transaction(path) as session:
            mine = session.save.seat(seat)
            if address not in mine.addresses:
                mine.addresses.append(address)
                session.commit(stamp(self.now))

    # -- the end of a run --------------------------------------------------------------------------------------------

    def finish(self) -> IngestReport:
        """Take in what came too early, write the letters of every save, deliver them."""
        self.flush()
        self._take_early()
        for name, path in self.index.paths.items():
            if self.delivery.due(self.index.headers[name]) or path in self.opened:
                self.delivery.send(path)
                self.delivery.ask_moderator(path)
        for path, error in self.index.broken.items():
            self.report.broken.setdefault(str(path), str(error))
        return self.report

    def _take_early(self) -> None:
        """Letters that answer a question which other letters of the same run have opened, as often as that helps."""
        progress = True
        while self._early and progress:
            waiting, self._early = self._early, []
            self._again(waiting)
            progress = len(self._early) < len(waiting)
        waiting, self._early = self._early, []
        for item in waiting:
            item.last = True
        self._again(waiting)

    def _again(self, items: list[Item]) -> None:
        for item in items:
            self._gather(item)
        self.flush()

    # -- the report --------------------------------------------------------------------------------------------------

    def _progress(self, dealt: int) -> None:
        self._dealt = min(max(dealt, self._dealt), self._taken)
        if self.progress is not None:
            self.progress(self._dealt, self._taken)

    def _note(self, received: Received, fate: Any, block: Block | None, why: str) -> None:
        game, seat = (block.game, block.seat) if block else ("", "")
        self._say(Outcome(where=received.where, fate=fate, game=game, seat=seat, why=why))

    def _say(self, one: Outcome) -> None:
        """A line of the report, which is in the order of the mailbox: told when what was gathered is dealt with."""
        number = self._at
        self.games.afterwards(lambda: self._notes.append((number, one)))

    def _tell_notes(self) -> None:
        for _, one in sorted(self._notes, key=lambda note: note[0]):
            self.report.note(one)
        self._notes.clear()
