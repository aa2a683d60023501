"""What is shipped: the wheel holds the package with its data and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = (".json", ".md", ".sql", ".txt", ".typed")
DATA = {path.relative_to(ROOT).as_posix() for path in (ROOT / "lodmem").rglob("*") if path.suffix in SUFFIXES}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True, capture_output=True)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


def test_the_wheel_holds_the_package_and_its_data(built: dict[str, Path]) -> None:
    names = set(zipfile.ZipFile(built["wheel"]).namelist())
    assert names >= DATA
    assert "lodmem/models/data/all-MiniLM-L6-v2/tokenizer.json" in names
    assert "lodmem/py.typed" in names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"lodmem"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_sdist_can_be_tested(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {"pyproject.toml", "Makefile", "README.md", "scripts/setup.py", "requirements/dev.txt", "tests/conftest.py"}
