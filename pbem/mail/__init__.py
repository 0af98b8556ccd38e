"""Mail: reading, processing, writing and sending emails.

Imports lower packages and `clock`; nothing here imports the TUI or the CLI.
"""
