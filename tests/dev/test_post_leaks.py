"""The no-leak law over the post: what a seat gets by mail depends on nothing that it may not know."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from random import Random

import msgspec
import pytest

import games
from games.crown_of_roses.realm.parliament import attend
from pbem.dev import leak_test_mail, leak_test_pairs, observation, received, synthetic_mail
from pbem.dev.random_game import random_setup
from pbem.dev.settings_pairs import SettingsPair, TakeBackPair
from pbem.kernel.journal import Move
from pbem.kernel.referee import CheckpointRecord, Referee
from pbem.kernel.table import LogLine
from pbem.mail.moderator import votes
from pbem.mail.save_index import code_of
from pbem.orders.reply_codes import normalized_code
from pbem.save import SeatInfo, Session, chain
from pbem.save.settings import SETTINGS

PAIRS = {"sixteen_thirty": (2, 4), "imperial_struggle": (2, 8), "crown_of_roses": (1, 2), "virgin_queen": (1, 1)}
"""Pairs in every run, and in the slow one."""


def check(slug: str, pairs: int) -> None:
    result = leak_test_mail.run(games.load(slug), pairs, seed=1)
    assert [str(leak) for leak in result.leaks] == []
    assert result.changed == pairs
    assert result.steps >= pairs // 2


@pytest.mark.parametrize("slug", PAIRS)
def test_pairs_through_the_post(slug: str) -> None:
    check(slug, PAIRS[slug][0])


@pytest.mark.slow
@pytest.mark.parametrize("slug", PAIRS)
def test_more_pairs_through_the_post(slug: str) -> None:
    check(slug, PAIRS[slug][1])


@pytest.mark.parametrize(
    ("slug", "pairs", "seed"),
    [
        ("crown_of_roses", 2, 1),
        # A seat takes back its last act in a window that its settings have answered in one world only.
        pytest.param("virgin_queen", 3, 77, marks=pytest.mark.slow),
    ],
)
def test_settings_tell_nothing_to_who_is_asked_too(slug: str, pairs: int, seed: int) -> None:
    result = leak_test_mail.run(games.load(slug), pairs, seed=seed, of=SettingsPair)
    assert [str(leak) for leak in result.leaks] == []
    assert result.changed  # in some pair settings have answered


@pytest.mark.parametrize(
    ("slug", "pairs"),
    [
        ("imperial_struggle", 1),
        pytest.param("sixteen_thirty", 8, marks=pytest.mark.slow),
        pytest.param("virgin_queen", 4, marks=pytest.mark.slow),
        pytest.param("crown_of_roses", 4, marks=pytest.mark.slow),
    ],
)
def test_taking_back_tells_nothing(slug: str, pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, decide = list[bool](), votes.concerns_nobody

    def noted(session: Session, info: SeatInfo) -> bool:
        alone.append(decide(session, info))
        return alone[-1]

    monkeypatch.setattr(votes, "concerns_nobody", noted)
    result = leak_test_mail.run(games.load(slug), pairs, seed=77, of=TakeBackPair)
    assert [str(leak) for leak in result.leaks] == []
    assert any(alone)


def test_what_a_screen_shows_too_much_is_found() -> None:
    def screens(path: Path, seat: str, now: datetime) -> dict[str, str]:
        return {"log": "all quiet", "talk": str(path.read_text("utf-8").count("[[standing]]"))}

    result = leak_test_mail.run(games.load("sixteen_thirty"), 8, seed=1, first=True, screens=screens)
    assert [leak.where for leak in result.leaks] == ["screen talk"]


class LearntPair(leak_test_mail.MailPair):
    """A pair that fails as soon as anybody writes."""

    def begin(self) -> None:
        raise AssertionError


def test_what_a_checkpoint_reveals_at_once_is_learnt_before_anybody_writes(tmp_path: Path) -> None:
    """The next office of an auction is drawn from a hidden pile, and laid open."""
    game, marks = games.load("crown_of_roses"), list[CheckpointRecord]()
    setup = random_setup(game, Random(1), *leak_test_pairs.settings_of(game, 2)[0])
    table = Referee.new(game, setup, on_mark=marks.append).table
    attend(table)
    table.state.phase, table.state.stage, table.state.auction = "offices", "auction", [2, 3, 4, 5, 6, 7, 8]
    mark = msgspec.structs.replace(marks[0], state=msgspec.json.encode(table.state))
    start = leak_test_mail.PairStart(game, setup, [], mark, Random(0), setup.seats[0], 0)
    with received.blind_chain():
        pair = LearntPair(start, tmp_path)
        pair.run()
    assert ([str(leak) for leak in pair.result.leaks], pair.result.ended) == ([], {"learnt": 1})


@pytest.mark.parametrize("slug", PAIRS)
def test_what_may_be_learnt_names_its_rule(slug: str) -> None:
    lists = leak_test_pairs._lists(games.load(slug).package)
    assert lists is not None
    for table in ("public", "private"):
        assert lists[table]
        assert all(isinstance(rule, str) and rule for rule in lists[table].values())


def test_telling_everybody_the_drawn_cards_is_no_learning() -> None:
    game = games.load("sixteen_thirty")

    def drawn(cards: list[str], told: dict[str, list[str]]) -> LogLine:
        return LogLine("deck.drawn", {"seat": "red", **told}, "2", private={"red": {"cards": cards}}, reveals=True)

    one, other = ["spain-1a"], ["france-1a"]
    assert leak_test_pairs.may_reveal(game, drawn(one, {}), drawn(other, {}))
    assert not leak_test_pairs.may_reveal(game, drawn(one, {"cards": one}), drawn(other, {"cards": other}))
    assert not leak_test_pairs.may_reveal(game, drawn(one, {}))


def test_with_a_blind_chain_heads_do_not_know_the_answers() -> None:
    seed, moves = b"1" * 32, [Move(1, 1, "red", "vote", answer) for answer in ("yes", "no")]
    keyed = [chain.extend("00", [move], seed)[0].hash for move in moves]
    assert keyed[0] != keyed[1]
    with received.blind_chain():
        blind = [chain.extend("00", [move], seed)[0].hash for move in moves]
    assert blind[0] == blind[1]
    assert [chain.extend("00", [move], seed)[0].hash for move in moves] == keyed


def test_the_settings_of_a_save_vary_over_all_that_there_are(tmp_path: Path) -> None:
    assert observation._SPREAD.keys() == SETTINGS.keys()
    found: dict[str, set[str]] = {}
    for number in range(40):
        game = games.load("sixteen_thirty")
        save = synthetic_mail.new_game(tmp_path / f"{number}.toml", game, 3).save
        observation.vary(save, save.seats[0].id, Random(number))
        for name in SETTINGS:
            holder = save.clock if hasattr(save.clock, name) else save.post
            found.setdefault(name, set()).add(str(getattr(holder, name)))
    assert {name for name, values in found.items() if len(values) == 1} == {"maps", "beacon"}


def message(name: str, raw: bytes, to: str = "anna@p.example", at: int = 1) -> received.Got:
    return received.Got(name, b"To: " + to.encode() + b"\r\n" + raw, to, False, 0o600, at)


PARTS = (
    b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="B"\r\n\r\n%s\r\n--B\r\n'
    b"Content-Type: text/plain\r\n\r\n%s\r\n--B\r\n"
    b'Content-Type: text/calendar\r\nContent-Disposition: attachment; filename="deadline.ics"\r\n\r\n%s\r\n'
    b"--B--\r\n%s"
)


@pytest.mark.parametrize(("at", "place"), [(0, "preamble"), (1, "text/plain"), (2, "deadline.ics"), (3, "epilogue")])
def test_every_part_of_a_message_is_compared(at: int, place: str) -> None:
    texts = [[b"one"] * 4, [b"one"] * 4]
    texts[1][at] = b"two"
    one, other = ([message("a", PARTS % tuple(some))] for some in texts)
    received.compare(one, one, ["anna@p.example"])
    with pytest.raises(leak_test_pairs.Leaked) as leaked:
        received.compare(one, other, ["anna@p.example"])
    assert leaked.value.where == f"email a: {place}"


def test_what_parsers_do_not_see_is_compared_too() -> None:
    one, other = ([message("a", raw)] for raw in (b"\r\ntext\r\n", b"\r\ntext\n"))
    with pytest.raises(leak_test_pairs.Leaked, match="email a"):
        received.compare(one, other, ["anna@p.example"])


def test_two_letters_that_go_out_in_another_order() -> None:
    one = [message("a", b"", "anna@p.example", 1), message("b", b"", "ben@p.example", 2)]
    tied = [message("a", b"", "anna@p.example", 2), message("b", b"", "ben@p.example", 2)]
    other = [message("a", b"", "anna@p.example", 2), message("b", b"", "ben@p.example", 1)]
    received.compare_order(one, tied)
    with pytest.raises(leak_test_pairs.Leaked, match="order of outgoing mail"):
        received.compare_order(one, other)


SPELT = ("{0}-{1}", "{0}{1}", "{0} {1}", "{0}%2D{1}", "{0}&#45;{1}", "{0}<wbr>-{1}", "{0}\u2011{1}", "{0}\u00ad{1}")


@pytest.mark.parametrize("spelt", SPELT)
@pytest.mark.parametrize("way", [str, str.upper])
def test_a_code_in_a_copy_is_found_in_any_spelling(spelt: str, way: Callable[[str], str], tmp_path: Path) -> None:
    save = synthetic_mail.new_game(tmp_path / "x.toml", games.load("sixteen_thirty"), 3).save
    code = normalized_code(code_of(save, save.seats[0].id))
    text = spelt.format(way(code[:4]), way(code[4:])).encode()
    copy = message("a", b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>" + text + b"</p>", "friend@p.example")
    received.no_code([copy], save, ["nobody@p.example"])
    with pytest.raises(leak_test_pairs.Leaked, match="a code in a copy"):
        received.no_code([copy], save, ["friend@p.example"])


def test_what_is_told_one_seat_stands_in_no_line_for_all() -> None:
    told = LogLine("deck.drawn", {"seat": "red"}, "2", private={"red": {"cards": ["spain-1a"]}})
    assert leak_test_pairs.heard([told], "blue") == [(told, {"seat": "red"})]
    told.args["top"] = "spain-1a"
    with pytest.raises(leak_test_pairs.Leaked, match="drawn for others"):
        leak_test_pairs.heard([told], "blue")


def test_the_number_of_a_draw_is_never_learnt() -> None:
    game = games.load("sixteen_thirty")
    one, other = (LogLine("war.roll", {"dice": [3], "draw": draw}, "war", reveals=True) for draw in (4, 5))
    assert leak_test_pairs.may_reveal(game, one, LogLine("war.roll", {"dice": [5], "draw": 4}, "war", reveals=True))
    assert not leak_test_pairs.may_reveal(game, one, other)
    assert leak_test_pairs.may_reveal(game, one, LogLine("vote.cast", {"seat": "red"}, "5"))


def test_of_a_line_that_is_public_in_part_no_more_may_be_learnt() -> None:
    game = games.load("crown_of_roses")

    def placed(**told: object) -> LogLine:
        return LogLine("influence.placed", {"house": "york", "count": 1, **told}, "19.0")

    assert leak_test_pairs.may_reveal(game, placed(block="norfolk"), placed(block="hastings"))
    told = [placed(block=block, markers=markers) for block, markers in (("norfolk", "3"), ("norfolk", "1"))]
    assert not leak_test_pairs.may_reveal(game, *told)
