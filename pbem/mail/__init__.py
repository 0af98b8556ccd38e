"""Mail in and mail out: decoding, sources, intake, composing and sending letters.

Knows the rooms below it (`kernel`, `save`, `orders`, `report`); nothing here imports the TUI or the CLI.
"""
