"""Static pages of the games for those who look on: public knowledge only, no script.

Every page is drawn from the public reports of a game (`pbem.report.build` for no seat) and from its public deadline. A
secret that is in no public report can stand on no page. `publish` writes what has changed.
"""

from pbem.site.publish import Published, publish

__all__ = ["Published", "publish"]
