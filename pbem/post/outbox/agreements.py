"""The register of agreements that do not bind: proposed, countersigned and archived by press.

A press message whose first line is `agreement:` proposes what follows, a clause a line, to those it is sent to. Press
that begins `sign ID`, `decline ID` or `withdraw ID` answers it. Whoever repeats the clauses when he signs must repeat
them as they are. What the rules make binding is the game's own business (`propose`, `accept` in a negotiation).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from pbem.patterns import pattern
from pbem.save import Agreement, Press, Save

_PROPOSE = pattern(r"(?:agreement|約束)\s*[::]\s*(.*)", re.IGNORECASE)
_ANSWER = pattern(r"(sign|decline|withdraw|署名|拒否|撤回)\s+([\w.-]{1,80})\s*$", re.IGNORECASE)
_WORDS = {"署名": "sign", "拒否": "decline", "撤回": "withdraw"}
_MOST = 40
"""Agreements that a seat may propose in a game. Counted by seat: nobody learns how many there are between others."""


class AgreementNews(msgspec.Struct, frozen=True):
    """Something to tell a seat: message key of the post, the agreement."""

    seat: str
    key: str
    id: str


def take(save: Save, press: Press) -> list[AgreementNews]:
    """Enter a message into the register, if it says something to it; returns who is to be told what."""
    first, _, rest = press.text.strip().partition("\n")
    if match := _PROPOSE.fullmatch(first.strip()):
        return _propose(save, press, "\n".join(part for part in (match[1].strip(), rest.strip("\n")) if part))
    if match := _ANSWER.fullmatch(first.strip()):
        word = match[1].casefold()
        return _answer(save, press, _WORDS.get(word, word), match[2], rest)
    return []


def _propose(save: Save, press: Press, text: str) -> list[AgreementNews]:
    others = [
        seat.id for seat in save.seats if seat.id != press.seat and (not press.to or seat.id in press.to)
    ]
    mine = sum(agreement.seat == press.seat for agreement in save.agreements)
    if not text.strip() or not others or mine >= _MOST:
        return [AgreementNews(press.seat, "agreement.none", "")]
    # Numbered per group of parties, so that the number says nothing of agreements between others.
    group = "-".join([press.seat, *others])
    count = sum(agreement.id.rpartition("-")[0] == group for agreement in save.agreements) + 1
    ident = f"{group}-{count}"
    signed = {press.seat: press.at}
    save.agreements.append(Agreement(ident, press.seat, others, text.strip(), press.at, signed))
    return [
        AgreementNews(press.seat, "agreement.proposed", ident),
        *(AgreementNews(seat, "agreement.offered", ident) for seat in others),
    ]


def _answer(save: Save, press: Press, word: str, ident: str, rest: str) -> list[AgreementNews]:
    found = next(
        (agreement for agreement in save.agreements if agreement.id.casefold() == ident.casefold()), None
    )
    parties = [found.seat, *found.to] if found is not None else []
    if found is None or press.seat not in parties:
        return [AgreementNews(press.seat, "agreement.unknown", ident[:80])]
    if found.withdrawn or (signed_by_all(found) and word != "withdraw"):
        return [AgreementNews(press.seat, "agreement.closed", found.id)]
    if word == "sign":
        if rest.strip() and _plain(rest) != _plain(found.text):
            return [AgreementNews(seat, "agreement.changed", found.id) for seat in parties]
        found.signed = {**found.signed, press.seat: press.at}
        key = "agreement.kept" if signed_by_all(found) else "agreement.signed"
        return [AgreementNews(seat, key, found.id) for seat in parties]
    found.withdrawn = press.seat
    return [AgreementNews(seat, "agreement.withdrawn", found.id) for seat in parties]


def signed_by_all(one: Agreement) -> bool:
    """Whether all parties have signed."""
    return set(one.signed) >= {one.seat, *one.to}


def of_seat(save: Save, seat: str) -> Iterator[Agreement]:
    """The agreements that a seat is a party to and that were not withdrawn."""
    for agreement in save.agreements:
        if seat in (agreement.seat, *agreement.to) and not agreement.withdrawn:
            yield agreement


def _plain(text: str) -> str:
    """A text as it is compared: line by line, without blanks at the ends and marks of quotation."""
    return "\n".join(line.strip(" |>\t") for line in text.strip().splitlines() if line.strip(" |>\t"))
