"""New memories are judged: near copies are kept, linked and counted; a worker that dies repeats nothing wrongly."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.errors import StoreFull
from lodmem.ingest.judging import TASK, Case, JudgeTask, NearCopies
from lodmem.model.gate import NearCopy
from lodmem.model.memory import Draft, Source, Status
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine

STORY = (
    "The harbour office asked for the plan of the new pier, and Mara sent the drawing with the long list of timber that the"
    " carpenters had written, so that nobody had to climb down to the boats again while the wind was so strong."
)


def said(engine: Engine, *texts: str, **draft: object) -> list[int]:
    """Keep texts that stand in one source, embed and judge them; their ids."""
    first = len(engine._store.ids(limit=9999))
    made = [Draft(full=text, source=Source("talk", "", first + n), **draft) for n, text in enumerate(texts)]  # type: ignore[arg-type]
    ids = [added.id for added in engine.remember_many(made)]
    engine.drain()
    return ids


def evidence(engine: Engine, memory_id: int) -> int:
    return engine.expand(memory_id, touch=False)[0].evidence_count


@pytest.fixture(params=["fake", "none"])
def either(request: pytest.FixtureRequest, make_engine: MakeEngine, fake_embedder: FakeEmbedder) -> Engine:
    """With an embedder, and by words alone."""
    return make_engine(embedder=fake_embedder if request.param == "fake" else "none")


@pytest.mark.req("R1.16", "R5.8")
def test_near_copies_are_both_kept_linked_and_counted(either: Engine) -> None:
    old, far, new = said(either, STORY, "Ben painted the door of the shed.", STORY.replace("long", "very long"))
    assert [m.full for m in either.expand(old, new, touch=False)] == [STORY, STORY.replace("long", "very long")]
    (copy,) = either.near_copies(new)
    assert (copy.memory, copy.of) == (new, old)
    assert copy.similarity > 0.95
    assert (evidence(either, old), evidence(either, far), evidence(either, new)) == (2, 1, 1)
    assert either.expand(old, touch=False)[0].importance == 0.5
    assert either._store.backlog() == 0


@pytest.mark.req("R5.11")
def test_every_new_memory_leaves_one_decision(either: Engine) -> None:
    ids = said(either, STORY, "Ben painted the door of the shed.", STORY + " Indeed.", "Figs are sweet.")
    assert [d.memory for d in either.gate_decisions()] == ids
    found = {d.memory: d for d in either.gate_decisions()}
    assert (found[ids[0]].other, found[ids[0]].similarity) == (None, 0.0)
    assert (found[ids[2]].other, found[ids[2]].blocked) == (ids[0], "")
    assert found[ids[2]].similarity > 0.95


@pytest.mark.req("R5.10", "R5.8")
def test_what_differs_in_a_number_is_no_near_copy(either: Engine) -> None:
    old, new = said(either, STORY + " It is at 14:00.", STORY + " It is at 15:00.")
    assert either.near_copies(old, new) == []
    assert evidence(either, old) == 1
    (decision,) = either.gate_decisions(new)
    assert (decision.other, decision.blocked) == (old, "date")
    assert decision.similarity > 0.98


@pytest.mark.req("R5.8")
def test_copies_gather_at_the_oldest(either: Engine) -> None:
    ids = said(
        either, STORY, *(STORY.replace("long", word) for word in ("short", "neat", "old", "whole")), STORY + " So it was."
    )
    assert [(copy.memory, copy.of) for copy in either.near_copies(ids[0])] == [(i, ids[0]) for i in ids[1:]]
    assert evidence(either, ids[0]) == len(ids)
    later = said(either, STORY.replace("wind", "gale"))
    assert [copy.of for copy in either.near_copies(*later)] == [ids[0]]


def test_the_same_text_from_elsewhere_is_a_near_copy(either: Engine) -> None:
    old, new = said(either, STORY, STORY)
    assert either.near_copies(new) == [NearCopy(memory=new, of=old, similarity=1.0)]


def test_other_spaces_are_other_worlds(either: Engine) -> None:
    (old,) = said(either, STORY)
    (new,) = said(either, STORY, space="elsewhere")
    assert either.near_copies(old, new) == []


def test_what_does_not_stand_is_no_evidence(either: Engine) -> None:
    (old,) = said(either, STORY)
    entry = either._entry("archive", {"ids": [old]}, 0)
    either._store.set_status(old, Status.ARCHIVED, superseded_by=None, valid_to_us=None, audit=entry)
    (new,) = said(either, STORY + " So it was.")
    assert either.near_copies(new) == []


@pytest.mark.req("R5.19", "R5.8")
def test_an_import_run_twice_adds_nothing_and_changes_nothing(either: Engine, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for n in range(6):
        (notes / f"{n}.md").write_text(f"# Pier {n}\n\n{STORY.replace('long', ['long', 'short', 'neat'][n % 3])}\n")

    def state() -> object:
        store = either._store
        ids = store.ids(limit=99)
        return store.get(ids), [(d.memory, d.other, d.similarity) for d in store.decisions()], store.near_copies(ids)

    assert either.ingest(notes).added == 6
    either.drain()
    before, change = state(), either._store.last_change()
    again = either.ingest(notes)
    either.drain()
    assert (again.added, either._store.backlog()) == (0, 0)
    assert (state(), either._store.last_change()) == (before, change)


class Once:
    """A judge that fails at its first call, after the others have written."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []

    def judge(self, cases: Sequence[Case], *, now_us: int) -> None:
        self.calls.append([case.new.id for case in cases])
        if len(self.calls) == 1:
            raise StoreFull("no room")


def task_with(engine: Engine, *more: object) -> JudgeTask:
    return JudgeTask(engine._store, engine._clock, engine._nearest, [NearCopies(engine._store), *more])  # type: ignore[list-item]


@pytest.mark.req("R5.8")
def test_a_worker_that_dies_behind_the_gate_counts_nothing_twice(make_engine: MakeEngine, clock: FakeClock) -> None:
    engine = make_engine(embedder="none")
    engine.remember_many(
        [Draft(full=text, source=Source("talk", "", n)) for n, text in enumerate((STORY, STORY + " So it was."))]
    )
    fails = Once()
    runner = engine._runner([task_with(engine, fails)])
    with pytest.raises(StoreFull):
        runner.step()
    assert evidence(engine, 1) == 2
    assert engine._store.backlog(TASK) == 2
    clock.advance(seconds=3600)
    assert runner.run().done[TASK] == 2
    assert fails.calls == [[1, 2], [1, 2]]
    assert evidence(engine, 1) == 2
    assert [d.memory for d in engine.gate_decisions()] == [1, 2]


def test_judges_get_the_nearest_first_and_older_only(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    texts = (STORY, "Figs are sweet in autumn.", STORY.replace("pier", "mole"), "The figs were sweet.", STORY)
    engine.remember_many([Draft(full=text, source=Source("talk", "", n)) for n, text in enumerate(texts)])
    seen: dict[int, list[int]] = {}

    class Watch:
        def judge(self, cases: Sequence[Case], *, now_us: int) -> None:
            seen.update({case.new.id: [memory.id for memory in case.near] for case in cases})

    engine._runner([task_with(engine, Watch())]).run()
    assert sorted(seen) == [1, 2, 3, 4, 5]
    assert seen[1] == []
    assert seen[4][0] == 2
    assert seen[5][:2] == [1, 3]
    assert all(near < new for new, others in seen.items() for near in others)


def test_a_memory_forgotten_meanwhile_is_passed_over(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    engine.remember_many([Draft(full=f"{STORY} {n}", source=Source("talk", "", n)) for n in range(3)])
    nearest: Callable[..., dict[int, list[int]]] = engine._nearest

    def forgetting(ids: Sequence[int]) -> dict[int, list[int]]:
        found = nearest(ids)
        if 2 in engine._store.ids(limit=9):
            engine.forget(2)
        return found

    task = JudgeTask(engine._store, engine._clock, forgetting, [NearCopies(engine._store)])
    engine._runner([task]).run()
    assert [d.memory for d in engine.gate_decisions()] == [1, 3]
    assert engine._store.backlog(TASK) == 0


def test_it_happens_in_the_background(tmp_path: Path) -> None:
    with lodmem.open(tmp_path / "m.db", embedder=FakeEmbedder()) as engine:
        old = engine.remember(STORY).id
        new = engine.remember(STORY + " So it was.").id
        for _ in range(500):
            if engine.near_copies(new):
                break
            time.sleep(0.02)
        assert [copy.of for copy in engine.near_copies(new)] == [old]


def test_a_write_waits_for_no_judge(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    engine.remember(STORY)
    assert engine._store.backlog(TASK) == 1
    assert engine.gate_decisions() == []
    assert engine._scan is None, "a write needs no columns"


def test_the_report_names_thresholds_that_never_fired(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    said(engine, STORY, "Figs are sweet.", STORY + " It is at 14:00.", STORY + " It is at 15:00.")
    report = engine.gate_report()
    copy, skip, update = report.thresholds
    assert (copy.name, copy.at, copy.fired, copy.blocked) == ("near copy", 0.95, 0, 2)
    assert (skip.fired, update.fired) == (0, 0)
    assert report.highest["experience"] > 0.98  # type: ignore[index]
    assert report.waiting == 0
    said(engine, STORY + " So be it.")
    assert engine.gate_report().thresholds[0].fired == 1
