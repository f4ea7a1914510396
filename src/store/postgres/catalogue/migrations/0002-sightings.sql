-- When versions were superseded, as maintenance saw it. A time that a commit notes itself is from
-- before its end, and snapshots taken between would be reclaimed too early.

-- Without a foreign key, whose check would wait for whoever changes the type.
CREATE TABLE oqs_version_sighting (
  object_type_id bigint NOT NULL,
  -- Published when maintenance looked: every earlier version was superseded by then.
  version bigint NOT NULL,
  seen_at_ms bigint NOT NULL,
  PRIMARY KEY (object_type_id, version)
);

-- When maintenance first saw a replacement unused since its last batch or index; NULL before that.
ALTER TABLE oqs_object_table ADD COLUMN idle_since_ms bigint;

-- No longer written. The columns stay for nodes of the release before, which still fill them while
-- nodes are upgraded one after the other.
ALTER TABLE oqs_object_table ALTER COLUMN touched_at_ms DROP NOT NULL;
ALTER TABLE oqs_commit_log ALTER COLUMN committed_at_ms DROP NOT NULL;
ALTER TABLE oqs_pending_commit ALTER COLUMN committed_at_ms DROP NOT NULL;
