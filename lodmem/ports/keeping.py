"""The part of a store that keeps it sound: check, repair, backup, and everything out and in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from lodmem.model.audit import AuditEntry
from lodmem.model.kept import Kept, Piece, TermsState, Tombstone
from lodmem.model.memory import Added, Passage
from lodmem.ports.basics import Progress


class Care(Protocol):
    """Check, repair, backup."""

    def check(self) -> list[str]:
        """Problems found, in words; empty when the store is sound: file integrity, texts, index against texts, counts,
        vectors of the active model (how many, their dims, finite, `own` of length 1), use, change log, dead work."""
        ...

    def repair(self, *, now_us: int, stage: Callable[[str], None] | None = None) -> list[str]:
        """Make anew what the store derives by itself, and say in words what was done; empty: nothing had to be. The word
        index; vectors that are broken or missing (dropped and enqueued); dead work (enqueued); the change log. Texts, levels
        and statistics are never touched. `stage` is told what begins. Twice in a row the second finds nothing to do."""
        ...

    def terms(self) -> TermsState:
        """Which version of the text rules made the index terms. A new store has the current one."""
        ...

    def put_terms(self, passages_of: Mapping[int, Sequence[Passage]], state: TermsState, *, now_us: int) -> int:
        """Replace passages and index terms of these memories and keep `state`, in one transaction; how many memories changed.
        One whose passages are cut elsewhere than before loses its vectors and is enqueued for embedding, and its successor is
        enqueued too. Memories that are gone are passed over. If anything changed, nobody can follow the change log from
        before."""
        ...

    def unindexed(self) -> list[int]:
        """Ids, rising, of memories with a passage missing."""
        ...

    def ids(self, *, after: int = 0, limit: int) -> list[int]:
        """Ids greater than `after`, rising."""
        ...

    def backup(self, path: str, *, overwrite: bool = False, progress: Progress | None = None) -> int:
        """A copy of the whole store as it is at this moment in the file at `path`, checked before it gets that name; its size
        in bytes. Others write meanwhile. Raises BadParameter where something is there already (unless `overwrite`), or for
        the store itself; StorePathError, StoreFull, StoreReadOnly, StoreCorrupt. A failure leaves nothing at `path`."""
        ...


class Exchange(Protocol):
    """All that is kept, out and in."""

    def dump(self, *, vectors: bool = False) -> Iterator[Piece]:
        """All that is kept, of one moment: a Head, saved profiles by name, agents' profiles by name, memories by rising id,
        conflicts by rising id, tombstones by rising id, the audit log oldest first. `vectors`: with those of the active model.
        Not the work queue, the change log and the calls of language models."""
        ...

    def load(self, batch: Sequence[Kept], *, now_us: int, audit: AuditEntry, tasks: Sequence[str] = ("embed",)) -> list[Added]:
        """Take memories in, in one transaction; one outcome each, in order. One equal in (space, source, content_hash) to one
        already there changes nothing. Another keeps its id where that is higher than every id ever given here, else it gets
        the next one. `superseded_by` waits for `load_links`. Vectors of the active model with one row a passage are stored;
        without them `tasks` are enqueued. Which episodes a pattern came from waits for `load_provenance`. `audit` is logged,
        with `ids` in its detail, if something was created."""
        ...

    def load_links(self, links: Sequence[tuple[int, int]]) -> int:
        """Say which memory superseded which, (old, new), wherever the old one has no successor yet; how many were set. Pairs
        with an id that is not there are passed over."""
        ...

    def load_tombstones(self, tombstones: Sequence[Tombstone], *, last_id: int) -> int:
        """Keep tombstones of ids that are not in use, and never give an id up to `last_id` again; how many were new."""
        ...

    def load_audit(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries to the audit log as they are; `seq` is given anew."""
        ...
