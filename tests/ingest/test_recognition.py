"""Which importer reads what, and what every importer promises: the same again, bounded memory, an end to lists of problems."""

from __future__ import annotations

import shutil
import sqlite3
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.engine import Engine
from lodmem.errors import BadParameter, InputError
from lodmem.ingest import ingest, report
from lodmem.ingest.importers import NAMES, extent, find
from lodmem.ingest.importers.base import MAX_KINDS, Streaming, iso_us
from lodmem.ingest.report import Problem
from lodmem.model.memory import Added, Draft

from .kit import DATA, read, us, write_rows

SAMPLES = [
    ("claude-code", "claude-code"),
    ("claude-code/-home-ada-teahouse", "claude-code"),
    ("claude-code/-home-ada-teahouse/agent-a748733.jsonl", "claude-code"),
    ("codex", "codex"),
    ("codex/rollout-2025-05-02T08-00-00-5973b6c0-94b8-487b-a530-2aeb6098ae0e.jsonl", "codex"),
    ("chatgpt", "chatgpt"),
    ("chatgpt/conversations.json", "chatgpt"),
    ("claude", "claude"),
    ("claude/conversations.json", "claude"),
    ("openclaw", "openclaw"),
    ("openclaw/memory", "markdown"),
    ("mail", "mail"),
    ("mail/post.mbox", "mail"),
]


@pytest.mark.req("R5.20")
@pytest.mark.parametrize(("path", "name"), SAMPLES)
def test_a_source_is_known_by_what_it_looks_like(path: str, name: str) -> None:
    assert find(DATA / path).name == name


def test_it_is_known_without_its_usual_name_and_place(tmp_path: Path) -> None:
    for found, name in ((path, name) for path, name in SAMPLES if (DATA / path).is_file()):
        copy = tmp_path / f"x{(DATA / found).suffix}"
        shutil.copy(DATA / found, copy)
        assert find(copy).name == name
    shutil.copy(DATA / "mail/post.mbox", tmp_path / "Inbox")
    assert find(tmp_path / "Inbox").name == "mail"


def test_rows_of_no_agent_are_json_lines(tmp_path: Path) -> None:
    assert find(write_rows(tmp_path / "a.jsonl", {"text": "x", "type": "user"})).name == "jsonl"
    assert find(write_rows(tmp_path / "b.jsonl", "{", b"\xff", [])).name == "jsonl"


def test_what_nobody_knows_is_refused_with_what_is_known(tmp_path: Path) -> None:
    for name, text in (("a.json", '{"mapping": 3}'), ("b.json", "[]"), ("c.sqlite3", "x"), ("d.bin", "From here")):
        (tmp_path / name).write_text(text)
        with pytest.raises(BadParameter, match="nothing here reads") as caught:
            find(tmp_path / name)
        assert "--as" in caught.value.hint
        assert all(known in caught.value.hint for known in NAMES)


def test_what_streams_tells_its_bytes_and_moves_towards_them(engine: Engine) -> None:
    for path, name in SAMPLES:
        importer = find(DATA / path)
        if not isinstance(importer, Streaming):
            continue
        seen: list[tuple[int, int | None]] = []
        engine.ingest(
            DATA / path, importer=name, dry_run=True, progress=lambda done, total, seen=seen: seen.append((done, total))
        )
        assert seen[-1] == (extent(importer, DATA / path), extent(importer, DATA / path))
        assert importer.count(DATA / path) is None


def test_a_dry_run_tells_what_would_come_in(engine: Engine) -> None:
    found = engine.ingest(DATA / "claude-code", dry_run=True)
    overview = found.overview
    assert dict(overview.kinds) == {"user": 3, "assistant": 2, "actions": 1, "task": 1, "helper": 1}
    assert overview.first[0] == (us("2025-05-03T09:00:01.250+00:00"), "user: Please move the opening of the tea house to nine.")
    assert (overview.earliest_us, overview.latest_us) == (us("2025-05-03T09:00:01.250+00:00"), us("2025-05-03T09:02:01+00:00"))
    assert overview.undated == 0
    assert found.passed["attachment rows"] == 1
    assert engine.stats().memories == 0


def test_memory_does_not_grow_with_the_transcript(tmp_path: Path) -> None:
    """28 MB of rows: what is held is a row and a batch."""
    sample = next((DATA / "claude-code/-home-ada-teahouse").glob("3f*")).read_bytes()
    path = tmp_path / "big.jsonl"
    path.write_bytes(sample * 1500)

    def write(drafts: object) -> list[Added]:
        return [Added(0, True)] * len(drafts)  # type: ignore[arg-type]

    tracemalloc.start()
    try:
        found = ingest.run(find(path), path, begin=lambda drafts: lambda: write(drafts), space="s", agent="a")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
    assert found.added == 6 * 1500


def test_problems_beyond_number_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    monkeypatch.setattr(ingest, "MAX_PROBLEMS", 10)
    path = tmp_path / "a.jsonl"
    path.write_text("{\n" * 35)
    found = engine.ingest(path)
    assert (len(found.problems), found.more_problems, found.problem_count, found.seen) == (10, 25, 35, 35)
    assert report.MAX_PROBLEMS > 1000


def test_kinds_that_a_file_makes_up_do_not_pile_up(tmp_path: Path, engine: Engine) -> None:
    rows = [{"sessionId": "s", "parentUuid": None, "type": f"made up {n}"} for n in range(300)]
    found = engine.ingest(write_rows(tmp_path / "s.jsonl", *rows), dry_run=True)
    assert len(found.passed) == MAX_KINDS + 1
    assert found.passed["other things"] == 300 - MAX_KINDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-05-03T09:00:00.250Z", "2025-05-03T09:00:00.250+00:00"),
        ("2025-05-03 09:00:00 +0200", "2025-05-03T07:00:00+00:00"),
        ("2025-05-03 09:00 +02:00", "2025-05-03T07:00:00+00:00"),
        ("2025-05-03", "2025-05-03T00:00:00+00:00"),
    ],
)
def test_dates_as_people_write_them(text: str, expected: str) -> None:
    assert iso_us(text) == us(expected)


def test_front_matter_of_site_generators_gives_date_and_tags(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: Tea\ndate: 2025-05-03 09:00:00 +0200\ntags: [tea, 'house']\n---\n\nIt rains.\n")
    (draft,), problems = read(tmp_path)
    assert (draft.full, draft.tags, problems) == ("Tea\n\nIt rains.", ("tea", "house"), [])
    assert draft.created_us == us("2025-05-03T07:00:00+00:00")


PIECES = st.sampled_from(
    [
        b'{"sessionId": "s", "parentUuid": null, "type": "user", "message": {"content": "x"}}\n', b"{", b"}", b"[", b"]", b"\n",
        b'{"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"text": "y"}]}}\n', b"\xff",
        b'[{"id": "t", "mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": ["z"]}}}}}', b",", b'"',
        b'[{"uuid": "c", "chat_messages": [{"sender": "human", "text": "w"}]}', b"From a 08:00\n", b"Subject: s\n\n",
        b"SQLite format 3\0", b"\\ud800", b"\0",
    ]
)  # fmt: skip
FILES = [name for name in NAMES if name not in ("git", "openclaw")]


@given(st.lists(PIECES | st.binary(max_size=12), max_size=12).map(b"".join), st.sampled_from(FILES))
def test_any_bytes_give_drafts_or_problems_and_the_same_again(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str
) -> None:
    path = tmp_path_factory.mktemp("any") / "a.x"
    path.write_bytes(data)
    try:
        found = list(find(path, name).read(path))
    except InputError as error:
        assert name in ("mem0", "mempalace"), error  # noqa: PT017 - only stores are refused as a whole
        return
    assert all(isinstance(item, Draft | Problem) for item in found)
    assert found == list(find(path, name).read(path))
    for item in found:
        if isinstance(item, Draft):
            item.full.encode()


def test_damaged_stores_are_read_as_far_as_they_go_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "chroma.sqlite3"
    connection = sqlite3.connect(path)
    connection.executescript((DATA / "mempalace" / "chroma.sql").read_text())
    connection.close()
    whole = path.read_bytes()
    for at in range(0, len(whole), 997):
        path.write_bytes(whole[:at] + b"\xff" * 40 + whole[at + 40 :])
        try:
            found = list(find(path, "mempalace").read(path))
        except InputError as error:
            assert error.hint  # noqa: PT017 - both outcomes are right
            continue
        assert all(isinstance(item, Draft | Problem) for item in found)
