"""How long to wait after a failure. Pure: the time and chance come in."""

from __future__ import annotations

from dataclasses import dataclass, field

SECOND_US = 1_000_000
FIRST_US = 5 * SECOND_US
LONGEST_US = 3600 * SECOND_US
LONGEST_PAUSE_US = 600 * SECOND_US
MAX_ATTEMPTS = 8
FOREVER = 2**62


def wait_us(failures: int, chance: float, *, longest_us: int = LONGEST_US) -> int:
    """Microseconds to wait after so many failures (1, 2, ...): 5 s, doubled each time up to `longest_us`, and up to half of it
    more by `chance`, 0 to 1, so that many who failed together do not come back together."""
    own = min(FIRST_US << min(max(failures, 1) - 1, 20), longest_us)
    return own + round(own * chance / 2)


@dataclass(slots=True)
class Pauses:
    """Tasks that are left in peace, each until its moment. A success ends the series."""

    _until: dict[str, int] = field(default_factory=dict)
    _failures: dict[str, int] = field(default_factory=dict)

    def failed(self, task: str, *, now_us: int, chance: float, wait: int | None = None) -> None:
        """Pause a task, the longer the more often it failed in a row; or for `wait`."""
        self._failures[task] = self._failures.get(task, 0) + 1
        own = wait_us(self._failures[task], chance, longest_us=LONGEST_PAUSE_US) if wait is None else wait
        self._until[task] = now_us + own

    def succeeded(self, task: str) -> None:
        self._until.pop(task, None)
        self._failures.pop(task, None)

    def holds(self, task: str, now_us: int) -> bool:
        """Whether the task is to be left in peace."""
        return now_us < self._until.get(task, 0)

    def next_us(self) -> int | None:
        """When the first pause ends; None without one."""
        return min(self._until.values(), default=None)
