"""`backup` and `restore`: a copy of the whole store, and the way back."""

from __future__ import annotations

from pathlib import Path

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import option
from lodmem.cli.progress import progress


@click.command("backup", cls=Verb)
@click.argument("file", type=click.Path())
@option("--force", is_flag=True, help="Replace the file if it is there.")
@pass_app
def backup(app: App, file: str, force: bool) -> None:
    """Copy the whole store, as it is at this moment, to one file. Others go on writing meanwhile.

    The copy is checked before it gets its name. It is a store itself: --store FILE looks into it.

    \b
    lodmem backup ~/backups/memory-2026-05-04.db
    """
    with app.engine(reindexing=True) as engine, progress(app, "copying") as report:
        size = engine.backup(file, overwrite=force, progress=report)
    if app.as_json:
        app.print_json({"file": str(Path(file).absolute()), "bytes": size})
    else:
        from lodmem.cli.output import size as readable

        app.print(f"{file}: {readable(size)}, checked")


@click.command("restore", cls=Verb)
@click.argument("file", metavar="BACKUP", type=click.Path())
@option("--discard", is_flag=True, help="Delete the store that was there, once the backup has taken its place.")
@pass_app
def restore(app: App, file: str, discard: bool) -> None:
    """Put a backup in the store's place. The store that was there stays beside it under a dated name.

    The backup is checked first. Nothing may have the store open: end agents and 'lodmem mcp' before. What was forgotten since
    the backup stays forgotten, and no id is given a second time.

    \b
    lodmem restore ~/backups/memory-2026-05-04.db
    """
    from lodmem.wiring import restore_store

    with progress(app, "copying") as report:
        done = restore_store(app.settings, Path(file), keep=not discard, progress=report)
    if app.as_json:
        previous = None if done.previous is None else str(done.previous)
        app.print_json({"memories": done.memories, "previous": previous, "forgotten": done.forgotten})
        return
    app.print(f"{app.settings.store}: {done.memories:,} memories")
    if done.forgotten:
        app.print(f"forgotten again: {done.forgotten:,} that had been forgotten since the backup")
    if done.previous is not None:
        app.print(f"the store that was there: {done.previous}")
