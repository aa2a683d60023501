"""What cannot be used: a clear error in two lines, the right exit code, nothing lost."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from lodmem.errors import LodmemError

pytestmark = pytest.mark.req("R17.4")

NOT_FOUND, STORE, INPUT = 3, 4, 2


@pytest.fixture
def filled(lodmem: Any) -> None:
    lodmem("remember", "Ada moved the launch to June 3")


def check_two_lines(stderr: str, words: str) -> None:
    lines = stderr.splitlines()
    assert len(lines) <= 2, stderr
    assert lines[0].startswith("error: ")
    assert words in lines[0]
    assert len(lines) == 1 or lines[1].startswith("hint: ")


TABLE: list[tuple[list[str], int, str, str]] = [
    (["remember", ""], INPUT, "empty_text", "empty"),
    (["remember", " \t "], INPUT, "empty_text", "empty"),
    (["remember", "--importance", "2", "x"], INPUT, "bad_parameter", "importance"),
    (["remember", "--at", "the 40th of Foo", "x"], INPUT, "bad_date", "the 40th of Foo"),
    (["remember", "--session", "s", "x"], INPUT, "bad_parameter", "--source"),
    (["remember", "--meta", "novalue", "x"], INPUT, "bad_parameter", "KEY=VALUE"),
    (["remember", "--file", "/nowhere/at/all", "x"], INPUT, "bad_parameter", "both"),
    (["remember", "--file", "/nowhere/at/all"], NOT_FOUND, "unknown_path", "/nowhere/at/all"),
    (["remember", "--file", "/"], INPUT, "input", "cannot be read"),
    (["ingest", "/nowhere/at/all"], NOT_FOUND, "unknown_path", "/nowhere/at/all"),
    (["ingest", "/", "--importer", "nope"], INPUT, "bad_parameter", "nope"),
    (["search"], INPUT, "bad_parameter", "query"),
    (["search", "q" * 20_001], INPUT, "bad_parameter", "20001"),
    (["search", "x", "--alpha", "1.5"], INPUT, "bad_parameter", "alpha"),
    (["search", "x", "--alpha", "-0.1"], INPUT, "bad_parameter", "alpha"),
    (["search", "x", "--alpha", "nan"], INPUT, "bad_parameter", "alpha"),
    (["search", "x", "--alpha", "much"], INPUT, "usage", "much"),
    (["search", "x", "--lambda", "-1"], INPUT, "bad_parameter", "lambda"),
    (["search", "x", "--theta1", "0.1", "--theta2", "0.5"], INPUT, "bad_parameter", "out of order"),
    (["search", "x", "--budget", "0"], INPUT, "bad_parameter", "budget"),
    (["search", "x", "--budget", "1000000000"], INPUT, "bad_parameter", "budget"),
    (["search", "x", "--k", "0"], INPUT, "bad_parameter", "k must"),
    (["search", "x", "--limit", "0"], INPUT, "bad_parameter", "limit"),
    (["search", "x", "--exclude", " "], INPUT, "bad_parameter", "exclusion"),
    (["search", "x", "--since", "whenever"], INPUT, "bad_date", "whenever"),
    (["search", "x", "--since", "2026-05-02", "--until", "2026-05-01"], INPUT, "bad_parameter", "ends before"),
    (["search", "x", "--kind", "dreamy"], INPUT, "usage", "dreamy"),
    (["search", "x", "--profile", "nope"], NOT_FOUND, "unknown_profile", "nope"),
    (["search", "x", "--zone", "Mars/Base"], INPUT, "bad_parameter", "Mars/Base"),
    (["search", "x", "--space", "a//b"], INPUT, "bad_parameter", "a//b"),
    (["search", "x", "--agent", "a\x1bb"], INPUT, "bad_parameter", "agent"),
    (["window", "whenever"], INPUT, "bad_date", "whenever"),
    (["window", "last week", "--since", "today"], INPUT, "bad_parameter", "not both"),
    (["recent", "--offset", "-1"], INPUT, "bad_parameter", "offset"),
    (["random", "--limit", "0"], INPUT, "bad_parameter", "limit"),
    (["expand", "99"], NOT_FOUND, "unknown_memory", "#99"),
    (["expand", "1", "99"], NOT_FOUND, "unknown_memory", "#99"),
    (["expand", "first"], INPUT, "usage", "'first' is not a memory's id"),
    (["expand", "9" * 30], INPUT, "usage", "is not a memory's id"),
    (["expand"], INPUT, "usage", "ID"),
    (["explain", "99", "x"], NOT_FOUND, "unknown_memory", "#99"),
    (["promote", "99"], NOT_FOUND, "unknown_memory", "#99"),
    (["promote", "1", "--to", "horizon"], INPUT, "usage", "horizon"),
    (["demote", "99"], NOT_FOUND, "unknown_memory", "#99"),
    (["forget", "1", "99", "--yes"], NOT_FOUND, "unknown_memory", "#99"),
    (["profiles", "show", "nope"], NOT_FOUND, "unknown_profile", "nope"),
    (["profiles", "use", "nope"], NOT_FOUND, "unknown_profile", "nope"),
    (["profiles", "set", "p", "--from", "nope"], NOT_FOUND, "unknown_profile", "nope"),
    (["profiles", "set", "p", "--alpha", "3"], INPUT, "bad_parameter", "alpha"),
    (["profiles", "set", "p", "--floor", "tag:x"], INPUT, "bad_parameter", "RULE=TIER"),
    (["profiles", "set", "p", "--floor", "tag:x=huge"], INPUT, "bad_parameter", "huge"),
    (["profiles", "set", "p", "--bound", "alpha=1"], INPUT, "bad_parameter", "NAME=LOW:HIGH"),
    (["profiles", "set", "p", "--bound", "alpha=0.9:0.1"], INPUT, "bad_parameter", "NAME=LOW:HIGH"),
    (["profiles", "set", "p", "--bound", "size=0:1"], INPUT, "bad_parameter", "size"),
    (["mcp", "--budget", "1"], INPUT, "bad_parameter", "budget"),
    (["eval", "locomo", "/nowhere/at/all.json"], NOT_FOUND, "unknown_path", "/nowhere/at/all.json"),
    (["completion", "tcsh"], INPUT, "usage", "tcsh"),
    (["serch", "x"], INPUT, "usage", "did you mean 'search'?"),
    (["profiles", "sow"], INPUT, "usage", "did you mean 'show'?"),
    (["xyzzy"], INPUT, "usage", "there is no command 'xyzzy'"),
    (["search", "x", "--alhpa", "1"], INPUT, "usage", "--alhpa"),
]


@pytest.mark.parametrize(("args", "code", "error", "words"), TABLE, ids=[" ".join(row[0])[:40] for row in TABLE])
@pytest.mark.usefixtures("filled")
def test_bad_input(lodmem: Any, lodmem_json: Any, args: list[str], code: int, error: str, words: str) -> None:
    told = lodmem(*args, expect=code)
    assert told.stdout == ""
    check_two_lines(told.stderr, words)

    told = lodmem(*args, "--json", expect=code)
    assert told.stdout == ""
    problem = json.loads(told.stderr)["error"]
    assert set(problem) == {"code", "message", "hint"}
    assert problem["code"] == error
    assert words in problem["message"]

    assert lodmem_json("stats")["memories"] == 1


def test_exit_codes_are_those_of_the_error_tree() -> None:
    def leaves(kind: type[LodmemError]) -> list[type[LodmemError]]:
        return [kind, *(leaf for below in kind.__subclasses__() for leaf in leaves(below))]

    known = {kind.code: kind.exit_code for kind in leaves(LodmemError)}
    for _, code, error, _ in TABLE:
        assert code == known.get(error, INPUT)


def test_oversized_text_from_everywhere(lodmem: Any, lodmem_json: Any, tmp_path: Path) -> None:
    limit = {"LODMEM_MAX_TEXT_BYTES": "10"}
    file = tmp_path / "long.txt"
    file.write_text("twelve bytes")
    for args, text in ((["twelve bytes"], None), ([], "twelve bytes"), (["--file", file], None)):
        told = lodmem("remember", *args, input=text, expect=INPUT, **limit)
        check_two_lines(told.stderr, "limit is 10")
    lodmem("remember", "ten bytes!", **limit)
    assert lodmem_json("stats")["memories"] == 1
    check_two_lines(lodmem("stats", expect=INPUT, LODMEM_MAX_TEXT_BYTES="lots").stderr, "lots")


@pytest.mark.parametrize("data", [b"\xff\xfea\x00b\x00", b"\x89PNG\r\n\x1a\n\xde\xad", "caf\u00e9".encode("latin-1")])
def test_wrong_encoding_is_named_and_can_be_repaired(lodmem: Any, data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(data)
    for told in (lodmem("remember", input=data, expect=INPUT), lodmem("remember", "--file", file, expect=INPUT)):
        check_two_lines(told.stderr, "UTF-8")
        assert "iconv" in told.stderr


def test_arguments_that_are_not_utf8(lodmem: Any) -> None:
    for args in (["remember", "\udcff"], ["search", "a\udcff"], ["search", "a", "--exclude", "\udcff"]):
        check_two_lines(lodmem(*args, expect=INPUT).stderr, "not valid UTF-8")


@pytest.mark.usefixtures("filled")
def test_an_error_cannot_steer_the_terminal(lodmem: Any) -> None:
    told = lodmem("search", "x", "--since", "\x1b[31mred\u202e", expect=INPUT)
    assert not set(told.stderr) & set("\x1b\u202e")
    told = lodmem("search", "x", "--json", "--since", "\x9b31mred\u202e", expect=INPUT)
    assert not set(told.stderr) & set("\x9b\u202e")


# -- the store --------------------------------------------------------------------------------------------------------

READS = [["search", "x"], ["recent"], ["expand", "1"], ["promote", "1"], ["stats"], ["reindex"], ["forget", "1", "--yes"]]


@pytest.mark.parametrize("args", READS, ids=" ".join)
def test_looking_makes_no_store(lodmem: Any, store: Path, args: list[str]) -> None:
    told = lodmem(*args, expect=STORE)
    check_two_lines(told.stderr, "there is no store")
    assert "lodmem remember" in told.stderr
    assert not store.exists()


@pytest.mark.req("R16.7")
def test_a_store_path_that_is_a_folder(lodmem: Any, tmp_path: Path) -> None:
    for args in (["stats"], ["remember", "x"]):
        check_two_lines(lodmem(*args, "--store", tmp_path, expect=STORE).stderr, "is a folder")


@pytest.mark.req("R16.7")
def test_a_file_that_is_no_store_is_left_alone(lodmem: Any, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ada, " * 500)
    for args in (["stats"], ["remember", "x"]):
        check_two_lines(lodmem(*args, "--store", file, expect=STORE).stderr, "not a store")
    assert file.read_text() == "Dear Ada, " * 500


def test_another_programs_database_is_left_alone(lodmem: Any, tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE other (x)")
    connection.commit()
    connection.close()
    before = file.read_bytes()
    check_two_lines(lodmem("remember", "x", "--store", file, expect=STORE).stderr, "another program's database")
    assert file.read_bytes() == before


@pytest.mark.req("R16.7")
@pytest.mark.usefixtures("filled")
def test_a_store_of_a_newer_version(lodmem: Any, store: Path) -> None:
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA user_version = 999")
    connection.commit()
    connection.close()
    told = lodmem("search", "x", expect=STORE)
    check_two_lines(told.stderr, "newer")
    assert "upgrade" in told.stderr
    assert "problem store" in lodmem("doctor", expect=1).stdout


@pytest.mark.req("R16.7")
@pytest.mark.usefixtures("filled")
def test_a_corrupted_store(lodmem: Any, store: Path) -> None:
    data = bytearray(store.read_bytes())
    data[100:4096] = b"\xaa" * 3996
    store.write_bytes(data)
    check_two_lines(lodmem("search", "x", expect=STORE).stderr, "damaged")


def test_a_bug_is_called_one(lodmem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from lodmem import wiring

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("one / zero")

    monkeypatch.setattr(wiring, "open_engine", broken)
    told = lodmem("stats", expect=70)
    check_two_lines(told.stderr, "unexpected ZeroDivisionError: one / zero")
    assert "LODMEM_DEBUG=1" in told.stderr


def test_debug_shows_where_an_error_arose(process: Any) -> None:
    told = process("expand", "1", LODMEM_DEBUG="1")
    assert told.returncode == STORE
    assert b"Traceback" in told.stderr
    assert told.stderr.splitlines()[-2].startswith(b"error: ")
