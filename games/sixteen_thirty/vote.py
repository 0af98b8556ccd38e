"""Voting (5): calling a vote, its agenda, laying cards, the sealed ballot, and what the losers suffer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NotRequired, TypedDict

from games.sixteen_thirty import influence, refusals, war
from games.sixteen_thirty.components import ThirtyComponents, face_of
from games.sixteen_thirty.refusals import CHANGE, DISARMED, ENTER, PEACE, REARM, SIDE, WAR
from games.sixteen_thirty.state import BLUE, NEUTRAL, RED, ThirtyState
from games.sixteen_thirty.table import KIT, Table
from pbem.kernel.domains import PASS, Below, Choice, Domain, Form, Menu, Optional, Subset, Value
from pbem.kernel.game import Play, Rule
from pbem.kernel.kit import QuestionKind
from pbem.kernel.questions import Ask, AskAll, LazyDomain
from pbem.kernel.rejections import RejectionReason

KIT.chapter("5", "calling a vote, agenda, laying cards, ballots, the effect of losing", "vote.py", "influence.py")
_call = KIT.question("call", "5")
PLACE = KIT.question("place", "5")
BALLOT = KIT.question("ballot", "5", "ballot")
_lost = KIT.question("lost", "5")
WON, LOST, TIED = "won", "lost", "tied"
"""What may come of a vote for its caller, for plans with branches (`if lost: …`)."""


class VoteCall(TypedDict):
    """A vote that is called, with the cards laid for it, and those discarded at the end of the turn."""

    country: str
    agenda: str
    target: NotRequired[str]
    place: NotRequired[list[str]]
    discard: NotRequired[list[str]]


class Vote(TypedDict):
    """A vote cast, with the cards shown with it, and the card that goes if it is lost."""

    vote: str
    place: NotRequired[list[str]]
    lose: NotRequired[str]


Ballot = Vote | str
"""A vote, or `pass`."""


# -- calling ---------------------------------------------------------------------------------------------------------


def compulsory(table: Table, seat: str) -> Rule[list[str]]:
    """Run the vote that the phasing player must call; return the discards that they named with it.

    They can't pass; without any possibility they are excused (S-05).
    """
    if not may_call(table.c, table.state, seat):
        table.log("vote.excused", rule="5", seat=seat, reveals=True)
        return []
    call = yield from _call(seat, partial(_last_call, table, seat), partial(default_call, table, seat))
    yield from vote(table, seat, call)
    return call.get("discard", [])


def may_call(c: ThirtyComponents, state: ThirtyState, seat: str) -> bool:
    """Return whether there is any country in which `seat` could call a vote."""
    player = state.players[seat]
    return bool(player.piles) or not c.named.keys().isdisjoint(player.hand)


def callable_countries(c: ThirtyComponents, state: ThirtyState, seat: str) -> list[str]:
    """Return countries where the caller has influence, superior or not (S-06), or can lay a card that names them."""
    player = state.players[seat]
    open_to = {*player.piles, *map(c.named.get, player.hand)}
    return [*filter(open_to.__contains__, state.countries)]


def agendas(c: ThirtyComponents, state: ThirtyState, country: str, neighbours_only: int) -> list[str]:
    """Return the agendas: a neutral country chooses a side; others war, change of side, or rearming at size 0."""
    land = state.countries[country]
    if land.side == NEUTRAL:
        return [SIDE]
    out = [CHANGE]
    if land.army == 0:
        out.append(REARM)
    if war.targets(c, state, country, neighbours_only):
        out.insert(0, WAR)
    return out


def call_form(table: Table, seat: str) -> Form[VoteCall]:
    """Return the form `<country> <agenda> [target=…] [place=…]`: cards are laid for this country only, then a vote."""
    c, state = table.c, table.state
    return Form(
        {
            "country": Choice(callable_countries(c, state, seat), "country", partial(refusals.call, state)),
            "agenda": partial(_agenda, table),
            "target": partial(_target, table),
            "place": partial(_place, table, seat),
        }
    )


class _LastCall(Form[VoteCall]):
    """The call that ends a turn. A random one names no discards, so that they are asked for."""

    def sample(self, below: Below) -> Value:
        fields = dict(self.fields)
        del fields["discard"]
        return Form(fields).sample(below)


def _last_call(table: Table, seat: str) -> Form[VoteCall]:
    """Return the form of the compulsory vote: the hand stays as it is, so it can name the discards (6)."""

    def discards(v: VoteCall) -> Domain[list[str]] | None:
        left = [key for key in table.state.players[seat].hand if key not in v.get("place", ())]
        surplus = len(left) - table.c.hand.limit
        why = partial(refusals.in_hand, table, seat, "6")
        return Optional(Subset(left, surplus, surplus, what="card", why=why)) if surplus > 0 else None

    return _LastCall({**call_form(table, seat).fields, "discard": discards})


def near(table: Table) -> int:
    """Return the status up to which only neighbours may attack: by a house rule, or by a corrected pack (S-01)."""
    chosen: int = table.rule("neighbours_only")
    return min(chosen, table.c.limits.neighbours_only)


def _agenda(table: Table, v: VoteCall) -> Domain[str]:
    c, state = table.c, table.state
    found = agendas(c, state, v["country"], near(table))
    return Choice(found, "", partial(refusals.agenda, state, v["country"]))


def _target(table: Table, v: VoteCall) -> Domain[str] | None:
    if v["agenda"] != WAR:
        return None
    found = war.targets(table.c, table.state, v["country"], near(table))
    return Choice(found, "country", partial(refusals.target, table.state, v["country"]))


def _place(table: Table, seat: str, v: VoteCall) -> Domain[list[str]] | None:
    need, every = influence.placeable(table.c, table.state, seat, v["country"])
    if not every:
        return None
    place = _cards(table, seat, v["country"], 1, need, every)
    return place if need else Optional(place)


def default_call(table: Table, seat: str) -> VoteCall | None:
    """Return the default: the first country with influence, no card unless one must be laid, no war."""
    c, state = table.c, table.state
    countries = callable_countries(c, state, seat)
    if not countries:  # the moderator took the last card away while the question was open
        return None
    country = next((key for key in countries if key in state.players[seat].piles), countries[0])
    agenda = SIDE if state.countries[country].side == NEUTRAL else CHANGE
    call: VoteCall = {"country": country, "agenda": agenda}
    if country not in state.players[seat].piles:
        call["place"] = influence.placeable(c, state, seat, country)[0][:1]
    return call


# -- the vote --------------------------------------------------------------------------------------------------------


def vote(table: Table, caller: str, call: VoteCall) -> Play:
    """Run one vote from the caller's cards to its effect, which comes at once (S-22)."""
    country, agenda, target = call["country"], call["agenda"], call.get("target", "")
    if "place" in call:
        yield from influence.lay(table, caller, country, call["place"], "5")
    table.log(f"vote.called.{agenda}", rule="5", seat=caller, country=country, target=target)
    about = {"country": country, "agenda": agenda, "caller": caller}
    if target:
        about["target"] = target
    with table.within("vote", **about):
        if table.rule("placing") == "clockwise":
            yield from _place_in_turn(table, caller, country, about)
        ballots = yield from AskAll(_ballots(table, caller, country, agenda, about))
        for seat, ballot in ballots.items():
            if isinstance(ballot, dict) and "place" in ballot:
                yield from influence.lay(table, seat, country, ballot["place"], "5")
        losers, decided = _count(table, country, agenda, ballots)
        table.record_outcome(LOST if caller in losers else WON if decided else TIED, caller)
        if not decided:
            table.stop_advance_orders(caller)  # a tie: nothing changes
        if losers:
            said = {
                seat: ballot["lose"]
                for seat, ballot in ballots.items()
                if isinstance(ballot, dict) and "lose" in ballot
            }
            yield from decline(table, country, losers, _lost, about, said)
    if decided:
        _effect(table, country, decided, target)


def _place_in_turn(table: Table, caller: str, country: str, about: influence.About) -> Play:
    """Ask for cards openly after the call: clockwise from the caller, one pass (S-07)."""
    state = table.state
    for seat in table.clockwise(caller)[1:]:
        if not (state.players[seat].hand and influence.may_add(state, seat, country)):
            continue
        domain = partial(_placing, table, seat, country)
        cards = yield from Ask(seat, PLACE.kind, domain, PLACE.rule, [], PLACE.pace, about)
        if cards:
            yield from influence.lay(table, seat, country, cards, "5")


def _placing(table: Table, seat: str, country: str) -> Subset[str]:
    need, every = influence.placeable(table.c, table.state, seat, country)
    return _cards(table, seat, country, 0, need, every)


def _cards(table: Table, seat: str, country: str, least: int, need: list[str], every: list[str]) -> Subset[str]:
    why = partial(refusals.laying, table, seat, country)
    return Subset(every, least, len(every), need=need, what="card", why=why)


def choices(agenda: str) -> tuple[str, str]:
    """Return the two faces of the voting counter: red first, then blue."""
    if agenda == WAR:
        return WAR, PEACE
    return (REARM, DISARMED) if agenda == REARM else (RED, BLUE)


def _ballots(table: Table, caller: str, country: str, agenda: str, about: influence.About) -> dict[str, Ask[Ballot]]:
    """Ask for the ballots: all with influence must vote; all who might lay cards may enter (S-08).

    Who is asked is public: those with a pile, and those with cards in hand and no inferior pile. When the deadline
    expires nothing changes.
    """
    players = table.state.players
    laying = table.rule("placing") == "sealed"
    land = table.state.countries[country]
    silent: Vote = {"vote": land.side if agenda == CHANGE else choices(agenda)[1]}
    asks: dict[str, Ask[Ballot]] = {}
    for seat in table.clockwise(caller):
        player = players[seat]
        pile = player.piles.get(country)
        has = pile is not None
        may = laying and seat != caller and bool(player.hand) and not (pile is not None and pile.inferior)
        if has or may:
            domain: LazyDomain[Ballot] = _VOTE_ONLY[agenda]
            if may:
                domain = partial(_ballot, table, seat, country, agenda, has)
            elif pile is not None and pile.inferior and len(pile.cards) > 1:
                domain = partial(_at_stake, table, seat, country, agenda)
            default = silent if has else PASS
            asks[seat] = Ask(seat, BALLOT.kind, domain, BALLOT.rule, default, BALLOT.pace, about)
    return asks


def _ballot(table: Table, seat: str, country: str, agenda: str, has: bool) -> Domain[Ballot]:
    """Return the ballot `<vote> [place=…]`, cards shown with the votes; else `pass` or `enter <vote> place=…`."""
    need, every = influence.placeable(table.c, table.state, seat, country)
    if not every:
        return _VOTE_ONLY[agenda] if has else Menu({PASS: None}, why=_no_entry(country, may=False))
    if has:
        place = Optional(_cards(table, seat, country, 1, [], every))
        showing: Form[Vote] = Form(vote=_VOTE[agenda], place=place)
        return showing
    entry: Form[Vote] = Form(vote=_VOTE[agenda], place=_cards(table, seat, country, 1, need, every))
    return Menu({PASS: None, ENTER: entry}, why=_no_entry(country, may=True))


def _at_stake(table: Table, seat: str, country: str, agenda: str) -> Domain[Ballot]:
    """Return `<vote> [lose=…]`: a card of an inferior pile goes if the vote is lost (asked then if not named)."""
    cards = list(influence.choosable(lying(table, seat, country)))
    if len(cards) < 2:
        return _VOTE_ONLY[agenda]
    lose = Optional(Choice(cards, "card", partial(refusals.losing, table, country, "5")))
    staking: Form[Vote] = Form(vote=_VOTE[agenda], lose=lose)
    return staking


def _no_entry(country: str, *, may: bool) -> Callable[[str], RejectionReason | None]:
    """Return the function that says why somebody without influence can't vote as written."""
    return partial(refusals.entering, country, may, _VOTES)


# Most voters can lay nothing: their questions are all alike.
_VOTES = (RED, BLUE, WAR, PEACE, REARM, DISARMED)
_VOTE = {
    agenda: Choice(choices(agenda), why=partial(refusals.voting, choices(agenda), _VOTES))
    for agenda in (SIDE, WAR, CHANGE, REARM)
}
_VOTE_ONLY: dict[str, Form[Vote]] = {agenda: Form(vote=choice) for agenda, choice in _VOTE.items()}


def _count(table: Table, country: str, agenda: str, ballots: dict[str, Ballot]) -> tuple[list[str], str]:
    """Open the ballots and add up. Returns the losers and what was decided ("" if nothing changes)."""
    state, (yes, no) = table.state, choices(agenda)
    total = {yes: 0, no: 0}
    voters: dict[str, list[str]] = {yes: [], no: []}
    for seat, ballot in ballots.items():
        if isinstance(ballot, str):  # pass
            continue
        choice, votes = ballot["vote"], influence.votes_of(state, seat, country)
        total[choice] += votes
        voters[choice].append(seat)
        table.log("vote.cast", rule="5", reveals=True, seat=seat, choice=choice, votes=votes)
    if total[yes] == total[no]:
        table.log("vote.tied", rule="5", country=country, votes=total[yes])
        return [], ""
    won, lost = (yes, no) if total[yes] > total[no] else (no, yes)
    table.log("vote.decided", rule="5", country=country, choice=won, votes=total[won], against=total[lost])
    return voters[lost], won


def decline(
    table: Table, country: str, seats: list[str], question: QuestionKind, about: influence.About,
    said: Mapping[str, str] | None = None,
) -> Play:  # fmt: skip
    """Turn each loser's pile of `country` inferior; Unrest does the same to those it strikes.

    If it was inferior already, they lose a card of their choice from it. `said` is what seats have chosen beforehand.
    """
    asks, rule = {}, question.rule
    # Who is in their turn can't know how a vote ends, but whom their Unrest strikes; others wrote ahead of it.
    if said is not None and table.state.active in seats:
        table.stop_advance_orders(table.state.active)
    said = said or {}
    for seat in seats:
        pile = table.state.players[seat].piles.get(country)
        if pile is None:  # the moderator took it away while the vote was open
            continue
        if not pile.inferior:
            pile.inferior = True
            table.log("influence.turned", rule=rule, seat=seat, country=country)
            continue
        options = influence.choosable(lying(table, seat, country))
        if seat in said and said[seat] in options:
            influence.discard_from(table, seat, *options[said[seat]], "influence.lost", rule, sealed=True)
        elif len({face_of(key) for key in pile.cards}) > 1:
            asks[seat] = influence.which_goes(
                table, seat, question, partial(lying, table, seat, country),
                partial(refusals.losing, table, country, rule), about,
            )  # fmt: skip
        else:
            influence.discard_from(table, seat, country, pile.cards[0], "influence.lost", rule)
    if not asks:
        return
    answers = yield from AskAll(asks)
    for seat, word in answers.items():
        options = influence.choosable(lying(table, seat, country))
        if word in options:
            influence.discard_from(table, seat, *options[word], "influence.lost", rule, sealed=True)


def lying(table: Table, seat: str, country: str) -> influence.Cards:
    """Return the cards of a pile, each with its country."""
    pile = table.state.players[seat].piles.get(country)
    return [(country, key) for key in pile.cards] if pile is not None else []


def _effect(table: Table, country: str, decided: str, target: str) -> None:
    land = table.state.countries[country]
    if decided in (RED, BLUE):
        if land.side != decided:
            land.side = decided
            table.log("vote.joins", rule="5", country=country, side=decided)
    elif decided == REARM:
        land.army = 1
        table.log("vote.rearms", rule="5", country=country)
    elif decided == WAR:
        war.resolve(table, country, target)
