"""Clusters of a map with their names, places and sizes: members are counted, and some of their headlines read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from lodmem.model.memory import Tier
from lodmem.model.plane import Cluster
from lodmem.plane.chance import mixed
from lodmem.plane.labels import labels
from lodmem.ports import Store
from lodmem.ports.mapped import Numbers, Places

READ = 60  # headlines a fine cluster
_PAGE = 4096


def named(store: Store, places: Places, *, seed: int = 0) -> list[Cluster]:
    """All clusters that these places make up: coarse ones first, by number. Only headlines of memories in `places` are read, so
    that whoever may see fewer memories gets names made of those."""
    if not len(places):
        return []
    fine = _members(places.fine)
    group_of = {number: int(places.coarse[rows[0]]) for number, rows in fine.items()}
    inner, outer = labels(_headlines(store, places, fine, seed), group_of)
    coarse = _members(places.coarse)
    return [
        *(_cluster(places, rows, outer.get(number, ""), number, number, coarse=True) for number, rows in coarse.items()),
        *(
            _cluster(places, rows, inner.get(number, ""), number, group_of[number], coarse=False)
            for number, rows in fine.items()
        ),
    ]


def _members(numbers: Numbers) -> dict[int, np.ndarray]:
    order = np.argsort(numbers, kind="stable")
    found, starts = np.unique(numbers[order], return_index=True)
    return dict(zip(found.tolist(), np.split(order, starts[1:]), strict=True))


def _headlines(store: Store, places: Places, members: Mapping[int, np.ndarray], seed: int) -> dict[int, list[str]]:
    """Of up to READ members of each cluster, drawn by their ids."""
    chosen = {number: rows[np.argsort(mixed(places.ids[rows], seed), kind="stable")[:READ]] for number, rows in members.items()}
    wanted = places.ids[np.sort(np.concatenate(list(chosen.values())))].tolist()
    texts: dict[int, str] = {}
    for start in range(0, len(wanted), _PAGE):
        texts.update(store.texts(wanted[start : start + _PAGE], Tier.HEADLINE))
    return {number: list(_those(texts, places.ids[rows].tolist())) for number, rows in chosen.items()}


def _those(texts: Mapping[int, str], ids: list[int]) -> Iterator[str]:
    return (texts[i] for i in ids if i in texts)


def _cluster(places: Places, rows: np.ndarray, label: str, number: int, group: int, *, coarse: bool) -> Cluster:
    """A cluster's place is that of the member nearest to the middle, so that it never lies outside."""
    x, y = places.x[rows], places.y[rows]
    middle = int(((x - np.median(x)) ** 2 + (y - np.median(y)) ** 2).argmin())
    return Cluster(
        coarse=coarse, number=number, group=group, label=label, x=float(x[middle]), y=float(y[middle]), size=len(rows)
    )
