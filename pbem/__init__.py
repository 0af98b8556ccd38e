"""pbem: a play-by-email adjudicator for long, card-driven, hidden-information board games.

The rooms: `kernel` (adjudication, pure), `save` (the TOML save), `orders` (order text and answers),
`report` (views as text), `post` (mail in and out), `clock` (deadlines), `tui`, `cli`. The games live in the
sibling package `games`. Importing this package imports none of them; here stands only what rooms that may not know
each other must agree on.
"""

__version__ = "0.1.0"

LANGUAGES = ("en", "ja")
"""The languages in which people are written to: every message and name has them all. The first stands in for others."""
