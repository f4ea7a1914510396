-- The last change of the definition of an ontology that runs, or ran, in the background.
CREATE TABLE oqs_definition_change (
  ontology_rid text COLLATE "C" PRIMARY KEY REFERENCES oqs_ontology (rid) ON DELETE CASCADE,
  id text NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'published', 'failed', 'cancelled')),
  -- The definition and what changes, as JSON.
  change text NOT NULL,
  started_at_ms bigint NOT NULL,
  -- Why the change has failed, and the objects that do not fit, as JSON arrays.
  reasons text NOT NULL DEFAULT '[]',
  unfit_objects text NOT NULL DEFAULT '[]'
);

-- The fields of a table whose objects are converted to another definition. They become those of the
-- type when the table is published.
CREATE TABLE oqs_table_field (
  number bigint PRIMARY KEY,
  table_id bigint NOT NULL,
  property text COLLATE "C" NOT NULL,
  struct_field text COLLATE "C",
  value_type text,
  element_type text,
  has_long_text boolean NOT NULL DEFAULT FALSE,
  is_key boolean NOT NULL
);
CREATE INDEX oqs_table_field_of_table ON oqs_table_field (table_id);

-- The change for which objects are converted; null for a new layout.
ALTER TABLE oqs_rewrite ADD COLUMN change_id text;
-- Types of a change take turns by the number of their steps.
ALTER TABLE oqs_rewrite ADD COLUMN steps bigint NOT NULL DEFAULT 0;

-- The keys of converted objects, if a change gives them other ones.
CREATE TABLE oqs_converted_key (
  object_type_id bigint NOT NULL REFERENCES oqs_rewrite (object_type_id) ON DELETE CASCADE,
  source_pk text COLLATE "C" NOT NULL,
  pk text COLLATE "C" NOT NULL,
  PRIMARY KEY (object_type_id, source_pk),
  UNIQUE (object_type_id, pk)
);
