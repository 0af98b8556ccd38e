"""English texts of all messages of this package, by key; `pbem.report` has them in each language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.kernel.rejections import ENGLISH as KERNEL
from pbem.kernel.rejections import RejectionReason

ENGLISH: dict[str, str] = {
    # Why a whole block is not executed.
    "order_block.header": "the first line isn't complete. It has to be: BEGIN ORDERS <game> <seat> <code>",
    "order_block.no_end": "END ORDERS is missing, and more text follows. Write END ORDERS below your orders",
    "order_block.cut": "the email was cut off before END ORDERS, so nothing was done. Please send it again",
    "order_block.too_many_lines": "the order block is too long. Write at most {most} lines",
    "order_block.repeated": "this is a second order block for {seat}. Only the first one in an email counts",
    "order_block.form": "the reply form came back unchanged next to your own order block, so it wasn't executed",
    "order_block.unchanged": "the reply form came back unchanged in the copy of our email, next to other text, "
    "so it doesn't count as your answer. If it is your answer, send it again without any other text",
    "order_block.wrong_game": "this order block is for '{word}', but this game is {game}",
    "order_block.wrong_seat": "this order block is for '{word}', but the email comes from another seat",
    "order_block.unknown_seat": "'{word}' isn't a seat of this game",
    "order_block.no_code": "the reply code is missing from the first line of the order block",
    "order_block.stale": "its reply code doesn't belong to a question that is open now. Use the form of your "
    "newest email",
    "order_block.left": "it changes nothing: you have already left this negotiation",
    "order_block.not_asked": "it changes nothing: no question is open to you",
    "order_block.over": "the game is over",
    # About a whole email.
    "incoming.too_long": "the email is too long, so none of it was read. Write at most {most} characters",
    "incoming.too_many_blocks": "the email has too many order blocks. Only the first {most} were read",
    "incoming.quoted": "quoted orders (lines that begin with >) aren't executed",
    "incoming.no_end": "END ORDERS is missing. All lines above the signature were read",
    # Why a line is rejected.
    "orders.too_long": "the line is too long. Write at most {most} characters",
    "orders.broken": "your mail program may have broken one line in two. If so, end its first part with a "
    "backslash (\\). If not, begin the second line with the number or kind of its question",
    "orders.behind": "not executed, because a line above it was rejected. Send it again if you still want it",
    "orders.late": "you answered an older email. Its reply code is good for press and settings, but not "
    "for answers. Answer our latest email",
    "orders.quoted": "a quoted line isn't executed",
    "orders.empty": "the answer is missing",
    "orders.no_end": "END ORDERS is missing, so a line counts only if it begins with a question's number or kind",
    "orders.extra": "'{word}' isn't a part of your answer. Leave it out",
    "orders.contradiction": "lines {lines} give different answers to question {q}, so none of them counts",
    "negotiation.unread": "the email that you answered did not show you {ids} yet. Read it, then write done again",
    "orders.after_done": "'done' comes before other acts. Write it below them",
    "orders.kind": "'{word}' isn't a kind of question in this game",
    "orders.no_outcome": "'{word}' isn't a result in this game",
    "orders.branch_first": "'if {word}:' depends on the line above it, but this email has no line above it",
    "orders.branch": "'{line}' can't have the result '{word}'",
    "orders.condition": "'{word}' isn't a condition. Write key=value, key!=value or key>=number",
    "orders.until": "'{word}' isn't a time in this game's clock",
    "orders.syntax": "this line can't be read. Write: {syntax}",
    "orders.no_next": "no turn of yours is foreseen now that could be written ahead. Wait for its question",
    "orders.no_standing": "you have no standing order of that kind",
    "orders.too_many": "too many of these. At most {most} are possible at a time",
    # What players ask for themselves.
    "request.no": "this game does not allow that. The moderator has set it so",
    "request.delegate": "only the player of the seat can ask for that",
    "request.date": "'{word}' isn't a day. Write one like 2026-12-24",
    "request.too_soon": "you can be away from a day after your email on. Write a later day",
    "request.too_long": "that is too long: you can be away for {most} days a year, and {left} are left",
    "request.not_away": "you are not registered as away",
    "request.no_deadline": "you are not asked anything that has a deadline",
    "request.hours": "write at least 1 hour",
    "request.timezone": "that time zone is unknown. {why}",
    "request.language": "emails come in English or in Japanese only",
    "request.quiet": "these hours can't be read. Name two of the day, at most 12 hours apart",
    "request.reminders": "these hours can't be read. Write at most four numbers",
    "request.address": "that address can't be used: {why}",
    "request.same_address": "{address} is your address already",
    "request.tries": "you have asked for a new address too often. Wait some days, or ask the moderator",
    "request.code": "this code isn't in force. Write address and the new one to get another",
    "request.no_address": "no new address is waiting, so there is nothing to stop",
    "request.no_vote": "no vote of that number waits for you",
    "request.open_vote": "the others are being asked that already: vote {id}",
    "request.again": "you have asked that in this turn already. Wait for the next one",
    "request.nothing_back": "you have done nothing yet that could be taken back",
    "request.skip_early": "that is possible from {at} on",
    "orders.nothing_held": "nothing to resume: none of your orders is on hold",
    "orders.nothing_to_clear": "nothing to clear: none of your orders is waiting",
    # Why an answer in a reply is not accepted.
    "reply.prose": "nothing was done yet: your reply also says '{text}'. If your answer is '{answer}', "
    "reply with only that",
    "reply.to_player": "nothing was done yet: is '{answer}' your answer to the question, or to a player?",
    "reply.subject": "nothing was done yet: the subject isn't read, and '{answer}' stands only there",
    "reply.unfilled": "nothing was done: there is no answer behind '{q}:'. Write it there",
    "reply.differ": "nothing was done: your email gives two answers, '{first}' and '{second}'. Reply with one of them",
    "reply.none": "no answer was found in your email: '{text}'",
    "reply.silent": "no answer was found in your email: the form came back empty",
    "reply.same_number": "two games in this email ask a question {q}. Answer each in a separate email",
    "press.recipients": "the recipients are missing. Write: BEGIN PRESS to=seat,seat (or to=all)",
    "press.no_end": "END PRESS is missing, so this press was not sent",
    "press.too_long": "this press was not sent: it is longer than {most} characters",
    "press.day": "this press was not sent: it would be more than {messages} messages or {characters} "
    "characters to {to} within 24 hours",
    "press.not_now": "private press isn't allowed now. Press to everybody is (to=all)",
    "press.stray_end": "BEGIN PRESS is missing above this END PRESS",
    "press.empty": "this press has no text",
    # What became of an accepted line.
    "receipt.result.answered": "your answer to question {q}",
    "receipt.result.sealed": "sealed until question {q} closes; a new email replaces it until then",
    "receipt.result.counted": "your answer to question {q}, which is closed now",
    "receipt.result.superseded": "no longer in force: a later email of yours changed it",
    "receipt.result.stale": "not used: its question is closed",
    "receipt.result.acted": "done",
    "receipt.result.moot": "not needed any more: the negotiation is closed",
    "receipt.result.waiting": "waits for its question",
    "receipt.result.used": "used when its question came",
    "receipt.result.skipped": "not used: its condition was not met",
    "receipt.result.held": "on hold, because something happened that you could not know; write resume to continue",
    "receipt.result.changed": "on hold, because what it names has changed since you wrote; write resume to continue",
    "receipt.result.stopped": "on hold because of your stop if; write resume to continue",
    "receipt.result.behind": "not done: a line above it was rejected",
    "receipt.result.checked": "legal as far as can be checked; nothing was done",
    "receipt.result.unsure": "well-formed; whether it is legal can't be checked here",
    "receipt.result.standing": "in force as a standing order",
    "receipt.result.spared": "not needed: only one answer was possible, so you were not asked",
    "receipt.result.asking": "noted",
    "receipt.result.cancelled": "{count} standing orders ended",
    "receipt.result.stop": "noted: it can put the lines that follow on hold",
    "receipt.result.bold": "noted: the lines that follow continue after surprises",
    "receipt.result.resumed": "{count} lines on hold continue",
    "receipt.result.cleared": "{count} lines taken back",
    "receipt.result.voided": "taken back by the clear below it",
    "receipt.result.test": "a test: nothing in this order block was executed",
    "receipt.result.press": "to be sent on",
    "receipt.result.wish": "noted",
    # Remarks.
    "note.copy": "the quoted text was read as the email that you answered, unchanged",
    "note.stands": "your earlier answer to question {q} still counts: {text}",
}


def say(key: str, args: Mapping[str, Any]) -> str:
    """Return the English sentence of a message key, filled from `args`; a gap without argument stays visible."""
    text = ENGLISH.get(key) or KERNEL.get(key, key)
    return text.format_map(_Gaps(args))


def explain(problem: RejectionReason) -> str:
    """Return a problem as an English sentence, with its rule and the closest legal words."""
    text = say(problem.key, problem.args)
    if problem.near:
        text += f" (legal: {', '.join(problem.near)})"
    return f"{text} [{problem.rule}]" if problem.rule else text


class _Gaps(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"
