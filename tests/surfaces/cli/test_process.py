"""The command line as a process: pipes, terminals, signals, exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from typing import Any

import pytest

pytestmark = pytest.mark.req("R17.4")

TEXT = "Ada moved the launch to June 3"


def test_pipes_in_and_out(process: Any) -> None:
    done = process("remember", input=TEXT.encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"kept as #1\n", b"")
    done = process("expand", "--raw", "1")
    assert (done.returncode, done.stdout) == (0, TEXT.encode())
    done = process("search", "launch", "--scores")
    assert (done.returncode, done.stderr) == (0, b"")
    assert TEXT.encode() in done.stdout
    assert b"\x1b" not in done.stdout


def test_a_piped_page_is_not_wrapped(process: Any) -> None:
    line = "launch " * 100 + "end"
    process("remember", input=line.encode())
    assert any(line in row for row in process("search", "launch").stdout.decode().splitlines())


def test_errors_go_to_stderr_with_their_code(process: Any) -> None:
    done = process("search", "x")
    assert (done.returncode, done.stdout) == (4, b"")
    assert done.stderr.startswith(b"error: ")
    done = process("--json", "nonsense")
    assert (done.returncode, done.stdout) == (2, b"")
    assert json.loads(done.stderr)["error"]["code"] == "usage"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_of_the_output_will_do(process: Any, encoding: str) -> None:
    text = "日本 caf\u00e9 launch"
    process("remember", text)
    done = process("search", "launch", "--scores", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    found = process("search", "launch", "--json", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert json.loads(found.stdout.decode(encoding))["views"][0]["text"] == text


def test_a_closed_pipe_is_silent(variables: dict[str, str], lodmem: Any) -> None:
    for number in range(3):
        lodmem("remember", input=f"launch {number} ".encode() * 4000)
    command = [sys.executable, "-m", "lodmem", "expand", *["1", "2", "3"] * 30]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.read(10)
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(30) == 141


@pytest.mark.parametrize(
    "args", [["search", "launch"], ["search", "launch", "--render"], ["stats"], ["--help"], ["version", "--json"]]
)
def test_a_pipe_closed_from_the_start_is_silent(variables: dict[str, str], process: Any, args: list[str]) -> None:
    process("remember", TEXT)
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [sys.executable, "-m", "lodmem", *args], stdout=theirs, stderr=subprocess.PIPE, env=variables, timeout=60, check=False
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (141, b"")


def test_interrupted(variables: dict[str, str]) -> None:
    command = [sys.executable, "-m", "lodmem", "remember"]
    pipe = subprocess.PIPE
    # Whoever runs the tests in the background has interrupts ignored, and children inherit that.
    heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=variables, preexec_fn=heeding) as child:
        assert child.stderr is not None
        # It waits for its input once it has started; the signal must not come before Python can take it.
        deadline = time.monotonic() + 30
        while not _waits_for_input(child.pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 130
        assert b"Traceback" not in child.stderr.read()


def _waits_for_input(pid: int) -> bool:
    """Whether the process sleeps in a read from descriptor 0."""
    try:
        with open(f"/proc/{pid}/syscall") as file:
            return file.read().startswith("0 0x0 ")
    except (FileNotFoundError, PermissionError):
        pytest.skip("this system does not tell what a process waits for")


def test_at_a_terminal_there_are_colours(process: Any, at_terminal: Any) -> None:
    process("remember", TEXT)
    code, out = at_terminal("search", "launch")
    assert code == 0
    assert re.search(r"\x1b\[[0-9;]*m", out)
    assert "\x1b[" not in at_terminal("search", "launch", NO_COLOR="1")[1]
    assert "\x1b[" not in at_terminal("--no-color", "expand", "1")[1]


def test_errors_at_a_terminal_are_coloured(at_terminal: Any) -> None:
    code, out = at_terminal("search", "x")
    assert code == 4
    assert "\x1b[31m\x1b[1merror:\x1b[0m " in out
    assert "\x1b" not in at_terminal("search", "x", "--no-color")[1]


def test_the_page_fits_the_terminal(process: Any, at_terminal: Any) -> None:
    process("remember", "word " * 60 + "launch")
    lines = at_terminal("search", "launch", columns=50, NO_COLOR="1")[1].splitlines()
    assert max(map(len, lines)) <= 50
    assert len(lines) > 8


def test_hostile_memories_at_a_terminal(process: Any, at_terminal: Any) -> None:
    process("remember", input=b"launch \x1b[2J\x1b]0;owned\x07 \xc2\x9b31m \xe2\x80\xae [red]no markup[/red]")
    for args in (["search", "launch"], ["expand", "1"], ["search", "launch", "--json"], ["search", "launch", "--render"]):
        code, out = at_terminal(*args, NO_COLOR="1")
        assert code == 0
        assert not set(out) & set("\x1b\x07\x9b\u202e")
        assert "[red]no markup[/red]" in out


def test_nothing_to_remember_at_a_terminal(at_terminal: Any) -> None:
    code, out = at_terminal("remember", NO_COLOR="1")
    assert code == 2
    assert out.startswith("error: nothing to remember")


def test_a_progress_bar_where_somebody_watches(lodmem: Any, process: Any, at_terminal: Any) -> None:
    for number in range(5):
        lodmem("remember", f"thing {number}")
    code, out = at_terminal("reindex", "--embedder", "minilm")
    assert code == 0
    assert "embedding" in out
    assert "5/5" in out
    assert "embedded 5 memories" in out
    quiet = process("remember", "another thing", LODMEM_EMBEDDER="minilm")
    assert quiet.stderr == b""


def test_python_m_and_the_script_are_the_same(process: Any, variables: dict[str, str]) -> None:
    script = os.path.join(os.path.dirname(sys.executable), "lodmem")
    if not os.path.exists(script):
        pytest.skip("the package's script is not installed here")
    done = subprocess.run([script, "version", "--json"], capture_output=True, env=variables, timeout=60, check=True)
    assert done.stdout == process("version", "--json").stdout
