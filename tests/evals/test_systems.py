from __future__ import annotations

from collections.abc import Iterator
from math import log
from pathlib import Path

import numpy as np
import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.errors import ModelUnavailable
from lodmem.evals.systems import K1, B, fused, scored
from lodmem.models.minilm import MiniLmEmbedder
from lodmem.ports import EmbedderIdentity, Floats

TEXTS = ("the heron stands in the reeds", "a heron and another heron eat", "the tram is late", "late trams, late dinners")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with lodmem.open(tmp_path / "m.db", embedder="none", background=False) as engine:
        for number, text in enumerate(TEXTS):
            engine.remember(text, created_at=f"2023-05-{number + 1:02d}")
        yield engine


def test_bm25_by_hand(engine: Engine) -> None:
    found = scored(engine, "herons", alpha=1.0, by_words=True)
    assert set(found) == {"lodmem", "bm25"}
    # Index terms: words without stop words, and day, month, year of each memory.
    lengths = [3 + 3, 4 + 3, 2 + 3, 4 + 3]
    idf = log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    average = sum(lengths) / 4

    def score(tf: int, length: int) -> float:
        return idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / average))

    ids, values = found["bm25"].ids.tolist(), found["bm25"].values.tolist()
    assert ids == [1, 2]
    assert values == pytest.approx([score(1, lengths[0]), score(2, lengths[1])])


def test_the_product_is_its_own_search(engine: Engine) -> None:
    found = scored(engine, "late tram", alpha=0.7, by_words=True)
    landscape = engine.search("late tram", alpha=0.7, theta3=0.0, touch=False)
    ours = dict(zip(found["lodmem"].ids.tolist(), found["lodmem"].values.tolist(), strict=True))
    assert ours == {view.id: view.score for view in landscape.views}
    alone = dict(zip(found["relevance alone"].ids.tolist(), found["relevance alone"].values.tolist(), strict=True))
    assert alone == {view.id: view.relevance for view in landscape.views}
    assert engine.audit_log()[-1].verb == "search"


def test_ranking_promotes_nothing_and_leaves_no_trace(engine: Engine) -> None:
    before = len(engine.audit_log())
    engine.rank("late tram")
    assert len(engine.audit_log()) == before
    assert {memory.retrieval_count for memory in engine.expand(1, 2, 3, 4, touch=False)} == {0}


def test_a_question_without_known_words_ranks_nothing_by_bm25(engine: Engine) -> None:
    assert scored(engine, "zeppelin", alpha=1.0, by_words=True)["bm25"].ids.tolist() == []


def test_cosine_and_fusion(tmp_path: Path) -> None:
    embedder = MiniLmEmbedder()
    with lodmem.open(tmp_path / "m.db", embedder=embedder, background=False) as engine:
        for text in TEXTS:
            engine.remember(text)
        engine.drain()
        found = scored(engine, "a bird at the water", alpha=1.0, by_words=False)
    assert list(found) == ["lodmem", "bm25", "cosine", "rrf"]
    vectors, question = embedder.embed(list(TEXTS)), embedder.embed(["a bird at the water"])[0]
    by_id = dict(zip(found["cosine"].ids.tolist(), found["cosine"].values.tolist(), strict=True))
    assert [by_id[i] for i in (1, 2, 3, 4)] == pytest.approx((vectors @ question).tolist(), abs=1e-5)
    assert max(by_id, key=lambda i: by_id[i]) == 1


def test_fusion_by_hand() -> None:
    ids = np.array([4, 7, 9], dtype=np.int64)
    first, second = np.array([0.5, 0.5, np.nan]), np.array([np.nan, 1.0, np.nan])
    total = fused(ids, [first, second])
    assert total[:2] == pytest.approx([1 / 61, 1 / 62 + 1 / 61])
    assert np.isnan(total[2])


def test_a_model_that_fails_is_not_measured_by_words(tmp_path: Path) -> None:
    class Away:
        identity: EmbedderIdentity = MiniLmEmbedder().identity

        def embed(self, texts: list[str]) -> Floats:
            raise ModelUnavailable("gone away")

    with lodmem.open(tmp_path / "m.db", embedder=Away(), background=False) as engine:
        engine.remember(TEXTS[0])
        with pytest.raises(ModelUnavailable, match="by words alone"):
            scored(engine, "heron", alpha=1.0, by_words=False)
