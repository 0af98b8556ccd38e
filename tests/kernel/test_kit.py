"""What chapters register, and what follows from it."""

from typing import Any

import msgspec
import pytest

from pbem.kernel.dice import Dice
from pbem.kernel.domains import Amount, Choice, Domain
from pbem.kernel.game import Play
from pbem.kernel.kit import Answer, Kit, RulebookSection, word_of
from pbem.kernel.questions import Ask, Checkpoint, Window
from pbem.kernel.rejections import Rejection
from pbem.kernel.table import Table


class State(msgspec.Struct):
    phase: str = "levy"
    gold: int = 3
    log: list[Any] = []


@pytest.fixture
def kit():
    return Kit[Table[State, None]]()


@pytest.fixture
def table():
    made = Table(None, ("amber", "blue"), {}, "standard", Dice(bytes(32)))
    made.state = State()
    return made


def run(play: Play, *answers: Any) -> list[Any]:
    """Drive a rule; what it yields."""
    asked, left = [], [None, *answers]
    for answer in left:
        try:
            asked.append(play.send(answer))
        except StopIteration:
            return asked
    raise AssertionError("answers are missing")


def actions(kit: Kit[Any]) -> list[str]:
    """Two actions and a bare word; returns the list of words that `find` was asked for."""
    looked: list[str] = []

    def gold(table: Table, seat: str) -> int | None:
        looked.append("levy")
        return table.state.gold or None

    def form(table: Table, seat: str, most: int) -> Amount:
        return Amount(1, most, what="gold")

    @kit.action("levy", "13.1", gold, form)
    def levy(table: Table, seat: str, gold: int) -> None:
        table.state.gold -= gold

    @kit.action("give", "13.2", lambda table, seat: [*table.seats], lambda table, seat, seats: Choice(seats))
    def give(table: Table, seat: str, to: str) -> Play:
        table.state.log.append((seat, to, (yield Checkpoint())))

    @kit.bare("rest", "13.3", lambda table, seat: table.state.gold == 0, free=True)
    def rest(table: Table, seat: str, word: str) -> None:
        table.state.log.append(word)

    return looked


# -- sections and questions


def test_sections_without_a_module_are_missing(kit):
    kit.chapter("13", "levies", "levies.py")
    kit.chapter("14", "sieges")
    kit.chapter("15", "fleets", "sea.py", "ports.py")
    assert kit.missing() == {"14": "sieges"}
    assert kit.sections["15"] == RulebookSection("fleets", ("sea.py", "ports.py"))
    assert list(kit.sections) == ["13", "14", "15"]


def test_a_question_makes_asks_and_windows(kit):
    gift = kit.question("gift", "13.2", "reaction")
    domain = Amount(0, 3)
    assert gift("amber", domain, 1, secret={"x": 1}, space="milan") == Ask(
        "amber", "gift", domain, "13.2", 1, "reaction", {"space": "milan"}, {"x": 1}
    )
    assert gift("amber", domain, rule="card 7").rule == "card 7"
    window = gift.window({"blue": domain}, space="milan")
    assert window == Window("gift", {"blue": domain}, "13.2", {"space": "milan"}, "reaction")
    assert list(kit.kinds) == ["gift"]


def test_a_fact_of_a_question_may_be_called_seat_or_default(kit):
    gift = kit.question("gift", "13.2")
    assert gift("amber", Amount(0, 3), None, seat="blue", default=1).about == {"seat": "blue", "default": 1}


def test_a_kind_has_one_rule(kit):
    first = kit.question("gift", "13.2")
    assert kit.question("gift", "13.2") == first
    with pytest.raises(ValueError, match="'gift' is registered twice"):
        kit.question("gift", "13.3")


def test_nothing_is_registered_twice(kit):
    def nothing(*facts: Any) -> None: ...

    actions(kit)
    kit.phase("levy")(nothing)
    kit.entry("event", "7")(nothing)
    kit.response(["move"], ["8"], nothing)(nothing)
    kit.chapter("13", "levies", "levies.py")
    twice = [
        lambda: kit.action("levy", "13.1", nothing, nothing)(nothing),
        lambda: kit.bare("levy", "13.1", nothing)(nothing),
        lambda: kit.phase("levy")(nothing),
        lambda: kit.entry("event", "7")(nothing),
        lambda: kit.response(["sail", "move"], ["8"], nothing)(nothing),
        lambda: kit.chapter("13", "more levies"),
    ]
    for again in twice:
        with pytest.raises(ValueError, match="twice"):
            again()
    kit.entry("move", "7")(nothing)  # at another moment it may do something else


# -- phases


def test_play_takes_a_checkpoint_before_each_phase(kit, table):
    @kit.phase("levy")
    def levy(table: Table) -> Play:
        table.state.log.append((yield Ask("amber", "gift", Amount(0, 3))))
        table.state.phase = "end"

    @kit.phase("end")
    def end(table: Table) -> None:
        table.state.phase = "over"

    asked = run(kit.play(table), None, 2, None)
    assert [*map(type, asked)] == [Checkpoint, Ask, Checkpoint]
    assert table.state.log == [2]
    assert run(kit.play(table)) == []


def test_play_may_stop_elsewhere(kit, table):
    assert run(kit.play(table, "levy")) == []


# -- actions


def test_a_menu_holds_the_legal_words_in_the_given_order(kit, table):
    actions(kit)
    menu = kit.menu(table, "amber", ["give", "levy"], ["done"])
    assert [*menu.words] == ["give", "levy", "done"]
    table.state.gold = 0
    assert [*kit.menu(table, "amber", ["give", "levy"], ["done"]).words] == ["give", "done"]


def test_an_action_that_is_not_legal_now_is_refused_with_its_rule(kit, table):
    actions(kit)
    menu = kit.menu(table, "amber", ["give"], ["done"])
    for text, told in (
        ("levy", ("answer.not_now", "13.1")),
        ("Levy 3", ("answer.not_now", "13.1")),
        ("tax", ("answer.unknown", "")),
    ):
        with pytest.raises(Rejection) as caught:
            menu.parse(text)
        assert (caught.value.problem.key, caught.value.problem.rule) == told


def test_find_is_asked_once_a_word_whatever_is_done_with_the_menu(kit, table):
    looked = actions(kit)
    menu = kit.menu(table, "amber", ["give", "levy"], ["done"])
    menu.check({"do": "give", "with": "blue"})
    assert looked == []  # a word that nobody looks at costs nothing
    assert len([*menu.options()]) == 2 + 3 + 1
    menu.check({"do": "levy", "with": 3})
    with pytest.raises(Rejection):
        menu.check({"do": "levy", "with": 4})
    menu.sample(lambda n: n - 1)
    assert looked == ["levy"]


def test_what_holds_for_all_actions_is_asked_before_find(kit, table):
    looked = actions(kit)
    menu = kit.menu(table, "amber", ["give", "levy"], ["done"], allowed=lambda action: action.rule != "13.1")
    assert [*menu.words] == ["give", "done"]
    assert looked == []


def test_a_random_answer_comes_from_the_bag(kit, table):
    actions(kit)
    menu = kit.menu(table, "amber", ["give", "levy"], ["done"], ["levy"])
    assert {word_of(menu.sample(lambda n, at=at: at % n)) for at in range(10)} == {"levy"}


@pytest.mark.parametrize(
    ("answer", "gold", "log"),
    [
        ({"do": "levy", "with": 2}, 1, []),
        ({"do": "give", "with": "blue"}, 3, [("amber", "blue", "answer")]),
        ("rest", 3, ["rest"]),
    ],
)
def test_an_answer_is_carried_out(kit, table, answer: Answer, gold: int, log: list[Any]):
    actions(kit)
    run(_through(kit.carry_out(table, "amber", answer)), "answer")
    assert (table.state.gold, table.state.log) == (gold, log)


def test_what_the_form_of_several_fields_gives_is_taken_whole(kit, table):
    @kit.action("move", "13", lambda table, seat: True, _no_domain)
    def move(table: Table, seat: str, order: dict[str, Any]) -> None:
        table.state.log.append(order)

    answer = {"do": "move", "to": "milan", "units": 3}
    run(_through(kit.carry_out(table, "amber", answer)))
    assert table.state.log == [answer]


def test_facts_of_an_action(kit):
    actions(kit)
    found = {word: (action.rule, action.free, action.bare, action.listed) for word, action in kit.actions.items()}
    assert found == {
        "levy": ("13.1", False, False, "levy"),
        "give": ("13.2", False, False, "give"),
        "rest": ("13.3", True, True, "rest"),
    }


def test_word_of():
    assert word_of("rest") == "rest"
    assert word_of({"do": "move", "to": "milan"}) == "move"


def _through(play: Any) -> Play:
    yield from play


def _no_domain(table: Table, seat: str, found: bool) -> Domain[Any]:
    raise AssertionError("nobody looks")


# -- cards, responses, moments


def test_an_entry_belongs_to_a_moment(kit, table):
    @kit.entry("event", "windfall", lambda table, seat, found: found > 0)
    def windfall(table: Table, seat: str, found: int) -> None:
        table.state.gold += found

    @kit.entry("event", "peace")
    def peace(table: Table, seat: str, found: int) -> Play:
        table.state.log.append((yield Checkpoint()))

    entries = kit.entries["event"]
    assert list(entries) == ["peace", "windfall"]
    assert [entry.can(table, "amber", 0) for entry in entries.values()] == [True, False]
    run(_through(entries["windfall"].run(table, "amber", 2)))
    run(_through(entries["peace"].run(table, "amber", 2)), "answer")
    assert (table.state.gold, table.state.log) == (5, ["answer"])


def test_a_response_stands_at_each_of_its_moments(kit, table):
    @kit.response(["move", "sail"], ["storm", "fog"], lambda table, seat, moment: table.state.gold or None)
    def storm(table: Table, seat: str, moment: str, answer: str) -> None:
        table.state.log.append((moment, answer))

    assert {moment: list(cards) for moment, cards in kit.responses.items()} == {
        "move": ["fog", "storm"],
        "sail": ["fog", "storm"],
    }
    fog = kit.responses["sail"]["fog"]
    assert (fog.key, fog.form, fog.find(table, "amber", "sail")) == ("fog", None, 3)
    assert fog.can(table, "amber", "sail")
    table.state.gold = 0
    assert not fog.can(table, "amber", "sail")  # who is asked follows from what is found
    run(_through(fog.run(table, "amber", "sail", "fog")))
    assert table.state.log == [("sail", "fog")]


def test_who_is_asked_may_be_said_apart_from_what_is_found(kit, table):
    kit.response(["move"], ["storm"], lambda *facts: None, can=lambda *facts: True)(lambda *facts: None)
    storm = kit.responses["move"]["storm"]
    assert storm.can(table, "amber", "move")
    assert storm.find(table, "amber", "move") is None


def test_all_who_listen_to_a_moment_are_told_in_order(kit, table):
    kit.on("paid")(lambda table, seat, cost: table.state.log.append((1, seat, cost)))
    kit.on("paid")(lambda table, seat, cost: table.state.log.append((2, seat, cost)))
    kit.fire("paid", table, "amber", 3)
    assert table.state.log == [(1, "amber", 3), (2, "amber", 3)]
    with pytest.raises(KeyError):
        kit.fire("piad", table)
