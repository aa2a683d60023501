"""Columns kept beside the store: opened instead of made, followed by the change log, cleared of what was forgotten."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from lodmem.config import Settings
from lodmem.engine import Engine
from lodmem.model.memory import Draft, Passage, Source
from lodmem.ports import Row
from lodmem.scan import scan as module
from lodmem.scan import sidefile
from lodmem.scan.keeping import beside
from lodmem.scan.scan import Scan
from lodmem.stores.sqlite.store import SqliteStore
from lodmem.wiring import open_engine
from tests.conftest import FakeEmbedder, MakeEngine

SECRET = "zanzibarquartz"


@pytest.fixture(autouse=True)
def saved_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAVE_AT", 20)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def whole_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each reading of all rows of a store."""
    reads: list[int] = []
    real = SqliteStore.rows

    def counted(self: SqliteStore, ids: Sequence[int] | None = None) -> Iterator[Row]:
        if ids is None:
            reads.append(1)
        return real(self, ids)

    monkeypatch.setattr(SqliteStore, "rows", counted)
    return reads


def fill(engine: Engine, count: int, first: int = 0) -> None:
    words = ["tea", "coffee", "garden", "tomato", "harbour", "launch", "deploy", "token", "session", "fish"]
    engine.remember_many(
        Draft(
            full=f"{words[n % 10]} {words[n * 7 % 10]} note {n}." + (" It goes on about that." * 40 if n % 9 == 0 else ""),
            source=Source("chat", f"s{n % 5}", n),
            tags=(f"t{n % 3}",),
        )
        for n in range(first, first + count)
    )
    engine.drain()


def answers(engine: Engine) -> list[tuple[int, float]]:
    looks = [engine.search(text, k=30, touch=False) for text in ("tea in the garden", "launch token 7", SECRET)]
    looks.append(engine.search("fish", tags=["t1"], touch=False))
    return [(view.id, view.score) for look in looks for view in look.views]


def test_the_second_opening_reads_no_row_of_the_store(make_engine: MakeEngine, path: Path, whole_reads: list[int]) -> None:
    first = make_engine(path)
    fill(first, 60)
    before = answers(first)
    first.close()
    assert beside(path).exists()
    assert whole_reads == [1]
    second = make_engine(path)
    assert answers(second) == before
    assert whole_reads == [1]


def test_what_changed_since_comes_by_the_change_log(
    make_engine: MakeEngine, path: Path, whole_reads: list[int], tmp_path: Path
) -> None:
    first = make_engine(path)
    fill(first, 60)
    answers(first)
    first.close()
    kept = beside(path).read_bytes()
    writer = make_engine(path)
    fill(writer, 15, first=60)
    writer.promote(3, to="full")
    writer.promote(4, to="full", mine=True)
    writer.forget(10, 25)
    writer.supersede(5, 6)
    writer.search("tea in the garden")
    writer.close()
    beside(path).write_bytes(kept)  # as another process would have left it
    whole_reads.clear()
    reader = make_engine(path)
    mapped = answers(reader)
    reader.close()
    assert whole_reads == []
    beside(path).unlink()
    assert answers(make_engine(path)) == mapped
    assert whole_reads == [1]


def test_it_is_written_again_when_much_has_changed(make_engine: MakeEngine, path: Path, whole_reads: list[int]) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    answers(engine)
    engine._columns().close()
    before = sidefile.load(beside(path)).facts["change"]
    fill(engine, 60, first=60)
    answers(engine)
    engine.close()
    assert sidefile.load(beside(path)).facts["change"] > before
    assert sidefile.load(beside(path)).lengths["id"] == 120


def test_an_older_copy_of_the_store_that_went_its_own_way(make_engine: MakeEngine, path: Path, tmp_path: Path) -> None:
    engine = make_engine(path)
    fill(engine, 30)
    engine.backup(tmp_path / "older.db")
    fill(engine, 30, first=30)
    answers(engine)
    engine.close()
    (tmp_path / "older.db").replace(path)
    other = make_engine(path)
    fill(other, 60, first=500)
    right = answers(other)
    other.close()
    beside(path).unlink()
    assert answers(make_engine(path)) == right


@pytest.mark.parametrize("damage", ["gone", "cut", "other store", "future", "other layout", "a folder"])
def test_without_a_usable_file_everything_is_as_right(
    make_engine: MakeEngine, path: Path, damage: str, tmp_path: Path, whole_reads: list[int]
) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    before = answers(engine)
    engine.close()
    file = beside(path)
    saved = sidefile.load(file)
    arrays = {name: saved.filled(name) for name in saved.arrays}
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-40])
    elif damage == "other store":
        sidefile.write(file, {**saved.facts, "store": "another"}, arrays)
    elif damage == "future":
        sidefile.write(file, {**saved.facts, "change": 10_000_000}, arrays)
    elif damage == "other layout":
        sidefile.write(file, saved.facts, {**arrays, "count": arrays["count"].astype(np.int64)})
    else:
        file.unlink()
        if damage == "a folder":
            file.mkdir()
    whole_reads.clear()
    again = make_engine(path)
    assert answers(again) == before
    assert whole_reads == [1]
    again.close()
    assert file.is_dir() if damage == "a folder" else sidefile.check(file) == []


def test_a_pruned_change_log_makes_it_anew(make_engine: MakeEngine, path: Path, whole_reads: list[int]) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    before = answers(engine)
    engine.close()
    import apsw

    with apsw.Connection(str(path)) as conn:
        conn.execute("DELETE FROM change")
        conn.execute("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'change'")
    whole_reads.clear()
    assert answers(make_engine(path)) == before
    assert whole_reads == [1]


@pytest.mark.parametrize("kept", [True, False], ids=["side file", "columns in memory"])
def test_index_terms_that_were_made_anew_are_found(make_engine: MakeEngine, path: Path, kept: bool) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    answers(engine)
    if kept:
        engine._columns().close()
    (row,) = engine._store.rows([7])
    store, terms = engine._store, row.passages[0][0]
    old = engine.expand(7, touch=False)[0].full
    renewed = [Passage(0, len(old), (SECRET, *terms[1:]))]
    assert store.put_terms({7: renewed}, store.terms(), now_us=engine.now_us) == 1
    other = make_engine(path) if kept else engine
    found = other.search(SECRET, touch=False)
    assert found.views[0].id == 7
    assert other.explain(7, SECRET).words


def test_another_model_makes_it_anew(make_engine: MakeEngine, path: Path) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    answers(engine)
    engine.close()
    model = FakeEmbedder(8, name="other")
    with open_engine(Settings(store=str(path)), embedder=model, reindexing=True, background=False) as other:
        other.reindex()
        assert other.search("tea", touch=False).views
    assert sidefile.load(beside(path)).facts["model"] == "other@1/8"
    assert sidefile.load(beside(path)).filled("vectors").shape[1] == 8


def test_nothing_of_a_forgotten_memory_stays_in_the_file(make_engine: MakeEngine, path: Path) -> None:
    engine = make_engine(path)
    fill(engine, 40)
    secret = engine.remember(f"The word is {SECRET}, tea.", source=Source("chat", "s0", 1000)).id
    fill(engine, 1, first=2000)
    fill(engine, 20, first=1001)
    answers(engine)
    engine._columns().close()
    file = beside(path)
    saved = sidefile.load(file)
    row = int(np.searchsorted(saved.filled("id"), secret))
    passage = int(saved.filled("first")[row])
    vector = saved.filled("vectors")[passage].tobytes()
    after = saved.filled("vectors")[int(saved.filled("first")[int(saved.filled("beside")[row, 2])])].tobytes()
    for trace in (SECRET.encode(), vector, after):
        assert trace in file.read_bytes()
    del saved
    engine.forget(secret)
    for trace in (SECRET.encode(), vector, after):
        assert trace not in file.read_bytes()
    assert sidefile.check(file) == []
    engine.drain()
    gone = answers(engine)
    engine.close()
    again = make_engine(path)
    assert answers(again) == gone
    file.unlink()
    assert answers(make_engine(path)) == gone


def test_what_is_forgotten_while_the_file_is_written(
    make_engine: MakeEngine, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    engine.close()
    beside(path).unlink()  # judging what came in has looked already
    engine = make_engine(path)
    secret = engine.remember(f"The word is {SECRET}.").id
    real, held, go_on = sidefile.write, threading.Event(), threading.Event()

    def slow(*given: object) -> None:
        held.set()
        assert go_on.wait(20)
        real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(sidefile, "write", slow)
    answers(engine)
    assert held.wait(20)
    engine.forget(secret)
    go_on.set()
    engine._columns().close()
    assert SECRET.encode() not in beside(path).read_bytes()


def test_a_reader_writes_no_file(make_engine: MakeEngine, path: Path) -> None:
    writer = make_engine(path)
    fill(writer, 60)
    writer.close()
    beside(path).unlink()
    reader = make_engine(path, read_only=True)
    assert answers(reader)
    reader.close()
    assert not beside(path).exists()


def test_doctor_looks_after_it(make_engine: MakeEngine, path: Path) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    before = answers(engine)
    engine._columns().close()
    file = beside(path)
    data = bytearray(file.read_bytes())
    data[data.index(sidefile.load(file).filled("codes").tobytes()) + 9] ^= 1
    file.write_bytes(data)
    assert [trouble.text for trouble in engine.troubles()] == [f"{file.name}: codes is damaged"]
    assert engine.repair() == [f"{file.name}: removed; the next search makes it anew"]
    assert engine.troubles() == []
    assert answers(make_engine(path)) == before


# -- while the columns of a large store are made -----------------------------------------------------------------------


@pytest.fixture
def slow_rows(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Reading all rows waits until the returned function is called."""
    monkeypatch.setattr(module, "BUILD_ASIDE", 50)
    go_on = threading.Event()
    real = SqliteStore.rows

    def waiting(self: SqliteStore, ids: Sequence[int] | None = None) -> Iterator[Row]:
        if ids is None:
            assert go_on.wait(20)
        return real(self, ids)

    monkeypatch.setattr(SqliteStore, "rows", waiting)
    return go_on.set


def test_words_answer_at_once_while_the_columns_are_made(
    make_engine: MakeEngine, path: Path, slow_rows: Callable[[], None]
) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    early = engine.search("tea in the garden", touch=False)
    assert "index of this store is being made (0 of 60 memories)" in early.words_only
    assert early.views
    assert all({"tea", "garden"} & set(view.text.split()) for view in early.views)
    assert early.words_only in early.rendering
    ticks: list[tuple[int, int]] = []
    slow_rows()
    engine.indexing(lambda done, total: ticks.append((done, total)))
    late = engine.search("tea in the garden", touch=False)
    assert late.words_only == ""
    assert late.considered == 60
    assert ticks == [] or ticks[-1] == (60, 60)
    engine.close()
    assert beside(path).exists()


def test_closing_gives_a_build_up(make_engine: MakeEngine, path: Path, slow_rows: Callable[[], None]) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    assert engine.search("tea", touch=False).words_only
    engine._columns()._closing = True
    slow_rows()
    engine.close()
    assert not beside(path).exists()
    assert threading.active_count() == 1 or not any(t.name == "lodmem-build" for t in threading.enumerate())


def test_other_modes_wait_for_the_columns(make_engine: MakeEngine, path: Path, slow_rows: Callable[[], None]) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    assert engine.search("tea", touch=False).words_only
    slow_rows()
    assert engine.recent(limit=100).considered == 60


def test_a_scan_that_is_closed_while_it_builds(path: Path, make_engine: MakeEngine) -> None:
    engine = make_engine(path)
    fill(engine, 60)
    scan = Scan(engine._store, beside(path))
    scan.close()
    assert not scan.building()
