"""The phases of the realm beyond what cases say: money keeps its sum, nobles without an estate, ends of games."""

from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.crown_of_roses import GAME
from games.crown_of_roses.money import compose, filled, gain, purse, reach, restock, spend, valued
from games.crown_of_roses.query import total
from games.crown_of_roses.realm.lodging import open_estates
from pbem.dev.random_game import sampler
from pbem.kernel.domains import Form
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of

BOX = components_of(GAME, {})[1]
COUNTS = {key: marker.count for key, marker in BOX.markers.items()}


def referee(players=2, seed=1, game=GAME):
    seats = GAME.seats_for(players, "campaign")
    setup = Setup(GAME.slug, seats, f"{seed:064x}", "campaign", GAME.with_defaults({}))
    return Referee.new(game, setup, ask_me="never")


@st.composite
def purses(draw):
    """Stock and pool of a house; the rest of its markers lies on the Roll."""
    stock, pool = {}, {}
    for key, count in COUNTS.items():
        mine = draw(st.integers(0, count))
        rest = draw(st.integers(0, count - mine))
        if mine:
            stock[key] = mine
        if rest:
            pool[key] = rest
    return stock, pool


def table_with(piles):
    table = referee().table
    own = table.state.houses["york"]
    own.stock, own.pool = dict(piles[0]), dict(piles[1])
    return table, own


def markers(*piles):
    return {key: sum(pile.get(key, 0) for pile in piles) for key in COUNTS}


@given(purses(), st.integers(0, 30))
def test_gaining_moves_points_and_no_marker_is_lost(piles, points):
    table, own = table_with(piles)
    before, had = markers(own.stock, own.pool), total(BOX, own.stock)
    _, gained = gain(table, "york", points)
    assert markers(own.stock, own.pool) == before
    assert total(BOX, own.stock) == had + gained
    assert gained <= points
    if reach(BOX, valued(BOX, *piles)) >> (had + points) & 1 and points <= total(BOX, piles[1]):
        assert gained == points


@given(purses(), st.integers(0, 30))
def test_spending_takes_points_out_of_the_stock(piles, points):
    table, own = table_with(piles)
    before, had = markers(own.stock, own.pool), total(BOX, own.stock)
    gone = spend(table, "york", points)
    assert markers(own.stock, own.pool, gone) == before
    assert total(BOX, own.stock) == had - total(BOX, gone)
    assert total(BOX, gone) <= points
    if compose(BOX, piles[0], points) is not None:
        assert total(BOX, gone) == points


@given(purses(), st.randoms(use_true_random=False))
def test_a_purse_is_always_filled_exactly(piles, random):
    _, own = table_with(piles)
    points = total(BOX, own.stock)
    before = markers(own.stock, own.pool)
    order = Form(purse(BOX, own, points)).sample(random.randrange)
    wanted = filled(BOX, own, points, order)
    restock(BOX, own, wanted)
    assert total(BOX, own.stock) == points
    assert markers(own.stock, own.pool) == before
    assert valued(BOX, own.stock) == wanted


def test_without_any_estate_an_officeholder_is_undeclared():
    """R-58: his office stays, its block leaves the map. No printed family is so poor, hence a box without shields."""
    poor = msgspec.structs.replace(BOX, family_estates={**BOX.family_estates, "mowbray": ()}, office_estates={})
    game = referee(game=msgspec.structs.replace(GAME, components=lambda pack: poor))
    state = game.table.state
    state.phase, state.stage, state.order = "winter", "place", ["york", "lancaster"]
    for key, block in state.blocks.items():
        if key not in ("lord_york", "lord_norfolk", "office_marshal"):
            block.at, block.owner, block.host = "inactive", "", ""
        else:
            block.at = "parliament"
    for key, office in state.offices.items():
        office.holder = "lord_norfolk" if key == "marshal" else ""
    state.garrison.host = ""
    assert open_estates(game.table, "lord_norfolk") == []
    play = GAME.play(game.table)
    answers = {"winter_plan": {"york": []}, "winter": {"do": "place", "noble": "lord_york", "place": "chester"}}
    request = next(play)
    while state.phase == "winter":
        asks = getattr(request, "asks", None)
        kind = next(iter(asks.values())).kind if asks else getattr(request, "kind", "")
        request = play.send(answers.get(kind))
    assert (state.blocks["lord_norfolk"].at, state.blocks["lord_norfolk"].owner) == ("undeclared", "york")
    assert state.blocks["office_marshal"].at == "inactive"
    assert state.offices["marshal"].holder == "lord_norfolk"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_campaigns_end_with_a_winner(players):
    game, below = referee(players, seed=players), sampler(Random(players))
    while game.now is not None:
        q = game.q
        for seat in game.waiting():
            game.submit(seat, game.domain(seat).sample(below))
            if game.q != q:
                break
    assert game.result["winners"]
    assert set(game.result["winners"]) <= set(game.setup.seats)
    told = [line.key for line in game.table.lines if line.key.startswith("victory.")]
    assert len(told) == 1
