"""SPEC 3.5, facing the camera: with a query a memory turns its best sentences to it, within the same length."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lodmem.engine import Engine
from lodmem.model.memory import Tier
from lodmem.models.tokenizer import WordPieceCounter
from tests.conftest import MakeEngine, settled, view_of

TOPICS = {
    "ferry": "The ferry to the island leaves at seven and costs twelve crowns.",
    "tomato": "Ada planted nine tomato seeds behind the shed in late March.",
    "violin": "Brian sold his violin to a shop in Bergen because he needed the money.",
    "boiler": "The boiler in the cellar loses pressure whenever the heating has been off.",
    "heron": "A heron stood in the river below the mill for the whole afternoon.",
    "passport": "The passport office asked for two photographs and an old bill.",
    "lantern": "We hung a paper lantern over the table and ate outside until ten.",
    "glacier": "The guide said that the glacier had gone back forty metres in a year.",
}
TEXT = " ".join(TOPICS.values())
SUMMARY = {"theta1": 1.0, "theta2": 0.0, "theta3": 0.0}
HEADLINE = {"theta1": 1.0, "theta2": 1.0, "theta3": 0.0}
counter = WordPieceCounter()


@pytest.fixture
def engine(make_engine: MakeEngine) -> Engine:
    engine = make_engine(embedder="none")
    engine.remember(TEXT)
    return engine


@pytest.mark.req("R3.17")
@pytest.mark.parametrize("topic", TOPICS)
def test_summary_and_headline_turn_to_the_question(engine: Engine, topic: str) -> None:
    for tiers, tier in ((SUMMARY, Tier.SUMMARY), (HEADLINE, Tier.HEADLINE)):
        view = view_of(engine.search(f"what about the {topic}?", touch=False, **tiers), 1)  # type: ignore[arg-type]
        assert view.tier is tier
        assert topic in view.text


@pytest.mark.req("R3.17")
@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_shown_is_the_memorys_own_words_and_no_longer_than_what_is_stored(engine: Engine, topic: str) -> None:
    memory = settled(engine, 1)
    summary = view_of(engine.search(f"what about the {topic}?", touch=False, **SUMMARY), 1).text  # type: ignore[arg-type]
    headline = view_of(engine.search(f"what about the {topic}?", touch=False, **HEADLINE), 1).text  # type: ignore[arg-type]
    assert counter.count(summary) <= memory.tokens_summary
    assert counter.count(headline) <= memory.tokens_headline
    words = set(TEXT.replace(".", "").split())
    assert set(summary.replace(".", "").replace("…", "").split()) <= words
    assert len(headline.split(" · ")[0].split()) <= 20


@pytest.mark.req("R3.17")
def test_facing_can_be_turned_off(engine: Engine) -> None:
    memory = settled(engine, 1)
    for tiers, stored in ((SUMMARY, memory.summary), (HEADLINE, memory.headline)):
        found = [
            view_of(engine.search(f"what about the {topic}?", facing=False, touch=False, **tiers), 1).text  # type: ignore[arg-type]
            for topic in TOPICS
        ]
        assert set(found) == {stored}


@pytest.mark.req("R3.17")
def test_where_there_is_no_query_the_stored_ones_serve(engine: Engine) -> None:
    memory = settled(engine, 1)
    assert view_of(engine.window(touch=False), 1).text == memory.headline
    assert view_of(engine.window(touch=False, theta2=0.0, theta3=0.0), 1).text == memory.summary


@pytest.mark.req("R3.17")
def test_a_question_that_no_sentence_answers_gets_the_stored_ones(engine: Engine) -> None:
    memory = settled(engine, 1)
    assert view_of(engine.search("submarine", touch=False, **HEADLINE), 1).text == memory.headline  # type: ignore[arg-type]
    assert view_of(engine.search("?!?", touch=False, **SUMMARY), 1).text == memory.summary  # type: ignore[arg-type]


@pytest.mark.req("R3.17")
def test_full_and_short_ones_are_shown_as_they_are(engine: Engine) -> None:
    short = engine.remember("The ferry was late. Everybody had soup.").id
    full = engine.search("soup", touch=False, theta1=0.0, theta2=0.0, theta3=0.0)
    assert view_of(full, 1).text == TEXT
    for tiers in (SUMMARY, HEADLINE):
        shown = engine.search("soup", touch=False, **tiers)  # type: ignore[arg-type]
        assert view_of(shown, short).text == "The ferry was late. Everybody had soup."


@pytest.mark.req("R3.17")
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.sampled_from([*TOPICS, "river", "Ada", "money", "the", "seven", "nothing"]), min_size=1, max_size=6))
def test_never_longer_whatever_is_asked(engine: Engine, words: list[str]) -> None:
    memory = settled(engine, 1)
    for tiers, most in ((SUMMARY, memory.tokens_summary), (HEADLINE, memory.tokens_headline)):
        view = view_of(engine.search(" ".join(words), touch=False, **tiers), 1)  # type: ignore[arg-type]
        assert 0 < counter.count(view.text) <= most
