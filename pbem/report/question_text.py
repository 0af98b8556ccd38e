"""A question as the short email asks it: what it turns on, and one answer a line with what it means.

Everything follows from the decision (`pbem.report.deciding`). If room is short, what follows from an answer goes
first, then facts; never a price or a chance, and nothing is cut in its middle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pbem.kernel.domains import PASS, EarlyAnswer
from pbem.kernel.questions import Window
from pbem.kernel.referee import PendingQuestion, Referee
from pbem.kernel.standing_orders import Condition, StandingRule
from pbem.lazy_regex import pattern
from pbem.report.answer_faces import capital
from pbem.report.answer_lines import ID, LEAST, MARK, Detail, answers, before_dash, is_whole, named, slots_of, unbroken
from pbem.report.build import current_answer, offers, spaces_around
from pbem.report.deciding import FEW, Decision, decision
from pbem.report.merge_lines import words_in
from pbem.report.messages import Catalogue
from pbem.report.model import SpacesAround
from pbem.report.text_width import COLUMNS, cut, width, wrap

HEAD = 66
"""Cells of a heading that takes two lines on a phone."""
_WORDS = {"en": 96, "ja": 102}
"""Words of a question with its facts and answers, so that the email stays short."""
_PROMPT = 150
"""Cells of a prompt of a kind without a title: as many of its sentences as fit."""
_SENTENCE = pattern(r".+?(?:[.?!](?=\s|$)|[。？！]|$)\s*")
_GRAMMAR = pattern(r"[=`<>\[\]|]|\.\.\.|…")
_LONG = 30
"""Cells of an answer that is hard to read in a list."""


class EmailQuestion(msgspec.Struct, kw_only=True):
    """A question to the reader of an email.

    The decision's title is public and is in the subject, or `kind`, the kind of question, where the title is too
    long. `heading` is the question in at most two lines, `lead` the whole prompt if it says more. `answer` is the
    seat's own so far, `default` counts without an answer ("": the moderator decides), `default_named` is that with
    its name; `silent` is that in words. `laid_out` keeps its lines while the news are fitted in around it.
    `standing` is the order that answers such questions for the rest of the turn. `policies` are those for later
    questions, `policy` says what they do. `around` is where it is, if that is a matter of a few spaces.
    """

    q: int
    decision: Decision
    kind: str
    heading: str
    lead: str = ""
    default: str
    default_named: str = ""
    silent: str
    answer: str
    sealed: bool
    offers: list[str] = []
    standing: str = ""
    policy: str = ""
    policies: Sequence[str] = ()
    around: SpacesAround | None = None
    laid_out: dict[tuple[int, tuple[str, ...], tuple[str, ...]], list[str]] = {}

    @property
    def title(self) -> str:
        return self.decision.title


def asked_of(referee: Referee, seat: str, say: Catalogue) -> EmailQuestion | None:
    """Return the question open to a seat, answered or not; None if there is none."""
    pending = referee.pending_to(seat)
    if pending is None:
        return None
    found = decision(referee, pending, say)
    if isinstance(referee.domain(seat), EarlyAnswer):
        found.more.append(say.text("email.early"))
    heading, lead = _heading(pending, found, say)
    default = found.default
    policy, *policies = policies_of(referee, pending, say)
    return EmailQuestion(
        q=pending.q,
        decision=found,
        kind=capital(say.label(f"kind.{pending.kind}")),
        heading=heading,
        lead=lead,
        default=default.order if default is not None else "",
        default_named=named(default, say) if default is not None and default.named else "",
        silent=default.face if default is not None else "",
        answer=say.faced(current_answer(referee, pending)),
        sealed=pending.sealed,
        offers=[
            say.text("email.offer", id=offer.id, by=offer.by, terms=offer.terms, own=offer.by == say.name(seat))
            for offer in offers(referee, seat, say)
        ],
        standing=_standing(referee, pending),
        policy=policy,
        policies=policies,
        around=spaces_around(referee, pending, _named(found), say),
    )


def _named(found: Decision) -> set[str]:
    """Return the words of the answers that have a line, and the spaces of the facts."""
    orders = [option.order for option in (*found.options, *filter(None, (found.example,)))]
    return {*found.spaces, *(word for order in orders for word in ID.findall(order))}


def _heading(pending: PendingQuestion, found: Decision, say: Catalogue) -> tuple[str, str]:
    """Return the question in few words, and its prompt if that says more."""
    prompt = found.prompt
    plain = not _GRAMMAR.search(prompt)
    if plain and width(prompt) <= HEAD:
        return prompt, ""
    if say.has(f"title.{pending.kind}"):
        return found.title, prompt if plain and width(prompt) <= 2 * COLUMNS else ""
    said = ""
    for sentence in _SENTENCE.findall(prompt):
        if said and width(said) + width(sentence) > _PROMPT:
            break
        said += sentence
    return found.title, cut(said.strip(), 2 * _PROMPT)


def _standing(referee: Referee, pending: PendingQuestion) -> str:
    """Return the standing order that answers such questions for the rest of the turn; "" if none fits."""
    turn = referee.game.calendar(referee.table.state).get("turn")
    domain = referee.domain(pending.seat)
    window = isinstance(referee.now, Window)
    value = PASS if window else domain.default_text(pending.default)
    if turn is None or not value or not (window or domain.stands):
        return ""
    return str(StandingRule(pending.seat, pending.kind, value, until=(Condition("turn", ">=", str(turn + 1)),)))


def policies_of(referee: Referee, pending: PendingQuestion, say: Catalogue) -> list[str]:
    """Return what the standing orders for later questions do that an email offers, and these; "" without any."""
    found = referee.game.policies(referee.table, pending.seat, pending.kind)
    return [say.text(f"policy.{ID.findall(found[0])[1]}"), *found] if found else [""]


def standing_text(asked: EmailQuestion, say: Catalogue) -> str:
    """Return what the standing orders do, and how they are written; "" without one."""
    said = [say.text("email.standing", line=asked.standing)] if asked.standing else []
    said += [say.text("email.policy", what=asked.policy), *asked.policies] if asked.policies else []
    return "\n".join(said)


# -- the lines of a text -----------------------------------------------------------------------------------------------


def question_lines(
    asked: EmailQuestion, say: Catalogue, room: int, offered: Sequence[str] = (), above: Sequence[str] = ()
) -> list[str]:
    """Return heading, proposals, facts and answers in `room` lines, if possible; the words `above` count."""
    key = (room, tuple(offered), tuple(above))
    if key not in asked.laid_out:
        asked.laid_out[key] = _laid_out(asked, say, *key)
    return asked.laid_out[key]


def _laid_out(
    asked: EmailQuestion, say: Catalogue, room: int, offered: Sequence[str], above: Sequence[str]
) -> list[str]:
    most = _WORDS[say.language] - words_in(" ".join(above))

    def lines(some: Detail) -> list[str]:
        found = [*wrap(asked.lead or asked.heading, COLUMNS), *offered]
        for fact in (*asked.decision.facts[: some.facts], *asked.decision.beside[: some.beside]):
            found += wrap(fact, COLUMNS, MARK)
        found.append("")
        for text in answers(asked.decision, say, some):
            found += unbroken(text, [*before_dash(text), *slots_of(asked.decision.ways)])
        return [line for line in found if line or not some.noted or len(found) <= room]

    def fits(some: Detail) -> bool:
        return len(found := lines(some)) <= room and words_in(" ".join(found)) <= most

    *rooms, last = _details(asked.decision)
    some = next(filter(fits, rooms), last)
    wider = (msgspec.structs.replace(some, more=more) for more in (2 * FEW, FEW, LEAST, 1) if some.rest)
    some = next(filter(fits, wider), some)
    noted = msgspec.structs.replace(some, noted=True)
    some = noted if fits(noted) else some
    vary = msgspec.structs.replace(some, vary=True)
    return lines(vary if fits(vary) else some)


def _noted(one: Decision, follows: int, least: int) -> list[Detail]:
    """Return layouts in which answers without a line are grouped by what they mean, with `least` facts or more."""
    if len(one.options) < 3 or not is_whole(one):  # few of the answers are among the options
        return []
    return [
        Detail(told, follows, names=False, options=n, slots=False, more=more, noted=True)
        for more in ((2 * FEW, FEW) if one.ways else (2 * FEW,))
        for told in range(len(one.facts), least - 1, -1)
        for n in range(FEW, 0, -1)
    ]


def _details(one: Decision) -> Iterator[Detail]:
    """Yield from the widest to the narrowest: where prices don't differ, what follows tells the answers apart."""
    facts, least = len(one.facts), min(len(one.facts), 2)
    each, brief = (Detail(facts, follows, names=False, slots=False) for follows in (9, 1))
    for beside in range(len(one.beside), -1, -1):
        yield from (Detail(facts, names=names, beside=beside) for names in (True, False))
        if len(one.options) <= FEW:
            yield msgspec.structs.replace(each, beside=beside)
    whole, grouped = (_noted(one, follows, least) for follows, least in ((9, facts), (1, min(facts, LEAST))))
    yield from [*whole, *grouped, each, brief] if len(one.options) > FEW else [*whole, brief, *grouped]
    if len({option.price for option in one.options if not option.quiet and option.price}) < 2:
        for told in range(facts, least - 1, -1):
            shown = [(n, True) for n in range(FEW, LEAST - 1, -1)]
            long = sum(width(option.order) > _LONG for option in one.options)
            if told <= LEAST and (long < 2 or len(one.options) > FEW):
                shown += [(2, True), (1, True)]
            elif told <= LEAST:  # three lines are worth more than a list of long answers
                shown += [*((n, False) for n in range(FEW - 2, LEAST - 1, -1)), (2, True), (1, True)]
            yield from (Detail(told, 1, names=False, options=n, slots=False, rest=rest) for n, rest in shown)
    if any(way.word for way in one.ways):  # those without a line are told by the words that they begin with
        needed = max(facts - one.spare, 1) - 1
        for lines in ((FEW - 2, LEAST - 1), (LEAST - 1, 0)):
            told_of_lines = ((told, n) for told in range(facts, needed, -1) for n in range(*lines, -1))
            yield from (Detail(told, 1, names=False, options=n, slots=False) for told, n in told_of_lines)
    for told in range(facts, least - 1, -1):
        wide = [(0, FEW), (0, FEW - 2), (0, FEW - LEAST), (1, LEAST), (0, LEAST)]
        wide += [(0, 1)] * (len(one.options) > LEAST)
        yield from (Detail(told, follows, names=False, options=n, slots=False) for follows, n in wide)
    # Where only prices are told, a fact that the answers would have repeated says more than further answers.
    narrow = [(least, n) for n in range(FEW, 0 if one.spare else LEAST, -1)] + [
        (told, LEAST) for told in range(least, 0, -1)
    ]
    narrow += [(min(least, 1), n) for n in range(LEAST - 1, 0, -1)]  # the first fact is worth more than an option
    narrow += [(0, n) for n in range(LEAST, -1, -1)]
    yield from (Detail(told, 0, names=False, options=n, slots=False, rest=False) for told, n in narrow)


# -- what a reply may say ----------------------------------------------------------------------------------------------
