"""The dispute file: a stranger verifies it; a change anywhere is found; it holds nothing its reader may not know."""

from __future__ import annotations

import contextlib
import json
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.post.bundle import bundle, decode, encode, verify
from pbem.save import Session
from pbem.trial import synthetic_mail

AT = "2026-06-01T12:00:00Z"


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    path = tmp_path_factory.mktemp("ended") / "over.toml"
    session = synthetic_mail.new_game(path, games.load("sixteen_thirty"), 4)
    synthetic_mail.play(session, lambda referee: False, Random(4))
    session.commit()
    return Session.open(path, games.load)


def test_a_running_game_for_one_seat(desk):
    desk.ingest(desk.box(desk.mails))
    session = Session.open(desk.save, games.load)
    found = decode(encode(bundle(session, "amber", AT)))
    checked = verify(found)
    assert checked.wrong == []
    own = [move for move in session.moves() if move.seat == "amber"]
    assert (checked.links, checked.opened, checked.closed) == (
        session.referee.n,
        len(own),
        session.referee.n - len(own),
    )
    assert found.seed == ""
    text = encode(found).decode()
    assert session.save.dice.seed not in text
    for link in found.links:
        assert (link.seat == "amber") == bool(link.commitment)
        assert link.seat in ("", "amber")
    assert not any(address in text for seat in session.save.seats for address in seat.addresses)


def test_what_others_did_is_not_in_it_nor_when_or_how(desk):
    """Two games that differ in how and when another seat answered give the same file but for hashes."""
    desk.ingest(desk.box(desk.mails))
    session = Session.open(desk.save, games.load)
    found = bundle(session, "amber", AT)
    closed = [msgspec.to_builtins(link) for link in found.links if not link.commitment]
    assert closed
    assert {frozenset(link) for link in closed} == {frozenset({"n", "hash"})}


def test_a_game_that_is_over_is_open_to_all(ended):
    found = bundle(ended, "", AT)
    checked = verify(found)
    assert checked.wrong == []
    assert checked.closed == 0
    assert checked.opened == ended.referee.n
    assert checked.rolls > 0


def _changes(plain):
    """One change of every kind that matters."""
    yield (
        "answer",
        lambda b: b["links"][3].update(answer="pass" if b["links"][3].get("answer") != "pass" else "x"),
    )
    yield "hash", lambda b: b["links"][3].update(hash="0" * 64)
    yield (
        "how",
        lambda b: b["links"][3].update(how="time" if b["links"][3].get("how") != "time" else "chosen"),
    )
    yield "missing", lambda b: b["links"].pop(3)
    yield "seed", lambda b: b.update(seed="00" * 32)
    yield "head", lambda b: b.update(head="0" * 64)
    yield "seats", lambda b: b["seats"].reverse()
    yield "dice", lambda b: b["rolls"][0].update(dice=[1 + face % 6 for face in b["rolls"][0]["dice"]])
    yield "options", lambda b: b["options"].update(strange=True)
    yield "epochs", lambda b: b.update(epochs=[[0, 1]])
    yield "rewinds", lambda b: b.update(rewinds=[{"n": 0, "epoch": 1}])
    yield "an epoch of choice", lambda b: b.update(rewinds=[{"n": 0, "epoch": 7}], epochs=[[0, 7]])


def test_a_file_of_the_format_before_is_read(ended):
    found = bundle(ended, "amber", AT)
    raw = json.loads(encode(found))
    raw["format"] = "pbem-bundle-1"
    raw["deeds"], raw["promises"] = raw.pop("actions"), raw.pop("agreements")
    assert decode(json.dumps(raw).encode()) == found


def test_every_change_is_found(ended):
    data = encode(bundle(ended, "", AT))
    for name, change in _changes(None):
        plain = json.loads(data)
        change(plain)
        assert verify(decode(json.dumps(plain).encode())).wrong, name


def test_the_command(desk, tmp_path):
    file = tmp_path / "b.json"
    run = CliRunner()
    assert run.invoke(main, ["bundle", str(desk.save), "--seat", "amber", "-o", str(file)]).exit_code == 0
    assert "verified" in run.invoke(main, ["bundle", "verify", str(file)]).output
    file.write_bytes(file.read_bytes().replace(b'"head": "', b'"head": "0'))
    assert run.invoke(main, ["bundle", "verify", str(file)]).exit_code == 1
    file.write_text("no")
    assert run.invoke(main, ["bundle", "verify", str(file)]).exit_code == 3


@pytest.mark.parametrize("seed", ["00" * 32, "not a number", "0"])
def test_the_command_does_not_praise_a_seed_that_is_not_the_one(ended, tmp_path, seed):
    found = bundle(ended, "", AT)
    found.seed = seed
    (tmp_path / "b.json").write_bytes(encode(found))
    result = CliRunner().invoke(main, ["bundle", "verify", str(tmp_path / "b.json")])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (1, 3)
    assert "committed to\n" not in result.output.partition("WRONG")[0]


def _places(value, path=()):
    """Every place in plain data, the first of each list only."""
    yield path
    items = (
        value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    )
    for key, inner in items:
        yield from _places(inner, (*path, key))


@pytest.mark.parametrize("odd", ["zz", "é", "", -1, 10**30, None, [], {}, [[[]]], "0" * 63])
def test_a_file_from_an_enemy_is_refused_or_found_wrong_never_a_crash(ended, odd):
    plain = json.loads(encode(bundle(ended, "", AT)))
    del plain["links"][3:], plain["narration"][1:]
    for path in _places(plain):
        changed = json.loads(json.dumps(plain))
        holder = changed
        for key in path[:-1]:
            holder = holder[key]
        if path:
            holder[path[-1]] = odd
        found = None
        with contextlib.suppress(ValueError):
            found = decode(json.dumps(changed if path else odd).encode())
        # Cut short above, so that there is always something wrong.
        assert found is None or verify(found).wrong, path
