"""Imports of files that people have: by hand, damaged, packed, cut off, of another version."""

from __future__ import annotations

import base64
import gzip
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lodmem.care import files
from lodmem.engine import Engine
from lodmem.errors import BadParameter, InputError, StoreReadOnly, UnknownPath
from lodmem.model.memory import Source, Tier
from lodmem.model.profile import Profile
from tests.care.kit import exported
from tests.conftest import START, FakeEmbedder, MakeEngine

HEAD = {"type": "lodmem", "version": 1}
END = {"type": "end"}


def file_of(*rows: dict[str, Any] | bytes, head: dict[str, Any] | None = None, end: bool = True) -> io.BytesIO:
    rows = (HEAD | (head or {}), *rows, *([END] if end else []))
    return io.BytesIO(b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows))


def memory(full: str, **more: Any) -> dict[str, Any]:
    return {"type": "memory", "full": full, **more}


@pytest.fixture
def other(make_engine: MakeEngine, tmp_path: Path) -> Engine:
    return make_engine(tmp_path / "other.db")


def test_a_line_by_hand_needs_only_a_text(engine: Engine) -> None:
    report = engine.load(file_of(memory("Ada moved the launch to June 3."), memory("Dated.", created_at="2020-05-06")))
    assert (report.added, report.failed) == (2, 0)
    first, second = engine.expand(1, 2, touch=False)
    assert (first.created_at, first.created_given, first.written_by) == (START, False, "source")
    assert (second.created_at, second.created_given) == (datetime(2020, 5, 6, tzinfo=UTC), True)
    assert engine.search("launch", touch=False).ids[0] == 1


def test_levels_are_made_where_a_line_has_none(engine: Engine) -> None:
    text = " ".join(f"On day {n} the kiln {n} was fired at {900 + n} degrees by potter {n}." for n in range(30))
    engine.load(file_of(memory(text)))
    (found,) = engine.expand(1, touch=False)
    assert found.written_by == "extractive"
    assert 0 < found.tokens_headline <= found.tokens_summary < found.tokens_full


BAD = {
    "not JSON": b"{nonsense\n",
    "not UTF-8": b'{"type":"memory","full":"\xff"}\n',
    "not an object": b"[1]\n",
    "unknown type": {"type": "dream"},
    "it has no full": {"type": "memory"},
    "its full is not a text": memory("x") | {"full": 5},
    "empty": memory("  "),
    "lone surrogate": b'{"type":"memory","full":"\\ud800"}\n',
    "nested too deeply": b'{"type":"memory","full":"x","meta":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}\n",
    "content hash differs": memory("x", content_hash="ab" * 32),
    "its id is not": memory("x", id=-4),
    "its id is not a whole": memory("x", id=2**60),
    "its kind 'dream' is not one of": memory("x", kind="dream"),
    "its status 'gone' is not one of": memory("x", status="gone"),
    "not a time": memory("x", created_at="soon"),
    "its expires_at": memory("x", expires_at=12345),
    "importance": memory("x", importance=7),
    "its importance is not a number": memory("x", importance=True),
    "not a space": memory("x", space="../up"),
    "agent": memory("x", agent=""),
    "its tags are not texts": memory("x", tags=[1]),
    "its tags is not a list": memory("x", tags="one"),
    "its meta is not an object": memory("x", meta=[]),
    "uri": memory("x", source={"session": "s"}),
    "sequence": memory("x", source={"uri": "u", "sequence": 2**63}),
    "is not a tier": memory("x", last_tier="cloud"),
    "floors": memory("x", floors=["full"]),
    "tokens are not three": memory("x", written_by="a model", tokens=[1, 2]),
    "do not fit together": memory("x", retrieval_count=3),
    "not base64": memory("x", passages=[[0, 1]], vectors={"model": "m", "own": "!!"}),
    "it has no model": memory("x", passages=[[0, 1]], vectors={"own": ""}),
    "its evidence_count": memory("x", evidence_count=-1),
    "it has no at": {"type": "forgotten", "id": 3},
    "it has no verb": {"type": "audit", "at": "2020-01-01", "space": "s", "agent": "a", "detail": {}},
    "no profile 'nowhere'": {"type": "agent", "agent": "ada", "profile": "nowhere"},
    "unknown profile fields": {"type": "profile", "name": "p", "colour": 1},
    "alpha must be": {"type": "profile", "name": "p", "alpha": 7},
    "fields are not those of a profile": {"type": "profile", "name": 3},
    "a second beginning": HEAD,
    "landscape rendered by lodmem": b"",
}


@pytest.mark.parametrize("why", BAD)
def test_a_line_that_cannot_be_used_is_told_and_passed_over(engine: Engine, why: str) -> None:
    engine.remember("seen before")
    bad = BAD[why] or memory(engine.search("seen", touch=False).rendering)
    report = engine.load(file_of(memory("before"), bad, memory("after")))
    assert (report.added, report.failed) == (2, 1)
    (problem,) = report.problems
    assert problem.where == "line 3"
    assert why in problem.why
    assert "\n" not in problem.why
    assert {found.full for found in engine.expand(2, 3, touch=False)} == {"before", "after"}
    assert engine.check() == []


def test_a_text_beyond_the_limit_is_a_problem_of_its_line(make_engine: MakeEngine) -> None:
    engine = make_engine(max_text_bytes=10)
    report = engine.load(file_of(memory("short"), memory("far too long a text")))
    assert (report.added, report.failed) == (1, 1)
    assert "limit is 10" in report.problems[0].why


@pytest.mark.parametrize("first", [b"", b"{}\n", b"nonsense\n", b'{"type":"memory","full":"x"}\n', b'{"text":"a"}\n'])
def test_what_is_no_export_is_refused_whole(engine: Engine, first: bytes) -> None:
    with pytest.raises(BadParameter, match="no export") as caught:
        engine.load(io.BytesIO(first + b'{"type":"memory","full":"x"}\n'))
    assert "lodmem ingest" in caught.value.hint
    assert engine.stats().memories == 0


def test_a_later_version_is_refused_whole(engine: Engine) -> None:
    with pytest.raises(BadParameter, match="version 2") as caught:
        engine.load(file_of(memory("x"), head={"version": 2}))
    assert "upgrade" in caught.value.hint
    assert engine.stats().memories == 0


def test_a_file_that_was_cut_off_says_so(engine: Engine) -> None:
    report = engine.load(file_of(memory("one", id=5), head={"last_id": 9}, end=False))
    assert (report.added, report.failed) == (1, 1)
    assert "cut off" in report.problems[0].why
    assert engine.remember("next").id == 6, "ids of the lost lines are still free"


def test_lines_that_were_taken_out_are_missed(engine: Engine) -> None:
    engine.remember("one")
    engine.remember("two")
    lines = exported(engine).splitlines(keepends=True)
    report = engine.load(io.BytesIO(b"".join(line for line in lines if b"two" not in line)))
    assert "1 memories are missing" in report.problems[0].why


def test_packed_or_not_from_a_file(engine: Engine, other: Engine, tmp_path: Path) -> None:
    for n in range(120):
        engine.remember(f"memory number {n}")
    plain, packed = tmp_path / "all.jsonl", tmp_path / "all.jsonl.gz"
    seen: list[tuple[int, int]] = []
    done = engine.export(plain, progress=lambda *at: seen.append(at))
    engine.export(packed)
    assert (done.memories, done.bytes, seen[-1]) == (120, plain.stat().st_size, (100, 120))
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes() == exported(engine)
    assert packed.read_bytes() == (engine.export(packed, overwrite=True), packed.read_bytes())[1]
    read: list[tuple[int, int]] = []
    report = other.load(packed, progress=lambda *at: read.append(at))
    assert (report.added, report.failed) == (120, 0)
    assert read
    assert all(done <= total == packed.stat().st_size for done, total in read)
    renamed = tmp_path / "no-suffix"
    renamed.write_bytes(packed.read_bytes())
    assert other.load(renamed).known == 120
    assert sorted(path.name for path in tmp_path.iterdir() if "partial" in path.name) == []


def test_a_packed_file_that_ends_early_keeps_what_came_and_says_so(engine: Engine, other: Engine, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for n in range(400):
        engine.remember(f"{n} " + " ".join(str(number) for number in rng.integers(0, 10**9, 20)))
    path = tmp_path / "all.jsonl.gz"
    engine.export(path)
    path.write_bytes(path.read_bytes()[:-20_000])
    with pytest.raises(InputError, match="ends or is damaged after line") as caught:
        other.load(path)
    assert "run it again" in caught.value.hint
    assert 0 < other.stats().memories < 400
    engine.export(path, overwrite=True)
    other.load(path)
    assert other._store.get(range(1, 401)) == engine._store.get(range(1, 401))


def test_a_line_that_never_ends_is_not_read_into_memory(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 1000)
    with pytest.raises(InputError, match="line 2 is longer"):
        engine.load(file_of(memory("x" * 2000)))


def test_a_file_is_not_replaced_unless_said(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("mine")
    with pytest.raises(BadParameter, match="there already"):
        engine.export(path)
    with pytest.raises(BadParameter, match="not a file"):
        engine.export(tmp_path, overwrite=True)
    with pytest.raises(InputError, match="cannot be written"):
        engine.export(tmp_path / "no" / "folder.jsonl")
    assert path.read_text() == "mine"


def test_files_that_are_not_there(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(UnknownPath):
        engine.load(tmp_path / "none")
    with pytest.raises(InputError):
        engine.load(tmp_path)


def test_an_error_while_writing_leaves_no_file(engine: Engine, tmp_path: Path) -> None:
    for n in range(60):
        engine.remember(f"number {n}")

    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.export(tmp_path / "all.jsonl", progress=interrupt)
    assert [path.name for path in tmp_path.iterdir() if path.suffix in (".jsonl", ".partial")] == []


def test_a_store_opened_for_reading_takes_nothing_in(engine: Engine, make_engine: MakeEngine) -> None:
    engine.remember("one")
    with pytest.raises(StoreReadOnly):
        make_engine(read_only=True).load(file_of(memory("x")))


# -- what belongs to other ids stays out ----------------------------------------------------------------------------------


def test_the_audit_log_comes_back_once_and_only_to_the_same_ids(engine: Engine, other: Engine, make_engine: MakeEngine) -> None:
    engine.remember("one")
    engine.remember("two")
    engine.promote(1, to="full")
    engine.forget(2)
    export = exported(engine)
    assert other.load(io.BytesIO(export)).left_out == {}
    assert other.load(io.BytesIO(export)).other == 0
    verbs = [entry.verb for entry in other.audit_log() if entry.verb not in ("import", "model")]
    assert verbs == ["remember", "remember", "promote", "forget"]
    assert [entry.at_us for entry in other.audit_log()[-4:]] == [engine.now_us] * 4

    third = make_engine(other.stats().path.replace("other", "third"))
    third.remember("its own")
    report = third.load(io.BytesIO(export))
    assert report.left_out == {"audit entries of another history": 4, "tombstones of other ids": 1}
    assert [entry.verb for entry in third.audit_log()] == ["model", "remember", "import"]


def test_what_a_store_has_itself_wins_over_what_comes(engine: Engine, other: Engine) -> None:
    engine.save_profile(Profile(name="mine", alpha=0.25))
    engine.save_profile(Profile(name="digest", alpha=0.25))
    engine.use_profile("mine", agent="ada")
    engine.use_profile("mine", agent="bo")
    other.save_profile(Profile(name="mine", alpha=0.75))
    other.use_profile("seed", agent="ada")
    report = other.load(io.BytesIO(exported(engine)))
    assert (other.profiles()["mine"].alpha, other.profiles()["digest"].alpha) == (0.75, 0.25)
    assert [(each.agent, each.profile) for each in other._store.agent_profiles()] == [("ada", "seed"), ("bo", "mine")]
    assert report.left_out == {
        "profiles of a name that is taken": 1,
        "profiles of agents that have chosen another": 1,
        "audit entries of another history": 4,
    }


def test_a_successor_that_is_missing_is_told(engine: Engine) -> None:
    report = engine.load(file_of(memory("old", id=1, status="superseded", superseded_by=2)))
    assert (report.added, report.failed) == (1, 1)
    assert "its successor #2 is not in the file" in report.problems[0].why


def test_a_successor_may_come_before_or_after(engine: Engine) -> None:
    engine.remember("its own")
    rows = [
        memory("newest", id=9),
        memory("oldest", id=1, status="superseded", superseded_by=4),
        memory("middle", id=4, status="superseded", superseded_by=9),
    ]
    engine.load(file_of(*rows))
    links = {found.full: found.superseded_by for found in engine._store.get(engine._store.ids(limit=9))}
    ids = {found.full: found.id for found in engine._store.get(engine._store.ids(limit=9))}
    assert links == {"its own": None, "newest": None, "oldest": ids["middle"], "middle": ids["newest"]}


# -- vectors ------------------------------------------------------------------------------------------------------------


def test_vectors_come_along_when_asked_for(engine: Engine, make_engine: MakeEngine, tmp_path: Path) -> None:
    engine.remember("one", source=Source("u", "s", 1))
    engine.remember("two", source=Source("u", "s", 2))
    engine.drain()
    model = FakeEmbedder()
    other = make_engine(tmp_path / "other.db", embedder=model)
    other.load(io.BytesIO(exported(engine, vectors=True)))
    assert (other.stats().embedded_passages, other.stats().backlog, model.texts) == (2, 0, [])
    assert exported(other, vectors=True).splitlines()[1:3] == exported(engine, vectors=True).splitlines()[1:3]


def test_vectors_of_another_model_are_made_here(engine: Engine, make_engine: MakeEngine, tmp_path: Path) -> None:
    engine.remember("one")
    engine.drain()
    other = make_engine(tmp_path / "other.db", embedder=FakeEmbedder(8, name="another"))
    report = other.load(io.BytesIO(exported(engine, vectors=True)))
    assert (report.added, other.stats().backlog) == (1, 1)
    assert other.drain() == 1
    assert other.check() == []


@pytest.mark.parametrize("own", [np.full(16, np.nan, "<f4"), np.ones(4, "<f4")], ids=["not finite", "too short"])
def test_vectors_that_cannot_be_right_are_made_here(engine: Engine, own: np.ndarray) -> None:
    vectors = {"model": engine._store.active_model(), "own": base64.b64encode(own.tobytes()).decode()}
    engine.load(file_of(memory("one", passages=[[0, 3]], vectors=vectors)))
    assert (engine.stats().embedded_passages, engine.stats().backlog) == (0, 1)


def test_vectors_wait_for_their_model_where_none_is_configured(engine: Engine, make_engine: MakeEngine, tmp_path: Path) -> None:
    engine.remember("one")
    engine.drain()
    other = make_engine(tmp_path / "other.db", embedder="none")
    other.load(io.BytesIO(exported(engine, vectors=True)))
    other.close()
    model = FakeEmbedder()
    with_model = make_engine(tmp_path / "other.db", embedder=model)
    assert (with_model.stats().embedded_passages, with_model.drain(), model.texts) == (1, 0, [])


def test_use_and_floors_come_along(engine: Engine, other: Engine) -> None:
    engine.remember("the kiln is red")
    engine.expand(1)
    engine.promote(1, to="summary")
    engine.promote(1, to="full", mine=True)
    other.load(io.BytesIO(exported(engine)))
    (found,) = other.expand(1, touch=False)
    assert (found.retrieval_count, found.last_tier, found.floor) == (1, Tier.FULL, Tier.FULL)
    assert other._store.get([1], agent="somebody")[0].floor is Tier.SUMMARY
