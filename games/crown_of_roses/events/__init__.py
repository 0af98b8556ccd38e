"""The events of the cards (10, 14): a module for each family, each card a function that reads like its text.

`all_cards` imports them all.
"""
