from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.errors import ModelBadAnswer
from lodmem.models.embedding_answer import unit_rows

NUMBER = st.floats(-1e30, 1e30).filter(lambda value: abs(value) > 1e-6)


def body(*vectors: object, indices: list[object] | None = None) -> bytes:
    data = [{"embedding": vector} for vector in vectors]
    for item, index in zip(data, indices or [], strict=False):
        item["index"] = index
    return json.dumps({"data": data}).encode()


def test_rows_are_normalised() -> None:
    assert unit_rows(body([3, 4], [0.0, -2.0]), count=2, dims=2).tolist() == [[np.float32(0.6), np.float32(0.8)], [0, -1]]


@given(st.lists(st.lists(NUMBER, min_size=3, max_size=3), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_any_order_of_indices_gives_the_asked_order(vectors: list[list[float]], rng: random.Random) -> None:
    order: list[object] = list(range(len(vectors)))
    rng.shuffle(order)
    shuffled = body(*(vectors[int(str(index))] for index in order), indices=order)
    rows = unit_rows(shuffled, count=len(vectors), dims=None)
    assert np.array_equal(rows, unit_rows(body(*vectors), count=len(vectors), dims=3))
    np.testing.assert_allclose(np.linalg.norm(rows.astype(np.float64), axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("vector", [[1e308, 1e308], [1e-308, 1e-308], [5e-324, 0.0]])
def test_extreme_lengths_still_normalise(vector: list[float]) -> None:
    assert np.isclose(np.linalg.norm(unit_rows(body(vector), count=1, dims=2)), 1.0)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"<html>502</html>", "JSON"),
        (b"", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b"[" * 200_000, "JSON"),
        (b"[]", "no list `data`"),
        (b'{"data": {}}', "no list `data`"),
        (body([1.0, 2.0]), "1 vectors for 2 texts"),
        (body([1.0, 2.0], [1.0, 2.0], [1.0, 2.0]), "3 vectors for 2 texts"),
        (b'{"data": [1, 2]}', "list `embedding`"),
        (body("AAAA", "AAAA"), "list `embedding`"),
        (body([1.0, 2.0], [1.0, 2.0], indices=["0", "1"]), "bad `index`"),
        (body([1.0, 2.0], [1.0, 2.0], indices=[0, 0]), "indices"),
        (body([1.0, 2.0], [1.0, 2.0], indices=[1, 2]), "indices"),
        (body([1.0, 2.0], [1.0]), "1 dimensions, expected 2"),
        (body([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), "3 dimensions, expected 2"),
        (body([1.0, "2"], [1.0, 2.0]), "no numbers"),
        (body([1.0, True], [1.0, 2.0]), "no numbers"),
        (body([1.0, None], [1.0, 2.0]), "no numbers"),
        (body([1.0, 10**400], [1.0, 2.0]), "out of range"),
        (body([0.0, 0.0], [1.0, 2.0]), "zero or not finite"),
        (b'{"data": [{"embedding": [NaN, 1]}, {"embedding": [1, 1]}]}', "zero or not finite"),
        (b'{"data": [{"embedding": [Infinity, 1]}, {"embedding": [1, 1]}]}', "zero or not finite"),
    ],
)
def test_bad_answers_are_refused(answer: bytes, said: str) -> None:
    with pytest.raises(ModelBadAnswer, match=said):
        unit_rows(answer, count=2, dims=2)


def test_empty_vectors_set_no_length() -> None:
    with pytest.raises(ModelBadAnswer, match="empty vectors"):
        unit_rows(body([], []), count=2, dims=None)
