"""Rules of single powers (23): Suez, the treasure fleet, the Armada, foreign wars."""
