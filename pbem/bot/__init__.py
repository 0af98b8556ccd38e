"""Understudies: a player of any game that sees what its seat may see, and no more.

`Position` is a game at its open question. `world` deals it anew in all that a seat may not know; `choose` plays the
seat's likeliest answers on in many such worlds and takes the best. The room knows the kernel only: of the rules it
uses `Game.conceal`, and of their meaning `Game.value`, a hint how well a seat stands.
"""

from pbem.bot.search import EFFORTS, Effort, Position, choose, sample_world, seed_of

__all__ = ["EFFORTS", "Effort", "Position", "choose", "sample_world", "seed_of"]
