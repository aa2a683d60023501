"""Which files of a folder are read, and what is said of those that cannot be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lodmem.errors import UnknownPath
from lodmem.ingest.importers.files import MAX_FILE_BYTES, as_text, files, read_text, shown
from lodmem.ingest.report import Problem

SUFFIXES = frozenset({".md"})


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")


def names(root: Path) -> list[str]:
    return [found.relative_to(root).as_posix() for found in files(root, SUFFIXES) if isinstance(found, Path)]


def test_files_come_folder_by_folder_in_order_of_their_names(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a.MD", "sub/c.md", "other.txt", "sub/deep/d.md", "arch/e.md")
    assert names(tmp_path) == ["a.MD", "b.md", "arch/e.md", "sub/c.md", "sub/deep/d.md"]
    assert list(files(tmp_path / "other.txt", SUFFIXES)) == [tmp_path / "other.txt"]


def test_hidden_folders_installed_packages_and_environments_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "a.md", ".git/b.md", ".hidden.md", "node_modules/c.md", "env/pyvenv.cfg", "env/d.md", "env/lib/e.md")
    write(tmp_path, "x/node_modules/y/f.md", "__pycache__/g.md")
    assert names(tmp_path) == ["a.md"]
    write(tmp_path, ".notes/h.md")
    assert names(tmp_path / ".notes") == ["h.md"]


def test_no_link_is_followed(tmp_path: Path) -> None:
    write(tmp_path, "in/a.md", "out/secret.md")
    inside = tmp_path / "in"
    (inside / "same.md").symlink_to("a.md")
    (inside / "round").symlink_to(inside)
    (inside / "loop.md").symlink_to("loop.md")
    (inside / "away.md").symlink_to(tmp_path / "out" / "secret.md")
    (inside / "away").symlink_to(tmp_path / "out")
    (inside / "away.txt").symlink_to(tmp_path / "out" / "secret.md")
    found = list(files(inside, SUFFIXES))
    assert [item for item in found if isinstance(item, Path)] == [inside / "a.md"]
    assert [item.where for item in found if isinstance(item, Problem)] == [str(inside / "away"), str(inside / "away.md")]
    (tmp_path / "door").symlink_to(inside)
    assert names(tmp_path / "door") == ["a.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert list(files(tmp_path, SUFFIXES)) == []
    with pytest.raises(UnknownPath):
        list(files(tmp_path / "pipe.md", SUFFIXES))
    assert read_text(tmp_path / "pipe.md") == Problem(str(tmp_path / "pipe.md"), "not a file")


def test_a_deep_tree_is_read_to_its_end(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 800)
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("x", encoding="utf-8")
    assert len(names(tmp_path)) == 1


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath, match="nowhere"):
        list(files(tmp_path / "nowhere", SUFFIXES))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "locked/b.md")
    (tmp_path / "a.md").chmod(0)
    (tmp_path / "locked").chmod(0)
    try:
        problem = read_text(tmp_path / "a.md")
        assert isinstance(problem, Problem)
        assert "cannot be read" in problem.why
        assert any(isinstance(found, Problem) and "cannot be listed" in found.why for found in files(tmp_path, SUFFIXES))
    finally:
        (tmp_path / "locked").chmod(0o700)


def test_a_folder_that_vanishes_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "sub/b.md")
    reading = files(tmp_path, SUFFIXES)
    assert next(reading) == tmp_path / "a.md"
    (tmp_path / "sub" / "b.md").unlink()
    (tmp_path / "sub").rmdir()
    (problem,) = reading
    assert isinstance(problem, Problem)
    assert problem.where == str(tmp_path / "sub")
    assert "cannot be listed" in problem.why


def test_texts_are_utf8_without_their_mark_and_otherwise_untouched(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"\xef\xbb\xbfA\r\nB\x0c\xc3\xa9\r")
    assert read_text(path) == "A\r\nB\x0cé\r"


@pytest.mark.parametrize(("raw", "why"), [(b"a\0b", "binary"), (b"ab\xff", "byte 0xff at position 2"), (b"\xc3", "not UTF-8")])
def test_other_bytes_are_a_problem(raw: bytes, why: str) -> None:
    problem = as_text(raw, "there")
    assert isinstance(problem, Problem)
    assert problem.where == "there"
    assert why in problem.why


def test_a_file_that_is_too_large_or_gone_is_a_problem(tmp_path: Path) -> None:
    with (tmp_path / "big.md").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    big = read_text(tmp_path / "big.md")
    assert isinstance(big, Problem)
    assert "larger than 64 MB" in big.why
    assert isinstance(read_text(tmp_path / "gone.md"), Problem)


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_of_any_bytes_can_be_shown(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md"))
    assert shown(odd).encode().endswith("/\ufffd.md".encode())
