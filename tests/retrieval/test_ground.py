"""Where memories stand for a surface: the store's places, read once and then only those that are new."""

from __future__ import annotations

import pytest

from lodmem.engine import Engine
from lodmem.model.memory import Draft

TEXTS = tuple(f"Note {n} about {what}, and where it is kept." for what in ("tea", "boats", "rent") for n in range(8))


@pytest.fixture
def mapped(engine: Engine) -> Engine:
    engine.remember_many([Draft(full=text) for text in TEXTS])
    engine.drain()
    engine.make_map()
    return engine


def check(engine: Engine, waiting: int = 0) -> None:
    """Every memory stands where the store says; so many have no place."""
    kept, plane = engine.map_positions(), engine.plane().columns
    placed = ~(plane["x"] != plane["x"])
    assert int((~placed).sum()) == waiting
    assert plane["id"][placed].tolist() == kept.ids.tolist()
    assert plane["x"][placed].tolist() == kept.x.tolist()
    assert plane["y"][placed].tolist() == kept.y.tolist()


def add(engine: Engine, *texts: str) -> None:
    engine.remember_many([Draft(full=text) for text in texts])
    engine.drain()


def test_it_follows_what_is_placed_and_what_goes(mapped: Engine) -> None:
    check(mapped)
    add(mapped, "Another note about tea.", "Another note about boats.")
    check(mapped, waiting=2)
    mapped.make_map()
    check(mapped)
    mapped.forget(3)
    check(mapped)
    # One goes and one comes between two looks: as many places, other memories.
    mapped.forget(len(TEXTS) + 1)
    add(mapped, "A note about a lighthouse.")
    mapped.make_map()
    check(mapped)
    mapped.make_map(rebuild=True)
    check(mapped)


def test_only_new_places_are_read(mapped: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped.plane()
    read: list[int] = []
    places = mapped._store.places

    def reading(version: int, *, landmarks: bool = False, after: int = 0) -> object:
        found = places(version, landmarks=landmarks, after=after)
        read.append(len(found))
        return found

    add(mapped, "Another note about tea.")
    mapped.make_map()
    monkeypatch.setattr(mapped._store, "places", reading)
    mapped.plane()
    assert read == [1]
    mapped.expand(1)
    mapped.plane()
    assert read == [1, 0]
