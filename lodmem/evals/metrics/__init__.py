"""Measures of a ranking, one a file, each with its definition and source. They know ids and nothing else."""
