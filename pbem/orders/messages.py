"""English texts of everything this room says, by message key; `pbem.report` has them in each reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.kernel.problems import ENGLISH as KERNEL
from pbem.kernel.problems import Problem

ENGLISH: dict[str, str] = {
    # Why a whole block is not executed.
    "block.header": "the first line must read: BEGIN ORDERS <game> <seat> <code>",
    "block.no_end": "END ORDERS is missing, and more text follows: I cannot tell where your orders end",
    "block.cut": "the letter was cut off on its way before END ORDERS: nothing was done; please send it again",
    "block.too_many_lines": "more than {most} lines in one block",
    "block.repeated": "a second block for {seat}: only the first one in a letter counts",
    "block.form": "the reply form came back unchanged beside your own block: it is not executed",
    "block.unchanged": "the reply form came back unchanged below other text: it is not taken for an answer",
    "block.wrong_game": "this block is for '{word}', but this is {game}",
    "block.wrong_seat": "this block is for '{word}', but the letter comes from another seat",
    "block.unknown_seat": "there is no seat '{word}' in this game",
    "block.no_code": "the code is missing from the first line of the block",
    "block.stale": "the code does not belong to what is open now: nothing was done",
    "block.over": "the game is over",
    # What is said of a whole letter.
    "letter.too_long": "longer than {most} characters: not read at all",
    "letter.too_many_blocks": "more than {most} blocks in one letter: the rest is not read",
    "letter.quoted": "quoted orders (lines beginning with >) are not executed",
    "letter.no_end": "END ORDERS is missing: read up to here, because only a signature follows",
    # Why a line is refused.
    "orders.too_long": "longer than {most} characters",
    "orders.broken": "this may be one line that a mail program has broken in two: end it with a backslash (\\), or "
    "begin the next line with the number or kind of its question",
    "orders.behind": "it stands behind a line that was refused: send it again if you still want it",
    "orders.late": "the code is that of an older question: it carries press and settings, but no answers; answer our "
    "latest email",
    "orders.quoted": "a quoted line is not executed",
    "orders.empty": "the answer is missing",
    "orders.no_end": "without END ORDERS only lines that begin with a question's number or kind are taken",
    "orders.extra": "'{word}' is not understood beside the answer",
    "orders.contradiction": "lines {lines} answer the same question {q} differently: none of them is taken",
    "talk.unread": "you had not been told of {ids} yet: read it, then write 'done' again",
    "orders.after_done": "'done' must be your last act: write what comes before it above it",
    "orders.kind": "this game has no questions of kind '{word}'",
    "orders.no_outcome": "nothing comes to '{word}' in this game",
    "orders.branch_first": "'if {word}:' depends on the line above it, and there is none in this letter",
    "orders.branch": "'{line}' does not come to '{word}'",
    "orders.condition": "'{word}' is not a condition: write key=value, key!=value, key>=number",
    "orders.until": "the game's clock has no '{word}'",
    "orders.syntax": "not understood; write: {syntax}",
    "orders.no_standing": "you have no standing answer of that kind",
    "orders.too_many": "at most {most} of these at a time",
    "orders.nothing_held": "none of your lines is held",
    "orders.nothing_to_clear": "there is nothing of yours to clear",
    # Why an answer in a reply is not taken.
    "reply.prose": "not taken yet: beside '{answer}' stands text that I cannot read: '{text}'. If '{answer}' is your "
    "answer, reply with just that, without the other text",
    "reply.differ": "your letter says two things: '{first}' and '{second}'. None of them is taken: reply with "
    "one of them",
    "reply.none": "there is no answer in this letter: '{text}'",
    "reply.silent": "nothing is written in this letter: the form holds no answer",
    "reply.same_number": "two games in this letter ask a question {q}: answer each in a letter of its own",
    "press.recipients": "say to whom: BEGIN PRESS to=seat,seat (or to=all)",
    "press.no_end": "END PRESS is missing: this press was not sent",
    "press.too_long": "longer than {most} characters: this press was not sent",
    "press.day": "more than {messages} messages or {characters} characters to {to} in 24 hours: not sent",
    "press.not_now": "private talk is not allowed now; to=all is",
    "press.stray_end": "END PRESS without BEGIN PRESS",
    "press.empty": "there is nothing in it",
    # What became of an accepted line.
    "fate.answered": "taken as your answer to question {q}",
    "fate.sealed": "sealed until question {q} closes; a new letter replaces it until then",
    "fate.counted": "your answer to question {q}, which is closed now",
    "fate.superseded": "no longer in force: a later letter of yours changed it",
    "fate.stale": "not used: its question is over",
    "fate.acted": "done at the table",
    "fate.moot": "not needed any more: the negotiation is closed",
    "fate.waiting": "waits for its question",
    "fate.used": "its question came and it was used",
    "fate.skipped": "not used: it did not come to this",
    "fate.spared": "not needed: nothing else was possible, so this was not asked",
    "fate.held": "held, because something happened that you could not know; 'resume' lets it go on",
    "fate.changed": "held, because what it names has changed since you wrote; 'resume' lets it go on",
    "fate.stopped": "held by your own 'stop if'; 'resume' lets it go on",
    "fate.behind": "not done: it stands behind a line that was refused",
    "fate.checked": "legal as far as can be said; nothing was done",
    "fate.unsure": "well-formed; whether it is legal only the moderator's program can say",
    "fate.standing": "in force as a standing answer",
    "fate.asking": "noted",
    "fate.cancelled": "{count} standing answers ended",
    "fate.stop": "noted: it may hold the lines that follow",
    "fate.bold": "noted: the lines that follow play on past surprises",
    "fate.resumed": "{count} held lines go on",
    "fate.cleared": "{count} lines taken back",
    "fate.voided": "taken back by 'clear' below it",
    "fate.test": "a test: nothing in this block was carried out",
    "fate.press": "to be sent",
    "fate.wish": "as you wish",
    # Remarks.
    "note.copy": "what is quoted was taken for the letter that you answer, unchanged",
    "note.stands": "what you had sent for question {q} stands: {text}",
}


def say(key: str, args: Mapping[str, Any]) -> str:
    """The English sentence of a message key, its gaps filled from `args` (a gap without argument stays visible)."""
    text = ENGLISH.get(key) or KERNEL.get(key, key)
    return text.format_map(_Gaps(args))


def explain(problem: Problem) -> str:
    """A problem as an English sentence with its rule and the legal words nearest to what was written."""
    text = say(problem.key, problem.args)
    if problem.near:
        text += f" (legal: {', '.join(problem.near)})"
    return f"{text} [{problem.rule}]" if problem.rule else text


class _Gaps(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"
