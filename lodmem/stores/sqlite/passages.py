"""Passages and the word index that stands on them: always written together, so that each fits the other.

It knows no rules of text: where to cut, and which terms, is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import apsw

from lodmem.errors import BadParameter
from lodmem.model.kept import TermsState
from lodmem.model.memory import Passage
from lodmem.stores.sqlite.ids import IN_IDS, as_json
from lodmem.stores.sqlite.log import What, begin_anew, log_changes
from lodmem.stores.sqlite.models import active_model
from lodmem.stores.sqlite.neighbours import EMBED, embed_again, successors
from lodmem.stores.sqlite.queue import enqueue

_Row = tuple[int, int, int, int, int, str]
_OF = f"SELECT memory_id, start, stop, terms FROM passage WHERE memory_id {IN_IDS} ORDER BY memory_id, n"


def insert(conn: apsw.Connection, new: Iterable[tuple[int, Sequence[Passage]]]) -> None:
    """Passages of memories that have none, and their words. Raises BadParameter for a term that cannot be indexed."""
    first = 1 + (conn.execute("SELECT max(id) FROM passage").get or 0)
    rows = list(_rows(first, new))
    conn.executemany("INSERT INTO passage (id, memory_id, n, start, stop, terms) VALUES (?, ?, ?, ?, ?, ?)", rows)
    conn.executemany("INSERT INTO word (rowid, terms) VALUES (?, ?)", ((row[0], row[5]) for row in rows))


def _rows(first: int, new: Iterable[tuple[int, Sequence[Passage]]]) -> Iterator[_Row]:
    number = first
    for memory_id, passages in new:
        for n, passage in enumerate(passages):
            terms = " ".join(passage.terms)
            if tuple(terms.split()) != passage.terms:
                raise BadParameter("an index term is empty or holds a space", hint="terms come from index_terms")
            yield number, memory_id, n, passage.start, passage.stop, terms
            number += 1


def remove(conn: apsw.Connection, ids: Iterable[int]) -> None:
    """Take the passages of memories out, the words first: the index keeps no copy and must be told what to take out."""
    gone = as_json(ids)
    conn.execute(
        f"INSERT INTO word (word, rowid, terms) SELECT 'delete', id, terms FROM passage WHERE memory_id {IN_IDS} ORDER BY id",
        (gone,),
    )
    conn.execute(f"DELETE FROM passage WHERE memory_id {IN_IDS}", (gone,))


def terms_state(conn: apsw.Connection) -> TermsState:
    """Which version of the text rules made the passages."""
    facts = dict(conn.execute("SELECT name, value FROM meta WHERE name IN ('terms_version', 'terms_making')"))
    making, _, upto = facts.get("terms_making", "0:0").partition(":")
    return TermsState(version=int(facts.get("terms_version", "0")), making=int(making), upto=int(upto))


def replace(conn: apsw.Connection, passages: Mapping[int, Sequence[Passage]], state: TermsState, *, now_us: int) -> int:
    """Replace what differs; how many memories did."""
    there: dict[int, list[tuple[int, int, str]]] = {
        i: [] for (i,) in conn.execute(f"SELECT id FROM memory WHERE id {IN_IDS}", (as_json(passages),))
    }
    for memory_id, *row in conn.execute(_OF, (as_json(passages),)):
        there[memory_id].append((row[0], row[1], row[2]))
    changed, cut = [], []
    for memory_id, old in there.items():
        new = [(p.start, p.stop, " ".join(p.terms)) for p in passages[memory_id]]
        if new != old:
            changed.append(memory_id)
            if [row[:2] for row in new] != [row[:2] for row in old]:
                cut.append(memory_id)
    remove(conn, changed)
    insert(conn, ((i, passages[i]) for i in changed))
    if changed:
        # Rows that are taken in again keep their terms: whoever follows the log must read everything anew.
        begin_anew(conn)
    _embed_again(conn, cut, now_us=now_us)
    log_changes(conn, changed, What.WRITTEN)
    conn.executemany(
        "INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
        [("terms_version", str(state.version)), ("terms_making", f"{state.making}:{state.upto}")],
    )
    return len(changed)


def _embed_again(conn: apsw.Connection, cut: Sequence[int], *, now_us: int) -> None:
    """Vectors belong to passages: where these are cut elsewhere the old ones go."""
    conn.execute(f"DELETE FROM vector WHERE memory_id {IN_IDS}", (as_json(cut),))
    if active_model(conn):
        enqueue(conn, EMBED, cut, now_us=now_us)
    embed_again(conn, successors(conn, cut), now_us=now_us)


def unindexed(conn: apsw.Connection) -> list[int]:
    """Ids, rising, of memories with a passage missing."""
    found = conn.execute(
        "SELECT id FROM memory WHERE NOT EXISTS (SELECT 1 FROM passage WHERE memory_id = memory.id)"
        " UNION SELECT memory_id FROM passage GROUP BY memory_id HAVING count(*) <> max(n) + 1 ORDER BY 1"
    )
    return [i for (i,) in found]
