"""Search against the slow reference: random stores, uses, changes and questions; same ids, tiers, order and scores."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import lodmem
from lodmem.engine import Engine
from lodmem.model.audit import AuditEntry
from lodmem.model.landscape import Landscape
from lodmem.model.memory import Draft, Kind, Source, Status, Tier, to_datetime
from lodmem.model.profile import PRESETS, Profile
from lodmem.model.query import Filters
from lodmem.models.minilm import MiniLmEmbedder
from lodmem.models.tokenizer import WordPieceCounter
from tests.conftest import FakeClock, FakeEmbedder
from tests.reference.slow import DAY_US, Expected, World

pytestmark = pytest.mark.req("R3.7")

VOCABULARY = (
    "deploy deploys deployed certificate staging host login token tokens session migrate migration auth tea coffee sugar Brian"
    " Ada cat cats whiskers fish garden tomato harbour launch June Monday 2025 404 foo_bar src/app.py C++ the of and who is"
    " not never river music 東京 東京タワー café"
)
WORDS = VOCABULARY.split()
TAGS = ("foundational", "home", "work", "draft")
SPACES = ("main", "acme", "acme/research", "acme/researchers")
AGENTS = ("ada", "bo")
SOURCES = ("chat:1", "chat:2", "git:repo", "chat:1/b")


class Twins:
    """Two engines on one file and the world that the reference keeps; everything is done to both."""

    def __init__(self, engines: list[Engine], world: World, clock: FakeClock, seed: int) -> None:
        self.engines, self.world, self.clock = engines, world, clock
        self.rng = random.Random(seed)

    @property
    def engine(self) -> Engine:
        return self.rng.choice(self.engines)

    @property
    def ids(self) -> list[int]:
        return list(self.world.memories)

    # -- doing ------------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        rng = self.rng
        size = rng.choices((rng.randint(1, 12), rng.randint(30, 80), rng.randint(180, 420)), (6, 2, 1))[0]
        words = rng.choices(WORDS, k=size)
        return " ".join(word + ("." if rng.random() < 0.12 else "") for word in words) + "."

    def moment(self) -> int:
        days = self.rng.choice((0, 0, 1, 1, 7, 30, 100, self.rng.randint(0, 700), -3))
        return self.clock.now_us() - days * DAY_US

    def remember(self, count: int) -> None:
        rng, drafts = self.rng, []
        old = [kept.text for kept in self.world.memories.values()]
        for _ in range(count):
            created = self.moment() if rng.random() < 0.8 else None
            space, source = rng.choice(SPACES), None
            if rng.random() < 0.6:  # most of them in one conversation
                space, source = "main", Source("chat:1", "", rng.randint(0, 9))
            elif rng.random() < 0.5:
                source = Source(rng.choice(SOURCES), rng.choice(("", "s1")), rng.randint(0, 3))
            text = rng.choice(old) if old and rng.random() < 0.2 else self.text()
            drafts.append(
                Draft(
                    full=text,
                    space=space,
                    agent=rng.choice(AGENTS),
                    kind=rng.choice(list(Kind)),
                    created_us=created,
                    source=source,
                    tags=tuple(sorted(rng.sample(TAGS, rng.randint(0, 2)))),
                    expires_us=self.clock.now_us() + rng.randint(-50, 50) * DAY_US if rng.random() < 0.2 else None,
                )
            )
        added = self.engine.remember_many(drafts)
        for outcome, draft in zip(added, drafts, strict=True):
            assert outcome.id == self.world.remember(
                draft.full, now_us=self.clock.now_us(), space=draft.space, agent=draft.agent, kind=draft.kind,
                created_us=draft.created_us, source=draft.source, tags=draft.tags, expires_us=draft.expires_us,
            )  # fmt: skip

    def embed(self) -> None:
        self.engine.drain()
        self.world.embed()

    def entry(self) -> AuditEntry:
        return AuditEntry(at_us=self.clock.now_us(), space="main", agent="ada", verb="test", detail={})

    def use(self) -> None:
        """Retrievals at random times, by whoever."""
        ids = self.rng.sample(self.ids, self.rng.randint(1, len(self.ids)))
        when = self.clock.now_us() - self.rng.choice((0, 1, 10, 200)) * DAY_US
        for _ in range(self.rng.choice((1, 1, 3))):
            self.store.record_use(now_us=when, retrieved=ids, shown=dict.fromkeys(ids[:3], Tier.SUMMARY))
            self.world.retrieved(ids, when)
        for memory_id in ids[:3]:
            self.world.memories[memory_id].last_tier = Tier.SUMMARY

    @property
    def store(self) -> Any:
        return self.engine._store

    def floor(self) -> None:
        memory_id, tier, mine = self.rng.choice(self.ids), self.rng.choice(list(Tier)), self.rng.random() < 0.5
        engine = self.engine
        engine.promote(memory_id, to=tier, mine=mine)
        self.world.memories[memory_id].floors[engine.agent if mine else ""] = tier

    def status(self) -> None:
        kept = self.world.memories[self.rng.choice(self.ids)]
        other = self.rng.choice(self.ids)
        if self.rng.random() < 0.5 and other != kept.id:
            self.engine.supersede(kept.id, other)
            successor = self.world.memories[other]
            kept.status, kept.superseded_by = Status.SUPERSEDED, other
            kept.valid_to_us = successor.created_us if successor.valid_from_us is None else successor.valid_from_us
        else:
            kept.status, kept.superseded_by, kept.valid_to_us = self.rng.choice(list(Status)), None, None
            if kept.status is Status.SUPERSEDED and other != kept.id:
                kept.superseded_by = other
            self.store.set_status(kept.id, kept.status, superseded_by=kept.superseded_by, valid_to_us=None, audit=self.entry())

    def forget(self) -> None:
        if len(self.ids) > 3:
            memory_id = self.rng.choice(self.ids)
            self.engine.forget(memory_id)
            self.world.forget(memory_id)

    def later(self) -> None:
        self.clock.advance(days=self.rng.choice((0.25, 1, 13)))

    def change(self) -> None:
        self.rng.choice((self.use, self.floor, self.status, self.forget, self.later, self.embed, lambda: self.remember(2)))()

    # -- asking -----------------------------------------------------------------------------------------------------------

    def question(self) -> str:
        return self.rng.choice((" ".join(self.rng.choices(WORDS, k=self.rng.randint(1, 6))), self.text()[:200], "?!"))

    def parameters(self) -> dict[str, Any]:
        rng, micro = self.rng, 1_000_000
        theta1, theta2, theta3 = sorted((rng.randint(0, micro) / micro for _ in range(3)), reverse=True)
        given: dict[str, Any] = {
            "alpha": rng.choice((0.0, 0.1, 0.5, 0.9, 1.0, rng.random())),
            "lambda_": rng.choice((0.0, 0.03, 0.5)),
            "k": rng.choice((1, 4, 5, rng.randint(1, 70), 1000)),
            "promote_at": rng.choice((0.0, 0.1, 0.5, 1.0)),
            "relevance": rng.choice(("fused", "fused", "cosine")),
        }
        if rng.random() < 0.5:
            given |= {"theta1": theta1, "theta2": theta2, "theta3": theta3}
        return {name: value for name, value in given.items() if rng.random() < 0.6 or name.startswith("theta")}

    def filters(self) -> Filters:
        rng = self.rng
        maybe = lambda value, share=0.15: value if rng.random() < share else None  # noqa: E731
        since = maybe(self.moment())
        until = maybe(self.moment())
        if since is not None and until is not None and until <= since:
            until = None
        return Filters(
            space=maybe(rng.choice(SPACES)),
            agents=maybe((rng.choice(AGENTS),)) or (),
            kinds=maybe(tuple(rng.sample(list(Kind), 2))) or (),
            tags=maybe((rng.choice(TAGS),)) or (),
            status=maybe(tuple(rng.sample(list(Status), 3))) or (),
            expired=rng.choice((False, False, False, True, None)),
            source=maybe(rng.choice(("chat:", "chat:1", "git:"))),
            since_us=since,
            until_us=until,
            retrieved=maybe(rng.random() < 0.5),
            last_tier=maybe((Tier.SUMMARY, Tier.FULL)) or (),
            as_of_us=maybe(self.moment(), 0.25),
        )

    def search(self, *, touch: bool = False) -> None:
        """One random question, by one of the engines; both must see the same."""
        rng, engine = self.rng, self.engine
        base, given = rng.choice((*PRESETS, "balanced")), self.parameters()
        profile = PRESETS[base].override(**given)
        filters = Filters() if rng.random() < 0.4 else self.filters()
        exclude = tuple(self.question() for _ in range(rng.choice((0, 0, 1, 2))))
        limit, text = rng.choice((None, None, 3)), self.question()
        expected = self.world.search(
            text, profile, agent=engine.agent, now_us=self.clock.now_us(), filters=filters, exclude=exclude, limit=limit
        )
        landscape = engine.search(text, touch=touch, limit=limit, exclude=exclude, profile=base, **given, **asking(filters))
        compare(landscape, expected, profile)
        if touch:
            self.world.looked(expected, profile, self.clock.now_us())
            for one in self.engines:
                one._recorder.flush()


def asking(filters: Filters) -> dict[str, Any]:
    when = {"since": filters.since_us, "until": filters.until_us, "as_of": filters.as_of_us}
    return {
        **{name: None if us is None else to_datetime(us) for name, us in when.items()},
        "space": filters.space,
        "agents": filters.agents,
        "kinds": filters.kinds,
        "tags": filters.tags,
        "status": filters.status,
        "expired": filters.expired,
        "source": filters.source,
        "retrieved": filters.retrieved,
        "last_tier": [tier.label for tier in filters.last_tier],
    }


def compare(landscape: Landscape, expected: Expected, profile: Profile) -> None:
    assert landscape.profile == profile
    assert [(view.id, view.tier) for view in landscape.views] == [(seen.id, seen.tier) for seen in expected.views]
    for view, seen in zip(landscape.views, expected.views, strict=True):
        found = (view.score, view.relevance, view.decay)
        assert found == pytest.approx((seen.score, seen.relevance, seen.decay), abs=1.000001e-6, rel=0)
    assert landscape.excluded == expected.excluded
    assert landscape.considered == expected.considered
    assert landscape.counts["horizon"] == expected.candidates - len(expected.views)


@pytest.fixture
def twins(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Twins]:
    seed, embedder = request.param
    clock = FakeClock()
    model = {"fake": FakeEmbedder, "none": lambda: None, "real": MiniLmEmbedder}[embedder]()
    with ExitStack() as stack:
        engines = [
            stack.enter_context(
                lodmem.open(tmp_path / "m.db", agent=agent, clock=clock, background=False, embedder=model or "none", zone="UTC")
            )
            for agent in AGENTS
        ]
        yield Twins(engines, World(WordPieceCounter(), model), clock, seed)


def live(twins: Twins, memories: int, rounds: int) -> None:
    """Write, embed most of it, use it; then change something and ask, over and over."""
    twins.remember(memories * 3 // 4)
    twins.embed()
    twins.remember(memories - memories * 3 // 4)
    for _ in range(3):
        twins.use()
        twins.floor()
        twins.status()
    for _ in range(3):
        twins.search()
    for _ in range(rounds):
        twins.change()
        twins.search(touch=twins.rng.random() < 0.4)
        twins.search()


@pytest.mark.req("R2.13", "R3.1", "R3.2", "R3.3", "R3.4", "R3.5", "R3.8", "R3.9", "R16.2")
@pytest.mark.parametrize("twins", [(seed, "fake") for seed in range(14)], indirect=True)
def test_random_lives(twins: Twins) -> None:
    live(twins, memories=twins.rng.choice((5, 20, 40, 60)), rounds=12)


@pytest.mark.parametrize("twins", [(seed, "fake") for seed in range(50, 54)], indirect=True)
def test_random_lives_where_every_limit_is_met(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a large store: postings are folded, dead rows swept, the change log pruned, all the time."""
    monkeypatch.setattr("lodmem.scan.postings.FOLD_AT", 40)
    monkeypatch.setattr("lodmem.scan.scan.DEAD_SHARE", 0.0)
    monkeypatch.setattr("lodmem.stores.sqlite.log.PRUNE_EVERY", 7)
    monkeypatch.setattr("lodmem.stores.sqlite.log.KEEP_CHANGES", 3)
    live(twins, memories=40, rounds=12)


@pytest.mark.req("R2.13")
@pytest.mark.parametrize("twins", [(1, "fake")], indirect=True)
def test_equals_go_by_id_whatever_the_last_bits_say(twins: Twins) -> None:
    words = twins.rng.sample(WORDS, 12)
    for n in range(40):  # the same words in another order: the same score up to rounding
        twins.rng.shuffle(words)
        twins.engines[0].remember(" ".join(words), created_at=twins.clock.now, space=f"s{n}")
    twins.engines[0].drain()
    for k in (1, 4, 10, 39):
        found = twins.engines[0].search("tea for Brian", k=k, touch=False)
        assert found.ids == tuple(range(1, k + 1))


@pytest.mark.req("R2.9", "R16.8")
@pytest.mark.parametrize("twins", [(seed, "none") for seed in range(100, 103)], indirect=True)
def test_random_lives_by_words_alone(twins: Twins) -> None:
    live(twins, memories=40, rounds=10)


@pytest.mark.req("R2.5", "R2.6", "R2.7")
@pytest.mark.parametrize("twins", [(7, "real")], indirect=True)
def test_a_random_life_with_the_real_model(twins: Twins) -> None:
    live(twins, memories=24, rounds=5)
