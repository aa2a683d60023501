"""Following transcripts: each look keeps what is new, half a line waits, and nothing comes twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lodmem.engine import Engine
from lodmem.errors import BadParameter, UnknownPath

from .kit import write_rows

pytestmark = pytest.mark.req("R5.20")


def turn(kind: str, content: object) -> dict[str, Any]:
    return {"parentUuid": None, "sessionId": "s", "type": kind, "message": {"role": kind, "content": content}}


def tool(command: str) -> dict[str, Any]:
    return turn("assistant", [{"type": "tool_use", "name": "Bash", "input": {"command": command}}])


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def kept(engine: Engine) -> list[str]:
    views = sorted(engine.recent(limit=100, touch=False).views, key=lambda view: view.id)
    return [memory.full for view in views for memory in engine.expand(view.id, touch=False)]


def test_each_look_keeps_what_is_new(tmp_path: Path, engine: Engine) -> None:
    path = write_rows(tmp_path / "s.jsonl", turn("user", "one"))
    following = engine.follow(path, tags=["live"])
    assert following.look().added == 1
    assert following.look().seen == 0
    append(path, json.dumps(turn("user", "two")) + "\n" + json.dumps(turn("user", "three")) + "\n")
    assert following.look().added == 2
    assert kept(engine) == ["user: one", "user: two", "user: three"]
    assert {view.tags for view in engine.recent().views} == {("claude-code", "live")}


def test_half_a_line_waits_for_its_end(tmp_path: Path, engine: Engine) -> None:
    path = write_rows(tmp_path / "s.jsonl", turn("user", "one"))
    following = engine.follow(path)
    following.look()
    line = json.dumps(turn("user", "zwei \u00fc"), ensure_ascii=False).encode() + b"\n"
    for at in range(len(line)):
        with path.open("ab") as file:
            file.write(line[at : at + 1])
        report = following.look()
        assert report.problems == ()
        assert report.added == (1 if at == len(line) - 1 else 0)
    assert kept(engine) == ["user: one", "user: zwei ü"]


def test_actions_wait_until_somebody_speaks_so_that_none_comes_twice(tmp_path: Path, engine: Engine) -> None:
    path = write_rows(tmp_path / "s.jsonl", turn("user", "go"), tool("one"))
    following = engine.follow(path)
    assert following.look().added == 1
    append(path, json.dumps(tool("two")) + "\n")
    assert following.look().added == 0
    append(path, json.dumps(turn("assistant", "done")) + "\n")
    assert following.look().added == 2
    assert kept(engine) == ["user: go", "assistant did:\n- Bash: one\n- Bash: two", "assistant: done"]
    assert engine.ingest(path).added == 0


def test_new_files_are_found_and_others_left_alone(tmp_path: Path, engine: Engine) -> None:
    write_rows(tmp_path / "a.jsonl", turn("user", "one"))
    write_rows(tmp_path / "other.jsonl", {"text": "not a transcript"})
    following = engine.follow(tmp_path)
    assert following.look().added == 1
    write_rows(tmp_path / "b.jsonl", {**turn("user", "two"), "sessionId": "t"})
    report = following.look()
    assert (report.added, report.problems) == (1, ())
    (tmp_path / "a.jsonl").unlink()
    assert following.look().seen == 0


def test_a_file_that_became_shorter_is_read_from_its_start(tmp_path: Path, engine: Engine) -> None:
    path = write_rows(tmp_path / "s.jsonl", turn("user", "a long first turn"), turn("user", "and a second"))
    following = engine.follow(path)
    assert following.look().added == 2
    write_rows(path, turn("user", "new"))
    assert following.look().added == 1
    assert kept(engine)[-1] == "user: new"


def test_a_bad_row_is_told_once(tmp_path: Path, engine: Engine) -> None:
    path = write_rows(tmp_path / "s.jsonl", turn("user", "one"), "{", turn("user", "two"))
    (tmp_path / "out.jsonl").symlink_to("/etc/hostname")
    following = engine.follow(tmp_path)
    report = following.look()
    assert (report.added, sorted(problem.where for problem in report.problems)) == (
        2,
        [str(tmp_path / "out.jsonl"), f"{path}:2"],
    )
    assert following.look().seen == 0


def test_only_transcripts_are_followed(tmp_path: Path, engine: Engine) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.")
    with pytest.raises(BadParameter, match="cannot follow") as caught:
        engine.follow(tmp_path)
    assert "claude-code" in caught.value.hint
    with pytest.raises(UnknownPath):
        engine.follow(tmp_path / "nowhere")
