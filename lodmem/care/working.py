"""The engine's verbs about background work: do it now, see how the queue stands, try again what was given up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from lodmem.care.base import Verbs
from lodmem.errors import BadParameter, LodmemError
from lodmem.ingest.embed import EmbedTask
from lodmem.ingest.episode_work import EPISODE_TASKS, asked_for
from lodmem.ingest.judging import TASK as JUDGE
from lodmem.ingest.level_work import Desk, level_tasks
from lodmem.ingest.work.background import Background
from lodmem.ingest.work.runner import Report, Runner
from lodmem.ingest.work.task import Task
from lodmem.model.memory import Prepared
from lodmem.ports import DeadItem, Embedder, Language, TaskState, TokenCounter

MAX_WORKERS = 32
TICK_S = 0.05
LOOK_S = 1.0  # how often a worker that goes on looks whether something is due

Told = Callable[[str, int, int], None]  # task, done, total


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What a run came to, by task: `done`, `failed` (tried again later), `dead` (given up). `stopped`: why a task could not go
    on. `left`: how the queue stands now."""

    done: Mapping[str, int]
    failed: Mapping[str, int]
    dead: Mapping[str, int]
    stopped: Mapping[str, LodmemError]
    left: Sequence[TaskState]


class Working(Verbs):
    """What of an engine works off the queue. `_llm_tasks`: what language models are asked beyond the levels."""

    _counter: TokenCounter
    _name: str
    _language: Language | None
    _llm_tasks: Sequence[str]
    _chance: Callable[[], float]
    _tasks: tuple[Task, ...]
    _worker: Background | None

    def _tasks_with(self, embedder: Embedder | None) -> tuple[Task, ...]:
        """Everything that this engine can do, the most urgent first."""
        tasks: list[Task] = [] if embedder is None else [EmbedTask(self._store, embedder, self._clock, then=JUDGE)]
        if self._language is not None:
            tasks += level_tasks(Desk(self._store, self._language, self._counter, self._clock, self.agent))
            for name, make in EPISODE_TASKS.items():
                if name in self._llm_tasks:
                    tasks.append(make(self._store, self._language, self._clock, self.agent))
        return tuple(tasks)

    def _with_tasks(self, item: Prepared) -> Prepared:
        """A new memory with what a language model is to be asked about it."""
        wanted = () if self._language is None else asked_for(item, self._llm_tasks)
        return replace(item, tasks=(*item.tasks, *wanted)) if wanted else item

    def _runner(self, tasks: Sequence[Task]) -> Runner:
        return Runner(self._store, self._clock, tasks, name=self._name, chance=self._chance)

    def _called(self) -> None:
        """Note that somebody needs the engine just now."""
        if self._worker is not None:
            self._worker.called()

    def work(
        self,
        progress: Told | None = None,
        tasks: Sequence[str] | None = None,
        *,
        until_empty: bool = True,
        workers: int = 1,
        stop: threading.Event | None = None,
    ) -> Worked:
        """Do what waits, now, the most urgent first. None: every task that this engine has a model for.

        It ends when nothing is due; with `until_empty` False it goes on until `stop`. What fails is in the outcome. `workers`:
        so many threads, which is worth it where a server answers several at once.

        Raises: BadParameter for a task that cannot be done here, StoreError.
        """
        self._refuse_read_only()
        if not 1 <= workers <= MAX_WORKERS:
            raise BadParameter(f"workers must be 1 to {MAX_WORKERS}, got {workers}")
        runner = self._runner(self._chosen(tasks))
        ended = stop or threading.Event()
        waited = {state.task: state.due for state in self.queue()}

        def tell(task: str, done: int) -> None:
            if progress is not None:
                progress(task, done, max(waited.get(task) or done + self._store.backlog(task), done))
            if ended.is_set():
                runner.stop()

        while True:
            _together(runner, tell, workers)
            if until_empty or ended.wait(LOOK_S):
                break
        return _outcome(runner.report, self.queue())

    def _chosen(self, names: Sequence[str] | None) -> Sequence[Task]:
        known = {task.name: task for task in self._tasks}
        if names is None:
            return self._tasks
        if missing := [name for name in names if name not in known]:
            able = "this engine can do: " + ", ".join(known) if known else "no model is configured"
            raise BadParameter(f"{', '.join(missing)}: no such work can be done here", hint=able)
        return [known[name] for name in known if name in names]

    def queue(self) -> list[TaskState]:
        """How background work stands, by task: those this engine knows in its order, then others that wait in the store."""
        states = {state.task: state for state in self._store.queue(now_us=self._clock.now_us())}
        known = [states.pop(task.name, TaskState(task=task.name)) for task in self._tasks]
        return [*known, *states.values()]

    def dead_work(self, task: str = "", *, limit: int = 100) -> list[DeadItem]:
        """Work that was given up, the oldest first."""
        return self._store.dead(task=task, limit=limit)

    def retry_dead(self, ids: Sequence[int] | None = None, *, task: str = "") -> int:
        """Try again what was given up: items by number (see `dead_work`), None: all, of one task where named. How many."""
        self._refuse_read_only()
        return self._store.retry_dead(ids, task=task, now_us=self._clock.now_us())


def _together(runner: Runner, tell: Callable[[str, int], None], workers: int) -> None:
    """Several threads on one runner, until none finds anything. Raises what the first of them raised."""
    if workers == 1:
        runner.run(tell)
        return
    raised: list[BaseException] = []

    def run() -> None:
        try:
            runner.run(tell)
        except BaseException as error:  # noqa: BLE001  # raised by whoever waits for the threads
            raised.append(error)

    # Daemons: who interrupts this does not wait for the calls of models that are under way.
    threads = [threading.Thread(target=run, name=f"lodmem-work-{n}", daemon=True) for n in range(workers)]
    for thread in threads:
        thread.start()
    try:
        while not raised and (alive := [thread for thread in threads if thread.is_alive()]):
            alive[0].join(TICK_S)
    except BaseException:
        _abandon(runner)
        raise
    if raised:
        _abandon(runner)
        raise raised[0]


def _abandon(runner: Runner) -> None:
    runner.stop()
    runner.give_back()


def _outcome(report: Report, left: Sequence[TaskState]) -> Worked:
    return Worked(
        done=dict(report.done), failed=dict(report.failed), dead=dict(report.dead), stopped=dict(report.stopped), left=left
    )
