"""A game from the moderator's end: begin, look, take letters in, take things back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import games
from pbem.cli.console import Exit
from pbem.dev import synthetic_mail
from pbem.mail.inbox.mime import decode_mail
from pbem.save import Session
from pbem.timestamps import moment
from tests.cli.conftest import hand_over

NOW = "2026-05-01T15:00:00Z"
ROOT = Path(__file__).parent.parent.parent


def play(pbem, save, rounds=1, seed=1):
    """Everybody answers by mail, `rounds` questions long."""
    chance, at = Random(seed), synthetic_mail.START
    for number in range(rounds):
        session = Session.open(save, games.load)
        mails = [
            synthetic_mail.write_email(session, seat, lines, at, number=number)
            for seat, lines in synthetic_mail.answers(session, chance).items()
        ]
        box = pbem.folder / f"box{number}.mbox"
        box.write_bytes(synthetic_mail.as_mbox(mails))
        pbem("ingest", "--saves", save.parent, box, "--now", NOW)


def test_new_writes_the_save_and_everybodys_first_letter(pbem, new_game):
    letters = sorted((pbem.folder / "saves" / "outbox" / "new").iterdir())
    assert [path.name.split(".")[1] for path in letters] == ["amber", "black", "green", "ivory"]
    session = Session.open(new_game, games.load)
    assert [seat.zone for seat in session.save.seats] == ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "UTC"]
    assert session.save.seat("green").addresses == ["chiyo@example.jp", "chiyo@work.example"]
    japanese = decode_mail(letters[2].read_bytes())
    assert japanese.to == ("chiyo@example.jp",)
    assert "まで" in japanese.subject
    for path in letters:
        text = decode_mail(path.read_bytes()).text
        assert session.save.dice.commitment in "".join(text.split())
        assert session.save.dice.seed not in "".join(text.split())


def test_new_says_that_letters_without_a_sender_cannot_be_answered(pbem):
    words = ("new", "sixteen_thirty", "--seat", "amber=A <a@example.org>", "--players", "3", "--now", NOW)
    assert "answers to them get lost" in pbem(*words, "-o", "a.toml").stderr
    assert "get lost" not in pbem(*words, "-o", "b.toml", "--from-address", "pbem@games.example").stderr


@pytest.mark.parametrize(
    ("text", "name"), [("a@example.org", ""), ("Anna a@example.org", "Anna"), ("Anna Lee <a@example.org>", "Anna Lee")]
)
def test_new_takes_an_address_however_it_is_written(pbem, text, name):
    pbem("new", "sixteen_thirty", "-o", "a.toml", "--seat", f"amber={text},UTC,ja", "--players", "3", "--now", NOW)
    seat = Session.open(pbem.folder / "a.toml", games.load).save.seat("amber")
    assert (seat.name, seat.addresses, seat.language) == (name, ["a@example.org"], "ja")


def test_new_takes_options_hours_and_corrections(pbem):
    pack = pbem.folder / "mine.toml"
    pack.write_text("[cards.special.vote]\nmanual = true\n", "utf-8")
    words = (
        "--players",
        "3",
        "--option",
        "placing=clockwise",
        "--answer-hours",
        "turn=24",
        "--pack",
        pack,
        "--name",
        "vq-1",
    )
    assert pbem("new", "sixteen_thirty", "-o", "a/b", *words).stdout.splitlines()[0] == "a/b.toml"
    save = Session.open(pbem.folder / "a" / "b.toml", games.load).save
    assert save.header.options["placing"] == "clockwise"
    assert save.clock.hours["turn"] == 24
    assert save.header.pack == {"cards": {"special": {"vote": {"manual": True}}}}
    assert save.header.name == "vq-1"


def test_what_is_wrong_with_a_pack_is_told_by_file_line_and_key(pbem):
    for text, words in (
        ("# mine\n[cards.special.votes]\nmanual = true\n", ("mine.toml, line 2", "cards.special.votes", "vote")),
        ("[cards.vote]\nmanual = 'yes'\n", ("mine.toml, line 2", "cards.vote.manual", "true or false")),
        ("[countries.spain]\nadjacent = ['england']\n", ("mine.toml", "countries.france", "[A04]")),
        ("[cards.vote]\ncount = 500\n", ("mine.toml", "[A10]")),
        ("[cards.vote\n", ("mine.toml", "line 1", "TOML")),
    ):
        (pbem.folder / "mine.toml").write_text(text, "utf-8")
        new = ("new", "sixteen_thirty", "-o", "g.toml", "--players", "3", "--pack", "mine.toml")
        result = pbem(*new, code=Exit.BAD_DATA)
        for word in words:
            assert word in result.stderr, (text, result.stderr)
        assert "→" in result.stderr
    assert not (pbem.folder / "g.toml").exists()


def test_the_same_seed_is_the_same_game(pbem):
    (pbem.folder / "seed").write_text("ab" * 32 + "\n")
    words = ("--players", "4", "--seed", "seed", "--now", NOW, "--name", "same")
    pbem("new", "sixteen_thirty", "-o", "one.toml", *words)
    pbem("new", "sixteen_thirty", "-o", "two.toml", *words)
    pbem("new", "sixteen_thirty", "-o", "typed.toml", *words[:2], "--seed", "-", *words[4:], stdin="AB" * 32)
    one, two, typed = ((pbem.folder / f"{name}.toml").read_bytes() for name in ("one", "two", "typed"))
    assert one == two == typed


def test_a_seed_on_the_command_line_is_refused(pbem):
    """Whoever works on the same machine could read it, and the history of the shell keeps it."""
    done = pbem("new", "sixteen_thirty", "--players", "3", "-o", "a.toml", "--seed", "ab" * 32, code=Exit.USAGE)
    assert "names a file" in done.stderr
    assert "ab" * 32 not in done.stderr
    assert not (pbem.folder / "a.toml").exists()


def test_status_tells_what_is_public(pbem, new_game):
    (one,) = pbem.json("status", "saves")
    assert one["name"] == "g-01"
    assert one["kinds"] == ["display"]
    assert sorted(one["asked"]) == ["amber", "black", "green", "ivory"]
    session = Session.open(new_game, games.load)
    lines = synthetic_mail.answers(session, Random(1))
    mail = synthetic_mail.write_email(session, "amber", lines["amber"], synthetic_mail.START)
    (pbem.folder / "a.mbox").write_bytes(synthetic_mail.as_mbox([mail]))
    before = pbem("status", "saves").stdout
    pbem("ingest", new_game, "a.mbox", "--now", NOW)
    assert pbem("status", "saves").stdout == before


def test_prompts_hold_all_that_an_answer_needs(pbem, new_game):
    found = pbem.json("questions", new_game)
    assert {prompt["seat"] for prompt in found} == {"amber", "black", "green", "ivory"}
    for prompt in found:
        assert prompt["code"] in prompt["form"]
        assert {"question", "kind", "rule", "prompt", "due", "default", "syntax", "choices"} <= set(prompt)
    file = pbem.folder / "all.orders"
    file.write_text("\n".join(prompt["form"] for prompt in found), "utf-8")
    report = pbem.json("ingest", new_game, file, "--now", NOW)
    assert [email["result"] for email in report["emails"]] == ["accepted"] * 4
    asked = pbem.json("questions", new_game)[0]
    assert asked["question"] > 1
    assert pbem.json("questions", new_game, "--seat", asked["seat"].upper()) == [asked]
    result = pbem("questions", new_game, "--seat", "nobody", code=Exit.USAGE)
    assert "seats: " in result.stderr
    assert "moderator" in result.stderr


def test_late_names_those_who_have_not_answered(pbem, new_game):
    form = pbem.json("questions", new_game)[0]
    (pbem.folder / "one.orders").write_text(form["form"], "utf-8")
    pbem("ingest", new_game, "one.orders", "--now", NOW)
    late = {prompt["seat"] for prompt in pbem.json("questions", new_game, "--unanswered")}
    assert form["seat"] not in late
    assert len(late) == 3


def test_ingest_prints_what_it_did_and_json_says_the_same(pbem, new_game):
    session = Session.open(new_game, games.load)
    mails = [
        synthetic_mail.write_email(session, s, lines, synthetic_mail.START)
        for s, lines in synthetic_mail.answers(session, Random(1)).items()
    ]
    (pbem.folder / "box.mbox").write_bytes(synthetic_mail.as_mbox(mails))
    dry = pbem("ingest", "-n", "--saves", "saves", "box.mbox", "--now", NOW)
    assert "dry run: nothing was written" in dry.stderr
    assert dry.stdout.count("accepted: 1 accepted, 0 rejected") == 4
    assert "Receipt for Amber" in dry.stdout
    report = pbem.json("ingest", "--saves", "saves", "box.mbox", "--now", NOW)
    assert set(report) >= {"emails", "sent", "already_processed", "failed_saves", "moderator_messages", "dry_run"}
    assert len(report["sent"]) == 4
    again = pbem("ingest", "--saves", "saves", "box.mbox", "--now", NOW)
    assert again.stdout == ""
    assert "nothing new (4 emails known)" in again.stderr


def test_letters_on_standard_input(pbem, new_game):
    session = Session.open(new_game, games.load)
    lines = synthetic_mail.answers(session, Random(1))["amber"]
    mail = synthetic_mail.write_email(session, "amber", lines, synthetic_mail.START)
    result = pbem("ingest", new_game, "-", "--now", NOW, stdin=mail.raw)
    assert "g-01 amber: accepted" in result.stdout


def test_report_formats(pbem, new_game):
    assert "WHAT YOU NEED TO DO" in pbem("view", new_game, "--seat", "amber").stdout
    assert pbem("view", new_game, "--seat", "amber", "--format", "html").stdout.startswith("<!DOCTYPE html>")
    assert json.loads(pbem("view", new_game, "--seat", "public", "--format", "json").stdout)["seat"] == ""
    assert "あなたがすること" in pbem("view", new_game, "--seat", "green").stdout
    pbem("view", new_game, "--seat", "amber", "-o", "amber.txt")
    assert (pbem.folder / "amber.txt").read_text("utf-8")


def test_orders_are_checked_offline_like_online(pbem, new_game):
    pbem("view", new_game, "--seat", "amber", "--format", "player-file", "-o", "amber.view.toml")
    form = pbem.json("questions", new_game, "--seat", "amber")[0]["form"]
    (pbem.folder / "good.txt").write_text(f"Hello!\n\n{form}\n", "utf-8")
    (pbem.folder / "bad.txt").write_text(form.replace("\n1: ", "\n1: atlantis-1 "), "utf-8")
    before = new_game.read_bytes()
    for source in (("--view", "amber.view.toml"), ("--save", new_game)):
        (good,) = pbem.json("check", "good.txt", *source)
        assert good["refused"] == []
        (bad,) = pbem.json("check", "bad.txt", *source, code=Exit.FAILED_CHECK)
        assert len(bad["refused"]) == 1
        assert "atlantis-1" in pbem("check", "bad.txt", *source, code=Exit.FAILED_CHECK).stdout
    assert new_game.read_bytes() == before


def test_the_offline_check_knows_deadline_and_language_of_its_reader(pbem, new_game):
    for seat, due in (("amber", "Berlin"), ("green", "回答期限：")):
        pbem("view", new_game, "--seat", seat, "--format", "player-file", "-o", f"{seat}.toml")
        form = next(prompt["form"] for prompt in pbem.json("questions", new_game, "--seat", seat))
        (pbem.folder / "o.txt").write_text(form, "utf-8")
        assert due in pbem("check", "o.txt", "--view", f"{seat}.toml").stdout
        assert "Answer by:" in pbem("check", "o.txt", "--save", new_game).stdout
    pbem("view", new_game, "--seat", "green", "--format", "player-file", "--lang", "en", "-o", "green.toml")
    assert "Answer by:" in pbem("check", "o.txt", "--view", "green.toml").stdout


def test_orders_that_are_not_read_are_told_why(pbem, new_game):
    form = pbem.json("questions", new_game)[0]["form"]
    for name, text, words in (
        ("quoted.txt", "".join(f"> {line}\n" for line in form.replace("\n1: ", "\n1:  x ").splitlines()), "quoted"),
        ("long.txt", form + "x" * 400_000, "400000 characters"),
        ("none.txt", "Hello!\n", "BEGIN ORDERS game seat code"),
    ):
        (pbem.folder / name).write_text(text, "utf-8")
        assert words in pbem("check", name, "--save", new_game, code=Exit.FAILED_CHECK).stderr


def test_rewind_plans_first_and_then_tells_everybody(pbem, new_game):
    play(pbem, new_game, 3)
    before = new_game.read_bytes()
    plan = pbem.json("repair", "rewind", new_game, "4", "--dry-run")
    assert plan["n"] == 4
    assert new_game.read_bytes() == before
    pbem("repair", "rewind", new_game, "4", "--now", NOW, code=2)  # without a reason
    result = pbem("repair", "rewind", new_game, "4", "--reason", "a wrong card", "--now", NOW)
    assert "back to move 4" in result.stdout
    assert result.stdout.count("→ g-01 ") == 4
    newest = max((pbem.folder / "saves" / "outbox" / "new").glob("*.black.*"))
    assert "REWOUND" in decode_mail(newest.read_bytes()).text
    assert Session.open(new_game, games.load).referee.n == 4
    play(pbem, new_game, 1, seed=9)


def test_audit_proves_and_disproves(pbem, new_game):
    play(pbem, new_game, 2)
    found = pbem.json("audit", new_game)
    assert found["ok"]
    assert found["rolls"] >= 1
    assert found["roll_errors"] == []
    text = new_game.read_text("utf-8")
    at = text.rindex("answer = ")
    new_game.write_text(text[:at] + 'answer = "somebody"' + text[text.index("\n", at) :], "utf-8")
    assert "move" in pbem("audit", new_game, code=Exit.FAILED_CHECK).stderr


def test_fiat_is_checked_journaled_and_told(pbem, new_game):
    pbem("repair", "correct", new_game, "countries.england.status=99", "--reason", "typo", code=Exit.FAILED_CHECK)
    before = new_game.read_bytes()
    pbem("repair", "correct", new_game, "countries.england.status=3", "--reason", "misprint", "-n")
    assert new_game.read_bytes() == before
    result = pbem("repair", "correct", new_game, "countries.england.status=3", "--reason", "misprint", "--now", NOW)
    assert result.stdout.count("→ g-01 ") == 4
    session = Session.open(new_game, games.load)
    assert session.referee.table.state.countries["england"].status == 3
    assert session.moves()[-1].via == "moderator: misprint"


def test_a_card_set_to_manual_is_played_by_the_moderators_hand(pbem):
    """Played, put to the moderator, corrected by `pbem repair correct`, closed by an answer, proved by `pbem audit`."""
    (pbem.folder / "mine.toml").write_text("[cards.vote]\nmanual = true\n[cards.army]\nmanual = true\n", "utf-8")
    (pbem.folder / "seed").write_text("0123" * 16)
    words = ("--players", "4", "--pack", "mine.toml", "--seed", "seed", "--now", NOW)
    pbem("new", "sixteen_thirty", "-o", "m.toml", *words)
    save = pbem.folder / "m.toml"
    session = Session.open(save, games.load)
    synthetic_mail.play(session, lambda referee: referee.pending()[0].seat == "moderator", Random(3))
    session.commit(moment(NOW))
    (asked,) = pbem.json("questions", save, "--seat", "moderator")
    assert asked["kind"] == "manual"
    assert any(name in asked["prompt"] for name in ("Vote", "Army"))
    result = pbem("repair", "correct", save, "countries.england.army=3", "--reason", "as the card says", "--now", NOW)
    assert f"question {asked['question']} still waits for yours" in result.stderr
    answer = f"BEGIN ORDERS m moderator\n{asked['question']}: countries.spain.army=2\nEND ORDERS\n"
    (pbem.folder / "hand.orders").write_text(answer, "utf-8")
    assert "m moderator: accepted: 1 accepted, 0 rejected" in pbem("ingest", save, "hand.orders", "--now", NOW).stdout
    after = Session.open(save, games.load)
    state = after.referee.table.state
    assert (state.countries["england"].army, state.countries["spain"].army) == (3, 2)
    assert [move.kind for move in after.moves()[-2:]] == ["fiat", "manual"]
    assert after.referee.pending()[0].seat != "moderator"
    assert pbem.json("audit", save)["ok"]


def test_a_correction_that_was_not_written_is_not_told_as_done(pbem, new_game, monkeypatch):
    from pbem.save import Unwritable

    def full(*_, **__):
        raise Unwritable("No space left on device", path=new_game)

    monkeypatch.setattr(Session, "commit", full)
    result = pbem("repair", "correct", new_game, "countries.england.status=3", "--reason", "x", code=Exit.BAD_DATA)
    assert result.stdout == ""
    assert "Nothing was written" in result.stderr


def test_reminders_as_json(pbem, new_game):
    """What is due, then what a tick did."""
    assert pbem.json("remind", "saves", "--now", NOW) == []
    (due,) = {prompt["due"] for prompt in pbem.json("questions", new_game)}
    late = ["--now", due]
    found = pbem.json("remind", "saves", *late)
    assert {prompt["seat"] for prompt in found} == {"amber", "black", "green", "ivory"}
    assert {prompt["game"] for prompt in found} == {"g-01"}
    hand_over(new_game.parent)
    done = pbem.json("tick", "saves", *late)
    assert done["reminders"] == 4
    assert pbem.json("remind", "saves", *late) == []


def test_quarantine_from_list_to_release(pbem, new_game):
    session = Session.open(new_game, games.load)
    lines = synthetic_mail.answers(session, Random(1))["amber"]
    for number, sender in enumerate(("anna@phone.example", "mallory@evil.example")):
        mail = synthetic_mail.write_email(session, "amber", lines, synthetic_mail.START, sender=sender, number=number)
        (pbem.folder / f"{number}.mbox").write_bytes(synthetic_mail.as_mbox([mail]))
        pbem("ingest", "--saves", "saves", f"{number}.mbox", "--now", NOW)
    (phone, mallory) = pbem.json("quarantine", "--saves", "saves", "list")
    assert (phone["sender"], phone["reason"]) == ("anna@phone.example", "unknown-sender")
    shown = pbem("quarantine", "show", phone["id"], "--saves", "saves").stdout
    assert "BEGIN ORDERS g-01 amber" in shown
    pbem("quarantine", "--saves", "saves", "discard", mallory["id"])
    result = pbem("quarantine", "--saves", "saves", "accept", phone["id"], "--add-address", "--now", NOW)
    assert "g-01 amber: accepted" in result.stdout
    assert pbem.json("quarantine", "--saves", "saves", "list") == []
    states = {letter["id"]: letter["state"] for letter in pbem.json("quarantine", "--saves", "saves", "list", "--all")}
    assert states == {phone["id"]: "released", mallory["id"]: "refused"}


def built(*words):
    """What `python -m tests.examples` says it wrote, line by line."""
    command = [sys.executable, "-m", "tests.examples", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def test_demo_and_examples(pbem):
    result = pbem("demo", "--output", "d")
    shown = result.stdout
    assert "pbem ingest" in shown
    assert "BEGIN ORDERS" in shown
    assert shown.count("\nSubject: [1630-ballot]") == 4  # every letter that went out
    assert "34: ?" in shown  # the two-line form
    assert "pbem quarantine --saves d list" in result.stderr
    first = built("sixteen_thirty", "--into", pbem.folder / "one")  # all of them: tests/dev/test_examples.py
    built("sixteen_thirty", "--into", pbem.folder / "two")
    box = pbem.folder / "one" / "examples" / "round.mbox"
    assert (pbem.folder / "d" / "round.mbox").read_bytes() == box.read_bytes()  # the demonstration is the example
    for line in first:
        path = Path(line).relative_to(pbem.folder / "one")
        assert Path(line).read_bytes() == (pbem.folder / "two" / path).read_bytes(), line
    assert pbem.json("audit", "one/saves/1630-finished.toml")["ok"]
    states = {game["name"]: game for game in pbem.json("status", "one/saves")}
    assert states["1630-ballot"]["kinds"] == ["ballot"]
    assert states["1630-exchange"]["kinds"] == ["exchange"]
    assert states["1630-finished"]["over"]
    for save, source in (("ballot", "round.mbox"), ("ballot", "ballot.orders"), ("exchange", "exchange.orders")):
        pbem("ingest", f"one/saves/1630-{save}.toml", f"one/examples/{source}")


def test_examples_of_one_game(pbem):
    lines = built("sixteen_thirty", "--into", pbem.folder / "three")
    assert f"{pbem.folder}/three/saves/1630-ballot.toml" in lines
    assert not any("README" in line or "crontab" in line for line in lines)
    with pytest.raises(subprocess.CalledProcessError):
        built("no_such_game", "--into", pbem.folder / "three")
