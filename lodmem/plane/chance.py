"""Numbers that look like chance and depend on an id alone: which memories are landmarks, and which way a point is nudged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lodmem.ports.basics import Floats
from lodmem.ports.mapped import Ids


def mixed(ids: Ids, seed: int) -> NDArray[np.uint64]:
    """64 well mixed bits for each id. Source: the finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    golden = 0x9E3779B97F4A7C15
    bits = ids.astype(np.uint64) * np.uint64(golden) + np.uint64((seed + 1) * golden % 2**64)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def draw(ids: Ids, count: int, seed: int) -> Ids:
    """At most `count` of the ids, rising: the same for one seed, whatever their order."""
    order = np.lexsort((ids, mixed(ids, seed)))[:count]
    return np.sort(ids[order])


def angles(ids: Ids, seed: int) -> Floats:
    """An angle for each id, 0 to 2 pi."""
    return ((mixed(ids, seed) >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24)) * np.float32(2 * np.pi)


def jitter(ids: Ids, seed: int, radius: float) -> Floats:
    """A point in the disc of `radius` for each id, shape (ids, 2)."""
    turn = angles(ids, seed)
    away = np.sqrt((mixed(ids, seed + 1) >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24)) * np.float32(radius)
    return np.stack([away * np.cos(turn), away * np.sin(turn)], axis=1)
