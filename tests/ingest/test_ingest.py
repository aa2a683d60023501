"""From importers to a store: what is chosen for a path, batches, refusals that stop nothing, going on afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lodmem.engine import Engine
from lodmem.errors import BadParameter, EmptyText, StoreFull, UnknownPath
from lodmem.ingest.importers import NAMES, find
from lodmem.ingest.ingest import Begin, run
from lodmem.ingest.report import IngestReport, Problem
from lodmem.model.memory import Added, Draft, Source

from .conftest import Repository


class Listed:
    """An importer that gives what it is told to."""

    name = "listed"

    def __init__(self, items: Sequence[Draft | Problem]) -> None:
        self._items = items

    def recognises(self, path: Path) -> bool:
        return True

    def count(self, path: Path) -> int | None:
        return len(self._items)

    def read(self, path: Path) -> Iterator[Draft | Problem]:
        yield from self._items


def draft(text: str, sequence: int = 0, **given: object) -> Draft:
    place = Source("list:1", "", sequence)
    return Draft(full=text, space="", agent="", source=place, **given)  # type: ignore[arg-type]


class Writer:
    """Keeps drafts; refuses every batch that holds an empty text, as the engine does."""

    def __init__(self) -> None:
        self.kept: dict[str, Draft] = {}
        self.batches: list[int] = []

    def __call__(self, drafts: Sequence[Draft]) -> list[Added]:
        if any(not draft.full.strip() for draft in drafts):
            raise EmptyText("the text is empty")
        self.batches.append(len(drafts))
        outcomes = []
        for item in drafts:
            outcomes.append(Added(1, item.full not in self.kept))
            self.kept[item.full] = item
        return outcomes


def at_once(write: Callable[[Sequence[Draft]], list[Added]]) -> Begin:
    return lambda drafts: lambda: write(drafts)


def ingest(items: Sequence[Draft | Problem], writer: Writer, **given: object) -> IngestReport:
    settings: dict[str, Any] = {"space": "acme", "agent": "ada"} | given
    return run(Listed(items), Path(), begin=at_once(writer), **settings)


def test_drafts_are_written_in_batches_and_counted() -> None:
    writer = Writer()
    seen: list[int] = []
    items = [draft(f"text {n % 7}", n) for n in range(10)]
    report = ingest(items, writer, batch=4, progress=seen.append)
    assert report == IngestReport(importer="listed", added=7, unchanged=3, problems=())
    assert report.seen == 10
    assert writer.batches == [4, 4, 2]
    assert seen == [4, 8, 10]


def test_a_draft_without_space_or_agent_gets_the_callers() -> None:
    writer = Writer()
    own = Draft(full="own", space="theirs", agent="ben", tags=("a",))
    ingest([draft("mine", tags=("b", "x")), own], writer, tags=("x", "y"))
    assert (writer.kept["mine"].space, writer.kept["mine"].agent, writer.kept["mine"].tags) == ("acme", "ada", ("b", "x", "y"))
    assert (writer.kept["own"].space, writer.kept["own"].agent, writer.kept["own"].tags) == ("theirs", "ben", ("a", "x", "y"))


def test_what_the_engine_refuses_is_a_problem_and_the_rest_goes_on() -> None:
    writer = Writer()
    items: list[Draft | Problem] = [
        draft("a"),
        draft(" ", 3),
        Problem("there", "unreadable"),
        draft("b"),
        draft("", 5),
        draft("c"),
    ]
    report = ingest(items, writer, batch=3)
    assert sorted(writer.kept) == ["a", "b", "c"]
    assert report.added == 3
    assert report.problems == (
        Problem("there", "unreadable"),
        Problem("list:1:3", "the text is empty"),
        Problem("list:1:5", "the text is empty"),
    )
    assert str(report.problems[0]) == "there: unreadable"


def test_long_texts_do_not_pile_up() -> None:
    writer = Writer()
    ingest([draft("x" * 3_000_000 + str(n)) for n in range(4)], writer)
    assert writer.batches == [2, 2]


def test_a_store_that_fails_stops_it_and_what_was_written_stays() -> None:
    writer = Writer()

    def failing(drafts: Sequence[Draft]) -> list[Added]:
        if len(writer.kept) >= 4:
            raise StoreFull("the disk is full")
        return writer(drafts)

    items = [draft(f"text {n}", n) for n in range(10)]
    with pytest.raises(StoreFull):
        run(Listed(items), Path(), begin=at_once(failing), space="acme", agent="ada", batch=2)
    assert len(writer.kept) == 4
    assert ingest(items, writer).added == 6


# -- the engine -------------------------------------------------------------------------------------------------------


def test_the_engine_keeps_what_it_can_and_reports_the_rest(tmp_path: Path, engine: Engine) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nOne.\n\n# B\n\nTwo.", encoding="utf-8")
    (folder / "b.md").write_text("x" * (17 * 1024 * 1024), encoding="utf-8")
    (folder / "c.md").write_text(f"# C\n\n{engine.search('anything').rendering}", encoding="utf-8")
    (folder / "d.md").write_bytes(b"\xff")
    seen: list[tuple[int, int | None]] = []
    report = engine.ingest(folder, tags=["notes"], progress=lambda done, total: seen.append((done, total)))
    assert report.added >= 2
    whys = {Path(problem.where.split(":")[0]).name: problem.why for problem in report.problems}
    assert "17,825,792 bytes" in whys["b.md"]
    assert "not UTF-8" in whys["d.md"]
    assert seen[-1] == (report.seen, report.seen)
    again = engine.ingest(folder, tags=["notes"])
    assert (again.added, again.unchanged) == (0, report.added)
    assert {view.tags for view in engine.recent().views} == {("notes",)}


def test_a_dry_run_keeps_nothing(tmp_path: Path, engine: Engine) -> None:
    (tmp_path / "a.txt").write_text("One.", encoding="utf-8")
    assert engine.ingest(tmp_path / "a.txt", dry_run=True).added == 1
    assert engine.stats().memories == 0


# -- which importer ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "importer"),
    [("a.md", "markdown"), ("A.MARKDOWN", "markdown"), ("a.txt", "text"), ("a.jsonl", "jsonl"), ("a.ndjson", "jsonl")],
)
def test_a_file_is_read_by_its_kind_and_so_is_its_folder(tmp_path: Path, name: str, importer: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / name).write_text("x", encoding="utf-8")
    assert find(tmp_path / "folder" / name).name == importer
    if importer != "jsonl":
        assert find(tmp_path / "folder").name == importer


def test_a_repository_with_documents_is_its_history_unless_told_otherwise(
    new_repository: Callable[..., Repository], engine: Engine
) -> None:
    repo = new_repository()
    repo.commit("First", {"README.md": "# House\n\nIt stands."})
    assert find(repo.path).name == "git"
    assert engine.ingest(repo.path).importer == "git"
    documents = engine.ingest(repo.path, importer="markdown")
    assert (documents.importer, documents.added) == ("markdown", 1)
    assert engine.stats().memories == 2


def test_any_file_can_be_read_by_a_named_importer(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("# A\n\nText.", encoding="utf-8")
    assert [type(item) for item in find(tmp_path / "README", "markdown").read(tmp_path / "README")] == [Draft]


def test_what_nothing_reads_is_refused_with_the_choice(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"x")
    for path in (tmp_path, tmp_path / "a.png"):
        with pytest.raises(BadParameter, match="nothing here reads") as caught:
            find(path)
        assert all(name in caught.value.hint for name in NAMES)
    with pytest.raises(BadParameter, match="no importer 'mp3'") as caught:
        find(tmp_path, "mp3")
    assert all(name in caught.value.hint for name in NAMES)
    for name in (None, *NAMES):
        with pytest.raises(UnknownPath):
            find(tmp_path / "nowhere", name)
