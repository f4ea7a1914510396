-- The number of closed rows of a table. Most indexes contain them, so pages have to skip them until
-- they are reclaimed.
ALTER TABLE object_table ADD COLUMN past_count INTEGER NOT NULL DEFAULT 0;
