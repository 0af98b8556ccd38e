"""The map as it is drawn: its projection, and the colours of the houses."""

from __future__ import annotations

from pbem.kernel.geography import Conic

CHART = Conic(51, 55, 53, -2.5)

COLOURS = {"york": "#add6fa", "lancaster": "#8f283b", "buckingham": "#449c98", "warwick": "#fab318"}
"""By id, so that colour-blind readers tell the houses apart."""
