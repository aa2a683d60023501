"""The store's part that keeps it sound: check, repair, backup, and everything out and in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from lodmem.errors import StoreCorrupt
from lodmem.model.audit import AuditEntry
from lodmem.model.kept import Kept, Piece, TermsState, Tombstone
from lodmem.model.memory import Added, Passage
from lodmem.ports import Progress
from lodmem.stores.sqlite import backup, care, dump, load, log, passages, repair
from lodmem.stores.sqlite.core import Core


class Keeping(Core):
    """Each method is one snapshot or one transaction."""

    # -- care ---------------------------------------------------------------------------------------------------------

    def check(self) -> list[str]:
        # FTS5 checks against the structure that a connection remembers, which a used one may have from before other writes.
        with self._readers.snapshot(fresh=True) as conn:
            problems = list(care.check(conn))
        if not self._place.read_only:
            try:
                with self._writer.transaction() as conn:
                    problems.extend(care.check_words(conn))
            except StoreCorrupt as error:
                problems.append(error.message)
        return problems

    def repair(self, *, now_us: int, stage: Callable[[str], None] | None = None) -> list[str]:
        return repair.repair(self._writer, now_us=now_us, stage=stage)

    def terms(self) -> TermsState:
        with self._readers.snapshot() as conn:
            return passages.terms_state(conn)

    def put_terms(self, passages_of: Mapping[int, Sequence[Passage]], state: TermsState, *, now_us: int) -> int:
        with self._writer.transaction() as conn:
            return passages.replace(conn, passages_of, state, now_us=now_us)

    def unindexed(self) -> list[int]:
        with self._readers.snapshot() as conn:
            return passages.unindexed(conn)

    def ids(self, *, after: int = 0, limit: int) -> list[int]:
        with self._readers.snapshot() as conn:
            return dump.ids(conn, after=after, limit=limit)

    def backup(self, path: str, *, overwrite: bool = False, progress: Progress | None = None) -> int:
        # A connection of its own, so that the snapshot ends with it.
        with self._readers.snapshot(fresh=True) as conn:
            return backup.backup(conn, self._place.path, Path(path), overwrite=overwrite, progress=progress)

    # -- giving away and taking in ----------------------------------------------------------------------------------

    def dump(self, *, vectors: bool = False) -> Iterator[Piece]:
        with self._readers.snapshot(fresh=True) as conn:
            yield from dump.dump(conn, vectors=vectors)

    def load(self, batch: Sequence[Kept], *, now_us: int, audit: AuditEntry, tasks: Sequence[str] = ("embed",)) -> list[Added]:
        with self._writer.transaction() as conn:
            return load.load(conn, batch, now_us=now_us, audit=audit, tasks=tasks)

    def load_links(self, links: Sequence[tuple[int, int]]) -> int:
        with self._writer.transaction() as conn:
            return load.load_links(conn, links)

    def load_tombstones(self, tombstones: Sequence[Tombstone], *, last_id: int) -> int:
        with self._writer.transaction() as conn:
            return load.load_tombstones(conn, tombstones, last_id=last_id)

    def load_audit(self, entries: Sequence[AuditEntry]) -> None:
        with self._writer.transaction() as conn:
            log.log_audit(conn, entries)
