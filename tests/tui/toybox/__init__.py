"""The components and words of the toy game of the TUI tests."""
