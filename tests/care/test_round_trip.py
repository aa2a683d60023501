"""Export, import into an empty store, export again: the same lines, for any store."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import lodmem
from lodmem.engine import Engine
from lodmem.model.memory import Draft
from tests.care.kit import changes, compared, drafts, exported, fill
from tests.conftest import FakeClock, FakeEmbedder

# A store is dear to make, and shrinking makes thousands.
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)


def open_(folder: str, name: str, embedder: FakeEmbedder | str) -> Engine:
    return lodmem.open(Path(folder) / name, embedder=embedder, clock=FakeClock(), background=False, agent="tester")


@pytest.mark.req("R16.13")
@settings(max_examples=12, phases=UNSHRUNK)
@given(
    written=st.lists(drafts(), max_size=10),
    happened=st.lists(changes(), max_size=12),
    embedder=st.sampled_from(["fake", "none"]),
    vectors=st.booleans(),
)
def test_an_empty_store_becomes_the_same(
    written: list[Draft], happened: list[tuple[str, tuple[Any, ...]]], embedder: str, vectors: bool
) -> None:
    model = FakeEmbedder() if embedder == "fake" else "none"
    with tempfile.TemporaryDirectory() as folder, open_(folder, "one.db", model) as one, open_(folder, "two.db", model) as two:
        fill(one._store, written, happened)
        one.drain()
        export = exported(one, vectors=vectors)
        report = two.load(io.BytesIO(export))
        assert (report.failed, report.left_out, report.renumbered, report.known) == (0, {}, 0, 0)
        assert report.added == one.stats().memories
        if vectors:
            assert two.stats().backlog == 0
        two.drain()
        again = exported(two, vectors=vectors)
        assert compared(again) == compared(export)
        assert [line for line in again.splitlines() if b'"type":"audit"' not in line] == [
            line for line in export.splitlines() if b'"type":"audit"' not in line
        ]
        assert two.check() == []
        ids = one._store.ids(limit=99)
        assert two._store.get(ids, agent="ada") == one._store.get(ids, agent="ada")
        assert two.remember("the next one").id == one.remember("the next one").id

        last = two._store.last_change()
        twice = two.load(io.BytesIO(export))
        assert (twice.added, twice.known, twice.failed) == (0, report.added, 0)
        assert two._store.last_change() == last
        assert compared(exported(two, vectors=vectors))[: len(compared(again))][0]["type"] == "lodmem"


@settings(max_examples=8, phases=UNSHRUNK)
@given(
    written=st.lists(drafts(), min_size=1, max_size=8),
    others=st.lists(drafts(), max_size=5),
    happened=st.lists(changes(), max_size=8),
)
def test_another_store_gets_what_is_new_and_keeps_its_own(
    written: list[Draft], others: list[Draft], happened: list[tuple[str, tuple[Any, ...]]]
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_(folder, "one.db", "none") as one,
        open_(folder, "two.db", "none") as two,
    ):
        fill(one._store, written, happened)
        fill(two._store, others, [])
        own = {memory.id: memory for memory in two._store.get(two._store.ids(limit=99))}
        report = two.load(io.BytesIO(exported(one)))
        assert report.failed == 0
        after = {memory.id: memory for memory in two._store.get(two._store.ids(limit=99))}
        assert len(after) == len(own) + report.added
        assert {i: after[i].full for i in own} == {i: memory.full for i, memory in own.items()}
        key = lambda memory: (memory.space, memory.source, memory.content_hash)  # noqa: E731
        theirs = {memory.id: memory for memory in one._store.get(one._store.ids(limit=99))}
        ours = {key(memory): memory for memory in after.values()}
        assert {key(memory) for memory in theirs.values()} <= set(ours)
        for memory in theirs.values():
            if memory.superseded_by is not None and ours[key(memory)].id not in own:
                assert ours[key(memory)].superseded_by == ours[key(theirs[memory.superseded_by])].id
        assert two.check() == []


@settings(max_examples=6, phases=UNSHRUNK)
@given(written=st.lists(drafts(), min_size=3, max_size=10), happened=st.lists(changes(), max_size=8), cut=st.floats(0, 1))
def test_an_interrupted_import_is_run_again(
    written: list[Draft], happened: list[tuple[str, tuple[Any, ...]]], cut: float
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_(folder, "one.db", "none") as one,
        open_(folder, "two.db", "none") as two,
    ):
        fill(one._store, written, happened)
        export = exported(one)
        lines = export.splitlines(keepends=True)
        half = two.load(io.BytesIO(b"".join(lines[: 1 + int(cut * (len(lines) - 2))])))
        assert "cut off" in half.problems[-1].why
        two.load(io.BytesIO(export))
        assert compared(exported(two)) == compared(export)
        assert two.check() == []
