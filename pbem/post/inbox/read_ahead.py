"""Messages decoded by other processes before the first round of games taken in side by side.

Until then the workers have nothing to do. The letters come back in the order of the messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.jobs import Crew
from pbem.post.inbox.reading import letter_of
from pbem.post.inbox.values import Letter, Received

PAGE = 100
"""Messages that a process gets at a time; fewer are decoded here."""

PAGE_BYTES = 1 << 20
"""The bytes of messages with which a page is full, however few they are."""

AHEAD = 2
"""Pages given out for each process before the first of them is waited for."""

Numbered = tuple[int, Received]
"""A message and its place in the run."""


class ReadAhead:
    """Reads messages in so many processes. Whoever has it lets them go with `crew`, after an error at once."""

    def __init__(self, jobs: int) -> None:
        self.crew: Crew[Sequence[Numbered], list[Letter]] = Crew(letters_of, jobs)
        self._most = AHEAD * jobs
        self._page: list[Numbered] = []
        self._size = 0

    def add(self, number: int, received: Received) -> list[Letter]:
        """Have a message read. Returns the letters of messages before it that are due."""
        self._page.append((number, received))
        self._size += len(received.raw)
        if len(self._page) < PAGE and self._size < PAGE_BYTES:
            return []
        self.crew.give(self._page)
        self._page, self._size = [], 0
        return self.crew.take() if len(self.crew) > self._most else []

    def rest(self) -> Iterator[Letter]:
        """The letters of all messages that are still out; then the processes may go."""
        while len(self.crew):
            yield from self.crew.take()
        yield from letters_of(self._page)
        self.crew.__exit__(None, None)


def letters_of(page: Sequence[Numbered]) -> list[Letter]:
    """The letters in some messages."""
    return [letter_of(received, number) for number, received in page]
