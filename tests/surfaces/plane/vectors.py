"""Golden vectors that tie the page's formulas to the engine's: `python -m tests.surfaces.plane.vectors` writes them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from lodmem.lod.decay import decay
from lodmem.lod.tiers import lifted, lod_score, natural_tiers
from lodmem.model.profile import PRESETS

FILE = Path(__file__).parents[3] / "web" / "tests" / "golden" / "lod.json"
ROWS = 240
SEED = 7


def vectors() -> dict[str, Any]:
    """Scores, natural tiers and tiers with floors for each preset and two odd lenses, computed by lodmem.lod."""
    chance = np.random.default_rng(SEED)
    relevance = np.concatenate([chance.random(ROWS - 8), [0.0, 1.0, 0.5, 0.6, 0.3, 0.05, 0.5999995, 0.2999995]])
    days = np.concatenate([chance.exponential(120.0, ROWS - 4), [0.0, 1.0, 182.5, 4000.0]])
    counts = np.concatenate([chance.geometric(0.2, ROWS - 4) - 1, [0, 1, 50, 100_000]]).astype(np.int64)
    floors = chance.choice(4, ROWS, p=[0.85, 0.05, 0.05, 0.05]).astype(np.int8)
    lenses = {p.name: (p.alpha, p.lambda_, p.theta1, p.theta2, p.theta3) for p in PRESETS.values()}
    lenses |= {"steep": (0.37, 0.9, 0.41, 0.4, 0.39), "level": (1.0, 0.0, 0.5, 0.5, 0.5)}
    cases = []
    for name, (alpha, lambda_, theta1, theta2, theta3) in lenses.items():
        faded = decay(days, counts, lambda_)
        score = lod_score(relevance, faded, alpha)
        natural = natural_tiers(score, theta1, theta2, theta3)
        cases.append(
            {
                "name": name, "alpha": alpha, "lambda": lambda_, "theta1": theta1, "theta2": theta2, "theta3": theta3,
                "decay": faded.tolist(), "score": score.tolist(), "natural": natural.tolist(),
                "tier": lifted(natural, floors).tolist(),
            }
        )  # fmt: skip
    given = {"relevance": relevance.tolist(), "days": days.tolist(), "count": counts.tolist(), "floor": floors.tolist()}
    return {"made_by": "tests/surfaces/plane/vectors.py", **given, "cases": cases}


def text() -> str:
    return json.dumps(vectors()) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
