from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from lodmem.errors import BadParameter
from lodmem.evals.locomo import load_locomo
from lodmem.evals.longmemeval import load_longmemeval
from lodmem.evals.topics import LOCOMO, LONGMEMEVAL, Topic, asking_topics, digest, load_topics, topics_of

TOPIC = Topic(dataset=LOCOMO, case="conv-900", term="flying", query="What is baked?", about=("D2:1",), borderline=("D1:2",))


def test_what_ships_is_forty_topics_of_ids() -> None:
    topics = load_topics()
    assert Counter(topic.dataset for topic in topics) == {LOCOMO: 20, LONGMEMEVAL: 20}
    assert len({topic.id for topic in topics}) == 40
    for topic in topics:
        marked = (*topic.about, *topic.context, *topic.borderline)
        assert topic.about
        assert len(set(marked)) == len(marked), topic.term
        assert all(re.fullmatch(r"[\w.-]+(:\d+)?", label) for label in marked), topic.term
        assert not re.search(topic.term, topic.query, re.IGNORECASE)
    assert len(digest()) == 64


def test_turns_of_longmemeval_count_from_one_in_cases() -> None:
    entry = {
        "dataset": "lme",
        "case": "q1",
        "term": "t",
        "query": "q",
        "about": ["s_1#0", "s_1#11"],
        "context": [],
        "borderline": [],
    }
    (topic,) = topics_of({"topics": [entry]})
    assert (topic.dataset, topic.about, topic.id) == (LONGMEMEVAL, ("s_1_1", "s_1_12"), "q1/t")


def test_topics_stand_in_for_questions(locomo_file: Path) -> None:
    asked = asking_topics(load_locomo(locomo_file), [TOPIC])
    (case,) = asked.cases
    (question,) = case.questions
    assert (case.id, question.id, question.text) == ("conv-900", "conv-900/flying", "What is baked?")
    assert (question.gold, question.category, len(case.drafts)) == (("D2:1",), LOCOMO, 5)


def test_labels_of_another_file(locomo_file: Path) -> None:
    absent = Topic(dataset=LOCOMO, case="conv-900", term="t", query="q", about=("D2:1",), context=("D9:9",))
    with pytest.raises(BadParameter, match="D9:9"):
        asking_topics(load_locomo(locomo_file), [absent])


@pytest.mark.data
def test_every_label_is_a_memory_of_the_public_files(bench_data: Path) -> None:
    first = asking_topics(load_locomo(bench_data / "locomo-dev.json"), load_topics())
    second = asking_topics(load_longmemeval(bench_data / "longmemeval-s-dev.json.gz"), load_topics())
    assert [sum(len(case.questions) for case in dataset.cases) for dataset in (first, second)] == [20, 20]
