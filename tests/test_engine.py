"""The verbs of the product: what they keep, what they refuse, and that nothing is lost whatever fails."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lodmem
from lodmem.config import read_settings
from lodmem.engine import MODEL_REST_US, Engine
from lodmem.errors import (
    BadDate,
    BadEncoding,
    BadParameter,
    EmptyText,
    LodmemError,
    ModelMismatch,
    ModelUnavailable,
    StoreClosed,
    StoreReadOnly,
    TooLarge,
    UnknownMemory,
)
from lodmem.ingest.work.pace import FIRST_US
from lodmem.model.memory import Draft, Kind, Priority, Source, Status, Tier, to_us
from lodmem.wiring import open_engine
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine, settled, view_of

SAME = {"feline": "cat", "naps": "sleeps"}


def until(true: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for what happens in the background."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


# -- remember ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("R5.2", "R1.2")
def test_the_same_text_from_the_same_place_changes_nothing(engine: Engine, clock: FakeClock) -> None:
    where = Source("chat:1", "s", 3)
    first = engine.remember("tea with Ada", source=where, tags=["a"], created_at=clock.ago(3))
    assert first.created
    before = settled(engine, first.id)
    clock.advance(days=1)
    again = engine.remember("tea with Ada", source=where, tags=["b"], importance=1.0)
    assert (again.id, again.created) == (first.id, False)
    assert settled(engine, first.id) == before
    others = [
        engine.remember("tea with Ada"),
        engine.remember("tea with Ada", source=Source("chat:1", "s", 4)),
        engine.remember("tea with Ada", source=Source("chat:1", "t", 3)),
        engine.remember("tea with Ada", source=Source("chat:2", "s", 3)),
        engine.remember("tea with Ada", source=where, space="other"),
        engine.remember("tea with Ada ", source=where),
    ]
    assert all(other.created for other in others)
    assert [other.id for other in others] == [2, 3, 4, 5, 6, 7]
    assert not engine.remember("tea with Ada").created
    assert engine.stats().memories == 7


@pytest.mark.req("R1.17", "R1.10", "R1.11", "R1.14")
def test_everything_given_is_kept(engine: Engine, clock: FakeClock) -> None:
    added = engine.remember(
        "tea with Ada", kind="semantic", created_at=clock.ago(10), source=Source("chat:1", "s", 3), tags=["b", "a", "b "],
        importance=0.9, priority="low", expires_at=clock.now + timedelta(days=9), valid_from=clock.ago(8),
        valid_to=clock.ago(2), meta={"speaker": "Ada", "n": [1, None, "é"]}, space="acme/tea", agent="bo",
    )  # fmt: skip
    memory = engine.expand(added.id, touch=False)[0]
    assert (memory.full, memory.kind, memory.space, memory.agent) == ("tea with Ada", Kind.SEMANTIC, "acme/tea", "bo")
    assert (memory.created_at, memory.created_given, memory.ingested_at) == (clock.ago(10), True, clock.now)
    assert (memory.source, memory.tags) == (Source("chat:1", "s", 3), ("a", "b"))
    assert (memory.importance, memory.priority, memory.status) == (0.9, Priority.LOW, Status.ACTIVE)
    assert memory.expires_us == to_us(clock.now + timedelta(days=9))
    assert (memory.valid_from_us, memory.valid_to_us) == (to_us(clock.ago(8)), to_us(clock.ago(2)))
    assert dict(memory.meta) == {"speaker": "Ada", "n": [1, None, "é"]}
    plain = engine.expand(engine.remember("plain").id, touch=False)[0]
    assert (plain.kind, plain.importance, plain.priority) == (Kind.EPISODIC, 0.5, Priority.MEDIUM)
    assert (plain.space, plain.agent, plain.source, plain.tags) == ("main", "default", None, ())
    assert (plain.created_at, plain.created_given) == (clock.now, False)


@pytest.mark.req("R1.10")
def test_dates_may_be_said_in_words_in_the_engines_zone(make_engine: MakeEngine) -> None:
    engine = make_engine(zone="America/New_York")  # now is Monday 2 June, 8 in the morning there
    added = engine.remember("tea", created_at="yesterday", expires_at="2025-07-01")
    memory = engine.expand(added.id, touch=False)[0]
    assert memory.created_at == datetime(2025, 6, 1, 4, tzinfo=UTC)
    assert memory.expires_us == to_us(datetime(2025, 7, 1, 4, tzinfo=UTC))


@pytest.mark.req("R1.6")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), encoded=st.booleans())
def test_the_full_text_comes_back_as_it_came(engine: Engine, text: str, encoded: bool) -> None:
    added = engine.remember(text.encode() if encoded else text)
    assert engine.expand(added.id, touch=False)[0].full == text


@pytest.mark.req("R1.6")
def test_so_do_line_ends_nul_and_a_megabyte(engine: Engine) -> None:
    odd = "\ufeffone\r\ntwo\rthree\x00four\u2028e\u0301é  \t\n\n"
    big = ("A line about the harbour, number {}.\r\n" * 1000).format(*range(1000)) * 26
    assert len(big) > 1_000_000
    for text in (odd, big):
        assert engine.expand(engine.remember(text).id, touch=False)[0].full.encode() == text.encode()


@pytest.mark.req("R5.3", "R17.8")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", EmptyText),
        (" \n\t\u3000", EmptyText),
        (b"", EmptyText),
        ("caf\xe9".encode("latin-1"), BadEncoding),
        ("hello".encode("utf-16"), BadEncoding),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", BadEncoding),
        ("half of a pair \ud83d", BadEncoding),
        ("x" * 2001, TooLarge),
        ("é" * 1001, TooLarge),
    ],
)
def test_a_text_that_cannot_be_kept_is_refused(make_engine: MakeEngine, text: str | bytes, error: type[LodmemError]) -> None:
    engine = make_engine(max_text_bytes=2000)
    with pytest.raises(error) as caught:
        engine.remember(text)
    assert caught.value.hint
    assert engine.stats().memories == 0
    assert engine.remember("é" * 1000).created


@pytest.mark.req("R17.8")
@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"kind": "fact"}, BadParameter),
        ({"priority": "urgent"}, BadParameter),
        ({"importance": 1.1}, BadParameter),
        ({"importance": -0.1}, BadParameter),
        ({"importance": float("nan")}, BadParameter),
        ({"space": "a//b"}, BadParameter),
        ({"space": "a b"}, BadParameter),
        ({"agent": "a\nb"}, BadParameter),
        ({"tags": [""]}, BadParameter),
        ({"tags": ["a\nb"]}, BadParameter),
        ({"tags": [str(n) for n in range(65)]}, BadParameter),
        ({"created_at": datetime(2025, 1, 1)}, BadParameter),  # naive
        ({"created_at": "the day after the fair"}, BadDate),
        ({"valid_from": "2025-02-01", "valid_to": "2025-01-01"}, BadParameter),
        ({"source": Source("half \ud800")}, BadEncoding),
        ({"meta": {"half": "\ud800"}}, BadEncoding),
    ],
)
def test_a_field_that_cannot_be_is_refused_and_nothing_is_stored(
    engine: Engine, bad: dict[str, Any], error: type[LodmemError]
) -> None:
    with pytest.raises(error):
        engine.remember("tea", **bad)
    assert engine.stats().memories == 0


@pytest.mark.req("R5.2")
def test_many_are_kept_in_order_and_the_first_bad_one_stops(engine: Engine) -> None:
    told: list[int] = []
    drafts = [Draft(full=f"note {n % 420}") for n in range(450)]
    outcomes = engine.remember_many(drafts, progress=told.append)
    assert told == [200, 400, 450]
    assert [outcome.id for outcome in outcomes] == [n % 420 + 1 for n in range(450)]
    assert sum(outcome.created for outcome in outcomes) == 420
    with pytest.raises(EmptyText):
        engine.remember_many(Draft(full="" if n == 205 else f"more {n}") for n in range(210))
    assert engine.stats().memories == 620  # the batch before the bad one is kept, its own is not
    assert engine.remember_many([]) == []


# -- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.req("R17.8")
@pytest.mark.parametrize(
    "bad",
    [
        {"alpha": 1.1}, {"alpha": -0.1}, {"alpha": float("nan")}, {"alpha": "high"}, {"theta1": 0.1}, {"theta3": 0.9}, {"k": 0},
        {"k": 1.5}, {"budget": 0}, {"budget": 1_000_000_000}, {"lambda_": -1}, {"lambda_": float("inf")}, {"promote_at": 2},
        {"relevance": "close"}, {"profile": "nobody"}, {"limit": 0}, {"limit": 1.5}, {"kinds": "fact"}, {"status": "gone"},
        {"last_tier": "half"}, {"space": "a b"}, {"since": "one fine day"}, {"as_of": "one fine day"},
    ],
)  # fmt: skip
def test_a_parameter_that_cannot_be_is_refused(engine: Engine, bad: dict[str, Any]) -> None:
    engine.remember("tea")
    with pytest.raises(LodmemError) as caught:
        engine.search("tea", **bad)
    assert caught.value.exit_code in (2, 3)
    assert settled(engine, 1).retrieval_count == 0


@pytest.mark.req("R17.8")
@pytest.mark.parametrize("query", ["", "  \n", "x" * 20_001, "half of a pair \ud83d"])
def test_a_query_that_cannot_be_is_refused_and_the_next_one_answered(engine: Engine, query: str) -> None:
    engine.remember("tea")
    with pytest.raises((BadParameter, BadEncoding)):
        engine.search(query)
    engine.search("tea", promote_at=0.0)
    assert settled(engine, 1).retrieval_count == 1


@pytest.mark.req("R17.8")
def test_an_odd_query_is_answered(engine: Engine) -> None:
    engine.remember("tea with \x00 and 🛶")
    for query in ("\x00", "?!", "🛶", "x" * 20_000, 'tea" OR * NEAR( -', "the"):
        assert engine.search(query, theta3=0.0).ids == (1,)


@pytest.mark.req("R17.8")
@pytest.mark.parametrize("seed", [-1, 1.5, True])
def test_a_seed_that_cannot_be_is_refused(engine: Engine, seed: Any) -> None:
    with pytest.raises(BadParameter, match="seed"):
        engine.random(seed=seed)


@pytest.mark.req("R17.8", "R1.2")
@pytest.mark.parametrize("memory_id", [0, -1, 999, 10**30])
def test_an_unknown_id_is_refused_by_every_verb(engine: Engine, memory_id: int) -> None:
    known = engine.remember("tea").id
    for verb in (
        lambda: engine.expand(known, memory_id),
        lambda: engine.promote(memory_id),
        lambda: engine.demote(memory_id),
        lambda: engine.forget(known, memory_id),
        lambda: engine.explain(memory_id, "tea"),
        lambda: engine.supersede(known, memory_id),
        lambda: engine.supersede(memory_id, known),
    ):
        with pytest.raises(UnknownMemory, match=str(memory_id)):
            verb()
    assert settled(engine, known).status is Status.ACTIVE


# -- meaning comes a moment later -------------------------------------------------------------------------------------


@pytest.mark.req("R5.1", "R5.21")
def test_found_by_words_at_once_and_by_meaning_a_moment_later(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder=FakeEmbedder(256, same=SAME))
    only = engine.remember("A feline naps").id
    assert engine.stats().backlog == 1
    before = engine.explain(only, "a cat sleeps").relevance
    assert engine.search("feline", touch=False).views[0].tier is Tier.FULL
    assert engine.drain() == 1
    after = engine.explain(only, "a cat sleeps").relevance
    assert before < 0.1 < 0.5 < after
    assert engine.stats().backlog == 0
    assert engine.drain() == 0


@pytest.mark.req("R5.21")
def test_embedding_goes_on_in_the_background(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder=FakeEmbedder(256, same=SAME), background=True)
    ids = [engine.remember(f"A feline naps {n}").id for n in range(40)]
    until(lambda: engine.stats().backlog == 0)
    assert engine.explain(ids[-1], "a cat sleeps").relevance > 0.5
    more = engine.remember_many([Draft(full="A feline naps again")])[0].id
    until(lambda: engine.explain(more, "a cat sleeps").relevance > 0.5)


@pytest.mark.req("R5.21", "R16.3")
def test_what_was_not_embedded_is_taken_up_by_the_next_engine(make_engine: MakeEngine) -> None:
    with make_engine() as first:
        for n in range(20):
            first.remember(f"note {n}")
    second = make_engine(background=True)
    until(lambda: second.stats().backlog == 0)
    assert second.stats().embedded_passages == 20


@pytest.mark.req("R5.21")
def test_draining_tells_how_far_it_is(engine: Engine) -> None:
    for n in range(40):
        engine.remember(f"note {n}")
    told: list[tuple[int, int]] = []
    assert engine.drain(lambda done, total: told.append((done, total))) == 40
    assert told == [(16, 40), (32, 40), (40, 40)]


@pytest.mark.req("R1.18")
def test_a_newcomer_in_between_makes_its_successor_be_read_again(make_engine: MakeEngine) -> None:
    model = FakeEmbedder(64)
    engine = make_engine(embedder=model)
    for n, text in ((0, "the launch"), (2, "I agree")):
        engine.remember(text, source=Source("chat:1", "", n))
    engine.drain()
    assert "the launch\nI agree" in model.texts
    engine.remember("soup is better", source=Source("chat:1", "", 1))
    model.texts.clear()
    assert engine.drain() == 2
    assert "soup is better\nI agree" in model.texts
    assert "the launch\nsoup is better" in model.texts
    engine.forget(3)
    model.texts.clear()
    assert engine.drain() == 1
    assert "the launch\nI agree" in model.texts
    assert not any("soup" in text for text in model.texts)


# -- a model that fails -----------------------------------------------------------------------------------------------


@pytest.mark.req("R16.8", "R5.1")
def test_without_its_model_the_engine_goes_by_words_and_says_why(
    engine: Engine, fake_embedder: FakeEmbedder, clock: FakeClock
) -> None:
    engine.remember("tea with Ada")
    engine.drain()
    fake_embedder.broken = "the server is away"
    added = engine.remember("coffee with Bo")  # writing asks no model
    assert added.created
    found = engine.search("coffee", touch=False)
    assert found.ids[0] == added.id
    assert found.words_only == "the embedding model is unavailable: the server is away"
    assert found.rendering.split("\n")[0].count("by words alone (the embedding model is unavailable: the server is away)") == 1
    assert any("server is away" in reason for reason in engine.explain(1, "tea").reasons)
    assert not any(name in ("cosine", "V") for name, _, _ in engine.explain(1, "tea").parts)
    with pytest.raises(ModelUnavailable, match="server is away"):
        engine.drain()
    assert engine.stats().backlog == 1
    fake_embedder.broken = ""
    clock.advance(seconds=max(MODEL_REST_US, FIRST_US) / 1e6)
    assert engine.search("coffee", touch=False).words_only == ""
    assert engine.drain() == 1
    assert engine.stats().backlog == 0


@pytest.mark.req("R5.21", "R16.8")
def test_a_background_that_fails_loses_nothing(make_engine: MakeEngine, fake_embedder: FakeEmbedder, clock: FakeClock) -> None:
    fake_embedder.broken = "the server is away"
    engine = make_engine(background=True)
    engine.remember("tea with Ada")
    until(lambda: engine._worker is not None and engine._worker.last_error is not None)
    assert engine.stats().backlog == 1
    engine.close()
    fake_embedder.broken = ""
    clock.advance(seconds=FIRST_US / 1e6)
    again = make_engine(background=True)
    until(lambda: again.stats().embedded_passages == 1)


@pytest.mark.req("R16.8")
def test_with_no_model_at_all_everything_works_by_words(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    ids = [engine.remember(text).id for text in ("tea with Ada", "the certificate expired", "Brian sold his violin")]
    found = engine.search("certificates", touch=False)
    assert found.ids[0] == ids[1]
    assert found.views[0].tier is Tier.FULL
    assert found.words_only == "no embedding model is configured"
    assert engine.drain() == 0
    assert engine.stats().backlog == 0
    assert engine.stats().embedder == ""


# -- another model ----------------------------------------------------------------------------------------------------


def reindexer(path: Path, clock: FakeClock, model: FakeEmbedder | None) -> Engine:
    given = {} if model is not None else {"embedder": "none"}
    chosen = read_settings({}, store=path, zone="UTC", **given)
    return open_engine(chosen, clock=clock, embedder=model, background=False, reindexing=True)


@pytest.mark.req("R16.4")
def test_another_model_is_refused_with_what_repairs_it(make_engine: MakeEngine) -> None:
    make_engine().remember("tea")
    with pytest.raises(ModelMismatch, match=r"fake@1/16.*other@1/32") as caught:
        make_engine(embedder=FakeEmbedder(32, name="other"))
    assert "lodmem reindex" in caught.value.hint
    assert make_engine().stats().memories == 1


@pytest.mark.req("R16.4")
def test_a_store_made_by_words_alone_is_refused_too_once_it_holds_something(make_engine: MakeEngine, tmp_path: Path) -> None:
    with make_engine(tmp_path / "a.db", embedder="none"):
        pass
    with make_engine(tmp_path / "a.db") as engine:  # nothing in it yet: it takes the model
        assert engine.stats().embedder == "fake@1/16"
    with make_engine(tmp_path / "b.db", embedder="none") as engine:
        engine.remember("tea")
    with pytest.raises(ModelMismatch, match="without an embedding model"):
        make_engine(tmp_path / "b.db")
    assert make_engine(tmp_path / "a.db", embedder="none").search("tea").words_only


@pytest.mark.req("R16.4")
def test_reindexing_goes_on_where_it_stopped_and_the_old_index_serves_meanwhile(
    make_engine: MakeEngine, tmp_path: Path, clock: FakeClock
) -> None:
    old_model, new_model = FakeEmbedder(256, same=SAME), FakeEmbedder(128, name="other", same=SAME)
    old = make_engine(embedder=old_model)
    for n in range(80):
        old.remember(f"A feline naps {n}", source=Source("chat:1", "", n) if n % 2 else None)
    old.drain()
    before = old.search("a cat sleeps", touch=False)
    assert len(before) == 80
    assert all(view.relevance > 0.4 for view in before.views)  # type: ignore[operator]

    def stop(done: int, _: int) -> None:
        if done >= 32:
            raise KeyboardInterrupt

    with reindexer(tmp_path / "memory.db", clock, new_model) as new, pytest.raises(KeyboardInterrupt):
        new.reindex(stop)
    assert old.search("a cat sleeps", touch=False).views == before.views
    late = old.remember("A feline naps late").id
    assert old.drain() == 1
    assert old.explain(late, "a cat sleeps").relevance > 0.5
    new_model.texts.clear()
    told: list[tuple[int, int]] = []
    with reindexer(tmp_path / "memory.db", clock, new_model) as new:
        assert new.reindex(lambda done, total: told.append((done, total))) == 81 - 32
        assert told[-1][0] == 49
        assert not any(text == "A feline naps 0" for text in new_model.texts)
        found = new.search("a cat sleeps", touch=False, k=1000)
        assert len(found) == 81
        assert all(view.relevance > 0.4 for view in found.views)  # type: ignore[operator]
        assert new.reindex() == 0
        assert new.check() == []
    with pytest.raises(ModelMismatch):
        old.search("a cat sleeps")
    with pytest.raises(ModelMismatch):
        make_engine(embedder=old_model)
    assert make_engine(embedder=new_model).stats().embedder == "other@1/128"


@pytest.mark.req("R16.4")
def test_reindexing_gives_the_vectors_that_a_fresh_store_would_have(
    make_engine: MakeEngine, tmp_path: Path, clock: FakeClock
) -> None:
    rng, model = random.Random(4), FakeEmbedder(64, name="other")
    old = make_engine(tmp_path / "old.db")
    fresh = make_engine(tmp_path / "fresh.db", embedder=model)
    for n in range(30):
        text = " ".join(rng.choices(("tea", "cat", "launch", "token", "river"), k=5 if n % 7 else 300))
        for engine in (old, fresh):
            engine.remember(text, source=Source("chat:1", "", n % 11), created_at=clock.now)
    old.drain()
    fresh.drain()
    with reindexer(tmp_path / "old.db", clock, model) as new:
        new.reindex()
        assert new.search("tea for the cat", touch=False).views == fresh.search("tea for the cat", touch=False).views


@pytest.mark.req("R16.4", "R16.8")
def test_reindexing_to_words_alone_drops_the_vectors(make_engine: MakeEngine, tmp_path: Path, clock: FakeClock) -> None:
    with make_engine() as engine:
        engine.remember("tea")
        engine.drain()
    with reindexer(tmp_path / "memory.db", clock, None) as engine:
        assert engine.reindex() == 0
        assert engine.stats().embedded_passages == 0
        assert engine.search("tea").ids == (1,)


# -- threads, engines, closing ----------------------------------------------------------------------------------------


@pytest.mark.req("R17.1")
def test_threads_may_write_and_look_at_once(make_engine: MakeEngine) -> None:
    engine = make_engine(background=True)
    ids: list[int] = []
    failed: list[BaseException] = []

    def work(me: int) -> None:
        rng = random.Random(me)
        try:
            for n in range(15):
                mine = engine.remember(f"note {n} of thread {me} about tea", source=Source("chat:1", "", n)).id
                ids.append(mine)
                look = rng.choice((engine.unseen, engine.recent, lambda: engine.search("tea", budget=500), engine.random))
                look()
                assert engine.expand(mine)[0].full == f"note {n} of thread {me} about tea"
                if n % 5 == 0:
                    engine.promote(mine, to="summary")
                    engine.explain(mine, "tea", exclude=["coffee"])
                if n % 7 == 6:
                    engine.forget(ids.pop(ids.index(mine)))
        except BaseException as error:  # noqa: BLE001  # a thread's own error would go unseen
            failed.append(error)

    threads = [threading.Thread(target=work, args=(me,)) for me in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(set(ids)) == len(ids) == 6 * 13
    until(lambda: engine.stats().backlog == 0)
    assert set(engine.window(touch=False).ids) == set(ids)
    assert all(settled(engine, i).retrieval_count >= 1 for i in ids)
    assert engine.check() == []


@pytest.mark.req("R16.2")
def test_what_one_engine_does_the_other_sees(make_engine: MakeEngine) -> None:
    one, two = make_engine(), make_engine(agent="bo")
    assert two.search("tea").ids == ()
    ids = [one.remember(f"tea {n}").id for n in range(3)]
    assert set(two.search("tea", touch=False).ids) == set(ids)
    two.drain()
    two.promote(ids[0], to="full")
    assert "pinned" in view_of(one.recent(touch=False), ids[0]).notes
    two.forget(ids[1])
    assert set(one.search("tea", touch=False).ids) == {ids[0], ids[2]}
    with pytest.raises(UnknownMemory):
        one.expand(ids[1])
    one.supersede(ids[0], ids[2])
    assert two.search("tea", touch=False).ids == (ids[2],)


@pytest.mark.req("R16.1", "R17.1")
def test_a_store_opened_again_is_as_it_was_left(make_engine: MakeEngine, tmp_path: Path) -> None:
    with make_engine(background=True) as engine:
        for n in range(5):
            engine.remember(f"tea {n}", source=Source("chat:1", "", n))
        until(lambda: engine.stats().backlog == 0)
        engine.promote(2, to="full")
        found = engine.search("tea", budget=300, touch=False)
    again = make_engine()
    assert again.search("tea", budget=300, touch=False) == found
    assert again.check() == []
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == ["memory.db"]


@pytest.mark.req("R17.1")
def test_a_closed_engine_says_so(engine: Engine) -> None:
    engine.remember("tea")
    engine.search("tea")
    engine.close()
    engine.close()
    for verb in (
        lambda: engine.remember("more"),
        lambda: engine.search("tea"),
        lambda: engine.recent(),
        lambda: engine.expand(1),
        lambda: engine.stats(),
        lambda: engine.drain(),
    ):
        with pytest.raises(StoreClosed):
            verb()


@pytest.mark.req("R16.7")
def test_a_reader_looks_and_changes_nothing(make_engine: MakeEngine) -> None:
    with make_engine() as writer:
        writer.remember("tea with Ada")
        writer.drain()
    reader = make_engine(read_only=True)
    before = reader.expand(1)[0]
    assert reader.search("tea with Ada").views[0].relevance > 0.9  # type: ignore[operator]
    assert reader.recent().ids == (1,)
    assert reader.expand(1) == [before]
    assert before.retrieval_count == 0
    for verb in (
        lambda: reader.remember("more"),
        lambda: reader.promote(1),
        lambda: reader.demote(1),
        lambda: reader.forget(1),
        lambda: reader.save_profile(lodmem.Profile(name="mine")),
        lambda: reader.use_profile("digest"),
    ):
        with pytest.raises(StoreReadOnly):
            verb()
    assert reader.stats().memories == 1


@pytest.mark.req("R17.8")
@pytest.mark.parametrize(
    "bad",
    [{"zone": "Mars/Base"}, {"agent": "a\nb"}, {"space": "a b"}, {"embedder": "word2vec"}, {"max_text_bytes": -1}],
)
def test_settings_that_cannot_be_are_refused_and_no_file_is_made(tmp_path: Path, bad: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        lodmem.open(tmp_path / "m.db", **({"embedder": "none"} | bad))
    assert list(tmp_path.iterdir()) == []


# -- forget, supersede ------------------------------------------------------------------------------------------------


@pytest.mark.req("R9.3", "R1.2")
def test_what_is_forgotten_is_gone_and_its_id_stays_gone(engine: Engine, tmp_path: Path) -> None:
    ids = [engine.remember(f"the password of number {n} is heron{n}heron").id for n in range(4)]
    engine.drain()
    engine.search("heron")
    assert engine.forget(ids[1], ids[3]) == 2
    for look in (engine.recent, engine.unseen, engine.important, engine.window):
        assert not set(look(touch=False).ids) & {ids[1], ids[3]}
    assert ids[3] not in engine.search("number 3", touch=False).ids
    with pytest.raises(UnknownMemory):
        engine.expand(ids[3])
    assert engine.remember("something new").id == 5
    assert engine.remember("the password of number 3 is heron3heron").id == 6  # told again, kept again
    engine.forget(6)
    engine.close()
    assert b"heron3heron" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.req("R3.2", "R3.3", "R3.23")
def test_a_superseded_memory_is_hidden_kept_and_points_to_its_successor(engine: Engine, clock: FakeClock) -> None:
    old = engine.remember("Ada lives in Oslo", created_at=clock.ago(100)).id
    new = engine.remember("Ada lives in Rome", created_at=clock.ago(10)).id
    engine.supersede(old, new)
    assert engine.search("where does Ada live", touch=False).ids == (new,)
    then = engine.search("where does Ada live", as_of=clock.ago(50), touch=False)
    assert then.ids == (old,)
    both = engine.search("where does Ada live", status=["active", "superseded"], touch=False)
    assert f"superseded by #{new}" in view_of(both, old).notes
    assert f"[superseded by #{new}]" in both.rendering
    memory = engine.expand(old, touch=False)[0]
    assert (memory.full, memory.status, memory.superseded_by) == ("Ada lives in Oslo", Status.SUPERSEDED, new)
    assert memory.valid_to_us == to_us(clock.ago(10))
    with pytest.raises(BadParameter):
        engine.supersede(new, new)


@pytest.mark.parametrize(
    "fields",
    [
        {"meta": {"when": object()}},
        {"meta": {"n": float("nan")}, "importance": "x"},
        {"source": Source("a", "b", 2**63)},
        {"source": Source("a", "b", 1.5)},  # type: ignore[arg-type]
        {"importance": float("nan")},
    ],
)
def test_a_field_that_cannot_be_kept_is_refused_and_nothing_is_stored(engine: Engine, fields: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        engine.remember("tea at four", **fields)
    with pytest.raises(BadParameter):
        engine.remember(None)  # type: ignore[arg-type]
    with pytest.raises(BadParameter):
        engine.remember_many([Draft(full="tea", created_us=2**63)])
    assert engine.stats().memories == 0


def test_an_unknown_parameter_is_refused(engine: Engine) -> None:
    with pytest.raises(BadParameter, match="alphaa"):
        engine.search("tea", alphaa=1)  # type: ignore[call-arg]


def test_an_import_may_be_weighed_and_what_its_source_says_stays(make_engine: MakeEngine, tmp_path: Path) -> None:
    lines = [{"text": "Always back up before you upgrade, says Ada."}, {"text": "ok"}, {"text": "A lamp.", "importance": 0.9}]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    engine = make_engine()
    assert engine.ingest(path, importance=None).added == 3
    rule, nod, lamp = (memory.importance for memory in engine.expand(1, 2, 3, touch=False))
    assert rule > nod
    assert lamp == 0.9
    assert engine.ingest(path, importance=0.1).unchanged == 3
