"""5,000 real memories: the first of the public development data, in spaces, by agents, of kinds and with tags of ours.

LODMEM_PLANE_DATA names the data's files, with the path separator between; then all browser tests run on them. The store is
built once for these files and this code: `python -m tests.surfaces.plane.real` builds it and says how far it is.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from lodmem.evals.cache import CachingEmbedder, default_cache_dir
from lodmem.evals.datasets import Case
from lodmem.evals.fingerprint import of_code
from lodmem.evals.formats import load_any
from lodmem.model.memory import Draft, Kind, to_datetime
from tests.conftest import FakeClock
from tests.surfaces.plane import invented, scene
from tests.surfaces.plane.scene import Ask, Tell

DATA = "LODMEM_PLANE_DATA"
COUNT = 5000
HOUR_US = 3_600_000_000
SPACES = ("main", "main/research", "home")
AGENTS = ("default", "writer")
KINDS = (Kind.EPISODIC, Kind.EPISODIC, Kind.SEMANTIC, Kind.PROCEDURAL)


def files() -> list[Path]:
    """What LODMEM_PLANE_DATA names; nothing: the tests run on invented memories."""
    return [Path(name) for name in os.environ.get(DATA, "").split(os.pathsep) if name]


def kept(data: Sequence[Path], tell: Tell = lambda line: None) -> Path:
    """The folder of the finished store of these files, built if it is not there; those of other code are cleared away."""
    place = default_cache_dir() / "plane"
    folder = place / _key(data)[:16]
    if not folder.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="building-", dir=place) as passing:
            made = Path(passing) / "made"
            made.mkdir()
            build(data, made, tell)
            for old in place.iterdir():
                if old != folder and not old.name.startswith("building-"):
                    shutil.rmtree(old)
            if not folder.is_dir():  # another process may have been quicker
                made.rename(folder)
    return folder


def build(data: Sequence[Path], folder: Path, tell: Tell) -> None:
    """A store of COUNT memories with a life behind it, and its notes."""
    cases = [case for path in data for case in load_any(path).cases]
    drafts = list(islice(_drafts(cases), COUNT))
    if len(drafts) < COUNT:
        raise SystemExit(f"{len(drafts):,} memories in {', '.join(map(str, data))}; {COUNT:,} are needed")
    last = max(draft.created_us or 0 for draft in drafts)
    drafts += [Draft(full=f"{text}.", created_us=last + (i + 1) * HOUR_US) for i, text in enumerate(invented.HOSTILE)]
    clock = FakeClock(to_datetime(last + 24 * HOUR_US))
    with (
        CachingEmbedder(scene.embedder(real=True), default_cache_dir()) as embedder,
        scene.opened(folder / scene.STORE, clock, embedder=embedder) as engine,
    ):
        scene.live(engine, clock, drafts, _asks(cases), real=True, tell=tell).keep(folder)


def _drafts(cases: Sequence[Case]) -> Iterator[Draft]:
    """Each with the labels that a filter needs; the same words twice from one place are one memory."""
    seen: set[tuple[int, str]] = set()
    for number, case in enumerate(cases):
        for turn, draft in enumerate(case.drafts):
            if (number, draft.full) in seen:
                continue
            seen.add((number, draft.full))
            yield replace(
                draft, space=SPACES[number % len(SPACES)], agent=AGENTS[turn % len(AGENTS)], kind=KINDS[turn // 2 % len(KINDS)],
                tags=(f"talk-{number}",),
            )  # fmt: skip


def _asks(cases: Sequence[Case]) -> list[Ask]:
    """The data's own questions, in an order that has nothing to do with what they are about."""
    found = []
    for case in cases:
        known = {label: draft.created_us or 0 for label, draft in zip(case.labels, case.drafts, strict=True)}
        found += [Ask(q.text, max(known[label] for label in q.gold)) for q in case.questions if q.gold]
    return sorted(found, key=lambda ask: hashlib.sha256(ask.text.encode()).digest())


def _key(data: Sequence[Path]) -> str:
    """SHA-256 of all that decides what the store holds."""
    total = hashlib.sha256(f"{of_code()} {scene.embedder(real=True).identity.key} {COUNT}".encode())
    for path in (*data, *(Path(module.__file__ or "") for module in (scene, invented)), Path(__file__)):
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def main() -> None:
    if not files():
        sys.exit(f"{DATA} names no file")
    began = time.perf_counter()
    folder = kept(files(), lambda line: print(f"\r{line:40}", end="", flush=True))
    print(f"\r{folder}: {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
