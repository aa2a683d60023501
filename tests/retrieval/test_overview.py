"""All memories at once: the numbers are those of a search, for every row."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lodmem
from lodmem.engine import Engine
from lodmem.errors import BadParameter, UnknownMemory
from lodmem.lod import decay as temporal
from lodmem.lod.tiers import lod_score, natural_tiers
from lodmem.model.landscape import Landscape
from lodmem.model.memory import Draft, Kind, Source, Tier, to_us
from lodmem.model.profile import Profile
from lodmem.model.survey import Columns
from lodmem.retrieval.overview import BUDGET, CANDIDATE, EXCLUDED, FILTERED, FLOOR, KEPT
from lodmem.surveying import MORE
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine

WORDS = (
    "tea", "cat", "door", "rent", "cellar", "jar", "samovar", "lemon", "Ada", "Grace", "June", "paint", "blue", "leaf",
    "garden", "winter", "note", "price", "walk", "letter",
)  # fmt: skip


def settled(engine: Engine, clock: FakeClock, count: int) -> Engine:
    """Memories of all ages, kinds, states and lengths, some used, some held up."""
    draws = np.random.default_rng(5)
    drafts = [
        Draft(
            full=f"{n}: " + " ".join(draws.choice(WORDS, int(draws.choice([4, 9, 60, 400]))).tolist()),
            kind=Kind(str(draws.choice(["episodic", "semantic", "procedural"]))),
            created_us=to_us(clock.ago(float(draws.integers(0, 500)))),
            tags=(str(draws.choice(["red", "green"])),),
            space=str(draws.choice(["main", "main/shop", "other"])),
            source=None if n % 3 else Source("notes", str(n % 4), n),
            expires_us=to_us(clock.now + timedelta(days=30)) if n % 17 == 0 else None,
        )
        for n in range(count)
    ]
    engine.remember_many(drafts)
    engine.drain()
    for _ in range(6):
        engine.expand(*(int(i) for i in draws.integers(1, count, 5)))
    engine.promote(7, to="full")
    engine.promote(40, to="summary", mine=True)
    engine.supersede(11, 12)
    engine.forget(20)
    return engine


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A store for tests that only look."""
    folder, clock = tmp_path_factory.mktemp("town"), FakeClock()
    with lodmem.open(folder / "memory.db", embedder=FakeEmbedder(), clock=clock, zone="UTC", background=False) as engine:
        yield settled(engine, clock, 160)


def by_id(plane: Columns, found: Columns, name: str) -> dict[int, Any]:
    assert plane.rows == found.rows
    return dict(zip(plane.columns["id"].tolist(), found.columns[name].tolist(), strict=True))


LOOKS: list[dict[str, Any]] = [
    {},
    {"alpha": 0.3, "lambda_": 0.2},
    {"k": 20},
    {"k": 10, "alpha": 0.0},
    {"budget": 300},
    {"budget": 64},
    {"budget": 2000, "fill": True},
    {"theta1": 0.9, "theta2": 0.9, "theta3": 0.9},
    {"theta1": 1.0, "theta2": 1.0, "theta3": 1.0},
    {"exclude": ["lemon"], "tags": ["red"]},
    {"space": "main/shop"},
    {"relevance": "cosine"},
    {"status": ["superseded", "active"], "kinds": ["semantic"]},
    {"profile": "precedent", "retrieved": False},
    {"as_of": "two months ago"},
]


@pytest.mark.parametrize("look", LOOKS, ids=str)
@pytest.mark.req("R14.7")
def test_tiers_are_those_of_a_search(town: Engine, look: dict[str, Any]) -> None:
    found = town.tiers_of_all("Ada and the samovar", scores=True, **look)
    plane = town.plane(space=look.get("space"))
    shown: Landscape = town.search("Ada and the samovar", touch=False, facing=False, **look)
    tiers, scores, flags = (by_id(plane, found, name) for name in ("tier", "score", "flags"))
    assert {i for i, tier in tiers.items() if tier} == set(shown.ids)
    for view in shown.views:
        assert tiers[view.id] == view.tier
        assert scores[view.id] == pytest.approx(view.score, abs=1e-7)
        assert flags[view.id] & CANDIDATE
        assert not flags[view.id] & (FILTERED | EXCLUDED)
    assert found.facts["counts"] == dict(shown.counts)
    account = found.facts["account"]
    assert isinstance(account, dict)
    assert (account["bias"], account["stepped_down"], account["dropped"]) == (
        shown.budget.bias, shown.budget.stepped_down, shown.budget.dropped,
    )  # fmt: skip
    assert account["used"] >= shown.budget.used
    assert (found.facts["considered"], found.facts["excluded"]) == (shown.considered, shown.excluded)


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_natural_tiers_and_flags_add_up(town: Engine, look: dict[str, Any]) -> None:
    found = town.tiers_of_all("Ada and the samovar", scores=True, **look)
    lens = Profile.from_dict(dict(found.facts["profile"]))  # type: ignore[call-overload]
    tier, natural, flags, score = (found.columns[name] for name in ("tier", "natural", "flags", "score"))
    gone = (flags & (FILTERED | EXCLUDED)) > 0
    assert not tier[gone].any()
    assert not natural[gone].any()
    assert np.array_equal(np.isnan(score), gone)
    by_score = natural_tiers(score.astype(np.float64), lens.theta1, lens.theta2, lens.theta3)
    near = np.min([np.abs(score - theta) for theta in (lens.theta1, lens.theta2, lens.theta3)], axis=0) < 1e-6
    plain = ~gone & ~near & ((flags & FLOOR) == 0)
    assert np.array_equal(natural[plain], by_score[plain])
    changed = (tier != natural) & ~gone
    assert not changed[(flags & CANDIDATE > 0) & (flags & (BUDGET | KEPT) == 0)].any()


@pytest.mark.parametrize("look", [{}, {"exclude": ["lemon"]}, {"relevance": "cosine"}, {"space": "main"}], ids=str)
def test_relevance_is_that_of_a_search(town: Engine, look: dict[str, Any]) -> None:
    found = town.relevance_of_all("Ada and the samovar", **look)
    plane = town.plane(space=look.get("space"))
    known = by_id(plane, found, "relevance")
    shown = town.search("Ada and the samovar", touch=False, k=1000, theta3=0.0, theta2=0.3, **look)
    for view in shown.views:
        assert known[view.id] == pytest.approx(view.relevance, abs=6e-7)
    assert sum(not np.isnan(value) for value in known.values()) == shown.considered
    assert found.columns["relevance"].dtype == np.float32


def test_the_plane_is_all_a_page_needs_to_make_the_tiers(town: Engine) -> None:
    plane, found = town.plane(), town.tiers_of_all("tea", alpha=0.6, lambda_=0.05)
    relevance = town.relevance_of_all("tea").columns["relevance"].astype(np.float64)
    base = plane.facts["base_us"]
    assert isinstance(base, int)
    now_days = (town.now_us - base) / temporal.US_PER_DAY
    days = np.maximum(0.0, now_days - plane.columns["last"].astype(np.float64))
    score = lod_score(relevance, temporal.decay(days, plane.columns["count"], 0.05), 0.6)
    tiers = np.maximum(natural_tiers(score, 0.60, 0.30, 0.05), plane.columns["floor"])
    seen = found.columns["flags"] & (FILTERED | EXCLUDED) == 0
    near = np.min([np.abs(score - theta) for theta in (0.60, 0.30, 0.05)], axis=0) < 1e-5
    assert np.array_equal(tiers[seen & ~near], found.columns["natural"][seen & ~near])


def test_looking_at_everything_counts_no_use(town: Engine) -> None:
    before = town.plane()
    town.relevance_of_all("tea")
    town.tiers_of_all("tea")
    town.about(5, similar=3)
    town.audit_list("pinned")
    after = town.plane()
    assert before.revision == after.revision
    assert np.array_equal(before.columns["count"], after.columns["count"])


def test_a_later_moment_sharpens_nothing(town: Engine) -> None:
    now, later = town.tiers_of_all(alpha=0.0, lambda_=0.01), town.tiers_of_all(at="in 3 months", alpha=0.0, lambda_=0.01)
    lasting = (later.columns["flags"] & FILTERED) == 0  # what expires meanwhile is left out then
    assert (later.columns["natural"] <= now.columns["natural"])[lasting].all()
    assert (later.columns["natural"] < now.columns["natural"])[lasting].any()


def test_without_a_query_tiers_are_by_decay_alone(town: Engine) -> None:
    plane, found = town.plane(), town.tiers_of_all(alpha=0.0, scores=True, k=1000)
    days = (town.now_us - int(str(plane.facts["base_us"]))) / temporal.US_PER_DAY - plane.columns["last"].astype(np.float64)
    wanted = temporal.decay(np.maximum(0.0, days), plane.columns["count"], 0.03)
    seen = found.columns["flags"] & FILTERED == 0
    assert found.columns["score"][seen] == pytest.approx(wanted[seen], abs=2e-5)


# -- the past -------------------------------------------------------------------------------------------------------------


def test_the_past_is_read_from_the_log(make_engine: MakeEngine, clock: FakeClock) -> None:
    engine = make_engine()
    for text in ("tea with Ada", "the rent is due", "a blue door"):
        engine.remember(text, created_at=clock.ago(100))
    engine.drain()
    engine.expand(1)
    engine.promote(2, to="summary")
    noted = engine.plane()
    then = clock.now
    clock.advance(days=10)
    engine.expand(1, 3)
    engine.promote(3, to="full")
    engine.demote(2)
    engine.supersede(1, 3)
    past = engine.plane(as_of=then + timedelta(hours=1))
    assert past.facts["history"] == {"from": "log", "complete": True}
    for name in ("id", "last", "count", "floor", "status", "x", "created"):
        assert np.array_equal(past.columns[name], noted.columns[name]), name
    today = engine.plane()
    assert today.columns["count"].tolist() == [2, 0, 1]
    assert today.columns["floor"].tolist() == [0, 0, 3]


def test_use_that_the_log_does_not_know_is_said(make_engine: MakeEngine, clock: FakeClock, tmp_path: Any) -> None:
    engine = make_engine()
    engine.remember("tea with Ada")
    engine._store.record_use(now_us=clock.now_us(), retrieved=[1], shown={})
    history = engine.plane(as_of=clock.now).facts["history"]
    assert history == {"from": "log", "complete": False}


# -- rows, lists, one memory ------------------------------------------------------------------------------------------------


def test_rows_change_their_name_with_the_memories(make_engine: MakeEngine) -> None:
    engine = make_engine()
    names = [engine.plane().rows]
    for text in ("one", "two", "three"):
        engine.remember(text)
        names.append(engine.plane().rows)
    engine.forget(2)
    names.append(engine.plane().rows)
    engine.remember("four")
    names.append(engine.plane().rows)
    assert len(set(names)) == len(names)
    engine.promote(1, to="full")
    assert engine.plane().rows == names[-1]


def test_more_columns_in_the_same_rows(town: Engine) -> None:
    found, plane = town.plane_more(MORE), town.plane()
    assert found.rows == plane.rows
    memories = {memory.id: memory for memory in town.expand(*plane.columns["id"].tolist(), touch=False)}
    known = {name: by_id(plane, found, name) for name in MORE}
    sources = found.facts["sources"]
    assert isinstance(sources, list)
    for i, memory in memories.items():
        assert known["tokens_full"][i] == memory.tokens_full
        assert known["superseded_by"][i] == (memory.superseded_by or 0)
        assert known["last_tier"][i] == (255 if memory.last_tier is None else memory.last_tier)
        place = known["source"][i]
        assert (None if place == len(sources) else sources[place]["session"]) == (memory.source and memory.source.session)
    with pytest.raises(BadParameter, match="nonsense"):
        town.plane_more(["nonsense"])


def test_places_are_within_bounds_and_stay(engine: Engine, clock: FakeClock) -> None:
    town = settled(engine, clock, 60)
    first = town.plane()
    assert np.abs(first.columns["x"]).max() <= 1.0
    assert np.abs(first.columns["y"]).max() <= 1.0
    town.remember("one more about tea")
    second = town.plane()
    assert np.array_equal(first.columns["x"], second.columns["x"][:-1])


def test_a_question_drops_among_what_it_finds(town: Engine) -> None:
    plane, found = town.plane(), town.relevance_of_all("Ada and the samovar")
    spot = found.facts["query"]
    assert isinstance(spot, dict)
    best = int(np.nanargmax(found.columns["relevance"]))
    assert np.hypot(spot["x"] - plane.columns["x"][best], spot["y"] - plane.columns["y"][best]) <= 0.25


def test_what_waits_for_its_place_has_none_and_draws_no_question_to_it(town: Engine) -> None:
    town.make_map()
    assert np.isfinite(town.plane().columns["x"]).all()
    added = [town.remember(f"the zeppelin {n} landed").id for n in range(2)]
    town.drain()
    plane = town.plane()
    waits = np.isnan(plane.columns["x"])
    assert plane.columns["id"][waits].tolist() == added
    assert np.array_equal(waits, np.isnan(plane.columns["y"]))
    found = town.relevance_of_all("the zeppelin 1 landed")
    assert np.nanargmax(found.columns["relevance"]) in np.flatnonzero(waits)
    spot = found.facts["query"]
    assert isinstance(spot, dict)
    assert spot["x"] is None or (abs(spot["x"]) <= 1.0 and abs(spot["y"]) <= 1.0)
    town.make_map()
    assert np.isfinite(town.plane().columns["x"]).all()


def test_without_vectors_there_is_still_a_plane(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    for n in range(5):
        engine.remember(f"note {n} about tea")
    plane = engine.plane()
    assert plane.facts["map"] == {"version": "spiral", "method": "spiral", "placed": 0, "making": None}
    assert plane.facts["words_only"]
    assert len({(x, y) for x, y in zip(plane.columns["x"].tolist(), plane.columns["y"].tolist(), strict=True)}) == 5
    assert engine.tiers_of_all("tea").columns["tier"].any()


def test_an_empty_store(engine: Engine) -> None:
    assert (engine.plane().n, engine.plane_more(["importance"]).n, engine.relevance_of_all("tea").n) == (0, 0, 0)
    assert engine.tiers_of_all("tea", budget=64).n == 0
    assert engine.tiers_of_all().n == 0
    assert engine.audit_list("pinned").items == []


def test_everything_about_one_that_is_not_there(town: Engine) -> None:
    for gone in (20, 5000):
        with pytest.raises(UnknownMemory):
            town.about(gone)


def test_lists(engine: Engine, clock: FakeClock) -> None:
    town = settled(engine, clock, 60)
    assert [item["id"] for item in town.audit_list("pinned").items] == [7, 40]
    seen = town.audit_list("never-looked-at", days=100, limit=5)
    assert len(seen.items) == 5 < seen.total
    assert all(item["retrieval_count"] == 0 for item in seen.items)
    assert [item["created_at"] for item in seen.items] == sorted(str(item["created_at"]) for item in seen.items)
    town.expand(3)
    town.expand(3)
    town.expand(3)
    clock.advance(days=400)
    listed = town.audit_list("decayed-but-needed", times=3)
    assert 3 in [item["id"] for item in listed.items]
    assert all(float(str(item["decay"])) < 0.2 for item in listed.items)
    with pytest.raises(BadParameter, match="nonsense"):
        town.audit_list("nonsense")
    with pytest.raises(BadParameter):
        town.audit_list("pinned", below=2.0)


@settings(max_examples=25)
@given(
    alpha=st.floats(0, 1), lambda_=st.floats(0, 2), k=st.integers(1, 200), budget=st.none() | st.integers(64, 3000),
    thetas=st.lists(st.floats(0, 1), min_size=3, max_size=3), query=st.sampled_from(["tea", "Ada blue door", "winter price"]),
)  # fmt: skip
def test_any_look_shows_what_a_search_shows(
    town: Engine, alpha: float, lambda_: float, k: int, budget: int | None, thetas: list[float], query: str
) -> None:
    low, middle, high = sorted(thetas)
    look: dict[str, Any] = {"alpha": alpha, "lambda_": lambda_, "k": k, "theta1": high, "theta2": middle, "theta3": low}
    if budget is not None:
        look["budget"] = budget
    found, plane = town.tiers_of_all(query, **look), town.plane()
    shown = town.search(query, touch=False, facing=False, **look)
    tiers = by_id(plane, found, "tier")
    assert {i: Tier(tier) for i, tier in tiers.items() if tier} == {view.id: view.tier for view in shown.views}
