"""Servers for tests: one of a test's own, or one for a whole module."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package: their kit is found from here

from http_kit import Serve, Served, filled, opened, running

from tests.conftest import FakeClock


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filled store, closed: tests take copies of it."""
    folder = tmp_path_factory.mktemp("made")
    with opened(folder, FakeClock()) as engine:
        filled(engine)
    return folder / "memory.db"


@pytest.fixture
def serve(tmp_path: Path, clock: FakeClock, made: Path) -> Iterator[Serve]:
    """Starts a server over a filled store of its own; `engine` are arguments of opening it, others those of Serving."""
    with ExitStack() as stack:

        def start(*, engine: dict[str, Any] | None = None, fill: bool = True, **more: Any) -> Served:
            if fill:
                shutil.copy(made, tmp_path)
            served = stack.enter_context(opened(tmp_path, clock, **(engine or {})))
            return stack.enter_context(running(served, **more))

        yield start


@pytest.fixture(scope="module")
def tea(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests of a module that only look, or only add."""
    with opened(tmp_path_factory.mktemp("tea"), FakeClock()) as engine:
        filled(engine)
        with running(engine) as served:
            yield served
