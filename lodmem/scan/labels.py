"""Tags by row: pairs in one block from when the columns were built, and a small table for what changed since."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lodmem.scan.names import Names

Ints = NDArray[np.int32]


class Labels:
    """Which rows hold which tags."""

    def __init__(self, names: Sequence[str] = (), rows: Ints | None = None, numbers: Ints | None = None) -> None:
        nothing = np.zeros(0, dtype=np.int32)
        self._tags = Names(names)
        self._rows = nothing if rows is None else rows
        self._numbers = nothing if numbers is None else numbers
        self._newer: dict[int, tuple[str, ...]] = {}

    def set(self, row: int, tags: Sequence[str], *, fresh: bool) -> None:
        """The tags of a row from now on. `fresh`: a row that never had any."""
        if tags or not fresh:
            self._newer[row] = tuple(sorted(tags))

    def of(self, row: int) -> tuple[str, ...]:
        """Tags of one row, sorted."""
        newer = self._newer.get(row)
        if newer is not None:
            return newer
        if not len(self._rows):
            return ()
        first, last = np.searchsorted(self._rows, (row, row + 1))
        return tuple(sorted(self._tags.names[n] for n in self._numbers[first:last].tolist()))

    def holding(self, tag: str) -> NDArray[np.int64]:
        """Rows that hold a tag, rising."""
        number = self._tags.find(tag)
        old = self._rows[:0] if number is None else self._rows[self._numbers == number]
        kept = [row for row in old.tolist() if row not in self._newer]
        newer = [row for row, tags in self._newer.items() if tag in tags]
        return np.array(sorted(kept + newer), dtype=np.int64)

    def block(self) -> tuple[list[str], Ints, Ints]:
        """Names, rows (rising) and numbers of everything, for a file or a fresh start."""
        keep = np.array([row not in self._newer for row in self._rows.tolist()], dtype=np.bool_)
        pairs = list(zip(self._rows[keep].tolist(), self._numbers[keep].tolist(), strict=True)) if len(keep) else []
        pairs += [(row, self._tags.number(tag)) for row, tags in self._newer.items() for tag in tags]
        pairs.sort()
        block = np.array(pairs, dtype=np.int32).reshape(len(pairs), 2)
        return list(self._tags.names), np.ascontiguousarray(block[:, 0]), np.ascontiguousarray(block[:, 1])
