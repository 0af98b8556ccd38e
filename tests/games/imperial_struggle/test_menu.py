"""What is looked at alone is judged as in the whole list: words of the menu of a round, spaces to shift or sail to."""

from random import Random

from games.imperial_struggle import GAME
from pbem.kernel.domains import LazyChoice, LazyMenu
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of

COMPONENTS = components_of(GAME, {})[1]


def rounds(count):
    """Referees of random games, before each question of a round in which somebody spends."""
    for seed in range(count):
        random = Random(seed)
        setup = Setup(GAME.slug, ("britain", "france"), f"{seed:064x}", options=GAME.with_defaults({}))
        referee = Referee.new(GAME, setup)
        while not referee.over:
            (seat, *_) = referee.waiting()
            if isinstance(referee.domain(seat), LazyMenu):
                yield referee, random
            referee.submit(seat, referee.domain(seat).sample(random.randrange))


def test_alone_and_listed():
    seen = set()
    for count, (referee, random) in enumerate(rounds(1)):
        fresh = referee.now.domain  # the question again, nothing of it looked at
        words = fresh().words
        for word in fresh().possible:
            assert (fresh().form(word) is not None) == (word in words), word
        value = fresh().sample(random.randrange)
        word = value if isinstance(value, str) else value["do"]
        assert word in words
        fresh().check(value)
        if count % 2 or word not in ("shift", "deploy"):
            continue
        space = fresh().form(word).fields["space"]
        assert isinstance(space, LazyChoice)
        listed = list(space.options())
        assert listed
        assert set(listed) == {name for name in COMPONENTS.spaces if space.accepts(name)}
        seen.add(word)
    assert seen == {"shift", "deploy"}
