"""The referee: sealed questions, windows, time, the journal, replay, checkpoints, rewinds, the moderator."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from pbem.kernel.fiat import Fiat
from pbem.kernel.game import Setup
from pbem.kernel.problems import Problem, Refused, refuse
from pbem.kernel.questions import MODERATOR, Ask, Replies
from pbem.kernel.referee import DECIDED, DEFAULT, SETTINGS, Mark, Move, Referee, ReplayError
from pbem.kernel.standing import NEVER, AskMe
from tests.kernel import toy
from tests.kernel.toy import SEATS, at_random, new, to_action, to_talk


def source(seed: int) -> Callable[[int], int]:
    return random.Random(seed).randrange


def answers(referee: Referee) -> list[tuple[str, str, Any]]:
    return [(move.seat, move.kind, move.answer) for move in referee.moves]


# -- sealed questions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(itertools.permutations(SEATS)))
def test_the_journal_is_in_the_order_of_the_question(order: tuple[str, ...]) -> None:
    referee = new()
    for seat in order:
        assert referee.moves == []
        referee.submit(seat, SEATS.index(seat), at=f"when {seat}", via=f"letter of {seat}")
    assert answers(referee) == [("amber", "bid", 0), ("blue", "bid", 1), ("coral", "bid", 2)]
    assert [move.n for move in referee.moves] == [1, 2, 3]
    assert {move.q for move in referee.moves} == {1}
    assert [move.via for move in referee.moves] == [f"letter of {seat}" for seat in SEATS]
    assert referee.table.state.turn == ["coral"] * 2 + ["blue"] * 2 + ["amber"] * 2


def test_a_sealed_answer_shows_nowhere_and_can_be_replaced() -> None:
    one, other = new(), new()
    one.submit("blue", 4)
    assert one.digest() == other.digest()
    assert one.asked() == other.asked() == SEATS
    assert [line.key for line in one.table.lines] == [line.key for line in other.table.lines]
    for seat in ("amber", "coral"):
        assert [p for p in one.pending() if p.seat == seat] == [p for p in other.pending() if p.seat == seat]
    assert [p.answered for p in one.pending()] == [False, True, False]
    one.submit("blue", 1)
    with pytest.raises(Refused):
        one.submit("blue", 7)
    to_talk(one, 2, 1, 0)
    assert one.table.state.gold == {"amber": 4, "blue": 5, "coral": 6}


def test_what_a_seat_is_asked_does_not_depend_on_what_others_have_answered() -> None:
    """The no-leak law for `pending`: through a whole game, before and after each answer of another seat."""
    referee, below = new({"ask_me": "always"}), source(5)
    while not referee.over:
        seat = referee.waiting()[0]
        before = {p.seat: p for p in referee.pending()}
        q = referee.q
        referee.submit(seat, referee.domain(seat).sample(below))
        if referee.q == q and referee.talk is None and not referee.over:
            after = {p.seat: p for p in referee.pending()}
            assert after.pop(seat).answered
            assert not before.pop(seat).answered
            assert after == before


def test_only_who_is_asked_can_answer() -> None:
    referee = to_action(new())
    for seat in ("blue", "nobody", MODERATOR):
        with pytest.raises(Refused) as caught:
            referee.submit(seat, "rest")
        assert caught.value.problem.key == "answer.no_question"
    before = referee.digest()
    with pytest.raises(Refused) as caught:
        referee.submit("amber", {"do": "march", "to": "port"})
    assert caught.value.problem == Problem("rules.custom", {"text": "port is too far from hill"}, "3.1")
    with pytest.raises(Refused) as caught:
        referee.submit("amber", "dance")
    assert caught.value.problem.rule == "3"
    assert referee.digest() == before


def test_nothing_can_be_answered_when_the_game_is_over() -> None:
    referee = at_random(new(), source(1))
    assert referee.over
    assert referee.result is not None
    assert referee.pending() == []
    assert referee.asked() == ()
    with pytest.raises(Refused):
        referee.submit("amber", "rest")


# -- windows -----------------------------------------------------------------------------------------------------------


def march(referee: Referee) -> Referee:
    """Amber marches to the ford, where blue stands."""
    to_action(referee)
    referee.table.state.at["blue"] = "ford"
    referee.submit("amber", {"do": "march", "to": "ford"})
    return referee


def test_a_window_asks_those_whom_it_touches() -> None:
    referee = march(new())
    assert referee.asked() == ("blue", "coral")
    assert referee.waiting() == ("blue",)
    assert {p.seat: p.answered for p in referee.pending()} == {"blue": False, "coral": True}
    assert [p.default for p in referee.pending()] == ["pass", "pass"]
    assert referee.table.trail == [("march", {"seat": "amber", "to": "ford"})]
    referee.submit("blue", "pass")
    assert [(m.seat, m.how) for m in referee.moves[-2:]] == [("blue", "chosen"), ("coral", SETTINGS)]
    assert referee.table.state.at["amber"] == "ford"
    assert referee.table.trail == []


def test_a_window_that_nobody_wants_closes_at_once() -> None:
    referee = to_action(new())
    referee.submit("amber", {"do": "march", "to": "ford"})
    assert [(m.seat, m.kind, m.answer, m.how) for m in referee.moves[-2:]] == [
        ("blue", "intercept", "pass", SETTINGS),
        ("coral", "intercept", "pass", SETTINGS),
    ]
    assert isinstance(referee.now, Ask)
    assert referee.now.kind == "action"
    assert referee.table.state.at["amber"] == "ford"


def test_settings_decide_who_is_asked() -> None:
    referee = new({"ask_me": "always"})
    referee.settings = [AskMe("blue", "*", "always"), AskMe("blue", "intercept", NEVER)]
    march(referee)
    assert referee.waiting() == ("coral",)


def test_plans_look_at_what_took_effect_before() -> None:
    blue = {"plan": [{"answer": {"do": "intercept", "card": "b"}, "unless": ["amber"]}]}
    coral = {"plan": [{"answer": {"do": "intercept", "card": "c"}, "after": ["blue"]}, {"answer": "late"}]}
    replies = Replies({"amber": "pass", "blue": blue, "coral": coral})
    seen = []
    for seat, answer in replies.walk(["blue", "coral", "amber"]):
        seen.append((seat, answer["card"]))
        replies.took_effect(seat)
    assert seen == [("blue", "b"), ("coral", "c")]
    assert Replies({"coral": coral}).of("coral") == "late"
    spoilt = Replies({"blue": blue, "coral": coral})
    spoilt.took_effect("amber")
    assert spoilt.of("blue") == "pass"
    anyone = Replies({"blue": {"plan": [{"answer": "x", "unless": ["anyone"]}]}})
    assert anyone.of("blue") == "x"
    anyone.took_effect("coral")
    assert anyone.of("blue") == "pass"
    assert anyone.of("nobody") == "pass"


def test_a_plan_is_played_in_a_window() -> None:
    referee = new({"ask_me": "always"})
    march(referee)
    card = referee.table.state.hands["coral"][0]
    text = f"intercept {card} extra=2 unless blue; pass"
    referee.submit("coral", referee.domain("coral").parse(text))
    assert referee.domain("coral").text(referee.sealed["coral"].answer) == text
    referee.submit("blue", "pass")
    assert card in referee.table.state.discard


def test_a_rule_within_a_rule_within_a_rule_asks() -> None:
    """A march, in it an interception, in it a bribe: the trail shows where we are."""
    for seed in range(40):
        referee = Referee.new(
            toy.GAME,
            msgspec.structs.replace(toy.setup(), seed=f"{seed:064x}"),
            components=(),
            ask_me="always",
        )
        march(referee)
        cards = referee.table.state.hands
        referee.submit("coral", "pass")
        referee.submit("blue", {"do": "intercept", "card": cards["blue"][0]})
        if referee.pending()[0].kind == "bribe":
            break
    assert [key for key, _ in referee.table.trail] == ["march", "bribe"]
    referee.submit("amber", 0)
    assert referee.table.state.at["amber"] == "hill"
    assert [line.key for line in referee.table.lines][-1] == "intercepted"


# -- time --------------------------------------------------------------------------------------------------------------


def test_time_gives_the_missing_seats_their_defaults() -> None:
    referee = new()
    referee.submit("blue", 3)
    assert referee.time_up("then") == ()
    assert [(m.answer, m.how, m.at) for m in referee.moves] == [
        (0, DEFAULT, "then"),
        (3, "chosen", ""),
        (0, DEFAULT, "then"),
    ]
    referee.submit("amber", {"do": "propose", "to": ["blue"], "price": 1})
    referee.submit("blue", "done")
    assert referee.time_up() == ()
    assert referee.moves[-1].how == DEFAULT
    assert [act["do"] for act in referee.moves[-1].answer["acts"]] == ["propose", "done"]
    assert referee.pending()[0].default == "rest"
    referee.time_up()
    assert answers(referee)[-1] == ("blue", "action", "rest")


def test_time_is_up_for_some_seats_only() -> None:
    referee = new()
    referee.time_up(seats=["coral"])
    assert referee.waiting() == ("amber", "blue")
    referee.submit("coral", 2)
    referee.submit("amber", 0)
    referee.submit("blue", 0)
    assert [move.answer for move in referee.moves] == [0, 0, 2]
    assert referee.moves[2].how == "chosen"


def test_a_window_closes_with_pass_when_time_is_up() -> None:
    referee = march(new())
    referee.time_up()
    assert [(m.seat, m.answer, m.how) for m in referee.moves[-2:]] == [
        ("blue", "pass", DEFAULT),
        ("coral", "pass", SETTINGS),
    ]


def test_who_has_no_default_is_named() -> None:
    referee = to_action(new())
    referee.submit("amber", "plot")
    before = referee.digest()
    assert referee.time_up() == (MODERATOR,)
    assert referee.digest() == before


def test_a_default_that_is_not_legal_is_none() -> None:
    referee = to_action(new())
    assert isinstance(referee.now, Ask)
    referee.now.default = "dance"
    assert referee.time_up() == ("amber",)
    assert len(referee.moves) == 4


# -- journal, replay, checkpoints --------------------------------------------------------------------------------------


class Told:
    """A random game, with the digest after each question and every mark."""

    def __init__(self, seed: int, setup: Setup | None = None) -> None:
        self.marks: list[Mark] = []
        self.setup = setup or toy.setup()
        self.referee = Referee.new(
            toy.GAME, self.setup, components=(), on_mark=self.marks.append, ask_me="always"
        )
        self.digests = {0: self.referee.digest()}
        self.lines = {0: len(self.referee.table.lines)}
        self.play(source(seed))

    def play(self, below: Callable[[int], int]) -> None:
        while not self.referee.over:
            if below(9) == 0:
                seat = SEATS[below(3)]
                self.referee.fiat([{"path": f"gold.{seat}", "value": below(9)}])
            else:
                at_random(self.referee, below, 1)
            self.digests[self.referee.n] = self.referee.digest()
            self.lines[self.referee.n] = len(self.referee.table.lines)


@pytest.mark.parametrize("seed", range(5))
def test_replay_rebuilds_the_game_at_every_question(seed: int) -> None:
    told = Told(seed)
    assert len(told.digests) > 20
    assert any(move.kind == "fiat" for move in told.referee.moves)
    for n, digest in told.digests.items():
        again = Referee.resume(toy.GAME, told.setup, told.referee.moves[:n], components=())
        assert again.digest() == digest
        assert len(again.table.lines) == told.lines[n]
    assert again.result == told.referee.result
    assert again.table.lines == told.referee.table.lines
    assert again.moves == told.referee.moves


def distinct(marks: list[Mark]) -> list[Mark]:
    """A game that begins with a checkpoint marks its first position twice."""
    return [mark for mark, _ in itertools.groupby(marks)]


@pytest.mark.parametrize("seed", range(3))
def test_play_resumes_from_every_checkpoint(seed: int) -> None:
    told = Told(seed)
    assert len(told.marks) > 10
    moves = told.referee.moves
    for mark in told.marks:
        seen: list[Mark] = []
        again = Referee.resume(
            toy.GAME, told.setup, moves[mark.n :], mark, components=(), on_mark=seen.append
        )
        assert again.digest() == told.referee.digest()
        assert again.line_base + len(again.table.lines) == len(told.referee.table.lines)
        assert [move.n for move in again.moves] == [move.n for move in moves[mark.n :]]
        assert distinct(seen) == distinct([other for other in told.marks if other.n >= mark.n])
        for n in [n for n in told.digests if n >= mark.n][:4]:
            part = Referee.resume(toy.GAME, told.setup, moves[mark.n : n], mark, components=())
            assert part.digest() == told.digests[n]


def test_a_state_survives_as_tables() -> None:
    """Marks hold JSON: nothing of the state is lost in it."""
    told = Told(1)
    state = msgspec.json.decode(told.marks[-1].state, type=toy.State)
    assert msgspec.json.encode(state) == told.marks[-1].state


def test_replay_goes_on_where_live_play_stood() -> None:
    told = Told(2)
    for n in [n for n in told.digests if 5 < n < told.referee.n][::5]:
        again = Referee.resume(toy.GAME, told.setup, told.referee.moves[:n], components=(), ask_me="always")
        at_random(again, source(3))
        assert again.over
        assert Referee.resume(toy.GAME, told.setup, again.moves, components=()).digest() == again.digest()


def test_unasked_windows_are_replayed_from_the_journal() -> None:
    referee = new()
    referee.settings = [AskMe("coral", "*", "always", ())]
    march(referee)  # amber's march is put to blue and coral
    moves = list(to_action(new()).moves)
    quiet = to_action(new())
    quiet.submit("amber", {"do": "route", "with": ["ford", "keep"]})
    assert [m.how for m in quiet.moves[len(moves) :]] == ["chosen"] + [SETTINGS] * 4
    again = Referee.resume(toy.GAME, toy.setup(), quiet.moves, components=(), ask_me="always")
    assert again.digest() == quiet.digest()


def test_an_open_window_can_be_put_anew_after_a_rewind() -> None:
    referee = to_action(new())
    referee.submit("amber", {"do": "march", "to": "ford"})
    cut = [move for move in referee.moves if move.kind != "intercept"]
    again = Referee.resume(toy.GAME, toy.setup(), cut, components=())
    assert again.waiting() == ("blue", "coral")
    again.reask()
    assert again.digest() == referee.digest()


def edited(moves: list[Move], at: int, **changes: Any) -> list[Move]:
    return [msgspec.structs.replace(m, **changes) if i == at else m for i, m in enumerate(moves)]


@pytest.mark.parametrize(
    ("at", "changes"),
    [
        (0, {"seat": "coral"}),
        (1, {"seat": "nobody"}),
        (0, {"kind": "ballot"}),
        (3, {"seat": "amber"}),
        (3, {"kind": "talk"}),
        (3, {"answer": {}}),
        (3, {"answer": {"acts": [{"seat": "amber", "do": "accept", "id": "none"}]}}),
        (4, {"seat": "blue"}),
        (4, {"kind": "bribe"}),
        (4, {"answer": {"do": "route", "with": 5}}),
        (4, {"kind": "fiat", "answer": [{"path": "nowhere", "value": 1}]}),
        (5, {"kind": "bribe"}),
        (6, {"seat": "amber"}),
    ],
)
def test_a_wrong_journal_names_its_first_wrong_move(at: int, changes: dict[str, Any]) -> None:
    referee = to_action(new({"ask_me": "always"}))
    referee.submit("amber", {"do": "march", "to": "ford"})
    referee.submit("blue", "pass")
    referee.submit("coral", "pass")
    referee.submit("amber", "rest")
    with pytest.raises(ReplayError) as caught:
        Referee.resume(toy.GAME, toy.setup(), edited(referee.moves, at, **changes), components=())
    first = 1 if at < 3 else 6 if at == 6 else at + 1
    assert caught.value.n == first
    assert str(caught.value).startswith(f"move {first}: ")


def test_a_journal_that_goes_on_after_the_end_is_wrong() -> None:
    told = Told(1)
    extra = Move(told.referee.n + 1, 0, "amber", "action", "rest")
    with pytest.raises(ReplayError, match="over"):
        Referee.resume(toy.GAME, told.setup, [*told.referee.moves, extra], components=())


def test_a_rule_that_refuses_an_accepted_answer_is_no_refusal() -> None:
    """The state may have changed by then: it must not look as if nothing had happened."""
    referee = to_action(new())

    def rules(_: object) -> Any:
        raise refuse("rules.custom", text="too late")

    referee._send = rules
    with pytest.raises(RuntimeError, match="too late"):
        referee.submit("amber", "rest")


# -- rewinds -----------------------------------------------------------------------------------------------------------


def dice_of(referee: Referee) -> list[tuple[int, ...]]:
    return [tuple(line.args["dice"]) for line in referee.table.lines if "dice" in line.args]


def draws_of(referee: Referee) -> tuple[int, int]:
    return referee.table.dice.epoch, referee.table.dice.counter


@pytest.mark.parametrize("seed", range(4))
def test_a_rewind_keeps_what_was_before_and_changes_the_dice_after(seed: int) -> None:
    told = Told(seed)
    for n in sorted(told.digests)[3::6]:
        setup = toy.setup(epochs=[(n, 1)])
        again = Referee.resume(toy.GAME, setup, told.referee.moves[:n], components=(), ask_me="always")
        plain = Referee.resume(toy.GAME, told.setup, told.referee.moves[:n], components=())
        assert again.table.state == plain.table.state
        assert again.table.lines == plain.table.lines
        if again.over:
            continue
        assert draws_of(again) == (1, 0)
        at_random(again, source(seed + 50))
        full = Referee.resume(toy.GAME, setup, again.moves, components=())
        assert full.digest() == again.digest()


def test_dice_after_a_rewind_are_others() -> None:
    def rolls(epochs: list[tuple[int, int]]) -> list[tuple[int, ...]]:
        again = Referee.resume(toy.GAME, toy.setup(epochs=epochs), moves, components=(), ask_me="always")
        for _ in range(30):
            again.table.roll(2, "x")
        return dice_of(again)[-30:]

    moves = to_action(new()).moves
    assert rolls([]) == rolls([])
    assert rolls([]) != rolls([(4, 1)])
    assert rolls([(4, 1)]) != rolls([(4, 2)])
    assert rolls([(2, 1), (4, 2)]) == rolls([(4, 2)])


def test_a_mark_at_the_very_move_of_a_rewind_resumes_with_the_new_dice() -> None:
    told = Told(3)
    for n in sorted({mark.n for mark in told.marks})[1:6]:
        marks: list[Mark] = []
        setup = toy.setup(epochs=[(n, 1)])
        again = Referee.resume(
            toy.GAME, setup, told.referee.moves[:n], components=(), on_mark=marks.append, ask_me="always"
        )
        at_random(again, source(n))
        for mark in marks:
            after = Referee.resume(toy.GAME, setup, again.moves[mark.n :], mark, components=())
            assert after.digest() == again.digest()


def test_a_rewind_beyond_an_earlier_rewind_undoes_it() -> None:
    """Epoch 1 began at move 20; epoch 2 at move 8: epoch 1 must never come back, or its dice would be known."""
    both, only = (
        Referee.resume(
            toy.GAME, toy.setup(epochs=e), Told(4).referee.moves[:8], components=(), ask_me="always"
        )
        for e in ([(20, 1), (8, 2)], [(8, 2)])
    )
    for referee in (both, only):
        at_random(referee, source(1))
    assert both.n > 20
    assert both.digest() == only.digest()
    assert draws_of(both)[0] == 2


def test_dice_change_after_a_correction_too() -> None:
    """A rewind to the very move of a fiat, which asks nothing and so ends no question."""
    moves = [*to_action(new()).moves, Move(5, 2, MODERATOR, "fiat", [{"path": "gold.blue", "value": 1}])]
    referee = Referee.resume(toy.GAME, toy.setup(epochs=[(5, 1)]), moves, components=())
    assert draws_of(referee) == (1, 0)


# -- the moderator -----------------------------------------------------------------------------------------------------


def test_a_correction_is_journaled_and_replayed() -> None:
    referee = to_action(new())
    referee.fiat([{"path": "gold.blue", "value": 9}, {"path": "at.coral", "value": "port"}], via="letter")
    assert referee.table.state.gold["blue"] == 9
    assert (referee.moves[-1].seat, referee.moves[-1].how) == (MODERATOR, DECIDED)
    assert referee.table.lines[-1].key == "fiat.done"
    assert referee.pending()[0].seat == "amber"
    referee.submit("amber", "rest")
    again = Referee.resume(toy.GAME, toy.setup(), referee.moves, components=())
    assert again.digest() == referee.digest()


@pytest.mark.parametrize(
    ("steps", "key"),
    [
        ([{"path": "gold.blue", "value": -1}], "rules.custom"),
        ([{"path": "gold.blue", "value": 4}, {"path": "deck", "value": []}], "rules.custom"),
        ([{"path": "gold.blue", "value": "much"}], "fiat.value"),
        ([{"path": "gold.blue", "value": True}], "fiat.value"),
        ([{"path": "gold.blue.coins", "value": 1}], "fiat.path"),
        ([{"path": "golt", "value": 1}], "fiat.path"),
        ([{"path": "turn.99", "value": "amber"}], "fiat.path"),
        ([{"path": "turn.²", "value": "amber"}], "fiat.path"),
        ([{"path": "", "value": 1}], "fiat.path"),
        ([{"path": "hands", "value": {}}], "fiat.value"),
        ([{"path": 3, "value": 1}], "answer.malformed"),
        ([{"path": "round"}], "answer.malformed"),
        ([3], "answer.malformed"),
        ("round=2", "answer.malformed"),
    ],
)
def test_a_refused_correction_changes_nothing(steps: Any, key: str) -> None:
    referee = to_action(new())
    before, lines, state = referee.digest(), len(referee.table.lines), referee.table.state
    with pytest.raises(Refused) as caught:
        referee.fiat(steps)
    assert caught.value.problem.key == key
    assert (referee.digest(), len(referee.table.lines)) == (before, lines)
    assert referee.table.state is state


def test_a_path_that_is_not_there_offers_near_ones() -> None:
    with pytest.raises(Refused) as caught:
        to_action(new()).fiat([{"path": "golt.blue", "value": 1}])
    assert caught.value.problem.near[0] == "gold"


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("none", []),
        ("gold.blue=3; motto=peace", [("gold.blue", 3), ("motto", "peace")]),
        ('motto="peace; and = gold"', [("motto", "peace; and = gold")]),
        ('motto="true"', [("motto", "true")]),
        ('motto="12"', [("motto", "12")]),
        ("turn=[amber,blue]", [("turn", ["amber", "blue"])]),
        ("turn=[]", [("turn", [])]),
        ('gold={"amber":1,"blue":2,"coral":3}', [("gold", {"amber": 1, "blue": 2, "coral": 3})]),
        ("patron=null", [("patron", None)]),
        ("patron=blue", [("patron", "blue")]),
        ("round=--3", [("round", "--3")]),
    ],
)
def test_corrections_are_read_and_written(text: str, steps: list[tuple[str, Any]]) -> None:
    fiat = Fiat(new().table, toy.invariants)
    value = [{"path": path, "value": given} for path, given in steps]
    words = fiat.take_word(text, Referee.new(toy.GAME, toy.setup(), components=()).names)
    assert words == value
    assert fiat.take_word(fiat.text(value), new().names) == value


def test_a_manual_card_is_carried_out_by_the_moderator() -> None:
    referee = to_action(new())
    referee.submit("amber", "plot")
    (pending,) = referee.pending()
    assert (pending.seat, pending.kind, pending.about) == (
        MODERATOR,
        "manual",
        {"card": "plot", "seat": "amber"},
    )
    with pytest.raises(Refused):
        referee.submit(MODERATOR, [{"path": "gold.amber", "value": -4}])
    referee.submit(MODERATOR, referee.domain(MODERATOR).parse("gold.amber=8"))
    assert referee.table.state.gold["amber"] == 8
    assert Referee.resume(toy.GAME, toy.setup(), referee.moves, components=()).digest() == referee.digest()


def test_a_correction_gives_back_sealed_answers_that_it_makes_illegal() -> None:
    referee = new()
    referee.submit("blue", 5, via="letter 4")
    referee.submit("coral", 1)
    referee.fiat([{"path": "gold.blue", "value": 2}])
    assert referee.waiting() == ("amber", "blue")
    (note,) = referee.notes
    assert (note.seat, note.key, note.letter) == ("blue", "sealed.dropped", "letter 4")
    assert note.problem is not None
    assert note.problem.key == "answer.out_of_range"


def test_private_lines_reach_their_reader_only() -> None:
    referee = to_action(new())
    referee.submit("amber", "draw")
    line = referee.table.lines[-1]
    assert line.private == {"amber": {"card": referee.table.state.hands["amber"][-1]}}
    assert line.args == {"seat": "amber"}
    assert line.learns
    assert line.n == referee.n
