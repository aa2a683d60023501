"""Whatever the format: a second import adds nothing and changes nothing, with judges on. Near copies cost the same each."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lodmem.engine import Engine
from lodmem.ingest.gate import policy
from lodmem.ingest.importers import NAMES
from lodmem.ingest.judging import NEAREST, PIECE, Case, JudgeTask
from lodmem.model.memory import Draft, Source
from tests.conftest import FakeEmbedder, MakeEngine

from .conftest import Repository
from .kit import DATA, write_rows
from .test_other_memories import made, sample

# Near copies, a changed number and a changed state, so that every judge has something to say.
SAID = (
    "The harbour office asked for the plan of the new pier, and Mara sent the drawing with the long list of timber.",
    "The harbour office asked for the plan of the new pier, and Mara sent the drawing with the whole list of timber.",
    "I live in Porto.",
    "I moved from Porto to Bergen.",
    "The rent of the tea house is 900 euros a month.",
    "The rent of the tea house is now 950 euros a month.",
)


def sources(folder: Path) -> dict[str, Path]:
    """Something of each format, by the importer's name."""
    found = {name: DATA / name for name in ("claude-code", "codex", "chatgpt", "claude", "mail")}
    found["openclaw"] = folder / "openclaw"
    shutil.copytree(DATA / "openclaw", found["openclaw"])
    made(folder / "mem0" / "history.db", sample("mem0/history.sql"))
    made(folder / "mempalace" / "palace" / "chroma.sqlite3", sample("mempalace/chroma.sql"))
    found |= {"mem0": folder / "mem0", "mempalace": folder / "mempalace"}
    found["jsonl"] = write_rows(folder / "rows.jsonl", *({"text": text} for text in SAID))
    notes = folder / "notes"
    notes.mkdir()
    (notes / "pier.md").write_text("".join(f"# Part {n}\n\n{text}\n\n" for n, text in enumerate(SAID)))
    (folder / "one.txt").write_text(SAID[0])
    repository = Repository(folder / "repository")
    for n, text in enumerate(SAID):
        repository.commit(text, {"pier.txt": str(n)})
    return found | {"markdown": notes, "text": folder / "one.txt", "git": repository.path}


def state(engine: Engine) -> object:
    store = engine._store
    ids = store.ids(limit=9999)
    return store.get(ids), store.decisions(), store.near_copies(ids), store.conflicts(), store.last_change()


@pytest.mark.req("R5.19")
@pytest.mark.parametrize("embedder", ["fake", "none"])
def test_every_format_twice_is_once(make_engine: MakeEngine, tmp_path: Path, embedder: str) -> None:
    engine = make_engine(embedder=FakeEmbedder() if embedder == "fake" else "none")
    formats = sources(tmp_path)
    assert formats.keys() == set(NAMES)
    for name, path in formats.items():
        assert engine.ingest(path, importer=name).added > 0, name
    engine.drain()
    before = state(engine)
    assert engine.near_copies(*engine._store.ids(limit=9999))
    assert engine.conflicts(state=None)
    for name, path in formats.items():
        again = engine.ingest(path, importer=name)
        assert (again.added, again.unchanged > 0) == (0, True), name
        assert engine._store.backlog() == 0, name
    engine.drain()
    assert state(engine) == before


def test_near_copies_are_compared_with_a_few_whatever_their_number(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(embedder="none")
    asked: Counter[str] = Counter()

    def counted(name: str) -> Callable[[str, str], float]:
        compare: Callable[[str, str], float] = getattr(policy, name)

        def call(one: str, other: str) -> float:
            asked[name] += 1
            return compare(one, other)

        return call

    for name in ("at_most", "ratio"):
        monkeypatch.setattr(policy, name, counted(name))
    count = 150
    for start in (0, count):
        asked.clear()
        texts = (SAID[0].replace("drawing", f"drawing of the {word}") for word in made_words(start, count))
        engine.remember_many([Draft(full=text, source=Source("talk", "", start + n)) for n, text in enumerate(texts)])
        engine.drain()
        assert asked["ratio"] <= asked["at_most"] <= count * 2 * NEAREST
    assert engine._store.get([1])[0].evidence_count > count


def made_words(start: int, count: int) -> list[str]:
    """Different words without a number."""
    letters = "abdefgiklm"
    return ["".join(letters[int(digit)] for digit in f"{n:04}") for n in range(start, start + count)]


def test_a_batch_is_looked_up_piece_by_piece(make_engine: MakeEngine) -> None:
    """Whoever searches meanwhile waits for a piece."""
    engine = make_engine(embedder="none")
    engine.remember_many([Draft(full=text, source=Source("talk", str(n))) for n in range(5) for text in SAID])
    pieces: list[int] = []
    seen: list[int] = []

    def nearest(ids: Sequence[int]) -> dict[int, list[int]]:
        pieces.append(len(ids))
        return engine._nearest(ids)

    class Watch:
        def judge(self, cases: Sequence[Case], *, now_us: int) -> None:
            seen.extend(case.new.id for case in cases)

    engine._runner([JudgeTask(engine._store, engine._clock, nearest, [Watch()])]).run()
    assert seen == list(range(1, 31))
    assert len(pieces) == -(-30 // PIECE)
    assert max(pieces) == PIECE
