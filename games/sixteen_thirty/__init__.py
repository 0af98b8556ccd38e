"""1630 Something: nine countries, two sides, and votes that may lie."""
