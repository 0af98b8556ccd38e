"""Random games of every kind, read in both languages by everybody: nothing is told by its key."""

import re
from random import Random

import pytest

import games
from pbem import LANGUAGES
from pbem.dev.random_game import random_setup, sampler
from pbem.kernel.domains import Choice
from pbem.kernel.referee import Referee, components_of
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS
from pbem.report.build import build, choices
from pbem.report.messages import Catalogue

STEPS, LOOKS = 900, 60
RAW = re.compile(r"[{}]|\bNone\b|[a-z]_[a-z]|[a-z]/[a-z0-9]|\S  +\S")
"""What only a program would write: keys, holes, blanks where a word is missing."""
IN_PROMPT = re.compile(r"(?<![=_a-z])[a-z]+(?:_[a-z]+)+(?![=_a-z0-9])")
"""The same in a prompt, which may show how a field is written: `give_cards=1`."""


def moments(slug, seed, steps=STEPS):
    """A random game, after each of its answers."""
    game, source = games.load(slug), Random(f"words:{slug}:{seed}")
    settings = [(scenario.id, seats) for scenario in game.scenarios for seats in scenario.seats.values()]
    setup = random_setup(game, source, *settings[seed % len(settings)])
    referee = Referee.new(game, setup, ask_me=ALWAYS)
    for _ in range(steps):
        if referee.now is None:
            break
        seat = source.choice(referee.waiting())
        try:
            referee.submit(seat, referee.domain(seat).sample(sampler(source)))
        except Rejection:
            continue  # in a negotiation deals may exclude each other
        yield referee
    yield referee


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("slug", [entry.slug for entry in games.catalogue() if entry.status == "ready"])
def test_nothing_is_told_by_its_key(slug, seed):
    says, told, raw = {}, 0, set()
    for at, referee in enumerate(moments(slug, seed)):
        if not says:
            says = {
                language: Catalogue(referee.game, referee.components, language, referee.names) for language in LANGUAGES
            }
        lines, told = referee.table.lines[told:], len(referee.table.lines)
        for language, say in says.items():
            for seat in (*referee.table.seats, "moderator"):
                raw |= {text for line in lines if (text := say.render_line(line, seat)) and RAW.search(text)}
            say.render_trail(referee.table.trail)
            for pending in referee.pending():
                assert pending.kind in referee.game.question_kinds
                prompt = say.render_prompt(pending)
                assert prompt
                raw |= {prompt} if IN_PROMPT.search(prompt) else set()
            if at % LOOKS == 0:
                report = build(referee, "moderator", language, catalogue=say)
                raw |= {cell for sheet in report.sheets for row in sheet.rows for cell in row if RAW.search(cell)}
    assert raw == set()
    assert {language: say.missing for language, say in says.items()} == {language: set() for language in LANGUAGES}


@pytest.mark.parametrize(
    ("language", "power", "faith", "use", "treaty"),
    [
        ("en", "protestant (Protestants)", "Protestant", "peace (peace of religion)", "peace"),
        ("ja", "protestant (プロテスタント)", "プロテスタント", "peace (宗教和平)", "和平"),
    ],
)
def test_an_id_with_two_meanings_has_the_name_of_what_is_asked_for(language, power, faith, use, treaty):
    game = games.load("virgin_queen")
    say = Catalogue(game, components_of(game, {})[1], language)

    def offered(word, what):
        (found,) = choices(say, Choice((word,), what))
        return found.words

    assert offered("protestant", "power") == [power]
    assert offered("protestant", "faith") == ["protestant" if language == "en" else f"protestant ({faith})"]
    assert offered("peace", "option") == [use]
    assert say.value("peace") == treaty
    assert say.value({"faith": "protestant"}).endswith(faith)
