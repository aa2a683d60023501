"""The file of what a person holds to: read, cut to what fits, never written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.errors import BadEncoding, InputError, UnknownPath
from lodmem.ingest.distill.by_model import EXTRACT, IMPORTANCE, REFINE
from lodmem.ingest.distill.principles import MAX_FILE_BYTES, MAX_SYSTEM_BYTES, fitted, read_principles
from lodmem.ingest.prompting import load

PROMPTS = (EXTRACT, REFINE, IMPORTANCE)


def test_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "principles.md"
    file.write_bytes("\ufeff# Principles\n\nHonesty before speed.\n".encode())
    assert read_principles(file, asked_for=True) == "# Principles\n\nHonesty before speed."


def test_only_one_that_was_asked_for_has_to_be_there(tmp_path: Path) -> None:
    assert read_principles(tmp_path / "principles.md", asked_for=False) == ""
    with pytest.raises(UnknownPath, match=r"principles\.md"):
        read_principles(tmp_path / "principles.md", asked_for=True)


def test_what_cannot_be_used_is_said(tmp_path: Path) -> None:
    file = tmp_path / "principles.md"
    file.write_bytes(b"caf\xe9")
    with pytest.raises(BadEncoding, match="UTF-8"):
        read_principles(file, asked_for=False)
    file.write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    with pytest.raises(InputError, match="256 KB"):
        read_principles(file, asked_for=False)
    with pytest.raises(InputError, match="cannot be read"):
        read_principles(tmp_path, asked_for=False)


@pytest.mark.req("R5.16")
@pytest.mark.parametrize("name", PROMPTS)
@given(lines=st.lists(st.text(max_size=400), max_size=30))
def test_the_system_prompt_stays_within_3_kb(name: str, lines: list[str]) -> None:
    prompt = load(name)
    principles = fitted("\n".join(lines), prompt)
    system = prompt.system.replace("{principles}", principles)
    assert len(system.encode()) <= MAX_SYSTEM_BYTES
    assert "{" not in prompt.system.replace("{principles}", "")


def test_the_first_lines_are_kept_whole() -> None:
    lines = [f"Principle {n} " + "é" * 300 for n in range(10)]
    kept = fitted("\n".join(lines), load(EXTRACT)).splitlines()[3:]
    assert 1 < len(kept) < 10
    assert kept == lines[: len(kept)]


def test_without_principles_nothing_is_added() -> None:
    assert fitted("", load(EXTRACT)) == fitted("\n \n", load(EXTRACT)) == ""
