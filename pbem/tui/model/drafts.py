"""Drafts next to the file, for each seat, readable by its owner only: nothing typed is lost, not even by a kill."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from pbem.atomic_files import load, store
from pbem.tui.model.answer_tree import AnswerDraft
from pbem.tui.model.order_draft import DraftItem


class FilledRow(msgspec.Struct, array_like=True, frozen=True):
    """A row of an answer's form, by its place in the form."""

    path: str
    held: Any


class SeatDrafts(msgspec.Struct):
    """The drafts of one seat: rows of answers by question, the parts of an email, texts being typed by place."""

    answers: dict[int, list[FilledRow]] = {}
    talk: int = 0
    items: list[DraftItem] = []
    typed: dict[str, str] = {}

    @property
    def count(self) -> int:
        return len(self.answers) + len(self.items) + len(self.typed)


Drafts = dict[str, SeatDrafts]


def file_of(path: Path) -> Path:
    """Return the file of the drafts of a save or view file."""
    return path.with_name(path.name + ".drafts")


def kept(path: Path) -> Drafts:
    """Return the drafts of a save or view file by seat; none if they can't be read."""
    try:
        return load(file_of(path), Drafts) or {}
    except (OSError, ValueError):
        return {}


def keep(path: Path, drafts: Drafts) -> None:
    """Store the drafts; without any, there is no file. Raises OSError."""
    found = {seat: record for seat, record in drafts.items() if record.count}
    if found:
        store(file_of(path), found)
    else:
        file_of(path).unlink(missing_ok=True)


def rows_of(draft: AnswerDraft, fresh: AnswerDraft) -> list[FilledRow]:
    """Return the rows that were filled in since the form was `fresh`."""
    before = {row.path: row.leaf.held for row in fresh.slots()}
    rows = ((row.path, row.leaf.held) for row in draft.slots() if not getattr(row.leaf, "acts", False))
    return [FilledRow(path, held) for path, held in rows if path not in before or held != before[path]]


def fill(draft: AnswerDraft, rows: Iterable[FilledRow]) -> None:
    """Fill the rows in again, in order: a row may appear only when those before it are filled in."""
    for filled in rows:
        row = next((row for row in draft.slots() if row.path == filled.path), None)
        if row is not None:
            row.leaf.set(filled.held)
