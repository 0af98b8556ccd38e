"""Development tools for any game: rule tests, random play, leak tests, linting and synthetic mail.

The tools know a game only through `pbem.kernel.game.Game`. They play and report, and change nothing.
"""
