"""`doctor`: is everything there that lodmem needs, and is the store sound? Looks only; repairs are named, not made."""

from __future__ import annotations

import os
import platform
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import click

from lodmem._version import __version__
from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.errors import LodmemError, StoreMissing

if TYPE_CHECKING:
    from lodmem.engine import Engine

STYLES = {"ok": "green", "note": "yellow", "problem": "bold red"}
SAMPLE = "The doctor asks the model for one vector."


@dataclass(frozen=True)
class Finding:
    """One check: `state` is ok, note (works, but look at it) or problem."""

    check: str
    state: str
    text: str
    hint: str = ""


@click.command("doctor", cls=Verb)
@pass_app
def doctor(app: App) -> None:
    """Check versions, the store and its permissions, the tokenizer, the embedder and the backlog.

    Exit code 1 when a problem was found.
    """
    findings = [*_versions(), *_path(app), *_tokenizer(), *_embedder_and_store(app)]
    broken = any(finding.state == "problem" for finding in findings)
    if app.as_json:
        app.print_json({"ok": not broken, "findings": [asdict(finding) for finding in findings]})
    else:
        _show(app, findings)
    if broken:
        raise click.exceptions.Exit(1)


def _show(app: App, findings: list[Finding]) -> None:
    from rich.text import Text

    from lodmem.cli import output
    from lodmem.cli.safe import safe_line

    screen = output.console(app)
    for finding in findings:
        if app.quiet and finding.state == "ok":
            continue
        head = Text(f"{finding.state:<8}", STYLES[finding.state]).append(f"{finding.check:<12}", "bold")
        screen.print(head.append(safe_line(finding.text), ""), soft_wrap=True)
        if finding.hint:
            screen.print(Text(" " * 20 + safe_line(finding.hint), "dim"), soft_wrap=True)


def _versions() -> Iterator[Finding]:
    try:
        driver = version("apsw")
    except PackageNotFoundError:
        yield Finding("versions", "problem", "apsw is not installed", "pip install lodmem")
        return
    import apsw

    sqlite = apsw.sqlitelibversion()
    yield Finding(
        "versions", "ok", f"lodmem {__version__}, Python {platform.python_version()}, SQLite {sqlite} (apsw {driver})"
    )


def _path(app: App) -> Iterator[Finding]:
    path = app.settings.store.absolute()
    folder = next(parent for parent in path.parents if parent.exists())
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding("path", "problem", f"{folder} cannot be written", "make it writable, or choose another --store")
        return
    if path.is_file():
        if not os.access(path, os.R_OK | os.W_OK):
            yield Finding("path", "problem", f"{path} cannot be read and written", "check its owner and permissions")
            return
        if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            yield Finding("path", "note", f"other users of this machine may open {path}", f"chmod 600 '{path}'")
            return
    yield Finding("path", "ok", str(path))


def _tokenizer() -> Iterator[Finding]:
    from lodmem.models.tokenizer import WordPieceCounter

    try:
        count = WordPieceCounter().count(SAMPLE)
    except LodmemError as error:
        yield Finding("tokenizer", "problem", error.message, error.hint)
        return
    yield Finding("tokenizer", "ok", f"works ({count} tokens in a sample)")


def _embedder_and_store(app: App) -> Iterator[Finding]:
    from lodmem.wiring import embedder_of

    key = ""
    try:
        embedder = embedder_of(app.settings)
        if embedder is None:
            yield Finding("embedder", "note", "none: memories are found by their words only", "--embedder auto")
        else:
            key = embedder.identity.key
            embedder.embed([SAMPLE])
            yield Finding("embedder", "ok", f"{key} answers")
    except LodmemError as error:
        yield Finding("embedder", "problem", error.message, error.hint)
    try:
        with app.engine(reindexing=True) as engine:
            yield from _store(engine, key)
    except StoreMissing as error:
        yield Finding("store", "note", "there is none yet", error.hint)
    except LodmemError as error:
        yield Finding("store", "problem", error.message, error.hint)


def _store(engine: Engine, key: str) -> Iterator[Finding]:
    problems = engine.check()
    for problem in problems:
        yield Finding("store", "problem", problem, "keep a copy of the file before anything else")
    counted = engine.stats()
    if not problems:
        yield Finding(
            "store",
            "ok",
            f"{counted.memories:,} memories, schema {counted.schema_version}, sound",
        )
    if key and counted.embedder != key:
        made = f"with {counted.embedder}" if counted.embedder else "without an embedding model"
        yield Finding("index", "problem", f"the store was made {made}, not with {key}", "lodmem reindex")
    if counted.backlog:
        yield Finding(
            "backlog",
            "note",
            f"{counted.backlog:,} memories wait for their embedding",
            "they are embedded by the next 'lodmem remember' or a running 'lodmem mcp'",
        )
    else:
        yield Finding("backlog", "ok", "nothing waits")
