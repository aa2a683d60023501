"""Planes of any size in the server's own format, answered without a store: 100,000 memories would take minutes to write.

The bytes are made by `lodmem.http_api.lodp`, the tiers by `lodmem.lod`; only the store behind them is left out.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

from lodmem.http_api.lodp import packed
from lodmem.lod.decay import decay
from lodmem.lod.tiers import lifted, lod_score, natural_tiers
from lodmem.model.memory import Kind, Status, Tier
from lodmem.model.profile import PRESETS

BASE_US = 1_780_000_000_000_000
ISLANDS = 60
SPAN = 700.0


class Made:
    """`n` memories on sixty islands; answers the page's questions about them."""

    def __init__(self, n: int, seed: int = 3) -> None:
        chance = np.random.default_rng(seed)
        self.n = n
        self.making: tuple[int, int] | None = None
        self.history: dict[str, object] | None = None
        centres = chance.uniform(-0.88, 0.88, (ISLANDS, 2))
        self.cluster = chance.integers(0, ISLANDS, n)
        spread = chance.uniform(0.02, 0.08, ISLANDS)
        place = np.clip(centres[self.cluster] + chance.normal(size=(n, 2)) * spread[self.cluster, None], -1, 1)
        self.count = np.where(chance.random(n) < 0.3, chance.geometric(0.3, n), 0)
        created = -SPAN * chance.beta(1.1, 2.0, n)
        self.last = np.where(self.count > 0, np.minimum(0.0, created + chance.exponential(60, n)), created).astype(np.float32)
        self.floor = np.where(chance.random(n) < 0.001, 3, 0).astype(np.int8)
        self.centres, self.place, self.created = centres, place.astype(np.float32), created.astype(np.float32)
        distance = np.linalg.norm(place - centres[0], axis=1)
        raw = 0.98 * np.exp(-distance * distance / 0.08) + chance.normal(size=n) * 0.07
        self.relevance = np.clip(raw, 0.0, 1.0).astype(np.float32)

    def _packed(self, columns: dict[str, Any], **facts: object) -> bytes:
        head = {"n": self.n, "revision": 1, "rows": f"{self.n}", "now_us": BASE_US, "ms": 0.0}
        return packed(head | facts, columns)

    def plane(self) -> bytes:
        n, nothing = self.n, np.zeros(self.n, dtype=np.uint8)
        sizes = np.bincount(self.cluster, minlength=ISLANDS)
        islands = [
            {"label": f"island {i}", "x": x, "y": y, "size": int(sizes[i]), "group": i % 8}
            for i, (x, y) in enumerate(self.centres.tolist())
        ]
        groups = [{"label": f"sea {i}", "x": islands[i]["x"], "y": islands[i]["y"], "size": n // 8} for i in range(8)]
        return self._packed(
            {
                "id": np.arange(1, n + 1), "x": self.place[:, 0], "y": self.place[:, 1], "last": self.last,
                "created": self.created, "count": self.count, "floor": self.floor.astype(np.uint8), "status": nothing,
                "kind": nothing, "short": nothing, "cluster": self.cluster, "space": nothing, "agent": nothing,
            },
            base_us=BASE_US, as_of_us=None, history=self.history, clusters=islands, groups=groups,
            dictionaries={
                "spaces": ["main"], "agents": ["default"], "kinds": [k.value for k in Kind],
                "statuses": [s.value for s in Status], "tiers": [t.label for t in Tier],
            },
            map={"version": "1", "method": "landmarks", "making": self.making}, embedder={"key": "made", "c0": 0.0, "c1": 1.0},
            profile=PRESETS["balanced"].to_dict(), agent="default", words_only="", read_only=True,
        )  # fmt: skip

    def tiers(self, given: dict[str, list[str]]) -> bytes:
        alpha, lambda_, *thetas = (float(given[name][0]) for name in ("alpha", "lambda", "theta1", "theta2", "theta3"))
        s = self.relevance.astype(np.float64) if "q" in given else np.zeros(self.n)
        score = lod_score(s, decay(np.maximum(0.0, -self.last.astype(np.float64)), self.count, lambda_), alpha)
        tier = lifted(natural_tiers(score, *thetas), self.floor)
        counts = {t.label: int((tier == t).sum()) for t in Tier}
        account = {"requested": None, "used": 0, "bias": None, "stepped_down": 0, "dropped": 0}
        return self._packed(
            {"tier": tier.astype(np.uint8), "natural": tier.astype(np.uint8), "flags": np.ones(self.n, dtype=np.uint8)},
            at_us=BASE_US, profile=PRESETS["balanced"].to_dict(), counts=counts, natural_counts=counts,
            costs=dict.fromkeys(counts, 0), account=account, considered=self.n, excluded=0, words_only="", query=None,
        )  # fmt: skip

    def answer(self, url: str) -> bytes | dict[str, Any] | None:
        """What the server would say; None: it is not asked here."""
        parts = urlsplit(url)
        given = parse_qs(parts.query)
        match parts.path.partition("/api/v1/")[2]:
            case "plane":
                return self.plane()
            case "plane/more":
                sizes = np.full(self.n, 200), np.full(self.n, 40), np.full(self.n, 12)
                return self._packed(
                    dict(zip(("tokens_full", "tokens_summary", "tokens_headline"), sizes, strict=True)), base_us=BASE_US
                )
            case "plane/relevance":
                x, y = self.centres[0].tolist()
                query = {"text": given["q"][0], "x": x, "y": y}
                return self._packed({"relevance": self.relevance}, query=query, considered=self.n, excluded=0, words_only="")
            case "plane/tiers":
                return self.tiers(given)
            case "memories":
                return {
                    "level": "headline",
                    "items": [{"id": int(i), "text": f"Memory {i}", "cut": False} for i in given["ids"][0].split(",")],
                }
        return None


def stand_in(raw: Any, made: Made) -> None:
    """Let `made` answer the questions about the plane that a page asks; the rest goes to the server."""

    def handle(route: Any) -> None:
        found = made.answer(route.request.url)
        if found is None:
            route.continue_()
        elif isinstance(found, bytes):
            route.fulfill(body=found, content_type="application/octet-stream", headers={"ETag": '"1"'})
        else:
            route.fulfill(json=found)

    raw.route("**/api/v1/plane**", handle)
    raw.route("**/api/v1/memories?**", handle)
