"""Runs of distillation through an engine, without a model: what is stored, once, and what stays out."""

from __future__ import annotations

import io

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.errors import StoreReadOnly
from lodmem.ingest.distill import batches, work
from lodmem.model.distilled import Outcome
from lodmem.model.gate import Verdict, What
from lodmem.model.memory import Draft, Kind, Source, Status
from tests.conftest import FakeClock, MakeEngine
from tests.ingest.distill.conversation import drafts

pytestmark = pytest.mark.req("R5.16")

DOUGH = "The rye dough failed because the cellar in Lindau was cold."
TILL = "The till of the shop closes at 18:30 on Saturdays."
RULE = "Nora: Always answer me in English, even in the shop."


def texts(engine: Engine) -> list[str]:
    return [each.text for each in engine._store.patterns()]


def test_a_conversation_is_distilled_once(engine: Engine) -> None:
    engine.remember_many(drafts())
    seen: list[tuple[int, int]] = []
    first = engine.distill(progress=lambda done, total: seen.append((done, total)))
    assert first.counts["episodes"] == 65
    assert first.counts["noise"] > 10
    assert first.counts["added"] == len(first.made) == len(texts(engine)) > 12
    assert seen[-1] == (65, 65)
    assert (first.left, first.stopped, first.writer) == (0, "", "extractive")
    before = [engine.expand(each.id, touch=False) for each in first.made]
    again = engine.distill()
    assert (dict(+again.counts), again.made, again.left) == ({}, [], 0)
    assert [engine.expand(each.id, touch=False) for each in first.made] == before
    assert engine.check() == []


def test_patterns_are_found_by_a_search(engine: Engine) -> None:
    engine.remember(DOUGH, source=Source("chat", "s", 1))
    (made,) = engine.distill().made
    engine.drain()
    assert made.id in engine.search("rye dough").ids
    (memory,) = engine.expand(made.id, touch=False)
    assert (memory.kind, memory.full, memory.tags) == (Kind.SEMANTIC, DOUGH, ("distilled",))
    assert memory.source is not None
    assert memory.source.uri == "distilled:"
    assert not memory.created_given, "no date is invented"


def test_it_never_eats_its_own_output(engine: Engine) -> None:
    engine.remember(DOUGH)
    engine.distill()
    assert engine.distill().counts["episodes"] == 0
    engine.remember(f"{DOUGH} ", source=Source("chat", "s", 2))
    said = engine.distill()
    assert (said.counts["episodes"], said.counts["skipped"], said.counts["added"]) == (1, 1, 0)
    assert texts(engine) == [DOUGH]


def test_a_pattern_is_no_evidence_for_its_episodes(engine: Engine) -> None:
    episode = engine.remember(TILL).id
    engine.drain()
    (made,) = engine.distill().made
    engine.drain()
    engine.remember(TILL, source=Source("chat", "s", 2))
    engine.drain()
    assert [memory.evidence_count for memory in engine.expand(episode, made.id, touch=False)] == [2, 1]
    assert [(copy.memory, copy.of) for copy in engine._store.near_copies(engine._store.ids(limit=9))] == [(3, episode)]


@pytest.mark.req("R5.14")
def test_noise_stays_out_and_is_marked(engine: Engine) -> None:
    noise = [
        engine.remember(text, source=Source("chat", "s", n)).id for n, text in enumerate(["ok thanks!", "lol", "hi there"])
    ]
    done = engine.distill()
    assert (done.counts["episodes"], done.counts["noise"], done.made) == (3, 3, [])
    assert engine._store.outcomes(noise) == dict.fromkeys(noise, Outcome.NOISE)
    assert [memory.full for memory in engine.expand(*noise, touch=False)] == ["ok thanks!", "lol", "hi there"]


def test_what_is_no_episode_stays_out(engine: Engine) -> None:
    engine.remember(DOUGH, kind="semantic")
    engine.remember(TILL, kind="procedural")
    hidden = engine.remember("Tilda is allergic to hazelnuts and to rye.")
    engine.supersede(hidden.id, engine.remember("Nothing to see here at all.").id)
    assert engine.distill().counts["episodes"] == 1


def test_a_rule_waits_for_a_person_and_its_episode_is_listed(engine: Engine) -> None:
    rule = engine.remember(RULE).id
    engine.remember(DOUGH)
    done = engine.distill()
    assert (done.counts["constitutional"], done.counts["waiting"], done.constitutional) == (1, 1, [rule])
    assert engine.constitutional() == [rule]
    assert {each.text: each.waits for each in done.made} == {DOUGH: False, RULE: True}
    assert [each.text for each in engine.patterns_waiting()] == [RULE]
    assert [each.pattern.text for each in engine.knowledge()] == [DOUGH]
    waiting = next(each.id for each in done.made if each.waits)
    assert waiting not in engine.search("answer in English").ids, "quarantined until somebody decides"


def test_with_review_everything_waits(engine: Engine) -> None:
    engine.remember(DOUGH)
    done = engine.distill(review=True)
    assert (done.counts["waiting"], engine.knowledge()) == (1, [])
    assert engine.expand(done.made[0].id, touch=False)[0].status is Status.QUARANTINED


def test_a_trial_run_stores_nothing(engine: Engine) -> None:
    for n, text in enumerate((DOUGH, TILL, f"{TILL} ")):
        engine.remember(text, source=Source("chat", "s", n))
    before = io.BytesIO(), io.BytesIO()
    engine.export(before[0])
    done = engine.distill(dry_run=True)
    engine.export(before[1])
    assert before[0].getvalue() == before[1].getvalue()
    assert ([(each.id, each.text) for each in done.made], done.run, done.left) == ([(0, DOUGH), (0, TILL)], 0, 0)
    assert engine.distill_runs() == []
    real = engine.distill()
    assert [each.text for each in real.made] == [each.text for each in done.made]
    assert real.counts == done.counts


def test_a_trial_run_judges_later_batches_against_earlier_ones(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PAGE", 1)
    for n in range(3):
        engine.remember(TILL, source=Source("chat", "s", n))
    done = engine.distill(dry_run=True)
    assert (done.counts["added"], done.counts["skipped"], len(done.made)) == (1, 2, 1)


def test_spaces_keep_to_themselves(engine: Engine) -> None:
    for space in ("acme", "acme/research", "home"):
        engine.remember(DOUGH, space=space)
    done = engine.distill(space="acme")
    assert (done.counts["episodes"], done.counts["added"], done.left) == (2, 2, 0)
    assert [each.space for each in engine._store.patterns()] == ["acme", "acme/research"]
    assert engine.distill().counts["episodes"] == 1
    assert [each.pattern.space for each in engine.knowledge(space="home")] == ["home"]
    assert len(engine.knowledge()) == 3


def test_the_same_said_later_adds_to_the_evidence(engine: Engine, clock: FakeClock) -> None:
    engine.remember(TILL, source=Source("chat", "s", 1))
    (made,) = engine.distill().made
    clock.advance(days=3)
    other = engine.remember("The till of our little shop closes at 18:30 on Saturdays.", source=Source("chat", "s", 2)).id
    done = engine.distill()
    assert (done.counts["updated"], done.counts["added"]) == (1, 0)
    (pattern,) = engine._store.patterns()
    assert (pattern.text, pattern.evidence_count, pattern.episodes) == (TILL, 2, (1, other))
    assert pattern.importance == made.importance
    assert engine.expand(made.id, touch=False)[0].full == TILL


def test_what_was_rejected_does_not_come_back(engine: Engine) -> None:
    engine.remember(TILL, source=Source("chat", "s", 1))
    (made,) = engine.distill().made
    engine.decide_pattern(made.id, accept=False)
    for n, text in enumerate(("The till of our little shop closes at 18:30 on Saturdays.", TILL), 2):
        engine.remember(text, source=Source("chat", "s", n))
        done = engine.distill()
        assert (done.counts["skipped"], done.counts["updated"], done.counts["added"]) == (1, 0, 0)
    assert engine.knowledge() == []
    assert engine._store.patterns()[0].evidence_count == 1


def test_what_differs_in_a_number_stands_beside(engine: Engine) -> None:
    engine.remember(TILL, source=Source("chat", "s", 1))
    engine.distill()
    engine.remember(TILL.replace("18:30", "19:30"), source=Source("chat", "s", 2))
    assert engine.distill().counts["added"] == 1
    assert len(texts(engine)) == 2


@pytest.mark.req("R5.11")
def test_the_gates_log_holds_each_decision_and_the_audit_log_no_text(engine: Engine) -> None:
    engine.remember(TILL, source=Source("chat", "s", 1))
    engine.distill()
    engine.remember(f"{TILL} ", source=Source("chat", "s", 2))
    engine.distill()
    decided = [each for each in engine._store.decisions() if each.what is What.PATTERN]
    assert [(each.memory, each.verdict, each.other, each.similarity) for each in decided] == [
        (2, Verdict.ADD, None, 0.0),
        (None, Verdict.SKIP, 2, 1.0),
    ]
    first, second = [entry for entry in engine.audit_log() if entry.verb == "distill"]
    assert (first.detail["ids"], second.detail["ids"]) == ([2], [])
    assert "Saturdays" not in str([first, second])


def test_each_run_is_kept_with_its_counts(engine: Engine, clock: FakeClock) -> None:
    engine.remember(DOUGH)
    engine.remember("ok thanks!")
    engine.distill()
    clock.advance(days=1)
    engine.distill()
    second, first = engine.distill_runs()
    assert (first.counts["episodes"], first.counts["noise"], first.counts["added"]) == (2, 1, 1)
    assert (first.begun_us, first.ended_us, first.writer, first.agent) == (
        clock.now_us() - 86_400_000_000, clock.now_us() - 86_400_000_000, "extractive", "default",
    )  # fmt: skip
    assert dict(second.counts) == {}


def test_an_interrupted_run_goes_on(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PAGE", 1)
    for n in range(4):
        engine.remember(f"Room {n}{n} of the house in Lindau is used by the team of Tilda.", source=Source("chat", "s", n))

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.distill(progress=stop)
    assert len(texts(engine)) == 2
    (run,) = engine.distill_runs()
    assert (run.stopped, run.counts["added"]) == ("KeyboardInterrupt", 2)
    done = engine.distill()
    assert (done.counts["episodes"], done.counts["added"]) == (2, 2)


def test_an_episode_forgotten_meanwhile_leaves_no_pattern(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = engine.remember(DOUGH, source=Source("chat", "s", 1)).id
    engine.remember(TILL, source=Source("chat", "s", 2))
    original = work.extractive.distil

    def forgetting(episodes: object) -> object:
        found = original(episodes)  # type: ignore[arg-type]
        if engine._store.ids(limit=1) == [gone]:
            engine.forget(gone)
        return found

    monkeypatch.setattr(work.extractive, "distil", forgetting)
    done = engine.distill()
    assert (done.counts["episodes"], [each.text for each in done.made]) == (1, [TILL])
    assert texts(engine) == [TILL]


def test_two_runs_at_once_store_everything_once(
    engine: Engine, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_engine()
    for n in range(3):
        engine.remember(f"Room {n}{n} of the house in Lindau is used by the team of Tilda.", source=Source("chat", "s", n))
    original, done = work.gate, []

    def meanwhile(found: object, known: object) -> object:
        if not done:
            done.append(True)
            done.append(other.distill())
        return original(found, known)  # type: ignore[arg-type]

    monkeypatch.setattr(work, "gate", meanwhile)
    late = engine.distill()
    assert (late.counts["episodes"], late.made) == (0, [])
    assert len(texts(engine)) == 3
    assert engine.check() == []


def test_what_quotes_our_rendering_is_left_out(engine: Engine) -> None:
    engine.remember("Brian: The shop in Lindau opens at 6:30.")
    engine.distill()
    rendered = str(engine.search("shop"))
    assert "6:30" in rendered
    known = f"0.45  #2  {TILL}"
    engine.remember_many([Draft(full=f"This is what I know.\n{rendered}\n\n{known}\n\nThe oven of Tilda is broken again.")])
    assert [each.text for each in engine.distill().made] == ["The oven of Tilda is broken again."]


def test_a_store_for_reading_only(engine: Engine, make_engine: MakeEngine) -> None:
    engine.remember(DOUGH)
    reading = make_engine(read_only=True)
    assert [each.text for each in reading.distill(dry_run=True).made] == [DOUGH]
    with pytest.raises(StoreReadOnly):
        reading.distill()


def test_the_principles_are_a_file_of_the_persons(make_engine: MakeEngine, tmp_path: object) -> None:
    with pytest.raises(lodmem.LodmemError, match="nowhere"):
        make_engine(principles="/nowhere/principles.md", llm="openai:tiny", llm_url="http://127.0.0.1:9/v1").distill()
    engine = make_engine(principles="/nowhere/principles.md")
    engine.remember(DOUGH)
    assert engine.distill().counts["added"] == 1, "without a model nobody reads them"
