"""`serve` and `token` at the command line, as processes of their own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest


@contextmanager
def serving(variables: dict[str, str], *args: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A `lodmem serve` that has told its address."""
    command = [sys.executable, "-m", "lodmem", "serve", "--no-open", *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def stopped(process: subprocess.Popen[str], with_: signal.Signals) -> str:
    """Standard error of a process that ends by itself after a signal."""
    process.send_signal(with_)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    return errors


@pytest.mark.req("R17.10")
def test_serve_answers_and_ends_gracefully(variables: dict[str, str], store: Path) -> None:
    with serving(variables, "--port", "0", "--log") as (process, url):
        assert url.startswith("http://127.0.0.1:")
        with httpx.Client(base_url=url, trust_env=False, timeout=30) as client:
            assert client.post("/api/v1/memories", json={"text": "tea with Ada"}).status_code == 201
            assert client.post("/api/v1/search", json={"query": "tea & its secret words"}).json()["views"]
            with client.stream("GET", "/api/v1/events") as stream:
                assert next(stream.iter_lines()).startswith("id:")
                errors = stopped(process, signal.SIGINT)
    assert "POST /api/v1/search 200" in errors
    assert "secret words" not in errors
    assert [file.name for file in store.parent.iterdir() if file.name.endswith("-wal")] == []


def test_a_taken_port_is_said(variables: dict[str, str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with serving(variables, "--port", str(port), "--json") as (process, _):
            assert process.stdout is not None
            line = process.stdout.readline()
            assert f":{port}/" not in line
            assert '"url": "http://127.0.0.1:' in line
            assert f"port {port} is taken" in stopped(process, signal.SIGTERM)


@pytest.mark.req("R13.4")
def test_beyond_this_machine_it_asks_for_a_token_first(lodmem: Any) -> None:
    refused = lodmem("serve", "--host", "0.0.0.0", "--no-open", expect=2)
    assert "nobody has a token" in refused.stderr
    assert "lodmem token add" in refused.stderr


def test_read_only_needs_a_store(lodmem: Any) -> None:
    lodmem("serve", "--read-only", "--no-open", expect=4)


@pytest.mark.req("R13.4")
def test_tokens_are_shown_once(lodmem: Any, lodmem_json: Any, store: Path) -> None:
    made = lodmem("token", "add", "laptop", "--as", "scout", "--within", "acme/lab")
    text = made.stdout.strip()
    assert text.startswith("lodmem_")
    assert "shown this once" in made.stderr
    listed = lodmem("token", "list").stdout
    assert "laptop" in listed
    assert "acme/lab" in listed
    assert text not in listed
    (token,) = lodmem_json("token", "list")["tokens"]
    assert (token["name"], token["agent"], token["space"]) == ("laptop", "scout", "acme/lab")
    assert lodmem("token").stdout == listed
    assert text.encode() not in store.read_bytes()
    second = lodmem_json("token", "add", "phone")
    assert second["token"] != text
    assert "laptop" in lodmem("token", "add", "laptop", expect=2).stderr
    lodmem("token", "revoke", "laptop")
    assert [each["name"] for each in lodmem_json("token", "list")["tokens"]] == ["phone"]
    assert "laptop" in lodmem("token", "revoke", "laptop", expect=3).stderr
    assert lodmem_json("token", "revoke", "phone") == {"revoked": "phone"}


def test_serve_loads_no_web_framework_for_other_commands(variables: dict[str, str]) -> None:
    script = (
        "import sys, json\nfrom lodmem.cli.main import cli, run\nimport os\n"
        "run(cli, ['--help'], os.environ)\nrun(cli, ['stats'], os.environ)\n"
        "print(json.dumps([m for m in ('fastapi', 'starlette', 'uvicorn', 'mcp') if m in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=os.environ | variables, check=True
    )
    assert json.loads(done.stdout.splitlines()[-1]) == []
