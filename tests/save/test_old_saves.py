"""Saves of version 0.1.0 are read: messages that it kept under other keys are shown under today's."""

from __future__ import annotations

from pathlib import Path

from pbem.report.messages import report_messages
from pbem.save import load

BALLOT = Path(__file__).parents[2] / "saves" / "1630-ballot.toml"


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
    path.write_text(BALLOT.read_text("utf-8").replace("[[moves]]", f"{more}[[moves]]", 1))
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
