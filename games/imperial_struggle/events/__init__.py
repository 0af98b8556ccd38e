"""The 41 Events (3.4, 5.2): one small function per effect, by era; what only grants points is data."""

from games.imperial_struggle.events import empire, play, revolution, succession

__all__ = ["empire", "play", "revolution", "succession"]
