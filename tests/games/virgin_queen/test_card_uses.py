"""Every use of every card stands in a case (6.1): as event, response, combat card; each option, yes and no."""

from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from games.virgin_queen import GAME
from games.virgin_queen.events import common
from games.virgin_queen.table import KIT
from pbem.dev import rule_tests
from pbem.kernel.referee import components_of

CASES = Path(__file__).parents[2] / "cases" / "virgin_queen"
CARDS = components_of(GAME, {})[1].cards
CHOICES = ("option", "answer")
"""Kinds of questions of `common.ask` whose every word is a use of the card."""


@pytest.fixture(scope="module")
def played():
    """What the cases play: the entries of the kit that ran, the options offered and those chosen."""
    ran, offered, chosen = set(), defaultdict(set), defaultdict(set)
    with pytest.MonkeyPatch.context() as patch:
        for moment, entries in KIT.entries.items():
            for card, entry in list(entries.items()):
                patch.setitem(entries, card, msgspec.structs.replace(entry, run=_noted(entry.run, ran, (moment, card))))
        ask, choose = common.ask, common.choose

        def asked(table, power, card, kind, domain, *more, **about):
            answer = yield from ask(table, power, card, kind, domain, *more, **about)
            if kind in CHOICES:
                offered[card].update(map(_word, domain.options()))
                chosen[card].add(_word(answer))
            return answer

        def chose(table, power, card, kind, found):
            answer = yield from choose(table, power, card, kind, found)
            if kind in CHOICES:
                offered[card].update(map(_word, found))
                chosen[card].add(_word(answer))
            return answer

        patch.setattr(common, "ask", asked)
        patch.setattr(common, "choose", chose)
        report = rule_tests.run(sorted(CASES.glob("*.toml")))
    assert report.passed == report.cases
    return ran, offered, chosen


def _noted(run, ran, key):
    def noted(*args):
        ran.add(key)
        return run(*args)

    return noted


def _word(option):
    """`france/plus` is the use `plus`: whom it is for is no use of its own."""
    return str(option).rpartition("/")[2]


@pytest.mark.slow
def test_every_card_is_played_at_every_moment(played):
    ran, _, _ = played
    uses = {(moment, card) for moment, entries in KIT.entries.items() for card in entries}
    assert not uses - ran
    assert set(CARDS) <= {card for _, card in ran}


@pytest.mark.slow
def test_every_option_is_chosen(played):
    _, offered, chosen = played
    assert not {card: words - chosen[card] for card, words in offered.items() if words - chosen[card]}
    assert {"puritans", "papal-bull", "father-william", "border-reivers"} <= set(offered)
