"""Letters of the campaign's seats, what became of their lines, and the view file a seat checks them with."""

from __future__ import annotations

from typing import Any

from pbem.kernel.domains import Budget
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import lines_of
from pbem.orders.apply import execute_block
from pbem.orders.context import question_of
from pbem.orders.parser import read
from pbem.orders.receipt import Receipt
from pbem.orders.reply_codes import prompt_codes
from tests.toy.game import GAME
from tests.toy.places import NAMES
from tests.toy.state import POWERS

SECRET = b"a secret of the game"


def codes(referee: Referee, seat: str) -> tuple[str, ...]:
    return prompt_codes(SECRET, "toy-1", seat, 0, referee.q, asked=seat in referee.asked())


def send(referee: Referee, seat: str, *lines: str, via: str = "", **keywords: Any) -> Receipt:
    """A letter of `seat` with these lines, under the code in force."""
    code = codes(referee, seat)[0]
    text = "\n".join([f"BEGIN ORDERS toy-1 {seat} {code}", *lines, "END ORDERS"])
    (block,) = read(text).blocks
    via = via or f"<{len(referee.moves)}-{seat}-{hash(lines)}>"
    return execute_block(
        referee, block, game="toy-1", codes=codes(referee, seat), seat=seat, at="t", via=via, **keywords
    )


def taken(referee: Referee, asked: str, text: str, **keywords: Any) -> Receipt:
    """A letter of `asked` with this text, head and all."""
    (block,) = read(text).blocks
    return execute_block(referee, block, **{"game": "toy-1", "codes": codes(referee, asked), "seat": asked, **keywords})


def fates(receipt: Receipt) -> list[tuple[int, str]]:
    """What became of each line that was accepted."""
    return [(accepted.line, accepted.fate) for accepted in receipt.accepted]


def reasons(receipt: Receipt) -> list[tuple[int, str]]:
    """Why each of the others was not."""
    return [(refused.line, refused.problem.key) for refused in receipt.refused]


def view_file(referee: Referee, seat: str) -> dict[str, Any]:
    """The player's view file, with the keys that the offline check reads."""
    question = question_of(referee, seat)
    asked = []
    if question is not None:
        asked.append(
            {
                "q": question.q,
                "seat": seat,
                "kind": question.kind,
                "rule": question.rule,
                "sealed": question.sealed,
                "negotiation": question.talk,
                "answer": question.answer,
                "about": dict(question.about),
                "domain": question.domain.describe(Budget()),
                "default": question.default,
            }
        )
    return {
        "format": 1,
        "game": "toy-1",
        "seat": seat,
        "seats": list(POWERS),
        "code": codes(referee, seat)[0],
        "q": referee.q,
        "over": referee.over,
        "kinds": list(GAME.question_kinds),
        "clock": {fact: value for fact, value in GAME.calendar(referee.table.state).items() if value is not None},
        "private_press": referee.table.state.phase != "ballot",
        "names": NAMES.names,
        "aliases": {key: list(words) for key, words in NAMES.aliases.items()},
        "faces": NAMES.printed,
        "queue": lines_of(seat, referee.queue),
        "standing": lines_of(seat, referee.standing),
        "settings": lines_of(seat, referee.settings),
        "questions": asked,
    }
