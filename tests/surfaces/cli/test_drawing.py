"""The picture of the map as pure text, word for word."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lodmem.cli import drawing
from lodmem.cli.seen import Seen
from lodmem.model.landscape import BudgetAccount, Landscape
from lodmem.model.memory import to_us
from lodmem.model.plane import Cluster
from lodmem.model.profile import PRESETS
from lodmem.model.query import Mode
from lodmem.plane.read import MapPositions

GOLDEN = Path(__file__).parents[2] / "golden" / "map"
NAMES = ("glass kiln", "steam ferry, harbour", "囲碁の定石", "")


def landscape() -> Landscape:
    return Landscape(
        mode=Mode.SEARCH,
        query="q",
        now_us=to_us(datetime(2025, 6, 2, tzinfo=UTC)),
        views=(),
        counts={},
        budget=BudgetAccount(requested=None, used=0, bias=0.0, stepped_down=0, dropped=0),
        excluded=0,
        considered=0,
        next_offset=None,
        words_only="",
        profile=PRESETS["balanced"],
        rendering="",
    )


def view(count: int = 240, *, kinds: int = 4, seed: int = 0, place: tuple[float, float] | None = (0.45, -0.5)) -> Seen:
    chance = np.random.default_rng(seed)
    kind = np.arange(count) % kinds
    centre = np.array([[-0.6, 0.5], [0.5, -0.5], [0.6, 0.6], [-0.5, -0.6]])[:kinds]
    at = np.clip(centre[kind] + 0.12 * chance.standard_normal((count, 2)), -1, 1).astype(np.float32)
    away = np.hypot(at[:, 0] - 0.45, at[:, 1] + 0.5)
    tiers = np.select([away < 0.1, away < 0.25, away < 0.8], [3, 2, 1], 0).astype(np.uint8)
    clusters = tuple(
        Cluster(coarse=True, number=n, group=n, label=NAMES[n], x=float(centre[n, 0]), y=float(centre[n, 1]), size=1)
        for n in range(kinds)
    )
    numbers = kind.astype(np.uint16)
    placed = MapPositions(
        ids=np.arange(1, count + 1),
        x=at[:, 0],
        y=at[:, 1],
        cluster_fine=numbers,
        cluster_coarse=numbers,
        version=1,
        method="landmarks",
        fine=(),
        coarse=clusters,
    )
    return Seen(placed, landscape(), tiers, place, 0, 0)


def drawn(seen: Seen, width: int, height: int, *, ascii_only: bool = False) -> str:
    lines = [
        *drawing.picture(seen, width, height, ascii_only=ascii_only),
        *drawing.legend(seen, width, ascii_only=ascii_only),
        *drawing.regions(seen, width, ascii_only=ascii_only),
    ]
    return "\n".join(line.plain.rstrip() for line in lines) + "\n"


@pytest.mark.parametrize(
    ("name", "width", "height", "ascii_only"), [("wide", 78, 20, False), ("ascii", 60, 14, True), ("narrow", 30, 9, False)]
)
def test_the_picture_is_the_golden_one(name: str, width: int, height: int, ascii_only: bool) -> None:
    text = drawn(view(), width, height, ascii_only=ascii_only)
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@settings(max_examples=30)
@given(
    count=st.integers(1, 60),
    kinds=st.integers(1, 4),
    seed=st.integers(0, 9),
    width=st.integers(12, 120),
    height=st.integers(4, 30),
    ascii_only=st.booleans(),
)
def test_no_line_is_wider_than_asked(count: int, kinds: int, seed: int, width: int, height: int, ascii_only: bool) -> None:
    lines = drawing.picture(view(count, kinds=kinds, seed=seed), width, height, ascii_only=ascii_only)
    assert len(lines) == height
    assert max(line.cell_len for line in lines) <= width


def test_tiers_differ_in_sign_and_in_colour() -> None:
    lines = drawing.picture(view(), 78, 20)
    styles = {line.plain[span.start]: str(span.style) for line in lines for span in line.spans if span.end == span.start + 1}
    assert len({styles[sign] for sign in "●○•✕"}) == 4


def test_without_a_place_there_is_no_mark() -> None:
    assert "✕" not in drawn(view(place=None), 78, 20)
