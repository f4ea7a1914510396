-- How many objects a replacement keeps of those that were there before.
ALTER TABLE oqs_pending_commit ADD COLUMN kept bigint NOT NULL DEFAULT 0;
