"""Real git repositories with fixed dates and people, whatever the machine's own git settings are."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


class Repository:
    """A git repository whose commits have set dates. It reads no settings but its own."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)

    def git(self, *arguments: str, env: dict[str, str] | None = None, data: bytes | None = None) -> str:
        environment = {
            "PATH": str(Path(shutil.which("git") or "git").parent),
            "HOME": str(self.path),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "Ada Example",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ben Example",
            "GIT_COMMITTER_EMAIL": "ben@example.org",
            "GIT_COMMITTER_DATE": "2030-01-01T00:00:00Z",
            **(env or {}),
        }
        done = subprocess.run(["git", *arguments], cwd=self.path, env=environment, input=data, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(self, message: str | bytes, files: dict[str, str] | None = None, when: str = "2024-05-01T10:00:00+02:00") -> str:
        """Write the files, commit everything; the new commit's hash."""
        for name, text in (files or {}).items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        self.git("add", "--all")
        raw = message.encode() if isinstance(message, str) else message
        options = ("--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "--quiet", "--file=-")
        self.git("commit", *options, env={"GIT_AUTHOR_DATE": when}, data=raw)
        return self.git("rev-parse", "HEAD")

    def raw_commit(self, message: bytes, files: dict[str, str]) -> str:
        """A commit with a message of any bytes: `git commit` would turn them into UTF-8."""
        self.commit("to be replaced", files)
        body = self.git("cat-file", "commit", "HEAD").partition("\n\n")[0].encode() + b"\n\n" + message
        name = self.git("hash-object", "-w", "-t", "commit", "--stdin", data=body)
        self.git("update-ref", "HEAD", name)
        return name


@pytest.fixture
def new_repository(tmp_path: Path) -> Callable[..., Repository]:
    """Makes a repository in a folder of the test."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")

    def make(name: str = "repo", *options: str) -> Repository:
        return Repository(tmp_path / name, *options)

    return make
