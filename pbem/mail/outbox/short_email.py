"""The news as a short email: the question and the form on the first screen, then the news, then a legend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate

import msgspec

from pbem.clock.policy import BOT, DEFAULT, GRACE, WAIT, expires_at, reserve_for
from pbem.kernel.kit import word_of
from pbem.kernel.referee import AdvanceNote, Referee, pack_of
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import lines_of
from pbem.lazy_regex import escape
from pbem.mail.outbox import map_picture, press
from pbem.mail.outbox.email_parts import answered, made_good, notice_of
from pbem.mail.outbox.mime_message import sender_of
from pbem.mail.outbox.press import LAPSED, News, fits_beside_a_question, is_urgent
from pbem.mail.outbox.recipient import Recipient, as_page, as_text, frame
from pbem.mail.save_index import code_of
from pbem.orders.context import next_turn_of, with_next
from pbem.orders.receipt import STALE, Receipt
from pbem.orders.reply_form import last_line, short_form
from pbem.orders.statements import NEXT, answer_words, wish
from pbem.report import short_email as short
from pbem.report.answer_faces import face
from pbem.report.answer_lines import said_as, spoken
from pbem.report.build import build, result_text
from pbem.report.deciding import Option
from pbem.report.email_text import (
    PHONE,
    EmailText,
    GameFacts,
    news_text,
    opening,
    page_lines,
    position_text,
    possible_text,
    pre,
)
from pbem.report.merge_lines import merged, news_of, within, words_in
from pbem.report.messages import Catalogue
from pbem.report.model import Report
from pbem.report.question_text import EmailQuestion, asked_of, standing_text
from pbem.report.short_email import EmailSection, ShortEmail, is_queued, is_right, refused, sentences
from pbem.report.short_email_html import PAGE, button, mailto, page_around, page_of, room_for_news
from pbem.report.text import WHOLE, WIDTH
from pbem.report.text_width import COLUMNS, width, wrap
from pbem.report.times import short_time
from pbem.save import PressMessage, Save, Session
from pbem.save.settings import MAY, may


def invitation(session: Session, reader: Recipient) -> EmailSection:
    """Return what a first email has besides its question: the game, who plays, how to answer, the rules, the dice."""
    say = reader.say
    start = opening_of(session, reader)
    others = [seat for seat in session.save.seats if seat.name and seat.id != reader.seat.id]
    people = [say.text("invitation.person", name=seat.name, seat=seat.id) for seat in others]
    lines = [say.text("game.about")] if say.has("game.about") else []
    if people:
        lines.append(say.text("invitation.people", people=say.join(people, "comma")))
    lines += [say.text("invitation.how"), say.text("invitation.rules")]
    if start.facts.get("moderator"):
        changed = len(start.corrected)
        lines.append(say.text("invitation.corrected", count=start.facts["moderator"], changed=changed))
    if acts := [say.text(f"may.word.{act}") for act in MAY if may(session.save, act) != "no"][:3]:
        lines.append(say.text("invitation.may", acts=say.join(acts, "comma")))
    lines.append(say.text("invitation.dice"))
    text = "\n".join([as_text("\n".join(lines), COLUMNS), start.commitment[:32], start.commitment[32:]])
    return EmailSection(text, as_page("\n".join([*lines, start.commitment])))


def opening_of(session: Session, reader: Recipient) -> GameFacts:
    """Return the facts of the game for a first email, in full."""
    return opening(session.referee, pack_of(session.game, session.save.header.pack), reader.seat.language)


WORDS = 110
"""Words of an email, if its question leaves room."""
LEAST = 8
"""Words of news that it has, unless the buttons of the page need the space for what they mean."""
NEWS = 60
"""Words of news that it has at most."""
_ACTS = 3
"""Acts of a turn that one button sends."""
DEALT = 55
"""Words about what a seat was dealt, in its first email."""


def build_short_email(session: Session, reader: Recipient, news: News, sender: str) -> ShortEmail:
    """Return the short email with a seat's news."""
    referee, seat, say = session.referee, reader.seat, reader.say
    emails, notes = answered(news.drafts, referee, news.notes)
    receipts = [receipt for email in emails for receipt in email.receipts]
    better = made_good(receipts)
    wrong = [receipt for receipt in receipts if not is_right(receipt) and receipt not in better]
    right = sentences([receipt for receipt in receipts if receipt not in wrong], say)
    right += dict.fromkeys(sentence for receipt in better for sentence in _earlier(receipt, say))
    brief = question_of(session, reader, sender)
    brief.verdict = _verdict(receipts, wrong, right, say)
    if news.aside and not wrong and not any(draft.text for draft in news.drafts):
        return _receipt_alone(brief, reader, right)
    brief.alerts = [
        *_messages(reader, news, referee.n),
        *(refused(receipt, say) for receipt in wrong),
        *brief.alerts,
        *(_part(say.render_note(note)) for note in notes if is_urgent(note)),
    ]
    notice = "not_taken" if wrong else next(filter(None, map(notice_of, news.drafts)), "")
    if notice:
        brief.subject = say.text(f"email.subject_{notice}")
    brief.also = [
        *(() if news.first else _then(brief, say)),
        *_press(session, reader, news),
        *_agreements(session, reader),
    ]
    if news.first or seat.told.newcomer:
        brief.also.append(invitation(session, reader))
        brief.first = news.first
        if news.first and brief.asked is None and not referee.over:
            brief.subject = say.text("email.subject_first")
    calm = _calm(notes, say)
    if news.first or seat.told.newcomer or news.aside:
        brief.new = [*right, *calm, *(_opening_events(news, reader) if news.first else ())]
        _leave_to_page(brief, say)
    else:
        _put_news(session, reader, news, brief, right, calm)
    return brief


def _verdict(receipts: Sequence[Receipt], wrong: Sequence[Receipt], right: Sequence[str], say: Catalogue) -> str:
    if wrong:
        return say.text("email.partly" if any(receipt.accepted for receipt in wrong) else "email.not_taken")
    if is_queued(receipts):
        return say.text("email.done_later")
    return say.text("email.done") if right else ""


def _doubt_section(reader: Recipient, brief: ShortEmail) -> list[EmailSection]:
    """Return the question whether an answer next to other text was meant, with a button that says yes."""
    doubt, say = reader.seat.told.doubt, reader.say
    if doubt is None or brief.asked is None or doubt.q != brief.asked.q:
        return []
    lines = [line.removeprefix(f"{doubt.q}: ") for line in doubt.lines]
    answer = " / ".join(map(say.faced, lines))
    ask = [say.text("doubt.ask", answer=answer), say.text("doubt.how")]
    label = f"→ {say.text('doubt.yes', answer=answer)}"
    text = [line for said in ask for line in wrap(said, COLUMNS)]
    link = mailto(brief, f"yes {doubt.word}")
    page = [f"<p>{escape(said)}</p>" for said in ask]
    return [EmailSection("\n".join(text), "\n".join([page[0], button(label, link), page[1]]))]


def _calm(notes: Sequence[AdvanceNote], say: Catalogue) -> list[str]:
    """Return the notes that need no action; the proposals that have lapsed are in one."""
    lapsed = [note.text for note in notes if note.key == LAPSED]
    said = [say.render_note(note) for note in notes if not is_urgent(note) and note.key != LAPSED]
    return [*said, say.text("email.lapsed", count=len(lapsed), ids=say.join(lapsed, "comma"))] if lapsed else said


def _earlier(receipt: Receipt, say: Catalogue) -> Iterator[str]:
    """Yield a line on a rejected email without effect that another email supersedes: that it came, and why."""
    if receipt.verdict == STALE:
        yield say.text("email.other_stale")
    for line in receipt.refused:
        yield say.text("email.other_line", text=line.text, why=say.render_problem(line.problem))


def question_of(session: Session, reader: Recipient, sender: str = "") -> ShortEmail:
    """Return an email with the seat's question and how to answer, or that it isn't asked."""
    save, referee, seat, say = session.save, session.referee, reader.seat, reader.say
    asked, name = asked_of(referee, seat.id, say), save.header.name
    code = code_of(save, seat.id, referee.q)
    later = referee.next_turn(seat.id)
    following = asked_of(later, seat.id, say) if later is not None else None
    too = _second(asked, following) if asked is not None and following is not None and not asked.answer else ""
    following = None if too and asked is not None and not asked.sealed else following
    ahead = 0 if following is None else 1 if asked is not None else session.game.turns_ahead
    form_lines = short_form(asked.q if asked else 0, name, seat.id, code, ahead=ahead)
    brief = ShortEmail(
        name=name,
        asked=asked,
        due=frame(session, seat).due,
        zone=seat.zone,
        form_lines=[] if referee.over else form_lines,
        following=following,
        too=too,
        queued=lines_of(seat.id, referee.queue),
        last="" if referee.over else last_line(name, referee.q),
        legend="\n".join(say.text(key) for key in ("email.legend_card", "email.legend")),
        reader=reader_line(session, reader),
        to=sender_of(save, sender),
        legal=legal_of(referee, seat.id, spoken(asked.decision) if asked is not None else {}),
    )
    _note_ending(brief, save, seat.id)
    brief.alerts = _doubt_section(reader, brief)
    if asked is not None and not asked.answer:
        brief.turn = rest_of_turn(session, asked, seat.id, say)
    if referee.over:
        brief.nothing = say.text("email.over", result=result_text(say, referee.result))
        brief.subject = say.text("email.subject_over")
    elif asked is None:
        brief.nothing = say.text("email.nothing", seats=list(referee.asked()))
        brief.subject = say.text("email.subject_news")
    return brief


def _second(asked: EmailQuestion, following: EmailQuestion) -> str:
    """Return an answer to the question that follows, not one that the question asked now begins with."""
    now = asked.decision.options[:1]
    return next((option.order for option in following.decision.options if not option.part and option not in now), "")


def rest_of_turn(session: Session, asked: EmailQuestion, seat: str, say: Catalogue) -> list[Option]:
    """Return the likeliest rest of a turn: acts like the seat's last one, in order of rank, and the end.

    It is tried in a world dealt again, and follows from that and the seat's own answers.
    """
    referee, game = session.referee, session.game
    pending = referee.pending_to(seat)
    if game.complete is None or pending is None or pending.sealed:
        return []
    dear = [option for option in asked.decision.options if option.cost]
    words = {option.word for option in dear}
    own = (
        word_of(move.answer) for move in reversed(session.save.moves) if (move.seat, move.kind) == (seat, pending.kind)
    )
    like = next((word for word in own if word in words), "")
    acts = [option for option in dear if option.word == like]
    if not acts:
        return []
    *done, end = game.complete(referee.look(seat).table, seat, pending.kind, [option.value for option in acts]) or [""]
    chosen = [option for option in acts if option.value in done]
    return [*chosen, Option(end, face(pending.kind, end, say)[0])] if 0 < len(chosen) <= _ACTS else []


def _note_ending(brief: ShortEmail, save: Save, seat: str) -> None:
    """Note until when an answer is accepted after the deadline, and what happens then."""
    brief.if_silent = ""
    pending = next((row for row in save.pending if row.seat == seat), None)
    if pending is not None:
        last, policy = expires_at(save, pending, seat), save.clock.time_up.get(pending.pace, WAIT)
        brief.last_due = last if last != pending.due else None
        brief.if_silent = {GRACE: "default", DEFAULT: "default", BOT: "bot"}.get(policy, "") if pending.due else ""
        brief.reserve = reserve_for(save, pending)


def legal_of(referee: Referee, seat: str, said: Mapping[str, str] | None = None) -> Callable[[str], bool]:
    """Return a check whether a line is accepted as the seat's answer or a request; `said`: as people say it."""
    asked = seat in referee.asked()
    domain = referee.domain(seat) if asked else None
    names = referee.names.silent()
    later = cache(lambda: next_turn_of(referee, seat))

    @lru_cache(maxsize=512)  # an email is put into words more than once, and many of its lines are alike
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
        spoken_so = (said or {}).get(said_as(text), "")
        return answers(text) or answers(spoken_so) or bool(with_next(text, taken, later, names))

    def taken(text: str) -> str:
        return text if answers(text) else ""

    def answers(text: str) -> bool:
        if domain is None or not text:
            return False
        try:
            domain.parse(answer_words(text), names)
        except Rejection:
            return False
        return True

    return legal


def reader_line(session: Session, reader: Recipient) -> str:
    """Return for which game and seat an email is."""
    say, title = reader.say, session.game.title
    return say.text("email.reader", title=title.get(say.language, title["en"]), seat=say.name(reader.seat.id))


def _receipt_alone(brief: ShortEmail, reader: Recipient, right: Sequence[str]) -> ShortEmail:
    """Reduce the email to two lines and the open proposals if all orders are right; the news waits."""
    say = reader.say
    owes = brief.asked is not None and not brief.asked.answer
    said = list(right) or [say.text("receipt.empty")]
    if owes:
        said.append(say.text("email.still_owed", at=short.deadline(brief, say)))
    queued = brief.verdict == say.text("email.done_later")
    subject = say.text("email.subject_queued" if queued else "email.subject_receipt")
    if brief.due:
        until = short_time(brief.due, brief.zone, say, "day")
        subject += say.text("email.subject_open" if owes else "email.subject_until", at=until)
    brief.also = [_part(f"- {offer}") for offer in brief.asked.offers] if brief.asked is not None else []
    ahead = [line for line in brief.form_lines if line.startswith(NEXT[0])]
    brief.form_lines, brief.change, brief.asked = [*ahead, *brief.tag], brief.asked, None
    brief.nothing, brief.subject, brief.legend, brief.last = " ".join(said), subject, "", ""
    return brief


def _messages(reader: Recipient, news: News, n: int) -> list[EmailSection]:
    rewound = [reader.words("rewound", n=str(n))] if news.rewound else []
    return [_part(text) for text in (*rewound, *(draft.text for draft in news.drafts)) if text]


def _part(text: str) -> EmailSection:
    return EmailSection(as_text(text, COLUMNS), as_page(text))


def _then(brief: ShortEmail, say: Catalogue) -> list[EmailSection]:
    said = standing_text(brief.asked, say) if brief.asked is not None else ""
    return [msgspec.structs.replace(_part(said), later=True)] if said else []


def _press(session: Session, reader: Recipient, news: News) -> list[EmailSection]:
    if not fits_beside_a_question(news.press):
        return [_part(reader.words("press.apart", count=str(len(news.press))))]
    return [_part(text) for text in press.press_for_email(session, reader, news.press)]


def _agreements(session: Session, reader: Recipient) -> list[EmailSection]:
    lines = press.register(session, reader)
    return [_part("\n".join(lines))] if lines else []


def _opening_events(news: News, reader: Recipient) -> list[str]:
    """Return the events before the first question: first what only the seat knows (its hand, its secret aims)."""
    return within(merged(news.lines, reader.seat.id, reader.say)[0], DEALT)[0]


def _leave_to_page(brief: ShortEmail, say: Catalogue) -> int:
    """Leave standing orders and policies to the page, if the question of now needs the room; count the words left."""
    words = words_in(short.text_of(brief, say))
    if words <= WORDS or not any(part.later for part in brief.also):
        return words
    brief.also = [EmailSection("", part.html) if part.later else part for part in brief.also]
    return words_in(short.text_of(brief, say))


def _put_news(session: Session, reader: Recipient, news: News, brief: ShortEmail, *said: list[str]) -> None:
    referee, say, seat = session.referee, reader.say, reader.seat.id
    view = referee.game.view(referee.table, seat)
    before = session.save.header.history[-1].points if session.save.header.history else {}
    brief.points = [(say.name(who), now, now - before.get(who, now)) for who, now in view.scores.items()]
    words = words_in(short.text_of(brief, say, short.MOST))
    if words > WORDS:
        words -= words_in(brief.legend) - words_in(say.text("email.legend"))
        brief.legend = say.text("email.legend")
    if words > WORDS - LEAST or room_for_news(brief, say) < LEAST:
        brief.points = []  # the question needs the room; `send state` has them
        words = _leave_to_page(brief, say)
    pending = referee.pending_to(seat)
    near = {word for word in pending.about.values() if isinstance(word, str)} - {seat} if pending else set()
    (right, calm), left = said, room_for_news(brief, say)
    own = sum(map(words_in, (*right, *calm)))
    crowded = left < LEAST + own or words + own > short.MOST - 2 * LEAST
    room = max(min(WORDS - words, left) - own, LEAST)
    new, brief.left_out = news_of(news.lines, seat, say, min(room, NEWS), near)
    if crowded or (len(new) == 1 and room == LEAST < words_in(new[0])):
        new, brief.left_out = [], brief.left_out + len(new)
    brief.new = [*right, *new, *calm]


NOTHING = "nothing"
"""The setting `attach` of a seat that wants neither map nor view file with its emails."""
_RULE = "-" * COLUMNS
_NEWS = (None, 100, 50, 25, 10)
"""Lines of news that a long email shows one by one, if more do not fit."""
_ELEMENT = len("\n" + pre(""))


def compose_email(session: Session, reader: Recipient, news: News, sender: str = "") -> EmailText:
    """Return the email with a seat's news as it wants it: short, or with the position below."""
    shown, say = build_short_email(session, reader, news, sender), reader.say
    subject, picture = short.subject_of(shown, say), _picture(session, reader, shown)
    if news.ended:
        seed, told = session.save.dice.seed, say.text("long_email.seed_text")
        shown.also.append(EmailSection(f"{as_text(told, COLUMNS)}\n{seed}", as_page(f"{told}\n{seed}")))
    if news.full:
        shown.also.append(position_below(_in_detail(session, reader, news, bytes_left_below(shown, say)), shown, say))
    return EmailText(subject, short.text_of(shown, say, short.MOST), page_of(shown, say), picture)


def _picture(session: Session, reader: Recipient, shown: ShortEmail) -> str:
    """Return the map around the question, if the seat wants it and it can be drawn; add its place to the page."""
    wanted = session.save.post.maps and reader.seat.attach != NOTHING
    if shown.asked is None or not wanted or not map_picture.can_draw(reader.say.language):
        return ""
    from pbem.report.map_svg import email_map  # only where emails show maps

    found = email_map(session.referee, reader.seat.id, shown.asked, reader.say)
    if found is None:
        return ""
    shown.picture = map_picture.picture_tag(found.alt)
    return found.svg


def _in_detail(session: Session, reader: Recipient, news: News, room: int) -> str:
    """Return the part below a long email: receipts, the question, as much of the last news as fits, the position."""
    from pbem.report.receipt import receipts_text

    report = report_of(session, reader, news)
    emails, _ = answered(news.drafts, session.referee, news.notes)
    first = [receipts_text(emails, reader.say, reader.seat.zone)] if emails else []
    first.append(possible_text(report))
    position, text = position_text(report, WHOLE), ""
    for most in _NEWS:
        parts = [*first, news_text(report, most, WHOLE), position]
        text = "\n\n".join(part.rstrip("\n") for part in parts if part)
        if len(escape(text).encode()) <= room:
            break
    return text


def position_below(text: str, shown: ShortEmail, say: Catalogue) -> EmailSection:
    """Return the part below a short email as far as it fits on its page; none of its lines is an answer."""
    lines = short.mark_non_answers(text.splitlines(), shown)
    page, room = page_lines(lines), bytes_left_below(shown, say)
    if len("\n".join(page).encode()) > room:
        end = ["", *short.mark_non_answers([say.text("email.too_long")], shown)]
        room -= len("\n".join(page_lines(end)).encode()) + 1
        fits = sum(size <= room for size in accumulate(len(line.encode()) + 1 for line in page))
        lines, page = [*lines[:fits], *end], [*page[:fits], *page_lines(end)]
    told = [line for whole in lines for line in _broken(whole)]
    return EmailSection("\n".join([_RULE, "", *short.mark_non_answers(told, shown)]), pre("\n".join(page)))


def _broken(line: str) -> list[str]:
    """Return a line as lines of a text; what has the width of a form stays as it is."""
    if width(line) <= WIDTH:
        return [line]
    return wrap(line[2:], PHONE, "- ") if line.startswith("- ") else wrap(line, PHONE, "", "  ")


def bytes_left_below(shown: ShortEmail, say: Catalogue) -> int:
    """Return the bytes that a page has left below a short email."""
    return PAGE - len(page_of(shown, say).encode()) - _ELEMENT


def report_of(session: Session, reader: Recipient, news: News | None = None) -> Report:
    """Return the report for a seat, with the lines of its news."""
    seat, about, lines = reader.seat, frame(session, reader.seat), news.lines if news is not None else ()
    return build(session.referee, seat.id, seat.language, lines=lines, frame=about, catalogue=reader.say)


def press_text(session: Session, reader: Recipient, messages: Sequence[PressMessage]) -> EmailText:
    """Return an email of press alone; it asks nothing and has no form."""
    words = reader.words
    parts = [reader_line(session, reader), words("press.alone")]
    parts += press.press_for_email(session, reader, messages, with_form=False)
    page = "\n".join(map(as_page, parts))
    text = "\n\n".join(map(as_text, parts)) + "\n"
    subject = words("press.subject", game=session.save.header.name)
    return EmailText(subject, text, page_around(page, subject, reader.say.language))
