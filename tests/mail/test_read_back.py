"""Whatever our letters print as an answer is read back: alone, above the copy, as it stands."""

from __future__ import annotations

import re
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import games
from pbem.dev import synthetic_mail
from pbem.kernel.rejections import Rejection
from pbem.mail.inbox.reply_orders import judge_of, legal_of
from pbem.mail.inbox.stages import DecodedEmail
from pbem.mail.outbox import short_email
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.save_index import code_of
from pbem.orders.context import question_of
from pbem.orders.replies import interpret_reply
from pbem.orders.syntax_tree import Answer, OrderBlock, ReplyText, StandingOrder
from pbem.report.answer_faces import capital
from pbem.report.answer_lines import named, said_as, spoken
from pbem.report.deciding import Option
from pbem.report.short_email import text_of
from pbem.report.short_email_html import tapped
from pbem.timestamps import stamp

GAMES = [entry.slug for entry in games.catalogue() if entry.status == "ready"]
HOME = synthetic_mail.HOME
_STANDING = re.compile(r"standing [^\n]+(?:\n[^\n]+)*?\s?until\s(?:/\s+)?turn>=\d+")


class Sent:
    """The letter that asks a seat its open question, and what it prints as answers."""

    def __init__(self, session, seat) -> None:
        self.session, self.seat = session, session.save.seat(seat)
        reader = reader_of(session, self.seat)
        brief = short_email.question_of(session, reader)
        brief.also = short_email._then(brief, reader.say)
        self.brief, self.asked = brief, brief.asked
        self.say = reader.say
        self.text = text_of(brief, reader.say)
        self.legal = legal_of(session, seat, question_of(session.referee, seat))

    def answers(self) -> dict[str, str]:
        """What is printed as an answer, and what it means."""
        one, whole = self.asked.decision, " ".join(self.text.split())
        more = [one.default, one.added, one.example, *one.options]
        ways = [option.order for option in more if option is not None and not option.part]
        told = [way for way in dict.fromkeys(ways) if way in whole]
        return {way: meant for way in told if (meant := self.legal(way))}

    def is_answer(self, items: list, order: str) -> bool:
        read = [item.body for item in items if isinstance(item, Answer)]
        return len(items) == 1 and [self.legal(body) for body in read] == [self.legal(order)]

    def reply(self, top: str, each: str = "") -> list:
        """The items of a reply with `top` above the whole of the letter.

        `each` is what a program writes for each byte that its character set doesn't have.
        """
        session, seat = self.session, self.seat
        text = "".join(sign if sign.isascii() or not each else each * len(sign.encode()) for sign in self.text)
        copy = "\n".join(f"> {line}" for line in text.splitlines())
        text = f"{top}\n\nOn 2026-05-01 pbem {session.save.header.name} <{HOME}> wrote:\n{copy}\n"
        code, name = code_of(session.save, seat.id, session.referee.q), session.save.header.name
        block = OrderBlock(name, seat.id, code, 1, 1, reply=ReplyText(text))
        mail = DecodedEmail(sender=seat.addresses[0], sender_name=seat.name, text=text)
        letters: Any = [SimpleNamespace(texts=(self.text,))]
        judge = judge_of(session, seat, mail, block, letters, frozenset({HOME}))
        return interpret_reply(block.reply, block, msgspec.structs.replace(judge, current=True)).items


def broken(text: str, columns: int = 24) -> str:
    """A text over several lines, as a narrow letter or a program breaks it."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= columns:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def lost(sent: Sent) -> list[str]:
    """What the letter prints and a reply that says it is not read as."""
    q, found = sent.session.referee.q, []
    for way, meant in sent.answers().items():
        tops = [way, f"{q}: {way}", f"/ {way}", f"- {way}", f"“{way}”"]
        if not all(map(sent.legal, broken(way).splitlines())):  # else they are several answers
            tops += [broken(way), f"{q}: {broken(way)}"]
        for top in tops:
            items = sent.reply(top)
            read = [sent.legal(item.body) for item in items if isinstance(item, Answer) and item.q in (0, q)]
            if read != [meant] or len(items) != 1:
                found.append(f"{top!r}: {items}")
    found += lost_in_words(sent)
    ascii_ones = [(way, meant) for way, meant in sent.answers().items() if way.isascii()][:2]
    for way, meant in ascii_ones:  # an email account without LANG
        items = sent.reply(way, "?")
        if [sent.legal(item.body) for item in items if isinstance(item, Answer)] != [meant] or len(items) != 1:
            found.append(f"{way!r} above a copy in ASCII: {items}")
        if any(isinstance(item, Answer) for item in sent.reply(f"{way}\n\nbut only if Ben agrees", "?")):
            found.append(f"{way!r} with a condition above a copy in ASCII")
    for line in _STANDING.findall(sent.text):
        for top in (line, " ".join(line.split())):
            items = sent.reply(top)
            if [type(item) for item in items] != [StandingOrder]:
                found.append(f"{top!r}: {items}")
    return found


def entries(sent: Sent) -> dict[str, str]:
    """The lines and items of lists in which the email prints an answer with its meaning, and that answer.

    Of several things to pick, two are copied together.
    """
    found: dict[str, str] = {}
    text = sent.text.partition(f"\n\n{sent.session.referee.q}: ?")[0]
    for lines in re.findall(r"^(?![ ·]|/  ).*(?:\n(?:  |/  ).*)*", text, re.MULTILINE):
        order, dash, _ = " ".join(line.strip(" /") for line in lines.split("\n")).partition(" – ")
        order = order.rpartition(": ")[2] if sent.legal(order.rpartition(": ")[2]) else order.rpartition("：")[2]
        if dash and sent.legal(order):
            entry = lines[lines.index(order.split()[0]) :]
            one_line = " ".join(line.strip(" /") for line in entry.split("\n"))
            found |= dict.fromkeys((entry, one_line, one_line.replace(" – ", " - ", 1)), sent.legal(order))
    one = sent.asked.decision
    parts = [option for option in one.options if option.part][:2]
    both = sent.legal(" ".join(option.order for option in parts)) if len(parts) == 2 and one.count else ""
    if both and all(f"\n{option.order} – " in text for option in parts):
        found["\n".join(_line_of(option) for option in parts)] = both
    squeezed = re.sub(r"[\s/]+", "", text)
    for option in (*one.options, one.default, one.added, one.example):
        if option is not None and not option.part and sent.legal(option.order):
            label = named(option, sent.say)
            if re.sub(r"[\s/]+", "", label) in squeezed:
                found[label] = sent.legal(option.order)
    return found


def _line_of(option: Option) -> str:
    return f"{option.order} – {option.face}: {', '.join(option.follows)}"


def buttons(sent: Sent) -> dict[str, str]:
    """The words on the buttons of the page, as a reply that copies them says it, and their answers."""
    said = spoken(sent.asked.decision)
    return {
        f"→ {capital(option.face)}": sent.legal(option.order)
        for option in tapped(sent.brief)
        if said_as(option.face) in said and sent.legal(option.order)
    }


def lost_in_words(sent: Sent) -> list[str]:
    """What the letter prints as the meaning of an answer, and a reply that says it is not read as that answer."""
    q, one, found = sent.session.referee.q, sent.asked.decision, []
    said_for = {said: order for said, order in spoken(one).items() if sent.legal(order)}
    tops = {top: order for said, order in said_for.items() for top in (said, f"{q}: {said}")}
    for option in one.options[:4]:
        if option.face and not option.part:
            tops[f"{q}: {_line_of(option)}"] = option.order
    for said, order in (entries(sent) | buttons(sent)).items():
        tops |= dict.fromkeys((said, f"{q}: {said}"), order)
    for top, order in tops.items():
        items = sent.reply(top)
        if not sent.is_answer(items, order):
            found.append(f"{top!r}: {items}")
    return found


def played(slug: str, language: str, most: int, path, seed: str = "", drawn: str = ""):
    """Letters over random games: one of each kind of question, as far as so many decisions lead to it.

    `drawn`: the language in whose name the games are drawn, if it is another one.
    """
    game, chance, seen = games.load(slug), Random(slug + (drawn or language) + seed), set()
    session, count = None, 0
    while count < most:
        if session is None or session.referee.over:
            session = synthetic_mail.new_game(path / f"{slug}.toml", game, max(game.scenario().seats), attempt=count)
            for info in session.save.seats:
                info.language = language
        referee = session.referee
        for seat in referee.waiting():
            kind = referee.pending_to(seat).kind
            if kind not in seen:
                seen.add(kind)
                yield kind, Sent(session, seat)
        for seat in referee.waiting():
            count, q = count + 1, referee.q
            try:
                referee.submit(seat, referee.domain(seat).sample(chance.randrange), at=stamp(synthetic_mail.START))
            except Rejection:
                continue
            if referee.q != q:
                break


def check(slug: str, language: str, most: int, path) -> int:
    kinds = answers = 0
    for kind, sent in played(slug, language, most, path):
        found = lost(sent)
        assert found == [], f"{kind}: {len(found)} are not read\n" + "\n".join(found[:4])
        kinds, answers = kinds + 1, answers + len(sent.answers())
    assert answers >= kinds > 2
    return kinds


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("slug", GAMES)
def test_what_a_letter_prints_is_read_back(slug, language, tmp_path):
    check(slug, language, 150, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("slug", GAMES)
def test_what_every_kind_of_question_prints_is_read_back(slug, language, tmp_path):
    assert check(slug, language, 12_000, tmp_path) >= 9
