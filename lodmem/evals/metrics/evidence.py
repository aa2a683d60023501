"""Evidence shown: whether what is visible of a memory still says what answers the question."""

from __future__ import annotations

from lodmem.text.sentences import sentences
from lodmem.text.tokens import index_terms, query_terms

SHOWN_SHARE = 0.8


def evidence_words(text: str, question: str, answer: str) -> frozenset[str]:
    """Stemmed words of the best sentence of an evidence text: the one with most words of the answer and the question.

    Ties go to the earlier sentence. Empty only where the text has no words.
    """
    asked = set(query_terms(f"{question} {answer}"))
    said = [frozenset(index_terms(text[start:stop])) for start, stop in sentences(text)]
    if not said:
        return frozenset()
    return max(said, key=lambda words: len(words & asked))


def is_shown(words: frozenset[str], shown: str) -> bool:
    """Whether at least 80 % of the stemmed `words` stand in the text `shown`.

    Source: this project's own definition. A reader that sees these words sees the sentence, or its facts in other order; it
    is a little more generous than looking for the sentence itself. Nothing stands in an empty text.
    """
    return bool(words) and len(words & set(index_terms(shown))) >= SHOWN_SHARE * len(words)
