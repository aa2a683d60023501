"""The embedded back end: one SQLite file, many threads and processes."""
