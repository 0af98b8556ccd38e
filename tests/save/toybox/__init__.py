"""A package with component data, for the toy game of these tests."""
