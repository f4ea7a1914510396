-- The rows of a table that are no longer current. Most indexes hold them too, so pages pass over
-- them until they are reclaimed.
ALTER TABLE object_table ADD COLUMN past_count INTEGER NOT NULL DEFAULT 0;
