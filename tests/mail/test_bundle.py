"""The dispute file: a stranger verifies it; a change anywhere is found; it holds nothing its reader may not know."""

from __future__ import annotations

import contextlib
import json
from itertools import pairwise
from random import Random
from time import perf_counter

import msgspec
import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.cli.console import Exit
from pbem.dev import synthetic_mail
from pbem.kernel.dice import Dice
from pbem.mail.bundle import Bundle, bundle, decode, encode
from pbem.mail.moderator.game_actions import apply_correction, rewind
from pbem.mail.moderator.journal import Actor
from pbem.mail.verify_bundle import genesis, move_of
from pbem.mail.verify_bundle import verify as verify_with
from pbem.save import Session, chain, rolled_again
from pbem.save import verify as audit
from pbem.timestamps import moment

AT = moment("2026-06-01T12:00:00Z")


def verify(found):
    return verify_with(found, games.load)


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    path = tmp_path_factory.mktemp("ended") / "over.toml"
    session = synthetic_mail.new_game(path, games.load("sixteen_thirty"), 4)
    synthetic_mail.play(session, lambda referee: False, Random(4))
    session.commit()
    return Session.open(path, games.load)


def test_dice_that_take_in_what_was_answered(tmp_path):
    """Every roll is made again from the seed and what it took in; a nonce changed is found."""
    game = games.load("sixteen_thirty")
    made = synthetic_mail.new_game(tmp_path / "x.toml", game, 3)
    nonces = {seat: f"nonce of {seat}" for seat in made.setup.seats}
    session = Session.create(tmp_path / "two.toml", game, made.setup, made.save.seats, at=AT, nonces=nonces)
    synthetic_mail.play(session, lambda referee: False, Random(4))
    session.commit()
    again = Session.open(session.path, games.load)
    assert again.setup.mix
    assert rolled_again(again)[1] == []
    audit(session.path, games.load)
    found = bundle(again, "", AT)
    checked = verify(found)
    assert (checked.wrong, checked.replayed, checked.rolls > 0) == ([], True, True)
    for name in nonces:
        forged = decode(encode(found))
        forged.nonces[name] += "!"
        assert verify(forged).wrong
    plain = json.loads(encode(found))
    plain["draws"][0]["mix"] = "0" * 64
    assert verify(decode(json.dumps(plain).encode())).wrong
    _six(plain)
    assert verify(decode(json.dumps(plain).encode())).wrong


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
    assert {frozenset(link) for link in closed} == {frozenset({"n", "hash", "inner"})}


def test_a_game_that_is_over_is_open_to_all(ended):
    found = bundle(ended, "", AT)
    checked = verify(found)
    assert checked.wrong == []
    assert checked.closed == 0
    assert checked.opened == ended.referee.n
    assert checked.rolls > 0


def _changes(plain):
    """One change of every kind that matters."""
    yield ("answer", lambda b: b["links"][3].update(answer="pass" if b["links"][3].get("answer") != "pass" else "x"))
    yield "hash", lambda b: b["links"][3].update(hash="0" * 64)
    yield ("how", lambda b: b["links"][3].update(how="time" if b["links"][3].get("how") != "time" else "chosen"))
    yield "missing", lambda b: b["links"].pop(3)
    yield "seed", lambda b: b.update(seed="00" * 32)
    yield "head", lambda b: b.update(head="0" * 64)
    yield "seats", lambda b: b["seats"].reverse()
    yield "dice", lambda b: b["rolls"][0].update(dice=[1 + face % 6 for face in b["rolls"][0]["dice"]])
    yield "options", lambda b: b["options"].update(strange=True)
    yield "epochs", lambda b: b.update(epochs=[[0, 1]])
    yield "rewinds", lambda b: b.update(rewinds=[{"n": 0, "epoch": 1}])
    yield "result", lambda b: b["result"]["scores"].update(dict.fromkeys(b["result"]["scores"], 99))
    yield "winners", lambda b: b["result"].update(winners=[b["seats"][-1], b["seats"][0]])
    yield "a forged line", lambda b: b["narration"].__setitem__(7, b["narration"][7] + " Hurrah!")
    yield "a line less", lambda b: b["narration"].pop()
    yield "no rolls", lambda b: b.update(rolls=[])
    yield "a roll less", lambda b: b["rolls"].pop(1)
    yield "a six of another draw", _six
    yield "no shuffles", lambda b: b.update(draws=[draw for draw in b["draws"] if draw["what"] != "shuffle"])
    yield "another deal", lambda b: next(d for d in b["draws"] if d["what"] == "shuffle")["out"].reverse()
    yield "draws in another order", lambda b: b["draws"].reverse()
    yield "inner", lambda b: b["links"][3].update(inner="0" * 64)
    yield "pack", lambda b: b.update(pack_digest="0" * 64)
    yield "rules", lambda b: b.update(rules="0")
    yield "an earlier chain", lambda b: b.update(chain=1)
    yield "an answer that another gave", _given_to_another
    yield "no draws", lambda b: b.update(draws=None)
    yield "no components", lambda b: b.update(pack_digest="")
    yield "nonces for dice that take none", lambda b: b.update(dice=1, nonces={"amber": "x"})
    yield "said to run", lambda b: b.update(over=False, seed="", result={}, draws=None)
    yield "an epoch of choice", lambda b: b.update(rewinds=[{"n": 0, "epoch": 7}], epochs=[[0, 7]])


def _six(b):
    """Instead of a roll, one of as many dice that fell better, and its own draw number: the seed gives it, too."""
    roll = b["rolls"][0]
    for draw in range(1, 5000):
        dice = list(Dice(bytes.fromhex(b["seed"]), 0, draw - 1).roll(len(roll["dice"]), roll["sides"]))
        if max(dice) == 6 and dice != roll["dice"]:
            roll.update(dice=dice, draw=draw)
            return


def _given_to_another(b):
    """Two seats' sealed answers change places, and every hash that follows is made to fit."""
    one, two = next(
        (first, two)
        for first, two in pairwise(b["links"])
        if first["q"] == two["q"] and first.get("answer") != two.get("answer")
    )
    one["answer"], two["answer"] = two["answer"], one["answer"]
    rehash(b)


def rehash(b):
    """What a forger with the seed can work out: every commitment and link of a finished game."""
    found = msgspec.convert(b, Bundle)
    seed, before = bytes.fromhex(found.seed), genesis(found)
    for link in found.links:
        link.commitment = chain.commitment(seed, link.n, link.answer)
        link.inner = chain.inner(move_of(link), link.commitment)
        before = link.hash = chain.joined(before, link.inner)
    b.update(msgspec.to_builtins(found), head=before)


def test_a_file_of_another_format_is_refused(ended):
    raw = json.loads(encode(bundle(ended, "amber", AT))) | {"format": "pbem-bundle-2"}
    assert verify(decode(json.dumps(raw).encode())).wrong == ["format 'pbem-bundle-2'; this pbem reads pbem-bundle-3"]


def test_all_closed_links_set_to_anything_are_found(desk):
    """While the game runs, every link is checked, also those whose moves the reader may not know."""
    desk.ingest(desk.box(desk.mails))
    session = Session.open(desk.save, games.load)
    found = bundle(session, "", AT)
    assert all(not link.commitment for link in found.links)
    assert len(found.links) > 5
    chance = Random(5)
    for field in ("hash", "inner"):
        for at in range(len(found.links)):
            forged = decode(encode(found))
            setattr(forged.links[at], field, chance.randbytes(32).hex())
            assert verify(forged).wrong, (field, at)
    forged = decode(encode(found))
    for link in forged.links:
        link.hash, link.inner = chance.randbytes(32).hex(), chance.randbytes(32).hex()
    wrong = verify(forged).wrong
    assert len([line for line in wrong if "sealed" in line]) == len(forged.links)


@pytest.mark.parametrize("slug", ["sixteen_thirty", "virgin_queen"])
def test_a_thousand_moves_of_six_players_are_verified_in_a_second(tmp_path, slug):
    session = synthetic_mail.new_game(tmp_path / "six.toml", games.load(slug), 6)
    synthetic_mail.play(session, lambda referee: False, Random(6))
    session.commit()
    data = encode(bundle(session, "", AT))
    began = perf_counter()
    checked = verify(decode(data))
    taken = perf_counter() - began
    assert (checked.wrong, checked.replayed) == ([], True)
    assert checked.links > 50
    assert taken < max(1.0, checked.links / 1000)


@pytest.fixture(scope="module")
def corrected(tmp_path_factory):
    """A game that is over, with an action of each kind that leaves a trace: two corrections and a rewind."""
    path = tmp_path_factory.mktemp("corrected") / "over.toml"
    now = AT
    session = synthetic_mail.new_game(path, games.load("sixteen_thirty"), 3)
    synthetic_mail.play(session, lambda referee: referee.n >= 30, Random(4))
    apply_correction(session, Actor("Mona", "a slip", now), "turn=1")
    session.commit()
    rewind(session, Actor("Mona", "once more", now), 28)
    synthetic_mail.play(session, lambda referee: referee.n >= 40, Random(5))
    apply_correction(session, Actor("Mona", "a slip again", now), "turn=1")
    synthetic_mail.play(session, lambda referee: False, Random(6))
    session.commit()
    return bundle(Session.open(path, games.load), "", AT)


_ACTIONS = {
    "a correction less": (lambda b: b["actions"].pop(2), "no action records it"),
    "a rewind less": (lambda b: b["actions"].pop(1), "rewinds of the dice differ from those"),
    "another reason": (lambda b: b["actions"][2].update(reason="x"), "no action records it"),
    "another time": (lambda b: b["actions"][2].update(at="2026-06-02T12:00:00Z"), "no action records it"),
    "another move": (lambda b: b["actions"][2]["args"].update(n=20), "but the move differs"),
    "an odd number": (lambda b: b["actions"][2]["args"].update(n=[1]), "no action records it"),
    "another order": (lambda b: b["actions"].reverse(), "not in the order"),
    "a correction too many": (
        lambda b: b["actions"].append({**b["actions"][0], "id": "d9", "args": {"n": 5}}),
        "but the move differs",
    ),
    "no actions": (lambda b: b["actions"].clear(), "no action records it"),
    "a game that is said to run": (lambda b: b.update(over=False), "isn't over in this file"),
}


@pytest.mark.parametrize("name", _ACTIONS)
def test_what_the_moderator_did_fits_the_moves(corrected, name):
    assert verify(corrected).wrong == []
    assert [action["what"] for action in corrected.actions] == ["fiat", "rewind", "fiat"]
    change, said = _ACTIONS[name]
    plain = json.loads(encode(corrected))
    change(plain)
    wrong = verify(decode(json.dumps(plain).encode())).wrong
    assert any(said in line for line in wrong), wrong


def test_every_change_is_found(ended):
    data = encode(bundle(ended, "", AT))
    for name, change in _changes(None):
        plain = json.loads(data)
        change(plain)
        assert verify(decode(json.dumps(plain).encode())).wrong, name


def _cut(b):
    b["links"].pop()
    b["head"] = b["links"][-1]["hash"]


def _another_story(b):
    b["narration"] = [line + " Hurrah!" for line in b["narration"]]
    for roll in b["rolls"]:
        roll["dice"] = [6] * len(roll["dice"])


def _for_amber(b):
    b["reader"] = "amber"


def _closed(b):
    b["links"] = [{key: link[key] for key in ("n", "hash", "inner")} for link in b["links"]]


@pytest.mark.parametrize("also", [lambda b: None, _cut, _another_story, _for_amber, _closed])
def test_a_finished_game_is_not_praised_as_a_running_one(ended, tmp_path, also):
    """It is found wrong; or, where all links are closed as in a running game, nothing of it is called verified."""
    plain = json.loads(encode(bundle(ended, "", AT)))
    plain.update(over=False, seed="", result={}, draws=None)
    also(plain)
    file = tmp_path / "b.json"
    file.write_text(json.dumps(plain))
    done = CliRunner().invoke(main, ["verify", str(file)])
    if also is _closed:
        assert " 0 open and verified" in done.output
        assert "Dice, story and result are not verified until it is over" in done.output
    else:
        assert done.exit_code == Exit.FAILED_CHECK
        assert "moves of others are open" in done.output


@pytest.mark.parametrize("table", ["press", "receipts", "agreements", "actions"])
def test_what_no_hash_holds_is_named(ended, tmp_path, table):
    file = tmp_path / "b.json"
    file.write_bytes(encode(bundle(ended, "", AT)))
    done = CliRunner().invoke(main, ["verify", str(file)])
    assert done.exit_code == 0
    (line,) = [line for line in done.output.splitlines() if line.startswith("not covered: ")]
    assert table in line


def test_the_command(desk, tmp_path):
    file = tmp_path / "b.json"
    run = CliRunner()
    assert run.invoke(main, ["bundle", str(desk.save), "--seat", "amber", "-o", str(file)]).exit_code == 0
    assert "verified" in run.invoke(main, ["verify", str(file)]).output
    file.write_bytes(file.read_bytes().replace(b'"head": "', b'"head": "0'))
    assert run.invoke(main, ["verify", str(file)]).exit_code == 1
    file.write_text("no")
    assert run.invoke(main, ["verify", str(file)]).exit_code == 3


@pytest.mark.parametrize("seed", ["00" * 32, "not a number", "0"])
def test_the_command_does_not_praise_a_seed_that_is_not_the_one(ended, tmp_path, seed):
    found = bundle(ended, "", AT)
    found.seed = seed
    (tmp_path / "b.json").write_bytes(encode(found))
    result = CliRunner().invoke(main, ["verify", str(tmp_path / "b.json")])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (1, 3)
    assert "committed to\n" not in result.output.partition("WRONG")[0]


def _places(value, path=()):
    """Every place in plain data, the first of each list only."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
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
