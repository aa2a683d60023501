"""Measures c0 and c1 of an embedding model on a store's own texts, or on a file of texts or pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lodmem.engine import Engine
from lodmem.errors import BadParameter, ModelUnavailable
from lodmem.evals.calibration import SAMPLE, Calibration, from_pairs, from_texts
from lodmem.evals.files import is_text, read_lines
from lodmem.ports import Embedder
from lodmem.text.passages import passages

FORMAT = 'one JSON object a line: {"text": "..."}, or {"query": "...", "text": "..."} where the text answers the query'
MOST_PAIRS = 2000


def calibrate_store(engine: Engine, *, sample: int = SAMPLE, seed: int = 0) -> Calibration:
    """Constants from the first passage of `sample` memories, drawn evenly. Nothing is promoted.

    Raises: ModelUnavailable without an embedder, BadParameter with too few memories, ModelError.
    """
    looker, _ = engine.looker()
    if looker.embedder is None:
        raise ModelUnavailable(f"there is no model to calibrate: {looker.words_only}", hint="name one with --embedder")
    with looker.scan.lock:
        columns = looker.scan.columns
        ids = columns.id[columns.alive]
    drawn = _drawn(ids.tolist(), sample, seed)
    return from_texts(looker.embedder, [_first(memory.full) for memory in engine.expand(*drawn, touch=False)])


def calibrate_file(embedder: Embedder, path: Path, *, sample: int = SAMPLE, seed: int = 0) -> Calibration:
    """Constants from a file of texts or of pairs, at most `sample` texts or MOST_PAIRS pairs of it, drawn evenly.

    Raises: UnknownPath, BadParameter for a file in another format or with too few lines, ModelError.
    """
    lines = read_lines(path, hint=FORMAT)
    texts = [_field(place, value, "text") for place, value in lines]
    asked = [(place, value) for place, value in lines if "query" in value]
    if not asked:
        return from_texts(embedder, [_first(text) for text in _drawn(texts, sample, seed)])
    if len(asked) < len(lines):
        raise BadParameter(f"{path} has lines with a query and lines without one", hint=FORMAT)
    questions = [_field(place, value, "query") for place, value in asked]
    return from_pairs(embedder, _drawn(list(zip(questions, map(_first, texts), strict=True)), MOST_PAIRS, seed))


def _field(place: str, value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    if not isinstance(found, str) or not found.strip() or not is_text(found):
        raise BadParameter(f"{place}: {name!r} is not a text", hint=FORMAT)
    return found


def _drawn(values: Sequence[Any], most: int, seed: int) -> list[Any]:
    """At most `most` of the values, in order."""
    if len(values) <= most:
        return list(values)
    kept: Iterable[int] = sorted(np.random.default_rng(seed).permutation(len(values))[:most].tolist())
    return [values[index] for index in kept]


def _first(text: str) -> str:
    """The first passage: what stands in one vector."""
    start, stop = passages(text)[0]
    return text[start:stop]
