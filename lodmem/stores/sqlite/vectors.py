"""Which vectors of the active model cannot be right, found by reading all of them."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import numpy as np

from lodmem.stores.sqlite.models import active_dims, active_model, model_number

UNIT_WITHIN = 1e-3
_AT_ONCE = 4096
_COUNTS = (
    "SELECT memory_id, count(*) AS have, (SELECT count(*) FROM passage p WHERE p.memory_id = v.memory_id) AS want"
    " FROM vector v WHERE model_id = ? GROUP BY memory_id HAVING have <> want ORDER BY memory_id"
)
_Row = tuple[int, bytes, bytes | None]


def broken(conn: apsw.Connection) -> Iterator[tuple[int, str]]:
    """(memory, what is wrong), a memory once or several times."""
    model = model_number(conn, active_model(conn))
    if not model:
        return
    for memory_id, have, want in conn.execute(_COUNTS, (model,)):
        yield memory_id, f"{have} vectors for {want} passages"
    dims = active_dims(conn)
    rows = conn.execute("SELECT memory_id, own, joint FROM vector WHERE model_id = ? ORDER BY id", (model,))
    while page := [row for _, row in zip(range(_AT_ONCE), rows, strict=False)]:
        yield from _of_page(page, dims)


def _of_page(page: list[_Row], dims: int) -> Iterator[tuple[int, str]]:
    whole: list[_Row] = []
    for row in page:
        lengths = {len(blob) for blob in row[1:] if blob is not None}
        if lengths == {dims * 4}:
            whole.append(row)
        else:
            yield row[0], f"a vector of {min(lengths - {dims * 4}) // 4} numbers, the model gives {dims}"
    if not whole:
        return
    ids = np.array([row[0] for row in whole])
    own = np.frombuffer(b"".join(row[1] for row in whole), "<f4").reshape(len(whole), dims).astype(np.float64)
    joint = np.frombuffer(b"".join(row[2] or row[1] for row in whole), "<f4").reshape(len(whole), dims)
    finite = np.isfinite(own).all(axis=1) & np.isfinite(joint).all(axis=1)
    for memory_id in ids[~finite].tolist():
        yield memory_id, "a vector that is not finite"
    lengths_of = np.linalg.norm(own[finite], axis=1)
    off = np.abs(lengths_of - 1.0) > UNIT_WITHIN
    for memory_id, length in zip(ids[finite][off].tolist(), lengths_of[off].tolist(), strict=True):
        yield memory_id, f"a vector of length {length:.3f}, not 1"


def unqueued(conn: apsw.Connection, task: str) -> list[int]:
    """Memories without vectors of the active model that nobody will embed."""
    model = model_number(conn, active_model(conn))
    found = conn.execute(
        "SELECT id FROM memory m WHERE ?1 AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.memory_id = m.id AND v.model_id = ?1)"
        " AND NOT EXISTS (SELECT 1 FROM work w WHERE w.memory_id = m.id AND w.task = ?2) ORDER BY id",
        (model, task),
    )
    return [i for (i,) in found]
