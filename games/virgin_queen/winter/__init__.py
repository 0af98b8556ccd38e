"""The winter phase (20): returning home, reinforcements, resets, the Catholic League."""
