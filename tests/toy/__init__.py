"""The toy game of the tests, and what tests do with it."""
