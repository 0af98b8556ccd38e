"""Naval rules (16): movement, interception, combat, transport, piracy, voyages."""
