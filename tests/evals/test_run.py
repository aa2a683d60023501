from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lodmem.errors import ModelError, ModelUnavailable, UnknownPath
from lodmem.evals.cache import FILE_NAME
from lodmem.evals.run import evaluate_locomo
from lodmem.models.minilm import MiniLmEmbedder
from lodmem.ports import EmbedderIdentity, Floats


def test_every_question_goes_through_the_products_search(locomo_file: Path, tmp_path: Path) -> None:
    calls: list[tuple[str, int, int]] = []
    report = evaluate_locomo(
        locomo_file, embedder=MiniLmEmbedder(), cache_dir=tmp_path / "cache", progress=lambda *call: calls.append(call)
    )
    assert [outcome.question for outcome in report.outcomes] == [
        "conv-900/1",
        "conv-900/2",
        "conv-900/3",
        "conv-900/6",
        "conv-901/1",
    ]
    first = report.outcomes[0]
    assert first.ranks == {"D1:1": 1}
    assert first.recall == {5: 1.0, 10: 1.0, 20: 1.0, 50: 1.0}
    # Five memories each: whatever the ranking, all evidence is among the first five.
    assert report.recall_at == {5: 1.0, 10: 1.0, 20: 1.0, 50: 1.0}
    assert sorted(report.outcomes[1].ranks) == ["D1:2", "D2:1", "D2:2"]
    assert (report.skipped, report.dropped, report.embedder) == (2, 3, MiniLmEmbedder().identity.key)
    assert (tmp_path / "cache" / FILE_NAME).is_file()
    done = [call[1] for call in calls]
    assert done == sorted(done)
    assert {call[2] for call in calls} == {25}
    assert calls[-1] == ("conv-901: asking", 25, 25)


def test_a_second_run_asks_no_model(locomo_file: Path, tmp_path: Path) -> None:
    first = evaluate_locomo(locomo_file, embedder=MiniLmEmbedder(), cache_dir=tmp_path / "cache")
    without_model = MiniLmEmbedder(path=tmp_path / "absent.onnx")
    again = evaluate_locomo(locomo_file, embedder=without_model, cache_dir=tmp_path / "cache")
    assert again.outcomes == first.outcomes


def test_by_words_alone(locomo_file: Path) -> None:
    report = evaluate_locomo(locomo_file, embedder=None)
    assert report.embedder == "none"
    assert report.outcomes[0].ranks == {"D1:1": 1}


def test_a_limit_draws_questions(locomo_file: Path) -> None:
    assert len(evaluate_locomo(locomo_file, embedder=None, limit=2, seed=3).outcomes) == 2


def test_a_model_that_fails_is_not_measured_by_words(locomo_file: Path, tmp_path: Path) -> None:
    class Questions:
        """Embeds memories and fails on questions."""

        identity: EmbedderIdentity = MiniLmEmbedder().identity

        def embed(self, texts: Sequence[str]) -> Floats:
            if any(text.endswith("?") for text in texts):
                raise ModelUnavailable("gone away")
            return MiniLmEmbedder().embed(texts)

    with pytest.raises(ModelError, match="gone away"):
        evaluate_locomo(locomo_file, embedder=Questions(), cache_dir=tmp_path / "cache")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath):
        evaluate_locomo(tmp_path / "absent.json", embedder=None)


@pytest.mark.data
@pytest.mark.slow
def test_words_alone_find_the_evidence_of_public_conversations(bench_data: Path) -> None:
    report = evaluate_locomo(bench_data / "locomo-dev.json", embedder=None, limit=60, seed=1)
    assert len(report.outcomes) == 60
    assert report.recall_at[10] > 0.6
