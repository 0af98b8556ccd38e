import re

import msgspec
import pytest

import games
from pbem import LANGUAGES
from pbem.data_cache import _flat, messages
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import AdvanceNote, PendingQuestion
from pbem.kernel.rejections import RejectionReason, rejection
from pbem.kernel.table import LogLine
from pbem.report.build import build
from pbem.report.messages import Catalogue, placeholders


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


def catalogue(language="en"):
    game = games.load("sixteen_thirty")
    from pbem.kernel.referee import components_of

    return Catalogue(game, components_of(game, {})[1], language)


@pytest.fixture
def en():
    return catalogue("en")


@pytest.fixture
def ja():
    return catalogue("ja")


# -- values


def test_ids_become_names(en, ja):
    assert en.value("german_princes") == "German Princes"
    assert ja.value("german_princes") == "ドイツ諸侯"


def test_lists(en, ja):
    assert en.value(["spain", "france", "poland"]) == "Spain, France and Poland"
    assert en.value(["spain", "france"], "or") == "Spain or France"
    assert ja.value(["spain", "france"]) == "スペイン、フランス"
    assert en.value([]) == "none"
    assert ja.value(()) == "なし"
    assert en.value(["spain"]) == "Spain"


def test_mappings(en, ja):
    assert en.value({"spain": 3, "france": 1}) == "Spain 3, France 1"
    assert ja.value({"spain": 3}) == "スペイン 3"
    assert en.value({"give": ["spain-1a"], "to": "amber"}) == "gives: Spain 1; to: Amber"


def test_forms(en):
    assert en.value(2, "signed") == "+2"
    assert en.value(-1, "signed") == "-1"
    assert en.value([3, 5], "dice") == "3 + 5"
    assert en.value("spain", "raw") == "spain"
    assert en.value("a choice", "what") == "a choice"
    assert en.value(True) == "yes"
    assert en.value("england 3") == "England 3"
    assert en.value(None) == "none"
    assert not en.missing


def test_escapes_in_arguments_do_not_reach_the_reader(en):
    assert "\x1b" not in en.text("answer.unknown", word="\x1b]0;x\x07")


def test_plural(en, ja):
    assert en.text("deck.drawn", seat="amber", count=1) == "Amber draws 1 card."
    assert en.text("deck.drawn", seat="amber", count=4) == "Amber draws 4 cards."
    assert ja.text("deck.drawn", seat="amber", count=1) == "琥珀がカードを1枚引きました。"


def test_a_number_takes_the_word_that_fits_it(en, ja):
    en._texts["x.met"] = "{seat} meets {n:old friend/old friends} of {other:or}."
    said = [en.text("x.met", seat="amber", n=n, other=["black", "green"]) for n in (0, 1, 2)]
    assert said == [
        f"Amber meets {words} of Black or Green." for words in ("0 old friends", "1 old friend", "2 old friends")
    ]
    assert placeholders(en._texts["x.met"]) == ["seat", "n", "other"]


def test_a_word_with_a_number_is_in_the_readers_language(ja):
    """As in a list of what brought points: `sweden 2` is a country, `war 1` a word, `assassin 2` has a message."""
    said = {
        "sweden 2": "スウェーデン 2",
        "assassin 2": "暗殺者 2枚",
        "war -1": "開戦 -1",
        "2 1": "2 1",
        "nowhere 3": "nowhere 3",
    }
    said |= {"spain/war": "スペイン/開戦", "spain/war 2": "スペイン/開戦 2", "spain/": "スペイン/", "/": "/"}
    assert {word: ja.value(word) for word in said} == said


def test_a_pair_of_ids_becomes_two_names(en, ja):
    assert en.value("black-ivory") == "Black and Ivory"
    assert "-" not in ja.value("black-ivory")
    assert en.value("black-zzz") == "black-zzz"


def test_a_name_takes_its_article_and_needs_no_verb_in_the_singular(en, ja):
    """The Princes are many: no line says that they "wins"."""
    said = en.text("influence.laid", seat="amber", cards=["spain-1a"], country="german_princes")
    assert said == "Amber lays Spain 1 in the German Princes."
    assert en.text("influence.laid", seat="amber", cards=[], country="spain").endswith("in Spain.")
    assert en.value(["spain", "netherlands"], "the") == "Spain and the Netherlands"
    assert ja.value("netherlands", "the") == "オランダ"
    verb = re.compile(r"(?:^|[.:;] )\{(country|target|attacker|defender|winner|loser)(:the)?\} (is|has|[a-z]+s)\b")
    texts = messages("games.sixteen_thirty", "en")
    assert {key: text for key, text in texts.items() if verb.search(text)} == {}


def test_what_is_missing_is_named_by_its_slot(en, ja):
    assert (en.value("origin", "what"), ja.value("origin", "what")) == ("origin", "出発地")
    assert not en.missing
    assert not ja.missing


def test_variant_by_argument(en):
    assert en.text("deck.drawn", seat="amber", count=0) == "Amber draws nothing: deck and discards are empty."
    assert "war with Spain" in en.text("ask.ballot", country="france", caller="amber", agenda="war", target="spain")


def test_missing_key_is_told_and_noted(en):
    assert en.text("no.such", seat="amber", n=3) == "no.such (seat=Amber, n=3)"
    assert en.text("no.such") == "no.such"
    assert en.missing == {"no.such"}


def test_missing_argument_stays_visible(en):
    assert en.text("setup.first") == "{seat} {seat:is/are} the first player."
    assert en.missing == {"setup.first:{seat}"}


def test_label_falls_back_to_names(en):
    assert en.label("col.amber") == "Amber"
    assert not en.missing
    assert en.label("col.nonsense") == "nonsense"
    assert en.missing == {"col.nonsense"}


def test_unknown_language_reads_english():
    assert catalogue("fr").text("word.yes") == "yes"


def test_tables_are_prefixes():
    assert dict(_flat({"a": {"b": "x", "c.private": "y"}, "d": "z"}, "")) == {"a.b": "x", "a.c.private": "y", "d": "z"}


# -- lines


def test_line_for_some_only(en):
    line = LogLine("setup.first", {"seat": "amber"}, only=("amber",))
    assert en.render_line(line, "amber") == "Amber is the first player."
    assert en.render_line(line, "black") is None
    assert en.render_line(line, "") is None
    assert en.render_line(line, MODERATOR) == "Amber is the first player."


def test_private_line(en):
    line = LogLine("deck.drawn", {"seat": "amber", "count": 1}, "2", private={"amber": {"cards": ["spain-3a"]}})
    assert en.render_line(line, "amber") == "You draw Spain 3. [2]"
    assert en.render_line(line, "black") == "Amber draws 1 card. [2]"
    assert en.render_line(line, "") == "Amber draws 1 card. [2]"
    assert en.render_line(line, MODERATOR) == "Amber draws 1 card. (only Amber reads: You draw Spain 3.) [2]"
    assert not en.missing


def test_rule_without_number_has_a_name(en, ja):
    assert en.rule("13.2") == "[13.2]"
    assert ja.rule("war") == "[戦争]"
    assert en.rule("") == ""


# -- problems, prompts, notes


def test_problem(en, ja):
    problem = rejection("answer.not_now", word="sapin", near=["spain", "sweden"], rule="5").problem
    assert en.render_problem(problem) == "'sapin' isn't possible here. (possible: spain, sweden) [5]"
    assert ja.render_problem(problem).endswith("（可能なもの：spain (スペイン), sweden (スウェーデン)） [5]")


def test_every_problem_of_a_vote_has_words(en, ja):
    for key in ("vote.neutral", "war.same_side", "war.not_adjacent"):
        problem = RejectionReason(key, {"country": "france", "target": "spain"})
        for say in (en, ja):
            assert key not in say.render_problem(problem)
            assert not say.missing


def test_prompt_with_what_it_stands_in(en):
    pending = PendingQuestion(7, "amber", "lost", "5", "turn", {"country": "spain"}, {}, "ask.lost", None, False, False)
    trail = [("turn", {"seat": "amber", "turn": 2}), ("vote", {"country": "spain", "agenda": "change"})]
    assert en.render_trail(trail) == "Turn 2, Amber > Vote in Spain (change of side)"
    assert en.render_prompt(pending) == "You lost the vote in Spain. Which card of your inferior pile goes? [5]"


def test_secret_facts_fill_the_prompt_of_their_seat(en):
    pending = PendingQuestion(1, "amber", "x", "", "turn", {}, {"count": 2}, "ask.discard", None, False, False)
    assert "discard 2 cards" in en.render_prompt(pending)


@pytest.mark.parametrize(
    "key", ["advance.used", "advance.held", "advance.stopped", "advance.failed", "standing.used", "standing.failed"]
)
def test_notes(language, key):
    say = catalogue(language)
    problem = rejection("answer.malformed", rule="5").problem if key.endswith("failed") else None
    said = say.render_note(AdvanceNote("amber", key, "call spain", problem))
    assert "call spain" in said
    assert said.endswith("[5]") == key.endswith("failed")
    assert not say.missing


def test_order_text_with_faces(en):
    assert en.faced("vote=war place=spain-1a,spain-2c") == "vote=war place=spain-1,spain-2"
    assert en.faced("spain-1a open-1b@spain") == "spain-1 open-1@spain"


# -- a whole game has words


@pytest.mark.parametrize("options", [{}, {"placing": "clockwise", "exchange": "open"}], ids=["sealed", "open"])
@pytest.mark.parametrize("chance", [1, 2])
def test_random_game_has_words_for_everything(play, language, options, chance):
    """Every line, prompt, label and table of a whole game, for players, public and moderator."""
    referee = play(0, seats=3 + chance, chance=chance, **options)
    say = Catalogue(referee.game, referee.components, language, referee.names)
    import random

    source, step, told = random.Random(chance), 0, 0
    while not referee.over and step < 700:
        for pending in referee.pending():
            assert say.render_prompt(pending)
            say.render_trail(referee.table.trail)
        if step % 40 == 0:
            for seat in (*referee.table.seats, "", MODERATOR):
                build(referee, seat, language, lines=referee.table.lines[told:], catalogue=say)
            told = len(referee.table.lines)
        seat = source.choice(referee.waiting())
        referee.submit(seat, referee.domain(seat).sample(source.randrange))
        step += 1
    for seat in (*referee.table.seats, "", MODERATOR):
        report = build(referee, seat, language, lines=referee.table.lines, catalogue=say)
        bare = [line.text for line in report.news if "{" in line.text or line.text.split(" ")[0] in KEYS(referee)]
        assert bare == []
    assert say.missing == set()


def KEYS(referee):
    return {line.key for line in referee.table.lines}


def test_report_without_names_or_game():
    assert Catalogue(None, language="ja").text("word.yes") == "はい"
    assert msgspec.to_builtins(LogLine("a", {}))["only"] is None


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", "enter <vote> place=1 of <card> | <houses in order> | <1-3> of <ip10> [unless <seat>]"),
        ("ja", "enter <票> place=1 of <カード> | <家系を順に> | <1-3> of <ip10> [unless <プレイヤー>]"),
    ],
)
def test_the_slots_of_a_syntax_are_in_the_readers_words_and_what_is_typed_stays(language, written):
    syntax = "enter <vote> place=1 of <card> | <houses in order> | <1-3> of <ip10> [unless <seat>]"
    assert Catalogue(None, None, language).syntax(syntax) == written
