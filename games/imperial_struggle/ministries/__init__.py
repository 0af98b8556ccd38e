"""The 26 Ministry cards (3.5)."""

from games.imperial_struggle.ministries import britain, france, jacobites
from games.imperial_struggle.ministries.core import ready, reveal, use

__all__ = ["britain", "france", "jacobites", "ready", "reveal", "use"]
