"""A toy game with component data, for the tests of orders and saves."""
