"""Espionage (19): intelligence, agents, assassinations, the English Catholic rebellion; its reset in winter (20.8)."""
