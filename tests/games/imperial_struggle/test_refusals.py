"""Every refusal in an Action Round says why: of words that are not legal now, of what stands behind legal ones."""

from random import Random

from games.imperial_struggle import GAME
from games.imperial_struggle.refusals import REASONS
from games.imperial_struggle.table import KIT
from pbem.kernel.answers import LazyMenu
from pbem.kernel.game import Setup
from pbem.kernel.problems import Refused
from pbem.kernel.referee import Referee, components_of
from pbem.report.catalogue import Catalogue

COMPONENTS = components_of(GAME, {})[1]
CATALOGUES = [Catalogue(GAME, COMPONENTS, language) for language in ("en", "ja")]
NAMED = {
    "space": COMPONENTS.spaces,
    "advantage": COMPONENTS.advantages,
    "card": COMPONENTS.events,
    "take": COMPONENTS.investments,
    "reveal": COMPONENTS.ministries,
}
"""Field, or word without fields → what it may be asked for."""


def menus(seeds, every):
    """Menus of Action Rounds of random games."""
    for seed in seeds:
        random = Random(seed)
        setup = Setup(GAME.slug, ("britain", "france"), f"{seed:064x}", options=GAME.with_defaults({}))
        referee = Referee.new(GAME, setup, components=COMPONENTS)
        count = 0
        while not referee.over:
            (seat, *_) = referee.waiting()
            if isinstance(referee.domain(seat), LazyMenu):
                count += 1
                if count % every == seed % every:
                    yield referee.now.domain()
            referee.submit(seat, referee.domain(seat).sample(random.randrange))


def refused(domain, value):
    """The problem with a value, None if it can be taken. It has words in both languages."""
    problem = None
    try:
        domain.check(value)
    except Refused as found:
        problem = found.problem
    if problem is not None:
        for catalogue in CATALOGUES:
            catalogue.render_problem(problem)
            assert not catalogue.missing, problem
    return problem


def test_every_word_has_a_reason():
    assert set(REASONS) == set(KIT.actions)


def test_words_and_what_stands_behind_them():
    seen = set()
    for menu in menus(range(3), 23):
        for word in KIT.actions:
            if word == "ministry":  # only with a pack that leaves cards to the moderator
                continue
            if word not in menu.words:
                problem = refused(menu, word)
                assert problem.key.startswith("no."), (word, problem)
                assert problem.key != "no.nothing", (word, problem)
                seen.add(problem.key)
                continue
            form = menu.entry(word)
            for name, domain in {word: form, **getattr(form, "fields", {})}.items():
                for thing in NAMED.get(name, ()) if hasattr(domain, "source") else ():
                    problem = refused(domain, thing)
                    assert problem is None or problem.key.startswith("no."), (word, thing, problem)
                    seen.add(problem.key if problem is not None else "")
    assert len(seen) > 30


def test_what_is_no_word_stays_unknown():
    for menu in menus((0,), 97):
        for word in ("banana", "york", "conquer"):
            assert refused(menu, word).key == "answer.not_now"
