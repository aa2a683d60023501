"""Which older memories are nearest: the same whatever the batch, and as near as looking at all would say."""

from __future__ import annotations

import random

import numpy as np
import pytest

from lodmem.engine import Engine
from lodmem.model.memory import Draft, Source
from lodmem.retrieval import near as module
from lodmem.retrieval.near import near
from tests.conftest import FakeEmbedder, MakeEngine

COUNT = 5
WORDS = tuple("pier boat timber wind plan door fig autumn office list mill brook stove cat choir river key lamp soup".split())  # noqa: SIM905


def filled(engine: Engine, size: int = 60, *, long: bool = False) -> dict[int, list[str]]:
    """Texts of random words; index terms by id."""
    chance = random.Random(5)
    drafts = []
    for n in range(size):
        words = chance.choices(WORDS, k=400 if long and n % 7 == 0 else 12)
        drafts.append(Draft(full=" ".join(words) + f" item{n // 2}", space="a" if n % 5 else "b", source=Source("talk", "", n)))
    engine.remember_many(drafts)
    engine.drain()
    return {row.id: [term for terms, _ in row.passages for term in terms] for row in engine._store.rows()}


@pytest.mark.parametrize("embedder", ["fake", "none"])
@pytest.mark.parametrize("long", [False, True])
def test_the_same_one_by_one_and_all_at_once(make_engine: MakeEngine, embedder: str, long: bool) -> None:
    engine = make_engine(embedder=FakeEmbedder(32) if embedder == "fake" else "none")
    terms = filled(engine, long=long)
    scan = engine.looker()[0].scan
    together = near(scan, terms, COUNT)
    assert together == {i: near(scan, {i: terms[i]}, COUNT)[i] for i in terms}
    columns = scan.columns
    for new, others in together.items():
        assert len(others) == len(set(others)) <= COUNT
        for other in others:
            assert other < new
            assert columns.space[columns.row(other)] == columns.space[columns.row(new)]


def test_by_vectors_it_finds_what_looking_at_all_finds(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder=FakeEmbedder(64))
    terms = filled(engine)
    scan = engine.looker()[0].scan
    columns = scan.columns
    unit = columns.vectors / np.linalg.norm(columns.vectors, axis=1, keepdims=True)
    found = near(scan, terms, COUNT)
    for row in range(10, len(columns)):
        cosines = unit[:row] @ unit[row]
        cosines[columns.space[:row] != columns.space[row]] = -2.0
        closest = int(columns.id[int(cosines.argmax())])
        assert closest in found[int(columns.id[row])]


def test_rare_words_find_what_vectors_do_not(make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERYWHERE", 10)  # as in a store of many memories
    engine = make_engine(embedder=FakeEmbedder(64))
    terms = filled(engine)
    found = near(engine.looker()[0].scan, terms, COUNT)
    space = {memory.id: memory.space for memory in engine.expand(*terms, touch=False)}
    pairs = [i for i in terms if i % 2 == 0 and space[i - 1] == space[i]]  # both have a word that nobody else has
    assert len(pairs) > 15
    assert sum(i - 1 in found[i] for i in pairs) >= len(pairs) - 3


def test_the_work_for_one_memory_is_bounded(make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LATEST", 4)
    engine = make_engine(embedder="none")
    engine.remember_many([Draft(full="the boat is at the pier", source=Source("talk", "", n)) for n in range(30)])
    terms = {row.id: list(row.passages[0][0]) for row in engine._store.rows()}
    found = near(engine.looker()[0].scan, terms, COUNT)
    assert found[30] == [26, 27, 28, 29]


def test_forgotten_and_unknown_memories_are_left_out(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder=FakeEmbedder(32))
    terms = filled(engine)
    engine.forget(20, 21)
    looker, _ = engine.looker()
    found = near(looker.scan, terms | {999: ["pier"]}, 60)
    assert not {20, 21, 999} & found.keys()
    assert not any({20, 21} & set(others) for others in found.values())


def test_nothing_to_compare_with(make_engine: MakeEngine) -> None:
    engine = make_engine(embedder="none")
    engine.remember("a pier")
    assert near(engine.looker()[0].scan, {1: ["pier"]}, 3) == {1: []}
    assert near(engine.looker()[0].scan, {}, 3) == {}


def test_memories_of_several_passages_are_counted_once(make_engine: MakeEngine) -> None:
    """A word that stands in many passages of one memory is no commoner for that."""
    engine = make_engine(embedder="none")
    terms = filled(engine, long=True)
    scan = engine.looker()[0].scan
    assert not scan.columns.single
    words = module._Words(scan.columns)
    for term in ("pier", "item3", "nothing"):
        passages, _ = scan.columns.postings.find(term)
        assert words._rows(term).tolist() == sorted(set(scan.columns.memory_of[passages].tolist()))
    assert terms
