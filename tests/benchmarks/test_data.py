from __future__ import annotations

import numpy as np
import pytest
from benchmarks.data import BLOCK, FUNCTION_WORDS, HEAPS, WORDS, blocks, questions, said

DIMS = 32


def rows_of(rows: int, *, seed: int = 0) -> tuple[list[str], np.ndarray]:
    made = list(blocks(rows, seed=seed, dims=DIMS))
    return [text for block in made for text in block.texts], np.concatenate([block.vectors for block in made])


def test_a_larger_set_begins_with_the_smaller_one() -> None:
    few_texts, few = rows_of(70)
    more_texts, more = rows_of(BLOCK + 30)
    assert more_texts[:70] == few_texts
    assert np.array_equal(more[:70], few)
    assert len(more_texts) == len(more) == BLOCK + 30


def test_what_is_said_holds_as_many_words_as_conversations_do() -> None:
    texts = said(0)
    words = {word for text in texts for word in text.lower().replace(".", "").split()}
    expected = HEAPS[0] * (BLOCK * WORDS) ** HEAPS[1]
    assert 0.75 * expected < len(words) <= expected
    assert said(1)[0] not in texts
    assert {len(text.split()) for text in texts} == {WORDS}


def test_another_seed_makes_other_data() -> None:
    texts, vectors = rows_of(50)
    others, other_vectors = rows_of(50, seed=1)
    assert not set(texts) & set(others)
    assert not np.allclose(vectors, other_vectors)


def test_vectors_are_unit_and_stand_in_clusters() -> None:
    block = next(iter(blocks(3_000, dims=DIMS)))
    assert np.allclose(np.linalg.norm(block.vectors, axis=1), 1.0, atol=1e-5)
    near = block.vectors @ block.vectors.T
    together = block.clusters[:, None] == block.clusters[None, :]
    np.fill_diagonal(together, False)
    apart = ~together
    np.fill_diagonal(apart, False)
    assert 0.35 < near[together].mean() < 0.6
    assert -0.05 < near[apart].mean() < 0.15


def test_texts_are_prose_of_common_and_rare_words() -> None:
    texts, _ = rows_of(500)
    words = [word for text in texts for word in text.lower().replace(".", "").split()]
    assert len(words) == 500 * 40
    common = sum(word in FUNCTION_WORDS for word in words) / len(words)
    assert 0.1 < common < 0.6
    assert len(set(words)) > 2_000


def test_later_memories_are_newer_and_sessions_go_on_across_blocks() -> None:
    first, second = blocks(BLOCK + 1, dims=DIMS)
    assert first.created_us(1) > first.created_us(0)
    assert second.created_us(0) > first.created_us(BLOCK - 1)
    assert first.place(0) == ("s0", 1)
    assert first.place(21) == ("s1", 2)
    assert second.place(0) == (f"s{BLOCK // 20}", 1)


def test_questions_share_words_and_direction_with_what_they_are_about() -> None:
    texts, vectors = rows_of(2_000)
    drawn = questions(2_000, 40, dims=DIMS)
    assert len(set(drawn.about.tolist())) == 40
    own = [float(vectors[number] @ asked) for number, asked in zip(drawn.about, drawn.vectors, strict=True)]
    assert np.mean(own) > np.mean(vectors @ drawn.vectors.T) + 0.2
    for number, asked in zip(drawn.about.tolist(), drawn.texts, strict=True):
        told = set(asked.rstrip("?").split()) - {"what", "was", "about"}
        assert told <= set(texts[number].lower().replace(".", "").split())


@pytest.mark.parametrize("count", [3, 10])
def test_no_more_questions_than_memories(count: int) -> None:
    assert len(questions(5, count, dims=DIMS).texts) == min(5, count)
