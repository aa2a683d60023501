"""Columns that grew step by step are those that were made at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lodmem.model.memory import Status, Tier
from lodmem.ports import Row, Usage
from lodmem.scan.columns import SCALARS, Columns, OutOfStep
from tests.scan.made import NOW_US, columns_of, make_row, random_rows, unit


def facts(columns: Columns) -> dict[str, Any]:
    """All that a question can see of what is there."""
    there = np.flatnonzero(columns.alive)
    found: dict[str, Any] = {
        name: getattr(columns, name)[there].tolist()
        for name in SCALARS
        if name not in ("first", "space", "agent", "source", "used")
    }
    names = np.array([*columns.id.tolist(), -1])
    return found | {
        "used": np.round(columns.used[there] + columns.base_us / 86_400_000_000, 1).tolist(),
        "tokens": columns.tokens[there].tolist(),
        "beside": names[columns.beside[there]].tolist(),
        "source": [columns.source_name(row) if columns.source[row] >= 0 else None for row in there.tolist()],
        "vectors": [columns.vectors[columns.memory_of == row].tolist() for row in there.tolist()],
        "tags": [columns.tags_of(row) for row in there.tolist()],
        "living": (columns.living, columns.living_length),
        "source lengths": sorted(columns.source_length[columns.source_length > 0].tolist()),
    }


def changed(row: Row, stream: np.random.Generator) -> Row:
    return replace(
        row, status=Status.STALE, tags=("new",), floors={"": Tier.FULL}, retrieval_count=7, last_retrieved_us=NOW_US,
        passages=tuple((terms, unit(stream, 32)) for terms, _ in row.passages),
    )  # fmt: skip


@pytest.mark.parametrize("longest", [1, 4])
def test_step_by_step_or_at_once(longest: int) -> None:
    rows = random_rows(1, 120, longest=longest)
    stream = np.random.default_rng(2)
    grown = columns_of(rows[:40])
    now = {row.id: row for row in rows[:40]}
    for start in range(40, 120, 16):
        more = rows[start : start + 16]
        again = [changed(now[i], stream) for i in stream.choice(sorted(now), 5, replace=False).tolist()]
        grown.write([*again, *more])
        now |= {row.id: row for row in (*again, *more)}
        gone = stream.choice(sorted(now), 3, replace=False).tolist()
        grown.drop(gone)
        for memory_id in gone:
            del now[memory_id]
        used = int(stream.choice(sorted(now)))
        grown.touch([Usage(id=used, last_retrieved_us=NOW_US + 5, retrieval_count=3, last_tier=Tier.FULL)])
        now[used] = replace(now[used], last_retrieved_us=NOW_US + 5, retrieval_count=3, last_tier=Tier.FULL)
    assert facts(grown) == facts(columns_of([now[i] for i in sorted(now)]))


def test_an_id_below_those_before_is_not_taken() -> None:
    columns = columns_of([make_row(5)])
    with pytest.raises(OutOfStep):
        columns.write([make_row(4)])


def test_other_passages_than_before_are_not_taken() -> None:
    columns = columns_of([make_row(5)])
    with pytest.raises(OutOfStep):
        columns.write([make_row(5, passages=[(("word",), None), (("more",), None)])])
    with pytest.raises(OutOfStep):
        columns.write([make_row(5, passages=[(("word", "more"), None)])])


def test_the_row_of_an_id() -> None:
    columns = columns_of([make_row(3), make_row(8), make_row(9)])
    columns.drop([8])
    assert [columns.row(i) for i in (2, 3, 8, 9, 10)] == [None, 0, None, 2, None]
