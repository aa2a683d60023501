"""The real litellm against the scripted server, as an OpenAI-compatible one. Skipped where the extra is not installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

import lodmem
from lodmem.errors import BadParameter, LodmemError, ModelBadAnswer, ModelRefused, ModelUnavailable
from lodmem.models.chat import Unusable
from lodmem.models.chat_litellm import LiteLlmChat
from lodmem.models.http import Failure
from lodmem.models.registry import make_chat
from lodmem.ports import Answer
from tests.chat_server import Behaviour, ChatServer, half, hang, says, status
from tests.ingest.levels_kit import FULL, SUMMARY, good

KEY = "sk-very-secret-0123456789"
MODEL = "openai/tiny"
installed = pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="the extra litellm is not installed")
pytestmark = [pytest.mark.req("R5.5"), pytest.mark.filterwarnings("ignore")]  # what litellm and its parts warn of is theirs


def client(server: ChatServer, timeout_s: float = 20.0) -> LiteLlmChat:
    made = make_chat("litellm", MODEL, base_url=server.url, api_key=KEY, timeout_s=timeout_s)
    assert isinstance(made, LiteLlmChat)
    return made


def ask(server: ChatServer, timeout_s: float = 20.0) -> Answer | Unusable | Failure:
    return client(server, timeout_s).ask("Be brief.", "Who?", max_tokens=50)


@installed
def test_an_answer_and_what_is_sent(server: ChatServer) -> None:
    server.script = [says("Ada.")]
    assert ask(server) == Answer(text="Ada.", model=MODEL, tokens_in=7, tokens_out=3)
    (sent,) = server.requests
    assert (sent["model"], sent["max_tokens"], sent["temperature"]) == ("tiny", 50, 0)
    assert sent["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
    assert {name.lower(): value for name, value in sent["headers"].items()}["authorization"] == f"Bearer {KEY}"


@installed
def test_cut_empty_and_refused_answers(server: ChatServer) -> None:
    server.script = [says("Ad", stop="length"), says(""), says("", stop="content_filter")]
    cut, empty, refused = ask(server), ask(server), ask(server)
    assert isinstance(cut, Answer)
    assert cut.cut
    assert isinstance(empty, Unusable)
    assert isinstance(empty.error, ModelBadAnswer)
    assert isinstance(refused, Unusable)
    assert isinstance(refused.error, ModelRefused)


@installed
@pytest.mark.parametrize(
    ("behaviour", "error", "passing"),
    [
        (status(429, "busy", Retry_After="3"), ModelUnavailable, True),
        (status(500, "oops"), ModelUnavailable, True),
        (status(503, "busy"), ModelUnavailable, True),
        (status(401, f"invalid key {KEY}"), ModelUnavailable, False),
        (status(404, "no such model"), ModelUnavailable, False),
        (status(400, "bad request"), ModelBadAnswer, False),
        (half, ModelUnavailable, True),
    ],
)
def test_failures_are_told_like_those_of_the_other_clients(
    server: ChatServer, behaviour: Behaviour, error: type[LodmemError], passing: bool
) -> None:
    server.script = [behaviour]
    outcome = ask(server)
    assert isinstance(outcome, Failure)
    assert (type(outcome.error), outcome.passing) == (error, passing)
    assert KEY not in f"{outcome!r} {outcome.error}"
    assert len(server.requests) == 1, "it is the guard that tries again, and counts"
    if outcome.status == 429:
        assert outcome.wait_s == 3.0


@installed
def test_a_server_that_hangs(server: ChatServer) -> None:
    server.script = [hang]
    outcome = ask(server, timeout_s=0.5)
    assert isinstance(outcome, Failure)
    assert (outcome.passing, outcome.worked, type(outcome.error)) == (True, True, ModelUnavailable)


@installed
def test_levels_through_an_engine(server: ChatServer, tmp_path: Path) -> None:
    server.reply = good
    settings = {"llm": f"litellm:{MODEL}", "llm_url": server.url, "llm_api_key": KEY}
    with lodmem.open(tmp_path / "m.db", embedder="none", background=False, **settings) as engine:  # type: ignore[arg-type]
        engine.remember(FULL.format(n=1))
        assert dict(engine.relevel().written) == {"summary": 1, "headline": 1}
        memory = engine.expand(1)[0]
        assert (memory.summary, memory.written_by) == (SUMMARY, MODEL)
        assert sum(spent.calls for spent in engine.llm_account().all) == 2


def test_without_the_package_it_says_what_to_install(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    outcome = ask(server)
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.error, ModelUnavailable)
    assert "pip install 'lodmem[litellm]'" in outcome.error.hint
    assert not outcome.passing


@pytest.mark.parametrize("changed", [{"model": "tiny"}, {"model": "/"}, {"base_url": "ftp://x"}, {"api_key": "two words"}])
def test_what_cannot_be_used_is_refused(changed: dict[str, str]) -> None:
    given: dict[str, object] = {"model": MODEL, "base_url": None, "api_key": "", "timeout_s": 1.0, **changed}
    make: Callable[..., object] = make_chat
    with pytest.raises(BadParameter):
        make("litellm", given.pop("model"), **given)
