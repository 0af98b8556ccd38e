"""A moderator who plays sees what his own seat may see; for more he must `pbem reveal`, and everybody hears of it."""

from __future__ import annotations

from pbem.save import Save


def guard(save: Save, seat: str) -> None:
    """Raise `Stop` if the game's moderator plays, and `seat` (`moderator`: everything) is not his own."""
    from pbem.cli.console import Stop
    from pbem.cli.exits import Exit

    plays = save.post.plays
    if plays and seat not in (plays, "public", ""):
        raise Stop(
            f"you play {plays} in {save.header.name}: what {seat} may see is not shown",
            Exit.REFUSED,
            hint=f"--seat {plays}; or pbem reveal, which everybody is told of",
        )
