"""Memories in an open conflict stand together in every answer, the newest first, each naming the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.model.conflict import Found, Reason
from lodmem.model.memory import Tier

QUERY = "harbour team standup in room Blue"
OLD = "The standup of the harbour team is in room Blue at half past nine."
NEW = "Moved: the standup is in Green now."


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with lodmem.open(tmp_path / "memory.db", embedder="none", background=False) as opened:
        for n in range(20):
            opened.remember(f"The harbour has a crane with the number {n}, and a team paints it.", created_at="2025-01-01")
        opened.remember(OLD, created_at="2025-02-01")
        opened.remember(NEW, created_at="2025-03-01")
        yield opened


def oppose(engine: Engine, older: int, newer: int) -> int:
    found = Found(older=older, newer=newer, reason=Reason.PLACE, detail="'Blue' / 'Green'")
    (kept,) = engine._store.add_conflicts([found], now_us=engine.now_us, audit=engine._entry("conflict", {}, engine.now_us))
    return kept.id


def ids_of(engine: Engine) -> tuple[int, int]:
    found = {memory.full: memory.id for memory in engine.expand(*range(1, 23), touch=False)}
    return found[OLD], found[NEW]


@pytest.mark.req("R5.25", "R5.12")
def test_the_newest_comes_first_and_each_names_the_other(engine: Engine) -> None:
    old, new = ids_of(engine)
    before = engine.search(QUERY, touch=False).ids
    assert before.index(old) < before.index(new)
    oppose(engine, old, new)
    landscape = engine.search(QUERY, touch=False)
    assert landscape.ids[:2] == (new, old)
    assert [view.notes for view in landscape.views[:2]] == [(f"in conflict with #{old}",), (f"in conflict with #{new}",)]
    assert f"[in conflict with #{old}]: Moved" in landscape.rendering
    assert [memory_id for memory_id, _, _ in engine.rank(QUERY)][:2] == [new, old]
    assert [view.score for view in landscape.views] == sorted((view.score for view in landscape.views), reverse=True)


def test_nothing_moves_where_nothing_is_in_conflict(engine: Engine) -> None:
    old, new = ids_of(engine)
    before = engine.rank(QUERY)
    number = oppose(engine, old, new)
    engine.resolve(number, "both")
    assert engine.rank(QUERY) == before


def test_both_are_shown_though_one_is_far_from_the_question(engine: Engine) -> None:
    old, new = ids_of(engine)
    oppose(engine, old, new)
    for query, near in (("Moved to Green now", new), (QUERY, old)):
        tiers = {view.id: view.tier for view in engine.search(query, touch=False, theta3=0.5, theta2=0.6).views}
        assert tiers[near] >= Tier.HEADLINE
        assert {old, new} <= tiers.keys()


def test_a_side_that_is_no_candidate_joins(engine: Engine) -> None:
    old, new = ids_of(engine)
    oppose(engine, old, new)
    found = engine.search(QUERY, touch=False, k=1).ids
    assert found[:2] == (new, old)


def test_a_chain_stands_by_age(engine: Engine) -> None:
    old, new = ids_of(engine)
    newest = engine.remember("It is in Ochre from next week on.", created_at="2025-04-01").id
    oppose(engine, old, new)
    oppose(engine, new, newest)
    landscape = engine.search(QUERY, touch=False)
    assert landscape.ids[:3] == (newest, new, old)
    assert landscape.views[1].notes == (f"in conflict with #{old}, #{newest}",)


def test_a_side_that_the_filters_leave_out_changes_nothing(engine: Engine) -> None:
    old, new = ids_of(engine)
    before = engine.search(QUERY, touch=False, until="2025-02-15").ids
    oppose(engine, old, new)
    assert engine.search(QUERY, touch=False, until="2025-02-15").ids == before
    view = engine.search(QUERY, touch=False, as_of="2025-02-15").views[0]
    assert (view.id, view.notes) == (old, ())


@pytest.mark.req("R3.19")
def test_what_is_in_conflict_is_not_promoted(engine: Engine) -> None:
    old, new = ids_of(engine)
    oppose(engine, old, new)
    engine.search(QUERY)
    engine._settle_notes()
    assert [memory.retrieval_count for memory in engine.expand(old, new, touch=False)] == [0, 0]


@pytest.mark.req("R5.13", "R3.2", "R3.3")
def test_a_decision_hides_the_older_side_and_as_of_finds_it(engine: Engine) -> None:
    old, new = ids_of(engine)
    number = oppose(engine, old, new)
    engine.resolve(number, "newer", reason="the sign says so")
    assert old not in engine.search(QUERY, touch=False).ids
    assert engine.search(QUERY, touch=False, as_of="2025-02-15").ids[0] == old
    engine.resolve(number, "open")
    assert engine.search(QUERY, touch=False).ids[:2] == (new, old)


def test_modes_without_a_query_name_the_other_side(engine: Engine) -> None:
    old, new = ids_of(engine)
    oppose(engine, old, new)
    notes = {view.id: view.notes for view in engine.recent(touch=False).views}
    assert notes[new] == (f"in conflict with #{old}",)
    assert notes[old] == (f"in conflict with #{new}",)


def test_many_others_are_named_in_few_words(engine: Engine) -> None:
    _, new = ids_of(engine)
    for other in range(1, 8):
        oppose(engine, other, new)
    (view,) = [view for view in engine.recent(touch=False).views if view.id == new]
    assert view.notes == ("in conflict with #4, #5, #6, #7 and 3 more",)


def test_explain_says_where_the_place_comes_from(engine: Engine) -> None:
    old, new = ids_of(engine)
    oppose(engine, old, new)
    why = engine.explain(new, QUERY)
    assert why.rank == 1
    (taken,) = [part for part in why.parts if part[0] == "taken"]
    assert taken[1] == engine.search(QUERY, touch=False).views[0].score
