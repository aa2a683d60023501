"""Stores of other programs: Mem0's points and log, MemPalace's drawers, and a workspace's notes. Nothing of theirs is run."""

from __future__ import annotations

import base64
import pickle
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.engine import Engine
from lodmem.errors import InputError
from lodmem.ingest.importers import find, inert_pickle
from lodmem.ingest.importers.base import Meter
from lodmem.ingest.importers.inert_pickle import PickleError, plain
from lodmem.ingest.importers.mempalace import MemPalaceImporter
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, Kind, Source

from .kit import DATA, read, us

POINT = base64.b64decode((DATA / "mem0" / "points.txt").read_text())
GREEN = "8f14e45f-ceea-467f-a8a5-b4a5c6d3e2f1"


def made(path: Path, script: str, *more: tuple[str, tuple[object, ...]]) -> Path:
    """A SQLite file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(script)
    for statement, values in more:
        connection.execute(statement, values)
    connection.commit()
    connection.close()
    return path


def sample(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def points(path: Path, *blobs: object) -> Path:
    table = "CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)"
    return made(path, table, *(("INSERT INTO points VALUES (?, ?)", (str(n), blob)) for n, blob in enumerate(blobs)))


# -- Mem0 -------------------------------------------------------------------------------------------------------------


def test_the_log_gives_what_each_memory_last_said_and_nothing_deleted(tmp_path: Path) -> None:
    made(tmp_path / ".mem0" / "history.db", sample("mem0/history.sql"))
    (tea, lake), problems = read(tmp_path / ".mem0")
    assert problems == []
    assert (tea.full, tea.kind, tea.source) == ("Likes green tea", Kind.SEMANTIC, Source(f"mem0:{GREEN}"))
    assert tea.created_us == us("2025-05-01T10:00:00+00:00")
    assert (lake.full, dict(lake.meta)) == ("Lives by the lake", {"actor_id": "ada", "role": "user"})


def test_points_are_read_without_being_unpickled(tmp_path: Path) -> None:
    path = points(tmp_path / "collection" / "mem0" / "storage.sqlite", POINT)
    (draft,), problems = read(tmp_path)
    assert problems == []
    assert (draft.full, draft.source) == ("Likes green tea", Source(f"mem0:{GREEN}"))
    assert dict(draft.meta) == {"user_id": "ada"}
    assert draft.created_us == us("2025-05-01T10:00:00+00:00")
    assert read(path)[0] == [draft]


@pytest.mark.req("R5.19", "R5.20")
def test_a_memory_in_both_comes_in_once(tmp_path: Path, engine: Engine) -> None:
    made(tmp_path / "history.db", sample("mem0/history.sql"))
    points(tmp_path / "migrations_qdrant" / "collection" / "mem0" / "storage.sqlite", POINT)
    report = engine.ingest(tmp_path)
    assert (report.importer, report.added, report.problems) == ("mem0", 2, ())
    assert report.passed == {"deleted memories": 1, "memories that a collection has too": 1}
    assert engine.ingest(tmp_path / "history.db").added == 0
    assert engine.ingest(tmp_path).added == 0


class Wicked:
    """Writes a file when it is unpickled."""

    target = ""

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return open, (self.target, "w")


def test_a_wicked_pickle_does_nothing(tmp_path: Path) -> None:
    Wicked.target = str(tmp_path / "broken in")
    blobs = [pickle.dumps(Wicked(), protocol) for protocol in range(2, 6)]
    blobs += [
        pickle.dumps({"id": "a", "payload": {"data": "kept", "x": Wicked()}}),
        b"cos\nsystem\n(S'true'\ntR.",
        POINT[:-9],
        b"",
    ]
    path = points(tmp_path / "storage.sqlite", *blobs, "text", None, 5)
    drafts, problems = read(path)
    assert [draft.full for draft in drafts] == ["kept"]
    assert len(problems) == len(blobs) - 1 + 3
    assert not Path(Wicked.target).exists()


SIMPLE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=300)
    | st.binary(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4) | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@given(value=SIMPLE, protocol=st.sampled_from([3, 4, 5]))
def test_plain_values_come_out_as_they_went_in(value: object, protocol: int) -> None:
    assert plain(pickle.dumps(value, protocol)) == value


@given(
    st.binary(max_size=60) | st.tuples(st.integers(0, len(POINT)), st.binary(max_size=3)).map(lambda d: POINT[: d[0]] + d[1])
)
def test_any_bytes_are_plain_or_refused(raw: bytes) -> None:
    with suppress(PickleError):
        plain(raw)


def test_a_pickle_that_refers_to_itself_ends(tmp_path: Path) -> None:
    loop: dict[str, Any] = {"payload": {"data": "round"}}
    loop["id"] = loop
    drafts, (problem,) = read(points(tmp_path / "storage.sqlite", pickle.dumps(loop)))
    assert drafts == []
    assert "without an id" in problem.why


def test_a_pickle_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inert_pickle, "MAX_STEPS", 1000)
    with pytest.raises(PickleError, match="more than 1,000 steps"):
        plain(b"\x80\x04" + b"]" * 2000 + b".")


# -- MemPalace --------------------------------------------------------------------------------------------------------


@pytest.mark.req("R5.19", "R5.20")
def test_drawers_come_in_with_their_place_and_date(tmp_path: Path, engine: Engine) -> None:
    path = made(tmp_path / ".mempalace" / "palace" / "chroma.sqlite3", sample("mempalace/chroma.sql"))
    (first, second, third), (problem,) = read(tmp_path / ".mempalace")
    assert [draft.full for draft in (first, second, third)] == [
        "The tea house opens at nine.",
        "It closes at six.",
        "Ben prefers oolong.",
    ]
    assert (first.source, second.source) == tuple(Source("mempalace:/home/ada/notes/hours.md", "", n) for n in (0, 1))
    assert third.source == Source("mempalace:wing_people/ben", "", 3)
    assert (first.created_us, first.meta["date"]) == (us("2025-05-01T09:00:00+00:00"), "authored_at")
    assert (second.created_us, second.meta["date"]) == (us("2025-05-03T09:00:00+00:00"), "filed_at")
    assert third.created_us is None
    assert problem == Problem(f"{path}: drawer 5", "it has no text")
    meter = Meter()
    list(MemPalaceImporter().stream(path, meter))
    assert meter.passed == {"closets": 1}
    assert engine.ingest(tmp_path / ".mempalace").added == 3
    assert engine.ingest(path).added == 0


def test_a_palaces_own_store_is_read_too(tmp_path: Path) -> None:
    made(tmp_path / "sqlite_exact.sqlite3", sample("mempalace/exact.sql"))
    (draft,), problems = read(tmp_path)
    assert (draft.full, draft.source, problems) == ("The tea house opens at nine.", Source("mempalace:hours.md", "", 0), [])


def test_a_store_in_use_is_read_with_its_log_and_left_as_it_is(tmp_path: Path) -> None:
    path = made(tmp_path / "chroma.sqlite3", sample("mempalace/chroma.sql"))
    assert len(read(path)[0]) == 3
    assert [found.name for found in tmp_path.iterdir()] == ["chroma.sqlite3"]
    writer = sqlite3.connect(path)
    try:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO embedding_metadata (id, key, string_value) VALUES (5, 'chroma:document', 'New.')")
        writer.commit()
        assert [draft.full for draft in read(path)[0]][-1] == "New."
    finally:
        writer.close()


@pytest.mark.parametrize("name", ["mem0", "mempalace"])
@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE other (x)",
        "CREATE VIEW points AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id FROM c) SELECT id, x'00' AS point FROM c",
        "CREATE VIEW documents AS SELECT 1 AS document, 2 AS metadata_json, 3 AS collection_id",
        "CREATE TABLE documents (document, metadata_json, collection_id)",
    ],
)
def test_a_file_that_is_made_otherwise_is_refused(tmp_path: Path, name: str, script: str) -> None:
    path = made(tmp_path / "chroma.sqlite3", script)
    if name == "mem0":
        assert read(path, name) == ([], [Problem(str(path), "neither Mem0's history nor points of Qdrant")])
    else:
        with suppress(InputError):
            assert read(path, name) == ([], [])


@pytest.mark.parametrize("name", ["mem0", "mempalace"])
@pytest.mark.parametrize("raw", [b"", b"text", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_store_is_refused(tmp_path: Path, name: str, raw: bytes) -> None:
    (tmp_path / "storage.sqlite").write_bytes(raw)
    with suppress(InputError):
        drafts, problems = read(tmp_path / "storage.sqlite", name)
        assert (drafts, len(problems)) == ([], 1)


def test_texts_that_are_no_utf8_lose_only_what_is_none(tmp_path: Path) -> None:
    script = (
        sample("mempalace/chroma.sql") + "UPDATE embedding_metadata SET string_value = CAST(x'41ff00' AS TEXT) WHERE id = 3;"
    )
    drafts, _ = read(made(tmp_path / "chroma.sqlite3", script))
    assert drafts[2].full.startswith("A�")


# -- OpenClaw ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("R5.19", "R5.20")
def test_a_workspace_gives_its_memories_and_not_its_rules(tmp_path: Path, engine: Engine) -> None:
    drafts, problems = read(DATA / "openclaw")
    assert problems == []
    assert [(draft.full.split("\n")[-1], draft.created_us) for draft in drafts] == [
        ("The tea house opens at nine.", None),
        ("Prefers oolong.", None),
        ("Moved the opening to nine.", us("2025-05-03T00:00:00+00:00")),
        ("Twelve cups came.", us("2025-05-04T00:00:00+00:00")),
    ]
    assert {draft.tags for draft in drafts} == {("openclaw",)}
    report = engine.ingest(DATA / "openclaw")
    assert (report.importer, report.added) == ("openclaw", 4)
    assert engine.ingest(DATA / "openclaw").added == 0


def test_a_workspace_is_found_below_its_home_and_notes_alone_are_none(tmp_path: Path) -> None:
    workspace = tmp_path / ".openclaw" / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "2025-05-03.md").write_text("Rain.")
    assert find(workspace).name == "markdown"
    (workspace / "SOUL.md").write_text("Calm.")
    (workspace / ".git").mkdir()
    assert find(tmp_path / ".openclaw").name == find(workspace).name == "openclaw"
    assert [draft.full for draft in read(tmp_path / ".openclaw")[0]] == ["Rain."]
    with pytest.raises(InputError, match="no workspace"):
        read(workspace / "SOUL.md", "openclaw")


def test_links_out_of_a_workspace_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Secret.")
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "AGENTS.md").write_text("Rules.")
    (workspace / "MEMORY.md").symlink_to(tmp_path / "secret.md")
    (workspace / "memory" / "2025-05-03.md").write_text("Rain.")
    (workspace / "memory" / "2025-05-04.md").symlink_to(tmp_path / "secret.md")
    drafts, (problem,) = read(workspace)
    assert [draft.full for draft in drafts if isinstance(draft, Draft)] == ["Rain."]
    assert "leads out" in problem.why
