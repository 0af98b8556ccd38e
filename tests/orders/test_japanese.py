"""What our Japanese texts print can be written back: names, words, fields, as people write them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import games
from pbem.dev.random_game import random_setup, sampler
from pbem.kernel.domains import Choice, Domain, Form, Menu, Optional, Reply, Series, Subset
from pbem.kernel.order_words import Names
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS
from pbem.report.messages import Catalogue

READY = [entry.slug for entry in games.catalogue() if entry.status == "ready"]
FEW, MANY = 150, 1500


def moments(slug: str, seed: int, steps: int) -> Iterator[Referee]:
    """A random game, before each of its answers."""
    game, source = games.load(slug), Random(f"japanese:{slug}:{seed}")
    settings = [(scenario.id, seats) for scenario in game.scenarios for seats in scenario.seats.values()]
    setup = random_setup(game, source, *settings[seed % len(settings)])
    referee = Referee.new(game, setup, ask_me=ALWAYS)
    for _ in range(steps):
        if referee.now is None:
            return
        yield referee
        seat = source.choice(referee.waiting())
        try:
            referee.submit(seat, referee.domain(seat).sample(sampler(source)))
        except Rejection:
            continue  # in a negotiation deals may exclude each other


class GameWalk:
    """All words of a domain, sent back in Japanese; `wrong` are those that are refused or read as something else."""

    def __init__(self, say: Catalogue) -> None:
        self.say = say
        self.names: Names = say.names
        self.seen: set[object] = set()
        self.wrong: set[tuple[str, str, str]] = set()

    def domain(self, domain: Domain | None, place: str) -> None:
        if isinstance(domain, (Optional, Reply)):
            self.domain(domain.domain if isinstance(domain, Optional) else domain.inner, place)
        elif isinstance(domain, (Choice, Subset)):
            self.options([str(option) for option in domain.listed], domain.what, place)
        elif isinstance(domain, Menu):
            self.options([*domain.words], "word", place)
            for word in domain.words:
                if (place, word) not in self.seen or self.say.game.slug == "sixteen_thirty":
                    self.seen.add((place, word))
                    self.domain(domain.entry(word), f"{place} {word}")
        elif isinstance(domain, Series):
            self.domain(domain.item([]), place)
        elif isinstance(domain, Form):
            for at, (name, part) in enumerate(domain.fields.items()):
                self.read(self.say.slot(name), name, list(domain.fields), f"{place} {name}=")
                known = part if isinstance(part, Domain) else domain.field(name, {}) if at == 0 else None
                self.domain(known, f"{place} {name}")

    def options(self, options: list[str], what: str, place: str) -> None:
        key = (what, tuple(options))
        if key in self.seen:
            return
        self.seen.add(key)
        for option in options:
            self.read(self.printed(option, what), option, options, place)

    def printed(self, word: str, what: str) -> str:
        """The name in brackets behind an id: `france (フランス)`."""
        shown = self.say.typed(word, what)
        return shown.removeprefix(f"{word} (")[:-1] if shown != word else self.say.name(word)

    def read(self, text: str, meant: str, options: list[str], place: str) -> None:
        alike = {self.names.printed.get(word, word) for word in options if self.printed(word, "") == text}
        try:
            found = str(self.names.pick(text, options))
        except Rejection as refused:
            if refused.problem.key != "answer.ambiguous" or len(alike) < 2:
                self.wrong.add((place, meant, f"{text}: {refused.problem.key}"))
            return
        if self.names.printed.get(found, found) != self.names.printed.get(meant, meant):
            self.wrong.add((place, meant, f"{text}: read as {found}"))


def check(slug: str, seed: int, steps: int) -> None:
    walk = None
    for referee in moments(slug, seed, steps):
        walk = walk or GameWalk(Catalogue(referee.game, referee.components, "ja", referee.names))
        for question in referee.pending():
            walk.domain(referee.domain(question.seat), question.kind)
    assert walk is not None
    assert walk.seen
    assert sorted(walk.wrong) == []


@pytest.mark.parametrize("slug", READY)
def test_every_printed_option_word_and_field_is_read_back(slug):
    check(slug, 0, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize("slug", READY)
def test_every_printed_option_word_and_field_is_read_back_in_whole_games(slug, seed):
    check(slug, seed, MANY)
