-- The version at which the indexes of a table were built: object ids of later rows are in an index of
-- their own. Tables of earlier releases have one index of all ids, and null here.
ALTER TABLE object_table ADD COLUMN indexed_at INTEGER;
