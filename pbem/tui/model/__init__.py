"""What the screens show, as plain values; tested without Textual."""

from pbem.tui.model.order import Words
from pbem.tui.model.seat_desk import Asked, BadView, SeatDesk, seat_desk

__all__ = ["Asked", "BadView", "SeatDesk", "Words", "seat_desk"]
