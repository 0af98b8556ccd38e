"""Widgets: each draws one thing, gets plain values, and tells of choices by messages."""
