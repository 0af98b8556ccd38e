"""Crown of Roses: the houses of the Wars of the Roses. In development: `coverage.MISSING` says what is not written."""
