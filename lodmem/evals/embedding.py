"""What to embed: the same recipe over the same memories, when one vector stands for the headline, the summary or the whole
text, and when there is one a passage.

Vectors are made by the product's own embedding step from other texts, and enter its own relevance in the place of the
passages'. Words play the same part in every row. It refuses to know any format.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lodmem._version import __version__
from lodmem.errors import BadParameter, ModelUnavailable
from lodmem.evals.datasets import Dataset, Question, as_sessions
from lodmem.evals.kept import Line
from lodmem.evals.metrics.mean import mean
from lodmem.evals.outcome import SESSION, TURN
from lodmem.evals.places import Board, Scores
from lodmem.evals.runner import Asker, Plan, run
from lodmem.evals.stores import Opened
from lodmem.evals.variants import NUMBER, Measure, VariantsReport, recall
from lodmem.ingest.embed import vectors_of
from lodmem.lod.relevance import Recipe, fair_cosine
from lodmem.lod.tiers import rounded
from lodmem.model.memory import Tier
from lodmem.ports import Embedder, EmbedInput, Floats
from lodmem.retrieval.search import Looker

HEADLINE, SUMMARY, FULL, PASSAGES = "headline", "summary", "full text, one vector", "passages (as shipped)"
BOTH = "passages and summary"
WAYS = (HEADLINE, SUMMARY, FULL, PASSAGES, BOTH)
CUTOFFS: Mapping[str, tuple[int, ...]] = {TURN: (5, 10, 20), SESSION: (1, 5, 10)}
BATCH = 64

Array = NDArray[np.float64]
Counts = NDArray[np.int32]


def evaluate_embedding(dataset: Dataset, plan: Plan, *, unit: str = SESSION) -> VariantsReport:
    """Recall by what is embedded, by cosine alone and by the whole recipe, at alpha 1. `unit`: one memory a turn or session.

    Raises: BadParameter without an embedding model; else as `lodmem.evals.run.evaluate`.
    """
    if plan.embedder is None:
        raise BadParameter("without an embedding model nothing is embedded", hint="leave out --embedder none")
    started = time.perf_counter()
    asked = dataset if unit == TURN else replace(dataset, cases=tuple(as_sessions(case) for case in dataset.cases))
    lines = run(asked, plan, {"measure": "embedding", "unit": unit, "ways": WAYS}, _asker)
    ks = CUTOFFS[unit]
    return VariantsReport(
        dataset=dataset.name,
        what=f"what is embedded, one memory a {unit}",
        head="embedded",
        measures=[
            *(Measure(f"cosine_at_{k}", f"{'cosine alone ' if k == ks[0] else ''}R@{k}") for k in ks),
            *(Measure(f"recipe_at_{k}", f"{'whole recipe ' if k == ks[0] else ''}R@{k}") for k in ks),
            Measure("vectors", "vectors a memory", NUMBER),
        ],
        rows={way: _row(lines, way, ks) for way in WAYS},
        questions=len(lines),
        embedder=plan.model,
        version=__version__,
        seconds=time.perf_counter() - started,
        half=plan.half,
        told=["alpha 1; a text longer than the model reads is cut by it; a short memory has one text in every row"],
    )


def _row(lines: Sequence[Line], way: str, ks: Sequence[int]) -> dict[str, float]:
    return {
        **{f"{by}_at_{k}": recall([line[by][way] for line in lines], k) for by in ("cosine", "recipe") for k in ks},
        "vectors": mean(line["vectors"][way] for line in lines),
    }


@dataclass(frozen=True, slots=True)
class _Embedded:
    """One way to embed a whole store: `vectors`, one a memory; with `passages` those of the passages count too.

    `count`: how many vectors each memory is the best of.
    """

    vectors: Floats | None
    passages: bool
    count: Counts

    def cosine(self, probe: Floats, of_passages: Array) -> Array:
        """Cosine of the best vector of each memory."""
        if self.vectors is None:
            return of_passages
        own: Array = self.vectors.astype(np.float64) @ probe.astype(np.float64)
        best: Array = np.maximum(own, of_passages)
        return best if self.passages else own

    def corrected(self, cosine: Array, passages: Counts, recipe: Recipe) -> Array:
        """The cosine as relevance takes it, which corrects for as many vectors as there are passages."""
        fair = fair_cosine(cosine, self.count, recipe)
        found: Array = fair - fair_cosine(np.zeros(len(cosine)), passages, recipe)
        return found


def _asker(store: Opened) -> Asker:
    board = Board(store.case, store.ids)
    looker, _ = store.engine.looker()
    ways = _ways(looker)
    ids = looker.scan.columns.id.copy()

    def ask(question: Question) -> Line:
        gold = board.distinct(question.gold)
        cosine, recipe = {}, {}
        for way, (near, relevance) in _scored(store, ways, question.text).items():
            cosine[way] = board.turns(Scores(ids, rounded(near))).places(gold)
            recipe[way] = board.turns(Scores(ids, rounded(relevance))).places(gold)
        vectors = {way: round(float(found.count.mean()), 2) for way, found in ways.items()}
        return {"text": question.text, "cosine": cosine, "recipe": recipe, "vectors": vectors}

    return ask


def _scored(store: Opened, ways: Mapping[str, _Embedded], question: str) -> dict[str, tuple[Array, Array]]:
    """(cosine, S) of every memory by what is embedded; a question that the model cannot read goes by words in every row."""
    looker, (probe,) = store.engine.looker([question])
    recipe, scan = looker.recipe, looker.scan
    with scan.lock:
        evidence, rows, passages = scan.examine(probe, recipe), np.arange(len(scan.columns)), scan.columns.passages
        shipped = scan.exact_cosine(probe.vector, rows)
        found = {}
        for way, embedded in ways.items():
            cosine = shipped if probe.vector is None else embedded.cosine(probe.vector, shipped)
            relevance = scan.relevance(evidence, recipe, rows, embedded.corrected(cosine, passages, recipe))
            found[way] = (np.nan_to_num(cosine, nan=0.0), relevance)
    return found


def _ways(looker: Looker) -> dict[str, _Embedded]:
    with looker.scan.lock:
        columns = looker.scan.columns
        ids, passages, short = columns.id.tolist(), columns.passages.copy(), columns.short.copy()
        own = columns.vectors[columns.first].copy()
    embedder = looker.embedder
    if embedder is None:
        raise ModelUnavailable(f"the embedding model does not answer: {looker.words_only}")
    inputs = looker.store.embed_inputs(ids)
    one = np.ones(len(ids), dtype=np.int32)

    def single(tier: Tier, keep: NDArray[np.bool_]) -> Floats:
        """A vector of each memory's text at a tier; those to `keep` have the one that the store holds."""
        made: Floats = own.copy()
        wanted = np.flatnonzero(~keep).tolist()
        texts = looker.store.texts([ids[at] for at in wanted], tier)
        for start in range(0, len(wanted), BATCH):
            part = wanted[start : start + BATCH]
            made[part] = _embedded([replace(inputs[at], passages=(texts[ids[at]],)) for at in part], embedder)
        return made

    summary = single(Tier.SUMMARY, short)
    return {
        HEADLINE: _Embedded(single(Tier.HEADLINE, short), False, one),
        SUMMARY: _Embedded(summary, False, one),
        FULL: _Embedded(single(Tier.FULL, passages == 1), False, one),
        PASSAGES: _Embedded(None, True, passages),
        BOTH: _Embedded(summary, True, passages + (~short).astype(np.int32)),
    }


def _embedded(inputs: Sequence[EmbedInput], embedder: Embedder) -> Floats:
    """What the product would keep of these, one row each."""
    rows: Floats = np.concatenate([found.joint for found in vectors_of(inputs, embedder)])
    return rows
