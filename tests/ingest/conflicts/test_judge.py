"""New memories beside old ones: what becomes a conflict, which side is the older one, and what a model may say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.ingest.conflicts.judge import age, says_one_thing
from lodmem.model.conflict import ConflictState, Reason
from lodmem.model.memory import Source, Status

OLD = "The newsletter of the lifeboat has 340 subscribers."
NEW = "The newsletter of the lifeboat now has 410 subscribers."


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with lodmem.open(tmp_path / "memory.db", embedder="none", background=False) as opened:
        yield opened


def judged(engine: Engine) -> list[tuple[int, int]]:
    engine.work()
    return [(one.conflict.older, one.conflict.newer) for one in engine.conflicts(state=None)]


@pytest.mark.req("R5.12")
def test_a_new_memory_is_held_against_those_that_were_there(engine: Engine) -> None:
    engine.remember("Nothing of this matters here.")
    old, new = engine.remember(OLD), engine.remember(NEW)
    assert judged(engine) == [(old.id, new.id)]
    (dispute,) = engine.conflicts()
    assert (dispute.conflict.reason, dispute.conflict.state) == (Reason.NUMBER, ConflictState.OPEN)
    assert (dispute.older.full, dispute.newer.full) == (OLD, NEW)
    assert {memory.status for memory in engine.expand(old.id, new.id, touch=False)} == {Status.CONFLICT}


def test_what_comes_in_later_may_be_the_older_one(engine: Engine) -> None:
    new = engine.remember(NEW, created_at="2026-05-01")
    old = engine.remember(OLD, created_at="2025-01-01")
    assert judged(engine) == [(old.id, new.id)]


def test_of_one_date_the_place_in_the_source_decides(engine: Engine) -> None:
    new = engine.remember(NEW, created_at="2026-05-01", source=Source("chat", "", 9))
    old = engine.remember(OLD, created_at="2026-05-01", source=Source("chat", "", 2))
    assert judged(engine) == [(old.id, new.id)]
    one, other = engine.expand(new.id, old.id, touch=False)
    assert age(one, one, other) > age(other, one, other)


def test_another_space_is_another_world(engine: Engine) -> None:
    engine.remember(OLD, space="acme/one")
    engine.remember(NEW, space="acme/two")
    assert judged(engine) == []


def test_judging_again_adds_nothing(engine: Engine) -> None:
    old, new = engine.remember(OLD), engine.remember(NEW)
    assert judged(engine) == [(old.id, new.id)]
    engine._store.enqueue("judge", [old.id, new.id], now_us=0)
    assert judged(engine) == [(old.id, new.id)]


def test_an_update_is_found_by_its_own_words(engine: Engine) -> None:
    """A turn that has nothing else in common with the old one, among many that have."""
    old = engine.remember(
        "user: I'm planning the regatta, and our newsletter about boats has 340 subscribers, can you help me?"
    )
    for n in range(120):
        engine.remember(f"user: Which colour fits the kitchen cupboard number {n} best, and should the tiles be matt?")
    new = engine.remember(
        "user: Which colour fits the kitchen cupboard, considering that our newsletter about boats now has 410 subscribers?"
    )
    assert judged(engine) == [(old.id, new.id)]


@pytest.mark.req("R5.13")
def test_an_explicit_statement_hides_the_older_one(engine: Engine) -> None:
    old = engine.remember("I eat meat.", created_at="2025-01-01")
    new = engine.remember("I no longer eat meat.", created_at="2026-01-01")
    engine.work()
    (memory,) = engine.expand(old.id, touch=False)
    assert (memory.status, memory.superseded_by) == (Status.SUPERSEDED, new.id)
    assert engine.search("do I eat meat", touch=False).ids == (new.id,)
    assert engine.search("do I eat meat", touch=False, as_of="2025-06-01").ids == (old.id,)
    (dispute,) = engine.conflicts(state="superseded")
    assert dispute.conflict.decided_by == "an explicit statement"


def test_a_memory_that_says_more_is_not_hidden_for_one_sentence(engine: Engine) -> None:
    long = "I eat meat. " + " ".join(f"The {n}th boat of the harbour is painted anew this spring." for n in range(9))
    assert not says_one_thing(long)
    old, new = engine.remember(long), engine.remember("I no longer eat meat.")
    assert judged(engine) == [(old.id, new.id)]
    assert engine.conflicts()[0].conflict.state is ConflictState.OPEN


def test_what_was_shown_and_pasted_back_contradicts_nothing(engine: Engine) -> None:
    engine.remember(OLD)
    engine.remember(NEW)
    assert judged(engine) == [(1, 2)]
    shown = engine.search("subscribers of the newsletter", touch=False).rendering
    engine.remember(f"Look at what it found when I asked it just now.\n\n{shown}")
    assert judged(engine) == [(1, 2)]
