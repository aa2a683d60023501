"""Pairs of memories that contradict each other: kept once, decided, taken back, and the statuses that follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from contract_kit import DAY, NOW, add, entry, prepared

from lodmem.errors import BadParameter, UnknownConflict
from lodmem.model.conflict import Conflict, ConflictState, Found, Reason
from lodmem.model.memory import Status
from lodmem.ports import Store

OPEN, SUPERSEDED, BOTH = ConflictState.OPEN, ConflictState.SUPERSEDED, ConflictState.BOTH_STAND


def found(older: int, newer: int, **other: Any) -> Found:
    return Found(older=older, newer=newer, reason=Reason.NUMBER, detail="'8' / '10'", **other)


def put(store: Store, *pairs: Found) -> list[Conflict]:
    return store.add_conflicts(pairs, now_us=NOW, audit=entry("conflict"))


def decide(store: Store, number: int, state: ConflictState, standing: int | None = None, note: str = "") -> Conflict:
    return store.decide_conflict(number, state, standing=standing, note=note, now_us=NOW + DAY, audit=entry("resolve"))


def statuses(store: Store, *ids: int) -> list[Status]:
    return [memory.status for memory in store.get(ids)]


@pytest.fixture
def three(store: Store) -> list[int]:
    return add(store, *(prepared(text, created_us=NOW + at * DAY) for at, text in enumerate("abc")))


@pytest.mark.req("R5.12")
def test_a_conflict_keeps_both_sides_a_reason_and_a_state(store: Store, three: list[int]) -> None:
    (kept,) = put(store, found(1, 2))
    assert (kept.older, kept.newer, kept.reason, kept.detail) == (1, 2, Reason.NUMBER, "'8' / '10'")
    assert (kept.state, kept.standing, kept.found_us, kept.decided_us, kept.decided_by) == (OPEN, None, NOW, None, "")
    assert store.conflicts() == [kept]
    assert statuses(store, 1, 2, 3) == [Status.CONFLICT, Status.CONFLICT, Status.ACTIVE]
    assert [memory.full for memory in store.get([1, 2])] == ["a", "b"]


def test_a_pair_is_kept_once(store: Store, three: list[int]) -> None:
    assert len(put(store, found(1, 2), found(2, 1), found(1, 2))) == 1
    assert put(store, found(2, 1)) == []
    assert len(store.conflicts()) == 1
    verbs = [one.verb for one in store.audit_log()]
    assert verbs.count("conflict") == 1


def test_what_cannot_be_is_passed_over(store: Store, three: list[int]) -> None:
    assert put(store, found(1, 1), found(1, 99), found(98, 99)) == []
    assert store.conflicts() == []
    assert statuses(store, 1) == [Status.ACTIVE]


def test_a_confirmed_supersession_is_decided_at_once(store: Store, three: list[int]) -> None:
    (kept,) = put(store, found(1, 2, standing=2, by="an explicit statement"))
    assert (kept.state, kept.standing, kept.hidden) == (SUPERSEDED, 2, 1)
    assert (kept.decided_us, kept.decided_by) == (NOW, "an explicit statement")
    (old, new) = store.get([1, 2])
    assert (old.status, old.superseded_by, old.valid_to_us) == (Status.SUPERSEDED, 2, NOW + DAY)
    assert (new.status, new.valid_to_us) == (Status.ACTIVE, None)
    assert put(store, found(1, 3)) == []  # what is over contradicts nothing


def test_validity_ends_where_the_other_one_begins(store: Store) -> None:
    add(
        store,
        prepared("a", created_us=NOW, valid_to_us=NOW + 9 * DAY),
        prepared("b", created_us=NOW + DAY, valid_from_us=NOW - DAY),
    )
    (kept,) = put(store, found(1, 2))
    decide(store, kept.id, SUPERSEDED, 2)
    assert store.get([1])[0].valid_to_us == NOW - DAY
    decide(store, kept.id, OPEN)
    assert store.get([1])[0].valid_to_us == NOW + 9 * DAY


@pytest.mark.parametrize(("standing", "hidden"), [(2, 1), (1, 2)])
def test_a_decision_hides_the_side_that_does_not_stand(store: Store, three: list[int], standing: int, hidden: int) -> None:
    (kept,) = put(store, found(1, 2))
    decided = decide(store, kept.id, SUPERSEDED, standing, note="she said so")
    assert (decided.state, decided.standing, decided.hidden) == (SUPERSEDED, standing, hidden)
    assert (decided.decided_us, decided.decided_by, decided.note) == (NOW + DAY, "tester", "she said so")
    (gone,) = store.get([hidden])
    assert (gone.status, gone.superseded_by) == (Status.SUPERSEDED, standing)
    assert statuses(store, standing) == [Status.ACTIVE]
    assert [one.detail["ids"] for one in store.audit_log() if one.verb == "supersede"] == [[hidden, standing]]


def test_both_stand(store: Store, three: list[int]) -> None:
    (kept,) = put(store, found(1, 2))
    assert decide(store, kept.id, BOTH).state is BOTH
    assert statuses(store, 1, 2) == [Status.ACTIVE, Status.ACTIVE]
    assert put(store, found(1, 2)) == []


def test_a_decision_is_taken_back(store: Store, three: list[int]) -> None:
    (kept,) = put(store, found(1, 2))
    decide(store, kept.id, SUPERSEDED, 2)
    decide(store, kept.id, SUPERSEDED, 1)
    assert statuses(store, 1, 2) == [Status.ACTIVE, Status.SUPERSEDED]
    again = decide(store, kept.id, OPEN)
    assert (again.state, again.decided_us, again.decided_by) == (OPEN, None, "")
    assert statuses(store, 1, 2) == [Status.CONFLICT, Status.CONFLICT]
    assert store.get([2])[0].superseded_by is None


def test_the_status_stays_while_another_conflict_is_open(store: Store, three: list[int]) -> None:
    first, second = put(store, found(1, 2), found(1, 3))
    decide(store, first.id, BOTH)
    assert statuses(store, 1, 2, 3) == [Status.CONFLICT, Status.ACTIVE, Status.CONFLICT]
    decide(store, second.id, BOTH)
    assert statuses(store, 1, 2, 3) == [Status.ACTIVE] * 3


def test_other_statuses_are_left_alone(store: Store, three: list[int]) -> None:
    store.set_status(1, Status.STALE, superseded_by=None, valid_to_us=None, audit=entry())
    (kept,) = put(store, found(1, 2))
    assert statuses(store, 1, 2) == [Status.STALE, Status.CONFLICT]
    decide(store, kept.id, BOTH)
    assert statuses(store, 1, 2) == [Status.STALE, Status.ACTIVE]


def test_what_cannot_be_decided(store: Store, three: list[int]) -> None:
    (kept,) = put(store, found(1, 2))
    with pytest.raises(UnknownConflict):
        decide(store, 99, BOTH)
    for state, standing in ((SUPERSEDED, 3), (SUPERSEDED, None), (BOTH, 1), (OPEN, 2)):
        with pytest.raises(BadParameter):
            decide(store, kept.id, state, standing)
    assert store.conflicts() == [kept]


def test_conflicts_are_found_by_state_side_number_and_page(store: Store) -> None:
    add(store, *(prepared(f"text {n}") for n in range(6)))
    kept = put(store, found(1, 2), found(3, 4), found(5, 2))
    decide(store, kept[1].id, BOTH)
    ids = [one.id for one in kept]
    assert [one.id for one in store.conflicts(state=OPEN)] == [ids[0], ids[2]]
    assert [one.id for one in store.conflicts(memory_ids=[2])] == [ids[0], ids[2]]
    assert [one.id for one in store.conflicts(memory_ids=[4, 5])] == ids[1:]
    assert store.conflicts(memory_ids=[]) == []
    assert [one.id for one in store.conflicts(ids=[ids[1]])] == [ids[1]]
    assert [one.id for one in store.conflicts(limit=2)] == ids[:2]
    assert [one.id for one in store.conflicts(after=ids[1])] == ids[2:]
    assert store.open_pairs([2]) == [(1, 2), (5, 2)]
    assert store.open_pairs([3, 4, 6]) == []


def test_forgetting_one_side_takes_the_conflict_along(store: Store, three: list[int]) -> None:
    put(store, found(1, 2), found(2, 3))
    before = store.last_change()
    store.forget([1], now_us=NOW, audit=entry())
    assert [(one.older, one.newer) for one in store.conflicts()] == [(2, 3)]
    assert statuses(store, 2, 3) == [Status.CONFLICT, Status.CONFLICT]
    store.forget([3], now_us=NOW, audit=entry())
    assert store.conflicts() == []
    assert statuses(store, 2) == [Status.ACTIVE]
    assert store.changes(before).written == (2,)
    assert store.check() == []


def test_each_memory_whose_status_changes_logs_a_change(store: Store, three: list[int]) -> None:
    seen = store.last_change()
    (kept,) = put(store, found(1, 2))
    assert store.changes(seen).written == (1, 2)
    seen = store.last_change()
    decide(store, kept.id, SUPERSEDED, 2)
    assert store.changes(seen).written == (1, 2)
    rows = {row.id: row.status for row in store.rows()}
    assert rows == {1: Status.SUPERSEDED, 2: Status.ACTIVE, 3: Status.ACTIVE}


def test_conflicts_of_another_store_are_loaded(open_store: Callable[[], Store]) -> None:
    store = open_store()
    add(store, *(prepared(text) for text in "abcd"))
    kept = put(store, found(1, 2), found(3, 4))
    decided = decide(store, kept[1].id, BOTH, note="two flats")
    assert store.load_conflicts([kept[0], decided]) == 0
    store.forget([1, 3], now_us=NOW, audit=entry())
    assert store.conflicts() == []
    assert store.load_conflicts([kept[0]]) == 0  # a side is gone
    add(store, prepared("e"), prepared("f"))
    moved = [Conflict(**{**{n: getattr(decided, n) for n in Conflict.__dataclass_fields__}, "older": 2, "newer": 5})]
    moved += [Conflict(**{**{n: getattr(kept[0], n) for n in Conflict.__dataclass_fields__}, "older": 4, "newer": 6})]
    assert store.load_conflicts(moved) == 2
    found_again = store.conflicts()
    assert [(one.older, one.newer, one.state, one.note) for one in found_again] == [(2, 5, BOTH, "two flats"), (4, 6, OPEN, "")]
    assert statuses(store, 2, 4, 5, 6) == [Status.ACTIVE, Status.CONFLICT, Status.ACTIVE, Status.CONFLICT]


def test_what_is_kept_outlives_the_handle(open_store: Callable[[], Store]) -> None:
    store = open_store()
    add(store, prepared("a"), prepared("b"))
    kept = put(store, found(1, 2))
    store.close()
    assert open_store().conflicts() == kept


def test_the_dump_holds_conflicts(store: Store, three: list[int]) -> None:
    kept = put(store, found(1, 2), found(2, 3))
    assert [piece for piece in store.dump() if isinstance(piece, Conflict)] == kept
