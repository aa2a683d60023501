"""Who stands beside whom: the memories of each source in their order, and the rows next to each row."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.relevance import NEIGHBOUR_OFFSETS

Ints = NDArray[np.int32]
Key = tuple[str, str, str]
Member = tuple[int, int, int]
COLUMN = {offset: column for column, offset in enumerate(NEIGHBOUR_OFFSETS)}


@dataclass(frozen=True, slots=True)
class Placing:
    """The columns that say where rows stand, and `beside`, shape (n, 4), which is written to."""

    sequence: NDArray[np.int64]
    ids: NDArray[np.int64]
    beside: Ints


class Sources:
    """Sources as numbers. `keys[i]` is (space, uri, session) of source i; members are in order of (sequence, id).

    `order` and `starts` are the members' rows of all sources at the last `rank_all`, one source after another. What came
    after all of them since stands in a list of its own, so that a growing source costs the same however long it is.
    """

    def __init__(self, keys: Iterable[Key] = (), order: Ints | None = None, starts: NDArray[np.int64] | None = None) -> None:
        self.keys: list[Key] = list(keys)
        self._numbers = {key: i for i, key in enumerate(self.keys)}
        self.order = np.zeros(0, dtype=np.int32) if order is None else order
        self.starts = np.zeros(1, dtype=np.int64) if starts is None else starts
        self._appended: dict[int, list[Member]] = {}
        self._members: dict[int, list[Member]] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def number(self, key: Key) -> int:
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.keys)
            self.keys.append(key)
        return known

    def rank_all(self, source: Ints, alive: NDArray[np.bool_], placing: Placing) -> None:
        """Order everything anew and write all of `beside`."""
        self.order, self.starts = self.ordered(source, alive, placing)
        self._members, self._appended = {}, {}
        placing.beside[:] = -1
        placed = self.order
        of = source[placed]
        for offset, column in COLUMN.items():
            step = abs(offset)
            same = np.flatnonzero(of[step:] == of[:-step])
            here, there = (same + step, same) if offset < 0 else (same, same + step)
            placing.beside[placed[here], column] = placed[there]

    def ordered(self, source: Ints, alive: NDArray[np.bool_], placing: Placing) -> tuple[Ints, NDArray[np.int64]]:
        """`order` and `starts` of everything that is there."""
        placed = np.flatnonzero(alive & (source >= 0))
        placed = placed[np.lexsort((placing.ids[placed], placing.sequence[placed], source[placed]))]
        sizes = np.bincount(source[placed], minlength=len(self.keys))
        return placed.astype(np.int32), np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)

    def join(self, source: int, member: Member, placing: Placing) -> None:
        """Put a (sequence, id, row) in its place and write its and its neighbours' rows of `beside`."""
        last = self._last(source, placing)
        if last and member < last[-1]:
            insort(self._all(source, placing), member)
            self._rank(source, placing)
            return
        known = self._members.get(source)
        (self._appended.setdefault(source, []) if known is None else known).append(member)
        placing.beside[member[2]] = -1
        for step, (_, _, row) in enumerate(reversed(last), start=1):
            placing.beside[member[2], COLUMN[-step]] = row
            placing.beside[row, COLUMN[step]] = member[2]

    def leave(self, source: int, member: Member, placing: Placing) -> None:
        """Take a (sequence, id, row) out; its neighbours close ranks."""
        self._all(source, placing).remove(member)
        self._rank(source, placing)

    def _last(self, source: int, placing: Placing) -> list[Member]:
        """The last two members at most."""
        known = self._members.get(source)
        if known is not None:
            return known[-2:]
        newer = self._appended.get(source, [])[-2:]
        return [*self._base(source, placing, last=2 - len(newer)), *newer] if len(newer) < 2 else newer

    def _all(self, source: int, placing: Placing) -> list[Member]:
        known = self._members.get(source)
        if known is None:
            known = self._members[source] = self._base(source, placing) + self._appended.pop(source, [])
        return known

    def _base(self, source: int, placing: Placing, last: int | None = None) -> list[Member]:
        if source + 1 >= len(self.starts):
            return []
        first, end = int(self.starts[source]), int(self.starts[source + 1])
        rows = self.order[first if last is None else max(first, end - last) : end].tolist()
        return [(int(placing.sequence[row]), int(placing.ids[row]), row) for row in rows]

    def _rank(self, source: int, placing: Placing) -> None:
        members = np.fromiter((row for _, _, row in self._members[source]), dtype=np.int32)
        for offset, column in COLUMN.items():
            shifted = np.full(len(members), -1, dtype=np.int32)
            if offset < 0:
                shifted[-offset:] = members[:offset]
            else:
                shifted[: len(members) - offset] = members[offset:]
            placing.beside[members, column] = shifted
