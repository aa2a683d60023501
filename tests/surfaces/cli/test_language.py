"""`llm` and `relevel` at the command line: in words and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, chat_server, says, status

pytestmark = pytest.mark.req("R5.5")

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


@pytest.fixture
def model(server: ChatServer) -> dict[str, str]:
    """Variables that name a language model."""
    return {"LODMEM_LLM": "openai:tiny", "LODMEM_LLM_URL": server.url, "LODMEM_LLM_API_KEY": KEY}


def test_none_is_the_default(lodmem: Any, lodmem_json: Any, store: Path) -> None:
    assert lodmem("llm").stdout.splitlines()[0].split(maxsplit=1) == ["models", "none: everything is done without one"]
    assert lodmem_json("llm") == {
        "models": {}, "state": {}, "cap": [], "minute": None, "today": [], "all": [], "waiting": 0,
    }  # fmt: skip
    assert not store.exists(), "looking makes no store"
    result = lodmem("llm", "test", expect=2)
    assert "LODMEM_LLM=openai:MODEL" in result.stderr


def test_one_tiny_call_is_counted(lodmem: Any, lodmem_json: Any, server: ChatServer, model: dict[str, str]) -> None:
    assert lodmem("llm", "test", **model).stdout == "tiny answers: ready\n"
    assert lodmem_json("llm", "test", "--task", "headline", **model, LODMEM_LLM_HEADLINE="small")["model"] == "small"
    assert [request["model"] for request in server.requests] == ["tiny", "small"]
    priced = {"LODMEM_LLM_CAP": "day=1000,store=5000", "LODMEM_LLM_CAP_COST": "day=0.5", "LODMEM_LLM_PRICES": "tiny=1/2"}
    shown = lodmem_json("llm", **model, **priced)
    assert shown["models"] == {"default": "tiny", "summary": "tiny", "headline": "tiny"}
    assert shown["state"] == {"tiny": {"last": "done", "resting_until": None}}
    assert shown["cap"] == [
        {"period": "day", "tokens": 1000, "tokens_used": 20, "cost": 0.5, "cost_used": 0.0},
        {"period": "store", "tokens": 5000, "tokens_used": 20, "cost": None, "cost_used": 0.0},
    ]
    counts = {"task": "test", "calls": 1, "failed": 0, "tokens_in": 7, "tokens_out": 3, "cost": 0.0}
    assert shown["all"] == shown["today"] == [{"model": "small", **counts}, {"model": "tiny", **counts}]


def test_the_page_for_people(lodmem: Any, server: ChatServer, model: dict[str, str]) -> None:
    lodmem("llm", "test", **model)
    lines = [" ".join(line.split()) for line in lodmem("llm", **model, LODMEM_LLM_CAP="day=1000").stdout.splitlines()]
    assert lines == [
        "models tiny",
        "state of tiny ready; the last call: done",
        "cap a day 1,000 tokens, 10 used, 990 left",
        "today 1 calls, 10 tokens",
        "",
        "model task calls failed in out cost calls today tokens today",
        "tiny test 1 0 7 3 1 10",
    ]
    assert "cap none" in " ".join(lodmem("llm", **model, LODMEM_LLM_CAP="none").stdout.split())


def test_the_limit_a_minute_is_shown(lodmem: Any, lodmem_json: Any, server: ChatServer, model: dict[str, str]) -> None:
    lodmem("llm", "test", **model, LODMEM_LLM_RPM="1")
    for limits, shown in (
        ({"LODMEM_LLM_RPM": "60", "LODMEM_LLM_TPM": "40000"}, "60 requests, 1 made; 40,000 tokens, 10 used"),
        ({"LODMEM_LLM_RPM": "60"}, "60 requests, 1 made"),
        ({"LODMEM_LLM_TPM": "40000"}, "40,000 tokens, 10 used"),
    ):
        lines = [" ".join(line.split()) for line in lodmem("llm", **model, **limits).stdout.splitlines()]
        assert f"limit a minute {shown}" in lines
    of_one = lodmem_json("llm", **model, LODMEM_LLM_TPM="40000")["minute"]
    assert of_one == {"requests": None, "requests_made": 1, "tokens": 40_000, "tokens_used": 10}
    assert lodmem_json("llm", **model)["minute"] is None


def test_streaming_is_a_setting(lodmem: Any, server: ChatServer, model: dict[str, str]) -> None:
    lodmem("llm", "test", **model)
    lodmem("llm", "test", **model, LODMEM_LLM_STREAM="off")
    assert [request["stream"] for request in server.requests] == [True, False]
    assert "on or off" in lodmem("llm", **model, LODMEM_LLM_STREAM="maybe", expect=2).stderr


@pytest.mark.parametrize("verb", ["relevel", "work"])
def test_what_is_waited_for_is_shown_at_a_terminal(
    at_terminal: Any, lodmem: Any, server: ChatServer, writing: dict[str, str], verb: str
) -> None:
    lodmem("remember", FULL, **writing)
    server.script = [status(429, "busy", Retry_After="1")]
    code, screen = at_terminal(verb, **writing, LODMEM_ZONE="Asia/Tokyo")
    assert code == 0
    assert re.search(r"until \d\d:\d\d:\d\d tiny waits to try again", screen)


def test_a_model_in_peace_is_shown_so(lodmem: Any, lodmem_json: Any, server: ChatServer, model: dict[str, str]) -> None:
    server.script = [status(401, f"bad key {KEY}")] * 5
    for _ in range(5):
        result = lodmem("llm", "test", **model, expect=5)
        assert "check the API key" in result.stderr
        assert KEY not in result.output
    assert "left in peace after failures until" in lodmem("llm", **model).stdout
    assert lodmem_json("llm", **model)["state"]["tiny"]["resting_until"]
    assert lodmem("llm", "test", **model).stdout == "tiny answers: ready\n"


def test_the_cap_is_told_with_what_to_do(lodmem: Any, server: ChatServer, model: dict[str, str]) -> None:
    result = lodmem("llm", "test", **model, LODMEM_LLM_CAP="day=20", expect=5)
    assert "spend cap a day: 20 tokens" in result.stderr
    assert "raise LODMEM_LLM_CAP" in result.stderr
    assert server.requests == []


def test_an_answer_is_harmless_on_a_terminal(lodmem: Any, server: ChatServer, model: dict[str, str]) -> None:
    server.script = [says("\x1b[2Jready\nor not")]
    assert "\x1b" not in lodmem("llm", "test", **model).stdout


# -- relevel --------------------------------------------------------------------------------------------------------------

FULL = (
    "Ada opened the meeting and asked where the launch stands. Brian said that his team still needs to run 1,200 tests on the"
    " three servers in Berlin, because the old run failed on a full disk. Nobody had noticed it for 9 days. Ada then moved"
    " the launch from May 20 to June 3, and asked Brian to send a short note every Friday until then."
)
SUMMARY = "Ada moved the launch from May 20 to June 3 because of tests in Berlin."
LEAD = "Ada moves the launch to June 3 because tests in Berlin failed."


@pytest.fixture
def writing(server: ChatServer, model: dict[str, str]) -> dict[str, str]:
    server.reply = lambda system, user: LEAD if "headline" in user else SUMMARY
    return model


def test_relevel_writes_what_waits(lodmem: Any, lodmem_json: Any, writing: dict[str, str]) -> None:
    lodmem("remember", FULL, **writing)
    assert "1 memories for their levels" in lodmem("llm", **writing).stdout
    assert lodmem("relevel", **writing).stdout == "1 memories: 1 summaries, 1 headlines written\n"
    (memory,) = lodmem_json("expand", 1)["memories"]
    assert (memory["summary"], memory["written_by"]) == (SUMMARY, "tiny")


def test_relevel_of_chosen_and_of_all(lodmem: Any, lodmem_json: Any, writing: dict[str, str]) -> None:
    lodmem("remember", FULL)
    lodmem("remember", "Brian drinks tea.")
    done = lodmem_json("relevel", "--all", **writing)
    assert done == {
        "memories": 1,
        "written": {"summary": 1, "headline": 1},
        "kept": {},
        "short": 0,
        "left": 0,
        "stopped": "",
    }
    assert lodmem_json("relevel", "--all", **writing)["memories"] == 0
    assert lodmem_json("relevel", "--all", "--again", **writing)["memories"] == 1
    assert lodmem("relevel", "#1", 2, **writing).stdout.splitlines() == [
        "2 memories: 1 summaries, 1 headlines written",
        "  1 are short and stand for themselves",
    ]
    assert "no memory #9" in lodmem("relevel", 9, **writing, expect=3).stderr


def test_relevel_says_what_stayed_and_what_waits(lodmem: Any, server: ChatServer, writing: dict[str, str]) -> None:
    lodmem("remember", FULL)
    server.reply = lambda system, user: "Dora moved the launch to July 7 after the tests in Oslo failed."
    assert lodmem("relevel", 1, **writing).stdout.splitlines() == [
        "1 memories: 0 summaries, 0 headlines written",
        "  2 stayed as they were: says what the text does not",
    ]
    result = lodmem("relevel", 1, **writing, LODMEM_LLM_CAP="run=50")
    assert "spend cap a run" in result.stderr
    assert "1 wait; 'lodmem relevel' goes on" in result.stderr


def test_relevel_wants_to_know_which(lodmem: Any, writing: dict[str, str]) -> None:
    lodmem("remember", FULL)
    for args in ((1, "--all"), ("--again",)):
        assert "--again goes with --all" in lodmem("relevel", *args, **writing, expect=2).stderr
    assert "LODMEM_LLM=" in lodmem("relevel", "--all", expect=2).stderr


def test_relevel_shows_a_bar_at_a_terminal(at_terminal: Any, lodmem: Any, writing: dict[str, str]) -> None:
    for n in range(4):
        lodmem("remember", f"{FULL} Number {n}.")
    code, screen = at_terminal("relevel", "--all", **writing)
    assert code == 0
    assert "writing levels" in screen
