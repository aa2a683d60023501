"""Makes the map and keeps it up to date: new memories find their place, old ones stay, until a new map is asked for or due.

A new map is laid out for some thousand landmarks in memory and then filled batch by batch, each durable; the one before serves
until it is complete. A killed run is taken up by the next, by whatever process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lodmem.model.plane import WORDS, MapGrowth, MapHead
from lodmem.plane.basis import Basis, Meaning, Words
from lodmem.plane.build import Layout, build
from lodmem.plane.chance import draw
from lodmem.plane.naming import named
from lodmem.plane.placer import Placer
from lodmem.ports import Clock, Progress, Store
from lodmem.ports.mapped import Ids, Places, only

LANDMARKS = 4000
BATCH = 4096
DOUBLED = 2.0
FALLEN = 0.8  # of the nearness that the map was made with
ENOUGH = 50  # latecomers that tell whether it has fallen
OWN = "landmarks"
_ALL = 2**31 - 1
_RENAME = 0.1  # of the memories came since clusters were named
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MapState:
    """`head`: the map that serves, None without one. `making`: one that is being made, and how many are on it. `due`: why a
    new map should be made, '' when it need not be."""

    head: MapHead | None
    growth: MapGrowth
    making: tuple[MapHead, int] | None
    due: str


def state_of(store: Store) -> MapState:
    """What there is of a map, and whether another is due."""
    basis = store.active_model()
    serving, unfinished = _heads(store)
    growth = store.map_growth(serving.version if serving else 0, basis)
    making = None if unfinished is None else (unfinished, store.map_growth(unfinished.version, basis).placed)
    return MapState(head=serving, growth=growth, making=making, due=_due(serving, growth, basis))


def _heads(store: Store) -> tuple[MapHead | None, MapHead | None]:
    heads = store.map_heads()
    return next((h for h in heads if h.ready), None), next((h for h in reversed(heads) if not h.ready), None)


def _due(head: MapHead | None, growth: MapGrowth, basis: str) -> str:
    if head is None:
        return "there is none yet" if growth.waiting else ""
    if head.basis != basis:
        return "it was made from words" if head.basis == WORDS else "it was made with another embedding model"
    if growth.placed + growth.waiting >= DOUBLED * max(head.memories, 1):
        return f"it was made for {head.memories:,} memories, now there are {growth.placed + growth.waiting:,}"
    if growth.late >= ENOUGH and growth.late_near < FALLEN * head.near:
        return "what came since is unlike what it was made for"
    return ""


class MapMaker:
    """Brings a store's map up to date. `layout` with its `method`'s name: another one than our own for landmarks."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        seed: int = 0,
        landmarks: int = LANDMARKS,
        method: str = OWN,
        layout: Layout | None = None,
    ) -> None:
        self._store, self._clock = store, clock
        self._seed, self._landmarks = seed, landmarks
        self._method, self._layout = method, layout

    def run(
        self, progress: Progress | None = None, *, rebuild: bool = False, stop: Callable[[], bool] | None = None
    ) -> MapState:
        """Place what is new, on a new map where one is due or asked for. `stop` is asked between batches: True ends the run
        early, and the next goes on. Raises StoreError."""
        for _ in range(_ATTEMPTS):
            state = state_of(self._store)
            fresh = state.making is not None or rebuild or bool(state.due)
            if not fresh and not state.growth.waiting and self._is_named(state.head):
                return state
            head = self._head(state, progress) if fresh else state.head
            if head is None or self._fill(head, progress, stop):
                return state_of(self._store)
        return state_of(self._store)

    def _head(self, state: MapState, progress: Progress | None) -> MapHead | None:
        """The map to fill: the unfinished one where it is of this kind, else a new one. None: another process was first."""
        basis = self._store.active_model()
        if state.making is not None and (state.making[0].basis, state.making[0].method) == (basis, self._method):
            return state.making[0]
        return self._begun(state.head, basis, progress)

    def _begun(self, serving: MapHead | None, basis: str, progress: Progress | None = None) -> MapHead | None:
        store = self._store
        ids = np.array(store.unplaced(0, basis, limit=_ALL), np.int64)
        chosen = draw(ids, self._landmarks, self._seed)
        there, vectors = _basis(store, basis, chosen).vectors(chosen.tolist())
        before = None if serving is None else store.places(serving.version)
        tell = None if progress is None else lambda share: progress(int(share * len(chosen)), len(ids))
        places = build(there, vectors, seed=self._seed, before=before, layout=self._layout, tell=tell)
        head = MapHead(
            version=1 + max((h.version for h in store.map_heads()), default=0),
            ready=False,
            basis=basis,
            method=self._method,
            seed=self._seed,
            made_us=self._clock.now_us(),
            memories=len(ids),
            near=float(np.median(places.near)) if len(places) else 0.0,
        )
        return head if store.begin_map(head, places) else self._begun_by_others()

    def _begun_by_others(self) -> MapHead | None:
        return _heads(self._store)[1]

    def _fill(self, head: MapHead, progress: Progress | None, stop: Callable[[], bool] | None) -> bool:
        """Place all that waits and name the clusters; False: the map went away meanwhile, begin again."""
        store = self._store
        growth = store.map_growth(head.version, head.basis)
        done, total = growth.placed, growth.placed + growth.waiting
        tools = placer(store, head) if growth.waiting else None
        if growth.waiting and tools is None:
            return self._lost_all(head)
        after, added = 0, 0
        while tools is not None and (ids := store.unplaced(head.version, head.basis, after=after, limit=BATCH)):
            if stop is not None and stop():
                return True
            if not store.put_places(head.version, tools.place(ids)):
                return False
            after, added = ids[-1], added + len(ids)
            if progress is not None:
                progress(done + added, max(total, done + added))
        return self._named(head, added)

    def _named(self, head: MapHead, added: int) -> bool:
        store = self._store
        if not head.ready:
            places = store.places(head.version)
            others = places.near[~places.landmark]
            near = float(np.median(others)) if len(others) else head.near
            return store.finish_map(head.version, named(store, places, seed=head.seed), near=near)
        if added and self._is_named(head):
            known = sum(cluster.size for cluster in store.clusters(head.version) if cluster.coarse)
            if store.map_growth(head.version, head.basis).placed < (1 + _RENAME) * known:
                return True
        store.put_clusters(head.version, named(store, store.places(head.version), seed=head.seed))
        return True

    def _is_named(self, head: MapHead | None) -> bool:
        """Whether no cluster lost its name to a memory that was forgotten."""
        return head is None or all(cluster.size for cluster in self._store.clusters(head.version))

    def _lost_all(self, head: MapHead) -> bool:
        """Every landmark was forgotten: an unfinished map makes way, a serving one is followed by a new one."""
        return self._begun(head if head.ready else None, head.basis) is None


@dataclass(frozen=True, slots=True)
class Tools:
    """What puts memories and questions on one map."""

    head: MapHead
    basis: Basis
    placer: Placer

    def place(self, ids: list[int]) -> Places:
        """Places of those of the memories that are there."""
        there, vectors = self.basis.vectors(ids)
        return self.placer.place(there, vectors)


def placer(store: Store, head: MapHead) -> Tools | None:
    """What places memories on this map, in any process; None when it has no landmark."""
    places = store.places(head.version, landmarks=True)
    basis = _basis(store, head.basis, places.ids)
    there, vectors = basis.vectors(places.ids.tolist())
    if not len(there):
        return None
    return Tools(head, basis, Placer(only(places, np.isin(places.ids, there)), vectors, head.seed))


def _basis(store: Store, key: str, landmarks: Ids) -> Basis:
    return Words(store, landmarks.tolist()) if key == WORDS else Meaning(store)
