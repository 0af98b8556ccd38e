"""Letters prove themselves: what they quote agrees, a change anywhere is found, two histories show by themselves."""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from email import message_from_bytes
from email.policy import default as policy
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.dev import synthetic_mail
from pbem.mail.bundle import bundle, decode, encode
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox.mime_message import BUNDLE
from pbem.mail.save_index import code_of
from pbem.mail.verify_bundle import verify
from pbem.mail.verify_emails import compare, kept, read_emails
from pbem.orders.reply_codes import head_of, with_head
from pbem.save import Session
from pbem.timestamps import moment, stamp

AT = moment("2026-06-01T12:00:00Z")


@pytest.fixture
def rounds(desk):
    """The letters of several rounds, as they lie in the outbox."""
    for number, mail in enumerate(desk.mails):
        desk.ingest(desk.box([mail], name=f"{number}.mbox"))
    return desk


def letters(desk):
    return list(read_emails([desk.folder / "outbox"]))


def made(desk, seat=""):
    return bundle(Session.open(desk.save, games.load), seat, AT)


def test_the_letters_of_a_round_agree_with_each_other_and_the_bundle(rounds):
    found = compare(letters(rounds))
    assert found.wrong == []
    assert found.emails > 8
    assert found.answers > 4
    assert found.seen > 4
    for seat in ("", "amber"):
        found.against(decode(encode(made(rounds, seat))), "b.json")
    assert found.wrong == []


def test_rolls_are_quoted_with_their_draw(tmp_path):
    session = synthetic_mail.new_game(tmp_path / "all.toml", games.load("sixteen_thirty"), 4)
    synthetic_mail.play(session, lambda referee: False, Random(4))
    synthetic_mail.finish(session, tmp_path)
    found = compare(list(read_emails([tmp_path / "outbox"])))
    ended = bundle(Session.open(session.path, games.load), "", AT)
    found.against(ended, "b.json")
    assert found.wrong == []
    assert found.dice == 4 * len(ended.rolls) > 20
    found.quotes[0].dice[0][4][0] = 1 + found.quotes[0].dice[0][4][0] % 6
    assert "dice" in compare(found.quotes).wrong[0]
    found.against(ended, "b.json")
    assert found.quotes[0].where in found.wrong[0]


def _changed(one):
    """A false word in one letter, for every thing that it quotes."""
    yield lambda: setattr(one, "head", (one.head[0], one.head[1], "0" * 64))
    if one.seen:
        yield lambda: one.seen.__setitem__(0, (*one.seen[0][:2], "0" * 16))
    if one.seed:
        yield lambda: setattr(one, "seed", "0" * 64)


def test_a_false_word_in_any_letter_is_found_with_both_letters(rounds):
    ours = made(rounds)
    for at in range(len(letters(rounds))):
        for number in range(3):
            fresh = letters(rounds)
            changes = list(_changed(fresh[at]))
            if number < len(changes):
                changes[number]()
                found = compare(fresh)
                found.against(ours, "b.json")
                assert found.wrong, (at, number)
                assert fresh[at].where in "".join(found.wrong)


def test_an_answer_that_is_not_the_one_sent_is_found(rounds):
    ours = made(rounds, "amber")
    fresh = letters(rounds)
    quoting = [letter for letter in fresh if letter.seat == "amber" and letter.mine]
    assert quoting
    for letter in quoting:
        letter.mine = [(q, "0000-0000-0000-0000") for q, _ in letter.mine]
    found = compare(fresh)
    found.against(ours, "b.json")
    assert any("differs from the one in your email" in line for line in found.wrong)


def test_the_command(rounds, tmp_path):
    file, run = tmp_path / "b.json", CliRunner()
    file.write_bytes(encode(made(rounds, "amber")))
    outbox = str(rounds.folder / "outbox")
    told = run.invoke(main, ["verify", str(file), outbox])
    assert (told.exit_code, "they agree" in told.output) == (0, True), told.output
    path = max((rounds.folder / "outbox" / "new").iterdir())
    text = path.read_bytes()
    attached = text.rpartition(b"MIME-Version: 1.0\r\n\r\n")[2].partition(b"\r\n--")[0]
    false = re.sub(rb"(~ head \d+ 0 )[0-9a-f]{8}", rb"\g<1>00000000", b64decode(attached))
    path.write_bytes(text.replace(attached, b64encode(false)))
    assert path.read_bytes() != text
    told = run.invoke(main, ["verify", outbox])
    assert told.exit_code == 1
    assert "CONTRADICTION: head" in told.output
    assert len(told.output.partition("CONTRADICTION")[2].splitlines()) == 3  # and both letters
    assert run.invoke(main, ["verify", str(rounds.box(rounds.mails))]).exit_code == 3


# -- two histories ---------------------------------------------------------------------------------------------------


def test_the_code_of_a_form_carries_the_head(desk):
    save = desk.read()
    assert save.header.head.startswith(head_of(code_of(save, "amber")))
    desk.ingest(desk.box(desk.mails[:1]))
    mail = decode_mail(next(iter(desk.letters().values())))
    seat = next(player.id for player in desk.read().seats if player.addresses[0] == mail.to[0])
    assert code_of(desk.read(), seat) in mail.text


def test_letters_tell_what_each_seat_has_seen(rounds):
    save = rounds.read()
    acknowledged = {seat.id: seat.told.seen for seat in save.seats}
    assert any(acknowledged.values())
    journal: Iterable[Any] = Session.open(rounds.save, games.load).moves()
    hashes = {move.n: move.hash for move in journal}
    for seat in save.seats:
        if seat.told.seen:
            assert hashes[seat.told.seen].startswith(seat.told.seen_head)


def test_a_sealed_answer_tells_nobody_that_its_writer_has_written(desk):
    """The ballot is open: who has voted shows in no letter, nor does the head that his vote carried."""
    desk.ingest(desk.box(desk.mails[:1]))
    assert not any(seat.told.seen for seat in desk.read().seats)


def test_a_head_of_another_history_is_told_to_all(desk):
    """A moderator who shows amber another game than the rest finds amber's answer telling on him."""
    session = Session.open(desk.save, games.load)
    save, referee = session.save, session.referee
    seat = referee.waiting()[0]
    code = with_head(code_of(save, seat)[:9], "feedbeef" + "0" * 56)
    line = f"{referee.q}: {referee.domain(seat).text(referee.domain(seat).sample(lambda below: 0))}"
    mail = synthetic_mail.write_email(session, seat, [line], desk.mails[0].at, code=code)
    desk.ingest(desk.box([mail]))
    bodies = [decode_mail(raw) for raw in desk.letters().values()]
    assert {mail.to[0] for mail in bodies if "feed-beef" in mail.text} == {player.addresses[0] for player in save.seats}
    assert all("DO NOT AGREE" in mail.text or "証明" in mail.text for mail in bodies)
    assert desk.read().seat(seat).told.foreign == ["feedbeef"]
    desk.ingest(desk.box([synthetic_mail.write_email(session, seat, [line], desk.now, code=code, number=2)]))
    assert len(desk.letters()) == len(save.seats) + 1  # said once: the second letter gets its receipt


# -- mails that are kept ---------------------------------------------------------------------------------------------


def test_mails_that_decide_the_game_are_kept_and_named_by_their_hash(desk):
    now = stamp(desk.mails[0].at)
    words = ["config", "set", str(desk.save), "keep=raw", "--reason", "proof", "--now", now]
    assert CliRunner().invoke(main, words).exit_code == 0
    desk.ingest(desk.box(desk.mails))
    session = Session.open(desk.save, games.load)
    named = {move.via.rpartition(":")[2] for move in session.moves() if move.via.count(":") == 2}
    folder = desk.save.with_suffix(".d") / "letters"
    assert named
    assert named <= {path.stem for path in folder.iterdir()}
    for path in folder.iterdir():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == path.stem
    found = bundle(session, "amber", AT)
    many, here = kept([folder], found)
    assert many == here > 0
    last = next(link.via for link in reversed(found.links) if link.via.count(":") == 2)
    (folder / f"{last.rpartition(':')[2]}.eml").write_bytes(b"From: a forger\n\nx\n")
    assert kept([folder], found) == (many, many - 1)


def test_a_player_gets_his_bundle_by_mail_and_a_playing_moderator_does_not(rounds):
    rounds.ingest(rounds.box([]))
    session = Session.open(rounds.save, games.load)
    plays, reader = (seat.id for seat in session.save.seats[:2])
    run = CliRunner()
    words = ["config", "set", str(rounds.save), f"plays={plays}", "--reason", "I play"]
    assert run.invoke(main, words).exit_code == 0
    refused = run.invoke(main, ["bundle", str(rounds.save), "--seat", reader])
    assert refused.exit_code == 1
    assert "isn't shown" in refused.output

    before = set(rounds.letters())
    mail = synthetic_mail.write_email(session, reader, ["send bundle"], rounds.now, number=900)
    rounds.ingest(rounds.box([mail], name="wish.mbox"))
    files = [
        part.get_content()
        for name, raw in rounds.letters().items()
        if name not in before
        for part in message_from_bytes(raw, policy=policy).walk()
        if part.get_filename() == BUNDLE
    ]
    found = decode(files[0])
    assert found.reader == reader
    assert verify(found).wrong == []
    assert {link.seat for link in found.links if link.commitment} == {reader}
    assert len(files) == 1


def test_a_playing_moderator_hands_out_bundles_unseen(rounds):
    """`pbem bundle SAVE --send`: each seat gets its own by letter, and nothing of it is shown to who hands it out."""
    rounds.ingest(rounds.box([]))
    session = Session.open(rounds.save, games.load)
    seats = [seat.id for seat in session.save.seats]
    run = CliRunner()
    words = ["config", "set", str(rounds.save), f"plays={seats[0]}", "--reason", "I play"]
    assert run.invoke(main, words).exit_code == 0
    before = set(rounds.letters())
    said = run.invoke(main, ["bundle", str(rounds.save), "--send"])
    assert said.exit_code == 0, said.output
    assert "commitment" not in said.output
    readers = []
    for name, raw in rounds.letters().items():
        for part in message_from_bytes(raw, policy=policy).walk():
            if name not in before and part.get_filename() == BUNDLE:
                found = decode(part.get_content())
                assert verify(found).wrong == []
                assert {link.seat for link in found.links if link.commitment} <= {found.reader}
                readers.append(found.reader)
    assert sorted(readers) == sorted(seats)
    last = Session.open(rounds.save, games.load).save.actions[-1]
    assert (last.what, sorted(last.told)) == ("bundles", sorted(seats))

    one = run.invoke(main, ["bundle", str(rounds.save), "--send", "--seat", seats[1]])
    assert one.exit_code == 0, one.output
    assert one.output.splitlines()[0].endswith(f"bundles to {seats[1]}")
    assert run.invoke(main, ["bundle", str(rounds.save), "--send", "--seat", "nobody"]).exit_code != 0
