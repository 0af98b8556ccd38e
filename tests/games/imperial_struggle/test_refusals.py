"""Every refusal in an Action Round says why: of words that are not legal now, of what stands behind legal ones."""

from functools import partial
from random import Random

from games.imperial_struggle import GAME
from games.imperial_struggle.table import KIT
from pbem.kernel.domains import Choice, Domain, Form, LazyMenu, Menu, Subset
from pbem.kernel.game import Setup
from pbem.kernel.questions import Ask
from pbem.kernel.referee import Referee, components_of
from pbem.report.messages import Catalogue
from tests.games.refusing import refusal

COMPONENTS = components_of(GAME, {})[1]
CATALOGUES = [Catalogue(GAME, COMPONENTS, language) for language in ("en", "ja")]
refused = partial(refusal, CATALOGUES)
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
        referee = Referee.new(GAME, setup)
        count = 0
        while not referee.over:
            (seat, *_) = referee.waiting()
            if isinstance(referee.domain(seat), LazyMenu):
                assert isinstance(referee.now, Ask)
                assert not isinstance(referee.now.domain, Domain)
                count += 1
                if count % every == seed % every:
                    yield referee.now.domain()
            referee.submit(seat, referee.domain(seat).sample(random.randrange))


def test_every_word_has_a_reason():
    assert set(KIT.reasons) == set(KIT.actions)


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


THEATERS = [theater.id for war in COMPONENTS.wars.values() for theater in war.theaters]
KINDS = (
    COMPONENTS.spaces, COMPONENTS.advantages, COMPONENTS.ministries, COMPONENTS.events, COMPONENTS.commodities,
    COMPONENTS.investments, THEATERS,
)  # fmt: skip


def parts(domain, below):
    """The choices and picks of a domain: itself, behind each word, and field by field of an answer."""
    if isinstance(domain, Menu):
        for word in domain.words:
            yield from parts(domain.entry(word), below)
    elif isinstance(domain, Form):
        answer = {}
        for name, field in domain.fields.items():
            made = field if isinstance(field, Domain) else field(answer)
            if made is not None:
                yield from parts(getattr(made, "inner", made), below)
                answer[name] = made.sample(below)
    elif isinstance(domain, Choice | Subset):
        yield domain


def test_spaces_cards_and_tiles_of_every_question():
    """Where options are things of the box, each other thing of their kind is refused with a reason."""
    kinds = set()
    for seed in (1, 2):
        random = Random(seed)
        setup = Setup(GAME.slug, ("britain", "france"), f"{seed:064x}", options=GAME.with_defaults({}))
        referee = Referee.new(GAME, setup)
        while not referee.over:
            asked = [(p.kind, referee.domain(p.seat)) for p in referee.pending()]
            for kind, domain in asked if asked[0][0] not in kinds or random.random() < 0.05 else ():
                kinds.add(kind)
                for part in parts(domain, random.randrange):
                    options = [option for option in part.listed if option not in ("none", "box")]
                    for things in KINDS if options else ():
                        if not all(option in things for option in options):
                            continue
                        for thing in set(things) - set(options):
                            problem = refused(part, [thing] if isinstance(part, Subset) else thing)
                            assert problem.key.startswith("no."), (kind, thing, problem)
            (seat, *_) = referee.waiting()[:1]
            referee.submit(seat, referee.domain(seat).sample(random.randrange))
    assert {"tile", "act", "discard", "ministry", "conquer", "place"} <= kinds


def test_an_alias_is_the_word():
    menu = next(menu for menu in menus((0,), 5) if "end" in menu.words)
    for word in ("pass", "skip", "パス"):
        assert refused(menu, word).key == "no.begun"
