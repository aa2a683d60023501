"""Use and floors at a moment, from entries of the log."""

from __future__ import annotations

import numpy as np

from lodmem.model.audit import AuditEntry
from lodmem.retrieval.past import READ, Past
from lodmem.scan.columns import NEVER


def entry(at_us: int, verb: str, agent: str = "ann", **detail: object) -> AuditEntry:
    return AuditEntry(at_us=at_us, space="main", agent=agent, verb=verb, detail=detail)


LOG = [
    entry(1, "search", promoted=[2, 9]),
    entry(2, "expand", ids=[9, 9, 400]),
    entry(3, "promote", ids=[5], to="full"),
    entry(4, "promote", ids=[5], to="headline", mine=True),
    entry(5, "promote", agent="bob", ids=[9], to="full", mine=True),
    entry(6, "demote", ids=[5]),
    entry(7, "search", promoted=[2]),
    entry(8, "supersede", ids=[2, 9]),
]
IDS = np.array([1, 2, 5, 9], dtype=np.int64)


def test_each_id_gets_what_the_log_says_of_it_and_the_rest_nothing() -> None:
    past = Past.until(LOG, 5)
    last, count = past.use_of(IDS)
    assert last.tolist() == [NEVER, 1, NEVER, 2]
    assert count.tolist() == [0, 1, 0, 3]
    assert past.floors_of(IDS, "ann").tolist() == [0, 0, 3, 0]
    assert past.floors_of(IDS, "bob").tolist() == [0, 0, 3, 3]
    assert Past.until(LOG, 6).floors_of(IDS, "ann").tolist() == [0, 0, 1, 0]
    assert past.explains(IDS, np.array([0, 2, 0, 3]))
    assert not past.explains(IDS, np.array([0, 1, 0, 3]))


def test_nothing_is_known_of_nobody() -> None:
    nobody = np.empty(0, dtype=np.int64)
    assert [part.tolist() for part in Past.until(LOG, 9).use_of(nobody)] == [[], []]
    assert Past().use_of(IDS)[1].tolist() == [0, 0, 0, 0]


def test_all_that_is_read_of_the_log_is_named() -> None:
    assert {entry.verb for entry in LOG} == set(READ)
