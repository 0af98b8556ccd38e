"""Comparison of email proofs with each other and with a bundle, for `pbem verify`; needs no save.

Emails of several players and games may be mixed. Of two that contradict each other, neither can be shown to be false
from them alone: both are named.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import msgspec

from pbem.mail.bundle import Bundle
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.sources import open_source
from pbem.mail.outbox.email_parts import of_answer
from pbem.mail.outbox.mime_message import PROOF
from pbem.mail.verify_bundle import genesis
from pbem.save import chain

_LINE = re.compile(r"^~ (.+?)\s*$", re.MULTILINE)
_LETTER = re.compile(r"([\w.-]+) ([\w.-]+) (\d+)")
_HEAD = re.compile(r"head (\d+) (\d+) ([0-9a-f]{64})")
_NONCE = re.compile(r"nonce ([\w.-]+) (.+)")
_SEED = re.compile(r"seed ([0-9a-f]{64})")
_SEEN = re.compile(r"seen ([\w.-]+) (\d+) ([0-9a-f]{4}(?:-[0-9a-f]{4}){3})")
_DICE = re.compile(r"dice (\d+) (\d+) (\d+) (\d+): ([\d ]+)")
_MINE = re.compile(r"mine (\d+) ([0-9a-f]{4}(?:-[0-9a-f]{4}){3})")
_SEALED = re.compile(r"sealed ([\w.-]+) (\d+) (\d+) ([0-9a-f]{64})")
_UNSEALED = re.compile(r"unsealed ([\w.-]+) (\d+)")


class QuotedProof(msgspec.Struct):
    """The proof in one email; `where` describes its place. `head` is (moves, epoch, hash)."""

    where: str
    game: str
    seat: str
    number: int
    head: tuple[int, int, str]
    seed: str = ""
    nonces: list[tuple[str, str]] = []
    seen: list[tuple[str, int, str]] = []
    dice: list[tuple[int, int, int, int, list[int]]] = []
    mine: list[tuple[int, str]] = []
    sealed: list[tuple[str, int, int, str]] = []
    unsealed: list[tuple[str, int]] = []


def read_emails(paths: Sequence[Path]) -> Iterator[QuotedProof]:
    """Yield the proofs in the emails of mailboxes, Maildirs, folders and files."""
    for path in paths:
        for received in open_source(path):
            if received.kind != "mail":
                continue
            mail = decode_mail(received.raw)
            quoted = "\n".join([mail.text, *_attached(received.raw)])
            quotes = quotes_of(quoted, f"{received.where} ({mail.subject[:60]}, {mail.date})")
            if quotes is not None:
                yield quotes


def _attached(raw: bytes) -> Iterator[str]:
    for part in message_from_bytes(raw, policy=policy.default).walk():
        if part.get_filename() == PROOF:
            content = part.get_payload(decode=True)
            yield content.decode("utf-8", "replace") if isinstance(content, bytes) else ""


def quotes_of(text: str, where: str) -> QuotedProof | None:
    """Return the proof in an email's text; None without one. Lines that others quoted (`>`) aren't read."""
    rows = [row.strip() for row in _LINE.findall(text)]
    name = next((match for row in rows if (match := _LETTER.fullmatch(row))), None)
    head = next((match for row in rows if (match := _HEAD.fullmatch(row))), None)
    if name is None or head is None:
        return None
    out = QuotedProof(where, name[1], name[2], int(name[3]), (int(head[1]), int(head[2]), head[3]))
    for row in rows:
        if match := _SEED.fullmatch(row):
            out.seed = match[1]
        elif match := _NONCE.fullmatch(row):
            out.nonces.append((match[1], match[2]))
        elif match := _SEEN.fullmatch(row):
            out.seen.append((match[1], int(match[2]), match[3].replace("-", "")))
        elif match := _DICE.fullmatch(row):
            draw, n, epoch, sides = (int(match[at]) for at in range(1, 5))
            out.dice.append((draw, n, epoch, sides, [int(face) for face in match[5].split()]))
        elif match := _MINE.fullmatch(row):
            out.mine.append((int(match[1]), match[2]))
        elif match := _SEALED.fullmatch(row):
            out.sealed.append((match[1], int(match[2]), int(match[3]), match[4]))
        elif match := _UNSEALED.fullmatch(row):
            out.unsealed.append((match[1], int(match[2])))
    return out


def kept(paths: Sequence[Path], bundle: Bundle) -> tuple[int, int]:
    """Return how many emails the bundle's moves name by hash (`keep=raw`), and how many of them are there."""
    named = {link.via.rpartition(":")[2] for link in bundle.links if link.via.count(":") == 2}
    here = {hashlib.sha256(received.raw).hexdigest() for path in paths for received in open_source(path)}
    return len(named), len(named & here)


class EmailVerification(msgspec.Struct, rename={"wrong": "errors"}):
    """The results of a comparison: the counts, and the contradictions in order.

    `late` are questions that others were asked before a moderator who plays had committed to their own answer.
    """

    emails: int = 0
    games: int = 0
    heads: int = 0
    seen: int = 0
    dice: int = 0
    answers: int = 0
    sealed: int = 0
    late: list[str] = []
    named: int = 0
    kept: int = 0
    wrong: list[str] = []
    quotes: list[QuotedProof] = []

    def against(self, bundle: Bundle, file: str) -> None:
        for quoted in self.quotes:
            if quoted.game == bundle.name:
                for why in _against(quoted, bundle):
                    self.wrong.append(f"{why}\n  {quoted.where}\n  {file}")


def compare(emails: Sequence[QuotedProof]) -> EmailVerification:
    """Compare email proofs with each other."""
    in_order = sorted(emails, key=lambda told: (told.game, told.head[1], told.head[0], told.seat, told.number))
    out = EmailVerification(emails=len(emails), games=len({told.game for told in emails}), quotes=in_order)
    known: dict[tuple[Any, ...], tuple[Any, str]] = {}

    def agree(what: str, key: tuple[Any, ...], value: Any, where: str) -> None:
        before, place = known.setdefault((what, *key), (value, where))
        if before != value:
            told = " ".join(map(str, key[1:]))
            out.wrong.append(f"{what} {told}: {before} and {value}\n  {place}\n  {where}")

    for quotes in out.quotes:
        n, epoch, head = quotes.head
        agree("head", (quotes.game, n, epoch), head, quotes.where)
        out.heads += 1
        if quotes.seed:
            agree("seed", (quotes.game,), quotes.seed, quotes.where)
        for seat, nonce in quotes.nonces:
            agree("nonce", (quotes.game, seat), nonce, quotes.where)
        for draw, after, when, sides, faces in quotes.dice:
            agree("dice", (quotes.game, draw, after, when), (sides, faces), quotes.where)
            out.dice += 1
        for seat, q, when, sealed in quotes.sealed:
            agree("commitment", (quotes.game, seat, q, when), sealed, quotes.where)
            out.sealed += 1
        out.answers += len(quotes.mine)
    late = {(quotes.game, seat, q): None for quotes in out.quotes for seat, q in quotes.unsealed}
    out.late = [f"{game}: {seat}, question {q}" for game, seat, q in late]
    _seen(out)
    return out


def _seen(out: EmailVerification) -> None:
    first = {(quotes.game, quotes.head[1], quotes.head[0]): quotes for quotes in reversed(out.quotes)}
    for quotes in out.quotes:
        for seat, n, begins in quotes.seen:
            out.seen += 1
            told = first.get((quotes.game, quotes.head[1], n))
            if told is not None and not told.head[2].startswith(begins):
                why = f"{seat} has seen move {n} with head {begins}, which another email calls {told.head[2][:16]}"
                out.wrong.append(f"{why}\n  {told.where}\n  {quotes.where}")


def _against(one: QuotedProof, bundle: Bundle) -> Iterator[str]:
    if one.seed and one.seed != bundle.commitment:
        yield f"the email commits to the seed {one.seed[:16]}…, the bundle to {bundle.commitment[:16]}…"
    if one.nonces and dict(one.nonces) != bundle.nonces:
        yield "the nonces of the email differ from those of the bundle"
    n, epoch, head = one.head
    if _live(n, epoch, bundle):
        has = _hash(n, bundle)
        if has != head:
            yield f"head {n}: the email has {head}, the bundle {has or 'has no such move'}"
    for seat, after, begins in one.seen:
        if _live(after, epoch, bundle) and not _hash(after, bundle).startswith(begins):
            yield f"{seat} has seen move {after} with head {begins}, which is not on the bundle's chain"
    rolls = {(roll.draw, roll.n): (roll.sides, list(roll.dice)) for roll in bundle.rolls}
    for draw, after, when, sides, faces in one.dice:
        if _live(after + 1, when, bundle) and rolls.get((draw, after)) != (sides, faces):
            yield f"draw {draw} after move {after}: the email has {faces}, the bundle {rolls.get((draw, after))}"
    yield from _answers(one, bundle)


def _live(n: int, epoch: int, bundle: Bundle) -> bool:
    """Return whether move `n` of that epoch is on the current branch: a later rewind may have removed it."""
    return all(n <= int(rewind["n"]) for rewind in bundle.rewinds if int(rewind["epoch"]) > epoch)


def _hash(n: int, bundle: Bundle) -> str:
    if n == 0:
        return genesis(bundle)
    return bundle.links[n - 1].hash if n <= len(bundle.links) else ""


def _answers(one: QuotedProof, bundle: Bundle) -> Iterator[str]:
    links = {(link.seat, link.q): link for link in bundle.links if link.commitment}
    epoch = one.head[1]
    for q, mark in one.mine:
        link = links.get((one.seat, q))
        later = [other for other in bundle.links if other.q > q]
        if link is None or not _live(link.n, epoch, bundle):
            continue
        closed = link.n <= one.head[0]  # a sealed answer may have been replaced before its question closed
        if later and closed and of_answer(one.seat, q, link.answer) != mark:
            yield f"your answer to question {q} differs from the one in your email"
    for seat, q, when, sealed in one.sealed:
        link = links.get((seat, q))
        if link is None or not _live(link.n, when, bundle) or not bundle.seed:
            continue
        if chain.sealed_before(bytes.fromhex(bundle.seed), seat, q, when, link.answer) != sealed:
            yield f"{seat}'s answer to question {q} differs from the one that was committed to"
