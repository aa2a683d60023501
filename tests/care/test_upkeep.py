"""Check, repair, back up and calibrate as an engine's verbs: what is derived comes back, texts are not touched."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from lodmem.care import terms
from lodmem.care.derived import Derived
from lodmem.engine import Engine, Parts
from lodmem.errors import BadParameter, StoreBusy, StoreReadOnly
from lodmem.ingest import pipeline
from lodmem.model.kept import TermsState
from lodmem.model.query import Filters
from lodmem.retrieval.record import filters_of
from lodmem.text.tokens import TERMS_VERSION
from lodmem.wiring import restore_store
from tests.conftest import FakeClock, FakeEmbedder, MakeEngine, settled

LONG = " ".join(
    f"On day {n} the kiln {n} was fired at {900 + n} degrees, and potter {n} wrote down how it went." for n in range(40)
)


def filled(engine: Engine) -> None:
    for text in ("Ada moved the launch to June 3.", "Cats sleep all day.", LONG):
        engine.remember(text)
    engine.drain()


def sql(engine: Engine, *statements: str) -> None:
    """Damage from outside."""
    conn = apsw.Connection(engine.stats().path)
    for statement in statements:
        conn.execute(statement)
    conn.close()


def kept(engine: Engine) -> list[object]:
    return [piece for piece in engine._store.dump() if type(piece).__name__ == "Kept"]


@pytest.mark.req("R16.10")
def test_everything_derived_comes_back_and_no_text_is_touched(engine: Engine) -> None:
    filled(engine)
    before = kept(engine)
    sql(
        engine,
        "DELETE FROM passage WHERE memory_id = 2",
        "UPDATE vector SET own = zeroblob(64) WHERE memory_id = 1",
        "INSERT INTO work (task, memory_id, state, due_us, error) VALUES ('embed', 3, 'dead', 0, 'bad')",
        "INSERT INTO change (seq, memory_id, what) VALUES (9999, 1, 7)",
        "UPDATE sqlite_sequence SET seq = 5 WHERE name = 'change'",
        "UPDATE meta SET value = '0' WHERE name = 'terms_version'",
    )
    problems = engine.check()
    for part in ("#2: it has no passage", "#1: a vector of length 0", "given up", "change log", "words"):
        assert any(part in problem for problem in problems), part
    assert [trouble.name for trouble in engine.troubles() if not trouble.severe] == ["index terms"]
    told: list[str] = []
    done = engine.repair(lambda done, total, what: told.append(what))
    for part in ("word index", "change log", "vectors", "work", "passages", "index terms"):
        assert any(what.startswith(part) for what in done), part
    assert "index terms" in told
    assert engine.drain() == 3
    assert (engine.troubles(), engine.repair()) == ([], [])
    assert kept(engine) == before
    assert engine.search("launch", touch=False).ids[0] == 1
    assert engine.search("cats", touch=False).ids[0] == 2
    entries = [entry for entry in engine.audit_log() if entry.verb == "repair"]
    assert [entry.detail["done"] for entry in entries] == [done]


def test_a_sound_store_needs_no_repair_and_leaves_no_entry(engine: Engine) -> None:
    filled(engine)
    assert (engine.troubles(), engine.repair()) == ([], [])
    assert "repair" not in {entry.verb for entry in engine.audit_log()}


# -- index terms ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def other_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text rules of the next version: every term upside down."""
    original = pipeline.index_terms
    monkeypatch.setattr(pipeline, "index_terms", lambda text: [term[::-1] for term in original(text)])
    monkeypatch.setattr(terms, "TERMS_VERSION", TERMS_VERSION + 1)


def test_terms_of_earlier_rules_are_told_and_made_anew(engine: Engine, other_rules: None) -> None:
    filled(engine)
    sql(engine, "UPDATE meta SET value = '0' WHERE name = 'terms_version'")
    engine._store.put_terms(
        {1: pipeline.passages_of("Ada moved the launch to June 3.", engine.now_us)}, TermsState(version=1), now_us=engine.now_us
    )
    (trouble,) = engine.troubles()
    assert f"made by version 1 of the text rules, this program uses version {TERMS_VERSION + 1}" in trouble.text
    assert engine.repair()
    assert engine._store.terms() == TermsState(version=TERMS_VERSION + 1)
    assert engine._store.match_words(["stac", "tac"], limit=9)[0][0] == 2
    assert engine.stats().backlog == 0, "where the cut is the same the vectors stay"
    assert engine.troubles() == []


def test_a_repair_that_was_interrupted_goes_on(engine: Engine, other_rules: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "BATCH", 2)
    for n in range(7):
        engine.remember(f"memory number {n}")

    def interrupt(done: int, total: int | None, what: str) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.repair(interrupt)
    assert engine._store.terms() == TermsState(version=TERMS_VERSION, making=TERMS_VERSION + 1, upto=4)
    assert "a repair reached #4" in engine.troubles()[0].text
    seen: list[tuple[int, int | None]] = []
    engine.repair(lambda done, total, what: seen.append((done, total)) if what == "index terms" else None)
    assert [done for done, _ in seen] == [2, 3]
    assert engine.troubles() == []


def test_memories_forgotten_while_it_works_are_passed_over(
    engine: Engine, other_rules: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(5):
        engine.remember(f"memory number {n}")
    original = engine._store.get
    calls = iter([2, 4])

    def get(ids: object, **more: object) -> object:
        for memory_id in calls:
            engine.forget(memory_id)
        return original(ids, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(engine._store, "get", get)
    assert engine.repair()
    monkeypatch.undo()
    assert engine._store.ids(limit=9) == [1, 3, 5]
    assert engine.check() == []


def test_terms_of_newer_rules_are_left_alone(engine: Engine) -> None:
    filled(engine)
    newer = TermsState(version=TERMS_VERSION + 5)
    engine._store.put_terms({}, newer, now_us=engine.now_us)
    assert "a newer lodmem made them" in engine.troubles()[0].text
    assert engine.repair() == []
    assert engine._store.terms() == newer


# -- what stands beside the store -----------------------------------------------------------------------------------------


def test_whatever_is_derived_beside_the_store_is_cared_for_too(engine: Engine) -> None:
    broken = ["its checksum differs"]

    def repair(report: object) -> list[str]:
        return [f"side file: made anew, {broken.pop()}"] if broken else []

    parts = engine._parts
    beside = Derived(name="side file", check=lambda: list(broken), repair=repair)
    fields = {name: getattr(parts, name) for name in Parts.__dataclass_fields__} | {"beside": (beside,), "on_close": None}
    whole = Engine(Parts(**fields))
    assert [(trouble.name, trouble.text) for trouble in whole.troubles()] == [("side file", "its checksum differs")]
    assert whole.repair() == ["side file: made anew, its checksum differs"]
    assert whole.troubles() == []
    whole._recorder.close()


def test_a_store_opened_for_reading_is_checked_and_not_repaired(engine: Engine, make_engine: MakeEngine) -> None:
    filled(engine)
    reader = make_engine(read_only=True)
    assert reader.check() == []
    with pytest.raises(StoreReadOnly):
        reader.repair()


# -- backup and restore ---------------------------------------------------------------------------------------------------


@pytest.mark.req("R16.11")
def test_a_backup_holds_what_was_acknowledged_and_comes_back(
    engine: Engine, make_engine: MakeEngine, tmp_path: Path, clock: FakeClock
) -> None:
    filled(engine)
    engine.expand(1)
    seen: list[tuple[int, int]] = []
    size = engine.backup(tmp_path / "copy.db", progress=lambda *at: seen.append(at))
    assert size == (tmp_path / "copy.db").stat().st_size
    assert seen
    assert settled(make_engine(tmp_path / "copy.db"), 1).retrieval_count == 1
    engine.remember("written after the backup")
    engine.forget(2)
    settings = _settings(engine)
    with pytest.raises(StoreBusy):
        restore_store(settings, tmp_path / "copy.db", clock=clock)
    engine.close()
    done = restore_store(settings, tmp_path / "copy.db", clock=clock)
    assert (done.memories, done.forgotten) == (2, 1)
    again = make_engine()
    assert again.search("launch", touch=False).ids[0] == 1
    assert again._store.ids(limit=9) == [1, 3]
    assert again.remember("next").id == 5
    (entry,) = [entry for entry in again.audit_log() if entry.verb == "restore"]
    assert (entry.agent, entry.detail) == ("keeper", {"from": "copy.db", "kept": True, "ids": [2]})
    assert again.check() == []
    assert done.previous is not None
    assert make_engine(done.previous)._store.ids(limit=9) == [1, 3, 4]


def _settings(engine: Engine) -> object:
    from lodmem.config import read_settings

    return read_settings({}, store=engine.stats().path, agent="keeper")


# -- calibration ----------------------------------------------------------------------------------------------------------


def test_a_store_s_own_calibration_is_used_and_explained(engine: Engine, make_engine: MakeEngine) -> None:
    filled(engine)

    def meaning(asked: Engine) -> tuple[float, str]:
        return next((value, text) for name, value, text in asked.explain(1, "launch June").parts if name == "V")

    before = meaning(engine)
    assert "0.05..0.7 " in before[1]
    engine.calibrate((0.3, 0.95))
    changed = meaning(make_engine())
    assert "0.3..0.95 " in changed[1]
    assert changed[0] < before[0]
    assert engine.calibration() == (0.3, 0.95)
    engine.calibrate(None)
    assert meaning(engine) == before
    assert [entry.detail for entry in engine.audit_log() if entry.verb == "calibrate"] == [{"c0": 0.3, "c1": 0.95}, {}]


def test_a_calibration_needs_a_model(make_engine: MakeEngine) -> None:
    with pytest.raises(BadParameter, match="no embedding model"):
        make_engine(embedder="none").calibrate((0.1, 0.5))


def test_another_model_starts_without(engine: Engine, make_engine: MakeEngine, tmp_path: Path) -> None:
    filled(engine)
    engine.calibrate((0.3, 0.95))
    from lodmem.wiring import open_engine

    with open_engine(_settings(engine), embedder=FakeEmbedder(8, name="new"), reindexing=True, background=False) as other:  # type: ignore[arg-type]
        other.reindex()
        assert other.calibration() is None


# -- the log of looks -------------------------------------------------------------------------------------------------------


def test_a_look_s_filters_are_in_the_log_and_can_be_read_back(engine: Engine) -> None:
    filled(engine)
    engine.search(
        "launch", space="main", kinds=["episodic"], tags=["a", "b"], status=["active", "stale"], agents=["default"],
        expired=None, source="file:", since="2025-01-01", until="2026-01-01", retrieved=False, last_tier=["full"],
        as_of="2025-06-02",
    )  # fmt: skip
    engine.search("launch")
    one, two = [entry.detail["filters"] for entry in engine.audit_log() if entry.verb == "search"]
    assert two == {}
    assert isinstance(one, dict)
    found = filters_of(one)
    assert set(one) == set(Filters.__dataclass_fields__)
    assert (found.space, found.kinds, found.last_tier, found.expired) == ("main", ("episodic",), (3,), None)
    assert filters_of(two) == Filters()
