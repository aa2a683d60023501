from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lodmem.errors import ModelError, ModelUnavailable, UnknownPath
from lodmem.evals.cache import FILE_NAME
from lodmem.evals.kept import QUESTIONS
from lodmem.evals.run import evaluate_beam, evaluate_locomo, evaluate_longmemeval
from lodmem.evals.runner import Plan
from lodmem.models.minilm import MiniLmEmbedder
from lodmem.ports import EmbedderIdentity, Floats


def words(**more: Any) -> Plan:
    return Plan(embedder=None, **more)


def test_every_question_goes_through_the_products_search(locomo_file: Path, tmp_path: Path) -> None:
    report = evaluate_locomo(locomo_file, Plan(embedder=MiniLmEmbedder(), cache_dir=tmp_path / "cache"))
    assert [outcome.question for outcome in report.outcomes] == [
        "conv-900/1",
        "conv-900/2",
        "conv-900/3",
        "conv-900/6",
        "conv-901/1",
    ]
    first = report.outcomes[0]
    assert first.ranks["lodmem"] == {"turn": {"D1:1": 1}, "session": {"session_1": 1}}
    # Five memories each: whatever the ranking, all evidence is among the first five.
    assert report.recall_at == {5: 1.0, 10: 1.0, 20: 1.0, 50: 1.0}
    assert sorted(report.outcomes[1].ranks["cosine"]["turn"]) == ["D1:2", "D2:1", "D2:2"]
    assert report.systems == ("lodmem", "bm25", "cosine", "rrf")
    assert (report.skipped, report.dropped, report.embedder) == (2, 3, MiniLmEmbedder().identity.key)
    assert (tmp_path / "cache" / FILE_NAME).is_file()


def test_a_second_run_asks_no_model(locomo_file: Path, tmp_path: Path) -> None:
    first = evaluate_locomo(locomo_file, Plan(embedder=MiniLmEmbedder(), cache_dir=tmp_path / "cache"))
    without_model = MiniLmEmbedder(path=tmp_path / "absent.onnx")
    again = evaluate_locomo(locomo_file, Plan(embedder=without_model, cache_dir=tmp_path / "cache"))
    assert again.outcomes == first.outcomes


def test_by_words_alone(locomo_file: Path) -> None:
    report = evaluate_locomo(locomo_file, words())
    assert report.embedder == "none"
    assert report.outcomes[0].ranks["lodmem"]["turn"] == {"D1:1": 1}
    assert report.systems == ("lodmem", "bm25")


def test_with_time_relevance_is_ranked_beside(locomo_file: Path) -> None:
    report = evaluate_locomo(locomo_file, words(), alpha=0.5)
    assert report.systems == ("lodmem", "relevance alone", "bm25")
    plain = evaluate_locomo(locomo_file, words())
    assert [o.ranks["relevance alone"] for o in report.outcomes] == [o.ranks["lodmem"] for o in plain.outcomes]


def test_a_limit_draws_questions(locomo_file: Path) -> None:
    assert len(evaluate_locomo(locomo_file, words(limit=2, seed=3)).outcomes) == 2


def test_lines_for_error_analysis(locomo_file: Path, tmp_path: Path) -> None:
    evaluate_locomo(locomo_file, words(out_dir=tmp_path / "out"))
    lines = [json.loads(line) for line in (tmp_path / "out" / QUESTIONS).read_text().splitlines()]
    first = lines[0]
    assert (first["text"], first["answer"], first["gold"]) == ("Which dog did Ilse adopt?", "a greyhound", ["D1:1"])
    assert first["top"][0][0] == "D1:1"
    assert first["scores"] == {"D1:1": first["top"][0][1]}
    assert len(lines) == 5


def test_results_read_back_give_the_same_report(locomo_file: Path, tmp_path: Path) -> None:
    first, second = (evaluate_locomo(locomo_file, words(out_dir=tmp_path)).to_dict() for _ in range(2))
    assert first.pop("seconds") is not None
    assert second.pop("seconds") is not None
    assert first == second


def test_longmemeval_in_each_haystack(longmemeval_file: Path) -> None:
    report = evaluate_longmemeval(longmemeval_file, words())
    bees, tram = report.outcomes
    assert bees.ranks["lodmem"]["session"].keys() == {"answer_1", "answer_2"}
    assert bees.of("lodmem", "session") == [1, 2] or bees.of("lodmem", "session") == [2, 1]
    assert bees.ranks["lodmem"]["official turn"].keys() == {"answer_1_1", "answer_2_2"}
    # Nobody marked a user turn of this one: it has no place in the official measure.
    assert tram.ranks["lodmem"].keys() == {"turn", "session"}
    found: dict[str, Any] = report.to_dict()
    assert found["recall_at"] == found["session"]["recall_at"]
    assert (found["session"]["questions"], found["official"]["session"]["questions"]) == (2, 1)


def test_longmemeval_pooled_asks_at_the_questions_date(longmemeval_file: Path, tmp_path: Path) -> None:
    report = evaluate_longmemeval(longmemeval_file, words(work_dir=tmp_path), pooled=True, alpha=0.0)
    assert report.dataset == "longmemeval pooled"
    # By time alone the newest session stands first, and ties go to the turn that was remembered first.
    assert report.outcomes[0].ranks["lodmem"]["session"] == {"answer_1": 3, "answer_2": 1}


def test_beam(beam_file: Path) -> None:
    report = evaluate_beam(beam_file, words())
    assert [outcome.category for outcome in report.outcomes] == ["knowledge_update", "knowledge_update", "event_ordering"]
    assert report.outcomes[1].ranks["lodmem"]["turn"] == {"2": 1}


def test_a_model_that_fails_is_not_measured_by_words(locomo_file: Path, tmp_path: Path) -> None:
    class Questions:
        """Embeds memories and fails on questions."""

        identity: EmbedderIdentity = MiniLmEmbedder().identity

        def embed(self, texts: Sequence[str]) -> Floats:
            if any(text.endswith("?") for text in texts):
                raise ModelUnavailable("gone away")
            return MiniLmEmbedder().embed(texts)

    with pytest.raises(ModelError, match="gone away"):
        evaluate_locomo(locomo_file, Plan(embedder=Questions(), cache_dir=tmp_path / "cache"))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath):
        evaluate_locomo(tmp_path / "absent.json", words())


@pytest.mark.data
@pytest.mark.slow
def test_words_alone_find_the_evidence_of_public_conversations(bench_data: Path) -> None:
    report = evaluate_locomo(bench_data / "locomo-dev.json", words(limit=60, seed=1))
    assert len(report.outcomes) == 60
    assert report.recall_at[10] > 0.6
