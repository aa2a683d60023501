"""What every file of the project owes its reader: an opening docstring, a size that can be read, no address of a registry."""

from __future__ import annotations

import ast
import os
import re
import statistics
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Written in pieces, so that this file does not hold what it looks for.
REGISTRIES = re.compile(
    "|".join(
        (
            r"pypi\.{}".format("org"),
            r"files\.{}".format("pythonhosted"),
            r"registry\.(npmjs|yarnpkg)\.{}".format("(org|com)"),
            r"(deb|ftp|security|archive)[\w.-]*\.(debian|ubuntu)\.{}".format("(org|com)"),
            r"{}\.crates\.io".format("(static|index)"),
            r"proxy\.golang\.{}".format("org"),
            r"(^|\s)--(extra-)?index-{}\b".format("url"),
            r"(^|\s)--find-{}\b".format("links"),
        )
    ),
    re.MULTILINE,
)


def tracked() -> list[Path]:
    """Files that are or would be committed; without git, all that lie here outside the folders that tools make."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        made = re.compile(
            r"(^|/)(\.venv|\.demo|\.\w+_cache|__pycache__|node_modules|dist|build|\.hypothesis|[^/]*\.egg-info)(/|$)"
        )
        names = [name for p in ROOT.rglob("*") if not made.search(name := p.relative_to(ROOT).as_posix())]
    return [ROOT / name for name in sorted(names) if (ROOT / name).is_file()]


def text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def test_no_file_names_a_registry() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked()
        if (text := text_of(path)) is not None and path.suffix != ".onnx"
        for match in REGISTRIES.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "https://{}/simple".format("pypi." + "org"),
        "https://files." + "pythonhosted.org/packages/a.whl",
        '"resolved": "https://registry.' + 'npmjs.org/a.tgz"',
        "deb http://deb." + "debian.org/debian stable main",
        "--index-" + "url https://mirror.example/simple",
    ],
)
def test_the_pattern_sees_a_registry(line: str) -> None:
    assert REGISTRIES.search(line)


@pytest.mark.parametrize("line", ["import sqlite3", "debian packages come from apt", "the pypi list", "--no-index"])
def test_the_pattern_sees_no_registry_in(line: str) -> None:
    assert not REGISTRIES.search(line)


def test_every_module_opens_with_what_it_does() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in [*sorted((ROOT / "lodmem").rglob("*.py")), *sorted((ROOT / "scripts").glob("*.py"))]
        if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def test_files_stay_readable() -> None:
    lines = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in (ROOT / "lodmem").rglob("*.py")}
    long = {str(p.relative_to(ROOT)): n for p, n in lines.items() if n > 500}
    assert statistics.median(n for n in lines.values() if n) < 200
    assert len(long) <= 3, long


# -- the lock ---------------------------------------------------------------------------------------------------------


def locked(name: str) -> dict[str, list[str]]:
    """Hashes by normalised name of one lock file."""
    out: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([a-z0-9][a-z0-9._-]*)==[^ ]+", line):
            current = out.setdefault(re.sub(r"[._-]+", "-", match[1]), [])
        elif match := re.match(r"    --hash=sha256:([0-9a-f]{64})", line):
            current.append(match[1])
    return out


@pytest.mark.parametrize("name", ["run", "dev"])
def test_every_locked_package_has_hashes(name: str) -> None:
    packages = locked(name)
    assert len(packages) > 30
    assert [package for package, hashes in packages.items() if not hashes] == []


def test_the_locks_hold_what_pyproject_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    def names(asked: list[str]) -> set[str]:
        return {re.sub(r"[._-]+", "-", re.split(r"[^\w.-]", item)[0].lower()) for item in asked}

    run = names(project["project"]["dependencies"]) | names(project["build-system"]["requires"])
    assert run - set(locked("run")) == set(), "run `make lock`"
    assert (run | names(project["dependency-groups"]["dev"])) - set(locked("dev")) == set(), "run `make lock`"


def test_both_locks_pin_the_same_versions() -> None:
    run, dev = locked("run"), locked("dev")
    assert {package: dev.get(package) for package in run} == run


# -- how it is run ----------------------------------------------------------------------------------------------------


def test_make_alone_lists_the_targets() -> None:
    listed = subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory"], capture_output=True, text=True, check=True
    ).stdout
    for target in ("demo", "test", "lint", "format", "lock", "docs", "eval", "clean"):
        assert f"make {target} " in listed


def test_ci_can_be_run() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_the_setup_script_tells_an_old_python_what_to_do() -> None:
    # Only what an interpreter that is too old must be able to read before it is told so.
    ast.parse((ROOT / "scripts" / "setup.py").read_text(encoding="utf-8"), feature_version=(3, 8))
