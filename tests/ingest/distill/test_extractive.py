"""Patterns from the episodes' own sentences: a whole conversation, repetition, importance."""

from __future__ import annotations

import random

import pytest

from lodmem.engine import Engine
from lodmem.ingest.distill.extractive import REPEATED, distil, importance
from lodmem.ingest.distill.found import Found, has_quality
from lodmem.ingest.episodes import NOISE, episode_class_of
from lodmem.model.memory import Memory
from lodmem.text.faithful import invented
from tests.ingest.distill.conversation import KNOWN, drafts


def episodes(engine: Engine, *texts: str, speaker: str = "") -> list[Memory]:
    ids = [engine.remember(text, meta={"speaker": speaker} if speaker else {}).id for text in texts]
    return engine.expand(*ids, touch=False)


def found(engine: Engine, *texts: str, speaker: str = "") -> list[Found]:
    return distil(episodes(engine, *texts, speaker=speaker))[0]


@pytest.mark.req("R5.16")
def test_a_conversation_gives_what_is_worth_keeping(engine: Engine, record_property: pytest.RecordProperty) -> None:
    ids = list(dict.fromkeys(added.id for added in engine.remember_many(drafts())))
    memories = [memory for memory in engine.expand(*ids, touch=False) if episode_class_of(memory.full) != NOISE]
    patterns, _ = distil(memories)
    texts = [pattern.text for pattern in patterns]
    known = [any(all(word in text for word in words) for text in texts) for words in KNOWN]
    right = [any(all(word in text for word in words) for words in KNOWN) for text in texts]
    record_property("recall", sum(known) / len(known))
    record_property("precision", sum(right) / len(right))
    assert sum(known) >= 0.8 * len(known)
    assert sum(right) >= 0.8 * len(right)
    by_id = {memory.id: memory.full for memory in memories}
    for pattern in patterns:
        assert has_quality(pattern.text)
        assert invented(pattern.text, "\n".join(by_id[i] for i in pattern.episodes)) == []


def test_what_several_episodes_say_stands_once_and_weighs_more(engine: Engine) -> None:
    once = "The rye dough failed because the cellar was cold on Monday."
    often = "The till of the shop in Lindau is broken."
    patterns = found(engine, once, often, f"{often} ", f"Well, {often.lower().replace('lindau', 'Lindau')}")
    assert [(pattern.text, len(pattern.episodes)) for pattern in patterns] == [(once, 1), (often, 3)]
    assert patterns[1].importance > importance(often, 1)


def test_a_sentence_without_a_cue_counts_from_the_third_episode(engine: Engine) -> None:
    text = "Rain dripped through the roof onto the shelves"
    many = [f"{text}. {'x' * n}" for n in range(1, REPEATED + 1)]
    assert found(engine, *many[:-1]) == []
    assert [(each.text, len(each.episodes)) for each in found(engine, *many)] == [(f"{text}.", REPEATED)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The rent of the shop is 1,850 a month.", "The rent of the shop is 1,950 a month."),
        ("Tilda is allergic to hazelnuts and rye.", "Tilda is not allergic to hazelnuts and rye."),
        ("Jonas prefers the oven by the window.", "Tilda prefers the oven by the window."),
    ],
)
def test_what_differs_in_an_exact_thing_is_two(engine: Engine, one: str, other: str) -> None:
    assert [each.text for each in found(engine, one, other)] == [one, other]


def test_who_speaks_is_known_from_the_memory(engine: Engine) -> None:
    assert [each.text for each in found(engine, "I prefer short lists to long texts.", speaker="Nora")] == [
        "Nora: I prefer short lists to long texts."
    ]


def test_short_ones_are_counted_and_left_out(engine: Engine) -> None:
    assert distil(episodes(engine, "Ada is always late.")) == ([], 1)


def test_importance_rises_with_repetition_and_stays_below_one() -> None:
    text = "The till of the shop in Lindau is broken."
    values = [importance(text, n) for n in range(1, 60)]
    assert values == sorted(values)
    assert 0.0 < values[0] < values[5] < values[-1] <= 0.95


def test_the_same_episodes_give_the_same_patterns(engine: Engine) -> None:
    ids = list(dict.fromkeys(added.id for added in engine.remember_many(drafts())))
    memories = engine.expand(*ids, touch=False)
    first = distil(memories)
    assert distil(memories) == first
    mixed = memories[:]
    random.Random(1).shuffle(mixed)
    assert {pattern.episodes for pattern in distil(mixed)[0]} == {pattern.episodes for pattern in first[0]}
