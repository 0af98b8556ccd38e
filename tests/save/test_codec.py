"""Where a text of a save is cut, and that a slip is named alike whether all of the file is read or its end alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.kernel.questions import AskAll, Negotiate
from pbem.kernel.referee import AdvanceNote
from pbem.kernel.standing_orders import AdvanceOrder, AskMe, Branch, StandingRule, condition
from pbem.save import (
    Agreement,
    BrokenChain,
    ModeratorAction,
    OutboxEntry,
    PressMessage,
    ProcessedEmail,
    SaveError,
    SaveKeyError,
    Session,
    Truncated,
    Unreadable,
    Unwritable,
    WrongFormat,
    codec,
    load,
)
from pbem.save.toml_writer import END
from pbem.timestamps import moment
from tests.save.hands import edited, refused, until
from tests.toy import playing as toy


@pytest.fixture
def later(session: Session, path: Path) -> Path:
    """A game whose checkpoint has moves before it and after it."""
    until(session, AskAll, 2)
    session.commit()
    return path


def numbers(path: Path) -> tuple[int, int]:
    """The move of the checkpoint, and the last."""
    save = load(path)
    assert save.checkpoint is not None
    assert 1 < save.checkpoint.n < save.header.n - 1
    return save.checkpoint.n, save.header.n


def where(n: int) -> str:
    return f"\n[[moves]]\nn = {n}\n"


@pytest.mark.parametrize("which", ["first", "before", "at", "after", "last"])
@pytest.mark.parametrize(
    ("old", "new", "key"),
    [("seat = ", "saet = ", "saet"), ("q = ", "q = true # ", "q"), ("via = ", "via = 3 # ", "via")],
)
def test_a_slip_in_a_move_is_named_alike_before_and_behind_the_checkpoint(
    later: Path, which: str, old: str, new: str, key: str
) -> None:
    mark, end = numbers(later)
    n = {"first": 1, "before": mark - 1, "at": mark, "after": mark + 1, "last": end}[which]
    line = edited(later, old, new, where(n))
    if n < mark:  # these are read only when their text is not the one that was written
        with pytest.raises(SaveKeyError) as caught:
            load(later)
        assert (caught.value.key, caught.value.line) == (f"moves[{n - 1}].{key}", line)
        with pytest.raises(SaveError):
            Session.open(later, toy.load)
    else:
        refused(later, SaveKeyError, f"moves[{n - 1}].{key}", line)


@pytest.mark.parametrize("behind", [1, 2])
def test_a_move_rewritten_behind_the_checkpoint(later: Path, behind: int) -> None:
    n = numbers(later)[0] + behind
    edited(later, "answer = ", "answer = 77 # ", where(n))
    line = edited(later, "hash = ", "hash = ", where(n))
    refused(later, BrokenChain, f"moves[{n - 1}].hash", line)


def test_a_move_left_out_behind_the_checkpoint(later: Path) -> None:
    n = numbers(later)[0] + 1
    text = later.read_text("utf-8")
    start = text.index(where(n))
    cut = text.index("\n[[moves]]", start + 1)
    later.write_text(text[:start] + text[cut:], "utf-8")
    error = refused(later, BrokenChain, f"moves[{n - 1}].n", _line(later, where(n + 1)) + 2)
    assert f"move {n} was expected here, but this is {n + 1}" in error.why


def _line(path: Path, text: str) -> int:
    whole = path.read_text("utf-8")
    return whole.count("\n", 0, whole.index(text)) + 1


def test_what_is_no_toml_behind_the_checkpoint_is_told_by_line(later: Path) -> None:
    line = edited(later, "q = ", "q = = ", where(numbers(later)[1]))
    refused(later, Unreadable, "", line)


def test_a_strange_section_among_the_moves(later: Path) -> None:
    line = edited(later, END, f"[[mooves]]\nn = 1\n\n{END}")
    error = refused(later, SaveKeyError, "mooves", line)
    assert "no such section here; known: moves" in str(error)


def test_a_strange_section_is_told_what_is_known_there(early: Path) -> None:
    edited(early, "[clock]", "[klock]")
    with pytest.raises(SaveKeyError, match="known: game, seats, clock, dice, post, pending"):
        load(early)
    edited(early, "[klock]", "[clock]")
    line = edited(early, "[[sealed]]", "[[seats]]")
    with pytest.raises(
        SaveKeyError, match="known: checkpoint, origin, queue, standing, settings, sealed, talk, press"
    ) as caught:
        load(early)
    assert (caught.value.key, caught.value.line) == ("seats", line)


def test_blanks_behind_the_headers_that_cut_the_file(later: Path) -> None:
    text = later.read_text("utf-8")
    whole = load(later)
    spaced = text.replace("[checkpoint]\n", "[checkpoint] \t\n").replace("[[moves]]\n", "[[moves]]\t \n")
    later.write_text(spaced + "\n \n", "utf-8")
    assert load(later).moves == whole.moves
    recent = load(later, recent=True)
    assert [*codec.earlier_moves(recent), *recent.moves] == whole.moves
    Session.open(later, toy.load).commit()
    assert load(later).moves == whole.moves


def test_what_players_write_cuts_nothing(later: Path) -> None:
    session = Session.open(later, toy.load)
    said = "see:\n[checkpoint]\nn = 1\n[[moves]]\nn = 2\n# end of save\n"
    session.save.press.append(PressMessage(id="p1", seat="england", text=said, at=moment("2026-05-01T10:00:00Z")))
    session.save.seats[0].notes = said
    session.commit()
    for recent in (True, False):
        save = load(later, recent=recent)
        assert save.press[-1].text == save.seats[0].notes == said
        assert len(save.moves) == save.header.n - save.earlier_n
    assert codec.compose(load(later)) == later.read_text("utf-8")


def full(session: Session, path: Path) -> Path:
    """The file of a game in a negotiation with something in every section that is next to the journal."""
    until(session, Negotiate, 2)
    save, referee = session.save, session.referee
    referee.queue.append(AdvanceOrder("england", "move 3", bold=True, letter="<a@b>", line=4))
    referee.queue.append(AdvanceOrder("england", "move 4", branch=Branch("lost", met=True)))
    referee.standing.append(StandingRule("spain", "intercept", "pass", until=(condition("turn=99"),)))
    referee.settings.append(AskMe("france", "intercept", "always"))
    referee.notes.append(AdvanceNote("england", "advance.refused", "move 9", letter="<a@b>", line=4))
    save.press.append(PressMessage("p1", "england", "Dear France", moment("2026-05-01T10:00:00Z"), ["france"]))
    save.intake.append(ProcessedEmail("k1", "<m@x>", "00ff", "england", moment("2026-05-01T10:00:00Z"), "accepted"))
    save.outbox.append(OutboxEntry("l1", "england", "r@x.org", "[toy-1] 2", body="Hi", thread=["<a@b>"]))
    at = moment("2026-05-01T10:00:00Z")
    save.actions.append(ModeratorAction("d1", at, "moderator", "pause", "ill", ["england"], {"hours": 3}))
    save.agreements.append(Agreement("m1", "england", ["france"], "no war", at, {"france": at}))
    session.commit()
    return path


SECTIONS = ("queue", "standing", "settings", "talk", "press", "intake", "outbox", "notes", "actions", "agreements")


def test_every_section_is_read_as_it_was_written(session: Session, path: Path) -> None:
    kept = session.save
    full(session, path)
    for recent in (True, False):
        save = load(path, recent=recent)
        for name in SECTIONS:
            assert getattr(save, name), name
            assert getattr(save, name) == getattr(kept, name), name
        assert save.checkpoint == kept.checkpoint
        assert codec.compose(save) == path.read_text("utf-8")
    text = path.read_text("utf-8")
    assert text.startswith(codec.TITLE)
    assert text.endswith(f"\n{END}\n")
    assert '[[settings]]\nseat = "france"\nkind = "intercept"\nwhen = "always"\n\n' in text  # and no defaults


@pytest.mark.parametrize("name", [name for name in SECTIONS if name != "talk"])
def test_a_strange_key_in_any_section_is_named(session: Session, path: Path, name: str) -> None:
    line = edited(full(session, path), f"[[{name}]]\n", f"[[{name}]]\nstrange = 1\n") + 1
    refused(path, SaveKeyError, f"{name}[0].strange", line)


def test_an_answer_that_no_file_can_hold_is_named_by_its_move(later: Path) -> None:
    save = load(later)
    save.moves[3].answer = {"to": [None]}
    with pytest.raises(Unwritable) as caught:
        codec.compose(save)
    assert caught.value.key == "moves[3].answer.to[0]"


def test_a_header_without_a_state_is_no_save(early: Path) -> None:
    text = early.read_text("utf-8")
    early.write_text(text[: text.index("[checkpoint]")] + END + "\n", "utf-8")
    refused(early, SaveKeyError, "checkpoint", 0)


def test_a_save_without_moves(path: Path) -> None:
    session = Session.create(path, toy.GAME, toy.campaign(6), at=moment("2026-05-01T09:00:00Z"))
    session.commit()
    for recent in (True, False):
        save = load(path, recent=recent)
        assert (save.moves, save.earlier, save.earlier_n, save.header.n) == ([], "", 0, 0)
    assert codec.compose(load(path, recent=True)) == path.read_text("utf-8")


def test_a_save_whose_last_move_is_that_of_the_checkpoint(later: Path) -> None:
    mark, _ = numbers(later)
    text = later.read_text("utf-8")
    save = load(later)
    head = save.moves[mark - 1].hash
    cut = text[: text.index(where(mark + 1)) + 1] + END + "\n"
    later.write_text(cut, "utf-8")
    edited(later, f"n = {save.header.n}", f"n = {mark}")
    edited(later, save.header.head, head)
    recent = load(later, recent=True)
    assert (recent.moves, recent.earlier_n) == ([], mark)
    assert codec.earlier_moves(recent) == load(later).moves


def test_a_journal_that_does_not_hold_the_move_of_the_checkpoint_is_read_whole(later: Path) -> None:
    mark, end = numbers(later)
    edited(later, f"n = {mark}\n", f"n = {end + 5}\n", "[checkpoint]")
    save = load(later, recent=True)
    assert (len(save.moves), save.earlier, save.earlier_n) == (end, "", 0)


def test_a_text_without_a_format_is_no_save_of_ours() -> None:
    for text in ("", "x = 1\n", "game = 3\n", "[game]\nname = 'x'\n"):
        with pytest.raises(WrongFormat, match="the key `format` is missing") as caught:
            codec.read_header(text)
        assert caught.value.key == "game.format"
    with pytest.raises(WrongFormat, match=r"has format 2; this pbem reads format 1") as caught:
        codec.read_header("\n[game]\nname = 'x'\nformat = 2\n")
    assert caught.value.line == 4


def test_a_text_that_ends_too_early_is_told_by_its_last_line(early: Path) -> None:
    text = early.read_text("utf-8")
    for cut in (text.rstrip().removesuffix(END), text[:40], END[:-1]):
        with pytest.raises(Truncated, match=f"the last line, '{END}', is missing"):
            codec.read(cut)


def test_of_moves_kept_as_text_only_those_wanted_are_read(tmp_path):
    from pathlib import Path

    saves = Path(__file__).parents[2] / "saves"
    save = load(saves / "is-war.toml", recent=True)
    assert save.earlier_n > 20
    every = codec.earlier_moves(save)
    assert [move.n for move in every] == list(range(1, save.earlier_n + 1))
    for since in (0, 1, 7, save.earlier_n - 1, save.earlier_n, save.earlier_n + 5):
        assert codec.earlier_moves(save, since) == every[since:]
