"""Letters: one screen with what changed, what to do, until when and how to answer; then the state of the game.

A letter is composed from a `Report` and from texts that other rooms make (the reply form); it reads no game state. The
subject names public things only, as it is seen on locked screens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

import msgspec

from pbem.kernel.dice import commitment
from pbem.kernel.pack import Pack, provenance
from pbem.kernel.referee import Referee
from pbem.report import html, text
from pbem.report.catalogue import Catalogue, of_reports
from pbem.report.cells import wrap
from pbem.report.model import Question, Report

NEWS, REMINDER, RECEIPT = "news", "reminder", "receipt"
"""Kinds of letter; a receipt is one without news beside it. The first letter of a game is one with an `Opening`, the
last one with a `seed`."""

PHONE = 60
"""Cells of a line on the first screen."""

_MOST_NEWS = 8
_MOST_FACTS = 12


class LetterText(msgspec.Struct):
    """A letter ready for the post: subject, plain text, and the same as an HTML page."""

    subject: str
    text: str
    html: str


class Opening(msgspec.Struct):
    """What the first letter says once: the commitment to the dice, what the components rest on, the options."""

    commitment: str
    facts: dict[str, int]
    reconstructed: list[str]
    corrected: list[str]
    options: list[str]


def opening(referee: Referee, pack: Pack, language: str = "en") -> Opening:
    """The opening of a game: from its set-up, its pack and the options in force."""
    say = Catalogue(referee.game, referee.components, language, referee.names)
    known = provenance(pack)
    options = []
    for option in referee.game.options:
        value = option.value(referee.setup.options)
        said = option.text.get(say.language, option.text.get("en", option.id))
        options.append(
            f"{option.id} = {option.domain.text(value)}: {said} {say.rule(option.rule)}".strip(),
        )
    return Opening(
        commitment(bytes.fromhex(referee.setup.seed)),
        {tag: count for tag, count in known.total.items() if count},
        _facts(known.reconstructed),
        _facts(known.moderator),
        options,
    )


def _facts(facts: Iterable[tuple[str, str, str]]) -> list[str]:
    """Facts by table and field: `cards: copies (10), count (7)`."""
    counted: dict[str, dict[str, int]] = {}
    for table, _, field in facts:
        fields = counted.setdefault(table, {})
        fields[field] = fields.get(field, 0) + 1
    return [f"{t}: {', '.join(f'{f} ({n})' for f, n in fields.items())}" for t, fields in counted.items()]


def compose(
    report: Report,
    *,
    form: str = "",
    kind: str = NEWS,
    opening: Opening | None = None,
    seed: str = "",
    receipt: str = "",
    receipt_html: str = "",
) -> LetterText:
    """A letter to the reader of `report`.

    `form` is the filled-in reply form (`pbem.orders`), put in as it is; `kind` is one of the kinds above; `opening`
    belongs in the first letter, `seed` (hex) in the last one; `receipt` are the receipts for letters from
    the reader, `receipt_html` the same as a part of the page ("": the text as it is).
    """
    ui = of_reports(report.language)
    said = [*wrap(receipt, PHONE)] if receipt and "\n" not in receipt else receipt.splitlines()
    blocks: list[Iterable[str]] = [
        text.head(report, ui, PHONE),
        [ui.text("mail.reminder")] if kind == REMINDER else [],
        said,
        text.news(report, ui, PHONE, _MOST_NEWS),
        _headed("report.notes", text.bullets(report.notes, PHONE), ui) if report.notes else [],
        _to_do(report, ui),
        _how(report, ui, form),
        ["-" * PHONE] if report.seat else [],
        _possible(report, ui),
        _headed("mail.opening", _opening(opening, ui), ui) if opening else [],
        _headed("mail.seed", _seed(seed, ui), ui) if seed else [],
        _earlier(report, ui),
        *text.state(_without_notes(report), ui),
    ]
    body = "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block))) + "\n"
    return LetterText(
        _subject(report, kind, ui),
        body,
        _page(report, ui, form, kind, opening, seed, receipt_html or (pre("\n".join(said)) if said else "")),
    )


def _due(report: Report) -> list[Question]:
    return [one for one in report.questions if not one.answered]


def _subject(report: Report, kind: str, ui: Catalogue) -> str:
    """`[g-07] 1630 Something: please answer 57 by Thu 6 Mar …`; nothing that is secret, no names of cards."""
    due = _due(report)
    if report.over:
        key = "subject.over"
    elif not due:
        key = "subject.receipt" if kind == RECEIPT else "subject.news"
    elif report.deadline:
        key = "subject.reminder_by" if kind == REMINDER else "subject.answer_by"
    else:
        key = "subject.reminder" if kind == REMINDER else "subject.answer"
    at = report.deadline[0] if report.deadline else ""
    said = ui.text(key, {"q": due[0].q if due else 0, "at": at, "title": report.title})
    return f"[{report.name or report.game}] {said}"


def _to_do(report: Report, ui: Catalogue) -> Iterator[str]:
    """The questions in short: what, until when, what holds without an answer."""
    yield from text.heading(ui.text("report.to_do"), PHONE)
    if not report.questions:
        yield from wrap(text.nothing_to_do(report, ui), PHONE)
        return
    for one in report.questions:
        if one.answered:
            yield from wrap(ui.text("report.answered", q=one.q, prompt=one.prompt, answer=one.answer), PHONE)
            continue
        yield from wrap(f"{one.q}. {one.prompt}", PHONE)
        yield from text.bullets((offer_text(one, at, ui) for at in range(len(one.offers))), PHONE, "  - ")
    yield from text.until(report.deadline, ui, PHONE)
    for one in _due(report):
        key = "report.default" if one.default else "report.no_default"
        yield from wrap(ui.text(key, default=one.default), PHONE)


def offer_text(one: Question, at: int, ui: Catalogue) -> str:
    """A proposal in a sentence."""
    offer = one.offers[at]
    return ui.text("report.offer", id=offer.id, by=offer.by, signed=offer.signed, terms=offer.terms)


def _how(report: Report, ui: Catalogue, form: str) -> Iterator[str]:
    """How to answer, and the form to send back."""
    if not form:
        return
    title, told = _way(report, ui)
    yield from text.heading(title, PHONE)
    yield from wrap(told, PHONE)
    yield from wrap(ui.text("mail.no_receipt"), PHONE)
    yield ""
    yield from form.strip("\n").splitlines()


def _way(report: Report, ui: Catalogue) -> tuple[str, str]:
    """What the form is for, as a title and in words: to answer, or, if nothing is owed, to write all the same."""
    key = "mail.how" if _due(report) else "mail.write"
    return ui.text(key), ui.text(f"{key}_text")


def _without_notes(report: Report) -> Report:
    """The report without what the first screen has told of lines sent in advance."""
    return msgspec.structs.replace(report, notes=[])


def _possible(report: Report, ui: Catalogue) -> Iterator[str]:
    """The words of each open question."""
    due = _due(report)
    if not due:
        return
    yield from text.heading(ui.text("mail.possible"), PHONE)
    for one in due:
        yield from wrap(f"{one.q}: {ui.text('report.syntax', syntax=one.syntax)}", text.WIDTH)
        yield from text.words(one, ui, text.WIDTH)


def _earlier(report: Report, ui: Catalogue) -> Iterator[str]:
    """All the news, if the first screen had not room for them."""
    if len(report.news) > _MOST_NEWS:
        yield from text.heading(ui.text("mail.all_news"), PHONE)
        yield from text.bullets((one.text for one in report.news), text.WIDTH)


def _headed(key: str, lines: Iterable[str], ui: Catalogue) -> Iterator[str]:
    yield from text.heading(ui.text(key), PHONE)
    yield from lines


def _opening(start: Opening, ui: Catalogue) -> Iterator[str]:
    """The first letter's own block."""
    yield from wrap(ui.text("mail.commitment"), text.WIDTH)
    yield start.commitment
    tags = [ui.text(f"mail.tag.{tag}", count=count) for tag, count in start.facts.items()]
    if tags:
        yield from wrap(ui.text("mail.components", tags=ui.join(tags, "comma")), text.WIDTH)
    for key, facts in (("reconstructed", start.reconstructed), ("corrected", start.corrected)):
        if facts:
            yield from wrap(ui.text(f"mail.{key}"), text.WIDTH)
            yield from text.bullets(facts[:_MOST_FACTS], text.WIDTH)
    if start.options:
        yield from wrap(ui.text("mail.options"), text.WIDTH)
        yield from text.bullets(start.options, text.WIDTH)


def _seed(seed: str, ui: Catalogue) -> Iterator[str]:
    """The last letter publishes the seed, so that everybody can roll every die again."""
    yield from wrap(ui.text("mail.seed_text"), text.WIDTH)
    yield seed


def _page(
    report: Report, ui: Catalogue, form: str, kind: str, start: Opening | None, seed: str, receipt: str
) -> str:
    """The letter as a page: the same blocks in the same order."""
    parts = [*html.head(report, ui)]
    if kind == REMINDER:
        parts.append(f"<p><strong>{escape(ui.text('mail.reminder'))}</strong></p>")
    if receipt:
        parts.append(receipt)
    parts += html.news(report, ui)
    if report.notes:
        parts += [f"<h2>{escape(ui.text('report.notes'))}</h2>", html.listed(report.notes)]
    parts += html.questions(report, ui)
    if form:
        title, told = _way(report, ui)
        parts.append(f"<h2>{escape(title)}</h2>")
        parts.append(f"<p>{escape(told)} {escape(ui.text('mail.no_receipt'))}</p>")
        parts.append(pre(form.strip("\n")))
    if start:
        parts += [f"<h2>{escape(ui.text('mail.opening'))}</h2>", pre("\n".join(_opening(start, ui)))]
    if seed:
        parts += [f"<h2>{escape(ui.text('mail.seed'))}</h2>", pre("\n".join(_seed(seed, ui)))]
    return html.page(report, [*parts, *html.state(_without_notes(report), ui)])


def pre(lines: str) -> str:
    """Text as it stands, as a part of a page."""
    return f"<pre>{escape(lines)}</pre>"
