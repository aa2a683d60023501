"""Any text to search for, to leave out, to remember, any words for a date: an answer or an error that says what is wrong."""

from __future__ import annotations

from typing import Any

from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from samples import says_what_is_wrong

from lodmem.asking import time_zone
from lodmem.engine import Engine
from lodmem.errors import BadDate, InputError, LodmemError
from lodmem.model.memory import Source, to_us
from lodmem.text.dates import parse_point, parse_range
from lodmem.text.tokens import index_terms

PIECES = [
    '"', "'", "*", "(", ")", "NEAR(", "AND", "OR", "NOT", "C++", "C#", "rm -rf /", "--", ";", "\0", "\n",
    "ferry", "island", "terms:",
    "^", "{", "}", "%", "_", "\\",
    "Prüfung", "会议", "اجتماع", "\ud800", "\u200f", "\U0001f600", "e\u0301", "ß", "İ", "x" * 300,
]  # fmt: skip
WHEN = [
    "last", "next", "this", "week", "month", "year", "day", "days", "ago", "in", "the", "3rd", "31", "30",
    "feb", "march", "monday",
    "between", "and", "from", "to", "since", "until", "before", "after", "2024", "2024-02-30", "0001-01-01",
    "9999-12-31", "99999999999",
    "yesterday", "tomorrow", "noon", "-1", "0", "1e9", "12:61", "T00:00Z", "+25:00", "gestern", "letzte",
    "woche", "昨天", "أمس", ",", "/", ".",
]  # fmt: skip
anything = st.text(st.characters(), max_size=60) | st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join)
dates = st.lists(st.sampled_from(WHEN), max_size=6).map(" ".join) | anything
optional_date = st.none() | dates
budgets = st.none() | st.integers(-10, 5000)
NOW_US = 1_748_865_600_000_000


@examples(80)
@given(query=anything, exclude=st.lists(anything, max_size=3), budget=budgets, limit=st.none() | st.integers(-2, 20))
def test_a_search(engine: Engine, query: str, exclude: list[str], budget: int | None, limit: int | None) -> None:
    try:
        answer = engine.search(query, exclude=exclude, budget=budget, limit=limit, touch=False)
    except InputError as error:
        says_what_is_wrong(error)
    else:
        str(answer).encode()
        assert len({view.id for view in answer.views}) == len(answer.views)


@examples(12)
@given(
    query=anything, since=optional_date, until=optional_date, as_of=optional_date, space=anything,
    tags=st.lists(anything, max_size=2),
    kinds=st.lists(anything, max_size=2), agents=anything, profile=anything, last_tier=anything, source=anything,
)  # fmt: skip
def test_the_filters_of_a_search(engine: Engine, query: str, **asking: Any) -> None:
    for name, value in asking.items():
        try:
            str(engine.search(query, touch=False, **{name: value})).encode()
        except LodmemError as error:
            says_what_is_wrong(error)


@examples(40)
@given(words=dates, zone=st.sampled_from(["UTC", "Pacific/Kiritimati", "America/St_Johns"]))
def test_words_for_a_time(words: str, zone: str) -> None:
    assert time_zone(zone)
    for read in (parse_point, parse_range):
        try:
            found = read(words, now_us=NOW_US, zone=zone)
        except BadDate as error:
            says_what_is_wrong(error)
        else:
            times = found if isinstance(found, tuple) else (found,)
            assert all(isinstance(us, int) for us in times if us is not None)


@examples(25)
@given(words=dates)
def test_a_window(engine: Engine, words: str) -> None:
    try:
        str(engine.window(words, touch=False)).encode()
    except InputError as error:
        says_what_is_wrong(error)


@examples(50)
@given(
    text=anything | st.binary(max_size=40), space=st.none() | anything, agent=st.none() | anything,
    tags=st.lists(anything, max_size=3),
    created_at=optional_date, importance=st.floats(), uri=anything, sequence=st.integers(),
    meta=st.dictionaries(anything, anything, max_size=2),
)  # fmt: skip
def test_whatever_is_remembered_comes_back(engine: Engine, text: str | bytes, uri: str, sequence: int, **fields: Any) -> None:
    before = engine.stats().memories
    try:
        added = engine.remember(text, source=Source(uri, uri, sequence), **fields)
    except InputError as error:
        says_what_is_wrong(error)
        assert engine.stats().memories == before
        return
    (memory,) = engine.expand(added.id, touch=False)
    assert memory.full == (text if isinstance(text, str) else text.decode())
    assert engine.stats().memories == before + added.created
    assert dict(memory.meta) == fields["meta"]
    word = next(iter(index_terms(memory.full)), None)
    if word and added.created:
        str(engine.search(memory.full, touch=False, space=memory.space)).encode()
    engine.render([memory]).encode()


def test_what_was_remembered_is_sound(engine: Engine) -> None:
    assert engine.check() == []
    assert to_us(engine.recent(limit=1, touch=False).views[0].created_at) <= 253_402_300_800_000_000
