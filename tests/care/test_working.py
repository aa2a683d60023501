"""The engine's verbs about background work: all of it or some, going on until told to stop, how it stands, trying again."""

from __future__ import annotations

import threading

import pytest

from lodmem.engine import Engine
from lodmem.errors import BadParameter, ModelMismatch, StoreReadOnly
from lodmem.ingest.work.pace import MAX_ATTEMPTS
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine
from tests.ingest.levels_kit import until

pytestmark = pytest.mark.req("R5.22")


def states(engine: Engine) -> dict[str, tuple[int, int]]:
    """(due, dead) by task, of those that have any."""
    return {state.task: (state.due, state.dead) for state in engine.queue() if state.due or state.dead}


def test_all_of_it_or_some(engine: Engine) -> None:
    for n in range(20):
        engine.remember(f"note {n}")
    assert states(engine) == {"embed": (20, 0)}
    assert [state.task for state in engine.queue()][:2] == ["embed", "judge"]
    told: list[tuple[str, int, int]] = []
    done = engine.work(lambda *news: told.append(news), tasks=["embed"])
    assert (dict(done.done), told) == ({"embed": 20}, [("embed", 16, 20), ("embed", 20, 20)])
    assert states(engine) == {"judge": (20, 0)}
    assert dict(engine.work(workers=3).done) == {"judge": 20}
    assert states(engine) == {}
    assert engine.work().done == {}


def test_what_cannot_be_done_here_is_refused(engine: Engine, make_engine: MakeEngine) -> None:
    with pytest.raises(BadParameter, match="poetry: no such work"):
        engine.work(tasks=["embed", "poetry"])
    for workers in (0, 33):
        with pytest.raises(BadParameter, match="workers"):
            engine.work(workers=workers)
    reader = make_engine(read_only=True)
    for verb in (reader.work, reader.retry_dead):
        with pytest.raises(StoreReadOnly):
            verb()


def test_it_goes_on_until_it_is_told_to_stop(engine: Engine) -> None:
    stop = threading.Event()
    ended: list[object] = []
    thread = threading.Thread(target=lambda: ended.append(engine.work(until_empty=False, stop=stop).done))
    thread.start()
    for n in range(2):
        engine.remember(f"note {n}")
        until(lambda: engine._store.backlog() == 0)
    assert not ended
    stop.set()
    thread.join(10)
    assert ended == [{"embed": 2, "judge": 2}]


def test_what_was_given_up_is_tried_again(engine: Engine, fake_embedder: FakeEmbedder, clock: FakeClock) -> None:
    engine.remember("note")
    fake_embedder.vector = lambda text: 1 / 0  # type: ignore[assignment,method-assign]  # a fault
    for _ in range(MAX_ATTEMPTS):
        assert engine.work(tasks=["embed"]).done == {}
        clock.advance(days=1)
    (item,) = engine.dead_work()
    assert (item.task, item.memory_id, item.error) == ("embed", 1, "ZeroDivisionError: division by zero")
    assert engine.dead_work("judge") == []
    assert engine.retry_dead(task="judge") == 0
    del fake_embedder.vector
    assert engine.retry_dead([item.id]) == 1
    assert dict(engine.work(tasks=["embed"]).done) == {"embed": 1}


def test_another_models_store_is_left_as_it_is(engine: Engine, fake_embedder: FakeEmbedder) -> None:
    engine.remember("note")
    engine._store.activate_model(FakeEmbedder(8, name="other").identity, audit=engine._entry("model", {}, engine.now_us))
    done = engine.work(tasks=["embed"])
    assert isinstance(done.stopped["embed"], ModelMismatch)
    assert states(engine)["embed"] == (1, 0)
