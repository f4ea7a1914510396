-- The last change of the definition of an ontology that runs, or ran, in the background.
CREATE TABLE definition_change (
  ontology_rid TEXT PRIMARY KEY REFERENCES ontology (rid) ON DELETE CASCADE,
  id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'published', 'failed', 'cancelled')),
  -- The definition and what changes, as JSON.
  change TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  -- Why the change has failed, and the objects that do not fit, as JSON arrays.
  reasons TEXT NOT NULL DEFAULT '[]',
  unfit_objects TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;

-- The fields of a table whose objects are converted to another definition. They become those of the
-- type when the table is published.
CREATE TABLE table_field (
  number INTEGER PRIMARY KEY,
  table_id INTEGER NOT NULL,
  property TEXT NOT NULL,
  struct_field TEXT
) STRICT;
CREATE INDEX table_field_of_table ON table_field (table_id);

-- True for a rewrite that converts objects to another definition.
ALTER TABLE rewrite ADD COLUMN is_change INTEGER NOT NULL DEFAULT 0;

-- The keys of converted objects, if a change gives them other ones.
CREATE TABLE converted_key (
  object_type_id INTEGER NOT NULL REFERENCES rewrite (object_type_id) ON DELETE CASCADE,
  source_pk TEXT NOT NULL,
  pk TEXT NOT NULL,
  PRIMARY KEY (object_type_id, source_pk)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX converted_key_of_copy ON converted_key (object_type_id, pk);
