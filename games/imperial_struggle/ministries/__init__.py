"""The 26 Ministry cards (3.5)."""

from games.imperial_struggle.ministries import britain, france, jacobites
from games.imperial_struggle.ministries.core import offer, ready, reveal, use

__all__ = ["britain", "france", "jacobites", "offer", "ready", "reveal", "use"]
