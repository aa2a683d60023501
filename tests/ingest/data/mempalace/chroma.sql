-- What Chroma keeps in chroma.sqlite3, as far as texts go.
CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL, dimension INTEGER, database_id TEXT NOT NULL, config_json_str TEXT);
CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT NOT NULL, scope TEXT NOT NULL, collection TEXT NOT NULL);
CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL, embedding_id TEXT NOT NULL, seq_id BLOB NOT NULL,
    created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE (segment_id, embedding_id)
);
CREATE TABLE embedding_metadata (
    id INTEGER REFERENCES embeddings (id), key TEXT NOT NULL, string_value TEXT, int_value INTEGER, float_value REAL,
    bool_value INTEGER, PRIMARY KEY (id, key)
);
INSERT INTO collections VALUES ('c1', 'mempalace_drawers', 384, 'd', NULL), ('c2', 'mempalace_closets', 384, 'd', NULL);
INSERT INTO segments VALUES ('s1', 'urn:chroma:segment/metadata/sqlite', 'METADATA', 'c1');
INSERT INTO segments VALUES ('s2', 'urn:chroma:segment/metadata/sqlite', 'METADATA', 'c2');
INSERT INTO embeddings (id, segment_id, embedding_id, seq_id) VALUES (1, 's1', 'drawer_a', 1), (2, 's1', 'drawer_b', 2), (3, 's1', 'drawer_c', 3);
INSERT INTO embeddings (id, segment_id, embedding_id, seq_id) VALUES (4, 's2', 'closet_a', 4), (5, 's1', 'drawer_d', 5);
INSERT INTO embedding_metadata (id, key, string_value, int_value) VALUES
    (1, 'chroma:document', 'The tea house opens at nine.', NULL), (1, 'wing', 'wing_house', NULL), (1, 'room', 'hours', NULL),
    (1, 'source_file', '/home/ada/notes/hours.md', NULL), (1, 'chunk_index', NULL, 0), (1, 'authored_at', '2025-05-01T09:00:00', NULL),
    (1, 'filed_at', '2025-05-03T09:00:00.000001', NULL), (2, 'chroma:document', 'It closes at six.', NULL),
    (2, 'source_file', '/home/ada/notes/hours.md', NULL), (2, 'chunk_index', NULL, 1), (2, 'filed_at', '2025-05-03T09:00:00', NULL),
    (3, 'chroma:document', 'Ben prefers oolong.', NULL), (3, 'wing', 'wing_people', NULL), (3, 'room', 'ben', NULL),
    (4, 'chroma:document', 'hours|nine', NULL), (5, 'wing', 'wing_house', NULL);
