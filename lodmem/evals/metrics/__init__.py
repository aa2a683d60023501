"""Measures, one a file, each with its definition and source. They know ranks, sets and words, and nothing of how they arose."""
