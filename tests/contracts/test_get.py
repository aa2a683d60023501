"""Reading memories: order, repeats, what is not there."""

from __future__ import annotations

import pytest
from contract_kit import add, prepared

from lodmem.errors import UnknownMemory
from lodmem.ports import Store


def test_the_order_asked_is_the_order_given(store: Store) -> None:
    add(store, *(prepared(f"text {n}") for n in range(1, 6)))
    assert [memory.id for memory in store.get([4, 1, 5, 1])] == [4, 1, 5, 1]


def test_nothing_asked_is_nothing_given(store: Store) -> None:
    assert store.get([]) == []


@pytest.mark.parametrize("memory_id", [0, -1, 2, 2**62, 2**63, -(2**70)])
def test_an_unknown_memory_is_an_error(store: Store, memory_id: int) -> None:
    add(store, prepared("one"))
    with pytest.raises(UnknownMemory, match=f"#{memory_id}"):
        store.get([1, memory_id])
