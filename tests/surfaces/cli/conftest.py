"""The command line in this process, in a real one, and at a terminal; each on a store and a home of its own."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lodmem.cli.main import cli

Run = Callable[..., Result]
RunJson = Callable[..., Any]
Process = Callable[..., "subprocess.CompletedProcess[bytes]"]
AtTerminal = Callable[..., tuple[int, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store" / "memory.db"


@pytest.fixture
def variables(tmp_path: Path, store: Path) -> dict[str, str]:
    """An environment with nothing of this user in it. No embedding model: what needs one says so."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "LODMEM_STORE": str(store),
        "LODMEM_EMBEDDER": "none",
        "LODMEM_ZONE": "UTC",
        "TERM": "xterm-256color",
        "COLUMNS": "80",
    }


@pytest.fixture
def lodmem(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`lodmem ARGS` in this process; `expect` is the exit code."""
    for name in list(os.environ):
        if name.startswith("LODMEM_") or name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    def run(*args: object, input: str | bytes | None = None, expect: int = 0, **env: str) -> Result:  # noqa: A002
        result = CliRunner().invoke(cli, [str(arg) for arg in args], input=input, env=dict(env))
        assert result.exit_code == expect, result.output
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def lodmem_json(lodmem: Run) -> RunJson:
    """What `lodmem --json ARGS` prints on stdout."""

    def run(*args: object, **kwargs: Any) -> Any:
        return json.loads(lodmem("--json", *args, **kwargs).stdout)

    return run


@pytest.fixture
def process(variables: dict[str, str]) -> Process:
    """`lodmem ARGS` as a process of its own, stdin and both outputs piped."""

    def run(*args: object, input: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:  # noqa: A002
        command = [sys.executable, "-m", "lodmem", *map(str, args)]
        return subprocess.run(command, input=input, capture_output=True, env=variables | env, timeout=60, check=False)

    return run


@pytest.fixture
def at_terminal(variables: dict[str, str]) -> AtTerminal:
    """`lodmem ARGS` with all three streams on a terminal of `columns`: exit code and what the terminal received."""

    def run(*args: object, columns: int = 80, typed: bytes = b"", **env: str) -> tuple[int, str]:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {name: value for name, value in (variables | env).items() if name != "COLUMNS"}
        command = [sys.executable, "-m", "lodmem", *map(str, args)]
        with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as child:
            os.close(theirs)
            if typed:
                os.write(ours, typed)
            received = b"".join(iter(lambda: _read(ours), b""))
            os.close(ours)
        return child.returncode, received.decode()

    return run


class _Refusing(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def refusing_model() -> Iterator[dict[str, str]]:
    """Variables that name an embedding server which refuses every key."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        yield {"LODMEM_OPENAI_BASE_URL": url, "LODMEM_OPENAI_MODEL": "any", "LODMEM_EMBEDDER": "openai-compatible"}
        server.shutdown()
        thread.join()


def _read(descriptor: int) -> bytes:
    """The next bytes; nothing once the other side is closed, which Linux reports as an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError as error:
        if error.errno == errno.EIO:
            return b""
        raise
