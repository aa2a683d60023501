"""The engine's verbs about the map of the memory plane: make it, read it, put a question on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

from lodmem.care.base import Verbs
from lodmem.errors import BadParameter, ModelUnavailable
from lodmem.plane.basis import Words
from lodmem.plane.heavy import METHODS, outside
from lodmem.plane.maker import OWN, MapMaker, MapState, Tools, placer, state_of
from lodmem.plane.read import MapPositions, positions
from lodmem.ports import Embedder, Progress
from lodmem.ports.basics import Floats
from lodmem.text.tokens import query_terms


class Mapping(Verbs):
    """What of an engine has to do with the map. The places of its landmarks are held in memory once they were needed."""

    _embedder: Embedder | None
    _tools: Tools | None = None
    _tools_lock: threading.Lock

    def make_map(
        self,
        progress: Progress | None = None,
        *,
        rebuild: bool = False,
        method: str | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> MapState:
        """Bring the map up to date: new memories get a place, old ones stay where they are. A new map is made, turned like the
        one before, when there is none, when one is due (`map_state`), with `rebuild`, or by another `method` than the last.

        It can be killed at any time and goes on at the next call. `stop` is asked now and then; True ends it early.

        Raises: BadParameter for an unknown method, ModelUnavailable where its extra is not installed, StoreError.
        """
        self._refuse_read_only()
        wanted = method or OWN
        if wanted != OWN and wanted not in METHODS:
            raise BadParameter(f"there is no method {wanted!r}", hint="one of " + ", ".join((OWN, *METHODS)))
        layout = None if wanted == OWN else outside(wanted)
        before = state_of(self._store).head
        other = method is not None and before is not None and before.method != method
        state = MapMaker(self._store, self._clock, method=wanted, layout=layout).run(
            progress, rebuild=rebuild or other, stop=stop
        )
        if state.head is not None and (before is None or before.version != state.head.version):
            detail: dict[str, object] = {"version": state.head.version, "method": wanted, "memories": state.head.memories}
            self._store.audit(self._entry("map", detail, self._clock.now_us()))
        return state

    def map_state(self) -> MapState:
        """Which map serves, how it grew, and why another is due, if one is."""
        return state_of(self._store)

    def map_size(self) -> tuple[int, int]:
        """Version of the map that serves, 0 without one, and how many memories stand on it."""
        version = next((head.version for head in self._store.map_heads() if head.ready), 0)
        return version, self._store.map_size(version)

    def map_positions(self, *, only: Collection[int] | None = None) -> MapPositions:
        """Where memories stand, all that have a place or `only` these, and what regions are called."""
        return positions(self._store, only=only)

    def place_query(self, vector: Floats) -> tuple[float, float] | None:
        """Where a unit vector of the store's embedding model stands on the map; None: there is no map of vectors, or nothing
        like it on it."""
        tools = self._placing()
        if tools is None or isinstance(tools.basis, Words) or len(vector) != tools.placer.vectors.shape[1]:
            return None
        return tools.placer.point(vector)

    def place_question(self, text: str) -> tuple[float, float] | None:
        """Where a question in words stands on the map, by its meaning or by its words, as the map was made; None as above, or
        where the embedding model cannot be asked."""
        tools = self._placing()
        if tools is None or not text.strip():
            return None
        if isinstance(tools.basis, Words):
            return tools.placer.point(tools.basis.question(query_terms(text)))
        if self._embedder is None or self._embedder.identity.key != tools.head.basis:
            return None
        try:
            return tools.placer.point(self._embedder.embed([text])[0])
        except ModelUnavailable:
            return None

    def _placing(self) -> Tools | None:
        head = next((head for head in self._store.map_heads() if head.ready), None)
        with self._tools_lock:
            if head is None:
                self._tools = None
            elif self._tools is None or self._tools.head.version != head.version:
                self._tools = placer(self._store, head)
            return self._tools
