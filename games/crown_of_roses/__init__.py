"""Crown of Roses: the houses of the Wars of the Roses."""

from __future__ import annotations

# Chapters register with the kit when they are imported.
from games.crown_of_roses import (  # noqa: F401
    action,
    combat,
    command,
    draw,
    events,
    evidence,
    heirs,
    influence,
    land_movement,
    muster,
    plague,
    realm,
    response_points,
    sea,
)
from games.crown_of_roses.components import components
from games.crown_of_roses.constraints import check
from games.crown_of_roses.invariants import invariants
from games.crown_of_roses.names import card_text, names
from games.crown_of_roses.options import OPTIONS
from games.crown_of_roses.setup import SEATS, setup
from games.crown_of_roses.state import RosesState
from games.crown_of_roses.table import KIT
from games.crown_of_roses.view import CHART, clock, conceal, view
from pbem.kernel.game import Game, Scenario, late
from pbem.kernel.geography import MapNotes


def result(state: RosesState) -> dict[str, object] | None:
    """Return scores and winners once the game is over, else None."""
    if state.phase != "over":
        return None
    return {"scores": {key: house.vp for key, house in state.houses.items()}, "winners": list(state.winners)}


LOSSES = {
    "attrition.loss": ("house", ""), "plague.losses": ("house", "count"), "event.loses": ("house", "count"),
    "battle.wounded": ("house", ""), "battle.falls": ("house", ""),
}  # fmt: skip
"""The log lines that report lost steps."""

COLOURS = {"york": "#add6fa", "lancaster": "#8f283b", "buckingham": "#449c98", "warwick": "#fab318"}
"""By id, so that colour-blind readers tell the houses apart."""

GAME = Game(
    slug="crown_of_roses",
    title={"en": "Crown of Roses", "ja": "バラの王冠"},
    rules="2",
    package="games.crown_of_roses",
    scenarios=(
        Scenario("campaign", {"en": "The Wars of the Roses", "ja": "バラ戦争"}, SEATS),
        Scenario("short", {"en": "The Kingmaker's quarrel", "ja": "キングメーカーの反目"}, {2: SEATS[2]}),
    ),
    state=RosesState,
    setup=setup,
    play=KIT.play,
    likely_next=action.follow,
    next_turn=command.next_turn,
    policies=command.policies,
    view=view,
    calendar=clock,
    conceal=conceal,
    terms=late("games.crown_of_roses.evaluation", "terms"),
    chart=CHART,
    notes=MapNotes.read(CHART, "games.crown_of_roses"),
    colours=COLOURS,
    play_outs=96,
    free_acts=KIT.free_acts(),
    invariants=invariants,
    result=result,
    components=components,
    constraints=check,
    effects=action.effects,
    names=names,
    card_text=card_text,
    loss_lines=LOSSES,
    hidden_lines=False,
    options=OPTIONS,
    outcome_words=dict.fromkeys(("intercepted", "evaded"), ("move", "go", "sail")),
    turn_kinds=("action", "march", "use"),
    question_kinds=tuple(sorted(KIT.kinds)),
    card_window_kinds=KIT.card_kinds(),
    reaction_sheet=response_points.sheet,
    missing=KIT.missing(),
    evidence=KIT.evidence,
)
