"""What the screens show, as plain values; tested without Textual."""

from pbem.tui.model.seat_desk import Asked, BadView, Desk, desk_from
from pbem.tui.model.words import Words

__all__ = ["Asked", "BadView", "Desk", "Words", "desk_from"]
