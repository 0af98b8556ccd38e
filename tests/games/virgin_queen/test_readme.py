"""The tables of the README are true: sections with modules and cases, and what is not written."""

import re
from pathlib import Path

import games.virgin_queen
from games.virgin_queen import GAME, coverage, rules
from games.virgin_queen.play import PHASES, SECTIONS
from pbem.trial import cases

HOME = Path(games.virgin_queen.__file__).parent
FOLDER = Path(__file__).parents[2] / "cases" / "virgin_queen"
TEXT = (HOME / "README.md").read_text("utf-8")


def table(heading):
    part = TEXT.split(f"## {heading}", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in part.splitlines() if re.match(r"\| \d", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


WRITTEN = table("Written")
CHAPTERS = {str(n) for n in (2, 3, 5, *range(7, 26), 27)}


def test_modules_and_case_files_exist():
    for section, _, modules, files in WRITTEN:
        for module in re.findall(r"`([^`]+)`", modules):
            assert (HOME / module).exists(), section
        for file in re.findall(r"`([^`]+)`", files):
            assert (FOLDER / file).exists(), section


def test_every_chapter_is_written_or_missing():
    written = {row[0].partition(".")[0] for row in WRITTEN}
    missing = {key for key in coverage.MISSING if "." not in key}
    assert written & missing == set()
    assert written | missing >= CHAPTERS


def test_the_readme_and_the_warning_name_the_same_gaps():
    assert dict(table("Not written")) == coverage.MISSING == GAME.missing


def test_cases_cite_written_sections_only():
    sections = {row[0].partition(".")[0] for row in WRITTEN} | {"28", "29", "30"}  # FAQ, errata, notes
    within = {"23.1", "23.2", "23.3", "23.4", "23.5", "23.6"}  # what the written chapters name of chapter 23
    for path in cases.files([FOLDER]):
        for case in cases.load(path):
            cited = re.findall(
                r"(?<![\d.#])\d{1,2}(?:\.\d+)?(?![\d.])",
                re.sub(r"(rulings?|steps?|exception) [\d, and]*\d(?![\d.])|#\d+", "", case.rule),
            )
            assert cited, case.id
            for section in cited:
                assert section in within or section.partition(".")[0] in sections, (case.id, section)


def test_a_row_with_a_case_file_is_cited_there():
    for section, _, _, files in WRITTEN:
        for file in re.findall(r"`([^`]+)`", files):
            rules_cited = " ".join(case.rule for case in cases.load(FOLDER / file))
            assert re.search(rf"(?<![\d.]){re.escape(section)}(?![\d])", rules_cited) or section == "7", (
                section,
                file,
            )


def test_missing_phases_and_actions_are_those_of_the_gaps():
    gaps = {SECTIONS[phase] for phase in PHASES if phase not in rules.PHASES}
    assert gaps == {"21", "22"}
    families = {action.listed for action in rules.ACTIONS.values()}
    assert not families & {
        "preach_sermons",
        "suppress_heresy",
        "rebellion",
        "gain_intelligence",
        "patronize_artist",
    }
