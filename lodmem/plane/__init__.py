"""The map of the memory plane: where each memory stands by meaning, and what regions are called. Knows ports, no back end."""
