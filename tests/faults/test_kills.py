"""kill -9 at any moment, while several processes write, retrieve and search: whatever was acknowledged is there."""

from __future__ import annotations

import random
import signal
import sys
import time
from pathlib import Path

import pytest
from contract_kit import NOW, prepared
from processes import Nursery, nursery
from soak import SOAK

import lodmem
from lodmem.stores.sqlite.store import SqliteStore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
ROUNDS = 10 if SOAK else 1
KILLS = 30  # a round; each third strikes at a call to the disk, the others at a moment
WORKERS = 3
ENDLESS = 1_000_000


@pytest.mark.req("R16.3")
@pytest.mark.parametrize("round_", range(ROUNDS))
def test_killed_processes_lose_nothing_acknowledged(folder: Path, round_: int, record_property: pytest.RecordProperty) -> None:
    with nursery(folder) as nest:
        first(nest)
        for n in range(WORKERS):
            nest.start(f"r{round_}n{n}", seed=n, steps=ENDLESS)
        draw, kills = random.Random(round_), 0
        while kills < KILLS:
            n = kills + WORKERS
            if n % 3 == 0:
                nest.start(f"r{round_}n{n}", seed=n, steps=ENDLESS, die_at=draw.randrange(1, 800))
            else:
                time.sleep(draw.uniform(0.0, 0.1))
                nest.kill(draw.choice(sorted(nest.alive)))
            _, status = nest.next_end()
            assert status == -signal.SIGKILL, nest.errors.read_text()
            kills += 1
            if n % 3:
                nest.start(f"r{round_}n{n}", seed=n, steps=ENDLESS)
        for child in sorted(nest.alive):
            nest.kill(child)
        while nest.alive:
            nest.next_end()
        texts = nest.texts()
        is_whole(nest, texts)
    record_property("kills", f"{KILLS} a round, {ROUNDS} rounds")
    record_property(f"acknowledged memories of round {round_}", len(texts))


def first(nest: Nursery) -> None:
    """The memory that everybody retrieves."""
    with SqliteStore.open(nest.store, now_us=NOW) as store:
        assert store.add([prepared("the shared one")], now_us=NOW, tasks=())[0].id == 1


def is_whole(nest: Nursery, texts: dict[int, str]) -> None:
    assert len(texts) > KILLS
    assert "Traceback" not in nest.errors.read_text()
    with lodmem.open(nest.store, embedder="none", background=False) as engine:
        assert engine.check() == []
        memories = engine.expand(*texts, touch=False)
        assert {memory.id: memory.full for memory in memories} == texts
        uses = nest.uses()
        assert engine.expand(1, touch=False)[0].retrieval_count >= uses[1] > 0
        for memory_id in list(texts)[:: max(1, len(texts) // 10)]:
            landscape = engine.search(texts[memory_id].split()[0], limit=5, touch=False)
            assert memory_id in [view.id for view in landscape.views]
        assert engine.remember("life goes on").id > max(texts)
