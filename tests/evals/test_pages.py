from __future__ import annotations

import json
from pathlib import Path

import pytest

from lodmem.errors import StorePathError
from lodmem.evals import pages
from lodmem.evals.pages import write
from lodmem.evals.plots import Plot, can_draw, draw
from tests.evals.test_report import report

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_report_is_written_with_its_pictures(tmp_path: Path) -> None:
    if not can_draw():
        pytest.skip("matplotlib is not installed")
    written = write(report(), tmp_path / "out")
    assert [path.name for path in written] == [
        "report.md",
        "report.json",
        "locomo-turns.png",
        "locomo-sessions.png",
        "locomo-by-category.png",
    ]
    assert all(path.read_bytes().startswith(PNG) for path in written[2:])
    text = written[0].read_text()
    assert text.startswith("# Evaluation: locomo\n")
    assert "| **all** | **3** | **44.4** |" in text
    assert "![locomo turns](locomo-turns.png)" in text
    assert json.loads(written[1].read_text()) == json.loads(json.dumps(report().to_dict()))


def test_without_matplotlib_the_page_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "can_draw", lambda: False)
    assert [path.name for path in write(report(), tmp_path)] == ["report.md", "report.json"]
    assert "lodmem[eval]" in (tmp_path / "report.md").read_text()


def test_a_logarithmic_plot(tmp_path: Path) -> None:
    if not can_draw():
        pytest.skip("matplotlib is not installed")
    draw(Plot("t", "tokens", "%", (1000, 2000), {"a": (1.0, 2.0)}, logarithmic=True), tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(PNG)


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorePathError) as caught:
        write(report(), tmp_path / "file")
    assert "--out" in caught.value.hint
