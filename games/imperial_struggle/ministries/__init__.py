"""The 26 Ministry cards (3.5)."""

from games.imperial_struggle.ministries import britain, france, jacobites
from games.imperial_struggle.ministries.core import not_hidden, offer, ready, reveal, use

__all__ = ["britain", "france", "jacobites", "not_hidden", "offer", "ready", "reveal", "use"]
