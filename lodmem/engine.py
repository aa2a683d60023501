"""The verbs of the product. It holds ports and opens nothing; `wiring` builds it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from lodmem.asking import Asking, Reader, Seeing, When, member, overridden, time_zone
from lodmem.care.admitting import Admitting
from lodmem.care.conflicts import Disputing
from lodmem.care.derived import Derived
from lodmem.care.distilling import Distilling
from lodmem.care.language import Speaking
from lodmem.care.mapping import Mapping
from lodmem.care.upkeep import Upkeep
from lodmem.care.writing import Writing
from lodmem.errors import BadParameter, ModelUnavailable, UnknownMemory, UnknownProfile
from lodmem.ingest.embed import TASK, mismatch, vectors_of
from lodmem.ingest.judging import NEAREST
from lodmem.ingest.judging import TASK as JUDGE
from lodmem.ingest.pipeline import decode
from lodmem.ingest.work.background import Background
from lodmem.inspecting import Inspecting
from lodmem.lod.relevance import Recipe
from lodmem.model.audit import AuditEntry
from lodmem.model.landscape import Explanation, Landscape
from lodmem.model.memory import (
    DEFAULT_AGENT,
    DEFAULT_IMPORTANCE,
    DEFAULT_SPACE,
    MAX_TEXT_BYTES,
    Added,
    Draft,
    Kind,
    Memory,
    Priority,
    Source,
    Status,
    Tier,
    check_space,
)
from lodmem.model.profile import Profile
from lodmem.model.query import Mode, Query
from lodmem.ports import Clock, Embedder, Language, Store, TokenCounter
from lodmem.retrieval.explain import explain
from lodmem.retrieval.modes import browse
from lodmem.retrieval.near import near
from lodmem.retrieval.record import Recorder, noted, retrieved_by
from lodmem.retrieval.render import render_memories
from lodmem.retrieval.saying import saying
from lodmem.retrieval.search import Looker, candidates, search, sight_of
from lodmem.scan.scan import Probe, Scan

if TYPE_CHECKING:
    pass

BATCH = 200
FLUSH_SECONDS = 5.0
INDEX_TICK_SECONDS = 0.2
MODEL_REST_US = 30_000_000  # a model that failed is not asked again by searches for so long


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an engine is made of. `entropy` gives seeds for sampling; `words_only` says why there is no embedder.

    `side_file`: where the columns of search are kept. `beside`: what is derived and stands beside the store; `doctor` checks
    and repairs it. `principles` reads what the person served holds to. `on_close` lets go of what was opened for this engine
    alone.
    """

    store: Store
    counter: TokenCounter
    embedder: Embedder | None
    clock: Clock
    entropy: Callable[[], int]
    words_only: str = ""
    agent: str = DEFAULT_AGENT
    space: str = DEFAULT_SPACE
    profile: str | None = None
    zone: str = "UTC"
    max_text_bytes: int = MAX_TEXT_BYTES
    side_file: Path | None = None
    background: bool = True
    read_only: bool = False
    name: str = "engine"
    language: Language | None = None
    llm_tasks: tuple[str, ...] = ()
    principles: Callable[[], str] = str
    beside: tuple[Derived, ...] = ()
    on_close: Callable[[], None] | None = None


class Engine(Upkeep, Inspecting, Admitting, Speaking, Writing, Mapping, Distilling, Disputing):
    """One agent's hands on one store: remember, look, expand, promote. Safe to use from several threads."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._store, self._clock, self._counter = parts.store, parts.clock, parts.counter
        self.agent, self.space = parts.agent, check_space(parts.space)
        self.zone = time_zone(parts.zone)
        self._beside, self._max_text_bytes, self._read_only = parts.beside, parts.max_text_bytes, parts.read_only
        self._language, self._name = parts.language, parts.name
        self._embedder, self._tools_lock = parts.embedder, threading.Lock()
        self._recorder = Recorder()
        self._principles = parts.principles
        self._llm_tasks, self._chance = parts.llm_tasks, lambda: parts.entropy() % 2**32 / 2**32
        self._tasks = self._with_judging(self._tasks_with(parts.embedder))
        self._worker = None
        if self._tasks and parts.background and not parts.read_only:
            self._worker = Background(self._runner(self._tasks), parts.clock)
        self._scan: Scan | None = None
        self._scan_lock = threading.Lock()
        self._closed = False
        self._model_back_us = 0
        self._model_error = ""
        if self._worker is not None and self._store.backlog():
            self._worker.start()

    # -- writing ------------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str | bytes,
        *,
        kind: str = Kind.EPISODIC,
        created_at: When | None = None,
        source: Source | None = None,
        tags: Sequence[str] = (),
        importance: float | None = DEFAULT_IMPORTANCE,
        priority: str = Priority.MEDIUM,
        expires_at: When | None = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
        meta: dict[str, object] | None = None,
        space: str | None = None,
        agent: str | None = None,
    ) -> Added:
        """Keep one memory; durable when this returns. The same text from the same place changes nothing.

        Without `created_at` ingestion time stands in, and says so. Natural dates ("yesterday") are read in the engine's zone.
        `importance` None: it is judged from the text (docs/guides/episodes.md).

        Raises:
            InputError: the text or a field cannot be used; nothing was stored.
            StoreError: the store could not write it; nothing was stored.
        """
        reader, full = self._reader(), decode(text)
        draft = Draft(
            full=full,
            space=space or self.space,
            agent=agent or self.agent,
            kind=member(Kind, kind, "kind"),
            created_us=reader.point(created_at),
            valid_from_us=reader.point(valid_from),
            valid_to_us=reader.point(valid_to),
            source=source,
            importance=self._weighed(full) if importance is None else importance,
            priority=member(Priority, priority, "priority"),
            expires_us=reader.point(expires_at),
            tags=(tags,) if isinstance(tags, str) else tuple(tags),
            meta=dict(meta or {}),
        )
        return self._write([draft])[0]

    # -- looking ------------------------------------------------------------------------------------------------------

    def search(self, query: str, **asking: Unpack[Asking]) -> Landscape:
        """Look over the whole store from one point: a landscape at mixed resolution. Source: SPEC 3.

        Raises: BadParameter, BadDate, ParameterLocked, UnknownProfile.
        """
        return self.look(self._reader().query(Mode.SEARCH, asking, text=query), self._profile(asking))

    def window(self, when: str | None = None, **asking: Unpack[Asking]) -> Landscape:
        """Everything of a time window, sharper the more often it was retrieved. `when` is natural: "last week"."""
        return self.look(self._reader().query(Mode.WINDOW, asking, when=when), self._profile(asking))

    def random(self, limit: int = 20, *, seed: int | None = None, **seeing: Unpack[Seeing]) -> Landscape:
        """Memories drawn at random, the long ignored ones most likely; the same seed draws the same."""
        asking: Asking = {**seeing, "limit": limit}
        drawn = self._parts.entropy() if seed is None else seed
        return self.look(self._reader().query(Mode.RANDOM, asking, seed=drawn), self._profile(asking))

    def unseen(self, **asking: Unpack[Asking]) -> Landscape:
        """Everything never retrieved, as headlines, newest first."""
        return self.look(self._reader().query(Mode.UNSEEN, asking), self._profile(asking))

    def recent(self, **asking: Unpack[Asking]) -> Landscape:
        """Everything, newest first."""
        return self.look(self._reader().query(Mode.RECENT, asking), self._profile(asking))

    def important(self, **asking: Unpack[Asking]) -> Landscape:
        """Everything, by importance faded by 5 % a day."""
        return self.look(self._reader().query(Mode.IMPORTANT, asking), self._profile(asking))

    def look(self, query: Query, profile: Profile) -> Landscape:
        """The landscape of a query with a profile; what the other looks are made of."""
        questions = [query.text] if query.mode is Mode.SEARCH else []
        self._recorder.flush(FLUSH_SECONDS)
        looker, probes = self._looker(questions, query.exclude)
        now = self._clock.now_us()
        if query.mode is Mode.SEARCH and looker.scan.building():
            looker = self._glimpsed(looker, probes[0], profile.k)
        with looker.scan.lock:
            looker.scan.sync()
            answer = search if query.mode is Mode.SEARCH else browse
            landscape = answer(looker, query, profile, self.agent, now, self.zone, probes)
            shown = self._newly_shown(looker.scan, landscape) if query.touch else {}
        self._note(landscape, query, shown, now)
        return landscape

    def explain(self, memory_id: int, query: str, **asking: Unpack[Asking]) -> Explanation:
        """Every number between a query and one memory's tier. Promotes nothing. Raises UnknownMemory."""
        asked = self._reader().query(Mode.SEARCH, asking, text=query)
        profile = self._profile(asking)
        looker, probes = self._looker([asked.text], asked.exclude)
        with looker.scan.lock:
            looker.scan.sync()
            if looker.scan.columns.row(memory_id) is None:
                raise _unknown(memory_id)
            return explain(looker, memory_id, asked, profile, self.agent, self._clock.now_us(), probes)

    def rank(self, query: str, **asking: Unpack[Asking]) -> list[tuple[int, float, float]]:
        """(id, LOD score, S) of what a search would choose from, best first. Fetches no text, promotes nothing."""
        asked = self._reader().query(Mode.SEARCH, asking, text=query)
        profile = self._profile(asking)
        looker, probes = self._looker([asked.text], asked.exclude)
        with looker.scan.lock:
            looker.scan.sync()
            seen = sight_of(looker, asked, profile, self.agent, self._clock.now_us(), probes)
            ranked = candidates(looker, seen)
            ids, relevance = looker.scan.columns.id[ranked.rows], ranked.score if ranked.relevance is None else ranked.relevance
            return list(zip(ids.tolist(), ranked.score.tolist(), relevance.tolist(), strict=True))

    def looker(self, texts: Sequence[str] = ()) -> tuple[Looker, list[Probe]]:
        """What looks are made of, and texts as questions, for measures beside a search. Use the scan inside its lock."""
        self._recorder.flush(FLUSH_SECONDS)
        looker, probes = self._looker(texts)
        with looker.scan.lock:
            looker.scan.sync()
        return looker, probes

    def expand(self, *ids: int, touch: bool = True) -> list[Memory]:
        """Full memories in the order asked; counts as a retrieval of each unless `touch` is False. Raises UnknownMemory."""
        self._called()
        memories = self._store.get(ids, agent=self.agent)
        if touch and not self._parts.read_only and memories:
            now = self._clock.now_us()
            entry = self._entry("expand", {"ids": list(ids)}, now)
            shown = dict.fromkeys(ids, Tier.FULL)
            self._recorder.submit(lambda: self._store.record_use(now_us=now, retrieved=list(ids), shown=shown, audit=entry))
        return memories

    def render(self, memories: Sequence[Memory]) -> str:
        """Full texts for a language model, each in its place as data."""
        return render_memories(memories, self._clock.now_us(), self.zone)

    def warm(self) -> None:
        """Load the model and the columns now rather than at the first look. Promotes and records nothing."""
        looker, _ = self._looker(["warm"])
        with looker.scan.lock:
            looker.scan.sync()

    @property
    def is_indexing(self) -> bool:
        """Whether the columns of a large store are being made, and searches go by words meanwhile."""
        return self._scan is not None and self._scan.building()

    def indexing(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Wait for the columns that a first search in a large store began to make; searches go by words meanwhile."""
        scan = self._columns()
        while scan.building():
            scan.wait(INDEX_TICK_SECONDS)
            if progress is not None:
                progress(*scan.progress)

    # -- governing what is seen -----------------------------------------------------------------------------------------

    def promote(self, memory_id: int, *, to: str | Tier | None = None, mine: bool = False, reason: str = "") -> Tier:
        """Raise the lowest tier a memory is shown at: one above the tier last shown, or `to`; "full" pins it.

        `mine` does it for this agent only, else for everybody in the space. Returns the new floor. Raises UnknownMemory.
        """
        self._recorder.flush(FLUSH_SECONDS)
        memory = self._store.get([memory_id], agent=self.agent if mine else "")[0]
        if to is None:
            last = memory.last_tier or Tier.HORIZON
            floor = max(memory.floor, Tier(min(last + 1, Tier.FULL)))
        else:
            floor = to if isinstance(to, Tier) else Tier.parse(to)
        return self._set_floor(memory_id, floor, "promote", mine=mine, reason=reason)

    def demote(self, memory_id: int, *, mine: bool = False, reason: str = "") -> Tier:
        """Take a promotion back: no floor. Raises UnknownMemory."""
        return self._set_floor(memory_id, Tier.HORIZON, "demote", mine=mine, reason=reason)

    def _set_floor(self, memory_id: int, floor: Tier, verb: str, *, mine: bool, reason: str) -> Tier:
        detail: dict[str, object] = {"ids": [memory_id], "to": floor.label, "mine": mine}
        entry = self._entry(verb, detail | ({"reason": reason} if reason else {}), self._clock.now_us())
        self._store.set_floor([memory_id], floor, for_agent=self.agent if mine else "", audit=entry)
        return floor

    def forget(self, *ids: int) -> int:
        """Really delete memories, everywhere, and the patterns that cannot stand without them (`lost_with`); how many
        were there. It cannot be undone. Raises UnknownMemory."""
        self._recorder.flush(FLUSH_SECONDS)
        ids = (*ids, *(pattern.id for pattern in self.lost_with(*ids)))
        now = self._clock.now_us()
        count = self._store.forget(ids, now_us=now, audit=self._entry("forget", {"ids": list(ids)}, now))
        self._columns().forget(ids)
        if self._worker is not None:
            self._worker.start()
        return count

    def supersede(self, old: int, new: int) -> None:
        """A person or agent states that memory `new` replaces `old`: the old one is hidden and its validity ends.

        Raises: UnknownMemory; BadParameter when both are the same.
        """
        if old == new:
            raise BadParameter("a memory cannot supersede itself")
        successor = self._store.get([new])[0]
        if self._decided(old, new):
            return
        entry = self._entry("supersede", {"ids": [old, new]}, self._clock.now_us())
        end = successor.valid_from_us if successor.valid_from_us is not None else successor.created_us
        self._store.set_status(old, Status.SUPERSEDED, superseded_by=new, valid_to_us=end, audit=entry)

    # -- profiles -------------------------------------------------------------------------------------------------------

    @property
    def profile(self) -> Profile:
        """The profile this engine looks with."""
        return self._named(self._parts.profile or self._store.agent_profile(self.agent))

    def profiles(self) -> dict[str, Profile]:
        """All named profiles, presets included."""
        return self._store.profiles()

    def save_profile(self, profile: Profile) -> None:
        """Keep a profile under its name. No stored memory is touched."""
        self._store.save_profile(profile, audit=self._entry("profile", profile.to_dict(), self._clock.now_us()))

    def use_profile(self, name: str, *, agent: str | None = None) -> None:
        """Make an agent (this one by default) look with a profile from now on. Raises UnknownProfile."""
        who = agent or self.agent
        entry = self._entry("use_profile", {"agent": who, "profile": name}, self._clock.now_us())
        self._store.set_agent_profile(who, name, audit=entry)

    def _profile(self, asking: Asking) -> Profile:
        name = asking.get("profile")
        base = self._named(name) if name else self.profile
        return overridden(base, asking)

    def _named(self, name: str) -> Profile:
        known = self._store.profiles()
        if name not in known:
            raise UnknownProfile(f"there is no profile {name!r}", hint="one of " + ", ".join(sorted(known)))
        return known[name]

    # -- care -----------------------------------------------------------------------------------------------------------

    def _settle_notes(self) -> None:
        self._recorder.flush(FLUSH_SECONDS)

    def audit_log(self, *, after: int = 0, limit: int = 1000) -> list[AuditEntry]:
        """Entries of the audit log, oldest first."""
        self._settle_notes()
        return self._store.audit_log(after=after, limit=limit)

    def drain(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Embed what waits, now, and judge it; how many memories were embedded. Without an embedder: 0. Raises ModelError."""
        total = self._store.backlog(TASK)
        tasks = [task for task in self._tasks if task.name == TASK and not self._read_only]
        tell = None if progress is None else lambda _, done: progress(done, max(total, done))
        done = self._runner(tasks).run(tell, strict=True).done[TASK]
        # In a large store whose columns are not at hand it is left to whoever works in the background.
        if not self._read_only and self._store.backlog(JUDGE) and not self._columns().building():
            self._judge_now()
        return done

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Embed the whole store with this engine's model and make it the active one; how many memories were embedded.

        Resumable: what an interrupted run embedded is kept. The old index serves until the new one is complete.
        """
        embedder = self._parts.embedder
        if embedder is None:
            self._store.activate_model(None, audit=self._entry("reindex", {"model": ""}, self._clock.now_us()))
            return 0
        key, done, total = embedder.identity.key, 0, self._store.stats().memories
        while missing := self._store.missing_vectors(key, limit=32):
            self._store.put_vectors(key, vectors_of(self._store.embed_inputs(missing), embedder))
            done += len(missing)
            if progress is not None:
                progress(done, total)
        if self._store.active_model() != key:
            entry = self._entry("reindex", {"model": key}, self._clock.now_us())
            self._store.activate_model(embedder.identity, audit=entry)
        return done

    def close(self) -> None:
        """Write what waits and let go of the store. Idempotent."""
        if self._closed:
            return
        self._closed = True
        self._recorder.close()
        if self._worker is not None:
            self._worker.close()
        if self._scan is not None:
            self._scan.close()
        self._store.close()
        if self._parts.on_close is not None:
            self._parts.on_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def now_us(self) -> int:
        """This moment by the engine's clock, in microseconds since 1970 UTC."""
        return self._clock.now_us()

    # -- what the verbs share -------------------------------------------------------------------------------------------

    def _reader(self) -> Reader:
        return Reader(self._clock.now_us(), self.zone)

    def _looker(self, questions: Sequence[str], topics: Sequence[str] = ()) -> tuple[Looker, list[Probe]]:
        """The looker and the embedded questions; when the model cannot answer, words alone serve and say why."""
        self._called()
        embedder, why = self._parts.embedder, self._parts.words_only
        recipe = Recipe()
        probes: list[Probe] = []
        if embedder is not None and self._clock.now_us() >= self._model_back_us:
            try:
                if embedder.identity.key != self._store.active_model():
                    raise mismatch(self._store.active_model(), embedder.identity.key)
                c0, c1 = self._store.calibration() or (embedder.identity.c0, embedder.identity.c1)
                recipe = Recipe(c0=c0, c1=c1)
                looker = Looker(self._store, self._columns(), self._counter, embedder, recipe, why)
                return looker, looker.probes(questions, topics)
            except ModelUnavailable as error:
                self._model_back_us = self._clock.now_us() + MODEL_REST_US
                self._model_error = error.message
        if embedder is not None:
            why = f"the embedding model is unavailable: {self._model_error}"
        looker = Looker(self._store, self._columns(), self._counter, None, recipe, why)
        probes = looker.probes(questions, topics)
        return looker, probes

    def _columns(self) -> Scan:
        with self._scan_lock:
            if self._scan is None:
                self._scan = Scan(self._store, self._parts.side_file, may_write=not self._read_only)
            return self._scan

    def _nearest(self, ids: Sequence[int]) -> dict[int, list[int]]:
        scan = self._columns()
        terms = {row.id: [term for words, _ in row.passages for term in words] for row in self._store.rows(ids)}
        with scan.lock:
            scan.sync()
            return near(scan, terms, NEAREST)

    def _saying(self, memory_id: int, subjects: Sequence[frozenset[str]], count: int) -> list[int]:
        scan = self._columns()
        with scan.lock:
            return saying(scan, memory_id, subjects, count)

    def _glimpsed(self, looker: Looker, probe: Probe, k: int) -> Looker:
        """A looker over the memories that hold the question's words, while the columns of all are being made."""
        done, total = looker.scan.progress
        found = self._store.match_words(probe.terms, limit=k)
        why = f"the index of this store is being made ({done:,} of {total:,} memories)"
        return replace(looker, scan=looker.scan.glimpse([memory_id for memory_id, _ in found]), words_only=why)

    def _newly_shown(self, scan: Scan, landscape: Landscape) -> dict[int, Tier]:
        """Views whose tier differs from the one last shown, so that a look writes only what is new."""
        last = scan.columns.last_tier[scan.rows_of([view.id for view in landscape.views])].tolist()
        return {view.id: view.tier for view, before in zip(landscape.views, last, strict=True) if before != view.tier}

    def _note(self, landscape: Landscape, query: Query, shown: dict[int, Tier], now_us: int) -> None:
        if self._parts.read_only:
            return
        retrieved = retrieved_by(landscape) if query.touch else ()
        entry = self._entry("search", noted(landscape, query, retrieved), now_us, space=query.filters.space)
        self._recorder.submit(lambda: self._store.record_use(now_us=now_us, retrieved=retrieved, shown=shown, audit=entry))


def _unknown(memory_id: int) -> UnknownMemory:
    return UnknownMemory(f"there is no memory #{memory_id}", hint="ids come from a search, e.g. #482")
