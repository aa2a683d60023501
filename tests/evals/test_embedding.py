from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lodmem.errors import BadParameter
from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.evals.embedding import BOTH, FULL, HEADLINE, PASSAGES, SUMMARY, WAYS, _Embedded, evaluate_embedding
from lodmem.evals.locomo import load_locomo
from lodmem.evals.longmemeval import load_longmemeval
from lodmem.evals.run import evaluate
from lodmem.evals.runner import Plan
from lodmem.ingest.pipeline import prepare
from lodmem.lod.relevance import Recipe, fair_cosine
from lodmem.model.memory import Draft, Source
from lodmem.models.tokenizer import WordPieceCounter
from tests.conftest import FakeEmbedder

PORTS = ("Bergen", "Gdansk", "Riga", "Lisbon", "Naples", "Odessa", "Antwerp", "Porto", "Malmo", "Tallinn")
FACTS = "".join(f"The port of {name} shipped {n + 12} tons of cod to {PORTS[n - 3]}. " for n, name in enumerate(PORTS))
HIDDEN = "Oh, a chameleon? "


def long_ones() -> Dataset:
    """Two memories of some passages each; what is asked stands in the middle of the second, in no summary of it."""
    texts = (FACTS * 4, FACTS * 2 + HIDDEN + FACTS * 2)
    drafts = tuple(Draft(full=text, created_us=n, source=Source("a", f"s{n}", 1)) for n, text in enumerate(texts))
    question = Question(id="q", text="chameleon", category="1", gold=("m1",), gold_sessions=("s1",))
    case = Case(id="c", drafts=drafts, labels=("m0", "m1"), sessions=("s0", "s1"), questions=(question,), now_us=10)
    return Dataset(name="made up", cases=(case,), skipped=0, dropped=0)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return Plan(embedder=FakeEmbedder(64), cache_dir=tmp_path / "cache")


def test_as_shipped_is_what_the_product_finds(longmemeval_file: Path, plan: Plan) -> None:
    for dataset in (load_longmemeval(longmemeval_file), long_ones()):
        found = evaluate_embedding(dataset, plan, unit="turn").rows[PASSAGES]
        product = evaluate(dataset, plan)
        turns = [list(o.ranks["lodmem"]["turn"].values()) for o in product.outcomes]
        cosine = [list(o.ranks["cosine"]["turn"].values()) for o in product.outcomes]
        for key, ranks in (("recipe_at_5", turns), ("cosine_at_5", cosine)):
            expected = [sum(rank is not None and rank <= 5 for rank in one) / len(one) for one in ranks if one]
            assert found[key] == pytest.approx(np.mean(expected))


@pytest.mark.req("R12.3")
def test_a_summary_misses_what_a_passage_says(plan: Plan) -> None:
    report = evaluate_embedding(long_ones(), plan)
    at_1 = {way: report.rows[way]["cosine_at_1"] for way in WAYS}
    assert at_1[PASSAGES] == at_1[BOTH] == 1.0
    # Nothing in the two summaries or headlines says it: they are equally near, and a tie goes to the first.
    for draft in long_ones().cases[0].drafts:
        levels = prepare(draft, WordPieceCounter(), now_us=0).levels
        assert "chameleon" not in levels.summary + levels.headline
    assert at_1[HEADLINE] == at_1[SUMMARY] == 0.0
    assert {way: report.rows[way]["recipe_at_1"] for way in WAYS} == dict.fromkeys(WAYS, 1.0)


def test_vectors_are_counted(plan: Plan) -> None:
    vectors = {way: row["vectors"] for way, row in evaluate_embedding(long_ones(), plan).rows.items()}
    assert vectors[HEADLINE] == vectors[SUMMARY] == vectors[FULL] == 1.0
    assert vectors[PASSAGES] >= 4.0
    assert vectors[BOTH] == vectors[PASSAGES] + 1.0


def test_short_memories_are_the_same_in_every_row(locomo_file: Path, plan: Plan) -> None:
    report = evaluate_embedding(load_locomo(locomo_file), plan, unit="turn")
    assert len({tuple(row.items()) for row in report.rows.values()}) == 1
    assert report.rows[PASSAGES]["vectors"] == 1.0


def test_the_best_of_fewer_vectors_is_corrected_for_fewer() -> None:
    recipe, passages = Recipe(), np.array([1, 4, 9], dtype=np.int32)
    cosine = np.array([0.5, 0.5, 0.5])
    single = _Embedded(None, False, np.ones(3, dtype=np.int32))
    assert fair_cosine(single.corrected(cosine, passages, recipe), passages, recipe) == pytest.approx(cosine)
    shipped = replace(single, count=passages)
    assert shipped.corrected(cosine, passages, recipe) == pytest.approx(cosine)


def test_there_is_nothing_to_ask_without_a_model() -> None:
    with pytest.raises(BadParameter, match="embedded") as caught:
        evaluate_embedding(long_ones(), Plan(embedder=None))
    assert "--embedder" in caught.value.hint
