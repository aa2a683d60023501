"""The one thread of an engine: what it does at once, what it keeps for idle time, that it is in nobody's way, that it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from lodmem.engine import Engine
from lodmem.ingest.work import background
from lodmem.ingest.work.background import IDLE_US
from tests.chat_server import ChatServer, chat_server, hang, status
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine, settled
from tests.ingest.levels_kit import FULL, good, until

pytestmark = pytest.mark.req("R5.23")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        made.reply = good
        yield made


@pytest.fixture
def busy(make_engine: MakeEngine, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An engine with a language model and its thread, which looks often whether it is idle."""
    monkeypatch.setattr(background, "TICK_S", 0.02)
    monkeypatch.setattr(background, "POLL_S", 0.05)
    return make_engine(background=True, llm="openai:tiny", llm_url=server.url)


def test_embedding_at_once_and_levels_when_idle(busy: Engine, server: ChatServer, clock: FakeClock) -> None:
    memory_id = busy.remember(FULL.format(n=1)).id
    until(lambda: busy.stats().embedded_passages == 1)
    clock.advance(seconds=IDLE_US / 1e6 - 1)
    busy.search("launch")
    clock.advance(seconds=1)
    time.sleep(0.2)
    assert server.requests == [], "somebody was here a second ago"
    clock.advance(seconds=IDLE_US / 1e6)
    until(lambda: busy.llm_account().waiting == 0)
    assert settled(busy, memory_id).written_by == "tiny"
    assert len(server.requests) == 2


def test_it_holds_up_no_verb(busy: Engine, server: ChatServer, clock: FakeClock) -> None:
    server.script = [hang]
    busy.remember(FULL.format(n=1))
    clock.advance(seconds=IDLE_US / 1e6)
    until(lambda: len(server.requests) == 1)
    begun = time.monotonic()
    added = busy.remember("Brian drinks tea.")
    assert added.id in busy.search("tea").ids
    busy.promote(added.id)
    assert time.monotonic() - begun < 2
    until(lambda: busy.stats().embedded_passages == 1, 5)
    server.released.set()


def test_it_ends_within_a_second_and_its_work_is_due_again(
    busy: Engine, server: ChatServer, clock: FakeClock, make_engine: MakeEngine
) -> None:
    server.script = [hang]
    memory_id = busy.remember(FULL.format(n=1)).id
    clock.advance(seconds=IDLE_US / 1e6)
    until(lambda: len(server.requests) == 1)
    begun = time.monotonic()
    busy.close()
    assert time.monotonic() - begun < 1.7, "one second, and closing the rest on a busy machine"
    server.released.set()
    until(lambda: not any(thread.name == "lodmem-work" for thread in threading.enumerate()))
    with make_engine(llm="openai:tiny", llm_url=server.url) as again:
        assert again.relevel().memories == 1
        assert settled(again, memory_id).written_by == "tiny"
    assert len(server.requests) == 1 + 2


def test_a_model_that_is_away_pauses_its_own_work_only(
    busy: Engine, server: ChatServer, clock: FakeClock, fake_embedder: FakeEmbedder
) -> None:
    server.script = [status(401)] * 2
    fake_embedder.broken = "no model"
    busy.remember(FULL.format(n=1))
    clock.advance(seconds=IDLE_US / 1e6)
    until(lambda: len(server.requests) == 1)
    fake_embedder.broken = ""
    busy.remember("Brian drinks tea.")
    time.sleep(0.1)
    assert len(server.requests) == 1
    clock.advance(seconds=60)
    until(lambda: busy.stats().embedded_passages == 2)
    until(lambda: len(server.requests) == 2)

    def rested() -> bool:
        clock.advance(seconds=1)  # again and again: the pause begins when the answer was read
        return busy.llm_account().waiting == 0

    until(rested)


def test_what_an_earlier_process_left_is_taken_up(make_engine: MakeEngine, server: ChatServer, clock: FakeClock) -> None:
    with make_engine(llm="openai:tiny", llm_url=server.url) as first:
        first.remember(FULL.format(n=1))
    second = make_engine(background=True, llm="openai:tiny", llm_url=server.url)
    until(lambda: second.stats().embedded_passages == 1)
    clock.advance(seconds=IDLE_US / 1e6)
    second._worker.start()  # type: ignore[union-attr]
    until(lambda: second.llm_account().waiting == 0)
