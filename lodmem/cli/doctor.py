"""`doctor`: is everything there that lodmem needs, and is the store sound? With --repair, what is derived is made anew."""

from __future__ import annotations

import glob
import os
import platform
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lodmem._version import __version__
from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import option
from lodmem.cli.progress import progress
from lodmem.cli.write import settle
from lodmem.errors import LodmemError, StoreMissing

if TYPE_CHECKING:
    from lodmem.engine import Engine
    from lodmem.model.landscape import Stats

STYLES = {"ok": "green", "done": "bold green", "note": "yellow", "problem": "bold red"}
SAMPLE = "The doctor asks the model for one vector."


@dataclass(frozen=True)
class Finding:
    """One check: `state` is ok, done (repaired just now), note (works, but look at it) or problem."""

    check: str
    state: str
    text: str
    hint: str = ""


@click.command("doctor", cls=Verb)
@option("--repair", is_flag=True, help="Make anew what is derived and not as it should be. Texts are never touched.")
@pass_app
def doctor(app: App, repair: bool) -> None:
    """Check versions, the store's place, the tokenizer and the embedder, then the whole store: integrity, texts, passages, word
    index, index terms, vectors, use, change log, work that waits or was given up.

    --repair rebuilds the word index, makes outdated index terms anew, drops broken vectors, and queues what is missing; it says
    what it did and can be interrupted. Exit code 1 when a problem is left.

    \b
    lodmem doctor
    lodmem doctor --repair
    """
    findings = [*_versions(), *_path(app), *_tokenizer(), *_embedder_and_store(app, repair=repair)]
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
    yield from _left_over(path)


def _left_over(path: Path) -> Iterator[Finding]:
    """Files that a killed upgrade, backup or restore may have left beside the store."""
    for kept in sorted(path.parent.glob(f"{glob.escape(path.name)}.schema-*.bak")):
        yield Finding("path", "note", f"an upgrade was interrupted and left {kept.name}", "delete it when the store opens")
    for kept in sorted(path.parent.glob(f".{glob.escape(path.name)}.*.partial")):
        yield Finding("path", "note", f"a copy was interrupted and left {kept.name}", "delete it")


def _tokenizer() -> Iterator[Finding]:
    from lodmem.models.tokenizer import WordPieceCounter

    try:
        count = WordPieceCounter().count(SAMPLE)
    except LodmemError as error:
        yield Finding("tokenizer", "problem", error.message, error.hint)
        return
    yield Finding("tokenizer", "ok", f"works ({count} tokens in a sample)")


def _embedder_and_store(app: App, *, repair: bool) -> Iterator[Finding]:
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
            if repair:
                yield from _repair(app, engine, key)
            yield from _store(engine, key)
    except StoreMissing as error:
        yield Finding("store", "note", "there is none yet", error.hint)
    except LodmemError as error:
        yield Finding("store", "problem", error.message, error.hint)


def _repair(app: App, engine: Engine, key: str) -> Iterator[Finding]:
    with progress(app, "repairing") as report:
        done = engine.repair(report)
    for what in done:
        yield Finding("repair", "done", what)
    if not done:
        yield Finding("repair", "ok", "nothing had to be made anew")
    if key and engine.stats().embedder == key:
        settle(app, engine)


def _store(engine: Engine, key: str) -> Iterator[Finding]:
    problems = engine.troubles()
    for problem in problems:
        if problem.severe:
            hint = "keep a copy of the file first; 'lodmem doctor --repair' makes anew what is derived"
            yield Finding(problem.name, "problem", problem.text, hint)
        else:
            yield Finding(problem.name, "note", problem.text, "lodmem doctor --repair")
    counted = engine.stats()
    if not any(problem.severe for problem in problems):
        yield Finding(
            "store",
            "ok",
            f"{counted.memories:,} memories, schema {counted.schema_version}, sound",
        )
    if counted.embedder:
        yield _vectors(engine, counted)
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


def _vectors(engine: Engine, counted: Stats) -> Finding:
    clip = engine.calibration()
    own = "" if clip is None else f"; calibrated for this store: c0 {clip[0]:g}, c1 {clip[1]:g}"
    text = f"{counted.embedded_passages:,} of {counted.passages:,} passages have one of {counted.embedder}{own}"
    return Finding("vectors", "ok", text)
