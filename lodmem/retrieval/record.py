"""Remembering what was used: one short write after the answer, off the caller's path. Source: SPEC 3.6.

Waiting notes are kept in order and written by one thread; a locked store or a full disk only delays them, and keeps nobody else
waiting for long. `flush` waits for them.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lodmem.errors import LodmemError, StoreBusy, StoreFull
from lodmem.model.landscape import Landscape
from lodmem.model.memory import Kind, Status, Tier
from lodmem.model.query import Filters, Query
from lodmem.text.secrets import mask

PROMOTE_AT_MOST = 50
RETRY_SECONDS = 0.2
FULL_RETRY_SECONDS = 5.0
MOST_WAITING = 10_000  # while a disk is full
PATIENCE_SECONDS = 0.5

_UNPROMOTED = (Status.SUPERSEDED, Status.CONFLICT)


def retrieved_by(landscape: Landscape) -> tuple[int, ...]:
    """Ids that this answer counts as retrieved: shown, S >= promote_at, the 50 best, none superseded or in conflict."""
    used = [
        view.id
        for view in landscape.views
        if view.relevance is not None and view.relevance >= landscape.profile.promote_at and view.status not in _UNPROMOTED
    ]
    return tuple(used[:PROMOTE_AT_MOST])


def noted(landscape: Landscape, query: Query, retrieved: Sequence[int]) -> dict[str, object]:
    """What the audit log keeps of a look: parameters, ids shown at summary or full, counts; never a memory's text,
    nor a secret that was asked for."""
    return {
        "mode": str(query.mode),
        "query": mask(query.text).text[:500],
        "exclude": [mask(term).text for term in query.exclude],
        "filters": noted_filters(query.filters),
        "profile": landscape.profile.name,
        "alpha": landscape.profile.alpha,
        "budget": landscape.profile.budget,
        "touch": query.touch,
        "counts": dict(landscape.counts),
        "ids": [view.id for view in landscape.views if view.tier >= Tier.SUMMARY][:1000],
        "promoted": list(retrieved),
    }


def noted_filters(filters: Filters) -> dict[str, object]:
    """Those of the filters that restrict something, JSON-ready; `filters_of` turns them back."""
    out: dict[str, object] = {}
    for name in Filters.__dataclass_fields__:
        value = getattr(filters, name)
        if value != Filters.__dataclass_fields__[name].default:
            out[name] = [int(v) if isinstance(v, Tier) else str(v) for v in value] if isinstance(value, tuple) else value
    return out


def filters_of(noted: Mapping[str, object]) -> Filters:
    """The filters of a look from its audit entry's detail["filters"]. Raises BadParameter, ValueError, TypeError for others."""
    kinds: dict[str, Callable[[Any], object]] = {"kinds": Kind, "status": Status, "last_tier": Tier}
    values: dict[str, Any] = {
        name: tuple(kinds.get(name, str)(v) for v in value) if isinstance(value, (list, tuple)) else value
        for name, value in noted.items()
    }
    return Filters(**values)


class Recorder:
    """Runs small writes one after another in a thread of its own. `close` writes what is left."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._ready = threading.Condition()
        self._leaving = self._closing = False
        self._thread: threading.Thread | None = None
        self._begun = 0.0
        self.failed: LodmemError | None = None

    def submit(self, write: Callable[[], None]) -> None:
        """Queue one write; it must raise nothing but LodmemError."""
        with self._ready:
            self._waiting.append(write)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lodmem-recorder", daemon=True)
                self._thread.start()
            self._ready.notify_all()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything queued is written. With a `timeout` (seconds) False when it passed first, or when one write
        has taken longer than PATIENCE_SECONDS: the store is locked."""
        with self._ready:
            if timeout is None:
                return self._ready.wait_for(lambda: not self._waiting)
            end = time.monotonic() + timeout
            while self._waiting:
                now = time.monotonic()
                left = min(end, (self._begun or now) + PATIENCE_SECONDS) - now
                if left <= 0:
                    return False
                self._ready.wait(left)
            return True

    def close(self, timeout: float = 30.0) -> None:
        """Write what waits and end the thread."""
        with self._ready:
            self._leaving = True  # nobody waits at the end for room on a disk
            self._ready.notify_all()
            self._ready.wait_for(lambda: not self._waiting, timeout)
            self._closing = True
            self._ready.notify_all()
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return
                write = self._waiting[0]
                self._begun = self._begun or time.monotonic()
            try:
                write()
            except (StoreBusy, StoreFull) as error:
                if self._may_try_again(error):
                    continue
                self.failed = error
            except LodmemError as error:
                self.failed = error
            with self._ready:
                self._waiting.popleft()
                self._begun = 0.0
                self._ready.notify_all()

    def _may_try_again(self, error: LodmemError) -> bool:
        """Rest after a write that failed; whether there is still reason to hope."""
        full = isinstance(error, StoreFull)
        with self._ready:
            if self._closing or (full and (self._leaving or len(self._waiting) > MOST_WAITING)):
                return False
            self._ready.wait_for(lambda: full and self._leaving, FULL_RETRY_SECONDS if full else RETRY_SECONDS)
            return True
