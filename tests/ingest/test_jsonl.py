"""The JSON Lines importer: every field, and every way in which a row can be wrong."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.engine import Engine
from lodmem.errors import InputError, UnknownPath
from lodmem.ingest.importers import jsonl
from lodmem.ingest.importers.jsonl import JsonlImporter
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Kind, Priority, Source, to_us

MAY_1 = to_us(datetime(2024, 5, 1, tzinfo=UTC))


def read(tmp_path: Path, *rows: object) -> list[Draft | Problem]:
    """What the importer makes of rows: objects are written as JSON, strings and bytes as they are."""
    path = tmp_path / "rows.jsonl"
    lines = [row if isinstance(row, bytes) else (row if isinstance(row, str) else json.dumps(row)).encode() for row in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")
    items = list(JsonlImporter().read(path))
    assert JsonlImporter().count(path) == len(items)
    return items


def one(tmp_path: Path, row: object) -> Draft:
    (item,) = read(tmp_path, row)
    assert isinstance(item, Draft), item
    return item


@pytest.mark.parametrize("key", ["text", "content", "full"])
def test_a_text_is_enough(tmp_path: Path, key: str) -> None:
    uri = (tmp_path / "rows.jsonl").as_uri()
    assert one(tmp_path, {key: "Hello\r\n"}) == Draft(full="Hello\r\n", space="", agent="", source=Source(uri, "", 1), meta={})


def test_every_field_is_read(tmp_path: Path) -> None:
    row = {
        "text": "The door opens both ways.",
        "created_at": "2024-05-01T00:00:00Z",
        "expires_at": "2024-05-01",
        "valid_from": 1714521600,
        "valid_to": 1714521600.5,
        "kind": "semantic",
        "priority": "high",
        "importance": 1,
        "tags": ["door", "door", "house"],
        "space": "acme/house",
        "agent": "ada",
        "source": {"uri": "chat:7", "session": "monday", "sequence": 12},
        "meta": {"mood": "calm"},
        "speaker": "Ada",
        "content": "kept beside the text",
    }
    assert one(tmp_path, row) == Draft(
        full="The door opens both ways.",
        space="acme/house",
        agent="ada",
        kind=Kind.SEMANTIC,
        priority=Priority.HIGH,
        importance=1,
        created_us=MAY_1,
        expires_us=MAY_1,
        valid_from_us=MAY_1,
        valid_to_us=MAY_1 + 500_000,
        tags=("door", "house"),
        source=Source("chat:7", "monday", 12),
        meta={"mood": "calm", "speaker": "Ada", "content": "kept beside the text"},
    )


@pytest.mark.parametrize(
    ("row", "source"),
    [
        ({"source": "chat:7"}, Source("chat:7", "", 1)),
        ({"source": "chat:7", "session": "s", "sequence": 5}, Source("chat:7", "s", 5)),
        ({"source": {"uri": "chat:7"}, "sequence": 5}, Source("chat:7", "", 5)),
        ({"source": None, "tags": None, "kind": None, "created_at": None, "meta": None}, None),
    ],
)
def test_a_source_may_be_given_in_parts(tmp_path: Path, row: dict[str, object], source: Source | None) -> None:
    expected = source or Source((tmp_path / "rows.jsonl").as_uri(), "", 1)
    assert one(tmp_path, {"text": "x", **row}).source == expected


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("{", "not JSON"),
        ("text", "not JSON"),
        ('{"text": NaN}', "NaN is not a number"),
        ("[]", "not an object"),
        ("1", "not an object"),
        ("{}", "no text"),
        ({"text": 1}, "no text"),
        ({"content": [{"type": "text"}]}, "no text"),
        ({"text": "x", "kind": "poem"}, "kind 'poem' is not one of episodic"),
        ({"text": "x", "kind": []}, "kind"),
        ({"text": "x", "priority": 1}, "priority"),
        ({"text": "x", "importance": "high"}, "importance is not a number"),
        ({"text": "x", "importance": True}, "importance is not a number"),
        ({"text": "x", "tags": {"a": 1}}, "tags are not strings"),
        ({"text": "x", "tags": [1]}, "tags are not strings"),
        ({"text": "x", "space": 1}, "space is not a string"),
        ({"text": "x", "meta": []}, "meta is not an object"),
        ({"text": "x", "source": 3}, "source is not a string"),
        ({"text": "x", "source": {"uri": 3}}, "source is not a string"),
        ({"text": "x", "sequence": 1.5}, "sequence is not a whole number"),
        ({"text": "x", "sequence": 2**63}, "64 bits"),
        ({"text": "x", "created_at": "yesterday"}, "neither ISO 8601 nor Unix seconds"),
        ({"text": "x", "created_at": 1714521600000}, "neither ISO 8601 nor Unix seconds"),
        ({"text": "x", "created_at": True}, "neither ISO 8601 nor Unix seconds"),
        ('{"text": "x", "agent": "\\ud800"}', "lone surrogate"),
        ('{"text": ' + "[" * 100_000, "nested too deeply"),
        ('{"text": "x", "importance": ' + "9" * 5000 + "}", "not JSON"),
        (b'{"text": "\xff"}', "not UTF-8"),
        (b'{"text": "\0"}', "binary"),
    ],
)
def test_a_bad_row_is_a_problem_with_its_line_and_the_others_go_on(tmp_path: Path, row: object, why: str) -> None:
    first, blank_row, problem, last = [*read(tmp_path, {"text": "first"}, {"text": "second"}, "", row, {"text": "last"})]
    assert isinstance(first, Draft)
    assert isinstance(blank_row, Draft)
    assert isinstance(last, Draft)
    assert last.source is not None
    assert last.source.sequence == 5
    assert isinstance(problem, Problem)
    assert problem.where == f"{tmp_path / 'rows.jsonl'}:4"
    assert why in problem.why


def test_a_mark_at_the_start_and_a_missing_end_of_line_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "a"}\r\n{"text": "b"}')
    assert [item.full for item in JsonlImporter().read(path) if isinstance(item, Draft)] == ["a", "b"]


def test_a_line_beyond_the_limit_is_passed_over_without_being_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 100)
    items = read(tmp_path, {"text": "a"}, {"text": "x" * 1000}, {"text": "y" * 87}, {"text": "b"})
    assert [type(item) for item in items] == [Draft, Problem, Draft, Draft]
    assert items[1] == Problem(f"{tmp_path / 'rows.jsonl'}:2", "a line larger than 0 MB")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath):
        list(JsonlImporter().read(tmp_path / "nowhere.jsonl"))
    with pytest.raises(InputError, match="cannot be read"):
        list(JsonlImporter().read(tmp_path))
    assert not JsonlImporter().recognises(tmp_path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["text", "content", "created_at", "kind", "tags", "source", "sequence", "meta", "importance", "x"])


@given(rows=st.lists(st.one_of(st.binary(max_size=40), st.dictionaries(FIELDS, JSON, max_size=5)), max_size=5))
def test_any_line_gives_a_draft_or_a_problem(tmp_path_factory: pytest.TempPathFactory, rows: list[object]) -> None:
    folder = tmp_path_factory.mktemp("any")
    items = read(folder, *rows)
    assert len(items) <= sum(row.count(b"\n") + 1 if isinstance(row, bytes) else 1 for row in rows)


@pytest.mark.req("R5.19")
def test_rows_come_into_a_store_once(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "ok"}\n{"text": "ok"}\n{"text": "fine", "agent": "ada", "space": "acme"}\n', encoding="utf-8")
    first = engine.ingest(path, space="mine", tags=["imported"])
    assert (first.importer, first.added, first.unchanged) == ("jsonl", 3, 0)
    assert engine.ingest(path, space="mine", tags=["imported"]).added == 0
    with path.open("a", encoding="utf-8") as file:
        file.write('{"text": "ok"}\n')
    assert engine.ingest(path, space="mine").added == 1
    assert engine.stats().by_space == {"mine": 3, "acme": 1}
    assert engine.stats().by_agent["ada"] == 1
