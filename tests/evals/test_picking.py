from __future__ import annotations

import json
from pathlib import Path

from lodmem.evals.datasets import Case, Dataset, Question
from lodmem.evals.kept import QUESTIONS
from lodmem.evals.picking import NAMES, evaluate_picking
from lodmem.evals.runner import Plan
from lodmem.ingest.pipeline import prepare
from lodmem.model.memory import Draft, Source
from lodmem.models.tokenizer import WordPieceCounter
from tests.conftest import FakeEmbedder

STORED, FACING = NAMES.values()
PORTS = ("Bergen", "Gdansk", "Riga", "Lisbon", "Naples", "Odessa", "Antwerp", "Porto", "Malmo", "Tallinn")
ASIDE = "Oh, stamps? "


def cargo(goods: str) -> str:
    return "".join(f"The port of {name} shipped {n + 12} tons of {goods} to {PORTS[n - 3]}. " for n, name in enumerate(PORTS))


def talks() -> Dataset:
    """Some sessions about one thing each; a few words in the last one say what is asked."""
    sessions = [cargo(goods) * 2 for goods in ("cod", "tar", "rope", "salt")]
    sessions.append(cargo("coal") + ASIDE + cargo("coal"))
    drafts = tuple(Draft(full=text, created_us=n, source=Source("talks", f"s{n}", 1)) for n, text in enumerate(sessions))
    names = tuple(f"s{n}" for n in range(len(sessions)))
    questions = (
        Question(id="aside", text="Anything about stamps?", category="1", gold=("s4",), gold_sessions=("s4",)),
        Question(id="topic", text="What about the rope?", category="1", gold=("s2",), gold_sessions=("s2",)),
    )
    case = Case(id="c", drafts=drafts, labels=names, sessions=names, questions=questions, now_us=10)
    return Dataset(name="talks", cases=(case,), skipped=0, dropped=0)


def test_a_headline_that_faces_the_question_tells_more_than_the_stored_one(tmp_path: Path) -> None:
    levels = prepare(talks().cases[0].drafts[4], WordPieceCounter(), now_us=0).levels
    assert "stamps" not in levels.headline, "else there is nothing to see here"
    report = evaluate_picking(talks(), Plan(embedder=None, out_dir=tmp_path))
    assert report.rows[STORED]["recall_at_1"] == 0.5
    assert report.rows[FACING]["recall_at_1"] == 1.0
    for kind, row in report.rows.items():
        assert row["recall_at_1"] <= row["recall_at_3"] <= row["recall_at_5"] == row["recall_at_10"] == 1.0, kind
        assert (row["lines"], report.questions) == (5, 2)
        assert 10 < row["tokens"] < 60
    lines = [json.loads(line) for line in (tmp_path / "facing" / QUESTIONS).read_text().splitlines()]
    assert [line["sessions"] for line in lines] == [{"s4": 1}, {"s2": 1}]


def test_with_meaning_and_without_the_second_column(tmp_path: Path) -> None:
    model = FakeEmbedder(64, same={"philately": "stamps", "gathers": "collects"})
    report = evaluate_picking(talks(), Plan(embedder=model, cache_dir=tmp_path), facing=False)
    assert list(report.rows) == [STORED]
    assert report.embedder == model.identity.key
    assert all(len(text.split()) <= 60 for text in model.texts), "headlines alone are embedded, never sessions"


def test_a_short_session_is_its_own_headline() -> None:
    short = Draft(full="Ada: We sold the blue rowing boat.", created_us=0, source=Source("talks", "s", 1))
    question = Question(id="q", text="What was sold?", category="1", gold=("s",), gold_sessions=("s",))
    case = Case(id="c", drafts=(short,), labels=("s",), sessions=("s",), questions=(question,), now_us=10)
    report = evaluate_picking(Dataset(name="d", cases=(case,), skipped=0, dropped=0), Plan(embedder=None))
    assert report.rows[STORED] == report.rows[FACING]
    assert report.rows[STORED]["recall_at_1"] == 1.0
