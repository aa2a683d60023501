"""Distillation in the store: which episodes are done, patterns and where they came from, runs, what forgetting takes along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from contract_kit import NOW, SMALL, Backend, add, embedding, entry, prepared

from lodmem.errors import UnknownMemory
from lodmem.model.distilled import (
    ACCEPTED,
    REJECTED,
    URI,
    WAITING,
    Judged,
    NewPattern,
    Outcome,
    Run,
    SeenAgain,
    Step,
    Stored,
)
from lodmem.model.gate import GateVerdict, Verdict, What
from lodmem.model.kept import Kept, KeptOutcome, KeptPattern
from lodmem.model.memory import Kind, Source, Status
from lodmem.ports import Store

pytestmark = pytest.mark.req("R5.16")


def pattern(text: str, *episodes: int, status: Status = ACCEPTED, space: str = "main", importance: float = 0.5) -> NewPattern:
    made = prepared(text, kind=Kind.SEMANTIC, space=space, source=Source(URI, text[:9]), importance=importance, short=True)
    return NewPattern(prepared=made, episodes=episodes, status=status)


def step(outcomes: Mapping[int, Outcome], *new: NewPattern, again: tuple[SeenAgain, ...] = (), **counts: int) -> Step:
    return Step(outcomes=outcomes, new=new, again=again, counts=counts, audit=entry("distill", run=1))


def put(store: Store, *parts: Any, now_us: int = NOW, run: int = 0, **more: Any) -> Stored:
    return store.put_distilled(run, step(*parts, **more), now_us=now_us, tasks=())


def done(*ids: int, outcome: Outcome = Outcome.DISTILLED) -> dict[int, Outcome]:
    return dict.fromkeys(ids, outcome)


def test_every_active_episode_waits_once(store: Store) -> None:
    add(store, *(prepared(f"episode {n}") for n in range(5)), prepared("a fact", kind=Kind.SEMANTIC))
    assert store.undistilled(limit=9) == [1, 2, 3, 4, 5]
    assert (store.undistilled(limit=2), store.undistilled(after=2, limit=2)) == ([1, 2], [3, 4])
    assert store.count_undistilled() == 5
    assert put(store, done(1, 3)).taken
    assert store.undistilled(limit=9) == [2, 4, 5]
    assert store.outcomes([1, 2, 3, 99]) == {1: Outcome.DISTILLED, 3: Outcome.DISTILLED}


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.QUARANTINED, Status.ARCHIVED])
def test_what_is_hidden_does_not_wait(store: Store, status: Status) -> None:
    add(store, prepared("one"), prepared("two"))
    store.set_status(1, status, superseded_by=None, valid_to_us=None, audit=entry())
    assert store.undistilled(limit=9) == [2]


def test_a_space_and_those_below_it(store: Store) -> None:
    for space in ("a", "a/b", "ab", "c"):
        add(store, prepared("one", space=space))
    assert store.undistilled(space="a", limit=9) == [1, 2]
    assert store.count_undistilled(space="a") == 2
    put(store, done(1, 2, 3), pattern("in a", 1, space="a"), pattern("in a/b", 2, space="a/b"), pattern("in ab", 3, space="ab"))
    assert [each.text for each in store.patterns(space="a")] == ["in a", "in a/b"]


def test_a_pattern_is_a_memory_that_knows_its_episodes(store: Store) -> None:
    add(store, prepared("one"), prepared("two"), prepared("three"))
    stored = put(store, done(1, 2, 3), pattern("what keeps happening", 3, 1, importance=0.75))
    assert [(each.id, each.created) for each in stored.added] == [(4, True)]
    (memory,) = store.get([4])
    assert (memory.kind, memory.full, memory.importance, memory.status) == (
        Kind.SEMANTIC, "what keeps happening", 0.75, Status.ACTIVE,
    )  # fmt: skip
    (found,) = store.patterns()
    assert (found.id, found.episodes, found.evidence_count, found.distilled_us) == (4, (1, 3), 2, NOW)
    assert store.patterns_from([3]) == [found] == store.patterns_from([1, 3])
    assert store.patterns_from([2]) == []
    assert [hit for hit, _ in store.match_words(["happening"], limit=9)] == [4], "it is found like any memory"
    assert [each.detail for each in store.audit_log() if each.verb == "distill"] == [{"run": 1, "ids": [4]}]
    assert store.check() == []


def test_a_pattern_is_never_an_episode_whatever_its_kind(store: Store) -> None:
    add(store, prepared("one"))
    odd = pattern("an odd one", 1)
    odd = replace(odd, prepared=replace(odd.prepared, draft=replace(odd.prepared.draft, kind=Kind.EPISODIC)))
    put(store, done(1), odd)
    assert store.undistilled(limit=9) == []


def test_patterns_by_status_and_id(store: Store) -> None:
    add(store, prepared("one"))
    put(store, done(1), pattern("taken", 1), pattern("waits", 1, status=WAITING), pattern("no", 1, status=REJECTED))
    assert [each.text for each in store.patterns(statuses=[WAITING, REJECTED])] == ["waits", "no"]
    assert [each.text for each in store.patterns(ids=[4, 2, 99])] == ["taken", "no"]
    assert store.patterns(ids=[]) == []


def test_a_skip_notes_the_episode_and_changes_nothing_else(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    put(store, done(1), pattern("the pattern", 1))
    before, last = store.get([3]), store.last_change()
    put(store, done(2), again=(SeenAgain(pattern=3, episodes=(2,)),), now_us=NOW + 9)
    assert store.get([3]) == before
    assert store.last_change() == last
    assert [(each.episodes, each.distilled_us) for each in store.patterns()] == [((1, 2), NOW)]


@pytest.mark.parametrize(("new", "kept"), [(0.9, 0.9), (0.1, 0.5)])
def test_an_update_keeps_the_text_and_the_larger_importance(store: Store, new: float, kept: float) -> None:
    add(store, prepared("one"), prepared("two"), prepared("three"))
    put(store, done(1), pattern("the pattern", 1))
    for n in range(2):  # the same episodes add to the evidence once
        again = (SeenAgain(pattern=4, episodes=(2, 1), importance=new),)
        put(store, done(2 + n), again=again, now_us=NOW + 9)
    (found,) = store.patterns()
    assert (found.text, found.importance, found.evidence_count, found.distilled_us) == ("the pattern", kept, 2, NOW + 9)
    assert 4 in store.changes(0).written


def test_a_memory_that_is_no_pattern_is_not_updated(store: Store) -> None:
    add(store, prepared("one"), prepared("a fact", kind=Kind.SEMANTIC))
    put(store, done(1), again=(SeenAgain(pattern=2, episodes=(1,), importance=1.0),))
    assert store.get([2])[0].importance == 0.5
    assert store.patterns() == []


def test_the_same_text_is_stored_once(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    put(store, done(1), pattern("the pattern", 1, status=REJECTED))
    stored = put(store, done(2), pattern("the pattern", 2))
    assert [(each.id, each.created) for each in stored.added] == [(3, False)]
    (found,) = store.patterns()
    assert (found.episodes, found.status, found.evidence_count) == ((1, 2), REJECTED, 1)


def test_a_step_is_all_or_nothing(store: Store) -> None:
    add(store, prepared("one"), prepared("two"), prepared("three"))
    put(store, done(1))
    store.forget([2], now_us=NOW, audit=entry())
    last = store.audit_log()
    for outcomes in (done(1, 3), done(2, 3), done(3, 99)):
        assert put(store, outcomes, pattern("never", 3)) == Stored(False)
    assert (store.patterns(), store.undistilled(limit=9)) == ([], [3])
    assert store.audit_log() == last


def test_what_was_unparsable_is_taken_up_again(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    put(store, done(1, outcome=Outcome.UNPARSABLE))
    assert (store.undistilled(limit=9), store.undistilled(limit=9, again=True)) == ([2], [1, 2])
    assert (store.count_undistilled(), store.count_undistilled(again=True)) == (1, 2)
    assert put(store, done(1), pattern("now", 1)).taken
    assert store.undistilled(limit=9, again=True) == [2]


def test_episodes_by_outcome(store: Store) -> None:
    add(store, *(prepared(f"episode {n}", space="a" if n < 2 else "b") for n in range(4)))
    put(store, {1: Outcome.CONSTITUTIONAL, 2: Outcome.NOISE, 3: Outcome.CONSTITUTIONAL, 4: Outcome.DISTILLED})
    assert store.with_outcome(Outcome.CONSTITUTIONAL) == [3, 1]
    assert store.with_outcome(Outcome.CONSTITUTIONAL, space="a") == [1]
    assert store.with_outcome(Outcome.CONSTITUTIONAL, limit=1) == [3]


def test_a_new_pattern_waits_for_what_memories_wait_for(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    add(store, prepared("one"))
    store.put_vectors(SMALL.key, [embedding(1)])
    store.put_distilled(0, step(done(1), pattern("the pattern", 1)), now_us=NOW)
    assert [item.memory_id for item in store.claim("embed", worker="w", now_us=NOW, lease_us=1, limit=9)] == [2]


# -- forgetting -------------------------------------------------------------------------------------------------------------


def test_forgetting_takes_provenance_and_outcome_along(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    put(store, done(1, 2), pattern("the pattern", 1, 2), pattern("another", 1))
    store.forget([1], now_us=NOW, audit=entry())
    assert [each.episodes for each in store.patterns()] == [(2,), ()]
    assert store.patterns_from([1]) == []
    assert store.outcomes([1, 2]) == {2: Outcome.DISTILLED}
    store.forget([3], now_us=NOW, audit=entry())
    assert [each.id for each in store.patterns()] == [4]
    with pytest.raises(UnknownMemory):
        store.get([3])
    assert store.check() == []


# -- runs -------------------------------------------------------------------------------------------------------------------


def test_a_run_counts_what_its_steps_stored(store: Store) -> None:
    add(store, *(prepared(f"episode {n}") for n in range(4)))
    first = store.begin_run(Run(begun_us=NOW, agent="ada", space="a", writer="extractive"))
    second = store.begin_run(Run(begun_us=NOW + 1, agent="bo", space="", writer="tiny"))
    put(store, done(1), run=second, added=2, noise=1)
    put(store, done(2), run=second, added=1)
    assert not put(store, done(1), run=second, added=5).taken
    store.end_run(second, ended_us=NOW + 5, stopped="the cap")
    store.end_run(99, ended_us=NOW)
    last, before = store.distill_runs()
    assert last == Run(
        id=second, begun_us=NOW + 1, ended_us=NOW + 5, agent="bo", space="", writer="tiny", counts={"added": 3, "noise": 1},
        stopped="the cap",
    )  # fmt: skip
    assert (before.id, before.ended_us, dict(before.counts), before.stopped) == (first, None, {}, "")
    assert [run.id for run in store.distill_runs(limit=1)] == [second]


# -- out and in -------------------------------------------------------------------------------------------------------------


def test_what_is_dumped_is_loaded(store: Store, backend: Backend, tmp_path: Path) -> None:
    add(store, prepared("one"), prepared("two"))
    put(store, {1: Outcome.DISTILLED, 2: Outcome.NOISE}, pattern("the pattern", 1))
    kept = [piece for piece in store.dump() if isinstance(piece, Kept)]
    assert [each.outcome for each in kept] == [
        KeptOutcome(outcome=Outcome.DISTILLED, at_us=NOW), KeptOutcome(outcome=Outcome.NOISE, at_us=NOW), None,
    ]  # fmt: skip
    assert [each.pattern for each in kept] == [None, None, KeptPattern(distilled_us=NOW, episodes=(1,))]
    (tmp_path / "other").mkdir()
    other = type(backend)(tmp_path / "other").open()
    try:
        other.load(kept, now_us=NOW, audit=entry("import"), tasks=())
        assert other.undistilled(limit=9) == []
        assert other.load_provenance([(3, 1), (3, 99), (2, 1), (99, 1)]) == 1
        assert other.load_provenance([(3, 1)]) == 0
        assert other.patterns() == store.patterns()
        assert [piece for piece in other.dump() if isinstance(piece, Kept)] == kept
    finally:
        other.close()


def test_the_gates_decisions_are_kept_with_the_ids_that_patterns_got(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))

    def verdict(kind: Verdict, other: int | None, similarity: float) -> GateVerdict:
        return GateVerdict(verdict=kind, other=other, similarity=similarity)

    judged = (
        Judged(verdict=verdict(Verdict.ADD, None, 0.0), new=0),
        Judged(verdict=verdict(Verdict.UPDATE, -1, 0.8), other_new=0),
        Judged(verdict=verdict(Verdict.SKIP, 99, 1.0)),
    )
    store.put_distilled(0, replace(step(done(1), pattern("the pattern", 1)), judged=judged), now_us=NOW, tasks=())
    found = [(each.memory, each.what, each.verdict, each.other, each.similarity) for each in store.decisions()]
    assert found == [
        (3, What.PATTERN, Verdict.ADD, None, 0.0),
        (None, What.PATTERN, Verdict.UPDATE, 3, 0.8),
        (None, What.PATTERN, Verdict.SKIP, None, 1.0),
    ]


def test_a_pattern_stands_while_one_of_its_episodes_does(store: Store) -> None:
    add(store, prepared("one"), prepared("two"))
    put(store, done(1, 2), pattern("of both", 1, 2), pattern("of the first", 1), pattern("of none"))
    store.set_status(1, Status.SUPERSEDED, superseded_by=2, valid_to_us=None, audit=entry())
    assert [each.text for each in store.patterns(standing=True)] == ["of both", "of none"]
    assert len(store.patterns()) == 3
