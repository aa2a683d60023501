"""Answers as models write them, and what is left of them."""

from __future__ import annotations

import pytest

from lodmem.ingest.answers import number_list, one_number, one_word, plain, text_list


@pytest.mark.parametrize(
    "text",
    [
        "Ada moved the launch.",
        "  Ada moved the launch.\n",
        "```\nAda moved the launch.\n```",
        "```text\nAda moved the launch.\n```\nLet me know if you need more!",
        "```markdown\nAda moved the launch.",
        "Here is the summary:\nAda moved the launch.",
        "Here’s a brief summary of the text: Ada moved the launch.",
        "Sure! Here is the headline you asked for:\n\nAda moved the launch.",
        "Certainly, here is the summary: Ada moved the launch.",
        "Of course. Summary: Ada moved the launch.",
        "**Summary:** Ada moved the launch.",
        "Headline: Ada moved the launch.",
        '"Ada moved the launch."',
        "“Ada moved the launch.”",
        "<summary>Ada moved the launch.</summary>",
        "<think>Who moved it? Ada.\n```not this```</think>\nAda moved the launch.",
        "Hmm, let me see.</think>Ada moved the launch.",
    ],
)
def test_what_stands_around_an_answer_is_taken_off(text: str) -> None:
    assert plain(text) == "Ada moved the launch."


@pytest.mark.parametrize("text", ["", " \n", "<think>for ever and ever", "<think>done</think>"])
def test_nothing_is_no_answer(text: str) -> None:
    assert plain(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Surely nobody moved it: not Ada.",
        '"Tea" and "coffee"',
        "Summaries are short: that is all.",
        "Here we go again",
        "The result: nothing",
    ],
)
def test_an_answer_that_only_looks_like_a_preamble_stays(text: str) -> None:
    assert plain(text) == text


WORDS = ("noise", "constitutional", "uncategorized")


@pytest.mark.parametrize("text", ["noise", "Noise.", "**NOISE**", "The answer is: noise", "```\nnoise\n```", '"noise"'])
def test_one_word(text: str) -> None:
    assert one_word(text, WORDS) == "noise"


@pytest.mark.parametrize("text", ["", "noisy", "noise or constitutional", "none of them", "{}"])
def test_another_word_or_several_are_none(text: str) -> None:
    assert one_word(text, WORDS) is None


@pytest.mark.parametrize(("text", "value"), [("0.7", 0.7), ("Importance: 0.7", 0.7), ("```\n1\n```", 1.0), ("I say 0.", 0.0)])
def test_one_number(text: str, value: float) -> None:
    assert one_number(text, 0, 1) == value


@pytest.mark.parametrize("text", ["", "high", "7", "-0.5", "0.5 of 1", "nan", "v0.5x", "0.5.1"])
def test_no_number_several_or_one_out_of_range(text: str) -> None:
    assert one_number(text, 0, 1) is None


@pytest.mark.parametrize(
    "text",
    [
        '["one", "two"]',
        '```json\n["one", "two"]\n```',
        'Here is the list:\n["one", " two "]',
        'I found these ["one", "two"] for you',
        '{"found": ["one", "two"]}',
        "- one\n- two",
        "1. one\n2) two\n",
    ],
)
def test_a_list(text: str) -> None:
    assert text_list(text) == ["one", "two"]


def test_an_empty_list_is_an_answer() -> None:
    assert text_list("[]") == []
    assert number_list("[]") == []


@pytest.mark.parametrize("text", ["", "one, two", '{"a": 1}', '["one", 2]', "- one\nand two", '["one", "tw', "[" * 9000])
def test_what_is_no_list(text: str) -> None:
    assert text_list(text) is None


def test_a_list_of_numbers() -> None:
    assert number_list("```json\n[0.5, 1]\n```") == [0.5, 1.0]
    for text in ("", "[true]", '["1"]', "0.5, 1", "[1"):
        assert number_list(text) is None
