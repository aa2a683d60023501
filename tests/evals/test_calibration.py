from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lodmem.errors import BadParameter
from lodmem.evals import calibration
from lodmem.evals.calibration import LEAST, PERCENTILES, from_pairs, from_texts
from lodmem.ports import EmbedderIdentity, Floats


class Drawn:
    """Texts 'TOPIC.NUMBER' near their topic's direction: cosines of one topic are high, of two topics low."""

    def __init__(self, spread: float = 0.4, dims: int = 64) -> None:
        self.identity = EmbedderIdentity(name="drawn", revision="1", dims=dims, c0=0.1, c1=0.6)
        self._spread = spread
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Floats:
        self.asked += texts
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Floats:
        topic, _, number = text.partition(".")
        middle = np.random.default_rng(int(topic)).standard_normal(self.identity.dims)
        own = np.random.default_rng([int(topic), int(number)]).standard_normal(self.identity.dims)
        mixed = middle / np.linalg.norm(middle) + self._spread * own / np.linalg.norm(own)
        return (mixed / np.linalg.norm(mixed)).astype(np.float32)


TEXTS = [f"{topic}.{number}" for topic in range(12) for number in range(1, 5)]


def test_texts_by_hand() -> None:
    model = Drawn()
    found = from_texts(model, [*TEXTS, TEXTS[0]])
    vectors = model.embed(TEXTS).astype(np.float64)
    near = vectors @ vectors.T
    pairs = [near[i, j] for i in range(len(TEXTS)) for j in range(i)]
    nearest = [max(near[i, j] for j in range(len(TEXTS)) if j != i) for i in range(len(TEXTS))]
    assert found.c0 == round(max(0.0, float(np.percentile(pairs, 2.5))), 3)
    assert found.c1 == round(float(np.median(nearest)), 3)
    assert (found.count, found.source, found.before, found.model) == (48, "texts", (0.1, 0.6), "drawn@1/64")
    assert found.related[PERCENTILES.index(50)] == found.c1
    assert found.c1 > 0.8


def test_pairs_by_hand() -> None:
    model = Drawn()
    pairs = [(f"{topic}.9", f"{topic}.{number}") for topic in range(12) for number in (1, 2, 3)]
    found = from_pairs(model, pairs)
    asked, told = (model.embed([pair[side] for pair in pairs]).astype(np.float64) for side in (0, 1))
    near = asked @ told.T
    apart = [near[i, j] for i in range(36) for j in range(36) if pairs[i][0] != pairs[j][0]]
    own = [near[i, i] for i in range(36)]
    assert found.c0 == round(max(0.0, float(np.percentile(apart, 10))), 3)
    assert found.c1 == round(float(np.percentile(own, 95)), 3)
    assert (found.count, found.source) == (36, "pairs")
    values = found.to_dict()
    assert values["before"] == {"c0": 0.1, "c1": 0.6}
    assert list(values["related"]) == ["2.5", "5", "10", "25", "50", "75", "90", "95"]  # type: ignore[call-overload]


def test_c0_is_never_below_zero() -> None:
    assert from_texts(Drawn(spread=3.0, dims=8), TEXTS).c0 == 0.0


def test_too_little_to_measure_on() -> None:
    with pytest.raises(BadParameter, match=f"at least {LEAST} different texts, there are 1"):
        from_texts(Drawn(), ["1.1"] * 100)
    with pytest.raises(BadParameter, match=f"at least {LEAST} different pairs"):
        from_pairs(Drawn(), [("1.1", "1.2")] * 100)
    with pytest.raises(BadParameter, match="none is unrelated"):
        from_pairs(Drawn(), [("1.1", f"1.{number}") for number in range(LEAST)])


def test_a_model_that_tells_nothing_apart() -> None:
    with pytest.raises(BadParameter, match="does not tell these texts apart"):
        from_texts(Drawn(spread=0.0), [f"1.{number}" for number in range(LEAST)])
    assert calibration.APART > 0
