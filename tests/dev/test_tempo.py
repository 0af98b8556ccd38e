"""Rounds of mail: what counts as one, and what whole turns and reaction sheets save."""

from __future__ import annotations

import msgspec
import pytest

import games
from pbem.bot import Effort
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import ASK, SHEET
from tests.bench.tempo import ASKED, HABITS, UNNAMED, PlayerHabits, Tempo, _Mail, _Surprises, measure
from tests.toy import playing as toy

SLOW = PlayerHabits(whole=0, skips=0, offers=0, quiet=0, early=0, form=0, stands=0)
WHOLE = PlayerHabits(whole=1, skips=0, offers=0, quiet=0, early=0, form=0, stands=0)


def played(habits: PlayerHabits, seed: int = 0) -> Tempo:
    found = Tempo()
    setup = msgspec.structs.replace(toy.setup(), seed=f"{seed:064x}")
    _Mail(Referee.new(toy.GAME, setup), habits, f"toy {seed}").play(found)
    return found


def test_letter_by_letter_each_question_is_a_round() -> None:
    found = played(SLOW)
    assert found.kinds["bid"] == found.kinds["negotiation"] == 2
    assert found.kinds["action"] == 12
    assert found.rounds == [found.kinds.total()]


def test_a_whole_turn_is_one_round_until_a_surprise() -> None:
    """Three seats, two rounds, two actions a turn; the first of a round has written with the negotiation."""
    found = [played(WHOLE, seed).kinds["action"] for seed in range(8)]
    assert all(4 <= rounds < 12 for rounds in found)
    assert len(set(found)) > 1


def test_nobody_writes_ahead_of_what_others_do() -> None:
    """All have written in the negotiation; the turns of the second and the third are new rounds all the same."""
    assert min(played(WHOLE, seed).kinds["action"] for seed in range(8)) == 4


def test_an_offer_takes_two_rounds_more() -> None:
    eager = msgspec.structs.replace(SLOW, offers=1)
    assert played(eager).kinds["negotiation"] == 3 * played(SLOW).kinds["negotiation"]


def test_days_follow_from_the_hours_at_which_people_read() -> None:
    slow, quick = (played(msgspec.structs.replace(SLOW, reads=reads)) for reads in (1, 4))
    assert slow.days[0] > 2 * quick.days[0]


def test_whom_an_event_concerns_is_surprised_however_the_seats_are_given() -> None:
    seen, ahead = set[str](), {"red", "blue"}
    held = _Surprises(lambda seat: seat == "green", seen, ahead)
    held.update(seat for seat in ("red", "green"))
    assert (set(held), seen, ahead) == ({"red", "green"}, {"red"}, {"blue"})


def test_policies_save_rounds_in_the_same_games() -> None:
    game, asked = games.load("imperial_struggle"), msgspec.structs.replace(HABITS["usual"], **ASKED)
    one, two = (measure(game, 2, 4, habits, {}) for habits in (HABITS["usual"], asked))
    assert one.turns == two.turns
    assert one.kinds["tile"] == two.kinds["tile"]
    assert sum(one.rounds) < sum(two.rounds)


def test_the_use_of_a_command_card_named_with_it_saves_rounds_in_the_same_games() -> None:
    game, unnamed = games.load("crown_of_roses"), msgspec.structs.replace(HABITS["usual"], **UNNAMED)
    named, asked = (measure(game, 4, 3, habits, {}) for habits in (HABITS["usual"], unnamed))
    assert named.turns == asked.turns
    assert named.kinds["use"] < 0.8 * asked.kinds["use"]
    assert sum(named.rounds) < sum(asked.rounds)


def test_a_policy_that_names_several_windows_is_one_for_each() -> None:
    game = games.load("crown_of_roses")
    setup = Setup(game.slug, game.scenarios[0].seats[3], "00" * 32, game.scenarios[0].id, game.with_defaults({}))
    referee = Referee.new(game, setup)
    mail = _Mail(referee, msgspec.structs.replace(HABITS["usual"], policy=1), "policies")
    while referee.pending()[0].kind != "command":
        for seat in referee.waiting():
            mail._answer(seat)
    seat = referee.waiting()[0]
    mail._take_policies(seat)
    assert {kind for owner, kind, _ in mail.policies if owner == seat} == {"intercept", "evade", "plan", "respond"}


def test_bots_can_answer() -> None:
    game = games.load("imperial_struggle")
    (found,) = {tuple(measure(game, 2, 1, HABITS["eager"], {}, effort=Effort(0.1)).rounds) for _ in range(2)}
    assert 10 < found[0] < 200


@pytest.mark.slow
def test_sheets_save_rounds_in_crown_of_roses() -> None:
    game = games.load("crown_of_roses")
    sheet, ask = (measure(game, 4, 12, HABITS["usual"], {"reactions": how}) for how in (SHEET, ASK))
    assert sum(sheet.rounds) < 0.9 * sum(ask.rounds)


def test_games_side_by_side_are_the_same() -> None:
    game = games.load("sixteen_thirty")
    one, two = (measure(game, 3, 4, HABITS["usual"], {}, jobs=jobs) for jobs in (1, 2))
    assert one == two
    assert len(one.rounds) == 4
