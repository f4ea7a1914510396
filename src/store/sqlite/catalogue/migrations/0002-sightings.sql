-- When versions were superseded, as maintenance saw it. A time that a commit notes itself is from
-- before its end, and snapshots taken between would be reclaimed too early.

CREATE TABLE version_sighting (
  object_type_id INTEGER NOT NULL REFERENCES object_type (id) ON DELETE CASCADE,
  -- Published when maintenance looked: every earlier version was superseded by then.
  version INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (object_type_id, version)
) STRICT, WITHOUT ROWID;

-- What is left tells a client that publishes a replacement twice what the first publication did.
ALTER TABLE commit_log DROP COLUMN committed_at_ms;

ALTER TABLE object_table DROP COLUMN touched_at_ms;
-- Grows whenever a replacement is used: by a batch, by an index that is built.
ALTER TABLE object_table ADD COLUMN touches INTEGER NOT NULL DEFAULT 0;
-- When maintenance first saw a replacement unused since its last touch; NULL before that.
ALTER TABLE object_table ADD COLUMN idle_since_ms INTEGER;
