"""A store with a life behind it, and what tests lean on in it.

Ids and words come from here: no test knows what the texts say, so the same ones run on invented and on real memories.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple, cast

import lodmem
from lodmem.engine import Engine
from lodmem.model.conflict import ConflictState
from lodmem.model.memory import Draft, Status, to_datetime
from lodmem.models.minilm import MiniLmEmbedder
from lodmem.ports import Embedder
from tests.conftest import FakeClock, FakeEmbedder
from tests.surfaces.plane.invented import HOSTILE

STORE, NOTES = "memory.db", "scene.json"
# Days before now on which one question was asked, group by group: often and then no more; once; twice; lately.
ASKED = ((310, 300, 290), (90,), (60, 45), (9,))
ASKS = 12
SEEN = {"active", "stale", "conflict"}
Tell = Callable[[str], object]
KEY = "sk-ant-" + "api03-" + "Zk3" * 31 + "AA"


class Ask(NamedTuple):
    """A question, and when its answer was known."""

    text: str
    known_us: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """`asks`: ASKS questions, each of which finds something in full, those of ASKED first. `agent`, `kind`, `space` and `tag`:
    each that of some memories and not of all. `hidden`: so many memories are looked at by no search. `conflict`: an open one
    by id. `pinned`, `held`: memories with the floors full and summary. `hostile`: whose texts try to do harm."""

    real: bool
    now_us: int
    count: int
    hidden: int
    asks: tuple[str, ...]
    agent: str
    kind: str
    space: str
    tag: str
    pinned: int
    held: int
    superseded: int
    masked: int
    hostile: tuple[int, ...]
    conflict: int
    folder: Path = field(default=Path(), compare=False)

    @property
    def now(self) -> datetime:
        return to_datetime(self.now_us)

    def open(self, folder: Path | None = None) -> Engine:
        """An engine over the store, or over a copy in another folder, with its clock standing still."""
        return opened((folder or self.folder) / STORE, FakeClock(self.now), embedder=embedder(real=self.real))

    def keep(self, folder: Path) -> None:
        (folder / NOTES).write_text(json.dumps({k: v for k, v in asdict(self).items() if k != "folder"}), encoding="utf-8")

    @classmethod
    def of(cls, folder: Path) -> Scene:
        """The one that is kept in a folder."""
        found = json.loads((folder / NOTES).read_text(encoding="utf-8"))
        return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in found.items()}, folder=folder)


@cache
def embedder(*, real: bool) -> Embedder:
    return MiniLmEmbedder() if real else FakeEmbedder(48)


def opened(path: Path, clock: FakeClock, **more: object) -> Engine:
    """An engine over a small store, or with its own `embedder`."""
    given: dict[str, Any] = {"embedder": embedder(real=False), "clock": clock, "zone": "UTC", "background": False, **more}
    return lodmem.open(path, **given)


def live(
    engine: Engine,
    clock: FakeClock,
    drafts: Iterable[Draft],
    asks: Iterable[Ask],
    *,
    real: bool,
    tell: Tell = lambda line: None,
) -> Scene:
    """Fills a store as if in the course of time, up to the clock's now: what is written, asked, contradicted, replaced, pinned.

    The last drafts by date are the hostile ones. Of invented drafts none is compared with others, which takes longest.
    """
    settle = partial(engine.drain, lambda done, total: tell(f"embedding {done:,} of {total:,}")) if real else engine.reindex
    now, coming, known = clock.now, sorted(drafts, key=_when), list(asks)
    _contradict(engine, clock, before=to_datetime(_when(coming[0])))
    ids: list[int] = []
    asked: list[str] = []
    for group in ASKED:
        text = ""
        for days in group:
            clock.set(now - timedelta(days=days))
            ids += _written(engine, coming[len(ids) :], clock)
            settle()
            text = text or next(_finding(engine, known, clock, asked))
            engine.search(text)
        asked.append(text)
    clock.set(now)
    ids += _written(engine, coming[len(ids) :], clock)
    masked = engine.remember(f"The old payment provider key was {KEY} until March.", created_at=clock.ago(40)).id
    settle()
    replaced, stands = engine.search(asked[-1], touch=False).ids[:2]
    engine.supersede(replaced, stands)
    asked += islice(_finding(engine, known, clock, asked), ASKS - len(asked))
    pinned, held = islice((m.id for m in engine.expand(*ids[:50], touch=False) if m.status is Status.ACTIVE), 2)
    engine.promote(pinned, to="full", reason="the first one")
    engine.promote(held, to="summary", reason="kept in view")
    engine.make_map()
    plane = engine.plane()
    names = cast(dict[str, list[str]], plane.facts["dictionaries"])["statuses"]
    return Scene(
        real=real,
        now_us=clock.now_us(),
        count=plane.n,
        hidden=sum(names[status] not in SEEN for status in plane.columns["status"].tolist()),
        asks=tuple(asked),
        agent=_some(draft.agent for draft in coming),
        kind=_some(draft.kind.value for draft in coming),
        space=_some(draft.space for draft in coming),
        tag=_some(tag for draft in coming for tag in draft.tags),
        pinned=pinned,
        held=held,
        superseded=replaced,
        masked=masked,
        hostile=tuple(ids[-len(HOSTILE) :]),
        conflict=_alone(engine),
    )


def _when(draft: Draft) -> int:
    assert draft.created_us is not None
    return draft.created_us


def _contradict(engine: Engine, clock: FakeClock, *, before: datetime) -> None:
    """Two memories of our own that contradict each other, found by the engine before anything else is there."""
    clock.set(before - timedelta(days=1))
    engine.remember("The choir of the village has 22 members.", created_at=clock.ago(300))
    engine.remember("The choir of the village now has 27 members.", created_at=clock.ago(2))
    engine.drain()


def _written(engine: Engine, coming: Sequence[Draft], clock: FakeClock) -> list[int]:
    """Ids of what was written by the clock's now."""
    return [one.id for one in engine.remember_many(takewhile(lambda draft: _when(draft) <= clock.now_us(), coming))]


def _finding(engine: Engine, asks: Iterable[Ask], clock: FakeClock, but: Sequence[str]) -> Iterator[str]:
    """Questions that could be asked by now and that find something in full."""
    for ask in asks:
        if ask.known_us <= clock.now_us() and ask.text not in but and engine.search(ask.text, touch=False).counts["full"] > 1:
            yield ask.text


def _some(names: Iterable[str]) -> str:
    """The rarest name that at least a twentieth have."""
    counted = Counter(names)
    least = counted.total() / 20
    return min(counted, key=lambda name: (counted[name] < least, counted[name], name))


def _alone(engine: Engine) -> int:
    """The newest open conflict of two memories that are in no other one."""
    disputes = engine.conflicts(state=None)
    sides = Counter(side.id for found in disputes for side in (found.older, found.newer))
    free = [d.conflict for d in disputes if sides[d.older.id] == sides[d.newer.id] == 1]
    return max(conflict.id for conflict in free if conflict.state is ConflictState.OPEN)
