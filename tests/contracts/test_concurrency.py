"""Many threads and many processes on one store, and a process that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from contract_kit import NOW, SMALL, Backend, add, embedding, entry, prepared

from lodmem.model.memory import Tier
from lodmem.ports import Store

WRITER = Path(__file__).with_name("writer.py")


def start(backend: Backend, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), backend.address, name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def acknowledged(output: str) -> dict[int, int]:
    """id -> number, of every line that was printed whole."""
    lines = output.split("\n")[:-1]
    return {int(memory_id): int(n) for memory_id, n in (line.split() for line in lines)}


def test_threads_write_and_read_at_once(open_store: Callable[[], Store]) -> None:
    one, two = open_store(), open_store()
    one.activate_model(SMALL, audit=entry())

    def write(worker: int) -> list[int]:
        store = (one, two)[worker % 2]
        ids = []
        for n in range(10):
            (memory_id,) = add(store, prepared(f"worker {worker} text {n}", tags=(f"w{worker}",)), tasks=("embed",))
            store.put_vectors(SMALL.key, [embedding(memory_id)])
            store.record_use(now_us=NOW + n, retrieved=[memory_id], shown={memory_id: Tier.FULL})
            ids.append(memory_id)
        return ids

    def read(worker: int) -> bool:
        store = (one, two)[worker % 2]
        last = 0
        for _ in range(40):
            assert store.last_change() >= last
            last = store.last_change()
            rows = list(store.rows())
            assert [row.id for row in rows] == sorted({row.id for row in rows})
            for memory in store.get([row.id for row in rows]):
                assert memory.tags == (f"w{memory.full.split()[1]}",)
        return True

    with ThreadPoolExecutor(7) as pool:
        written = [pool.submit(write, worker) for worker in range(4)]
        looked = [pool.submit(read, worker) for worker in range(3)]
        ids = [memory_id for future in written for memory_id in future.result(60)]
        assert all(future.result(60) for future in looked)
    assert sorted(ids) == list(range(1, 41))
    assert {row.retrieval_count for row in one.rows()} == {1}
    assert one.backlog() == 40
    assert one.check() == []


def test_workers_share_a_queue(open_store: Callable[[], Store]) -> None:
    one, two = open_store(), open_store()
    one.add([prepared(f"text {n}") for n in range(60)], now_us=NOW)

    def work(worker: int) -> list[int | None]:
        store = (one, two)[worker % 2]
        done: list[int | None] = []
        while items := store.claim("embed", worker=str(worker), now_us=NOW, lease_us=10**12, limit=4):
            done.extend(item.memory_id for item in items)
            store.complete([item.id for item in items])
        return done

    with ThreadPoolExecutor(4) as pool:
        taken = [memory_id for batch in pool.map(work, range(4)) for memory_id in batch]
    assert sorted(map(str, taken)) == sorted(map(str, range(1, 61)))
    assert one.backlog() == 0


def test_two_processes_write_at_once(backend: Backend, store: Store) -> None:
    add(store, prepared("shared"))
    writers = [start(backend, name, 20) for name in ("left", "right")]
    outputs = [writer.communicate(timeout=60) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], outputs
    left, right = (acknowledged(out) for out, _ in outputs)
    assert len({1, *left, *right}) == 41
    for name, ids in (("left", left), ("right", right)):
        assert [memory.full for memory in store.get(list(ids))] == [f"{name} {n}" for n in ids.values()]
    assert store.usage([1])[0].retrieval_count == 40
    assert store.changes(0).last == store.last_change()
    assert store.check() == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("after", [1, 7, 30])
def test_a_killed_process_loses_nothing_acknowledged(backend: Backend, after: int) -> None:
    writer = start(backend, "killed", 100_000)
    assert writer.stdout is not None
    head = "".join(writer.stdout.readline() for _ in range(after))
    writer.send_signal(signal.SIGKILL)
    tail, errors = writer.communicate(timeout=60)
    assert writer.returncode == -signal.SIGKILL, errors
    ids = acknowledged(head + tail)
    assert len(ids) >= after
    store = backend.open()
    try:
        assert [memory.full for memory in store.get(list(ids))] == [f"killed {n}" for n in ids.values()]
        assert store.check() == []
        assert add(store, prepared("life goes on"))[0] > max(ids)
    finally:
        store.close()
