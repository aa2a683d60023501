"""The audit log: appended to, read forwards."""

from __future__ import annotations

from contract_kit import NOW, add, entry, prepared

from lodmem.model.audit import AuditEntry
from lodmem.ports import Store


def test_entries_come_back_oldest_first_with_their_numbers(store: Store) -> None:
    assert store.audit_log() == []
    for n in range(3):
        store.audit(
            AuditEntry(at_us=NOW + n, space="ünï/x", agent="ann", verb="search", detail={"n": n, "ids": [1, 2], "ß": None})
        )
    log = store.audit_log()
    assert [e.seq for e in log] == sorted({e.seq for e in log})
    assert [e.detail for e in log] == [{"n": n, "ids": [1, 2], "ß": None} for n in range(3)]
    assert (log[0].at_us, log[0].space, log[0].agent, log[0].verb) == (NOW, "ünï/x", "ann", "search")


def test_it_can_be_read_in_pages(store: Store) -> None:
    for n in range(7):
        store.audit(entry("step", n=n))
    seen: list[object] = []
    after = 0
    while page := store.audit_log(after=after, limit=3):
        assert len(page) <= 3
        seen.extend(e.detail["n"] for e in page)
        after = page[-1].seq
    assert seen == list(range(7))


def test_it_can_be_read_for_one_space(store: Store) -> None:
    add(store, prepared("a", space="x"), prepared("b", space="x/y"), prepared("c", space="z"))
    assert [e.detail["id"] for e in store.audit_log(space="x")] == [1]
    assert store.audit_log(space="nowhere") == []


def test_it_can_be_read_for_some_verbs(store: Store) -> None:
    for n, verb in enumerate(("step", "stop", "step", "turn", "step")):
        store.audit(entry(verb, n=n))
    first = store.audit_log(verbs=("step",), limit=2)
    assert [e.detail["n"] for e in first] == [0, 2]
    assert [e.detail["n"] for e in store.audit_log(verbs=("step",), after=first[-1].seq)] == [4]
    assert [e.detail["n"] for e in store.audit_log(verbs=("turn", "stop"))] == [1, 3]
    assert store.audit_log(verbs=("nothing",)) == []


def test_it_can_be_read_for_what_it_tells(store: Store) -> None:
    for detail in ({"masked": 2, "id": 1}, {"id": 2, "note": "masked"}, {"masked": None, "id": 3}, {"unmasked": 1, "id": 4}):
        store.audit(entry("step", **detail))
    assert [e.detail["id"] for e in store.audit_log(telling="masked")] == [1, 3]
    assert [e.detail["id"] for e in store.audit_log(telling="masked", verbs=("stop",))] == []
    assert store.audit_log(telling="it's") == []
