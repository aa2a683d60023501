"""`export` and `import`: everything as open JSON lines, both ways."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import option
from lodmem.cli.progress import progress
from lodmem.cli.safe import safe_line
from lodmem.cli.write import SHOWN_PROBLEMS, no_wait_option, settle
from lodmem.errors import BadParameter
from lodmem.text.secrets import told

if TYPE_CHECKING:
    from lodmem.care.load import Loaded

STREAM = "-"


@click.command("export", cls=Verb)
@click.argument("file", type=click.Path())
@option("--vectors", is_flag=True, help="With the embeddings, so that importing need not make them again.")
@option("--force", is_flag=True, help="Replace the file if it is there.")
@pass_app
def export(app: App, file: str, vectors: bool, force: bool) -> None:
    """Write all that is kept to an open file: one JSON object a line, every field. '-' is standard output; .gz is packed.

    The file is of one moment of the store, whatever others write meanwhile.

    \b
    lodmem export memories.jsonl.gz
    lodmem export - | grep launch
    """
    if file == STREAM:
        if app.as_json:
            raise BadParameter("standard output cannot take both", hint="name a file, or leave --json out")
        with app.engine(reindexing=True) as engine:
            engine.export(sys.stdout.buffer, vectors=vectors)
        return
    with app.engine(reindexing=True) as engine, progress(app, "writing") as report:
        done = engine.export(file, vectors=vectors, overwrite=force, progress=report)
    if app.as_json:
        path = str(Path(file).absolute())
        app.print_json({"file": path, "memories": done.memories, "lines": done.lines, "bytes": done.bytes})
    else:
        from lodmem.cli.output import size

        app.print(f"{file}: {done.memories:,} memories, {done.lines:,} lines, {size(done.bytes)}")


@click.command("import", cls=Verb)
@click.argument("file", type=click.Path())
@option("--all", "every", is_flag=True, help="List every problem, not the first ten.")
@no_wait_option
@pass_app
def load(app: App, file: str, every: bool, no_wait: bool) -> None:
    """Take in what 'lodmem export' wrote, packed or not; '-' is standard input. Doing it twice adds nothing.

    Into an empty store everything comes back as it was, ids too. Into another one comes what is new, under new ids. Lines that
    cannot be used are reported and passed over.

    \b
    lodmem import memories.jsonl.gz --store new.db
    """
    with app.engine(create=True) as engine:
        with progress(app, "reading") as report:
            source = sys.stdin.buffer if file == STREAM else file
            done = engine.load(source, progress=report)
        if app.as_json:
            app.print_json(_as_json(done))
        else:
            _tell(app, done, every=every)
        sys.stdout.flush()
        if not no_wait:
            settle(app, engine)
    if done.failed and not (done.added or done.known):
        raise click.exceptions.Exit(1)


def _as_json(done: Loaded) -> dict[str, object]:
    return {
        "added": done.added,
        "known": done.known,
        "renumbered": done.renumbered,
        "other": done.other,
        "left_out": done.left_out,
        "masked": done.masked,
        "failed": done.failed,
        "problems": [{"where": problem.where, "why": problem.why} for problem in done.problems],
    }


def _tell(app: App, done: Loaded, *, every: bool) -> None:
    problems = f"{done.failed:,} {'problem' if done.failed == 1 else 'problems'}"
    app.print(f"{done.added:,} added, {done.known:,} known already, {problems}")
    if done.renumbered:
        app.print(f"{done.renumbered:,} of them under another id: theirs are in use here")
    for what, count in done.left_out.items():
        app.print(f"left out: {count:,} {what}")
    if done.masked:
        app.print(told(kind for kind, times in done.masked.items() for _ in range(times)))
    shown = done.problems if every else done.problems[:SHOWN_PROBLEMS]
    for problem in shown:
        app.print("  " + safe_line(f"{problem.where}: {problem.why}"))
    if len(shown) < done.failed:
        app.print(f"  and {done.failed - len(shown):,} more" + ("" if every else ": --all lists them"))
