"""Saves of earlier versions are read: what stood in tables `more`, or under other names, is found where it is today."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.report.messages import report_messages
from pbem.save import SaveKeyError, SentEntry, SentState, codec, load, load_header, store
from pbem.save.toml_reader import parse
from pbem.timestamps import moment

SAVES = sorted((Path(__file__).parent / "earlier").glob("*.toml"))
BALLOT = SAVES[0]
"""A game whose letters are held, with a draft and everything else that was kept in a `more`."""

HELD = moment("2026-05-02T22:00:00Z")


def test_what_letters_have_told_a_seat() -> None:
    amber, black, green, ivory = load_header(BALLOT).seats
    entry = SentEntry("ballot-0-31-amber@games.example", moment("2026-05-06T16:00:00Z"), 31, 4, on=False)
    first, last = ("<ballot.amber.1.1d4b88fa3136c408@games.example>", "<ballot.amber.8.a2d705f5c11109bb@games.example>")
    assert amber.told == SentState(8, first, last, 1, "5ae07c752e226833", entry=entry)
    assert black.told.newcomer
    assert not amber.told.newcomer
    assert green.told.over
    assert ivory.told.notices == 2


def test_what_the_header_says_of_letters() -> None:
    save = load_header(BALLOT)
    assert save.post.sender == "pbem@games.example"
    assert save.header.unasked
    assert save.header.release_at == HELD


def test_letters_that_are_held() -> None:
    first, second, third, copy = load(BALLOT).outbox
    assert (first.held, first.held_until, first.asks, first.news) == (True, HELD, 31, True)
    assert (second.held, second.held_until) == (True, None)
    assert second.cancelled.startswith("BEGIN:VCALENDAR")
    assert third.message_id == "<ballot.ivory.7.da129adb94215280@games.example>"
    assert third.sender == "pbem@games.example"
    assert third.thread == [
        "<ballot.ivory.1.abfd943f930b031e@games.example>",
        "<ballot.ivory.6.2c3a2237acf27112@games.example>",
    ]
    assert copy.calendar == third.calendar != ""


def test_a_draft() -> None:
    (draft,) = load(BALLOT).drafts
    assert (draft.seat, draft.entered, draft.receipt["seat"]) == ("green", True, "green")
    assert draft.at == moment("2026-05-02T21:00:00Z")


def test_the_moderators_actions_and_the_agreements() -> None:
    save = load(BALLOT)
    assert [action.what for action in save.actions] == ["set", "extend", "absent", "delegate", "watch", "substitute"]
    (agreement,) = save.agreements
    assert (agreement.id, list(agreement.signed)) == ("amber-ivory-1", ["amber", "ivory"])


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.stem)
def test_stored_again_it_says_the_same_in_the_words_of_today(path: Path, tmp_path: Path) -> None:
    save, fresh = load(path), tmp_path / "again.toml"
    store(fresh, save)
    text = fresh.read_text("utf-8")
    assert "more =" not in text
    assert ".more]" not in text
    again = load(fresh)
    assert again == save
    assert codec.compose(again) == text
    assert parse(text)["moves"] == parse(path.read_text("utf-8"))["moves"]


def test_what_no_version_has_written_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(BALLOT.read_text("utf-8").replace("more = { letters = 7", "more = { vacation = 1, letters = 7"))
    with pytest.raises(SaveKeyError, match=r"this key doesn.t exist here") as caught:
        load(path)
    assert caught.value.key == "seats[1].more"
    assert caught.value.line


def test_messages_under_an_earlier_key_are_shown_under_todays(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    reason = '{ key = "talk.withdrawn", args = { id = "a-1" }, rule = "", near = [] }'
    receipt = (
        f'{{ game = "ballot", seat = "green", verdict = "wrong", problem = {{ key = "block.stale" }}, '
        f'refused = [{{ line = 2, text = "accept a-1", problems = [{reason}] }}], '
        'remarks = [{ key = "letter.quoted", line = 3 }, { key = "answer.extra", line = 4 }] }'
    )
    more = (
        f'[[drafts]]\nid = "d"\nseat = "green"\nreceipt = {receipt}\n\n'
        f'[[notes]]\nseat = "amber"\nkey = "queue.failed"\nproblem = {reason}\n\n'
        '[[notes]]\nseat = "amber"\nkey = "standing.used"\n\n'
    )
    path.write_text(BALLOT.read_text("utf-8").replace("[[deeds]]", f"{more}[[deeds]]", 1))
    save = load(path)
    failed, used = save.notes
    assert (failed.key, used.key) == ("advance.failed", "standing.used")
    assert failed.problem is not None
    assert failed.problem.key == "negotiation.withdrawn"
    stored = next(draft.receipt for draft in save.drafts if draft.id == "d")
    assert stored["problem"]["key"] == "order_block.stale"
    assert stored["refused"][0]["problems"][0]["key"] == "negotiation.withdrawn"
    assert [remark["key"] for remark in stored["remarks"]] == ["incoming.quoted", "answer.extra"]
    for language in ("en", "ja"):
        say = report_messages(language)
        said = [say.render_note(note) for note in save.notes]
        said += [say.render_problem(failed.problem), say.text("order_block.stale"), say.text("incoming.quoted")]
        assert all(said)
        assert not say.missing
