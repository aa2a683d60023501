"""The benchmark of writes at a tiny size."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.data import block

from benchmarks import stores, write
from lodmem.ingest.pipeline import prepare
from lodmem.model.memory import Draft
from lodmem.models.tokenizer import WordPieceCounter
from lodmem.stores.sqlite.store import SqliteStore

ROWS = 40


def test_writes_have_all_their_figures_and_leave_the_store_alone(tmp_path: Path) -> None:
    said: list[str] = []
    found = write.run(tmp_path, ROWS, single=8, many=12, say=said.append)
    assert (found["rows"], found["writes"]) == (ROWS, 8)
    for name in (
        "remember_cpu_ms_p50",
        "remember_wall_ms_p99",
        "remember_many_per_s",
        "remember_many_per_cpu_s",
        "one_write_cpu_ms_p50",
        "one_write_wall_ms_p99",
        "record_use_50_cpu_ms_p50",
    ):
        assert found[name] > 0, name
    with stores.place(tmp_path, ROWS, say=said.append).opened() as engine:
        assert engine.stats().memories == ROWS
    assert [folder.name for folder in tmp_path.iterdir()] == [f"rows-{ROWS}"]
    assert said


def test_merges_are_told_from_other_writes(tmp_path: Path) -> None:
    """FTS5 keeps the number of its segments small, whatever the number of writes."""
    texts = block(0, 80).texts
    with SqliteStore.open(tmp_path / "s.db", now_us=0) as store:
        items = [prepare(Draft(full=text), WordPieceCounter(), now_us=0) for text in texts]
        found = write._one_write(store, items, ROWS)
    assert 0 < found["merges"] < len(items)
    assert 0 < found["segments"] < len(items)
    assert found["merge_cpu_ms_max"] > 0


@pytest.mark.parametrize(("record", "value"), [(b"\x05", 5), (b"\x81\x00", 128), (b"\xff\x7f", 16_383)])
def test_varints(record: bytes, value: int) -> None:
    assert write._varint(record, 0) == (value, len(record))


def test_a_varint_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="structure record"):
        write._varint(b"\xff" * 9, 0)
