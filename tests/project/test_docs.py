"""What the documents say is so: their Python runs, their command lines work, their links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NOTES = {
    "launch.md": "# Launch\n\nAda moved the launch to June 3 because the audit takes two weeks.\n",
    "cats.md": "# Cats\n\nThe office cat sleeps on the router. It likes the warmth.\n",
}
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(language: str) -> Iterator[Block]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            if match[1] == language:
                yield Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2])


def by_page(language: str) -> list[list[Block]]:
    """Blocks of one page belong together: later ones go on where earlier ones stopped."""
    pages: dict[Path, list[Block]] = {}
    for block in blocks(language):
        pages.setdefault(block.page, []).append(block)
    return list(pages.values())


def named(page: list[Block]) -> str:
    return page[0].page.relative_to(ROOT).as_posix()


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The environment of a new user: an empty home, nothing set, `lodmem` of this interpreter on the path."""
    (tmp_path / "home").mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "SYSTEMROOT") if name in os.environ}
    bin_folder = str(Path(sys.executable).parent)
    path = os.pathsep.join((bin_folder, kept.get("PATH", "")))
    return {**kept, "PATH": path, "HOME": str(tmp_path / "home"), "USERPROFILE": str(tmp_path / "home"), "PYTHONUTF8": "1"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the notes that the documents speak of."""
    folder = tmp_path / "a place"
    notes = folder / "notes"
    notes.mkdir(parents=True)
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("page", by_page("python"), ids=named)
def test_the_python_of_a_page_runs(page: list[Block], place: Path, home: dict[str, str]) -> None:
    # Blank lines keep the line numbers of the page in a traceback.
    script = ""
    for block in page:
        script += "\n" * (block.line - script.count("\n")) + block.text
    file = place / "page.py"
    file.write_text(script, encoding="utf-8")
    result = subprocess.run([sys.executable, str(file)], cwd=place, env=home, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{named(page)}\n{result.stderr}"


@pytest.mark.req("R17.4")
@pytest.mark.parametrize("page", by_page("console"), ids=named)
def test_the_command_lines_of_a_page_work(page: list[Block], place: Path, home: dict[str, str]) -> None:
    for block in page:
        for command in commands(block.text):
            result = subprocess.run(
                ["sh", "-c", command],
                cwd=place,
                env=home,
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
            )
            assert result.returncode == 0, f"{block}: {command}\n{result.stdout}\n{result.stderr}"
            for line in expected(block.text, command):
                assert line in result.stdout, f"{block}: {command}\n{result.stdout}"


def shell(command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    nobody = subprocess.DEVNULL
    argv = ["sh", "-c", command]
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False, stdin=nobody)


def commands(text: str) -> list[str]:
    found = re.findall(r"^\$ (.*(?:\n> .*)*)", text, re.MULTILINE)
    lines = [re.sub(r"\\\n> ", "", line).strip() for line in found]
    for line in lines:
        assert "lodmem" in shlex.split(line, comments=True), f"not a lodmem command: {line}"
    return lines


def expected(text: str, command: str) -> list[str]:
    """Lines that the page shows below a command, up to a line of three dots, which stands for whatever follows."""
    _, _, after = text.partition(f"$ {command}\n")
    lines: list[str] = []
    for line in after.splitlines():
        if line.startswith("$ ") or line.strip() == "...":
            break
        lines.append(line.rstrip())
    return [line for line in lines if line]


def test_there_is_something_to_run() -> None:
    assert {b.page.name for b in blocks("python")} >= {"README.md", "python.md"}
    assert {b.page.name for b in blocks("console")} >= {"README.md", "getting-started.md", "cli.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = []
    for target in re.findall(r"!?\[[^\]]*\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name) if name else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_generated_pages_are_current() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "docs.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
