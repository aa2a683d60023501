"""Git history: one memory a commit of the branch that is checked out, with its message, author date and touched paths.

The place of a commit is the length of the longest way from it down to a root, which no later commit, merge or rebase on top
changes; the repository is named by the root of its first-parent line, which every clone and fork shares. It runs the git
command to read and never to write, fetch or run what the repository configures.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lodmem.errors import InputError, UnknownPath
from lodmem.ingest.importers.base import CALLERS
from lodmem.ingest.importers.files import shown
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Source, to_datetime

MAX_PATHS = 30
SESSION = "history"
_FIELDS = ("%H", "%P", "%at", "%an", "%B")
_SAFE: tuple[str, ...] = ("--no-pager", "--no-replace-objects", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false")
_LOG: tuple[str, ...] = (
    "log",
    "--topo-order",
    "--reverse",
    "-z",
    "--raw",
    "--no-renames",
    "--no-relative",
    "--ignore-submodules=none",
)
_LOG += (
    "--no-show-signature",
    "--no-color",
    "--no-ext-diff",
    "--root",
    "--encoding=UTF-8",
    "--format=tformat:" + "%x00".join(_FIELDS),
)


@dataclass(slots=True)
class _Commit:
    hash: bytes
    parents: list[bytes]
    seconds: bytes
    author: bytes
    message: bytes
    paths: list[bytes] = field(default_factory=list)


class GitImporter:
    """A git repository: its top folder, a linked worktree, or a bare repository."""

    name = "git"

    def recognises(self, path: Path) -> bool:
        """Whether the folder itself is a repository; a folder inside one is not."""
        return _git_folder(path) is not None

    def count(self, path: Path) -> int | None:
        """The number of commits. Raises as `read` does."""
        return int(_ask(_repository(path), "rev-list", "--count", "HEAD"))

    def read(self, path: Path) -> Iterator[Draft | Problem]:
        """Commits from the root up, parents before children.

        Raises:
            UnknownPath: there is nothing at `path`.
            InputError: no repository, no commit in it, or no git to read it with.
        """
        folder = _repository(path)
        root = _ask(folder, "rev-list", "--first-parent", "--max-parents=0", "HEAD").split()[-1]
        if _ask(folder, "rev-parse", "--is-shallow-repository").strip() == "true":
            yield Problem(shown(path), "a shallow clone, older commits are missing; git fetch --unshallow brings them")
        depths: dict[bytes, int] = {}
        for commit in _commits(folder):
            depth = 1 + max((depths.get(parent, -1) for parent in commit.parents), default=-1)
            depths[commit.hash] = depth
            yield _draft(commit, f"git:{root[:12]}", depth)


def _draft(commit: _Commit, uri: str, depth: int) -> Draft | Problem:
    message, paths = commit.message.decode("utf-8", "replace").strip(), sorted(commit.paths)
    parts = [message] if message else []
    if paths:
        more = f" and {len(paths) - MAX_PATHS} more" if len(paths) > MAX_PATHS else ""
        parts.append("Touched: " + ", ".join(path.decode("utf-8", "replace") for path in paths[:MAX_PATHS]) + more)
    name = commit.hash.decode()
    if not parts:
        return Problem(f"commit {name[:10]}", "it has neither a message nor files")
    meta: dict[str, object] = {"commit": name, "author": commit.author.decode("utf-8", "replace"), "files": len(paths)}
    if not _is_utf8(commit.message):
        meta["encoding"] = "the message is not UTF-8; bytes that could not be read were replaced"
    return Draft(
        full="\n\n".join(parts),
        space=CALLERS,
        agent=CALLERS,
        created_us=_author_time(commit.seconds),
        source=Source(uri, SESSION, depth),
        tags=("git",),
        meta=meta,
    )


def _author_time(seconds: bytes) -> int | None:
    """Microseconds of git's author date; None where it is beyond any calendar."""
    try:
        us = int(seconds) * 1_000_000
        to_datetime(us)
    except (ValueError, OverflowError):
        return None
    return us


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


# -- the git command --------------------------------------------------------------------------------------------------


def _repository(path: Path) -> Path:
    if not path.exists():
        raise UnknownPath(f"there is nothing at {shown(path)}", hint="check the path")
    folder = _git_folder(path)
    if folder is None:
        raise InputError(f"{shown(path)} is not a git repository", hint="give the top folder of a repository")
    head = _run(folder, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
    if head.returncode and head.stderr.strip():
        raise _failed(folder, head.stderr)
    if head.returncode:
        raise InputError(f"{shown(path)} has no commits", hint="commit first, or read its files with --as markdown")
    return folder


def _git_folder(path: Path) -> Path | None:
    if (path / ".git").exists():
        return path / ".git"
    return path if (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir() else None


def _command(folder: Path, *arguments: str) -> list[str]:
    return ["git", *_SAFE, f"--git-dir={folder}", *arguments]


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(_command(folder, *arguments), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except FileNotFoundError:
        raise InputError("the git command was not found", hint="install git, or read the files with --as markdown") from None


def _ask(folder: Path, *arguments: str) -> str:
    done = _run(folder, *arguments)
    if done.returncode:
        raise _failed(folder, done.stderr)
    return done.stdout.decode("utf-8", "replace")


def _commits(folder: Path) -> Iterator[_Commit]:
    """Commits as git prints them, read while it runs."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            _command(folder, *_LOG, "HEAD"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        )
        try:
            yield from _parsed(_tokens(process))
            if process.wait():
                errors.seek(0)
                raise _failed(folder, errors.read())
        finally:
            process.kill()
            process.communicate()


def _parsed(tokens: Iterator[bytes]) -> Iterator[_Commit]:
    """Five fields a commit, then a pair for each file it touches: ":modes hashes status" and the path."""
    commit: _Commit | None = None
    for token in tokens:
        if token.lstrip(b"\n").startswith(b":") and commit:
            commit.paths.append(next(tokens))
            continue
        if commit:
            yield commit
        commit = _Commit(token, next(tokens).split(), next(tokens), next(tokens), next(tokens))
    if commit:
        yield commit


def _tokens(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """What lies between the NUL bytes of the output; each is closed by one."""
    rest = b""
    while process.stdout and (chunk := process.stdout.read(1 << 16)):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def _failed(folder: Path, errors: bytes) -> InputError:
    said = errors.decode("utf-8", "replace").strip().splitlines() or ["it failed and did not say why"]
    return InputError(f"git cannot read {shown(folder)}: {said[0]}", hint="see what `git log` says there")
