"""SPEC 3.1: which memories a question may look at. Each filter, in a search and in a window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lodmem.engine import Engine
from lodmem.errors import BadDate, BadParameter
from lodmem.model.memory import Kind, Source, Status, Tier
from tests.conftest import FakeClock, MakeEngine


@pytest.fixture
def engine(make_engine: MakeEngine) -> Engine:
    return make_engine(embedder="none")


def seen(engine: Engine, **asking: Any) -> set[int]:
    """What passes, which must be the same in every mode."""
    found = set(engine.search("note", touch=False, theta3=0.0, **asking).ids)
    assert set(engine.window(touch=False, **asking).ids) == found
    assert set(engine.random(1000, touch=False, **asking).ids) == found
    return found


def put(engine: Engine, status: Status, *ids: int) -> None:
    for memory_id in ids:
        entry = engine.audit_log()[0]
        engine._store.set_status(memory_id, status, superseded_by=None, valid_to_us=None, audit=entry)


@pytest.mark.req("R3.1", "R1.3")
def test_a_space_includes_what_lies_below_it(engine: Engine) -> None:
    ids = {
        space: engine.remember("note", space=space).id
        for space in ("acme", "acme/research", "acme/research/x", "acmes", "main")
    }
    assert seen(engine) == set(ids.values())
    assert seen(engine, space="acme") == {ids["acme"], ids["acme/research"], ids["acme/research/x"]}
    assert seen(engine, space="acme/research") == {ids["acme/research"], ids["acme/research/x"]}
    assert seen(engine, space="nowhere") == set()
    with pytest.raises(BadParameter, match="space"):
        engine.search("note", space="acme//x")


@pytest.mark.req("R3.1", "R1.4")
def test_agents(engine: Engine) -> None:
    ids = {agent: engine.remember(f"note of {agent}", agent=agent).id for agent in ("ada", "bo", "cy")}
    assert seen(engine, agents="ada") == {ids["ada"]}
    assert seen(engine, agents=["ada", "cy"]) == {ids["ada"], ids["cy"]}
    assert seen(engine, agents=["nobody"]) == set()


@pytest.mark.req("R3.1", "R1.5")
def test_kinds(engine: Engine) -> None:
    ids = {kind: engine.remember(f"note {kind}", kind=kind).id for kind in Kind}
    assert seen(engine, kinds="semantic") == {ids[Kind.SEMANTIC]}
    assert seen(engine, kinds=["working", "procedural"]) == {ids[Kind.WORKING], ids[Kind.PROCEDURAL]}
    with pytest.raises(BadParameter, match="one of episodic"):
        engine.search("note", kinds="fact")


@pytest.mark.req("R3.1")
def test_tags_must_all_be_there(engine: Engine) -> None:
    a, b, both = (engine.remember(f"note {n}", tags=tags).id for n, tags in enumerate((["a"], ["b"], ["a", "b"])))
    assert seen(engine, tags="a") == {a, both}
    assert seen(engine, tags=["b"]) == {b, both}
    assert seen(engine, tags=["a", "b"]) == {both}
    assert seen(engine, tags=["a", "c"]) == set()


@pytest.mark.req("R3.1", "R1.12")
def test_a_source_is_the_start_of_a_uri(engine: Engine) -> None:
    ids = {uri: engine.remember("note", source=Source(uri)).id for uri in ("git:a", "git:ab", "chat:a")}
    engine.remember("note from nowhere")
    assert seen(engine, source="git:") == {ids["git:a"], ids["git:ab"]}
    assert seen(engine, source="git:ab") == {ids["git:ab"]}
    assert seen(engine, source="mail:") == set()


@pytest.mark.req("R3.1")
def test_since_is_in_and_until_is_out(engine: Engine) -> None:
    noon = datetime(2025, 5, 1, 12, tzinfo=UTC)
    tick = timedelta(microseconds=1)
    ids = {step: engine.remember(f"note {step}", created_at=noon + step * tick).id for step in (-1, 0, 1)}
    assert seen(engine, since=noon) == {ids[0], ids[1]}
    assert seen(engine, until=noon) == {ids[-1]}
    assert seen(engine, since=noon, until=noon + tick) == {ids[0]}
    assert seen(engine, since="1 May 2025", until="1 May 2025") == set(ids.values())
    with pytest.raises(BadParameter, match="ends before it starts"):
        engine.search("note", since=noon, until=noon)
    with pytest.raises(BadDate):
        engine.search("note", since="the other day, you know")


@pytest.mark.req("R3.1", "R1.13")
def test_retrieved_or_not_and_the_tier_last_shown(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember(f"note {n}").id for n in range(4)]
    shown = {ids[0]: Tier.FULL, ids[1]: Tier.SUMMARY, ids[2]: Tier.HEADLINE}
    engine._store.record_use(now_us=clock.now_us(), retrieved=ids[:2], shown=shown)
    assert seen(engine, retrieved=True) == {ids[0], ids[1]}
    assert seen(engine, retrieved=False) == {ids[2], ids[3]}
    assert seen(engine, last_tier="full") == {ids[0]}
    assert seen(engine, last_tier=["summary", "headline"]) == {ids[1], ids[2]}
    with pytest.raises(BadParameter, match="not a tier"):
        engine.search("note", last_tier="half")


@pytest.mark.req("R3.2", "R1.17")
@pytest.mark.parametrize("status", list(Status))
def test_statuses_stay_out_unless_asked_for(engine: Engine, status: Status) -> None:
    plain, other = engine.remember("note one").id, engine.remember("note two").id
    put(engine, status, other)
    stays_in = status in (Status.ACTIVE, Status.STALE, Status.CONFLICT)
    assert seen(engine) == ({plain, other} if stays_in else {plain})
    assert other in seen(engine, status=str(status))
    assert seen(engine, status=["active", str(status)]) == {plain, other}
    if status is not Status.ACTIVE:
        assert seen(engine, status="active") == {plain}
    view = next(v for v in engine.window(status=str(status), touch=False).views if v.id == other)
    assert (str(status) in view.notes) == (status is not Status.ACTIVE)


@pytest.mark.req("R3.2", "R1.17")
def test_what_has_expired_stays_out_unless_asked_for(engine: Engine, clock: FakeClock) -> None:
    for_good = engine.remember("note for good").id
    soon = engine.remember("note for a day", expires_at=clock.now + timedelta(days=1)).id
    assert seen(engine) == {for_good, soon}
    clock.advance(days=1)
    assert seen(engine) == {for_good}
    assert seen(engine, expired=True) == {soon}
    assert seen(engine, expired=None) == {for_good, soon}


@pytest.mark.req("R3.3", "R1.11")
def test_as_of_shows_what_was_known_and_true_then(engine: Engine, clock: FakeClock) -> None:
    def on(month: int, day: int = 1) -> datetime:
        return datetime(2025, month, day, tzinfo=UTC)

    old = engine.remember("note: Ada lives in Oslo", created_at=on(1)).id
    new = engine.remember("note: Ada lives in Rome", created_at=on(4)).id
    engine.supersede(old, new)
    lease = engine.remember("note: the lease runs", created_at=on(1), valid_from=on(2), valid_to=on(3)).id
    assert seen(engine) == {new, lease}
    assert seen(engine, as_of=on(1, 2)) == {old}  # the lease is known, and not true yet
    assert seen(engine, as_of=on(2)) == {old, lease}
    assert seen(engine, as_of=on(3)) == {old}
    assert seen(engine, as_of=on(4)) == {new}
    assert seen(engine, as_of=datetime(2024, 12, 31, tzinfo=UTC)) == set()
    assert seen(engine, as_of="31 March 2025") == {old}


@pytest.mark.req("R3.3", "R2.3")
def test_as_of_looks_with_the_eyes_of_that_day(engine: Engine, clock: FakeClock) -> None:
    only = engine.remember("note", created_at=clock.ago(100)).id
    assert engine.search("note", as_of=clock.ago(100), touch=False).views[0].decay == 1.0
    assert engine.search("note", touch=False).views[0].decay == pytest.approx(0.049787, abs=1e-6)
    gone = engine.remember("note that expired", created_at=clock.ago(100), expires_at=clock.ago(50)).id
    assert seen(engine) == {only}
    assert seen(engine, as_of=clock.ago(60)) == {only, gone}


@pytest.mark.req("R3.1")
def test_filters_narrow_together(engine: Engine, clock: FakeClock) -> None:
    kept = set()
    for n in range(48):
        space, agent, kind = ("main", "acme")[n % 2], ("ada", "bo")[n // 2 % 2], ("semantic", "working")[n // 4 % 2]
        tags, age = (["a"], ["b"], ["a", "b"])[n % 3], n % 6
        added = engine.remember(f"note {n}", space=space, agent=agent, kind=kind, tags=tags, created_at=clock.ago(age))
        if all((space == "acme", agent == "bo", kind == "working", "b" in tags, age >= 3)):
            kept.add(added.id)
    assert kept
    asked = {"space": "acme", "agents": "bo", "kinds": "working", "tags": "b", "until": clock.ago(2.5)}
    assert seen(engine, **asked) == kept
