"""Taking an export in: line by line, in small memory. What cannot be used is reported with its line and passed over.

Into an empty store everything comes back as it was, ids too. Into another one only what is new comes in, and links follow its
new ids. What belongs to ids that became others (tombstones, the audit log) stays out. Interrupted, it is simply run again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lodmem.care.lines import VERSION
from lodmem.care.reading import BadLineError, End, Opening, Read, Reader
from lodmem.errors import BadParameter
from lodmem.ingest.embed import TASK
from lodmem.ingest.report import Problem
from lodmem.model.audit import AuditEntry
from lodmem.model.conflict import Conflict
from lodmem.model.gate import NearCopy
from lodmem.model.kept import AgentProfile, Kept, KeptCopy, Tombstone
from lodmem.model.profile import PRESETS, Profile
from lodmem.ports import EmbedderIdentity, Store

BATCH = 100
BATCH_CHARS = 4_000_000
PAGE = 1000
# Entries about the making of a store: the new one has its own.
OWN = frozenset({"import", "model"})
MAX_PROBLEMS = 1000


@dataclass(slots=True)
class Loaded:
    """What an import did. `added` and `known`: memories; `renumbered`: those of the added that got another id. `other`: new
    profiles, tombstones, audit entries. `left_out`: pieces that have no place in this store, by what they are. `masked`:
    secrets by kind, of a file that was written with them. At most MAX_PROBLEMS of the `failed` lines are kept as `problems`."""

    added: int = 0
    known: int = 0
    renumbered: int = 0
    other: int = 0
    failed: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    masked: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


class Loading:
    """One import. `audit`: the entry that its writes leave, without ids."""

    def __init__(self, store: Store, reader: Reader, audit: AuditEntry) -> None:
        self._store, self._reader, self._audit = store, reader, audit
        self.report = Loaded()
        self._waiting: list[tuple[int, Kept]] = []
        self._chars = 0
        self._theirs, self._ours = array("q"), array("q")
        self._links: list[tuple[int, int, int]] = []
        self._episodes: list[tuple[int, int, int]] = []
        self._copies: list[tuple[int, int, KeptCopy]] = []
        self._conflicts: list[tuple[int, Conflict]] = []
        self._stones: list[Tombstone] = []
        self._last_id = 0
        self._whole = False
        self._history: _History | None = None

    def run(self, lines: Iterable[tuple[int, bytes]]) -> Loaded:
        """Take in numbered lines. Raises BadParameter when the first is not that of an export; StoreError."""
        rest = iter(lines)
        number, first = next(rest, (0, None))
        self._open(first)
        for number, line in rest:
            if not line.strip():
                continue
            try:
                piece = self._reader.read(line)
            except BadLineError as error:
                self._fail(number, str(error))
                continue
            self._take(number, piece)
        self._finish()
        if not self._whole:
            self._fail(number, "the last one; the file was cut off after it")
        return self.report

    def _open(self, line: bytes | None) -> None:
        hint = "'lodmem export' writes such files; 'lodmem ingest' reads others"
        try:
            opening = None if line is None else self._reader.read(line)
        except BadLineError as error:
            raise BadParameter(f"this is no export: its first line is {error}", hint=hint) from None
        if not isinstance(opening, Opening):
            raise BadParameter("this is no export: its first line does not say so", hint=hint)
        if opening.version != VERSION:
            raise BadParameter(
                f"the export is of version {opening.version}, this lodmem reads version {VERSION}",
                hint="upgrade: pip install --upgrade lodmem",
            )
        self._last_id = opening.head.last_id
        self._take_model(opening)

    def _take_model(self, opening: Opening) -> None:
        """The vectors' model where the store has none yet, and the calibration where it is the same model's."""
        facts = dict(opening.head.model)
        try:
            identity = EmbedderIdentity(**facts) if facts else None  # type: ignore[arg-type]  # from a file: checked by the call
        except TypeError:
            identity = None
        if identity is None:
            return
        if opening.vectors and not self._store.active_model() and not self._store.ids(limit=1):
            self._store.activate_model(identity, audit=replace(self._audit, verb="model", detail={"model": identity.key}))
        if opening.head.clip and self._store.active_model() == identity.key and self._store.calibration() is None:
            self._store.set_calibration(opening.head.clip, audit=self._audit)

    def _take(self, number: int, piece: Read) -> None:
        match piece:
            case Kept():
                self._waiting.append((number, piece))
                self._chars += len(piece.memory.full)
                if len(self._waiting) >= BATCH or self._chars >= BATCH_CHARS:
                    self._flush()
            case Conflict():
                self._conflicts.append((number, piece))
            case Tombstone():
                self._stones.append(piece)
            case AuditEntry():
                self._flush()
                self._take_entry(piece)
            case Profile():
                self._take_profile(piece)
            case AgentProfile():
                self._take_agent(number, piece)
            case Opening():
                self._fail(number, "a second beginning")
            case End():
                self._whole = True
                missing = piece.memories - len(self._theirs) - len(self._waiting) - self.report.failed
                if missing > 0:
                    self._fail(number, f"{missing:,} memories are missing: lines were taken out")

    def _flush(self) -> None:
        if not self._waiting:
            return
        tasks = (TASK,) if self._store.active_model() else ()
        batch = [kept for _, kept in self._waiting]
        outcomes = self._store.load(batch, now_us=self._audit.at_us, audit=self._audit, tasks=tasks)
        for (number, kept), outcome in zip(self._waiting, outcomes, strict=True):
            their = kept.memory.id
            for kind in kept.masked:
                self.report.masked[kind] = self.report.masked.get(kind, 0) + 1
            self._theirs.append(their)
            self._ours.append(outcome.id)
            self.report.added += outcome.created
            self.report.known += not outcome.created
            self.report.renumbered += outcome.created and their not in (0, outcome.id)
            if kept.memory.superseded_by is not None:
                self._links.append((number, outcome.id, kept.memory.superseded_by))
            if kept.pattern is not None:
                self._episodes += [(number, outcome.id, episode) for episode in kept.pattern.episodes]
            if kept.copy is not None:
                self._copies.append((number, outcome.id, kept.copy))
        self._waiting, self._chars = [], 0

    @property
    def _same_ids(self) -> bool:
        """Whether every memory so far stands under the id that it had."""
        return self._theirs == self._ours

    def _take_profile(self, profile: Profile) -> None:
        known = self._store.profiles()
        if known.get(profile.name) == profile:
            return
        if profile.name in known and known[profile.name] != PRESETS.get(profile.name):
            self._leave_out("profiles of a name that is taken")
            return
        self._store.save_profile(profile, audit=self._audit)
        self.report.other += 1

    def _take_agent(self, number: int, piece: AgentProfile) -> None:
        chosen = {each.agent: each.profile for each in self._store.agent_profiles()}
        if chosen.get(piece.agent, "") == piece.profile:
            return
        if piece.agent in chosen:
            self._leave_out("profiles of agents that have chosen another")
            return
        if piece.profile not in self._store.profiles():
            self._fail(number, f"there is no profile {piece.profile!r}")
            return
        self._store.set_agent_profile(piece.agent, piece.profile, audit=self._audit)
        self.report.other += 1

    def _take_entry(self, entry: AuditEntry) -> None:
        if entry.verb in OWN:
            return
        if self._history is None:
            self._history = _History(self._store, usable=self._same_ids)
        if not self._history.take(entry):
            self._leave_out("audit entries of another history")

    def _finish(self) -> None:
        self._flush()
        if self._history is not None:
            self.report.other += self._history.close()
        self._link()
        if self._same_ids:
            # Of a file that was cut off the rest is still to come, with the ids it has.
            last = self._last_id if self._whole else 0
            for start in range(0, len(self._stones), PAGE) or (0,):
                self.report.other += self._store.load_tombstones(self._stones[start : start + PAGE], last_id=last)
        elif self._stones:
            self._leave_out("tombstones of other ids", len(self._stones))

    def _link(self) -> None:
        """Successors, the episodes of patterns and near copies, by their ids here."""
        theirs, ours = np.array(self._theirs, dtype=np.int64), np.array(self._ours, dtype=np.int64)
        order = np.argsort(theirs, kind="stable")
        theirs, ours = theirs[order], ours[order]
        pairs: list[tuple[int, int]] = []
        for number, old, successor in self._links:
            at = int(np.searchsorted(theirs, successor))
            if at == len(theirs) or theirs[at] != successor:
                self._fail(number, f"its successor #{successor} is not in the file")
            elif int(ours[at]) != old:
                pairs.append((old, int(ours[at])))
        for start in range(0, len(pairs), PAGE):
            self._store.load_links(pairs[start : start + PAGE])
        came: list[tuple[int, int]] = []
        for number, pattern, episode in self._episodes:
            at = int(np.searchsorted(theirs, episode))
            if at == len(theirs) or theirs[at] != episode:
                self._fail(number, f"its episode #{episode} is not in the file")
            else:
                came.append((pattern, int(ours[at])))
        for start in range(0, len(came), PAGE):
            self._store.load_provenance(came[start : start + PAGE])
        copies: list[NearCopy] = []
        for number, memory_id, copy in self._copies:
            at = int(np.searchsorted(theirs, copy.of))
            if at == len(theirs) or theirs[at] != copy.of:
                self._fail(number, f"what it is a near copy of, #{copy.of}, is not in the file")
            else:
                copies.append(NearCopy(memory=memory_id, of=int(ours[at]), similarity=copy.similarity))
        for start in range(0, len(copies), PAGE):
            self._store.load_copies(copies[start : start + PAGE])
        self._dispute(theirs, ours)

    def _dispute(self, theirs: NDArray[np.int64], ours: NDArray[np.int64]) -> None:
        """Conflicts by their ids here."""
        kept: list[Conflict] = []
        for number, one in self._conflicts:
            ids = {i: self._here(theirs, ours, i) for i in (one.older, one.newer)}
            older, newer = ids[one.older], ids[one.newer]
            if older is None or newer is None:
                self._fail(number, "one of its memories is not in the file")
            elif older != newer:
                standing = None if one.standing is None else ids[one.standing]
                kept.append(replace(one, older=older, newer=newer, standing=standing))
        for start in range(0, len(kept), PAGE):
            self.report.other += self._store.load_conflicts(kept[start : start + PAGE])

    @staticmethod
    def _here(theirs: NDArray[np.int64], ours: NDArray[np.int64], memory_id: int) -> int | None:
        at = int(np.searchsorted(theirs, memory_id))
        return int(ours[at]) if at < len(theirs) and theirs[at] == memory_id else None

    def _leave_out(self, what: str, count: int = 1) -> None:
        self.report.left_out[what] = self.report.left_out.get(what, 0) + count

    def _fail(self, number: int, why: str) -> None:
        self.report.failed += 1
        if len(self.report.problems) < MAX_PROBLEMS:
            self.report.problems.append(Problem(f"line {number}", why))


class _History:
    """Appends the audit entries that the store does not have yet. The log is append-only: what stands in it must be a beginning
    of the file's, or nothing is appended."""

    def __init__(self, store: Store, *, usable: bool) -> None:
        self._store = store
        self._there = (entry for entry in _log(store) if entry.verb not in OWN)
        self._usable = usable
        self._new: list[AuditEntry] = []
        self._count = 0

    def take(self, entry: AuditEntry) -> bool:
        """Whether the entry is there now."""
        if not self._usable:
            return False
        known = next(self._there, None)
        if known is not None:
            self._usable = _same(known, entry)
            return self._usable
        self._new.append(entry)
        if len(self._new) >= PAGE:
            self._write()
        return True

    def _write(self) -> None:
        self._store.load_audit(self._new)
        self._count += len(self._new)
        self._new = []

    def close(self) -> int:
        """Write the rest; how many were appended."""
        if self._new:
            self._write()
        return self._count


def _same(one: AuditEntry, other: AuditEntry) -> bool:
    """Whether two entries say the same; the text of a question may have been forgotten since."""

    def told(entry: AuditEntry) -> tuple[object, ...]:
        detail = {name: value for name, value in entry.detail.items() if name != "query"}
        return entry.at_us, entry.space, entry.agent, entry.verb, detail

    return told(one) == told(other)


def _log(store: Store) -> Iterator[AuditEntry]:
    after = 0
    while page := store.audit_log(after=after, limit=PAGE):
        yield from page
        after = page[-1].seq
