"""SPEC 2 and 3 once more, slowly: plain floats, lists and dicts, nothing of lodmem's scan, lod or retrieval.

A `World` is told everything that is done to a store and keeps its own list of memories; `search` goes over all of them. It
takes from lodmem only the terms of a text, its passages, the token counter and the constants of the recipe. The vectors come
from the embedder; as in a store they are 32-bit floats.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log

import numpy as np

from lodmem.lod.relevance import Recipe
from lodmem.model.memory import Kind, Source, Status, Tier
from lodmem.model.profile import Profile
from lodmem.model.query import Filters
from lodmem.ports import Embedder, TokenCounter
from lodmem.text.passages import passages
from lodmem.text.tokens import date_terms, index_terms, query_terms

DAY_US = 86_400_000_000
EXCLUDED_FROM = 0.5
OFFSETS = {-2: 0.10, -1: 0.40, 1: 0.20, 2: 0.05}

Vector = list[float]


@dataclass
class Kept:
    """One memory as the reference keeps it."""

    id: int
    text: str
    space: str
    agent: str
    kind: Kind
    created_us: int
    tokens: int
    source: Source | None
    tags: tuple[str, ...]
    spans: list[str]
    terms: list[list[str]]
    expires_us: int | None = None
    valid_from_us: int | None = None
    valid_to_us: int | None = None
    status: Status = Status.ACTIVE
    superseded_by: int | None = None
    last_us: int | None = None
    count: int = 0
    last_tier: Tier | None = None
    floors: dict[str, Tier] = field(default_factory=dict)
    vectors: list[Vector] | None = None

    @property
    def group(self) -> tuple[str, str, str] | None:
        return None if self.source is None else (self.space, self.source.uri, self.source.session)

    @property
    def length(self) -> int:
        return sum(len(terms) for terms in self.terms)


@dataclass(frozen=True)
class Seen:
    """What the reference expects of one view."""

    id: int
    tier: Tier
    score: float
    relevance: float
    decay: float


@dataclass(frozen=True)
class Expected:
    views: list[Seen]
    excluded: int
    considered: int
    candidates: int


def float32(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


class World:
    """All memories that were written and not forgotten, oldest first."""

    def __init__(self, counter: TokenCounter, embedder: Embedder | None) -> None:
        self.counter, self.embedder = counter, embedder
        self.memories: dict[int, Kept] = {}
        self.next_id = 1
        self.recipe = Recipe() if embedder is None else Recipe(c0=embedder.identity.c0, c1=embedder.identity.c1)

    # -- what happens ---------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        now_us: int,
        space: str,
        agent: str,
        kind: Kind = Kind.EPISODIC,
        created_us: int | None = None,
        source: Source | None = None,
        tags: Sequence[str] = (),
        expires_us: int | None = None,
    ) -> int:
        for kept in self.memories.values():
            if (kept.text, kept.space, kept.source) == (text, space, source):
                return kept.id
        created = now_us if created_us is None else created_us
        spans = [text[start:stop] for start, stop in passages(text)]
        kept = Kept(
            id=self.next_id, text=text, space=space, agent=agent, kind=kind, created_us=created,
            tokens=self.counter.count(text), source=source, tags=tuple(tags), spans=spans,
            terms=[index_terms(span) + date_terms(created) for span in spans], expires_us=expires_us,
        )  # fmt: skip
        self.memories[kept.id] = kept
        self.next_id += 1
        return kept.id

    def forget(self, memory_id: int) -> None:
        after = self.beside(self.memories[memory_id], 1)
        if after is not None:
            after.vectors = None
        del self.memories[memory_id]
        for kept in self.memories.values():
            if kept.superseded_by == memory_id:
                kept.superseded_by = None

    def embed(self) -> None:
        """Everything is embedded now. A memory of one passage is read together with a predecessor of one passage."""
        if self.embedder is None:
            return
        for kept in self.memories.values():
            own = [[float(x) for x in row] for row in self.embedder.embed(kept.spans)]
            before = self.beside(kept, -1)
            if len(kept.spans) == 1 and before is not None and len(before.spans) == 1:
                both = [float(x) for x in self.embedder.embed([f"{before.text}\n{kept.spans[0]}"])[0]]
                own = [[float32((x + y) / 2) for x, y in zip(own[0], both, strict=True)]]
            kept.vectors = own

    def retrieved(self, ids: Sequence[int], now_us: int) -> None:
        for memory_id in ids:
            kept = self.memories[memory_id]
            kept.last_us = now_us if kept.last_us is None else max(kept.last_us, now_us)
            kept.count += 1

    def looked(self, expected: Expected, profile: Profile, now_us: int) -> None:
        """SPEC 3.6: of what was shown the at most 50 best with S >= promote_at were retrieved, conflicts and successors not."""
        used = [
            seen.id
            for seen in expected.views
            if seen.relevance >= profile.promote_at
            and self.memories[seen.id].status not in (Status.SUPERSEDED, Status.CONFLICT)
        ]
        self.retrieved(used[:50], now_us)
        for seen in expected.views:
            self.memories[seen.id].last_tier = seen.tier

    # -- who stands where -----------------------------------------------------------------------------------------------

    def members(self, group: tuple[str, str, str]) -> list[Kept]:
        found = [kept for kept in self.memories.values() if kept.group == group]
        return sorted(found, key=lambda kept: (kept.source.sequence if kept.source else 0, kept.id))

    def beside(self, kept: Kept, offset: int) -> Kept | None:
        if kept.group is None:
            return None
        line = self.members(kept.group)
        place = line.index(kept) + offset
        return line[place] if 0 <= place < len(line) else None

    # -- S ----------------------------------------------------------------------------------------------------------------

    def idf(self, holders: int, total: int) -> float:
        return log(1 + (total - holders + 0.5) / (holders + 0.5))

    def bm25(self, terms: Sequence[str], documents: dict[object, Counter[str]]) -> dict[object, float]:
        """Share of what the query could reach at most, for each document."""
        k1, b = self.recipe.k1, self.recipe.b
        total = len(documents)
        lengths = {name: sum(bag.values()) for name, bag in documents.items()}
        average = sum(lengths.values()) / total if total else 1.0
        idfs = {term: self.idf(sum(term in bag for bag in documents.values()), total) for term in terms}
        bound = sum(idfs.values()) * (k1 + 1)
        return {
            name: sum(
                idfs[term] * bag[term] * (k1 + 1) / (bag[term] + k1 * (1 - b + b * lengths[name] / average))
                for term in terms
                if term in bag
            )
            / bound
            for name, bag in documents.items()
        }

    def lexical(self, terms: Sequence[str]) -> tuple[dict[int, float], dict[int, float], dict[int, float]]:
        """l, L and X of each memory; those without a source are not in X."""
        bags: dict[object, Counter[str]] = {
            kept.id: Counter(term for passage in kept.terms for term in passage) for kept in self.memories.values()
        }
        idfs = {term: self.idf(sum(term in bag for bag in bags.values()), len(bags)) for term in terms}
        own: dict[int, float] = {}
        scores = self.bm25(terms, bags)
        for kept in self.memories.values():
            covered = max(sum(idfs[term] for term in terms if term in passage) for passage in kept.terms)
            own[kept.id] = 0.5 * scores[kept.id] + 0.5 * covered / sum(idfs.values()) * len(kept.terms) ** -0.2
        groups: dict[object, Counter[str]] = {}
        for kept in self.memories.values():
            if kept.group is not None:
                groups.setdefault(kept.group, Counter()).update(bags[kept.id])
        of_group = self.bm25(terms, groups)
        shared = {kept.id: self.with_neighbours(kept, own) for kept in self.memories.values()}
        source = {kept.id: of_group[kept.group] for kept in self.memories.values() if kept.group is not None}
        return own, shared, source

    def with_neighbours(self, kept: Kept, own: dict[int, float]) -> float:
        borrowed = 0.0
        for offset, share in OFFSETS.items():
            other = self.beside(kept, offset)
            if other is not None:
                borrowed += share * own[other.id]
        return min(1.0, own[kept.id] + min(1.0, self.recipe.neighbour_tokens / kept.tokens) * borrowed)

    def cosine(self, kept: Kept, query: Vector | None) -> float | None:
        if query is None or kept.vectors is None:
            return None
        return max(dot(vector, query) for vector in kept.vectors)

    def fused(self, cosine: float | None, lexical: float | None, source: float | None) -> float:
        """S: what is there, by its weight, through the logistic."""
        recipe = self.recipe
        parts = []
        if cosine is not None:
            parts.append((recipe.vector, min(max((cosine - recipe.c0) / (recipe.c1 - recipe.c0), 0.0), 1.0)))
        if lexical is not None:
            parts.append((recipe.lexical, lexical))
        if source is not None:
            parts.append((recipe.source, source))
        s = sum(weight * value for weight, value in parts) / sum(weight for weight, _ in parts) if parts else 0.0
        return 1.0 / (1.0 + exp(-(s - recipe.s0) / recipe.width))

    def topic(self, term: str) -> Vector | None:
        """The middle of what the measured phrases make of a topic, of length 1, as float32 holds it."""
        if self.embedder is None or self.foreign(term):
            return None
        said = self.embedder.embed([term, f"talking about {term}", f"This is about {term}."]).astype(np.float64)
        middle = said.mean(axis=0)
        return [float(x) for x in (middle / max(float(np.linalg.norm(middle)), 1e-12)).astype(np.float32)]

    def vector(self, text: str) -> Vector | None:
        if self.embedder is None or self.foreign(text):
            return None
        return [float(x) for x in self.embedder.embed([text])[0]]

    def foreign(self, text: str) -> bool:
        """The shipped model reads Latin letters only."""
        letters = [char for char in text if char.isalpha()]
        latin = sum(ord(char) < 0x250 for char in letters)
        return self.embedder is not None and self.embedder.identity.latin_only and latin < len(letters) / 2

    def relevance(self, text: str, profile: Profile) -> dict[int, float]:
        terms, query = query_terms(text), self.vector(text)
        _, shared, source = self.lexical(terms) if terms else ({}, {}, {})
        found = {}
        for kept in self.memories.values():
            cosine = self.cosine(kept, query)
            if profile.relevance == "cosine" and query is not None:
                found[kept.id] = min(max(cosine or 0.0, 0.0), 1.0)
            else:
                fair = None if cosine is None else cosine - 0.05 * log(len(kept.terms))
                found[kept.id] = self.fused(fair, shared.get(kept.id), source.get(kept.id))
        return found

    def nearness(self, term: str) -> tuple[dict[int, float], set[int]]:
        """How near each memory's own text is to an excluded term; who holds all its words."""
        terms, topic = query_terms(term), self.topic(term)
        bags = [{term for passage in kept.terms for term in passage} for kept in self.memories.values()]
        idfs = {term: self.idf(sum(term in bag for bag in bags), len(bags)) for term in terms}
        near = {}
        for kept in self.memories.values():
            cosine = self.cosine(kept, topic)
            meaning = 0.0 if cosine is None else min(max((cosine - self.recipe.c0) / 0.44, 0.0), 1.0)
            held = max(sum(idfs[term] for term in terms if term in passage) for passage in kept.terms)
            words = 0.5 * held / sum(idfs.values()) if terms else 0.0
            near[kept.id] = round(max(meaning, words if words < 0.5 else 0.0), 6)
        holds = {
            kept.id
            for kept in self.memories.values()
            if terms and set(terms) <= {term for passage in kept.terms for term in passage}
        }
        return near, holds

    # -- D, filters, floors -------------------------------------------------------------------------------------------------

    def decay(self, kept: Kept, now_us: int, lambda_: float) -> float:
        since = kept.created_us if kept.last_us is None else kept.last_us
        return exp(-lambda_ * max(0.0, (now_us - since) / DAY_US) / (1 + log(1 + kept.count)))

    def readable(self, kept: Kept, f: Filters, now_us: int) -> bool:
        place = f.space is None or kept.space == f.space or kept.space.startswith(f.space + "/")
        return (
            place
            and (not f.agents or kept.agent in f.agents)
            and (not f.kinds or kept.kind in f.kinds)
            and set(f.tags) <= set(kept.tags)
            and (f.source is None or (kept.source is not None and kept.source.uri.startswith(f.source)))
            and (f.since_us is None or kept.created_us >= f.since_us)
            and (f.until_us is None or kept.created_us < f.until_us)
            and (f.retrieved is None or (kept.count > 0) == f.retrieved)
            and (not f.last_tier or kept.last_tier in f.last_tier)
            and self.in_state(kept, f, now_us)
        )

    def in_state(self, kept: Kept, f: Filters, now_us: int) -> bool:
        open_ones: tuple[Status, ...] = (Status.ACTIVE, Status.STALE, Status.CONFLICT)
        at = f.as_of_us
        if at is not None:
            open_ones = (*open_ones, Status.SUPERSEDED)
            known = kept.created_us <= at
            true = (kept.valid_from_us is None or kept.valid_from_us <= at) and (
                kept.valid_to_us is None or at < kept.valid_to_us
            )
            successor = self.memories.get(kept.superseded_by or 0)
            if not known or not true or (successor is not None and successor.created_us <= at):
                return False
        if kept.status not in (f.status or open_ones):
            return False
        expired = kept.expires_us is not None and kept.expires_us <= (now_us if at is None else at)
        return f.expired is None or f.expired == expired

    def floor(self, kept: Kept, agent: str, profile: Profile) -> Tier:
        floors = [kept.floors.get("", Tier.HORIZON), kept.floors.get(agent, Tier.HORIZON)]
        for rule, tier in profile.floors.items():
            what, value = rule.split(":", 1)
            if (what == "kind" and kept.kind == value) or (what == "tag" and value in kept.tags):
                floors.append(tier)
        return max(floors)

    # -- the whole ----------------------------------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        profile: Profile,
        *,
        agent: str,
        now_us: int,
        filters: Filters,
        exclude: Sequence[str],
        limit: int | None,
    ) -> Expected:
        readable = [kept for kept in self.memories.values() if self.readable(kept, filters, now_us)]
        verdicts = [self.nearness(term) for term in exclude]
        kept_ones = [
            kept for kept in readable if not any(kept.id in holds or near[kept.id] >= EXCLUDED_FROM for near, holds in verdicts)
        ]
        moment = now_us if filters.as_of_us is None else filters.as_of_us
        relevance = self.relevance(text, profile)
        ranked: list[tuple[Kept, float, float, float]] = []
        for kept in kept_ones:
            s = relevance[kept.id]
            for near, _ in verdicts:
                s *= 1 - near[kept.id]
            d = self.decay(kept, moment, profile.lambda_)
            lod = round(profile.alpha * s + (1 - profile.alpha) * d, 6)
            ranked.append((kept, lod, round(s, 6), round(d, 6)))
        ranked.sort(key=lambda item: (-item[1], item[0].id))
        chosen = self.candidates(ranked, profile, agent)[:limit]
        tiers = [max(self.tier(lod, profile), self.floor(kept, agent, profile)) for kept, lod, _, _ in chosen]
        if tiers and not any(tiers):
            tiers[0] = Tier.HEADLINE  # never empty while there is something to show
        views = [Seen(kept.id, tier, lod, s, d) for (kept, lod, s, d), tier in zip(chosen, tiers, strict=True) if tier]
        return Expected(views, len(readable) - len(kept_ones), len(kept_ones), len(chosen))

    def candidates(
        self, ranked: list[tuple[Kept, float, float, float]], profile: Profile, agent: str
    ) -> list[tuple[Kept, float, float, float]]:
        """The k best by LOD, a fifth of the places by S instead; relevant ones with a floor join."""
        if len(ranked) <= profile.k:
            return ranked
        by_relevance = profile.k // 5
        first, rest = ranked[: profile.k - by_relevance], ranked[profile.k - by_relevance :]
        rest.sort(key=lambda item: (-item[2], item[0].id))
        chosen = {item[0].id for item in first + rest[:by_relevance]}
        chosen |= {
            item[0].id
            for item in ranked
            if item[2] >= profile.promote_at and self.floor(item[0], agent, profile) > Tier.HORIZON
        }
        return [item for item in ranked if item[0].id in chosen]

    def tier(self, lod: float, profile: Profile) -> Tier:
        for tier, theta in ((Tier.FULL, profile.theta1), (Tier.SUMMARY, profile.theta2), (Tier.HEADLINE, profile.theta3)):
            if lod >= theta:
                return tier
        return Tier.HORIZON
