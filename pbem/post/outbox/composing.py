"""News put into words: the text of a letter, and what stands at its top and its end beside the report."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import msgspec

from pbem.kernel.referee import components_of
from pbem.orders import form
from pbem.post.outbox import press
from pbem.post.outbox.news import News
from pbem.post.outbox.press_limits import fits_beside_a_question
from pbem.post.outbox.reader import Reader, frame
from pbem.post.outbox.receipts import answered
from pbem.post.outbox.wording import as_page, as_text
from pbem.post.save_index import code_of
from pbem.report import build, compose, opening
from pbem.report.letter import NEWS, PHONE, RECEIPT, LetterText, Opening
from pbem.report.receipt import letters_html, letters_text
from pbem.save import Press, Session


def text_of(session: Session, reader: Reader, news: News) -> LetterText:
    """The letter that tells a seat its news: receipts and messages, press, then the game; its agreements at the end.

    Of press that would be too much beside a question only the number is told: `press_text` has the rest.
    """
    referee, seat, say = session.referee, reader.seat, reader.say
    letters, notes = answered(news.drafts, referee, news.notes)
    report = build(
        referee, seat.id, seat.language, lines=news.lines, frame=frame(session, seat), catalogue=say
    )
    report.notes = [say.render_note(note) for note in notes]
    rewound = [reader.words("rewound", n=str(referee.n))] if news.rewound else []
    said = [*rewound, *(draft.text for draft in news.drafts if draft.text)]
    if fits_beside_a_question(news.press):
        messages = list(press.told(session, reader, news.press))
    else:
        messages = [reader.words("press.apart", count=str(len(news.press)))]
    receipts = [letters_text(letters, say, seat.zone, PHONE)] if letters else []
    pages = [letters_html(letters, say, seat.zone)] if letters else []
    text = compose(
        report,
        form=reply_form(session, reader),
        opening=_opening(session, reader, news),
        seed=session.save.dice.seed if news.ended else "",
        kind=NEWS if news.of_play or not letters else RECEIPT,
        receipt="\n\n".join([*map(as_text, said), *receipts, *map(as_text, messages)]),
        receipt_html="\n".join([*map(as_page, said), *pages, *map(as_page, messages)]),
    )
    return _with_agreements(text, press.register(session, reader))


def press_text(session: Session, reader: Reader, messages: Sequence[Press]) -> LetterText:
    """A letter of press alone. It asks nothing and has no form."""
    words = reader.words
    parts = [words("press.alone"), *press.told(session, reader, messages, with_form=False)]
    page = "\n".join(map(as_page, parts))
    text = "\n\n".join(map(as_text, parts)) + "\n"
    subject = words("press.subject", game=session.save.header.name)
    return LetterText(subject, text, f"<html><body>{page}</body></html>")


def reply_form(session: Session, reader: Reader) -> str:
    """The form that the seat sends back; "" when the game is over."""
    save, referee, seat = session.save, session.referee, reader.seat.id
    if referee.over:
        return ""
    code = code_of(save, seat, referee.q)
    say = reader.say
    return form(referee, seat, game=save.header.name, code=code, syntax=say.syntax, word=say.typed)


def _opening(session: Session, reader: Reader, news: News) -> Opening | None:
    """What a first letter tells of the game."""
    if not (news.first or reader.seat.told.newcomer):
        return None
    pack = components_of(session.game, session.save.header.pack)[0]
    return opening(session.referee, pack, reader.seat.language)


def _with_agreements(letter: LetterText, lines: list[str]) -> LetterText:
    """The letter with the seat's agreements at its end."""
    if not lines:
        return letter
    page = f"<h2>{escape(lines[0])}</h2>{as_page(chr(10).join(lines[1:]))}</body>"
    text = letter.text + "\n" + as_text("\n".join(lines)) + "\n"
    return msgspec.structs.replace(letter, text=text, html=letter.html.replace("</body>", page, 1))
