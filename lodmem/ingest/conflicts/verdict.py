"""A language model's word on a pair that the rules propose: one call, one word. Opt-in."""

from __future__ import annotations

from lodmem.errors import ModelError, ModelRefused
from lodmem.ingest.answers import one_word
from lodmem.ingest.conflicts.find import Finding
from lodmem.ingest.prompting import ask, load
from lodmem.ports import Language

TASK = "conflict"
YES, NO = "conflict", "different"
_TOKENS = 64


class Verdict:
    """Asks `language` whether two statements contradict each other."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def confirms(self, finding: Finding) -> bool:
        """Whether the pair is kept. A refusal, or an answer that twice was no such word, costs that pair. Where the model
        cannot be asked (unavailable, the spend cap is reached) the rules stand: an open conflict hides nothing."""
        older, newer = finding.sentences
        try:
            model = self._language.model_for(TASK)
            return ask(model, load(TASK), _read, max_tokens=_TOKENS, older=older, newer=newer) == YES
        except ModelRefused:
            return False
        except ModelError:
            return True


def _read(answer: str) -> str | None:
    return one_word(answer, (YES, NO))
