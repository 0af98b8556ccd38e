"""A toy game that uses everything a rule may do: every request, nested rules, dice, secrets, surprises, the moderator.

Its scenarios put the same rules in different orders. The standard one is short: sealed bids, a negotiation, two orders
of each seat. The campaign has letters like those of a real game; it ends with a speech. The town is for the eye: one
seat marches over a large map. `tests.toy.planted` breaks it on purpose.

Options that are not on offer: `rounds`, the length of a game; `stake`, the least gold of a proposer; `public`, whether
all see what is proposed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.kernel.corrections import manual
from pbem.kernel.domains import (
    PASS,
    Amount,
    Below,
    Choice,
    Distribution,
    Domain,
    Form,
    FreeText,
    Menu,
    Optional,
    Series,
    Subset,
)
from pbem.kernel.game import Game, HouseRule, Play, Rule, Scenario
from pbem.kernel.questions import REACTION, Ask, AskAll, Checkpoint, Negotiate, Proposal, Window
from pbem.kernel.rejections import RejectionReason, rejection
from pbem.kernel.standing_orders import REACTIONS
from pbem.kernel.table import Table
from tests.toy.places import CARDS, NAMES, NORTH, near
from tests.toy.state import COURSES, OVER, State, Unit, course_of, set_up
from tests.toy.view import view

VOTES = ("accept", "reject", "abstain")
STRENGTH = {"fleet": 4, "army": 4}


def play(table: Table) -> Play:
    state, course = table.state, course_of(table)
    phases = {"bid": bid, "talk": talk, "act": act, "ballot": ballot, "march": columns, "speech": speech}
    while state.phase != OVER:
        if state.phase in course.stops:
            yield Checkpoint()
        with table.within("turn", turn=state.turn):
            yield from phases[state.phase](table)
        go_on(table)


def go_on(table: Table) -> None:
    """To the next phase, or to the next turn."""
    state, course = table.state, course_of(table)
    if state.phase == "act" and state.to_act:
        return
    if state.phase not in course.phases:
        state.phase = OVER
    elif state.phase != course.phases[-1]:
        state.phase = course.phases[course.phases.index(state.phase) + 1]
    else:
        state.turn += 1
        state.phase = course.phases[0] if state.turn <= table.options.get("rounds", 2) else course.last


def bid(table: Table) -> Play:
    """1: sealed bids for the order of turns."""
    state = table.state
    asks = {
        seat: Ask(
            seat,
            "bid",
            lambda seat=seat: Amount(0, state.gold[seat]),  # type: ignore[misc]
            rule="1",
            default=0,
            pace="ballot",
            secret={"hand": list(state.hands[seat])},
        )
        for seat in table.seats
    }
    bids = yield AskAll(asks)
    for seat, gold in bids.items():
        state.gold[seat] -= gold
    table.log("bids", rule="1", reveals=True, **bids)
    order = sorted(table.seats, key=lambda seat: -bids[seat])
    state.to_act = [seat for seat in order for _ in range(2)]


def talk(table: Table) -> Play:
    """2: leagues of two or three; signers may pay the proposer, who keeps his own price to himself."""
    state = table.state
    if state.turn % course_of(table).talks:
        return

    def clauses(seat: str) -> Domain | None:
        if state.gold[seat] < table.options.get("stake", 0):
            return None
        others = [other for other in table.seats if other != seat]
        return Form(to=Subset(others, 1, min(2, len(others))), price=Amount(0, 9), word=Optional(FreeText(20)))

    def sign(seat: str, proposal: Proposal) -> Domain | None:
        if state.gold[seat] == 0:
            raise rejection("rules.custom", text="a beggar signs nothing")
        return Amount(0, state.gold[seat])

    deals = yield Negotiate(
        table.seats,
        clauses,
        parties=lambda seat, terms: (seat, *terms["to"]),
        signing_domain=sign,
        visible_terms=lambda terms: {key: value for key, value in terms.items() if key != "price"},
        conflict=one_league_each,
        limit=table.options.get("limit"),
        public=bool(table.options.get("public")),
        rule="2",
    )
    for deal in deals:
        league(table, deal)
    table.log("leagues", rule="2", count=len(deals))


def one_league_each(deals: list[Proposal]) -> RejectionReason | None:
    last = set(deals[-1].parties)
    taken = any(last & set(deal.parties) for deal in deals[:-1])
    return RejectionReason("rules.custom", {"text": "one league each"}) if taken else None


def league(table: Table, deal: Proposal) -> None:
    """The signers pay; their horse goes to whoever brought them together."""
    state = table.state
    for seat in deal.parties[1:]:
        state.gold[seat] -= deal.signed[seat]
        state.gold[deal.by] += deal.signed[seat]
    power = state.powers[deal.by]
    power.friends += deal.terms["to"]
    power.units.append(Unit("horse", state.at[deal.by], deal.terms["price"], "è x"))
    table.log_private(deal.parties, "league", rule="2", id=deal.id, parties=list(deal.parties))


def act(table: Table) -> Play:
    """3: one order after another."""
    state, course = table.state, course_of(table)
    state.to_act = state.to_act or list(table.seats[: course.movers])
    seat = state.to_act[0]
    value = yield Ask(
        seat,
        "action",
        lambda: orders(table, seat),
        rule="3",
        default=lambda: "hold",
        about={"mover": seat, "space": state.at[seat]},
        secret={"hand": list(state.hands[seat])},
    )
    table.log("order", rule="3", seat=seat, what=value["do"] if isinstance(value, dict) else value)
    match value:
        case {"do": "march"}:
            if "draw" not in course.orders:
                draw(table, seat)
            if "march" in course.phases:
                state.columns[seat] = value
            else:
                yield from march(table, seat, value)
        case {"do": "tax", "with": gold}:
            state.gold[seat] += gold
        case {"do": "route", "with": route}:
            for to in route:
                if (yield from march(table, seat, {"to": to})):
                    break
        case "draw":
            draw(table, seat)
        case "plot":
            yield from manual(table, "plot", seat, invariants, rule="3.4")
    state.to_act.pop(0)


def orders(table: Table, seat: str) -> Menu:
    """Those of its words that the scenario has."""
    state = table.state

    def onward(so_far: Sequence[str]) -> Domain:
        return Choice(near(so_far[-1] if so_far else state.at[seat]), "space")

    entries: dict[str, Domain | None] = {
        "hold": None,
        "tax": Amount(1, 2),
        "march": marching(table, seat),
        "route": Series(onward, 1, 3),
        "muster": Distribution(dict.fromkeys(NORTH, 3), (1, 4)),
        "raid": Series(Choice(list(NORTH)), 1, 2),
        "speech": FreeText(60),
        "plot": None,
        "draw": None,
    }
    if not state.deck:
        del entries["draw"]
    return Menu({word: entries[word] for word in course_of(table).orders if word in entries})


def marching(table: Table, seat: str) -> Form:
    """The leader marches from where he stands; else one says from where, and with how many."""
    state, course = table.state, course_of(table)

    def to(origin: str) -> Choice:
        return Choice(near(origin), "space", lambda to: too_far(state, origin, to))

    if course.begins == "leader":
        return Form(to=to(state.at[seat]))
    anywhere = course.begins == "anywhere"
    origins = [place for place, side in state.sides.items() if anywhere or side == seat]

    def regulars(origin: str) -> Domain:
        amount = Amount(1, max(state.force[origin], 1))
        return Optional(amount) if anywhere else amount

    return Form(
        origin=Choice(origins or [state.at[seat]]), to=lambda v: to(v.origin), regulars=lambda v: regulars(v.origin)
    )


def too_far(state: State, origin: str, to: Any) -> RejectionReason | None:
    known = to in state.sides
    return RejectionReason("rules.custom", {"text": f"{to} is too far from {origin}"}, "3.1") if known else None


def columns(table: Table) -> Play:
    """The marches that were ordered before the ballot."""
    state = table.state
    for seat in [*state.columns]:
        yield from march(table, seat, state.columns.pop(seat))


def march(table: Table, seat: str, order: Mapping[str, Any]) -> Rule[bool]:
    """3.1: a march, which an interception stops. Returns whether it was stopped."""
    state, to, regulars = table.state, order["to"], order.get("regulars", 1)
    with table.within("march", seat=seat, to=to):
        stopped = yield from intercept(table, seat, to)
    if stopped:
        return True
    state.at[seat], state.sides[to] = to, seat
    state.force[to] += regulars
    power = state.powers[seat]
    power.marches += 1
    power.last = ("march", to)
    power.chart.setdefault(f"turn {state.turn}", {})[seat] = regulars
    table.log("marched", rule="3.1", seat=seat, to=to)
    return False


def intercept(table: Table, mover: str, to: str) -> Rule[bool]:
    """3.2: everybody else may play a card against the march, or send a force; those in the space are touched.

    Where it meets nobody, forces are sent by all alike.
    """
    state, cards = table.state, course_of(table).cards == "intercept"
    others = [seat for seat in table.clockwise(mover) if seat != mover]
    touched = [seat for seat in others if state.at[seat] == to] or ([] if cards else others)
    replies = yield Window(
        "intercept",
        {seat: lambda seat=seat: interception(table, seat) for seat in others},  # type: ignore[misc]
        rule="3.2",
        about={"mover": mover, "space": to, "touches": touched},
        secret={seat: {"hand": list(state.hands[seat])} for seat in others},
        cards=cards,
    )
    for seat, reply in replies.in_order(others):
        strength = STRENGTH.get(reply.get("using"), reply.get("extra", 0))
        if "card" in reply:
            state.hands[seat].remove(reply["card"])
            state.discard.append(reply["card"])
        replies.took_effect(seat)
        what = reply.get("card") or reply["using"]
        table.log("intercepts", rule="3.2", reveals=True, seat=seat, what=what, strength=strength)
        roll = table.roll(2, "intercept.roll", rule="3.2", seat=seat, space=to)
        if roll.total + strength < 6 or ("card" in reply and (yield from bribe(table, mover, seat))):
            continue
        table.log("intercepted", rule="3.2", seat=seat, mover=mover)
        table.stop_advance_orders(mover)
        if what == "fleet":
            table.record_outcome("intercepted", mover)
        return True
    return False


def interception(table: Table, seat: str) -> Menu:
    """With a card and some gold, or with a fleet or an army, which never fail."""
    state, hand = table.state, table.state.hands[seat]
    entries: dict[str, Domain | None] = {PASS: None}
    if course_of(table).cards != "intercept":
        entries["intercept"] = Form(using=Choice(tuple(STRENGTH)))
    elif hand:
        extra = Amount(0, min(2, state.gold[seat]))
        entries["intercept"] = Form(card=Choice(list(hand), "card"), extra=Optional(extra))
    return Menu(entries)


def bribe(table: Table, mover: str, seat: str) -> Rule[bool]:
    """3.3: the marcher may buy his way; two gold suffice."""
    state = table.state
    with table.within("bribe", seat=seat):
        gold = yield Ask(mover, "bribe", Amount(0, min(3, state.gold[mover])), "3.3", 0, REACTION)
    state.gold[mover] -= gold
    state.gold[seat] += gold
    return gold >= 2


def draw(table: Table, seat: str) -> None:
    """3.5"""
    if not table.state.deck:
        return
    card = table.state.deck.pop()
    table.state.hands[seat].append(card)
    table.log("drew", rule="3.5", seat=seat, private={seat: {"card": card}})


def ballot(table: Table) -> Play:
    """4: all vote, sealed: on a motion, or on who shall wear the crown."""
    state = table.state
    crown = course_of(table).cards == "ballot"

    def votes(seat: str) -> Domain:
        place = Optional(Subset(list(state.hands[seat]), 1, 2, what="card"))
        return Form(vote=Choice(list(table.seats)), place=place) if crown else Choice(VOTES)

    asks = {
        seat: Ask(seat, "ballot", votes(seat), "4", default={"vote": seat} if crown else "abstain", pace="ballot")
        for seat in table.seats
    }
    ballots = yield AskAll(asks)
    for seat in state.order:
        vote = ballots[seat]["vote"] if crown else ballots[seat]
        table.log("vote", rule="4", reveals=True, seat=seat, vote=vote)
        state.gold[vote if crown else seat] += 1 if crown else VOTES.index(vote)
    first = next(iter(state.order))
    state.order[first] = state.order.pop(first) + 1


def speech(table: Table) -> Play:
    """5: the first seat has the last word."""
    yield Ask(table.seats[0], "speech", FreeText(80, "speech"), "5")


def invariants(table: Table) -> list[RejectionReason]:
    state = table.state
    found = [
        RejectionReason("rules.custom", {"text": f"{seat} owes gold"}) for seat in table.seats if state.gold[seat] < 0
    ]
    cards = [*state.deck, *state.discard, *(card for seat in table.seats for card in state.hands[seat])]
    if sorted(cards) != sorted(CARDS[: course_of(table).deck]):
        found.append(RejectionReason("rules.custom", {"text": "cards are missing"}))
    return found


def conceal(table: Table, seat: str, below: Below) -> None:
    """Deal what `seat` can't see again."""
    others = [other for other in table.seats if other != seat]
    pool = [*table.state.deck, *(card for other in others for card in table.state.hands[other])]
    for other in others:
        table.state.hands[other] = [pool.pop(below(len(pool))) for _ in table.state.hands[other]]
    table.state.deck = pool


def result(state: State) -> dict[str, Any] | None:
    if state.phase != OVER:
        return None
    best = max(state.gold.values())
    return {"scores": dict(state.gold), "winners": [seat for seat, gold in state.gold.items() if gold == best]}


def clock(state: State) -> Mapping[str, Any]:
    return {"turn": state.turn, "phase": state.phase, "patron": state.patron}


GAME = Game(
    slug="toy",
    title={"en": "Toytown", "ja": "おもちゃの町"},
    rules="7",
    package="tests.toy",
    scenarios=tuple(Scenario(key, course.name, course.seats) for key, course in COURSES.items()),
    state=State,
    setup=set_up,
    play=play,
    view=view,
    calendar=clock,
    conceal=conceal,
    invariants=invariants,
    result=result,
    components=lambda pack: pack.tables["things"]["things"],
    constraints=lambda _tables: [],
    names=lambda _components: NAMES,
    card_text=lambda _components, key: {"en": f"What Card {key[1:]} does.", "ja": f"カード{key[1:]}の効果。"},
    options=(HouseRule("limit", Amount(1, 3), 3, {"en": "deals", "ja": "取引"}), REACTIONS),
    private_press=lambda state: state.phase != "ballot",
    question_kinds=("bid", "negotiation", "action", "intercept", "bribe", "manual", "ballot", "speech"),
    outcome_words={"intercepted": ("march",), "won": ("march",)},
    turn_kinds=("action",),
)
