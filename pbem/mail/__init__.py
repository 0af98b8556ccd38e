"""Mail: reading, processing, writing and sending emails.

Imports `kernel`, `save`, `orders`, `report` and `clock`; nothing here imports the TUI or the CLI.
"""
