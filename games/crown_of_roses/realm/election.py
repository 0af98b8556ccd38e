"""The King Phase (24): its course, the count of votes, the election of the King (10.5.1, 10.5.2)."""

from __future__ import annotations

from functools import partial

from games.crown_of_roses.blocks import support, vacate_office
from games.crown_of_roses.query import held, king, king_house
from games.crown_of_roses.realm import parliament, supporters
from games.crown_of_roses.realm.income import offices_of
from games.crown_of_roses.refusals import bar_house
from games.crown_of_roses.response_points import VOTE, offer
from games.crown_of_roses.state import PARLIAMENT, RosesState
from games.crown_of_roses.table import KIT, Table
from games.crown_of_roses.tie_breaks import choose
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import AskAll

KIT.chapter("24.2.2", "count of votes", "realm/election.py")
KIT.chapter("24.2.3", "election of the King", "realm/election.py")


_vote = KIT.question("vote", "24.2.3", "ballot")


@KIT.phase("king")
def king_phase(table: Table) -> Play:
    """Run the King Phase: before Parliament, supporters noble by noble, the votes; checkpoints between (24.0)."""
    state = table.state
    if state.stage == "":
        parliament.economic_points(table)
        parliament.clear_events(table)
        parliament.attend(table)
        state.stage = "supporters"
    elif state.stage == "supporters":
        if not (yield from supporters.gather(table)):
            state.stage = "votes"
    else:
        yield from election(table)
        state.phase, state.stage = "victory", ""


def count(table: Table) -> dict[str, int]:
    """Return votes of each house (24.2.2): titles and offices of its nobles in Parliament, popular support."""
    state, c = table.state, table.c
    throne = king(state)
    found = {}
    for house, own in state.houses.items():
        if own.out:
            continue
        titles = sum(
            c.blocks[key].title
            for key, block in state.blocks.items()
            if block.owner == house and block.at == PARLIAMENT
        )
        offices = 0
        for key in offices_of(state, house):
            if state.blocks[state.offices[key].holder].at == PARLIAMENT:
                offices += c.offices[key].votes if throne else c.offices[key].votes_without_king
        cheers = c.support[own.support].votes
        found[house] = own.votes = titles + offices + cheers
        table.log(
            "king.votes", rule="24.2.2", house=house, titles=titles, offices=offices, support=cheers, total=own.votes
        )
    return found


def candidates(state: RosesState) -> list[str]:
    """Return houses whose senior heir is in Parliament (24.2.3)."""
    found = []
    for house, own in state.houses.items():
        heir = state.blocks[own.heirs[0]] if own.heirs else None
        if heir is not None and heir.at == PARLIAMENT and heir.owner == house:
            found.append(house)
    return found


def election(table: Table) -> Play:
    """Run the count, the secret vote, allies and the crowning (24.2.2, 24.2.3)."""
    state = table.state
    votes = count(table)
    if not (running := candidates(state)):
        # No King this turn: no senior heir is in Parliament.
        table.log("king.nobody", rule="24.2.3")
        if king(state):
            state.last_king = king_house(state)
            vacate_office(table, "king")
        return
    if len(running) > 1:
        met = yield from offer(table, VOTE, {"when": "before"})
        for effect in met.of("votes"):
            votes[effect.side] += effect.count
            state.houses[effect.side].votes = votes[effect.side]
    chosen = yield from _ballot(table, votes, running)
    totals = dict.fromkeys(votes, 0)
    for house, side in chosen.items():
        totals[side] += votes[house]
    _mark(table, totals)
    if len(running) > 1:
        met = yield from offer(table, VOTE, {"when": "after"}, touches=list(votes))
        for effect in met.of("votes"):
            totals[chosen[effect.side]] += effect.count
        if met.of("votes"):
            _mark(table, totals)
    most = max(totals[house] for house in running)
    level = [house for house in running if totals[house] == most]
    winner = yield from choose(table, level, "crown", "24.2.3", king=False)
    crown(table, winner)


def _ballot(table: Table, votes: dict[str, int], running: list[str]) -> Rule[dict[str, str]]:
    """Ask everybody to name a house, sealed; nobody abstains (24.2.3). A single candidate needs no vote."""
    if len(running) == 1:
        return dict.fromkeys(votes, running[0])

    choice = Choice(running, "house", partial(bar_house, table, "not_running", "24.2.3"))
    answers = yield from AskAll(
        {
            house: _vote(house, choice, house if house in running else running[0], votes=dict(votes), running=running)
            for house in votes
        }
    )
    for house, side in answers.items():
        table.log("king.vote", rule="24.2.3", house=house, side=side, votes=votes[house], reveals=True)
    return answers


def _mark(table: Table, totals: dict[str, int]) -> None:
    """Set the votes markers to the totals: the order of wintering (24.2.3, 27.2)."""
    for house, points in totals.items():
        table.state.houses[house].votes = points
    table.log(
        "king.totals", rule="24.2.3", totals=[f"{house} {points}" for house, points in totals.items()], reveals=True
    )


def crown(table: Table, house: str) -> None:
    """Crown the senior heir of the house; the former house loses its support, the new one gains it (24.2.3)."""
    state, c = table.state, table.c
    new, before = state.houses[house].heirs[0], king_house(state)
    if before and before != house:
        vacate_office(table, "king")
    state.offices["king"].holder = new
    own = state.houses[house]
    own.crowned += 1
    state.last_king = house
    table.log("king.crowned", rule="24.2.3", house=house, block=new, count=own.crowned, reveals=True)
    if before != house:
        support(table, house, c.offices["king"].support, "24.2.3")
    # 26.3: the King holds no other office. They would be given back at once in 26.1 anyway.
    for office in held(state, new):
        if office != "king":
            vacate_office(table, office)
    parliament.give_block(table, "king", new)
