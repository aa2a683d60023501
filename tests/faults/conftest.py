"""The faults suite finds its kit, and a soak ends with its figures."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# Tests are no package: their kits are found from here, as in the processes that they start.
sys.path.insert(0, str(Path(__file__).parents[1] / "contracts"))
sys.path.insert(0, str(Path(__file__).parent))

from soak import SOAK


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder, in memory where the machine has such: no test here needs a real sync, and each makes hundreds."""
    memory = Path("/dev/shm")
    if not (memory.is_dir() and os.access(memory, os.W_OK)):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as name:
        yield Path(name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests recorded with `record_property`."""
    figures = {
        f"{name}: {value}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, value in report.user_properties
    }
    if SOAK and figures:
        terminalreporter.section("figures")
        for line in sorted(figures):
            terminalreporter.write_line(line)
