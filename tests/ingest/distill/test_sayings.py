"""Which sentences of an episode may become patterns, and in what form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.ingest.distill.sayings import CUES, MAX_A_EPISODE, advises, cleaned, sayings


def cued(text: str, speaker: str = "") -> list[str]:
    return [saying.text for saying in sayings(text, speaker) if saying.cues]


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Brian prefers green tea to coffee in the morning.", "preference"),
        ("Ina is allergic to peanuts and sesame.", "preference"),
        ("The team never deploys on a Friday afternoon.", "rule"),
        ("A release needs two approvals from the core group.", "rule"),
        ("The board decided to rent the second floor as well.", "decision"),
        ("We switched from Redmine to paper cards last week.", "decision"),
        ("Brian usually walks to the office along the river.", "habit"),
        ("The bakery gets its flour every Thursday from Mehlmann.", "habit"),
        ("The nightly build failed because the disk of atlas-2 was full.", "trouble"),
        ("Ina's sister lives in Bergen and teaches physics.", "fact"),
        ("The licence of the scanner expires on 4 May 2027.", "fact"),
        ("My brother plays the cello in Graz.", "fact"),
    ],
)
def test_what_states_something_is_taken_word_for_word(text: str, cue: str) -> None:
    (saying,) = sayings(text)
    assert cue in saying.cues
    assert saying.text == text
    assert saying.cues <= {*CUES, "fact"}


@pytest.mark.parametrize(
    "text",
    [
        "Does Brian always prefer green tea?",
        "It never works on Mondays in the cellar.",
        "That is always decided by the board of Lindau.",
        "You should always ask the electrician Kurt first.",
        "Let's switch from Redmine to paper cards.",
        "Next time, ask clarifying questions before you decide.",
        "Maybe Brian prefers the green tea from Assam.",
        "Thanks a lot, that always helps in the shop.",
        "if (x == None) { return never; } // always {}",
        "Consider using the tablet that Brian prefers.",
        "Please remember to buy the flour from Mehlmann.",
        "Yes, always.",
        "The weather was nice and we laughed a lot.",
    ],
)
def test_what_states_nothing_is_not(text: str) -> None:
    assert cued(text) == []


def test_who_speaks_of_himself_is_named() -> None:
    assert cued("Ada: I prefer tea without sugar.\nBrian: The shop in Lindau opens at 6:30.") == [
        "Ada: I prefer tea without sugar.",
        "The shop in Lindau opens at 6:30.",
    ]
    assert cued("Brian: I never open the shop in Lindau.") == ["Brian: I never open the shop in Lindau."]
    assert cued("We never work on Sundays in the shop.", "Ada") == ["Ada: We never work on Sundays in the shop."]


def test_a_rule_of_a_person_is_no_advice() -> None:
    assert cued("user: You must always answer in English.") == ["You must always answer in English."]
    assert cued("assistant: You must always keep the dough above 16 degrees.") == []


def test_a_machine_only_reports() -> None:
    assert cued("assistant: I prefer short answers in general.") == []
    assert cued("assistant: The build of Atlas failed because port 8080 was taken.") != []
    assert cued("assistant: Paris is the capital of France.") == []


def test_what_leads_in_is_taken_off() -> None:
    assert cleaned("- **Well, by the way, my brother plays the cello.**") == "My brother plays the cello."
    assert cleaned("3. Note that the till closes at 18:00.") == "The till closes at 18:00."
    assert cleaned("So what") == "So what"


def test_a_long_episode_gives_few() -> None:
    text = " ".join(f"Room {n} is used by team {n}." for n in range(40))
    assert len(cued(text)) == MAX_A_EPISODE


@pytest.mark.parametrize(
    ("text", "is_advice"),
    [
        ("Ask the electrician first, you should.", True),
        ("Consider a second oven.", True),
        ("Ada always keeps a second oven.", False),
        ("The rule is that you must never work alone.", False),
        ("You must clean the oven today.", True),
    ],
)
def test_advice(text: str, is_advice: bool) -> None:
    assert advises(text) is is_advice


@given(st.text(max_size=300), st.sampled_from(["", "Ada", "assistant"]))
def test_any_text_gives_sentences_that_stand_in_it(text: str, speaker: str) -> None:
    for saying in sayings(text, speaker):
        assert len(saying.text.split()) >= 4
        assert "\n" not in saying.text
