"""Maps, places and clusters as rows; and what a place is made from: vectors and index terms."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import apsw
import numpy as np

from lodmem.model.plane import WORDS, Cluster, MapGrowth, MapHead
from lodmem.ports.basics import Floats
from lodmem.ports.mapped import Ids, Places
from lodmem.stores.sqlite.ids import IN_IDS, as_json, existing
from lodmem.stores.sqlite.models import active_dims, active_model, model_number

TERMS_CHARS = 2000
TERMS_PASSAGES = 8
_AT_ONCE = 8192
_FIELDS = "memory_id, x, y, fine, coarse, near, landmark"
_COLUMNS = (np.int64, np.float32, np.float32, np.uint16, np.uint16, np.float32, np.bool_)
_PLACE = f"INSERT OR IGNORE INTO place ({_FIELDS}, version, late) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


def heads(conn: apsw.Connection) -> list[MapHead]:
    """The maps by version."""
    found = conn.execute("SELECT version, ready, basis, method, seed, made_us, memories, near FROM map ORDER BY version")
    return [
        MapHead(version=v, ready=bool(ready), basis=basis, method=method, seed=seed, made_us=us, memories=count, near=near)
        for v, ready, basis, method, seed, us, count, near in found
    ]


def begin(conn: apsw.Connection, head: MapHead, landmarks: Places) -> bool:
    """A map in the making, the only one."""
    if head.version <= (conn.execute("SELECT max(version) FROM map").get or 0):
        return False
    drop(conn, [version for (version,) in conn.execute("SELECT version FROM map WHERE NOT ready")])
    conn.execute(
        "INSERT INTO map VALUES (?, 0, ?, ?, ?, ?, ?, ?)",
        (head.version, head.basis, head.method, head.seed, head.made_us, head.memories, head.near),
    )
    return put(conn, head.version, landmarks)


def drop(conn: apsw.Connection, versions: Sequence[int]) -> None:
    """Take maps away with all that is on them."""
    for version in versions:
        conn.execute("DELETE FROM place WHERE version = ?", (version,))
        conn.execute("DELETE FROM map WHERE version = ?", (version,))


def put(conn: apsw.Connection, version: int, places: Places) -> bool:
    """Places that are not there yet, of memories that are."""
    ready = conn.execute("SELECT ready FROM map WHERE version = ?", (version,)).get
    if ready is None:
        return False
    there = np.isin(places.ids, existing(conn, places.ids.tolist()))
    columns = [column[there].tolist() for column in _columns_of(places)]
    conn.executemany(_PLACE, ((*row, version, int(ready)) for row in zip(*columns, strict=True)))
    return True


def _columns_of(places: Places) -> tuple[np.ndarray, ...]:
    landmark = places.landmark.astype(np.int64)
    return places.ids, places.x, places.y, places.fine, places.coarse, places.near, landmark


def finish(conn: apsw.Connection, version: int, clusters: Sequence[Cluster], near: float) -> bool:
    """The map serves, older ones go."""
    conn.execute("UPDATE map SET ready = 1, near = ? WHERE version = ?", (near, version))
    if not conn.changes():
        return False
    drop(conn, [old for (old,) in conn.execute("SELECT version FROM map WHERE version < ?", (version,))])
    put_clusters(conn, version, clusters)
    return True


def places(conn: apsw.Connection, version: int, *, landmarks: bool, after: int = 0) -> Places:
    """Columns by rising id."""
    only = " AND landmark" if landmarks else ""
    rows = conn.execute(
        f"SELECT {_FIELDS} FROM place WHERE version = ? AND memory_id > ?{only} ORDER BY memory_id", (version, after)
    )
    parts: list[list[Any]] = [[np.empty(0, kind)] for kind in _COLUMNS]
    while page := list(islice(rows, _AT_ONCE)):
        for part, column, kind in zip(parts, zip(*page, strict=True), _COLUMNS, strict=True):
            part.append(np.array(column, kind))
    ids, x, y, fine, coarse, near, landmark = (np.concatenate(part) for part in parts)
    return Places(ids=ids, x=x, y=y, fine=fine, coarse=coarse, near=near, landmark=landmark)


_UNPLACED = " FROM memory m WHERE m.id > ?1 AND NOT EXISTS (SELECT 1 FROM place p WHERE p.memory_id = m.id AND p.version = ?2)"
_EMBEDDED = " AND EXISTS (SELECT 1 FROM vector v WHERE v.memory_id = m.id AND v.n = 0 AND v.model_id = ?3)"


def _unplaced(conn: apsw.Connection, version: int, basis: str, after: int) -> tuple[str, tuple[int, ...]]:
    if basis == WORDS:
        return _UNPLACED, (after, version)
    return _UNPLACED + _EMBEDDED, (after, version, model_number(conn, basis))


def unplaced(conn: apsw.Connection, version: int, basis: str, *, after: int, limit: int) -> list[int]:
    """Ids, rising, that could be placed."""
    sql, bind = _unplaced(conn, version, basis, after)
    return [i for (i,) in conn.execute(f"SELECT m.id{sql} ORDER BY m.id LIMIT {int(limit)}", bind)]


def size(conn: apsw.Connection, version: int) -> int:
    """Memories on a map."""
    return int(conn.execute("SELECT count(*) FROM place WHERE version = ?", (version,)).get)


def growth(conn: apsw.Connection, version: int, basis: str) -> MapGrowth:
    """Counts, and the median of the latecomers."""
    sql, bind = _unplaced(conn, version, basis, 0)
    late = int(conn.execute("SELECT count(*) FROM place WHERE version = ? AND late", (version,)).get)
    middle = conn.execute(
        "SELECT near FROM place WHERE version = ? AND late ORDER BY near LIMIT 1 OFFSET ?", (version, late // 2)
    ).get
    return MapGrowth(
        placed=size(conn, version),
        late=late,
        late_near=float(middle or 0.0),
        waiting=int(conn.execute(f"SELECT count(*){sql}", bind).get),
    )


def clusters(conn: apsw.Connection, version: int) -> list[Cluster]:
    """Coarse ones first, by number."""
    found = conn.execute(
        "SELECT coarse, n, parent, label, x, y, size FROM cluster WHERE version = ? ORDER BY coarse DESC, n",
        (version,),
    )
    return [
        Cluster(coarse=bool(coarse), number=number, group=parent, label=label, x=x, y=y, size=size)
        for coarse, number, parent, label, x, y, size in found
    ]


def put_clusters(conn: apsw.Connection, version: int, clusters: Sequence[Cluster]) -> None:
    """In the place of those that were there."""
    if conn.execute("SELECT 1 FROM map WHERE version = ?", (version,)).get is None:
        return
    conn.execute("DELETE FROM cluster WHERE version = ?", (version,))
    conn.executemany(
        "INSERT INTO cluster VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((version, int(c.coarse), c.number, c.group, c.label, c.x, c.y, c.size) for c in clusters),
    )


def forget(conn: apsw.Connection, ids: Sequence[int]) -> None:
    """Names of the clusters that memories stand in may be made of their words: they go. Places go with the memories."""
    for coarse, column in ((0, "fine"), (1, "coarse")):
        conn.execute(
            f"UPDATE cluster SET label = '', size = 0 WHERE coarse = {coarse} AND (version, n) IN"
            f" (SELECT version, {column} FROM place WHERE memory_id {IN_IDS})",
            (as_json(ids),),
        )


def meanings(conn: apsw.Connection, ids: Sequence[int]) -> tuple[Ids, Floats]:
    """Unit means of own vectors, read as a stream."""
    model, dims = model_number(conn, active_model(conn)), active_dims(conn)
    wanted = np.unique(np.array(ids, np.int64))
    sums = np.zeros((len(wanted), dims), np.float32)
    rows = conn.execute(
        f"SELECT memory_id, own FROM vector WHERE memory_id {IN_IDS} AND model_id = ?2 ORDER BY memory_id, n",
        (as_json(ids), model),
    )
    while page := list(islice(rows, _AT_ONCE)):
        owners = np.array([row[0] for row in page], np.int64)
        own = np.frombuffer(b"".join(row[1] for row in page), "<f4").reshape(len(page), dims)
        starts = np.flatnonzero(np.concatenate(([True], owners[1:] != owners[:-1])))
        sums[np.searchsorted(wanted, owners[starts])] += np.add.reduceat(own, starts, axis=0)
    lengths = np.linalg.norm(sums, axis=1)
    there = lengths > 0
    return wanted[there], sums[there] / lengths[there, None]


def term_lists(conn: apsw.Connection, ids: Sequence[int]) -> dict[int, list[str]]:
    """Terms of the first passages."""
    found: dict[int, list[str]] = {i: [] for i in existing(conn, ids)}
    rows = conn.execute(
        f"SELECT memory_id, substr(terms, 1, {TERMS_CHARS}) FROM passage WHERE memory_id {IN_IDS} AND n < {TERMS_PASSAGES}"
        " ORDER BY memory_id, n",
        (as_json(ids),),
    )
    for memory_id, terms in rows:
        found[memory_id] += terms.split()
    return found
