"""What becomes of the letters of a run, told in the order of the mailbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pbem.post.inbox.outcomes import IngestReport, not_taken
from pbem.post.inbox.values import Fate, Letter, Outcome


class Tally:
    """Letters read and dealt with, and what became of them; `progress` hears how many are dealt with, and read."""

    def __init__(self, report: IngestReport, progress: Callable[[int, int], None] | None = None) -> None:
        self.report = report
        self.read = 0
        self.outcomes: list[tuple[int, Outcome]] = []
        self._dealt = 0
        self._progress = progress

    def note(self, letter: Letter, outcomes: Iterable[Outcome]) -> None:
        """Keep what became of a letter until it is told."""
        self.outcomes += [(letter.number, outcome) for outcome in outcomes]

    def give_up(self, letters: Sequence[Letter], fate: Fate, why: str) -> None:
        """Keep that letters were not taken in."""
        for letter in letters:
            self.note(letter, [not_taken(letter, fate, why)])

    def count(self, letters: int) -> None:
        """So many more letters are dealt with."""
        self.reach(self._dealt + letters)

    def reach(self, letters: int) -> None:
        """So many letters are dealt with, of those that were read."""
        self._dealt = min(max(letters, self._dealt), self.read)
        if self._progress is not None:
            self._progress(self._dealt, self.read)

    def tell(self, dealt: int = 0) -> None:
        """Put what is kept into the report, in the order of the mailbox; `dealt` letters are dealt with at least."""
        for _, outcome in sorted(self.outcomes, key=lambda numbered: numbered[0]):
            self.report.note(outcome)
        self.outcomes = []
        self.reach(dealt)
