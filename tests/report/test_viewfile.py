"""The file for a player's own programs: whole, readable, and without the secrets of others."""

import random
import re
import tomllib

import pytest

from pbem.kernel.domains import domain_from
from pbem.kernel.view import View
from pbem.orders.context import context_from, context_of
from pbem.report.viewfile import dumps, names_from, view_file, view_from

STATIC = ("names", "aliases", "faces")
"""Words for everything in the box: the same for all seats, at all times."""


@pytest.mark.parametrize("moves", [0, 1, 6, 37, 200, 3000])
def test_survives_toml(play, frame, moves):
    referee = play(moves)
    for seat in (*referee.table.seats, "", "moderator"):
        document = view_file(referee, seat, frame=frame, lines=referee.table.lines, nodes=1500)
        assert tomllib.loads(dumps(document)) == document


def test_view_comes_back(midgame, frame):
    for seat in midgame.table.seats:
        document = tomllib.loads(dumps(view_file(midgame, seat, frame=frame)))
        assert view_from(document) == midgame.game.view(midgame.table, seat)
        assert isinstance(view_from(document), View)


def test_names_come_back(midgame, frame):
    names = names_from(tomllib.loads(dumps(view_file(midgame, "amber", frame=frame))))
    assert names.names == midgame.names.names
    assert names.faces == midgame.names.faces
    assert names.exact("ドイツ諸侯", ["spain", "german_princes"]) == "german_princes"
    assert names.exact("es", ["spain", "german_princes"]) == "spain"


def test_names_hidden_cards_nowhere(play, frame):
    for moves in (0, 6, 37, 200):
        referee = play(moves)
        state = referee.table.state
        for seat in referee.table.seats:
            document = view_file(referee, seat, frame=frame, lines=referee.table.lines)
            text = dumps({key: value for key, value in document.items() if key not in STATIC})
            words = set(re.findall(r"[\w-]+", text))
            others = [card for owner, player in state.players.items() if owner != seat for card in player.hand]
            assert words & set(others + state.deck) == set(), (moves, seat)


def test_two_worlds_one_file(play, frame):
    for moves in (0, 3, 37, 200):
        for seat in play(0).table.seats:
            one, other = play(moves), play(moves)
            other.game.conceal(other.table, seat, random.Random(4).randrange)
            files = [dumps(view_file(r, seat, frame=frame, lines=one.table.lines)) for r in (one, other)]
            assert files[0] == files[1]


def test_static_words_are_the_same_for_all(midgame, play):
    first = view_file(midgame, "amber")
    other = view_file(play(0), "black")
    assert all(first[key] == other[key] for key in STATIC)


def test_domain_is_the_referees(play, frame):
    referee = play(0)
    seat = referee.asked()[0]
    (question,) = tomllib.loads(dumps(view_file(referee, seat, frame=frame)))["questions"]
    domain, truth = domain_from(question["domain"]), referee.domain(seat)
    source = random.Random(1)
    for _ in range(50):
        assert domain.accepts(truth.sample(source.randrange))
        assert truth.accepts(domain.sample(source.randrange))


@pytest.mark.parametrize("moves", [0, 1, 4, 6, 37, 200])
def test_offline_desk_is_the_referees_desk(play, frame, moves):
    referee = play(moves)
    for seat in referee.table.seats:
        document = tomllib.loads(dumps(view_file(referee, seat, frame=frame)))
        away, home = context_from(document), context_of(referee, seat, "g-07")
        for name in ("game", "seat", "seats", "q", "over", "clock", "kinds", "private_press"):
            assert getattr(away, name) == getattr(home, name), name
        assert (away.question is None) == (home.question is None)
        if home.question is not None:
            for name in (
                "q",
                "kind",
                "rule",
                "sealed",
                "talk",
                "answer",
                "default",
                "pace",
                "prompt",
                "about",
                "secret",
            ):
                assert getattr(away.question, name) == getattr(home.question, name), name


def test_log_is_in_both_languages(midgame):
    log = view_file(midgame, "amber", lines=midgame.table.lines)["log"]
    assert len(log) == len(midgame.table.lines)
    assert all(line["en"] and line["ja"] and line["en"] != line["ja"] for line in log)
    drawn = [line["en"] for line in log if line["en"].startswith("You draw")]
    assert drawn
    assert not any(
        line["en"].startswith("You draw") for line in view_file(midgame, "", lines=midgame.table.lines)["log"]
    )


def test_lines_for_others_are_left_out(play):
    referee = play(0)
    referee.table.log_private(("black",), "setup.first", seat="amber")
    assert len(view_file(referee, "amber", lines=referee.table.lines[-1:])["log"]) == 0
    assert len(view_file(referee, "black", lines=referee.table.lines[-1:])["log"]) == 1


def test_texts_of_own_cards_only(play):
    referee = play(0)
    cards = view_file(referee, "amber")["cards"]
    assert set(cards) == set(referee.table.state.players["amber"].hand)
    assert all(set(text) == {"en", "ja"} for text in cards.values())
