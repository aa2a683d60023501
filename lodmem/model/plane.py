"""What is known of a map besides the places on it: which one it is, how it grew, and what its regions are called."""

from __future__ import annotations

from dataclasses import dataclass

WORDS = ""  # the basis of a map made from words


@dataclass(frozen=True, slots=True, kw_only=True)
class MapHead:
    """One map. `basis`: key of the embedding model whose vectors made it, '' for words. `ready`: it serves; else it is being
    made. `memories`: how many could be placed when it was begun. `near`: median cosine of a memory to the neighbours that
    placed it, when it was made."""

    version: int
    ready: bool
    basis: str
    method: str
    seed: int
    made_us: int
    memories: int
    near: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MapGrowth:
    """`placed`: memories on a map now. `late`: those of them that came after it was made; `late_near`: their median cosine to
    the neighbours that placed them, 0 without any. `waiting`: memories that could be placed and are not yet."""

    placed: int
    late: int
    late_near: float
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A region of a map. `coarse`: of the outer zoom level. `number` counts within its level; `group`: the coarse cluster that
    a fine one lies in, its own number for a coarse one. `label` is made of words of its memories' headlines, '' where none
    stood out; x, y is a place inside it; `size` counted when it was named, 0 where one of its memories was forgotten since and
    the next run over the map names it again."""

    coarse: bool
    number: int
    group: int
    label: str
    x: float
    y: float
    size: int
