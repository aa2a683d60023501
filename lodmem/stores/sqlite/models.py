"""Vectors and the models they come from: put, find what is missing, choose the active one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import apsw
import numpy as np

from lodmem.errors import BadParameter
from lodmem.ports import EmbedderIdentity, EmbedInput, Floats, Vectors
from lodmem.stores.sqlite.connection import last_change
from lodmem.stores.sqlite.ids import IN_IDS, as_json, existing
from lodmem.stores.sqlite.log import What, log_changes
from lodmem.stores.sqlite.neighbours import predecessor


def identity(conn: apsw.Connection) -> str:
    """The store's own name."""
    name: str = conn.execute("SELECT value FROM meta WHERE name = 'store'").get
    return name


def active_model(conn: apsw.Connection) -> str:
    """Key of the active model, '' without one."""
    key: str | None = conn.execute("SELECT value FROM meta WHERE name = 'active_model'").get
    return key or ""


def model_number(conn: apsw.Connection, key: str) -> int:
    """The number that stands for a model in the file, 0 where it has none."""
    number: int | None = conn.execute("SELECT id FROM model WHERE key = ?", (key,)).get
    return number or 0


def put_vectors(conn: apsw.Connection, model_key: str, vectors: Sequence[Vectors]) -> None:
    """Replace the vectors of each memory that is still there; of one given twice the last ones stay."""
    conn.execute("INSERT INTO model (key) VALUES (?) ON CONFLICT DO NOTHING", (model_key,))
    model = model_number(conn, model_key)
    counts = dict(
        conn.execute(
            f"SELECT memory_id, count(*) FROM passage WHERE memory_id {IN_IDS} GROUP BY memory_id",
            (as_json(v.id for v in vectors),),
        )
    )
    there = list({v.id: v for v in vectors if v.id in counts}.values())
    for v in there:
        _check_shape(v, counts[v.id])
    conn.executemany("DELETE FROM vector WHERE memory_id = ? AND model_id = ?", ((v.id, model) for v in there))
    conn.executemany(
        "INSERT INTO vector (memory_id, n, model_id, own, joint) VALUES (?, ?, ?, ?, ?)",
        ((v.id, n, model, *_blobs(v.own[n], v.joint[n])) for v in there for n in range(counts[v.id])),
    )
    if model_key == active_model(conn):
        log_changes(conn, [v.id for v in there], What.WRITTEN)


def _check_shape(vectors: Vectors, passages: int) -> None:
    own, joint = vectors.own.shape, vectors.joint.shape
    if own != joint or len(own) != 2 or own[0] != passages:
        raise BadParameter(f"memory #{vectors.id} has {passages} passages, but vectors of shape {own} and {joint} came")


def _blobs(own: Floats, joint: Floats) -> tuple[bytes, bytes | None]:
    own_bytes = np.ascontiguousarray(own, dtype="<f4").tobytes()
    joint_bytes = np.ascontiguousarray(joint, dtype="<f4").tobytes()
    return own_bytes, None if joint_bytes == own_bytes else joint_bytes


class Missing:
    """Finds memories without vectors, and remembers below which id none is missing.

    A new index over a million memories is filled by asking many times for the next few; without a memory of where the last
    answer began, each question would walk over everything that is done. Whoever takes vectors away logs a change for their
    memory, so the change log tells when to look further back again.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}  # model key -> (change number, nothing missing up to this id)

    def ids(self, conn: apsw.Connection, model_key: str, *, limit: int) -> list[int]:
        """Ids, rising, of memories with no vectors of this model."""
        last = last_change(conn)
        upto = self._upto(conn, model_key)
        found = conn.execute(
            "SELECT id FROM memory m WHERE id > ?"
            " AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.memory_id = m.id AND v.model_id = ?) ORDER BY id LIMIT ?",
            (upto, model_number(conn, model_key), limit),
        )
        ids = [i for (i,) in found]
        if ids:
            self._known[model_key] = (last, ids[0] - 1)
        return ids

    def _upto(self, conn: apsw.Connection, model_key: str) -> int:
        seq, upto = self._known.get(model_key, (0, 0))
        if upto and seq < (conn.execute("SELECT min(seq) FROM change").get or 0) - 1:
            return 0
        written = "SELECT min(memory_id) FROM change WHERE seq > ? AND what = ?"
        lowest: int | None = conn.execute(written, (seq, int(What.WRITTEN))).get if upto else None
        return upto if lowest is None else min(upto, lowest - 1)


def activate_model(conn: apsw.Connection, identity: EmbedderIdentity | None) -> None:
    """Keep only the vectors of this model and say that every row has changed."""
    key = "" if identity is None else identity.key
    facts = "{}" if identity is None else json.dumps(asdict(identity))
    conn.executemany(
        "INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
        [("active_model", key), ("active_identity", facts)],
    )
    if identity is not None:
        conn.execute("INSERT INTO model (key) VALUES (?) ON CONFLICT DO NOTHING", (key,))
    conn.execute("DELETE FROM vector WHERE model_id <> ?", (model_number(conn, key),))
    conn.execute("DELETE FROM model WHERE key <> ?", (key,))
    log_changes(conn, [i for (i,) in conn.execute("SELECT id FROM memory ORDER BY id")], What.WRITTEN)


def active_dims(conn: apsw.Connection) -> int:
    """Length of the active model's vectors, 0 without one."""
    facts: str | None = conn.execute("SELECT value FROM meta WHERE name = 'active_identity'").get
    return int(json.loads(facts or "{}").get("dims", 0))


def calibration(conn: apsw.Connection) -> tuple[float, float] | None:
    """The store's own c0 and c1 for the active model."""
    kept: str | None = conn.execute("SELECT value FROM meta WHERE name = 'calibration'").get
    facts = json.loads(kept or "{}")
    key = active_model(conn)
    return (facts["c0"], facts["c1"]) if key and facts.get("model") == key else None


def set_calibration(conn: apsw.Connection, clip: tuple[float, float] | None) -> None:
    """Keep or forget c0 and c1 for the active model."""
    key = active_model(conn)
    if clip is None:
        conn.execute("DELETE FROM meta WHERE name = 'calibration'")
        return
    if not key:
        raise BadParameter("the store has no embedding model to calibrate", hint="lodmem reindex --embedder minilm")
    c0, c1 = clip
    if not -1.0 <= c0 < c1 <= 1.0:
        raise BadParameter(f"c0 and c1 must be cosines, c0 the lower one, got {c0!r} and {c1!r}", hint="e.g. 0.05 and 0.7")
    conn.execute(
        "INSERT INTO meta VALUES ('calibration', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
        (json.dumps({"model": key, "c0": float(c0), "c1": float(c1)}),),
    )


def embed_inputs(conn: apsw.Connection, ids: Sequence[int]) -> list[EmbedInput]:
    """What embedding needs, in the order of `ids`."""
    there = set(existing(conn, ids))
    return [_embed_input(conn, i) for i in ids if i in there]


def _embed_input(conn: apsw.Connection, memory_id: int) -> EmbedInput:
    full, spans = _text(conn, memory_id)
    before = predecessor(conn, memory_id) if len(spans) == 1 else None
    context = None
    if before is not None:
        text, its_spans = _text(conn, before)
        context = text if len(its_spans) == 1 else None
    return EmbedInput(id=memory_id, passages=tuple(full[start:stop] for start, stop in spans), predecessor=context)


def _text(conn: apsw.Connection, memory_id: int) -> tuple[str, list[tuple[int, int]]]:
    full: str = conn.execute("SELECT full FROM memory WHERE id = ?", (memory_id,)).get
    return full, list(conn.execute("SELECT start, stop FROM passage WHERE memory_id = ? ORDER BY n", (memory_id,)))
