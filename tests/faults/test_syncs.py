"""What an acknowledged write costs on the disk: one sync, counted where SQLite asks for it."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from disk import Call, Tape
from soak import SOAK

import lodmem

MEMORIES = 1000 if SOAK else 250
CHECKPOINT_SYNCS = 4  # the log before, the file, the log's new header, the commit itself


def works_on_a_checkpoint(calls: list[Call]) -> bool:
    """Whether a write moved the log into the file, or began it anew after that."""
    return any(not call.file.endswith("-wal") or (call.kind == "write" and call.at == 0) for call in calls)


def test_one_sync_a_commit(folder: Path, record_property: pytest.RecordProperty) -> None:
    with Tape().mounted() as tape, lodmem.open(folder / "store.lod", embedder="none", background=False) as engine:
        for n in range(MEMORIES):
            tape.calls.clear() if n == 0 else tape.note(f"after {n}")
            engine.remember(f"The {n}th of many short texts about nothing at all, written one after the other.")
        calls = list(tape.calls)
    writes = [list(group) for kind, group in groupby(calls, key=lambda call: call.kind == "note") if not kind]
    assert len(writes) == MEMORIES
    plain = [write for write in writes if not works_on_a_checkpoint(write)]
    moving = [write for write in writes if works_on_a_checkpoint(write)]
    assert {sum(call.kind == "sync" for call in write) for write in plain} == {1}
    assert all(write[-1].kind == "sync" for write in plain), "a write that is not synced was acknowledged"
    assert moving, "too few writes for a checkpoint"
    assert all(sum(call.kind == "sync" for call in write) <= CHECKPOINT_SYNCS for write in moving)
    record_property("syncs of a commit outside checkpoints", 1)
    record_property("commits that moved or began the log", f"{len(moving)} of {MEMORIES}")
    written = sum(len(call.data) for write in plain for call in write)
    record_property("bytes to the log for a memory of 15 words", round(written / len(plain)))


def test_many_at_once_are_one_sync(folder: Path) -> None:
    with Tape().mounted() as tape, lodmem.open(folder / "store.lod", embedder="none", background=False) as engine:
        tape.calls.clear()
        engine.remember_many(lodmem.Draft(full=f"text {n}", space="main", agent="default") for n in range(50))
        assert [call.kind for call in tape.calls].count("sync") == 1
