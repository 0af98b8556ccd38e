"""Virgin Queen: the powers of Europe from 1559 to 1598."""

from __future__ import annotations

# Chapters register with the kit when they are imported.
from games.virgin_queen import building, impulse, land, minors, responses, spring_phase, upkeep, victory  # noqa: F401
from games.virgin_queen.components import components
from games.virgin_queen.constraints import check
from games.virgin_queen.courts import deaths  # noqa: F401
from games.virgin_queen.diplomacy import declarations, negotiation, ransom  # noqa: F401
from games.virgin_queen.events import espionage, response_cards  # noqa: F401
from games.virgin_queen.intrigue import agents, assassination, intelligence, plot  # noqa: F401
from games.virgin_queen.learning import evaluation, patronage, science  # noqa: F401
from games.virgin_queen.names import card_text, names
from games.virgin_queen.naval import moving, piracy, plunder, transport  # noqa: F401
from games.virgin_queen.query import OUTCOMES
from games.virgin_queen.religion import conversion, rebellion  # noqa: F401
from games.virgin_queen.sequence import play
from games.virgin_queen.setup import SEATS, setup
from games.virgin_queen.special import armada, armada_actions, foreign_war, suez, treasure_fleet  # noqa: F401
from games.virgin_queen.state import QueenState
from games.virgin_queen.table import KIT
from games.virgin_queen.victory import result
from games.virgin_queen.view import CHART, clock, conceal, view
from games.virgin_queen.winter import league, other_steps, phase  # noqa: F401
from pbem.kernel.game import Game, Scenario, late
from pbem.kernel.geography import MapNotes
from pbem.kernel.joint_questions import QUESTIONS
from pbem.kernel.standing_orders import REACTIONS

# isort: split
# Evidence registers on the kinds of question of all chapters.
from games.virgin_queen import evidence  # noqa: F401

LOSSES = {
    **dict.fromkeys(
        (
            "displace.lost", "battle.losses", "battle.destroyed", "counters.lost", "event.deserted",
            "winter.attrition", "winter.lost", "revolt.losses", "foreign.result",
        ),
        ("power", "units"),
    ),
    **dict.fromkeys(("event.dismissed", "league.losses"), ("power", "spaces")),
    "sea.lost": ("owner", "count"),
    "fleet.escort_lost": ("power", ""),
}  # fmt: skip
"""The log lines for lost units and ships."""

COLOURS = {
    "spain": "#e3ae0c", "france": "#2c4e99", "england": "#da4041", "ottoman": "#77c9be", "hre": "#f5f3f0",
    "protestant": "#a475d5",
}  # fmt: skip
"""By id, so that colour-blind readers can distinguish the major powers. Minor powers are grey, with letters."""

GAME = Game(
    slug="virgin_queen",
    title={"en": "Virgin Queen", "ja": "バージンクイーン"},
    rules="2",
    package="games.virgin_queen",
    scenarios=(
        Scenario("campaign", {"en": "Campaign (turns 1-7)", "ja": "キャンペーン（ターン1～7）"}, SEATS),
        Scenario("tournament", {"en": "Tournament (turns 3-6)", "ja": "トーナメント（ターン3～6）"}, SEATS),
    ),
    state=QueenState,
    setup=setup,
    play=play,
    likely_next=impulse.follow,
    next_turn=impulse.next_impulse,
    turns_ahead=2,
    policies=impulse.policies,
    view=view,
    calendar=clock,
    conceal=conceal,
    terms=late("games.virgin_queen.evaluation", "terms"),
    chart=CHART,
    notes=MapNotes.read(CHART, "games.virgin_queen"),
    colours=COLOURS,
    play_outs=96,
    free_acts=tuple(word for word, action in KIT.actions.items() if action.free),
    ideas=late("games.virgin_queen.evaluation", "ideas"),
    invariants=late("games.virgin_queen.invariants", "invariants"),
    result=result,
    components=components,
    constraints=check,
    effects=impulse.effects,
    names=names,
    card_text=card_text,
    loss_lines=LOSSES,
    hidden_lines=False,
    options=(REACTIONS, QUESTIONS),
    outcome_words=OUTCOMES,
    turn_kinds=("impulse", "action"),
    missing=KIT.missing(),
    no_default=("action", "faith", "home_card", "impulse", "leader", "spring", "turn_away"),
    question_kinds=tuple(KIT.kinds),
    card_window_kinds=KIT.card_kinds(),
    reaction_sheet=responses.sheet,
    evidence=KIT.evidence,
    private_press=lambda state: state.phase == "negotiation",  # 9.1: the only time for secret talks
)
