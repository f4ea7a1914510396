-- How a replacement was published, and the objects that it left as they were, for a client that publishes
-- it twice.
ALTER TABLE oqs_object_table ADD COLUMN publish_mode text;
ALTER TABLE oqs_commit_log ADD COLUMN kept bigint NOT NULL DEFAULT 0;
