"""Texts come back as they were, whatever they hold."""

from __future__ import annotations

import random

import pytest
from contract_kit import add, prepared
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lodmem.errors import BadParameter
from lodmem.model.memory import Tier
from lodmem.ports import Store

ODD = [
    "\0",
    "a\0b\0",
    "line\r\nline\rline\n",
    "\ufeffmark",
    "e\u0301 is not \u00e9",
    "  spaces  ",
    "\u202eright to left",
    "\U0010ffff\ufffe",
    "🙂🇩🇪👩‍👩‍👧",
    "日本語のテキスト",
    "'; DROP TABLE memory; --",
    "\x1b[31mred\x7f",
]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(min_size=1) | st.sampled_from(ODD), min_size=1, max_size=8))
def test_any_text_comes_back(store: Store, texts: list[str]) -> None:
    ids = add(store, *(prepared(text, tags=(text,), agent=text, meta={text: text}) for text in texts))
    assert [memory.full for memory in store.get(ids)] == texts
    for memory, text in zip(store.get(ids), texts, strict=True):
        assert (memory.summary, memory.headline) == ("summary of " + text, "headline of " + text)
        assert (memory.tags, memory.meta) == ((text,), {text: text})
    assert store.texts(ids, Tier.FULL) == dict(zip(ids, texts, strict=True))


def test_a_text_of_five_megabytes_comes_back(store: Store) -> None:
    rng = random.Random(5)
    text = "".join(rng.choices("abc déf 日本\0\r\n🙂", k=3_500_000))
    assert len(text.encode()) > 5_000_000
    (memory_id,) = add(store, prepared(text, parts=50, terms=["x"], short=True))
    assert store.get([memory_id])[0].full == text
    assert "".join(store.embed_inputs([memory_id])[0].passages) == text


def test_each_level_has_its_text(store: Store) -> None:
    add(store, prepared("long"), prepared("short", short=True))
    assert store.texts([2, 1, 77], Tier.HEADLINE) == {1: "headline of long", 2: "short"}
    assert store.texts([1, 2], Tier.SUMMARY) == {1: "summary of long", 2: "short"}
    assert store.texts([], Tier.FULL) == {}


def test_the_horizon_has_no_text(store: Store) -> None:
    with pytest.raises(BadParameter):
        store.texts([1], Tier.HORIZON)
