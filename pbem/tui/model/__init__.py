"""What the screens show, as plain values; tested without Textual."""

from pbem.tui.model.seat_desk import Asked, BadView, SeatDesk, seat_desk
from pbem.tui.model.words import Words

__all__ = ["Asked", "BadView", "SeatDesk", "Words", "seat_desk"]
