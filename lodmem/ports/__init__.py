"""What the engine needs from outside. The docstring is the contract; tests/contracts runs it over every back end."""

from lodmem.ports.basics import Clock, Floats, Progress, TokenCounter
from lodmem.ports.models import DEFAULT_C0, DEFAULT_C1, Answer, Embedder, EmbedderIdentity, Language, LanguageModel, Wait
from lodmem.ports.rows import Changes, DeadItem, EmbedInput, Row, TaskState, Usage, Vectors, WorkItem
from lodmem.ports.store import Store

__all__ = [
    "DEFAULT_C0",
    "DEFAULT_C1",
    "Answer",
    "Changes",
    "Clock",
    "DeadItem",
    "EmbedInput",
    "Embedder",
    "EmbedderIdentity",
    "Floats",
    "Language",
    "LanguageModel",
    "Progress",
    "Row",
    "Store",
    "TaskState",
    "TokenCounter",
    "Usage",
    "Vectors",
    "Wait",
    "WorkItem",
]
