"""Floors, status and levels: what may change of a memory, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from contract_kit import DAY, NOW, add, entry, prepared

from lodmem.errors import UnknownMemory
from lodmem.model.memory import Levels, Status, Tier
from lodmem.ports import Store


def floor(store: Store, memory_id: int, agent: str = "") -> Tier:
    return store.get([memory_id], agent=agent)[0].floor


def test_a_floor_for_everybody_and_one_for_an_agent(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    store.set_floor([1, 2], Tier.HEADLINE, for_agent="", audit=entry())
    store.set_floor([1], Tier.FULL, for_agent="ann", audit=entry())
    assert [floor(store, 1), floor(store, 1, "ann"), floor(store, 1, "bob")] == [Tier.HEADLINE, Tier.FULL, Tier.HEADLINE]
    assert floor(store, 2, "ann") is Tier.HEADLINE
    assert dict(next(store.rows([1])).floors) == {"": Tier.HEADLINE, "ann": Tier.FULL}


def test_the_higher_floor_holds(store: Store) -> None:
    add(store, prepared("one"))
    store.set_floor([1], Tier.FULL, for_agent="", audit=entry())
    store.set_floor([1], Tier.HEADLINE, for_agent="ann", audit=entry())
    assert floor(store, 1, "ann") is Tier.FULL


def test_the_horizon_removes_a_floor(store: Store) -> None:
    add(store, prepared("one"))
    store.set_floor([1], Tier.FULL, for_agent="", audit=entry())
    store.set_floor([1], Tier.SUMMARY, for_agent="", audit=entry())
    assert floor(store, 1) is Tier.SUMMARY
    store.set_floor([1], Tier.HORIZON, for_agent="", audit=entry())
    store.set_floor([1], Tier.HORIZON, for_agent="ann", audit=entry())
    assert floor(store, 1) is Tier.HORIZON
    assert dict(next(store.rows()).floors) == {}


def test_status_successor_and_validity_change_together(store: Store) -> None:
    add(store, prepared("old"), prepared("new"))
    store.set_status(1, Status.SUPERSEDED, superseded_by=2, valid_to_us=NOW + DAY, audit=entry())
    for found in (store.get([1])[0], next(store.rows())):
        assert (found.status, found.superseded_by, found.valid_to_us) == (Status.SUPERSEDED, 2, NOW + DAY)
    store.set_status(1, Status.ACTIVE, superseded_by=None, valid_to_us=None, audit=entry())
    memory = store.get([1])[0]
    assert (memory.status, memory.superseded_by, memory.valid_to_us) == (Status.ACTIVE, None, None)
    assert memory.full == "old"


def test_levels_are_replaced(store: Store) -> None:
    add(store, prepared("text"), prepared("brief", short=True))
    store.set_levels(1, Levels("better", "best", "some-model", 3, 2, 1), audit=entry())
    memory = store.get([1])[0]
    assert (memory.full, memory.summary, memory.headline, memory.written_by) == ("text", "better", "best", "some-model")
    assert (memory.tokens_full, memory.tokens_summary, memory.tokens_headline) == (3, 2, 1)
    store.set_levels(2, Levels("short", "shorter", "some-model", 3, 2, 1), audit=entry())
    assert store.texts([2], Tier.HEADLINE) == {2: "shorter"}
    store.set_levels(1, Levels("text", "text", "source", 1, 1, 1), audit=entry())
    assert store.texts([1], Tier.SUMMARY) == {1: "text"}
    assert next(store.rows([1])).short


def test_a_class_is_set_and_an_importance_once(store: Store) -> None:
    add(store, prepared("one"), prepared("two", importance=0.3))
    store.set_episode_class(1, "noise", audit=entry())
    assert store.get([1])[0].episode_class == "noise"
    assert store.set_importance(1, 0.9, instead_of=0.5, audit=entry())
    since, audited = store.last_change(), len(store.audit_log())
    assert not store.set_importance(1, 0.1, instead_of=0.5, audit=entry())
    assert not store.set_importance(2, 0.1, instead_of=0.5, audit=entry())
    assert (store.last_change(), len(store.audit_log())) == (since, audited)
    assert [row.importance for row in store.rows()] == [0.9, 0.3]
    for change in (
        lambda: store.set_episode_class(9, "noise", audit=entry()),
        lambda: store.set_importance(9, 1.0, instead_of=0.5, audit=entry()),
    ):
        with pytest.raises(UnknownMemory, match="#9"):
            change()


CHANGES: dict[str, Callable[[Store, int], object]] = {
    "floor": lambda s, i: s.set_floor([1, i], Tier.FULL, for_agent="", audit=entry()),
    "no floor": lambda s, i: s.set_floor([1, i], Tier.HORIZON, for_agent="", audit=entry()),
    "status": lambda s, i: s.set_status(i, Status.STALE, superseded_by=None, valid_to_us=None, audit=entry()),
    "successor": lambda s, i: s.set_status(1, Status.SUPERSEDED, superseded_by=i, valid_to_us=None, audit=entry()),
    "importance": lambda s, i: s.set_importance(i, 0.9, instead_of=0.5, audit=entry()),
    "levels": lambda s, i: s.set_levels(i, Levels("a", "b", "c", 1, 1, 1), audit=entry()),
}


@pytest.mark.parametrize("what", CHANGES)
def test_an_unknown_memory_is_refused_and_nothing_changes(store: Store, what: str) -> None:
    add(store, prepared("one"), prepared("two"))
    store.forget([2], now_us=NOW, audit=entry())
    before = (store.last_change(), store.get([1]), len(store.audit_log()))
    for unknown in (2, 99):
        with pytest.raises(UnknownMemory, match=f"#{unknown}"):
            CHANGES[what](store, unknown)
    assert (store.last_change(), store.get([1]), len(store.audit_log())) == before


@pytest.mark.parametrize("what", CHANGES)
def test_each_change_is_logged_and_audited(store: Store, what: str) -> None:
    add(store, prepared("one"), prepared("two"))
    since, audited = store.last_change(), len(store.audit_log())
    CHANGES[what](store, 2)
    moved = store.changes(since)
    assert set(moved.written) >= {1 if what == "successor" else 2}
    assert (moved.touched, moved.gone) == ((), ())
    assert [e.verb for e in store.audit_log()[audited:]] == ["test"]
