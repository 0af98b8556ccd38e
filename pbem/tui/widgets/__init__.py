"""Widgets: each draws one thing, gets plain values, and reports choices by messages."""
