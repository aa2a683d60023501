"""Distillation with a model that says what a test tells it to, and misbehaves in every way."""

from __future__ import annotations

import json

import pytest

from lodmem.errors import ModelBadAnswer, ModelRefused, ModelUnavailable, SpendCapReached
from lodmem.ingest.distill.by_model import EXTRACT, IMPORTANCE, REFINE, Modelled, distil
from lodmem.ingest.episodes import importance_of
from lodmem.model.spend import Caps
from lodmem.ports import Answer, Language
from tests.scripted_model import Scripted

pytestmark = pytest.mark.req("R5.16")

EPISODES = {
    4: "Nora: The rye dough failed again because the cellar was below 16 degrees.",
    9: "Nora: I prefer short lists to long texts. Tilda is allergic to hazelnuts.",
}
NOTES = "The rye dough fails when the cellar is below 16 degrees.\nNora prefers short lists.\nTilda is allergic to hazelnuts."
DOUGH = "The rye dough failed because the cellar was below 16 degrees."
LISTS = "Nora prefers short lists to long texts."
ALLERGY = "Tilda is allergic to hazelnuts, Nora says."
ARRAY = json.dumps([DOUGH, LISTS, ALLERGY])


def run(*script: str | Exception | Answer, principles: str = "") -> tuple[Modelled, Scripted]:
    model = Scripted(*script)
    language = Language(models={"": model}, caps=Caps(), run="r")
    return distil("\n\n".join(EPISODES.values()), EPISODES, language, principles), model


def test_three_calls_one_task_each() -> None:
    out, model = run(NOTES, ARRAY, "[0.6, 0.4, 0.9]")
    assert [(each.text, each.episodes, each.importance) for each in out.found] == [
        (DOUGH, (4,), 0.6),
        (LISTS, (9,), 0.4),
        (ALLERGY, (9,), 0.9),
    ]
    assert [asked[3] for asked in model.asked] == [EXTRACT, REFINE, IMPORTANCE]
    assert dict(+out.counts) == {"extracted": 3}
    assert EPISODES[4] in model.asked[0][1]
    assert NOTES in model.asked[1][1]
    assert EPISODES[4] not in model.asked[1][1]
    assert "There are 3 patterns" in model.asked[2][1]


def test_principles_stand_in_each_system_prompt_and_skills_nowhere() -> None:
    _, model = run(NOTES, ARRAY, "[0.6, 0.4, 0.9]", principles="Honesty before speed.")
    assert all("Honesty before speed." in system and len(system.encode()) <= 3072 for system, *_ in model.asked)


@pytest.mark.parametrize(
    "wrapped",
    [
        f"```json\n{ARRAY}\n```",
        f"Sure! Here is the JSON array:\n\n```\n{ARRAY}\n```\nLet me know if it helps!",
        f"<think>What do they want? [1, 2]</think>{ARRAY}",
        f"The patterns are: {ARRAY}",
        "\n".join(f"- {text}" for text in (DOUGH, LISTS, ALLERGY)),
        "\n".join(f"{n}. {text}" for n, text in enumerate((DOUGH, LISTS, ALLERGY), 1)),
    ],
)
def test_what_models_put_around_an_answer_is_taken_off(wrapped: str) -> None:
    out, model = run(f"Here are my notes:\n{NOTES}", wrapped, "```json\n[0.6, 0.4, 0.9]\n```")
    assert [each.text for each in out.found] == [DOUGH, LISTS, ALLERGY]
    assert len(model.asked) == 3
    assert "Here are my notes" not in model.asked[1][1]


@pytest.mark.parametrize("bad", ["no idea", '{"patterns": 1}', "[1, 2]", '["cut off', ModelBadAnswer("half")])
def test_a_list_that_is_none_is_asked_for_once_more_and_then_given_up(bad: str | Exception) -> None:
    out, model = run(NOTES, bad, ARRAY, "[0.6, 0.4, 0.9]")
    assert len(out.found) == 3
    assert [asked[3] for asked in model.asked] == [EXTRACT, REFINE, REFINE, IMPORTANCE]
    out, model = run(NOTES, bad, bad)
    assert (out.found, out.failed, dict(out.counts), model.script) == ([], True, {"unparsable": 1}, [])


@pytest.mark.parametrize(
    "bad", ["I'm sorry, but I can't help with that.", "As an AI, I have no memory.", "```\n\n```", ModelBadAnswer("empty")]
)
def test_notes_that_are_none(bad: str | Exception) -> None:
    out, _ = run(bad, NOTES, ARRAY, "[0.6, 0.4, 0.9]")
    assert len(out.found) == 3
    out, _ = run(bad, bad)
    assert (out.found, out.failed, out.counts["unparsable"]) == ([], True, 1)


def test_an_answer_that_was_cut_off_is_no_use() -> None:
    cut = Answer(text=NOTES, model="m", tokens_in=1, tokens_out=1, cut=True)
    assert run(cut, cut)[0].failed


@pytest.mark.parametrize("script", [(ModelRefused("no"),), (NOTES, ModelRefused("no"))])
def test_a_refusal_costs_the_batch(script: tuple[str | Exception, ...]) -> None:
    out, _ = run(*script)
    assert (out.failed, out.counts["unparsable"]) == (True, 1)


@pytest.mark.parametrize("error", [ModelUnavailable("away"), SpendCapReached("enough")])
def test_a_model_that_is_away_is_said(error: Exception) -> None:
    with pytest.raises(type(error)):
        run(NOTES, error)


@pytest.mark.parametrize("script", [("NONE",), ("Nothing worth keeping.",), (NOTES, "[]"), (NOTES, "```json\n[]\n```")])
def test_nothing_to_keep_is_an_answer(script: tuple[str, ...]) -> None:
    out, model = run(*script)
    assert (out.found, out.failed, model.script) == ([], False, [])


@pytest.mark.parametrize("wrong", ["[0.6, 0.4]", "[0.6, 0.4, 0.9, 0.1]", "[0.6]"])
def test_numbers_of_another_count_are_asked_for_one_by_one(wrong: str) -> None:
    out, model = run(NOTES, ARRAY, wrong, "[0.7]", "0.2", "Importance: 0.8")
    assert [each.importance for each in out.found] == [0.7, 0.2, 0.8]
    assert out.counts["unparsable"] == 0
    assert "There are 1 patterns" in model.asked[-1][1]


def test_a_number_that_is_none_costs_only_the_models_word_on_it() -> None:
    out, _ = run(NOTES, ARRAY, "[6, 4, 9]", "high", "very", "very high", "[0.2]", "[0.3]")
    assert [each.importance for each in out.found] == [importance_of(DOUGH), 0.2, 0.3]
    assert out.counts["unparsable"] == 1
    out, _ = run(NOTES, ARRAY, *[ModelRefused("no")] * 4)
    assert [each.importance for each in out.found] == [importance_of(text) for text in (DOUGH, LISTS, ALLERGY)]
    assert out.counts["unparsable"] == 3


def test_what_the_episodes_do_not_say_is_left_out() -> None:
    texts = [
        LISTS,
        "Nora prefers 5 short lists to long texts.",
        "Jonas prefers short lists to long texts.",
        "Truth functions as a fluid continuum of meaning.",
        "Too short",
        "You should keep the cellar above 16 degrees.",
        f"{LISTS}\n",
    ]
    out, _ = run(NOTES, json.dumps(texts), "[0.4]")
    assert [each.text for each in out.found] == [LISTS]
    assert dict(+out.counts) == {"extracted": 7, "unfaithful": 3, "rejected": 2}
