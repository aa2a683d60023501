"""The import contracts hold, and a violation planted in a copy of the tree is seen."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "lodmem"
CORE = ("errors.py", "lod", "model", "ports", "text")
READS_ENVIRONMENT = ("cli", "evals", "mcp_server", "wiring.py", "__main__.py")


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"]
    # The copy must be what is read, not the installed package.
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "a copy"
    shutil.copytree(PACKAGE, folder / "lodmem", ignore=shutil.ignore_patterns("__pycache__", "data", "*.onnx"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_the_tree_keeps_its_contracts() -> None:
    result = check(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("lod/decay.py", "import os", "The pure core"),
        ("text/tokens.py", "from pathlib import Path", "The pure core"),
        ("model/memory.py", "import time", "The pure core"),
        ("lod/sampling.py", "import random", "The pure core"),
        ("ports/basics.py", "import sqlite3", "The pure core"),
        ("text/dates.py", "import logging", "The pure core"),
        ("lod/relevance.py", "from lodmem.retrieval import search", "Imports point downwards only"),
        ("lod/tiers.py", "import lodmem.text.tokens", "Imports point downwards only"),
        ("model/query.py", "import lodmem.ports", "Imports point downwards only"),
        ("config.py", "import lodmem.engine", "Imports point downwards only"),
        ("retrieval/search.py", "import lodmem.stores.sqlite", "Use cases know ports"),
        ("engine.py", "import lodmem.stores", "Use cases know ports"),
        ("stores/__init__.py", "import lodmem.scan", "Only retrieval looks through the scan"),
        ("engine.py", "def lazily() -> None:\n    import rich", "Nothing below the surfaces"),
        ("surveying.py", "import fastapi", "Nothing below the surfaces"),
        ("mcp_server/calls.py", "import lodmem.http_api.work", "Imports point downwards only"),
    ],
)
def test_a_planted_violation_fails(copy: Path, module: str, line: str, contract: str) -> None:
    path = copy / "lodmem" / module
    path.write_text(path.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    result = check(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    assert any(contract in row and "BROKEN" in row for row in result.stdout.splitlines()), result.stdout


def test_a_package_that_stands_in_no_layer_fails(copy: Path) -> None:
    (copy / "lodmem" / "helpers").mkdir()
    (copy / "lodmem" / "helpers" / "__init__.py").write_text("", encoding="utf-8")
    result = check(copy)
    assert result.returncode == 1
    assert "helpers" in result.stdout


def modules(*parts: str) -> list[Path]:
    paths = [PACKAGE / part for part in parts]
    return sorted(f for p in paths for f in ([p] if p.suffix else p.rglob("*.py")))


def test_the_pure_core_never_asks_for_the_time() -> None:
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules(*CORE)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("now", "today", "utcnow")
    ]
    assert asked == []


def test_nothing_below_wiring_reads_the_environment() -> None:
    read = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in READS_ENVIRONMENT
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("environ", "environb", "getenv", "expandvars")
        and ast.unparse(node).startswith("os.")
    ]
    assert read == []
