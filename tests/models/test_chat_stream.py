"""Streams of answers that come to their end, and how long they may take."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.errors import ModelBadAnswer, ModelRefused, ModelUnavailable
from lodmem.models.chat import Unusable, most_tokens
from lodmem.models.chat_anthropic import AnthropicChat
from lodmem.models.chat_http import Heard, HttpChat, Incoming
from lodmem.models.chat_openai import OpenAiChat
from lodmem.models.http import Manners
from lodmem.models.registry import make_chat
from lodmem.ports import Answer
from tests.chat_server import ChatServer, breaks_off, drips, hang, pours
from tests.chat_streams import Events, anthropic, openai, sse
from tests.models.stream_kit import EVENTS, MAKERS, USAGE, Make, answer, ask, failure, streamed

pytestmark = pytest.mark.req("R5.5")


# -- answers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("maker", MAKERS)
def test_a_stream_is_asked_for_and_counted(server: ChatServer, stream_from: Make, maker: str) -> None:
    server.script = [pours(streamed(maker, "A", "da", ".", usage=USAGE[maker]))]
    assert ask(stream_from(maker)) == Answer(text="Ada.", model="tiny", tokens_in=7, tokens_out=3)
    (sent,) = server.requests
    assert sent["stream"] is True
    assert sent.get("stream_options") == ({"include_usage": True} if maker == "openai" else None)


@pytest.mark.parametrize("maker", MAKERS)
def test_streaming_can_be_turned_off(server: ChatServer, stream_from: Make, maker: str) -> None:
    assert answer(ask(stream_from(maker, stream=False))).text == "ready"
    assert server.requests[0]["stream"] is False
    assert "stream_options" not in server.requests[0]


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_bytes_that_come_one_by_one(server: ChatServer, stream_from: Make, maker: str, end: str) -> None:
    events = EVENTS[maker]("Zoë", " 😀 ", "東京", usage=USAGE[maker])
    stream = b": hello" + end.encode() * 2 + sse(events, named=maker == "anthropic", end=end, colon=":")
    server.script = [pours(*(stream[n : n + 1] for n in range(len(stream))))]
    assert ask(stream_from(maker)) == Answer(text="Zoë 😀 東京", model="tiny", tokens_in=7, tokens_out=3)


CUTS = st.lists(st.integers(0, 3000), max_size=40)


@given(
    st.sampled_from(MAKERS),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    CUTS,
)
def test_however_a_stream_is_cut_the_answer_is_the_same(
    maker: str, deltas: list[str], end: str, ascii_only: bool, cuts: list[int]
) -> None:
    client = make_chat(maker, "tiny", base_url=None, api_key=None, timeout_s=1)
    assert isinstance(client, HttpChat)
    stream = sse(EVENTS[maker](*deltas, usage=USAGE[maker]), named=True, end=end, ascii_only=ascii_only)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    incoming = Incoming(client, 5000)
    for start, stop in pairwise(places):
        if not incoming.take(stream[start:stop]):
            break
    assert incoming.complete() is None
    heard = incoming.heard
    assert ("".join(heard.text), heard.end, heard.closed) == ("".join(deltas), "said", True)
    assert {name: heard.usage[name] for name in USAGE[maker]} == USAGE[maker]
    assert (heard.pieces, heard.bytes) == (len(deltas), len("".join(deltas).encode()))


@given(st.sampled_from(MAKERS), st.integers(0, 4000))
def test_a_stream_that_is_cut_short_is_never_an_answer_before_its_end_was_told(maker: str, length: int) -> None:
    client = make_chat(maker, "tiny", base_url=None, api_key=None, timeout_s=1)
    assert isinstance(client, HttpChat)
    events = EVENTS[maker]("Once ", "upon ", "a ", "time.", usage=USAGE[maker])
    stream = sse(events, named=True)
    incoming = Incoming(client, 50)
    incoming.take(stream[:length])
    wrong, heard = incoming.complete(), incoming.heard
    told = stream.index(b'"stop_reason"' if maker == "anthropic" else b'"finish_reason": "stop"')
    if heard.end:
        assert length > told
        assert "".join(heard.text) == "Once upon a time."
    else:
        assert wrong is not None


@pytest.mark.parametrize(("maker", "stop"), [("openai", "length"), ("anthropic", "max_tokens")])
def test_a_cut_answer_says_so(server: ChatServer, stream_from: Make, maker: str, stop: str) -> None:
    server.script = [pours(streamed(maker, "Once ", "upon", stop=stop, usage=USAGE[maker]))]
    assert answer(ask(stream_from(maker))).cut


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("left", ["done", "stop"])
def test_one_word_of_the_end_is_enough(server: ChatServer, stream_from: Make, maker: str, left: str) -> None:
    given: dict[str, Any] = {"stop": None} if left == "done" else {"done": False}
    server.script = [pours(streamed(maker, "Ada.", usage=USAGE[maker], **given))]
    assert answer(ask(stream_from(maker))).text == "Ada."


@pytest.mark.parametrize("maker", MAKERS)
def test_what_breaks_after_the_end_costs_the_count_only(server: ChatServer, stream_from: Make, maker: str) -> None:
    server.script = [pours(streamed(maker, "Ada.", done=False), then=breaks_off)] * 2
    assert answer(ask(stream_from(maker))).text == "Ada."
    assert answer(ask(stream_from(maker), 2000)).tokens_out == most_tokens("Ada.")


@pytest.mark.parametrize("maker", MAKERS)
def test_nothing_is_waited_for_after_the_last_word(server: ChatServer, stream_from: Make, maker: str) -> None:
    server.script = [pours(streamed(maker, "Ada."), then=drips(b": still here\n\n"))]
    assert answer(ask(stream_from(maker))).text == "Ada."
    assert server.hung_up.wait(20)


@pytest.mark.parametrize(
    ("deltas", "text"),
    [
        (["Ada", None, "."], "Ada."),
        ([[{"type": "text", "text": "A"}, {"type": "image"}], [{"type": "text", "text": "da"}], []], "Ada"),
    ],
)
def test_deltas_of_another_form(server: ChatServer, stream_from: Make, deltas: list[Any], text: str) -> None:
    server.script = [pours(streamed("openai", *deltas))]
    assert answer(ask(stream_from("openai"))).text == text


def test_events_without_a_choice_and_with_a_whole_message(server: ChatServer, stream_from: Make) -> None:
    whole = {"choices": [{"message": {"content": "Ada."}, "finish_reason": "stop"}], "usage": USAGE["openai"]}
    odd: Events = [{"choices": []}, {"choices": None}, {"object": "x"}, {"choices": [{"delta": None}]}]
    server.script = [pours(sse([*odd, whole]))]
    assert ask(stream_from("openai")) == Answer(text="Ada.", model="tiny", tokens_in=7, tokens_out=3)


def test_an_empty_reason_is_no_end(server: ChatServer, stream_from: Make) -> None:
    events: Events = [{"choices": [{"delta": {"content": "Ada"}, "finish_reason": ""}]}]
    server.script = [pours(sse([*events, "[DONE]"])), pours(sse(events))]
    assert answer(ask(stream_from("openai"))).text == "Ada"
    failure(ask(stream_from("openai")))


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_are_counted_and_no_part_of_the_answer(server: ChatServer, stream_from: Make, name: str) -> None:
    thought = openai("Who could it be? " * 20, stop=None, done=False, name=name)
    server.script = [pours(sse(thought + openai("Ada.")))]
    got = answer(ask(stream_from("openai"), 2000))
    assert got.text == "Ada."
    assert got.tokens_out == most_tokens("Who could it be? " * 20 + "Ada.")


def test_thoughts_of_anthropic_are_no_part_of_the_answer(server: ChatServer, stream_from: Make) -> None:
    events = anthropic("Ada.", usage=USAGE["anthropic"])
    events[1:1] = [{"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Who? " * 90}}]
    events[1:1] = [{"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": "x"}}, {"type": "new"}]
    server.script = [pours(sse(events))]
    assert ask(stream_from("anthropic")) == Answer(text="Ada.", model="tiny", tokens_in=7, tokens_out=3)


@pytest.mark.parametrize(
    ("maker", "stream"),
    [
        ("openai", sse(openai("I ", "cannot.", name="refusal", usage=USAGE["openai"]))),
        ("openai", sse(openai("Well", stop="content_filter", usage=USAGE["openai"]))),
        ("anthropic", sse(anthropic("Well", stop="refusal", usage=USAGE["anthropic"]))),
    ],
)
def test_refusals(server: ChatServer, stream_from: Make, maker: str, stream: bytes) -> None:
    server.script = [pours(stream)]
    outcome = ask(stream_from(maker))
    assert isinstance(outcome, Unusable)
    assert isinstance(outcome.error, ModelRefused)
    assert (outcome.tokens_in, outcome.tokens_out) == (7, 3)


@pytest.mark.parametrize("maker", MAKERS)
def test_an_empty_stream_of_words(server: ChatServer, stream_from: Make, maker: str) -> None:
    server.script = [pours(streamed(maker))]
    outcome = ask(stream_from(maker))
    assert isinstance(outcome, Unusable)
    assert isinstance(outcome.error, ModelBadAnswer)


@pytest.mark.parametrize("content_type", ["application/json", "text/plain"])
def test_what_a_body_is_called_does_not_matter(server: ChatServer, stream_from: Make, content_type: str) -> None:
    whole = {"choices": [{"message": {"content": "Ada."}, "finish_reason": "stop"}]}
    server.script = [
        pours(streamed("openai", "Ada."), content_type=content_type),
        pours(json.dumps(whole).encode(), content_type="text/event-stream"),
    ]
    client = stream_from("openai")
    assert [answer(ask(client)).text for _ in range(2)] == ["Ada.", "Ada."]


# -- time -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("maker", MAKERS)
def test_one_that_goes_on_speaking_may_take_longer_than_the_timeout(server: ChatServer, stream_from: Make, maker: str) -> None:
    pause = drips(b": thinking\n\n", every_s=0.12, times=10)

    def slow(handler: Any) -> None:
        pause(handler)
        handler.piece(streamed(maker, "Ada."))
        handler.piece(b"")

    server.script = [pours(then=slow)]
    assert answer(ask(stream_from(maker, timeout_s=1.0))).text == "Ada."


@pytest.mark.parametrize("maker", MAKERS)
def test_silence_in_the_middle_is_noticed_and_what_came_is_counted(server: ChatServer, stream_from: Make, maker: str) -> None:
    server.script = [pours(streamed(maker, "Once ", "upon", stop=None, done=False, usage=USAGE[maker]), then=hang)]
    outcome = failure(ask(stream_from(maker, timeout_s=0.3), 2000))
    assert isinstance(outcome.error, ModelUnavailable)
    assert "fell silent for 0.3 s" in outcome.error.message
    assert (outcome.passing, outcome.worked) == (True, True)
    assert outcome.used == (7, most_tokens("Once upon"))


@pytest.mark.parametrize("maker", MAKERS)
def test_silence_before_the_first_word_counts_at_its_worst(server: ChatServer, stream_from: Make, maker: str) -> None:
    server.script = [pours(then=hang), pours(b": hello\n\n", then=hang)]
    for _ in range(2):
        outcome = failure(ask(stream_from(maker, timeout_s=0.3)))
        assert (outcome.worked, outcome.used) == (True, None)


@pytest.mark.parametrize("maker", MAKERS)
def test_one_that_never_ends_is_given_up(server: ChatServer, maker: str) -> None:
    server.script = [pours(then=drips(b": still here\n\n"))]
    kind = OpenAiChat if maker == "openai" else AnthropicChat
    client = kind(model="tiny", base_url=server.url, api_key="", manners=Manners(timeout_s=20.0, longest_s=0.2))
    outcome = failure(ask(client))
    assert "did not end its answer within 0.2 s" in outcome.error.message
    assert server.hung_up.wait(20)
    client.close()


def test_nothing_heard_is_nothing_counted() -> None:
    heard = Heard()
    for odd in ("", None, 3, ["a"]):
        heard.say(odd)
    assert (heard.pieces, heard.bytes, heard.text) == (0, 0, [])
