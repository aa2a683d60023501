"""A virtual environment for each peer, made from its pinned requirements and kept until they change."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.peers.roster import Peer

TIMEOUT = 1_800
# Threads where they can be set, no telemetry, no model hub.
QUIET = {
    **dict.fromkeys(
        (
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "RAYON_NUM_THREADS",
            "TOKIO_WORKER_THREADS",
            "LANCE_CPU_THREADS",
        ),
        "1",
    ),
    **dict.fromkeys(("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"), "1"),
    **dict.fromkeys(("ANONYMIZED_TELEMETRY", "MEM0_TELEMETRY", "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"), "False"),
    "TOKENIZERS_PARALLELISM": "false",
    "MEMPALACE_EMBEDDING_MODEL": "minilm",
    "MEMPALACE_EMBEDDING_DEVICE": "cpu",
}


class Unavailable(Exception):
    """A peer cannot be measured; the message says why."""


def python_of(peer: Peer, root: Path) -> Path:
    """The interpreter that runs the peer, its environment made first where need be. Raises Unavailable."""
    if peer.own:
        return Path(sys.executable)
    home = root / peer.key
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp, mark = home / "made-of", fingerprint(peer, home)
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == mark:
        return python
    root.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(root).free / 1e9
    if free < peer.needs_gb:
        raise Unavailable(f"its environment wants {peer.needs_gb:.0f} GB of free disk, there are {free:.1f}")
    shutil.rmtree(home, ignore_errors=True)
    run("python -m venv", [sys.executable, "-m", "venv", str(home)])
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    run("pip install", [*install, "--only-binary", ":all:", "-r", str(peer.requirements)])
    stamp.write_text(mark, encoding="utf-8")
    return python


def fingerprint(peer: Peer, home: Path) -> str:
    parts = (str(home), sys.version, peer.requirements.read_text(encoding="utf-8"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def run(what: str, command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{what} did not end within {TIMEOUT} s") from None
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if not line.startswith(("WARNING", "[notice]"))]
        raise Unavailable(f"{what} failed: {' '.join(said[-3:])[:300]}")


def quiet_environment(home: Path) -> dict[str, str]:
    """What a worker's environment is: a home of its own, one thread, no telemetry, nothing of the caller's but the path."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "TEMP") if name in os.environ}
    places = {"HOME": str(home), "USERPROFILE": str(home), "MEM0_DIR": str(home / "mem0"), "PYTHONUTF8": "1"}
    return {**kept, **places, **QUIET}
