"""Class and importance by a language model, where somebody asked for it: one call, one word, one number, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.errors import BadParameter
from lodmem.ingest.episodes import importance_of
from tests.chat_server import ChatServer, chat_server, says
from tests.conftest import MakeEngine, settled

pytestmark = pytest.mark.req("R5.14", "R5.15")

TASKS = ("class", "importance")
TEXT = "Ada decided to sell the house in May."


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


@pytest.fixture
def make(make_engine: MakeEngine, server: ChatServer) -> Callable[..., Engine]:
    def build(tasks: str, **more: Any) -> Engine:
        return make_engine(llm="openai:tiny", llm_url=server.url, llm_tasks=tasks, **more)

    return build


def judged(engine: Engine) -> dict[str, int]:
    return dict(engine.work(tasks=[task for task in TASKS if task in engine._llm_tasks]).done)


def verbs(engine: Engine, verb: str) -> list[object]:
    return [entry.detail["to"] for entry in engine.audit_log() if entry.verb == verb]


def test_one_call_one_word_or_number(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make("class, importance")
    memory_id = engine.remember(TEXT).id
    server.script = [says("**Constitutional**."), says("8")]
    assert judged(engine) == {"class": 1, "importance": 1}
    memory = settled(engine, memory_id)
    assert (memory.episode_class, memory.importance, memory.full) == ("constitutional", 0.8, TEXT)
    assert (verbs(engine, "class"), verbs(engine, "importance")) == (["constitutional"], [0.8])
    assert len(server.requests) == 2
    assert all(TEXT in request["messages"][1]["content"] for request in server.requests)
    assert {spent.task for spent in engine.llm_account().all} == {"class", "importance"}


def test_what_cannot_be_read_is_asked_once_more_and_then_told(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make("class,importance")
    memory_id = engine.remember(TEXT).id
    server.script = [says("It may be noise or uncategorized.")] * 2 + [says("between 3 and 4")] * 2
    assert judged(engine) == {"class": 1, "importance": 1}
    memory = settled(engine, memory_id)
    assert (memory.episode_class, memory.importance) == ("uncategorized", importance_of(TEXT))
    assert verbs(engine, "class") == verbs(engine, "importance") == ["no usable answer"]
    assert len(server.requests) == 4


def test_a_refusal_is_no_usable_answer(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make("class")
    memory_id = engine.remember("Never deploy on Fridays.").id
    server.script = [says("", stop="content_filter")]
    assert judged(engine) == {"class": 1}
    assert settled(engine, memory_id).episode_class == "uncategorized"


def test_what_needs_no_asking_costs_nothing(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make("class,importance")
    engine.remember("ok thanks")
    engine.remember("Brian drinks tea.", kind="semantic", importance=0.9)
    assert judged(engine) == {}
    assert server.requests == []


def test_an_importance_is_given_once(make: Callable[..., Engine], server: ChatServer) -> None:
    engine = make("importance")
    memory_id = engine.remember(TEXT, importance=None).id
    assert settled(engine, memory_id).importance == 0.5, "until the model says"
    server.script = [says("2"), says("9")]
    judged(engine)
    engine._store.enqueue("importance", [memory_id], now_us=engine.now_us)
    judged(engine)
    assert settled(engine, memory_id).importance == 0.2


def test_nobody_asked_for_it(make_engine: MakeEngine, server: ChatServer) -> None:
    engine = make_engine(llm="openai:tiny", llm_url=server.url)
    engine.remember(TEXT)
    assert not {state.task for state in engine.queue()}.intersection(TASKS)
    with pytest.raises(BadParameter, match="class: no such work"):
        engine.work(tasks=["class"])
    with pytest.raises(BadParameter, match="gist: no task of a language model"):
        lodmem.open("never.db", llm_tasks="class,gist")
