"""Random input for every entry point: an answer or an error of lodmem.errors comes back, nothing else, and nothing is lost."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# Tests are no package: their kits are found from here.
sys.path.insert(0, str(Path(__file__).parents[1] / "surfaces"))
sys.path.insert(0, str(Path(__file__).parent))

from samples import fill

import lodmem
from lodmem.engine import Engine


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """One folder for a session, in memory where the machine has such: examples are many and each file is small."""
    memory = Path("/dev/shm")
    where = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where) as name:
        yield Path(name)


@pytest.fixture(scope="module")
def engine(folder: Path, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """A small store in several languages, without an embedder."""
    with lodmem.open(folder / f"{request.module.__name__}.lod", embedder="none", background=False) as opened:
        fill(opened)
        yield opened
