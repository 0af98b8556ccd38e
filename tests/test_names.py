"""Names: each class has its own, small modules say why they are apart, and nothing has a name of earlier versions."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from pbem.data_cache import messages

ROOT = Path(__file__).parents[1]
FOLDERS = ("pbem", "games", "tests", "docs", "examples", ".ci")

OLD_MODULES = {
    "pbem": ("jobs locks markup moments patterns post small_files tables trial post trial"),
    "games.crown_of_roses.battle": "after fates order seen selecting",
    "games.crown_of_roses": "constraints_box endings entering land marks roads surprises ties",
    "games.imperial_struggle": "play points wording",
    "games.sixteen_thirty": "chart outlook",
    "games.virgin_queen.constraints": "box",
    "games.virgin_queen.diplomacy": "carry promised talks telling",
    "games.virgin_queen": "displacing forces ground",
    "games.virgin_queen.events": "answers hands reckonings",
    "games.virgin_queen.land": "deserting losing standing",
    "games.virgin_queen.naval": "meeting",
    "games.virgin_queen.winter": "homeward resets ways",
    "pbem.bot": "choosing positions",
    "pbem.cli": "begin completing exits guard look trial versions watch",
    "pbem.kernel": (
        "answers box brake compound described early fiat in_advance lazy_choices loop problems sheets simple "
        "standing together words"
    ),
    "pbem.orders": (
        "answering canonical check clauses codes commands grammar in_force items late nearmiss reply seat_queue "
        "slip trying width"
    ),
    "pbem.orders.replies": "idle judging layout ours parts",
    "pbem.report": (
        "asking brief brief_page brief_receipt catalogue cells data drawn letter letter_map markdown merging "
        "places sheet"
    ),
    "pbem.save": (
        "boxes emit header_times locate moves old_keys origins parse plain proof rehearsing type_errors upgrading zones"
    ),
    "pbem.site": "parts publishing told",
    "pbem.tui": "actions first palette shots",
    "pbem.tui.model": (
        "acting curve depth desk_facts ground leaves letter lines nodes order playing plots reactions seat_desk "
        "senders sides sources threads uses words"
    ),
    "pbem.tui.screens": "answer around choose curtain fill letter room searching talk tell",
    "pbem.tui.widgets": "needle sheet slots",
}
"""Package → its modules of earlier versions."""
OLD_CLASSES = frozenset(
    re.findall(
        r"\w+",
        "ABlock ACard ANoble AShire Ability Acts Addressed Again Ages AnAlly AnswerRoom Asked Assaulting Attempts "
        "Bad BadBox BadFaults BadKey BadRewind BadView BallotRoom Beginning Box Brake Brief Bring Broken Card "
        "Carried Carrier Chooser ClockPolicy Club Compared Components Confirm Crossing Curtain Dealt Discarded "
        "Dispatched Doing Down Draft Drawn Drop Early EarlyNode Errand Exists Extra Failure Faults Fiat Fighting "
        "Figure Figures Fill Flight Forced Frame Fugitives Gathered Giving Goals Grant Habits HandRoom Head Heap "
        "Held Holding In Intake Judge Judged Keep Kept KeptHeaders Known Lack Landing Later Learnt Lens Letter "
        "LetterLine LetterMap LetterRoom LetterText Level Limits Link LogRoom Mail Major MapRoom Mark "
        "MarkingDice Marks ModeratorRoom Moment MoreLeaf Moving Murder Named Naming Near Needle Never NotPlayed "
        "Nothing Number Numbered Observer Occasion Offer Office Onlooker Onlookers Opening OrderLetter Orders "
        "OutLetter Outcome Outgoing Parts Passed Paying Pending Piece Placing Plan PlaySource PlayersRoom Playing "
        "Plots PostPair PostPolicy Press PressItem PressLetter Problem Promised Purse Purses Putting Question "
        "QuestionsRoom Queued Quiet Quotes Raid Raising Reading Redress Refusal Refused Rehearsed Relief Returned "
        "Ride Roll Rolled Room SearchRoom SeatDesk Section Seed Share Sheet SheetRoom SheetTable Shores Sight "
        "Slot SlotForm Sorting Sought Spent Spins Stacks Standing Start Stop Take Takers Taking Talk TalkRoom "
        "Tally Tell Terms TimePassed Try Unknown Unseen Upgrade VerbLeaf Verified Volunteer Walk Way Where "
        "WholeNames Wish Within Word Words Write _Field _Named _Unread",
    )
)
"""Classes of earlier versions whose name nothing has today."""
OLD_DEFINITIONS = frozenset(
    re.findall(
        r"\w+",
        "Author Away Built Call Count Course Crew Effect Event Fault Field Finding Found Ground Item Leaf Line Lines "
        "Moves Note Numbers Open Order Ours Part Place Planted Played Reader Result Return Round Run Said Sent Space "
        "State Step Strip Swap Stack Taken Target Text To Told Turn Use Waiting Ways World",
    )
)
"""Further ones, whose name a library, a type or a word of a game has, too: no class of ours has it.

Of the names in the table only these are those of classes: the ones that it keeps (such as `Move` and `Panel`), and
`Hidden`, `Look` and `Option`, which are others of that name: what the author of a game writes, or a reader chooses.
"""

OLD_FUNCTIONS = {
    "games.crown_of_roses": (
        "alive among anybody anything below bound changed closed settle strip tidy unseen watch watching whole"
    ),
    "games.imperial_struggle": "bounce shut swept unharmed untaken",
    "games.virgin_queen": "afloat agrees always away calm spare stand strangers sudden touched",
    "pbem.bot": "world",
    "pbem.clock": "bites on_grid run stand_still standstills",
    "pbem.dev": "accused grow may_be_learnt plant shortest spread swapped whole_round",
    "pbem.kernel": (
        "at_once by_hand changed culprits enter_beacon facts first_mix fold from_sheets gather happened heard in_full "
        "joined look_anew named nearest no on_sheet outdated play_again proceed reask say speaks spots stand_at "
        "take_whole take_word tell tidy tried wants was"
    ),
    "pbem.mail": (
        "add_wish add_words alone answer_for arrive below brief_of correct crowded deal doubt due_reminders end_time "
        "farewell farewell_delegate flush follow give_defaults give_up hand_out_bundles hold is_here is_up judge "
        "leaves letter_of letter_text missed not_taken note_seen only_wishes pass_in pass_time passes present probe "
        "put_aside reach rehearse release_letters repack room_below settled stand_still substitute take_in "
        "take_leave take_out take_press take_wishes text_of_page time_runs_out to_tell told told_from understudy "
        "unfollow vouched watch wished with_blocks with_reply write_letters"
    ),
    "pbem.orders": (
        "apply beside counts_late faced finished gate is_idle judged kept_press may_go_on near_answer play predict "
        "put_in put_right remarks replace_stops say_fates slip squashed stripped sure sweep tag take_back untouched "
        "ways_to_answer"
    ),
    "pbem.report": "guarded holes mine nothing_to_do of_reports own own_answer rest sheet silence told without_nothing",
    "pbem.site": "tell",
    "pbem.tui": (
        "action_calm aloud dealings_text draw_course draw_dealings let_in put_aside seat_desk spark turn_away "
        "turn_round unsqueezed uses_now wear"
    ),
}
"""Package → its functions and methods of earlier versions; a name that another function of it has today is left out."""

OLD_KEYS = {
    "pbem/report": "short mail fiat talk fate sheet slot what block letter queue note.queue",
    "pbem/mail": (
        "notice farewell onlooker understudy time remind action.watch action.unwatch action.follow action.unfollow "
        "action.fiat action.fiat_tried action.time-up action.unpause action.present quarantine_notice.ahead"
    ),
    "pbem/tui": (
        "room help.room talk letter sheet line.wish line.later line.plan act.let_in act.turn_away act.turn_round "
        "act.jump act.lift act.fiat action.fiat play.curtain"
    ),
    "pbem/site": "figures game.asked",
    "games/crown_of_roses": "short mail talk fate slot",
    "games/imperial_struggle": "short mail talk fate slot what",
    "games/sixteen_thirty": "short mail talk fate slot what",
    "games/virgin_queen": "short mail talk fate slot what",
}
"""Where messages are → the first parts of keys of earlier versions."""

SMALL = 60
"""A module of fewer lines that only one other imports belongs into that one or into a neighbour."""
APART = ("cold start", "import contract", "found by its name", "plug-in")
"""A small module whose docstring gives such a reason is apart."""


@cache
def modules() -> dict[str, tuple[Path, ast.Module]]:
    """The modules of the project by their import path."""
    found = {}
    for path in (path for top in ("pbem", "games") for path in sorted((ROOT / top).rglob("*.py"))):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path, ast.parse(path.read_text("utf-8"))
    return found


@cache
def texts() -> dict[str, str]:
    """The texts of code, tests, docs and examples by their path, without this file."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in [*paths, *ROOT.glob("*.md"), ROOT / "pyproject.toml", ROOT / "hatch_build.py"]
        if path.suffix in (".py", ".md", ".toml") and path != Path(__file__) and path.name != "CHANGELOG.md"
    }


def classes(trees: dict[str, ast.Module]) -> dict[str, list[str]]:
    """The names of classes, and the modules that define them."""
    found = defaultdict(list)
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module)
    return found


def test_a_class_name_that_exists_twice_is_seen():
    trees = {"a": ast.parse("class A: ..."), "b": ast.parse("class B:\n    class A: ...")}
    assert classes(trees) == {"A": ["a", "b"], "B": ["b"]}


def test_each_class_name_exists_once():
    found = classes({name: tree for name, (_, tree) in modules().items()})
    assert found
    twice = {name: homes for name, homes in found.items() if len(homes) > 1}
    assert twice == {}


def importers() -> dict[str, set[str]]:
    """Module → the modules that import it or something of it."""
    found = defaultdict(set)
    for name, (_, tree) in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                wholes = {f"{node.module}.{alias.name}" for alias in node.names}
                for module in {whole if whole in modules() else node.module for whole in wholes}:
                    found[module].add(name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    found[alias.name].add(name)
    return found


def test_a_small_module_with_one_importer_says_why_it_is_apart():
    users = importers()
    small = [
        name
        for name, (path, tree) in modules().items()
        if path.name != "__init__.py"
        and len(path.read_text("utf-8").splitlines()) < SMALL
        and len(users[name] - {name}) == 1
        and not any(word in (ast.get_docstring(tree) or "") for word in APART)
    ]
    assert small == []


def old_paths(text: str) -> list[str]:
    """Import paths and file paths of earlier versions in a text."""
    named = re.findall(r"(?<![\w@./-])((?:pbem|games)(?:[./][a-z_]\w*)+)", text)
    found = []
    for path in named:
        parts = re.split(r"[./]", path)
        for at in range(1, len(parts)):
            package, module = ".".join(parts[:at]), parts[at]
            if module in OLD_MODULES.get(package, "").split():
                found.append(path)
    return found


def test_an_old_path_is_seen():
    text = "from pbem.post.inbox import way\n`pbem/kernel/box.py`; pbem.kernel.loop_of, a/pbem/post, pbem.kernel.dice"
    assert old_paths(text) == ["pbem.post.inbox", "pbem/kernel/box.py"]


def test_no_path_of_an_earlier_version_is_left():
    found = {path: old_paths(text) for path, text in texts().items()}
    assert {path: named for path, named in found.items() if named} == {}


def old_classes(path: str, text: str) -> set[str]:
    """Classes of earlier versions that code uses, or that a text names in backticks."""
    named = {word for span in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\b[A-Z]\w*", span)}
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.ClassDef(name=name) | ast.alias(name=name):
                    named.add(name)
                case ast.Constant(value=str(value)):
                    named.update(re.findall(r"(?<=\w\.)[A-Z]\w*", value))
    return named & OLD_CLASSES


@pytest.mark.parametrize(
    "text", ["def f(a: Refused): ...", "import a\na.Refused", '"""Raises `Refused`."""', 'patch("a.b.Refused.c")']
)
def test_an_old_class_is_seen(text):
    assert old_classes("a.py", text) == {"Refused"}
    assert old_classes("a.py", "# Refused, in a sentence") == set()


def test_no_class_of_an_earlier_version_is_left():
    found = {path: old_classes(path, text) for path, text in texts().items()}
    assert {path: named for path, named in found.items() if named} == {}


def test_no_class_is_called_as_one_of_an_earlier_version():
    found = classes({name: tree for name, (_, tree) in modules().items()})
    assert {name: homes for name, homes in found.items() if name in OLD_CLASSES | OLD_DEFINITIONS} == {}


def old_functions(module: str, tree: ast.Module) -> list[str]:
    """The functions of a module that are called as those of an earlier version of its package."""
    old = next(
        (names.split() for package, names in OLD_FUNCTIONS.items() if f"{module}.".startswith(f"{package}.")), ()
    )
    functions = (node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [name for name in functions if name in old]


def test_an_old_function_is_seen():
    tree = ast.parse("def told(): ...\nclass A:\n    async def own(self): ...")
    assert old_functions("pbem.report.build", tree) == ["told", "own"]
    assert old_functions("pbem.reporting", tree) == []


def test_no_function_is_called_as_one_of_an_earlier_version():
    found = {name: old_functions(name, tree) for name, (_, tree) in modules().items()}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("folder", OLD_KEYS)
def test_no_message_has_the_key_of_an_earlier_version(folder: str, language: str):
    keys = messages(folder.replace("/", "."), language)
    assert keys
    old = tuple(f"{key}." for key in OLD_KEYS[folder].split())
    assert [key for key in keys if f"{key}.".startswith(old)] == []
