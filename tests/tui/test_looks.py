"""Colours and styles, as SVG: a few telling screens. The words are in the text snapshots; these files change rarely."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from pbem import LANGUAGES
from pbem.cli.console import Exit
from pbem.cli.tui import tui_command
from pbem.report.text_width import width
from pbem.report.viewfile import dumps
from pbem.tui.key_bindings import SCREENS
from pbem.tui.screenshots import shoot
from tests.bench import screens
from tests.toy import playing as toy
from tests.tui.helpers import LARGE, SMALL, SNAPSHOTS, go, make_app, running


def same_svg(name: str, svg: str) -> None:
    """As `same_text`."""
    path = SNAPSHOTS / name
    if os.environ.get("PBEM_UPDATE_SNAPSHOTS") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(svg, "utf-8")
    assert svg == path.read_text("utf-8"), f"{name} looks different: PBEM_UPDATE_SNAPSHOTS=1 stores it, to be looked at"


async def settled(app, pilot) -> str:
    """The picture once it stays as it is: a scroll bar is laid out a step after what it scrolls."""
    svg = ""
    for _ in range(40):
        await pilot.pause(0.05)
        last, svg = (svg, re.sub(r"terminal-\d+", "terminal-0", app.export_screenshot(title="pbem", simplify=True)))
        if svg == last:
            return svg
    raise AssertionError("the screen never comes to rest")


@pytest.mark.parametrize(
    ("room", "answers", "size", "language", "theme"),
    [
        ("map", 9, SMALL, "en", "pbem-dark"),
        ("map", 9, LARGE, "ja", "pbem-dark"),
        ("map", 9, SMALL, "en", "pbem-light"),
        ("map", 9, SMALL, "en", "pbem-plain"),
        ("questions", 0, SMALL, "en", "pbem-dark"),
        ("questions", 0, LARGE, "ja", "pbem-light"),
        ("players", 9, LARGE, "en", "pbem-dark"),
        ("log", 9, SMALL, "ja", "pbem-dark"),
    ],
)
async def test_looks(source, room, answers, size, language, theme):
    app = make_app(source(answers, "red"), language, theme=theme)
    async with running(app, size) as pilot:
        await go(pilot, room)
        if room == "questions":
            app.room.draft.read("march riga oslo regulars=2")
            app.room.load_form()
            await pilot.pause()
        same_svg(f"{room}-{size[0]}-{language}-{theme}.svg", await settled(app, pilot))


def test_screenshots_of_every_room(view, tmp_path, monkeypatch):
    monkeypatch.setattr("pbem.tui.model.game_source._loader", toy.load)
    files = list(shoot(view(0, "red").path, tmp_path / "shots"))
    assert [file.stem for file in files] == [*SCREENS, "help"]
    for file in files:
        assert ElementTree.parse(file).getroot().tag.endswith("svg")


def test_wide_letters_have_their_room_in_screenshots(view, tmp_path, monkeypatch):
    monkeypatch.setattr("pbem.tui.model.game_source._loader", toy.load)
    for language in LANGUAGES:
        for file in shoot(view(0, "red").path, tmp_path / language, language=language):
            for row in ElementTree.parse(file).getroot().iter("{http://www.w3.org/2000/svg}text"):
                if "textLength" in row.attrib:
                    assert float(row.attrib["textLength"]) == pytest.approx(12.2 * width(row.text or ""), abs=0.1)


def test_the_command_says_what_is_wrong(tmp_path):
    odd = tmp_path / "odd.toml"
    odd.write_text("a = 1\n")
    result = CliRunner().invoke(tui_command, [str(odd), "--screenshots", str(tmp_path / "shots")])
    assert result.exit_code == Exit.BAD_DATA
    assert "isn't a view file" in result.output


def test_the_bench_view_is_a_view(tmp_path):
    path = tmp_path / "bench.toml"
    screens.write_view(path, spaces=20, rows=30)
    from pbem.tui.model.game_source import open_source

    desk = open_source(path).desk()
    assert (len(desk.view.map), len(desk.sheets("en", of_map=False)[0].rows)) == (20, 30)
    assert dumps(dict(desk.document))


def test_help_of_the_command_is_quick_to_import():
    root = Path(__file__).parents[2]
    code = "import sys; import pbem.cli; sys.exit('textual' in sys.modules or 'rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
