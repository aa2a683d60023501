"""The Store port over one SQLite file. Each method is one snapshot or one transaction; what happens in it is told elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import apsw

from lodmem.model.audit import AuditEntry
from lodmem.model.kept import AgentProfile
from lodmem.model.landscape import Stats
from lodmem.model.memory import Added, Identity, Levels, Memory, Prepared, Status, Tier
from lodmem.model.profile import Profile
from lodmem.ports import Changes, Row, Usage, Vectors
from lodmem.stores.sqlite import (
    care,
    forget,
    log,
    models,
    profiles,
    queue,
    reads,
    rows,
    settings,
    writes,
)
from lodmem.stores.sqlite.access import Admission
from lodmem.stores.sqlite.conflicts import Conflicting
from lodmem.stores.sqlite.connection import Place, Readers, Watcher, Writer
from lodmem.stores.sqlite.distilled import Distilled
from lodmem.stores.sqlite.errors import translated
from lodmem.stores.sqlite.gating import Gating
from lodmem.stores.sqlite.mapped import MapKeeping
from lodmem.stores.sqlite.opening import open_file
from lodmem.stores.sqlite.upkeep import Keeping
from lodmem.stores.sqlite.working import Working


class SqliteStore(Working, Keeping, Admission, Distilled, MapKeeping, Conflicting, Gating):
    """A store in one file. Open it with `SqliteStore.open`; use it as a context manager or close it."""

    def __init__(self, place: Place, conn: apsw.Connection | None) -> None:
        self._place = place
        self._writer = Writer(place, conn)
        self._readers = Readers(place)
        self._missing = models.Missing()
        try:
            with translated(place.path):
                self._watcher = Watcher(place)
        except BaseException:
            self._writer.close()
            raise
        self._settings = settings.Settings(self._watcher, self._readers)

    @classmethod
    def open(
        cls, path: str | Path, *, create: bool = True, read_only: bool = False, timeout_ms: int = 30_000, now_us: int
    ) -> SqliteStore:
        """The store in the file at `path`, of the newest schema. `timeout_ms` is how long a locked file is waited for.

        A file that cannot be written opens for reading only: writes then raise StoreReadOnly.

        Raises:
            StorePathError: a folder, another program's database, or not to be opened.
            StoreMissing: nothing is there and `create` is False, or `read_only` True.
            StoreCorrupt, StoreNewer, StoreReadOnly, StoreFull, StoreBusy
        """
        place, conn = open_file(Path(path), create=create, read_only=read_only, timeout_ms=timeout_ms, now_us=now_us)
        return cls(place, conn)

    @property
    def path(self) -> Path:
        return self._place.path

    @property
    def read_only(self) -> bool:
        """Whether writes are refused."""
        return self._place.read_only

    # -- writing ------------------------------------------------------------------------------------------------------

    def add(self, batch: Sequence[Prepared], *, now_us: int, tasks: Sequence[str] = ("embed",)) -> list[Added]:
        with self._writer.transaction() as conn:
            return writes.add(conn, batch, now_us=now_us, tasks=tasks)

    def known(self, identities: Sequence[Identity]) -> list[int | None]:
        with self._readers.snapshot() as conn:
            return writes.known(conn, identities)

    def record_use(
        self, *, now_us: int, retrieved: Sequence[int], shown: Mapping[int, Tier], audit: AuditEntry | None = None
    ) -> None:
        with self._writer.transaction() as conn:
            writes.record_use(conn, now_us=now_us, retrieved=retrieved, shown=shown)
            if audit is not None:
                log.log_audit(conn, [audit])

    def set_floor(self, ids: Sequence[int], tier: Tier, *, for_agent: str, audit: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            writes.set_floor(conn, ids, tier, for_agent=for_agent)
            log.log_audit(conn, [audit])

    def set_status(
        self, memory_id: int, status: Status, *, superseded_by: int | None, valid_to_us: int | None, audit: AuditEntry
    ) -> None:
        with self._writer.transaction() as conn:
            writes.set_status(conn, memory_id, status, superseded_by=superseded_by, valid_to_us=valid_to_us)
            log.log_audit(conn, [audit])

    def set_levels(self, memory_id: int, levels: Levels, *, audit: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            writes.set_levels(conn, memory_id, levels)
            log.log_audit(conn, [audit])

    def set_episode_class(self, memory_id: int, episode_class: str, *, audit: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            writes.set_episode_class(conn, memory_id, episode_class)
            log.log_audit(conn, [audit])

    def set_importance(self, memory_id: int, importance: float, *, instead_of: float, audit: AuditEntry) -> bool:
        with self._writer.transaction() as conn:
            given = writes.set_importance(conn, memory_id, importance, instead_of=instead_of)
            if given:
                log.log_audit(conn, [audit])
        return given

    def forget(self, ids: Sequence[int], *, now_us: int, audit: AuditEntry) -> int:
        with self._writer.transaction() as conn:
            count = forget.forget(conn, ids, now_us=now_us)
            log.log_audit(conn, [audit])
        self._writer.empty_log()
        return count

    def put_vectors(
        self, model_key: str, vectors: Sequence[Vectors], *, done: Sequence[int] = (), then: str = "", now_us: int = 0
    ) -> None:
        with self._writer.transaction() as conn:
            models.put_vectors(conn, model_key, vectors)
            queue.complete(conn, done, then=then, now_us=now_us)

    def audit(self, entry: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            log.log_audit(conn, [entry])

    # -- reading ------------------------------------------------------------------------------------------------------

    def get(self, ids: Sequence[int], *, agent: str = "") -> list[Memory]:
        with self._readers.snapshot() as conn:
            return reads.get(conn, ids, agent=agent)

    def texts(self, ids: Sequence[int], level: Tier) -> dict[int, str]:
        with self._readers.snapshot() as conn:
            return reads.texts(conn, ids, level)

    def rows(self, ids: Sequence[int] | None = None) -> Iterator[Row]:
        with self._readers.snapshot() as conn:
            yield from rows.rows(conn, ids)

    def usage(self, ids: Sequence[int]) -> list[Usage]:
        with self._readers.snapshot() as conn:
            return reads.usage(conn, ids)

    def last_change(self) -> int:
        return self._watcher.last_change()

    def changes(self, since: int) -> Changes:
        with self._readers.snapshot() as conn:
            return log.changes(conn, since)

    def match_words(self, terms: Sequence[str], *, limit: int) -> list[tuple[int, float]]:
        with self._readers.snapshot() as conn:
            return reads.match_words(conn, terms, limit=limit)

    def audit_log(
        self, *, after: int = 0, limit: int = 1000, space: str | None = None, verbs: Sequence[str] = (), telling: str = ""
    ) -> list[AuditEntry]:
        with self._readers.snapshot() as conn:
            return log.audit_log(conn, after=after, limit=limit, space=space, verbs=verbs, telling=telling)

    def stats(self) -> Stats:
        with self._readers.snapshot() as conn:
            return care.stats(conn, self._place.path)

    # -- profiles and agents ------------------------------------------------------------------------------------------

    def profiles(self) -> dict[str, Profile]:
        return dict(self._settings.get("profiles", profiles.profiles))

    def save_profile(self, profile: Profile, *, audit: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            profiles.save_profile(conn, profile)
            settings.changed(conn)
            log.log_audit(conn, [audit])

    def agent_profile(self, agent: str) -> str:
        return self._settings.get(f"profile of {agent}", lambda conn: profiles.agent_profile(conn, agent))

    def set_agent_profile(self, agent: str, profile: str, *, audit: AuditEntry) -> None:
        with self._writer.transaction() as conn:
            profiles.set_agent_profile(conn, agent, profile)
            settings.changed(conn)
            log.log_audit(conn, [audit])

    def agent_profiles(self) -> list[AgentProfile]:
        with self._readers.snapshot() as conn:
            return profiles.agent_profiles(conn)

    # -- closing ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        # The writer last: the last writing connection moves the log into the file and removes it.
        self._readers.close()
        self._watcher.close()
        self._writer.close()

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
