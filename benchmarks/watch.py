"""CPU and wall time of something done several times, and the CPU time of other processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
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


def cpu_ms(pid: int) -> float:
    """CPU time of a process, all its threads. The number of its clock is made of its own. Source: Linux, posix-timers.h."""
    return time.clock_gettime(~pid << 3 | 2) * 1e3


def tree_cpu_ms(root: int) -> float:
    """CPU time of a process and all below it that run."""
    ticks = 0
    for pid in below(root):
        fields = _stat(pid)
        ticks += int(fields[11]) + int(fields[12]) if fields else 0
    return ticks * 1e3 / os.sysconf("SC_CLK_TCK")


def below(root: int) -> set[int]:
    """A process and all below it."""
    parents = {pid: int(fields[1]) for pid in _running() if (fields := _stat(pid))}
    found, more = {root}, True
    while more:
        children = {pid for pid, parent in parents.items() if parent in found} - found
        found |= children
        more = bool(children)
    return found


def _running() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _stat(pid: int) -> list[str]:
    """Fields of its line after its name; none when it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
