"""The demo runs from its first command to its last, in a repository and in a bare folder, and leaves a store behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lodmem

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/ARCHITECTURE.md", "docs/guides/embedders.md", "docs/decisions/0001-sqlite-through-apsw.md")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small copy in a folder with a space in its name."""
    folder = tmp_path / "a checkout"
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "demo.py", folder / "scripts")
    for page in PAGES:
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, folder / page)
    return folder


def run(folder: Path) -> str:
    home = folder / "home"
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    # Git must not take a repository further up for this one.
    environment = {**kept, "HOME": str(home), "GIT_CEILING_DIRECTORIES": str(folder.parent), "LODMEM_AGENT": "somebody"}
    command = [sys.executable, str(folder / "scripts" / "demo.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(home.rglob("memory.db"))
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_demo_in_a_repository(checkout: Path) -> None:
    git = ["git", "-C", str(checkout), "-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Keep every acknowledged write"]):
        subprocess.run([*git, *command], check=True)
    out = run(checkout)
    for step in range(1, 10):
        assert f"── {step}. " in out
    for shown in (
        "lodmem ingest . --importer git",
        "--exclude OpenAI",
        " 8,000 ",
        " 1,000 ",
        "lodmem expand",
        "lodmem look",
        "memory.db' serve",
        "claude mcp add",
    ):
        assert shown in out
    assert "\x1b" not in out
    with lodmem.open(checkout / ".demo" / "memory.db", create=False) as memory:
        assert memory.stats().backlog == 0
        assert memory.search("acknowledged write", tags=["history"], touch=False).views


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_demo_without_a_history(checkout: Path) -> None:
    out = run(checkout)
    assert "no git repository" in out
    assert "--importer git" not in out
    assert "lodmem window today" in out
