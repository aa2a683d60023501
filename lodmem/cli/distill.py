"""`distill` and `knowledge`: patterns from episodes, a person's word on them, what the runs did, and what is known."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb, VerbGroup
from lodmem.cli.options import memory_id, option
from lodmem.cli.progress import progress
from lodmem.cli.safe import safe_line
from lodmem.cli.write import settle
from lodmem.model.memory import to_datetime

if TYPE_CHECKING:
    from lodmem.care.distilling import Known
    from lodmem.engine import Engine
    from lodmem.ingest.distill.work import Distillation
    from lodmem.model.distilled import Pattern, Run

ANSWERS = {"y": True, "n": False}
SHOWN_EPISODES = 8


@click.group("distill", cls=VerbGroup, invoke_without_command=True)
@option("--review", is_flag=True, help="Each new pattern waits until a person decides; at a terminal you are asked at once.")
@option("--dry-run", is_flag=True, help="Show the patterns, store nothing.")
@option("--again", is_flag=True, help="Take up episodes that a model's answer was no use for, too.")
@option("--extractive", is_flag=True, help="Without the language model, though one is configured.")
@click.pass_context
def distill(ctx: click.Context, review: bool, dry_run: bool, again: bool, extractive: bool) -> None:
    """Turn new episodes into patterns: facts, preferences, habits, rules, decisions, one sentence each.

    Patterns are memories of kind semantic that know which episodes they came from; the best of them are what 'lodmem knowledge'
    shows. With no language model they are the episodes' own sentences. Running it twice adds nothing; interrupted, it goes on.
    What states a rule or a value waits for you: 'lodmem distill review'.

    \b
    lodmem distill --dry-run
    lodmem distill --review
    lodmem distill review --accept 482 --reject 483
    LODMEM_PRINCIPLES=~/principles.md lodmem distill
    """
    if ctx.invoked_subcommand is None:
        app: App = ctx.obj
        _run(app, review=review, dry_run=dry_run, again=again, extractive=extractive)
    elif review or dry_run or again or extractive:
        raise click.UsageError("these options belong to 'lodmem distill' alone", ctx=ctx)


def _run(app: App, *, review: bool, dry_run: bool, again: bool, extractive: bool) -> None:
    with app.engine() as engine:
        with progress(app, "distilling", waiting=engine.llm_waiting) as report:
            done = engine.distill(
                **app.looking(), review=review, dry_run=dry_run, again=again, extractive=extractive, progress=report
            )
        settle(app, engine)
        if app.as_json:
            app.print_json(_json(done))
            return
        _tell(app, done, dry_run=dry_run)
        if review and not dry_run and _at_terminal():
            _ask(app, engine, [each for each in engine.patterns_waiting(**app.looking()) if each.id in _ids(done)])


@distill.command("review")
@option("--accept", "accepted", multiple=True, type=memory_id, metavar="ID", help="Take this pattern in (repeatable).")
@option("--reject", "rejected", multiple=True, type=memory_id, metavar="ID", help="Keep it out, for good (repeatable).")
@pass_app
def review_(app: App, accepted: tuple[int, ...], rejected: tuple[int, ...]) -> None:
    """Decide the patterns that wait: accept, reject, or later. Without ID you are asked about each, or they are listed.

    A pattern's text is never edited: it says what its episodes say. What you rejected does not come back.

    \b
    lodmem distill review
    lodmem distill review --accept 482 --reject 483
    """
    with app.engine(reindexing=True) as engine:
        for pattern_id in accepted:
            engine.decide_pattern(pattern_id, accept=True)
        for pattern_id in rejected:
            engine.decide_pattern(pattern_id, accept=False)
        waiting = engine.patterns_waiting(**app.looking())
        if app.as_json:
            rows = [_pattern(each) for each in waiting]
            app.print_json({"accepted": list(accepted), "rejected": list(rejected), "waiting": rows})
        elif accepted or rejected:
            app.print(f"{len(accepted):,} accepted, {len(rejected):,} rejected, {len(waiting):,} wait")
        elif _at_terminal():
            _ask(app, engine, waiting)
        else:
            for each in waiting:
                app.print(_line(each))
            app.note(f"{len(waiting):,} wait")


@distill.command("log")
@option("-n", "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many runs.")
@pass_app
def log(app: App, limit: int) -> None:
    """What the latest runs did, newest first, and which episodes state what somebody holds to."""
    with app.engine(reindexing=True) as engine:
        runs = engine.distill_runs(limit)
        held = engine.constitutional(**app.looking())
    if app.as_json:
        app.print_json({"runs": [_run_json(each) for each in runs], "constitutional": held})
        return
    from lodmem.cli import output
    from lodmem.ingest.distill.work import COUNTS

    shown = [name for name in COUNTS if name == "episodes" or any(run.counts.get(name) for run in runs)]
    rows = [[str(run.id), _when(app, run), run.writer, *_numbers(run, shown), _end(run)] for run in runs]
    output.show_table(output.console(app), ("run", "begun", "by", *shown, ""), rows)
    if held:
        app.print(f"episodes that state what somebody holds to: {_named(held)}")


@click.command("knowledge", cls=Verb)
@option("-n", "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many patterns.")
@pass_app
def knowledge(app: App, limit: int) -> None:
    """What is known: the patterns of most worth, importance * 0.95^days since each was distilled, best first.

    \b
    lodmem knowledge
    lodmem knowledge --limit 10 --json
    """
    with app.engine(reindexing=True) as engine:
        known = engine.knowledge(limit, **app.looking())
    if app.as_json:
        app.print_json({"knowledge": [_known(each) for each in known]})
        return
    for each in known:
        app.print(f"{each.worth:.2f}  #{each.pattern.id}  {safe_line(each.pattern.text)}")
    if not known:
        app.note("nothing is known yet; 'lodmem distill' makes patterns of episodes")


def _ask(app: App, engine: Engine, waiting: list[Pattern]) -> None:
    """Ask a person about each."""
    decided = 0
    for each in waiting:
        app.print(_line(each))
        answer = click.prompt("  accept? y, n, later", default="later", show_default=False, err=True).strip().lower()[:1]
        if answer in ANSWERS:
            engine.decide_pattern(each.id, accept=ANSWERS[answer])
            decided += 1
    app.note(f"{decided:,} decided, {len(waiting) - decided:,} wait: 'lodmem distill review'")


def _at_terminal() -> bool:
    return sys.stdin.isatty()


def _tell(app: App, done: Distillation, *, dry_run: bool) -> None:
    from lodmem.ingest.distill.work import COUNTS

    head = "trial run, nothing stored: " if dry_run else ""
    counts = [f"{done.counts[name]:,} {name}" for name in COUNTS if name == "episodes" or done.counts[name]]
    app.print(head + ", ".join(counts) + f" (by {safe_line(done.writer)})")
    for made in done.made if dry_run else done.made[:0]:
        app.print(f"  {made.importance:.2f}  {safe_line(made.text)}  [{_named(list(made.episodes))}]")
    if done.constitutional:
        app.print(f"state what somebody holds to, for you to read: {_named(done.constitutional)}")
    if done.counts["waiting"] and not dry_run:
        app.note(f"{done.counts['waiting']:,} wait for you: 'lodmem distill review'")
    if done.stopped:
        app.warn(done.stopped)
    if done.left:
        app.note(f"{done.left:,} episodes are left; 'lodmem distill' goes on")


def _ids(done: Distillation) -> set[int]:
    return {made.id for made in done.made}


def _line(each: Pattern) -> str:
    return f"#{each.id}  {each.importance:.2f}  {safe_line(each.text)}  [{_named(list(each.episodes))}]"


def _named(ids: list[int]) -> str:
    more = f" and {len(ids) - SHOWN_EPISODES:,} more" if len(ids) > SHOWN_EPISODES else ""
    return " ".join(f"#{number}" for number in ids[:SHOWN_EPISODES]) + more


def _when(app: App, run: Run) -> str:
    return f"{to_datetime(run.begun_us).astimezone(app.zone):%Y-%m-%d %H:%M}"


def _numbers(run: Run, names: list[str]) -> list[str]:
    return [f"{run.counts.get(name, 0):,}" for name in names]


def _end(run: Run) -> str:
    return safe_line(run.stopped) if run.stopped else "" if run.ended_us is not None else "not ended"


# -- as JSON ----------------------------------------------------------------------------------------------------------------


def _json(done: Distillation) -> dict[str, Any]:
    from lodmem.ingest.distill.work import COUNTS

    return {
        "run": done.run or None,
        "writer": done.writer,
        **{name: done.counts[name] for name in COUNTS},
        "patterns": [
            {
                "id": made.id or None,
                "text": made.text,
                "importance": made.importance,
                "episodes": list(made.episodes),
                "waits": made.waits,
            }
            for made in done.made
        ],
        "constitutional_episodes": done.constitutional,
        "left": done.left,
        "stopped": done.stopped,
    }


def _pattern(each: Pattern) -> dict[str, Any]:
    return {
        "id": each.id,
        "space": each.space,
        "text": each.text,
        "importance": each.importance,
        "evidence_count": each.evidence_count,
        "distilled_at": to_datetime(each.distilled_us).isoformat(),
        "episodes": list(each.episodes),
    }


def _known(each: Known) -> dict[str, Any]:
    return {"worth": each.worth, **_pattern(each.pattern)}


def _run_json(run: Run) -> dict[str, Any]:
    from lodmem.ingest.distill.work import COUNTS

    return {
        "run": run.id,
        "begun_at": to_datetime(run.begun_us).isoformat(),
        "ended_at": None if run.ended_us is None else to_datetime(run.ended_us).isoformat(),
        "agent": run.agent,
        "space": run.space or None,
        "writer": run.writer,
        **{name: run.counts.get(name, 0) for name in COUNTS},
        "stopped": run.stopped,
    }
