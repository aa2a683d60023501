"""Names of spaces, agents and sources as the numbers that stand for them inside the file."""

from __future__ import annotations

import apsw

from lodmem.model.memory import Source


class Names:
    """Numbers for names, made where they are new. Lives within one write transaction: a rollback takes new numbers back."""

    def __init__(self, conn: apsw.Connection) -> None:
        self._conn = conn
        self._spaces: dict[str, int] = {}
        self._agents: dict[str, int] = {}
        self._sources: dict[tuple[int, str, str], int] = {}

    def space(self, name: str) -> int:
        if name not in self._spaces:
            self._conn.execute("INSERT INTO space (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
            self._spaces[name] = self._conn.execute("SELECT id FROM space WHERE name = ?", (name,)).get
        return self._spaces[name]

    def agent(self, name: str) -> int:
        if name not in self._agents:
            self._conn.execute("INSERT INTO agent (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
            self._agents[name] = self._conn.execute("SELECT id FROM agent WHERE name = ?", (name,)).get
        return self._agents[name]

    def source(self, space_id: int, source: Source) -> int:
        key = (space_id, source.uri, source.session)
        if key not in self._sources:
            self._conn.execute("INSERT INTO source (space_id, uri, session) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", key)
            self._sources[key] = self._conn.execute(
                "SELECT id FROM source WHERE space_id = ? AND uri = ? AND session = ?", key
            ).get
        return self._sources[key]
