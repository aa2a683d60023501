"""The engine's verbs about conflicts: list, decide, supersede; what a model is asked; what is exported."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.errors import BadParameter, ModelRefused, ModelUnavailable, StoreReadOnly, UnknownConflict
from lodmem.ingest.conflicts.find import Finding, find_conflict
from lodmem.ingest.conflicts.verdict import TASK, Verdict
from lodmem.model.conflict import ConflictState
from lodmem.model.memory import Status
from lodmem.model.spend import Caps
from lodmem.ports import Answer, Language

OLD, NEW = "The choir of the village has 22 members.", "The choir of the village now has 27 members."


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with lodmem.open(tmp_path / "memory.db", embedder="none", background=False) as opened:
        opened.remember(OLD, created_at="2025-01-01")
        opened.remember(NEW, created_at="2026-01-01")
        opened.work()
        yield opened


def test_open_ones_are_listed_with_both_memories(engine: Engine) -> None:
    (dispute,) = engine.conflicts()
    assert (dispute.older.full, dispute.newer.full) == (OLD, NEW)
    assert engine.conflicts(dispute.older.id) == [dispute]
    assert engine.conflicts(99) == []
    assert engine.conflicts(state="superseded") == []
    with pytest.raises(BadParameter, match="no state"):
        engine.conflicts(state="lost")


@pytest.mark.req("R5.13")
@pytest.mark.parametrize(("verdict", "hidden"), [("newer", 0), ("older", 1)])
def test_who_decides_hides_one_side(engine: Engine, verdict: str, hidden: int) -> None:
    (dispute,) = engine.conflicts()
    sides = [dispute.older.id, dispute.newer.id]
    decided = engine.resolve(dispute.conflict.id, verdict, reason="counted again")
    assert (decided.state, decided.hidden, decided.note) == (ConflictState.SUPERSEDED, sides[hidden], "counted again")
    assert [memory.status for memory in engine.expand(*sides, touch=False)][hidden] is Status.SUPERSEDED
    entry = next(entry for entry in engine.audit_log() if entry.verb == "resolve")
    assert entry.detail == {"to": verdict, "reason": "counted again", "ids": sides, "conflicts": [dispute.conflict.id]}


def test_what_cannot_be_decided(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(UnknownConflict):
        engine.resolve(99, "newer")
    with pytest.raises(BadParameter, match="no decision"):
        engine.resolve(1, "perhaps")
    with (
        lodmem.open(tmp_path / "memory.db", embedder="none", read_only=True) as other,
        pytest.raises(StoreReadOnly),
    ):
        other.resolve(1, "newer")


def test_superseding_by_hand_decides_the_conflict(engine: Engine) -> None:
    (dispute,) = engine.conflicts()
    engine.supersede(dispute.older.id, dispute.newer.id)
    assert engine.conflicts() == []
    assert engine.conflicts(state="superseded")[0].conflict.standing == dispute.newer.id
    assert engine.expand(dispute.newer.id, touch=False)[0].status is Status.ACTIVE


def test_the_audit_log_holds_no_text(engine: Engine) -> None:
    engine.resolve(engine.conflicts()[0].conflict.id, "newer")
    told = json.dumps([dict(entry.detail) for entry in engine.audit_log()])
    assert "members" not in told
    assert {"conflict", "resolve", "supersede"} <= {entry.verb for entry in engine.audit_log()}


def conflicts_in(stream: io.BytesIO) -> list[bytes]:
    return [row for row in stream.getvalue().splitlines() if row.startswith(b'{"type":"conflict"')]


def test_conflicts_are_exported_and_come_back(engine: Engine, tmp_path: Path) -> None:
    engine.resolve(engine.conflicts()[0].conflict.id, "newer", reason="counted")
    out = io.BytesIO()
    engine.export(out)
    line = next(json.loads(line) for line in out.getvalue().splitlines() if b'"type":"conflict"' in line)
    assert (line["older"], line["newer"], line["state"], line["standing"]) == (1, 2, "superseded", 2)
    with lodmem.open(tmp_path / "other.db", embedder="none", background=False) as other:
        assert other.load(io.BytesIO(out.getvalue())).failed == 0
        assert [one.conflict.note for one in other.conflicts(state=None)] == ["counted"]
        again = io.BytesIO()
        other.export(again)
    assert conflicts_in(again) == conflicts_in(out)


def test_conflicts_follow_new_ids(engine: Engine, tmp_path: Path) -> None:
    out = io.BytesIO()
    engine.export(out)
    with lodmem.open(tmp_path / "other.db", embedder="none", background=False) as other:
        for n in range(5):
            other.remember(f"Something else is written here, number {n} of five.")
        other.load(io.BytesIO(out.getvalue()))
        (dispute,) = other.conflicts()
        assert (dispute.older.full, dispute.newer.full) == (OLD, NEW)
        assert dispute.older.id > 5


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"older": 77}, "not in the file"),
        ({"state": "superseded"}, "do not fit"),
        ({"state": "lost"}, "state"),
        ({"standing": 5, "state": "superseded"}, "do not fit"),
        ({"found_at": None}, "found_at"),
    ],
)
def test_a_conflict_that_cannot_be_is_reported(engine: Engine, tmp_path: Path, change: dict[str, Any], why: str) -> None:
    out = io.BytesIO()
    engine.export(out)
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    broken = [{**row, **change} if row["type"] == "conflict" else row for row in rows]
    with lodmem.open(tmp_path / "other.db", embedder="none", background=False) as other:
        report = other.load(io.BytesIO("\n".join(map(json.dumps, broken)).encode()))
        assert [why in problem.why for problem in report.problems] == [True]
        assert other.conflicts(state=None) == []


# -- the model's word -------------------------------------------------------------------------------------------------


class Scripted:
    """Gives its answers in turn and counts what was asked."""

    name = "scripted"

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def complete(self, system: str, user: str, *, max_tokens: int, task: str) -> Answer:
        assert task == TASK
        self.asked.append(user)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Answer(text=answer, model=self.name, tokens_in=1, tokens_out=1)


def language(model: Scripted) -> Language:
    return Language(models={"": model}, caps=Caps(), run="r")


@pytest.fixture
def finding() -> Finding:
    found = find_conflict(OLD, NEW)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("answers", "kept", "calls"),
    [
        (["conflict"], True, 1),
        (["Conflict."], True, 1),
        (["different"], False, 1),
        (["well, that depends on much", "conflict"], True, 2),
        (["well, that depends on much", "still unsure about this"], False, 2),
        ([ModelRefused("no")], False, 1),
        ([ModelUnavailable("away")], True, 1),
    ],
)
def test_one_word_decides(finding: Finding, answers: list[str | Exception], kept: bool, calls: int) -> None:
    model = Scripted(*answers)
    assert Verdict(language(model)).confirms(finding) is kept
    assert len(model.asked) == calls
    assert OLD in model.asked[0]
    assert NEW in model.asked[0]
