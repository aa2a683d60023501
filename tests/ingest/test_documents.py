"""The markdown and text importers on real folders: dates, tags, places, and what re-reading an edited file adds."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lodmem.engine import Engine
from lodmem.errors import UnknownPath
from lodmem.ingest.importers.base import Importer, date_in_name, iso_us
from lodmem.ingest.importers.markdown import MarkdownImporter
from lodmem.ingest.importers.text import TextImporter
from lodmem.ingest.report import Problem
from lodmem.model.memory import Draft, to_us

MAY_1 = to_us(datetime(2024, 5, 1, tzinfo=UTC))


def read(path: Path, importer: Importer | None = None) -> tuple[list[Draft], list[Problem]]:
    used = importer or MarkdownImporter()
    items = list(used.read(path))
    assert used.count(path) == len(items)
    return [item for item in items if isinstance(item, Draft)], [item for item in items if isinstance(item, Problem)]


@pytest.mark.req("R5.18")
def test_a_folder_gives_a_memory_a_section(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nOne.\n\n## B\n\nTwo.\n", encoding="utf-8")
    (tmp_path / "b.markdown").write_text("Three.", encoding="utf-8")
    (tmp_path / "c.txt").write_text("No markdown.", encoding="utf-8")
    drafts, problems = read(tmp_path)
    assert [draft.full for draft in drafts] == ["A\n\nOne.", "A > B\n\nTwo.", "Three."]
    assert problems == []
    assert drafts[1].meta == {"heading": "A > B", "section": 2, "line": 5}
    assert drafts[1].source is not None
    assert drafts[1].source.uri == (tmp_path / "a.md").as_uri()


@pytest.mark.req("R1.10")
def test_a_date_is_the_front_matters_or_the_names_and_never_the_file_systems(tmp_path: Path) -> None:
    files = {
        "2024-05-01 door.md": "Text.",
        "2024-05-02.md": "---\ndate: 2024-05-01\n---\nText.",
        "b.md": "---\ncreated: 2024-05-01T02:00:00+02:00\n---\nText.",
        "c.md": "---\ndate: '2024-05-01 00:00'\ncreated: 1999-01-01\n---\nText.",
        "2024-05-011.md": "Text.",
        "2024-13-01.md": "Text.",
        "d.md": "Text.",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    drafts, problems = read(tmp_path)
    dates = {Path(draft.source.uri).name: draft.created_us for draft in drafts if draft.source}
    assert dates.pop("2024-05-01%20door.md") == MAY_1
    assert {name for name, date in dates.items() if date == MAY_1} == {"2024-05-02.md", "b.md", "c.md"}
    assert {name for name, date in dates.items() if date is None} == {"2024-05-011.md", "2024-13-01.md", "d.md"}
    assert problems == []


def test_a_date_that_cannot_be_read_is_a_problem_and_the_text_comes_in(tmp_path: Path) -> None:
    path = tmp_path / "2024-05-01.md"
    path.write_text("---\ndate: soon\n---\nText.", encoding="utf-8")
    drafts, problems = read(path)
    assert [draft.created_us for draft in drafts] == [MAY_1]
    assert "'soon' is not ISO 8601" in problems[0].why


def test_tags_and_title_come_from_the_front_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\ntitle: House\ntags: [wood, '#old', wood]\n---\nIt stands.", encoding="utf-8")
    (draft,), _ = read(path)
    assert draft.tags == ("wood", "old")
    assert draft.full == "House\n\nIt stands."


def test_what_cannot_be_read_is_a_problem_and_the_rest_comes_in(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Fine.", encoding="utf-8")
    (tmp_path / "b.md").write_bytes(b"PNG\0\0")
    (tmp_path / "c.md").write_bytes("Grüße".encode("latin-1"))
    (tmp_path / "d.md").write_text(" \n\n", encoding="utf-8")
    drafts, problems = read(tmp_path)
    assert [draft.full for draft in drafts] == ["Fine."]
    assert [(Path(p.where).name, p.why.split(":")[0]) for p in problems] == [
        ("b.md", "binary, not text"),
        ("c.md", "not UTF-8"),
        ("d.md", "empty"),
    ]
    with pytest.raises(UnknownPath):
        read(tmp_path / "nowhere")


def test_a_file_has_one_place_however_it_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("Text.", encoding="utf-8")
    (tmp_path / "link").symlink_to("notes")
    monkeypatch.chdir(tmp_path / "notes")
    ways = [Path("a.md"), Path("."), Path(), tmp_path / "notes", tmp_path / "link", Path("../notes/a.md")]
    assert len({read(way)[0][0].source for way in ways}) == 1


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_of_any_bytes_comes_in(tmp_path: Path, engine: Engine) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff \xe6.md")).write_text("Kept.", encoding="utf-8")
    assert engine.ingest(folder).added == 1


@pytest.mark.req("R5.19")
def test_an_edited_file_adds_only_the_sections_that_changed(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Log\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n\n## Two\n\nSecond.\n", encoding="utf-8")
    first = engine.ingest(path)
    assert (first.importer, first.added, first.problems) == ("markdown", 3, ())
    assert engine.ingest(path).added == 0
    path.write_text(
        "# Log\n\n## Zero\n\nNew on top.\n\n## One\n\nFirst!\n\n## Two\n\nSecond.\n\n## Two\n\nSecond.\n", encoding="utf-8"
    )
    again = engine.ingest(path)
    assert (again.added, again.unchanged) == (2, 2)


def test_a_text_file_is_one_memory_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "2024-05-01.txt").write_bytes(b"# no heading\r\n\r\nTwo paragraphs.\n")
    (tmp_path / "b.TXT").write_bytes(b"\xff")
    (tmp_path / "c.txt").write_bytes(b"\n")
    drafts, problems = read(tmp_path, TextImporter())
    assert [draft.full for draft in drafts] == ["# no heading\r\n\r\nTwo paragraphs.\n"]
    assert drafts[0].created_us == MAY_1
    assert len(problems) == 2
    assert read(tmp_path / "2024-05-01.txt", TextImporter())[0] == drafts


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("2024-05-01", MAY_1),
        (" 2024-05-01T02:00+02:00 ", MAY_1),
        ("2024-05-01T00:00:00Z", MAY_1),
        ("2024-05-01 00:00:00.000001", MAY_1 + 1),
        ("1 May 2024", None),
        ("2024", None),
        ("", None),
        ("2024-02-30", None),
    ],
)
def test_iso_dates(text: str, us: int | None) -> None:
    assert iso_us(text) == us


def test_a_date_in_a_name_must_stand_at_its_front() -> None:
    assert date_in_name(Path("x/2024-05-01-door.md")) == MAY_1
    assert date_in_name(Path("2024-05-01/door.md")) is None
    assert date_in_name(Path("door 2024-05-01.md")) is None
