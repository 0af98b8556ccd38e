"""The diplomacy phase (9): negotiation, ransom, declarations of war."""
