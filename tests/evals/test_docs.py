"""docs/EVALUATION.md against the commands it names: each exists, and so does every option written there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from lodmem.cli.main import cli

PAGE = (Path(__file__).parents[2] / "docs" / "EVALUATION.md").read_text(encoding="utf-8")
COMMANDS = [shlex.split(line)[1:] for line in dict.fromkeys(re.findall(r"^ {4}(lodmem .+)$", PAGE, re.MULTILINE))]
SETTLED = {
    "what is embedded": "lodmem eval embedding",
    "how many candidates": "lodmem eval candidates",
    "fusion": "lodmem eval ablation",
    "calibration": "lodmem calibrate",
    "alpha and lambda": "lodmem tune balanced",
    "thresholds": "lodmem eval tiers",
    "promotion": "lodmem eval promotion",
    "the claim": "lodmem eval budget",
}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_on_the_page_can_be_typed(words: list[str]) -> None:
    command: click.Command = cli
    while isinstance(command, click.Group):
        below = command.get_command(click.Context(command), words[0])
        assert below is not None, words[0]
        command, words = below, words[1:]
    known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.req("R12.3")
@pytest.mark.parametrize("what", SETTLED)
def test_what_is_settled_by_measurement_has_its_table(what: str) -> None:
    _, found, after = PAGE.partition(f"    {SETTLED[what]}")
    assert found, f"no table of {what}"
    section = after.partition("\n## ")[0]
    assert re.search(r"^\|.*\|\n\|[-:| ]+\|\n\|.*\d.*\|$", section, re.MULTILINE), f"no table of {what} below its command"
