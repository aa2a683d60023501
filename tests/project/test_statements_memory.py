"""Statements about a memory (docs/requirements.toml, sections 1, 5 and 9), shown through the public API."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lodmem import Draft, Kind, Source, Status
from lodmem.engine import Engine
from lodmem.errors import BadEncoding, BadParameter, EmptyText, EngineOutput, TooLarge, UnknownMemory
from lodmem.stores.sqlite.store import SqliteStore

MakeEngine = Callable[..., Engine]

STORY = (
    "On Monday the harbour crane stopped at noon because its brake overheated. Ines called the workshop in Bergen and asked "
    "for a new pad. The workshop answered that the pad for the 1987 model is no longer made. "
    "It was raining and nobody was in a hurry. Somebody brought coffee. We talked about football for a while. "
    "Ines then found two pads on a decommissioned crane in Drammen and bought both for 4,200 kroner. "
    "They arrived on Thursday with the morning ferry. The mechanic fitted the first one within three hours. "
    "The second one lies in the store room, shelf 12, as a spare. The coffee machine was also repaired that day. "
    "The crane has worked without a fault since then, and the brake is measured every Friday. "
    "The weather turned better in the evening. Everybody went home early. "
)


def texts(engine: Engine, *ids: int) -> list[tuple[str, str, str]]:
    return [(m.full, m.summary, m.headline) for m in engine.expand(*ids, touch=False)]


@pytest.mark.req("R1.1")
def test_writing_changes_no_other_memory_and_costs_the_same_in_a_larger_store(make_engine: MakeEngine, tmp_path: Path) -> None:
    engine = make_engine()
    first = engine.remember(STORY).id
    before = texts(engine, first)

    def moved_by_one_write(text: str) -> int:
        with_port = SqliteStore.open(tmp_path / "memory.db", create=False, read_only=True, now_us=0)
        since = with_port.last_change()
        engine.remember(text)
        changes = with_port.changes(since)
        with_port.close()
        return len(changes.written) + len(changes.touched) + len(changes.gone)

    small = moved_by_one_write("A note in a small store.")
    engine.remember_many(Draft(full=f"Filler number {n}.") for n in range(500))
    assert moved_by_one_write("A note in a larger store.") == small == 1
    assert texts(engine, first) == before


@pytest.mark.req("R1.2")
def test_ids_rise_are_never_used_again_and_are_shown_with_a_hash(engine: Engine) -> None:
    ids = [engine.remember(f"Note {n}.").id for n in range(5)]
    assert ids == sorted(set(ids))
    assert all(isinstance(i, int) for i in ids)
    engine.forget(ids[-1])
    assert engine.remember("One more.").id > ids[-1]
    assert f"#{ids[0]}" in engine.recent().rendering


@pytest.mark.req("R1.3")
def test_a_space_includes_the_spaces_below_it_and_no_others(engine: Engine) -> None:
    inside = [engine.remember("The plan.", space=space).id for space in ("acme", "acme/research", "acme/research/x")]
    engine.remember("The plan.", space="acme2")
    assert sorted(engine.search("plan", space="acme").ids) == inside
    assert sorted(engine.search("plan", space="acme/research").ids) == inside[1:]


@pytest.mark.req("R1.4")
def test_the_agent_is_kept(make_engine: MakeEngine) -> None:
    ada = make_engine(agent="ada").remember("The plan is ready.").id
    brian = make_engine(agent="brian")
    brian.remember("The plan has changed.")
    assert brian.expand(ada)[0].agent == "ada"
    assert brian.search("plan", agents=["ada"]).ids == (ada,)


@pytest.mark.req("R1.5")
def test_there_are_four_kinds(engine: Engine) -> None:
    ids = {kind: engine.remember(f"About {kind}.", kind=kind).id for kind in ("episodic", "semantic", "procedural", "working")}
    assert set(ids) == {kind.value for kind in Kind}
    for kind, memory in ids.items():
        assert engine.recent(kinds=[kind]).ids == (memory,)
    with pytest.raises(BadParameter):
        engine.remember("No such kind.", kind="dream")


@pytest.mark.req("R1.7", "R1.9")
def test_a_summary_is_about_a_fifth_made_of_the_text_s_own_sentences(engine: Engine) -> None:
    (memory,) = engine.expand(engine.remember(STORY * 4).id)
    assert 0.1 <= len(memory.summary) / len(memory.full) <= 0.3
    assert memory.written_by == "extractive"
    for sentence in re.findall(r"[^.]+\.", memory.summary):
        assert sentence.strip() in STORY


@pytest.mark.req("R1.8")
def test_a_headline_is_a_short_sentence_and_a_few_keywords(engine: Engine) -> None:
    (memory,) = engine.expand(engine.remember(STORY).id)
    assert memory.headline != memory.summary
    assert len(memory.headline.split()) <= 20 + 8 + 2
    assert "\n" not in memory.headline


@pytest.mark.req("R1.9", "R3.14")
def test_a_short_memory_is_its_own_summary_and_headline(engine: Engine) -> None:
    (memory,) = engine.expand(engine.remember("The spare pad lies on shelf 12.").id)
    assert memory.summary == memory.headline == memory.full
    assert memory.written_by == "source"


@pytest.mark.req("R1.10")
def test_both_times_are_kept_and_none_is_invented(engine: Engine, clock: Any) -> None:
    said = datetime(2024, 3, 5, 9, 30, tzinfo=UTC)
    told, untold = engine.remember("Said in March.", created_at=said).id, engine.remember("Said some time.").id
    first, second = engine.expand(told, untold)
    assert (first.created_at, first.ingested_at) == (said, clock.now)
    assert (second.created_at, second.ingested_at) == (clock.now, clock.now)
    views = {view.id: view for view in engine.recent().views}
    assert (views[told].created_given, views[untold].created_given) == (True, False)
    assert "ingestion" in " ".join(views[untold].notes)
    with pytest.raises(BadParameter, match="time zone"):
        engine.remember("No zone.", created_at=datetime(2024, 3, 5))


@pytest.mark.req("R1.11", "R3.3")
def test_a_validity_interval_can_be_asked_for(engine: Engine, clock: Any) -> None:
    early = clock.ago(300)
    old = engine.remember("The office is in Oslo.", created_at=early, valid_from=early, valid_to=clock.ago(100)).id
    new = engine.remember("The office is in Bergen.", created_at=clock.ago(100), valid_from=clock.ago(100)).id
    assert set(engine.search("office", as_of=clock.ago(200)).ids) == {old}
    assert set(engine.search("office", as_of=clock.ago(50)).ids) == {new}


@pytest.mark.req("R1.12")
def test_a_memory_knows_its_source(engine: Engine) -> None:
    source = Source("chat.jsonl", "monday", 7)
    (memory,) = engine.expand(engine.remember("And the second pad?", source=source).id)
    assert memory.source == source
    assert engine.recent(source="chat.").ids == (memory.id,)
    assert engine.recent(source="mail.").ids == ()


@pytest.mark.req("R1.13")
def test_use_is_kept_and_can_be_filtered_on(engine: Engine, clock: Any) -> None:
    used, unused = engine.remember("The brake pad is on shelf 12.").id, engine.remember("The coffee machine works.").id
    clock.advance(days=1)
    engine.search("brake pad")
    clock.advance(days=1)
    engine.recent(touch=False)  # a look waits for what was noted before it
    (memory,) = engine.expand(used, touch=False)
    assert memory.retrieval_count == 1
    assert memory.last_retrieved_at == clock.ago(1)
    assert memory.last_tier is not None
    assert engine.recent(retrieved=True, touch=False).ids == (used,)
    assert engine.recent(retrieved=False, touch=False).ids == (unused,)
    assert used in engine.recent(last_tier=[memory.last_tier.label], touch=False).ids


@pytest.mark.req("R1.14")
def test_importance_is_given_once(engine: Engine, clock: Any) -> None:
    plain, grave = engine.remember("A remark.").id, engine.remember("A warning.", importance=0.9).id
    clock.advance(days=400)
    engine.search("remark warning")
    assert [m.importance for m in engine.expand(plain, grave)] == [0.5, 0.9]
    with pytest.raises(BadParameter):
        engine.remember("Too much.", importance=1.5)


@pytest.mark.req("R1.15", "R3.28")
def test_a_floor_holds_for_the_space_or_for_one_agent(make_engine: MakeEngine, clock: Any) -> None:
    ada, brian = make_engine(agent="ada"), make_engine(agent="brian")
    memory = ada.remember(STORY, created_at=clock.ago(2000)).id
    ada.promote(memory, to="full", mine=True)
    assert ada.search("weather forecast for tomorrow", touch=False).views[0].tier.label == "full"
    assert brian.expand(memory, touch=False)[0].floor.label == "horizon"
    ada.promote(memory, to="summary")
    assert brian.expand(memory, touch=False)[0].floor.label == "summary"


@pytest.mark.req("R1.17")
def test_what_is_given_is_kept(engine: Engine, clock: Any) -> None:
    ends = clock.now + timedelta(days=30)
    (memory,) = engine.expand(
        engine.remember("Valid for a month.", tags=["ops", "crane"], priority="low", expires_at=ends, meta={"by": ["Ines"]}).id
    )
    assert set(memory.tags) == {"ops", "crane"}
    assert memory.priority == "low"
    assert memory.expires_us is not None
    assert memory.status is Status.ACTIVE
    assert memory.superseded_by is None
    assert memory.meta == {"by": ["Ines"]}
    assert memory.content_hash
    newer = engine.remember("Valid for a year.").id
    engine.supersede(memory.id, newer)
    assert engine.expand(memory.id)[0].superseded_by == newer


@pytest.mark.req("R1.18")
def test_a_long_text_is_embedded_in_passages_a_short_one_with_its_predecessor(engine: Engine, fake_embedder: Any) -> None:
    engine.remember(STORY * 4)
    engine.remember("Did the pad arrive?", source=Source("chat", "", 1))
    engine.remember("Yes, on Thursday.", source=Source("chat", "", 2))
    engine.drain()
    lengths = [len(text.split()) for text in fake_embedder.texts if "crane" in text]
    assert len(lengths) >= 4
    assert max(lengths) <= 170
    assert any("Did the pad arrive?" in text and "Yes, on Thursday." in text for text in fake_embedder.texts)


# -- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("R5.1", "R5.21")
def test_a_write_does_not_wait_for_a_model(make_engine: MakeEngine, fake_embedder: Any, clock: Any) -> None:
    fake_embedder.broken = "it is down"
    engine = make_engine()
    memory = engine.remember("Ines bought two brake pads.").id
    reopened = make_engine()
    assert texts(reopened, memory)[0][0] == "Ines bought two brake pads."
    landscape = reopened.search("brake pads")
    assert landscape.ids == (memory,)
    assert "down" in landscape.words_only
    fake_embedder.broken = ""
    clock.advance(days=1)
    assert reopened.drain() == 1
    assert reopened.search("brake pads").words_only == ""


@pytest.mark.req("R5.2")
def test_the_same_from_the_same_place_changes_nothing(engine: Engine) -> None:
    place = Source("log", "", 1)
    first = engine.remember("The crane stopped.", source=place)
    again = engine.remember("The crane stopped.", source=place)
    elsewhere = engine.remember("The crane stopped.", source=Source("log", "", 2))
    other_space = engine.remember("The crane stopped.", source=place, space="other")
    assert (again.id, again.created) == (first.id, False)
    assert elsewhere.created
    assert other_space.created
    assert engine.stats().memories == 3


@pytest.mark.req("R5.3", "R17.8")
def test_what_cannot_be_a_memory_is_refused_and_nothing_is_lost(make_engine: MakeEngine) -> None:
    engine = make_engine(max_text_bytes=1000)
    engine.remember("It is still here.")
    for text, error in (
        ("", EmptyText),
        (" \n\t ", EmptyText),
        ("x" * 1001, TooLarge),
        (b"\xff\xfe\x00broken", BadEncoding),
        (engine.recent().rendering, EngineOutput),
    ):
        with pytest.raises(error) as caught:
            engine.remember(text)
        assert caught.value.hint
    assert engine.stats().memories == 1


@pytest.mark.req("R5.6")
def test_levels_are_the_same_each_time(make_engine: MakeEngine, tmp_path: Path) -> None:
    made = [make_engine(tmp_path / name) for name in ("one.db", "two.db")]
    first, second = (texts(engine, engine.remember(STORY).id) for engine in made)
    assert first == second
    assert first[0][1] != first[0][0]


@pytest.mark.req("R5.7")
@pytest.mark.parametrize(
    "text",
    [
        "def brake(force):\n    if force > 9000:\n        raise Overheated(force)\n    return force * 0.5\n" * 8,
        "- coffee\n- brake pads\n- ferry tickets\n- two litres of oil\n" * 10,
        "| crane | year |\n|---|---|\n" + "| north | 1987 |\n| south | 1991 |\n" * 12,
        'Traceback (most recent call last):\n  File "crane.py", line 12, in lift\nOverheated: 9200\n' * 10,
        "起重机在中午停了,因为刹车过热。伊内斯在德拉门找到了两块刹车片。它们在星期四早上到了。" * 6,
        "ok",
    ],
    ids=["code", "list", "table", "traceback", "cjk", "word"],
)
def test_any_text_gets_levels_no_larger_than_itself(engine: Engine, text: str) -> None:
    (memory,) = engine.expand(engine.remember(text).id)
    assert memory.full == text
    assert memory.headline.strip()
    assert memory.summary.strip()
    assert len(memory.headline) <= len(memory.full)
    assert len(memory.summary) <= len(memory.full)


@pytest.mark.req("R9.3")
def test_forget_leaves_nothing_in_the_file_but_a_tombstone(make_engine: MakeEngine, tmp_path: Path) -> None:
    engine = make_engine()
    kept, gone = engine.remember("The crane works.").id, engine.remember("The zymurgical passphrase is quuxification.").id
    engine.drain()
    assert engine.forget(gone) == 1
    with pytest.raises(UnknownMemory, match="forgotten"):
        engine.expand(gone)
    assert gone not in engine.recent().ids
    assert kept in engine.recent().ids
    assert [entry.verb for entry in engine.audit_log() if entry.detail.get("ids") == [gone]] == ["forget"]
    engine.close()
    left = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))
    assert b"quuxif" not in left
    assert b"zymurg" not in left
