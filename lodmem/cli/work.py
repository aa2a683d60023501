"""`work` and `queue`: background work in the foreground, how the queue stands, and trying again what was given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb, VerbGroup
from lodmem.cli.options import option
from lodmem.cli.progress import bars
from lodmem.model.memory import to_datetime

if TYPE_CHECKING:
    from lodmem.care.working import Worked
    from lodmem.ports import TaskState

# What each task does, in words for a person.
DOES = {
    "embed": "embedding",
    "judge": "gate and conflicts",
    "levels": "summary by the language model",
    "headline": "headline by the language model",
    "class": "episode class",
    "importance": "importance",
}
_MOST_ERRORS = 3


@click.command("work", cls=Verb)
@option("--task", "tasks", multiple=True, metavar="NAME", help="Only this kind of work; may be repeated. See 'lodmem queue'.")
@option(
    "--workers", type=click.IntRange(1, 32), default=1, metavar="N", help="So many at once; for a server that can. [default: 1]"
)
@option("--keep-going", is_flag=True, help="Do not end when nothing is due; Ctrl-C ends it.")
@pass_app
def work(app: App, tasks: tuple[str, ...], workers: int, keep_going: bool) -> None:
    """Do what waits in the queue, now: embeddings, and what a language model writes, within its spend cap.

    Killing it loses nothing and repeats one call at most. Several may run at once, on one store too. Exit code 5 when a model
    was away.

    \b
    lodmem work
    lodmem work --task embed
    LODMEM_LLM=openai:gpt-4o-mini lodmem work --workers 4
    """
    with app.engine(reindexing=True) as engine:
        with bars(app, DOES, waiting=engine.llm_waiting) as report:
            done = engine.work(report, tasks or None, until_empty=not keep_going, workers=workers)
        now = engine.now_us
    if app.as_json:
        app.print_json(_worked(done))
    else:
        _ending(app, done, now)
    code = max((error.exit_code for error in done.stopped.values() if error.code != "spend_cap"), default=0)
    if code:
        raise click.exceptions.Exit(code)


def _ending(app: App, done: Worked, now_us: int) -> None:
    """What was done, what is left, and why."""
    if not (done.done or done.failed or done.dead or done.stopped):
        app.print("nothing is due")
    for name, count in done.done.items():
        app.print(f"{name}: {count:,} done")
    for name, count in done.failed.items():
        app.print(f"{name}: {count:,} failed, to be tried again")
    for name, count in done.dead.items():
        app.print(f"{name}: {count:,} given up; 'lodmem queue dead' lists them")
    for name, error in done.stopped.items():
        app.warn(f"{name}: {error}")
    for state in done.left:
        if told := _left(state, now_us, stopped=state.task in done.stopped):
            app.print(f"{state.task}: {told}")


def _left(state: TaskState, now_us: int, *, stopped: bool) -> str:
    parts = []
    if state.due:
        parts.append(f"{state.due:,} left" + ("" if stopped else ", with no model here to do it"))
    if state.waiting:
        parts.append(f"{state.waiting:,} wait, the next for {_span((state.next_us or now_us) - now_us)}")
    if state.leased:
        parts.append(f"{state.leased:,} at another worker")
    return "; ".join(parts)


@click.group("queue", cls=VerbGroup, invoke_without_command=True)
@click.pass_context
def queue(ctx: click.Context) -> None:
    """How background work stands: what waits, what is being done, what was given up and why.

    \b
    lodmem queue
    lodmem queue dead
    lodmem queue retry --all
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(show)


@queue.command("show")
@pass_app
def show(app: App) -> None:
    """Each task with its items by state (the default)."""
    with app.engine(reindexing=True) as engine:
        states, now = engine.queue(), engine.now_us
    if app.as_json:
        app.print_json([_state(state) for state in states])
        return
    if not any((state.waiting, state.due, state.leased, state.dead) != (0, 0, 0, 0) for state in states):
        app.print("nothing waits")
        return
    from lodmem.cli import output

    screen = output.console(app)
    titles = ("task", "waiting", "due", "leased", "dead", "oldest", "next due")
    output.show_table(screen, titles, [_row(state, now) for state in states])
    for state in states:
        for error, count in list(state.errors.items())[:_MOST_ERRORS]:
            app.print(f"{state.task}: {count:,} said: {error}")
    if any(state.dead for state in states):
        app.note("'lodmem queue dead' lists what was given up, 'lodmem queue retry --all' tries it again")
    if any(state.due for state in states):
        app.note("'lodmem work' does what is due")


@queue.command("dead")
@option("--task", default="", metavar="NAME", help="Only this kind of work.")
@option("--limit", type=click.IntRange(1), default=100, metavar="N", help="At most so many. [default: 100]")
@pass_app
def dead(app: App, task: str, limit: int) -> None:
    """List what was given up after several tries, each with its number and what it said last."""
    with app.engine(reindexing=True) as engine:
        items = engine.dead_work(task, limit=limit)
    if app.as_json:
        app.print_json([asdict(item) for item in items])
        return
    if not items:
        app.print("nothing was given up")
        return
    from lodmem.cli import output

    rows = [
        (str(item.id), item.task, "" if item.memory_id is None else f"#{item.memory_id}", str(item.attempts), item.error)
        for item in items
    ]
    output.show_table(output.console(app), ("item", "task", "memory", "tries", "error"), rows)


@queue.command("retry")
@click.argument("items", metavar="[ITEM]...", nargs=-1, type=click.IntRange(1, 2**62))
@option("--all", "everything", is_flag=True, help="All that were given up.")
@option("--task", default="", metavar="NAME", help="With --all: of this kind of work.")
@pass_app
def retry(app: App, items: tuple[int, ...], everything: bool, task: str) -> None:
    """Make work that was given up due again; 'lodmem work' then does it."""
    if bool(items) == everything or (task and not everything):
        raise click.UsageError("name items of 'lodmem queue dead', or --all; --task goes with --all")
    with app.engine(reindexing=True) as engine:
        count = engine.retry_dead(None if everything else items, task=task)
    if app.as_json:
        app.print_json({"retried": count})
        return
    app.print(f"{count:,} due again")
    if items and count < len(set(items)):
        app.warn(f"{len(set(items)) - count:,} of them had not been given up")


def _row(state: TaskState, now_us: int) -> Sequence[str]:
    numbers = [f"{n:,}" if n else "" for n in (state.waiting, state.due, state.leased, state.dead)]
    oldest = "" if state.oldest_us is None else _span(now_us - state.oldest_us)
    coming = "" if state.next_us is None else f"in {_span(state.next_us - now_us)}"
    return state.task, *numbers, oldest, coming


def _span(us: int) -> str:
    """A length of time as people read it."""
    seconds = max(0, us) // 1_000_000
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _state(state: TaskState) -> dict[str, Any]:
    def moment(us: int | None) -> str | None:
        return None if us is None else to_datetime(us).isoformat()

    numbers = {"waiting": state.waiting, "due": state.due, "leased": state.leased, "dead": state.dead}
    times = {"oldest": moment(state.oldest_us), "next_due": moment(state.next_us)}
    return {"task": state.task, **numbers, **times, "errors": dict(state.errors)}


def _worked(done: Worked) -> Mapping[str, Any]:
    stopped = {name: {"code": error.code, "message": str(error)} for name, error in done.stopped.items()}
    counts = {"done": dict(done.done), "failed": dict(done.failed), "dead": dict(done.dead)}
    return {**counts, "stopped": stopped, "left": [_state(state) for state in done.left]}
