"""`conflicts`: what contradicts what, both texts beside each other, and a person's word on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import VerbGroup
from lodmem.cli.options import memory_id, option
from lodmem.cli.safe import safe_line
from lodmem.model.memory import to_datetime

if TYPE_CHECKING:
    from lodmem.care.conflicts import Dispute
    from lodmem.model.conflict import Conflict
    from lodmem.model.memory import Memory

STATES = ("open", "superseded", "both_stand", "all")
SHOWN_CHARS = 280
_OUTCOMES = {"open": "open", "both_stand": "both stand"}


@click.group("conflicts", cls=VerbGroup, invoke_without_command=True)
@option("--state", type=click.Choice(STATES), default="open", show_default=True, help="Those in this state.")
@option("--of", "memories", type=memory_id, multiple=True, metavar="ID", help="Those of this memory alone (repeatable).")
@option("--limit", type=click.IntRange(1), default=50, show_default=True, metavar="N", help="So many at most.")
@option("--full", is_flag=True, help="Whole texts, however long.")
@click.pass_context
def conflicts(ctx: click.Context, state: str, memories: tuple[int, ...], limit: int, full: bool) -> None:
    """Memories that say different things of one thing, each pair with its two texts and dates.

    While a conflict is open a search shows both sides, the newest first, each naming the other. Nothing is ever deleted: a side
    that does not stand is hidden, and found again with --as-of.

    \b
    lodmem conflicts
    lodmem conflicts --of 482 --state all
    lodmem conflicts resolve 3 --newer --reason "she moved in May"
    """
    if ctx.invoked_subcommand is None:
        _list(ctx.obj, state, memories, limit, full=full)


def _list(app: App, state: str, memories: tuple[int, ...], limit: int, *, full: bool) -> None:
    wanted = None if state == "all" else state
    with app.engine() as engine:
        found = engine.conflicts(*memories, state=wanted, limit=limit + 1)
        others = wanted is not None and not found and bool(engine.conflicts(*memories, state=None, limit=1))
    shown = found[:limit]
    if app.as_json:
        app.print_json({"conflicts": [as_json(one) for one in shown], "more": len(found) > limit})
        return
    for number, one in enumerate(shown):
        if number:
            app.print("")
        _show(app, one, full=full)
    if not shown:
        none = "there are no conflicts" if state == "all" else f"no conflict is {_OUTCOMES.get(state, state)}"
        app.note(f"{none}; the others: --state all" if others else none)
    elif len(found) > limit:
        app.note("there are more: --limit")


@conflicts.command("resolve")
@click.argument("number", metavar="CONFLICT", type=memory_id)
@option("--newer", "verdict", flag_value="newer", help="The newer one stands, the older one is over.")
@option("--older", "verdict", flag_value="older", help="The older one stands, the newer one was wrong.")
@option("--both", "verdict", flag_value="both", help="Both stand: there is no contradiction.")
@option("--open", "verdict", flag_value="open", help="Take a decision back.")
@option("--reason", default="", metavar="TEXT", help="Why; kept with the decision and in the audit log.")
@pass_app
def resolve(app: App, number: int, verdict: str | None, reason: str) -> None:
    """Decide a conflict. It can be decided again, and taken back with --open.

    \b
    lodmem conflicts resolve 3 --newer
    lodmem conflicts resolve 4 --both --reason "two different flats"
    """
    if verdict is None:
        raise click.UsageError("say which side stands: --newer, --older or --both")
    with app.engine() as engine:
        decided = engine.resolve(number, verdict, reason=reason)
    if app.as_json:
        app.print_json(facts(decided))
    else:
        app.print(f"conflict {decided.id}: {_outcome(decided)}")


def as_json(dispute: Dispute) -> dict[str, Any]:
    """A conflict with both memories, JSON-ready."""
    return {**facts(dispute.conflict), "older": _side(dispute.older), "newer": _side(dispute.newer)}


def facts(conflict: Conflict) -> dict[str, Any]:
    """A conflict by ids, JSON-ready."""
    return {
        "id": conflict.id,
        "state": conflict.state.value,
        "reason": conflict.reason.value,
        "detail": conflict.detail,
        "older": conflict.older,
        "newer": conflict.newer,
        "standing": conflict.standing,
        "found_at": conflict.found_at.isoformat(),
        "decided_at": None if conflict.decided_at is None else conflict.decided_at.isoformat(),
        "decided_by": conflict.decided_by,
        "note": conflict.note,
    }


def _side(memory: Memory) -> dict[str, Any]:
    return {"id": memory.id, "created_at": memory.created_at.isoformat(), "status": memory.status.value, "full": memory.full}


def _show(app: App, dispute: Dispute, *, full: bool) -> None:
    one = dispute.conflict
    app.print(safe_line(f"{one.id} {one.reason.value}: {one.detail} [{_outcome(one)}]"))
    for memory in (dispute.newer, dispute.older):
        when = to_datetime(memory.created_us).astimezone(app.zone)
        text = memory.full if full or len(memory.full) <= SHOWN_CHARS else memory.full[:SHOWN_CHARS].rstrip() + "…"
        app.print(f"   #{memory.id} {when:%Y-%m-%d}  {safe_line(text) if not full else text}")


def told(found: Conflict, memory_id: int) -> str:
    """One line on a conflict of a memory that was just written."""
    other = found.older if found.newer == memory_id else found.newer
    more = f"lodmem conflicts --of {memory_id} --state all"
    return f"in conflict {found.id} with #{other} ({found.detail}): {_outcome(found)}; {more}"


def _outcome(conflict: Conflict) -> str:
    if conflict.standing is not None:
        why = f", by {conflict.decided_by}" if conflict.decided_by else ""
        return f"#{conflict.standing} stands, #{conflict.hidden} is superseded{why}"
    return _OUTCOMES[conflict.state.value]
