"""The one thread of an engine that works off the queue: what cannot wait at once, the rest while nobody calls the engine."""

from __future__ import annotations

import threading
from contextlib import suppress

from lodmem.errors import LodmemError, StoreClosed, StoreError
from lodmem.ingest.work.runner import Runner
from lodmem.ports import Clock

IDLE_US = 5_000_000  # after the latest call
TICK_S = 1.0  # while something waits for the engine to be idle
POLL_S = 30.0  # other processes write into the same queue
BUSY_S = 5.0  # after the store could not be written
CLOSE_S = 1.0


class Background:
    """Begins with `start`, ends with `close`. `called` notes a call of the engine."""

    def __init__(self, runner: Runner, clock: Clock) -> None:
        self._runner, self._clock = runner, clock
        self._wake = threading.Condition()
        self._nudged = False
        self._closing = False
        self._thread: threading.Thread | None = None
        self._called_us = clock.now_us()

    @property
    def last_error(self) -> LodmemError | None:
        """What went wrong with the latest batch."""
        return self._runner.last_error

    def called(self) -> None:
        """Somebody calls the engine: what is not urgent waits until it is idle again."""
        self._called_us = self._clock.now_us()

    def is_idle(self) -> bool:
        """Whether nobody has called for some seconds."""
        return self._clock.now_us() - self._called_us >= IDLE_US

    def start(self) -> None:
        """Look now whether something is due, and from now on."""
        with self._wake:
            self._nudged = True
            if self._thread is None and not self._closing:
                self._thread = threading.Thread(target=self._loop, name="lodmem-work", daemon=True)
                self._thread.start()
            self._wake.notify_all()

    def close(self, timeout: float = CLOSE_S) -> None:
        """End. What is at hand may take `timeout` seconds more, then it goes back to the queue."""
        with self._wake:
            self._closing = True
            self._runner.stop()
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join(timeout)
            if self._thread.is_alive():
                with suppress(StoreError):  # else the leases end by themselves
                    self._runner.give_back()

    def _loop(self) -> None:
        while not self._closing:
            self._nudged = False
            try:
                worked = bool(self._runner.step(idle=self.is_idle()))
                wait_s = 0.0 if worked else self._rest_s()
            except StoreClosed:
                return
            except StoreError:
                wait_s = BUSY_S
            if wait_s:
                with self._wake:
                    self._wake.wait_for(lambda: self._nudged or self._closing, wait_s)

    def _rest_s(self) -> float:
        """Seconds until it is worth a look again, when nobody nudges."""
        if not self.is_idle() and any(task.idle for task in self._runner.tasks):
            return TICK_S
        ends = self._runner.pauses.next_us()
        return POLL_S if ends is None else min(POLL_S, max(TICK_S, (ends - self._clock.now_us()) / 1e6))
