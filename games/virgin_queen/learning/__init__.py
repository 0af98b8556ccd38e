"""Patronage (22): artists, scientists, and what scientific bonuses do."""
