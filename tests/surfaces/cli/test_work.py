"""`work` and `queue` at the command line: in words, as JSON, and at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lodmem.stores.sqlite.store import SqliteStore
from tests.chat_server import ChatServer, chat_server, says, status
from tests.ingest.levels_kit import FULL, good

pytestmark = pytest.mark.req("R5.22")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        made.reply = good
        yield made


@pytest.fixture
def model(server: ChatServer) -> dict[str, str]:
    return {"LODMEM_LLM": "openai:tiny", "LODMEM_LLM_URL": server.url}


def give_up(store: Path, task: str) -> None:
    """Let the first item of a task be dead, as if it had failed too often."""
    with SqliteStore.open(store, now_us=0) as opened:
        items = opened.claim(task, worker="w", now_us=2**60, lease_us=1, limit=1)
        opened.release([items[0].id], error="model_bad_answer: nonsense", retry_us=None)


def test_nothing_waits(lodmem: Any, lodmem_json: Any) -> None:
    lodmem("remember", "Brian drinks tea.")
    lodmem("work")
    assert lodmem("queue").stdout == "nothing waits\n"
    assert lodmem("work").stdout == "nothing is due\n"
    assert lodmem("queue", "dead").stdout == "nothing was given up\n"
    states = lodmem_json("queue")
    assert [states[0][name] for name in ("waiting", "due", "leased", "dead")] == [0, 0, 0, 0]
    assert lodmem_json("queue", "dead") == []
    assert lodmem_json("work") == {"done": {}, "failed": {}, "dead": {}, "stopped": {}, "left": states}


def test_it_does_what_waits_and_says_so(lodmem: Any, lodmem_json: Any, model: dict[str, str], server: ChatServer) -> None:
    for n in range(2):
        lodmem("remember", FULL.format(n=n), **model)
    lodmem("work")
    states = {state["task"]: state for state in lodmem_json("queue", **model)}
    assert (states["levels"]["due"], states["headline"]["due"]) == (2, 0)
    lines = lodmem("queue", **model).stdout.splitlines()
    assert lines[0].split() == ["task", "waiting", "due", "leased", "dead", "oldest", "next", "due"]
    assert lines[-1].split()[:2] == ["levels", "2"]
    assert server.requests == []
    assert lodmem("work", **model).stdout.splitlines() == ["levels: 2 done", "headline: 2 done"]
    assert len(server.requests) == 4


def test_it_says_what_is_left_and_why(lodmem: Any, lodmem_json: Any, model: dict[str, str], server: ChatServer) -> None:
    for n in range(3):
        lodmem("remember", FULL.format(n=n), **model)
    lodmem("work")
    server.script = [status(401, "who are you?")]
    away = lodmem("work", **model, expect=5)
    assert away.stdout == "levels: 3 left\n"
    assert "401" in away.stderr
    server.script = [says(None, usage={"prompt_tokens": 400, "completion_tokens": 50})] * 9
    capped = lodmem("work", **model, LODMEM_LLM_CAP="day=2000")
    assert "spend cap" in capped.stderr
    assert "left" in capped.stdout
    assert "with no model here" in lodmem("work").stdout
    done = lodmem_json("work", "--task", "levels", **model, LODMEM_LLM_CAP="day=2000")
    assert done["stopped"]["levels"]["code"] == "spend_cap"
    assert "embed: no such work" in lodmem("work", "--task", "embed", **model, expect=2).stderr


def test_what_was_given_up_is_listed_and_tried_again(
    lodmem: Any, lodmem_json: Any, model: dict[str, str], store: Path, server: ChatServer
) -> None:
    for n in range(2):
        lodmem("remember", FULL.format(n=n), **model)
        give_up(store, "levels")
    lodmem("work")
    first, second = lodmem_json("queue", "dead")
    assert (first["task"], first["memory_id"], first["attempts"], first["error"]) == (
        "levels",
        1,
        1,
        "model_bad_answer: nonsense",
    )
    page = lodmem("queue", "dead").stdout
    assert "#2" in page
    assert "nonsense" in page
    assert "2 said: model_bad_answer: nonsense" in lodmem("queue").stdout
    assert lodmem("work", **model).stdout == "nothing is due\n"
    assert lodmem("queue", "retry", str(first["id"])).stdout == "1 due again\n"
    assert "had not been given up" in lodmem("queue", "retry", str(first["id"])).stderr
    assert lodmem_json("queue", "retry", "--all", "--task", "levels") == {"retried": 1}
    assert second["id"] != first["id"]
    server.script = [says(None)] * 9
    assert lodmem_json("work", "--workers", "3", **model)["done"] == {"levels": 2, "headline": 2}
    for wrong in ((), ("1", "--all"), ("1", "--task", "levels")):
        lodmem("queue", "retry", *wrong, expect=2)


def test_bars_at_a_terminal(at_terminal: Any, lodmem: Any, model: dict[str, str]) -> None:
    for n in range(2):
        lodmem("remember", FULL.format(n=n), **model)
    code, screen = at_terminal("work", **model)
    assert code == 0
    assert "headline by the language model" in screen
    assert "levels: 2 done" in screen
