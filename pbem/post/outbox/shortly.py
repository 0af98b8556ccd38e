"""News as a short letter: what is asked and the form on the first screen, then what is new, then a legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from pbem.kernel.problems import Refused
from pbem.kernel.referee import Referee
from pbem.orders.slip import last_line, slip
from pbem.orders.statements import answer_words, wish
from pbem.post.outbox import press
from pbem.post.outbox.addressing import sender_of
from pbem.post.outbox.invitation import invitation
from pbem.post.outbox.news import News, is_urgent
from pbem.post.outbox.press_limits import fits_beside_a_question
from pbem.post.outbox.reader import Reader, frame
from pbem.post.outbox.receipts import answered
from pbem.post.outbox.wording import as_page, as_text
from pbem.post.save_index import code_of
from pbem.report import brief as short
from pbem.report.asking import asked_of
from pbem.report.brief import COLUMNS, Brief, Part
from pbem.report.brief_receipt import is_right, refused, sentences
from pbem.report.build import result_text
from pbem.report.merging import merged, within, words_in
from pbem.report.times import short_time
from pbem.save import Session

WORDS = 110
"""Words of a letter, as far as its question leaves room."""
LEAST = 30
"""Words of news that it holds in any case."""
DEALT = 60
"""Words of what a seat was dealt, in its first letter."""


def brief_of(session: Session, reader: Reader, news: News, sender: str = "") -> Brief:
    """The short letter that tells a seat its news."""
    referee, seat, say = session.referee, reader.seat, reader.say
    letters, notes = answered(news.drafts, referee, news.notes)
    receipts = [receipt for letter in letters for receipt in letter.receipts]
    wrong = [receipt for receipt in receipts if not is_right(receipt)]
    right = sentences([receipt for receipt in receipts if is_right(receipt)], say)
    brief = question_of(session, reader, sender)
    if news.aside and not wrong and not any(draft.text for draft in news.drafts):
        return _receipt_alone(brief, reader, right)
    brief.alerts = [*_messages(reader, news, referee.n), *(refused(receipt, say) for receipt in wrong)]
    brief.alerts += [_part(say.render_note(note)) for note in notes if is_urgent(note)]
    brief.subject = say.text("short.subject_not_taken") if wrong else brief.subject
    brief.also = [*_then(brief), *_press(session, reader, news), *_agreements(session, reader)]
    if news.first or seat.told.newcomer:
        brief.also.append(invitation(session, reader))
    if news.first or seat.told.newcomer or news.aside:
        brief.new = [*right, *(_dealt(news, reader, referee.table.seats) if news.first else ())]
    else:
        calm = [say.render_note(note) for note in notes if not is_urgent(note)]
        _put_news(session, reader, news, brief, [*right, *calm])
    return brief


def question_of(session: Session, reader: Reader, sender: str = "") -> Brief:
    """A letter that says what the seat is asked, and how to answer; else that it is not."""
    save, referee, seat, say = session.save, session.referee, reader.seat, reader.say
    asked, name = asked_of(referee, seat.id, say), save.header.name
    code = code_of(save, seat.id, referee.q)
    brief = Brief(
        name=name,
        asked=asked,
        due=frame(session, seat).due,
        zone=seat.zone,
        slip=[] if referee.over else slip(asked.q if asked else 0, name, seat.id, code),
        last="" if referee.over else last_line(name, referee.q),
        legend=say.text("short.legend"),
        to=sender_of(save, sender),
        legal=legal_of(referee, seat.id),
    )
    if referee.over:
        brief.nothing = say.text("short.over", result=result_text(say, referee.result))
        brief.subject = say.text("short.subject_over")
    elif asked is None:
        brief.nothing = say.text("short.nothing", seats=list(referee.asked()))
        brief.subject = say.text("short.subject_news")
    return brief


def legal_of(referee: Referee, seat: str) -> Callable[[str], bool]:
    """Whether a line would be taken as the seat's answer to the open question, or as a wish."""
    asked = seat in referee.asked()
    domain = referee.domain(seat) if asked else None
    names = referee.names.silent()

    @lru_cache(maxsize=512)  # a letter is put into words more than once, and many of its lines are alike
    def legal(line: str) -> bool:
        whole, bare = line.strip(), line.strip(" .。\"'*")
        return reads(whole) or (bare != whole and reads(bare))

    def reads(text: str) -> bool:
        number, colon, rest = text.partition(":")
        if colon and number.strip().isdigit():
            text = rest.strip()
            if not asked:
                return bool(text and text != "?")
        if not text or wish(text, {"line": 0}) is not None:
            return bool(text)
        if domain is None:
            return False
        try:
            domain.parse(answer_words(text), names)
        except Refused:
            return False
        return True

    return legal


def _receipt_alone(brief: Brief, reader: Reader, right: Sequence[str]) -> Brief:
    """Two lines for a letter that was wholly right, and the proposals that are open to it; the news waits."""
    say = reader.say
    owes = brief.asked is not None and not brief.asked.answer
    said = list(right) or [say.text("receipt.empty")]
    if owes:
        said.append(say.text("short.still_owed", at=" ".join(short.deadline(brief, say))))
    subject = say.text("short.subject_receipt")
    if brief.due:
        until = short_time(brief.due, brief.zone, say, "day")
        subject += say.text("short.subject_open" if owes else "short.subject_until", at=until)
    brief.also = [_part(f"- {offer}") for offer in brief.asked.offers] if brief.asked is not None else []
    brief.slip, brief.asked = brief.tag, None
    brief.nothing, brief.subject, brief.legend, brief.last = " ".join(said), subject, "", ""
    return brief


def _messages(reader: Reader, news: News, n: int) -> list[Part]:
    rewound = [reader.words("rewound", n=str(n))] if news.rewound else []
    return [_part(text) for text in (*rewound, *(draft.text for draft in news.drafts if draft.text))]


def _part(text: str) -> Part:
    return Part(as_text(text, COLUMNS), as_page(text))


def _then(brief: Brief) -> list[Part]:
    """Which lines may follow in the same letter, so that a whole turn stands in one."""
    return [_part(text) for text in brief.asked.then] if brief.asked is not None else []


def _press(session: Session, reader: Reader, news: News) -> list[Part]:
    if not fits_beside_a_question(news.press):
        return [_part(reader.words("press.apart", count=str(len(news.press))))]
    return [_part(text) for text in press.told(session, reader, news.press)]


def _agreements(session: Session, reader: Reader) -> list[Part]:
    lines = press.register(session, reader)
    return [_part("\n".join(lines))] if lines else []


def _dealt(news: News, reader: Reader, seats: Sequence[str]) -> list[str]:
    """What the seat alone was told at the set-up: its hand, its secret aims."""
    own = [line for line in news.lines if line.n == 0 and reader.seat.id in (line.private or {})]
    return within(merged(own, reader.seat.id, reader.say, seats), DEALT)[0]


def _put_news(session: Session, reader: Reader, news: News, brief: Brief, said: list[str]) -> None:
    """What is new, in the words that the question leaves."""
    referee, say = session.referee, reader.say
    view = referee.game.view(referee.table, reader.seat.id)
    before = session.save.header.history[-1].points if session.save.header.history else {}
    brief.points = [(say.name(who), now, now - before.get(who, now)) for who, now in view.scores.items()]
    found = merged(news.lines, reader.seat.id, say, referee.table.seats)
    room = max(WORDS - words_in(short.text_of(brief, say)) - sum(map(words_in, said)), LEAST)
    new, brief.left_out = within(found, room)
    brief.new = [*said, *new]
