"""Embedding what was stored: in small batches, each written and taken from the queue in one transaction.

A crash between the write of a text and of its vectors loses nothing: the item's lease ends and somebody takes it up again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from lodmem.errors import ModelMismatch
from lodmem.ingest.work.task import Stopped
from lodmem.ports import Clock, Embedder, EmbedInput, Floats, Store, Vectors, WorkItem

TASK = "embed"
BATCH = 16
TEXTS_AT_ONCE = 32  # between two of these it can be stopped
PREDECESSOR_WORDS = 100


def vectors_of(inputs: Sequence[EmbedInput], embedder: Embedder, *, stop: Callable[[], bool] = lambda: False) -> list[Vectors]:
    """Own and joint vectors of each memory, embedded in calls of some texts. Raises ModelError; Stopped where `stop` says so.

    The joint vector of a one-passage memory with a predecessor is the mean of its own embedding and that of both texts
    together: the cosine is linear, so one column holds both readings. Source: SPEC 1, DESIGN 3.
    """
    texts: list[str] = []
    for item in inputs:
        texts += item.passages
        if item.predecessor is not None:
            texts.append(f"{_tail(item.predecessor)}\n{item.passages[0]}")
    if not texts:
        return []
    embedded = _embedded(texts, embedder, stop)
    out, at = [], 0
    for item in inputs:
        own = embedded[at : at + len(item.passages)]
        at += len(item.passages)
        joint = own
        if item.predecessor is not None:
            joint = ((own.astype(np.float64) + embedded[at]) / 2.0).astype(np.float32)
            at += 1
        out.append(Vectors(id=item.id, own=own, joint=joint))
    return out


def _embedded(texts: Sequence[str], embedder: Embedder, stop: Callable[[], bool]) -> Floats:
    parts = []
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        if stop():
            raise Stopped
        parts.append(embedder.embed(texts[start : start + TEXTS_AT_ONCE]))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _tail(text: str) -> str:
    words = text.split()
    return text if len(words) <= PREDECESSOR_WORDS else " ".join(words[-PREDECESSOR_WORDS:])


class EmbedTask:
    """Embeds what the queue holds, one batch at a time. What is embedded waits for the task `then`."""

    name, batch, idle = TASK, BATCH, False

    def __init__(self, store: Store, embedder: Embedder, clock: Clock, *, then: str = "") -> None:
        self._store, self._embedder, self._clock, self._then = store, embedder, clock, then
        self.turn = threading.Lock()

    def work(self, items: Sequence[WorkItem], stop: Callable[[], bool]) -> None:
        """See Task. Vectors and the end of the items are one transaction."""
        inputs = self._store.embed_inputs([item.memory_id for item in items if item.memory_id is not None])
        found = vectors_of(inputs, self._embedder, stop=stop)
        key = self._embedder.identity.key
        if key != self._store.active_model():
            raise mismatch(self._store.active_model(), key)
        done = [item.id for item in items]
        self._store.put_vectors(key, found, done=done, then=self._then, now_us=self._clock.now_us())


def mismatch(stored: str, wanted: str) -> ModelMismatch:
    """The error for vectors of another embedding model than the one at hand."""
    made = f"was made with the embedding model {stored}" if stored else "was made without an embedding model"
    return ModelMismatch(
        f"the store {made}, but {wanted} is configured",
        hint="run `lodmem reindex` to embed it anew; the old index serves until then",
    )
