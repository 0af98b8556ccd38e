"""What the decisions turn on: a table from the kinds of question to facts, and to what answers mean."""

from __future__ import annotations

from games.imperial_struggle import sequence  # noqa: F401 - registers all kinds of question
from games.imperial_struggle.evidence import cards, counts, fronts, rounds
from games.imperial_struggle.evidence.counts import purse, removal, score, shift, track
from games.imperial_struggle.table import KIT
from pbem.kernel.evidence import says

byng = says("byng", lambda look: {"value": look.table.c.special.marker_strength})
display = says("display", lambda look: {"tiles": list(look.table.state.display)})

# Spaces: which count a flag, a marker, a Fort or a Squadron decides.
KIT.turns_on("unflag", "lose_flag", facts=(score,), means=removal)
KIT.turns_on("spoils_unflag", facts=(track, score), means=removal)
KIT.turns_on("shift", "spanish_shift", facts=(score,), means=shift)
KIT.turns_on("conflict", "conflicts", "advantage_space", facts=(score,), means=counts.marking)
KIT.turns_on("hyder_ali", facts=(counts.theirs, score), means=cards.alliance, likely=cards.alliances)
KIT.turns_on("fort_or_cotton", facts=(score,), means=fronts.force)
KIT.turns_on(
    "bounce", "squadron_lost", "lose_squadron", "fort_fleet", "overrun", facts=(fronts.now,), means=fronts.force
)  # fmt: skip
KIT.turns_on("usa_flags", facts=(says("usa_flag"),), means=counts.usa)
KIT.turns_on("usa_forts", facts=(score,), means=counts.usa)

# Wars: the strength in each theater, as far as it lies open.
KIT.turns_on("place", facts=(fronts.drawn,), means=fronts.theater, likely=fronts.placings)
KIT.turns_on("upgrade", facts=(fronts.here,), means=fronts.upgraded)
KIT.turns_on("plan", facts=(fronts.open_strength,), means=fronts.assigned, likely=fronts.plans)
KIT.turns_on("byng", facts=(byng,), means=fronts.theater)
KIT.turns_on("make_room", facts=(fronts.open_strength,), means=fronts.theater)
KIT.turns_on("return_tile", facts=(says("front_told"),), means=fronts.theater)
KIT.turns_on("conquer", facts=(track, score), means=counts.conquering)
KIT.turns_on("refuse", facts=(track, counts.region), means=counts.refusal)

# Cards, Advantages and goods.
KIT.turns_on("discard", "walpole", means=cards.event)
KIT.turns_on("ministry", facts=(cards.era,), means=cards.minister)
KIT.turns_on("exhaust", "refresh", "free_advantage", facts=(cards.holders,), means=cards.advantage)
KIT.turns_on("add_demand", "score_cotton", facts=(score, track), means=cards.commodity)
KIT.turns_on("replace_demand", facts=(cards.newcomer, track), means=cards.commodity)
KIT.turns_on("points_type", facts=(purse, score), means=rounds.granted)
KIT.turns_on("debt_or_treaty", facts=(purse, score))

# Action Rounds.
KIT.turns_on("initiative", facts=(display, score), means=rounds.first)
KIT.turns_on(
    "tile",
    facts=(purse, rounds.own_events, score, track),
    means=rounds.tile,
    likely=lambda look: [f"take {key}" for key in look.table.state.display],
)
KIT.turns_on("act", facts=(purse, rounds.strengths, rounds.prices), means=rounds.act, likely=rounds.acts)
