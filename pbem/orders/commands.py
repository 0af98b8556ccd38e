"""Carries out the commands of a block: `standing`, `ask`, `cancel` and `clear`."""

from __future__ import annotations

from msgspec.structs import replace

from pbem.kernel.problems import Problem
from pbem.kernel.referee import CHOSEN, QUEUED, Referee
from pbem.kernel.standing import AskMe, Standing, shown_kind
from pbem.orders.classify import Classified
from pbem.orders.context import Context, answer_line
from pbem.orders.in_force import drop
from pbem.orders.items import CancelOrder, Item
from pbem.orders.receipt import Receipt
from pbem.orders.seat_queue import SeatQueue

_MOST_STANDING = 60


def carry_out_settings(referee: Referee, seat: str, out: Classified, receipt: Receipt) -> None:
    """Carry out `standing`, `ask` and `cancel`, in order."""
    begun: set[str] = set()
    for item, setting in out.settings:
        match setting:
            case CancelOrder():
                _cancel(referee, seat, out, item, setting)
            case Standing():
                _stand(referee, seat, out, item, setting, receipt, first=setting.kind not in begun)
                begun.add(setting.kind)
            case AskMe():
                same = [
                    ask_me
                    for ask_me in referee.settings
                    if ask_me.seat == seat and ask_me.kind == setting.kind
                ]
                receipt.replaced += [str(ask_me) for ask_me in same]
                drop(referee.settings, same)
                referee.settings.append(setting)
                out.take(item, "asking", str(setting))


def _cancel(referee: Referee, seat: str, out: Classified, item: Item, order: CancelOrder) -> None:
    mine = [standing for standing in referee.standing if standing.seat == seat]
    ended = [standing for standing in mine if order.kind in ("", standing.kind)]
    if not ended:
        near = sorted({shown_kind(standing.kind) for standing in mine})
        out.turn_down(item, Problem("orders.no_standing", {}, "", tuple(near)))
        return
    drop(referee.standing, ended)
    out.take(item, "cancelled", str(order), count=len(ended))


def _stand(
    referee: Referee,
    seat: str,
    out: Classified,
    item: Item,
    standing: Standing,
    receipt: Receipt,
    *,
    first: bool,
) -> None:
    """The standing answers of a letter replace the older ones of their kind; the `first` of a kind does it."""
    mine = [order for order in referee.standing if order.seat == seat]
    if first:
        same = [order for order in mine if order.kind == standing.kind]
        receipt.replaced += [str(order) for order in same]
        drop(referee.standing, same)
    if len(mine) >= _MOST_STANDING:
        out.turn_down(item, Problem("orders.too_many", {"most": _MOST_STANDING}))
        return
    referee.standing.append(standing)
    out.take(item, "standing", str(standing))


def carry_out_clear(
    referee: Referee, context: Context, out: Classified, queue: SeatQueue, receipt: Receipt
) -> Context:
    """Take back the earlier lines and a sealed answer; returns the context without that answer."""
    if out.clear is None:
        return context
    count = len(queue.waiting) + out.voided
    own, question = referee.sealed.get(context.seat), context.question
    if own is not None and own.how in (CHOSEN, QUEUED) and question is not None:
        receipt.replaced.append(answer_line(question.q, question.answer))
        del referee.sealed[context.seat]
        context = replace(context, question=replace(question, answer=""))
        count += 1
    receipt.replaced += queue.drop_earlier()
    queue.earlier = []
    out.take(out.clear, "cleared", count=count)
    return context
