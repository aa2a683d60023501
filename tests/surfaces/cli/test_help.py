"""Help pages word for word, and that they cost little. UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lodmem.cli import options
from lodmem.cli.group import COMMANDS
from lodmem.cli.main import cli
from lodmem.ingest.importers import NAMES

pytestmark = pytest.mark.req("R17.4")

GOLDEN = Path(__file__).parents[2] / "golden" / "cli"


def walk(command: click.Command, path: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Every command by the name of its golden file."""
    found = {"-".join(path) or "lodmem": path}
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            found |= walk(below, (*path, name))
    return found


PAGES = walk(cli)


@pytest.fixture(autouse=True)
def _somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the store lives by default is this machine's affair."""
    monkeypatch.setattr(options, "default_store", lambda: Path.home() / "data" / "memory.db")


def page(path: tuple[str, ...]) -> str:
    result = CliRunner().invoke(cli, [*path, "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("name", PAGES)
def test_help_is_the_golden_page(name: str) -> None:
    text = page(PAGES[name])
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_there_is_no_golden_page_too_many() -> None:
    assert {file.stem for file in GOLDEN.glob("*.txt")} == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_help_fits_the_terminal(name: str) -> None:
    assert all(len(line) <= 80 for line in page(PAGES[name]).splitlines())


def test_the_overview_names_every_command_and_tells_the_truth() -> None:
    text = page(())
    ctx = click.Context(cli)
    for entry in COMMANDS:
        command = cli.get_command(ctx, entry.name)
        assert command is not None
        assert command.name == entry.name
        assert command.help
        assert f"  {entry.name} " in text


@pytest.mark.parametrize("name", [name for name in PAGES if name != "lodmem"])
def test_every_command_understands_the_global_options(name: str) -> None:
    command: click.Command = cli
    for part in PAGES[name]:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), part)
        assert found is not None
        command = found
    known = {opt for param in command.params for opt in param.opts}
    assert {"--json", "--store", "--agent", "--space", "--profile", "--embedder", "--zone", "--no-color", "--quiet"} <= known


def test_help_names_the_store_of_this_user(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "default ~/data/memory.db]" in " ".join(page(()).split())
    monkeypatch.setattr(options, "default_store", lambda: Path("/srv/memory.db"))
    assert "default /srv/memory.db]" in " ".join(page(()).split())


def test_help_names_every_importer() -> None:
    assert all(name in page(("ingest",)) for name in NAMES)


def test_alone_it_gives_three_examples() -> None:
    result = CliRunner().invoke(cli, [])
    assert result.exit_code == 0
    assert sum(line.startswith("  lodmem ") for line in result.stdout.splitlines()) == 3
    assert all(len(line) < 80 for line in result.stdout.splitlines())


def test_help_imports_no_engine() -> None:
    code = (
        "import sys\nfrom lodmem.cli.main import cli\n"
        "try:\n    cli.main(['--help'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "heavy = {'numpy', 'rich', 'apsw', 'tokenizers', 'onnxruntime', 'mcp', 'httpx', 'lodmem.engine', 'lodmem.wiring'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr.strip() == "[]"
