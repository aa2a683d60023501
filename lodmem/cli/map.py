"""`map`: makes the map of the memory plane, brings it up to date, and says how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import option
from lodmem.cli.progress import progress

if TYPE_CHECKING:
    from lodmem.plane.maker import MapState

METHODS = ("landmarks", "umap")


@click.command("map", cls=Verb)
@option("--rebuild", is_flag=True, help="Make a new map, turned like the one before; places move.")
@option(
    "--method", type=click.Choice(METHODS), help="How landmarks are laid out; umap needs 'lodmem[map]'. [default: landmarks]"
)
@option("--show", is_flag=True, help="Only say how the map stands; change nothing.")
@pass_app
def make(app: App, rebuild: bool, method: str | None, show: bool) -> None:
    """Give every memory its place on the map of meanings. Old places stay; a new map is made when one is due.

    Can be stopped and taken up again.

    \b
    lodmem map
    lodmem map --rebuild
    """
    with app.engine() as engine:
        if show:
            state = engine.map_state()
        else:
            with progress(app, "placing") as bar:
                state = engine.make_map(bar, rebuild=rebuild, method=method)
        found = engine.map_positions()
    regions = (len(found.coarse), len(found.fine))
    if app.as_json:
        app.print_json(_plain(state, regions))
    else:
        from lodmem.cli import output

        output.show_facts(output.console(app), _facts(state, regions))


def _facts(state: MapState, regions: tuple[int, int]) -> Mapping[str, str]:
    from lodmem.model.memory import to_datetime

    head, growth = state.head, state.growth
    if head is None:
        waiting = (
            f"none yet; {growth.waiting:,} memories can be placed: lodmem map" if growth.waiting else "none: nothing to place"
        )
        return {"map": waiting}
    made = to_datetime(head.made_us)
    facts = {
        "map": f"version {head.version}, {head.method}, made {made:%Y-%m-%d} for {head.memories:,} memories",
        "made from": head.basis or "words: there was no embedding model",
        "placed": f"{growth.placed:,} ({growth.late:,} since then), {growth.waiting:,} waiting",
        "nearness": f"{head.near:.3f}, the median cosine of a memory to the neighbours that placed it",
        "regions": f"{regions[0]} with {regions[1]} inside them",
    }
    if growth.late:
        facts["nearness"] += f"; {growth.late_near:.3f} since then"
    if state.making is not None:
        facts["being made"] = f"version {state.making[0].version}, {state.making[1]:,} placed; lodmem map goes on"
    if state.due:
        facts["due"] = f"a new one: {state.due}"
    return facts


def _plain(state: MapState, regions: tuple[int, int]) -> dict[str, Any]:
    head, growth = state.head, state.growth
    return {
        "version": 0 if head is None else head.version,
        "method": None if head is None else head.method,
        "basis": None if head is None else head.basis,
        "memories": 0 if head is None else head.memories,
        "placed": growth.placed,
        "late": growth.late,
        "waiting": growth.waiting,
        "near": None if head is None else round(head.near, 6),
        "late_near": round(growth.late_near, 6),
        "regions": {"coarse": regions[0], "fine": regions[1]},
        "making": None if state.making is None else {"version": state.making[0].version, "placed": state.making[1]},
        "due": state.due,
    }
