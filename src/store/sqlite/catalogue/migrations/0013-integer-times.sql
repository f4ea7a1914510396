-- The fields with timestamps whose index holds them as integers, as a JSON array. Tables of earlier
-- releases have none, until they are replaced or rewritten.
ALTER TABLE object_table ADD COLUMN integer_times TEXT NOT NULL DEFAULT '[]';
