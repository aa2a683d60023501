"""What a kind of background work has to be. It knows its items, and nothing of leases, retries and threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from lodmem.ports import WorkItem

LEASE_US = 120_000_000  # renewed while the work goes on; so long a killed worker's items wait


class Stopped(Exception):
    """The work was left in the middle, because somebody wants to end; its items go back."""


class Task(Protocol):
    """`name` is the queue's. `batch`: how many items it takes at once. `idle`: only while nobody calls the engine. `turn` is
    held from claim to end: a lock where two at a time would be in each other's way."""

    @property
    def name(self) -> str: ...

    @property
    def batch(self) -> int: ...

    @property
    def idle(self) -> bool: ...

    @property
    def turn(self) -> AbstractContextManager[object]: ...

    def work(self, items: Sequence[WorkItem], stop: Callable[[], bool]) -> None:
        """Do and complete the items. What is done twice must come to the same.

        Raises:
            ModelUnavailable, SpendCapReached, ModelMismatch: none of this task's work can be done for now.
            Stopped: `stop` said so.
            LodmemError: these items failed; with several, each is tried alone.
        """
        ...
