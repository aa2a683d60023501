"""The mean of a measure over questions, all of them and by group. It refuses to know what is measured."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum


def mean(values: Iterable[float]) -> float:
    """Arithmetic mean, every question with equal weight; 0 for no questions. Independent of the order."""
    listed = list(values)
    return fsum(listed) / len(listed) if listed else 0.0
