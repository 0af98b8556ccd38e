"""The wars (7.1 to 7.3): tile effects, strength, spoils, conquest, special results. The rest is in `sequence`."""
