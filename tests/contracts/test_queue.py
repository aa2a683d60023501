"""The work queue under a clock that the test turns."""

from __future__ import annotations

from collections.abc import Callable

from contract_kit import NOW, SECOND, add, entry, prepared

from lodmem.ports import Store, WorkItem

LEASE = 60 * SECOND


def claim(store: Store, *, at: int = NOW, worker: str = "w", limit: int = 99, task: str = "embed") -> list[WorkItem]:
    return store.claim(task, worker=worker, now_us=at, lease_us=LEASE, limit=limit)


def memories(items: list[WorkItem]) -> list[int | None]:
    return [item.memory_id for item in items]


def fill(store: Store, count: int = 3) -> None:
    for n in range(count):
        store.add([prepared(f"text {n}")], now_us=NOW + n)


def test_nothing_to_do(store: Store) -> None:
    assert claim(store) == []
    assert store.backlog() == 0


def test_the_oldest_come_first_up_to_the_limit(store: Store) -> None:
    fill(store)
    assert memories(claim(store, at=NOW + 9, limit=2)) == [1, 2]
    assert memories(claim(store, at=NOW + 9, limit=2)) == [3]
    assert claim(store, at=NOW + 9) == []


def test_what_is_not_due_waits(store: Store) -> None:
    fill(store)
    assert memories(claim(store, at=NOW + 1)) == [1, 2]


def test_another_task_is_another_queue(store: Store) -> None:
    store.add([prepared("one")], now_us=NOW, tasks=("levels",))
    assert claim(store) == []
    (item,) = claim(store, task="levels")
    assert (item.task, item.memory_id, item.attempts) == ("levels", 1, 1)


def test_two_workers_never_get_the_same(open_store: Callable[[], Store]) -> None:
    one, two = open_store(), open_store()
    fill(one, 10)
    taken: list[int | None] = []
    while batch := [*claim(one, at=NOW + 99, worker="a", limit=3), *claim(two, at=NOW + 99, worker="b", limit=2)]:
        taken.extend(memories(batch))
    assert sorted(taken, key=str) == sorted(range(1, 11), key=str)


def test_a_lease_holds_until_its_end(store: Store) -> None:
    fill(store, 1)
    first = claim(store)
    assert claim(store, at=NOW + LEASE - 1) == []
    again = claim(store, at=NOW + LEASE, worker="other")
    assert memories(again) == [1]
    assert (first[0].attempts, again[0].attempts) == (1, 2)


def test_a_worker_that_comes_back_too_late_changes_nothing(store: Store) -> None:
    fill(store, 1)
    (late,) = claim(store)
    (current,) = claim(store, at=NOW + LEASE, worker="other")
    store.complete([late.id])
    store.release([late.id], error="too late", retry_us=NOW)
    assert claim(store, at=NOW + LEASE + 1) == []
    assert store.backlog() == 1
    store.complete([current.id])
    assert store.backlog() == 0


def test_completed_items_are_gone(store: Store) -> None:
    fill(store)
    items = claim(store, at=NOW + 9)
    store.complete([item.id for item in items[:2]])
    store.complete([items[0].id])
    assert store.backlog() == 1
    assert memories(claim(store, at=NOW + 10 * LEASE)) == [3]


def test_a_released_item_is_due_at_its_time(store: Store) -> None:
    fill(store, 1)
    (item,) = claim(store)
    store.release([item.id], error="no network", retry_us=NOW + 5)
    assert store.backlog() == 1
    assert claim(store, at=NOW + 4) == []
    assert memories(claim(store, at=NOW + 5)) == [1]


def test_a_dead_item_is_listed_and_never_claimed(store: Store) -> None:
    fill(store, 2)
    item, other = claim(store, at=NOW + 9)
    store.release([item.id], error="cannot be read", retry_us=None)
    store.complete([other.id])
    assert store.backlog("embed") == store.backlog() == 0
    assert claim(store, at=NOW + 100 * LEASE) == []
    assert any("cannot be read" in problem for problem in store.check())


def test_a_dead_item_lives_again_when_requeued(store: Store) -> None:
    fill(store, 1)
    (item,) = claim(store)
    store.release([item.id], error="cannot be read", retry_us=None)
    store.enqueue("embed", [1], now_us=NOW + 7)
    assert claim(store, at=NOW + 6) == []
    (again,) = claim(store, at=NOW + 7)
    assert (again.memory_id, again.attempts) == (1, 1)


def test_waiting_items_are_not_added_twice(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    store.enqueue("embed", [1, 1, 2], now_us=NOW)
    store.enqueue("embed", [2, 1], now_us=NOW + 5)
    assert store.backlog("embed") == 2
    assert memories(claim(store)) == [1, 2]


def test_an_item_enqueued_while_leased_stays(store: Store) -> None:
    fill(store, 1)
    (item,) = claim(store)
    store.enqueue("embed", [1], now_us=NOW + 3)
    assert claim(store, at=NOW + 4) == [], "the lease still holds"
    store.complete([item.id])
    assert store.backlog() == 1
    (again,) = claim(store, at=NOW + 4)
    store.complete([again.id])
    assert store.backlog() == 0


def test_an_item_enqueued_while_leased_is_not_given_up(store: Store) -> None:
    fill(store, 1)
    (item,) = claim(store)
    store.enqueue("embed", [1], now_us=NOW + 3)
    store.release([item.id], error="failed", retry_us=None)
    assert memories(claim(store, at=NOW + 3)) == [1]


def test_a_new_lease_answers_for_what_was_enqueued_before_it(store: Store) -> None:
    fill(store, 1)
    claim(store)
    store.enqueue("embed", [1], now_us=NOW + 3)
    (again,) = claim(store, at=NOW + LEASE)
    store.complete([again.id])
    assert store.backlog() == 0


def test_only_memories_that_exist_are_enqueued(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    store.forget([1], now_us=NOW, audit=entry())
    store.enqueue("embed", [1, 2, 99], now_us=NOW)
    assert memories(claim(store)) == [2]


def test_the_backlog_counts_what_waits_and_what_is_leased(store: Store) -> None:
    fill(store, 3)
    store.enqueue("levels", [1], now_us=NOW)
    claim(store, limit=1)
    assert (store.backlog("embed"), store.backlog("levels"), store.backlog(), store.backlog("nothing")) == (3, 1, 4, 0)


def test_a_backlog_survives_opening_again(open_store: Callable[[], Store]) -> None:
    first = open_store()
    fill(first, 2)
    claim(first, limit=1)
    first.close()
    again = open_store()
    assert again.backlog() == 2
    assert memories(claim(again, at=NOW + 2 * LEASE)) == [2, 1]


def test_a_renewed_lease_ends_later_and_only_its_holder_renews_it(store: Store) -> None:
    fill(store, 1)
    (item,) = claim(store)
    store.renew([item.id], until_us=NOW + 2 * LEASE)
    assert claim(store, at=NOW + LEASE) == []
    (other,) = claim(store, at=NOW + 2 * LEASE, worker="other")
    store.renew([item.id], until_us=NOW + 99 * LEASE)
    store.renew([other.id], until_us=NOW + 2)  # never earlier
    assert claim(store, at=NOW + 3 * LEASE - 1) == []
    assert memories(claim(store, at=NOW + 3 * LEASE)) == [1]


def test_an_attempt_that_is_not_counted(store: Store) -> None:
    fill(store, 1)
    for counted, attempts in ((True, 1), (False, 2), (False, 2), (True, 2), (True, 3)):
        (item,) = claim(store)
        assert item.attempts == attempts
        store.release([item.id], error="away", retry_us=NOW, counted=counted)


def test_a_finished_item_is_handed_to_the_next_task(store: Store) -> None:
    fill(store, 3)
    items = claim(store, at=NOW + 9)
    store.enqueue("embed", [2], now_us=NOW + 10)
    store.forget([3], now_us=NOW, audit=entry())
    store.complete([item.id for item in items], then="next", now_us=NOW + 20)
    assert memories(claim(store, at=NOW + 20)) == [2], "one that is enqueued anew is not finished"
    assert claim(store, at=NOW + 19, task="next") == []
    assert memories(claim(store, at=NOW + 20, task="next")) == [1]
    store.complete([items[0].id], then="next", now_us=NOW)
    assert store.backlog("next") == 1, "who comes too late hands nothing on"


def test_how_the_queue_stands(store: Store) -> None:
    assert store.queue(now_us=NOW) == []
    fill(store, 6)
    gone, leased, later, ended, *_ = claim(store, at=NOW + 5, limit=4)
    store.release([gone.id], error="cannot be read", retry_us=None)
    store.release([later.id], error="no network", retry_us=NOW + LEASE + 7)
    store.renew([leased.id], until_us=NOW + 3 * LEASE)
    store.enqueue("other", [1], now_us=NOW + 4)
    state, other = store.queue(now_us=NOW + LEASE + 6)
    assert (state.task, state.waiting, state.due, state.leased, state.dead) == ("embed", 1, 3, 1, 1)
    assert (state.oldest_us, state.next_us) == (NOW + 4, NOW + LEASE + 7)
    assert dict(state.errors) == {"cannot be read": 1, "no network": 1}
    assert ended.attempts == 1
    assert (other.task, other.due, other.oldest_us, other.next_us, dict(other.errors)) == ("other", 1, NOW + 4, None, {})


def test_dead_items_are_listed_and_tried_again(store: Store) -> None:
    fill(store, 4)
    for task in ("embed", "levels"):
        store.enqueue(task, [1, 2, 3, 4], now_us=NOW)
        items = claim(store, at=NOW + 9, task=task)
        store.release([item.id for item in items[:3]], error=f"no {task}", retry_us=None)
        store.complete([items[3].id])
    listed = store.dead()
    assert [(item.task, item.memory_id, item.attempts, item.error) for item in listed] == [
        ("embed", 1, 1, "no embed"),
        ("embed", 2, 1, "no embed"),
        ("embed", 3, 1, "no embed"),
        ("levels", 1, 1, "no levels"),
        ("levels", 2, 1, "no levels"),
        ("levels", 3, 1, "no levels"),
    ]
    assert store.dead(limit=2, after=listed[1].id) == listed[2:4]
    assert store.dead(task="levels") == listed[3:]
    assert store.retry_dead([listed[0].id, listed[0].id, 999], now_us=NOW + 20) == 1
    assert store.retry_dead([listed[1].id], task="levels", now_us=NOW + 20) == 0
    assert claim(store, at=NOW + 19) == []
    (again,) = claim(store, at=NOW + 20)
    assert (again.memory_id, again.attempts) == (1, 1)
    assert store.retry_dead([], now_us=NOW) == 0
    assert store.retry_dead(task="levels", now_us=NOW) == 3
    assert store.retry_dead(now_us=NOW) == 2
    assert store.dead() == []
