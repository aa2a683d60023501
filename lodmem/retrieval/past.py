"""Use and floors of memories as they were at a moment, put together from the audit log.

Counts that came in by import have no entries: whether the log explains those of today says whether to trust those of then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lodmem.errors import BadParameter
from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Tier
from lodmem.scan.columns import NEVER

Ints = NDArray[np.int64]

READ = ("search", "expand", "promote", "demote", "supersede")  # verbs that tell of use, floors and supersessions


@dataclass(slots=True)
class Past:
    """What the log says of memories by id. `floors` maps (id, agent or '') to a tier; `superseded`: when, by id."""

    last: dict[int, int] = field(default_factory=dict)
    count: dict[int, int] = field(default_factory=dict)
    total: dict[int, int] = field(default_factory=dict)
    floors: dict[tuple[int, str], int] = field(default_factory=dict)
    superseded: dict[int, int] = field(default_factory=dict)

    @classmethod
    def until(cls, entries: Iterable[AuditEntry], at_us: int) -> Past:
        """What had happened up to a moment; `total` counts on to the end of the log."""
        past = cls()
        for entry in entries:
            ids = _ids(entry.detail.get("promoted" if entry.verb == "search" else "ids"))
            match entry.verb:
                case "search" | "expand":
                    past._used(ids, entry.at_us, at_us)
                case "promote" | "demote" if entry.at_us <= at_us:
                    past._held(ids, entry)
                case "supersede" if ids:
                    past.superseded.setdefault(ids[0], entry.at_us)
        return past

    def _used(self, ids: list[int], when_us: int, at_us: int) -> None:
        for memory_id in ids:
            self.total[memory_id] = self.total.get(memory_id, 0) + 1
            if when_us <= at_us:
                self.last[memory_id] = max(when_us, self.last.get(memory_id, when_us))
                self.count[memory_id] = self.count.get(memory_id, 0) + 1

    def _held(self, ids: list[int], entry: AuditEntry) -> None:
        try:
            tier = int(Tier.parse(str(entry.detail.get("to", "none"))))
        except BadParameter:
            tier = 0
        who = entry.agent if entry.detail.get("mine") else ""
        self.floors |= {(memory_id, who): tier for memory_id in ids}

    def use_of(self, ids: Ints) -> tuple[Ints, Ints]:
        """(last use, NEVER without one; retrievals) of each id; ids rise."""
        return _spread(self.last, ids, NEVER), _spread(self.count, ids, 0)

    def floors_of(self, ids: Ints, agent: str) -> NDArray[np.uint8]:
        """The floor set by hand for each id; ids rise."""
        highest: dict[int, int] = {}
        for (memory_id, who), tier in self.floors.items():
            if who in ("", agent):
                highest[memory_id] = max(tier, highest.get(memory_id, 0))
        return _spread(highest, ids, 0).astype(np.uint8)

    def explains(self, ids: Ints, count: NDArray[np.integer]) -> bool:
        """Whether the whole log adds up to these counts of today; ids rise."""
        return bool(np.array_equal(_spread(self.total, ids, 0), count))


def _spread(known: Mapping[int, int], ids: Ints, nothing: int) -> Ints:
    """What is known of each of the rising ids, of most of which nothing is."""
    found = np.full(len(ids), nothing, dtype=np.int64)
    if known and len(ids):
        of, values = (np.fromiter(part, np.int64, len(known)) for part in (known.keys(), known.values()))
        at = np.minimum(np.searchsorted(ids, of), len(ids) - 1)
        there = ids[at] == of
        found[at[there]] = values[there]
    return found


def _ids(value: object) -> list[int]:
    return [i for i in value if isinstance(i, int)] if isinstance(value, list) else []
