"""Fixtures for what only one back end promises. The made-up memories are those of the contract suite."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import apsw
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "contracts"))

from contract_kit import NOW

from lodmem.stores.sqlite.store import SqliteStore

NOBODY = 65534


@pytest.fixture(autouse=True)
def nothing_leaks() -> Iterator[None]:
    connections, threads = len(apsw.connections()), set(threading.enumerate())
    yield
    assert len(apsw.connections()) == connections, "a connection is left open"
    assert set(threading.enumerate()) <= threads, "a thread is left running"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.lod"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(path, now_us=NOW) as opened:
        yield opened


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that an unprivileged user can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.fixture
def unprivileged() -> Callable[[], AbstractContextManager[None]]:
    """A block in which permissions bind, for root too."""

    @contextmanager
    def block() -> Iterator[None]:
        root = os.geteuid() == 0
        if root:
            os.seteuid(NOBODY)
        try:
            yield
        finally:
            if root:
                os.seteuid(0)

    return block
