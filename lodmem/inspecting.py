"""The engine's verbs for those who look closely: everything about one memory, and lists of what deserves a look.

Nothing here promotes or counts as use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from lodmem.errors import UnknownMemory
from lodmem.lod.relevance import NEIGHBOUR_OFFSETS
from lodmem.model.memory import Tier, to_datetime
from lodmem.model.survey import About, AuditList, Near
from lodmem.retrieval.audits import Parameters, listed
from lodmem.retrieval.candidates import largest
from lodmem.retrieval.overview import rows_in
from lodmem.retrieval.search import Looker
from lodmem.scan.columns import KINDS, NEVER, STATUSES
from lodmem.surveying import Surveying

Rows = NDArray[np.int64]

HISTORY = 100


class Inspecting(Surveying):
    """What of an engine shows single memories, and finds some worth showing."""

    # -- one memory -------------------------------------------------------------------------------------------------------

    def texts(self, ids: Sequence[int], level: str | Tier = Tier.HEADLINE) -> dict[int, str]:
        """Text of each id at a level; ids that are gone are left out. Raises BadParameter."""
        tier = level if isinstance(level, Tier) else Tier.parse(level)
        return self._store.texts(self._visible(ids), tier)

    def about(self, memory_id: int, *, similar: int = 0) -> About:
        """One memory with its neighbours in the source, the `similar` nearest by meaning, and its history.

        Raises: UnknownMemory, StoreBusy."""
        self._settle_notes()
        if not self._visible([memory_id]):
            raise UnknownMemory(f"there is no memory #{memory_id}", hint="ids come from a search, e.g. #482")
        memory = self._store.get([memory_id], agent=self.agent)[0]
        with self._surveyed() as (looker, _):
            beside, like, older = _around(looker, memory_id, rows_in(looker.scan.columns, self._place(None)), similar)
        texts = self._store.texts([*beside, *(i for i, _ in like)], Tier.HEADLINE)
        return About(
            memory=memory,
            neighbours=[Near(id=i, headline=texts[i], offset=offset) for i, offset in beside.items() if i in texts],
            similar=[Near(id=i, headline=texts[i], cosine=cosine) for i, cosine in like if i in texts],
            supersedes=older,
            history=self._store.trail(memory_id, limit=HISTORY),
        )

    # -- audits -----------------------------------------------------------------------------------------------------------

    def audit_list(
        self,
        name: str,
        *,
        space: str | None = None,
        profile: str | None = None,
        limit: int = 200,
        times: int = 3,
        below: float = 0.2,
        days: float = 30.0,
    ) -> AuditList:
        """One of the lists of `retrieval/audits.py`. Raises BadParameter, UnknownProfile, StoreBusy."""
        lens, parameters = self._profile({"profile": profile}), Parameters(times=times, below=below, days=days)
        place, now = self._place(space), self._clock.now_us()
        masked = dict(self._masked()) if name == "secrets-masked" else {}
        with self._surveyed() as (looker, _):
            scan, columns = looker.scan, looker.scan.columns
            found = listed(name, scan, rows_in(columns, place), lens, self.agent, now, parameters, masked)
            rows, revision = found.rows[:limit], self.revision
            items = [
                {
                    "id": int(columns.id[row]),
                    "headline": "",
                    "space": columns.spaces.names[columns.space[row]],
                    "agent": columns.agents.names[columns.agent[row]],
                    "kind": KINDS[columns.kind[row]].value,
                    "status": STATUSES[columns.status[row]].value,
                    "created_at": _moment(int(columns.created[row])),
                    "last_retrieved_at": None if columns.last[row] == NEVER else _moment(int(columns.last[row])),
                    "retrieval_count": int(columns.count[row]),
                    "decay": float(found.decay[i]),
                    "floor": Tier(int(found.floors[i])).label if found.floors[i] else "none",
                    "superseded_by": int(columns.superseded_by[row]) or None,
                    "masked": " ".join(masked.get(int(columns.id[row]), ())),
                }
                for i, row in enumerate(rows.tolist())
            ]
        texts = self._store.texts([int(str(item["id"])) for item in items], Tier.HEADLINE)
        return AuditList(
            name=name,
            title=found.title,
            parameters={"space": place, "limit": limit, "times": times, "below": below, "days": days},
            profile=lens,
            revision=revision,
            now_us=now,
            total=len(found.rows),
            items=[{**item, "headline": texts.get(int(str(item["id"])), "")} for item in items],
        )

    def _masked(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        for entry in self._log(telling="masked"):
            found, kinds = entry.detail.get("id"), entry.detail.get("kinds")
            if entry.detail.get("masked") and isinstance(found, int) and isinstance(kinds, list):
                yield found, tuple(map(str, kinds))


def _around(
    looker: Looker, memory_id: int, rows: Rows, similar: int
) -> tuple[dict[int, int], list[tuple[int, float]], list[int]]:
    """(neighbours in the source with their offsets, nearest by meaning with their cosines, those it superseded), of `rows`."""
    scan, columns = looker.scan, looker.scan.columns
    row = columns.row(memory_id)
    if row is None:
        return {}, [], []
    places = zip(columns.beside[row].tolist(), NEIGHBOUR_OFFSETS, strict=True)
    beside = {int(columns.id[at]): offset for at, offset in places if at >= 0 and _holds(rows, at)}
    older = [int(i) for i in columns.id[rows[columns.superseded_by[rows] == memory_id]]]
    if not similar or not columns.embedded[row]:
        return beside, [], older
    vector = columns.vectors[int(columns.first[row])]
    cosine = scan.exact_cosine(vector / max(float(np.linalg.norm(vector)), 1e-12), rows, precise=False)
    cosine[(rows == row) | np.isnan(cosine)] = -2.0
    best = [i for i in largest(cosine, similar).tolist() if cosine[i] > -2.0]
    return beside, [(int(columns.id[rows[i]]), round(float(cosine[i]), 6)) for i in best], older


def _holds(rows: Rows, row: int) -> bool:
    """Whether one is among rising rows."""
    at = int(np.searchsorted(rows, row))
    return at < len(rows) and int(rows[at]) == row


def _moment(us: int) -> str:
    return to_datetime(us).isoformat()
