"""What marked questions saw of every memory at the moment they were asked, as `tuning` wants it.

Retrieval statistics of a past moment are put together from the audit log: with those of today, the use that a question made
would be what finds it. Memories created later are left out; states and texts are those of today. Nothing is promoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lodmem.engine import Engine
from lodmem.evals.marks import Mark, Used
from lodmem.evals.tuning import Look
from lodmem.lod.decay import days_between
from lodmem.lod.relevance import cosine_only
from lodmem.model.profile import Profile
from lodmem.model.query import Filters
from lodmem.scan.columns import NEVER
from lodmem.scan.filters import select
from lodmem.scan.scan import Probe

Ints = NDArray[np.int64]
Array = NDArray[np.float64]


@dataclass(slots=True)
class Statistics:
    """Last use and number of retrievals of every memory at one moment after another; moments do not go back."""

    log: Sequence[Used]
    last: dict[int, int] = field(default_factory=dict)
    count: dict[int, int] = field(default_factory=dict)
    taken: int = 0

    def until(self, at_us: int) -> None:
        """Take in what was retrieved before a moment."""
        while self.taken < len(self.log) and self.log[self.taken].at_us < at_us:
            used = self.log[self.taken]
            self.taken += 1
            for memory_id in used.ids:
                self.last[memory_id] = max(used.at_us, self.last.get(memory_id, used.at_us))
                self.count[memory_id] = self.count.get(memory_id, 0) + 1

    def of(self, ids: Ints) -> tuple[Ints, Ints]:
        """(last use, NEVER without one; retrievals) of each id."""
        last = np.fromiter((self.last.get(i, NEVER) for i in ids.tolist()), dtype=np.int64, count=len(ids))
        count = np.fromiter((self.count.get(i, 0) for i in ids.tolist()), dtype=np.int64, count=len(ids))
        return last, count


class Replay:
    """The looks of those marks that a store can still answer, oldest first; each pass makes them anew.

    `log` is the store's use from its beginning, oldest first. `relevance` is the profile's: fused or cosine.
    """

    def __init__(self, engine: Engine, marks: Sequence[Mark], log: Sequence[Used], profile: Profile) -> None:
        self._log, self._relevance = log, profile.relevance
        self._now_us = engine.now_us
        self._looker, _ = engine.looker()
        self.marks = tuple(sorted(filter(None, map(self._usable, marks)), key=lambda mark: mark.at_us or self._now_us))
        self._probes = self._looker.probes([mark.query for mark in self.marks])

    def __len__(self) -> int:
        return len(self.marks)

    def __iter__(self) -> Iterator[Look]:
        statistics = Statistics(self._log)
        for mark, probe in zip(self.marks, self._probes, strict=True):
            yield self._look(mark, probe, statistics)

    def _usable(self, mark: Mark) -> Mark | None:
        """The mark with those ids that a search at its moment could have found; None where none is left."""
        ids, _ = self._readable(mark)
        there = set(ids.tolist())
        kept = tuple(i for i in mark.ids if i in there)
        return Mark(mark.query, kept, mark.at_us) if kept else None

    def _readable(self, mark: Mark) -> tuple[Ints, Ints]:
        """(ids rising, their rows) of what was there at the moment of a mark."""
        at_us = self._now_us if mark.at_us is None else mark.at_us
        with self._looker.scan.lock:
            columns = self._looker.scan.columns
            rows = np.flatnonzero(select(columns, Filters(), self._now_us) & (columns.created <= at_us))
            rows = rows[np.argsort(columns.id[rows], kind="stable")]
            return columns.id[rows], rows

    def _look(self, mark: Mark, probe: Probe, statistics: Statistics) -> Look:
        ids, rows = self._readable(mark)
        with self._looker.scan.lock:
            scan, recipe = self._looker.scan, self._looker.recipe
            evidence = scan.examine(probe, recipe)
            by_cosine = self._relevance == "cosine" and probe.vector is not None
            exact = scan.exact_cosine(probe.vector, rows)
            relevance = cosine_only(exact) if by_cosine else scan.relevance(evidence, recipe, rows, exact)
            created, last, count = (getattr(scan.columns, name)[rows] for name in ("created", "last", "count"))
        if mark.at_us is not None:
            statistics.until(mark.at_us)
            last, count = statistics.of(ids)
        used = np.where(last == NEVER, created, last)
        at_us = self._now_us if mark.at_us is None else mark.at_us
        marked = np.searchsorted(ids, np.asarray(mark.ids, dtype=np.int64))
        return Look(ids, relevance, days_between(used, at_us), count, marked)
