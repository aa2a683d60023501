from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lodmem.errors import BadParameter, UnknownPath
from lodmem.evals.beliefs import Expectation, PrecisionCase, load_precision
from lodmem.evals.kept import QUESTIONS
from lodmem.evals.precision import evaluate_precision, failures
from lodmem.evals.runner import Plan


def belief(name: str, text: str, **more: Any) -> dict[str, Any]:
    """An invented belief in PrecisionMemBench's format."""
    return {
        "_id": name,
        "user_id": "test-user",
        "type": "preference",
        "canonical_name": name.removeprefix("b-"),
        "aliases": [],
        "content": text,
        "why_it_matters": "",
        "scope": ["domain:garden"],
        "pinned": False,
        "superseded_by": None,
        "resolved_at": None,
        "created_at": "2026-09-01T00:00:00Z",
    } | more


BELIEFS = [
    belief("b-roses", "Prunes roses in late winter with bypass secateurs.", aliases=["rosebush"]),
    belief("b-compost", "Turns the compost heap every fortnight.", type="decision", pinned=True),
    belief("b-hose", "Waters with a leaky hose on a timer.", superseded_by="b-drip"),
    belief("b-drip", "Waters with a drip line under mulch."),
    belief("b-bees", "Should the beehives move to the orchard?", type="open_question", resolved_at="2026-09-03T00:00:00+00:00"),
    belief("b-mint", "Mint grows in sunken pots.", scope=["domain:kitchen"]),
    belief("b-mint-garden", "Mint is never planted in open beds."),
    belief("b-needs", "The greenhouse heater needs the rain barrel pump.", type="relation", participants=["b-pump", "b-bees"]),
    belief("b-pump", "A submersible device with a float switch."),
    belief("b-secret", "Roses are pruned in June.", user_id="other-user"),
]


def asked(name: str, query: str, only: list[str] | None, **more: Any) -> dict[str, Any]:
    expect: dict[str, Any] = {"personaPrelude": {"nonEmpty": True}, "relevantBeliefs": {}}
    if only is not None:
        expect["relevantBeliefs"]["shouldOnlyInclude"] = only
    expect["relevantBeliefs"] |= more.pop("expect", {})
    return {
        "caseId": name,
        "category": "Alias resolution",
        "description": "",
        "scope": ["domain:garden"],
        "query": query,
        "expect": expect,
    } | more


CASES = [
    asked("roses", "When are the roses pruned with secateurs?", ["b-roses"], expect={"mustExclude": ["b-secret"]}),
    asked("superseded", "Does the garden water with a leaky hose on a timer?", None, expect={"mustExclude": ["b-hose"]}),
    asked("scope", "Where does mint grow, sunken pots?", ["b-mint"], scope=["domain:kitchen"]),
    asked("both", "mint", ["b-mint", "b-mint-garden"], scope=["domain:garden", "domain:kitchen"]),
    asked("joined", "Which greenhouse heater needs the rain barrel pump?", None, expect={"mustInclude": ["b-needs", "b-pump"]}),
    asked("settled", "Should the beehives move to the orchard?", None, expect={"mustExclude": ["b-bees"]}),
    asked("blank", "  ", [], category="Design boundary cases"),
    asked("nobody", "roses", [], userId="new-user"),
    asked("full-up", "When are the roses pruned?", [], budget={"maxBeliefs": 1}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fixtures = tmp_path / "bench" / "fixtures"
    fixtures.mkdir(parents=True)
    (fixtures / "beliefs.seed.json").write_text(json.dumps(BELIEFS))
    (fixtures / "retrieval.cases.json").write_text(json.dumps(CASES))
    return fixtures.parent


def test_beliefs_and_cases_are_read(folder: Path) -> None:
    bench = load_precision(folder)
    roses = bench.beliefs["b-roses"]
    assert roses.text == "roses rosebush Prunes roses in late winter with bypass secateurs."
    assert (roses.scopes, roses.user, roses.superseded_by) == (("domain:garden",), "test-user", None)
    assert bench.beliefs["b-bees"].resolved_us is not None
    assert bench.beliefs["b-needs"].participants == ("b-pump", "b-bees")
    first, second, *_, last = bench.cases
    assert first.expected.only == frozenset({"b-roses"})
    assert first.expected.exclude == ("b-secret",)
    assert second.expected.only is None
    assert (last.most_beliefs, first.most_beliefs, bench.cases[-2].user) == (1, 20, "new-user")
    assert bench.pinned(first) == ["b-compost"]
    assert bench.pinned(bench.cases[2]) == []
    assert load_precision(folder / "fixtures").cases == bench.cases


def test_what_surfaces(folder: Path, tmp_path: Path) -> None:
    report = evaluate_precision(folder, Plan(embedder=None, out_dir=tmp_path / "out"))
    lines = {line["question"]: line for line in report.lines}

    def surfaced(name: str, tier: str) -> list[str]:
        found: list[str] = lines[name]["at"][tier]["surfaced"]
        return found

    assert "b-roses" in surfaced("roses", "summary")
    for tier in report.tiers:
        everything = {name for line in report.lines for name in line["at"][tier]["surfaced"]}
        # Another user's, what was superseded, what is settled, what is shown anyway: never.
        assert everything.isdisjoint({"b-secret", "b-hose", "b-bees", "b-compost"})
        assert surfaced("blank", tier) == surfaced("nobody", tier) == surfaced("full-up", tier) == []
        for name in ("superseded", "settled", "blank", "nobody", "full-up"):
            assert lines[name]["at"][tier]["failures"] == [], name
    assert surfaced("scope", "headline") == ["b-mint"]
    assert set(surfaced("both", "headline")) >= {"b-mint", "b-mint-garden"}
    assert {"b-needs", "b-pump"} <= set(surfaced("joined", "headline"))
    assert lines["blank"]["at"]["full"]["precision"] is None
    assert lines["nobody"]["at"]["full"]["recall"] is None
    assert len((tmp_path / "out" / QUESTIONS).read_text().splitlines()) == len(CASES)


def test_tiers_widen_what_surfaces(folder: Path) -> None:
    report = evaluate_precision(folder, Plan(embedder=None))
    for line in report.lines:
        full, summary, headline = (set(line["at"][tier]["surfaced"]) for tier in ("full", "summary", "headline"))
        assert full <= summary <= headline


def test_plain_values_and_tables(folder: Path) -> None:
    report = evaluate_precision(folder, Plan(embedder=None))
    found: dict[str, Any] = json.loads(json.dumps(report.to_dict()))
    assert (found["dataset"], found["questions"], list(found["at"])) == ("precision", 9, ["full", "summary", "headline"])
    assert found["passed"] == found["at"]["full"]["passed"]
    assert found["at"]["headline"]["active"] == 4
    assert found["by_category"]["Design boundary cases"]["full"]["passed"] == 1
    tiers, categories = report.grids()
    assert [row[0] for row in tiers.rows] == ["full", "summary or better", "headline or better"]
    assert categories.rows[0][:2] == ("Alias resolution", "8")


def case(**told: Any) -> PrecisionCase:
    expected = {"only": None, "include": (), "exclude": (), "before": (), "most": None, "least": None} | told
    return PrecisionCase(
        id="c", category="x", user="u", scopes=(), query="q", most_beliefs=20, expected=Expectation(**expected)
    )


@pytest.mark.parametrize(
    ("told", "failed"),
    [
        ({"only": frozenset("ab")}, []),
        ({"only": frozenset("a")}, ["unexpected b"]),
        ({"only": frozenset("abc")}, ["missing c"]),
        ({"include": ("a", "p")}, []),
        ({"include": ("z",)}, ["missing z"]),
        ({"exclude": ("p", "z")}, ["forbidden p"]),
        ({"before": (("b", "a"),)}, []),
        ({"before": (("a", "b"),)}, ["a not before b"]),
        ({"before": (("a", "z"),)}, ["a not before z"]),
        ({"most": 1}, ["2 beliefs, more than 1"]),
        ({"least": 3}, ["2 beliefs, fewer than 3"]),
    ],
)
def test_expectations_by_hand(told: dict[str, Any], failed: list[str]) -> None:
    assert failures(case(**told), ["b", "a"], ["p"]) == failed


def test_missing_files_say_where_they_come_from(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath) as caught:
        load_precision(tmp_path)
    assert "github.com/tenurehq/precisionMemBench" in caught.value.hint
    assert "MIT" in caught.value.hint


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("beliefs.seed.json", [], "should be a list"),
        ("beliefs.seed.json", [{"_id": "b"}], "belief 1 is not"),
        ("beliefs.seed.json", [BELIEFS[0], BELIEFS[0]], "belief 2 is not"),
        ("beliefs.seed.json", [belief("b-a", "x", superseded_by="b-gone"), *BELIEFS], "b-gone, which is not there"),
        ("retrieval.cases.json", {}, "should be a list"),
        ("retrieval.cases.json", [asked("a", "q", ["b-gone"])], "b-gone, which is not there"),
        ("retrieval.cases.json", [CASES[0], {"caseId": "x"}], "case 2 is not"),
    ],
)
def test_broken_files_are_named(folder: Path, file: str, content: Any, told: str) -> None:
    (folder / "fixtures" / file).write_text(json.dumps(content))
    with pytest.raises(BadParameter, match=told):
        load_precision(folder)
