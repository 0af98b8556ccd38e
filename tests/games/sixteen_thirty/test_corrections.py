"""The moderator corrects the state while a question is open, and lines written in advance meet a surprise."""

import msgspec
import pytest

from games.sixteen_thirty import GAME
from games.sixteen_thirty.sequence import next_turn
from pbem.dev.rule_test_files import Case
from pbem.dev.rule_test_runner import Script
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import AdvanceOrder

START = {
    "phase": "player", "active": "tim", "first": "tim",
    "players": {"tim": {"hand": []}, "martin": {"hand": []}, "simon": {"hand": []}},
}  # fmt: skip
FULL = [f"england-{card}" for card in ("1a", "1b", "1c", "1d", "2a", "2b", "2c", "2d", "2e", "3a", "3b")]


def pile(*cards, inferior=False):
    return {"cards": list(cards), "votes": sum(int(key[-2]) for key in cards), "inferior": inferior}


def at(kind, *, tim=(), piles, sides=None):
    """A referee whose open question is of `kind`; `piles` maps seat → country → pile."""
    state = msgspec.json.decode(msgspec.json.encode(START))
    state["players"]["tim"]["hand"] = list(tim)
    for seat, own in piles.items():
        state["players"][seat]["piles"] = own
    if sides:
        state["countries"] = {country: {"side": side} for country, side in sides.items()}
    supply = {"deck": ["players.*.hand", "players.*.piles", "discards"], "spare": ["players.*.counters"]}
    case = Case("x", "x", "x", "sixteen_thirty", seats=["tim", "martin", "simon"], supply=supply, state=state)
    referee = Script(case, GAME).referee
    until(referee, kind)
    return referee


def until(referee, kind):
    for _ in range(20):
        if referee.pending()[0].kind == kind:
            return
        referee.time_up()
    pytest.fail(f"{kind} never came; open: {referee.pending()}")


def answer(referee, seat, text):
    referee.submit(seat, referee.domain(seat).parse(text, referee.names))
    assert GAME.invariants(referee.table) == []


def correct(referee, **values):
    referee.fiat([{"path": path.replace("__", "."), "value": value} for path, value in values.items()])


def test_a_special_card_of_a_hand_that_was_set_anew():
    referee = at("special", tim=["army-a", "leader-a"], piles={"tim": {"spain": pile("spain-1a")}})
    hand = referee.table.state.players["tim"].hand
    correct(referee, players__tim__hand=[key for key in hand if key != "leader-a"], discards=["leader-a"])
    answer(referee, "tim", "army spain")
    assert "army-a" not in referee.table.state.players["tim"].hand


def test_a_hand_over_the_limit_that_was_set_anew():
    referee = at("discard", tim=FULL, piles={"tim": {"spain": pile("spain-1a")}})
    first, *hand = referee.table.state.players["tim"].hand
    assert len(hand) == 14
    correct(referee, players__tim__hand=hand, discards=[first])
    answer(referee, "tim", hand[0])
    assert len(referee.table.state.players["tim"].hand) == 13


@pytest.mark.parametrize("left", [["spain-2a", "spain-3a"], []])
def test_an_inferior_pile_that_was_corrected_before_a_card_came_off_it(left):
    cards = ["spain-1a", "spain-2a", "spain-3a"]
    referee = at("remove", piles={"tim": {"spain": pile(*cards, inferior=True)}})
    own = {"spain": pile(*left, inferior=True)} if left else {}
    correct(referee, players__tim__piles=own, discards=[key for key in cards if key not in left])
    with pytest.raises(Rejection):
        answer(referee, "tim", "spain-1")
    referee.time_up()
    assert GAME.invariants(referee.table) == []
    assert len(referee.table.state.discards) == 2 if left else 3


def test_a_card_to_be_removed_that_the_moderator_changed_for_its_like():
    referee = at("remove", piles={"tim": {"spain": pile("spain-1a", "spain-2a", inferior=True)}})
    other = [key if key != "spain-2b" else "spain-2a" for key in referee.table.state.deck]
    correct(referee, players__tim__piles={"spain": pile("spain-1a", "spain-2b", inferior=True)}, deck=other)
    answer(referee, "tim", "spain-2")
    assert referee.table.state.discards == ["spain-2b"]


def test_a_pile_that_was_taken_away_while_its_vote_was_open():
    referee = at("call", piles={"tim": {"spain": pile("spain-1a")}, "martin": {"spain": pile("spain-3a")}})
    answer(referee, "tim", "spain side")
    correct(referee, players__tim__piles={}, discards=["spain-1a"])
    answer(referee, "tim", "red")
    answer(referee, "martin", "blue")
    until(referee, "partner")
    assert referee.table.state.countries["spain"].side == "blue"


def test_a_pile_that_was_corrected_before_its_loser_chose():
    lost = pile("spain-1a", "spain-2a", "spain-3b", inferior=True)
    referee = at("call", piles={"simon": {"spain": lost}, "tim": {"spain": pile("spain-3a", "spain-3c", "spain-2b")}})
    answer(referee, "tim", "spain side")
    answer(referee, "tim", "red")
    answer(referee, "simon", "blue")
    correct(
        referee, players__simon__piles={"spain": pile("spain-2a", "spain-3b", inferior=True)}, discards=["spain-1a"]
    )
    with pytest.raises(Rejection):
        answer(referee, "simon", "spain-1")
    answer(referee, "simon", "spain-2")
    assert referee.table.state.discards == ["spain-1a", "spain-2a"]


def test_nothing_left_to_call_a_vote_in():
    referee = at("call", piles={"tim": {"spain": pile("spain-1a")}})
    gone = ["spain-1a", *referee.table.state.players["tim"].hand]
    correct(referee, players__tim__piles={}, players__tim__hand=[], discards=gone)
    assert referee.time_up() == ("tim",)


# -- lines written in advance ------------------------------------------------------------------------------------------


def queued(referee, *lines):
    referee.queue = [AdvanceOrder("tim", text, kind=kind) for kind, text in lines]
    referee.settle()


def held(referee):
    return [entry.text for entry in referee.queue if entry.held]


VOTE_TWICE = (("special", "vote spain change"), ("ballot", "blue"), ("special", "pass"), ("call", "spain change"))


@pytest.mark.parametrize(("martin", "votes", "stops"), [("blue", 2, False), ("red", 2, True), ("red", 1, True)])
def test_lines_wait_after_a_vote_that_was_lost_or_tied(martin, votes, stops):
    piles = {"tim": {"spain": pile("spain-1a")}, "martin": {"spain": pile(f"spain-{votes}b")}}
    referee = at("special", tim=["vote-a"], piles=piles, sides={"spain": "red"})
    queued(referee, *VOTE_TWICE)
    answer(referee, "martin", martin)
    assert held(referee) == (["pass", "spain change"] if stops else [])


def test_the_next_turn_of_who_loses_anothers_vote_does_not_wait():
    piles = {"tim": {"spain": pile("spain-2a")}, "martin": {"spain": pile("spain-1b")}}
    referee = at("special", tim=["vote-a"], piles=piles, sides={"spain": "red"})
    referee.queue = [AdvanceOrder("martin", "nobody", kind="partner")]
    queue = [("special", "vote spain change"), ("ballot", "blue")]
    referee.queue += [AdvanceOrder("tim", text, kind=kind) for kind, text in queue]
    referee.settle()
    answer(referee, "martin", "red")
    assert referee.table.state.players["martin"].piles["spain"].inferior
    assert held(referee) == []


def test_the_last_vote_of_a_turn_asks_the_first_player_of_the_next_for_theirs():
    piles = {"simon": {"spain": pile("spain-1a")}, "tim": {"spain": pile("spain-1b")}}
    referee = at("special", tim=["vote-a"], piles=piles)
    table = referee.table
    order = table.clockwise("tim")
    for active in order:
        table.state.first, table.state.active = "tim", active
        asked = [seat for seat in order if next_turn(table, seat, asked=True) is not None]
        assert asked == [table.clockwise(active)[1] if active != order[-1] else order[1]]
    table.state.turn = table.c.last_turn
    assert not any(next_turn(table, seat, asked=True) for seat in order)


def test_lines_wait_after_a_war():
    referee = at(
        "special", tim=["vote-a"], piles={"tim": {"spain": pile("spain-1a")}}, sides={"spain": "red", "france": "blue"}
    )
    referee.queue = [AdvanceOrder("martin", "nobody", kind="partner")]
    for kind, text in (("special", "vote spain war france"), ("ballot", "war"), ("call", "spain change")):
        referee.queue.append(AdvanceOrder("tim", text, kind=kind))
    referee.settle()
    assert held(referee) == ["spain change"]  # the next player's turn is like any other


def test_lines_do_not_wait_after_an_unrest_of_ones_own():
    referee = at(
        "special", tim=["unrest-a", "army-b"],
        piles={"tim": {"spain": pile("spain-1a")}, "martin": {"spain": pile("spain-1b")}},
    )  # fmt: skip
    queued(referee, ("special", "unrest spain"), ("special", "army spain"))
    referee.queue.append(AdvanceOrder("martin", "nobody", kind="partner"))
    assert held(referee) == []
    assert referee.table.state.countries["spain"].army == 3


def test_lines_wait_after_an_assassin():
    referee = at("special", tim=["assassin-a"], piles={"martin": {"spain": pile("spain-1a", "spain-2a")}})
    referee.queue = [AdvanceOrder("martin", "spain side", kind="call"), AdvanceOrder("simon", "pass", kind="special")]
    answer(referee, "tim", "assassin martin spain-1")
    assert held(referee) == ["spain side"]
