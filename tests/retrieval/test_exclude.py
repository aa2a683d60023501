"""SPEC 3.2: what a question must not touch is dropped or lowered, and the answer says so."""

from __future__ import annotations

import pytest

from lodmem.engine import Engine
from lodmem.errors import BadParameter
from lodmem.model.landscape import Landscape
from lodmem.model.memory import Source
from lodmem.retrieval.exclude import THRESHOLD
from tests.conftest import FakeEmbedder, MakeEngine, view_of

SAME = {"feline": "cat", "kitten": "cat", "naps": "sleeps"}


@pytest.fixture
def engine(make_engine: MakeEngine) -> Engine:
    return make_engine(embedder=FakeEmbedder(256, same=SAME))


def remember(engine: Engine, *texts: str) -> list[int]:
    ids = [engine.remember(text).id for text in texts]
    engine.drain()
    return ids


def every_mode(engine: Engine, exclude: list[str] | str) -> list[Landscape]:
    looks = [engine.window, engine.recent, engine.important, engine.unseen]
    found = [look(exclude=exclude, touch=False) for look in looks]
    found.append(engine.random(100, seed=1, exclude=exclude, touch=False))
    found.append(engine.search("what sleeps at the harbour", exclude=exclude, touch=False, theta3=0.0))
    return found


@pytest.mark.req("R3.4", "R3.6")
def test_what_holds_the_words_is_dropped_in_every_mode(engine: Engine) -> None:
    cats, _, dog = remember(engine, "Two cats at the harbour", "My cat.", "A dog sleeps at the harbour")
    for term in ("cat", "Cats", ["the cat"]):
        for found in every_mode(engine, term):  # type: ignore[arg-type]
            assert found.ids == (dog,)
            assert found.excluded == 2
            assert "2 excluded" in found.rendering
            assert found.considered == 1
    for found in every_mode(engine, ["cat", "dog"]):
        assert (found.ids, found.excluded) == ((), 3)
    assert cats in every_mode(engine, [])[0].ids


@pytest.mark.req("R3.4")
def test_all_words_of_a_term_must_be_there(engine: Engine) -> None:
    both, one = remember(
        engine,
        "The staging deploys failed on Monday and Ada went home to water the tomatoes and to read a long book about rivers",
        "The staging host is called heron and stands in a cellar below the old town hall beside a very large freezer",
    )
    found = engine.window(exclude="deploy staging", touch=False)
    assert found.ids == (one,)
    assert engine.window(exclude=["deploy", "freezer"], touch=False).ids == ()
    assert both in engine.window(exclude="freezer", touch=False).ids


@pytest.mark.req("R3.4")
def test_what_means_the_term_is_dropped_without_its_words(engine: Engine) -> None:
    _, dog = remember(engine, "A feline naps", "A dog barks loudly")
    for found in every_mode(engine, "a cat sleeps"):
        assert found.ids == (dog,)


@pytest.mark.req("R3.4", "R16.8")
def test_by_words_alone_only_words_count_and_the_answer_says_so(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    feline = remember(engine, "A feline naps", "A cat sleeps")[0]
    for found in every_mode(engine, "cats"):
        assert found.ids == (feline,)
        assert found.words_only == "no embedding model is configured"
        assert "by words alone" in found.rendering
    assert engine.window(touch=False).words_only == ""


@pytest.mark.req("R3.5")
def test_short_of_that_s_is_lowered_in_proportion(engine: Engine) -> None:
    near, far = remember(
        engine,
        "A kitten came along to the harbour with Ada and Brian on Monday",
        "A ferry came along to the harbour with Ada and Brian on Monday",
    )
    asked = "who came along to the harbour"
    plain = engine.search(asked, touch=False)
    bent = engine.search(asked, exclude="cat", touch=False)
    assert bent.excluded == 0
    for memory in (near, far):
        parts = {name: value for name, value, _ in engine.explain(memory, asked, exclude="cat").parts}
        towards = parts["near 'cat'"]
        assert 0.0 <= towards < THRESHOLD
        before, after = view_of(plain, memory).relevance, view_of(bent, memory).relevance
        assert after == pytest.approx(before * (1 - towards), abs=2e-6)  # type: ignore[operator]
        assert parts["S"] == after
    lost = [view_of(plain, m).score - view_of(bent, m).score for m in (near, far)]
    assert lost[0] > lost[1] >= 0
    twice = engine.search(asked, exclude=["cat", "cat"], touch=False)
    assert view_of(twice, near).relevance < view_of(bent, near).relevance  # type: ignore[operator]


@pytest.mark.req("R3.6")
def test_explain_says_which_term_and_why(engine: Engine) -> None:
    cats, feline = remember(engine, "Two cats at the harbour of the old town", "A feline naps")
    reasons = engine.explain(cats, "harbour", exclude=["dog", "cat"]).reasons
    assert "dropped: it holds the excluded words 'cat'" in reasons
    assert not any("'dog'" in reason for reason in reasons)
    explanation = engine.explain(feline, "harbour", exclude=["dog", "cat sleeps"])
    assert f"dropped: its nearness to 'cat sleeps' reaches {THRESHOLD:g}" in explanation.reasons
    assert explanation.rank is None
    assert any(f"dropped from {THRESHOLD:g}" in meaning for _, _, meaning in explanation.parts)


@pytest.mark.req("R3.4")
def test_a_memory_is_not_dropped_for_what_stands_beside_it(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    source = [Source("chat:1", "", n) for n in range(3)]
    texts = ("The cat is ill", "I am so sorry", "It ate fish")
    ids = [engine.remember(text, source=where).id for text, where in zip(texts, source, strict=True)]
    assert engine.window(exclude="cat", touch=False).ids == (ids[1], ids[2])
    assert set(engine.search("sorry fish", exclude="cat", touch=False).ids) == {ids[1], ids[2]}


@pytest.mark.req("R3.6")
def test_only_what_the_filters_let_through_counts_as_excluded(engine: Engine) -> None:
    engine.remember("A cat", tags=["home"])
    engine.remember("Another cat", tags=["work"])
    engine.drain()
    assert engine.search("anything", exclude="cats", tags="home", touch=False).excluded == 1
    assert engine.window(exclude="cats", tags="home", touch=False).excluded == 1


@pytest.mark.req("R3.4")
def test_a_term_without_words_drops_nothing_by_words(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    (only,) = remember(engine, "What a day!?!")
    assert engine.search("day", exclude="?!?", touch=False).ids == (only,)


@pytest.mark.req("R3.4")
def test_stop_words_alone_are_taken_at_their_word(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    (only,) = remember(engine, "The cat is ill")
    assert engine.search("cat", exclude="and", touch=False).ids == (only,)


@pytest.mark.req("R17.8")
@pytest.mark.parametrize("bad", ["", "  ", ["cat", ""], ["x" * 1001]])
def test_an_exclusion_that_says_nothing_is_refused(engine: Engine, bad: str | list[str]) -> None:
    with pytest.raises(BadParameter, match="exclusion"):
        engine.search("cat", exclude=bad)
    with pytest.raises(BadParameter, match="exclusion"):
        engine.window(exclude=bad)
