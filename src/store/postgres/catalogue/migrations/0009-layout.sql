-- Tables differ in their layout, see table-layout.ts. Existing tables have the first one; a background
-- rewrite copies their objects into tables of the newest one.
ALTER TABLE oqs_object_table ADD COLUMN layout integer NOT NULL DEFAULT 1;
-- The numbers of the fields whose index holds only the first characters of their texts.
ALTER TABLE oqs_object_table ADD COLUMN prefix_fields bigint[] NOT NULL DEFAULT '{}';

-- The table that a rewrite copies objects into is `rewriting` until it is published.
ALTER TABLE oqs_object_table DROP CONSTRAINT oqs_object_table_state_check;
ALTER TABLE oqs_object_table ADD CONSTRAINT oqs_object_table_state_check
  CHECK (state IN ('loading', 'rewriting', 'published', 'abandoned'));

-- The rewrites in progress, and those that have failed. A step locks its row, so that one node works on
-- a type at a time; if the node stops, the lock ends with its transaction, and another node continues.
CREATE TABLE oqs_rewrite (
  object_type_id bigint PRIMARY KEY REFERENCES oqs_object_type (id) ON DELETE CASCADE,
  phase text NOT NULL CHECK (phase IN ('copying', 'indexing', 'catchingUp', 'failed')),
  -- The table that is copied, and the one of the copies.
  source_id bigint NOT NULL,
  table_id bigint NOT NULL,
  -- The generation of the definition by which objects are read.
  generation bigint NOT NULL,
  -- The objects up to this key are copied.
  copied_to text COLLATE "C" NOT NULL DEFAULT '',
  -- Changes up to this version are copied, or their keys are listed below.
  noted_version bigint NOT NULL,
  -- Why an object cannot be copied.
  reason text
);

-- The keys of objects that were changed after they were copied.
CREATE TABLE oqs_rewrite_key (
  object_type_id bigint NOT NULL REFERENCES oqs_rewrite (object_type_id) ON DELETE CASCADE,
  pk text COLLATE "C" NOT NULL,
  PRIMARY KEY (object_type_id, pk)
);
