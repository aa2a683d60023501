"""`tune` and `calibrate`: fitting a profile to what was useful, and an embedding model's constants to texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import option, words
from lodmem.cli.progress import progress
from lodmem.errors import BadParameter, ModelUnavailable

if TYPE_CHECKING:
    from lodmem.evals.calibration import Calibration
    from lodmem.evals.tune_report import TuneReport


@click.command("tune", cls=Verb)
@click.argument("name", metavar="PROFILE", type=words)
@option("--labels", type=click.Path(), metavar="FILE", help="Labelled queries, one JSON object a line.")
@option("--from-use", is_flag=True, help="What agents expanded soon after a search is what they were looking for.")
@option("--minutes", type=click.FloatRange(min=0.1), default=10, help="How soon, with --from-use. [default: 10]")
@option("--save", is_flag=True, help="Keep the result, as a profile of its own.")
@option("--as", "saved_as", type=words, metavar="NAME", help="Under this name. [default: PROFILE-tuned]")
@pass_app
def tune(app: App, name: str, labels: str | None, from_use: bool, minutes: float, save: bool, saved_as: str | None) -> None:
    """Fit alpha, lambda and the thresholds of a profile to what was useful, and try them on questions that took no part.

    Labels: {"query": "...", "ids": [482]} or {"query": "...", "texts": ["..."]}, "date" where it was asked at another time.

    \b
    lodmem tune balanced --from-use
    lodmem tune balanced --labels queries.jsonl --save --as mine
    """
    from lodmem.evals.tune import tune as fit

    if bool(labels) == from_use:
        raise BadParameter("tuning needs something to go by", hint="give either --labels FILE or --from-use")
    with app.engine() as engine:
        with progress(app, "looking") as bar:
            report = fit(engine, name, labels=Path(labels) if labels else None, minutes=minutes, progress=bar)
        kept = replace(report.after, name=saved_as or f"{name}-tuned")
        if save:
            engine.save_profile(kept)
    if app.as_json:
        app.print_json({**report.to_dict(), "saved": kept.name if save else None})
    else:
        _show(app, report, f"saved as {kept.name}" if save else f"not saved; --save keeps it as {kept.name}")


def _show(app: App, report: TuneReport, outcome: str) -> None:
    from lodmem.cli import output
    from lodmem.evals.tables import on_terminal

    screen = output.console(app)
    for grid in report.grids():
        screen.print(on_terminal(grid))
    for line in (*report.notes(), outcome):
        app.print(line)


@click.command("calibrate", cls=Verb)
@option("--text", type=click.Path(), metavar="FILE", help="Measure on these texts or pairs, one JSON object a line.")
@option("--sample", type=click.IntRange(min=30, max=5000), default=500, help="So many texts at most. [default: 500]")
@option("--seed", type=click.IntRange(min=0), default=0, help="For the draw. [default: 0]")
@option("--save", is_flag=True, help="Keep c0 and c1 in the store; searches use them from now on.")
@option("--reset", is_flag=True, help="Forget what was kept: the model's own count again. Measures nothing.")
@pass_app
def calibrate(app: App, text: str | None, sample: int, seed: int, save: bool, reset: bool) -> None:
    """Between which cosines the embedding model puts unrelated and clearly related texts: c0 and c1.

    Measured on the store's own texts, or on a file: {"text": "..."} a line, or {"query": "...", "text": "..."} where the text
    answers the query, which is steadier.

    \b
    lodmem calibrate --save
    lodmem calibrate --text pairs.jsonl --embedder openai-compatible
    """
    from lodmem.evals.calibrate import calibrate_file, calibrate_store

    if reset:
        if save or text is not None:
            raise BadParameter("--reset measures nothing", hint="give it alone")
        _reset(app)
        return
    if text is None:
        with app.engine() as engine:
            found = calibrate_store(engine, sample=sample, seed=seed)
    else:
        from lodmem.wiring import embedder_of

        embedder = embedder_of(app.settings)
        if embedder is None:
            raise ModelUnavailable("there is no embedding model to calibrate", hint="name one with --embedder")
        found = calibrate_file(embedder, Path(text), sample=sample, seed=seed)
    if save:
        with app.engine() as engine:
            engine.calibrate((found.c0, found.c1))
    if app.as_json:
        app.print_json({**found.to_dict(), "saved": save})
    else:
        _tell(app, found)
        app.print("kept in the store" if save else "not kept; --save keeps them in the store")


def _reset(app: App) -> None:
    with app.engine() as engine:
        before = engine.calibration()
        engine.calibrate(None)
    if app.as_json:
        app.print_json({"forgotten": None if before is None else {"c0": before[0], "c1": before[1]}})
    else:
        app.print("the store had no calibration of its own" if before is None else "the model's own c0 and c1 count again")


def _tell(app: App, found: Calibration) -> None:
    from lodmem.cli import output
    from lodmem.evals.calibration import PERCENTILES

    screen = output.console(app)
    facts = {
        "model": found.model,
        "measured on": f"{found.count} {found.source}",
        "c0": f"{found.c0:.3f} (in use: {found.before[0]:g})",
        "c1": f"{found.c1:.3f} (in use: {found.before[1]:g})",
    }
    output.show_facts(screen, facts)
    rows = [("unrelated", found.unrelated), ("related", found.related)]
    titles = ("cosines at %", *(f"{percentile:g}" for percentile in PERCENTILES))
    output.show_table(screen, titles, [[name, *(f"{value:.2f}" for value in values)] for name, values in rows])
