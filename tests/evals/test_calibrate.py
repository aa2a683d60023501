from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from lodmem.errors import BadParameter, ModelUnavailable, UnknownPath
from lodmem.evals.calibrate import calibrate_file, calibrate_store
from lodmem.ports import Floats
from tests.conftest import FakeEmbedder, MakeEngine
from tests.evals.test_calibration import TEXTS, Drawn


def written(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n\n")
    return path


def test_a_store_is_sampled_and_not_promoted(make_engine: MakeEngine) -> None:
    model = FakeEmbedder(64)
    engine = make_engine(embedder=model)
    for number in range(40):
        engine.remember(f"Kettle number {number} boils in {number * 7} seconds.")
    engine.drain()
    model.texts.clear()
    found = calibrate_store(engine, sample=35, seed=3)
    assert (found.count, found.source) == (35, "texts")
    assert 0.0 <= found.c0 < found.c1 <= 1.0
    assert len(model.texts) == 35
    assert calibrate_store(engine, sample=35, seed=3) == found
    assert engine.stats().never_retrieved == 40


class Numbered(Drawn):
    """Takes any texts: each is a topic of its own."""

    def embed(self, texts: Sequence[str]) -> Floats:
        self.asked += texts
        return np.stack([self._vector(f"{number // 2}.{number}") for number, _ in enumerate(texts)])


def test_only_the_first_passage_of_a_long_text_is_read(tmp_path: Path) -> None:
    model = Numbered()
    long = " ".join(f"This is sentence {number} of a long report about the harbour." for number in range(60))
    lines = [{"text": long}, *({"text": f"Harbour note {number}."} for number in range(40))]
    assert calibrate_file(model, written(tmp_path / "t.jsonl", *lines)).count == 41
    assert len(model.asked[0]) < len(long) / 2
    assert long.startswith(model.asked[0])


def test_texts_and_pairs_of_a_file(tmp_path: Path) -> None:
    texts = written(tmp_path / "texts.jsonl", *({"text": text} for text in TEXTS))
    assert calibrate_file(Drawn(), texts).source == "texts"
    assert calibrate_file(Drawn(), texts, sample=40).count == 40
    pairs = written(tmp_path / "pairs.jsonl", *({"query": f"{t.split('.')[0]}.9", "text": t} for t in TEXTS))
    assert calibrate_file(Drawn(), pairs).source == "pairs"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["{"], "line 1: not JSON"),
        (["[1]"], "line 1: not a JSON object"),
        ([{"text": "1.1"}, {"text": " "}], "line 2: 'text' is not a text"),
        ([{"text": 5}], "'text' is not a text"),
        (['{"text": "\\ud800"}'], "'text' is not a text"),
        ([{"text": "1.1", "query": "1.2"}, {"text": "1.3"}], "lines with a query and lines without"),
        ([{"text": "1.1", "query": ""}], "'query' is not a text"),
        ([{"text": "1.1"}], "at least 30"),
        ([], "at least 30"),
    ],
)
def test_what_a_file_may_not_hold(tmp_path: Path, lines: list[object], said: str) -> None:
    with pytest.raises(BadParameter, match=said):
        calibrate_file(Drawn(), written(tmp_path / "t.jsonl", *lines))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath, match="cannot read"):
        calibrate_file(Drawn(), tmp_path / "absent.jsonl")
    (tmp_path / "latin.jsonl").write_bytes('{"text": "Zürich"}'.encode("latin-1"))
    with pytest.raises(BadParameter, match="not UTF-8"):
        calibrate_file(Drawn(), tmp_path / "latin.jsonl")


def test_a_store_without_a_model(make_engine: MakeEngine) -> None:
    with pytest.raises(ModelUnavailable, match="no embedding model is configured"):
        calibrate_store(make_engine(embedder="none"))
