"""Works off the store's queue: leases what is due, has it done, gives back what failed, gives up what fails too often.

A killed worker's items come back when their leases end. While work goes on its leases are renewed, so that nobody else gets it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from lodmem.errors import LodmemError, ModelMismatch, ModelUnavailable, SpendCapReached, StoreError, UnknownMemory
from lodmem.ingest.work.pace import FOREVER, LONGEST_PAUSE_US, MAX_ATTEMPTS, Pauses, wait_us
from lodmem.ingest.work.task import LEASE_US, Stopped, Task
from lodmem.ports import Clock, Store, WorkItem

BEAT_S = LEASE_US / 4e6
DIED = "worker_died"
_LONGEST_ERROR = 200


@dataclass(slots=True)
class Report:
    """Items by task: `done`; `failed`, to be tried again; `dead`, given up. `stopped`: why a task cannot go on."""

    done: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    dead: Counter[str] = field(default_factory=Counter)
    stopped: dict[str, LodmemError] = field(default_factory=dict)


class Runner:
    """`tasks` in the order of their urgency; `name` is this worker's; `chance` gives 0..1. For several threads at once."""

    def __init__(self, store: Store, clock: Clock, tasks: Sequence[Task], *, name: str, chance: Callable[[], float]) -> None:
        self._store, self._clock, self._name, self._chance = store, clock, name, chance
        self.tasks = tuple(tasks)
        self.pauses = Pauses()
        self.report = Report()
        self.last_error: LodmemError | None = None
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._held: set[int] = set()

    def step(self, *, idle: bool = True) -> str:
        """Do the most urgent batch that is due; its task's name, '' when there is none. Without `idle` only what never waits.

        Raises StoreError. What a model or an item does wrong is in `report` and `last_error`.
        """
        for task in self.tasks:
            if self._stop.is_set():
                return ""
            if (task.idle and not idle) or self.pauses.holds(task.name, self._clock.now_us()):
                continue
            with task.turn:
                items = self._claim(task)
                if items:
                    self.last_error = None
                    self._do(task, items)
                    return task.name
        return ""

    def run(self, progress: Callable[[str, int], None] | None = None, *, strict: bool = False) -> Report:
        """Work until nothing is due. `strict`: the first failure is raised, after its items went back to the queue.

        Raises: StoreError; LodmemError where strict.
        """
        while name := self.step():
            if strict and self.last_error is not None:
                raise self.last_error
            if progress is not None:
                progress(name, self.report.done[name])
        return self.report

    def stop(self) -> None:
        """Take up nothing more."""
        self._stop.set()

    def give_back(self) -> None:
        """Let go of all that is at hand: it is due again at once, and whoever is still at it cannot complete it."""
        with self._lock:
            held = sorted(self._held)
        self._store.release(held, error="stopped", retry_us=self._clock.now_us(), counted=False)

    def _claim(self, task: Task) -> list[WorkItem]:
        now = self._clock.now_us()
        items = self._store.claim(task.name, worker=self._name, now_us=now, lease_us=LEASE_US, limit=task.batch)
        # Claimed so often and never given back: whoever takes it up does not survive it.
        deadly = [item.id for item in items if item.attempts > MAX_ATTEMPTS]
        if deadly:
            self._store.release(deadly, error=DIED, retry_us=None)
            self._count(self.report.dead, task, len(deadly))
        return [item for item in items if item.attempts <= MAX_ATTEMPTS]

    def _do(self, task: Task, items: Sequence[WorkItem]) -> None:
        with self._holding(items):
            try:
                task.work(items, self._stop.is_set)
            except (ModelUnavailable, SpendCapReached, ModelMismatch) as error:
                self._pause(task, items, error)
            except UnknownMemory:  # forgotten meanwhile
                self._alone(task, items, None)
            except StoreError:
                raise  # what cannot be written now cannot be given back either: the lease ends by itself
            except Exception as error:  # noqa: BLE001  # one item, whatever is wrong with it, must not end the loop
                if isinstance(error, Stopped):
                    self._back(items, "stopped")
                else:
                    self._alone(task, items, error)
            except BaseException:
                self._back(items, "interrupted")
                raise
            else:
                with self._lock:
                    self.pauses.succeeded(task.name)
                    self.report.stopped.pop(task.name, None)
                self._count(self.report.done, task, len(items))

    def _alone(self, task: Task, items: Sequence[WorkItem], error: Exception | None) -> None:
        """What failed in company is tried alone; what failed alone (with no error: is gone) waits, or is given up."""
        if len(items) > 1:
            for item in items:
                self._do(task, [item])
        elif error is None:
            self._store.complete([items[0].id])
            self._count(self.report.done, task, 1)
        else:
            self._fail(task, items[0], error)

    def _fail(self, task: Task, item: WorkItem, error: Exception) -> None:
        self.last_error = error if isinstance(error, LodmemError) else LodmemError(f"{type(error).__name__}: {error}")
        dead = item.attempts >= MAX_ATTEMPTS
        retry = None if dead else self._clock.now_us() + wait_us(item.attempts, self._chance())
        self._store.release([item.id], error=_told(error), retry_us=retry)
        self._count(self.report.dead if dead else self.report.failed, task, 1)

    def _pause(self, task: Task, items: Sequence[WorkItem], error: LodmemError) -> None:
        """Nothing is wrong with the items: they are due as before, and the task waits."""
        self.last_error = error
        wait = {ModelMismatch: FOREVER, SpendCapReached: LONGEST_PAUSE_US}.get(type(error))
        self._back(items, _told(error))
        with self._lock:
            self.report.stopped[task.name] = error
            self.pauses.failed(task.name, now_us=self._clock.now_us(), chance=self._chance(), wait=wait)

    def _back(self, items: Sequence[WorkItem], error: str) -> None:
        self._store.release([item.id for item in items], error=error, retry_us=self._clock.now_us(), counted=False)

    def _count(self, counter: Counter[str], task: Task, number: int) -> None:
        with self._lock:
            counter[task.name] += number

    @contextmanager
    def _holding(self, items: Sequence[WorkItem]) -> Iterator[None]:
        """Leases that are renewed until it is left."""
        ids, ended = {item.id for item in items}, threading.Event()
        with self._lock:
            self._held |= ids
        threading.Thread(target=self._beat, args=(ids, ended), name="lodmem-lease", daemon=True).start()
        try:
            yield
        finally:
            ended.set()
            with self._lock:
                self._held -= ids

    def _beat(self, ids: Collection[int], ended: threading.Event) -> None:
        while not ended.wait(BEAT_S):
            try:
                self._store.renew(sorted(ids), until_us=self._clock.now_us() + LEASE_US)
            except StoreError:
                return  # closed, or nothing can be written: the lease ends, and somebody does it again


def _told(error: Exception) -> str:
    """An error as the queue keeps it: its code and what it says, in one line."""
    code, said = getattr(error, "code", type(error).__name__), getattr(error, "message", "") or str(error)
    return " ".join(f"{code}: {said}".split())[:_LONGEST_ERROR]
