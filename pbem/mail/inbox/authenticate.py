"""`Email → Claim`: an email belongs to a seat by an address on its list *and* a reply code of that seat.

Anybody can write `From:`, so it proves nothing alone. A reply code proves that the writer has one of our emails. A
forger lacks the combination. A failure in our mail host's verdict (RFC 8601) counts too; a pass proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from pbem.kernel.order_words import normalize_word
from pbem.mail.inbox.mime import DEFAULT_LIMITS as LARGEST
from pbem.mail.inbox.parse import game_named
from pbem.mail.inbox.stages import Claim, DecodedEmail, Email
from pbem.mail.outbox.mime_message import games_named
from pbem.mail.save_index import FUTURE, SaveIndex, codes_in_force, confirms, given, has_address, is_secret
from pbem.orders.parser import LIMITS, is_unchanged_form, shortened
from pbem.orders.replies.courtesies import is_courtesy
from pbem.orders.reply_codes import same_code, tags_in
from pbem.orders.syntax_tree import OrderBlock
from pbem.save import Save, SeatInfo

_READ = 20_000
"""Characters that are read of an email from an unknown sender."""

BROKEN = "broken"
"""Reason of a claim on a game whose save can't be read now: it waits, it isn't rejected."""

SUBJECT = "subject"
"""Sign of an automatic email that people write, too: it counts if it has orders with a valid code."""

NOT_OPEN_YET = "early"
"""Reason of a claim that answers a question which isn't open yet."""


def quarantine_reason(email: Email, own: frozenset[str], authserv: str) -> Claim | None:
    """Return why an email is quarantined regardless of its text; None if its order blocks decide."""
    mail = email.mail
    if email.received.kind == "unreadable":
        return Claim(reason="unreadable", detail=email.received.where)
    if email.received.kind == "orders":
        return None
    if mail.automatic and mail.automatic != SUBJECT:
        return Claim(reason="automatic", detail=mail.automatic)
    if mail.sender is None:
        return Claim(reason="bad-sender", detail=", ".join(mail.problems))
    if mail.sender.casefold() in own:
        return Claim(reason="own")
    return unproven(mail, authserv)


def unproven(mail: DecodedEmail, host: str) -> Claim | None:
    """Return why the verdict of our mail host (RFC 8601) quarantines an email; None if it doesn't object.

    Only fields in the name of that host count; the sender may have added others. The worst verdict of each proof
    counts, as a forger may have added a better one in the same name.
    """
    worst: dict[str, int] = {}
    for field in mail.auth_results[:_FIELDS] if host else ():
        name, results = _results(field, (mail.sender or "").rpartition("@")[2])
        if name == host.casefold().rstrip("."):
            for method, rank in results.items():
                worst[method] = min(rank, worst.get(method, _PASS))
    # Without DMARC a forwarder may break either proof; if both are broken, nothing supports the sender.
    broken = worst.get("spf") == _FAIL and worst.get("dkim") != _PASS
    if worst.get("dmarc", _NONE) == _FAIL or (worst.get("dmarc", _NONE) == _NONE and broken):
        return Claim(reason="unproven", detail=f"{host} reports that the sender's domain did not send it")
    return None


_FAIL, _NONE, _PASS = range(3)
_FIELDS = 16
"""Fields that are read: our host puts its own at the top."""


@lru_cache(maxsize=2 * _FIELDS)  # an email may be for many games
def _results(field: str, domain: str) -> tuple[str, dict[str, int]]:
    """Return the host that wrote the field, and its verdict on each proof for a sender of `domain`.

    Of several signatures the best counts, of everything else the worst. A field with unclosed quotes or brackets has
    no passes.
    """
    parts, whole = _words(field)
    host = next((word for word in parts[0] if word), "")
    counts: dict[str, list[int]] = {}
    for part in parts[1:]:
        (method, result), *properties = _pairs(part) or [("", "")]
        method = method.partition("/")[0]
        rank = _FAIL if result == "fail" else _PASS if result == "pass" and whole else _NONE
        if method == "dkim" and rank == _PASS and not _signed_for(dict(properties), domain):
            rank = _NONE
        counts.setdefault(method, []).append(rank)
    worst = {method: (max if method == "dkim" else min)(ranks) for method, ranks in counts.items()}
    return host.casefold().rstrip("."), worst


def verdicts_in(field: str, domain: str) -> tuple[str, dict[str, str]]:
    """Return whose field of verdicts it is, and `fail`, `none` or `pass` for each proof of a sender of `domain`."""
    host, ranks = _results(field, domain)
    return host, {method: ("fail", "none", "pass")[rank] for method, rank in ranks.items()}


def _words(field: str) -> tuple[list[list[str]], bool]:
    """Split a field at semicolons into words, with "" for each `=`; also return whether all brackets are closed.

    Nested comments are left out and quotes undone. If something isn't closed, all is read again without quotes and
    brackets.
    """
    parts: list[list[str]] = [[]]
    word, depth, quoted, escaped = "", 0, False, False
    for sign in f"{field} ":
        inside = quoted or depth > 0
        if inside and (escaped or sign == "\\"):
            word += sign if escaped and quoted else ""
            escaped = not escaped
        elif sign == '"' and not depth:
            quoted = not quoted
        elif quoted or not (inside or sign in "(;=" or sign.isspace()):
            word += sign
        else:
            depth = max(depth + (sign == "(") - (sign == ")"), 0)
            parts[-1] += [word] if word else []
            word = ""
            if sign == ";" and not inside:
                parts.append([])
            elif sign == "=" and not inside:
                parts[-1].append("")
    if inside:
        return _words("".join(" " if sign in '()"\\' else sign for sign in field))[0], False
    return parts, True


def _pairs(part: Sequence[str]) -> list[tuple[str, str]]:
    """Return the names and values of a part: the method with its result, then the properties."""
    found, name = [], ""
    for before, word in pairwise(["-", *part]):
        if word and not before:
            found.append((name.casefold(), word.casefold()))
            name = ""
        else:
            name += word
    return found


def _signed_for(properties: Mapping[str, str], domain: str) -> bool:
    """Return whether a valid signature is by the sender's domain, or one above or below it (RFC 7489, 3.1.1).

    If the host doesn't name the signer, its verdict is accepted.
    """
    signer = properties.get("header.d") or properties.get("header.i", "").rpartition("@")[2]
    long, short = sorted((domain.casefold(), signer.rstrip(".")), key=len, reverse=True)
    return not short or long == short or ("." in short and long.endswith(f".{short}"))


def claims_of(email: Email, index: SaveIndex, game: str) -> list[Claim]:
    """Return a claim for each order block of an email, or one for an email without any; `game` is the default."""
    claims = _claims_of(email, index, game)
    if not index.blind or email.received.kind == "orders":
        return claims
    return [_waiting(None) if claim.reason and claim.block is None else claim for claim in claims]


def _waiting(block: OrderBlock | None) -> Claim:
    return Claim(block=block, reason=BROKEN, detail="a save here can't be read, and the email may be for its game")


def _claims_of(email: Email, index: SaveIndex, game: str) -> list[Claim]:
    if email.received.kind == "orders":
        if strange := _of_others(email, game):
            return [msgspec.structs.replace(strange, block=block) for block in email.blocks]
        return [_of_file(block, email, index) for block in email.blocks] or [
            Claim(reason="no-orders", detail=email.nothing)
        ]
    if email.vouched:
        return [Claim(block=block, seat=normalize_word(block.seat), by_secret=True) for block in email.blocks]
    save = index.headers.get(game)
    if save is not None and (doubted := unproven(email.mail, save.post.trusted)):
        return [msgspec.structs.replace(doubted, block=email.blocks[0] if email.blocks else None)]
    claims = [_of_block(email.mail, block, index, game) for block in email.blocks]
    claims = claims or [_of_nothing(email.mail, index, game)]
    return [_if_written(claim) for claim in claims] if email.mail.automatic == SUBJECT else claims


def _if_written(claim: Claim) -> Claim:
    """Return the claim if a person wrote the block of an automatic-looking email; a program copies our form."""
    block = claim.block
    written = block is not None and bool(block.items) and block.problem is None and not is_unchanged_form(block)
    if claim.reason == BROKEN or (written and claim.reason in ("", NOT_OPEN_YET)):
        return claim
    return Claim(block=block, reason="automatic", detail=SUBJECT)


def _of_others(email: Email, game: str) -> Claim | None:
    """Return why all of what came from the live table is rejected: a block of it names another seat or game."""
    screen = normalize_word(email.received.seat)
    for block in email.blocks if email.received.table else ():
        if (normalize_word(block.game), normalize_word(block.seat)) != (game, screen):
            why = f"it holds a block for {block.game} {block.seat}: this screen is that of {screen}"
            return Claim(reason="wrong-seat", detail=why)
    return None


def _of_file(block: OrderBlock, email: Email, index: SaveIndex) -> Claim:
    """Return the claim of a file: only the moderator puts files here, so a block needs no code; a stale one bounces.

    A screen acts for its own seat alone. A file with a code comes from a player: its blocks without a code are
    nobody's.
    """
    if index.is_broken(block.game):
        return _waiting(block)
    save = index.find(block.game)
    if save is None:
        known = ", ".join(save.header.name for save in index.headers.values()) or "none"
        return Claim(block=block, reason="unknown-game", detail=f"'{block.game}' isn't a game here; games: {known}")
    screen = normalize_word(email.received.seat)
    if email.coded and not (screen or block.code):
        why = "other order blocks of this file have reply codes: add one to this block, or remove all of them"
        return Claim(block=block, reason="no-code", detail=why)
    named = next((seat for seat in save.seats if normalize_word(seat.id) == normalize_word(block.seat)), None)
    if block.code and not screen and named is not None and not _holds(save, named, block.code):
        return Claim(block=block, reason="wrong-code", detail=f"its reply code isn't one of {named.id}'s")
    secret = named is not None and is_secret(named, block.code)
    return Claim(block=block, seat=screen, by_secret=secret or not (screen or block.code))


def _of_nothing(mail: DecodedEmail, index: SaveIndex, game: str) -> Claim:
    tell = _writer(mail, index, game)
    if not tell:
        ours = [tag.game for tag in tags_in(mail.text[:_READ]) if index.find(tag.game) is not None]
        detail = f"and quotes an email of {ours[0]}" if ours else "and has no orders"
        return Claim(reason="unknown-sender", detail=detail)
    answers = games_named(tuple(filter(None, (mail.in_reply_to, *mail.references))))
    if answers and all(index.find(name) is None for name, _ in answers):
        tell = ()  # it answers an email of another folder that reads the same mailbox
    reason, detail = unread_of(mail)
    if reason == "no-orders" and (names := _games_to_name(mail, index, game, tell)):
        reason, detail = "no-game", names
    lines = map(str.strip, mail.text[:_READ].split("\n")) if reason == "no-orders" else ()
    own = (line for line in lines if not (line.startswith((">", "|", "--")) or is_courtesy(line)))
    return Claim(reason=reason, detail=detail, tell=tell, said=shortened(next(own, "")))


def _games_to_name(mail: DecodedEmail, index: SaveIndex, game: str, tell: Sequence[str]) -> str:
    """Return the games of an email's writer if it names none of several: only those of the seat in `tell`."""
    if game_named(mail, index) is not None or not tell:
        return ""
    reader = index.headers[game].seat(tell[0]).addresses[0].casefold()
    mine = index.seats_of(mail.sender or "", mail.at)
    own = (save.header.name for save, seat in mine if reader in map(str.casefold, seat.addresses))
    names = list(dict.fromkeys(own))
    return ", ".join(names) if len(names) > 1 else ""


def unread_of(mail: DecodedEmail) -> tuple[str, str]:
    """Return why no answer was found in an email, and which text of it wasn't read."""
    if "too_large" in mail.problems:
        return ("too-long", f"{LARGEST.size >> 20} MB" if mail.size > LARGEST.size else f"{LARGEST.text >> 20} MB")
    if "too_long" in mail.problems:
        long = len(mail.text) <= LIMITS.email
        return "too-long", f"{LIMITS.rows:,} lines" if long else f"{LIMITS.email:,} characters"
    if "dear_page" in mail.problems:
        return "too-long", "HTML"
    if "html_only" in mail.problems:
        return "html-only", ""
    if "encrypted" in mail.problems:
        return "undecodable", "encrypted"
    if "no_text" in mail.problems:
        return "no-text", ", ".join(mail.ignored[:4])
    return "no-orders", ""


def _of_block(mail: DecodedEmail, block: OrderBlock, index: SaveIndex, game: str) -> Claim:
    """Return the claim of a block: its code decides between seats of one address and must fit the named seat."""
    if index.is_broken(block.game):
        return _waiting(block)
    save = index.find(block.game)
    if save is None:
        tell = _writer(mail, index, game)
        reason = "unknown-game" if tell else "unknown-sender"
        tell = () if _is_elsewhere(mail, block, index) else tell
        return Claim(block=block, reason=reason, detail=f"it says '{block.game}'", tell=tell)
    named = next((seat for seat in save.seats if normalize_word(seat.id) == normalize_word(block.seat)), None)
    own = [seat for seat in save.seats if has_address(seat, mail.sender or "", mail.at)]
    if named is not None and named in own:
        return _of_code(save, named, block)
    if named is not None and confirms(named, mail.sender or "", block.code, mail.at):
        return Claim(block=block, seat=named.id, by_secret=True)
    # A valid code in the wrong hands: its seat gets a new one. Else nobody is notified: names are easy to guess.
    robbed = named.id if named is not None and _is_in_force(save, named, block.code) else ""
    coded = named is not None and _holds(save, named, block.code)
    claim = Claim(block=block, detail=f"for {named.id if named else block.seat}", robbed=robbed, coded=coded)
    if not own:
        return msgspec.structs.replace(claim, reason="unknown-sender")
    if named is not None:
        return msgspec.structs.replace(claim, reason="wrong-seat", tell=(own[0].id,))
    by_code = next((seat for seat in own if _holds(save, seat, block.code)), None)
    if by_code is None:
        return Claim(block=block, reason="unknown-seat", detail=f"it says '{block.seat}'", tell=(own[0].id,))
    return _of_code(save, by_code, block)


def _is_elsewhere(mail: DecodedEmail, block: OrderBlock, index: SaveIndex) -> bool:
    """Return whether a block is for another folder: it has a code that no seat of its writer here was ever given."""
    mine = index.seats_of(mail.sender or "")
    return bool(block.code) and not any(_holds(save, seat, block.code) for save, seat in mine)


def _of_code(save: Save, seat: SeatInfo, block: OrderBlock) -> Claim:
    if not block.code:
        return Claim(block=block, reason="no-code", tell=(seat.id,))
    if is_secret(seat, block.code):
        return Claim(block=block, seat=seat.id, by_secret=True)
    when, *_ = given(save, seat, block.code)
    if not when:
        return Claim(block=block, reason="wrong-code", tell=(seat.id,))
    if when == FUTURE:
        return Claim(block=block, reason=NOT_OPEN_YET, tell=(seat.id,), coded=True)
    return Claim(block=block, seat=seat.id)


def _is_in_force(save: Save, seat: SeatInfo, code: str) -> bool:
    return is_secret(seat, code) or same_code(code, codes_in_force(save, seat.id))


def _holds(save: Save, seat: SeatInfo, code: str) -> bool:
    return bool(code) and (is_secret(seat, code) or given(save, seat, code)[0] != "")


def _writer(mail: DecodedEmail, index: SaveIndex, game: str) -> tuple[str, ...]:
    save = index.headers.get(game)
    return tuple(seat.id for seat in (save.seats if save else ()) if has_address(seat, mail.sender or "", mail.at))[:1]
