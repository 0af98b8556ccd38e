"""Every answer can be filled in slot by slot, and what is filled in is what the referee would read."""

import random

import pytest

from pbem.kernel.domains import (  # fmt: skip
    Amount,
    AnyText,
    Budget,
    Choice,
    Distribution,
    Domain,
    EarlyAnswer,
    Form,
    FreeText,
    Menu,
    Optional,
    Reply,
    Series,
    Subset,
    domain_from,
)  # fmt: skip
from pbem.tui.model.answer_fields import ArrangeLeaf, PickLeaf, VerbField
from pbem.tui.model.answer_tree import ADD, DROP, AddItemField, AnswerDraft

MOVE = Form(
    origin=Choice(["vienna", "linz"]),
    to=lambda v: Choice(["pressburg"] if v.origin == "vienna" else ["passau", "steyr"]),
    regulars=lambda v: Amount(0, 4) if v.to != "steyr" else None,
    leaders=Optional(Subset(["schwendi", "alba"], 1, 2)),
    note=Optional(FreeText(20)),
)
DOMAINS: dict[str, Domain] = {
    "choice": Choice(["red", "blue"]),
    "numbers": Choice([1, 2, 3]),
    "pick": Subset(["a", "b", "c"], 1, 2),
    "amount": Amount(2, 8, 2),
    "arrange": Distribution({"a": (1, 3), "b": 4}, (2, 5)),
    "text": FreeText(30),
    "form": MOVE,
    "menu": Menu({"pass": None, "move": MOVE, "bid": Amount(0, 5)}),
    "series": Series(Choice(["a", "b"]), 1, 3),
    "chain": Series(lambda done: Choice([x for x in "abcd" if x not in done]) if len(done) < 3 else None, 1, 3),
    "reply": Reply(Menu({"pass": None, "intercept": Form(space=Choice(["milan", "genoa"]))}), ["england", "france"]),
}


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("described", [False, True])
def test_loaded_answers_come_back(name, described):
    domain = domain_from(DOMAINS[name].describe(Budget())) if described else DOMAINS[name]
    source = random.Random(name)
    for _ in range(40):
        value = domain.sample(source.randrange)
        draft = AnswerDraft(domain)
        draft.root.load(value)
        assert draft.value() == value
        again = AnswerDraft(domain)
        assert again.read(draft.text()) is None
        assert again.value() == value


@pytest.mark.parametrize("name", DOMAINS)
def test_random_filling_ends_in_a_legal_answer(name):
    domain = DOMAINS[name]
    for seed in range(25):
        draft, source = AnswerDraft(domain), random.Random(seed)
        for _ in range(60):
            slot = draft.missing()
            if slot is None:
                break
            slot.leaf.set(slot.leaf.domain.sample(source.randrange))
        assert draft.missing() is None
        assert domain.accepts(draft.value()), draft.text()
        assert draft.problem() is None


def test_fields_appear_when_those_they_depend_on_are_known():
    draft = AnswerDraft(MOVE)
    assert [slot.label for slot in draft.slots()] == ["origin", "leaders", "note"]
    draft.slots()[0].leaf.set("linz")
    assert [slot.label for slot in draft.slots()] == ["origin", "to", "leaders", "note"]
    draft.slots()[1].leaf.set("steyr")
    assert draft.text() == "linz steyr"
    draft.slots()[1].leaf.set("passau")
    assert draft.missing().label == "regulars"


def test_changing_a_field_keeps_what_still_fits():
    draft = AnswerDraft(MOVE)
    assert draft.read("linz passau regulars=3") is None
    draft.slots()[0].leaf.set("vienna")
    assert draft.text() == "vienna pressburg regulars=3"


def test_optional_pick_is_left_out_by_picking_nothing():
    draft = AnswerDraft(Form(vote=Choice(["war", "peace"]), place=Optional(Subset(["c1", "c2"], 1, 2))))
    draft.slots()[0].leaf.set("war")
    assert draft.text() == "war"
    place = draft.slots()[1].leaf
    assert isinstance(place, PickLeaf)
    place.set(["c2"])
    assert draft.text() == "war place=c2"


def test_a_verb_opens_its_form():
    draft = AnswerDraft(DOMAINS["menu"])
    assert len(draft.slots()) == 1
    draft.slots()[0].leaf.set("bid")
    draft.slots()[1].leaf.set(7)
    assert draft.text() == ""
    assert draft.problem().key == "answer.out_of_range"
    draft.slots()[1].leaf.set(5)
    assert draft.text() == "bid 5"


def test_series_grows_and_shrinks():
    draft = AnswerDraft(Series(Choice(["a", "b"]), 0, 2))
    assert draft.text() == "none"
    (more,) = draft.slots()
    assert isinstance(more.leaf, AddItemField)
    more.leaf.set(ADD)
    draft.slots()[0].leaf.set("b")
    assert draft.text() == "b"
    draft.slots()[-1].leaf.set(ADD)
    draft.slots()[1].leaf.set("a")
    added = draft.slots()[-1].leaf
    assert isinstance(added, AddItemField)
    assert added.options == [DROP]
    draft.slots()[-1].leaf.set(DROP)
    assert draft.text() == "b"


def test_a_plan_is_built_step_by_step():
    draft = AnswerDraft(DOMAINS["reply"])
    draft.slots()[0].leaf.set("intercept")
    draft.slots()[1].leaf.set("milan")
    assert draft.text() == "intercept milan"
    draft.slots()[2].leaf.set(["unless england"])
    draft.slots()[-1].leaf.set(ADD)
    verbs = [slot.leaf for slot in draft.slots() if isinstance(slot.leaf, VerbField) and not slot.leaf.acts]
    verbs[-1].set("pass")
    assert draft.text() == "intercept milan unless england; pass"


def test_spinning_stays_within_bounds():
    leaf = AnswerDraft(DOMAINS["arrange"]).root
    assert isinstance(leaf, ArrangeLeaf)
    assert leaf.held == {"a": 1}
    for _ in range(9):
        leaf.use("a", 1)
    assert leaf.held == {"a": 3}
    for _ in range(9):
        leaf.use("a", -1)
    assert leaf.total == 1


def test_what_a_description_had_no_room_for_is_written_by_hand():
    draft = AnswerDraft(Menu({"pass": None, "move": AnyText()}))
    draft.slots()[0].leaf.set("move")
    draft.slots()[1].leaf.set("vienna pressburg")
    assert draft.text() == "move vienna pressburg"
    assert draft.read("move linz passau") is None
    assert draft.slots()[1].leaf.held == "linz passau"


def test_wrong_text_changes_nothing():
    draft = AnswerDraft(DOMAINS["choice"])
    draft.slots()[0].leaf.set("red")
    assert draft.read("green").key == "answer.unknown"
    assert draft.text() == "red"


def test_an_answer_before_its_turn_may_wait():
    draft = AnswerDraft(EarlyAnswer(Menu({"pass": None, "raid": None}), ("england", "spain")))
    when, word = draft.slots()
    word.leaf.set("raid")
    assert draft.text() == "raid"
    when.leaf.set("wait")
    assert draft.text() == "wait"
    assert len(draft.slots()) == 1
    assert draft.read("raid unless england; pass after spain") is None
    assert draft.text() == "raid unless england; pass after spain"
    assert draft.read("wait") is None
    assert draft.text() == "wait"
