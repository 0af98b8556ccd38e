"""Bots: they play any game and see only what their seat may see.

`Position` is a game at its open question. `sample_world` resamples what a seat must not know; `choose` tries likely
answers in many worlds and takes the best. Rules enter through `Game.conceal` and `Game.value` only.
"""

from pbem.bot.search import EFFORTS, Effort, RatedAnswer, best, choose, seed_of
from pbem.bot.worlds import Position, sample_world

__all__ = ["EFFORTS", "Effort", "Position", "RatedAnswer", "best", "choose", "sample_world", "seed_of"]
