from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lodmem.evals.longmemeval import load_longmemeval
from lodmem.evals.places import Board, Scores

# answer_1_1, answer_1_2, tram_1, tram_2, answer_2_2, answer_2_3
IDS = (3, 5, 6, 8, 9, 11)


def scores(**given: float) -> Scores:
    ids = [int(name[1:]) for name in given]
    return Scores(np.array(ids, dtype=np.int64), np.array(list(given.values())))


@pytest.fixture
def board(longmemeval_file: Path) -> Board:
    case = load_longmemeval(longmemeval_file).cases[0]
    return Board(case, dict(zip(case.labels, IDS, strict=True)))


def test_turns_by_score_ties_by_id(board: Board) -> None:
    ranking = board.turns(scores(m9=0.5, m3=0.5, m11=0.9, m8=0.1))
    assert ranking.first(9) == [("answer_2_3", 0.9), ("answer_1_1", 0.5), ("answer_2_2", 0.5), ("tram_2", 0.1)]
    assert ranking.places(["answer_2_2", "tram_1"]) == {"answer_2_2": 3, "tram_1": None}
    assert ranking.score("tram_2") == 0.1
    assert ranking.score("tram_1") is None


def test_a_session_stands_where_its_best_turn_stands(board: Board) -> None:
    ranking = board.sessions(scores(m6=0.2, m5=0.4, m3=0.1, m11=0.4))
    assert ranking.first(9) == [("answer_1", 0.4), ("answer_2", 0.4), ("tram", 0.2)]
    assert ranking.places(["tram"]) == {"tram": 3}


def test_official_rankings_hold_user_turns_alone(board: Board) -> None:
    given = scores(m5=0.9, m9=0.5, m3=0.3, m8=0.8)
    assert [name for name, _ in board.turns(given, official=True).first(9)] == ["answer_2_2", "answer_1_1"]
    assert [name for name, _ in board.sessions(given, official=True).first(9)] == ["answer_2", "answer_1"]
    assert board.user_turns(["answer_1_2", "answer_2_2"]) == ("answer_2_2",)
    assert board.session_of("answer_2_2") == "answer_2"


def test_nothing_ranked(board: Board) -> None:
    assert board.turns(scores()).places(["tram_1"]) == {"tram_1": None}
    assert board.sessions(scores()).first(3) == []


def test_equal_turns_of_one_place_are_one_memory(longmemeval_file: Path) -> None:
    case = load_longmemeval(longmemeval_file).cases[0]
    board = Board(case, dict(zip(case.labels, (3, 3, 6, 8, 9, 11), strict=True)))
    assert board.distinct(["answer_1_2", "answer_1_1", "tram_1"]) == ("answer_1_1", "tram_1")
    assert board.turns(scores(m3=1.0, m6=0.5)).places(["answer_1_1", "tram_1"]) == {"answer_1_1": 1, "tram_1": 2}
