-- When maintenance first saw that a version was superseded. A time that a commit stores itself is
-- from before its end, so snapshots taken in between would be reclaimed too early.

-- Without a foreign key, whose check would wait for a change of the type.
CREATE TABLE oqs_version_sighting (
  object_type_id bigint NOT NULL,
  -- The published version at that time: every earlier version was superseded.
  version bigint NOT NULL,
  seen_at_ms bigint NOT NULL,
  PRIMARY KEY (object_type_id, version)
);

-- When maintenance first saw the replacement unused since its last batch or index build; NULL before.
ALTER TABLE oqs_object_table ADD COLUMN idle_since_ms bigint;

-- No longer written. The columns remain for nodes of the previous release, which still write them
-- during a rolling upgrade.
ALTER TABLE oqs_object_table ALTER COLUMN touched_at_ms DROP NOT NULL;
ALTER TABLE oqs_commit_log ALTER COLUMN committed_at_ms DROP NOT NULL;
ALTER TABLE oqs_pending_commit ALTER COLUMN committed_at_ms DROP NOT NULL;
