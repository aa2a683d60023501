"""Long texts in parts: every part within what a client takes, nothing lost between them."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lodmem.mcp_server.calls import CUT, within
from lodmem.mcp_server.reading import fit, shown_chars
from lodmem.mcp_server.tools import MAX_BUDGET, MAX_CHARS
from lodmem.model.memory import Kind, Memory, Priority, Status, Tier
from lodmem.models.tokenizer import WordPieceCounter
from lodmem.text.quote import as_block

COUNTER = WordPieceCounter()

MEMORY = Memory(
    id=1,
    space="main",
    agent="default",
    kind=Kind.EPISODIC,
    full="",
    summary="",
    headline="",
    written_by="extractive",
    tokens_full=0,
    tokens_summary=0,
    tokens_headline=0,
    created_us=0,
    created_given=True,
    ingested_us=0,
    valid_from_us=None,
    valid_to_us=None,
    last_verified_us=None,
    source=None,
    last_retrieved_us=None,
    retrieval_count=0,
    last_tier=None,
    importance=0.5,
    evidence_count=1,
    floor=Tier.HORIZON,
    priority=Priority.MEDIUM,
    expires_us=None,
    status=Status.ACTIVE,
    superseded_by=None,
    episode_class=None,
    tags=(),
    content_hash="",
    meta=MappingProxyType({}),
)


def memory(number: int, text: str) -> Memory:
    return replace(MEMORY, id=number, full=text)


def parts(text: str) -> list[str]:
    found: list[str] = []
    offset = 0
    while offset < len(text):
        shown, _ = fit([memory(1, text)], offset, COUNTER)
        found.append(shown[0].full)
        offset += len(shown[0].full)
    return found


PROSE = "The harbour office moved to the old mill, and the keys hang behind the second door.\n"
LONG = {
    "prose": PROSE * 2500,
    "one line": "The ferry leaves at seven from pier four, weather permitting. " * 2000,
    "no blanks": "ab3/" * 15_000,
    "CJK": "港の事務所は古い水車小屋に移った。" * 1600,
    "hangul": "항구 사무실은 옛 방앗간으로 옮겼다. " * 1500,
    "emoji": "🛶🌊" * 15_000,
    "line ends": "a\r\n\n" * 50_000,
    "blank": "a" + " " * 250_000 + "b",
    "title first": "Title\n" + "word " * 30_000,
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_text_comes_in_parts_that_fit_and_add_up(name: str) -> None:
    found = parts(LONG[name])
    assert "".join(found) == LONG[name]
    assert len(found) > 1
    for part in found:
        assert COUNTER.count(part) <= MAX_BUDGET
        assert len(as_block(part)) <= shown_chars(part) + 2 <= MAX_CHARS


def test_parts_are_few_and_end_where_words_end() -> None:
    found = parts(LONG["prose"])
    assert len(found) <= 1 + COUNTER.count(LONG["prose"]) // (MAX_BUDGET * 9 // 10)
    assert all(part[-1].isspace() for part in found)
    assert all(part[-1].isspace() for part in parts(LONG["one line"]))


def test_a_title_does_not_stand_alone() -> None:
    assert len(parts(LONG["title first"])[0]) > 1000


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=40), st.integers(1, 4000), st.text(max_size=40))
def test_any_text_adds_up(piece: str, times: int, tail: str) -> None:
    text = piece * times + tail
    found = parts(text)
    assert "".join(found) == text
    assert all(COUNTER.count(part) <= MAX_BUDGET and shown_chars(part) <= MAX_CHARS for part in found)


def test_a_cut_memory_says_where_it_goes_on() -> None:
    shown, notes = fit([memory(7, LONG["prose"])], 0, COUNTER)
    stop = len(shown[0].full)
    assert notes == [f"Characters 0 to {stop} of {len(LONG['prose'])} of #7; memory_expand ids [7] offset {stop} goes on."]
    shown, notes = fit([memory(7, LONG["prose"])], len(LONG["prose"]) - 10, COUNTER)
    assert shown[0].full == LONG["prose"][-10:]
    assert notes == [f"Characters {len(LONG['prose']) - 10} to {len(LONG['prose'])} of {len(LONG['prose'])} of #7."]


def test_what_fits_is_whole_and_what_does_not_is_named() -> None:
    short, large, huge = memory(1, PROSE), memory(2, PROSE * 800), memory(3, LONG["prose"])
    shown, notes = fit([short, large, huge, short], 0, COUNTER)
    assert [m.id for m in shown] == [1, 2, 1]
    assert [m.full for m in shown] == [short.full, large.full, short.full]
    assert notes == ["No room for #3; expand them in another call."]
    shown, notes = fit([huge, large, short], 0, COUNTER)
    assert shown[0].id == 3
    assert "".join(notes).count("#2") == 1


def test_an_answer_that_is_mostly_blank_is_cut_after_a_line() -> None:
    assert within("x" * MAX_CHARS) == "x" * MAX_CHARS
    cut = within("#1 2026-01-01 now: a\n" + "  \n" * MAX_CHARS)
    assert len(cut) <= MAX_CHARS
    assert cut.endswith("  \n" + CUT)
    assert len(within("x" * (MAX_CHARS + 1))) <= MAX_CHARS
