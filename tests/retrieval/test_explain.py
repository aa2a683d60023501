"""explain: every number between a query and a tier, and they are the search's own."""

from __future__ import annotations

import random
from math import exp, log

import pytest

from lodmem.engine import Engine
from lodmem.errors import UnknownMemory
from lodmem.lod.relevance import Recipe
from lodmem.model.landscape import Explanation
from lodmem.model.memory import Source, Tier
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine, settled, view_of

WORDS = ("deploy", "certificate", "staging", "login", "token", "tea", "coffee", "cat", "fish", "garden", "harbour", "launch")
R = Recipe()


@pytest.fixture
def engine(make_engine: MakeEngine, clock: FakeClock) -> Engine:
    engine = make_engine(embedder=FakeEmbedder(32))
    rng = random.Random(5)
    for n in range(30):
        size = 260 if n % 10 == 9 else rng.randint(3, 12)
        text = " ".join(rng.choice(WORDS) + ("." if rng.random() < 0.1 else "") for _ in range(size))
        source = Source("chat:1", "", n) if n % 3 else None
        engine.remember(text, created_at=clock.ago(rng.randint(0, 200)), source=source)
    engine.drain()
    for _ in range(3):
        engine.search(" ".join(rng.sample(WORDS, 2)))
    engine.remember("not embedded yet: tea and fish")
    return engine


def parts(explanation: Explanation) -> dict[str, float]:
    return {name: value for name, value, _ in explanation.parts}


@pytest.mark.req("R15.3", "R3.30")
@pytest.mark.parametrize("query", ["tea for the cat", "certificate", "?!", "unknown words only"])
@pytest.mark.parametrize("asking", [{}, {"alpha": 0.5, "exclude": ["garden"]}, {"relevance": "cosine"}, {"lambda_": 0.0}])
def test_its_numbers_are_the_searchs(engine: Engine, query: str, asking: dict[str, object]) -> None:
    landscape = engine.search(query, touch=False, theta3=0.0, **asking)  # type: ignore[arg-type]
    for rank, view in enumerate(landscape.views, start=1):
        found = engine.explain(view.id, query, theta3=0.0, **asking)  # type: ignore[arg-type]
        assert (found.id, found.query, found.rank) == (view.id, query, rank)
        assert (found.relevance, found.decay, found.score) == (view.relevance, view.decay, view.score)
        assert found.tier is view.tier
        assert (parts(found)["S"], parts(found)["D"], parts(found)["LOD"]) == (view.relevance, view.decay, view.score)


@pytest.mark.req("R3.30")
def test_its_parts_add_up_to_the_score(engine: Engine, clock: FakeClock) -> None:
    for memory_id in range(1, 32):
        p = parts(engine.explain(memory_id, "tea for the cat with a token"))
        memory = settled(engine, memory_id)
        n = p["passages"]
        assert p["l"] == pytest.approx(0.5 * p["BM25"] + 0.5 * p["coverage"] * n**-0.2)
        shares = {"l[-2]": 0.1, "l[-1]": 0.4, "l[+1]": 0.2, "l[+2]": 0.05}
        borrowed = sum(p.get(name, 0.0) * share for name, share in shares.items())
        assert p["L"] == pytest.approx(min(1.0, p["l"] + min(1.0, 60 / memory.tokens_full) * borrowed))
        weighted = [(R.lexical, p["L"])]
        if "cosine" in p:
            assert p["V"] == pytest.approx(min(max((p["cosine"] - 0.05 * log(n) - R.c0) / (R.c1 - R.c0), 0.0), 1.0))
            weighted.append((R.vector, p["V"]))
        if memory.source is not None:
            weighted.append((R.source, p["X"]))
        assert ("X" in p) == (memory.source is not None)
        assert p["s"] == pytest.approx(sum(w * v for w, v in weighted) / sum(w for w, _ in weighted))
        assert p["S"] == pytest.approx(1 / (1 + exp(-(p["s"] - R.s0) / R.width)), abs=1e-6)
        since = memory.last_retrieved_at or memory.created_at
        assert p["t"] == pytest.approx((clock.now - since).total_seconds() / 86_400)
        assert p["r"] == memory.retrieval_count
        assert p["D"] == pytest.approx(exp(-0.03 * p["t"] / (1 + log(1 + p["r"]))), abs=1e-6)
        assert p["LOD"] == pytest.approx(0.9 * p["S"] + 0.1 * p["D"], abs=2e-6)
    assert "cosine" not in p  # the last one has no vector yet


@pytest.mark.req("R2.21")
def test_it_shows_the_constants_of_the_recipe(engine: Engine) -> None:
    meanings = {name: meaning for name, _, meaning in engine.explain(2, "tea").parts}
    assert "0.05..0.7" in meanings["V"]
    assert "weight 0.35" in meanings["V"]
    assert "weight 0.45" in meanings["L"]
    assert "weight 0.2" in meanings["X"]
    assert "0.35) / 0.1" in meanings["S"]
    assert "0.03" in meanings["D"]
    assert meanings["LOD"].startswith("0.9 * S + 0.1 * D")


@pytest.mark.req("R3.30")
def test_it_names_the_words_that_count_heaviest_first(engine: Engine) -> None:
    only = engine.remember("The certificate of the zeppelin").id
    words = engine.explain(only, "the zeppelin certificates and the cat").words
    assert [word for word, _ in words] == ["zeppelin", "certif"]
    assert words[0][1] > words[1][1] > 0


@pytest.mark.req("R15.3")
def test_it_answers_for_what_is_not_shown_and_says_why(engine: Engine) -> None:
    tagged = engine.remember("tea", tags=["home"]).id
    engine.drain()
    found = engine.explain(1, "tea", tags="home")
    assert found.rank is None
    assert "the filters leave it out: it is not shown" in found.reasons
    assert engine.explain(tagged, "tea", tags="home").rank == 1
    last = engine.search("tea", touch=False, theta3=0.0).ids[-1]
    found = engine.explain(last, "tea", k=4)
    assert found.rank is None
    assert "it is not among the best 4 of 32" in found.reasons
    assert engine.explain(last, "tea").rank == 32


@pytest.mark.req("R2.12")
def test_it_shows_the_floor_beside_the_tier(engine: Engine, clock: FakeClock) -> None:
    old = engine.remember("a heron in the river", created_at=clock.ago(2000)).id
    engine.drain()
    before = engine.explain(old, "tea", theta3=0.3)
    assert (before.tier, before.floor) == (Tier.HORIZON, Tier.HORIZON)
    engine.promote(old, to="summary")
    after = engine.explain(old, "tea", theta3=0.3)
    assert (after.tier, after.floor, after.score) == (Tier.SUMMARY, Tier.SUMMARY, before.score)


@pytest.mark.req("R16.8")
def test_it_says_when_words_alone_answered(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    only = engine.remember("tea").id
    assert "by words alone: no embedding model is configured" in engine.explain(only, "tea").reasons


def test_an_unknown_memory_is_refused(engine: Engine) -> None:
    for memory_id in (0, -1, 999, 2**70):
        with pytest.raises(UnknownMemory):
            engine.explain(memory_id, "tea")


@pytest.mark.req("R3.20")
def test_explaining_promotes_nothing(engine: Engine) -> None:
    before = settled(engine, 2)
    engine.explain(2, before.full)
    assert settled(engine, 2) == before
    assert view_of(engine.recent(touch=False), 2).retrieval_count == before.retrieval_count
