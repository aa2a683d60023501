"""The part of a store that writes and reads memories, and the profiles they are looked at with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from lodmem.model.audit import AuditEntry
from lodmem.model.kept import AgentProfile
from lodmem.model.landscape import Stats
from lodmem.model.memory import Added, Identity, Levels, Memory, Prepared, Status, Tier
from lodmem.model.profile import Profile
from lodmem.ports.rows import Changes, Row, Usage, Vectors


class Writing(Protocol):
    """What changes memories."""

    def add(self, batch: Sequence[Prepared], *, now_us: int, tasks: Sequence[str] = ("embed",)) -> list[Added]:
        """Store a batch in one transaction, in order; one outcome each. Ids rise and are never used again, not even after
        forget. A memory equal in (space, source, content_hash) to one already there, or earlier in the batch, changes nothing
        and returns its id with created False. Each created memory enqueues `tasks` and its own, one `remember` audit entry and
        a change.
        A successor (next in the same source) that is already embedded is enqueued for embedding again."""
        ...

    def known(self, identities: Sequence[Identity]) -> list[int | None]:
        """For each the id of the memory that is the same, None where none is there yet. It changes nothing."""
        ...

    def record_use(
        self, *, now_us: int, retrieved: Sequence[int], shown: Mapping[int, Tier], audit: AuditEntry | None = None
    ) -> None:
        """Count one retrieval of each id in `retrieved` (last_retrieved = max(old, now_us), count += 1, adding to what other
        processes counted) and set last_tier of each in `shown`. Ids that are gone are passed over. One transaction."""
        ...

    def set_floor(self, ids: Sequence[int], tier: Tier, *, for_agent: str, audit: AuditEntry) -> None:
        """Set the floor for one agent, or with '' for everybody in the space. HORIZON removes it. Raises UnknownMemory."""
        ...

    def set_status(
        self, memory_id: int, status: Status, *, superseded_by: int | None, valid_to_us: int | None, audit: AuditEntry
    ) -> None:
        """Change status, successor and end of validity. Texts never change. Raises UnknownMemory."""
        ...

    def set_levels(self, memory_id: int, levels: Levels, *, audit: AuditEntry) -> None:
        """Replace summary and headline. Raises UnknownMemory."""
        ...

    def set_episode_class(self, memory_id: int, episode_class: str, *, audit: AuditEntry) -> None:
        """What kind of episode a memory is. Raises UnknownMemory."""
        ...

    def set_importance(self, memory_id: int, importance: float, *, instead_of: float, audit: AuditEntry) -> bool:
        """Give a memory its importance where it still has `instead_of`; else nothing is changed or noted. Whether it was given.
        Raises UnknownMemory."""
        ...

    def forget(self, ids: Sequence[int], *, now_us: int, audit: AuditEntry) -> int:
        """Really delete: every level, passage, vector, index entry, floor, statistic, queue item; free pages are overwritten,
        the write-ahead log is truncated. Leaves a tombstone (id, time), enqueues the successors for embedding again (their
        joint vector held the forgotten text) after dropping their vectors, and drops the query texts of the searches that
        showed one of them at summary or full. Returns how many were there. Raises UnknownMemory if one never was."""
        ...

    def put_vectors(
        self, model_key: str, vectors: Sequence[Vectors], *, done: Sequence[int] = (), then: str = "", now_us: int = 0
    ) -> None:
        """Store embeddings, replacing those of the same memory and model; complete the queue items `done` in the same
        transaction, `then` and `now_us` as in `complete`. Memories that are gone are passed over. A change is logged only for
        the active model."""
        ...

    def audit(self, entry: AuditEntry) -> None:
        """Append one entry to the audit log."""
        ...


class Reading(Protocol):
    """What reads memories, what moved, and the audit log."""

    def get(self, ids: Sequence[int], *, agent: str = "") -> list[Memory]:
        """Memories in the order asked, `floor` as it holds for `agent`. Raises UnknownMemory (a tombstone is named so)."""
        ...

    def texts(self, ids: Sequence[int], level: Tier) -> dict[int, str]:
        """Text of each id at FULL, SUMMARY or HEADLINE. Missing ids are left out."""
        ...

    def rows(self, ids: Sequence[int] | None = None) -> Iterator[Row]:
        """Column rows by rising id; all, or those of `ids` that exist. Consistent within one call."""
        ...

    def usage(self, ids: Sequence[int]) -> list[Usage]:
        """Statistics of those of `ids` that exist."""
        ...

    def last_change(self) -> int:
        """Number of the newest change, 0 in an empty store. Cheap enough to ask before every search."""
        ...

    def changes(self, since: int) -> Changes:
        """What moved after change number `since`."""
        ...

    def match_words(self, terms: Sequence[str], *, limit: int) -> list[tuple[int, float]]:
        """(id, BM25) of memories holding any of the index terms, best first, ties by id. Terms are plain text, never syntax."""
        ...

    def audit_log(
        self, *, after: int = 0, limit: int = 1000, space: str | None = None, verbs: Sequence[str] = (), telling: str = ""
    ) -> list[AuditEntry]:
        """Entries with seq > after, oldest first; of one space, of some verbs, where named, and with `telling` only those
        whose detail has that key. What is left out is not read: few of a million entries cost little."""
        ...

    def stats(self) -> Stats: ...


class Profiles(Protocol):
    """Named profiles, and which agent looks with which."""

    def profiles(self) -> dict[str, Profile]:
        """All named profiles; the presets are there from the start."""
        ...

    def save_profile(self, profile: Profile, *, audit: AuditEntry) -> None: ...

    def agent_profile(self, agent: str) -> str:
        """Name of the agent's profile; the default one for an agent never seen."""
        ...

    def set_agent_profile(self, agent: str, profile: str, *, audit: AuditEntry) -> None:
        """Raises UnknownProfile."""
        ...

    def agent_profiles(self) -> list[AgentProfile]:
        """Those that were chosen, by the agent's name."""
        ...
