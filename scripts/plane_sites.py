"""Servers for the pictures of the plane's page: over a store with a life behind it, an empty one, one that asks for a token.

The store holds invented memories, this repository's documents, and texts that are hard to show. It is used
again until its folder is deleted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.conftest import FakeClock
from tests.surfaces.plane.conftest import NOW, serving
from tests.surfaces.plane.invented import ASKS, HOSTILE, invented
from tests.surfaces.plane.scene import STORE, Ask, embedder, live, opened

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "docs/ARCHITECTURE.md", "docs/guides", "docs/decisions")
INVENTED, MADE = 1500, "made.json"
TEXTS = {
    "long": " ".join(f"Part {i}: the tide table was copied by hand, and the second column was left out." for i in range(60)),
    "unbroken": f"In the log: {'Donaudampfschifffahrtsgesellschaftskapitän' * 6} https://example.org/{'a1b2c3d4/' * 40}",
    "markup": f"{HOSTILE[0]}.",
    "right-to-left": "שלום עולם: the key hangs left of the door, \u202etfel ton\u202c, and \u200bnobody\u200b moves it. مرحبا",
}
NAMED = ("pinned", "held", "superseded", "masked")
known: dict[str, int] = {}
"""Ids by name, once the store is there: of TEXTS and NAMED, and the newer side of a conflict."""


def fill(folder: Path, clock: FakeClock) -> None:
    with opened(folder / STORE, clock, embedder=embedder(real=True)) as engine:
        scene = live(engine, clock, invented(INVENTED, NOW), [Ask(text) for text in ASKS], real=True, tell=print)
        for path in DOCUMENTS:
            engine.ingest(ROOT / path, tags=("documents",))
        made = {name: engine.remember(text, created_at=clock.ago(3)).id for name, text in TEXTS.items()}
        engine.drain(lambda done, total: print(f"embedding {done:,} of {total:,}"))
        engine.make_map(rebuild=True)
        (dispute,) = (found for found in engine.conflicts() if found.conflict.id == scene.conflict)
        made |= {"conflict": dispute.newer.id, **{name: getattr(scene, name) for name in NAMED}}
    (folder / MADE).write_text(json.dumps(made), encoding="utf-8")


@contextmanager
def sites(folder: Path) -> Iterator[Mapping[str, str]]:
    """Addresses of the servers by name; `read` is over the same store as `store`, for reading only."""
    clock, lived, addresses = FakeClock(NOW), folder / "lived", {}
    if not (lived / MADE).is_file():
        lived.mkdir(parents=True, exist_ok=True)
        fill(lived, clock)
    known.update(json.loads((lived / MADE).read_text(encoding="utf-8")))
    servers: dict[str, tuple[Path, dict[str, Any]]] = {
        "store": (lived, {}),
        "read": (lived, {"read_only": True}),
        "empty": (folder, {}),
        "closed": (folder, {"needs_token": True}),
    }
    with ExitStack() as stack:
        for name, (path, more) in servers.items():
            engine = stack.enter_context(opened(path / STORE, clock, embedder=embedder(real=True)))
            addresses[name] = stack.enter_context(serving(engine, **more))
        yield addresses
