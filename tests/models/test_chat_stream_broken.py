"""Streams that break off, fail, flood or are refused."""

from __future__ import annotations

import json

import pytest

from lodmem.errors import ModelBadAnswer, ModelUnavailable
from lodmem.models.chat import most_tokens
from tests.chat_server import Behaviour, ChatServer, breaks_off, drips, hang, pours, says, status
from tests.chat_streams import openai, sse, text_delta
from tests.models.stream_kit import ASKED, KEY, MAKERS, Make, answer, ask, failure, streamed

pytestmark = pytest.mark.req("R5.5")


# -- halves, errors, floods -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("then", [None, breaks_off])
def test_half_an_answer_is_none(server: ChatServer, stream_from: Make, maker: str, then: Behaviour | None) -> None:
    server.script = [pours(streamed(maker, "Once ", "upon", stop=None, done=False), then=then)]
    outcome = failure(ask(stream_from(maker), 2000))
    assert isinstance(outcome.error, ModelUnavailable)
    assert ("ended its answer in the middle" if then is None else "broke off its answer") in outcome.error.message
    assert (outcome.passing, outcome.worked, outcome.used) == (True, True, (most_tokens(*ASKED), most_tokens("Once upon")))


def test_a_last_event_without_the_line_after_it_counts(server: ChatServer, stream_from: Make) -> None:
    server.script = [pours(streamed("openai", "Ada.").rstrip(b"\n"))]
    assert answer(ask(stream_from("openai"))).text == "Ada."


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize(
    ("maker", "error", "kind", "passing", "code"),
    [
        ("anthropic", {"type": "overloaded_error", "message": f"busy {KEY}"}, ModelUnavailable, True, 529),
        ("anthropic", {"type": "api_error", "message": "busy"}, ModelUnavailable, True, 500),
        ("anthropic", {"type": "invalid_request_error", "message": "too long"}, ModelBadAnswer, False, 400),
        ("openai", {"code": 502, "message": "busy"}, ModelUnavailable, True, 502),
        ("openai", {"code": "429", "message": "busy"}, ModelUnavailable, True, 429),
        ("openai", {"code": "rate_limit_exceeded", "message": "busy"}, ModelUnavailable, True, 429),
        ("openai", {"code": None, "type": "server_error", "message": "busy"}, ModelUnavailable, True, 500),
        ("openai", {"code": 401, "message": KEY}, ModelUnavailable, False, 401),
        ("openai", {"message": f"no more {KEY}"}, ModelBadAnswer, True, 0),
        ("openai", f"no more {KEY}", ModelBadAnswer, True, 0),
        ("openai", {"what": [KEY]}, ModelBadAnswer, True, 0),
    ],
)
def test_an_error_in_the_stream(
    server: ChatServer, stream_from: Make, begun: bool, maker: str, error: object, kind: type, passing: bool, code: int
) -> None:
    first = streamed(maker, *(["Once"] if begun else []), stop=None, done=False)
    server.script = [pours(first + sse([{"type": "error", "error": error}], named=True))]
    outcome = failure(ask(stream_from(maker), 2000))
    assert (type(outcome.error), outcome.passing, outcome.status) == (kind, passing, code)
    assert outcome.used == ((most_tokens(*ASKED), most_tokens("Once")) if begun else None)
    assert outcome.worked is (begun or not code)
    assert ("broke off" in outcome.error.message) is begun
    assert KEY not in f"{outcome!r} {outcome.error}"


@pytest.mark.parametrize("data", ["{", "boom", '{"message": "boom"}'])
def test_an_event_that_is_called_an_error_is_one(server: ChatServer, stream_from: Make, data: str) -> None:
    server.script = [pours(f"event: error\ndata: {data}\n\n".encode())]
    outcome = failure(ask(stream_from("openai")))
    assert isinstance(outcome.error, ModelBadAnswer)
    assert ("boom" if "boom" in data else "{") in outcome.error.message


def test_an_error_in_the_place_of_an_answer(server: ChatServer, stream_from: Make) -> None:
    body = json.dumps({"error": {"code": 429, "message": "too many"}}).encode()
    server.script = [lambda handler: handler.send(200, body)]
    outcome = failure(ask(stream_from("openai")))
    assert (outcome.status, outcome.passing, outcome.worked) == (429, True, False)


@pytest.mark.parametrize("data", ["{", "3", "[]", "<html>", '{"choices": [{"delta": {"content": 7}}]}', "[" * 5000])
def test_events_of_another_form(server: ChatServer, stream_from: Make, data: str) -> None:
    server.script = [pours(streamed("openai", "Once", stop=None, done=False) + sse([data]), then=hang)]
    outcome = failure(ask(stream_from("openai"), 2000))
    assert isinstance(outcome.error, ModelBadAnswer)
    assert (outcome.passing, outcome.worked, outcome.used) == (False, True, (most_tokens(*ASKED), most_tokens("Once")))


@pytest.mark.parametrize("maker", MAKERS)
def test_one_that_says_more_than_it_may_is_cut(server: ChatServer, stream_from: Make, maker: str) -> None:
    delta = text_delta("word ") if maker == "anthropic" else openai("word ", stop=None, done=False)[1]
    server.script = [pours(then=drips(sse([delta]), every_s=0))]
    got = answer(ask(stream_from(maker)))
    assert got.cut
    assert got.text == "word " * 81, "the first that makes more than 50 tokens of 8 characters"
    assert got.tokens_out == most_tokens(got.text) > 50
    assert server.hung_up.wait(20)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("deltas", [list("an answer cut into letters"), ["one long answer " * 40]])
def test_small_and_large_pieces_are_no_more_than_they_are(
    server: ChatServer, stream_from: Make, maker: str, deltas: list[str]
) -> None:
    server.script = [pours(streamed(maker, *deltas))]
    got = answer(ask(stream_from(maker), 10))
    assert (got.text, got.cut) == ("".join(deltas), False)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("piece", [b": " + b"x" * 60_000 + b"\n\n", b"x" * 60_000, b'data: {"x": "%s"}\n\n' % (b"x" * 60_000)])
def test_thirty_megabytes_are_cut_off(server: ChatServer, stream_from: Make, maker: str, piece: bytes) -> None:
    server.script = [pours(b"data: {}\n\n", then=drips(piece, every_s=0, times=500))]
    outcome = failure(ask(stream_from(maker)))
    assert isinstance(outcome.error, ModelBadAnswer)
    assert "more than 16 MB" in outcome.error.message or "more than 1048576 bytes" in outcome.error.message
    assert server.hung_up.wait(20)


# -- what a server does not know ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [400, 422])
def test_a_count_that_is_refused_is_asked_for_once(server: ChatServer, stream_from: Make, code: int) -> None:
    server.script = [status(code, '{"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs"}]}')]
    client = stream_from("openai")
    assert answer(ask(client)).tokens_out == 3
    assert answer(ask(client)).tokens_out == 3
    assert [("stream_options" in sent, sent["stream"]) for sent in server.requests] == [
        (True, True),
        (False, True),
        (False, True),
    ]


@pytest.mark.parametrize("maker", MAKERS)
def test_a_stream_that_is_refused_is_asked_for_once(server: ChatServer, stream_from: Make, maker: str) -> None:
    server.script = [status(400, "Unsupported value: 'stream' does not support true with this model")]
    client = stream_from(maker)
    assert answer(ask(client)).text == answer(ask(client)).text == "ready"
    assert [sent["stream"] for sent in server.requests] == [True, False, False]


def test_the_word_in_another_word_is_no_refusal(server: ChatServer, stream_from: Make) -> None:
    server.script = [status(400, "upstream says: context too long")]
    failure(ask(stream_from("openai")))
    assert len(server.requests) == 1


def test_a_model_that_thinks_unseen_counts_at_its_worst_when_it_breaks_off(server: ChatServer, stream_from: Make) -> None:
    server.script = [
        status(400, "Use 'max_completion_tokens' instead."),
        pours(streamed("openai", "Once", stop=None, done=False), then=breaks_off),
    ]
    outcome = failure(ask(stream_from("openai"), 2000))
    assert (outcome.worked, outcome.used) == (True, None)


@pytest.mark.parametrize("maker", MAKERS)
def test_the_next_question_is_answered_after_a_stream_or_a_failure(server: ChatServer, stream_from: Make, maker: str) -> None:
    server.script = [says("Ada."), status(503), says("Bo.")]
    client = stream_from(maker)
    assert answer(ask(client)).text == "Ada."
    failure(ask(client))
    assert answer(ask(client)).text == "Bo."
