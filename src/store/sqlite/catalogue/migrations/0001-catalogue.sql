-- The catalogue: definitions, the versions of each object type, keys and tokens.
-- Objects are stored in separate tables, see object-table.ts.

CREATE TABLE catalogue (
  -- Exactly one row. The generation increases with every change of a definition.
  id INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL,
  -- The highest row number of all object tables, which share the indexes below.
  last_row INTEGER NOT NULL
) STRICT;
INSERT INTO catalogue (id, generation, last_row) VALUES (1, 0, 0);

CREATE TABLE ontology (
  rid TEXT PRIMARY KEY,
  api_name TEXT NOT NULL UNIQUE,
  definition TEXT NOT NULL
) STRICT;

CREATE TABLE ontology_family (
  family TEXT PRIMARY KEY,
  ontology_rid TEXT NOT NULL REFERENCES ontology (rid) ON DELETE CASCADE
) STRICT;

CREATE TABLE object_type (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  rid TEXT NOT NULL UNIQUE,
  ontology_rid TEXT NOT NULL REFERENCES ontology (rid),
  definition TEXT NOT NULL,
  -- The generation of the catalogue in which this definition last changed.
  generation INTEGER NOT NULL,
  -- The newest version that readers may see; 0 before the first commit.
  published INTEGER NOT NULL DEFAULT 0,
  -- The highest allocated version; a replacement allocates one before it is published.
  last_version INTEGER NOT NULL DEFAULT 0,
  -- The oldest version that can still be read.
  oldest INTEGER NOT NULL DEFAULT 0,
  -- The table of the newest version.
  table_id INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The object tables. A type has one, and further ones while a replacement is being loaded or while
-- versions from before a replacement can still be read.
CREATE TABLE object_table (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Without a foreign key: a table outlives its type until it is removed from the shared indexes.
  object_type_id INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('loading', 'published', 'abandoned')),
  -- The first version that is read from this table, once it is published.
  first_version INTEGER NOT NULL,
  -- The version of the rows that were loaded before the publication.
  loaded_as INTEGER NOT NULL,
  -- When a replacement was last added to.
  touched_at_ms INTEGER NOT NULL,
  live_count INTEGER NOT NULL DEFAULT 0,
  -- The size of the largest record that this table ever contained.
  max_record_bytes INTEGER NOT NULL DEFAULT 0,
  -- While the table is being removed: rows up to this one are no longer in the shared indexes.
  forgotten_row INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX object_table_of_type ON object_table (object_type_id, state, first_version);

-- A type that is recreated with the RID of a dropped one continues its versions, so that a snapshot of
-- the old type never shows rows of the new one.
CREATE TABLE dropped_object_type (
  rid TEXT PRIMARY KEY,
  last_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Each property of a type, and each struct field, has a number that its columns and indexes are named
-- by, so no name of a user ever appears in SQL.
CREATE TABLE object_field (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  object_type_id INTEGER NOT NULL REFERENCES object_type (id) ON DELETE CASCADE,
  property TEXT NOT NULL,
  struct_field TEXT
) STRICT;
CREATE INDEX object_field_of_type ON object_field (object_type_id);

-- Indexes of values that do not fit into a column. One of each kind for all object types, because
-- every table slows down changes of the schema.

-- The values of arrays and structs.
CREATE TABLE element (
  field INTEGER NOT NULL,
  value ANY NOT NULL,
  row INTEGER NOT NULL,
  PRIMARY KEY (field, value, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX element_of_row ON element (row);

-- Full-text terms, each prefixed with the number of its field, and the list of distinct terms.
CREATE VIRTUAL TABLE term USING fts5(
  terms, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(term, row);

-- Positions (geopoints).
CREATE VIRTUAL TABLE place USING rtree(
  id, min_longitude, max_longitude, min_latitude, max_latitude,
  +row INTEGER, +longitude REAL, +latitude REAL
);
CREATE TABLE place_of_row (
  row INTEGER NOT NULL,
  place INTEGER NOT NULL,
  PRIMARY KEY (row, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE commit_log (
  object_type_id INTEGER NOT NULL REFERENCES object_type (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  committed_at_ms INTEGER NOT NULL,
  put INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  PRIMARY KEY (object_type_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE page_token_key (
  -- The newest key seals tokens, all keys open them.
  id INTEGER PRIMARY KEY,
  secret BLOB NOT NULL
) STRICT;

CREATE TABLE api_token (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  ontologies TEXT,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;
