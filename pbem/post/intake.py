"""One run of the intake: each letter is identified, applied and stored; at the end everybody is told.

One letter is one transaction on each save that it speaks to: lock, apply, store with the letter's key and its receipt.
What all seats are told is written once, at the end of the run, in the order of the seats. A run that died is simply run
again: keys keep anything from being done twice, and a mark in the save says that letters are still to be written.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import games
from pbem.clock.policy import moment
from pbem.kernel.questions import MODERATOR
from pbem.kernel.words import fold
from pbem.orders import Block, apply, explain, read
from pbem.post import identify
from pbem.post.bounces import Bounce, Bounces, returned
from pbem.post.keys import (
    codes_of,
    has_seat,
    held_id,
    info,
    intake_key,
    news_for,
    received_at,
    written_blocks,
)
from pbem.post.letters import (
    DRAFT,
    UNSENT,
    add_notice,
    add_receipt,
    frame,
    set_due,
    stamp,
    write_letters,
)
from pbem.post.mime import Letter, read_letter
from pbem.post.outbox import Outbox, pending
from pbem.post.plain import clean_text, decode_bytes
from pbem.post.press import take_press
from pbem.post.quarantine import Held, Quarantine, QuarantineError
from pbem.post.release import held_back, hold, note_release
from pbem.post.report import IngestReport, Outcome, Sent
from pbem.post.shelf import Shelf, own_addresses
from pbem.post.sources import Received
from pbem.save import Changed, Save, SaveError, Session, locked
from pbem.save import Intake as Entry
from pbem.save.session import Loader

OPEN = 32
"""How many games are kept open at once; one that is needed again is opened again (some 10 ms)."""

WAITING = 500
"""Receipts that wait in a save for the end of the run. With more, its letters are written as if the run ended here.

Far more than a game gets in any run: a second letter to somebody tells him that many letters of others came.
"""


def home_of(saves: Sequence[Path]) -> Path:
    """The folder in which quarantine and outbox of these saves lie."""
    first = saves[0]
    return first if first.is_dir() else first.parent


class Intake:
    """One run. `take` each message, then `finish`."""

    def __init__(
        self,
        saves: Sequence[Path],
        *,
        now: datetime,
        sender: str = "",
        authserv: str = "",
        home: Path | None = None,
        game: Loader = games.load,
    ) -> None:
        self.home = home or home_of(saves)
        self.now = now
        self.sender = sender
        self.game = game
        self.shelf = Shelf(saves)
        saved = list(self.shelf.headers.values())
        self.own = own_addresses(saved, sender)
        self.authserv = authserv or next((one.post.trusted for one in saved if one.post.trusted), "")
        self.quarantine = Quarantine(self.home / "quarantine")
        self.outbox = Outbox(self.home / "outbox")
        self.report = IngestReport(discreet=[one.header.name for one in saved if one.post.plays])
        self.read = ""
        self.show = False  # whether the report holds the texts of the letters
        self.opened: set[Path] = set()
        self._let_go = 0
        self._sessions: dict[Path, Session] = {}
        self._keys: dict[Path, set[str]] = {}
        self._early: list[tuple[Received, Letter, list[Block]]] = []

    # -- one message -------------------------------------------------------------------------------------------------

    def take(self, received: Received) -> None:
        """Deal with one message of a source."""
        if received.kind == "unreadable":
            self._put_aside(received, None, identify.Verdict(reason="unreadable", detail=received.where))
        elif received.kind == "orders":
            self._take_file(received)
        else:
            self._take_mail(received, read_letter(received.raw))

    def _take_mail(self, received: Received, letter: Letter) -> None:
        if self._held_already(received, letter):
            return
        verdict = identify.of_letter(letter, self.own, self.authserv)
        if verdict is None:
            blocks = written_blocks(letter, cut=not received.raw.endswith(b"\n"))
            if blocks:
                self._take_blocks(received, letter, blocks)
                return
            verdict = identify.of_empty(letter, self.shelf)
        if letter.automatic in ("bounce", "report") and (hit := returned(received.raw, self.shelf)):
            name, seat, address = hit
            why = f"{letter.subject[:80]} (from {letter.sender or 'nobody'})"
            bounce = Bounce(at=stamp(self.now), why=why, to=address, game=name, seat=seat)
            Bounces(self.home).note(bounce)
        self._put_aside(received, letter, verdict)

    def _take_blocks(
        self, received: Received, letter: Letter, blocks: list[Block], *, last: bool = False
    ) -> None:
        """Apply the blocks that are genuine, game by game; a letter with any other goes into quarantine as well."""
        genuine: dict[str, list[tuple[Block, identify.Verdict]]] = {}
        doubtful: list[tuple[Block, identify.Verdict]] = []
        early: list[Block] = []
        for block in blocks:
            if fold(block.game) in self._broken_names():
                self._note(received, "postponed", block, "its save cannot be read")
                continue
            verdict = identify.of_block(letter, block, self.shelf)
            if verdict.seat:
                genuine.setdefault(fold(block.game), []).append((block, verdict))
            elif verdict.reason == "ahead" and not last:
                early.append(block)
            else:
                doubtful.append((block, verdict))
        if genuine:
            # His letter: a block for a game that is not here goes into the receipt of the first one that is.
            strays = [one for one in doubtful if one[1].reason == "unknown-game"]
            doubtful = [one for one in doubtful if one not in strays]
            first = next(iter(genuine.values()))
            first += [(block, first[0][1]) for block, _ in strays]
        for name, own in genuine.items():
            self._transact(received, letter, name, own)
        held = self.quarantine.index.get(held_id(received, letter)) if genuine else None
        if held is not None and _waits(held):
            self.quarantine.settle(held, "released")
        if early:
            self._early.append((received, letter, early))
        if doubtful:
            block, verdict = doubtful[0]
            self._put_aside(received, letter, verdict, block)

    def _take_file(self, received: Received) -> None:
        """A move file: whoever can put files here is the moderator, so that it needs no code; a stale one bounces."""
        text = clean_text(decode_bytes(received.raw, None)[0])
        digest = hashlib.sha256(received.raw).hexdigest()
        letter = Letter(message_id=f"<{received.key}>", text=text, body_hash=digest)
        reading = read(text, several=True)
        by_game: dict[str, list[tuple[Block, identify.Verdict]]] = {}
        for block in reading.blocks:
            save = self.shelf.find(block.game)
            if save is None:
                known = ", ".join(one.header.name for one in self.shelf.headers.values()) or "none"
                self._note(received, "wrong", block, f"there is no game '{block.game}' here; games: {known}")
                continue
            by_game.setdefault(fold(block.game), []).append(
                (block, identify.Verdict(by_secret=not block.code))
            )
        if not reading.blocks:
            self._note(received, "wrong", None, "no block from BEGIN ORDERS to END ORDERS in this file")
        for name, blocks in by_game.items():
            self._transact(received, letter, name, blocks)

    # -- one transaction ---------------------------------------------------------------------------------------------

    def _transact(
        self,
        received: Received,
        letter: Letter,
        name: str,
        blocks: list[tuple[Block, identify.Verdict]],
        *,
        vouched: bool = False,
    ) -> None:
        """Apply the blocks of one letter to one save and store it; all of it or nothing."""
        path = self.shelf.path(name)
        key = intake_key(letter, blocks, vouched=vouched)
        try:
            with locked(path):
                session = self.session(path)
                if key in self._keys[path]:
                    self.report.known += 1
                    return
                outcomes = [
                    self._apply(session, received, letter, one, verdict, key) for one, verdict in blocks
                ]
                seats = ",".join(dict.fromkeys(one.seat for one in outcomes))
                fates = ",".join(dict.fromkeys(one.fate for one in outcomes))
                self._store(
                    session,
                    Entry(
                        key,
                        letter.message_id or "",
                        letter.body_hash,
                        seats,
                        received_at(received, letter, self.now),
                        fates,
                    ),
                )
                for one in outcomes:
                    self.report.note(one)
        except SaveError as error:
            self._sessions.pop(path, None)
            self.report.broken[str(path)] = str(error)
            self._note(received, "postponed", blocks[0][0], str(error))
        except Exception as error:  # a fault of the rules must not keep the other letters from being read
            if os.environ.get("PBEM_DEBUG"):
                raise
            self._sessions.pop(path, None)
            self._note(received, "failed", blocks[0][0], f"{type(error).__name__}: {error}")
        else:
            if _crowded(session.save):
                self._send(path)

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
        text = add_receipt(session, receipt, about, f"{key[:12]}.{block.line:04d}", at, reply_to)
        if receipt.accepted and has_seat(save, receipt.seat):
            save.seat(receipt.seat).more.pop("notices", None)
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
        )

    def _store(self, session: Session, entry: Entry) -> None:
        save = session.save
        save.intake.append(entry)
        save.header.more[UNSENT] = True
        set_due(session, self.now)
        session.commit(stamp(self.now))
        self._keys[session.path].add(entry.key)
        self.shelf.know(save)

    def session(self, path: Path) -> Session:
        """The game of a save, opened or still at hand. The lock is held."""
        session = self._sessions.get(path)
        if session is not None:
            try:
                session.check_unchanged()
            except Changed:
                session = None
        if session is None:
            session = Session.open(path, self.game)
            self.opened.add(path)
            self._keys[path] = {one.key for one in session.save.intake}
            self.shelf.know(session.save)
        self._sessions.pop(path, None)
        self._sessions[path] = session  # the last in the row, which is the last to be let go
        if len(self._sessions) > OPEN:
            oldest = next(iter(self._sessions))
            self.shelf.let_go(self._sessions.pop(oldest).save)
            self._keys.pop(oldest, None)
            self._let_go += 1
            if self._let_go % OPEN == 0:
                gc.collect()  # a session and its referee know each other: only the collector frees them
        return session

    # -- quarantine --------------------------------------------------------------------------------------------------

    def _held_already(self, received: Received, letter: Letter | None) -> bool:
        held = self.quarantine.index.get(held_id(received, letter))
        if held is None or _waits(held):
            return False
        self.report.known += 1
        return True

    def _put_aside(
        self, received: Received, letter: Letter | None, verdict: identify.Verdict, block: Block | None = None
    ) -> None:
        """Tell the seats that should hear of it, then put the letter into the quarantine."""
        ident = held_id(received, letter)
        if ident in self.quarantine.index:
            self.report.known += 1
            return
        for name, seat in verdict.tell:
            self._notify(name, seat, verdict, ident, letter)
        held = Held(
            id=ident,
            reason=verdict.reason,
            at=stamp(self.now),
            sender=(letter.sender or letter.sender_name) if letter else "",
            subject=letter.subject[:120] if letter else "",
            game=block.game[:60] if block else "",
            seat=block.seat[:60] if block else "",
            detail=verdict.detail,
            where=received.where,
        )
        self.quarantine.put(held, received.raw)
        self._note(received, "quarantined", block, held.sentence(), ident)

    def _notify(
        self, name: str, seat: str, verdict: identify.Verdict, ident: str, letter: Letter | None
    ) -> None:
        """Draft a notice to the address on file; noted in the intake, so that a crash does not send it twice."""
        path, key = self.shelf.path(name), f"held:{ident}:{seat}"
        subject = letter.subject[:60] if letter else ""
        known = verdict.reason not in ("unknown-sender", "unproven")  # a stranger's subject is not passed on
        try:
            with locked(path):
                session = self.session(path)
                if key in self._keys[path]:
                    return
                at = stamp(self.now)
                info = session.save.seat(seat)
                more = {"subject": subject if known else "", "detail": verdict.detail}
                if add_notice(session, info, verdict.reason, ident, at, **more):
                    self._store(session, Entry(key, "", "", seat, at, f"held:{verdict.reason}"))
        except SaveError as error:
            self._sessions.pop(path, None)
            self.report.broken[str(path)] = str(error)

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
            save = self.shelf.find(block.game)
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
        if not any(one.fate in ("postponed", "failed") for one in self.report.letters):
            self.quarantine.settle(held, "released")

    def _add_address(self, name: str, seat: str, address: str) -> None:
        path = self.shelf.path(name)
        with locked(path):
            session = self.session(path)
            info = session.save.seat(seat)
            if address not in info.addresses:
                info.addresses.append(address)
                session.commit(stamp(self.now))

    # -- the end of a run --------------------------------------------------------------------------------------------

    def finish(self) -> IngestReport:
        """Take in what came too early, write the letters of every save, deliver them."""
        self._take_early()
        for name, path in self.shelf.paths.items():
            if self._has_unsent(self.shelf.headers[name]) or path in self.opened:
                self._send(path)
                self._ask_moderator(path)
        for path, error in self.shelf.broken.items():
            self.report.broken.setdefault(str(path), str(error))
        return self.report

    def _take_early(self) -> None:
        """Letters that answer a question which other letters of the same run have opened, as often as that helps."""
        progress = True
        while self._early and progress:
            waiting, self._early = self._early, []
            for received, letter, blocks in waiting:
                self._take_blocks(received, letter, blocks)
            progress = len(self._early) < len(waiting)
        for received, letter, blocks in self._early:
            self._take_blocks(received, letter, blocks, last=True)
        self._early = []

    def _has_unsent(self, save: Save) -> bool:
        """From the header alone: is something taken in and not told, or told to nobody yet?"""
        header = save.header
        release = str(header.more.get("release_at", ""))
        if release and moment(release) <= self.now:
            return True
        return bool(header.more.get(UNSENT)) or any(
            seat.addresses and (seat.seen < header.lines or seat.told_q == 0) for seat in save.seats
        )

    def _send(self, path: Path) -> None:
        """Write what the seats of one save are to be told (one transaction), deliver it, note that (another)."""
        try:
            with locked(path):
                session = self.session(path)
                save = session.save
                save.header.read = self.read or save.header.read
                set_due(session, self.now)
                drafts = any(one.kind == DRAFT for one in save.outbox) or "release_at" in save.header.more
                if drafts or UNSENT in save.header.more or any(news_for(session, s) for s in save.seats):
                    hold(save, write_letters(session, self.now, self.sender), self.now)
                    save.header.more[UNSENT] = True
                    session.commit(stamp(self.now))
                    self._deliver(session)
        except SaveError as error:
            self._sessions.pop(path, None)
            self.report.broken[str(path)] = str(error)

    def _deliver(self, session: Session) -> None:
        """Put the save's letters into the outbox and take them out of the save."""
        save, failed = session.save, []
        kept = [one for one in pending(save) if held_back(one, self.now)]
        for letter in pending(save):
            if letter in kept:
                continue
            try:
                file = str(self.outbox.deliver(save, letter))
            except (ValueError, OSError) as error:
                failed.append(letter)
                place = f"{save.header.name}, letter to {letter.seat}"
                self.report.broken[place] = f"cannot be delivered: {error}"
                continue
            text = letter.body if self.show else ""
            self.report.note_sent(
                Sent(
                    game=save.header.name,
                    seat=letter.seat,
                    kind=letter.kind,
                    subject=letter.subject,
                    file=file,
                    text=text,
                )
            )
        save.outbox = [one for one in save.outbox if one.kind == DRAFT or one in failed or one in kept]
        note_release(save, kept)
        if not failed:
            save.header.more.pop(UNSENT, None)
        session.commit(stamp(self.now))

    def _ask_moderator(self, path: Path) -> None:
        """Remind the moderator of questions that only he can answer."""
        session = self._sessions.get(path)
        if session is None:  # it could not be opened, which is in the report
            return
        name = session.save.header.name
        for one in session.referee.pending():
            if one.seat == MODERATOR:
                how = f"BEGIN ORDERS {name} {MODERATOR} in a move file"
                self.report.moderator.append(
                    f"{name}: question {one.q} ({one.kind}) is yours to answer: {how}"
                )

    # -- small things ------------------------------------------------------------------------------------------------

    def _note(self, received: Received, fate: Any, block: Block | None, why: str, held: str = "") -> None:
        game, seat = (block.game, block.seat) if block else ("", "")
        self.report.note(Outcome(where=received.where, fate=fate, game=game, seat=seat, why=why, held=held))

    def _broken_names(self) -> frozenset[str]:
        return frozenset(fold(path.stem) for path in self.shelf.broken)


def _crowded(save: Save) -> bool:
    """Whether so much waits to be told that it is told before the end of the run."""
    reached = {seat.id for seat in save.seats if seat.addresses}
    return sum(one.kind == DRAFT and one.seat in reached for one in save.outbox) >= WAITING


def _waits(held: Held) -> bool:
    """Whether a letter put aside is looked at again when it comes again: its question may be open by then."""
    return held.reason == "ahead" and held.state == "held"
