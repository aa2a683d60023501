"""`lodmem ingest`: what would come in, formats by name, and following a transcript until Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lodmem.ingest.importers import NAMES

pytestmark = pytest.mark.req("R5.20")


def row(kind: str, content: object, at: str = "2025-05-03T09:00:00Z") -> str:
    message = {"role": kind, "content": content}
    return json.dumps({"parentUuid": None, "sessionId": "s", "type": kind, "message": message, "timestamp": at}) + "\n"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """Two turns, an action between, a thought, and a row that is broken."""
    path = tmp_path / "s.jsonl"
    thought = [{"type": "thinking", "thinking": "Hm."}, {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]
    path.write_text(
        row("user", "List the cups.")
        + row("assistant", thought)
        + "{\n"
        + row("assistant", "There are \x1b[31mtwelve.", "2025-05-04T09:00:00Z")
    )
    return path


def test_a_dry_run_tells_what_would_come_in(lodmem: Any, lodmem_json: Any, transcript: Path, store: Path) -> None:
    told = lodmem("ingest", transcript, "--dry-run").stdout.splitlines()
    assert told[0] == "claude-code: 3 read, nothing kept, 1 problem"
    assert told[1] == "  1 user, 1 actions, 1 assistant, from 2025-05-03 to 2025-05-04; the first:"
    assert told[2] == "  2025-05-03 user: List the cups."
    assert told[3] == "  2025-05-03 assistant did: - Bash: ls"
    assert told[5] == "  passed over: 1 thinking blocks"
    assert told[6].startswith(f"  {transcript}:3: not JSON")
    assert "\x1b" not in "".join(told)
    found = lodmem_json("ingest", transcript, "--dry-run")
    assert found["kinds"] == {"user": 1, "actions": 1, "assistant": 1}
    assert (found["earliest"], found["latest"], found["undated"]) == ("2025-05-03", "2025-05-04", 0)
    assert found["first"][0] == {"date": "2025-05-03", "text": "user: List the cups."}
    assert found["passed_over"] == {"thinking blocks": 1}
    assert not store.exists()


def test_what_is_shown_of_a_text_shows_no_secret(lodmem: Any, tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
    (tmp_path / "a.txt").write_text(f"The token is {secret} for now.")
    told = lodmem("ingest", tmp_path / "a.txt", "--dry-run").stdout
    assert "The token is" in told
    assert secret not in told


def test_what_came_in_is_told_and_again_changes_nothing(lodmem: Any, transcript: Path) -> None:
    assert lodmem("ingest", transcript).stdout.splitlines()[0] == "claude-code: 3 added, 0 unchanged, 1 problem"
    assert lodmem("ingest", transcript).stdout.splitlines()[0] == "claude-code: 0 added, 3 unchanged, 1 problem"


@pytest.mark.parametrize("option", ["--as", "--importer"])
def test_a_format_can_be_named(lodmem: Any, lodmem_json: Any, transcript: Path, option: str) -> None:
    assert lodmem_json("ingest", transcript, option, "text", "--dry-run")["importer"] == "text"
    lodmem("ingest", transcript, option, "runes", expect=2)


def test_help_and_errors_name_every_format(lodmem: Any, tmp_path: Path) -> None:
    page = lodmem("ingest", "--help").stdout
    (tmp_path / "a.png").write_bytes(b"x")
    refused = lodmem("ingest", tmp_path / "a.png", expect=2).stderr
    for name in NAMES:
        assert name in page
        assert name in refused


def test_following_and_trying_do_not_go_together(lodmem: Any, transcript: Path, tmp_path: Path) -> None:
    assert "--dry-run" in lodmem("ingest", transcript, "--watch", "--dry-run", expect=2).stderr
    (tmp_path / "a.txt").write_text("Text.")
    assert "claude-code" in lodmem("ingest", tmp_path / "a.txt", "--watch", expect=2).stderr


def test_watch_keeps_what_comes_until_it_is_interrupted(
    variables: dict[str, str], lodmem_json: Any, transcript: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "lodmem", "ingest", str(transcript), "--watch", "--no-wait"]

    def wait_for(text: str) -> None:
        deadline = time.monotonic() + 60
        while text not in out.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert text in out.read_text()

    # Whoever runs the tests in the background has interrupts ignored, and children inherit that.
    heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with (
        out.open("wb") as file,
        subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=variables, preexec_fn=heeding) as child,
    ):
        wait_for("claude-code: 3 added")
        whole = row("user", "Thank you.")
        with transcript.open("a") as grown:
            grown.write(whole[:20])
            grown.flush()
            grown.write(whole[20:])
        wait_for("claude-code: 1 added")
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 0
    assert "Traceback" not in out.read_text()
    assert lodmem_json("stats")["memories"] == 4
