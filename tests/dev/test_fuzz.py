import gc

import msgspec
import pytest

import games
from pbem.dev import fuzz, rule_tests
from pbem.kernel.referee import components_of
from pbem.kernel.rejections import RejectionReason
from pbem.save import Session, verify
from tests.toy.game import GAME
from tests.toy.planted import toy


def test_sound_game_passes_every_check():
    result = fuzz.run(toy(), games=60, careful=5)
    assert result.failures == []
    assert result.games == 60
    assert result.careful == 14  # the first of each number of seats (0, 1, 2), then every fifth (5, 10 … 55)
    assert result.decisions > 1000
    assert result.checkpoints > 300
    assert result.per_second > 0
    assert result.replayed_per_second > 0


def test_the_toy_is_sound_in_every_scenario():
    result = fuzz.run(GAME, games=40, careful=4)
    assert result.failures == []
    assert result.careful >= len(GAME.scenarios)


def test_a_seed_is_always_the_same_games():
    one, other = (fuzz.run(toy(), games=9, seed=3) for _ in range(2))
    assert (one.decisions, one.moves) == (other.decisions, other.moves)
    assert fuzz.run(toy(), games=9, seed=4).decisions != one.decisions


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("dead_end", "dead_end", "no answer to 'action'"),
        ("crash", "crash", "three is too much"),
        ("lost", "invariant", "cards"),
        ("options", "refused", "is rejected"),
        ("default", "refused", "default 99"),
        ("words", "writing", "reads as"),
        ("endless", "endless", "no end after"),
        ("forgets", "checkpoint", "restart at move"),
        ("outside", "replay", ""),
        ("dice", "audit", "intercept.roll tells [7, 7]"),
    ],
)
def test_a_planted_fault_is_found(fault, kind, words):
    result = fuzz.run(toy(fault=fault), games=40, careful=4, limit=500)
    assert result.count(kind) > 0, [str(failure) for failure in result.failures[:3]]
    assert any(words in failure.why for failure in result.failures if failure.kind == kind)


def test_counts_by_kind():
    result = fuzz.run(toy(fault="dead_end"), games=8)
    assert result.count("dead_end") == len(result.failures) > 4
    assert fuzz.run(toy(fault="forgets"), games=4).count("checkpoint") == 4
    assert fuzz.run(toy(fault="outside"), games=4, careful=0).count("replay") > 0


def test_a_dumped_failure_is_a_save_that_audit_opens(tmp_path):
    game = toy(fault="lost")
    failure = fuzz.run(game, games=30).failures[0]
    path = fuzz.dump(failure, game, tmp_path / "new")
    assert path.name == f"toy-{failure.number}-invariant.toml"
    assert verify(path, game).moves == len(failure.moves)
    assert game.invariants(Session.open(path, lambda slug: game).referee.table)
    assert "invariant" in path.with_suffix(".txt").read_text("utf-8")


def test_a_number_of_seats_that_cannot_be():
    with pytest.raises(ValueError, match="can't be played by 9"):
        fuzz.run(toy(), games=1, seats=9)


def test_progress_is_told_after_each_game():
    seen = []
    fuzz.run(toy(), games=3, progress=lambda result: seen.append(result.games))
    assert seen == [1, 2, 3]


def test_a_game_played_with_care_is_the_same_game():
    one, twin = (fuzz._dealt(toy(), 0, 5, ("standard", ("amber", "blue")), 500) for _ in range(2))
    one.play(False)
    twin.play(True)
    assert (one.digest, one.moves) == (twin.digest, twin.moves)
    twin.digest = "another"
    one.compare(twin)
    assert one.failure.kind == "crash"


def test_a_kind_that_the_game_does_not_name_is_found():
    result = fuzz.run(msgspec.structs.replace(toy(), question_kinds=("lead",)), games=1)
    assert [failure.kind for failure in result.failures] == ["description"]


def test_audited_games_share_one_box_so_that_memory_stays_flat():
    game = games.load("sixteen_thirty")
    box = type(components_of(game, {})[1])
    fuzz.run(game, games=1)
    before = sum(isinstance(thing, box) for thing in gc.get_objects())
    fuzz.run(game, games=2, first=1)
    gc.collect()
    assert sum(isinstance(thing, box) for thing in gc.get_objects()) == before


def test_the_invariants_are_checked_at_every_position():
    seen, wrong = set(), []

    def invariants(table):
        seen.add(table.n)
        return [RejectionReason("rules.custom", {"text": "wrong"})] if table.n in wrong else []

    game = msgspec.structs.replace(toy(), invariants=invariants)
    one = fuzz._dealt(game, 0, 5, ("standard", ("amber", "blue")), 500)
    one.play(False)
    one.replay()
    ends = {move.q: move.n for move in one.moves}  # the last answer to each question
    failures = [one.failure]
    assert seen == {0, *ends.values()}
    assert len(seen) > len(one.marks)
    wrong.append(max(seen - {mark.n for mark in one.marks}))
    one.replay()
    failures.append(one.failure)
    assert failures[0] is None
    assert (failures[1].kind, len(failures[1].moves)) == ("invariant", wrong[0])


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("dead_end", "dead_end", "no answer to 'action'"),
        ("crash", "crash", "three is too much"),
        ("lost", "invariant", "cards"),
    ],
)
def test_what_fuzz_dumps_is_opened_by_check_until_the_fault_is_mended(fault, kind, says, tmp_path):
    game = toy(fault=fault)
    failure = next(found for found in fuzz.run(game, games=40).failures if found.kind == kind)
    path = fuzz.dump(fuzz.shrink(game, failure), game, tmp_path)
    assert path.suffix == ".toml"
    report = rule_tests.run([tmp_path], games=lambda slug: game)
    assert (report.cases, report.passed) == (1, 0)
    assert says in " ".join(report.failed[0].why)
    verify(path, game)
    assert rule_tests.run([tmp_path], games=lambda slug: toy()).passed == 1
