"""Both languages say the same things, and everything that rooms and games say has words."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import games
import pbem
from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.kernel.referee import components_of
from pbem.orders.advance_queue import FATES as OF_NOTES
from pbem.orders.messages import OF_BLOCKS
from pbem.orders.receipt import Accepted
from pbem.report.messages import Catalogue, placeholders

ROOT = Path(games.__file__).parent
SPOKEN = [f"games.{path.parent.parent.name}" for path in sorted(ROOT.glob("*/locale/en.toml"))]
PLURAL = re.compile(r"\.(one|other)$")
WITHIN = re.compile(r'\bwithin\(\s*"([a-z0-9_.-]+)"')
SAID = re.compile(r'(?:\blog|\broll|RejectionReason|rejection|Notice)\(\s*"([a-z0-9_.-]+\.[a-z0-9_.-]+)"')


REASON = re.compile(r'"((?:order_block|incoming|orders|request|reply|press|negotiation|note)\.[a-z_]+)"')
ORDERS, MAIL = (Path(pbem.__file__).parent / room for room in ("orders", "mail"))


def shape(package: str, language: str) -> Mapping[str, set[str]]:
    """Key without plural forms → placeholders."""
    found: dict[str, set[str]] = {}
    for key, text in messages(package, language).items():
        found.setdefault(PLURAL.sub("", key), set()).update(placeholders(text))
    return found


@pytest.mark.parametrize("package", ["pbem.report", *SPOKEN])
@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_languages_agree(package, language):
    first, other = shape(package, LANGUAGES[0]), shape(package, language)
    assert first
    assert set(first) == set(other)
    assert {key: names for key, names in first.items() if names != other[key]} == {}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("package", ["pbem.report", *SPOKEN])
def test_texts_are_texts(package, language):
    for key, text in messages(package, language).items():
        assert isinstance(text, str), key
        assert text, key
        assert text.count("{") == len(placeholders(text)), f"{key}: a brace that is no placeholder"


@pytest.mark.parametrize("package", ["pbem.report", *SPOKEN])
def test_plurals_come_in_pairs(package):
    texts = messages(package, "en")
    for key in texts:
        if key.endswith(".one"):
            assert f"{key.removesuffix('.one')}.other" in texts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", [entry.slug for entry in games.catalogue() if entry.status == "ready"])
def test_every_kind_of_question_has_a_name(slug, language):
    """Everybody reads what others are asked: `Open: declaring war, asked of Spain`."""
    game = games.load(slug)
    asked = {f"ask.{kind}" for kind in game.question_kinds}
    assert sorted(asked - set(shape(game.package, language)) - set(shape("pbem.report", language))) == []
    say = Catalogue(game, components_of(game, {})[1], language)
    names = [say.label(f"kind.{kind}") for kind in game.question_kinds]
    assert say.missing == set()
    assert [name for name in names if "_" in name] == []


def test_orders_and_mail_have_words():
    """Every reason and every remark that their code gives, and each fate of a line."""
    orders, mail = ("\n".join(path.read_text("utf-8") for path in room.rglob("*.py")) for room in (ORDERS, MAIL))
    documented = set(re.findall(r"`(\w+)`[,;]", Accepted.__doc__.partition("fate>")[2]))
    assert set(OF_NOTES.values()) <= documented
    fates = {f"receipt.result.{fate}" for fate in documented}
    found = {*REASON.findall(orders), *SAID.findall(mail), *fates}
    assert {"orders.late", "request.past", "order_block.cut", "receipt.result.sealed"} <= found
    known = shape("pbem.report", "en")
    assert sorted(found - set(known)) == []
    # What the moderator reads of a block has the same arguments as what its player reads.
    assert {key: set(placeholders(text)) for key, text in OF_BLOCKS.items()} == {key: known[key] for key in OF_BLOCKS}


def arguments_given() -> Iterator[tuple[str, set[str]]]:
    """The reasons and remarks in the code of orders and mail, with the arguments that they get there."""
    for path in (path for room in (ORDERS, MAIL) for path in room.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            match call:
                case ast.Call(ast.Name("rejection"), [ast.Constant(str(key))], named) if all(
                    word.arg for word in named
                ):
                    yield key, {word.arg for word in named}
                case ast.Call(ast.Name("RejectionReason" | "Remark"), [ast.Constant(str(key)), ast.Dict(names), *_]):
                    yield key, {name.value for name in names}
                case ast.Call(ast.Name("RejectionReason" | "Remark"), [ast.Constant(str(key))]):
                    yield key, set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_orders_and_mail_use_what_the_code_gives(language):
    known, given = shape("pbem.report", language), [*arguments_given()]
    assert len(given) > 60
    assert [(key, known[key] - names) for key, names in given if not known[key] <= names] == []


@pytest.mark.parametrize("package", SPOKEN)
def test_what_a_question_stands_in_has_words(package):
    """Else the letter says `within.battle (space=calais)`."""
    texts = ROOT.joinpath(package.rpartition(".")[2]).rglob("*.py")
    found = {key for path in texts for key in WITHIN.findall(path.read_text("utf-8"))}
    assert found
    assert sorted({f"within.{key}" for key in found} - set(shape(package, "en"))) == []


@pytest.mark.parametrize("package", SPOKEN)
def test_what_a_game_says_in_its_code_has_words(package):
    known = set(shape(package, "en")) | set(shape("pbem.report", "en"))
    said = {
        key
        for path in ROOT.joinpath(package.rpartition(".")[2]).rglob("*.py")
        for key in SAID.findall(path.read_text("utf-8"))
    }
    assert said
    assert sorted(said - known) == []


def test_japanese_is_japanese():
    english = re.compile(r"^[\x00-\x7f]*[a-z]{4}[\x00-\x7f]*$")
    for package in ("pbem.report", *SPOKEN):
        texts = messages(package, "ja")
        left = [key for key, text in texts.items() if english.match(re.sub(r"\{.*?\}", "", text))]
        assert left == []


TOML = sorted(path for base in ("pbem", "games") for path in (ROOT.parent / base).glob("*/locale/*.toml"))


@pytest.mark.parametrize("path", TOML, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_line_breaks_are_line_breaks(path):
    r"""`\\n` in TOML is a backslash and an n, which a player then reads."""
    assert [line for line in path.read_text("utf-8").splitlines() if r"\\n" in line] == []
