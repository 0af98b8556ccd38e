"""What lines of the log tell of the map: only what their reader reads."""

from pathlib import Path

import games
from pbem.report.viewfile import MapMentions, told_of, view_file
from pbem.save import Session
from pbem.tui.model.game_source import SaveSource

SAVES = Path(__file__).parents[2] / "saves"


def test_a_move_has_a_way_and_names_its_spaces() -> None:
    spaces = {"riga", "oslo"}
    assert told_of({"origin": "riga", "space": "oslo", "power": "oslo?"}, spaces) == MapMentions(
        ("riga", "oslo"), ("riga", "oslo")
    )
    assert told_of({"space": "oslo"}, spaces) == MapMentions(("oslo",))
    assert told_of({"origin": "riga", "space": "riga"}, spaces) == MapMentions(("riga",))
    assert told_of({"origin": "riga", "space": "bari", "count": 3}, spaces) == MapMentions(("riga",))


def test_the_log_tells_where_what_it_says_happened() -> None:
    session = Session.open(SAVES / "vq-interception.toml", games.load, pinned=False)
    for seat in ("spain", "", "moderator"):
        log = view_file(session.referee, seat, lines=session.lines())["log"]
        (move,) = [line for line in log if line["en"].startswith("France moves from Bordeaux to Nerac")]
        assert (move["at"], move["way"]) == (["bordeaux", "nerac"], ["bordeaux", "nerac"])
        named = [line for line in log if "at" in line]
        assert len(named) > 1
        assert all("at" in line or "way" not in line for line in log)


def test_the_log_names_no_space_that_its_reader_does_not_read() -> None:
    """Crown of Roses: what blocks went is told to their house alone, from where to where to all."""
    session = Session.open(SAVES / "cor-battle.toml", games.load, pinned=False)
    lines = session.lines()
    say = SaveSource(SAVES / "cor-battle.toml", "public").desk().say("en")
    for seat in session.save.seats:
        for line in view_file(session.referee, seat.id, lines=lines)["log"]:
            assert all(say.name(space) in line["en"] for space in line.get("at", ()))
