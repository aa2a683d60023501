"""The engine's verbs for those who look at a whole store: its columns, and the tiers of all memories.

Nothing here promotes or counts as use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, Unpack
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from lodmem.asking import Asking, Reader, When
from lodmem.care.base import Verbs
from lodmem.errors import BadParameter, StoreBusy
from lodmem.lod.decay import US_PER_DAY
from lodmem.model.audit import AuditEntry
from lodmem.model.memory import Status, Tier, check_space
from lodmem.model.profile import Profile
from lodmem.model.query import Mode, Query
from lodmem.model.survey import Columns
from lodmem.ports import Changes
from lodmem.retrieval import overview
from lodmem.retrieval.ground import ground_of, place_of
from lodmem.retrieval.overview import floors_in, rows_in
from lodmem.retrieval.past import READ, Past
from lodmem.retrieval.search import Looker
from lodmem.scan import columns as scanned
from lodmem.scan.columns import ALWAYS, KINDS, NEVER, STATUSES
from lodmem.scan.scan import Probe

Rows = NDArray[np.int64]
T = TypeVar("T")

LOG_PAGE = 10_000
PLACED_BY = 8

MORE = (
    "tokens_full", "tokens_summary", "tokens_headline", "importance", "last_tier", "superseded_by", "valid_to", "source",
)  # fmt: skip


class Surveying(Verbs):
    """What of an engine shows the whole store."""

    zone: ZoneInfo

    if TYPE_CHECKING:

        def _reader(self) -> Reader: ...
        def _profile(self, asking: Asking) -> Profile: ...
        def _looker(self, questions: Sequence[str], topics: Sequence[str] = ()) -> tuple[Looker, list[Probe]]: ...

    def _place(self, space: str | None) -> str | None:
        """The space to look in where a caller named one, or none. Raises BadParameter."""
        return None if space is None else check_space(space)

    # -- what moved -----------------------------------------------------------------------------------------------------

    @property
    def revision(self) -> int:
        """Number of the store's newest change, by whatever process."""
        return self._store.last_change()

    def changes(self, since: int) -> Changes:
        """What moved after a revision."""
        return self._store.changes(since)

    def facts(self) -> dict[str, object]:
        """What is looked at: the embedding model's key, and how many memories, 0 while their columns are being made."""
        try:
            with self._surveyed() as (looker, _):
                memories = len(rows_in(looker.scan.columns, self._place(None)))
        except StoreBusy:
            memories = 0
        return {"embedder": self._store.active_model(), "memories": memories}

    def begin_indexing(self) -> bool:
        """Begin to make the columns of a large store in the background; whether they are being made. Never waits for them."""
        return self._looker([])[0].scan.building()

    # -- the whole --------------------------------------------------------------------------------------------------------

    def plane(self, *, space: str | None = None, profile: str | None = None, as_of: When | None = None) -> Columns:
        """Every memory's place, times, use, floor and labels. `as_of`: use, floors and supersessions as they were then.

        Raises: BadParameter, BadDate, UnknownProfile; StoreBusy while the columns of a large store are being made.
        """
        lens = self._profile({"profile": profile})
        at_us = self._reader().point(as_of, edge="end")
        with self._surveyed() as (looker, _):
            columns = looker.scan.columns
            rows = rows_in(columns, self._place(space))
            ids, created, status = columns.id[rows], columns.created[rows], columns.status[rows].copy()
            last, count = columns.last[rows], columns.count[rows].astype(np.int64)
            floor, history = floors_in(columns, rows, lens, self.agent), None
            if at_us is not None:
                past = Past.until(self._log(verbs=READ), at_us)
                history = {"from": "log", "complete": past.explains(ids, count)}
                last, count = past.use_of(ids)
                floor = np.maximum(past.floors_of(ids, self.agent), _ruled(columns, rows, lens, self.agent))
                status = _status_then(columns, rows, past, at_us)
            ground = ground_of(self._store, columns, rows, looker.scan.seen)
            base = int(created.max()) if len(rows) else 0
            found = {
                "id": ids.copy(),
                "x": ground.x,
                "y": ground.y,
                "last": _days(np.where(last == NEVER, created, last), base),
                "created": _days(created, base),
                "count": count,
                "floor": floor,
                "status": status,
                "kind": columns.kind[rows].copy(),
                "short": columns.short[rows].copy(),
                "cluster": ground.cluster,
                "space": columns.space[rows].copy(),
                "agent": columns.agent[rows].copy(),
            }
            facts: dict[str, object] = {
                "base_us": base,
                "as_of_us": at_us,
                "history": history,
                "dictionaries": self._dictionaries(columns, rows),
                **ground.facts(named=self._place(None) is None),
                "embedder": {"key": self._store.active_model(), "c0": looker.recipe.c0, "c1": looker.recipe.c1},
                "profile": lens.to_dict(),
                "agent": self.agent,
                "words_only": looker.words_only,
            }
            return self._columns_of(looker, rows, found, facts)

    def plane_more(self, names: Sequence[str], *, space: str | None = None) -> Columns:
        """More columns, of MORE, over the rows of `plane`. Raises BadParameter, StoreBusy."""
        if not names or (unknown := set(names) - set(MORE)):
            what = ", ".join(sorted(unknown)) if names else "no column"
            raise BadParameter(f"{what} cannot be asked for", hint="some of " + ", ".join(MORE))
        with self._surveyed() as (looker, _):
            columns = looker.scan.columns
            rows = rows_in(columns, self._place(space))
            base = int(columns.created[rows].max()) if len(rows) else 0
            facts: dict[str, object] = {"base_us": base}
            if "source" in names:
                known = self._told_of(columns.sources.keys, columns.source[rows], ("", "", ""))
                facts["sources"] = [{"uri": uri, "session": session} for _, uri, session in known]
            makers: dict[str, Callable[[], NDArray[np.generic]]] = {
                "tokens_full": lambda: columns.tokens[rows, 0],
                "tokens_summary": lambda: columns.tokens[rows, 1],
                "tokens_headline": lambda: columns.tokens[rows, 2],
                "importance": lambda: columns.importance[rows].astype(np.float32),
                "last_tier": lambda: np.where(columns.last_tier[rows] < 0, 255, columns.last_tier[rows].astype(np.int16)),
                "superseded_by": lambda: columns.superseded_by[rows],
                "valid_to": lambda: _ends(columns.valid_to[rows], base),
                "source": lambda: np.where(columns.source[rows] < 0, len(columns.sources), columns.source[rows]),
            }
            return self._columns_of(looker, rows, {name: makers[name]().copy() for name in names}, facts)

    def relevance_of_all(self, query: str, **asking: Unpack[Asking]) -> Columns:
        """S of every memory for a query. Raises BadParameter, BadDate, ParameterLocked, UnknownProfile, StoreBusy."""
        asking = self._narrowed(asking)
        asked, lens = self._reader().query(Mode.SEARCH, asking, text=query), self._profile(asking)
        with self._surveyed([query], asked.exclude) as (looker, probes):
            rows = rows_in(looker.scan.columns, asked.filters.space)
            seen = overview.relevance_of_all(looker, asked, lens, self.agent, self._clock.now_us(), probes, rows)
            facts = {
                "query": self._placed(looker, rows, query, seen.relevance),
                "considered": seen.considered,
                "excluded": seen.excluded,
                "words_only": looker.words_only,
            }
            return self._columns_of(looker, rows, {"relevance": seen.relevance}, facts)

    def tiers_of_all(
        self, query: str | None = None, *, at: When | None = None, scores: bool = False, **asking: Unpack[Asking]
    ) -> Columns:
        """The tier of every memory for a query, or by decay alone without one, as a search would show it at moment `at`.

        Raises: as `relevance_of_all`.
        """
        asking = self._narrowed(asking)
        reader = self._reader()
        mode = Mode.RECENT if query is None else Mode.SEARCH
        asked: Query = reader.query(mode, asking, text=query or "")
        lens, at_us = self._profile(asking), reader.point(at)
        now = self._clock.now_us() if at_us is None else at_us
        with self._surveyed([] if query is None else [query], asked.exclude) as (looker, probes):
            rows = rows_in(looker.scan.columns, asked.filters.space)
            seen = overview.tiers_of_all(looker, asked, lens, self.agent, now, self.zone, probes, rows)
            found: dict[str, NDArray[np.generic]] = {"tier": seen.tier, "natural": seen.natural, "flags": seen.flags}
            if scores:
                found["score"] = seen.score
            account = seen.account
            facts: dict[str, object] = {
                "at_us": now,
                "profile": lens.to_dict(),
                "counts": dict(seen.counts),
                "natural_counts": dict(seen.natural_counts),
                "costs": dict(seen.costs),
                "account": {
                    "requested": account.requested,
                    "used": account.used,
                    "bias": account.bias,
                    "stepped_down": account.stepped_down,
                    "dropped": account.dropped,
                },
                "considered": seen.considered,
                "excluded": seen.excluded,
                "words_only": looker.words_only,
                "query": None if query is None else self._placed(looker, rows, query, seen.score),
            }
            return self._columns_of(looker, rows, found, facts)

    # -- what they share --------------------------------------------------------------------------------------------------

    def _narrowed(self, asking: Asking) -> Asking:
        return {**asking, "space": self._place(asking.get("space"))}

    def _visible(self, ids: Sequence[int]) -> list[int]:
        """Those of the ids that the caller may see."""
        return list(ids)

    @contextmanager
    def _surveyed(self, texts: Sequence[str] = (), topics: Sequence[str] = ()) -> Iterator[tuple[Looker, list[Probe]]]:
        """A looker whose columns are complete and in step, held still."""
        self._settle_notes()
        looker, probes = self._looker(texts, topics)
        scan = looker.scan
        if scan.building():
            done, total = scan.progress
            raise StoreBusy(f"the index of this store is being made ({done:,} of {total:,} memories)", hint="ask again soon")
        with scan.lock:
            scan.sync()
            yield looker, probes

    def _columns_of(
        self, looker: Looker, rows: Rows, found: dict[str, NDArray[np.generic]], facts: dict[str, object]
    ) -> Columns:
        columns = looker.scan.columns
        newest = int(columns.id[rows[-1]]) if len(rows) else 0
        return Columns(
            revision=looker.scan.seen,
            rows=f"{len(rows)}-{newest}",
            n=len(rows),
            now_us=self._clock.now_us(),
            columns=found,
            facts=facts,
        )

    def _placed(self, looker: Looker, rows: Rows, query: str, closeness: NDArray[np.float32]) -> dict[str, object]:
        """A query and where it drops onto the map: among the memories nearest to it."""
        ground = ground_of(self._store, looker.scan.columns, rows, looker.scan.seen)
        spot = place_of(ground, closeness, PLACED_BY)
        return {"text": query, "x": None if spot is None else spot[0], "y": None if spot is None else spot[1]}

    def _dictionaries(self, columns: scanned.Columns, rows: Rows) -> dict[str, object]:
        return {
            "spaces": self._told_of(columns.spaces.names, columns.space[rows], ""),
            "agents": self._told_of(columns.agents.names, columns.agent[rows], ""),
            "kinds": [kind.value for kind in KINDS],
            "statuses": [status.value for status in STATUSES],
            "tiers": [tier.label for tier in Tier],
        }

    def _told_of(self, names: Sequence[T], used: NDArray[np.integer], nothing: T) -> list[T]:
        """Names by number; whoever is bound to a space is told of those that its rows have."""
        if self._place(None) is None:
            return list(names)
        known = set(np.unique(used).tolist())
        return [name if number in known else nothing for number, name in enumerate(names)]

    def _log(self, *, verbs: Sequence[str] = (), telling: str = "") -> Iterator[AuditEntry]:
        """The whole audit log, oldest first, of some verbs, with some key; all where none is named."""
        after = 0
        while entries := self._store.audit_log(after=after, limit=LOG_PAGE, verbs=verbs, telling=telling):
            yield from entries
            after = entries[-1].seq


def _ruled(columns: scanned.Columns, rows: Rows, profile: Profile, agent: str) -> NDArray[np.uint8]:
    """Floors that the profile's rules set, those set by hand left aside."""
    if not profile.floors:
        return np.zeros(len(rows), dtype=np.uint8)
    by_hand = floors_in(columns, rows, Profile(name="bare"), agent)
    both = floors_in(columns, rows, profile, agent)
    # Where a rule lifts no higher than a hand did it cannot be told apart, and then today's floor stands.
    return np.where(both > by_hand, both, 0).astype(np.uint8)


def _status_then(columns: scanned.Columns, rows: Rows, past: Past, at_us: int) -> NDArray[np.int8]:
    """States, with what was superseded later still active."""
    status: NDArray[np.int8] = columns.status[rows].copy()
    superseded, active = STATUSES.index(Status.SUPERSEDED), STATUSES.index(Status.ACTIVE)
    for i in np.flatnonzero(status == superseded).tolist():
        if past.superseded.get(int(columns.id[rows[i]]), 0) > at_us:
            status[i] = active
    return status


def _days(us: NDArray[np.int64], base_us: int) -> NDArray[np.float32]:
    """Days from the base: differences are exact before they become single precision."""
    return ((us - base_us) / US_PER_DAY).astype(np.float32)


def _ends(us: NDArray[np.int64], base_us: int) -> NDArray[np.float32]:
    return np.where(us == ALWAYS, np.float32(np.inf), _days(us, base_us))
