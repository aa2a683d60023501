-- What MemPalace's own store keeps in sqlite_exact.sqlite3.
CREATE TABLE collections (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, dimension INTEGER, created_at TEXT NOT NULL);
CREATE TABLE documents (
    collection_id INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, metadata_json TEXT NOT NULL, embedding BLOB NOT NULL,
    dim INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY (collection_id, id)
);
INSERT INTO collections (name, dimension, created_at) VALUES ('mempalace_drawers', 2, '2025-05-03'), ('mempalace_closets', 2, '2025-05-03');
INSERT INTO documents VALUES (1, 'drawer_a', 'The tea house opens at nine.', '{"wing": "wing_house", "source_file": "hours.md", "chunk_index": 0, "filed_at": "2025-05-03T09:00:00"}', x'00', 2, '', '');
INSERT INTO documents VALUES (2, 'closet_a', 'hours|nine', '{}', x'00', 2, '', '');
