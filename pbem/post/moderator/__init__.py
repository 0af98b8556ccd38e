"""What the moderator does to a game outside its rules, and what he looks at."""
