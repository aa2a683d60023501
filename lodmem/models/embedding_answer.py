"""Reads the answer of an OpenAI-compatible `/embeddings` call into unit rows. It refuses to know how the answer came."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from lodmem.errors import ModelBadAnswer
from lodmem.ports import Floats


def unit_rows(body: bytes, *, count: int, dims: int | None) -> Floats:
    """`count` unit rows in the order of the question, float32; `dims` None takes the length of the first.

    Raises:
        ModelBadAnswer: not JSON, another number of vectors, indices that are no permutation, vectors of different or
            unexpected length, values that are no finite numbers, a vector of length 0.
    """
    vectors = _in_order(_items(body), count)
    expected = len(vectors[0]) if dims is None else dims
    if expected == 0:
        raise ModelBadAnswer("the embedding server sent empty vectors", hint="is the model an embedding model?")
    for vector in vectors:
        if len(vector) != expected:
            raise ModelBadAnswer(
                f"the embedding server sent a vector of {len(vector)} dimensions, expected {expected}",
                hint="another model answers at this address than before",
            )
    return _normalised(vectors)


def _items(body: bytes) -> list[object]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ModelBadAnswer(
            "the embedding server did not answer in JSON", hint="check the base URL; it usually ends in /v1"
        ) from error
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise ModelBadAnswer(
            "the embedding server's answer has no list `data`", hint="is it an OpenAI-compatible address ending in /v1?"
        )
    return data


def _in_order(items: list[object], count: int) -> list[list[object]]:
    if len(items) != count:
        raise ModelBadAnswer(f"the embedding server sent {len(items)} vectors for {count} texts")
    placed: dict[int, list[object]] = {}
    for place, item in enumerate(items):
        vector = item.get("embedding") if isinstance(item, dict) else None
        index = item.get("index", place) if isinstance(item, dict) else None
        if not isinstance(vector, list) or not isinstance(index, int):
            raise ModelBadAnswer("the embedding server sent an item without a list `embedding` or with a bad `index`")
        placed[index] = vector
    if set(placed) != set(range(count)):
        raise ModelBadAnswer("the embedding server's indices do not match the texts asked for")
    return [placed[index] for index in range(count)]


def _normalised(vectors: list[list[object]]) -> Floats:
    for vector in vectors:
        # numpy would read "1.5" and true as numbers.
        if not all(type(value) is float or type(value) is int for value in vector):
            raise ModelBadAnswer("the embedding server sent a vector with values that are no numbers")
    try:
        rows: NDArray[np.float64] = np.array(vectors, dtype=np.float64)
    except OverflowError as error:
        raise ModelBadAnswer("the embedding server sent numbers out of range") from error
    # Dividing by the largest value first keeps the squares in range.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all() or (largest == 0).any():
        raise ModelBadAnswer("the embedding server sent a vector that is zero or not finite")
    rows /= largest
    unit: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit
