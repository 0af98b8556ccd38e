"""Games outlive versions: saves of every version so far open and go on, and the numbers of rules are honest.

`earlier/rules/` holds saves of each version of each game's rules. Those that name the installed rules must be played
again to the same state. If one is not, an outcome has changed: raise `rules` in games/<game>/__init__.py and keep the
save. If no version with that number was ever released, make it again: `python -m tests.save.test_versions`.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

import games
from pbem.kernel.negotiation import DONE
from pbem.save import RulesMismatch, Session, load, load_header, verify
from pbem.save.upgrade import plan, upgrade
from pbem.save.upgrade_check import rehearse
from pbem.timestamps import moment, stamp

HOME = Path(__file__).parents[2]
KEPT = Path(__file__).parent / "earlier" / "rules"
SAVES = sorted(KEPT.glob("*.toml"))
PRESENT = ("1630-ballot", "is-round", "cor-impulse", "vq-interception")
"""The examples that are kept of the present version."""

AT = moment("2026-08-01T12:00:00Z")


def ids(path: Path) -> str:
    return path.stem


def passed(path: Path) -> Session:
    """The game under the installed rules, as its moderator would take it there."""
    if plan(path, games.load).needed:
        upgrade(path, games.load, AT, from_checkpoint=True)[0].commit(AT)
    return Session.open(path, games.load)


@pytest.mark.parametrize("path", SAVES, ids=ids)
def test_a_save_of_any_version_is_read_and_played_on(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path))
    whole, header = load(copy), load_header(copy).header
    assert whole.header == header
    session = passed(copy)
    random, before = Random(1), session.referee.n
    while not session.referee.over and session.referee.n < before + 12:
        seat = session.referee.waiting()[0]
        if session.referee.talk is not None:
            session.referee.submit(seat, DONE, at=stamp(AT))
        else:
            session.referee.submit(seat, session.referee.domain(seat).sample(random.randrange), at=stamp(AT))
    session.commit(AT)
    assert session.referee.n > before
    again = Session.open(copy, games.load)
    assert verify(copy, games.load).digest == again.referee.digest()
    assert [move.hash for move in load(copy).moves[: whole.checkpoint.n]] == [
        move.hash for move in whole.moves[: whole.checkpoint.n]
    ]


@pytest.mark.parametrize("path", SAVES, ids=ids)
def test_what_names_these_rules_is_played_by_them(path: Path) -> None:
    found = rehearse(path, games.load)
    if found.rules[0] != found.rules[1]:
        with pytest.raises(RulesMismatch):
            Session.open(path, games.load)
        return
    why = f"{found.why}: {found.theirs} / {found.ours}"
    assert found.same, f"the rules of {found.game} have changed and their number has not ({why}): see above"


def test_every_game_has_a_save_of_its_present_rules() -> None:
    kept = {(load_header(path).header.game, load_header(path).header.rules) for path in SAVES}
    assert {(game.slug, games.load(game.slug).rules) for game in games.catalogue()} <= kept


if __name__ == "__main__":
    for example in PRESENT:
        source = HOME / "saves" / f"{example}.toml"
        shutil.copy(source, KEPT / f"rules-{load_header(source).header.rules}-{example}.toml")
