"""Episode class and importance by a language model, for those who asked for it: one call, one word or number, a memory each.

What the heuristic said at the write stands where the model says nothing of use; that is noted in the audit log.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import nullcontext

from lodmem.errors import ModelRefused
from lodmem.ingest.answers import one_number, one_word
from lodmem.ingest.episodes import EPISODE_CLASSES, NOISE, UNCATEGORIZED, importance_of
from lodmem.ingest.prompting import ask, load
from lodmem.ingest.work.task import Task
from lodmem.model.audit import AuditEntry
from lodmem.model.memory import DEFAULT_IMPORTANCE, Kind, Memory, Prepared
from lodmem.ports import Clock, Language, Store, WorkItem

CLASS, IMPORTANCE = "class", "importance"
MAX_CHARS = 8_000  # what a text is shows in its beginning
_TOKENS = 64
_HIGHEST = 10.0


class _Asking(ABC):
    """What both have in common: one memory, one question."""

    batch, idle = 1, True
    name: str

    def __init__(self, store: Store, language: Language, clock: Clock, agent: str) -> None:
        self._store, self._language, self._clock, self._agent = store, language, clock, agent
        self.turn = nullcontext()

    def work(self, items: Sequence[WorkItem], stop: Callable[[], bool]) -> None:
        """See Task."""
        (item,) = items
        if item.memory_id is not None:
            (memory,) = self._store.get([item.memory_id])
            self._judge(memory)
        self._store.complete([item.id])

    @abstractmethod
    def _judge(self, memory: Memory) -> None: ...

    def _asked(self, memory: Memory, read: Callable[[str], object]) -> object:
        """What the model says, None where it says nothing of use."""
        try:
            return ask(
                self._language.model_for(self.name), load(self.name), read, max_tokens=_TOKENS, text=memory.full[:MAX_CHARS]
            )
        except ModelRefused:
            return None

    def _entry(self, memory: Memory, answer: object) -> AuditEntry:
        model = self._language.model_for(self.name).name
        detail: dict[str, object] = {"ids": [memory.id], "model": model, "to": "no usable answer" if answer is None else answer}
        return AuditEntry(at_us=self._clock.now_us(), space=memory.space, agent=self._agent, verb=self.name, detail=detail)


class ClassTask(_Asking):
    """noise, constitutional or uncategorized; in doubt, and when the answer cannot be read, uncategorized."""

    name = CLASS

    def _judge(self, memory: Memory) -> None:
        found = self._asked(memory, lambda answer: one_word(answer, EPISODE_CLASSES))
        word = found if isinstance(found, str) else UNCATEGORIZED
        self._store.set_episode_class(memory.id, word, audit=self._entry(memory, found))


class ImportanceTask(_Asking):
    """A number instead of the default one, once; without a usable answer the heuristic's."""

    name = IMPORTANCE

    def _judge(self, memory: Memory) -> None:
        found = self._asked(memory, lambda answer: one_number(answer, 0.0, _HIGHEST))
        number = found / _HIGHEST if isinstance(found, float) else importance_of(memory.full)
        entry = self._entry(memory, None if found is None else number)
        self._store.set_importance(memory.id, number, instead_of=DEFAULT_IMPORTANCE, audit=entry)


EPISODE_TASKS: dict[str, Callable[[Store, Language, Clock, str], Task]] = {CLASS: ClassTask, IMPORTANCE: ImportanceTask}


def asked_for(item: Prepared, chosen: Sequence[str]) -> tuple[str, ...]:
    """Which of the chosen tasks a new memory waits for: no class for what is no episode or noise anyway, and no importance
    where one was given."""
    draft, tasks = item.draft, []
    if CLASS in chosen and draft.kind is Kind.EPISODIC and item.episode_class != NOISE:
        tasks.append(CLASS)
    if IMPORTANCE in chosen and draft.importance == DEFAULT_IMPORTANCE and item.episode_class != NOISE:
        tasks.append(IMPORTANCE)
    return tuple(tasks)
