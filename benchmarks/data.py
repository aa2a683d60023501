"""Invented memories of any number, with vectors that stand in clusters and words that follow the clusters.

The same seed gives the same data for ever, and a larger set begins with the smaller one: rows are made in blocks, each from a
random stream of its own. Words are function words of English and invented ones, by Zipf's law, so that word indexes meet
dense and rare terms as they do in real text; but new words come far oftener than there, a fifth of all in a small set. Where
that matters `said` gives texts in which they come as they do when people talk to a model. It refuses to know who is measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

BLOCK = 5_000
CLUSTERS = 1_000
# Shares of what all vectors have in common, of the cluster's centre, and of the vector's own direction: cosines are about .5
# within a cluster and .05 across, as a sentence model's are.
COMMON, CENTRE, OWN = 0.20, 0.65, 0.73
WORDS = 40
SENTENCE = 10
INVENTED = 30_000
SPOKEN = 100_000
TOPIC_WORDS, TOPIC_SHARE = 150, 0.3
SESSION = 20
START_US, STEP_US = 1_640_995_200_000_000, 47_000_000
# How many different words the first n words of conversations hold: HEAPS[0] * n ** HEAPS[1]. LongMemEval's development half has
# 11,221 in 158,121, 24,585 in 829,284, 52,288 in 3,912,278 (`re.findall(r"\w+", text.lower())`, each turn once).
HEAPS = (36.0, 0.48)
_FUNCTION_WORDS = (
    "the of and to a in is that it was for on are as with his they at be this have from or had by not but what all were we "
    "when your can said there use an each which she do how their if will up other about out many then them these so some "
    "her would make like him into time has look two more"
)
_ONSETS = "b ch d f g h k l m n p r s t v z br st tr pl"
FUNCTION_WORDS = tuple(_FUNCTION_WORDS.split())
SYLLABLES = tuple(onset + vowel for onset in _ONSETS.split() for vowel in "aeiou")


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive memories: `first` is the number of the first one; `clusters`, `vectors` and the rest have a row each."""

    first: int
    texts: tuple[str, ...]
    vectors: Floats
    clusters: Ints

    def created_us(self, row: int) -> int:
        """Microseconds since 1970 when the memory of that row was made; later ones are newer."""
        return START_US + (self.first + row) * STEP_US

    def place(self, row: int) -> tuple[str, int]:
        """Session and sequence in it."""
        number = self.first + row
        return f"s{number // SESSION}", number % SESSION + 1


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions about memories of the set: `about[i]` is the number of the memory whose words and cluster question i has."""

    texts: tuple[str, ...]
    vectors: Floats
    about: Ints


def blocks(rows: int, *, seed: int = 0, dims: int = 384) -> Iterator[Block]:
    """`rows` memories of about 40 words, in blocks; vectors are of length 1."""
    for number, first in enumerate(range(0, rows, BLOCK)):
        yield block(number, min(BLOCK, rows - first), seed=seed, dims=dims)


def block(number: int, rows: int = BLOCK, *, seed: int = 0, dims: int = 384) -> Block:
    """The first `rows` memories of one block."""
    return _cut(_block(number, seed, dims), rows)


@lru_cache(maxsize=2)
def said(number: int, *, seed: int = 0) -> tuple[str, ...]:
    """A block of texts of 40 words, in which words come by Zipf's law from as many as the texts so far would hold (HEAPS)."""
    stream = np.random.default_rng([seed, 6, number])
    so_far = (number * BLOCK + 1 + np.arange(BLOCK, dtype=np.float64)) * WORDS
    different = np.minimum(HEAPS[0] * so_far ** HEAPS[1], len(FUNCTION_WORDS) + SPOKEN)
    # A rank that is uniform in its logarithm has Zipf's law.
    ranks = (different[:, None] ** stream.random((BLOCK, WORDS))).astype(np.int64) - 1
    vocabulary = _vocabulary(SPOKEN)
    return tuple(_prose([vocabulary[w] for w in row]) for row in ranks.tolist())


def questions(rows: int, count: int, *, seed: int = 0, dims: int = 384) -> Questions:
    """`count` questions about different memories of the first `rows`, eight words each, vectors near the memory's cluster."""
    stream = np.random.default_rng([seed, 1])
    about = np.sort(stream.choice(rows, size=min(count, rows), replace=False)).astype(np.int64)
    texts, clusters = [], []
    for number in about.tolist():
        block = _block(number // BLOCK, seed, dims)
        words = block.texts[number % BLOCK].lower().replace(".", "").split()
        telling = list(dict.fromkeys(word for word in words if word not in FUNCTION_WORDS))
        told = stream.choice(telling, size=min(5, len(telling)), replace=False).tolist()
        texts.append(" ".join(["what", "was", *told, "about"]) + "?")
        clusters.append(int(block.clusters[number % BLOCK]))
    order = stream.permutation(len(about))
    vectors = _vectors(np.array(clusters, dtype=np.int64), stream, seed, dims)
    return Questions(tuple(texts[i] for i in order), vectors[order], about[order])


@lru_cache(maxsize=2)
def _block(number: int, seed: int, dims: int) -> Block:
    stream = np.random.default_rng([seed, 2, number])
    clusters = stream.choice(CLUSTERS, size=BLOCK, p=_zipf(CLUSTERS, 20.0))
    vectors = _vectors(clusters, stream, seed, dims)
    vocabulary = _vocabulary()
    chosen = stream.choice(len(vocabulary), size=(BLOCK, WORDS), p=_zipf(len(vocabulary), 2.7))
    topical = stream.random((BLOCK, WORDS)) < TOPIC_SHARE
    own = _topics(seed)[clusters[:, None], stream.choice(TOPIC_WORDS, size=(BLOCK, WORDS), p=_zipf(TOPIC_WORDS, 5.0))]
    picked = np.where(topical, own, chosen)
    return Block(number * BLOCK, tuple(_prose([vocabulary[w] for w in row]) for row in picked.tolist()), vectors, clusters)


def _cut(block: Block, rows: int) -> Block:
    return block if rows == BLOCK else Block(block.first, block.texts[:rows], block.vectors[:rows], block.clusters[:rows])


def _vectors(clusters: Ints, stream: np.random.Generator, seed: int, dims: int) -> Floats:
    common, centres = _centres(seed, dims)
    own = stream.standard_normal((len(clusters), dims), dtype=np.float32) / np.float32(np.sqrt(dims))
    mixed = COMMON * common + CENTRE * centres[clusters] + OWN * own
    unit: Floats = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)
    return unit


@lru_cache(maxsize=2)
def _centres(seed: int, dims: int) -> tuple[Floats, Floats]:
    stream = np.random.default_rng([seed, 3])
    made = stream.standard_normal((CLUSTERS + 1, dims)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made[0], made[1:]


@lru_cache(maxsize=2)
def _topics(seed: int) -> Ints:
    """Word numbers of each cluster's topic, from the rarer nine tenths of the vocabulary."""
    stream = np.random.default_rng([seed, 4])
    return stream.integers(len(FUNCTION_WORDS) + INVENTED // 10, len(_vocabulary()), size=(CLUSTERS, TOPIC_WORDS))


@lru_cache(maxsize=2)
def _vocabulary(invented: int = INVENTED) -> tuple[str, ...]:
    """Words by falling frequency; invented ones are two to four syllables, all different."""
    stream = np.random.default_rng(5)
    words = dict.fromkeys(FUNCTION_WORDS)
    while len(words) < len(FUNCTION_WORDS) + invented:
        words["".join(SYLLABLES[s] for s in stream.integers(len(SYLLABLES), size=stream.integers(2, 5)))] = None
    return tuple(words)


@lru_cache(maxsize=4)
def _zipf(count: int, offset: float) -> NDArray[np.float64]:
    weights = 1.0 / (np.arange(count, dtype=np.float64) + offset)
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def _prose(words: list[str]) -> str:
    parts = [words[start : start + SENTENCE] for start in range(0, len(words), SENTENCE)]
    return " ".join(" ".join(part).capitalize() + "." for part in parts)
