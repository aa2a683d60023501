"""c0 and c1 of an embedding model: between which cosines unrelated and clearly related texts lie.

Nobody has to label anything. Of a sample of texts, c0 is taken low among the cosines of random pairs, because a store speaks of
few things and its random pairs are not quite unrelated; c1 is the median of each text's nearest other text in the sample. With
questions and the texts that answer them both are read off directly, and are steadier: from texts alone c1 falls where they
speak of many things. The percentiles were chosen where all-MiniLM-L6-v2 gets .05 and .70 on public conversations.

It refuses to know where texts come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.errors import BadParameter
from lodmem.ports import Embedder, Floats

UNRELATED_TEXTS, NEAREST_TEXTS = 2.5, 50.0
UNRELATED_PAIRS, RELATED_PAIRS = 10.0, 95.0
PERCENTILES = (2.5, 5, 10, 25, 50, 75, 90, 95)
SAMPLE = 500
LEAST = 30
APART = 0.05

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What was measured for a model. `unrelated` and `related` are cosines at PERCENTILES; `source`: 'texts' or 'pairs'.

    `before` are the constants that the model brings along.
    """

    model: str
    source: str
    count: int
    c0: float
    c1: float
    before: tuple[float, float]
    unrelated: tuple[float, ...]
    related: tuple[float, ...]

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; cosines rounded to 1e-3, percentiles as text."""
        return {
            "model": self.model,
            "source": self.source,
            "count": self.count,
            "c0": self.c0,
            "c1": self.c1,
            "before": {"c0": self.before[0], "c1": self.before[1]},
            "unrelated": self._told(self.unrelated),
            "related": self._told(self.related),
        }

    @staticmethod
    def _told(values: Sequence[float]) -> dict[str, float]:
        return {f"{percentile:g}": value for percentile, value in zip(PERCENTILES, values, strict=True)}


def from_texts(embedder: Embedder, texts: Sequence[str]) -> Calibration:
    """Constants from texts of a store, at least LEAST different ones. Raises BadParameter, ModelError."""
    distinct = list(dict.fromkeys(texts))
    _enough(len(distinct), "different texts")
    found = _embedded(embedder, distinct)
    near = found @ found.T
    unrelated = near[np.triu_indices(len(near), 1)]
    np.fill_diagonal(near, -1.0)
    nearest = near.max(axis=1)
    low, high = np.percentile(unrelated, UNRELATED_TEXTS), np.percentile(nearest, NEAREST_TEXTS)
    return _calibration(embedder, "texts", len(distinct), float(low), float(high), unrelated, nearest)


def from_pairs(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> Calibration:
    """Constants from at least LEAST questions, each with a text that answers it. Raises BadParameter, ModelError.

    A question and the text of another one are an unrelated pair, unless one of the two stands in both.
    """
    distinct = list(dict.fromkeys(pairs))
    _enough(len(distinct), "different pairs")
    questions, texts = (_embedded(embedder, [pair[side] for pair in distinct]) for side in (0, 1))
    near = questions @ texts.T
    together = _shared(distinct)
    unrelated, related = near[~together], np.diagonal(near)
    if not len(unrelated):
        raise BadParameter("all pairs share a question or a text, so none is unrelated", hint="give pairs of several topics")
    low, high = np.percentile(unrelated, UNRELATED_PAIRS), np.percentile(related, RELATED_PAIRS)
    return _calibration(embedder, "pairs", len(distinct), float(low), float(high), unrelated, related)


def _shared(pairs: Sequence[tuple[str, str]]) -> NDArray[np.bool_]:
    """Which pairs have a question or a text in common, each with itself included."""
    first, second = (np.unique([pair[side] for pair in pairs], return_inverse=True)[1].reshape(-1) for side in (0, 1))
    together: NDArray[np.bool_] = (first[:, None] == first[None, :]) | (second[:, None] == second[None, :])
    return together


def _embedded(embedder: Embedder, texts: Sequence[str]) -> Array:
    found: Floats = embedder.embed(texts)
    return found.astype(np.float64)


def _enough(count: int, what: str) -> None:
    if count < LEAST:
        raise BadParameter(f"calibration needs at least {LEAST} {what}, there are {count}", hint="give more with --text")


def _calibration(
    embedder: Embedder, source: str, count: int, low: float, high: float, unrelated: Array, related: Array
) -> Calibration:
    c0, c1 = round(max(low, 0.0), 3), round(min(high, 1.0), 3)
    if c1 - c0 < APART:
        raise BadParameter(
            f"the model does not tell these texts apart: unrelated ones from {c0:g}, related ones to {c1:g}",
            hint="give texts that speak of more than one thing, or use another model",
        )
    identity = embedder.identity
    at = [tuple(np.round(np.percentile(values, PERCENTILES), 3).tolist()) for values in (unrelated, related)]
    return Calibration(
        model=identity.key, source=source, count=count, c0=c0, c1=c1, before=(identity.c0, identity.c1),
        unrelated=at[0], related=at[1],
    )  # fmt: skip
