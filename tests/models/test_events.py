"""Server-sent events: lines and fields as the standard has them, wherever the bytes are cut."""

from __future__ import annotations

from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.models.events import Event, Events, looks_like_events


def events(*pieces: bytes, max_bytes: int = 1000) -> list[Event]:
    reader = Events(max_bytes=max_bytes)
    return [event for piece in pieces for event in reader.feed(piece)] + list(reader.rest())


@pytest.mark.parametrize(
    ("stream", "data"),
    [
        (b"data: a\n\ndata: b\n\n", ["a", "b"]),
        (b"data:a\r\n\r\ndata:  b\r\n\r\n", ["a", " b"]),
        (b"data: a\r\rdata: b\r\r", ["a", "b"]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"data\ndata: b\n\n", ["\nb"]),
        (b": hello\n\n:\n\ndata: a\n\n: bye\n\n", ["a"]),
        (b"id: 7\nretry: 10\ncolour: red\ndata: a\n\n", ["a"]),
        (b"event: ping\n\nid: 7\n\ndata: a\n\n", ["a"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"data: \xc3\xa9\xff\n\n", ["é\ufffd"]),
        (b"data: a: b\n\n", ["a: b"]),
        (b"\n\n\ndata: a\n\n\n\n", ["a"]),
        (b"data: a\n\ndata: b\n", ["a", "b"]),
        (b"data: a\n\ndata: b", ["a", "b"]),
        (b"", []),
    ],
)
def test_lines_and_fields(stream: bytes, data: list[str]) -> None:
    assert [event.data for event in events(stream)] == data


def test_a_name_belongs_to_one_event() -> None:
    assert events(b"event: error\ndata: a\n\ndata: b\n\n") == [Event("error", "a"), Event("", "b")]


def test_an_event_comes_as_soon_as_it_is_complete() -> None:
    reader = Events(max_bytes=1000)
    assert list(reader.feed(b"data: a\n")) == []
    assert list(reader.feed(b"\n")) == [Event("", "a")]
    assert list(reader.feed(b"data: b\r")) == []
    assert list(reader.feed(b"\n\r")) == [Event("", "b")], "the line feed may still be on its way"
    assert list(reader.feed(b"\ndata: c\n\n")) == [Event("", "c")]


@pytest.mark.parametrize("piece", [b"x" * 40, b"data: 0123456789\n", b": " + b"x" * 40, b"data: " + b"x" * 95])
def test_what_never_ends_is_refused(piece: bytes) -> None:
    reader = Events(max_bytes=100)
    with pytest.raises(ValueError, match="100 bytes"):
        list(chain.from_iterable(reader.feed(piece) for _ in range(10)))


def test_many_small_events_are_no_large_one() -> None:
    assert len(events(*[b"data: 0123456789\n\n: and so on\n"] * 100, max_bytes=30)) == 100


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"", None), (b" \r\n", None), (b"\xef\xbb", None), (b"\xef\xbb\xbf", None), (b"dat", None), (b"\n\nret", None),
        (b"data:", True), (b"\xef\xbb\xbfevent: x", True), (b":", True), (b"\n: hello", True), (b"id:1", True),
        (b"{", False), (b" {", False), (b"<html>", False), (b"date: today", False), (b"null", False), (b"\xef\xbb{", False),
    ],
)  # fmt: skip
def test_events_are_told_from_other_bodies(head: bytes, expected: bool | None) -> None:
    assert looks_like_events(head) is expected


LINE = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)
EVENT = st.tuples(st.sampled_from(["", "message", "error"]), st.lists(LINE, min_size=1, max_size=3))


@given(
    st.lists(EVENT, max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([":", ": "]),
    st.booleans(),
    st.lists(st.integers(0, 400), max_size=30),
)
def test_however_it_is_written_and_cut_the_events_are_the_same(
    given_events: list[tuple[str, list[str]]], end: str, colon: str, comments: bool, cuts: list[int]
) -> None:
    text = ""
    for name, lines in given_events:
        text += f": still here{end}{end}" if comments else ""
        text += f"event{colon}{name}{end}" if name else ""
        # One space after the colon belongs to the frame.
        text += "".join(f"data{colon}{' ' if colon == ':' and line.startswith(' ') else ''}{line}{end}" for line in lines) + end
    stream = text.encode()
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    pieces = [stream[a:b] for a, b in pairwise(places)]
    assert events(*pieces) == [Event(name, "\n".join(lines)) for name, lines in given_events]
