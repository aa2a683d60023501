"""One suite over every back end: a test that takes `store` or `backend` runs once for each."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package; their kit is found from here, as in its subprocesses

from contract_kit import BACKENDS, Backend

from lodmem.ports import Store


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """An empty place. At the end nothing that was opened on it may be left."""
    place = BACKENDS[request.param](tmp_path)
    connections, threads = place.resources(), set(threading.enumerate())
    yield place
    assert place.resources() == connections, "a connection is left open"
    assert set(threading.enumerate()) <= threads, "a thread is left running"


@pytest.fixture
def open_store(backend: Backend) -> Iterator[Callable[[], Store]]:
    """Opens handles on the same store; each is closed at the end."""
    opened: list[Store] = []

    def opener() -> Store:
        opened.append(backend.open())
        return opened[-1]

    yield opener
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[], Store]) -> Store:
    """An empty store."""
    return open_store()
