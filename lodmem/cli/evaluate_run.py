"""What the commands below `eval` share: their options, and how one of them runs and is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lodmem.cli.app import App
from lodmem.cli.options import option, stack
from lodmem.cli.progress import progress

if TYPE_CHECKING:
    from lodmem.evals.pages import Printable
    from lodmem.evals.runner import Plan

HALVES = ("all", "tune", "check")
UNITS = ("turn", "session")

cache_option = option(
    "--cache", type=click.Path(), metavar="FOLDER", help="Where embeddings are kept. [default: the user's cache]"
)
out_option = option(
    "--out", type=click.Path(), metavar="FOLDER", help="Write report.md, pictures and questions.jsonl; go on where it stopped."
)
work_option = option("--work", type=click.Path(), metavar="FOLDER", help="Keep finished stores there and use them again.")
alpha_option = option(
    "--alpha", type=click.FloatRange(0, 1), default=1.0, help="Weight of relevance against time. [default: 1]"
)
pooled_option = option("--pooled", is_flag=True, help="All haystacks, conversations or chats in one store.")

run_options = stack(
    [
        option("--limit", type=click.IntRange(min=1), metavar="N", help="So many questions only, drawn at random."),
        option("--seed", type=int, default=0, help="For the draw of --limit, and for intervals. [default: 0]"),
        option(
            "--half", type=click.Choice(HALVES), default="all", help="Questions to tune on, or to check with. [default: all]"
        ),
        cache_option,
        work_option,
        out_option,
    ]
)


def measure(app: App, given: dict[str, Any], run: Callable[[Plan], Printable]) -> None:
    """Run one measure as the options say, show what it found, and write it where --out says."""
    from lodmem.evals import pages
    from lodmem.evals.runner import Plan
    from lodmem.wiring import embedder_of

    out = folder(given.get("out"))
    with progress(app, "evaluating") as bar:
        plan = Plan(
            embedder=embedder_of(app.settings),
            cache_dir=folder(given.get("cache")),
            work_dir=folder(given.get("work")),
            out_dir=out,
            half=given.get("half", "all"),
            limit=given.get("limit"),
            seed=given.get("seed", 0),
            progress=_stages(bar),
        )
        report = run(plan)
    written = [] if out is None else pages.write(report, out)
    if app.as_json:
        app.print_json(report.to_dict())
        return
    from lodmem.cli import output
    from lodmem.evals.tables import on_terminal

    screen = output.console(app)
    for grid in report.grids():
        screen.print(on_terminal(grid))
    for line in report.notes():
        screen.print(line)
    for path in written[:1]:
        screen.print(f"written to {path}")


def folder(path: str | None) -> Path | None:
    return None if path is None else Path(path)


def _stages(bar: Callable[..., None] | None) -> Callable[[str, int, int], None] | None:
    """The bar as the evaluation calls it: with the name of the stage first."""
    if bar is None:
        return None
    return lambda what, done, total: bar(done, total, what)
