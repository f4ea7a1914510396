-- The last version when the indexes of a table were built: object ids of rows of later versions are in
-- an index of their own. Null if one index has all ids, as in tables of earlier releases.
ALTER TABLE object_table ADD COLUMN indexed_at INTEGER;
