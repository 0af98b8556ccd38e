"""The editor of a moderator's pack: the printed game is read off, fact by fact."""
