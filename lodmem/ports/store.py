"""The store: one port, told in parts."""

from __future__ import annotations

from typing import Protocol

from lodmem.ports.access import Access, Trail
from lodmem.ports.conflicts import Conflicts
from lodmem.ports.distilled import Distilling
from lodmem.ports.gating import Gating
from lodmem.ports.keeping import Care, Exchange
from lodmem.ports.mapped import Mapped
from lodmem.ports.memories import Profiles, Reading, Writing
from lodmem.ports.working import Calls, Embeddings, Queue


class Store(
    Writing,
    Reading,
    Profiles,
    Queue,
    Embeddings,
    Calls,
    Care,
    Exchange,
    Access,
    Trail,
    Distilling,
    Mapped,
    Conflicts,
    Gating,
    Protocol,
):
    """Keeps and proposes; never decides. Safe to call from any thread. Every write is durable when the call returns.

    Methods raise StoreClosed after `close`; StoreBusy when another process holds the store longer than the timeout;
    StoreFull, StoreReadOnly, StoreCorrupt for what the file system says. A failed write changes nothing.
    """

    def close(self) -> None:
        """Idempotent."""
        ...
