"""What a block would do, without executing it: for `test`, and for the offline check of a player file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.kernel.domains import AnyText, Domain, Form, Menu, Optional, Reply, Series, Value
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.kernel.standing_orders import shown_kind
from pbem.orders.classify import BEHIND, AnswerLine, Classified
from pbem.orders.context import Context, SeatQuestion, answer_line
from pbem.orders.suggestions import help_with
from pbem.orders.syntax_tree import CancelOrder

CHECKED, UNSURE = "checked", "unsure"


def preview(out: Classified, context: Context) -> None:
    """Add to `out` what can be said of each sorted line, without executing any."""
    question = context.question
    failed = False
    if question is not None and out.targets:
        failed = _acts(out, context, question) if question.talk else _answer(out, context, question)
    for line in out.waiting:
        if failed or line.held == BEHIND:
            out.turn_down(line.item, RejectionReason("orders.behind"))
        else:
            out.take(line.item, line.held or "waiting", line.canonical())
    for item, setting in out.settings:
        if isinstance(setting, CancelOrder) and not _is_standing_kind(setting.kind, context):
            near = tuple(sorted(map(shown_kind, context.standing)))
            out.turn_down(item, RejectionReason("orders.no_standing", {}, "", near))
        else:
            out.take(item, CHECKED, str(setting))
    for command in (out.clear, out.resume):
        if command is not None:
            out.take(command, BEHIND if failed and command is out.resume else CHECKED)


def _is_standing_kind(kind: str, context: Context) -> bool:
    return kind in context.standing if kind else bool(context.standing)


def _answer(out: Classified, context: Context, question: SeatQuestion) -> bool:
    """Check the lines for an `Ask` or a sealed question; return whether they are rejected."""
    good: list[tuple[AnswerLine, Value]] = []
    failed = False
    for line in out.targets:
        try:
            good.append((line, question.domain.parse(line.item.body, context.names)))
        except Rejection as refused:
            _refuse(out, context, question, line, refused.problem)
            failed = True
    clash = failed or any(value != good[0][1] for _, value in good[1:])
    for line, value in good:
        if clash:
            _refuse(out, context, question, line, contradiction(question, out.targets))
        else:
            _take(out, question, line, value)
    return clash


def contradiction(question: SeatQuestion, lines: Sequence[AnswerLine]) -> RejectionReason:
    """Return why answers to the same question that differ are rejected."""
    numbers = ", ".join(str(line.item.line) for line in lines)
    return RejectionReason("orders.contradiction", {"lines": numbers, "q": question.q}, question.rule)


def _acts(out: Classified, context: Context, question: SeatQuestion) -> bool:
    """Check the acts of a negotiation; those that depend on an earlier act are marked unsure."""
    failed = False
    for index, line in enumerate(out.targets):
        if failed:
            out.turn_down(line.item, RejectionReason("orders.behind"))
            continue
        try:
            _take(out, question, line, question.domain.parse(line.item.body, context.names))
        except Rejection as refused:
            if index:
                out.take(line.item, UNSURE, line.canonical())
            else:
                _refuse(out, context, question, line, refused.problem)
                failed = True
    return failed


def _take(out: Classified, question: SeatQuestion, line: AnswerLine, value: Value) -> None:
    text = answer_line(question.q, question.domain.text(value))
    fate = CHECKED if is_fully_checked(question.domain, value) else UNSURE
    out.take(line.item, fate, text, q=question.q)


def _refuse(
    out: Classified, context: Context, question: SeatQuestion, line: AnswerLine, problem: RejectionReason
) -> None:
    before = len(out.refused)
    out.turn_down(line.item, *help_with(question, line.item.body, problem, context.names, before))


def is_fully_checked(domain: Domain, value: Value) -> bool:
    """Return whether all parts of an accepted value were checked, none by an incomplete description."""
    match domain:
        case AnyText():
            return False
        case Optional():
            return is_fully_checked(domain.domain, value)
        case Form():
            return _sure_form(domain, value)
        case Series():
            items = ((domain.item(value[:index]), item) for index, item in enumerate(value))
            return all(part is not None and is_fully_checked(part, item) for part, item in items)
        case Menu():
            return _sure_menu(domain, value)
        case Reply():
            steps = value["plan"] if isinstance(value, dict) and "plan" in value else [{"answer": value}]
            return all(is_fully_checked(domain.inner, step["answer"]) for step in steps)
    return True


def _sure_form(domain: Form, value: Mapping[str, Any]) -> bool:
    before: dict[str, Any] = {}
    for name in domain.fields:
        part = domain.field(name, before)
        if isinstance(part, AnyText):
            return False
        if name in value:
            if part is not None and not is_fully_checked(part, value[name]):
                return False
            before[name] = value[name]
    return True


def _sure_menu(domain: Menu, value: Value) -> bool:
    if isinstance(value, str):
        return True
    part = domain.entry(value["do"])
    if part is None:
        return True
    inner = {name: item for name, item in value.items() if name != "do"}
    return is_fully_checked(part, inner if isinstance(part, Form) else inner["with"])
