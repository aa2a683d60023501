"""Levels by a language model: written where they pass every check, and what was there kept where they do not."""

from __future__ import annotations

import pytest

from lodmem.errors import ModelRefused, ModelUnavailable
from lodmem.ingest.level_writer import MAX_SOURCE_TOKENS, Kept, write_headline, write_summary
from lodmem.model.memory import Levels
from lodmem.model.spend import Caps
from lodmem.models.tokenizer import WordPieceCounter
from lodmem.ports import Language
from lodmem.text.compress import make_levels
from tests.scripted_model import Scripted

pytestmark = pytest.mark.req("R5.5")

COUNTER = WordPieceCounter()
FULL = (
    "Ada opened the meeting and asked where the launch stands. Brian said that his team still needs to run 1,200 tests on"
    " the three servers in Berlin, because the old run failed on a full disk. Nobody had noticed it for 9 days. Ada then moved"
    " the launch from May 20 to June 3, and asked Brian to send a short note every Friday until then. Carla from finance was"
    " not happy with the delay, since the invoices of spring depend on it, but she agreed when Ada promised that two of the"
    " customers may start earlier. They closed after forty minutes, and Brian wrote these notes the same evening."
)
GOOD = "Ada moved the launch from May 20 to June 3 because Brian still needs to run 1,200 tests in Berlin."
LEAD = "Ada moves the launch to June 3 because tests in Berlin failed."
EXTRACTIVE = make_levels(FULL, COUNTER)


def language(*script: str | Exception) -> tuple[Language, Scripted]:
    model = Scripted(*script)
    return Language(models={"": model}, caps=Caps(), run="r"), model


def summary(*script: str | Exception, levels: Levels = EXTRACTIVE) -> Levels | Kept:
    return write_summary(FULL, levels, language(*script)[0], COUNTER)


def headline(*script: str | Exception, levels: Levels = EXTRACTIVE, full: str = FULL) -> Levels | Kept:
    return write_headline(full, levels, language(*script)[0], COUNTER)


def test_a_summary_is_written_and_signed() -> None:
    found = summary(f"Here is the summary:\n{GOOD}")
    assert isinstance(found, Levels)
    assert (found.summary, found.written_by) == (GOOD, "scripted")
    assert found.tokens_summary == COUNTER.count(GOOD)
    assert found.headline.split(" · ")[0] == EXTRACTIVE.headline.split(" · ")[0]
    assert found.tokens_headline == COUNTER.count(found.headline) <= found.tokens_summary < found.tokens_full


def test_a_headline_gets_our_keywords() -> None:
    found = headline(f'"{LEAD}"')
    assert isinstance(found, Levels)
    lead, _, words = found.headline.partition(" · ")
    assert lead == LEAD
    assert 0 < len(words.split(", ")) <= 8
    assert not {word.lower() for word in words.split(", ")} & {"ada", "launch", "berlin"}
    assert found.tokens_headline == COUNTER.count(found.headline) <= found.tokens_summary
    assert found.summary == EXTRACTIVE.summary


def test_one_task_a_call() -> None:
    models = {"": Scripted(), "summary": Scripted(GOOD), "headline": Scripted(LEAD)}
    both = Language(models=models, caps=Caps(), run="r")
    write_summary(FULL, EXTRACTIVE, both, COUNTER)
    write_headline(FULL, EXTRACTIVE, both, COUNTER)
    assert {name: [task for *_, task in model.asked] for name, model in models.items()} == {
        "": [],
        "summary": ["summary"],
        "headline": ["headline"],
    }
    assert FULL in models["summary"].asked[0][1]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (FULL, "too long"),
        (FULL[: len(FULL) * 2 // 3], "too long"),
        ("Tests.", "too short"),
        ("Ada and Dora moved the launch from May 20 to June 3 because Brian needs tests.", "says what the text does not"),
        ("Ada moved the launch from May 20 to June 13 because Brian needs tests.", "says what the text does not"),
        ("Ada moved the launch since four servers in Berlin need tests.", "says what the text does not"),
        (
            "The text is organized into a single paragraph with a clear summary, and its main ideas are conveyed in a concise,"
            " polished manner.",
            "hardly about the text",
        ),
    ],
)
def test_a_summary_that_does_not_pass_is_not_kept(said: str, reason: str) -> None:
    assert summary(said) == Kept(reason)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Ada moved the launch. Brian runs tests.", "not one sentence"),
        ("Ada moved the launch " + "and the tests " * 6 + "in Berlin.", "too long"),
        ("Ada moved the launch to June 4.", "says what the text does not"),
        ("London delays the launch.", "says what the text does not"),
        ("It summarizes different opinions clearly.", "hardly about the text"),
    ],
)
def test_a_headline_that_does_not_pass_is_not_kept(said: str, reason: str) -> None:
    assert headline(said) == Kept(reason)


def test_two_useless_answers_and_a_refusal_keep_what_was_there() -> None:
    assert summary("", "<think>") == Kept("no usable answer")
    assert headline("Ada\nBrian", "Ada\nBrian") == Kept("no usable answer")
    assert isinstance(headline("Ada\nBrian", LEAD), Levels)
    assert summary(ModelRefused("no")) == headline(ModelRefused("no")) == Kept("refused")


def test_a_model_that_is_away_is_the_callers_affair() -> None:
    with pytest.raises(ModelUnavailable):
        summary(ModelUnavailable("away"))


def test_a_summary_shorter_than_the_headline_keeps_the_order_of_levels() -> None:
    long = "Ada then moved the launch from May 20 to June 3, and asked Brian to send a short note every Friday until then."
    levels = Levels(
        EXTRACTIVE.summary, long, "extractive", EXTRACTIVE.tokens_full, EXTRACTIVE.tokens_summary, COUNTER.count(long)
    )
    assert summary("Ada moved the launch to June 3.", levels=levels) == Kept("shorter than the headline")


def test_a_text_beyond_the_models_context_is_not_sent() -> None:
    levels = Levels("s", "h", "extractive", MAX_SOURCE_TOKENS + 1, 1, 1)
    speaking, model = language()
    for write in (write_summary, write_headline):
        assert write(FULL, levels, speaking, COUNTER) == Kept("too long for the model")
    assert model.asked == []


def test_the_headline_of_a_long_text_is_written_from_its_summary() -> None:
    full = FULL + " Nothing else happened." * 500
    levels = Levels(GOOD, "h", "scripted", COUNTER.count(full), COUNTER.count(GOOD), 1)
    speaking, model = language(LEAD)
    assert isinstance(write_headline(full, levels, speaking, COUNTER), Levels)
    assert "Nothing else" not in model.asked[0][1]
    assert GOOD in model.asked[0][1]
