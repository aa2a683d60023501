-- What the gate decided, and how alike the pair was. memory_id: the memory that was judged; NULL: a pattern that was not stored.
-- what: experience, pattern. verdict: skip, update, add. blocked: what stood against a pair that was alike enough.
CREATE TABLE gate_decision (
    id         INTEGER PRIMARY KEY,
    at_us      INTEGER NOT NULL,
    memory_id  INTEGER REFERENCES memory ON DELETE CASCADE,
    other_id   INTEGER REFERENCES memory ON DELETE SET NULL,
    what       TEXT NOT NULL,
    verdict    TEXT NOT NULL,
    similarity REAL NOT NULL,
    blocked    TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX gate_decision_memory ON gate_decision (memory_id, what) WHERE memory_id IS NOT NULL;
CREATE INDEX gate_decision_other         ON gate_decision (other_id) WHERE other_id IS NOT NULL;

-- A memory that says once more what an older one says; both are kept. Each row is one of the older one's evidence_count.
CREATE TABLE near_copy (
    memory_id  INTEGER PRIMARY KEY REFERENCES memory ON DELETE CASCADE,
    of_id      INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    similarity REAL NOT NULL
) STRICT;

CREATE INDEX near_copy_of ON near_copy (of_id);

-- Pairs of memories that say different things of one thing. state: open, superseded, both_stand.
-- standing: the side that stands where the other is superseded. ended_us: the end of validity that the hidden side had before.
CREATE TABLE conflict (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    older_id   INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    newer_id   INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    reason     TEXT NOT NULL,
    detail     TEXT NOT NULL,
    state      TEXT NOT NULL,
    standing   INTEGER,
    found_us   INTEGER NOT NULL,
    decided_us INTEGER,
    decided_by TEXT NOT NULL DEFAULT '',
    note       TEXT NOT NULL DEFAULT '',
    ended_us   INTEGER
) STRICT;

CREATE UNIQUE INDEX conflict_pair ON conflict (min(older_id, newer_id), max(older_id, newer_id));
CREATE INDEX conflict_older ON conflict (older_id, state);
CREATE INDEX conflict_newer ON conflict (newer_id, state);
CREATE INDEX conflict_state ON conflict (state, id);

-- What became of each episode that a run of distillation dealt with.
CREATE TABLE distilled (
    memory_id INTEGER PRIMARY KEY REFERENCES memory ON DELETE CASCADE,
    at_us     INTEGER NOT NULL,
    outcome   TEXT NOT NULL
) STRICT;

CREATE INDEX distilled_outcome ON distilled (outcome, memory_id);

-- Memories that are patterns. distilled_us: when a run last wrote or updated it.
CREATE TABLE pattern (
    memory_id    INTEGER PRIMARY KEY REFERENCES memory ON DELETE CASCADE,
    distilled_us INTEGER NOT NULL
) STRICT;

-- Which episodes a pattern came from. A forgotten one takes its rows along.
CREATE TABLE provenance (
    pattern_id INTEGER NOT NULL REFERENCES pattern ON DELETE CASCADE,
    episode_id INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    PRIMARY KEY (pattern_id, episode_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX provenance_episode ON provenance (episode_id);

-- ended_us NULL: under way, or killed. counts: JSON, what it counted so far, written with each batch.
CREATE TABLE distill_run (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    begun_us INTEGER NOT NULL,
    ended_us INTEGER,
    agent    TEXT NOT NULL,
    space    TEXT NOT NULL,
    writer   TEXT NOT NULL,
    counts   TEXT NOT NULL,
    stopped  TEXT NOT NULL DEFAULT ''
) STRICT;

-- Who is let in over HTTP. digest: SHA-256 of the token, which stands nowhere. space NULL: the whole store.
CREATE TABLE token (
    name       TEXT PRIMARY KEY,
    agent      TEXT NOT NULL,
    space      TEXT,
    created_us INTEGER NOT NULL,
    digest     BLOB NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- The map of the memory plane. ready 0: still being made. basis: key of the embedding model, '' for words.
CREATE TABLE map (
    version  INTEGER PRIMARY KEY,
    ready    INTEGER NOT NULL,
    basis    TEXT NOT NULL,
    method   TEXT NOT NULL,
    seed     INTEGER NOT NULL,
    made_us  INTEGER NOT NULL,
    memories INTEGER NOT NULL,
    near     REAL NOT NULL
) STRICT;

-- x and y are float32 values. late: placed after the map was ready.
CREATE TABLE place (
    memory_id INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    version   INTEGER NOT NULL REFERENCES map ON DELETE CASCADE,
    x         REAL NOT NULL,
    y         REAL NOT NULL,
    fine      INTEGER NOT NULL,
    coarse    INTEGER NOT NULL,
    near      REAL NOT NULL,
    landmark  INTEGER NOT NULL,
    late      INTEGER NOT NULL,
    PRIMARY KEY (memory_id, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX place_landmark ON place (version) WHERE landmark;
CREATE INDEX place_late     ON place (version, near) WHERE late;

-- parent: n of the coarse cluster that a fine one lies in.
CREATE TABLE cluster (
    version INTEGER NOT NULL REFERENCES map ON DELETE CASCADE,
    coarse  INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    parent  INTEGER NOT NULL,
    label   TEXT NOT NULL,
    x       REAL NOT NULL,
    y       REAL NOT NULL,
    size    INTEGER NOT NULL,
    PRIMARY KEY (version, coarse, n)
) STRICT, WITHOUT ROWID;
