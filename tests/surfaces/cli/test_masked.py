"""The command line says that it masked something, and what."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.text.secret_cases import made

RNG = random.Random(4)
TOKEN = made("ghp" + "_<w:36>", RNG)


@pytest.mark.req("R5.4")
def test_remember_says_what_it_masked(lodmem: Callable[..., Any], lodmem_json: Callable[..., Any], store: Path) -> None:
    said = lodmem("remember", f"the deploy token is {TOKEN}", "--meta", f"token={TOKEN}").output
    assert "kept as #1\n2 secrets masked (github token)\n" in said
    assert lodmem_json("remember", f"another: {TOKEN}") == {"id": 2, "created": True, "masked": ["github token"]}
    assert lodmem_json("remember", "tea") == {"id": 3, "created": True, "masked": []}
    assert "masked" not in lodmem("remember", "coffee").output
    assert not any(TOKEN.encode() in file.read_bytes() for file in store.parent.iterdir())


def test_ingest_and_import_say_what_they_masked(
    lodmem: Callable[..., Any], lodmem_json: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(f"the deploy token is {TOKEN}\n")
    assert "1 secret masked (github token)" in lodmem("ingest", tmp_path / "a.txt").output
    assert lodmem_json("ingest", tmp_path / "a.txt")["masked"] == {"github token": 1}
    rows = f'{{"type":"lodmem","version":1}}\n{{"type":"memory","full":"use {TOKEN}"}}\n{{"type":"end","memories":1}}\n'
    (tmp_path / "old.jsonl").write_text(rows)
    assert "1 secret masked (github token)" in lodmem("import", tmp_path / "old.jsonl").output
    assert lodmem_json("import", tmp_path / "old.jsonl")["masked"] == {"github token": 1}
