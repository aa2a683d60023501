"""Episodes become patterns: what keeps happening, as single sentences with provenance. Source: SPEC 5.7, seed 004."""
