"""Statements about evidence (docs/requirements.toml, section 12), shown on public data where it is at hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("LODMEM_BENCH_DATA") or ROOT.parent / "shared" / "data") / "locomo-dev.json"


@pytest.mark.req("R12.1")
@pytest.mark.data
@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.skipif(not DATA.is_file(), reason="no public benchmark data: set LODMEM_BENCH_DATA to its folder")
def test_three_quarters_of_the_evidence_are_among_the_first_ten(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lodmem", "eval", "locomo", str(DATA), "--json", "--cache", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["questions"] > 900
    assert set(report["recall_at"]) == {"5", "10", "20", "50"}
    assert report["recall_at"]["10"] >= 0.75
    assert len(report["by_category"]) == 5
