"""Deadlines, reminders and what happens at the deadline. Times are arguments; nothing here reads a clock."""
