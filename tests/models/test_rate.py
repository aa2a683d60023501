"""Requests and tokens a minute: who has no room waits for it, whatever process took it, and it is shown that he waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from lodmem.errors import ModelUnavailable, SpendCapReached
from lodmem.model.spend import MINUTE_US, Caps, LlmCall, Outcome, Rate
from lodmem.models.chat import most_tokens
from lodmem.models.guarded import TRY, GuardedModel, Waits
from lodmem.ports import Wait
from lodmem.stores.sqlite.store import SqliteStore
from tests.chat_server import ChatServer, breaks_off, pours, says, status
from tests.conftest import FakeClock
from tests.models.stream_kit import ASKED, streamed

pytestmark = pytest.mark.req("R5.5")

WORST = most_tokens(*ASKED) + 50


Make = Callable[..., GuardedModel]


@pytest.fixture
def make(guard: Make, clock: FakeClock) -> Make:
    """Models whose sleep moves the clock."""

    def build(calls: int | None = None, tokens: int | None = None, **bounds: Any) -> GuardedModel:
        caps = Caps(tokens={}, rate=Rate(calls, tokens))
        return guard(**{"caps": caps, "sleep": lambda seconds: clock.advance(seconds=seconds), **bounds})

    return build


def ask(model: GuardedModel, task: str = "summary") -> str:
    return model.complete(*ASKED, max_tokens=50, task=task).text


def seconds(store: SqliteStore) -> list[float]:
    """When the calls were made, from the first one on."""
    times = [call.at_us for call in store.calls_since(0)]
    return [(at_us - times[0]) / 1e6 for at_us in times]


def test_without_a_limit_nobody_waits(store: SqliteStore, make: Make) -> None:
    model = make()
    for _ in range(5):
        ask(model)
    assert seconds(store) == [0.0] * 5


def test_requests_wait_for_their_turn(store: SqliteStore, clock: FakeClock, make: Make) -> None:
    model = make(2)
    for pause in (0, 10, 0, 0, 0):
        clock.advance(seconds=pause)
        ask(model)
    assert seconds(store) == [0.0, 10.0, 60.0, 70.0, 120.0]


def test_tokens_wait_for_their_turn(store: SqliteStore, clock: FakeClock, make: Make) -> None:
    model = make(tokens=WORST + 25)
    for pause in (0, 1, 1, 1):
        clock.advance(seconds=pause)
        ask(model)  # comes to 10 tokens
    assert seconds(store) == [0.0, 1.0, 2.0, 60.0]


def test_a_request_of_more_than_a_minute_has_goes_alone(store: SqliteStore, clock: FakeClock, make: Make) -> None:
    model = make(tokens=5)
    ask(model)
    clock.advance(seconds=20)
    ask(model)
    assert seconds(store) == [0.0, 60.0]


def test_it_looks_again_since_calls_end_at_less_than_their_worst(store: SqliteStore, clock: FakeClock, make: Make) -> None:
    open_call = store.reserve_call(
        LlmCall(at_us=clock.now_us(), run="other", model="other", task="x", tokens_in=900, tokens_out=100), []
    )
    assert isinstance(open_call, int)

    def sleep(seconds: float) -> None:
        clock.advance(seconds=seconds)
        store.settle_call(open_call, tokens_in=1, tokens_out=1, cost=0, outcome=Outcome.DONE)

    ask(make(tokens=1000, sleep=sleep))
    assert seconds(store) == [0.0, 5.0]


def test_the_limit_holds_for_other_processes_models_and_after_a_restart(store: SqliteStore, make: Make) -> None:
    ask(make(1, run="first"))
    with SqliteStore.open(store.path, now_us=0) as again:
        ask(make(1, run="second", store=again))
    assert seconds(store) == [0.0, 60.0]


def test_each_attempt_is_a_request(server: ChatServer, store: SqliteStore, make: Make) -> None:
    server.script = [status(500)]
    ask(make(1))
    assert seconds(store) == [0.0, 60.0]


def test_a_cap_is_not_waited_for(store: SqliteStore, clock: FakeClock, make: Make) -> None:
    began = clock.now_us()
    model = make(caps=Caps(tokens={"store": WORST}, rate=Rate(1)))
    ask(model)
    with pytest.raises(SpendCapReached):
        ask(model)
    assert clock.now_us() == began


def test_a_person_who_tries_it_waits_too(store: SqliteStore, make: Make) -> None:
    model = make(1)
    ask(model)
    ask(model, TRY)
    assert seconds(store) == [0.0, 60.0]


def test_a_model_that_began_to_rest_meanwhile_is_not_asked(server: ChatServer, store: SqliteStore, make: Make) -> None:
    server.script = [status(401)] * 4
    for _ in range(4):
        with pytest.raises(ModelUnavailable, match="401"):
            ask(make())
    model = make(1, sleep=lambda _: fail_once())

    def fail_once() -> None:
        server.script = [status(401)]
        with pytest.raises(ModelUnavailable, match="401"):
            ask(make())

    with pytest.raises(ModelUnavailable, match="left in peace until"):
        ask(model)
    assert len(server.requests) == 5


def test_calls_of_the_future_are_not_waited_for(store: SqliteStore, clock: FakeClock, make: Make) -> None:
    model = make(1)
    clock.advance(seconds=3600)
    ask(model)
    clock.advance(seconds=-3600)
    with pytest.raises(ModelUnavailable, match="again at 13:01:00: for its turn: 1 requests a minute") as caught:
        ask(model)
    assert "lodmem llm" in caught.value.hint
    assert len(store.calls_since(0)) == 1


def test_many_at_once_do_not_pass_the_limit_together(
    server: ChatServer, store: SqliteStore, clock: FakeClock, make: Make
) -> None:
    """Each sleeper moves the one clock on: what counts is what any sixty seconds hold."""
    server.script = [says("x")] * 99
    others = [SqliteStore.open(store.path, now_us=0) for _ in range(3)]
    lock = threading.Lock()

    def sleep(seconds: float) -> None:
        with lock:
            clock.advance(seconds=seconds)

    def work(model: GuardedModel) -> None:
        for _ in range(4):
            ask(model)

    models = [make(3, store=other, run=str(n), sleep=sleep) for n, other in enumerate(others)]
    threads = [threading.Thread(target=work, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    times = [call.at_us for call in store.calls_since(0)]
    assert len(times) == 12
    assert all(later - earlier >= MINUTE_US for earlier, later in zip(times, times[3:], strict=False))


def test_what_is_waited_for_can_be_seen(server: ChatServer, clock: FakeClock, make: Make) -> None:
    waits, seen = Waits(), list[Wait | None]()
    began = clock.now_us()

    def sleep(seconds: float) -> None:
        seen.append(waits.first())
        clock.advance(seconds=seconds)

    model = make(1, 5000, waits=waits, sleep=sleep)
    ask(model)
    ask(model)
    assert set(seen) == {Wait(began + MINUTE_US, "tiny waits for its turn: 1 requests and 5,000 tokens a minute")}
    server.script = [status(429, Retry_After="20")]
    seen.clear()
    ask(make(waits=waits, sleep=sleep))
    assert seen == [Wait(began + MINUTE_US + 20_000_000, "tiny waits to try again")]
    assert waits.first() is None


def test_the_wait_that_ends_first_is_shown(make: Make) -> None:
    waits, late, soon = Waits(), Wait(9, "late"), Wait(5, "soon")
    with waits.noted(late):
        with waits.noted(soon):
            assert waits.first() == soon
        assert waits.first() == late


# -- what a broken stream counts ------------------------------------------------------------------------------------------


def test_half_a_stream_is_counted_with_what_came_and_tried_again(server: ChatServer, store: SqliteStore, make: Make) -> None:
    half = pours(streamed("openai", "Once ", "upon", stop=None, done=False), then=breaks_off)
    server.script = [half]
    assert make().complete(*ASKED, max_tokens=2000, task="summary").text == "ready"
    broken, done = store.calls_since(0)
    assert (broken.outcome, broken.tokens_in, broken.tokens_out) == (
        Outcome.UNAVAILABLE, most_tokens(*ASKED), most_tokens("Once upon"),
    )  # fmt: skip
    assert (done.outcome, done.tokens_in, done.tokens_out) == (Outcome.DONE, 7, 3)


def test_half_a_stream_is_never_an_answer(server: ChatServer, store: SqliteStore, make: Make) -> None:
    half = pours(streamed("openai", "Once ", "upon", stop=None, done=False))
    server.script = [half, half]
    with pytest.raises(ModelUnavailable, match="ended its answer in the middle") as caught:
        ask(make(attempts=2))
    assert "LODMEM_LLM_STREAM=off" in caught.value.hint
    assert [call.outcome for call in store.calls_since(0)] == [Outcome.UNAVAILABLE] * 2
