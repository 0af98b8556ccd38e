"""Virgin Queen: the powers of Europe from 1559 to 1598. In development: `coverage.MISSING` says what is not
written yet.
"""

from __future__ import annotations

# Chapters fill the tables of `rules` when they are imported; the order of the menu is the order of these imports.
from games.virgin_queen import building, impulse, land, minors, spring, upkeep, victory  # noqa: F401
from games.virgin_queen.components import components
from games.virgin_queen.constraints import check
from games.virgin_queen.coverage import MISSING
from games.virgin_queen.diplomacy import declarations, irish, ransom, talks  # noqa: F401
from games.virgin_queen.events import answers  # noqa: F401
from games.virgin_queen.invariants import invariants
from games.virgin_queen.naval import moving, piracy, plunder, transport  # noqa: F401
from games.virgin_queen.outlook import value
from games.virgin_queen.play import play
from games.virgin_queen.setup import SEATS, setup
from games.virgin_queen.state import State
from games.virgin_queen.victory import result
from games.virgin_queen.view import clock, conceal, view
from games.virgin_queen.winter import league, phase, resets  # noqa: F401
from games.virgin_queen.wording import card_text, names
from pbem.kernel.game import Game, Scenario

KINDS = (
    # cards, spring, impulses, land
    "escort", "captains", "faith", "leader", "home_card", "deploy", "impulse", "action", "treasure", "manual",
    "displace",
    "put_to_sea", "intercept", "stand", "turn_away", "sortie", "slip_inside", "losses", "retreat", "fall_back",
    "reiters",
    "respond_move", "respond_assault", "respond_field_battle", "respond_taken", "respond_transport", "respond_sea_move",
    "respond_event", "respond_sea_hits", "combat_attacker", "combat_defender",
    # diplomacy, sea, winter, minor powers
    "negotiation", "announce", "confirm", "ransom", "declare_war", "join_war", "irish_war", "irish_march",
    "displace_ships",
    "intervene",
    "new_wars", "sea_intercept", "sea_avoid",
    "sea_order", "sea_retreat", "sink", "defend", "reward", "colony", "keep_treasure", "winter", "berth", "quarter",
    "sail_home", "captain_home", "reinforce", "homecoming", "jettison", "reroll",
    "league_losses", "league_spaces", "morisco_unrest",
    # events
    "event_option", "event_power", "event_space", "event_place", "event_zone", "event_spaces", "event_units",
    "event_leader", "event_captain", "event_settlement", "event_card", "event_prize", "event_mutiny", "event_uprising",
    "event_raid", "event_ship", "event_expedition", "event_payment", "event_gift", "event_prophecy", "event_take",
    "event_vote", "event_send", "event_quarrel", "event_muster", "event_march", "event_aid", "event_answer",
    "respond_status", "respond_dragut", "respond_entered", "respond_besieging", "respond_flooding",
    "respond_english_battle",
)  # fmt: skip
"""The kinds of all questions."""

GAME = Game(
    slug="virgin_queen",
    title={"en": "Virgin Queen", "ja": "バージンクイーン"},
    rules="0",
    package="games.virgin_queen",
    scenarios=(
        Scenario("campaign", {"en": "Campaign (turns 1-7)", "ja": "キャンペーン（ターン1～7）"}, SEATS),
        Scenario("tournament", {"en": "Tournament (turns 3-6)", "ja": "トーナメント（ターン3～6）"}, SEATS),
    ),
    state=State,
    setup=setup,
    play=play,
    view=view,
    clock=clock,
    conceal=conceal,
    value=value,
    invariants=invariants,
    result=result,
    components=components,
    constraints=check,
    names=names,
    card_text=card_text,
    status="in development",
    missing=MISSING,
    kinds=KINDS,
    private_press=lambda state: state.phase == "negotiation",  # 9.1: the only time for secret talks
)
