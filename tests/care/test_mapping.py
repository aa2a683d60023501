"""The engine's verbs about the map, over a real store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lodmem.engine import Engine
from lodmem.errors import BadParameter, ModelUnavailable, StoreReadOnly
from lodmem.plane import heavy
from tests.conftest import FakeEmbedder, MakeEngine

TOPICS = ("glass kiln furnace", "ferry harbour tide", "chess opening gambit")


def filled(engine: Engine, count: int = 60) -> list[int]:
    ids = [engine.remember(f"{TOPICS[n % 3]} number{n}").id for n in range(count)]
    engine.drain()
    return ids


def kind_at(engine: Engine, place: tuple[float, float] | None) -> str:
    """What the nearest memory on the map is about."""
    assert place is not None
    found = engine.map_positions()
    nearest = int(np.hypot(found.x - place[0], found.y - place[1]).argmin())
    return engine.expand(int(found.ids[nearest]), touch=False)[0].full.split()[0]


def test_before_there_is_one(engine: Engine) -> None:
    filled(engine, 5)
    assert (len(engine.map_positions()), engine.map_positions().version) == (0, 0)
    assert engine.map_state().due
    assert engine.place_question("glass") is None
    assert engine.place_query(np.ones(16, np.float32)) is None


@pytest.mark.req("R14.5")
@pytest.mark.parametrize("embedder", ["fake", "none"])
def test_a_question_drops_in_among_what_is_like_it(make_engine: MakeEngine, embedder: str) -> None:
    engine = make_engine(embedder=None if embedder == "fake" else embedder)
    ids = filled(engine)
    state = engine.make_map()
    assert state.growth.placed == len(ids)
    assert engine.map_positions().ids.tolist() == ids
    for topic in TOPICS:
        assert kind_at(engine, engine.place_question(topic)) == topic.split()[0]
    assert engine.place_question("  ") is None


def test_a_vector_is_placed_like_its_question(engine: Engine, fake_embedder: FakeEmbedder) -> None:
    filled(engine)
    engine.make_map()
    vector = fake_embedder.vector("ferry harbour")
    assert engine.place_query(vector) == engine.place_question("ferry harbour")
    assert engine.place_query(np.ones(3, np.float32)) is None, "of another model"


def test_a_model_that_is_away_places_nothing(engine: Engine, fake_embedder: FakeEmbedder) -> None:
    filled(engine)
    engine.make_map()
    fake_embedder.broken = "gone"
    assert engine.place_question("ferry") is None


def test_after_a_new_map_questions_stand_on_it(engine: Engine) -> None:
    filled(engine)
    engine.make_map()
    engine.place_question("ferry")
    filled(engine, 150)
    assert engine.make_map().head is not None
    assert engine.map_positions().version == 2
    assert kind_at(engine, engine.place_question("ferry harbour tide")) == "ferry"


def test_a_new_map_is_audited_without_a_text(engine: Engine) -> None:
    filled(engine)
    engine.make_map()
    engine.make_map()
    made = [entry.detail for entry in engine.audit_log() if entry.verb == "map"]
    assert made == [{"version": 1, "method": "landmarks", "memories": 60}]


def test_read_only_engines_look_and_do_not_make(make_engine: MakeEngine, tmp_path: Path) -> None:
    filled(make_engine())
    make_engine().make_map()
    looking = make_engine(read_only=True)
    assert len(looking.map_positions()) == 60
    with pytest.raises(StoreReadOnly):
        looking.make_map()


def test_methods(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(engine, 6)
    with pytest.raises(BadParameter, match="landmarks, umap"):
        engine.make_map(method="magic")
    monkeypatch.setitem(heavy.METHODS, "umap", "no_such_module_anywhere")
    with pytest.raises(ModelUnavailable, match=r"lodmem\[map\]"):
        engine.make_map(method="umap")
    assert engine.map_state().head is None, "nothing was begun"
