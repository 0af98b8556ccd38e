"""The offline check: a move file or letter against a player's own view file, with the referee's verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.orders.apply import finished, remarks
from pbem.orders.canonical import digest
from pbem.orders.classify import classify, gate
from pbem.orders.context import context_from
from pbem.orders.grammar import read
from pbem.orders.receipt import STALE, TRIED, WRONG, Receipt
from pbem.orders.trying import predict


class ViewError(ValueError):
    """The view file lacks something: the message names the key."""


def check(view: Mapping[str, Any], text: str) -> list[Receipt]:
    """Judge every block of `text` as the referee would, as far as the player's own knowledge goes; changes nothing.

    `view` is a view file as read from TOML (keys: docs/orders.md). Lines that are legal as far as can be said come back
    as `checked`; those that only the moderator's program can judge as `unsure`; those for later questions as `waiting`.
    Raises `ViewError`.
    """
    try:
        context = context_from(view)
    except (KeyError, TypeError, AttributeError) as error:
        raise ViewError(f"not a view file, or from another version: {error}") from error
    codes = [view["code"]] if view.get("code") else None
    receipts = []
    for block in read(text).blocks:
        _, problem = gate(
            block, game=context.game, seats=context.seats, names=context.names, codes=codes, seat=context.seat
        )
        receipt = Receipt(
            context.game, context.seat, TRIED, block.line, problem=problem, remarks=remarks(block)
        )
        receipt.open = [context.question.shown()] if context.question is not None else []
        receipts.append(receipt)
        if problem is not None:
            receipt.verdict = STALE if problem.key == "block.stale" else WRONG
            receipt.digest = digest(block)
            continue
        out = classify(block, context)
        predict(out, context)
        finished(receipt, out, block)
    return receipts
