"""Emails on the screen of a phone, measured in Chromium: what comes first, its buttons, its contrast, its width.

A page is looked at light and dark, in inverted colours, without its style sheet, with letters of twice their size, and
on screens of several widths. Pictures don't matter: by default an email has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import games
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import question_of
from pbem.report.merge_lines import words_in
from pbem.report.short_email_html import LINK, page_of
from pbem.save import Session
from tests import chromium

ROOT = Path(__file__).parents[2]
LOOK = (Path(__file__).parent / "phone.js").read_text("utf-8")
SAVES = sorted(ROOT.glob("saves/*.toml"))
MOMENTS = sorted(ROOT.glob("tests/report/moments/*.toml"))
FEW = [path for path in SAVES if path.stem in ("1630-ballot", "cor-battle", "is-round", "vq-interception")]
LIGHT, DARK = [255, 255, 255], [18, 18, 18]
WIDTHS = (320, 390, 768, 1200)
LEAST = 4.5
UNITS = "OPS|TRP"
"""What the rules call their points, also in Japanese."""
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
    """The first open question of a save in each language: its language, its page, its buttons' words, ids."""
    session = Session.open(path, games.load)
    for language in ("en", "ja"):
        for info in session.save.seats:
            info.language = language
        for seat in session.referee.asked()[:1]:
            reader = reader_of(session, session.save.seat(seat))
            shown = question_of(session, reader, "pbem@games.example")
            yield language, page_of(shown, reader.say), sorted(reader.say.names.names)


def faults(browser, path: Path, folder: Path) -> Iterator[tuple[str, str, object]]:
    """What is wrong with the pages of a save."""
    for language, page, ids in questions(path):
        file = folder / f"{path.stem}.{language}.html"
        file.write_text(page, "utf-8")
        for fault, found in (*of_source(page), *on_screens(browser, file, language, ids)):
            yield f"{path.stem} {language}", fault, found


def of_source(page: str) -> Iterator[tuple[str, object]]:
    if len(page.encode()) > 10_000:
        yield "bytes", len(page.encode())
    outside = re.findall(r"<svg|<link|<script|data:|https?:|<img", page)
    if outside:
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
