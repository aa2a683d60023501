"""Statements about score and tiers (docs/requirements.toml, section 2), shown through the public API."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lodmem import PRESETS, Source, Tier, View
from lodmem.engine import Engine
from lodmem.errors import BadParameter, ParameterLocked
from lodmem.ports import EmbedderIdentity, Floats

MakeEngine = Callable[..., Engine]

SUBJECTS = ("harbour crane", "coffee machine", "spare brake pad", "morning ferry", "store room shelf", "football match")
LONG = (
    "The {} was inspected by Ines on a quiet morning, and she wrote down what she saw in the blue book. "
    "Nobody had looked at it for years, which was a surprise to all of us. The paint was old and the bolts were new. "
    "It took two hours. Afterwards there was cake, and the talk went on about holidays and the weather until noon. "
)


class Pointing:
    """An embedder whose cosines are said by hand: texts that hold a key lie that near to one direction, others apart."""

    identity = EmbedderIdentity(name="pointing", revision="1", dims=64, c0=0.2, c1=0.8)

    def __init__(self, **cosines: float) -> None:
        self.cosines = cosines

    def embed(self, texts: Sequence[str]) -> Floats:
        return np.stack([self.vector(text) for text in texts]) if texts else np.zeros((0, 64), dtype=np.float32)

    def vector(self, text: str) -> Floats:
        out = np.zeros(64)
        cosine = next((value for key, value in self.cosines.items() if key in text), 0.0)
        out[0], out[1 + zlib.crc32(text.encode()) % 63] = cosine, math.sqrt(1.0 - cosine * cosine)
        return out.astype(np.float32)


@pytest.fixture
def mixed(make_engine: MakeEngine, clock: Any) -> Engine:
    """Sixty memories of six subjects over two years, some of them used."""
    engine = make_engine()
    for n in range(60):
        subject = SUBJECTS[n % len(SUBJECTS)]
        text = LONG.format(subject) if n % 4 == 0 else f"Note {n} about the {subject}."
        engine.remember(text, created_at=clock.ago(n * 12.5), source=Source("book", "", n))
    engine.drain()
    for _ in range(3):
        engine.expand(1, 7, 30)
    clock.advance(days=2)
    return engine


def by_id(engine: Engine, query: str, **asking: Any) -> dict[int, View]:
    return {view.id: view for view in engine.search(query, touch=False, theta3=0.0, **asking).views}


def parts_of(engine: Engine, memory: int, query: str) -> dict[str, float]:
    return {name: value for name, value, _ in engine.explain(memory, query).parts}


@pytest.mark.req("R2.1", "R2.2", "R2.3")
@pytest.mark.parametrize(("alpha", "lambda_"), [(0.9, 0.03), (0.0, 0.01), (0.5, 0.2), (1.0, 0.03)])
def test_the_formulas_hold_for_every_view(mixed: Engine, clock: Any, alpha: float, lambda_: float) -> None:
    views = by_id(mixed, "harbour crane inspection", alpha=alpha, lambda_=lambda_)
    assert len(views) == 60
    for memory in mixed.expand(*views, touch=False):
        view = views[memory.id]
        since = memory.last_retrieved_at or memory.created_at
        days = (clock.now - since).total_seconds() / 86_400
        decay = math.exp(-lambda_ * days / (1 + math.log(1 + memory.retrieval_count)))
        assert view.decay == pytest.approx(decay, abs=1e-6)
        assert view.relevance is not None
        assert view.score == pytest.approx(alpha * view.relevance + (1 - alpha) * view.decay, abs=2e-6)


@pytest.mark.req("R2.3")
def test_what_is_dated_in_the_future_has_not_begun_to_decay(engine: Engine, clock: Any) -> None:
    engine.remember("The ferry will be painted.", created_at=clock.ago(-30))
    assert engine.search("ferry", touch=False).views[0].decay == 1.0


@pytest.mark.req("R2.4")
def test_half_a_year_unused_is_near_nothing_and_use_slows_it(engine: Engine, clock: Any) -> None:
    unused, once, often = (engine.remember(f"The {name} crane.", created_at=clock.ago(10)).id for name in ("a", "b", "c"))
    engine.expand(once)
    for _ in range(50):
        engine.expand(often)
    clock.advance(days=1)
    assert by_id(engine, "crane")[once].decay > 0.97
    clock.advance(days=181)
    decay = {memory: view.decay for memory, view in by_id(engine, "crane").items()}
    assert decay[unused] < 0.01
    slower = math.log(decay[once]) / math.log(decay[often])
    assert 2.0 < slower < 10.0


@pytest.mark.req("R2.5", "R2.10")
def test_cosine_is_clipped_between_c0_and_c1_and_raw_where_asked_for(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder=Pointing(question=1.0, far=0.1, near=0.5, same=0.95))
    ids = {name: engine.remember(f"{name} {'zyx'}").id for name in ("far", "near", "same")}
    engine.drain()
    shown = {name: parts_of(engine, ids[name], "question") for name in ids}
    assert {name: parts["V"] for name, parts in shown.items()} == pytest.approx(
        {"far": 0.0, "near": 0.5, "same": 1.0}, abs=1e-3
    )
    raw = {view.id: view.relevance for view in engine.search("question", relevance="cosine", theta3=0.0).views}
    assert raw == pytest.approx({ids["far"]: 0.1, ids["near"]: 0.5, ids["same"]: 0.95}, abs=1e-3)


@pytest.mark.req("R2.6")
def test_rare_words_are_found_although_the_embedding_is_off(make_engine: MakeEngine, clock: Any) -> None:
    engine = make_engine(embedder=Pointing(Quuxford=1.0, Bergen=0.5))
    wanted = engine.remember("Paid Q-7734 to the Drammen yard.", created_at=clock.ago(20)).id
    for n in range(30):
        engine.remember(f"Bergen harbour note {n}.", created_at=clock.ago(n))
    engine.drain()
    assert engine.search("Quuxford Q-7734 Drammen yard", touch=False).ids[0] == wanted
    dated = engine.remember("The lamp was mended.", created_at=clock.now.replace(year=2023, month=5, day=8)).id
    assert engine.search("8 May 2023", touch=False).ids[0] == dated


@pytest.mark.req("R2.7", "R1.12")
def test_a_reply_is_understood_by_what_it_answers(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    engine.remember("Where is the spare brake pad kept?", source=Source("chat", "monday", 1))
    reply = engine.remember("On shelf twelve, next to the lamp.", source=Source("chat", "monday", 2)).id
    stranger = engine.remember("On shelf twelve, next to the lamp!", source=Source("elsewhere", "", 1)).id
    long = engine.remember("On shelf twelve. " + LONG.format("lamp") * 6, source=Source("chat", "tuesday", 2)).id
    engine.remember("Where is the spare brake pad kept?", source=Source("chat", "tuesday", 1))
    shared = {i: parts_of(engine, i, "spare brake pad") for i in (reply, stranger, long)}
    borrowed = {i: parts["L"] - parts["l"] for i, parts in shared.items()}
    assert borrowed[stranger] == 0.0
    assert borrowed[reply] > borrowed[long] > 0.0
    assert shared[reply]["X"] > 0.0


@pytest.mark.req("R2.8", "R2.9")
def test_relevance_lies_within_bounds_with_and_without_meaning(mixed: Engine, make_engine: MakeEngine, tmp_path: Path) -> None:
    with_meaning = by_id(mixed, "crane brake pad ferry")
    words = make_engine(tmp_path / "words.db", embedder="none")
    words.remember("The harbour crane stopped.")
    words.remember("Nothing of the sort.")
    alone = by_id(words, "harbour crane stopped")
    for view in (*with_meaning.values(), *alone.values()):
        assert view.relevance is not None
        assert 0.0 <= view.relevance <= 1.0
    assert alone[1].relevance > 0.9 > 0.1 > alone[2].relevance  # type: ignore[operator]


@pytest.mark.req("R2.11")
def test_thresholds_make_tiers(mixed: Engine) -> None:
    landscape = mixed.search("harbour crane inspection", touch=False)
    assert landscape.counts["horizon"] + len(landscape) == 60
    for view in landscape.views:
        wanted = Tier(sum(view.score >= theta for theta in (0.60, 0.30, 0.05)))
        assert view.natural is wanted
        assert view.tier is wanted
    assert set(landscape.counts) == {"full", "summary", "headline", "horizon"}


@pytest.mark.req("R2.12")
def test_no_tier_is_below_its_floor(mixed: Engine) -> None:
    *others, last = mixed.search("harbour crane", touch=False, theta1=1.0, theta2=1.0).views
    assert {view.tier for view in (*others, last)} == {Tier.HEADLINE}
    mixed.promote(last.id, to="summary")
    after = by_id(mixed, "harbour crane", theta1=1.0, theta2=1.0)
    assert after[last.id].tier is Tier.SUMMARY
    assert {after[view.id].tier for view in others} == {Tier.HEADLINE}


@pytest.mark.req("R2.13")
def test_scores_are_rounded_and_ties_go_by_id(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    ids = [engine.remember("The same words.", source=Source(f"place {n}")).id for n in range(20)]
    views = engine.search("same words", touch=False).views
    assert [view.id for view in views] == ids
    assert len({view.score for view in views}) == 1
    assert all(round(view.score, 6) == view.score for view in views)


# -- profiles ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("R2.14")
def test_a_profile_is_looked_with_and_touches_no_memory(make_engine: MakeEngine) -> None:
    ada, brian = make_engine(agent="ada"), make_engine(agent="brian")
    memory = ada.remember(LONG.format("harbour crane")).id
    before = ada.expand(memory, touch=False)
    ada.save_profile(replace(PRESETS["balanced"], name="narrow", alpha=0.7, k=5, budget=500))
    ada.use_profile("narrow")
    assert ada.search("crane", touch=False).profile.name == "narrow"
    assert brian.search("crane", touch=False).profile.name == "balanced"
    assert make_engine(agent="ada").profile.budget == 500
    assert ada.expand(memory, touch=False) == before


@pytest.mark.req("R2.15")
def test_a_profile_can_lock_and_bound(engine: Engine) -> None:
    engine.remember("The crane.")
    engine.save_profile(replace(PRESETS["balanced"], name="strict", locked=("alpha",), bounds={"budget": (100, 1000)}))
    asked = {"profile": "strict", "touch": False}
    assert engine.search("crane", budget=800, k=3, **asked).profile.budget == 800  # type: ignore[arg-type]
    with pytest.raises(ParameterLocked):
        engine.search("crane", alpha=0.2, **asked)  # type: ignore[arg-type]
    with pytest.raises(ParameterLocked):
        engine.search("crane", budget=5000, **asked)  # type: ignore[arg-type]


@pytest.mark.req("R2.16")
def test_research_does_not_mind_age(engine: Engine, clock: Any) -> None:
    old = engine.remember("The crane's brake overheated at noon.", created_at=clock.ago(3000), source=Source("a")).id
    new = engine.remember("The crane's brake overheated at noon.", created_at=clock.now, source=Source("b")).id
    engine.drain()
    views = {view.id: view for view in engine.search("crane brake overheated", profile="research", touch=False).views}
    assert views[old].natural is views[new].natural is Tier.FULL


@pytest.mark.req("R2.17")
def test_digest_shows_what_is_old_and_unused_as_a_headline_at_most(engine: Engine, clock: Any) -> None:
    text = "The crane's brake overheated at noon."
    old, new = (
        engine.remember(text, created_at=clock.ago(92), source=Source("a")).id,
        engine.remember(text, source=Source("b")).id,
    )
    engine.drain()
    views = {view.id: view for view in engine.search(text, profile="digest", touch=False).views}
    assert old not in views or views[old].natural <= Tier.HEADLINE
    assert views[new].natural is Tier.FULL


@pytest.mark.req("R2.18")
def test_precedent_keeps_what_is_foundational_in_full(engine: Engine, clock: Any) -> None:
    text = LONG.format("harbour crane")
    kept = engine.remember(text, created_at=clock.ago(4000), tags=["foundational"], source=Source("a")).id
    other = engine.remember(text, created_at=clock.ago(4000), source=Source("b")).id
    views = {view.id: view for view in engine.search("harbour crane", profile="precedent", touch=False).views}
    assert views[kept].tier is Tier.FULL
    assert other not in views or views[other].tier < Tier.FULL


@pytest.mark.req("R2.19")
def test_seed_weighs_both_alike(engine: Engine, clock: Any) -> None:
    near, far = "The harbour crane's brake overheated at noon.", "Somebody brought cake."
    recent = engine.remember(near, created_at=clock.ago(1), source=Source("a")).id
    old = engine.remember(near, created_at=clock.ago(400), source=Source("b")).id
    distant = engine.remember(far, created_at=clock.ago(400), source=Source("c")).id
    engine.drain()
    views = {view.id: view for view in engine.search("harbour crane brake overheated noon", profile="seed", touch=False).views}
    assert [views[i].natural for i in (recent, old, distant)] == [Tier.FULL, Tier.SUMMARY, Tier.HEADLINE]


@pytest.mark.req("R2.20")
def test_balanced_is_the_default(engine: Engine) -> None:
    profile = engine.profile
    assert (profile.name, profile.alpha, profile.lambda_) == ("balanced", 0.9, 0.03)
    assert (profile.theta1, profile.theta2, profile.theta3) == (0.60, 0.30, 0.05)
    assert (profile.k, profile.budget, profile.promote_at) == (1000, None, 0.5)
    assert set(engine.profiles()) >= {"balanced", "research", "digest", "precedent", "seed"}


@pytest.mark.req("R2.21", "R3.30", "R15.3")
def test_explain_shows_every_part_and_the_constants(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder=Pointing(crane=0.9))
    memory = engine.remember("The crane stopped.").id
    engine.drain()
    why = engine.explain(memory, "crane")
    parts = {name: (value, meaning) for name, value, meaning in why.parts}
    assert {"cosine", "V", "BM25", "coverage", "L", "s", "S", "t", "r", "D", "LOD"} <= set(parts)
    assert "0.2" in parts["V"][1]
    assert "0.8" in parts["V"][1]
    assert parts["LOD"][0] == why.score == engine.search("crane", touch=False).views[0].score
    assert any("0.1" in reason and "1 - alpha" in reason for reason in why.reasons)


@pytest.mark.req("R17.8")
@pytest.mark.parametrize(
    "asking",
    [
        {"alpha": 1.2},
        {"alpha": -0.1},
        {"theta1": 0.2, "theta2": 0.5},
        {"budget": 0},
        {"budget": 10**9},
        {"k": 0},
        {"relevance": "magic"},
    ],
)
def test_parameters_out_of_range_are_refused(engine: Engine, asking: dict[str, Any]) -> None:
    engine.remember("The crane.")
    with pytest.raises(BadParameter):
        engine.search("crane", **asking)
