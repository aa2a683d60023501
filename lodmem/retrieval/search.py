"""The query as a camera: one look over the whole store, and a landscape back. Source: SPEC 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np

from lodmem.lod.relevance import Recipe
from lodmem.model.landscape import Landscape
from lodmem.model.profile import Profile
from lodmem.model.query import Query
from lodmem.ports import Embedder, Floats, Store, TokenCounter
from lodmem.retrieval.candidates import Mask, Sight, rank
from lodmem.retrieval.conflicting import newest_first
from lodmem.retrieval.exclude import PHRASES, dropped, weigh
from lodmem.retrieval.landscape import Composer, Frame
from lodmem.retrieval.ranked import Ranked
from lodmem.scan.filters import select
from lodmem.scan.scan import Probe, Scan
from lodmem.text.tokens import is_latin, query_terms


@dataclass(frozen=True, slots=True)
class Looker:
    """What every look needs: store, columns, models, and who is looking."""

    store: Store
    scan: Scan
    counter: TokenCounter
    embedder: Embedder | None
    recipe: Recipe
    words_only: str

    def probes(self, questions: Sequence[str], topics: Sequence[str] = ()) -> list[Probe]:
        """Questions, then excluded topics, as the scan sees them; embedded in one batch where there is an embedder."""
        texts = [*questions, *(phrase.format(topic) for topic in topics for phrase in PHRASES)]
        vectors: list[Floats | None] = [None] * (len(questions) + len(topics))
        if self.embedder is not None and texts:
            embedded = self.embedder.embed(texts)
            said = embedded[len(questions) :].reshape(len(topics), len(PHRASES), embedded.shape[1])
            vectors = [*embedded[: len(questions)], *(_middle(phrases) for phrases in said)]
            if self.embedder.identity.latin_only:
                foreign = [not is_latin(text) for text in (*questions, *topics)]
                vectors = [None if other else vector for other, vector in zip(foreign, vectors, strict=True)]
        return [Probe(tuple(query_terms(text)), vectors[i]) for i, text in enumerate((*questions, *topics))]


def _middle(vectors: Floats) -> Floats:
    """The unit vector between several."""
    mean = vectors.astype(np.float64).mean(axis=0)
    unit: Floats = (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
    return unit


@dataclass(frozen=True, slots=True)
class Look:
    """One question with all that bends it. `mask` lets through the readable rows that the exclusions left, `left` many."""

    sight: Sight
    mask: Mask
    left: int
    excluded: int


def sight_of(looker: Looker, query: Query, profile: Profile, agent: str, now_us: int, probes: Sequence[Probe]) -> Look:
    """Evidence, filters and exclusions of one query. The caller holds the scan's lock and has synced."""
    scan, recipe = looker.scan, looker.recipe
    evidence = scan.examine(probes[0], recipe)
    exclusions = [weigh(scan, term, probe, recipe) for term, probe in zip(query.exclude, probes[1:], strict=True)]
    mask = select(scan.columns, query.filters, now_us)
    excluded = 0
    if exclusions:
        rows = np.flatnonzero(mask)
        gone = rows[dropped(scan, exclusions, rows, recipe)]
        mask[gone] = False
        excluded = len(gone)
    sight = Sight(evidence, exclusions, profile, recipe, agent, query.filters.as_of_us or now_us)
    return Look(sight, mask, int(np.count_nonzero(mask)), excluded)


def candidates(looker: Looker, seen: Look) -> Ranked:
    """What a look chooses from, best first; of memories in conflict the newest first."""
    return newest_first(looker.store, looker.scan, seen.sight, seen.mask, rank(looker.scan, seen.sight, seen.mask))


def search(
    looker: Looker, query: Query, profile: Profile, agent: str, now_us: int, zone: ZoneInfo, probes: Sequence[Probe]
) -> Landscape:
    """The landscape of a query. The caller holds the scan's lock and has synced."""
    seen = sight_of(looker, query, profile, agent, now_us, probes)
    ranked = candidates(looker, seen)
    if query.limit is not None:
        ranked = ranked.take(slice(0, query.limit))
    frame = Frame(
        query=query, profile=profile, now_us=now_us, zone=zone, weights=seen.sight.evidence.words.idfs,
        words_only=looker.words_only, excluded=seen.excluded, considered=seen.left,
    )  # fmt: skip
    return Composer(looker.store, looker.scan.columns, looker.counter, frame).compose(ranked)
