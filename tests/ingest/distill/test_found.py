"""Quality, and which episodes a pattern stands in."""

from __future__ import annotations

import pytest

from lodmem.ingest.distill.found import episodes_of, has_quality, stands_in

EPISODES = {
    1: "Ada moved the launch of Kestrel to June 3 because the audit takes two weeks.",
    2: "The launch of Kestrel is on June 3, Brian said.",
    3: "The cat sleeps on the router.",
    4: "Brian leads the audit with Carla.",
}


@pytest.mark.req("R5.16")
@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("x" * 26 + " y z", True),
        ("x" * 25 + " y z", False),
        ("x" * 30 + " y", False),
        ("The launch of Kestrel\nis on June 3 for sure.", False),
        ("word " * 121, False),
    ],
)
def test_quality_is_30_characters_and_3_words(text: str, good: bool) -> None:
    assert has_quality(text) is good


def test_a_pattern_stands_in_the_episodes_that_say_it() -> None:
    assert episodes_of("The launch of Kestrel is on June 3.", EPISODES) == (1, 2)
    assert episodes_of("The cat sleeps on the router at night.", EPISODES) == (3,)


def test_names_of_several_episodes_are_put_together() -> None:
    assert episodes_of("The launch of Kestrel is on June 3, and Carla does the audit.", EPISODES) == (1, 4)


@pytest.mark.parametrize(
    "text",
    [
        "The launch of Kestrel is on June 4.",
        "Dora moved the launch of Kestrel to June 3.",
        "Everything is fluid and depends upon context alone.",
        "",
    ],
)
def test_what_no_episode_says_stands_nowhere(text: str) -> None:
    assert episodes_of(text, EPISODES) == ()


def test_standing_in_what_is_left() -> None:
    text = "Ada moved the launch of Kestrel to June 3."
    assert stands_in(text, EPISODES)
    assert stands_in(text, {1: EPISODES[1]})
    assert not stands_in(text, {2: EPISODES[2]}), "Ada is gone"
    assert not stands_in(text, {})
