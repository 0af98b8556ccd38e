"""A public beacon: the round named for the day goes into the dice, and nobody can take another one unseen."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.clock.beacon import BadBeacon, Beacon, beacon_of, rounds_of
from pbem.dev import synthetic_mail
from pbem.kernel.game import Setup
from pbem.kernel.journal import BEACON
from pbem.mail.bundle import bundle, decode, encode
from pbem.mail.scheduler.tick import tick_games
from pbem.mail.verify_bundle import verify as verify_bundle
from pbem.save import ClockSettings, Session, verify
from pbem.timestamps import stamp

NAMED = f"{'ab' * 32}:1692803367:3"
NOW = synthetic_mail.START + timedelta(hours=1)
ROUND = beacon_of(NAMED).named(NOW.date())


def value(number: int) -> dict[str, object]:
    signature = hashlib.sha256(b"%d" % number).hexdigest() * 3
    randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
    return {"round": number, "randomness": randomness, "signature": signature}


def lines(*numbers: int) -> str:
    return "".join(json.dumps(value(number)) + "\n" for number in numbers)


@pytest.fixture
def save(tmp_path: Path) -> Path:
    """A game that names the beacon, at its first question."""
    game = games.load("sixteen_thirty")
    setup = Setup(game.slug, game.seats_for(3, ""), "11" * 32, game.scenario("").id, game.with_defaults({}))
    clock = ClockSettings("UTC", dict(game.default_hours))
    session = Session.create(tmp_path / "lit.toml", game, setup, clock=clock, at=synthetic_mail.START, nonces={})
    session.save.post.beacon = NAMED
    synthetic_mail.finish(session)
    return session.path


def tick(save: Path, *numbers: int, days: int = 0) -> list[str]:
    done = tick_games([save], now=NOW + timedelta(days=days), rounds=list(rounds_of(lines(*numbers)))).done
    return done.moderator


def entered(save: Path) -> list[int]:
    return [move.answer["round"] for move in Session.open(save, games.load).moves() if move.kind == BEACON]


def test_the_round_of_a_day_is_the_first_at_or_after_midnight() -> None:
    genesis = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp())
    assert Beacon("", genesis, 30).named(date(2026, 5, 1)) == 1
    assert Beacon("", genesis, 30).named(date(2026, 5, 2)) == 1 + 2880
    assert Beacon("", genesis - 1, 30).named(date(2026, 5, 1)) == 2
    assert Beacon("", genesis + 864000, 30).named(date(2026, 5, 1)) == 0


@pytest.mark.parametrize("text", ["", "drand", "ab:1:2", f"{'ab' * 32}:1692803367:0"])
def test_what_names_no_beacon_is_refused(text: str) -> None:
    with pytest.raises(BadBeacon):
        beacon_of(text)


@pytest.mark.parametrize("change", [{"randomness": "00" * 32}, {"signature": "zz"}, {"round": "one"}])
def test_a_round_whose_value_does_not_follow_from_its_signature_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(BadBeacon, match="line 2"):
        list(rounds_of(lines(1) + json.dumps({**value(2), **change})))


def test_the_round_of_the_day_goes_into_the_dice_once_and_all_are_told(save: Path) -> None:
    assert tick(save, ROUND - 1, ROUND, ROUND + 1) == []
    tick(save, ROUND, ROUND + 1)
    assert entered(save) == [ROUND]
    told = [line.key for line in Session.open(save, games.load).lines(0)]
    assert told.count("beacon.entered") == 1
    tomorrow = ROUND + 86400 // 3
    assert tick(save, ROUND, tomorrow, days=1) == []
    assert entered(save) == [ROUND, tomorrow]
    verify(save, games.load("sixteen_thirty"))


def test_a_missing_round_is_the_moderators_to_find(save: Path) -> None:
    assert f"round {ROUND} of the beacon, for 2026-05-01, is missing" in tick(save, ROUND - 1)[0]
    assert entered(save) == []


def test_later_dice_depend_on_it(save: Path) -> None:
    def rolls(seed: int, number: int) -> list[object]:
        session = Session.open(save, games.load)
        if number:
            session.referee.add_beacon_round(value(number), stamp(NOW))
        synthetic_mail.play(session, lambda referee: False, Random(seed))
        return [line.args["dice"] for line in session.referee.table.lines if "dice" in line.args]

    assert rolls(1, ROUND) == rolls(1, ROUND)
    assert rolls(1, ROUND) != rolls(1, ROUND + 1)


def played(save: Path) -> Session:
    session = Session.open(save, games.load)
    synthetic_mail.play(session, lambda referee: False, Random(4))
    session.commit(NOW)
    return Session.open(save, games.load)


def test_a_stranger_verifies_the_rounds_of_a_finished_game(save: Path) -> None:
    tick(save, ROUND)
    found = verify_bundle(decode(encode(bundle(played(save), "", NOW))), games.load)
    assert (found.wrong, found.beacons, found.replayed) == ([], 1, True)


@pytest.mark.parametrize("number", [ROUND - 1, ROUND + 1])
def test_another_round_than_the_one_named_is_found(save: Path, number: int) -> None:
    """A moderator who takes the round that suits him."""
    session = Session.open(save, games.load)
    session.referee.add_beacon_round({"beacon": NAMED, **value(number)}, stamp(NOW))
    session.commit(NOW)
    found = verify_bundle(bundle(played(save), "", NOW), games.load)
    assert f"round {number} of the beacon, but 2026-05-01 has round {ROUND}" in found.wrong[0]


def test_a_value_of_his_own_is_found(save: Path) -> None:
    session = Session.open(save, games.load)
    mine = {**value(ROUND), "randomness": "42" * 32}
    session.referee.add_beacon_round({"beacon": NAMED, **mine}, stamp(NOW))
    session.commit(NOW)
    found = verify_bundle(bundle(played(save), "", NOW), games.load)
    assert "isn't the SHA-256 of its signature" in found.wrong[0]


def test_a_round_that_a_rewind_takes_back_is_taken_in_again(save: Path) -> None:
    tick(save, ROUND)
    assert CliRunner().invoke(main, ["repair", "rewind", str(save), "0", "--reason", "x"]).exit_code == 0
    assert entered(save) == []
    tick(save, ROUND)
    assert entered(save) == [ROUND]


def test_the_command(save: Path, tmp_path: Path) -> None:
    file = tmp_path / "rounds.jsonl"
    file.write_text(lines(ROUND), "utf-8")
    run = CliRunner()
    words = ["tick", str(save), "--now", stamp(NOW), "--beacon"]
    assert run.invoke(main, [*words, str(file)]).exit_code == 0
    assert entered(save) == [ROUND]
    bad = run.invoke(main, [*words, "-"], input="rubbish\n")
    assert bad.exit_code == 3
    assert "line 1" in bad.output
    refused = run.invoke(main, ["config", "set", str(save), "beacon=drand", "--reason", "x"])
    assert refused.exit_code == 2
    assert "CHAIN:GENESIS:PERIOD" in refused.output
