"""Trials of any game: conformance cases, random play, the no-leak law, and measurements.

A trial knows a game only through `pbem.kernel.game.Game`; it plays, looks and reports, and changes nothing.
"""
