"""Emails on the screen of a phone, measured in Chromium: what comes first, its buttons, its contrast, its width.

A page is looked at light and dark, in inverted colours, without its style sheet, with letters of twice their size, and
on screens of several widths. Pictures don't matter: by default an email has none.
"""

from __future__ import annotations

import lzma
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

import games
from pbem.clock.policy import Stage
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.mail.outbox.email_parts import add_receipt
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import compose_email, question_of
from pbem.mail.outbox.write import requested_email
from pbem.mail.scheduler import reminders
from pbem.orders.apply import execute_block
from pbem.orders.parser import read
from pbem.orders.reply_form import last_line, short_form
from pbem.report.merge_lines import words_in
from pbem.report.messages import Catalogue
from pbem.report.question_text import asked_of
from pbem.report.short_email import ShortEmail, text_of
from pbem.report.short_email_html import LINK, page_of
from pbem.save import Session
from tests import chromium

ROOT = Path(__file__).parents[2]
LOOK = (Path(__file__).parent / "phone.js").read_text("utf-8")
SAVES = sorted(ROOT.glob("saves/*.toml"))
MOMENTS = sorted(ROOT.glob("tests/report/moments/*.toml*"))
AXE = Path(os.environ.get("PBEM_AXE") or ROOT / "node_modules/axe-core/axe.min.js")
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
SENDER = "pbem@games.example"
GAMES = [entry.slug for entry in games.catalogue() if entry.status == "ready"]
FEW = [path for path in SAVES if path.stem in ("1630-ballot", "cor-battle", "is-round", "vq-interception")]
LIGHT, DARK = [255, 255, 255], [18, 18, 18]
WIDTHS = (320, 390, 768, 1200)
LEAST = 4.5
OUTSIDE = re.compile(r"<svg|<link|<script|data:|https?:|<img")
UNITS = r"OPS|TRP|USA|[IVX]+世"
"""What the rules call their points, the USA flags and kings, also in Japanese."""
NO_STYLE = """document.querySelectorAll("style").forEach(node => node.remove());
document.querySelectorAll("[class]").forEach(node => node.removeAttribute("class"));"""
TWICE = """for (const node of document.querySelectorAll("[style]"))
  if (node.style.fontSize) node.style.fontSize = 2 * parseFloat(node.style.fontSize) + "px";"""

pytestmark = pytest.mark.skipif(bool(chromium.MISSING), reason=chromium.MISSING)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = chromium.launch(tmp_path_factory.mktemp("browser"))
    yield found
    found.quit()


def questions(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """The first open question of a save in each language: its language, its page, ids."""
    session = Session.open(path, games.load)
    for language in ("en", "ja"):
        for info in session.save.seats:
            info.language = language
        for seat in session.referee.asked()[:1]:
            reader = reader_of(session, session.save.seat(seat))
            shown = question_of(session, reader, SENDER)
            yield language, page_of(shown, reader.say), sorted(reader.say.names.names)


def faults(browser, path: Path, folder: Path) -> Iterator[tuple[str, str, object]]:
    """What is wrong with the pages of a save."""
    if path.suffix == ".xz":
        packed, path = path, folder / path.stem
        path.write_bytes(lzma.decompress(packed.read_bytes()))
    for language, page, ids in questions(path):
        file = folder / f"{path.stem}.{language}.html"
        file.write_text(page, "utf-8")
        for fault, found in (*of_source(page), *on_screens(browser, file, language, ids)):
            yield f"{path.stem} {language}", fault, found


def of_source(page: str) -> Iterator[tuple[str, object]]:
    if len(page.encode()) > 10_000:
        yield "bytes", len(page.encode())
    if outside := OUTSIDE.findall(page):
        yield "outside", outside


def on_screens(browser, file: Path, language: str, ids: list[str]) -> Iterator[tuple[str, object]]:
    for scheme, bare in (("light", LIGHT), ("dark", DARK)):
        chromium.screen(browser, 390, scheme=scheme)
        browser.get(file.as_uri())
        seen = browser.execute_script(LOOK, bare)
        yield from of_screen(seen, language, ids)
        for kind, found in seen["contrast"].items():
            if found[0] < LEAST and (kind == "plain" or scheme == "light"):  # what is dark is not inverted
                yield f"contrast {scheme} {kind}", found
    for wide in WIDTHS:
        chromium.screen(browser, wide)
        if (found := browser.execute_script("return document.documentElement.scrollWidth")) > wide:
            yield f"sideways at {wide}", found
    chromium.screen(browser, 390)
    browser.execute_script(NO_STYLE)
    bare = browser.execute_script(LOOK, LIGHT)
    yield from ((f"{fault} without style", found) for fault, found in of_screen(bare, language, ids))
    browser.execute_script(TWICE)
    if (found := browser.execute_script("return document.documentElement.scrollWidth")) > 390:
        yield "sideways at twice the size", found


def of_screen(seen, language: str, ids: list[str]) -> Iterator[tuple[str, object]]:
    """What is wrong with a page on a screen of 390 pixels."""
    for fault, wrong in {
        "question of more than two lines": seen["head"] > 2,
        "deadline": seen["due"] >= 200,
        "first button": seen["first"] >= 440,
        "buttons": not 1 <= len(seen["links"]) <= 8,
        "low button": min(seen["heights"]) < 44,
        "buttons too close": min(seen["gaps"], default=8) < 8,
        "long button": any(max(rows) > 3 for rows in seen["rows"]),
        "long link": max(map(len, seen["links"])) > LINK,
        "tag of several lines": any(lines != 1 for lines in seen["tag"]),
        "words": words_in(seen["text"]) > 180,
        "pictures": bool(seen["pictures"]),
    }.items():
        if wrong:
            yield fault, {key: seen[key] for key in ("head", "due", "first", "rows", "tag")}
    keys = {word for word in ids if "_" in word or "-" in word}
    for label in seen["labels"]:
        said = re.sub(UNITS, "", label)
        latin = language == "ja" and re.search(r"[A-Za-z]{3}", said)
        if latin or re.search(r"[_=<]", said) or keys & set(re.findall(r"[a-z][\w-]*", said)):
            yield "button that isn't words", label


@pytest.mark.parametrize("path", [
    *(pytest.param(path, id=path.stem) for path in FEW),
    *(pytest.param(path, id=path.stem, marks=pytest.mark.slow) for path in (*SAVES, *MOMENTS) if path not in FEW),
])  # fmt: skip
def test_a_question_is_decided_on_the_first_screen(browser, path, tmp_path):
    assert [*faults(browser, path, tmp_path)] == []


# -- other emails: only the question's page has to be short ------------------------------------------------------------


def others(name: str, language: str) -> Iterator[tuple[str, str]]:
    """The other emails to the first seat that is asked in a save, as pages."""
    for kind in ("receipt", "refusal", "reminder", "send state", "send cards", "send log", "help"):
        session = Session.open(ROOT / "saves" / f"{name}.toml", games.load)
        info = session.save.seat(session.referee.asked()[0])
        info.language, info.told.letters, info.told_q = language, 1, session.referee.q
        info.seen = session.save.header.lines
        yield kind, page_to(session, info.id, kind)


def page_to(session: Session, seat: str, kind: str) -> str:
    info = session.save.seat(seat)
    reader, referee, name = reader_of(session, info), session.referee, session.save.header.name
    pending = referee.pending_to(seat)
    if kind == "reminder":
        section = reminders.section_for(
            session, info, Stage(pending.q, seat, "half", NOW + timedelta(hours=9)), NOW, SENDER
        )
        return reminders.reminder_email([section]).html
    if kind not in ("receipt", "refusal"):
        return requested_email(session, reader, kind, SENDER).html
    found = asked_of(referee, seat, reader.say)
    answer = next(option.order for option in found.decision.options if not option.part)
    line = answer if kind == "receipt" else "burn the <b>fleet</b>"
    (block,) = read(f"BEGIN ORDERS {name} {seat}\n{line}\nEND ORDERS").blocks
    add_receipt(
        session, execute_block(referee, block, game=name, seat=seat, via="m1", at="2026-05-01T12:00:00Z"), "m1", NOW
    )
    return compose_email(session, reader, news_for(session, info), SENDER).html


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", [
    "cor-battle",
    *(pytest.param(path.stem, marks=pytest.mark.slow) for path in FEW if path.stem != "cor-battle"),
])  # fmt: skip
def test_every_other_email_fits_too(browser, name, language, tmp_path):
    for kind, page in others(name, language):
        file = tmp_path / "page.html"
        file.write_text(page, "utf-8")
        chromium.screen(browser, 390)
        browser.get(file.as_uri())
        seen = browser.execute_script(LOOK, LIGHT)
        wrong = {
            "sideways": seen["wide"] > 390,
            "low button": min(seen["heights"], default=44) < 44,
            "buttons": kind != "receipt" and not 1 <= len(seen["links"]) <= 8,
            "buttons too close": min(seen["gaps"], default=8) < 8,
            "deadline": kind in ("refusal", "reminder") and seen["due"] >= (240 if kind == "refusal" else 200),
            "first button": kind in ("refusal", "reminder") and seen["first"] >= 440,
            "contrast": min(found[0] for found in seen["contrast"].values()) < LEAST,
            "outside": OUTSIDE.search(page) is not None,
        }
        browser.execute_script(NO_STYLE + TWICE)
        wrong["twice the size"] = browser.execute_script("return document.documentElement.scrollWidth") > 390
        assert (kind, [fault for fault, found in wrong.items() if found]) == (kind, [])


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: npm install --no-save axe-core")
@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", [path.stem for path in FEW])
def test_axe_finds_nothing_in_an_email(browser, name, language, tmp_path):
    first = next(page for spoken, page, _ in questions(ROOT / "saves" / f"{name}.toml") if spoken == language)
    for kind, page in (("question", first), *others(name, language)):
        file = tmp_path / "page.html"
        file.write_text(page, "utf-8")
        for scheme in ("light", "dark"):
            chromium.screen(browser, 390, scheme=scheme)
            browser.get(file.as_uri())
            browser.execute_script(AXE.read_text("utf-8"))
            found = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
            said = [(fault["id"], [node["html"][:200] for node in fault["nodes"]][:3]) for fault in found["violations"]]
            assert (kind, scheme, said) == (kind, scheme, [])
            assert found["passes"]


# -- every kind of question --------------------------------------------------------------------------------------------


def kinds(slug: str, language: str) -> Iterator[tuple[str, ShortEmail, Catalogue]]:
    """An email with each kind of question that random games come to."""
    game, chance, seen = games.load(slug), Random(49), set[str]()
    for scenario in (game.scenarios * 4)[:8]:
        seats = scenario.seats[max(scenario.seats)]
        options = game.with_defaults({})
        referee = Referee.new(game, Setup(slug, seats, f"{chance.getrandbits(256):064x}", scenario.id, options))
        for _ in range(900):
            if referee.over:
                break
            for seat in referee.waiting():
                kind = referee.pending_to(seat).kind
                if kind not in seen:
                    seen.add(kind)
                    say = Catalogue(game, referee.table.c, language, referee.names)
                    shown = ShortEmail(name="g-07", asked=asked_of(referee, seat, say), due=NOW, zone="Europe/Paris")
                    shown.form_lines = short_form(shown.asked.q, shown.name, seat, "3f9c-a1d2")
                    shown.last, shown.legend = last_line(shown.name, referee.q), say.text("email.legend")
                    shown.reader, shown.to = f"{game.title[language]} · {say.name(seat)}", SENDER
                    yield kind, shown, say
            seat = chance.choice(referee.waiting())
            try:
                referee.submit(seat, referee.domain(seat).sample(chance.randrange))
            except Rejection:
                continue


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("slug", GAMES)
def test_every_kind_of_question_is_decided_on_the_first_screen(browser, slug, language, tmp_path):
    wrong, count = [], 0
    for kind, shown, say in kinds(slug, language):
        page = page_of(shown, say)
        file = tmp_path / f"{kind}.html"
        file.write_text(page, "utf-8")
        found = [*of_source(page), *on_screens(browser, file, language, sorted(say.names.names))]
        found += [("words of the text", words)] if (words := words_in(text_of(shown, say))) > 130 else []
        wrong += [(kind, fault) for fault in found]
        count += 1
    assert wrong == []
    assert count >= 5
