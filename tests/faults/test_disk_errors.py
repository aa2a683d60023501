"""The disk fails at every call in turn: a clear error, nothing half-written, and life goes on when it works again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest
from contract_kit import NOW, add, entry, prepared
from disk import Failing, checkpoints_when_asked
from soak import SOAK

import lodmem
from lodmem.engine import Engine
from lodmem.errors import StoreError, StoreFull
from lodmem.model.memory import Draft, Source
from lodmem.retrieval import record
from lodmem.stores.sqlite.store import SqliteStore

ERRORS = {
    "disk full": ("write", apsw.SQLITE_FULL),
    "write": ("write", apsw.SQLITE_IOERR_WRITE),
    "sync": ("sync", apsw.SQLITE_IOERR_FSYNC),
    "truncate": ("truncate", apsw.SQLITE_IOERR_TRUNCATE),
    "read": ("read", apsw.SQLITE_IOERR_READ),
}
NEVER = 10**9
RUNS = 15 if SOAK else 3  # of each error, spread over the calls it can strike


def told(error: StoreError) -> None:
    assert error.hint, error


@dataclass
class Day:
    """What an engine is asked to do, and what it acknowledged."""

    engine: Engine
    what: str
    texts: dict[int, str] = field(default_factory=dict)
    maybe_gone: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    errors: list[StoreError] = field(default_factory=list)

    def run(self) -> None:
        for step in (self.write, self.write_many, self.look, self.use, self.pin, self.forget, self.write, self.write_many):
            self.tried(step)

    def tried(self, step: Callable[[], None]) -> None:
        try:
            step()
        except StoreError as error:
            told(error)
            self.errors.append(error)

    def write(self) -> None:
        text = f"The {len(self.texts)}th apple is red, and {len(self.errors)} were lost. " + "It hangs high in its tree. " * 20
        self.texts[self.engine.remember(text).id] = text

    def write_many(self) -> None:
        source = f"list {len(self.texts)}"
        drafts = [Draft(full=f"pear {n} of {source}", space="main", agent="a", source=Source(source, "", n)) for n in range(12)]
        for added, draft in zip(self.engine.remember_many(drafts), drafts, strict=True):
            self.texts[added.id] = draft.full

    def look(self) -> None:
        assert self.engine.search("apple").views
        self.engine._recorder.flush(5.0)

    def use(self) -> None:
        assert self.engine.expand(1)[0].full == self.texts[1]
        self.engine._recorder.flush(5.0)

    def pin(self) -> None:
        self.engine.promote(1, to="full")

    def forget(self) -> None:
        self.maybe_gone.add(2)
        self.engine.forget(2)
        self.gone.add(2)

    def is_whole(self, engine: Engine) -> None:
        assert engine.check() == []
        kept = [(memory_id, text) for memory_id, text in self.texts.items() if memory_id not in self.maybe_gone]
        assert [(m.id, m.full) for m in engine.expand(*(memory_id for memory_id, _ in kept), touch=False)] == kept
        found = {view.id for view in engine.recent(touch=False).views}
        assert self.texts.keys() - self.maybe_gone <= found
        assert not self.gone & found
        # SQLite keeps to itself that it could not cut the log after a commit; an error planted here shows all the same.
        if self.what != "truncate":
            assert found <= self.texts.keys(), "a write that was refused is there"


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was used is noted down as soon as there is room again, and nobody waits for that; here not even half a second."""
    monkeypatch.setattr(record, "FULL_RETRY_SECONDS", 0.005)
    monkeypatch.setattr(record, "PATIENCE_SECONDS", 0.02)


@pytest.fixture(scope="module")
def seed_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of three memories, closed."""
    path = tmp_path_factory.mktemp("seed") / "store.lod"
    with lodmem.open(path, embedder="none", background=False) as engine:
        for n in range(3):
            engine.remember(f"The apple number {n}.")
    return path


def a_day(path: Path, disk: Failing, what: str) -> Day | None:
    """A day on that disk, and the end of it once the disk works again. None: the store did not even open."""
    with checkpoints_when_asked(), disk.mounted():
        try:
            engine = lodmem.open(path, embedder="none", background=False)
        except StoreError as error:
            told(error)
            return None
        with engine:
            day = Day(engine, what, texts={n + 1: f"The apple number {n}." for n in range(3)})
            day.run()
            disk.repair()
            day.is_whole(engine)
            failures = len(day.errors)
            day.run()
            assert len(day.errors) == failures, day.errors[failures:]
            day.is_whole(engine)
    return day


@pytest.mark.req("R16.7")
@pytest.mark.parametrize("once", [True, False], ids=["once", "from then on"])
@pytest.mark.parametrize("what", ERRORS)
def test_the_disk_fails(folder: Path, seed_store: Path, what: str, once: bool, record_property: pytest.RecordProperty) -> None:
    kind, code = ERRORS[what]
    path = folder / "store.lod"

    def fresh(nth: int) -> Failing:
        for file in folder.iterdir():
            file.unlink()
        shutil.copy(seed_store, path)
        return Failing(kind, nth, code, once=once)

    calm = fresh(NEVER)
    day = a_day(path, calm, what)
    assert day
    assert day.errors == []
    assert calm.seen > 0, "nothing here could fail"
    step = max(1, calm.seen // RUNS)
    told = 0
    for nth in range(1 + calm.seen // 7 % step, calm.seen + 1, step):
        disk = fresh(nth)
        try:
            day = a_day(path, disk, what)
            told += day is None or bool(day.errors)
            if disk.failed and day and what == "disk full":
                assert all(isinstance(error, StoreFull) for error in day.errors)
            with lodmem.open(path, embedder="none", background=False) as engine:
                if day:
                    day.is_whole(engine)
                assert {view.id for view in engine.recent(touch=False).views} >= {1, 3}
        except Exception as error:
            error.add_note(f"call {nth} of {calm.seen}: {kind} failed")
            raise
    record_property(
        f"disk errors, {what} ({'once' if once else 'from then on'})", f"{told} told of {calm.seen // step} planted"
    )


@pytest.mark.parametrize("what", ["disk full", "write", "sync"])
def test_the_disk_fails_while_a_store_is_made(folder: Path, what: str) -> None:
    kind, code = ERRORS[what]
    for nth in (1, 2, 3, 4, 9, 60):
        disk, path = Failing(kind, nth, code), folder / f"{what} {nth}.lod"
        with disk.mounted():
            try:
                lodmem.open(path, embedder="none").close()
            except StoreError as error:
                told(error)
            disk.repair()
            with lodmem.open(path, embedder="none", background=False) as engine:
                assert engine.remember("life goes on").id == 1
                assert engine.check() == []


def test_a_write_does_not_fail_for_the_log_of_an_earlier_one(folder: Path) -> None:
    """What a reader kept forget from emptying is emptied after a later write, which is durable whether that works or not."""
    path = folder / "store.lod"
    disk = Failing("write", 1, apsw.SQLITE_IOERR_WRITE, file="store.lod")
    disk.repair()
    with checkpoints_when_asked(), disk.mounted(), SqliteStore.open(path, now_us=NOW) as store:
        add(store, prepared("one"), prepared("two"))
        rows = store.rows()
        next(rows)
        store.forget([1], now_us=NOW, audit=entry())
        rows.close()
        disk.whole, failed = False, disk.failed
        assert add(store, prepared("three")) == [3]
        assert disk.failed > failed, "the log was not touched"
        disk.repair()
        assert add(store, prepared("four")) == [4]
        assert [row.id for row in store.rows()] == [2, 3, 4]
        assert path.with_name("store.lod-wal").stat().st_size == 0
