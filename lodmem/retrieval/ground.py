"""Where memories stand on the map, in the order of rows, and where a question drops onto it.

The map is the store's own where one serves; until then the two widest directions of the vectors, or a spiral without vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from lodmem.model.plane import Cluster, MapHead
from lodmem.ports import Floats, Store
from lodmem.ports.mapped import Ids, Places, together
from lodmem.retrieval.candidates import largest
from lodmem.retrieval.flat_map import SAMPLE, FlatMap
from lodmem.retrieval.ranked import Rows
from lodmem.scan.columns import Columns

GOLDEN = 2.399963229728653
REACH = 0.25  # memories further than this from the nearest one do not pull a question towards them
GROWN = 2  # a makeshift map is made anew when there are so many times more memories


@dataclass(frozen=True, slots=True)
class Ground:
    """Places of rows: x and y within -1..1, NaN where a memory waits for its place; `cluster` an index into `clusters`.
    `making`: (done, total) of a coming map."""

    x: Floats
    y: Floats
    cluster: NDArray[np.int64]
    version: str
    method: str
    clusters: Sequence[dict[str, object]] = ()
    groups: Sequence[dict[str, object]] = ()
    making: tuple[int, int] | None = None
    placed: int = 0

    def facts(self, *, named: bool) -> dict[str, object]:
        """All but the places, JSON-ready. Not `named`: clusters without what all memories in them tell."""
        hidden: dict[str, object] = {} if named else {"label": "", "size": 0}
        return {
            "clusters": [{**each, **hidden} for each in self.clusters],
            "groups": [{**each, **hidden} for each in self.groups],
            "map": {
                "version": self.version,
                "method": self.method,
                "placed": self.placed,
                "making": None if self.making is None else list(self.making),
            },
        }


@dataclass(slots=True)
class _Known:
    """What was worked out for a store and still holds."""

    flat: tuple[str, int, FlatMap] | None = None
    ground: tuple[object, Ground] | None = None
    places: tuple[int, Places] | None = None
    lock: Lock = field(default_factory=Lock)


_known: WeakKeyDictionary[Store, _Known] = WeakKeyDictionary()


def ground_of(store: Store, columns: Columns, rows: Rows, revision: int) -> Ground:
    """Places of `rows`. The caller holds the scan's lock; `revision` is that of its columns."""
    known = _known.setdefault(store, _Known())
    heads = store.map_heads()
    serving = next((head for head in heads if head.ready), None)
    coming = next((head for head in heads if not head.ready), None)
    placed = store.map_size(serving.version) if serving else 0
    making = None if coming is None else (store.map_size(coming.version), coming.memories)
    key = (revision, len(rows), int(rows[-1]) if len(rows) else -1, serving and serving.version, placed, making)
    with known.lock:
        if known.ground is None or known.ground[0] != key:
            made = (
                _mapped(_places(known, store, columns, serving.version, placed), store, columns, rows, serving, making)
                if serving
                else _makeshift(known, store, columns, rows, making)
            )
            known.ground = (key, made)
        return known.ground[1]


def _places(known: _Known, store: Store, columns: Columns, version: int, placed: int) -> Places:
    """All places of a map: of a million they take seconds to read, so only new ones are, unless an old one went away."""
    if known.places is not None and known.places[0] == version and _all_there(columns, known.places[1].ids):
        before = known.places[1]
        later = store.places(version, after=int(before.ids[-1]) if len(before) else 0)
        if len(before) + len(later) == placed:
            known.places = (version, together(before, later) if len(later) else before)
            return known.places[1]
    known.places = (version, store.places(version))
    return known.places[1]


def _all_there(columns: Columns, ids: Ids) -> bool:
    at = np.minimum(np.searchsorted(columns.id, ids), max(len(columns) - 1, 0))
    return len(ids) == 0 or bool(len(columns) and ((columns.id[at] == ids) & columns.alive[at]).all())


def _mapped(
    places: Places, store: Store, columns: Columns, rows: Rows, head: MapHead, making: tuple[int, int] | None
) -> Ground:
    named = store.clusters(head.version)
    fine = _listed([cluster for cluster in named if not cluster.coarse], with_group=True)
    groups = _listed([cluster for cluster in named if cluster.coarse], with_group=False)
    ids = columns.id[rows]
    x, y = (np.full(len(rows), np.nan, dtype=np.float32) for _ in range(2))
    cluster = np.full(len(rows), len(fine), dtype=np.int64)
    if len(places):
        at = np.minimum(np.searchsorted(places.ids, ids), len(places) - 1)
        there = places.ids[at] == ids
        x[there], y[there] = places.x[at[there]], places.y[at[there]]
        cluster[there] = np.minimum(places.fine[at[there]], len(fine))
    if (cluster == len(fine)).any():
        fine = [*fine, {"label": "", "x": 0.0, "y": 0.0, "size": int(np.count_nonzero(cluster == len(fine))), "group": None}]
    return Ground(x, y, cluster, str(head.version), head.method, fine, groups, making, len(places))


def _listed(clusters: Sequence[Cluster], *, with_group: bool) -> list[dict[str, object]]:
    """Clusters where their numbers say, nameless ones in the gaps."""
    known = {cluster.number: cluster for cluster in clusters}
    listed = []
    for number in range(max(known, default=-1) + 1):
        c = known.get(number)
        entry: dict[str, object] = (
            {"label": "", "x": 0.0, "y": 0.0, "size": 0}
            if c is None
            else {"label": c.label, "x": c.x, "y": c.y, "size": c.size}
        )
        listed.append(entry | ({"group": None if c is None else c.group} if with_group else {}))
    return listed


def _makeshift(known: _Known, store: Store, columns: Columns, rows: Rows, making: tuple[int, int] | None) -> Ground:
    cluster = np.zeros(len(rows), dtype=np.int64)
    everything = [{"label": "", "x": 0.0, "y": 0.0, "size": len(rows), "group": 0}]
    groups = [{"label": "", "x": 0.0, "y": 0.0, "size": len(rows)}]
    first = columns.first[rows]
    embedded = columns.embedded[rows] if columns.dims else np.zeros(len(rows), dtype=np.bool_)
    turn = columns.id[rows].astype(np.float64)
    outward = np.sqrt(turn / max(float(turn.max(initial=1.0)), 1.0))
    places = np.stack((outward * np.cos(turn * GOLDEN), outward * np.sin(turn * GOLDEN)), axis=1).astype(np.float32)
    if not embedded.any():
        return Ground(places[:, 0].copy(), places[:, 1].copy(), cluster, "spiral", "spiral", everything, groups, making)
    model = store.active_model()
    if known.flat is None or known.flat[0] != model or len(columns) > GROWN * known.flat[1]:
        some = columns.first[columns.embedded]
        known.flat = (model, len(columns), FlatMap.of(columns.vectors[some[:: max(1, len(some) // SAMPLE)]]))
    places[embedded] = known.flat[2].places(columns.vectors[first[embedded]])
    version = f"pca-{known.flat[1]}"
    return Ground(places[:, 0].copy(), places[:, 1].copy(), cluster, version, "pca", everything, groups, making)


def place_of(ground: Ground, closeness: Floats, count: int) -> tuple[float, float] | None:
    """Where a question drops: the mean place of the `count` memories closest to it, weighed by S, leaving out those that stand
    far from the closest one. None where nothing is close."""
    near = np.where(np.isnan(ground.x), 0.0, np.nan_to_num(closeness, nan=0.0))
    best = largest(near, count)
    best = best[near[best] > 0]
    if not len(best):
        return None
    x, y = ground.x[best].astype(np.float64), ground.y[best].astype(np.float64)
    weight = np.where(np.hypot(x - x[0], y - y[0]) <= REACH, near[best].astype(np.float64), 0.0)
    return float(np.average(x, weights=weight)), float(np.average(y, weights=weight))
