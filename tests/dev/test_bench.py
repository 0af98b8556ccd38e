from pathlib import Path

import pytest

from games.sixteen_thirty import GAME
from pbem.save import load
from tests.bench import live, measures
from tests.bench.ageing import grow
from tests.toy.planted import toy


@pytest.fixture(scope="module")
def figures():
    return measures.run(GAME, games=2, moves=600)


def test_every_part_of_the_house_is_measured(figures):
    assert set(figures) == {
        *("bare_generator", "live_decisions", "replay_decisions", "leak_pairs", "dice", "shuffle_160"),
        *("view_ms", "report_ms", "text_ms", "html_ms", "resume_ms", "ingest_one_letter_ms"),
        *("store_ms", "full_load_ms", "recent_load_ms", "load_header_ms", "cold_status_ms", "cold_python_ms"),
    }
    assert all(figure.value > 0 and figure.n > 0 for figure in figures.values())
    assert {name for name, figure in figures.items() if figure.unit == "ms"} == {
        name for name in figures if name.endswith("_ms")
    }


def test_the_journal_has_the_length_that_was_asked_for(figures):
    assert figures["full_load_ms"].n == figures["cold_status_ms"].n == 600


def test_of_an_old_game_only_what_follows_the_checkpoint_is_read(tmp_path):
    session = measures._session(GAME, tmp_path / "old.toml")
    tail = session.referee.n - session.save.checkpoint.n
    grow(session, 2_000)
    assert len(load(session.path).moves) == 2_000
    assert len(load(session.path, recent=True).moves) == tail


def test_a_game_that_does_not_play_is_not_measured():
    with pytest.raises(RuntimeError, match="does not play"):
        measures.run(toy(fault="dead_end"), games=2)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="reads /proc")
def test_no_answer_is_lost_at_two_live_tables():
    """Six terminals, six answers; `python -m tests.bench live` has 120 and 600."""
    found = live.run("sixteen_thirty", tables=2, players=3, answers=6, every=0.5, idle=1.0)
    assert (found.seats, found.given, found.lost, len(found.stored)) == (6, 6, [], 6)
    assert found.complete
