"""What tests of language models share: a server that answers by a script, and clients of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lodmem.models.chat_http import HttpChat
from lodmem.models.guarded import Bounds, GuardedModel
from lodmem.models.registry import make_chat
from lodmem.stores.sqlite.store import SqliteStore
from tests.chat_server import ChatServer, chat_server
from tests.conftest import FakeClock
from tests.models.stream_kit import KEY


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


@pytest.fixture
def store(tmp_path: Path, clock: FakeClock) -> Iterator[SqliteStore]:
    with SqliteStore.open(tmp_path / "memory.db", now_us=clock.now_us()) as made:
        yield made


@pytest.fixture
def stream_from(server: ChatServer) -> Iterator[Callable[..., HttpChat]]:
    """Makes clients that ask for streams."""
    made: list[HttpChat] = []

    def build(maker: str, **changed: Any) -> HttpChat:
        client = make_chat(maker, "tiny", **{"base_url": server.url, "api_key": KEY, "timeout_s": 5.0, **changed})
        assert isinstance(client, HttpChat)
        made.append(client)
        return client

    yield build
    for client in made:
        client.close()


@pytest.fixture
def guard(server: ChatServer, store: SqliteStore, clock: FakeClock) -> Iterator[Callable[..., GuardedModel]]:
    """Makes models within bounds, whose ledger is the store."""
    made: list[GuardedModel] = []

    def build(*, timeout_s: float = 5.0, **bounds: Any) -> GuardedModel:
        given: dict[str, Any] = {"store": store, "clock": clock, "zone": ZoneInfo("UTC"), "run": "here", "chance": lambda: 0.0}
        client = make_chat("openai", "tiny", base_url=server.url, api_key="k", timeout_s=timeout_s)
        made.append(GuardedModel(client, Bounds(**given | bounds)))
        return made[-1]

    yield build
    for model in made:
        model.close()
