"""The pass over every memory for one question, in single precision, block by block so that everything stays in the cache.

It gives S and LOD with a bound on how far they are off; whoever picks candidates computes those that could matter exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lodmem.lod.decay import US_PER_DAY
from lodmem.lod.relevance import Recipe
from lodmem.ports import Floats
from lodmem.scan.columns import Columns
from lodmem.scan.lexical import Lexical
from lodmem.scan.quantize import Target, dots

BLOCK = 1 << 14
ROUNDING = 2e-5  # what single precision and rounding to 1e-6 can add to S, beside the cosine

Mask = NDArray[np.bool_]
ONE = np.float32(1.0)


@dataclass(frozen=True, slots=True)
class Lens:
    """How a profile looks: weight of S against D, lambda a day, the moment, and whether S is the raw cosine."""

    alpha: float
    lambda_: float
    now_us: int
    raw_cosine: bool = False


@dataclass(frozen=True, slots=True)
class Swept:
    """What the pass says of every row, float32, -1 where the mask is False: S, and LOD at least and at most. The arrays are
    lent: the next pass over the same columns writes over them.

    S is off by `growth` * S * (1 - S) + `off` at most: the logistic is steep in the middle and flat at its ends.
    """

    relevance: Floats
    at_least: Floats
    at_most: Floats
    growth: float
    off: float

    def could_reach(self, relevance: float) -> float:
        """The least S of the pass whose exact S may be that high."""
        return relevance - self.off - self.growth * (relevance * (1.0 - relevance) if 0.0 < relevance < 0.5 else 0.25)

    def surely(self, relevance: float) -> float:
        """What an S of the pass is at least when exact."""
        return relevance - self.off - self.growth * max(0.0, relevance * (1.0 - relevance))


def cosines(columns: Columns, target: Target, rows: slice) -> Floats:
    """Approximate cosine of the best passage of consecutive memories; meaningless where a memory has no vector."""
    first = int(columns.first[rows.start])
    last = int(columns.first[rows.stop - 1]) + int(columns.passages[rows.stop - 1])
    products = dots(target, columns.codes[first:last], columns.scales[first:last])
    if last - first == rows.stop - rows.start:
        return products
    best: Floats = np.maximum.reduceat(products, columns.first[rows] - first)
    return best


def cosine_error(columns: Columns, target: Target) -> float:
    """Bound on the error of `cosines`."""
    return target.error(columns.off, columns.longest)


def nearness_pass(columns: Columns, target: Target) -> Floats:
    """`cosines` of all memories, NaN where there is no vector."""
    found = np.full(len(columns), np.nan, dtype=np.float32)
    for rows in _blocks(len(columns)):
        found[rows] = cosines(columns, target, rows)
    found[~columns.embedded] = np.nan
    return found


def sweep(
    columns: Columns,
    target: Target | None,
    words: Lexical,
    lowering: Sequence[Floats],
    lens: Lens,
    recipe: Recipe,
    mask: Mask,
    lowering_error: float = 0.0,
) -> Swept:
    """One look over all rows that `mask` lets through. `lowering`: nearness of every row to each exclusion."""
    raw = target if lens.raw_cosine else None
    fused = _Fused(columns, target, words, recipe)
    cosine_off = 0.0 if target is None else cosine_error(columns, target)
    growth = 0.0 if raw is not None else float(np.expm1(fused.slope * cosine_off))
    if lowering:  # then S is not the logistic's any more, and its steepest counts
        lowering_error, growth = lowering_error + growth / 4.0, 0.0
    off = (0.0 if raw is None else cosine_off) + lowering_error + ROUNDING
    count, everybody = len(columns), bool(mask.all())
    empty = [columns.scratch.filled(name, count, np.float32, -1.0) for name in ("relevance", "at least", "at most")]
    swept = Swept(empty[0], empty[1], empty[2], growth, off)
    ageing = _Ageing(columns, lens)
    constant = np.float32(lens.alpha * swept.off + ageing.error + ROUNDING)
    wobble = np.float32(lens.alpha * growth)
    for rows in _blocks(count):
        hidden = None if everybody else ~mask[rows]
        if hidden is not None and hidden.all():
            continue
        found = fused.block(rows) if raw is None else _raw(columns, raw, rows)
        for near in lowering:
            found *= ONE - near[rows]
        score = ageing.mixed(rows, found)
        spread = found * found
        np.subtract(found, spread, out=spread)
        spread *= wobble
        spread += constant
        swept.relevance[rows] = found
        np.subtract(score, spread, out=swept.at_least[rows])
        np.add(score, spread, out=swept.at_most[rows])
        if hidden is not None:
            for whole in (swept.relevance, swept.at_least, swept.at_most):
                whole[rows][hidden] = -1.0
    return swept


def _raw(columns: Columns, target: Target, rows: slice) -> Floats:
    """The cosine itself as S, 0 where it is negative or missing."""
    found = cosines(columns, target, rows)
    np.clip(found, 0.0, 1.0, out=found)
    found *= columns.embedded[rows]
    return found


class _Fused:
    """S of blocks of rows: the parts of relevance in single precision.

    `slope`: how much ln(S / (1 - S)) moves with the cosine at most.
    """

    def __init__(self, columns: Columns, target: Target | None, words: Lexical, recipe: Recipe) -> None:
        self._columns, self._target, self._recipe = columns, target, recipe
        said = bool(words.idfs)
        vector = 0.0 if target is None else recipe.vector
        lexical, source = (recipe.lexical, recipe.source) if said else (0.0, 0.0)
        self._vector, self._lexical = np.float32(vector), np.float32(lexical)
        self._shared = words.shared if said else None
        self._of_source = np.append(words.of_source * source, 0.0).astype(np.float32) if said else None
        # Of a row without and with a vector (columns), without and with a source (rows).
        weights = np.array([[lexical, lexical + vector], [lexical + source, lexical + source + vector]])
        inverse = np.divide(1.0, weights, out=np.zeros((2, 2)), where=weights > 0)
        self._steepness = (-inverse / recipe.width).astype(np.float32)
        least = min((w for w in weights[:, 1].tolist() if w > 0), default=1.0)
        self.slope = vector / least / (recipe.c1 - recipe.c0) / recipe.width
        self._embedded = columns.all_true("embedded", lambda: columns.embedded)
        self._placed = columns.all_true("placed", lambda: columns.source >= 0)
        most = 1 if columns.single else int(columns.passages.max(initial=1))
        self._fair = (recipe.passage_cosine * np.log(np.arange(1, most + 1))).astype(np.float32) if most > 1 else None

    def block(self, rows: slice) -> Floats:
        columns, recipe = self._columns, self._recipe
        embedded, sources = columns.embedded[rows], columns.source[rows]
        found = self._by_meaning(rows, embedded)
        if self._shared is not None:
            first, last = np.searchsorted(self._shared.rows, (rows.start, rows.stop))
            shared = self._shared.values[first:last].astype(np.float32)
            found[self._shared.rows[first:last] - rows.start] += self._lexical * shared
        if self._of_source is not None:
            found += self._of_source.take(sources, mode="wrap")
        found *= self._weights(sources, embedded)
        found += np.float32(recipe.s0 / recipe.width)
        np.exp(found, out=found)
        found += ONE
        return np.divide(ONE, found, out=found)

    def _by_meaning(self, rows: slice, embedded: Mask) -> Floats:
        if self._target is None:
            return np.zeros(len(embedded), dtype=np.float32)
        recipe = self._recipe
        found = cosines(self._columns, self._target, rows)
        if self._fair is not None:
            found -= self._fair.take(self._columns.passages[rows] - 1)
        found -= np.float32(recipe.c0)
        found *= self._vector / np.float32(recipe.c1 - recipe.c0)
        np.clip(found, 0.0, self._vector, out=found)
        if not self._embedded:
            found *= embedded
        return found

    def _weights(self, sources: NDArray[np.int32], embedded: Mask) -> Floats | np.float32:
        """What the parts' sum is multiplied by on its way into the logistic."""
        meant = self._target is not None
        if (self._embedded or not meant) and self._placed:
            return np.float32(self._steepness[1, int(meant)])
        weights: Floats = self._steepness[(sources >= 0).astype(np.intp), (embedded & meant).astype(np.intp)]
        return weights


class _Ageing:
    """LOD of blocks of rows from their S. `error` bounds what D adds to the error of LOD: times are in single precision."""

    def __init__(self, columns: Columns, lens: Lens) -> None:
        self._columns = columns
        days = (lens.now_us - columns.base_us) / US_PER_DAY
        self._now, self._lambda = np.float32(days), np.float32(-lens.lambda_)
        self._alpha, self._rest = np.float32(lens.alpha), np.float32(1.0 - lens.alpha)
        self.error = (1.0 - lens.alpha) * lens.lambda_ * (columns.span_days + abs(days)) * 2.0**-22

    def mixed(self, rows: slice, relevance: Floats) -> Floats:
        """alpha * S + (1 - alpha) * D."""
        if not self._rest:
            return relevance
        score = self._now - self._columns.used[rows]
        np.maximum(score, 0.0, out=score)
        score *= self._columns.rate[rows]
        score *= self._lambda
        np.exp(score, out=score)
        score *= self._rest
        score += self._alpha * relevance
        mixed: Floats = score
        return mixed


def _blocks(count: int) -> Iterator[slice]:
    for start in range(0, count, BLOCK):
        yield slice(start, min(start + BLOCK, count))
