"""The page on 5,000 real memories: conversations of the public development data, where they are at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from lodmem.evals.locomo import load_locomo
from lodmem.evals.longmemeval import load_longmemeval
from lodmem.model.memory import to_datetime
from tests.conftest import FakeClock
from tests.surfaces.plane.conftest import opened, opening, serving

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("LODMEM_BENCH_DATA") or ROOT.parent / "shared" / "data")
COUNT = 5000


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    locomo, longmemeval = FOLDER / "locomo-dev.json", FOLDER / "longmemeval-s-dev.json.gz"
    if not (locomo.is_file() and longmemeval.is_file()):
        pytest.skip("no public benchmark data: set LODMEM_BENCH_DATA to its folder")
    cases = [*load_locomo(locomo).cases, *load_longmemeval(longmemeval).cases]
    drafts = list(islice((draft for case in cases for draft in case.drafts), COUNT))
    clock = FakeClock(to_datetime(max(draft.created_us or 0 for draft in drafts)))
    clock.advance(days=1)
    with opened(tmp_path_factory.mktemp("real") / "memory.db", clock) as engine:
        engine.remember_many(drafts)
        engine.reindex()
        engine.make_map()
        with serving(engine) as url:
            yield url


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.req("R14.1")
def test_five_thousand_real_memories_agree_and_are_found(browser: Any, real: str) -> None:
    with opening(browser, real) as page:
        page.open()
        assert page.state("session.plane.n") > 0.97 * COUNT  # the same words twice from one place are one memory
        for query in ("What did she say about the adoption agency?", "a trip to the mountains", "favourite food"):
            page.ask(query)
            agreement = page.state("session.agreement")
            assert agreement["wrong"] == []
            assert agreement["compared"] == page.state("session.measured.visible")
            page.press("3")
            page.settle()
            box = page.raw.locator("canvas").bounding_box()
            wanted, x, y = page.probe("open")[0]
            page.raw.mouse.click(box["x"] + x, box["y"] + y)
            page.until(f"lodmem.session.selected === {wanted}")
            assert 3 <= len(page.probe("boxes", ".label")) <= 200
