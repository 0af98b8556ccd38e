"""The moderator: what he does to a game outside its rules, and what he looks at."""
