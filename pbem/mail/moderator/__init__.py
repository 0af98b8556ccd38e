"""The moderator: actions on a game outside its rules, and the dashboard."""
