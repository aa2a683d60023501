"""SPEC 3.6: what is retrieved stands higher next time, what is not sinks, and looking alone changes nothing."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import apsw
import pytest

from lodmem.engine import Engine
from lodmem.errors import UnknownMemory
from lodmem.model.memory import Status, Tier
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine, settled, view_of

LONG = " ".join(
    f"Part {n}: the {what} of the bridge was checked by the inspectors and they wrote a long note about it."
    for n, what in enumerate(("deck", "cable", "pylon", "railing", "lamp", "drain", "joint", "paint", "bolt", "sign"))
)


@pytest.fixture
def engine(make_engine: MakeEngine) -> Engine:
    return make_engine(embedder=FakeEmbedder(256))


def counts(engine: Engine, *ids: int) -> list[int]:
    return [settled(engine, i).retrieval_count for i in ids]


@pytest.mark.req("R3.18", "R1.13")
def test_a_search_retrieves_what_it_shows_and_what_is_close(engine: Engine, clock: FakeClock) -> None:
    close = engine.remember("Brian drinks tea without sugar", created_at=clock.ago(20)).id
    far = engine.remember("the harbour is closed on Mondays", created_at=clock.ago(0)).id
    engine.drain()
    landscape = engine.search("Brian drinks tea without sugar")
    assert view_of(landscape, far).relevance < 0.5  # type: ignore[operator]
    memory = settled(engine, close)
    assert (memory.retrieval_count, memory.last_retrieved_at, memory.last_tier) == (1, clock.now, Tier.FULL)
    memory = settled(engine, far)
    assert (memory.retrieval_count, memory.last_retrieved_at, memory.last_tier) == (0, None, Tier.HEADLINE)


@pytest.mark.req("R3.20")
def test_looking_without_touching_changes_nothing(engine: Engine) -> None:
    only = engine.remember("Brian drinks tea without sugar").id
    engine.drain()
    before = settled(engine, only)
    engine.search("Brian drinks tea", touch=False)
    engine.window(touch=False)
    engine.explain(only, "Brian drinks tea")
    engine.expand(only, touch=False)
    assert settled(engine, only) == before


@pytest.mark.req("R3.18")
def test_modes_without_a_query_are_exposure_and_not_use(engine: Engine) -> None:
    only = engine.remember("Brian drinks tea without sugar").id
    for look in (engine.random, engine.window, engine.recent, engine.important, engine.unseen):
        look()
    assert settled(engine, only).retrieval_count == 0
    assert settled(engine, only).last_tier is Tier.HEADLINE


@pytest.mark.req("R3.18")
def test_at_most_fifty_and_the_best(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember("Brian drinks tea", space=f"s{n}", created_at=clock.now).id for n in range(60)]
    engine.drain()
    landscape = engine.search("Brian drinks tea")
    assert len(landscape) == 60
    assert all(view.relevance > 0.9 for view in landscape.views)  # type: ignore[operator]
    assert counts(engine, *ids) == [1] * 50 + [0] * 10


@pytest.mark.req("R3.18")
def test_promote_at_is_the_line_and_belongs_to_it(engine: Engine) -> None:
    only = engine.remember("Brian drinks tea in the garden with Ada").id
    engine.drain()
    s = engine.search("tea in the river", touch=False).views[0].relevance
    assert s is not None
    engine.search("tea in the river", promote_at=s + 1e-6)
    assert counts(engine, only) == [0]
    engine.search("tea in the river", promote_at=s)
    assert counts(engine, only) == [1]


@pytest.mark.req("R3.18")
def test_what_was_not_shown_was_not_retrieved(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember(f"{LONG} Copy {n}.", created_at=clock.now).id for n in range(6)]
    engine.drain()
    landscape = engine.search("the bridge was checked by the inspectors", budget=80, promote_at=0.1)
    assert 0 < len(landscape) < 6
    assert counts(engine, *ids) == [int(i in landscape.ids) for i in ids]
    assert max(view.tier for view in landscape.views) < Tier.FULL  # at whatever tier


@pytest.mark.req("R3.19")
@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.CONFLICT])
def test_superseded_and_conflicting_ones_are_never_promoted_by_search(
    engine: Engine, make_engine: MakeEngine, status: Status
) -> None:
    only = engine.remember("Brian drinks tea without sugar").id
    plain = engine.remember("Brian drinks tea without sugar", space="other").id
    engine.drain()
    audit = engine.audit_log()[0]
    engine._store.set_status(only, status, superseded_by=None, valid_to_us=None, audit=audit)
    landscape = engine.search("Brian drinks tea without sugar", status=[status, Status.ACTIVE])
    assert set(landscape.ids) == {only, plain}
    assert counts(engine, only, plain) == [0, 1]


@pytest.mark.req("R3.21")
@pytest.mark.parametrize("profile", ["balanced", "seed", "precedent", "digest"])
def test_what_is_used_for_two_years_stays_sharp_and_what_is_not_sinks(engine: Engine, clock: FakeClock, profile: str) -> None:
    used = engine.remember("Brian drinks tea without sugar", created_at=clock.now).id
    unused = engine.remember("a heron stood in the river", created_at=clock.now).id
    engine.drain()
    first = engine.search("Brian drinks tea", profile=profile)
    for _ in range(24):
        clock.advance(days=30.4)
        engine.search("Brian drinks tea", profile=profile)
    last = engine.search("Brian drinks tea", profile=profile, touch=False)
    assert settled(engine, used).retrieval_count == 25
    assert view_of(last, used).tier is Tier.FULL
    assert view_of(last, used).score >= view_of(first, used).score - 1e-6
    clock.advance(days=30.4)  # a month later it is still there, and much sharper than after its first retrieval
    assert view_of(engine.search("Brian drinks tea", profile=profile, touch=False), used).decay > 0.75
    assert view_of(first, unused).decay == 1.0
    found = engine.explain(unused, "Brian drinks tea", profile=profile)
    assert found.decay < 1e-6
    assert found.tier is (Tier.HEADLINE if profile == "seed" else Tier.HORIZON)
    assert found.tier < view_of(first, unused).tier


@pytest.mark.req("R3.22")
@pytest.mark.parametrize("profile", ["digest", "precedent"])
def test_a_search_lifts_the_tier_of_the_old_and_close(engine: Engine, clock: FakeClock, profile: str) -> None:
    old = engine.remember("Brian drinks tea without sugar", created_at=clock.ago(400)).id
    engine.drain()
    before = view_of(engine.search("Brian drinks tea without sugar", profile=profile), old)
    after = view_of(engine.search("Brian drinks tea without sugar", profile=profile), old)
    assert before.tier < after.tier is Tier.FULL
    assert after.relevance == before.relevance


@pytest.mark.req("R3.30")
@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.9, 1.0])
def test_promotion_gives_at_most_one_minus_alpha(engine: Engine, clock: FakeClock, alpha: float) -> None:
    old = engine.remember("Brian drinks tea without sugar", created_at=clock.ago(5000)).id
    engine.drain()
    before = engine.explain(old, "Brian drinks tea", alpha=alpha)
    for _ in range(5):
        engine.search("Brian drinks tea without sugar", alpha=alpha)
    after = engine.explain(old, "Brian drinks tea", alpha=alpha)
    assert 0 <= after.score - before.score <= 1 - alpha + 1e-6
    assert any(f"at most {1 - alpha:g}" in reason for reason in after.reasons)


# -- the write behind the answer ----------------------------------------------------------------------------------------


@pytest.mark.req("R3.29")
def test_a_locked_store_only_delays_the_count(engine: Engine, tmp_path: Path) -> None:
    only = engine.remember("Brian drinks tea without sugar").id
    engine.drain()
    engine.search("Brian drinks tea", touch=False)
    engine._recorder.flush()
    other = apsw.Connection(str(tmp_path / "memory.db"))
    other.execute("BEGIN IMMEDIATE")
    started = time.monotonic()
    assert engine.search("Brian drinks tea").ids == (only,)
    assert time.monotonic() - started < 1.0
    assert engine.expand(only, touch=False)[0].retrieval_count == 0
    threading.Timer(0.2, lambda: other.execute("ROLLBACK")).start()
    assert counts(engine, only) == [1]
    other.close()


@pytest.mark.req("R3.29")
def test_a_store_locked_for_long_delays_no_answer(engine: Engine, tmp_path: Path) -> None:
    only = engine.remember("Brian drinks tea without sugar").id
    engine.drain()
    engine.search("Brian drinks tea", touch=False)
    engine._recorder.flush()
    other = apsw.Connection(str(tmp_path / "memory.db"))
    other.execute("BEGIN IMMEDIATE")
    started = time.monotonic()
    for _ in range(3):
        assert engine.search("Brian drinks tea").ids == (only,)
    taken = time.monotonic() - started
    other.execute("ROLLBACK")
    other.close()
    assert counts(engine, only) == [3]
    assert taken < 2.0


@pytest.mark.req("R3.29")
def test_closing_writes_what_waits(make_engine: MakeEngine) -> None:
    with make_engine() as engine:
        only = engine.remember("Brian drinks tea without sugar").id
        engine.drain()
        for _ in range(5):
            engine.search("Brian drinks tea")
    assert counts(make_engine(), only) == [5]


@pytest.mark.req("R16.2", "R1.13")
def test_counts_of_two_engines_add_up(make_engine: MakeEngine) -> None:
    one, two = make_engine(), make_engine(agent="bo")
    only = one.remember("Brian drinks tea without sugar").id
    one.drain()
    threads = [
        threading.Thread(target=lambda e=e: [e.search("Brian drinks tea") for _ in range(8)])  # type: ignore[misc]
        for e in (one, two, one)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one._recorder.flush()
    two._recorder.flush()
    assert counts(one, only) == [24]
    assert view_of(two.search("Brian drinks tea", touch=False), only).retrieval_count == 24


# -- expand, promote, demote --------------------------------------------------------------------------------------------


@pytest.mark.req("R3.27")
def test_expanding_gives_the_whole_text_and_counts(engine: Engine, clock: FakeClock) -> None:
    long, short = engine.remember(LONG, created_at=clock.ago(9)).id, engine.remember("Brian drinks tea").id
    assert [memory.full for memory in engine.expand(short, long)] == ["Brian drinks tea", LONG]
    assert counts(engine, long, short) == [1, 1]
    assert settled(engine, long).last_retrieved_at == clock.now
    assert settled(engine, long).last_tier is Tier.FULL
    with pytest.raises(UnknownMemory, match="99"):
        engine.expand(long, 99)
    assert counts(engine, long) == [1]


@pytest.mark.req("R3.28", "R1.15")
def test_promote_climbs_one_tier_above_the_one_last_shown(engine: Engine, clock: FakeClock) -> None:
    old = engine.remember(LONG, created_at=clock.ago(900)).id
    engine.drain()
    assert engine.promote(old) is Tier.HEADLINE  # never shown
    engine.search("something else", theta3=0.0)
    assert settled(engine, old).last_tier is Tier.HEADLINE
    assert engine.promote(old) is Tier.SUMMARY
    assert engine.search("something else").views[0].tier is Tier.SUMMARY
    assert engine.promote(old) is Tier.FULL
    assert engine.search("something else").views[0].tier is Tier.FULL
    assert engine.promote(old) is Tier.FULL
    assert engine.demote(old) is Tier.HORIZON
    assert engine.explain(old, "something else").tier is Tier.HORIZON


@pytest.mark.req("R3.28", "R2.12")
def test_a_pin_holds_until_it_is_taken_back(engine: Engine, clock: FakeClock) -> None:
    old, other = engine.remember(LONG, created_at=clock.ago(900)).id, engine.remember("Ada sings").id
    engine.drain()
    assert engine.promote(old, to="full") is Tier.FULL
    assert "pinned" in view_of(engine.search("Ada sings", touch=False), old).notes
    for look in (engine.window, engine.recent, engine.unseen, engine.random):
        assert view_of(look(touch=False), old).tier is Tier.FULL
    assert engine.promote(old, to=Tier.HEADLINE) is Tier.HEADLINE
    assert view_of(engine.search("Ada sings", touch=False), old).tier is Tier.HEADLINE
    engine.demote(old)
    assert engine.search("Ada sings", touch=False).ids == (other,)


@pytest.mark.req("R1.15")
def test_a_floor_is_everybodys_or_mine_alone(engine: Engine, make_engine: MakeEngine, clock: FakeClock) -> None:
    old = engine.remember(LONG, created_at=clock.ago(900)).id
    new = engine.remember("Ada sings").id
    engine.drain()
    bo = make_engine(agent="bo", embedder=FakeEmbedder(256))
    bo.promote(old, to="summary", mine=True)
    assert view_of(bo.search("Ada sings", touch=False), old).tier is Tier.SUMMARY
    assert engine.search("Ada sings", touch=False).ids == (new,)
    engine.promote(old, to="headline")
    assert view_of(engine.search("Ada sings", touch=False), old).tier is Tier.HEADLINE
    assert view_of(bo.search("Ada sings", touch=False), old).tier is Tier.SUMMARY
    bo.demote(old, mine=True)
    assert view_of(bo.search("Ada sings", touch=False), old).tier is Tier.HEADLINE
    with pytest.raises(UnknownMemory):
        engine.promote(99)
    with pytest.raises(UnknownMemory):
        engine.demote(99)
