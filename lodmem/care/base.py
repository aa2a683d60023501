"""What all groups of the engine's verbs stand on: whose hands, which store, which clock, may anything be written."""

from __future__ import annotations

from abc import ABC, abstractmethod

from lodmem.errors import StoreReadOnly
from lodmem.model.audit import AuditEntry
from lodmem.ports import Clock, Store


class Verbs(ABC):
    """Base of each group; `Engine` is made of them, in any order, and sets these."""

    agent: str
    space: str
    _store: Store
    _clock: Clock
    _read_only: bool

    def _refuse_read_only(self) -> None:
        """Raises StoreReadOnly where nothing may be written."""
        if self._read_only:
            raise StoreReadOnly("the store was opened read-only", hint="open it without read_only")

    def _entry(self, verb: str, detail: dict[str, object], now_us: int, *, space: str | None = None) -> AuditEntry:
        """An entry of the audit log in the name of this engine's agent."""
        return AuditEntry(at_us=now_us, space=space or self.space, agent=self.agent, verb=verb, detail=detail)

    @abstractmethod
    def _settle_notes(self) -> None:
        """Write what is noted and not written yet."""
