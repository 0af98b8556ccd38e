"""Whole games are told in whole sentences: each line, heading and question has its words, its rule and its readers."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.sixteen_thirty import GAME
from pbem.dev import rule_tests
from pbem.dev.rule_test_runner import Script
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from pbem.kernel.rejections import Rejection
from pbem.report.messages import Catalogue

FOLDER = Path(__file__).parents[2] / "cases" / "sixteen_thirty"
LOCALE = Path(__file__).parents[3] / "games" / "sixteen_thirty" / "locale"

LINES = {
    "setup.dealt": ({"set-up"}, "seat", False),
    "setup.first_roll": ({"set-up"}, "", True),
    "setup.first": ({"set-up"}, "", False),
    "turn.player": ({"turn"}, "", False),
    "turn.first": ({"7"}, "", False),
    "deck.shuffled": ({"2"}, "", False),
    "deck.drawn": ({"2"}, "seat", False),
    "hand.discarded": ({"6"}, "seat", False),
    "influence.laid": ({"set-up", "5"}, "", True),
    "influence.turned": ({"4", "5"}, "", False),
    "influence.lost": ({"4", "5"}, "", None),
    "influence.removed": ({"1"}, "", False),
    "exchange.opens": ({"3"}, "", False),
    "exchange.done": ({"3"}, "seat partner", False),
    "exchange.gift": ({"3"}, "seat partner", False),
    "special.played": ({"4"}, "", True),
    "special.improvement": ({"4"}, "", False),
    "special.army": ({"4"}, "", False),
    "special.status": ({"4"}, "", False),
    "special.leader": ({"4"}, "", False),
    "special.assassin": ({"4"}, "", False),
    "special.unrest": ({"4"}, "", False),
    "vote.called.side": ({"5"}, "", False),
    "vote.called.war": ({"5"}, "", False),
    "vote.called.change": ({"5"}, "", False),
    "vote.called.rearm": ({"5"}, "", False),
    "vote.excused": ({"5"}, "", True),
    "vote.cast": ({"5"}, "", True),
    "vote.tied": ({"5"}, "", False),
    "vote.decided": ({"5"}, "", False),
    "vote.joins": ({"5"}, "", False),
    "vote.rearms": ({"5"}, "", False),
    "war.begins": ({"war"}, "", False),
    "war.roll": ({"war"}, "", True),
    "war.totals": ({"war"}, "", False),
    "war.won": ({"war"}, "", False),
    "war.drawn": ({"war"}, "", False),
    "score.turn": ({"7"}, "seat", False),
    "end.roll": ({"7"}, "", True),
    "end.counters": ({"7"}, "", True),
    "end.won": ({"end"}, "", False),
}
"""Line → the rules it may cite, which of its arguments name those who read more than the others, and whether all learn
something hidden from it (None: now and then)."""

ASKS: dict[str, tuple[Any, ...]] = {
    "display": ({"set-up"}, "turn", {()}),
    "remove": ({"1"}, "turn", {("turn",)}),
    "partner": ({"3"}, "turn", {("turn",)}),
    "exchange": ({"3"}, "negotiation", {("turn",)}),
    "special": ({"4"}, "turn", {("turn",)}),
    "call": ({"5"}, "turn", {("turn",)}),
    "place": ({"5"}, "turn", {("turn", "vote"), ("turn", "special", "vote")}),
    "ballot": ({"5"}, "ballot", {("turn", "vote"), ("turn", "special", "vote")}),
    "lost": ({"5"}, "turn", {("turn", "vote"), ("turn", "special", "vote")}),
    "unrest": ({"4"}, "turn", {("turn", "special")}),
    "discard": ({"6"}, "turn", {("turn",)}),
}
"""Question → the rules it may cite, its pace, and the affairs that it may stand in."""

VOTE = {"country", "agenda", "caller"}
ABOUT: dict[str, set[str]] = {
    "display": set(), "remove": set(), "partner": set(), "exchange": {"seat", "partners"}, "special": {"played"},
    "call": set(), "place": VOTE, "ballot": VOTE, "lost": VOTE, "unrest": {"country"}, "discard": {"count"},
}  # fmt: skip
"""Question → the public facts that it is asked with; of a war its target, too."""

CARDS = r"1(-([2-9]|\d\d))? of <card>"
TERMS = r"give=1(-[23])? of <card> want=0-3 x <card> \[votes=vague\|told\]"
WRITTEN = {
    "display": r"[0-3] x <card>",
    "remove": "<card>",
    "partner": r"nobody( \| \w+)+( \[give=1(-[23])? of <card>\] \[want=0-3 x <card>\] \[votes=vague\|told\])?",
    "exchange": rf"(propose (<to> )?{TERMS} \| )?(accept <id> give=<give> \| )?(withdraw <id> \| )?done",
    "special": r"((vote <country> agenda=<agenda> target=<target> place=<place>|assassin <owner> card=<card>"
    r"|(improvement|army|status|leader|unrest) <country>) \| )*pass",
    "call": "<country> agenda=<agenda> target=<target> place=<place> discard=<discard>",
    "place": r"0(-\d+)? of <card>",
    "ballot": rf"pass|<vote>( \[place={CARDS}\]| \[lose=<card>\])?|pass \| enter <vote> place={CARDS}",
    "lost": "<card>",
    "unrest": "<card>",
    "discard": r"[1-9]\d* of <card>",
}
"""Question → how its answer is written."""


def played(seats: int, options: dict, look) -> Referee:
    """A random game to its end; `look` sees the referee at every new question."""
    setup = Setup(GAME.slug, GAME.seats_for(seats), f"{seats:02x}" * 32, "standard", GAME.with_defaults(options))
    referee = Referee.new(GAME, setup)
    chance = Random(4)
    while not referee.over:
        look(referee)
        for seat in referee.waiting():
            q = referee.q
            try:
                referee.submit(seat, referee.domain(seat).sample(chance.randrange))
            except Rejection:  # deals may exclude each other
                continue
            if referee.q != q:
                break
    return referee


class Told(Script):
    """A case whose refusals and questions are kept."""

    def __init__(self, case):
        super().__init__(case, GAME)
        self.problems = []

    def refused(self, said, problem, wanted):
        self.problems.append(problem)
        return super().refused(said, problem, wanted)


@pytest.fixture(scope="module")
def told():
    """All conformance cases, played."""
    scripts = [Told(case) for path in rule_tests.files([FOLDER]) for case in rule_tests.load(path)]
    for script in scripts:
        script.run()
    return scripts


@pytest.fixture(scope="module")
def catalogues():
    box = components_of(GAME, {})[1]
    return [Catalogue(GAME, box, language) for language in ("en", "ja")]


@pytest.fixture(scope="module")
def games(catalogues):
    """Games of each number of players and each house rule, with what was wrong with their questions."""
    wrong: list[Any] = []
    kinds = set()
    seen = set()

    def look(referee):
        for asked in referee.pending():
            rules, pace, trails = ASKS[asked.kind]
            trail = tuple(word for word, _ in referee.table.trail)
            about = ABOUT[asked.kind] | ({"target"} if asked.about.get("agenda") == "war" else set())
            if asked.rule not in rules or asked.pace != pace or trail not in trails or set(asked.about) != about:
                wrong.append((asked.kind, asked.rule, asked.pace, trail))
            written = referee.domain(asked.seat).syntax()
            if not re.fullmatch(WRITTEN[asked.kind], written):
                wrong.append((asked.kind, written))
            kinds.add(asked.kind)
            shape = (asked.kind, *sorted(asked.about), asked.about.get("agenda"), asked.about.get("count"), trail)
            for catalogue in catalogues if shape not in seen else ():
                catalogue.render_prompt(asked)
                catalogue.render_trail(referee.table.trail)
            seen.add(shape)

    house: list[tuple[int, dict]] = [
        (4, {"placing": "clockwise"}),
        (5, {"exchange": "open"}),
        (6, {"neighbours_only": 1}),
    ]
    return [played(seats, options, look) for seats, options in house], wrong, kinds


def test_every_question_is_asked_and_cites_its_rule(games):
    _, wrong, kinds = games
    assert wrong == []
    assert kinds == set(ASKS)


@pytest.fixture(scope="module")
def lines(games, told):
    """All that was told in those games and in all cases, but what a moderator's own hand does."""
    found = [line for referee in games[0] for line in referee.table.lines]
    found += [line for script in told for line in script.referee.table.lines]
    return [line for line in found if line.key != "correction.manual"]


def test_every_line_is_told_and_cites_its_rule(lines):
    assert {line.key for line in lines} == set(LINES)
    assert [line for line in lines if line.rule not in LINES[line.key][0]] == []


def test_who_reads_more_than_the_others(lines):
    for line in lines:
        assert set(line.private or {}) == {line.args[name] for name in LINES[line.key][1].split()}, line
        assert line.only is None


def test_from_which_lines_all_learn_what_was_hidden(lines):
    for line in lines:
        assert LINES[line.key][2] in (None, line.reveals), line
    # A card that was chosen in secret, with others choosing theirs, or one that had to go.
    assert {line.reveals for line in lines if line.key == "influence.lost"} == {True, False}


def test_every_sentence_is_whole_for_every_reader(lines, games, catalogues):
    shapes = {}
    for line in lines:
        private = [tuple(sorted(more)) for more in (line.private or {}).values()]
        shapes[(line.key, *sorted(line.args), line.args.get("count"), *private)] = line
    for line in shapes.values():
        for catalogue in catalogues:
            for seat in ("", *(line.private or {})):
                catalogue.render_line(line, seat)
    assert [sorted(catalogue.missing) for catalogue in catalogues] == [[], []]


def test_every_refusal_is_a_whole_sentence_and_cites_its_rule(told, catalogues):
    problems = [problem for script in told for problem in script.problems]
    needed = {"vote.no_influence", "vote.neutral", "vote.has_side", "vote.has_army", "war.unrest", "war.no_army",
              "war.no_target", "war.same_side", "war.not_adjacent", "exchange.lacking"}  # fmt: skip
    assert needed <= {problem.key for problem in problems}
    for problem in problems:
        assert problem.rule or problem.key.startswith("answer.no_question"), problem
        for catalogue in catalogues:
            catalogue.render_problem(problem)
    assert [sorted(catalogue.missing) for catalogue in catalogues] == [[], []]


GUIDE = {
    "en": {
        "remove": ["loses a vote", "Unrest"],
        "ballot": ["become inferior", "already", "tie"],
        "lost": ["already"],
        "unrest": ["inferior", "already"],
        "special": ["only if it is 0"],
    },
    "ja": {
        "remove": ["投票で敗れる", "不穏"],
        "ballot": ["劣勢になり", "すでに", "同票"],
        "lost": ["すでに"],
        "unrest": ["劣勢", "すでに"],
        "special": ["0のとき"],
    },
}
"""What the rulebook's sections on lost votes, Unrest and battle say, and the guide with them."""


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_guide_says_when_a_pile_turns_inferior_as_the_rules_do(language):
    texts = tomllib.loads((LOCALE / f"{language}.toml").read_text("utf-8"))
    for kind, words in GUIDE[language].items():
        assert all(word in texts[f"guide.{kind}"] for word in words), kind
        assert "more votes than you" not in texts[f"guide.{kind}"]
        assert "誰かより票の少ない" not in texts[f"guide.{kind}"]
