"""Counts, soundness, and the end of a store's life."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from contract_kit import NOW, OTHER, SMALL, Backend, add, embedding, entry, map_head, map_places, prepared

from lodmem.errors import StoreClosed
from lodmem.model.access import AccessToken
from lodmem.model.conflict import ConflictState
from lodmem.model.distilled import Outcome as DistilledAs
from lodmem.model.distilled import Run, Step
from lodmem.model.kept import TermsState
from lodmem.model.memory import Kind, Levels, Status, Tier
from lodmem.model.profile import Profile
from lodmem.model.spend import LlmCall, Outcome
from lodmem.ports import Store


def test_an_empty_store_counts_nothing(store: Store) -> None:
    stats = store.stats()
    assert (stats.memories, stats.passages, stats.embedded_passages, stats.backlog, stats.tokens_full) == (0, 0, 0, 0, 0)
    assert (stats.by_status, stats.by_kind, stats.by_space, stats.by_agent) == ({}, {}, {}, {})
    assert (stats.first_created_us, stats.last_created_us, stats.never_retrieved) == (None, None, 0)
    assert stats.schema_version >= 1
    assert stats.path
    assert store.check() == []


def test_counts(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    store.add(
        [
            prepared("a b c", space="x", agent="ann", created_us=NOW - 5),
            prepared("d e", space="x", agent="bob", kind=Kind.SEMANTIC, created_us=NOW + 5),
            prepared("f long", space="y", agent="ann", parts=2),
        ],
        now_us=NOW,
    )
    (item, *_) = store.claim("embed", worker="w", now_us=NOW, lease_us=9, limit=9)
    store.put_vectors(SMALL.key, [embedding(1)], done=[item.id])
    store.put_vectors(OTHER.key, [embedding(2, dims=OTHER.dims)])
    store.record_use(now_us=NOW, retrieved=[1], shown={1: Tier.FULL, 2: Tier.HEADLINE})
    store.set_status(2, Status.STALE, superseded_by=None, valid_to_us=None, audit=entry())
    stats = store.stats()
    assert (stats.memories, stats.passages, stats.embedded_passages, stats.backlog) == (3, 4, 1, 2)
    assert (stats.by_status, stats.by_kind) == ({"active": 2, "stale": 1}, {"episodic": 2, "semantic": 1})
    assert (stats.by_space, stats.by_agent) == ({"x": 2, "y": 1}, {"ann": 2, "bob": 1})
    assert (stats.never_retrieved, stats.tokens_full) == (2, 4 + 3 + 3)
    assert (stats.first_created_us, stats.last_created_us) == (NOW - 5, NOW + 5)
    assert stats.embedder == SMALL.key
    assert stats.bytes > 1000


def test_many_spaces_and_agents_are_counted_by_name(store: Store) -> None:
    store.add([prepared(f"t {n}", space=f"s{n % 40:02}", agent=f"a{n % 3}") for n in range(80)], now_us=NOW)
    stats = store.stats()
    assert list(stats.by_space.items()) == [(f"s{n:02}", 2) for n in range(40)]
    assert list(stats.by_agent.items()) == [("a0", 27), ("a1", 27), ("a2", 26)]


def test_a_used_store_is_sound(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    store.add([prepared(f"text {n}", parts=1 + n % 3) for n in range(9)], now_us=NOW)
    store.put_vectors(SMALL.key, [embedding(i, passages=1 + (i - 1) % 3) for i in range(1, 10)])
    store.forget([2, 5], now_us=NOW, audit=entry())
    assert store.check() == []


def test_memories_that_nobody_will_embed_are_reported(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"), prepared("two"))
    store.put_vectors(SMALL.key, [embedding(1)])
    assert any("1 memories have none" in problem for problem in store.check())
    store.enqueue("embed", [2], now_us=NOW)
    assert store.check() == []


def test_a_hash_that_is_not_the_texts_is_reported(store: Store) -> None:
    item = prepared("text")
    store.add([type(item)(draft=item.draft, content_hash="00" * 32, levels=item.levels, passages=item.passages)], now_us=NOW)
    assert any("#1" in problem for problem in store.check())


CALL = LlmCall(at_us=NOW, run="r", model="m", task="t", tokens_in=1, tokens_out=1)
STEP = Step(outcomes={}, new=(), again=(), counts={}, audit=entry())
TOKEN = AccessToken(name="t", agent="a", space=None, created_us=NOW, digest=b"d")
CALLS: dict[str, Callable[[Store], object]] = {
    "add": lambda s: s.add([prepared("x")], now_us=NOW),
    "record_use": lambda s: s.record_use(now_us=NOW, retrieved=[1], shown={}),
    "set_floor": lambda s: s.set_floor([1], Tier.FULL, for_agent="", audit=entry()),
    "set_status": lambda s: s.set_status(1, Status.STALE, superseded_by=None, valid_to_us=None, audit=entry()),
    "set_levels": lambda s: s.set_levels(1, Levels("a", "b", "c", 1, 1, 1), audit=entry()),
    "forget": lambda s: s.forget([1], now_us=NOW, audit=entry()),
    "put_vectors": lambda s: s.put_vectors(SMALL.key, [embedding(1)]),
    "audit": lambda s: s.audit(entry()),
    "get": lambda s: s.get([1]),
    "texts": lambda s: s.texts([1], Tier.FULL),
    "rows": lambda s: list(s.rows()),
    "usage": lambda s: s.usage([1]),
    "last_change": lambda s: s.last_change(),
    "changes": lambda s: s.changes(0),
    "match_words": lambda s: s.match_words(["x"], limit=1),
    "audit_log": lambda s: s.audit_log(),
    "stats": lambda s: s.stats(),
    "profiles": lambda s: s.profiles(),
    "save_profile": lambda s: s.save_profile(Profile(name="p"), audit=entry()),
    "agent_profile": lambda s: s.agent_profile("a"),
    "agent_profiles": lambda s: s.agent_profiles(),
    "set_agent_profile": lambda s: s.set_agent_profile("a", "seed", audit=entry()),
    "enqueue": lambda s: s.enqueue("embed", [1], now_us=NOW),
    "claim": lambda s: s.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=1),
    "release": lambda s: s.release([1], error="e", retry_us=None),
    "complete": lambda s: s.complete([1]),
    "backlog": lambda s: s.backlog(),
    "renew": lambda s: s.renew([1], until_us=NOW),
    "queue": lambda s: s.queue(now_us=NOW),
    "dead": lambda s: s.dead(),
    "retry_dead": lambda s: s.retry_dead(now_us=NOW),
    "set_episode_class": lambda s: s.set_episode_class(1, "noise", audit=entry()),
    "set_importance": lambda s: s.set_importance(1, 0.7, instead_of=0.5, audit=entry()),
    "embed_inputs": lambda s: s.embed_inputs([1]),
    "active_model": lambda s: s.active_model(),
    "missing_vectors": lambda s: s.missing_vectors(SMALL.key, limit=1),
    "activate_model": lambda s: s.activate_model(SMALL, audit=entry()),
    "identity": lambda s: s.identity(),
    "calibration": lambda s: s.calibration(),
    "set_calibration": lambda s: s.set_calibration(None, audit=entry()),
    "reserve_call": lambda s: s.reserve_call(CALL, []),
    "settle_call": lambda s: s.settle_call(1, tokens_in=1, tokens_out=1, cost=0, outcome=Outcome.DONE),
    "spent": lambda s: s.spent(),
    "recent_calls": lambda s: s.recent_calls("m", limit=1),
    "calls_since": lambda s: s.calls_since(0),
    "check": lambda s: s.check(),
    "repair": lambda s: s.repair(now_us=NOW),
    "terms": lambda s: s.terms(),
    "put_terms": lambda s: s.put_terms({}, TermsState(version=1), now_us=NOW),
    "unindexed": lambda s: s.unindexed(),
    "ids": lambda s: s.ids(limit=1),
    "backup": lambda s: s.backup("never.db"),
    "dump": lambda s: list(s.dump()),
    "load": lambda s: s.load([], now_us=NOW, audit=entry()),
    "load_links": lambda s: s.load_links([]),
    "load_tombstones": lambda s: s.load_tombstones([], last_id=0),
    "load_audit": lambda s: s.load_audit([entry()]),
    "map_heads": lambda s: s.map_heads(),
    "begin_map": lambda s: s.begin_map(map_head(1), map_places(1)),
    "put_places": lambda s: s.put_places(1, map_places(1)),
    "finish_map": lambda s: s.finish_map(1, [], near=0.0),
    "places": lambda s: s.places(1),
    "unplaced": lambda s: s.unplaced(1, "", limit=1),
    "map_size": lambda s: s.map_size(1),
    "map_growth": lambda s: s.map_growth(1, ""),
    "clusters": lambda s: s.clusters(1),
    "put_clusters": lambda s: s.put_clusters(1, []),
    "meanings": lambda s: s.meanings([1]),
    "term_lists": lambda s: s.term_lists([1]),
    "undistilled": lambda s: s.undistilled(limit=1),
    "count_undistilled": lambda s: s.count_undistilled(),
    "put_distilled": lambda s: s.put_distilled(1, STEP, now_us=NOW),
    "outcomes": lambda s: s.outcomes([1]),
    "known": lambda s: s.known([prepared("one").identity]),
    "with_outcome": lambda s: s.with_outcome(DistilledAs.NOISE),
    "patterns": lambda s: s.patterns(),
    "patterns_from": lambda s: s.patterns_from([1]),
    "begin_run": lambda s: s.begin_run(Run(begun_us=NOW, agent="a", space="", writer="w")),
    "end_run": lambda s: s.end_run(1, ended_us=NOW),
    "distill_runs": lambda s: s.distill_runs(),
    "load_provenance": lambda s: s.load_provenance([]),
    "put_decisions": lambda s: s.put_decisions([]),
    "near_copies": lambda s: s.near_copies([1]),
    "add_conflicts": lambda s: s.add_conflicts([], now_us=NOW, audit=entry()),
    "decide_conflict": lambda s: s.decide_conflict(
        1, ConflictState.BOTH_STAND, standing=None, note="", now_us=NOW, audit=entry()
    ),
    "conflicts": lambda s: s.conflicts(),
    "open_pairs": lambda s: s.open_pairs([1]),
    "load_conflicts": lambda s: s.load_conflicts([]),
    "decisions": lambda s: s.decisions(),
    "gate_counts": lambda s: s.gate_counts(),
    "load_copies": lambda s: s.load_copies([]),
    "add_token": lambda s: s.add_token(TOKEN, audit=entry()),
    "tokens": lambda s: s.tokens(),
    "revoke_token": lambda s: s.revoke_token("t", audit=entry()),
    "trail": lambda s: s.trail(1, limit=1),
}


def test_the_calls_are_the_whole_port() -> None:
    assert set(CALLS) == {name for name in dir(Store) if not name.startswith("_")} - {"close"}


@pytest.mark.parametrize("name", CALLS)
def test_a_closed_store_refuses_everything(backend: Backend, name: str) -> None:
    store = backend.open()
    add(store, prepared("one"))
    store.close()
    store.close()
    with pytest.raises(StoreClosed):
        CALLS[name](store)


def test_closing_leaves_a_half_read_call_nothing_to_leak(backend: Backend) -> None:
    store = backend.open()
    add(store, *(prepared(f"text {n}") for n in range(50)))
    rows = store.rows()
    next(rows)
    store.close()
    assert len(list(rows)) in range(50)  # what was begun may be read to its end


def test_threads_that_end_leave_no_connection(backend: Backend, store: Store) -> None:
    add(store, prepared("one"))
    gate = threading.Barrier(8)

    def look() -> None:
        rows = store.rows()
        next(rows)
        gate.wait(10)  # eight readers at once
        rows.close()

    before = backend.resources()
    for _ in range(5):
        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert backend.resources() <= before + 8, "more than were ever in use at once"
