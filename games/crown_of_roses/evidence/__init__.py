"""What the questions turn on: for each kind the facts, what answers mean, and which are likely.

This package reads the rules; no rule reads it.
"""

from __future__ import annotations

from games.crown_of_roses.evidence import answers, battles, facts, roads, wintering
from games.crown_of_roses.table import KIT

# fmt: off
HERE = (facts.shire, facts.own_blocks)
FIGHT = (battles.battle, battles.odds, battles.prize)

KIT.turns_on("command", facts=(facts.first_acts, facts.hand), means=answers.card)
KIT.turns_on("use", facts=(facts.card_text, facts.positions, facts.stacks, facts.reach), means=answers.uses)
KIT.turns_on("action", facts=(facts.positions, facts.reach, facts.stacks), means=answers.acts, likely=answers.actions)
KIT.turns_on("march", facts=(roads.marching,), means=answers.marches)
KIT.turns_on("intercept", facts=(facts.shire,), means=answers.attempt, likely=answers.interceptions)
KIT.turns_on("evade", facts=(facts.shire, roads.ways, facts.own_blocks), means=answers.attempt, likely=answers.evasions)
KIT.turns_on("estate", facts=(roads.open_to, facts.stacks), means=answers.goes)
KIT.turns_on("retreat_to", "way", facts=(roads.ways, facts.own_blocks), means=answers.goes)
KIT.turns_on("counter", facts=(facts.stacks,), means=answers.goes)

KIT.turns_on("battle", facts=(facts.stacks,), means=battles.attacks)
KIT.turns_on("plan", facts=(battles.battle, facts.way_out, facts.stake, battles.prize), means=battles.parley,
    likely=battles.parleys)
KIT.turns_on("reinforce", facts=(battles.battle, battles.odds), means=battles.comes, likely=battles.brings)
KIT.turns_on("force", facts=(battles.battle, battles.most_led, battles.prize), means=battles.force,
    likely=battles.forces)
KIT.turns_on("charge", facts=(battles.heirs_who_charge,), means=battles.charge)
KIT.turns_on("losses", facts=FIGHT, means=battles.loses)
KIT.turns_on("guest", "garrison", facts=(battles.battle, facts.own_blocks), means=answers.noble)
KIT.turns_on("reroll", facts=(battles.rolled, battles.battle), means=battles.rerolls)
KIT.turns_on("prolong", facts=FIGHT)
KIT.turns_on("retreat", facts=(roads.ways, battles.battle, battles.odds, battles.pursuers, facts.stake),
    means=answers.goes)
KIT.turns_on("pursue", "press", facts=(battles.battle, battles.payers, battles.odds), means=answers.card)
KIT.turns_on("refuge", facts=(facts.flight, facts.supports, *HERE), means=answers.goes)
KIT.turns_on("room", facts=(roads.ways, facts.own_blocks), means=battles.makes_room)

KIT.turns_on("plague", facts=(facts.plague_losses,), means=battles.loses)
KIT.turns_on("hits", "deserting", facts=(facts.own_blocks,), means=battles.loses)
KIT.turns_on("steps", "rebel_steps", facts=(facts.hurt,), means=battles.gains)
KIT.turns_on("event_shire", facts=(facts.card_text, facts.goal_shires, facts.points), means=answers.strikes)
KIT.turns_on("disorder", facts=(facts.purse, facts.hurt), means=battles.buys, likely=answers.disorders)
KIT.turns_on("desperate", facts=(facts.own_roll, facts.hurt), means=battles.buys)
KIT.turns_on("intrigue", facts=(facts.laid_by_house, facts.points, facts.crown))
KIT.turns_on("recall", facts=(facts.own_roll,), means=answers.takes_back, likely=answers.takings)
KIT.turns_on("kingmaker", facts=(facts.purse, facts.reach), means=answers.puts, likely=answers.kingmaker)
KIT.turns_on("heart", facts=(facts.undeclared, facts.heirs, facts.stacks), means=answers.heart)
KIT.turns_on("plot", "deserters", facts=(facts.step_losses, facts.enemy_stacks, facts.points),
    means=answers.hits_stack, likely=answers.stack_targets)
KIT.turns_on("unity", facts=(facts.card_text,), means=answers.card)
KIT.turns_on("mercenary", "pressed", facts=(facts.shire, facts.stacks), means=answers.noble)
KIT.turns_on("respond", facts=(facts.raid, facts.shire, facts.landholders), means=answers.responds,
    likely=answers.responders)
KIT.turns_on("writ", facts=(facts.called, facts.throne, facts.shire, facts.landholders), means=answers.plays)

KIT.turns_on("surprise_impulse", "surprise_step", facts=(facts.fitting, facts.stacks), means=answers.plays)
KIT.turns_on("surprise_march", "surprise_sail", "surprise_intercepted", facts=(facts.fitting, *HERE),
    means=answers.plays)
KIT.turns_on("surprise_engagement", "surprise_round", "surprise_line", facts=(battles.battle, battles.odds,
    facts.fitting), means=answers.plays)
KIT.turns_on("surprise_aftermath", facts=(battles.fallen, facts.heirs), means=answers.plays)
KIT.turns_on("surprise_income", facts=(facts.fitting, facts.purse), means=answers.plays)
KIT.turns_on("surprise_gathering", facts=(facts.one_box, facts.fitting, facts.purse), means=answers.plays)
KIT.turns_on("surprise_vote", facts=(facts.votes, facts.crown, facts.fitting), means=answers.plays)

KIT.turns_on("tie", facts=(facts.tied, facts.points), likely=answers.orders)
KIT.turns_on("pick", facts=(facts.tied, facts.crown, facts.points), means=answers.crowns)
KIT.turns_on("swap", facts=(facts.roll,), means=answers.swap, likely=answers.swaps)
KIT.turns_on("income", facts=(facts.pool, facts.purse), means=answers.income, likely=answers.incomes)
KIT.turns_on("supporters", facts=(facts.roll,), means=answers.settled, likely=answers.settles)
KIT.turns_on("vote", facts=(facts.votes, facts.crown), means=answers.crowns)
KIT.turns_on("bid", facts=(facts.office, facts.purse, facts.purses, facts.holders),
    means=answers.bid, likely=answers.bids)
KIT.turns_on("officer", facts=(facts.office, facts.office_block), means=answers.noble)
KIT.turns_on("exile", facts=(facts.supports, facts.heirs), means=answers.noble)
KIT.turns_on("hosts", facts=(facts.heirs,), means=answers.noble, likely=answers.sheltering)
KIT.turns_on("host", facts=(facts.heirs,), means=answers.noble)
KIT.turns_on("winter", "winter_plan", facts=(wintering.to_place,), means=wintering.lodges, likely=wintering.lodgings)
KIT.turns_on("carry", facts=(facts.kept,), means=answers.card)
