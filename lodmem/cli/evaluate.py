"""`eval`: the product measured on public data, through its own search."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import VerbGroup
from lodmem.cli.options import option
from lodmem.cli.progress import progress


@click.group("eval", cls=VerbGroup)
def evaluate() -> None:
    """Measure on public data: how often does search find the evidence?"""


@evaluate.command("locomo")
@click.argument("path", metavar="FILE", type=click.Path())
@option("--limit", type=click.IntRange(min=1), metavar="N", help="So many questions only, drawn at random.")
@option("--seed", type=int, default=0, help="For the draw of --limit. [default: 0]")
@option("--cache", type=click.Path(), metavar="FOLDER", help="Where embeddings are kept. [default: the user's cache]")
@pass_app
def locomo(app: App, path: str, limit: int | None, seed: int, cache: str | None) -> None:
    """Recall of the evidence at 5, 10, 20 and 50 in LoCoMo, within each conversation, at alpha 1.

    \b
    lodmem eval locomo locomo10.json
    """
    from lodmem.evals.run import evaluate_locomo
    from lodmem.wiring import embedder_of

    with progress(app, "evaluating") as bar:
        report = evaluate_locomo(
            Path(path),
            embedder=embedder_of(app.settings),
            cache_dir=None if cache is None else Path(cache),
            limit=limit,
            seed=seed,
            progress=_stages(bar),
        )
    if app.as_json:
        app.print_json(report.to_dict())
    else:
        from lodmem.cli import output

        output.console(app).print(report.table())


def _stages(bar: Callable[..., None] | None) -> Callable[[str, int, int], None] | None:
    """The bar as the evaluation calls it: with the name of the stage first."""
    if bar is None:
        return None
    return lambda what, done, total: bar(done, total, what)
