"""The editor of a component pack, to compare it with a printed copy, fact by fact."""
