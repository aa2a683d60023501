"""Results as plain values for --json: those that every surface has."""

from lodmem.model.plain import explanation, floor, landscape, memory, moment, source, stats, view

__all__ = ["explanation", "floor", "landscape", "memory", "moment", "source", "stats", "view"]
