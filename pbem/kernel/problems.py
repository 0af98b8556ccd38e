"""What is wrong with an answer, as data: a message key with arguments, the rule, and the nearest legal words.

Problems are rendered in the reader's language by `pbem.report`; `str(problem)` gives the English sentence, so that an
exception is readable on its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec

ENGLISH: dict[str, str] = {
    "answer.missing": "something is missing here: {what}",
    "answer.unknown": "'{word}' is not a word I know here",
    "answer.not_now": "'{word}' is not possible here",
    "answer.ambiguous": "'{word}' could mean more than one thing",
    "answer.surplus": "'{word}' is more than is needed here",
    "answer.not_a_number": "'{word}' is not a whole number",
    "answer.out_of_range": "{value} is not between {least} and {most}",
    "answer.step": "{value} is not one of the steps of {step} from {least}",
    "answer.too_few": "{count} given, at least {least} needed",
    "answer.too_many": "{count} given, at most {most} allowed",
    "answer.twice": "'{word}' is named twice",
    "answer.group": "at most {most} of these together: {members}",
    "answer.need": "at least one of these must be among them",
    "answer.total": "{value} in all, but it must be {least} to {most}",
    "answer.unknown_field": "'{word}' is not a part of this answer",
    "answer.idle_field": "'{word}=' does not go with the rest of this answer",
    "answer.plan": "every answer of a plan but the last needs 'unless' or 'after'",
    "answer.malformed": "this is not an answer of the right kind",
    "answer.too_long": "the text is longer than {most} characters",
    "queue.changed": "changed in public since it was written: {what}",
    "answer.no_question": "there is no question open to you that this could answer",
    "answer.not_asked": "question {q} is not open to you",
    "answer.closed": "question {q} is closed",
    "answer.limit": "you have made {most} proposals here already",
    "talk.nothing_to_propose": "you can propose nothing here",
    "talk.nothing_to_accept": "no proposal waits for your signature",
    "talk.nothing_to_withdraw": "no open proposal bears your signature",
    "talk.withdrawn": "proposal {id} was withdrawn",
    "talk.agreed": "proposal {id} is signed by all already",
    "talk.signed": "you have signed proposal {id} already",
    "talk.unsigned": "you have not signed proposal {id}",
    "talk.others": "you are no party to proposal {id}",
    "fiat.path": "there is no '{path}' in the state",
    "fiat.value": "'{path}' cannot be set to that: {why}",
    "rules.custom": "{text}",
    "rules.placed": "{text}",
}


class Problem(msgspec.Struct, frozen=True):
    """One reason why an answer is refused.

    `key` names the message, `args` fill it, `rule` is the rulebook section, `near` are legal words close to what
    was written, best first.
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

    def beside(self, near: tuple[str, ...]) -> Problem:
        """The same problem with what would be legal, unless it names some already."""
        return self if self.near or not near else msgspec.structs.replace(self, near=near)

    def under(self, rule: str) -> Problem:
        """The same problem citing `rule`, unless it names one already."""
        return self if self.rule or not rule else msgspec.structs.replace(self, rule=rule)


class Refused(ValueError):
    """An answer that cannot be taken; carries the `Problem`."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)  # its words only when somebody reads them
        self.problem = problem


def no(key: str, rule: str, **args: object) -> Problem:
    """Why the rules bar something: a message key of the game after `no.`, the section, and what the message names."""
    return Problem(f"no.{key}", dict(args), rule)


def refuse(key: str, *, rule: str = "", near: Iterable[str] = (), **args: Any) -> Refused:
    """Build (not raise) a `Refused` from its parts."""
    # A word of an order is a str of its own kind, which knows how it was written: problems are plain data.
    plain = {name: str(value) if isinstance(value, str) else value for name, value in args.items()}
    return Refused(Problem(key, plain, rule, tuple(map(str, near))))


def nearest(word: str, words: Iterable[str], most: int = 4) -> tuple[str, ...]:
    """The legal words closest to `word`, best first; if nothing is close, the first few."""
    return _nearest(word, tuple(words), most)


@lru_cache(128)
def _nearest(word: str, pool: tuple[str, ...], most: int) -> tuple[str, ...]:
    """Kept, for the lines of several seats' letters are tried as answers to one question."""
    from difflib import get_close_matches

    close = get_close_matches(word, pool, n=most, cutoff=0.5)
    return tuple(close or pool[: most + 4])


class _Lenient(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"
