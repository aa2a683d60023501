-- Times are int64 microseconds since 1970 UTC. Released migrations are never edited, only followed by the next number.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE space (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE agent (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    profile TEXT
) STRICT;

-- Presets are data of the program; a row here stands in front of the preset of its name.
CREATE TABLE profile (
    name TEXT PRIMARY KEY,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE source (
    id       INTEGER PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space,
    uri      TEXT NOT NULL,
    session  TEXT NOT NULL,
    UNIQUE (space_id, uri, session)
) STRICT;

-- Long texts stand last, so that reading the columns before them does not touch their overflow pages.
-- summary or headline NULL: equal to full.
CREATE TABLE memory (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    space_id         INTEGER NOT NULL REFERENCES space,
    agent_id         INTEGER NOT NULL REFERENCES agent,
    source_id        INTEGER REFERENCES source,
    sequence         INTEGER,
    kind             TEXT NOT NULL,
    status           TEXT NOT NULL,
    priority         TEXT NOT NULL,
    importance       REAL NOT NULL,
    evidence_count   INTEGER NOT NULL,
    episode_class    TEXT,
    superseded_by    INTEGER REFERENCES memory ON DELETE SET NULL,
    created_us       INTEGER NOT NULL,
    created_given    INTEGER NOT NULL,
    ingested_us      INTEGER NOT NULL,
    valid_from_us    INTEGER,
    valid_to_us      INTEGER,
    last_verified_us INTEGER,
    expires_us       INTEGER,
    tokens_full      INTEGER NOT NULL,
    tokens_summary   INTEGER NOT NULL,
    tokens_headline  INTEGER NOT NULL,
    written_by       TEXT NOT NULL,
    content_hash     BLOB NOT NULL,
    meta             TEXT NOT NULL,
    headline         TEXT,
    summary          TEXT,
    full             TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX memory_sourced   ON memory (source_id, sequence, content_hash) WHERE source_id IS NOT NULL;
CREATE UNIQUE INDEX memory_unsourced ON memory (space_id, content_hash) WHERE source_id IS NULL;
CREATE INDEX memory_source     ON memory (source_id, sequence) WHERE source_id IS NOT NULL;
CREATE INDEX memory_created    ON memory (created_us);
CREATE INDEX memory_superseded ON memory (superseded_by) WHERE superseded_by IS NOT NULL;

-- Narrow, because every search writes to it. A memory that was never shown has no row.
CREATE TABLE usage (
    memory_id         INTEGER PRIMARY KEY REFERENCES memory ON DELETE CASCADE,
    last_retrieved_us INTEGER,
    retrieval_count   INTEGER NOT NULL,
    last_tier         INTEGER
) STRICT;

CREATE INDEX usage_last_retrieved ON usage (last_retrieved_us);
CREATE INDEX usage_count          ON usage (retrieval_count);
CREATE INDEX usage_last_tier      ON usage (last_tier);

-- agent '' = everybody in the memory's space.
CREATE TABLE floor (
    memory_id INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    agent     TEXT NOT NULL,
    tier      INTEGER NOT NULL,
    PRIMARY KEY (memory_id, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE tag (
    memory_id INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    tag       TEXT NOT NULL,
    PRIMARY KEY (memory_id, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX tag_name ON tag (tag, memory_id);

-- Characters [start, stop) of the full text; terms are the index terms joined by single spaces.
CREATE TABLE passage (
    id        INTEGER PRIMARY KEY,
    memory_id INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    n         INTEGER NOT NULL,
    start     INTEGER NOT NULL,
    stop      INTEGER NOT NULL,
    terms     TEXT NOT NULL,
    UNIQUE (memory_id, n)
) STRICT;

-- Terms arrive ready made. The tokenizer only splits at spaces: every printable ASCII sign belongs to a term, and so does
-- every character beyond ASCII.
CREATE VIRTUAL TABLE word USING fts5 (
    terms,
    content = 'passage',
    content_rowid = 'id',
    tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
INSERT INTO word (word, rank) VALUES ('secure-delete', 1);

CREATE TABLE model (
    id  INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE
) STRICT;

-- Little-endian float32. joint NULL: equal to own.
CREATE TABLE vector (
    id        INTEGER PRIMARY KEY,
    memory_id INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    n         INTEGER NOT NULL,
    model_id  INTEGER NOT NULL REFERENCES model,
    own       BLOB NOT NULL,
    joint     BLOB,
    UNIQUE (memory_id, n, model_id)
) STRICT;

-- what: 0 touched (statistics alone), 1 written, 2 gone. The oldest rows are pruned.
CREATE TABLE change (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL,
    what      INTEGER NOT NULL
) STRICT;

CREATE TABLE audit (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    at_us  INTEGER NOT NULL,
    space  TEXT NOT NULL,
    agent  TEXT NOT NULL,
    verb   TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_is_not_updated BEFORE UPDATE ON audit
BEGIN
    SELECT raise(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
    SELECT raise(ABORT, 'the audit log is append-only');
END;

-- What was asked, apart from the log that never changes: it goes when a memory that it showed is forgotten.
CREATE TABLE question (
    audit_seq INTEGER PRIMARY KEY REFERENCES audit,
    text      TEXT NOT NULL
) STRICT;

-- state: waiting, leased, dead. due_us of a leased item is the end of its lease. generation counts its leases.
-- again_us: when it was enqueued while leased; completing it then leaves it waiting.
CREATE TABLE work (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    task       TEXT NOT NULL,
    memory_id  INTEGER REFERENCES memory ON DELETE CASCADE,
    state      TEXT NOT NULL DEFAULT 'waiting',
    due_us     INTEGER NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    attempts   INTEGER NOT NULL DEFAULT 0,
    again_us   INTEGER,
    worker     TEXT NOT NULL DEFAULT '',
    error      TEXT NOT NULL DEFAULT '',
    UNIQUE (task, memory_id)
) STRICT;

CREATE INDEX work_due    ON work (task, due_us) WHERE state <> 'dead';
CREATE INDEX work_memory ON work (memory_id);

CREATE TABLE tombstone (
    memory_id    INTEGER PRIMARY KEY,
    forgotten_us INTEGER NOT NULL
) STRICT;
