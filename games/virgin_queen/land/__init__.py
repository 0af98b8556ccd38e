"""War on land: control and unrest (12), movement (13), field battles (14), sieges and assaults (15)."""

from __future__ import annotations

from games.virgin_queen.land import assault, battlecards, control, moving  # noqa: F401
