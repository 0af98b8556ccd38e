"""What is looked at alone is judged as in the whole list: words of the menu, spaces of a choice."""

from random import Random

import pytest

from games.imperial_struggle import GAME
from games.imperial_struggle.menu import RoundMenu, Spaces
from pbem.kernel.answers import Choice
from pbem.kernel.game import Setup
from pbem.kernel.problems import Refused
from pbem.kernel.referee import Referee, components_of

COMPONENTS = components_of(GAME, {})[1]


def games(count):
    """Referees of random games, before each question of a round in which somebody spends."""
    for seed in range(count):
        random = Random(seed)
        setup = Setup(GAME.slug, ("britain", "france"), f"{seed:064x}", options=GAME.with_defaults({}))
        referee = Referee.new(GAME, setup, components=COMPONENTS)
        while not referee.over:
            (seat, *_) = referee.waiting()
            if isinstance(referee.domain(seat), RoundMenu):
                yield referee, seat, random
            referee.submit(seat, referee.domain(seat).sample(random.randrange))


def fresh(referee, seat):
    """The question again, nothing of it looked at."""
    return referee.now.domain()


def test_alone_and_listed():
    seen = set()
    for count, (referee, seat, random) in enumerate(games(2)):
        words = fresh(referee, seat).words
        for word in random.choices(sorted(fresh(referee, seat).known), k=2):
            assert fresh(referee, seat)._open(word) == (word in words)
        value = fresh(referee, seat).sample(random.randrange)
        word = value if isinstance(value, str) else value["do"]
        assert word in words
        fresh(referee, seat).check(value)
        if count % 3 or word not in ("shift", "deploy"):
            continue
        menu = fresh(referee, seat)
        assert menu._open(word)
        space = menu.entry(word).fields["space"]
        listed = list(space.options())
        assert set(listed) == {one for one in COMPONENTS.spaces if space.accepts(one)}
        assert listed
        assert space.sample(random.randrange) in listed
        seen.add(word)
    assert seen == {"shift", "deploy"}


def menu(**entries):
    return RoundMenu(None, "france", {"end": None, **entries}, None, {"end": 1, "go": 99})


def closed(table, seat, purses):
    """What builds a word that turns out not to be open."""


def test_a_word_that_is_not_open_is_never_sampled():
    shut = menu(go=closed)
    assert {shut.sample(Random(seed).randrange) for seed in range(20)} == {"end"}
    assert menu(go=closed).words == ("end",)


def test_a_word_that_is_not_open_is_refused_like_one_that_does_not_exist():
    shut = menu(go=closed)
    with pytest.raises(Refused, match="not possible here"):
        shut.check({"do": "go", "with": "a"})
    with pytest.raises(Refused, match="not possible here"):
        shut.check("go")
    for wrong in (7, {"do": 7}, {}, "nonsense"):
        with pytest.raises(Refused):
            menu().check(wrong)


def test_an_open_word_is_built_once_and_checked():
    built = []

    def build(table, seat, purses):
        built.append(seat)
        return Choice(("a", "b"))

    open_menu = menu(go=build)
    open_menu.check({"do": "go", "with": "a"})
    with pytest.raises(Refused):
        open_menu.check({"do": "go", "with": "c"})
    with pytest.raises(Refused, match="go"):
        open_menu.check("go")
    with pytest.raises(Refused):
        open_menu.check({"do": "end"})
    assert open_menu.words == ("end", "go")
    assert built == ["france"]


def test_spaces_without_any():
    nothing = Spaces(("a", "b"), lambda space: False)
    assert not nothing.some()
    assert list(nothing.options()) == []


def test_spaces_rarely_fitting_are_found():
    pool = [f"s{n}" for n in range(500)]
    rare = Spaces(pool, lambda space: space == "s77")
    assert {rare.sample(Random(seed).randrange) for seed in range(5)} == {"s77"}
