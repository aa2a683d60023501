"""SPEC 2: each preset's sentence, shown on a real store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lodmem.engine import Engine
from lodmem.errors import ParameterLocked, UnknownProfile
from lodmem.model.memory import Tier
from lodmem.model.profile import PRESETS, Profile
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine, settled, view_of

ASKED = "the staging deploy failed because its certificate expired"
OTHER = "Whiskers is allergic to fish and sleeps in our garden"


@pytest.fixture
def engine(make_engine: MakeEngine, clock: FakeClock) -> Engine:
    """#1 says what is asked and is old, #2 says it and is new, #3 is old and about something else, #4 is new and so."""
    engine = make_engine(embedder=FakeEmbedder(256))
    for text, age in (
        (ASKED, 900),
        (f"Today {ASKED} again while everybody was out at lunch with Ada", 0),
        (OTHER, 900),
        (f"{OTHER} today", 0),
    ):
        engine.remember(text, created_at=clock.ago(age))
    engine.drain()
    return engine


def tiers(engine: Engine, **asking: object) -> dict[int, Tier]:
    return {view.id: view.tier for view in engine.search(ASKED, touch=False, **asking).views}  # type: ignore[arg-type]


@pytest.mark.req("R2.20")
def test_balanced_is_the_default_and_has_the_measured_values(engine: Engine) -> None:
    assert engine.profile == PRESETS["balanced"]
    p = engine.profile
    assert (p.alpha, p.lambda_, p.theta1, p.theta2, p.theta3) == (0.9, 0.03, 0.60, 0.30, 0.05)
    assert (p.k, p.budget, p.promote_at, p.relevance) == (1000, None, 0.5, "fused")
    assert not p.floors
    assert tiers(engine) == {1: Tier.FULL, 2: Tier.FULL, 4: Tier.HEADLINE}


@pytest.mark.req("R2.16")
def test_research_does_not_mind_age(engine: Engine, clock: FakeClock) -> None:
    assert PRESETS["research"].alpha >= 0.99
    newer = engine.remember("Ada saw that the staging deploy went through", created_at=clock.now).id
    engine.drain()
    before = engine.search(ASKED, profile="research", touch=False)
    assert view_of(before, newer).tier >= Tier.SUMMARY
    assert before.ids.index(1) < before.ids.index(newer)  # the exact one, though two and a half years older
    assert engine.search(ASKED, alpha=0.5, touch=False).ids[0] != 1
    clock.advance(days=3650)
    after = engine.search(ASKED, profile="research", touch=False)
    assert after.ids.index(1) < after.ids.index(newer)
    assert {view.id: view.tier for view in after.views} == {view.id: view.tier for view in before.views}
    for view in after.views:
        assert view.score == pytest.approx(view_of(before, view.id).score, abs=0.010001)


@pytest.mark.req("R2.17")
def test_digest_shows_three_months_unused_as_a_headline_at_most_however_similar(engine: Engine, clock: FakeClock) -> None:
    assert PRESETS["digest"].alpha <= 0.1
    added = engine.remember("a very particular sentence about a lighthouse", created_at=clock.ago(90))
    engine.drain()
    view = engine.search("a very particular sentence about a lighthouse", profile="digest", touch=False)
    assert view_of(view, added.id).relevance == pytest.approx(0.99, abs=0.010001)
    assert view_of(view, added.id).tier is Tier.HEADLINE
    new = engine.remember("something else entirely", created_at=clock.now)
    engine.drain()
    assert view_of(engine.search("lighthouse", profile="digest", touch=False), new.id).tier is Tier.FULL


@pytest.mark.req("R2.18")
@pytest.mark.parametrize("tag", ["foundational", "precedent"])
def test_precedent_keeps_what_is_foundational_in_full_whatever_its_age_and_use(
    engine: Engine, clock: FakeClock, tag: str
) -> None:
    old = engine.remember("We decided to write the engine in one language", created_at=clock.ago(3650), tags=[tag])
    same = engine.remember("We decided to write the engine in one tongue", created_at=clock.ago(3650), tags=["other"])
    engine.drain()
    assert PRESETS["precedent"].alpha == 0.5
    found = tiers(engine, profile="precedent")
    assert found[old.id] is Tier.FULL
    assert same.id not in found
    assert old.id not in tiers(engine)  # balanced has no such rule


@pytest.mark.req("R2.19")
def test_seed_draws_the_seeds_picture(engine: Engine) -> None:
    p = PRESETS["seed"]
    assert (p.alpha, p.theta1, p.theta2, p.theta3) == (0.5, 0.60, 0.30, 0.0)
    found = tiers(engine, profile="seed")
    assert found[2] is Tier.FULL  # recent and relevant
    assert found[1] is Tier.SUMMARY  # old but relevant
    assert found[3] is Tier.HEADLINE  # distant and unrelated


@pytest.mark.req("R2.14")
def test_an_agent_looks_with_the_profile_it_points_to_and_no_memory_is_touched(engine: Engine, make_engine: MakeEngine) -> None:
    before = [settled(engine, i) for i in (1, 2, 3, 4)]
    engine.save_profile(Profile(name="mine", alpha=0.2, theta1=0.5))
    engine.use_profile("mine")
    engine.use_profile("digest", agent="bo")
    assert engine.profile.alpha == 0.2
    assert engine.search(ASKED, touch=False).profile.name == "mine"
    assert make_engine(agent="bo", embedder=FakeEmbedder(256)).profile.name == "digest"
    assert make_engine(agent="cy", embedder=FakeEmbedder(256)).profile.name == "balanced"
    engine.save_profile(replace(engine.profile, alpha=0.3))
    assert engine.search(ASKED, touch=False).profile.alpha == 0.3
    assert [settled(engine, i) for i in (1, 2, 3, 4)] == before


@pytest.mark.req("R2.14")
def test_an_unknown_profile_is_refused(engine: Engine) -> None:
    for ask in (lambda: engine.search(ASKED, profile="nobody"), lambda: engine.use_profile("nobody")):
        with pytest.raises(UnknownProfile, match="nobody"):
            ask()


@pytest.mark.req("R2.15")
def test_locked_and_bounded_parameters_are_kept(engine: Engine) -> None:
    engine.save_profile(Profile(name="ruled", alpha=0.7, locked=("alpha", "k"), bounds={"lambda_": (0.01, 0.1)}))
    engine.use_profile("ruled")
    with pytest.raises(ParameterLocked, match="alpha"):
        engine.search(ASKED, alpha=0.9)
    with pytest.raises(ParameterLocked, match="lambda_"):
        engine.window(lambda_=0.2)
    for fine in ({"alpha": 0.7}, {"lambda_": 0.1}, {"theta1": 0.9}, {"budget": 500}):
        engine.search(ASKED, touch=False, **fine)  # type: ignore[arg-type]
