from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lodmem.evals.metrics.evidence import evidence_words, is_shown

TURN = "Ilse: The rain stopped at noon. I adopted a greyhound called Comet from the shelter in Lund! It was a long day."


def test_the_best_sentence_holds_most_of_answer_and_question() -> None:
    words = evidence_words(TURN, "Which dog did Ilse adopt?", "a greyhound called Comet")
    assert {"greyhound", "comet", "adopt", "shelter", "lund"} <= words
    assert "rain" not in words


def test_ties_go_to_the_earlier_sentence() -> None:
    assert "rain" in evidence_words(TURN, "What about otters?", "")


def test_a_text_without_words_has_no_evidence() -> None:
    assert evidence_words("", "Why?", "") == frozenset()
    assert evidence_words("...", "Why?", "because") == frozenset()


def test_four_fifths_of_the_words_are_enough() -> None:
    words = frozenset(["greyhound", "comet", "adopt", "shelter", "lund"])
    assert is_shown(words, "In Lund, from a shelter, she adopted Comet")
    assert not is_shown(words, "In Lund she adopted Comet")
    assert not is_shown(words, "")
    assert not is_shown(frozenset(), TURN)


def test_stems_count_in_any_order() -> None:
    assert is_shown(frozenset(["adopt", "greyhound"]), "greyhounds are adopting families")


@given(st.text(max_size=60), st.text(max_size=30), st.text(max_size=20))
def test_the_whole_text_always_shows_its_evidence(text: str, question: str, answer: str) -> None:
    words = evidence_words(text, question, answer)
    assert is_shown(words, text) == bool(words)
