"""One loop over a real queue with tasks that do as they are told: order, retries, giving up, leases, several threads."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from contract_kit import prepared

from lodmem.errors import ModelBadAnswer, ModelUnavailable, SpendCapReached, StoreBusy, UnknownMemory
from lodmem.ingest.work import runner as runner_module
from lodmem.ingest.work.pace import FIRST_US, LONGEST_PAUSE_US, MAX_ATTEMPTS
from lodmem.ingest.work.runner import DIED, Runner
from lodmem.ingest.work.task import LEASE_US, Stopped
from lodmem.ports import WorkItem
from lodmem.stores.sqlite.store import SqliteStore
from tests.conftest import FakeClock

pytestmark = pytest.mark.req("R5.22")

Behaviour = Callable[[Sequence[WorkItem]], None]


class Scripted:
    """A task that notes what it is given and does what `behaves` says."""

    def __init__(self, store: SqliteStore, name: str, behaves: Behaviour = lambda items: None, *, batch: int = 1) -> None:
        self.name, self.batch, self.idle, self.turn = name, batch, False, nullcontext()
        self._store, self.behaves = store, behaves
        self.given: list[list[int | None]] = []

    def work(self, items: Sequence[WorkItem], stop: Callable[[], bool]) -> None:
        self.given.append([item.memory_id for item in items])
        self.behaves(items)
        self._store.complete([item.id for item in items])


@pytest.fixture
def store(tmp_path: Path, clock: FakeClock) -> Iterator[SqliteStore]:
    with SqliteStore.open(tmp_path / "m.db", now_us=clock.now_us()) as opened:
        yield opened


def fill(store: SqliteStore, clock: FakeClock, count: int, *tasks: str) -> None:
    store.add([prepared(f"text {n}") for n in range(count)], now_us=clock.now_us(), tasks=tasks)


def runner(store: SqliteStore, clock: FakeClock, *tasks: Scripted, chance: float = 0.0) -> Runner:
    return Runner(store, clock, tasks, name="w", chance=lambda: chance)


def fails(error: Exception, *ids: int) -> Behaviour:
    def behave(items: Sequence[WorkItem]) -> None:
        if not ids or {item.memory_id for item in items}.intersection(ids):
            raise error

    return behave


def test_the_urgent_first_and_again_after_each_batch(store: SqliteStore, clock: FakeClock) -> None:
    order: list[str] = []

    def first_then_more(items: Sequence[WorkItem]) -> None:
        order.append("slow")
        if len(order) == 3:
            store.enqueue("fast", [1], now_us=clock.now_us())

    slow = Scripted(store, "slow", first_then_more)
    fast = Scripted(store, "fast", lambda items: order.append("fast"), batch=2)
    fill(store, clock, 3, "slow", "fast")
    told: list[tuple[str, int]] = []
    report = runner(store, clock, fast, slow).run(lambda task, done: told.append((task, done)))
    assert order == ["fast", "fast", "slow", "fast", "slow", "slow"]
    assert told == [("fast", 2), ("fast", 3), ("slow", 1), ("fast", 4), ("slow", 2), ("slow", 3)]
    assert (report.done, store.backlog()) == (Counter(fast=4, slow=3), 0)


def test_a_bad_item_waits_longer_each_time_and_is_given_up_at_last(store: SqliteStore, clock: FakeClock) -> None:
    fill(store, clock, 1, "t")
    task = Scripted(store, "t", fails(ModelBadAnswer("nonsense\nin two lines")))
    waits = []
    for _ in range(MAX_ATTEMPTS - 1):
        report = runner(store, clock, task, chance=0.5).run()
        assert (report.failed, report.dead) == (Counter(t=1), Counter())
        (state,) = store.queue(now_us=clock.now_us())
        assert dict(state.errors) == {"model_bad_answer: nonsense in two lines": 1}
        waits.append(((state.next_us or 0) - clock.now_us()) / FIRST_US)
        clock.advance(seconds=waits[-1] * FIRST_US / 1e6)
    assert waits == [1.25 * 2**n for n in range(MAX_ATTEMPTS - 1)]
    assert runner(store, clock, task).run().dead == Counter(t=1)
    (dead,) = store.dead()
    assert (dead.memory_id, dead.attempts) == (1, MAX_ATTEMPTS)
    assert len(task.given) == MAX_ATTEMPTS
    assert store.retry_dead([dead.id], now_us=clock.now_us()) == 1
    task.behaves = lambda items: None
    assert runner(store, clock, task).run().done == Counter(t=1)


def test_a_bad_item_costs_its_batch_nothing(store: SqliteStore, clock: FakeClock) -> None:
    fill(store, clock, 4, "t")
    task = Scripted(store, "t", fails(ValueError("a bug"), 3), batch=4)
    report = runner(store, clock, task).run()
    assert task.given == [[1, 2, 3, 4], [1], [2], [3], [4]]
    assert (report.done, report.failed) == (Counter(t=3), Counter(t=1))
    (state,) = store.queue(now_us=clock.now_us())
    assert (state.waiting, dict(state.errors)) == (1, {"ValueError: a bug": 1})


@pytest.mark.parametrize("error", [ModelUnavailable("away"), SpendCapReached("enough")])
def test_what_is_away_pauses_its_task_only_and_counts_against_no_item(
    store: SqliteStore, clock: FakeClock, error: Exception
) -> None:
    fill(store, clock, 3, "away", "here")
    away, here = Scripted(store, "away", fails(error)), Scripted(store, "here")
    worker = runner(store, clock, away, here)
    for n in range(20):
        report = worker.run()
        assert len(away.given) == n + 1
        clock.advance(seconds=1.5 * LONGEST_PAUSE_US / 1e6)
    assert report.done == Counter(here=3)
    assert (report.failed, report.dead, report.stopped) == (Counter(), Counter(), {"away": error})
    away.behaves = lambda items: None
    assert worker.run().done == Counter(here=3, away=3)


def test_strict_raises_what_went_wrong_and_keeps_it_in_the_queue(store: SqliteStore, clock: FakeClock) -> None:
    fill(store, clock, 2, "t")
    with pytest.raises(ModelUnavailable, match="away"):
        runner(store, clock, Scripted(store, "t", fails(ModelUnavailable("away")))).run(strict=True)
    with pytest.raises(ModelBadAnswer, match="nonsense"):
        runner(store, clock, Scripted(store, "t", fails(ModelBadAnswer("nonsense"), 1), batch=2)).run(strict=True)
    assert store.backlog() == 1, "the other one of the batch is done"


def test_what_kills_its_workers_is_given_up(store: SqliteStore, clock: FakeClock) -> None:
    fill(store, clock, 1, "t")
    for _ in range(MAX_ATTEMPTS):
        assert store.claim("t", worker="killed", now_us=clock.now_us(), lease_us=LEASE_US, limit=1)
        clock.advance(seconds=LEASE_US / 1e6)
    task = Scripted(store, "t")
    assert runner(store, clock, task).run().dead == Counter(t=1)
    assert (task.given, store.dead()[0].error) == ([], DIED)


def test_an_interrupted_item_is_due_at_once(store: SqliteStore, clock: FakeClock) -> None:
    fill(store, clock, 1, "t")

    def interrupted(items: Sequence[WorkItem]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner(store, clock, Scripted(store, "t", interrupted)).run()
    worker = runner(store, clock, Scripted(store, "t", fails(Stopped())))
    assert worker.step() == "t"
    assert store.claim("t", worker="w", now_us=clock.now_us(), lease_us=1, limit=1)[0].attempts == 1
    worker.stop()
    assert worker.step() == ""


def test_a_forgotten_memory_is_done(store: SqliteStore, clock: FakeClock) -> None:
    fill(store, clock, 2, "t")
    assert runner(store, clock, Scripted(store, "t", fails(UnknownMemory("gone"), 1), batch=2)).run().done == Counter(t=2)
    assert store.backlog() == 0


def test_a_store_that_cannot_be_written_is_told_and_its_items_come_back(store: SqliteStore, clock: FakeClock) -> None:
    fill(store, clock, 1, "t")
    with pytest.raises(StoreBusy):
        runner(store, clock, Scripted(store, "t", fails(StoreBusy("busy")))).run()
    clock.advance(seconds=LEASE_US / 1e6)
    assert runner(store, clock, Scripted(store, "t")).run().done == Counter(t=1)


def test_a_long_piece_of_work_keeps_its_lease(store: SqliteStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "BEAT_S", 0.005)
    fill(store, clock, 1, "t")
    other = Scripted(store, "t")

    def long(items: Sequence[WorkItem]) -> None:
        for _ in range(4):
            clock.advance(seconds=LEASE_US / 2e6)
            time.sleep(0.1)
            assert runner(store, clock, other).run().done == Counter()

    assert runner(store, clock, Scripted(store, "t", long)).run().done == Counter(t=1)
    assert (other.given, store.backlog()) == ([], 0)


def test_many_threads_do_each_item_once(tmp_path: Path, store: SqliteStore, clock: FakeClock) -> None:
    fill(store, clock, 60, "a", "b")
    done: Counter[tuple[str, int | None]] = Counter()
    lock = threading.Lock()

    def note(items: Sequence[WorkItem]) -> None:
        with lock:
            done.update((item.task, item.memory_id) for item in items)

    with SqliteStore.open(tmp_path / "m.db", now_us=clock.now_us()) as again:
        runners = [
            runner(each, clock, Scripted(each, "a", note, batch=3), Scripted(each, "b", note)) for each in (store, again)
        ]
        threads = [threading.Thread(target=each.run) for each in runners * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert set(done.values()) == {1}
    assert len(done) == 120
    assert store.backlog() == 0


def test_what_is_given_back_can_no_longer_be_completed(store: SqliteStore, clock: FakeClock) -> None:
    fill(store, clock, 1, "t")

    def given_back(items: Sequence[WorkItem]) -> None:
        worker.give_back()

    worker = runner(store, clock, Scripted(store, "t", given_back))
    worker.step()
    assert store.backlog() == 1
