"""The benchmark of ingesting at a tiny size, and its section of the page."""

from __future__ import annotations

from pathlib import Path

from benchmarks import ingest, page

ROWS = 20


def test_transcripts_are_read_kept_and_kept_once(tmp_path: Path) -> None:
    said: list[str] = []
    found = ingest.run(tmp_path, ROWS, say=said.append)
    turns = ROWS // ingest.TURN
    assert found["rows"] == ROWS
    # A question, an answer and what was done make three memories a turn; results and attachments none.
    assert [found[f"{name}_memories"] for name in ("dry_run", "ingest", "again")] == [3 * turns] * 3
    assert (found["ingest_added"], found["again_added"]) == (3 * turns, 0)
    for name in ("dry_run", "ingest", "again"):
        assert min(found[f"{name}_rows_per_cpu_s"], found[f"{name}_peak_mb"], found[f"{name}_memories_per_cpu_s"]) > 0
    assert not list(tmp_path.iterdir())
    assert said
    written = page.page({"machine": MACHINE, "versions": {}, "ingest": {str(ROWS): found}})
    assert "## Ingest" in written
    assert "kept again" in written


MACHINE = {"cpu": "a processor", "cores": 2, "memory_gb": 4, "python": "3.11", "load": 0.1}
