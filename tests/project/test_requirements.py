"""The requirements manifest agrees with the tests, both ways, and its check sees what is wrong."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def manifest() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lodmem_requirements", ROOT / "scripts" / "requirements.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "docs" / "requirements.toml").write_text(
        '[1]\ntitle = "A thing"\nlater = ["R1.2"]\n"R1.1" = "It is."\n"R1.2" = "It will be."\n', encoding="utf-8"
    )
    return tmp_path


def plant(tree: Path, *ids: str) -> None:
    lines = "".join(f'@pytest.mark.req("{i}")\ndef test_{n}():\n    pass\n' for n, i in enumerate(ids))
    (tree / "tests" / "test_a.py").write_text(f"import pytest\n{lines}", encoding="utf-8")


def test_tests_and_manifest_agree(manifest: ModuleType) -> None:
    assert manifest.problems(manifest.load(), manifest.marked()) == []


def test_what_is_shown_and_what_is_to_come_is_no_problem(manifest: ModuleType, tree: Path) -> None:
    plant(tree, "R1.1")
    assert manifest.problems(manifest.load(tree), manifest.marked(tree)) == []


def test_an_unknown_id_is_a_problem(manifest: ModuleType, tree: Path) -> None:
    plant(tree, "R1.1", "R9.9")
    assert manifest.problems(manifest.load(tree), manifest.marked(tree)) == [
        "tests/test_a.py carries R9.9, which docs/requirements.toml does not have"
    ]


def test_a_due_statement_without_a_test_is_a_problem(manifest: ModuleType, tree: Path) -> None:
    plant(tree)
    assert manifest.problems(manifest.load(tree), manifest.marked(tree)) == ["no test shows R1.1: It is."]


def test_an_id_out_of_place_is_refused(manifest: ModuleType, tree: Path) -> None:
    path = tree / "docs" / "requirements.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("R1.1", "R1.3"), encoding="utf-8")
    with pytest.raises(ValueError, match="stands where"):
        manifest.load(tree)


def test_an_id_that_is_no_plain_string_is_refused(manifest: ModuleType, tree: Path) -> None:
    (tree / "tests" / "test_a.py").write_text("import pytest\nX = 'R1.1'\npytestmark = pytest.mark.req(X)\n", encoding="utf-8")
    with pytest.raises(ValueError, match="plain strings"):
        manifest.marked(tree)


def test_the_page_says_what_shows_what(manifest: ModuleType, tree: Path) -> None:
    plant(tree, "R1.1")
    page = manifest.page(manifest.load(tree), manifest.marked(tree))
    assert "- **R1.1** It is. *([test_a](../tests/test_a.py))*" in page
    assert "- **R1.2** It will be. *(to come)*" in page
