"""`backup`, `restore`, `export`, `import`, `doctor --repair`, `calibrate --save`: the store's care at the command line."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import lodmem as product

pytestmark = pytest.mark.req("R17.4")

MINILM = ("--embedder", "minilm")


@pytest.fixture
def filled(lodmem: Any) -> None:
    """#1 about the launch, #2 about cats; #1 is pinned."""
    lodmem("remember", "Ada moved the launch to June 3", "--at", "2025-05-08T14:00", "--tag", "launch")
    lodmem("remember", "Cats sleep all day", "--at", "2025-03-01")
    lodmem("promote", 1, "--to", "full")


# -- backup and restore ---------------------------------------------------------------------------------------------------


def test_a_backup_and_the_way_back(lodmem: Any, lodmem_json: Any, filled: None, tmp_path: Path, store: Path) -> None:
    copy = tmp_path / "copy.db"
    assert lodmem("backup", copy).stdout.startswith(f"{copy}: ")
    assert lodmem_json("stats", "--store", copy)["memories"] == 2
    lodmem("remember", "written later")
    lodmem("forget", 2, "--yes")
    result = lodmem("restore", copy)
    lines = result.stdout.splitlines()
    assert lines[0] == f"{store}: 1 memories"
    assert lines[1].startswith("forgotten again: 1 ")
    kept = Path(lines[2].removeprefix("the store that was there: "))
    assert kept.name.startswith("memory.db.before-restore-")
    assert lodmem_json("stats", "--store", kept)["memories"] == 2
    assert "no memory #3" in lodmem("expand", 3, expect=3).stderr
    assert lodmem("remember", "next").stdout == "kept as #4\n"
    assert lodmem_json("doctor")["ok"]


def test_backup_and_restore_as_json(lodmem_json: Any, filled: None, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    assert lodmem_json("backup", copy) == {"file": str(copy), "bytes": copy.stat().st_size}
    assert lodmem_json("restore", copy, "--discard") == {"memories": 2, "previous": None, "forgotten": 0}
    assert [name for name in os.listdir(tmp_path / "store") if "before" in name] == []


def test_a_backup_replaces_nothing_unless_forced(lodmem: Any, filled: None, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_text("mine")
    result = lodmem("backup", copy, expect=2)
    assert "there already" in result.stderr
    assert "--force" in result.stderr
    lodmem("backup", copy, "--force")
    assert copy.read_bytes().startswith(b"SQLite")


def test_a_store_in_use_is_not_replaced(lodmem: Any, filled: None, tmp_path: Path, store: Path) -> None:
    copy = tmp_path / "copy.db"
    lodmem("backup", copy)
    with product.open(store, embedder="none", background=False) as memory:
        memory.remember("at work")
        result = lodmem("restore", copy, expect=4)
    assert "open in another program" in result.stderr
    assert "lodmem mcp" in result.stderr
    assert lodmem("expand", 3).stdout.strip().endswith("at work")


def test_a_backup_of_nothing_and_from_nothing(lodmem: Any, tmp_path: Path) -> None:
    assert "remember" in lodmem("backup", tmp_path / "copy.db", expect=4).stderr
    assert not (tmp_path / "copy.db").exists()
    assert "there is no backup" in lodmem("restore", tmp_path / "copy.db", expect=3).stderr
    (tmp_path / "text").write_text("no store " * 100)
    assert "not a store" in lodmem("restore", tmp_path / "text", expect=4).stderr


def test_a_bar_is_shown_where_somebody_watches(at_terminal: Any, filled: None, tmp_path: Path) -> None:
    code, screen = at_terminal("backup", str(tmp_path / "copy.db"))
    assert code == 0
    assert "copying" in screen


# -- export and import ----------------------------------------------------------------------------------------------------


def test_everything_out_and_in_again(lodmem: Any, lodmem_json: Any, filled: None, tmp_path: Path) -> None:
    file, new = tmp_path / "all.jsonl.gz", tmp_path / "new.db"
    assert lodmem("export", file).stdout.startswith(f"{file}: 2 memories, ")
    assert lodmem("import", file, "--store", new).stdout == "2 added, 0 known already, 0 problems\n"
    assert lodmem("import", file, "--store", new).stdout == "0 added, 2 known already, 0 problems\n"
    before = lodmem_json("expand", 1, 2, "--no-touch")["memories"]
    assert lodmem_json("expand", 1, 2, "--no-touch", "--store", new)["memories"] == before
    assert before[0]["floor"] == "full"


def test_export_and_import_as_json(lodmem_json: Any, filled: None, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    out = lodmem_json("export", file)
    assert out == {"file": str(file), "memories": 2, "lines": out["lines"], "bytes": file.stat().st_size}
    assert len(file.read_text(encoding="utf-8").splitlines()) == out["lines"]
    assert lodmem_json("import", file, "--store", tmp_path / "new.db") == {
        "added": 2, "known": 0, "renumbered": 0, "other": 3, "left_out": {}, "masked": {}, "failed": 0,
        "problems": [],
    }  # fmt: skip


def test_through_a_pipe(lodmem: Any, filled: None, tmp_path: Path) -> None:
    lines = lodmem("export", "-").stdout_bytes
    assert json.loads(lines.splitlines()[0])["type"] == "lodmem"
    result = lodmem("import", "-", "--store", tmp_path / "new.db", input=lines)
    assert result.stdout == "2 added, 0 known already, 0 problems\n"
    assert (
        "cannot take both"
        in lodmem("export", "-", "--json", expect=2).stdout + lodmem("export", "-", "--json", expect=2).stderr
    )


def test_other_ids_and_what_is_left_out_are_told(lodmem: Any, filled: None, tmp_path: Path) -> None:
    file, new = tmp_path / "all.jsonl", tmp_path / "new.db"
    lodmem("forget", 2, "--yes")
    lodmem("export", file)
    lodmem("remember", "its own", "--store", new)
    out = lodmem("import", file, "--store", new).stdout
    assert "1 added, 0 known already, 0 problems" in out
    assert "1 of them under another id" in out
    assert "left out: 1 tombstones of other ids" in out


def test_lines_that_cannot_be_used_are_listed(lodmem: Any, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    good = '{"type":"memory","full":"kept"}'
    file.write_text("\n".join(['{"type":"lodmem","version":1}', *["nonsense"] * 12, good, '{"type":"end"}']))
    out = lodmem("import", file).stdout
    assert "1 added, 0 known already, 12 problems" in out
    assert "line 2: not JSON" in out
    assert "and 2 more: --all lists them" in out
    assert "line 13" in lodmem("import", file, "--all").stdout
    file.write_text('{"type":"lodmem","version":1}\nnonsense\n{"type":"end"}\n')
    lodmem("import", file, expect=1)
    file.write_text('{"text": "for ingest"}\n')
    assert "lodmem ingest" in lodmem("import", file, expect=2).stderr


def test_vectors_travel_with_their_memories(lodmem: Any, lodmem_json: Any, tmp_path: Path) -> None:
    file, new = tmp_path / "all.jsonl.gz", tmp_path / "new.db"
    lodmem("remember", "Ada moved the launch", *MINILM)
    lodmem("export", file, "--vectors")
    lodmem("import", file, "--store", new, "--no-wait", *MINILM)
    stats = lodmem_json("stats", "--store", new, *MINILM)
    assert (stats["embedded_passages"], stats["backlog"]) == (1, 0)


# -- doctor ---------------------------------------------------------------------------------------------------------------


def test_the_doctor_repairs_and_says_what_it_did(lodmem: Any, lodmem_json: Any, store: Path) -> None:
    lodmem("remember", "Ada moved the launch", *MINILM)
    lodmem("remember", "Cats sleep all day", *MINILM)
    with sqlite3.connect(store) as conn:
        conn.execute("DELETE FROM passage WHERE memory_id = 2")
        conn.execute("UPDATE vector SET own = zeroblob(12) WHERE memory_id = 1")
        conn.execute("UPDATE meta SET value = '0' WHERE name = 'terms_version'")
    conn.close()
    report = lodmem_json("doctor", *MINILM, expect=1)
    problems = [finding for finding in report["findings"] if finding["state"] == "problem"]
    assert any("#2: it has no passage" in finding["text"] for finding in problems)
    assert any("#1: a vector of 3 numbers, the model gives 384" in finding["text"] for finding in problems)
    assert all("--repair" in finding["hint"] for finding in problems)
    (note,) = [finding for finding in report["findings"] if finding["check"] == "index terms"]
    assert (note["state"], note["hint"]) == ("note", "lodmem doctor --repair")

    out = lodmem("doctor", "--repair", *MINILM).stdout
    for part in (
        "done",
        "word index: made anew",
        "vectors: broken ones of 2 memories dropped",
        "passages: made anew for 1 memories",
    ):
        assert part in out
    after = lodmem_json("doctor", *MINILM)
    assert after["ok"]
    (vectors,) = [finding for finding in after["findings"] if finding["check"] == "vectors"]
    assert vectors["text"].startswith("2 of 2 passages have one of ")
    assert "nothing had to be made anew" in lodmem("doctor", "--repair", *MINILM).stdout


def test_the_doctor_sees_what_an_interrupted_program_left(lodmem: Any, lodmem_json: Any, filled: None, store: Path) -> None:
    store.with_name("memory.db.schema-1.bak").touch()
    store.with_name(".memory.db.abc.partial").touch()
    notes = [finding["text"] for finding in lodmem_json("doctor")["findings"] if finding["state"] == "note"]
    assert any("memory.db.schema-1.bak" in text for text in notes)
    assert any(".memory.db.abc.partial" in text for text in notes)


# -- calibrate ------------------------------------------------------------------------------------------------------------


def test_a_calibration_is_kept_shown_and_taken_back(lodmem: Any, lodmem_json: Any, tmp_path: Path) -> None:
    topics = ("harbour", "kiln", "bread", "goat", "tax", "violin")
    things = [f"{n} notes about the {topics[n % 6]} number {n * 7}" for n in range(36)]
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in things))
    lodmem("remember", things[0], *MINILM)
    found = lodmem_json("calibrate", "--text", file, "--save", *MINILM)
    assert found["saved"] is True
    clip = f"{found['c0']:g}..{found['c1']:g}"
    assert clip in lodmem("explain", 1, "harbour", *MINILM).stdout
    doctor = lodmem("doctor", *MINILM).stdout
    assert f"calibrated for this store: c0 {found['c0']:g}, c1 {found['c1']:g}" in doctor
    assert "--save keeps them" in lodmem("calibrate", "--text", file, *MINILM).stdout
    assert lodmem_json("calibrate", "--reset", *MINILM) == {"forgotten": {"c0": found["c0"], "c1": found["c1"]}}
    assert "0.05..0.7 " in lodmem("explain", 1, "harbour", *MINILM).stdout
    assert "give it alone" in lodmem("calibrate", "--reset", "--save", *MINILM, expect=2).stderr
    assert "no calibration of its own" in lodmem("calibrate", "--reset", *MINILM).stdout
