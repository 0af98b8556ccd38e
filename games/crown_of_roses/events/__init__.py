"""The events of the cards (10, 10.4.1, 14): a module for each family, each card a function that reads like its text.

Mandatory ones (14.1) leave OPS for actions behind: `embassy.py`, `affairs.py`, and `plague.py` beside this folder.

`all_cards` imports them all.
"""
