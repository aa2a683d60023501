"""The commands below `lodmem eval`, in this process, by words alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lodmem.cli.main import cli
from lodmem.evals import exclusion, pages
from tests.evals.test_exclusion import FLYING
from tests.evals.test_precision import BELIEFS, CASES

Run = Callable[..., Result]


@pytest.fixture
def lodmem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    # Pictures have their own test; a new home would make matplotlib look at every font of the machine again.
    monkeypatch.setattr(pages, "can_draw", lambda: False)
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "LODMEM_STORE": str(tmp_path / "never.db")}

    def run(*args: object, expect: int = 0) -> Result:
        result = CliRunner(env=home).invoke(cli, ["eval", *map(str, args), "--embedder", "none"])
        assert result.exit_code == expect, result.output
        assert "Traceback" not in result.output
        assert not (tmp_path / "never.db").exists()
        return result

    return run


def found(result: Result) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(result.stdout)
    return values


def test_locomo(lodmem: Run, locomo_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    values = found(lodmem("locomo", locomo_file, "--json", "--out", out, "--work", tmp_path / "work", "--alpha", 0.9))
    assert (values["dataset"], values["questions"], values["alpha"]) == ("locomo", 5, 0.9)
    assert values["recall_at"] == values["turn"]["recall_at"]
    assert {"report.md", "report.json", "questions.jsonl", "settings.json"} <= {path.name for path in out.iterdir()}
    assert json.loads((out / "report.json").read_text())["recall_at"] == values["recall_at"]
    page = lodmem("locomo", locomo_file, "--out", out, "--alpha", 0.9).stdout
    assert "R@10" in page
    assert "4 single-hop" in page
    assert f"written to {out / 'report.md'}" in page
    assert found(lodmem("locomo", locomo_file, "--half", "tune", "--json"))["questions"] == 5
    assert found(lodmem("locomo", locomo_file, "--half", "check", "--json"))["questions"] == 0


def test_longmemeval(lodmem: Run, longmemeval_file: Path) -> None:
    values = found(lodmem("longmemeval", longmemeval_file, "--json"))
    assert values["recall_at"] == values["session"]["recall_at"]
    assert values["official"]["session"]["questions"] == 1
    assert found(lodmem("longmemeval", longmemeval_file, "--pooled", "--json"))["dataset"] == "longmemeval pooled"
    assert "official sessions" in lodmem("longmemeval", longmemeval_file).stdout


def test_beam(lodmem: Run, beam_file: Path) -> None:
    assert found(lodmem("beam", beam_file, "--json"))["by_category"].keys() == {"event_ordering", "knowledge_update"}


def test_updates(lodmem: Run, beam_file: Path) -> None:
    values = found(lodmem("updates", beam_file, "--json", "--alpha", 0.3))
    assert (values["alpha"], values["newer_first"], list(values["by_alpha"])) == (0.3, 1.0, ["0.3"])
    assert "newer first" in lodmem("updates", beam_file).stdout


def test_embedding(lodmem: Run, locomo_file: Path) -> None:
    # These tests go by words alone; what is embedded is then no question.
    assert "without an embedding model" in lodmem("embedding", locomo_file, expect=2).stderr


def test_candidates(lodmem: Run, locomo_file: Path) -> None:
    values = found(lodmem("candidates", locomo_file, "--json", "--pooled", "--k", "all", "--k", 2, "--budget", 500))
    assert (values["dataset"], values["questions"], list(values["variants"])) == ("locomo pooled", 5, ["2", "all"])
    assert values["variants"]["all"]["among"] >= values["variants"]["2"]["among"]
    assert "CPU ms" in lodmem("candidates", locomo_file, "--limit", 1).stdout
    assert "is not a valid" in lodmem("candidates", locomo_file, "--k", "many", expect=2).stderr


def test_tiers(lodmem: Run, beam_file: Path) -> None:
    values = found(lodmem("tiers", beam_file, "--json", "--preset", "digest"))
    assert list(values["variants"]) == ["digest"]
    assert "at summary or better" in lodmem("tiers", beam_file).stdout


def test_picking(lodmem: Run, locomo_file: Path, tmp_path: Path) -> None:
    values = found(lodmem("picking", locomo_file, "--json", "--out", tmp_path / "out"))
    assert list(values["variants"]) == ["stored headline", "headline facing the question"]
    assert values["variants"]["stored headline"]["recall_at_10"] == 1.0
    assert {"report.md", "report.json", "stored", "facing"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert list(found(lodmem("picking", locomo_file, "--json", "--stored"))["variants"]) == ["stored headline"]


def test_budget(lodmem: Run, locomo_file: Path) -> None:
    values = found(
        lodmem("budget", locomo_file, "--json", "--budget", 2000, "--budget", 100, "--unit", "session", "--limit", 2)
    )
    assert (values["questions"], values["budgets"], values["fill"]) == (2, [100, 2000], True)
    assert "turn" not in values
    assert values["session"]["landscape"]["visible"]["2000"] == 1.0
    assert "evidence shown" in lodmem("budget", locomo_file, "--budget", 500, "--no-fill", "--stored").stdout


def test_precision(lodmem: Run, tmp_path: Path) -> None:
    (tmp_path / "beliefs.seed.json").write_text(json.dumps(BELIEFS))
    (tmp_path / "retrieval.cases.json").write_text(json.dumps(CASES))
    values = found(lodmem("precision", tmp_path, "--json", "--out", tmp_path / "out"))
    assert values["questions"] == len(CASES)
    assert values["at"]["full"]["passed"] >= 5
    assert "passed by category" in lodmem("precision", tmp_path).stdout


def test_exclusion(lodmem: Run, locomo_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exclusion, "load_topics", lambda: (FLYING,))
    values = found(lodmem("exclusion", "--locomo", locomo_file, "--json", "--out", tmp_path / "out"))
    assert (values["topics"], values["missed"], values["embedder"]) == (1, 0.5, "none")
    assert {"report.md", "report.json", "locomo"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert "lost without reason" in lodmem("exclusion", "--locomo", locomo_file).stdout
    assert "--locomo or --longmemeval" in lodmem("exclusion", expect=2).stderr
    assert "snap-research/locomo" in lodmem("exclusion", "--locomo", tmp_path / "absent", expect=3).stderr


def test_promotion(lodmem: Run, locomo_file: Path, tmp_path: Path) -> None:
    given = ("promotion", locomo_file, "--queries", 12, "--budget", 400, "--promote-at", 0.7)
    values = found(lodmem(*given, "--json", "--work", tmp_path / "work", "--out", tmp_path / "out"))
    assert (values["queries"], values["memories"], values["profile"]["promote_at"]) == (12, 10, 0.7)
    assert (tmp_path / "work" / "promotion.db").is_file()
    assert "when popularity ends" in (tmp_path / "out" / "report.md").read_text()
    assert "R@10 at the end of the year" in lodmem(*given).stdout


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("locomo", "snap-research/locomo"),
        ("longmemeval", "xiaowu0162/longmemeval-cleaned"),
        ("beam", "mohammadtavakoli78/BEAM"),
        ("budget", "snap-research/locomo"),
        ("updates", "mohammadtavakoli78/BEAM"),
        ("precision", "tenurehq/precisionMemBench"),
        ("promotion", "snap-research/locomo"),
        ("embedding", "snap-research/locomo"),
        ("candidates", "xiaowu0162/longmemeval-cleaned"),
        ("tiers", "mohammadtavakoli78/BEAM"),
        ("picking", "snap-research/locomo"),
    ],
)
def test_a_missing_file_says_where_it_comes_from(lodmem: Run, tmp_path: Path, command: str, place: str) -> None:
    told = lodmem(command, tmp_path / "absent", expect=3).stderr
    assert place in told
    assert "licence" in told
