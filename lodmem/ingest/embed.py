"""Embedding what was stored: leased from the queue, embedded in small batches, written with the lease in one transaction.

A crash between the write of a text and of its vectors loses nothing: the item's lease ends and somebody takes it up again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from lodmem.errors import ModelError, ModelMismatch, ModelUnavailable, StoreBusy, StoreClosed
from lodmem.ports import Clock, Embedder, EmbedInput, Store, Vectors, WorkItem

TASK = "embed"
BATCH = 16
LEASE_US = 120_000_000
RETRY_US = 5_000_000
MAX_ATTEMPTS = 8
LONGEST_WAIT = 60
PREDECESSOR_WORDS = 100


def vectors_of(inputs: Sequence[EmbedInput], embedder: Embedder) -> list[Vectors]:
    """Own and joint vectors of each memory; one embedding call for all of them.

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
    embedded = embedder.embed(texts)
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


def _tail(text: str) -> str:
    words = text.split()
    return text if len(words) <= PREDECESSOR_WORDS else " ".join(words[-PREDECESSOR_WORDS:])


class EmbedWorker:
    """Works off the embedding queue, in the caller's thread (`run`) or in its own (`start`). One batch at a time."""

    def __init__(self, store: Store, embedder: Embedder, clock: Clock, name: str) -> None:
        self._store, self._embedder, self._clock, self._name = store, embedder, clock, name
        self._turn = threading.Lock()
        self._wake = threading.Condition()
        self._pending = False
        self._closing = False
        self._thread: threading.Thread | None = None
        self.last_error: ModelError | None = None

    def run(self, progress: Callable[[int], None] | None = None) -> int:
        """Embed until nothing is due; how many memories were done. Raises ModelError: the rest stays queued."""
        done = 0
        while True:
            with self._turn:
                count = self._batch()
            if not count:
                return done
            done += count
            if progress is not None:
                progress(done)

    def start(self) -> None:
        """Work in the background from now on, whenever `nudge` says there is something."""
        with self._wake:
            self._pending = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="lodmem-embed", daemon=True)
                self._thread.start()
            self._wake.notify_all()

    def close(self, timeout: float = 30.0) -> None:
        """End after the batch at hand; what is left stays queued."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join(timeout)

    def _batch(self) -> int:
        now = self._clock.now_us()
        items = self._store.claim(TASK, worker=self._name, now_us=now, lease_us=LEASE_US, limit=BATCH)
        if not items:
            return 0
        ids = [item.memory_id for item in items if item.memory_id is not None]
        try:
            found = vectors_of(self._store.embed_inputs(ids), self._embedder)
            key = self._embedder.identity.key
        except ModelError as error:
            self._give_back(items, error, now)
            raise
        if key != self._store.active_model():
            self._store.release([item.id for item in items], error=ModelMismatch.code, retry_us=now)
            raise mismatch(self._store.active_model(), key)
        self._store.put_vectors(key, found, done=[item.id for item in items])
        self.last_error = None
        return len(items)

    def _give_back(self, items: Sequence[WorkItem], error: ModelError, now_us: int) -> None:
        """Later again. A model that is away may stay away for long; one that answers nonsense is asked MAX_ATTEMPTS times."""
        self.last_error = error
        hopeless = {i.id for i in items if i.attempts >= MAX_ATTEMPTS and not isinstance(error, ModelUnavailable)}
        waits = min(max((item.attempts for item in items), default=1), LONGEST_WAIT)
        self._store.release(
            [item.id for item in items if item.id not in hopeless], error=error.code, retry_us=now_us + waits * RETRY_US
        )
        self._store.release(sorted(hopeless), error=error.code, retry_us=None)

    def _loop(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._pending or self._closing)
                if self._closing:
                    return
                self._pending = False
            try:
                while not self._closing:
                    with self._turn:
                        if not self._batch():
                            break
            except (StoreClosed, ModelMismatch):
                return
            except (ModelError, StoreBusy):
                with self._wake:
                    self._wake.wait_for(lambda: self._closing, RETRY_US / 1e6)
                    self._pending = True


def mismatch(stored: str, wanted: str) -> ModelMismatch:
    """The error for vectors of another embedding model than the one at hand."""
    made = f"was made with the embedding model {stored}" if stored else "was made without an embedding model"
    return ModelMismatch(
        f"the store {made}, but {wanted} is configured",
        hint="run `lodmem reindex` to embed it anew; the old index serves until then",
    )
