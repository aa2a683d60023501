"""Calls of language models: reserved within ceilings, settled, summed."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from contract_kit import DAY, NOW, SECOND, Backend

from lodmem.model.spend import Ceiling, LlmCall, Outcome, Spent
from lodmem.ports import Store

pytestmark = pytest.mark.req("R5.5")


def call(**changed: Any) -> LlmCall:
    given: dict[str, Any] = {"at_us": NOW, "run": "r", "model": "m", "task": "summary", "tokens_in": 60, "tokens_out": 40}
    return LlmCall(**given | changed)


def reserve(store: Store, *ceilings: Ceiling, **changed: Any) -> int:
    number = store.reserve_call(call(**changed), ceilings)
    assert isinstance(number, int)
    return number


def settle(store: Store, number: int, tokens_in: int = 5, tokens_out: int = 2, **changed: Any) -> None:
    given: dict[str, Any] = {"cost": 0, "outcome": Outcome.DONE} | changed
    store.settle_call(number, tokens_in=tokens_in, tokens_out=tokens_out, **given)


def test_nothing_was_called(store: Store) -> None:
    assert store.spent() == []
    assert store.recent_calls("m", limit=9) == []


def test_a_reserved_call_counts_at_its_worst_until_it_is_settled(store: Store) -> None:
    number = reserve(store, cost=30)
    worst = Spent(model="m", task="summary", calls=1, failed=0, tokens_in=60, tokens_out=40, cost=30)
    assert store.spent() == [worst]
    settle(store, number, cost=3)
    assert store.spent() == [Spent(model="m", task="summary", calls=1, failed=0, tokens_in=5, tokens_out=2, cost=3)]


def test_a_call_is_settled_once(store: Store) -> None:
    number = reserve(store)
    settle(store, number)
    settle(store, number, tokens_in=900, outcome=Outcome.BAD_ANSWER)
    settle(store, number + 7)
    assert [(s.calls, s.failed, s.tokens) for s in store.spent()] == [(1, 0, 7)]


def test_the_first_ceiling_in_the_way_is_named_and_nothing_is_written(store: Store) -> None:
    wide, narrow = Ceiling(period="store", tokens=1000), Ceiling(period="day", since_us=NOW, tokens=199)
    reserve(store, wide, narrow)
    assert store.reserve_call(call(), [wide, narrow]) == narrow
    assert store.spent()[0].calls == 1
    assert isinstance(store.reserve_call(call(tokens_out=39), [wide, narrow]), int), "exactly at the ceiling"


def test_money_has_ceilings_too(store: Store) -> None:
    ceiling = Ceiling(period="store", cost=50)
    reserve(store, ceiling, cost=30)
    assert store.reserve_call(call(cost=21), [ceiling]) == ceiling
    assert isinstance(store.reserve_call(call(cost=20), [ceiling]), int)


def test_calls_have_ceilings_too(store: Store) -> None:
    ceiling = Ceiling(period="minute", since_us=NOW, calls=2)
    reserve(store, at_us=NOW - 1)
    settle(store, reserve(store, ceiling))
    reserve(store, ceiling, at_us=NOW + SECOND, model="other")
    assert store.reserve_call(call(at_us=NOW + SECOND), [ceiling]) == ceiling
    assert isinstance(store.reserve_call(call(), [Ceiling(period="minute", since_us=NOW + 1, calls=2)]), int)


def test_a_ceiling_covers_what_came_since_and_its_run(store: Store) -> None:
    reserve(store, at_us=NOW - 1)
    reserve(store, run="other")
    since = Ceiling(period="day", since_us=NOW, tokens=200)
    own = Ceiling(period="run", run="r", tokens=200)
    assert isinstance(store.reserve_call(call(), [since, own]), int)
    assert store.reserve_call(call(), [since]) == since
    assert store.reserve_call(call(), [own]) == own


def test_sums_are_by_model_and_task(store: Store) -> None:
    for model, task, outcome in (
        ("b", "summary", Outcome.DONE),
        ("a", "summary", Outcome.REFUSED),
        ("a", "headline", Outcome.UNAVAILABLE),
        ("a", "summary", Outcome.BAD_ANSWER),
    ):
        settle(store, reserve(store, model=model, task=task), outcome=outcome)
    found = [(s.model, s.task, s.calls, s.failed, s.tokens) for s in store.spent()]
    assert found == [("a", "headline", 1, 1, 7), ("a", "summary", 2, 2, 14), ("b", "summary", 1, 0, 7)]


def test_sums_since_a_moment_and_of_a_run(store: Store) -> None:
    reserve(store, at_us=NOW - DAY)
    reserve(store, run="other")
    assert [s.calls for s in store.spent()] == [2]
    assert [s.calls for s in store.spent(since_us=NOW)] == [1]
    assert [s.calls for s in store.spent(run="r")] == [1]
    assert store.spent(since_us=NOW, run="r") == []


def test_the_latest_calls_of_a_model_come_newest_first(store: Store) -> None:
    for n in range(4):
        settle(store, reserve(store, at_us=NOW + n * SECOND, model="m" if n != 2 else "other"))
    reserve(store, at_us=NOW - SECOND)
    found = store.recent_calls("m", limit=3)
    assert [(c.at_us, c.outcome) for c in found] == [
        (NOW - SECOND, Outcome.OPEN),
        (NOW + 3 * SECOND, Outcome.DONE),
        (NOW + SECOND, Outcome.DONE),
    ]
    assert found[0] == call(at_us=NOW - SECOND)


def test_calls_since_a_moment_come_in_the_order_of_their_times(store: Store) -> None:
    for after in (2, -1, 0, 1):
        reserve(store, at_us=NOW + after, model=f"m{after}")
    settle(store, reserve(store, at_us=NOW + 1, model="settled"))
    found = store.calls_since(NOW)
    assert [(each.model, each.tokens, each.outcome) for each in found] == [
        ("m0", 100, Outcome.OPEN),
        ("m1", 100, Outcome.OPEN),
        ("settled", 7, Outcome.DONE),
        ("m2", 100, Outcome.OPEN),
    ]
    assert found[0] == call(at_us=NOW, model="m0")


def test_calls_survive_opening_again(open_store: Callable[[], Store]) -> None:
    first = open_store()
    reserve(first)
    first.close()
    again = open_store()
    ceiling = Ceiling(period="store", tokens=199)
    assert again.reserve_call(call(), [ceiling]) == ceiling


def test_many_at_once_do_not_pass_a_ceiling_together(open_store: Callable[[], Store]) -> None:
    stores = [open_store() for _ in range(4)]
    ceiling = Ceiling(period="store", tokens=1050)
    made: list[int] = []

    def work(store: Store) -> None:
        while isinstance(number := store.reserve_call(call(), [ceiling]), int):
            made.append(number)

    threads = [threading.Thread(target=work, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == len(made) == 10


SPENDER = """
import sys
from contract_kit import NOW, open_at
from lodmem.model.spend import Ceiling, LlmCall

call = LlmCall(at_us=NOW, run=sys.argv[2], model="m", task="t", tokens_in=60, tokens_out=40)
store, made = open_at(sys.argv[1]), 0
print("ready", flush=True)
sys.stdin.readline()
while isinstance(store.reserve_call(call, [Ceiling(period="store", tokens=5050)]), int):
    made += 1
store.close()
print(made)
"""


def test_two_processes_do_not_pass_a_ceiling_together(backend: Backend) -> None:
    backend.open().close()
    command = [sys.executable, "-c", SPENDER, backend.address]
    here = Path(__file__).parent
    spenders = [
        subprocess.Popen([*command, name], cwd=here, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for name in "ab"
    ]
    for spender in spenders:
        assert spender.stdout is not None
        assert spender.stdout.readline() == "ready\n"
    made = 0
    for spender in spenders:
        assert spender.stdin is not None
        spender.stdin.write("go\n")
        spender.stdin.flush()
    for spender in spenders:
        said, _ = spender.communicate(timeout=60)
        made += int(said)
    assert made == 50
    again = backend.open()
    assert sum(each.tokens for each in again.spent()) == 5000
    again.close()
