"""The data that screens show, as plain values; tested without Textual."""

from pbem.tui.model.messages import ScreenMessages
from pbem.tui.model.seat_view import ScreenQuestion, SeatView, ViewFileError, load_seat_view

__all__ = ["ScreenMessages", "ScreenQuestion", "SeatView", "ViewFileError", "load_seat_view"]
