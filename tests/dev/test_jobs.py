"""Work over processes: the same results in the same order."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from games.sixteen_thirty import GAME
from pbem.dev import fuzz, leak_test, leak_test_mail, rule_tests
from pbem.dev.workers import map_parallel
from tests.bench import matches

ROOT = Path(__file__).parents[2]


def slowly(n: int) -> int:
    time.sleep(0.02 * (n % 3))
    return n * n


def dies(n: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return n


def fails(n: int) -> int:
    if n == 3:
        raise ValueError(n)
    return n


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks(jobs):
    assert list(map_parallel(slowly, range(20), jobs=jobs)) == [n * n for n in range(20)]
    assert list(map_parallel(slowly, [], jobs=jobs)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_may_be_endless(jobs):
    found = map_parallel(slowly, itertools.count(), jobs=jobs)
    assert list(itertools.islice(found, 7)) == [n * n for n in range(7)]
    found.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_is_raised_in_its_place(jobs):
    found = map_parallel(fails, range(9), jobs=jobs)
    assert [next(found), next(found), next(found)] == [0, 1, 2]
    with pytest.raises(ValueError, match="3"):
        next(found)


def test_a_task_that_kills_its_worker_ends_the_work():
    from concurrent.futures.process import BrokenProcessPool

    with pytest.raises(BrokenProcessPool):
        list(map_parallel(dies, range(4), jobs=2))


def test_ctrl_c_ends_the_workers():
    code = (
        # A shell's background jobs ignore Ctrl-C, and hand that on.
        "import signal, time\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from pbem.dev.workers import map_parallel\n"
        "try:\n    for _ in map_parallel(time.sleep, [0, 0, 30, 30, 30], jobs=2): print('one', flush=True)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout.readline() == b"one\n"
        assert process.stdout.readline() == b"one\n"
        began = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        said, wrong = process.communicate(timeout=20)
    assert (said, wrong) == (b"interrupted\n", b"")
    assert time.monotonic() - began < 15
    until = time.monotonic() + 5
    while somebody_of(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert not somebody_of(process.pid)


def somebody_of(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def without_times(result):
    return result.games, result.decisions, result.moves, result.checkpoints, result.careful, result.failures


def test_fuzz_plays_the_same_games():
    one = fuzz.run(GAME, games=9, seed=3)
    two = fuzz.run(GAME, games=9, seed=3, jobs=2)
    assert without_times(one) == without_times(two)
    assert [pace.decisions for pace in one.paces] == [pace.decisions for pace in two.paces]


def test_leaks_plays_the_same_pairs():
    found = [leak_test.run(GAME, 7, jobs=jobs) for jobs in (1, 2)]
    shown = [(trial.pairs, trial.changed, trial.steps, trial.mends, trial.ended, trial.leaks) for trial in found]
    assert shown[0] == shown[1]
    assert shown[0][0] == 7


def test_leaks_plays_the_same_pairs_through_the_post():
    found = [leak_test_mail.run(GAME, 2, seed=1, jobs=jobs) for jobs in (1, 2)]
    for result in found:
        result.seconds = 0.0
    assert found[0] == found[1]
    assert found[0].pairs == 2


def test_matches_are_the_same():
    from pbem.bot import EFFORTS

    one, two = (matches.match(GAME, 3, 2, EFFORTS["low"], jobs=jobs) for jobs in (1, 2))
    assert (one.games, one.wins, one.margin, len(one.thought)) == (2, two.wins, two.margin, len(two.thought))


def test_cases_fail_in_the_same_order(tmp_path):
    folder = ROOT / "tests/cases/sixteen_thirty"
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.toml").write_text("[[case]]\nid = 'x'\n")
    one, two = (rule_tests.run([tmp_path, folder], jobs=jobs) for jobs in (1, 2))
    assert one == two
    assert len(one.failed) == 3
    assert one.cases > 50
