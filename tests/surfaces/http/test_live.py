"""The stream of events: what changed, by whom ever, with nothing missed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from http_kit import Serve, Served, opened

from tests.conftest import FakeClock


class Stream:
    """Events of one connection, one after the other."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def next(self) -> tuple[str, int, dict[str, Any]]:
        """(name, id, data), past signs of life."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if line.startswith(":"):
                continue
            if not line and fields:
                return fields["event"], int(fields["id"]), json.loads(fields["data"])
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
        raise EOFError

    def beat(self) -> str:
        return next(line for line in self._lines if line.startswith(":"))


@contextmanager
def streaming(served: Served, **headers: str) -> Iterator[Stream]:
    with served.client.stream("GET", "/api/v1/events", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        yield Stream(answer.iter_lines())


@pytest.mark.req("R17.15")
def test_what_changes_is_told(serve: Serve) -> None:
    served = serve()
    with streaming(served) as events:
        name, number, data = events.next()
        assert (name, data) == ("hello", {"revision": number})
        kept = served.engine.remember("A new tea came in.")
        name, later, data = events.next()
        assert name == "change"
        assert data["written"] == [kept.id]
        assert later > number
        served.engine.forget(kept.id)
        seen = [events.next()]
        while kept.id not in seen[-1][2]["gone"]:
            seen.append(events.next())


@pytest.mark.req("R17.15")
def test_what_another_engine_changes_is_told_too(serve: Serve, tmp_path: Path, clock: FakeClock) -> None:
    served = serve()
    with streaming(served) as events, opened(tmp_path, clock) as other:
        events.next()
        other.promote(2, to="full")
        assert events.next()[2]["written"] == [2]
        other.expand(3)
        other._recorder.flush()
        assert events.next()[2]["touched"] == [3]


@pytest.mark.req("R17.15")
def test_whoever_comes_back_misses_nothing(serve: Serve) -> None:
    served = serve()
    with streaming(served) as events:
        _, number, _ = events.next()
    served.engine.promote(1, to="full")
    served.engine.promote(2, to="full")
    with streaming(served, **{"Last-Event-ID": str(number)}) as events:
        assert events.next()[0] == "hello"
        name, later, data = events.next()
        assert (name, data["written"]) == ("change", [1, 2])
        assert later == served.engine.revision


@pytest.mark.parametrize("given", ["99999999", "-1", "nonsense", "9" * 400, ""])
def test_a_number_that_means_nothing_is_no_error(serve: Serve, given: str) -> None:
    served = serve()
    with streaming(served, **{"Last-Event-ID": given}) as events:
        assert events.next()[0] == "hello"
        served.engine.promote(1, to="full")
        assert events.next()[0] in ("change", "reset")


def test_a_silent_stream_gives_signs_of_life(serve: Serve) -> None:
    with streaming(serve()) as events:
        events.next()
        assert events.beat() == ": still here"


def test_streams_are_counted(serve: Serve) -> None:
    served = serve(streams=1)
    with streaming(served) as events:
        events.next()
        assert served.get("events", expect=503)["code"] == "too_many_streams"


def test_a_stream_ends_with_its_token(serve: Serve) -> None:
    served = serve(needs_token=False)
    text = served.engine.add_token("laptop")
    with streaming(served, Authorization=f"Bearer {text}") as events:
        events.next()
        served.engine.revoke_token("laptop")
        with pytest.raises(EOFError):
            events.next()


def test_a_stream_of_one_space_tells_of_that_space(serve: Serve) -> None:
    served = serve()
    served.engine.remember("far", space="other")
    near = served.engine.remember("near", space="acme").id
    text = served.engine.add_token("acme", space="acme")
    with streaming(served, Authorization=f"Bearer {text}") as events:
        events.next()
        served.engine.promote(1, to="full")
        served.engine.promote(near, to="full")
        told = events.next()[2]["written"]
        while near not in told:
            told += events.next()[2]["written"]
        assert told == [near]


def test_an_open_stream_does_not_keep_the_server_from_ending(serve: Serve) -> None:
    served = serve()
    with streaming(served) as events:
        events.next()
        served.listening.stop()
        with pytest.raises(EOFError):
            events.next()
