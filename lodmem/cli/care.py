"""`stats` and `reindex`: what the store holds, and making its embeddings anew."""

from __future__ import annotations

from collections.abc import Mapping

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.progress import progress
from lodmem.model.landscape import Stats
from lodmem.model.memory import to_datetime


@click.command("stats", cls=Verb)
@pass_app
def stats(app: App) -> None:
    """What the store holds, by state, kind, space and agent."""
    with app.engine() as engine:
        counted = engine.stats()
    if app.as_json:
        from lodmem.cli import as_json

        app.print_json(as_json.stats(counted))
    else:
        from lodmem.cli import output

        output.show_facts(output.console(app), _facts(app, counted))


def _facts(app: App, counted: Stats) -> dict[str, str]:
    from lodmem.cli.output import size

    span = "none"
    if counted.first_created_us is not None and counted.last_created_us is not None:
        first, last = (to_datetime(us).astimezone(app.zone) for us in (counted.first_created_us, counted.last_created_us))
        span = f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return {
        "store": f"{counted.path} ({size(counted.bytes)}, schema {counted.schema_version})",
        "memories": f"{counted.memories:,} ({counted.never_retrieved:,} never retrieved)",
        "created": span,
        "tokens": f"{counted.tokens_full:,} in full",
        "passages": f"{counted.passages:,} ({counted.embedded_passages:,} embedded)",
        "backlog": f"{counted.backlog:,} waiting for their embedding" if counted.backlog else "none",
        "embedder": counted.embedder or "none: by words only",
        "by state": _counts(counted.by_status),
        "by kind": _counts(counted.by_kind),
        "by space": _counts(counted.by_space),
        "by agent": _counts(counted.by_agent),
    }


def _counts(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count:,}" for name, count in ordered) or "none"


@click.command("reindex", cls=Verb)
@pass_app
def reindex(app: App) -> None:
    """Make the embeddings anew, for instance with another model. Can be stopped and taken up again.

    \b
    lodmem reindex --embedder minilm
    """
    with app.engine(reindexing=True) as engine, progress(app, "embedding") as report:
        count = engine.reindex(report)
    if app.as_json:
        app.print_json({"embedded": count})
    else:
        app.print(f"embedded {count:,} memories")
