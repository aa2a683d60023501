"""Processes beside this one: they make what this one would, and nothing depends on their staying alive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lodmem.errors import BadParameter
from lodmem.ingest.beside import Beside
from lodmem.ingest.building import Here
from lodmem.ingest.pipeline import Admitted, admit
from lodmem.model.memory import Draft, Kind, Source
from lodmem.models.tokenizer import WordPieceCounter
from tests.conftest import FakeClock, MakeEngine

from .kit import write_rows

NOW = 1_700_000_000_000_000
TEXTS = (
    "user: The harbour office asked for the plan of the new pier.",
    "assistant: Use `make web` first.\n\n- then look at the page\n- then commit\n\nNothing else has to be done today, I think.",
    "Die Brücke wird im März gesperrt. 港の図面を送った。",
    "The tide table says 4:12, 10:37 and 16:51. " * 40,
)


def batches() -> Iterator[list[Admitted]]:
    for number in range(6):
        yield [
            admit(
                Draft(
                    full=f"{text} {number}-{at}",
                    space="main",
                    agent="ada",
                    kind=Kind.SEMANTIC if at % 3 else Kind.EPISODIC,
                    created_us=None if at % 2 else NOW - at,
                    source=Source("a", "s", at),
                    meta={"line": at},
                )
            )
            for at, text in enumerate(TEXTS)
        ]


def test_they_make_what_this_process_makes_in_order() -> None:
    counter = WordPieceCounter()
    expected = [Here(counter).begin(batch, now_us=NOW)() for batch in batches()]
    with Beside(counter, 2) as beside:
        built = [beside.begin(batch, now_us=NOW) for batch in batches()]
        assert beside.begin([], now_us=NOW)() == []
        assert [each() for each in built] == expected


def test_what_killed_ones_did_not_make_is_made_here() -> None:
    counter = WordPieceCounter()
    expected = [Here(counter).begin(batch, now_us=NOW)() for batch in batches()]
    with Beside(counter, 2) as beside:
        first = beside.begin(next(batches()), now_us=NOW)
        assert first() == expected[0]
        built = [beside.begin(batch, now_us=NOW) for batch in batches()]
        for process in beside.processes:
            process.kill()
        assert [each() for each in built] == expected
        assert [beside.begin(batch, now_us=NOW)() for batch in batches()] == expected


@pytest.mark.req("R5.20")
def test_a_store_is_the_same_with_them(make_engine: MakeEngine, clock: FakeClock, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    texts = [f"Box {n} was carried to the pier by whoever was there, before it rained for {n} hours." for n in range(700)]
    write_rows(rows, *({"text": "" if n == 333 else text, "id": n} for n, text in enumerate(texts)))
    kept, done = [], []
    for jobs in (0, 2):
        engine = make_engine(tmp_path / f"{jobs}.db")
        report = engine.ingest(rows, jobs=jobs, progress=lambda now, whole: done.append((now, whole)))
        again = engine.ingest(rows, jobs=jobs)
        assert (report.added, report.problem_count, again.added, again.unchanged) == (699, 1, 0, 699)
        kept.append(engine.expand(*range(1, 700), touch=False))
    assert kept[0] == kept[1]
    assert done[: len(done) // 2] == done[len(done) // 2 :]
    assert done[-1] == (700, 700)


def test_there_are_not_fewer_than_none_nor_very_many(make_engine: MakeEngine, tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", {"text": "one"})
    for jobs in (-1, 33):
        with pytest.raises(BadParameter, match="jobs"):
            make_engine().ingest(tmp_path / "rows.jsonl", jobs=jobs)
