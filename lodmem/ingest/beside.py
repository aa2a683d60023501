"""Processes beside this one make levels, passages and terms while it reads and writes.

Python computes in one thread, and most of a write is computing. The processes get texts and give back what they made of them;
they know no store, no metadata and no source. Whatever becomes of them nothing is lost: what they did not make is made here.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self

from lodmem.errors import LodmemError
from lodmem.ingest.building import Built, Here
from lodmem.ingest.pipeline import Admitted, Made, Raw, make, put_together, raw
from lodmem.model.memory import Prepared
from lodmem.ports import TokenCounter


class Beside:
    """Lets other processes make them while this one reads and writes. A context; `counter` must be one that can be pickled."""

    def __init__(self, counter: TokenCounter, processes: int) -> None:
        self._here = Here(counter)
        self._pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_ready, initargs=(counter,))
        self.ahead = processes + 1

    def begin(self, admitted: Sequence[Admitted], *, now_us: int) -> Built:
        """Hand a batch to a process that is free."""
        here = self._here.begin(admitted, now_us=now_us)
        if not admitted:
            return here
        try:
            made = self._pool.submit(_make_all, [raw(one, now_us) for one in admitted])
        except (RuntimeError, OSError):  # one was killed and the pool takes nothing more, or none can be started
            return here
        return partial(_finished, admitted, made, here)

    @property
    def processes(self) -> list[BaseProcess]:
        """Those that are at work."""
        return list((self._pool._processes or {}).values())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)


def _finished(admitted: Sequence[Admitted], made: Future[list[Made]], here: Built) -> list[Prepared]:
    try:
        parts = made.result()
    except (BrokenExecutor, LodmemError, MemoryError, OSError):  # what this process meets too, it tells itself
        return here()
    return [put_together(one, part) for one, part in zip(admitted, parts, strict=True)]


_counter: TokenCounter | None = None


def _ready(counter: TokenCounter) -> None:
    """What a process does first. Ctrl-C is for the one that reads; when that one is gone, so is the work."""
    global _counter
    _counter = counter
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _make_all(texts: Sequence[Raw]) -> list[Made]:
    assert _counter is not None
    return [make(one, _counter) for one in texts]
