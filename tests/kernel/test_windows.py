"""Windows: whom they ask, when they close, plans, and rules that ask within rules."""

from __future__ import annotations

import msgspec

from pbem.kernel.questions import Ask, Replies
from pbem.kernel.referee import SETTINGS, Referee
from pbem.kernel.standing_orders import NEVER, AskMe
from tests.toy import playing as toy
from tests.toy.playing import new, to_action, to_window


def test_a_window_asks_those_whom_it_touches() -> None:
    referee = to_window(new())
    assert referee.asked() == ("blue", "coral")
    assert referee.waiting() == ("blue",)
    assert {p.seat: p.answered for p in referee.pending()} == {"blue": False, "coral": True}
    assert [p.default for p in referee.pending()] == ["pass", "pass"]
    assert referee.table.trail == [("turn", {"turn": 1}), ("march", {"seat": "amber", "to": "ford"})]
    referee.submit("blue", "pass")
    assert [(m.seat, m.how) for m in referee.moves[-2:]] == [("blue", "chosen"), ("coral", SETTINGS)]
    assert referee.table.state.at["amber"] == "ford"
    assert referee.table.trail == [("turn", {"turn": 1})]


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
    to_window(referee)
    assert referee.waiting() == ("coral",)


def test_plans_look_at_what_took_effect_before() -> None:
    blue = {"plan": [{"answer": {"do": "intercept", "card": "b"}, "unless": ["amber"]}]}
    coral = {"plan": [{"answer": {"do": "intercept", "card": "c"}, "after": ["blue"]}, {"answer": "late"}]}
    replies = Replies({"amber": "pass", "blue": blue, "coral": coral})
    seen = []
    for seat, answer in replies.in_order(["blue", "coral", "amber"]):
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
    to_window(referee)
    card = referee.table.state.hands["coral"][0]
    text = f"intercept {card} extra=2 unless blue; pass"
    referee.submit("coral", referee.domain("coral").parse(text))
    assert referee.domain("coral").text(referee.sealed["coral"].answer) == text
    referee.submit("blue", "pass")
    assert card in referee.table.state.discard


def test_a_plan_is_dropped_when_what_it_excludes_took_effect() -> None:
    """Blue intercepts and misses, or is bribed; Coral, who comes after, keeps his card."""
    referee = to_window(new({"ask_me": "always"}))
    hands = referee.table.state.hands
    card, blues = hands["coral"][0], hands["blue"][0]
    referee.submit("coral", referee.domain("coral").parse(f"intercept {card} unless blue; pass"))
    referee.submit("blue", {"do": "intercept", "card": blues})
    if referee.pending()[0].kind == "bribe":
        referee.submit("amber", 2)
    assert referee.table.state.discard == [blues]
    assert card in hands["coral"]
    assert referee.table.state.at["amber"] == "ford"


def test_a_rule_within_a_rule_within_a_rule_asks() -> None:
    """A march, in it an interception, in it a bribe: the trail shows where we are."""
    for seed in range(40):
        referee = Referee.new(toy.GAME, msgspec.structs.replace(toy.setup(), seed=f"{seed:064x}"), ask_me="always")
        to_window(referee)
        cards = referee.table.state.hands
        referee.submit("coral", "pass")
        referee.submit("blue", {"do": "intercept", "card": cards["blue"][0]})
        if referee.pending()[0].kind == "bribe":
            break
    assert [key for key, _ in referee.table.trail] == ["turn", "march", "bribe"]
    referee.submit("amber", 0)
    assert referee.table.state.at["amber"] == "hill"
    assert [line.key for line in referee.table.lines][-1] == "intercepted"
