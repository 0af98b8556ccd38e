"""Static pages of the games for spectators: public knowledge only, no script.

Every page is drawn from a game's public reports (`pbem.report.build` for no seat) and its public deadline, so
that no page can show a secret. `publish_pages` writes what has changed.
"""

from pbem.site.publish import Published, publish_pages

__all__ = ["Published", "publish_pages"]
