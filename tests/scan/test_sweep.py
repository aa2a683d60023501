"""Certified: what the quick pass lets through holds the exact answer, for any vectors, words, alphas, filters, exclusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest

from lodmem.lod.relevance import Recipe, cosine_only
from lodmem.lod.tiers import lod_score, rounded
from lodmem.model.profile import PRESETS, Profile
from lodmem.ports import Row, Store
from lodmem.retrieval.candidates import Sight, kth_largest, largest, rank
from lodmem.retrieval.exclude import exact_nearness, lowered, weigh
from lodmem.scan import sweep as sweeping
from lodmem.scan.scan import Probe, Scan
from lodmem.scan.sweep import Lens, sweep
from tests.scan.made import NOW_US, random_rows, unit, zipf_words

RECIPE = Recipe()
DIMS = 32
BALANCED = PRESETS["balanced"]


@dataclass
class Kept:
    """A store of which the scan asks its rows alone."""

    kept: Sequence[Row]

    def active_model(self) -> str:
        return f"made@1/{DIMS}"

    def last_change(self) -> int:
        return 1

    def rows(self, ids: Sequence[int] | None = None) -> Any:
        return iter(self.kept)


def scan_of(rows: Sequence[Row]) -> Scan:
    scan = Scan(cast(Store, Kept(rows)))
    scan.sync()
    return scan


def reference(scan: Scan, sight: Sight, mask: np.ndarray) -> list[tuple[int, float, float]]:
    """(id, LOD, S) of the exact answer, from float64 scores of every row."""
    rows = np.flatnonzero(mask)
    if sight.profile.relevance == "cosine" and sight.evidence.probe.vector is not None:
        exact = cosine_only(scan.exact_cosine(sight.evidence.probe.vector, rows))
    else:
        exact = scan.relevance(sight.evidence, sight.recipe, rows)
    exact = lowered(exact, [exact_nearness(scan, e, rows, RECIPE) for e in sight.exclusions])
    score = lod_score(exact, scan.decay(sight.now_us, sight.profile.lambda_, rows), sight.profile.alpha)
    relevance, ids = rounded(exact), scan.columns.id[rows]
    everything = sorted(zip(-score, ids, relevance, scan.columns.floor[rows], strict=True))
    k = sight.profile.k
    first, rest = everything[: k - k // 5], everything[k - k // 5 :]
    closest = sorted(rest, key=lambda e: (-e[2], e[1]))[: k // 5]
    floored = [e for e in everything if e[3] > 0 and e[2] >= sight.profile.promote_at]
    kept = {e[1]: e for e in (*first, *closest, *floored)} if len(everything) > k else {e[1]: e for e in everything}
    return [(int(i), -s, r) for s, i, r, _ in sorted(kept.values())]


@pytest.fixture(scope="module", params=["random", "clustered", "long"])
def scan(request: pytest.FixtureRequest) -> Scan:
    longest = 4 if request.param == "long" else 1
    return scan_of(random_rows(7, 1_500, dims=DIMS, clusters=6 if request.param == "clustered" else 0, longest=longest))


def probe_of(stream: np.random.Generator, scan: Scan, *, vector: bool = True) -> Probe:
    """A question near one of the memories."""
    near = scan.columns.vectors[int(stream.integers(len(scan.columns.vectors)))] + 0.5 * unit(stream, DIMS)
    words = tuple(dict.fromkeys(zipf_words(stream, int(stream.integers(0, 6)))))
    return Probe(words, (near / np.linalg.norm(near)).astype(np.float32) if vector else None)


@pytest.mark.req("R3.7")
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.9, 0.999, 1.0])
@pytest.mark.parametrize("k", [1, 10, 100, 5_000])
def test_the_candidates_are_the_exact_ones(scan: Scan, alpha: float, k: int) -> None:
    stream = np.random.default_rng([k, int(alpha * 1000)])
    for turn in range(6):
        profile = replace(
            BALANCED, alpha=alpha, k=k, relevance="cosine" if turn == 5 else "fused", lambda_=0.3 if turn == 4 else 0.03
        )
        exclusions = [weigh(scan, "it", probe_of(stream, scan), RECIPE)] if turn == 3 else []
        evidence = scan.examine(probe_of(stream, scan, vector=turn != 2), RECIPE)
        sight = Sight(evidence, exclusions, profile, RECIPE, "ada", NOW_US + turn * 86_400_000_000 * 200)
        mask = scan.columns.alive & (stream.random(len(scan.columns)) < (0.2 if turn == 1 else 1.0))
        found = rank(scan, sight, mask)
        assert found.relevance is not None
        pairs = zip(scan.columns.id[found.rows].tolist(), found.score.tolist(), found.relevance.tolist(), strict=True)
        assert list(pairs) == reference(scan, sight, mask)


@pytest.mark.req("R3.7")
def test_no_score_of_the_pass_is_further_off_than_it_says(scan: Scan) -> None:
    stream, columns = np.random.default_rng(11), scan.columns
    rows = np.arange(len(columns))
    for turn in range(12):
        evidence = scan.examine(probe_of(stream, scan, vector=turn % 4 != 3), RECIPE)
        lens = Lens(0.5, 0.2, NOW_US + turn * 10_000_000_000_000, raw_cosine=turn % 3 == 2)
        swept = sweep(columns, evidence.target, evidence.words, [], lens, RECIPE, columns.alive)
        exact = scan.relevance(evidence, RECIPE, rows)
        if lens.raw_cosine and evidence.target is not None:
            exact = cosine_only(scan.exact_cosine(evidence.probe.vector, rows))
        mixed = 0.5 * exact + 0.5 * scan.decay(lens.now_us, lens.lambda_)
        near = swept.relevance.astype(np.float64)
        assert (np.abs(near - exact) <= swept.growth * near * (1.0 - near) + swept.off).all()
        assert (swept.at_least <= mixed).all()
        assert (mixed <= swept.at_most).all()
        assert (swept.at_most - swept.at_least).max() < 0.12
        assert (near >= [swept.could_reach(s) for s in exact.tolist()]).all()
        assert (exact >= [swept.surely(s) for s in near.tolist()]).all()


def test_blocks_change_nothing(scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = scan.examine(probe_of(np.random.default_rng(13), scan), RECIPE)
    lens, columns = Lens(0.9, 0.03, NOW_US), scan.columns
    whole = sweep(columns, evidence.target, evidence.words, [], lens, RECIPE, columns.alive)
    monkeypatch.setattr(sweeping, "BLOCK", 97)
    parts = sweep(columns, evidence.target, evidence.words, [], lens, RECIPE, columns.alive)
    assert parts.at_least == pytest.approx(whole.at_least, abs=1e-6)
    assert parts.relevance == pytest.approx(whole.relevance, abs=1e-6)


def test_what_the_mask_hides_is_nowhere(scan: Scan) -> None:
    mask = np.zeros(len(scan.columns), dtype=np.bool_)
    mask[[3, 700]] = True
    profile: Profile = replace(BALANCED, k=10)
    sight = Sight(scan.examine(Probe(("w1",), None), RECIPE), [], profile, RECIPE, "ada", NOW_US)
    assert sorted(rank(scan, sight, mask).rows.tolist()) == [3, 700]


@pytest.mark.parametrize("shape", ["random", "ties", "few high", "sorted"])
@pytest.mark.parametrize("k", [1, 999, 20_000])
def test_the_kth_largest_of_many(shape: str, k: int) -> None:
    stream = np.random.default_rng(17)
    values = stream.random(200_000, dtype=np.float32)
    if shape == "ties":
        values = np.round(values, 2)
    if shape == "few high":
        values = np.where(np.arange(len(values)) % 7 == 3, values, -1.0).astype(np.float32)
    if shape == "sorted":
        values.sort()
    assert kth_largest(values, k) == np.sort(values)[-k]
    assert largest(values, k).tolist() == np.argsort(-values, kind="stable")[:k].tolist()


def test_the_largest_of_fewer_are_all_of_them() -> None:
    assert largest(np.array([0.5, 0.75, 0.5, 0.25]), 9).tolist() == [1, 0, 2, 3]
    assert largest(np.empty(0), 3).tolist() == []
