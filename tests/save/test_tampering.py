"""A file that was cut, or a journal that was rewritten, is refused or found out; nothing is ever taken half."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.kernel.questions import Negotiate
from pbem.save import BrokenChain, SaveError, Session, Truncated, chain, load, load_header, take_back, verify
from pbem.timestamps import moment
from tests.save.hands import edited, refused, until
from tests.toy import playing as toy

# -- cut files -------------------------------------------------------------------------------------------------------


def test_a_file_cut_anywhere_is_refused_or_equal(session: Session, path: Path) -> None:
    until(session, Negotiate, 2)
    session.commit()
    data = path.read_bytes()
    whole = load(path)
    for end in range(len(data)):
        path.write_bytes(data[:end])
        if end == len(data) - 1:  # only the last line end is missing
            assert load(path) == whole
            assert load_header(path).header == whole.header
            continue
        for way in (load, load_header):
            with pytest.raises(Truncated):
                way(path)


def test_a_piece_cut_out_is_refused_or_equal(session: Session, path: Path) -> None:
    """A file whose middle is missing, as after a bad merge: lines of it, here and there."""
    until(session, Negotiate, 2)
    session.commit()
    lines = path.read_text("utf-8").split("\n")
    whole = load(path)
    first, talk = lines.index("[checkpoint]"), lines.index("[[talk]]")
    for at in range(first, len(lines) - 2):
        for count in (1, 3, 11):
            path.write_text("\n".join(lines[:at] + lines[at + count :]), "utf-8")
            try:
                found = load(path)
                Session.open(path, toy.load)
            except SaveError:
                continue
            assert found.moves == whole.moves
            # What lies around the game may be edited; of the moves only what says nothing.
            told = [line for line in lines[at:talk][:count] if not line.startswith("journal = ")]
            assert not any(told), lines[at : at + count]


# -- the chain -------------------------------------------------------------------------------------------------------


def entries_of(text: str) -> dict[int, int]:
    """Line number → the move it belongs to."""
    owners, n = {}, 0
    for number, line in enumerate(text.split("\n"), 1):
        n += line == "[[moves]]"
        owners[number] = n
    return owners


def test_any_flipped_byte_in_the_moves_is_named_by_load(early: Path) -> None:
    data = early.read_bytes()
    text = data.decode()
    whole, owners = load(early), entries_of(text)
    start = data.index(b"[[moves]]")
    end = data.index(b"# end of save")
    for at in range(start, end):
        for flip in (0x01, 0x20):
            early.write_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
            line = data.count(b"\n", 0, at) + 1
            error = None
            try:
                load(early)
            except SaveError as caught:
                error = caught
            if error is None:
                assert load(early).moves == whole.moves
                continue
            named = error.n or owners[error.line]
            assert named - owners[line] in ((0, 1) if data[at] in b"\n[" else (0,)), (at, str(error))
            assert error.line > 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('using = "army"', 'using = "fleet"'),
        ('at = "2', 'at = "3'),
        ('how = "chosen"', 'how = "time"'),
        ('via = "', 'via = "x'),
    ],
)
def test_a_move_rewritten(early: Path, old: str, new: str) -> None:
    line = edited(early, old, new, "[[moves]]\nn = 2\n")
    hash_line = line + early.read_text("utf-8").split("\n")[line:].index("") - 0
    with pytest.raises(BrokenChain, match="move 2 ") as caught:
        load(early)
    assert caught.value.n == 2
    assert caught.value.key == "moves[1].hash"
    assert caught.value.line == hash_line
    refused(early, BrokenChain, "moves[1].hash", hash_line)


def test_a_move_taken_out(early: Path) -> None:
    text = early.read_text("utf-8")
    third, fourth = text.index("[[moves]]\nn = 3\n"), text.index("[[moves]]\nn = 4\n")
    early.write_text(text[:third] + text[fourth:], "utf-8")
    error = refused(early, BrokenChain, "moves[2].n", text.count("\n", 0, third) + 2)
    assert error.n == 3


def test_the_last_moves_taken_out(early: Path) -> None:
    text = early.read_text("utf-8")
    last = text.rindex("[[moves]]")
    early.write_text(text[:last] + "# end of save\n", "utf-8")
    error = refused(early, BrokenChain, "game.n", text.split("\n").index("[game]") + 8 + 1)
    assert "the journal ends with move" in error.why


def test_journal_and_header_cut_back_together(early: Path) -> None:
    """Somebody takes back a move, and corrects n and head: the open question does not fit any more."""
    save = load(early)
    text = early.read_text("utf-8")
    cut = text[: text.rindex("[[moves]]")] + "# end of save\n"
    n = save.header.n
    cut = cut.replace(f"n = {n}\n", f"n = {n - 1}\n", 1).replace(save.header.head, save.moves[-2].hash, 1)
    early.write_text(cut, "utf-8")
    with pytest.raises(SaveError):
        Session.open(early, toy.load)


def test_the_set_up_rewritten(early: Path) -> None:
    edited(early, "rounds = 6", "rounds = 7")
    with pytest.raises(BrokenChain, match="set-up") as caught:
        load(early)
    assert caught.value.n == 1


def test_the_set_up_of_a_game_without_moves_rewritten(path: Path) -> None:
    Session.create(path, toy.GAME, toy.campaign(), at=moment("2026-05-01T08:00:00Z")).commit()
    assert verify(path, toy.load).moves == 0
    edited(path, 'created = "2026', 'created = "2025')
    refused(path, BrokenChain, "game.head", 13)


def test_the_head_rewritten(session: Session, path: Path) -> None:
    edited(path, 'head = "', 'head = "0')
    refused(path, BrokenChain, "game.head", 13)


def test_the_dice_after_a_rewind_are_not_for_choosing(session: Session, path: Path) -> None:
    take_back(session, 0, at=moment("2026-05-02T08:00:00Z"))
    assert [rewind.epoch for rewind in load(path).dice.rewinds] == [1]
    text = path.read_text("utf-8")
    at = text.index("rewinds = ")
    path.write_text(text[:at] + text[at:].replace("epoch = 1", "epoch = 7", 1), "utf-8")
    with pytest.raises(SaveError, match="epochs count the rewinds: this is 1") as caught:
        load(path)
    assert caught.value.key.startswith("dice.rewinds")


def test_a_rewind_is_not_struck_out_once_play_went_on(session: Session, path: Path) -> None:
    take_back(session, 0, at=moment("2026-05-02T08:00:00Z"))
    referee = session.referee
    seat = referee.waiting()[0]
    referee.submit(seat, next(iter(referee.domain(seat).options())))
    session.commit(moment("2026-05-02T09:00:00Z"))
    assert verify(path, toy.load).moves == referee.n == 1
    struck, count = re.subn(
        r"^rewinds = \[.*?^\]$", "rewinds = []", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    assert count == 1
    path.write_text(struck, "utf-8")
    with pytest.raises(BrokenChain, match="doesn't match its hash"):
        load(path)


def test_an_edit_before_the_checkpoint_is_found_by_whoever_opens_the_game(session: Session, path: Path) -> None:
    """A game is resumed from its checkpoint, and the moves before it are not parsed; they are not overlooked either."""
    edited(path, 'via = "', 'via = "x', "[[moves]]\nn = 2\n")
    line = path.read_text("utf-8").split("\n").index("n = 2") + 9
    for attempt in (lambda: Session.open(path, toy.load), lambda: load(path)):
        with pytest.raises(BrokenChain, match="move 2 ") as caught:
            attempt()
        assert (caught.value.key, caught.value.line) == ("moves[1].hash", line)


def test_a_set_up_edited_after_many_moves_is_found_by_whoever_opens_the_game(session: Session, path: Path) -> None:
    edited(path, 'name = "toy-1"', 'name = "toy-2"')
    with pytest.raises(BrokenChain, match=r"move 1 .*set-up .* was changed"):
        Session.open(path, toy.load)


@pytest.mark.parametrize("edit", ["left out", "a comment"])
def test_moves_whose_text_is_not_known_are_checked_link_by_link(session: Session, path: Path, edit: str) -> None:
    """A save from before `journal` was kept, and one with a remark between its moves: both are whole."""
    text, digest = path.read_text("utf-8"), session.referee.digest()
    if edit == "left out":
        kept = [line for line in text.split("\n") if not line.startswith("journal = ")]
        text = "\n".join(kept)
    else:
        text = text.replace("[[moves]]\nn = 2\n", "# he meant the other knight\n[[moves]]\nn = 2\n")
    path.write_text(text, "utf-8")
    opened = Session.open(path, toy.load)
    assert opened.referee.digest() == digest
    opened.commit()
    assert "\njournal = " in path.read_text("utf-8")
    again = load(path, recent=True)
    assert again.checkpoint is not None
    assert again.checkpoint.journal == chain.journal(chain.start(again), again.earlier)
