"""What a map is made from: words that are shared bring memories near, rare ones more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plane_kit import embed, islands, remember

from lodmem.plane.basis import Meaning, Words
from lodmem.stores.sqlite.store import SqliteStore

TEXTS = ["glass kiln fires", "glass kiln bricks", "ferry harbour tide", "the ferry tide late", "the the the glass"]


def test_shared_words_are_near_and_rare_ones_nearer(store: SqliteStore) -> None:
    ids = remember(store, TEXTS)
    words = Words(store, ids)
    found, rows = words.vectors(ids)
    near = rows @ rows.T
    assert found.tolist() == ids
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    assert near[0, 1] > 0.3 > near[0, 4]
    assert near[2, 3] > 0.3 > abs(near[0, 2])


def test_a_question_meets_the_memories_that_hold_its_words(store: SqliteStore) -> None:
    ids = remember(store, TEXTS)
    words = Words(store, ids)
    near = words.vectors(ids)[1] @ words.question(["kiln", "bricks"])
    assert int(near.argmax()) == 1
    assert not words.question(["unheard"]).any()


def test_words_that_no_landmark_holds_tell_nothing(store: SqliteStore) -> None:
    ids = remember(store, TEXTS)
    words = Words(store, ids[:2])
    assert not words.vectors([ids[2]])[1].any()


def test_the_same_terms_have_the_same_direction_in_every_process(store: SqliteStore) -> None:
    ids = remember(store, TEXTS)
    assert Words(store, ids).vectors(ids)[1].tobytes() == Words(store, ids).vectors(ids)[1].tobytes()


def test_meanings_are_the_stores(store: SqliteStore) -> None:
    ids = remember(store, TEXTS)
    rows, _ = islands(5, 2)
    embed(store, ids, rows)
    found, given_back = Meaning(store).vectors([ids[3], ids[1]])
    assert found.tolist() == [ids[1], ids[3]]
    assert np.allclose(given_back, rows[[1, 3]], atol=1e-6)


@given(st.lists(st.text(min_size=1, max_size=5), max_size=30))
def test_any_terms_give_a_unit_vector_or_nothing(terms: list[str]) -> None:
    class Held:
        def term_lists(self, ids: list[int]) -> dict[int, list[str]]:
            return dict.fromkeys(ids, terms)

    ids, rows = Words(Held(), [1, 2]).vectors([1, 2])  # type: ignore[arg-type]
    assert ids.tolist() == [1, 2]
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0 if terms else 0.0] * 2, abs=1e-4)
