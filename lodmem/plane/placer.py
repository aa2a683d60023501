"""Places memories, and questions, on a map that is there: near the landmarks whose meaning is nearest. Nothing else moves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lodmem.plane.chance import angles, jitter
from lodmem.plane.neighbours import Indices, nearest
from lodmem.ports.basics import Floats
from lodmem.ports.mapped import Ids, Places

NEIGHBOURS = 8
TAU = 0.03  # cosines; a neighbour this much further weighs 1/e
MODE = 3.0  # neighbours further from the nearest one than so many of its spreads lie in another part of the map
JITTER = 0.006
RIM = 0.98
_UNLIKE = 1e-4


@dataclass(slots=True)
class Placer:
    """`vectors`: one row a landmark of `places`, unit or zero; `seed` is the map's."""

    places: Places
    vectors: Floats
    seed: int
    _spread: Floats = field(init=False)

    def __post_init__(self) -> None:
        self._spread = np.full(len(self.places), -1.0, np.float32)

    def place(self, ids: Ids, vectors: Floats) -> Places:
        """Places of memories by their vectors, the same whatever else is asked with them. Needs at least one landmark."""
        at, near, first = self._weighed(vectors)
        lost = near <= _UNLIKE
        if lost.any():  # like nothing here: on the rim, where it misleads least
            turn = angles(ids[lost], self.seed)
            at[lost] = RIM * np.stack([np.cos(turn), np.sin(turn)], axis=1)
            first[lost] = self._beside(at[lost])
        at = np.clip(at + jitter(ids, self.seed, JITTER), -1.0, 1.0)
        return Places(
            ids=ids,
            x=at[:, 0].copy(),
            y=at[:, 1].copy(),
            fine=self.places.fine[first],
            coarse=self.places.coarse[first],
            near=near,
            landmark=np.zeros(len(ids), np.bool_),
        )

    def point(self, vector: Floats) -> tuple[float, float] | None:
        """Where a question stands; None where nothing is like it."""
        at, near, _ = self._weighed(vector[None])
        return None if near[0] <= _UNLIKE else (float(at[0, 0]), float(at[0, 1]))

    def _weighed(self, vectors: Floats) -> tuple[Floats, Floats, Indices]:
        """Weighted means of neighbours in the same mode, mean cosine to the neighbours, and the nearest landmark."""
        index, cosine = nearest(vectors, self.vectors, min(NEIGHBOURS, len(self.vectors)))
        points = np.stack([self.places.x, self.places.y], axis=1)[index]
        away = np.linalg.norm(points - points[:, :1], axis=2)
        weight = np.exp((cosine - cosine[:, :1]) / np.float32(TAU))
        weight[away > MODE * self._spread_of(index[:, 0])[:, None]] = 0.0
        weight /= weight.sum(axis=1, keepdims=True)
        at = (weight[:, :, None] * points).sum(axis=1)
        return at.astype(np.float32), np.maximum(cosine.mean(axis=1), 0.0), index[:, 0].copy()

    def _spread_of(self, landmarks: Indices) -> Floats:
        """How far the landmarks around each of these reach on the map; worked out once for each."""
        asked = np.unique(landmarks)
        for one in asked[self._spread[asked] < 0].tolist():
            square = (self.places.x - self.places.x[one]) ** 2 + (self.places.y - self.places.y[one]) ** 2
            k = min(NEIGHBOURS, int(np.sqrt(len(square))), len(square) - 1)
            self._spread[one] = max(float(np.sqrt(np.partition(square, k)[k])), JITTER)
        return self._spread[landmarks]

    def _beside(self, at: Floats) -> Indices:
        square = (at[:, :1] - self.places.x) ** 2 + (at[:, 1:] - self.places.y) ** 2
        return np.asarray(square.argmin(axis=1))
