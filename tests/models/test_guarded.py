"""A language model within bounds: retries, the spend cap, the breaker, all of it kept in a store that others see."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lodmem.errors import ModelBadAnswer, ModelError, ModelRefused, ModelUnavailable, SpendCapReached
from lodmem.model.spend import Caps, Outcome, Price
from lodmem.models.chat import most_tokens
from lodmem.models.guarded import TRY, GuardedModel
from lodmem.ports import LanguageModel
from lodmem.stores.sqlite.store import SqliteStore
from tests.chat_server import Behaviour, ChatServer, hang, says, status, thirty_megabytes
from tests.conftest import FakeClock

pytestmark = pytest.mark.req("R5.5")

UTC = ZoneInfo("UTC")
FREE = Caps(tokens={})
WORST_IN = most_tokens("Be brief.", "Who?")
WORST = WORST_IN + 50


@pytest.fixture
def waits() -> list[float]:
    return []


Make = Callable[..., GuardedModel]


@pytest.fixture
def make(guard: Make, waits: list[float]) -> Make:
    """Models that note how long they would have slept."""
    return lambda caps=FREE, **bounds: guard(**{"caps": caps, "sleep": waits.append, **bounds})


def ask(model: LanguageModel, task: str = "summary") -> str:
    return model.complete("Be brief.", "Who?", max_tokens=50, task=task).text


def outcomes(store: SqliteStore) -> list[Outcome]:
    """Of all calls, oldest first."""
    return [call.outcome for call in reversed(store.recent_calls("tiny", limit=99))]


# -- attempts -------------------------------------------------------------------------------------------------------------


def test_a_call_is_counted_with_what_it_used(store: SqliteStore, make: Make) -> None:
    assert ask(make(Caps(tokens={}, prices={"tiny": Price(1.0, 2.0)}))) == "ready"
    (spent,) = store.spent()
    assert (spent.model, spent.task, spent.calls, spent.failed) == ("tiny", "summary", 1, 0)
    assert (spent.tokens_in, spent.tokens_out, spent.cost) == (7, 3, 13)


def test_what_may_pass_is_tried_again_each_attempt_a_call(
    server: ChatServer, store: SqliteStore, make: Make, waits: list[float]
) -> None:
    server.script = [status(500), status(429, Retry_After="7")]
    assert ask(make()) == "ready"
    assert waits == [0.5, 7.0]
    assert outcomes(store) == [Outcome.UNAVAILABLE, Outcome.UNAVAILABLE, Outcome.DONE]
    assert store.spent()[0].tokens == 10


def test_waits_are_spread_by_chance(server: ChatServer, make: Make, waits: list[float]) -> None:
    server.script = [status(500), status(500), status(429, Retry_After="7")]
    ask(make(chance=lambda: 1.0))
    assert waits == [0.75, 1.5, 8.0]


def test_it_gives_up_after_its_attempts(server: ChatServer, make: Make, waits: list[float]) -> None:
    server.script = [status(503, "busy")] * 9
    with pytest.raises(ModelUnavailable, match="503: busy"):
        ask(make(attempts=3))
    assert (len(server.requests), waits) == (3, [0.5, 1.0])


def test_a_long_retry_after_is_not_waited_for(server: ChatServer, make: Make, waits: list[float]) -> None:
    server.script = [status(429, Retry_After="3600")]
    with pytest.raises(ModelUnavailable, match="429") as caught:
        ask(make())
    assert "3600 s" in caught.value.hint
    assert waits == []


@pytest.mark.parametrize(
    ("behaviour", "error", "outcome", "tokens"),
    [
        (says("", refusal="no"), ModelRefused, Outcome.REFUSED, 10),
        (says(""), ModelBadAnswer, Outcome.BAD_ANSWER, 10),
        (status(200, "<html>"), ModelBadAnswer, Outcome.BAD_ANSWER, WORST),
        (thirty_megabytes, ModelBadAnswer, Outcome.BAD_ANSWER, WORST),
        (status(400, "context too long"), ModelBadAnswer, Outcome.BAD_ANSWER, 0),
        (status(401, "no"), ModelUnavailable, Outcome.UNAVAILABLE, 0),
    ],
)
def test_what_will_not_pass_is_asked_once_and_counted(
    server: ChatServer, store: SqliteStore, make: Make, behaviour: Behaviour, error: type, outcome: Outcome, tokens: int
) -> None:
    server.script = [behaviour]
    with pytest.raises(error):
        ask(make())
    assert (len(server.requests), outcomes(store), store.spent()[0].tokens) == (1, [outcome], tokens)


def test_an_answer_that_never_came_counts_at_its_worst(server: ChatServer, store: SqliteStore, make: Make) -> None:
    server.script = [hang, hang]
    with pytest.raises(ModelUnavailable, match=r"within 0\.15 s"):
        ask(make(timeout_s=0.15, attempts=2))
    assert store.spent()[0].tokens == 2 * WORST


# -- the spend cap --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", ["day", "run", "store"])
def test_a_call_that_could_pass_the_cap_is_not_made(server: ChatServer, store: SqliteStore, make: Make, period: str) -> None:
    model = make(Caps(tokens={period: WORST + 10}))
    ask(model)
    ask(model)
    with pytest.raises(SpendCapReached, match=f"a {period}: {WORST + 10} tokens") as caught:
        ask(model)
    assert "LODMEM_LLM_CAP" in caught.value.hint
    assert (len(server.requests), store.spent()[0].calls) == (2, 2)


def test_the_cap_holds_for_another_process_and_after_a_restart(store: SqliteStore, make: Make) -> None:
    ask(make(Caps(tokens={"day": WORST}), run="first"))
    again = SqliteStore.open(store.path, now_us=0)
    with again, pytest.raises(SpendCapReached):
        ask(make(Caps(tokens={"day": WORST}), run="second", store=again))


def test_a_run_has_its_own_cap(make: Make) -> None:
    caps = Caps(tokens={"run": WORST})
    ask(make(caps, run="first"))
    ask(make(caps, run="second"))
    with pytest.raises(SpendCapReached):
        ask(make(caps, run="second"))


def test_a_day_begins_at_midnight_where_the_user_is(clock: FakeClock, make: Make) -> None:
    tokyo = ZoneInfo("Asia/Tokyo")  # 21:00 there
    model = make(Caps(tokens={"day": WORST}), zone=tokyo)
    ask(model)
    clock.advance(seconds=3 * 3600 - 1)
    with pytest.raises(SpendCapReached):
        ask(model)
    clock.advance(seconds=1)
    assert ask(model) == "ready"


def test_money_is_capped_too(make: Make) -> None:
    prices = {"tiny": Price(2.0, 4.0)}
    worst = 2 * WORST_IN + 4 * 50
    model = make(Caps(tokens={}, cost={"store": worst + 25}, prices=prices))
    ask(model)
    with pytest.raises(SpendCapReached, match="money") as caught:
        ask(model)
    assert "LODMEM_LLM_CAP_COST" in caught.value.hint


def test_a_killed_process_leaves_its_worst_case_counted(server: ChatServer, store: SqliteStore, make: Make) -> None:
    class Killed(BaseException):
        pass

    class Client:
        name = "tiny"

        def ask(self, system: str, user: str, *, max_tokens: int) -> Any:
            raise Killed

        def close(self) -> None:
            pass

    model = make(Caps(tokens={"day": WORST}))
    model._client = Client()
    with pytest.raises(Killed):
        ask(model)
    assert store.spent()[0].tokens == WORST
    with pytest.raises(SpendCapReached):
        ask(make(Caps(tokens={"day": WORST})))
    assert server.requests == []


def test_two_processes_at_once_do_not_pass_the_cap_together(server: ChatServer, store: SqliteStore, make: Make) -> None:
    cap = 4 * WORST
    server.script = [says("x", usage={"prompt_tokens": WORST_IN, "completion_tokens": 50})] * 99
    others = [SqliteStore.open(store.path, now_us=0) for _ in range(4)]
    models = [make(Caps(tokens={"day": cap}), store=other, run=str(n)) for n, other in enumerate(others)]
    stopped: list[ModelError] = []

    def work(model: GuardedModel) -> None:
        try:
            while True:
                ask(model)
        except SpendCapReached as error:
            stopped.append(error)

    threads = [threading.Thread(target=work, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    assert len(stopped) == 4
    assert len(server.requests) == 4
    assert store.spent()[0].tokens == cap


# -- the breaker ----------------------------------------------------------------------------------------------------------


def fail(server: ChatServer, model: GuardedModel, times: int) -> None:
    server.script = [status(401)] * times
    for _ in range(times):
        with pytest.raises(ModelUnavailable, match="401"):
            ask(model)


def test_a_failing_model_is_left_in_peace(server: ChatServer, clock: FakeClock, make: Make) -> None:
    model = make()
    fail(server, model, 5)
    with pytest.raises(ModelUnavailable, match="left in peace until 12:00:30"):
        ask(make(run="another process"))
    assert len(server.requests) == 5
    clock.advance(seconds=30)
    assert ask(model) == "ready"
    fail(server, model, 4)
    assert ask(model) == "ready"


def test_it_rests_longer_each_time(server: ChatServer, clock: FakeClock, make: Make) -> None:
    model = make()
    fail(server, model, 5)
    for seconds in (30, 60, 120, 240, 480, 900, 900):
        clock.advance(seconds=seconds - 1)
        with pytest.raises(ModelUnavailable, match="in peace"):
            ask(model)
        clock.advance(seconds=1)
        fail(server, model, 1)


def test_a_person_may_try_a_resting_model(server: ChatServer, make: Make) -> None:
    model = make()
    fail(server, model, 5)
    assert ask(model, TRY) == "ready"
    assert ask(model) == "ready"


def test_bad_answers_do_not_make_it_rest(server: ChatServer, make: Make) -> None:
    model = make()
    server.script = [says("")] * 9
    for _ in range(9):
        with pytest.raises(ModelBadAnswer):
            ask(model)
    assert ask(model) == "ready"


def test_it_is_the_port_and_hides_the_key(make: Make) -> None:
    model = make()
    assert isinstance(model, LanguageModel)
    assert model.name == "tiny"
    assert repr(model).startswith("GuardedModel(OpenAiChat(http://127.0.0.1:")
