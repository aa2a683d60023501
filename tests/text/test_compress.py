"""Levels: what a summary and a headline hold, on golden inputs and over any text."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lodmem.model.memory import Levels
from lodmem.ports import TokenCounter
from lodmem.text.compress import MAX_KEYWORDS, MAX_SUMMARY_TOKENS, SEPARATOR, SHORT_TOKENS, is_short, make_levels
from lodmem.text.trim import MAX_HEADLINE_WORDS, cut_words, headline_sentence

GOLDEN = Path(__file__).parent.parent / "golden" / "levels"
INPUTS = sorted(path.name.removesuffix(".in.txt") for path in GOLDEN.glob("*.in.txt"))

SENTENCES = [
    "Hey Lena, how are you doing today?",
    "By the way, take a look at this.",
    "I went to the ceramics fair in Gouda last Saturday.",
    "Thanks, that is so great to hear!",
    "My cousin Arvid bought a sailing boat for 14,000 euros in June.",
    "What do you think about it?",
    "The ferry to Texel leaves every hour from pier 3.",
    "It was really nice and I liked it a lot.",
    "We decided to repaint the kitchen in pale green.",
    "Dr. Okafor moved my appointment to 9 May.",
]
TALK = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=40)


def flat(text: str) -> str:
    return " ".join(text.split())


def parts(headline: str) -> tuple[str, list[str]]:
    lead, _, words = headline.partition(SEPARATOR)
    return lead, words.split(", ") if words else []


@pytest.mark.parametrize("name", INPUTS)
def test_golden_levels(name: str, counter: TokenCounter) -> None:
    """With LODMEM_UPDATE_GOLDEN=1 the expected files are written anew, to be read before they are kept."""
    text = (GOLDEN / f"{name}.in.txt").read_text(encoding="utf-8")
    levels = make_levels(text, counter)
    shown = (
        f"written by {levels.written_by}, tokens {levels.tokens_full} / {levels.tokens_summary} / {levels.tokens_headline}\n"
        f"--- headline\n{levels.headline}\n--- summary\n{levels.summary}\n"
    )
    expected = GOLDEN / f"{name}.out.txt"
    if os.environ.get("LODMEM_UPDATE_GOLDEN"):
        expected.write_text(shown, encoding="utf-8")
    assert shown == expected.read_text(encoding="utf-8")


def test_there_are_golden_inputs() -> None:
    assert len(INPUTS) >= 15


@given(st.text(max_size=600) | TALK.map(" ".join) | TALK.map(lambda said: "\n".join(f"Lena: {line}" for line in said)))
@settings(deadline=None)
def test_levels_hold_their_invariants(counter: TokenCounter, text: str) -> None:
    levels = make_levels(text, counter)
    assert levels == make_levels(text, counter)
    assert levels.tokens_full == counter.count(text)
    assert levels.tokens_summary == counter.count(levels.summary) <= levels.tokens_full
    assert levels.tokens_headline == counter.count(levels.headline) <= levels.tokens_full
    if levels.written_by == "source":
        assert levels.summary == levels.headline == text
        return
    assert levels.written_by == "extractive"
    assert levels.tokens_full > SHORT_TOKENS
    assert not is_short(levels.tokens_full, levels.tokens_headline)
    assert levels.summary.strip()
    lead, keywords = parts(levels.headline)
    assert len(lead.split()) <= MAX_HEADLINE_WORDS + 3  # a speaker's name comes on top
    assert len(keywords) <= MAX_KEYWORDS
    assert "\n" not in levels.headline


@given(TALK)
def test_summary_is_whole_sentences_in_order(counter: TokenCounter, said: list[str]) -> None:
    levels = make_levels(" ".join(said), counter)
    if levels.written_by == "source" or levels.summary.endswith("…"):
        return
    rest = list(said)
    shown = levels.summary
    while shown:
        sentence = next(line for line in SENTENCES if shown.startswith(line))
        assert sentence in rest
        rest = rest[rest.index(sentence) + 1 :]
        shown = shown.removeprefix(sentence).lstrip()


@given(TALK)
def test_keywords_stand_in_the_text_and_not_in_the_sentence(counter: TokenCounter, said: list[str]) -> None:
    text = " ".join(said)
    levels = make_levels(text, counter)
    if levels.written_by == "source":
        return
    lead, keywords = parts(levels.headline)
    assert len(set(keywords)) == len(keywords)
    for word in keywords:
        assert word in text
        assert word not in lead


def long_text() -> str:
    """About 1,700 words on twelve subjects, no sentence twice."""
    subjects = ["the harbour", "a red bicycle", "our neighbour Pavel", "the choir", "an old oven", "the north field"]
    deeds = ["was repaired", "was sold", "was painted", "was counted", "was moved", "was forgotten"]
    return " ".join(
        f"In {1900 + 7 * number} {subjects[number % 6]} {deeds[number // 6 % 6]} near village {number} for {number * 3} coins."
        for number in range(120)
    )


def test_summary_is_about_a_fifth(counter: TokenCounter) -> None:
    levels = make_levels(long_text(), counter)
    assert 0.17 <= levels.tokens_summary / levels.tokens_full <= 0.23


def test_summary_does_not_say_the_same_twice(counter: TokenCounter) -> None:
    text = (
        "The pump in cellar B failed on Monday. " * 10
        + "Ines ordered a new gasket from Turin. " * 2
        + "The bill came to 340 euros."
    )
    summary = make_levels(text, counter).summary
    assert "Turin" in summary
    assert "340 euros" in summary


def test_headline_is_the_fact_and_not_the_talk(counter: TokenCounter) -> None:
    chat = (
        "Mira: Hi Tobias! So good to see you! How have you been?\n"
        "Tobias: Hey Mira! By the way, take a look at this.\n"
        "Mira: Wow, that is amazing, thanks for sharing!\n"
        "Tobias: I joined a beekeeping club in Arnhem yesterday and they gave me two hives.\n"
        "Mira: That's so cool! What will you do with them?\n"
        "Tobias: They will stand behind the greenhouse, next to the plum trees of my uncle Stellan.\n"
    )
    lead, keywords = parts(make_levels(chat, counter).headline)
    assert lead.startswith("Tobias: I joined a beekeeping club in Arnhem yesterday")
    assert {"Stellan", "greenhouse"} & set(keywords)
    assert not {"Tobias", "Mira", "amazing", "cool", "Wow", "thanks"} & set(keywords)


def test_speakers_stay_with_their_words(counter: TokenCounter) -> None:
    chat = "\n".join(
        f"{'Ada' if n % 2 else 'Bo'}: Line {n} is about ship {n * 17} in port {n * 31}. It has cargo." for n in range(30)
    )
    for line in make_levels(chat, counter).summary.split("\n"):
        if "Line" in line:
            number = int(line.split("Line ")[1].split()[0])
            assert line.startswith("Ada:" if number % 2 else "Bo:") or not line.startswith(("Ada:", "Bo:"))


def test_what_the_user_said_comes_first(counter: TokenCounter) -> None:
    chat = (
        "user: I adopted a three-legged cat called Bramble from the shelter in Leiden.\n"
        "assistant: Congratulations! Here are ten essential considerations for three-legged cats: ramps, litter trays, weight "
        "control, joint supplements, physiotherapy, soft bedding, claw trimming, dental hygiene, vaccination and patience. "
        "Hydrotherapy improves musculature considerably. Orthopaedic mattresses reduce arthritic discomfort substantially. "
        "Veterinary nutritionists recommend omega-3 supplementation. Environmental enrichment prevents behavioural problems.\n"
    ) * 2
    levels = make_levels(chat, counter)
    assert "Bramble" in levels.headline
    assert "Bramble" in levels.summary


def test_a_title_is_the_headline(counter: TokenCounter) -> None:
    text = "Cache thumbnails by content hash\n\n" + "The thumbnailer rendered every image again after a rename. " * 3
    text += "Keys are now taken from the bytes, which halves the nightly load on host kite-4.\n"
    assert parts(make_levels(text, counter).headline)[0] == "Cache thumbnails by content hash"


@pytest.mark.parametrize(("full", "headline", "short"), [(40, 10, True), (41, 24, False), (41, 25, True), (100, 60, False)])
def test_short_is_forty_tokens_or_a_headline_over_sixty_percent(full: int, headline: int, short: bool) -> None:
    assert is_short(full, headline) is short


def test_a_short_text_is_its_own_levels(counter: TokenCounter) -> None:
    assert make_levels("Serendipity", counter) == Levels("Serendipity", "Serendipity", "source", 3 - 1, 2, 2)


@pytest.mark.parametrize("text", ["=" * 4000, "🎉 " * 500, "the of and " * 300, "?!" * 900])
def test_text_that_says_nothing_still_has_levels(text: str, counter: TokenCounter) -> None:
    levels = make_levels(text, counter)
    assert levels.summary
    assert levels.tokens_summary < levels.tokens_full


@pytest.mark.parametrize(
    "chunk", ["Q9x/", "word ", "Anna: hello there, Ben.\n", "中文字符测试", "a. ", "\nx", "It was 5 o'clock in Rome. "]
)
def test_huge_text_has_bounded_levels_in_bounded_time(chunk: str, counter: TokenCounter) -> None:
    text = chunk * (1_000_000 // len(chunk))
    start = time.process_time()
    levels = make_levels(text, counter)
    assert time.process_time() - start < 15.0
    assert levels.tokens_summary <= MAX_SUMMARY_TOKENS
    assert len(levels.headline) < 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hey Anna, I sold the blue van to Piet.", "I sold the blue van to Piet."),
        ("By the way, the key is under the third pot.", "the key is under the third pot."),
        ("- harness, ropes and helmets for the climb", "harness, ropes and helmets for the climb"),
        ("## Moving the print server", "Moving the print server"),
        ("1. Measure the length of the table", "Measure the length of the table"),
        ("Wow, nice!", "Wow, nice!"),
        ("In the end, nobody came.", "In the end, nobody came."),
    ],
)
def test_headline_sentence_drops_marks_and_greetings(text: str, expected: str) -> None:
    assert headline_sentence(text) == expected


def test_a_long_sentence_is_cut_at_a_clause() -> None:
    text = (
        "We moved the whole archive to the new building in Delft over the weekend, because the old roof leaked in four places."
    )
    assert cut_words(text, 18) == "We moved the whole archive to the new building in Delft over the weekend…"
    assert cut_words("one two three four five six", 4) == "one two three four…"
    assert cut_words("one two", 4) == "one two"


@given(st.text(max_size=300), st.integers(min_value=2, max_value=30))
def test_cut_words_keeps_a_beginning(text: str, limit: int) -> None:
    cut = cut_words(text, limit)
    assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1]))
    assert len(cut.split()) <= limit
