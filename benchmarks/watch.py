"""CPU and wall time of something done several times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Watch:
    """Milliseconds of this process (all threads) and of the wall, one pair a run."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def run(self, work: Callable[[], T]) -> T:
        """Do it once, and note what it took."""
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        found = work()
        self.cpu.append((time.process_time_ns() - cpu) / 1e6)
        self.wall.append((time.perf_counter_ns() - wall) / 1e6)
        return found

    def medians(self, name: str = "") -> dict[str, float]:
        """`cpu_ms_p50` and `wall_ms_p50`, each with `name` before it."""
        return {f"{name}cpu_ms_p50": half(self.cpu), f"{name}wall_ms_p50": half(self.wall)}


def timed(work: Iterable[Callable[[], object]]) -> Watch:
    """A watch that saw each of them once."""
    watch = Watch()
    for one in work:
        watch.run(one)
    return watch


def half(values: Sequence[float]) -> float:
    """The median, to a thousandth."""
    return round(median(values), 3)
