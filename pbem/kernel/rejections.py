"""What is wrong with an answer, as data: a message key with arguments, the rule, and the nearest legal words.

`pbem.report` renders reasons in the reader's language; `str(problem)` is the English sentence, so that an exception
is readable on its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec

ENGLISH: dict[str, str] = {
    "answer.missing": "the answer isn't complete. Missing: {what}",
    "answer.unknown": "'{word}' isn't a possible answer",
    "answer.not_now": "'{word}' isn't possible here",
    "answer.ambiguous": "'{word}' can mean more than one thing. Write more of it",
    "answer.surplus": "'{word}' isn't needed here. Leave it out",
    "answer.not_a_number": "'{word}' isn't a whole number",
    "answer.out_of_range": "'{value}' is out of range. Write a number from {least} to {most}",
    "answer.step": "'{value}' isn't possible. Write {least} plus a multiple of {step}",
    "answer.too_few": "too few: {count}. Write at least {least}",
    "answer.too_many": "too many: {count}. Write at most {most}",
    "answer.twice": "'{word}' is named twice. Name it once",
    "answer.group": "too many of one group. Name at most {most} of these: {members}",
    "answer.need": "a choice is missing. Name at least one of the possible ones",
    "answer.total": "the total is {value}. It has to be from {least} to {most}",
    "answer.unknown_field": "'{word}' isn't a part of this answer",
    "answer.idle_field": "'{word}=' doesn't belong in this answer. Leave it out",
    "answer.plan": "a condition is missing. Each answer but the last needs unless or after",
    "answer.malformed": "this answer has the wrong form",
    "answer.too_long": "the text is too long. Write at most {most} characters",
    "advance.changed": "changed: {what}",
    "answer.no_question": "no open question of yours fits this answer",
    "answer.not_asked": "question {q} isn't open to you",
    "answer.closed": "question {q} is closed",
    "answer.limit": "you have already made {most} proposals here, the maximum",
    "negotiation.nothing_to_propose": "you can't propose anything here",
    "negotiation.nothing_to_accept": "no proposal is waiting for your signature",
    "negotiation.nothing_to_withdraw": "you have signed no open proposal, so there is nothing to withdraw",
    "negotiation.withdrawn": "proposal '{id}' has been withdrawn",
    "negotiation.agreed": "proposal '{id}' is already signed by all",
    "negotiation.signed": "you have already signed proposal '{id}'; it is waiting for the others",
    "negotiation.unsigned": "you have not signed proposal '{id}', so there is nothing to withdraw",
    "negotiation.others": "you are not a party to proposal '{id}'",
    "correction.path": "'{path}' isn't in the state",
    "correction.value": "'{path}' can't have that value: {why}",
    "rules.custom": "{text}",
    "rules.placed": "{text}",
}


class RejectionReason(msgspec.Struct, frozen=True):
    """One reason why an answer is rejected.

    `key` names the message, `args` fill it, `rule` is the rulebook section, `near` are legal words close to what was
    written, best first.
    """

    key: str
    args: dict[str, Any] = {}
    rule: str = ""
    near: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = ENGLISH.get(self.key, self.key).format_map(_Lenient(self.args))
        if self.near:
            text += f" (legal: {', '.join(self.near)})"
        return f"{text} [{self.rule}]" if self.rule else text

    def beside(self, near: tuple[str, ...]) -> RejectionReason:
        """Return the same reason with legal words, unless it has some already."""
        return self if self.near or not near else msgspec.structs.replace(self, near=near)

    def under(self, rule: str) -> RejectionReason:
        """Return the same reason citing `rule`, unless it cites one already."""
        return self if self.rule or not rule else msgspec.structs.replace(self, rule=rule)


class Rejection(ValueError):
    """An answer was rejected; carries the `RejectionReason`."""

    def __init__(self, problem: RejectionReason) -> None:
        super().__init__(problem)  # rendered only when somebody reads it
        self.problem = problem


def because(key: str, rule: str, **args: object) -> RejectionReason:
    """Return why the rules bar something: a message key of the game after `no.`, the section, and its arguments."""
    return RejectionReason(f"no.{key}", dict(args), rule)


def rejection(key: str, *, rule: str = "", near: Iterable[str] = (), **args: Any) -> Rejection:
    """Build (not raise) a `Rejection` from its parts."""
    # Reasons are plain data: an `OrderWord` becomes a plain str.
    plain = {name: str(value) if isinstance(value, str) else value for name, value in args.items()}
    return Rejection(RejectionReason(key, plain, rule, tuple(map(str, near))))


def closest_words(word: str, words: Iterable[str]) -> tuple[str, ...]:
    """Return the legal words closest to `word`, best first; if nothing is close, the first few."""
    return _nearest(word, tuple(words))


@lru_cache(128)
def _nearest(word: str, pool: tuple[str, ...]) -> tuple[str, ...]:
    """Find close words; cached, because lines of several seats are tried as answers to one question."""
    from difflib import get_close_matches

    return tuple(get_close_matches(word, pool, n=4, cutoff=0.5) or pool[:8])


class _Lenient(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"
