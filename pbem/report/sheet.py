"""A seat's reaction sheet as order lines: what stands on it, and `pass` for other windows that its cards are for."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.kernel.answers import PASS
from pbem.kernel.referee import Referee
from pbem.kernel.sheets import sheet_kinds
from pbem.kernel.standing import Standing
from pbem.report.catalogue import Catalogue


def sheet_lines(referee: Referee, seat: str) -> Iterator[tuple[str, list[str]]]:
    """Each window with an order line for it, and the cards in hand that can be played in it."""
    kinds = sheet_kinds(referee.game, referee.setup.options)
    if not kinds or seat not in referee.setup.seats:  # the public and the moderator have none
        return
    held = referee.game.sheet(referee.table, seat)
    own = [standing for standing in referee.standing if standing.seat == seat]
    for kind in kinds:
        cards = list(dict.fromkeys(held.get(kind, ())))
        lines = [str(standing) for standing in own if standing.kind == kind]
        if cards and not lines:
            lines = [str(Standing(seat, kind, PASS))]
        for line in lines:
            yield line, cards


def sheet_text(referee: Referee, seat: str, say: Catalogue) -> str:
    """The sheet as a letter tells it: how it is filled in, then the lines, each with the cards it is for."""
    lines = list(sheet_lines(referee, seat))
    if not sheet_kinds(referee.game, referee.setup.options):
        return say.text("sheet.none")
    if not lines:
        return say.text("sheet.empty")
    told = [
        f"{line}    # {say.join([say.typed(card) for card in cards], 'comma')}" if cards else line
        for line, cards in lines
    ]
    return "\n".join([say.text("sheet.how"), "", *(f"/ {line}" for line in told)])
