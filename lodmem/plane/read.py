"""The map as a surface shows it: columns of the map that serves, and the names of its regions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from lodmem.model.plane import Cluster
from lodmem.plane.naming import named
from lodmem.ports import Store
from lodmem.ports.basics import Floats
from lodmem.ports.mapped import Ids, Numbers
from lodmem.ports.mapped import only as shown


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPositions:
    """Columns by rising id. x and y within -1..1; clusters are numbers of `fine` and `coarse`. `version` 0: there is no map.
    Memories that wait for a place are not in it."""

    ids: Ids
    x: Floats
    y: Floats
    cluster_fine: Numbers
    cluster_coarse: Numbers
    version: int
    method: str
    fine: tuple[Cluster, ...]
    coarse: tuple[Cluster, ...]

    def __len__(self) -> int:
        return len(self.ids)


def positions(store: Store, *, only: Collection[int] | None = None) -> MapPositions:
    """Where all placed memories stand on the map that serves. `only`: of these ids alone, with names of clusters that are made
    of their headlines alone, for somebody who may see no others."""
    head = next((head for head in store.map_heads() if head.ready), None)
    version = 0 if head is None else head.version
    places = store.places(version)
    if only is None:
        clusters = store.clusters(version)
    else:
        mask = np.isin(places.ids, np.fromiter(only, np.int64, len(only)))
        places = shown(places, mask)
        clusters = named(store, places)
    return MapPositions(
        ids=places.ids,
        x=places.x,
        y=places.y,
        cluster_fine=places.fine,
        cluster_coarse=places.coarse,
        version=version,
        method="" if head is None else head.method,
        fine=tuple(cluster for cluster in clusters if not cluster.coarse),
        coarse=tuple(cluster for cluster in clusters if cluster.coarse),
    )
