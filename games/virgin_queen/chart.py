"""The map as it is drawn: its projection, and the colours of the powers."""

from __future__ import annotations

from pbem.kernel.geography import Conic

CHART = Conic(36, 52, 43, 12)

COLOURS = {
    "spain": "#e3ae0c", "france": "#2c4e99", "england": "#da4041", "ottoman": "#77c9be", "hre": "#f5f3f0",
    "protestant": "#a475d5",
}  # fmt: skip
"""By id, so that colour-blind readers tell the major powers apart. Minor powers are grey and told by their letters."""
