"""Frozen values that every layer speaks in. No I/O, no clock, no policy."""
