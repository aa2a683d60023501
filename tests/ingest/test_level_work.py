"""The queue of levels through an engine with a language model: written, checked, counted, resumed, within the cap."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.errors import BadParameter, ModelUnavailable, UnknownMemory
from lodmem.ingest.level_work import TASK
from lodmem.ingest.work.task import LEASE_US
from tests.chat_server import ChatServer, chat_server, hang, says, status
from tests.conftest import FakeClock, MakeEngine, settled
from tests.ingest.levels_kit import FULL, LEAD, SUMMARY, good, until

pytestmark = pytest.mark.req("R5.5")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        made.reply = good
        yield made


@pytest.fixture
def make(make_engine: MakeEngine, server: ChatServer) -> Callable[..., Engine]:
    def build(**more: Any) -> Engine:
        return make_engine(llm="openai:tiny", llm_url=server.url, **more)

    return build


def remember(engine: Engine, count: int = 1) -> list[int]:
    return [engine.remember(FULL.format(n=n + 1)).id for n in range(count)]


def test_what_is_remembered_waits_and_is_written(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make()
    (memory_id,) = remember(engine)
    assert settled(engine, memory_id).written_by == "extractive"
    assert server.requests == [], "a write waits for no model"
    assert engine.llm_account().waiting == 1
    seen: list[tuple[int, int]] = []
    done = engine.relevel(progress=lambda n, total: seen.append((n, total)))
    assert (done.memories, dict(done.written), done.kept, done.left, done.stopped) == (
        1,
        {"summary": 1, "headline": 1},
        {},
        0,
        "",
    )
    assert seen == [(1, 1)]
    memory = settled(engine, memory_id)
    assert (memory.summary, memory.headline.split(" · ")[0], memory.written_by) == (SUMMARY, LEAD, "tiny")
    assert memory.full == FULL.format(n=1)
    assert len(server.requests) == 2
    assert engine.relevel().memories == 0
    assert [entry.detail["level"] for entry in engine.audit_log() if entry.verb == "levels"] == ["summary", "headline"]
    assert engine.check() == []


def test_without_a_model_nothing_changes(engine: Engine) -> None:
    remember(engine)
    assert engine.llm_account().waiting == 0
    with pytest.raises(BadParameter, match="no language model"):
        engine.relevel()


def test_a_bad_level_is_counted_and_the_extractive_one_stays(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make()
    (memory_id,) = remember(engine)
    before = settled(engine, memory_id)
    server.reply = lambda system, user: "Dora moved the launch to July 7 after the tests in Oslo had failed three times."
    done = engine.relevel()
    assert (done.kept, done.written) == ({"says what the text does not": 2}, {})
    after = settled(engine, memory_id)
    assert (after.summary, after.headline, after.written_by) == (before.summary, before.headline, "extractive")
    kept = [entry.detail for entry in engine.audit_log() if entry.verb == "levels_kept"]
    assert [(entry["level"], entry["reason"]) for entry in kept] == [
        ("summary", "says what the text does not"),
        ("headline", "says what the text does not"),
    ]
    assert "Oslo" not in str(kept)


def test_what_did_not_pass_is_asked_about_once_a_model_unless_again(
    make: Callable[..., Engine], make_engine: MakeEngine, server: ChatServer
) -> None:
    engine = make()
    bad, fair = remember(engine, 2)
    invented = "Dora moved the launch to July 7 after the tests in Oslo had failed three times."
    server.reply = lambda system, user: invented if "headline" in user or "number 1 " in user else good(system, user)
    engine.relevel()
    assert settled(engine, bad).written_by == "extractive"
    assert settled(engine, fair).written_by == "tiny", "one level that passed is enough"
    server.requests.clear()
    assert engine.relevel(None).memories == 0
    assert server.requests == []
    assert engine.relevel(None, again=True).memories == 2
    assert engine.relevel([bad]).memories == 1, "whoever names it is heard"
    server.reply = good
    other = make_engine(llm="openai:large", llm_url=server.url)
    assert other.relevel(None).memories == 1, "another model is another chance"
    assert settled(other, bad).written_by == "large"


def test_short_memories_cost_nothing(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make()
    engine.remember("Brian drinks tea.")
    done = engine.relevel()
    assert (done.memories, done.short, server.requests) == (1, 1, [])


def test_chosen_memories_are_done_again(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make()
    first, second = remember(engine, 2)
    engine.relevel()
    server.requests.clear()
    assert engine.relevel([second]).memories == 1
    assert all("number 2 " in request["messages"][1]["content"] for request in server.requests)
    with pytest.raises(UnknownMemory):
        engine.relevel([first, 99])


def test_all_means_those_without_and_again_means_all(make: Callable[..., Engine], make_engine: MakeEngine) -> None:
    remember(make_engine(), 2)
    engine = make()
    engine.remember("Brian drinks tea.")
    assert engine.relevel(None).memories == 3, "two from before, and the short one that waited"
    assert engine.relevel(None).memories == 0
    assert engine.relevel(None, again=True).memories == 2


def test_the_cap_stops_it_and_the_rest_waits(make: Callable[..., Engine], server: ChatServer, clock: FakeClock) -> None:
    engine = make(llm_cap="day=2000")
    server.script = [says(None, usage={"prompt_tokens": 400, "completion_tokens": 50})] * 20
    remember(engine, 3)
    done = engine.relevel()
    assert "spend cap a day" in done.stopped
    assert 0 < done.memories < 3
    assert done.left == 3 - done.memories
    assert sum(spent.tokens for spent in engine.llm_account().today) <= 2000
    clock.advance(days=1)
    assert engine.relevel().memories > 0


def test_a_model_that_is_away_leaves_all_in_the_queue(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make()
    remember(engine, 2)
    server.script = [says(None), status(401)]
    with pytest.raises(ModelUnavailable, match="401"):
        engine.relevel()
    assert engine.llm_account().waiting == 2
    done = engine.relevel()
    assert (done.memories, done.left) == (2, 0)
    assert len(server.requests) == 2 + 3, "the summary that was written is not asked for again"


def test_a_killed_workers_memory_is_done_when_its_lease_ends(make: Callable[..., Engine], clock: FakeClock) -> None:
    engine = make()
    (memory_id,) = remember(engine)
    store = engine._store
    assert len(store.claim(TASK, worker="killed", now_us=clock.now_us(), lease_us=LEASE_US, limit=1)) == 1
    assert engine.relevel().memories == 0, "somebody has it"
    clock.advance(seconds=LEASE_US / 1e6)
    assert engine.relevel().memories == 1
    assert settled(engine, memory_id).written_by == "tiny"


def test_an_interrupted_worker_gives_its_memory_back(
    make: Callable[..., Engine], server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make()
    (memory_id,) = remember(engine)
    counted = engine._counter.count

    def interrupted(text: str) -> int:
        if text == SUMMARY:
            raise KeyboardInterrupt
        return counted(text)

    with monkeypatch.context() as patched:
        patched.setattr(engine._counter, "count", interrupted)
        with pytest.raises(KeyboardInterrupt):
            engine.relevel()
    assert engine.relevel().memories == 1
    assert settled(engine, memory_id).written_by == "tiny"


def test_a_forgotten_memory_is_passed_over(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make()
    first, second = remember(engine, 2)

    def forgetting(system: str, user: str) -> str:
        if "number 1 " in user:
            engine.forget(first)
        return good(system, user)

    server.reply = forgetting
    done = engine.relevel()
    assert done.left == 0
    assert settled(engine, second).written_by == "tiny"


def test_searches_show_the_new_levels(make: Callable[..., Engine]) -> None:
    engine = make()
    remember(engine)
    engine.relevel()
    found = engine.search("launch", theta1=1.0, theta2=0.0, theta3=0.0, facing=False)
    assert found.views[0].text == SUMMARY


def test_the_python_api_takes_language_settings(tmp_path: Path, server: ChatServer) -> None:
    with lodmem.open(tmp_path / "m.db", embedder="none", llm="anthropic:tiny", llm_url=server.url, llm_api_key="k") as engine:
        assert engine.llm_try().text == SUMMARY
    assert server.requests[0]["path"] == "/v1/messages"


def test_an_interrupted_run_of_several_threads_gives_all_back(
    make: Callable[..., Engine], server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make()
    remember(engine, 4)
    engine.work(tasks=["embed", "judge"])
    server.script = [hang] * 3

    def interrupted(self: threading.Thread, timeout: float | None = None) -> None:
        until(lambda: len(server.requests) == 3)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "join", interrupted)
        with pytest.raises(KeyboardInterrupt):
            engine.work(workers=3)
    assert [state.due for state in engine.queue() if state.task == "levels"] == [4]
    server.released.set()
    until(lambda: not any(thread.name.startswith("lodmem-work") for thread in threading.enumerate()))
    assert engine.relevel().memories == 4
