"""What tests share: a clock that is set by hand, a fast deterministic embedder, engines that close themselves."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import lodmem
from lodmem.engine import Engine
from lodmem.errors import ModelUnavailable
from lodmem.model.landscape import Landscape, View
from lodmem.model.memory import Memory, to_datetime, to_us
from lodmem.ports import Embedder, EmbedderIdentity, Floats

# The same examples every time, whatever the machine is busy with; `--hypothesis-profile=explore` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("steady")

MakeEngine = Callable[..., Engine]
START = datetime(2025, 6, 2, 12, 0, tzinfo=UTC)  # a Monday


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: datetime = START) -> None:
        self._now = to_us(start)

    def now_us(self) -> int:
        return self._now

    @property
    def now(self) -> datetime:
        return to_datetime(self._now)

    def advance(self, *, days: float = 0.0, seconds: float = 0.0) -> None:
        self._now += round((days * 86_400 + seconds) * 1_000_000)

    def set(self, when: datetime) -> None:
        self._now = to_us(when)

    def ago(self, days: float) -> datetime:
        return self.now - timedelta(days=days)


class FakeEmbedder:
    """A bag of words, each word hashed to a direction: equal texts have cosine 1, texts with shared words are near.

    `same` makes words mean the same ("feline": "cat"). While `broken` is set it is unavailable and says so.
    """

    def __init__(self, dims: int = 16, *, name: str = "fake", same: dict[str, str] | None = None) -> None:
        self._identity = EmbedderIdentity(name=name, revision="1", dims=dims)
        self._same = same or {}
        self.broken = ""
        self.texts: list[str] = []

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def embed(self, texts: Sequence[str]) -> Floats:
        if self.broken:
            raise ModelUnavailable(self.broken)
        self.texts += texts
        if not texts:
            return np.zeros((0, self._identity.dims), dtype=np.float32)
        return np.stack([self.vector(text) for text in texts])

    def vector(self, text: str) -> Floats:
        total = np.zeros(self._identity.dims)
        for word in re.findall(r"\w+", text.lower()):
            total += direction(self._same.get(word, word), self._identity.name, self._identity.dims)
        length = float(np.linalg.norm(total))
        if not length:
            total[0] = length = 1.0
        return (total / length).astype(np.float32)


@lru_cache(maxsize=4096)
def direction(word: str, name: str, dims: int) -> np.ndarray:
    return np.random.default_rng(zlib.crc32(f"{name}:{word}".encode())).standard_normal(dims)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def fake_embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def make_engine(tmp_path: Path, clock: FakeClock, fake_embedder: FakeEmbedder) -> Iterator[MakeEngine]:
    """Opens engines on a store of the test (or on `path`), with the fake clock and embedder and nothing in the background."""
    with ExitStack() as stack:

        def make(path: Path | str | None = None, *, embedder: str | Embedder | None = None, **more: object) -> Engine:
            given: dict[str, object] = {"clock": clock, "background": False, "zone": "UTC"} | more
            model = fake_embedder if embedder is None else embedder
            return stack.enter_context(lodmem.open(path or tmp_path / "memory.db", embedder=model, **given))  # type: ignore[arg-type]

        yield make


@pytest.fixture
def engine(make_engine: MakeEngine) -> Engine:
    return make_engine()


def settled(engine: Engine, memory_id: int) -> Memory:
    """The memory as it is when everything waiting has been written."""
    engine._recorder.flush()
    return engine.expand(memory_id, touch=False)[0]


def view_of(landscape: Landscape, memory_id: int) -> View:
    """The one view of a memory; it must be shown."""
    (view,) = [view for view in landscape.views if view.id == memory_id]
    return view
