"""The part of a store that keeps the map of the memory plane: where each memory stands, and what regions are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lodmem.model.plane import Cluster, MapGrowth, MapHead
from lodmem.ports.basics import Floats

Ids: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.uint16]
Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Places on one map, columns of one length by rising id. x and y within -1..1; `fine` and `coarse` are cluster numbers;
    `near`: mean cosine to the neighbours that placed it; `landmark`: others are placed by it."""

    ids: Ids
    x: Floats
    y: Floats
    fine: Numbers
    coarse: Numbers
    near: Floats
    landmark: Flags

    def __len__(self) -> int:
        return len(self.ids)


def only(places: Places, rows: NDArray[Any]) -> Places:
    """Those rows, given as a mask or as indices."""
    return replace(places, **{name: getattr(places, name)[rows] for name in Places.__dataclass_fields__})


def together(first: Places, second: Places) -> Places:
    """Both, where the ids of the second lie above those of the first."""
    return Places(
        **{name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in Places.__dataclass_fields__}
    )


class Mapped(Protocol):
    """One map serves; another may be in the making. What is forgotten leaves both, and its clusters lose their names."""

    def map_heads(self) -> list[MapHead]:
        """The maps there are, by version: at most one that is ready, and one that is not."""
        ...

    def begin_map(self, head: MapHead, landmarks: Places) -> bool:
        """Keep a map in the making and the places of its landmarks, dropping another unfinished one. False, with nothing
        changed: its version is not above all there are. Memories that are gone are passed over."""
        ...

    def put_places(self, version: int, places: Places) -> bool:
        """Add places. A memory that has one keeps it; one that is gone is passed over. False, with nothing changed: there is no
        such map any more."""
        ...

    def finish_map(self, version: int, clusters: Sequence[Cluster], *, near: float) -> bool:
        """Let a map serve, with these clusters, and drop older ones. False, with nothing changed: it is not there any more."""
        ...

    def places(self, version: int, *, landmarks: bool = False, after: int = 0) -> Places:
        """Places on a map of ids greater than `after`, all or those of its landmarks; empty without such a map."""
        ...

    def unplaced(self, version: int, basis: str, *, after: int = 0, limit: int) -> list[int]:
        """Ids greater than `after`, rising, of memories without a place on this map that have vectors of the model `basis`, or
        any, for ''. Version 0 has no places."""
        ...

    def map_size(self, version: int) -> int:
        """How many memories have a place on a map."""
        ...

    def map_growth(self, version: int, basis: str) -> MapGrowth:
        """What became of a map since it was made; all 0 but `waiting` without such a map."""
        ...

    def clusters(self, version: int) -> list[Cluster]:
        """Clusters of a map: coarse ones first, by number."""
        ...

    def put_clusters(self, version: int, clusters: Sequence[Cluster]) -> None:
        """Replace the clusters of a map; nothing without such a map."""
        ...

    def meanings(self, ids: Sequence[int]) -> tuple[Ids, Floats]:
        """Ids, rising, of those that have vectors of the active model, and for each the mean of its passages' own vectors, as a
        unit vector. All are held in memory at once: ask for some thousands."""
        ...

    def term_lists(self, ids: Sequence[int]) -> dict[int, list[str]]:
        """Index terms, with repeats, of those of `ids` that exist, by rising id; of a long text only those of its beginning."""
        ...
