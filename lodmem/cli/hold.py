"""One memory at a time: `expand`, `promote`, `demote`."""

from __future__ import annotations

import sys

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.options import TIERS, memory_id, option
from lodmem.model.memory import Tier, to_us

_mine = option("--mine", is_flag=True, help="For this agent only, not for everybody in the space.")


@click.command("expand", cls=Verb)
@click.argument("ids", metavar="ID...", nargs=-1, required=True, type=memory_id)
@option("--touch/--no-touch", default=True, help="Count as a retrieval (default), or only look.")
@option("--raw", is_flag=True, help="The text alone, byte for byte.")
@pass_app
def expand(app: App, ids: tuple[int, ...], touch: bool, raw: bool) -> None:
    """The full text of memories.

    \b
    lodmem expand 482 17
    """
    with app.engine() as engine:
        memories = engine.expand(*ids, touch=touch)
    if app.as_json:
        from lodmem.cli import as_json

        app.print_json({"memories": [as_json.memory(memory) for memory in memories]})
    elif raw:
        for memory in memories:
            sys.stdout.buffer.write(memory.full.encode())
    else:
        from datetime import UTC, datetime

        from lodmem.cli import output

        output.show_memories(app, memories, to_us(datetime.now(UTC)))


@click.command("promote", cls=Verb)
@click.argument("memory", metavar="ID", type=memory_id)
@option("--to", type=click.Choice(TIERS), help="This tier at least; full pins it. Default: one above the tier last shown.")
@_mine
@pass_app
def promote(app: App, memory: int, to: str | None, mine: bool) -> None:
    """Show a memory at a higher tier from now on, whatever its score.

    \b
    lodmem promote 482 --to full
    """
    with app.engine() as engine:
        tier = engine.promote(memory, to=to, mine=mine)
    _tell(app, memory, tier)


@click.command("demote", cls=Verb)
@click.argument("memory", metavar="ID", type=memory_id)
@_mine
@pass_app
def demote(app: App, memory: int, mine: bool) -> None:
    """Take a promotion back: the score decides again."""
    with app.engine() as engine:
        tier = engine.demote(memory, mine=mine)
    _tell(app, memory, tier)


def _tell(app: App, memory: int, floor: Tier) -> None:
    if app.as_json:
        from lodmem.cli import as_json

        app.print_json({"id": memory, "floor": as_json.floor(floor)})
    elif floor is Tier.HORIZON:
        app.print(f"#{memory} has no floor: its score decides")
    else:
        app.print(f"#{memory} is shown at {floor.label} at least")
