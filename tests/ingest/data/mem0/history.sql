-- The log of changes that Mem0 keeps in history.db.
CREATE TABLE history (
    id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME, updated_at DATETIME,
    is_deleted INTEGER, actor_id TEXT, role TEXT
);
INSERT INTO history VALUES ('h1', '8f14e45f-ceea-467f-a8a5-b4a5c6d3e2f1', NULL, 'Likes black tea', 'ADD', '2025-05-01T10:00:00+00:00', NULL, 0, NULL, 'user');
INSERT INTO history VALUES ('h2', '0a1b2c3d-0000-4000-8000-000000000002', NULL, 'Lives by the lake', 'ADD', '2025-05-02T10:00:00+00:00', NULL, 0, 'ada', 'user');
INSERT INTO history VALUES ('h3', '8f14e45f-ceea-467f-a8a5-b4a5c6d3e2f1', 'Likes black tea', 'Likes green tea', 'UPDATE', '2025-05-01T10:00:00+00:00', '2025-05-03T10:00:00+00:00', 0, NULL, 'user');
INSERT INTO history VALUES ('h4', '0a1b2c3d-0000-4000-8000-000000000003', NULL, 'Has a cat', 'ADD', '2025-05-02T10:00:00+00:00', NULL, 0, NULL, NULL);
INSERT INTO history VALUES ('h5', '0a1b2c3d-0000-4000-8000-000000000003', 'Has a cat', NULL, 'DELETE', '2025-05-02T10:00:00+00:00', '2025-05-04T10:00:00+00:00', 1, NULL, NULL);
