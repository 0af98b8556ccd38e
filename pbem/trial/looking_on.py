"""What those who look on get of a world: pages, letters to onlookers, events for `notify`; all of it is compared."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from pbem import LANGUAGES
from pbem.post.notify import Known, news
from pbem.post.onlookers import write_all
from pbem.post.save_index import SaveIndex
from pbem.save import Save, load, store
from pbem.save.schema import Onlooker
from pbem.save.session import Loader
from pbem.site import publish

ADDRESS = "lou@onlooker.example"


def watch(save: Save) -> None:
    """Let somebody follow the game from now on."""
    save.post.onlookers = [Onlooker(ADDRESS, seen=save.header.lines, press=len(save.press))]


class Onlookers:
    """Those who look on at one world: the folder of the pages, and what `notify` has told."""

    def __init__(self, path: Path, load_game: Loader, sender: str) -> None:
        self.path, self.load_game, self.sender = path, load_game, sender
        self.pages = path.parent / "public"
        self.told = ""
        self._known = Known()

    def look(self, now: datetime) -> None:
        """What a run of the post brings them."""
        publish([self.path], self.pages, now=now, game=self.load_game, languages=LANGUAGES[:1], replay=False)
        save = load(self.path)
        # What came before a checkpoint of world B cannot be told again.
        since = save.checkpoint.lines if save.checkpoint is not None else 0
        for onlooker in save.post.onlookers:
            onlooker.seen = max(onlooker.seen, since)
        store(self.path, save)
        index = SaveIndex([self.path])
        _, wrong = write_all(index, self.path.parent, now=now, sender=self.sender, game=self.load_game)
        if wrong:
            raise RuntimeError(wrong[0])
        save = load(self.path)
        known = msgspec.structs.replace(self._known, lines=max(self._known.lines, since))
        events, self._known = news(self.path, save, known, self.load_game)
        for event in events:
            self.told += f"{stamp_of(now)} {msgspec.json.encode(event).decode()}\n"

    def got(self) -> str:
        """All pages with their names, what their folder keeps besides, and the events."""
        files = sorted(path for path in self.pages.rglob("*") if path.is_file())
        pages = "".join(f"== {path.relative_to(self.pages)}\n{path.read_text('utf-8')}" for path in files)
        return f"{pages}== events\n{self.told}"


def stamp_of(now: datetime) -> str:
    """A time as the log of events has it."""
    return f"{now:%d %H:%M}"
