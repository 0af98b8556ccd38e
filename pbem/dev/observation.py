"""Everything that one seat gets of a game, as bytes to compare: views, questions, rejections, emails, receipts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from pbem import LANGUAGES
from pbem.kernel.domains import Budget, Choice, Domain, LazyMenu, Menu, Subset
from pbem.kernel.game import Game
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.mail.save_index import SaveIndex
from pbem.mail.webhooks import NotifiedState, email_spectators, news
from pbem.orders.apply import execute_block
from pbem.orders.parser import read as read_orders
from pbem.orders.receipt import Receipt
from pbem.orders.reply_form import form, short_form
from pbem.report.build import build
from pbem.report.email_text import position_text, possible_text
from pbem.report.html import as_html
from pbem.report.merge_lines import news_of
from pbem.report.messages import Catalogue
from pbem.report.model import Report, ReportContext, as_json
from pbem.report.question_text import asked_of
from pbem.report.receipt import receipt_text
from pbem.report.short_email import ShortEmail, subject_of, text_of
from pbem.report.short_email_html import page_of
from pbem.report.text import as_text
from pbem.report.viewfile import view_file
from pbem.save import Save, load, store
from pbem.save.schema import Spectator
from pbem.save.session import Loader
from pbem.save.settings import POLICIES, SETTINGS, set_setting
from pbem.site import publish_pages

# What spectators get of a world: pages, emails and webhook events. All of it is compared.

ADDRESS = "lou@onlooker.example"


def watch(save: Save) -> None:
    """Add a spectator who follows the game from now on."""
    save.post.onlookers = [Spectator(ADDRESS, seen=save.header.lines, press=len(save.press))]


MODERATOR = "mod@moderator.example"

_SPREAD: dict[str, tuple[str, ...]] = {
    "zone": ("Europe/Berlin", "America/New_York", "Asia/Kolkata"),
    "days": ("mon,tue,wed,thu,fri,sat,sun", "mon,wed,fri,sat"),
    "quiet": ("", "2026-05-03"),
    "grid": ("-1", "18"),
    "least": ("12", "0"),
    "grace": ("24", "0"),
    "absent_after": ("0", "0", "2"),
    "remind": ("24,2", "24,2", "6"),
    "outage": ("6", "96"),
    "hours": ("", "24", "48", "72"),
    "time_up": ("", *POLICIES),
    "moderator": ("", MODERATOR),
    "plays": ("", "X"),
    "trusted": ("", "mx.games.example"),
    "release": ("0", "0", "0", "0", "5", "5", "-1"),
    "language": LANGUAGES,
    "keep": ("", "raw"),
    "site": ("", "pages"),
    "maps": (),
    "beacon": (),
    "notify": ("", "https://hook.example/pbem"),
    "bank_hours": ("0", "72"),
    "players_may": ("", "moderator"),
}
"""The values of each setting of a save in pairs. For maps see `MailPair`. Committed dice use a beacon."""


def vary(save: Save, seat: str, random: Random) -> None:
    """Choose random settings of a save, the same for the same `random`. A moderator who plays has this `seat`."""
    for name, values in _SPREAD.items():
        for key in [f"{name}.{part}" for part in SETTINGS[name].keys] or [name]:
            value = random.choice(values) if values else ""
            if value or name in ("quiet", "moderator"):
                set_setting(save, key, seat if name == "plays" else value)


class SpectatorObservation:
    """The spectators of one world: the folder of the pages, and the webhook events."""

    def __init__(self, path: Path, load_game: Loader, sender: str) -> None:
        self.path, self.load_game, self.sender = path, load_game, sender
        self.pages = path.parent / "public"
        self.told = ""
        self._known = NotifiedState()

    def look(self, now: datetime, *, pages: bool) -> None:
        """Add what a run of the mail brings them; `pages` cost more than all the rest."""
        if pages:
            publish_pages([self.path], self.pages, now=now, game=self.load_game, languages=LANGUAGES[:1], replay=False)
        save = load(self.path)
        # World B can't notify anybody of what came before its checkpoint.
        since = save.checkpoint.lines if save.checkpoint is not None else 0
        for onlooker in save.post.onlookers:
            onlooker.seen = max(onlooker.seen, since)
        store(self.path, save)
        index = SaveIndex([self.path])
        _, wrong = email_spectators(index, self.path.parent, now=now, sender=self.sender, game=self.load_game)
        if wrong:
            raise RuntimeError(wrong[0])
        save = load(self.path)
        known = msgspec.structs.replace(self._known, lines=max(self._known.lines, since))
        events, self._known = news(self.path, save, known, self.load_game)
        for event in events:
            self.told += f"{now:%d %H:%M} {msgspec.json.encode(event).decode()}\n"

    def got(self) -> str:
        """Return all pages with their names, the other files of their folder, and the events."""
        files = sorted(path for path in self.pages.rglob("*") if path.is_file())
        pages = "".join(f"== {path.relative_to(self.pages)}\n{path.read_text('utf-8')}" for path in files)
        return f"{pages}== events\n{self.told}"


_PROBES = 4
_WORDS_TRIED = 2
"""Extra words tried for each question: known to its kind, most of them not legal now."""
_WORDS = 60
_AROUND = 120
_NEWS = 30
_MORE = ("standing all: pass", "ask all: never", "cancel all", "1: pass", "nonsense: 3 = 4")
_FULL = 8
"""Emails and receipts, which are slow to write, are compared once in this many times."""

_PUBLIC = 3
"""The public view is compared on its own once in this many times: the seat's own view includes it."""

_DRAWN = 4
"""Equal reports are drawn once in this many times: drawings depend on nothing else."""


_MAIL = ("email", "report", "report in HTML", "report in JSON", "view file", "receipt")
_PICTURES = _MAIL[:4]
"""Drawn from a report, including the email from its reply form."""

_FRAME = ReportContext(name="trial", code="0000-0000")


class SeatObservation:
    """A comparison of two worlds as one seat sees them."""

    def __init__(self, game: Game, seat: str, random: Random) -> None:
        self.game, self.seat, self.random = game, seat, random
        self.public = True
        self.words: dict[str, dict[str, None]] = {}
        """The words that each kind of question has accepted so far in this pair, for any seat."""

    def difference(self, a: Referee, b: Referee) -> tuple[str, str, str] | None:
        """Return where the worlds differ to the seat: what, and both versions around the first difference."""
        probes = self.probes(a)
        self.public = self.random.randrange(_PUBLIC) == 0
        one, other = self.gets(a, probes), self.gets(b, probes)
        if self.random.randrange(_FULL) == 0:
            self._mail(a, b, probes, one, other)
        for name, mine in one.items():
            yours = other[name]
            if mine != yours:
                at = next((i for i, (x, y) in enumerate(zip(mine, yours, strict=False)) if x != y), 0)
                start = max(0, at - _AROUND // 2)
                cut = slice(start, start + _AROUND)
                place = f"{name}{_place(mine, yours)}"
                return place, mine[cut].decode("utf-8", "replace"), yours[cut].decode("utf-8", "replace")
        return None

    def gets(self, referee: Referee, probes: list[str]) -> dict[str, bytes]:
        public = {"public view": _bytes(self.game.view(referee.table, ""))} if self.public else {}
        return {
            "own view": _bytes(self.game.view(referee.table, self.seat)),
            **public,
            "clock": _bytes(dict(self.game.calendar(referee.table.state))),
            "who is asked": _bytes([referee.q, referee.asked(), referee.over, referee.table.trail]),
            "result": _bytes(referee.result),
            "number of the next draw": _bytes([referee.table.dice.epoch, referee.table.dice.counter]),
            "questions": _bytes(self.questions(referee)),
            "own question": _bytes(self.own(referee)),
            "proposals": _bytes(self.proposals(referee)),
            "refusals": _bytes(self.refusals(referee, probes)),
            "notes": _bytes([note for note in referee.notes if note.seat == self.seat]),
        }

    def _mail(self, a: Referee, b: Referee, probes: list[str], one: dict[str, bytes], other: dict[str, bytes]) -> None:
        language = self.random.choice(("en", "ja"))
        say = Catalogue(self.game, a.components, language, a.names)
        mine, yours = self._report(a, say), self._report(b, say)
        parts = self.random.sample(_MAIL, 3)
        if mine == yours and self.random.randrange(_DRAWN):
            parts = [part for part in parts if part not in _PICTURES] + ["reply form"]
        one.update(self.mail(a, probes, mine, say, parts))
        other.update(self.mail(b, probes, yours, say, parts))

    def _report(self, referee: Referee, say: Catalogue) -> Report:
        lines = referee.table.lines[-_NEWS:]
        return build(referee, self.seat, say.language, lines=lines, frame=_FRAME, catalogue=say)

    def mail(
        self, referee: Referee, probes: list[str], report: Report, say: Catalogue, parts: list[str]
    ) -> dict[str, bytes]:
        """Return some of: email, reports, the file for the seat's own programs, the receipt for an order email."""
        seat, lines, frame = self.seat, referee.table.lines[-_NEWS:], _FRAME
        tried = ["test", *(f"{referee.q}: {text}" for text in probes[:2]), *probes[2:], *_MORE]
        draw: dict[str, Callable[[], str]] = {
            "reply form": lambda: form(referee, seat, game="trial", code=frame.code),
            "email": lambda: self._email(referee, say, report),
            "report": lambda: as_text(report),
            "report in HTML": lambda: as_html(report),
            "report in JSON": lambda: as_json(report),
            "view file": lambda: _bytes(view_file(referee, seat, frame=frame, lines=lines)).decode(),
            "receipt": lambda: receipt_text(self.receipt(referee, tried), say, frame),
        }
        return {part: draw[part]().encode() for part in parts}

    def _email(self, referee: Referee, say: Catalogue, report: Report) -> str:
        """Return the seat's short email as text and HTML, and the reply to its requests."""
        asked = asked_of(referee, self.seat, say)
        new, left_out = news_of(referee.table.lines[-_NEWS:], self.seat, say, _WORDS)
        shown = ShortEmail(name="trial", asked=asked, due=_FRAME.due, new=new, left_out=left_out, to="a@b.example")
        shown.form_lines = short_form(asked.q if asked else 0, "trial", self.seat, _FRAME.code)
        parts = (subject_of(shown, say), text_of(shown, say), page_of(shown, say))
        return "\n".join((*parts, possible_text(report), position_text(report)))

    def receipt(self, referee: Referee, lines: list[str]) -> Receipt:
        """Return the receipt for an email with these order lines; a `test` line makes it change nothing."""
        orders = "\n".join(lines)
        block = read_orders(f"BEGIN ORDERS trial {self.seat}\n{orders}\nEND ORDERS\n").blocks[0]
        return execute_block(referee, block, game="trial", seat=self.seat, via=f"trial-{referee.n}-{referee.q}")

    def receipt_text(self, referee: Referee, receipt: Receipt) -> str:
        return receipt_text(receipt, Catalogue(self.game, referee.components, "en", referee.names))

    def questions(self, referee: Referee) -> list[Any]:
        """Return the open questions as public data, without who has answered."""
        return [(p.q, p.seat, p.kind, p.rule, p.pace, p.about, p.prompt, p.sealed) for p in referee.pending()]

    def own(self, referee: Referee) -> Any:
        """Return the seat's own question with its options, as the file for programs has it."""
        mine = next((p for p in referee.pending() if p.seat == self.seat), None)
        if mine is None:
            return None
        domain = referee.domain(self.seat)
        return mine, domain.syntax(), domain.describe(Budget())

    def proposals(self, referee: Referee) -> list[Any]:
        if referee.talk is None:
            return []
        return [(p.id, p.by, p.parties, p.signed, terms) for p, terms in referee.talk.seen_by(self.seat)]

    def probes(self, referee: Referee) -> list[str]:
        """Return order texts that the seat might try: a legal one, some with a word changed, words not legal now."""
        known = self._learn_words(referee)
        if self.seat not in referee.asked():
            return []
        domain, random = referee.domain(self.seat), self.random
        words = list(referee.names.names) or ["x"]
        text = domain.text(domain.sample(lambda n: int(random.random() * n)))
        out = [text]
        for _ in range(_PROBES):
            parts = text.split()
            if parts:
                parts[random.randrange(len(parts))] = random.choice(words)
            out.append(" ".join(parts) if random.random() < 0.7 else random.choice(words))
        # Uses its own random numbers, so that the pair stays the same however many words are known.
        out += Random(f"{referee.q} {text}").sample(known, min(_WORDS_TRIED, len(known)))
        return out

    def _learn_words(self, referee: Referee) -> list[str]:
        """Collect the words of the open questions. Return those of the seat's own kind of question, if it has one."""
        mine = ""
        for pending in referee.pending():
            words = self.words.setdefault(pending.kind, {})
            words.update(dict.fromkeys(_words_of(referee.domain(pending.seat))))
            mine = pending.kind if pending.seat == self.seat else mine
        return sorted(self.words.get(mine, ()))

    def refusals(self, referee: Referee, probes: list[str]) -> list[Any]:
        """Return what each probe is answered; a test tries more of them in its place."""
        return [self._parsed_answer(referee, text) for text in probes]

    def _parsed_answer(self, referee: Referee, text: str) -> Any:
        try:
            domain = referee.domain(self.seat)
            return domain.text(domain.parse(text, referee.names))
        except Rejection as refused:
            return refused.problem


def _words_of(domain: Domain) -> list[str]:
    """Return the words with which an answer may begin, and those of the same menu that aren't legal now."""
    if isinstance(domain, LazyMenu):
        return [*domain.possible, *domain.bare]
    if isinstance(domain, Menu):
        return [*domain.table]
    return [str(option) for option in domain.source] if isinstance(domain, Choice | Subset) else []


def _bytes(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=str)


def _place(one: bytes, other: bytes) -> str:
    """Return what leads to the first difference of two JSON values, such as `, hands berta, cards`; "" for texts."""
    try:
        a, b = msgspec.json.decode(one), msgspec.json.decode(other)
    except msgspec.DecodeError:
        return ""
    found = ""
    while type(a) is type(b) and isinstance(a, dict | list):
        keys = [key for key in a if key in b] if isinstance(a, dict) else range(min(len(a), len(b)))
        key: Any = next((key for key in keys if a[key] != b[key]), None)
        if key is None or key == "id":
            break
        a, b = a[key], b[key]
        named = [a[name] for name in ("id", "seat") if name in a] if isinstance(a, dict) else []
        found += f" {' '.join(map(str, named))}" if named else f", {key}" if isinstance(key, str) else ""
    return found
