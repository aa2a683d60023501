"""Questions with the memories that should stand high: from a file of labels, or from a store's own use.

In use a mark is an expansion: what an agent asked to see in full, soon after a search and before its next one. What a search
showed in full anyway leaves no mark, and filters of a search are not in the log. It refuses to know what marks are for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lodmem.asking import Reader
from lodmem.engine import Engine
from lodmem.errors import BadDate, BadParameter
from lodmem.evals.files import is_text, read_lines
from lodmem.model.audit import AuditEntry

FORMAT = (
    'one JSON object a line: {"query": "...", "ids": [482, 17]} or {"query": "...", "texts": ["..."]}, and "date" where the '
    "question was asked at another time than now"
)
MINUTE_US = 60_000_000
WITHIN_MINUTES = 10
PAGE = 1000


@dataclass(frozen=True, slots=True)
class Mark:
    """One question and the ids that should stand high, rising, at least one. `at_us` None: asked now."""

    query: str
    ids: tuple[int, ...]
    at_us: int | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """A retrieval of memories, as the audit log tells it."""

    at_us: int
    ids: tuple[int, ...]


def entries(engine: Engine) -> Iterator[AuditEntry]:
    """The whole audit log, oldest first."""
    last = 0
    while page := engine.audit_log(after=last, limit=PAGE):
        yield from page
        last = page[-1].seq


def retrievals(log: Sequence[AuditEntry]) -> list[Used]:
    """Every retrieval in a log: what searches promoted and what was expanded."""
    found = ((entry.at_us, _ids(entry, "promoted" if entry.verb == "search" else "ids")) for entry in log if _is_use(entry))
    return [Used(at_us, ids) for at_us, ids in found if ids]


def marks_of(log: Sequence[AuditEntry], *, minutes: float = WITHIN_MINUTES) -> list[Mark]:
    """Searches whose answer was expanded by the same agent within so many minutes and before its next look.

    Expansions that the search cannot have shown, looks that promote nothing and searches with exclusions give no mark.
    """
    open_: dict[str, AuditEntry] = {}
    found: dict[int, tuple[AuditEntry, set[int]]] = {}
    for entry in log:
        if entry.verb == "search":
            open_.pop(entry.agent, None)
            if _is_asking(entry):
                open_[entry.agent] = entry
        elif entry.verb == "expand" and entry.agent in open_:
            asked = open_[entry.agent]
            if entry.at_us - asked.at_us <= minutes * MINUTE_US:
                found.setdefault(asked.seq, (asked, set()))[1].update(_shown(asked, _ids(entry, "ids")))
    return [Mark(str(asked.detail["query"]), tuple(sorted(ids)), asked.at_us) for asked, ids in found.values() if ids]


def same_words(query: str) -> str:
    """What two spellings of the same question have in common."""
    return " ".join(query.casefold().split())


def merged(marks: Sequence[Mark]) -> list[Mark]:
    """One mark for questions with the same words: asked when it was asked last, with the ids of all times.

    Otherwise a question that is asked every day would count as often, and be fitted to alone.
    """
    found: dict[str, Mark] = {}
    for mark in marks:
        words = same_words(mark.query)
        known = found.get(words, mark)
        last = mark if known.at_us is not None and (mark.at_us is None or mark.at_us >= known.at_us) else known
        found[words] = Mark(last.query, tuple(sorted({*known.ids, *mark.ids})), last.at_us)
    return list(found.values())


def _shown(asked: AuditEntry, ids: Sequence[int]) -> list[int]:
    """Those of the ids that the search may have shown. Headlines are only counted in the log: where there were some, any."""
    counts = asked.detail.get("counts")
    headlines = isinstance(counts, Mapping) and int(counts.get("headline", 0)) > 0
    named = set(_ids(asked, "ids"))
    return [memory_id for memory_id in ids if headlines or memory_id in named]


def _is_asking(entry: AuditEntry) -> bool:
    """Whether a look can be asked again: its question is still known, it promoted, and nothing was excluded."""
    detail = entry.detail
    return detail.get("mode") == "search" and bool(detail.get("query") and detail.get("touch")) and not detail.get("exclude")


def _is_use(entry: AuditEntry) -> bool:
    return entry.verb in ("search", "expand")


def _ids(entry: AuditEntry, name: str) -> tuple[int, ...]:
    found = entry.detail.get(name)
    return tuple(int(each) for each in found) if isinstance(found, (list, tuple)) else ()


def read_marks(path: Path, engine: Engine) -> list[Mark]:
    """The labelled queries of a JSON Lines file. A text names every memory that is that text, or else that holds it.

    Raises: UnknownPath; BadParameter for a line in another format, an id or a text that the store does not hold.
    """
    reader = Reader(engine.now_us, engine.zone)
    lines = [(place, value, _query(place, value)) for place, value in read_lines(path, hint=FORMAT)]
    wanted = {text for place, value, _ in lines for text in _texts(place, value)}
    there = _all_ids(engine)
    by_text = _find(engine, there, wanted) if wanted else {}
    known = set(there)
    return [Mark(query, _named(place, value, known, by_text), _date(place, value, reader)) for place, value, query in lines]


def _query(place: str, value: Mapping[str, Any]) -> str:
    query = value.get("query")
    if not isinstance(query, str) or not query.strip() or not is_text(query):
        raise BadParameter(f"{place}: there is no query", hint=FORMAT)
    return query


def _texts(place: str, value: Mapping[str, Any]) -> list[str]:
    texts = value.get("texts", [])
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise BadParameter(f"{place}: 'texts' is not a list of texts", hint=FORMAT)
    return [text.strip() for text in texts]


def _named(place: str, value: Mapping[str, Any], known: set[int], by_text: Mapping[str, list[int]]) -> tuple[int, ...]:
    ids = value.get("ids", [])
    if not isinstance(ids, list) or not all(isinstance(each, int) and not isinstance(each, bool) for each in ids):
        raise BadParameter(f"{place}: 'ids' is not a list of ids", hint=FORMAT)
    found = set(ids)
    if absent := found - known:
        raise BadParameter(f"{place}: there is no memory #{min(absent)}", hint="ids are those of this store")
    for text in _texts(place, value):
        if not by_text[text]:
            raise BadParameter(f"{place}: no memory holds the text {text[:60]!r}", hint="it must stand in a memory as it is")
        found.update(by_text[text])
    if not found:
        raise BadParameter(f"{place}: neither ids nor texts", hint=FORMAT)
    return tuple(sorted(found))


def _date(place: str, value: Mapping[str, Any], reader: Reader) -> int | None:
    date = value.get("date")
    if date is not None and not isinstance(date, str):
        raise BadParameter(f"{place}: 'date' is not a date in words", hint=FORMAT)
    try:
        return reader.point(date, edge="end")
    except BadDate as error:
        raise BadParameter(f"{place}: {error.message}", hint=error.hint) from None


def _all_ids(engine: Engine) -> list[int]:
    looker, _ = engine.looker()
    with looker.scan.lock:
        columns = looker.scan.columns
        ids: list[int] = sorted(columns.id[columns.alive].tolist())
    return ids


def _find(engine: Engine, ids: Sequence[int], texts: set[str]) -> dict[str, list[int]]:
    """Ids of the memories that are each text; where none is, of those that hold it."""
    same: dict[str, list[int]] = {text: [] for text in texts}
    holding: dict[str, list[int]] = {text: [] for text in texts}
    for start in range(0, len(ids), PAGE):
        for memory in engine.expand(*ids[start : start + PAGE], touch=False):
            whole = memory.full.strip()
            if whole in same:
                same[whole].append(memory.id)
            for text in texts:
                if text in whole:
                    holding[text].append(memory.id)
    return {text: same[text] or holding[text] for text in texts}
