"""The map as it is drawn: its projection, and the colours of the sides."""

from __future__ import annotations

from pbem.kernel.geography import Conic

CHART = Conic(40, 58, 49, 9)
