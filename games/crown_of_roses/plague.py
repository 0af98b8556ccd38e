"""Plague (14.1.2): the outbreak and the shires around it lose steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from games.crown_of_roses.blocks import from_most, lose_step
from games.crown_of_roses.draw import take_top
from games.crown_of_roses.events.common import drop_off
from games.crown_of_roses.query import blocks_in, owners
from games.crown_of_roses.refusals import bar_own, block_meant
from games.crown_of_roses.state import ActionStep
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form, Series
from pbem.kernel.game import Play, Rule
from pbem.kernel.joint_questions import asks_together
from pbem.kernel.questions import REACTION, Ask, AskAll
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("14.1.2", "Plague", "plague.py")

_plague = KIT.question("plague", "14.1.2", REACTION)


def struck(table: Table, origin: str) -> dict[str, int]:
    """Return steps lost by shire: the outbreak and London their value, neighbours one less, at least 1 (14.1.2)."""
    c = table.c
    found = {origin: c.shires[origin].sv}
    for other, kind in c.borders[origin].items():
        if kind != "wash":
            sv = c.shires[other].sv
            found[other] = sv if other == "london" else max(1, sv - 1)
    return found


def losses(table: Table, house: str, shire: str, steps: int, rule: str = "14.1.2") -> Series[str]:
    """Return which blocks lose a step, one by one; one that loses a step at home strength is gone."""
    state = table.state
    here = blocks_in(state, shire, house)
    total = sum(state.blocks[key].steps for key in here)
    count = min(steps, total)

    def following(so_far: Sequence[str]) -> Choice[str]:
        return Choice([key for key in here if so_far.count(key) < state.blocks[key].steps], "block")

    def why(so_far: Sequence[str], word: str) -> RejectionReason | None:
        key = block_meant(table, word)
        if key in here and so_far.count(key) < state.blocks[key].steps:
            return None
        return bar_own(table, house, shire, rule, word) or (because("no_step_left", rule, block=key) if key else None)

    return Series(following, count, count, "blocks", why)


@KIT.entry("event", "plague_60")
@KIT.entry("event", "plague_61")
@KIT.entry("event", "plague_62")
def plague(table: Table, house: str, card: str) -> Play:
    """Draw the outbreak, take the losses, devastate the shire (14.1.2); 2 OPS follow."""
    state = table.state
    drawn = take_top(table)
    state.step = ActionStep(house, card, table.c.cards[card].ops)
    if not drawn:
        return
    state.discards.append(drawn)
    origin = table.c.cards[drawn].plague
    table.log("plague.breaks_out", rule="14.1.2", house=house, card=drawn, place=origin, reveals=True)
    together = asks_together(table)
    said = (yield from _gather(table, origin)) if together else {}
    for shire, steps in struck(table, origin).items():
        answers = _as_said(table, shire, steps, said) if together else (yield from _in_turn(table, shire, steps))
        _suffer(table, shire, answers)
    state.marks[origin] = "devastated"
    table.log("plague.devastated", rule="14.1.2", place=origin)


Said = dict[str, dict[str, list[str]]]
"""House → shire → what it loses there, as said beforehand."""


def _gather(table: Table, origin: str) -> Rule[Said]:
    """Ask all houses of all shires that are struck at once, sealed."""
    suffering: dict[str, dict[str, int]] = {}
    for shire, steps in struck(table, origin).items():
        for house in owners(table.state, shire):
            suffering.setdefault(house, {})[shire] = steps
    asks: dict[str, Ask[dict[str, list[str]]]] = {}
    for house, shires in suffering.items():
        domain, default = (partial(_everywhere, table, house, shires), partial(_strongest, table, house, shires))
        asks[house] = _plague(house, domain, default, place=origin)
        asks[house].prompt = "ask.plague_everywhere"
    return (yield from AskAll(asks)) if asks else {}


def _everywhere(table: Table, house: str, shires: dict[str, int]) -> Form[dict[str, list[str]]]:
    return Form({shire: losses(table, house, shire, steps) for shire, steps in shires.items()})


def _strongest(table: Table, house: str, shires: dict[str, int]) -> dict[str, list[str]]:
    return {shire: strongest(table, house, shire, steps) for shire, steps in shires.items()}


def _in_turn(table: Table, shire: str, steps: int) -> Rule[dict[str, list[str]]]:
    """Ask the houses of one shire for their losses at once, sealed."""
    asks = {
        house: _plague(
            house, losses(table, house, shire, steps), strongest(table, house, shire, steps), place=shire, steps=steps
        )
        for house in owners(table.state, shire)
    }
    return (yield from AskAll(asks)) if asks else {}


def _as_said(table: Table, shire: str, steps: int, said: Said) -> dict[str, list[str]]:
    """Return what the houses of one shire have said; the strongest blocks lose where that no longer fits."""
    found: dict[str, list[str]] = {}
    for house in owners(table.state, shire):
        chosen = said.get(house, {}).get(shire, [])
        series = losses(table, house, shire, steps)
        found[house] = chosen if series.accepts(chosen) else strongest(table, house, shire, steps)
    return found


def _suffer(table: Table, shire: str, answers: dict[str, list[str]]) -> None:
    state = table.state
    for house, chosen in answers.items():
        table.log(
            "plague.losses", rule="14.1.2", house=house, place=shire, count=len(chosen),
            private={house: {"blocks": list(chosen)}},
        )  # fmt: skip
        for key in chosen:
            if state.blocks[key].at == shire and lose_step(table, key):
                drop_off(table, key, "14.1.2")


def strongest(table: Table, house: str, place: str, steps: int) -> list[str]:
    """Return the default at the deadline: each time the strongest block loses."""
    state = table.state
    return from_most({key: state.blocks[key].steps for key in blocks_in(state, place, house)}, steps)
