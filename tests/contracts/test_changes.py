"""The change log: what moved, in one set each, so that a copy kept by it equals what is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contract_kit import NOW, SMALL, add, comparable, embedding, entry, prepared, turns
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lodmem.model.memory import Levels, Status, Tier
from lodmem.model.profile import Profile
from lodmem.ports import Changes, Store


def test_an_empty_store_has_moved_nothing(store: Store) -> None:
    assert store.last_change() == 0
    assert store.changes(0) == Changes(last=0, complete=True, written=(), touched=(), gone=())


def test_each_kind_of_change_has_its_set(store: Store) -> None:
    add(store, *(prepared(f"text {n}") for n in range(4)))
    since = store.last_change()
    store.record_use(now_us=NOW, retrieved=[1], shown={2: Tier.FULL})
    store.set_levels(3, Levels("s", "h", "extractive", 1, 1, 1), audit=entry())
    store.forget([4], now_us=NOW, audit=entry())
    moved = store.changes(since)
    assert (moved.touched, moved.written, moved.gone) == ((1, 2), (3,), (4,))
    assert moved.last == store.last_change() > since


def test_gone_wins_over_written_and_written_over_touched(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    since = store.last_change()
    for memory_id in (1, 2):
        store.set_floor([memory_id], Tier.FULL, for_agent="", audit=entry())
        store.record_use(now_us=NOW, retrieved=[memory_id], shown={})
    store.forget([2], now_us=NOW, audit=entry())
    moved = store.changes(since)
    assert (moved.touched, moved.written, moved.gone) == ((), (1,), (2,))


def test_what_was_seen_is_not_said_again(store: Store) -> None:
    add(store, prepared("one"))
    last = store.changes(0).last
    assert store.changes(last) == Changes(last=last, complete=True, written=(), touched=(), gone=())
    add(store, prepared("two"))
    assert store.changes(last).written == (2,)


def test_showing_the_same_tier_again_is_no_change(store: Store) -> None:
    add(store, prepared("one"))
    store.record_use(now_us=NOW, retrieved=[], shown={1: Tier.FULL})
    last = store.last_change()
    store.record_use(now_us=NOW, retrieved=[], shown={1: Tier.FULL})
    assert store.last_change() == last


def test_what_concerns_no_memory_is_no_change(store: Store) -> None:
    add(store, prepared("one"))
    last = store.last_change()
    store.audit(entry())
    store.save_profile(Profile(name="mine"), audit=entry())
    store.enqueue("embed", [1], now_us=NOW)
    store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=1)
    assert store.last_change() == last


def test_a_number_from_the_future_means_read_again(store: Store) -> None:
    add(store, prepared("one"))
    assert not store.changes(store.last_change() + 1).complete
    assert not store.changes(-1).complete


def test_the_number_counts_the_writes_of_every_handle(open_store: Callable[[], Store]) -> None:
    one, two = open_store(), open_store()
    seen = 0
    for n in range(6):
        add((one, two)[n % 2], prepared(f"text {n}"))
        assert one.last_change() == two.last_change() > seen
        seen = one.last_change()


def test_the_number_goes_on_after_opening_again(open_store: Callable[[], Store]) -> None:
    first = open_store()
    add(first, prepared("one"))
    last = first.last_change()
    first.close()
    again = open_store()
    assert again.last_change() == last
    add(again, prepared("two"))
    assert again.changes(last).written == (2,)


class Mirror:
    """A copy of all rows that reads only what the change log names."""

    def __init__(self) -> None:
        self.last = 0
        self.rows: dict[int, Any] = {}

    def follow(self, store: Store) -> None:
        moved = store.changes(self.last)
        assert moved.complete
        assert not set(moved.written) & set(moved.touched) | set(moved.gone) & {*moved.written, *moved.touched}
        for memory_id in moved.gone:
            self.rows.pop(memory_id, None)
        self.rows.update({row.id: comparable(row) for row in store.rows([*moved.written])})
        for used in store.usage(moved.touched):
            old = dict(self.rows[used.id])
            old.update(last_retrieved_us=used.last_retrieved_us, retrieval_count=used.retrieval_count, last_tier=used.last_tier)
            self.rows[used.id] = tuple(old.items())
        self.last = moved.last


IDS = st.lists(st.integers(1, 12), min_size=1, max_size=4)
STEPS = st.one_of(
    st.tuples(st.just("add"), st.lists(st.integers(0, 9), min_size=1, max_size=4)),
    st.tuples(st.just("use"), IDS),
    st.tuples(st.just("floor"), IDS),
    st.tuples(st.just("status"), IDS),
    st.tuples(st.just("embed"), IDS),
    st.tuples(st.just("forget"), IDS),
    st.tuples(st.just("follow"), st.just([0])),
)


def step(store: Store, what: str, numbers: list[int], mirror: Mirror) -> None:
    there = [u.id for u in store.usage(numbers)]
    if what == "add":
        add(store, *(turns(1, first=n)[0] for n in numbers), tasks=("embed",))
    elif what == "use":
        store.record_use(now_us=NOW + sum(numbers), retrieved=numbers[:2], shown=dict.fromkeys(numbers, Tier(numbers[0] % 4)))
    elif what == "floor":
        store.set_floor(there, Tier(numbers[0] % 4), for_agent="", audit=entry())
    elif what == "status" and there:
        store.set_status(there[0], Status.SUPERSEDED, superseded_by=there[-1], valid_to_us=NOW, audit=entry())
    elif what == "embed":
        store.put_vectors(SMALL.key, [embedding(i, seed=sum(numbers)) for i in numbers])
    elif what == "forget":
        store.forget(there, now_us=NOW, audit=entry())
    elif what == "follow":
        mirror.follow(store)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=5, max_size=25))
def test_a_copy_that_follows_the_log_equals_the_store(store: Store, steps: list[tuple[str, list[int]]]) -> None:
    store.forget([row.id for row in store.rows()], now_us=NOW, audit=entry())
    store.activate_model(SMALL, audit=entry())
    mirror = Mirror()
    base = add(store, prepared("the first of this run"), tasks=("embed",))[0]
    for what, numbers in steps:
        step(store, what, numbers if what == "add" else [base + n - 1 for n in numbers], mirror)
    mirror.follow(store)
    assert mirror.rows == {row.id: comparable(row) for row in store.rows()}
    assert store.check() == []


def test_a_check_is_not_misled_by_what_it_saw_before(store: Store) -> None:
    for n in range(4):
        add(store, prepared(f"one {n}"), prepared(f"two {n}"))
        store.forget([row.id for row in store.rows()], now_us=NOW, audit=entry())
        add(store, prepared(f"three {n}"))
        assert store.check() == []
