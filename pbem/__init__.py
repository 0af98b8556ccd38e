"""Adjudicate long, card-driven board games with hidden information by email.

Layers: `kernel` (rules engine, pure), `save` (TOML file), `orders` (order text), `report` (views as text), `mail`,
`clock`, `tui`, `cli`. Games are in the package `games`. Importing this package imports none of them.
"""

__version__ = "0.1.0"

LANGUAGES = ("en", "ja")
"""The languages of emails and pages: every message and name exists in each. The first is the fallback."""
