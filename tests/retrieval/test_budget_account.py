"""SPEC 3.5: the budget is a ceiling on the whole rendering, and its account is true."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lodmem
from lodmem.engine import Engine
from lodmem.errors import BadParameter
from lodmem.lod.budget import worth
from lodmem.model.landscape import Landscape
from lodmem.model.memory import Source, Status, Tier
from lodmem.models.tokenizer import WordPieceCounter
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine, view_of

WORDS = ("deploy", "certificate", "staging", "login", "token", "tea", "coffee", "cat", "fish", "garden", "harbour", "launch")
HOSTILE = (
    "\u200b" * 40 + "tea",
    "tea \U0001f469\u200d\U0001f680 " * 12,
    "\x00tea" * 30,
    "茶" * 90,
    "tea\n" * 30,
    "x" * 900 + " tea",
)
SEARCHES = ("tea with the cat", "certificate", "the launch at the harbour")
counter = WordPieceCounter()


@pytest.fixture(scope="module")
def full_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Short and long ones, hostile ones, some with floors, some superseded."""
    clock, rng = FakeClock(), random.Random(11)
    path = tmp_path_factory.mktemp("budget") / "m.db"
    with lodmem.open(path, clock=clock, embedder=FakeEmbedder(32), background=False, zone="UTC") as engine:
        for n in range(120):
            size = rng.choice((6, 20, 90, 300))
            text = " ".join(rng.choice(WORDS) + ("." if rng.random() < 0.12 else "") for _ in range(size))
            given = clock.ago(rng.randint(0, 300)) if n % 3 else None
            engine.remember(text, created_at=given, source=Source("chat:1", "", n) if n % 2 else None)
        for text in HOSTILE:
            engine.remember(text)
        engine.drain()
        for memory_id, floor in ((3, "full"), (8, "summary"), (50, "headline")):
            engine.promote(memory_id, to=floor)
        engine.supersede(5, 6)
        yield engine


def search(engine: Engine, query: str = SEARCHES[0], **asking: object) -> Landscape:
    return engine.search(query, touch=False, **asking)  # type: ignore[arg-type]


@pytest.mark.req("R3.10", "R3.15", "R3.16")
@settings(max_examples=60)
@given(
    budget=st.one_of(st.integers(64, 200), st.integers(64, 8000)),
    query=st.sampled_from(SEARCHES),
    fill=st.booleans(),
    exclude=st.sampled_from([(), ("login",), ("tea", "fish")]),
    thetas=st.sampled_from([(0.6, 0.3, 0.05), (0.1, 0.05, 0.0), (1.0, 1.0, 1.0)]),
)
def test_the_account_is_true(
    full_store: Engine, budget: int, query: str, fill: bool, exclude: tuple[str, ...], thetas: tuple[float, float, float]
) -> None:
    asking = {"exclude": exclude, "theta1": thetas[0], "theta2": thetas[1], "theta3": thetas[2]}
    free = search(full_store, query, **asking)
    found = search(full_store, query, budget=budget, fill=fill, **asking)
    account = found.budget
    assert account.requested == budget
    assert account.used == counter.count(found.rendering) <= budget
    natural = {view.id: view.tier for view in free.views}
    shown = {view.id: view.tier for view in found.views}
    assert shown  # never empty
    assert found.views[0].score >= free.views[0].score  # the best is never dropped
    assert account.dropped == len(natural.keys() - shown.keys())
    assert account.stepped_down == sum(tier < natural.get(i, Tier.HORIZON) for i, tier in shown.items())
    if not fill:
        assert all(tier <= natural[i] for i, tier in shown.items())
        assert (account.bias is None) <= (account.dropped == account.stepped_down == 0)
    for view in found.views:
        assert view.natural == natural.get(view.id, Tier.HORIZON)
    assert sum(found.counts.values()) == sum(free.counts.values())
    assert (found.excluded, found.considered) == (free.excluded, free.considered)
    assert found.ids == tuple(sorted(shown, key=lambda i: (-view_of(found, i).score, i)))


@pytest.mark.req("R3.16", "R3.26")
def test_without_a_budget_the_account_only_counts(full_store: Engine) -> None:
    found = search(full_store)
    assert found.budget.used == counter.count(found.rendering)
    assert (found.budget.requested, found.budget.bias, found.budget.dropped, found.budget.stepped_down) == (None, None, 0, 0)
    assert all(view.tier is view.natural for view in found.views)


@pytest.mark.req("R3.12", "R3.16")
def test_with_room_enough_the_natural_tiers_come_back(full_store: Engine) -> None:
    free = search(full_store)
    roomy = search(full_store, budget=100_000)
    assert roomy.views == free.views
    assert roomy.rendering == free.rendering
    assert roomy.budget.bias is None
    assert search(full_store, budget=100_000, theta1=1.0, theta2=1.0).counts["full"] == 1  # the pinned one


@pytest.mark.req("R3.12")
def test_fill_uses_the_whole_budget(full_store: Engine) -> None:
    plain = search(full_store, budget=4000, theta1=0.99, theta2=0.98, theta3=0.97)
    filled = search(full_store, budget=4000, theta1=0.99, theta2=0.98, theta3=0.97, fill=True)
    assert plain.budget.used < 2000
    assert 3800 < filled.budget.used <= 4000
    assert any(view.tier > view.natural for view in filled.views)


@pytest.mark.req("R3.13")
def test_floors_are_seated_first(full_store: Engine) -> None:
    found = search(full_store, "certificate", budget=700)
    assert view_of(found, 3).tier is Tier.FULL
    assert view_of(found, 8).tier >= Tier.SUMMARY
    assert view_of(found, 50).tier >= Tier.HEADLINE


@pytest.mark.req("R3.14")
def test_a_short_memory_has_one_text_and_counts_at_its_natural_tier(make_engine: MakeEngine, clock: FakeClock) -> None:
    engine = make_engine(embedder="none")
    for n in range(12):
        engine.remember(f"Tea number {n} was drunk in the harbour by Ada, Brian and the cat.", created_at=clock.now)
    for asking in ({}, {"theta1": 1.0}, {"theta1": 1.0, "theta2": 1.0}):
        found = engine.search("tea", touch=False, budget=150, **asking)  # type: ignore[arg-type]
        assert found.budget.dropped > 0
        assert found.budget.stepped_down == 0
        assert {view.tier for view in found.views} == {view.natural for view in found.views}
        assert all(view.text.startswith("Tea number") and view.text.endswith("the cat.") for view in found.views)


@pytest.mark.req("R3.15")
def test_the_best_is_cut_to_fit_and_marked(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    text = "The zeppelin " + " ".join(f"carried {n} crates of tea" for n in range(6)) + "."
    engine.remember(text)
    engine.remember("A zeppelin is big.")
    found = engine.search("zeppelin carried crates", touch=False, budget=64)
    (view,) = found.views
    assert view.id == 1
    assert "cut" in view.notes
    assert view.text.endswith("…")
    assert text.startswith(view.text[:-1])
    assert len(view.text) > 20
    assert found.budget.used <= 64
    assert found.budget.bias == pytest.approx(worth(view.score, 1.0, counter.count(found.rendering.split("\n")[2])), abs=1.0)
    assert "cut" not in engine.search("zeppelin carried crates", touch=False, budget=500).views[0].notes


@pytest.mark.req("R3.15")
def test_never_empty_while_there_is_something_to_show(make_engine: MakeEngine, clock: FakeClock) -> None:
    engine = make_engine(embedder="none")
    assert engine.search("anything", touch=False).ids == ()
    old = engine.remember("A heron stood in the river.", created_at=clock.ago(3000)).id
    engine.remember("A stork stood in the river.", created_at=clock.ago(3001))
    for budget in (None, 64):
        found = engine.search("submarine", touch=False, budget=budget)
        assert [(view.id, view.tier) for view in found.views] == [(old, Tier.HEADLINE)]
        assert found.counts["horizon"] == 1


@pytest.mark.req("R3.10", "R3.15")
@pytest.mark.parametrize("text", [*HOSTILE, "tea " * 5000, "\u200b\u200btea\u200b", "tea" * 300])
@pytest.mark.parametrize("budget", [64, 65, 70, 100])
def test_a_hostile_text_alone_stays_inside(make_engine: MakeEngine, text: str, budget: int) -> None:
    engine = make_engine(embedder="none", max_text_bytes=100_000)
    only = engine.remember(text).id
    for found in (engine.search("tea", touch=False, budget=budget), engine.recent(touch=False, budget=budget)):
        assert found.ids == (only,)
        assert found.budget.used == counter.count(found.rendering) <= budget


@pytest.mark.req("R3.10", "R16.8")
@pytest.mark.parametrize("budget", [64, 80, 200])
def test_the_reason_for_words_alone_does_not_eat_the_budget(make_engine: MakeEngine, budget: int) -> None:
    model = FakeEmbedder()
    engine = make_engine(embedder=model)
    ids = [engine.remember(f"Tea number {n} with a cat", created_at=None).id for n in range(40)]
    engine.supersede(ids[0], ids[1])
    engine.drain()
    engine._store.set_status(ids[2], Status.QUARANTINED, superseded_by=None, valid_to_us=None, audit=engine.audit_log()[0])
    model.broken = "the server said: " + "no room, no luck, no tea; " * 40
    for status in ("superseded", "quarantined", "active"):
        found = engine.search("tea", touch=False, budget=budget, exclude=["number 7"], status=status)
        assert found.words_only.startswith("the embedding model is unavailable: the server said")
        assert "by words alone" in found.rendering
        assert found.budget.used == counter.count(found.rendering) <= budget
        assert len(found) >= 1


@pytest.mark.req("R3.10", "R17.8")
@pytest.mark.parametrize("budget", [0, 1, 63, -5, 1_000_000_000, True, 100.0, "100"])
def test_a_budget_that_cannot_be_is_refused(full_store: Engine, budget: object) -> None:
    with pytest.raises(BadParameter, match="budget must be a whole number of tokens from 64"):
        search(full_store, budget=budget)


@pytest.mark.req("R3.10")
def test_a_profiles_budget_holds_and_a_call_may_move_it(full_store: Engine) -> None:
    full_store.save_profile(lodmem.Profile(name="small", budget=300))
    assert search(full_store, profile="small").budget.used <= 300
    assert search(full_store, profile="small", budget=600).budget.requested == 600
