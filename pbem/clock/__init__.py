"""Deadlines, reminders, and what happens when time runs out. Time comes in as arguments; nothing here reads a clock."""
