"""The store's part that keeps the map of the memory plane."""

from __future__ import annotations

from collections.abc import Sequence

from lodmem.model.plane import Cluster, MapGrowth, MapHead
from lodmem.ports.basics import Floats
from lodmem.ports.mapped import Ids, Places
from lodmem.stores.sqlite import plane
from lodmem.stores.sqlite.core import Core


class MapKeeping(Core):
    """Each method is one snapshot or one transaction."""

    def map_heads(self) -> list[MapHead]:
        with self._readers.snapshot() as conn:
            return plane.heads(conn)

    def begin_map(self, head: MapHead, landmarks: Places) -> bool:
        with self._writer.transaction() as conn:
            return plane.begin(conn, head, landmarks)

    def put_places(self, version: int, places: Places) -> bool:
        with self._writer.transaction() as conn:
            return plane.put(conn, version, places)

    def finish_map(self, version: int, clusters: Sequence[Cluster], *, near: float) -> bool:
        with self._writer.transaction() as conn:
            return plane.finish(conn, version, clusters, near)

    def places(self, version: int, *, landmarks: bool = False, after: int = 0) -> Places:
        with self._readers.snapshot() as conn:
            return plane.places(conn, version, landmarks=landmarks, after=after)

    def unplaced(self, version: int, basis: str, *, after: int = 0, limit: int) -> list[int]:
        with self._readers.snapshot() as conn:
            return plane.unplaced(conn, version, basis, after=after, limit=limit)

    def map_size(self, version: int) -> int:
        with self._readers.snapshot() as conn:
            return plane.size(conn, version)

    def map_growth(self, version: int, basis: str) -> MapGrowth:
        with self._readers.snapshot() as conn:
            return plane.growth(conn, version, basis)

    def clusters(self, version: int) -> list[Cluster]:
        with self._readers.snapshot() as conn:
            return plane.clusters(conn, version)

    def put_clusters(self, version: int, clusters: Sequence[Cluster]) -> None:
        with self._writer.transaction() as conn:
            plane.put_clusters(conn, version, clusters)

    def meanings(self, ids: Sequence[int]) -> tuple[Ids, Floats]:
        with self._readers.snapshot() as conn:
            return plane.meanings(conn, ids)

    def term_lists(self, ids: Sequence[int]) -> dict[int, list[str]]:
        with self._readers.snapshot() as conn:
            return plane.term_lists(conn, ids)
