"""Gate decisions and near copies."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from contract_kit import NOW, SMALL, add, embedding, entry, prepared

from lodmem.model.gate import GateCount, GateDecision, NearCopy, Verdict, What
from lodmem.ports import Store


def decision(memory: int | None, other: int | None, similarity: float = 0.5, blocked: str = "", **more: object) -> GateDecision:
    given: dict[str, object] = {"at_us": NOW, "what": What.EXPERIENCE, "verdict": Verdict.ADD} | more
    return GateDecision(memory=memory, other=other, similarity=similarity, blocked=blocked, **given)  # type: ignore[arg-type]  # mixed


def copy(memory: int, of: int, similarity: float = 0.97) -> NearCopy:
    return NearCopy(memory=memory, of=of, similarity=similarity)


def evidence(store: Store) -> list[int]:
    return [memory.evidence_count for memory in store.get(store.ids(limit=99))]


@pytest.fixture
def four(store: Store) -> Store:
    add(store, *(prepared(f"text {n}") for n in range(4)))
    return store


@pytest.mark.req("R5.11")
def test_a_decision_is_kept_with_its_similarity(four: Store) -> None:
    four.put_decisions([decision(2, 1, 0.97, "number"), decision(3, None, 0.0)])
    four.put_decisions([decision(None, 2, 0.99, what=What.PATTERN, verdict=Verdict.SKIP)])
    assert [(d.seq > 0, d.memory, d.other, d.similarity, d.blocked, d.verdict, d.at_us) for d in four.decisions()] == [
        (True, 2, 1, 0.97, "number", "add", NOW),
        (True, 3, None, 0.0, "", "add", NOW),
        (True, None, 2, 0.99, "", "skip", NOW),
    ]


def test_the_latest_decision_on_a_memory_holds(four: Store) -> None:
    four.put_decisions([decision(2, 1, 0.3)])
    four.put_decisions([decision(2, None, 0.8, at_us=NOW + 1), decision(2, 1, 0.9, what=What.PATTERN)])
    assert [(d.what, d.similarity, d.at_us) for d in four.decisions()] == [
        ("experience", 0.8, NOW + 1),
        ("pattern", 0.9, NOW),
    ]


def test_decisions_are_found_by_both_sides_and_page_by_page(four: Store) -> None:
    four.put_decisions([decision(n, n - 1) for n in (2, 3, 4)])
    assert [d.memory for d in four.decisions(memory_ids=[3])] == [3, 4]
    assert four.decisions(memory_ids=[]) == []
    first = four.decisions(limit=2)
    assert [d.memory for d in (*first, *four.decisions(after=first[-1].seq))] == [2, 3, 4]


@pytest.mark.req("R5.8")
def test_a_near_copy_is_linked_and_adds_to_the_evidence(four: Store) -> None:
    before = four.last_change()
    assert four.put_decisions([], [copy(2, 1), copy(3, 1, 1.0)]) == 2
    assert four.near_copies([1]) == [copy(2, 1), copy(3, 1, 1.0)]
    assert four.near_copies([2]) == [copy(2, 1)]
    assert four.near_copies([4]) == []
    assert evidence(four) == [3, 1, 1, 1]
    assert four.changes(before).written == (1,)


def test_a_copy_counts_once(four: Store) -> None:
    assert four.put_decisions([], [copy(3, 1), copy(3, 1)]) == 1
    assert four.put_decisions([], [copy(3, 1), copy(3, 2)]) == 0
    assert evidence(four) == [2, 1, 1, 1]


def test_what_is_not_there_or_not_newer_is_passed_over(four: Store) -> None:
    four.forget([4], now_us=NOW, audit=entry("forget"))
    assert (
        four.put_decisions([decision(4, 1), decision(9, 1), decision(2, 9)], [copy(4, 1), copy(9, 1), copy(1, 2), copy(1, 1)])
        == 0
    )
    assert [(d.memory, d.other) for d in four.decisions()] == [(2, None)]
    assert evidence(four) == [1, 1, 1]


def test_forgetting_a_copy_takes_it_out_of_the_evidence(four: Store) -> None:
    four.put_decisions([decision(2, 1), decision(3, 1), decision(4, 2)], [copy(2, 1), copy(3, 1)])
    before = four.last_change()
    four.forget([2], now_us=NOW, audit=entry("forget"))
    assert evidence(four) == [2, 1, 1]
    assert 1 in four.changes(before).written
    assert four.near_copies([1, 2]) == [copy(3, 1)]
    assert [(d.memory, d.other) for d in four.decisions()] == [(3, 1), (4, None)]


def test_forgetting_the_original_leaves_its_copies_alone(four: Store) -> None:
    four.put_decisions([decision(2, 1)], [copy(2, 1)])
    four.forget([1], now_us=NOW, audit=entry("forget"))
    assert four.near_copies([1, 2]) == []
    assert evidence(four) == [1, 1, 1]
    assert four.put_decisions([], [copy(4, 2)]) == 1


def test_forgetting_both_at_once(four: Store) -> None:
    four.put_decisions([decision(2, 1)], [copy(2, 1)])
    four.forget([1, 2], now_us=NOW, audit=entry("forget"))
    assert four.decisions() == []
    assert four.check() == []


def test_counts_by_hundredths(four: Store) -> None:
    four.put_decisions([decision(1, None, 0.0), decision(2, 1, 0.951), decision(3, 1, 0.959), decision(4, 1, 1.0, "date")])
    assert four.gate_counts() == [
        GateCount(what=What.EXPERIENCE, verdict=Verdict.ADD, blocked="", percent=0, count=1, highest=0.0),
        GateCount(what=What.EXPERIENCE, verdict=Verdict.ADD, blocked="", percent=95, count=2, highest=0.959),
        GateCount(what=What.EXPERIENCE, verdict=Verdict.ADD, blocked="date", percent=100, count=1, highest=1.0),
    ]


def test_a_threshold_of_hundredths_is_counted_where_it_lies(four: Store) -> None:
    four.put_decisions([decision(1, None, 0.95), decision(2, 1, 0.70), decision(3, 1, 0.29), decision(4, 1, 0.57)])
    assert [each.percent for each in four.gate_counts()] == [29, 57, 70, 95]


def test_loaded_copies_are_in_the_evidence_already(four: Store) -> None:
    four.put_decisions([], [copy(2, 1)])
    assert four.load_copies([copy(2, 1), copy(3, 2), copy(9, 1)]) == 1
    assert evidence(four) == [2, 2, 1, 1]
    four.put_decisions([], [copy(4, 1)])
    assert four.load_copies([copy(3, 2)]) == 0
    assert evidence(four) == [3, 2, 1, 1]


def test_another_handle_sees_it(open_store: Callable[[], Store]) -> None:
    one, two = open_store(), open_store()
    add(one, prepared("a"), prepared("b"))
    one.put_decisions([decision(2, 1)], [copy(2, 1)])
    assert two.near_copies([1]) == [copy(2, 1)]
    assert len(two.decisions()) == 1


def test_what_is_embedded_can_be_handed_on(store: Store) -> None:
    store.activate_model(SMALL, audit=entry("model"))
    store.add([prepared("a"), prepared("b")], now_us=NOW)
    items = store.claim("embed", worker="w", now_us=NOW, lease_us=1000, limit=9)
    store.enqueue("embed", [2], now_us=NOW)  # wanted again meanwhile: it is not done yet
    store.put_vectors(SMALL.key, [embedding(1), embedding(2)], done=[item.id for item in items], then="judge", now_us=NOW + 5)
    assert store.claim("judge", worker="w", now_us=NOW + 4, lease_us=1000, limit=9) == []
    assert [item.memory_id for item in store.claim("judge", worker="w", now_us=NOW + 5, lease_us=1000, limit=9)] == [1]
    assert store.backlog("embed") == 1
