"""What a query makes of the map: the tier of every place, and what each region holds of each tier. Draws nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lodmem.model.landscape import Landscape
from lodmem.model.memory import Tier
from lodmem.model.plane import Cluster
from lodmem.plane.read import MapPositions

TIERS = (Tier.FULL, Tier.SUMMARY, Tier.HEADLINE, Tier.HORIZON)
_WORTH = {Tier.FULL: 8, Tier.SUMMARY: 3, Tier.HEADLINE: 1, Tier.HORIZON: 0}


@dataclass(frozen=True, slots=True)
class Seen:
    """`tiers`: of each row of the map; `place`: the query's; `waiting`: memories without a place; `off`: shown ones of
    them."""

    map: MapPositions
    found: Landscape
    tiers: NDArray[np.uint8]
    place: tuple[float, float] | None
    waiting: int
    off: int

    def counts(self, rows: NDArray[np.bool_] | None = None) -> dict[Tier, int]:
        """Placed memories by tier, highest first."""
        held = np.bincount(self.tiers if rows is None else self.tiers[rows], minlength=len(TIERS))
        return {tier: int(held[tier]) for tier in TIERS}

    def regions(self) -> list[tuple[Cluster, dict[Tier, int]]]:
        """Coarse clusters with their counts, those that show most first."""
        found = [(cluster, self.counts(self.map.cluster_coarse == cluster.number)) for cluster in self.map.coarse]
        return sorted(found, key=lambda one: (-sum(_WORTH[tier] * count for tier, count in one[1].items()), one[0].number))

    def notes(self) -> Iterator[str]:
        """What the picture does not say by itself."""
        if self.place is None:
            yield "the query has no place on the map: nothing on it is like it, or the embedding model cannot be asked"
        if self.waiting or self.off:
            yield f"{max(self.waiting, self.off):,} memories have no place yet: lodmem map"
        if self.found.words_only:
            yield f"by words only: {self.found.words_only}"

    def plain(self) -> dict[str, Any]:
        """JSON-ready; memories shown at any tier, with their places, in order of score."""
        rows = {memory_id: row for row, memory_id in enumerate(self.map.ids.tolist())}
        return {
            "query": self.found.query,
            "place": None if self.place is None else {"x": round(self.place[0], 6), "y": round(self.place[1], 6)},
            "map": {"version": self.map.version, "method": self.map.method, "memories": len(self.map), "waiting": self.waiting},
            "counts": _named(self.counts()),
            "regions": [_region(cluster) | {"counts": _named(counts)} for cluster, counts in self.regions()],
            "inner": [
                _region(cluster)
                | {"region": cluster.group, "counts": _named(self.counts(self.map.cluster_fine == cluster.number))}
                for cluster in self.map.fine
            ],
            "memories": [
                {
                    "id": view.id,
                    "tier": view.tier.label,
                    "score": view.score,
                    **self._where(rows.get(view.id)),
                }
                for view in self.found.views
            ],
            "words_only": self.found.words_only,
        }

    def _where(self, row: int | None) -> dict[str, Any]:
        if row is None:
            return {"x": None, "y": None, "region": None}
        return {
            "x": round(float(self.map.x[row]), 6),
            "y": round(float(self.map.y[row]), 6),
            "region": int(self.map.cluster_coarse[row]),
        }


def seen(positions: MapPositions, found: Landscape, place: tuple[float, float] | None, waiting: int) -> Seen:
    """The tiers of a landscape on the map; what it does not show lies below the horizon."""
    tiers = np.full(len(positions), int(Tier.HORIZON), np.uint8)
    shown = np.array([view.id for view in found.views], np.int64)
    at = np.array([int(view.tier) for view in found.views], np.uint8)
    rows = np.searchsorted(positions.ids, shown)
    there = rows < len(positions)
    there[there] = positions.ids[rows[there]] == shown[there]
    tiers[rows[there]] = at[there]
    return Seen(positions, found, tiers, place, waiting, int((~there).sum()))


def _named(counts: dict[Tier, int]) -> dict[str, int]:
    return {tier.label: count for tier, count in counts.items()}


def _region(cluster: Cluster) -> dict[str, Any]:
    return {
        "number": cluster.number,
        "label": cluster.label,
        "x": round(cluster.x, 6),
        "y": round(cluster.y, 6),
        "size": cluster.size,
    }
