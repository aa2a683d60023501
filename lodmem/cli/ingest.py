"""`ingest`: what a file, a folder, an export or another store holds comes in; or would, or keeps coming."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import option, words
from lodmem.cli.progress import progress
from lodmem.cli.safe import safe_line
from lodmem.cli.write import AUTO, SHOWN_PROBLEMS, no_wait_option, settle, tags_option
from lodmem.cli.write import importance as importance_of
from lodmem.errors import BadParameter
from lodmem.ingest.report import IngestReport, Overview
from lodmem.model.memory import DEFAULT_IMPORTANCE
from lodmem.text.secrets import told

POLL_SECONDS = 1.0


@click.command("ingest", cls=Verb)
@click.argument("path", type=click.Path())
@option("--as", "--importer", "importer", type=words, metavar="FORMAT", help="What it is. Default: what it looks like.")
@option("--dry-run", is_flag=True, help="Read and tell what would come in; keep nothing.")
@option("--watch", is_flag=True, help="Follow transcripts as they grow, until Ctrl-C.")
@tags_option
@option(
    "--importance",
    type=importance_of,
    metavar="NUMBER|auto",
    help="Where the source gives none: 0 to 1; auto: judged from each text.",
)
@option("--jobs", type=int, metavar="N", help="Processes beside this one. Default: 2 for 16 MB and more.")
@option("--all", "every", is_flag=True, help="List every problem, not the first ten.")
@no_wait_option
@pass_app
def ingest(
    app: App,
    path: str,
    importer: str | None,
    dry_run: bool,
    watch: bool,
    tags: tuple[str, ...],
    importance: float | str | None,
    jobs: int | None,
    every: bool,
    no_wait: bool,
) -> None:
    """Keep what a file, a folder or a git repository holds. Doing it twice changes nothing.

    Formats: openclaw, git, claude-code, codex, chatgpt, claude, mempalace, mem0, mail, jsonl, markdown, text.

    \b
    lodmem ingest ~/notes --tag notes
    lodmem ingest ~/.claude --dry-run
    lodmem ingest ~/.claude --watch
    lodmem ingest . --as git
    """
    if watch and dry_run:
        raise BadParameter("--watch keeps what comes, --dry-run keeps nothing", hint="give one of them")
    if watch and importance is not None:
        raise BadParameter("--watch does not weigh what comes", hint="leave --importance away")
    if watch:
        _watch(app, path, importer, tags, every=every, no_wait=no_wait)
        return
    with app.scratch() if dry_run else app.engine(create=True) as engine:
        with progress(app, "reading", share=True) as told:
            given = DEFAULT_IMPORTANCE if importance is None else importance
            weight = None if given == AUTO else float(given)
            report = engine.ingest(
                path, importer=importer, tags=tags, dry_run=dry_run, importance=weight, jobs=jobs, progress=told
            )
        _show(app, report, dry_run=dry_run, every=every)
        if not (no_wait or dry_run):
            settle(app, engine)
    if report.problems and not (report.added or report.unchanged):
        raise click.exceptions.Exit(1)


def _watch(app: App, path: str, importer: str | None, tags: tuple[str, ...], *, every: bool, no_wait: bool) -> None:
    with app.engine(create=True) as engine:
        following = engine.follow(path, importer=importer, tags=tags)
        app.note("following; Ctrl-C ends it")
        try:
            while True:
                report = following.look()
                if report.added or report.problems:
                    _show(app, report, dry_run=False, every=every)
                    if not no_wait:
                        settle(app, engine)
                time.sleep(POLL_SECONDS)
        except KeyboardInterrupt:
            app.note("no longer following; everything that was reported is kept")


def _show(app: App, report: IngestReport, *, dry_run: bool, every: bool) -> None:
    if app.as_json:
        app.print_json(_report_json(report, dry_run=dry_run))
    else:
        _print_report(app, report, dry_run=dry_run, every=every)
    sys.stdout.flush()


def _report_json(report: IngestReport, *, dry_run: bool) -> dict[str, Any]:
    overview = report.overview
    return {
        "importer": report.importer,
        "dry_run": dry_run,
        "added": report.added,
        "unchanged": report.unchanged,
        "problems": [{"where": problem.where, "why": problem.why} for problem in report.problems],
        "more_problems": report.more_problems,
        "passed_over": dict(report.passed),
        "masked": dict(report.masked),
        "kinds": dict(overview.kinds),
        "earliest": _day(overview.earliest_us),
        "latest": _day(overview.latest_us),
        "undated": overview.undated,
        "first": [{"date": _day(when), "text": text} for when, text in overview.first],
    }


def _print_report(app: App, report: IngestReport, *, dry_run: bool, every: bool) -> None:
    count = report.problem_count
    kept = f"{report.added:,} read, nothing kept" if dry_run else f"{report.added:,} added, {report.unchanged:,} unchanged"
    app.print(f"{report.importer}: {kept}, {count:,} {'problem' if count == 1 else 'problems'}")
    if dry_run:
        _print_overview(app, report.overview)
    if report.passed and (dry_run or every):
        app.print("  passed over: " + safe_line(", ".join(f"{count:,} {kind}" for kind, count in report.passed.items())))
    if report.masked:
        app.print("  " + told(kind for kind, times in report.masked.items() for _ in range(times)))
    shown = report.problems if every else report.problems[:SHOWN_PROBLEMS]
    for problem in shown:
        app.print("  " + safe_line(f"{problem.where}: {problem.why}"))
    if len(shown) < count:
        app.print(f"  and {count - len(shown):,} more" + ("" if every else ": --all lists them"))


def _print_overview(app: App, overview: Overview) -> None:
    if not overview.kinds:
        return
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in overview.kinds.most_common())
    span = f", from {_day(overview.earliest_us)} to {_day(overview.latest_us)}" if overview.earliest_us is not None else ""
    undated = f", {overview.undated:,} without a date" if overview.undated else ""
    app.print(f"  {safe_line(kinds)}{span}{undated}; the first:")
    for when, text in overview.first:
        app.print("  " + safe_line(f"{_day(when) or 'no date'} {text}"))


def _day(us: int | None) -> str | None:
    """The day of a time in UTC, None where there is none or no calendar has it."""
    if us is None:
        return None
    try:
        return datetime.fromtimestamp(us // 1_000_000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return None
