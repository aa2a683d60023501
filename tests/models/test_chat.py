"""Both clients of chat servers, against one that misbehaves in every way: one that streams, one that was asked to and does not,
and one that was not asked to. They ask once and count nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lodmem.errors import BadParameter, ModelBadAnswer, ModelRefused, ModelUnavailable
from lodmem.models.chat import MAX_ANSWER_BYTES, ChatClient, Unusable, most_tokens
from lodmem.models.http import Failure
from lodmem.models.registry import make_chat
from lodmem.ports import Answer
from tests.chat_server import Behaviour, ChatServer, half, hang, says, status, thirty_megabytes

KEY = "sk-very-secret-0123456789"
MAKERS = ("openai", "anthropic")


@pytest.fixture(params=["streams", "does not", "not asked"])
def make(server: ChatServer, request: pytest.FixtureRequest) -> Iterator[Callable[..., ChatClient]]:
    made: list[ChatClient] = []
    server.streams = request.param == "streams"
    asked = request.param != "not asked"

    def build(maker: str, **changed: Any) -> ChatClient:
        given: dict[str, Any] = {"base_url": server.url, "api_key": KEY, "timeout_s": 5.0, "stream": asked, **changed}
        made.append(make_chat(maker, "tiny", **given))
        return made[-1]

    yield build
    for client in made:
        client.close()


Make = Callable[..., ChatClient]


def ask(client: ChatClient) -> Answer | Unusable | Failure:
    return client.ask("Be brief.", "Who?", max_tokens=50)


@pytest.mark.parametrize("maker", MAKERS)
def test_an_answer(server: ChatServer, make: Make, maker: str) -> None:
    server.script = [says("Ada.")]
    assert ask(make(maker)) == Answer(text="Ada.", model="tiny", tokens_in=7, tokens_out=3)


def test_what_openai_is_sent(server: ChatServer, make: Make) -> None:
    ask(make("openai"))
    (sent,) = server.requests
    assert (sent["path"], sent["model"], sent["max_tokens"], sent["temperature"]) == ("/v1/chat/completions", "tiny", 50, 0)
    assert sent["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
    assert sent["headers"]["Authorization"] == f"Bearer {KEY}"


def test_what_anthropic_is_sent(server: ChatServer, make: Make) -> None:
    ask(make("anthropic"))
    (sent,) = server.requests
    assert (sent["path"], sent["model"], sent["max_tokens"], sent["system"]) == ("/v1/messages", "tiny", 50, "Be brief.")
    assert sent["messages"] == [{"role": "user", "content": "Who?"}]
    headers = {name.lower(): value for name, value in sent["headers"].items()}
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in headers


@pytest.mark.parametrize("maker", MAKERS)
def test_no_key_sends_no_header(server: ChatServer, make: Make, maker: str) -> None:
    ask(make(maker, api_key=None))
    names = {name.lower() for name in server.requests[0]["headers"]}
    assert not names & {"authorization", "x-api-key"}


@pytest.mark.parametrize(("maker", "stop"), [("openai", "length"), ("anthropic", "max_tokens")])
def test_an_answer_that_was_cut_says_so(server: ChatServer, make: Make, maker: str, stop: str) -> None:
    server.script = [says("Once upon", stop=stop)]
    answer = ask(make(maker))
    assert isinstance(answer, Answer)
    assert answer.cut


@pytest.mark.parametrize(
    ("maker", "behaviour"),
    [
        ("openai", says("", refusal="I cannot help with that.")),
        ("openai", says("", stop="content_filter")),
        ("anthropic", says("", stop="refusal")),
    ],
)
def test_refusals_are_known_and_counted(server: ChatServer, make: Make, maker: str, behaviour: Behaviour) -> None:
    server.script = [behaviour]
    outcome = ask(make(maker))
    assert isinstance(outcome, Unusable)
    assert isinstance(outcome.error, ModelRefused)
    assert (outcome.tokens_in, outcome.tokens_out) == (7, 3)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_answer_cannot_be_used(server: ChatServer, make: Make, maker: str, text: str) -> None:
    server.script = [says(text)]
    outcome = ask(make(maker))
    assert isinstance(outcome, Unusable)
    assert isinstance(outcome.error, ModelBadAnswer)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("usage", [None, {}, "many", {"prompt_tokens": -1, "completion_tokens": True, "input_tokens": 1e400}])
def test_a_server_that_does_not_count_is_counted_high(server: ChatServer, make: Make, maker: str, usage: object) -> None:
    server.script = [says("Ada.", usage=usage)]
    answer = ask(make(maker))
    assert isinstance(answer, Answer)
    assert answer.tokens_in == most_tokens("Be brief.", "Who?") >= 7
    assert answer.tokens_out == 50


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(
    "body",
    [b"<html>hello</html>", b"", b"[]", b"null", b"{}", b'{"choices": []}', b'{"choices": [3]}', b'{"content": "text"}',
     b'{"choices": [{"message": {"content": 7}}]}', b"[" * 5000, b'{"choices": [{"mess'],
)  # fmt: skip
def test_answers_of_another_form(server: ChatServer, make: Make, maker: str, body: bytes) -> None:
    server.script = [lambda handler: handler.send(200, body)]
    outcome = ask(make(maker))
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.error, ModelBadAnswer)
    assert (outcome.passing, outcome.worked) == (False, True)
    assert "LODMEM_LLM_URL" in outcome.error.hint


@pytest.mark.parametrize("maker", MAKERS)
def test_thirty_megabytes_are_cut_off(server: ChatServer, make: Make, maker: str) -> None:
    server.script = [thirty_megabytes]
    outcome = ask(make(maker))
    assert isinstance(outcome, Failure)
    assert f"more than {MAX_ANSWER_BYTES // 2**20} MB" in outcome.error.message
    assert outcome.worked


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("behaviour", [hang, half])
def test_what_never_ends_may_have_cost_something(server: ChatServer, make: Make, maker: str, behaviour: Behaviour) -> None:
    server.script = [behaviour]
    outcome = ask(make(maker, timeout_s=0.2))
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.error, ModelUnavailable)
    assert (outcome.passing, outcome.worked) == (True, True)


@pytest.mark.parametrize("code", [429, 500, 529])
def test_what_may_pass_costs_nothing(server: ChatServer, make: Make, code: int) -> None:
    server.script = [status(code, "busy", Retry_After="3")]
    outcome = ask(make("anthropic"))
    assert isinstance(outcome, Failure)
    assert (outcome.passing, outcome.wait_s, outcome.worked, outcome.status) == (True, 3.0, False, code)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_key_that_is_not_let_in_is_never_shown(server: ChatServer, make: Make, maker: str) -> None:
    server.script = [status(401, f"invalid key {KEY}")]
    client = make(maker)
    outcome = ask(client)
    assert isinstance(outcome, Failure)
    assert not outcome.passing
    assert "API key" in outcome.error.hint
    assert KEY not in f"{outcome!r} {outcome.error} {client!r}"


def test_parts_are_joined(server: ChatServer, make: Make) -> None:
    parts = [{"type": "text", "text": "A"}, {"type": "image"}, {"type": "text", "text": "da"}]
    server.script = [says("", content=parts)]
    answer = ask(make("openai"))
    assert isinstance(answer, Answer)
    assert answer.text == "Ada"


def test_newer_models_get_the_parameters_they_want(server: ChatServer, make: Make) -> None:
    server.script = [
        status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        status(400, "'temperature' does not support 0"),
        says("Ada."),
        says("Ada."),
    ]
    client = make("openai")
    assert isinstance(ask(client), Answer)
    assert isinstance(ask(client), Answer)
    assert len(server.requests) == 4
    assert server.requests[3]["max_completion_tokens"] == 50
    assert not {"max_tokens", "temperature"} & set(server.requests[3])


def test_a_parameter_is_given_up_once(server: ChatServer, make: Make) -> None:
    server.script = [status(400, "temperature")] * 9
    for maker in MAKERS:
        before = len(server.requests)
        outcome = ask(make(maker))
        assert isinstance(outcome, Failure)
        assert len(server.requests) - before == 2


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("given", [{"base_url": "localhost:1"}, {"api_key": "two words"}])
def test_settings_that_cannot_be_used(make: Make, maker: str, given: dict[str, str]) -> None:
    with pytest.raises(BadParameter):
        make(maker, **given)


def test_makers_have_addresses_of_their_own() -> None:
    openai = make_chat("openai", "m", base_url=None, api_key=None, timeout_s=1)
    anthropic = make_chat("anthropic", "m", base_url=None, api_key=None, timeout_s=1)
    assert repr(openai) == "OpenAiChat(https://api.openai.com/v1/chat/completions, m)"
    assert repr(anthropic) == "AnthropicChat(https://api.anthropic.com/v1/messages, m)"
    with pytest.raises(BadParameter, match="makes no language models"):
        make_chat("acme", "m", base_url=None, api_key=None, timeout_s=1)
