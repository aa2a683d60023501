"""`lodmem mcp` below the client: lines in, lines out, signals, and an end in the middle of everything."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import lodmem
from tests.surfaces.mcp_process import HANDSHAKE, answers, call, command, id_of, lines, started


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def test_what_is_piped_in_is_answered_before_the_end(store: Path) -> None:
    sent = lines(*HANDSHAKE, *(call(n, "memory_remember", text=f"Piped {n}") for n in range(1, 21)), call(21, "memory_search"))
    done = subprocess.run(command(store), input=sent, capture_output=True, check=True, timeout=60)
    found = answers(done.stdout)
    assert sorted(found, key=str) == sorted(range(22), key=str)
    assert not any(message["result"].get("isError") for message in found.values())
    assert done.stderr == b""
    with lodmem.open(store, embedder="none") as engine:
        assert engine.stats().memories == 20


def test_a_line_that_is_no_message_is_answered_and_the_rest_served(store: Path) -> None:
    bad = b'not json\n\n[1]\n{"jsonrpc":"2.0"}\n\xff\xfe\n{"jsonrpc":"2.0","id":1,"method":"ping","params":"\\ud800"}\n'
    sent = lines(*HANDSHAKE) + bad + lines(call(2, "memory_remember", text="Still here."))
    done = subprocess.run(command(store), input=sent, capture_output=True, check=True, timeout=60)
    found = answers(done.stdout)
    assert found[None]["error"]["code"] == -32700
    assert id_of(found[2]["result"]["content"][0]["text"]) == 1


NOISY = """
import os, sys
import lodmem
from lodmem.mcp_server import serve

def open_engine():
    print("a stray print")
    os.write(1, b"a stray write\\n")
    return lodmem.open(sys.argv[1], embedder="none")

serve(open_engine)
"""


@pytest.mark.req("R17.6")
def test_stdout_holds_nothing_but_protocol(store: Path) -> None:
    sent = lines(*HANDSHAKE, call(1, "memory_remember", text="Quiet please."), call(2, "memory_search", query="quiet"))
    done = subprocess.run([sys.executable, "-c", NOISY, str(store)], input=sent, capture_output=True, check=True, timeout=60)
    assert set(answers(done.stdout)) == {0, 1, 2}
    assert b"a stray print" in done.stderr
    assert b"a stray write" in done.stderr


@pytest.mark.req("R17.7", "R16.3")
def test_a_server_killed_in_the_middle_loses_no_acknowledged_memory(store: Path, tmp_path: Path) -> None:
    sent = lines(*HANDSHAKE, *(call(n, "memory_remember", text=f"Written under fire: {n}") for n in range(1, 401)))
    with (tmp_path / "log").open("wb") as log, started(command(store), log) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(sent)
        process.stdin.flush()
        heard = [process.stdout.readline() for _ in range(41)]
        process.send_signal(signal.SIGKILL)
        process.wait()
        heard += [line for line in process.stdout if line.endswith(b"\n")]
    found = answers(b"".join(heard))
    acknowledged = {n: id_of(message["result"]["content"][0]["text"]) for n, message in found.items() if n}
    assert 40 <= len(acknowledged) < 400, "it was not in the middle"
    with lodmem.open(store, embedder="none") as engine:
        assert engine.check() == []
        for n, number in acknowledged.items():
            assert engine.expand(number, touch=False)[0].full == f"Written under fire: {n}"


def test_a_client_that_stops_reading_ends_it_without_noise(store: Path, tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log, started(command(store), log) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines(*HANDSHAKE))
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(lines(call(1, "memory_remember", text="Nobody hears this.")))
        process.stdin.close()
        assert process.wait(timeout=30) == 0
    assert b"Traceback" not in (tmp_path / "log").read_bytes()
    with lodmem.open(store, embedder="none") as engine:
        assert engine.stats().memories == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("wanted", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(store: Path, tmp_path: Path, wanted: signal.Signals) -> None:
    with (tmp_path / "log").open("wb") as log, started(command(store), log) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines(*HANDSHAKE, *(call(n, "memory_remember", text=f"Last words {n}") for n in range(1, 101))))
        process.stdin.flush()
        heard = [process.stdout.readline() for _ in range(3)]
        process.send_signal(wanted)
        heard += process.stdout.readlines()
        assert process.wait(timeout=10) == 0
    assert (tmp_path / "log").read_bytes() == b""
    told = [message["result"] for n, message in answers(b"".join(heard)).items() if n]
    kept = [id_of(result["content"][0]["text"]) for result in told if not result.get("isError")]
    with lodmem.open(store, embedder="none") as engine:
        assert len(engine.expand(*kept, touch=False)) == len(kept) >= 2


def test_the_package_loads_neither_sdk_nor_engine() -> None:
    program = "import sys, lodmem.mcp_server; print({'mcp', 'lodmem.engine', 'numpy', 'apsw'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=60)
    assert done.stdout.strip() == "set()"
