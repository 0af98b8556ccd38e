"""Refusals of an action step and of a march: each says why, and nothing that is legal is barred by a reason."""

from functools import partial
from random import Random

from games.crown_of_roses import GAME
from games.crown_of_roses.action import ACTIONS
from games.crown_of_roses.table import KIT
from pbem.kernel.domains import Menu
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from pbem.report.messages import Catalogue
from tests.games.refusing import refusal

COMPONENTS = components_of(GAME, {})[1]
CATALOGUES = [Catalogue(GAME, COMPONENTS, language) for language in ("en", "ja")]
refused = partial(refusal, CATALOGUES)
STEPS = ("go", "boat", "force", "drop", "take", "stop")
SEATS = ("york", "lancaster", "buckingham", "warwick")


def questions(seed, most):
    """The open questions of a random game: the kind of each and what it takes."""
    random = Random(seed)
    setup = Setup(GAME.slug, SEATS[: 2 + seed % 3], f"{seed:064x}", options=GAME.with_defaults({}))
    referee = Referee.new(GAME, setup)
    for _ in range(most):
        if referee.over:
            return
        for asked in referee.pending():
            domain = referee.domain(asked.seat)
            yield asked.kind, getattr(domain, "inner", domain), random
        (seat, *_) = referee.waiting()
        referee.submit(seat, referee.domain(seat).sample(random.randrange))


def test_every_word_has_a_reason():
    assert set(KIT.reasons) == {*ACTIONS, "done"}


def test_words_of_steps_and_marches():
    """A word that is not there has a reason; a word that is there has none."""
    seen = set()
    for seed in range(3):
        for kind, domain, _ in questions(seed, 200):
            words = {"action": (*ACTIONS, "done"), "use": ACTIONS, "march": STEPS}.get(kind, ())
            for word in words if isinstance(domain, Menu) else ():
                problem = domain.why(word)
                if word in domain.words:
                    assert problem is None, (kind, word, problem)
                else:
                    problem = refused(domain, word)
                    assert problem.key.startswith("no."), (kind, word, problem)
                    seen.add(problem.key)
    assert len(seen) > 12, seen


TARGETS = {
    "muster": ("shire", COMPONENTS.shires),
    "influence": ("noble", COMPONENTS.blocks),
    "move": ("origin", COMPONENTS.shires),
    "sail": ("origin", COMPONENTS.shires),
    "go": ("to", COMPONENTS.shires),
    "boat": ("to", COMPONENTS.shires),
    "force": ("to", COMPONENTS.exiles),
}


def test_shires_and_nobles():
    """Each shire or noble is among the choices, or has a reason; never both."""
    seen = set()
    for seed in range(2):
        for kind, domain, random in questions(seed, 200):
            if kind not in ("action", "march") or random.random() > 0.3:
                continue
            for word, (name, things) in TARGETS.items():
                if word not in domain.words:
                    continue
                field = domain.entry(word).fields[name]
                for thing in things:
                    problem = refused(field, thing)
                    assert (problem is None) == (thing in field.listed)
                    assert (field.why(thing) is None) == (problem is None), (word, thing)
                    seen.add(problem.key if problem is not None else "")
    assert len(seen) > 12, seen


OTHERS = {
    "intercept": (("intercept",), {"origin": COMPONENTS.shires}),
    "evade": (("evade",), {"leader": COMPONENTS.blocks, "to": COMPONENTS.shires}),
    "retreat": ((), {"to": COMPONENTS.shires}),
    "pursue": (("discard",), {"card": COMPONENTS.cards}),
    "charge": ((), {"heir": COMPONENTS.blocks, "target": COMPONENTS.blocks}),
    "reinforce": (("bring", "all", "pass"), {"leader": COMPONENTS.blocks}),
    "bid": ((), {"side": SEATS[:2]}),
    "winter": (("pass",), {"noble": COMPONENTS.blocks}),
    "force": ((), {"leader": COMPONENTS.blocks}),
}
"""Kind → its words, and fields with what they may be asked for."""


def test_battles_offices_and_winter():
    """Each word, and each thing of the right kind, that can't be chosen has a reason."""
    seen = set()
    for seed in range(3):
        for kind, domain, random in questions(seed, 600):
            words, fields = OTHERS.get(kind, ((), {}))
            for word in words:
                if word not in domain.words:
                    assert refused(domain, word).key.startswith("no."), (kind, word)
            forms = [domain.entry(word) for word in domain.words] if isinstance(domain, Menu) else [domain]
            for form in forms:
                for name in set(fields).intersection(getattr(form, "fields", ())):
                    choice = form.fields[name]
                    others = sorted(set(fields[name]) - set(choice.listed))
                    for thing in random.sample(others, min(3, len(others))):
                        problem = refused(choice, thing)
                        assert problem.key.startswith("no."), (kind, name, thing, problem)
                        seen.add((kind, problem.key))
    assert len({kind for kind, _ in seen}) >= 5, seen


def test_what_is_no_word_stays_unknown():
    for kind, domain, _ in questions(0, 60):
        if kind in ("action", "march"):
            for word in ("banana", "assault", "pass"):
                assert refused(domain, word).key == "answer.not_now"
