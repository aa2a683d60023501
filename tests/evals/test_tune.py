from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lodmem.cli.main import cli
from lodmem.engine import Engine
from lodmem.errors import BadParameter, UnknownProfile
from lodmem.evals.tune import LEAST, LEAST_A_HALF, tune
from lodmem.evals.tune_report import TuneReport
from lodmem.evals.tuning import Standing
from lodmem.model.profile import Profile
from tests.conftest import FakeClock, MakeEngine

THINGS = ("kettle", "boat", "rope", "lamp", "anchor", "stove", "ladder", "bucket", "sail", "hammer")
PLACES = ("attic", "harbour", "cellar", "garden", "kitchen", "workshop", "barn", "hallway")


@pytest.fixture
def store(make_engine: MakeEngine, clock: FakeClock) -> Engine:
    """Of each thing in each place an old memory that fits the question better, and a new one that fits it a little worse."""
    engine = make_engine(embedder="none")
    for thing in THINGS:
        for place in PLACES:
            engine.remember(f"The {thing} is in the {place} now.", created_at=clock.ago(400))
            engine.remember(
                f"The {thing} is in the {place} now, said somebody who came by later that day.", created_at=clock.ago(1)
            )
    return engine


def question(thing: str, place: str) -> str:
    return f"is the {thing} in the {place} now?"


def labelled(path: Path, engine: Engine, *, old: bool, questions: int = 80, **more: str) -> Path:
    lines = []
    for number in range(questions):
        thing, place = THINGS[number % 10], PLACES[number // 10 % 8]
        text = f"The {thing} is in the {place} now" + ("." if old else ", said somebody who came by later that day.")
        lines.append(json.dumps({"query": question(thing, place), "texts": [text], **more}))
    file = path / "labels.jsonl"
    file.write_text("\n".join(lines))
    return file


def test_labels_move_alpha_to_where_they_point(store: Engine, tmp_path: Path) -> None:
    store.save_profile(Profile(name="timely", alpha=0.5))
    told: list[tuple[int, int]] = []
    report = tune(store, "timely", labels=labelled(tmp_path, store, old=True), progress=lambda *at: told.append(at))
    assert report.after.alpha > 0.5
    assert report.gain.low > 0.0
    assert report.verdict == "better on questions that took no part"
    assert len(report.fitted) + len(report.standing_before) == 80
    assert told[-1][0] == told[-1][1] == 3 * len(report.fitted) + 2 * len(report.standing_before)
    # Nothing is saved, nothing was promoted.
    assert store.profiles()["timely"].alpha == 0.5
    assert store.stats().never_retrieved == 160


def test_what_fits_already_stays(store: Engine, tmp_path: Path) -> None:
    report = tune(store, "seed", labels=labelled(tmp_path, store, old=False))
    assert report.after.alpha == 0.5
    assert "stay" in report.verdict
    assert report.gain.mean == 0.0
    assert report.after.theta1 >= report.after.theta2 >= report.after.theta3


def test_locks_are_kept(store: Engine, tmp_path: Path) -> None:
    store.save_profile(Profile(name="fixed", alpha=0.5, locked=("alpha", "theta1")))
    report = tune(store, "fixed", labels=labelled(tmp_path, store, old=True))
    assert (report.after.alpha, report.after.theta1) == (0.5, 0.6)


def used(engine: Engine, clock: FakeClock, ids: Sequence[int], questions: int) -> None:
    for number in range(questions):
        clock.advance(days=0.1)
        engine.search(question(THINGS[number % 10], PLACES[number // 10 % 8]), theta1=1.0, promote_at=1.0)
        clock.advance(seconds=30)
        engine.expand(ids[number])


def test_use_is_a_label(store: Engine, clock: FakeClock) -> None:
    old = [1 + 2 * (8 * (number % 10) + number // 10 % 8) for number in range(80)]
    used(store, clock, old, 80)
    store.save_profile(Profile(name="timely", alpha=0.5))
    report = tune(store, "timely")
    assert "expansions within 10 minutes" in report.source
    assert len(report.fitted) + len(report.standing_before) == 80
    assert report.after.alpha > 0.5
    assert (report.after.theta1, report.after.theta2) <= (0.6, 0.3)
    # The expansion that marks a memory is not what finds it: with today's statistics alpha .5 would be perfect.
    assert report.to_dict()["before"]["ndcg_at_10"] < 0.9  # type: ignore[index]


def test_too_little_data_is_refused_with_what_is_needed(store: Engine, tmp_path: Path, clock: FakeClock) -> None:
    with pytest.raises(BadParameter, match="too little data") as caught:
        tune(store, "balanced")
    assert f"at least {LEAST}" in caught.value.hint
    assert f"{LEAST_A_HALF} in each half" in caught.value.hint
    with pytest.raises(BadParameter, match=f"{LEAST - 1} different labelled questions"):
        tune(store, "balanced", labels=labelled(tmp_path, store, old=True, questions=LEAST - 1))
    with pytest.raises(UnknownProfile, match="nobody"):
        tune(store, "nobody")


def test_repeating_a_question_is_no_more_data(store: Engine, tmp_path: Path) -> None:
    file = labelled(tmp_path, store, old=True, questions=30)
    file.write_text("\n".join([file.read_text()] * 5))
    with pytest.raises(BadParameter, match="30 different labelled questions"):
        tune(store, "balanced", labels=file)


def report(before: list[float], after: list[float], **changed: float) -> TuneReport:
    def standing(ndcg: float) -> Standing:
        return Standing(ndcg, (1, 1, 2), 2, (1, 2, 4), 4)

    old = Profile(name="p")
    return TuneReport(
        before=old,
        after=old.override(**changed),
        scores={(0.9, 0.03): [0.5, 0.25], (0.5, 0.1): [1.0, 1.0]},
        fitted=[standing(1.0)],
        standing_before=[standing(value) for value in before],
        standing_after=[standing(value) for value in after],
        source="labels",
        version="1",
        seconds=0.0,
    )


def test_the_report_says_what_the_held_out_half_says() -> None:
    better = report([0.1] * 9, [0.3] * 9, alpha=0.5)
    assert (better.gain.mean, better.verdict) == (pytest.approx(0.2), "better on questions that took no part")
    assert "worse" in report([0.3] * 9, [0.1] * 9, alpha=0.5).verdict
    assert "not shown" in report([0.3, 0.1] * 5, [0.1, 0.3] * 5, alpha=0.5).verdict
    values: dict[str, Any] = better.to_dict()
    assert values["before"]["marked"] == {"full": 0.5, "summary": 0.5, "headline": 1.0}
    assert values["after"]["all"] == {"full": 0.25, "summary": 0.5, "headline": 1.0}
    assert values["grid"][0] == {"alpha": 0.9, "lambda": 0.03, "ndcg_at_10": 0.375}
    parameters, held, searched = better.grids()
    assert parameters.rows[0] == ("alpha", "0.9", "0.5")
    assert held.rows[0] == ("nDCG@10, %", "10.0", "30.0", "+20.0 (+20.0..+20.0)")
    assert searched.rows == (("0.5", "", "100.0"), ("0.9", "37.5", ""))


def lodmem(path: Path, *args: object, expect: int = 0) -> Result:
    env = {"HOME": str(path), "LODMEM_STORE": str(path / "memory.db"), "LODMEM_EMBEDDER": "none"}
    result = CliRunner(env=env).invoke(cli, [*map(str, args)])
    assert result.exit_code == expect, result.output
    assert "Traceback" not in result.output
    return result


def test_the_command_saves_when_asked(store: Engine, tmp_path: Path) -> None:
    # The command's clock is the machine's: without a date all memories would be old.
    file = labelled(tmp_path, store, old=True, date="2025-06-02")
    shown = lodmem(tmp_path, "tune", "seed", "--labels", file).stdout
    assert "held out" in shown
    assert "not saved; --save keeps it as seed-tuned" in shown
    assert "seed-tuned" not in store.profiles()
    values = json.loads(lodmem(tmp_path, "tune", "seed", "--labels", file, "--save", "--json").stdout)
    assert values["saved"] == "seed-tuned"
    kept = store.profiles()["seed-tuned"]
    assert (kept.alpha, kept.lambda_) == (values["after"]["alpha"], values["after"]["lambda"]) != (0.5, 0.03)
    assert "saved as mine" in lodmem(tmp_path, "tune", "seed", "--labels", file, "--save", "--as", "mine").stdout
    assert store.profiles()["mine"].name == "mine"


def test_the_command_needs_something_to_go_by(store: Engine, tmp_path: Path) -> None:
    assert "either --labels FILE or --from-use" in lodmem(tmp_path, "tune", "balanced", expect=2).stderr
    both = lodmem(tmp_path, "tune", "balanced", "--from-use", "--labels", "x", expect=2)
    assert "either" in both.stderr
    assert "too little data" in lodmem(tmp_path, "tune", "balanced", "--from-use", expect=2).stderr


def test_calibrate_needs_a_model(store: Engine, tmp_path: Path) -> None:
    assert "no model to calibrate" in lodmem(tmp_path, "calibrate", expect=5).stderr
    file = tmp_path / "texts.jsonl"
    file.write_text('{"text": "a"}')
    assert "no embedding model" in lodmem(tmp_path, "calibrate", "--text", file, expect=5).stderr


def test_calibrate_with_the_shipped_model(tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text(
        "\n".join(json.dumps({"text": f"The {thing} stands in the {place}."}) for thing in THINGS for place in PLACES)
    )
    values = json.loads(lodmem(tmp_path, "calibrate", "--text", file, "--embedder", "minilm", "--json").stdout)
    assert (values["count"], values["source"]) == (80, "texts")
    assert 0.0 <= values["c0"] < values["c1"] <= 1.0
    shown = lodmem(tmp_path, "calibrate", "--text", file, "--embedder", "minilm", "--sample", 40).stdout
    assert "40 texts" in shown
    assert "unrelated" in shown
