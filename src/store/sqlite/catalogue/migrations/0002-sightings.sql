-- When maintenance first saw that a version was superseded. A time that a commit stores itself is
-- from before its end, so snapshots taken in between would be reclaimed too early.

CREATE TABLE version_sighting (
  object_type_id INTEGER NOT NULL REFERENCES object_type (id) ON DELETE CASCADE,
  -- The published version at that time: every earlier version was superseded.
  version INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (object_type_id, version)
) STRICT, WITHOUT ROWID;

-- The remaining columns are the result for a client that publishes a replacement twice.
ALTER TABLE commit_log DROP COLUMN committed_at_ms;

ALTER TABLE object_table DROP COLUMN touched_at_ms;
-- Increases whenever a replacement is used by a batch or an index build.
ALTER TABLE object_table ADD COLUMN touches INTEGER NOT NULL DEFAULT 0;
-- When maintenance first saw the replacement unused since its last use; NULL before.
ALTER TABLE object_table ADD COLUMN idle_since_ms INTEGER;
