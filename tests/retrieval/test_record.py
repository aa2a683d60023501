"""The short write behind an answer: in order, retried while the store is busy, and never the end of those that follow."""

from __future__ import annotations

import threading
import time

import pytest

from lodmem.errors import BadEncoding, StoreBusy, StoreFull
from lodmem.retrieval import record
from lodmem.retrieval.record import PATIENCE_SECONDS, Recorder

pytestmark = pytest.mark.req("R3.29")


def test_writes_come_in_order_and_flush_waits_for_them() -> None:
    recorder, done = Recorder(), []
    for n in range(100):
        recorder.submit(lambda n=n: done.append(n))  # type: ignore[misc]
    assert recorder.flush()
    assert done == list(range(100))
    recorder.close()


def test_a_busy_store_is_asked_again() -> None:
    recorder, tries = Recorder(), []

    def write() -> None:
        tries.append(1)
        if len(tries) < 3:
            raise StoreBusy("busy")

    recorder.submit(write)
    recorder.flush()
    assert len(tries) == 3
    assert recorder.failed is None
    recorder.close()


def test_a_full_disk_only_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "FULL_RETRY_SECONDS", 0.01)
    recorder, tries = Recorder(), []

    def write() -> None:
        tries.append(1)
        if len(tries) < 4:
            raise StoreFull("full")

    recorder.submit(write)
    recorder.submit(lambda: tries.append(2))
    assert recorder.flush(10.0)
    assert tries == [1, 1, 1, 1, 2]
    assert recorder.failed is None
    recorder.close()


def test_nobody_waits_at_the_end_for_room_on_a_disk() -> None:
    recorder, done = Recorder(), []
    error = StoreFull("full")

    def write() -> None:
        raise error

    recorder.submit(write)
    recorder.submit(lambda: done.append(1))
    begun = time.monotonic()
    recorder.close()
    assert time.monotonic() - begun < record.FULL_RETRY_SECONDS
    assert recorder.failed is error
    assert done == [1]


def test_a_write_that_fails_is_told_and_the_next_one_comes() -> None:
    recorder, done = Recorder(), []
    error = BadEncoding("half a pair")

    def fail() -> None:
        raise error

    recorder.submit(fail)
    recorder.submit(lambda: done.append(1))
    recorder.flush()
    assert done == [1]
    assert recorder.failed is error
    recorder.close()


def test_nobody_waits_long_for_a_write_that_hangs_and_not_twice() -> None:
    recorder, release = Recorder(), threading.Event()
    recorder.submit(release.wait)  # type: ignore[arg-type]
    begun = time.monotonic()
    assert not recorder.flush(30.0)
    first = time.monotonic() - begun
    assert PATIENCE_SECONDS * 0.9 < first < PATIENCE_SECONDS + 2
    assert not recorder.flush(30.0)
    assert time.monotonic() - begun - first < PATIENCE_SECONDS / 2
    release.set()
    assert recorder.flush()
    recorder.close()


def test_closing_writes_what_waits_and_without_work_does_nothing() -> None:
    recorder, done = Recorder(), []
    recorder.close()
    recorder = Recorder()
    for n in range(20):
        recorder.submit(lambda n=n: (time.sleep(0.001), done.append(n)))  # type: ignore[misc,arg-type,func-returns-value]
    recorder.close()
    assert done == list(range(20))
