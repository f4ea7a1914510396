-- Tables can have different layouts, and are rewritten into the newest one in the background. The
-- table of object tables is created again, because a state is added to its check.
CREATE TABLE new_object_table (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Without a foreign key: a table outlives its type until it is removed from the shared indexes.
  object_type_id INTEGER NOT NULL,
  -- `loading` is a replacement, `rewriting` a copy in another layout.
  state TEXT NOT NULL CHECK (state IN ('loading', 'rewriting', 'published', 'abandoned')),
  -- The first version that is read from this table, once it is published.
  first_version INTEGER NOT NULL,
  -- The version of the rows that were loaded before the publication.
  loaded_as INTEGER NOT NULL,
  live_count INTEGER NOT NULL DEFAULT 0,
  -- The size of the largest record that this table ever contained.
  max_record_bytes INTEGER NOT NULL DEFAULT 0,
  -- While the table is being removed: rows up to this one are no longer in the shared indexes.
  forgotten_row INTEGER NOT NULL DEFAULT 0,
  -- Increases whenever a replacement is used by a batch or an index build.
  touches INTEGER NOT NULL DEFAULT 0,
  -- When maintenance first saw the replacement unused since its last use; NULL before.
  idle_since_ms INTEGER,
  -- The table is created when it is first written to.
  is_made INTEGER NOT NULL DEFAULT 1,
  -- The number of closed rows. Most indexes contain them, so pages have to skip them.
  past_count INTEGER NOT NULL DEFAULT 0,
  -- See table-layout.ts.
  layout INTEGER NOT NULL DEFAULT 1,
  -- The property that has no column of its own, because its value is the key.
  key_property TEXT,
  -- The properties whose index holds only the beginning of their texts, as a JSON array.
  long_texts TEXT NOT NULL DEFAULT '[]'
) STRICT;
INSERT INTO new_object_table (id, object_type_id, state, first_version, loaded_as, live_count,
    max_record_bytes, forgotten_row, touches, idle_since_ms, is_made, past_count)
  SELECT id, object_type_id, state, first_version, loaded_as, live_count,
    max_record_bytes, forgotten_row, touches, idle_since_ms, is_made, past_count
  FROM object_table;
-- Tables that are created later get the newest layout.
UPDATE new_object_table SET layout = 2 WHERE is_made = 0;
-- Numbers of tables that were dropped are not used again.
DELETE FROM sqlite_sequence WHERE name = 'new_object_table';
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'new_object_table', seq FROM sqlite_sequence WHERE name = 'object_table';
DROP TABLE object_table;
ALTER TABLE new_object_table RENAME TO object_table;
CREATE INDEX object_table_of_type ON object_table (object_type_id, state, first_version);

-- The rewrite of each type that is being rewritten, or that cannot be.
CREATE TABLE rewrite (
  object_type_id INTEGER PRIMARY KEY REFERENCES object_type (id) ON DELETE CASCADE,
  from_table INTEGER NOT NULL,
  to_table INTEGER NOT NULL,
  -- The generation of the definition by which the objects are read.
  generation INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('copying', 'indexing', 'catchingUp', 'failed')),
  -- The objects up to this key are copied.
  last_key TEXT NOT NULL DEFAULT '',
  objects INTEGER NOT NULL DEFAULT 0,
  reason TEXT
) STRICT;

-- The keys of objects that were committed after they were copied.
CREATE TABLE rewrite_change (
  object_type_id INTEGER NOT NULL REFERENCES rewrite (object_type_id) ON DELETE CASCADE,
  pk TEXT NOT NULL,
  PRIMARY KEY (object_type_id, pk)
) STRICT, WITHOUT ROWID;

-- Objects that an appended replacement left as they were, for a client that publishes it twice.
ALTER TABLE commit_log ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
