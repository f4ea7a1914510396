-- The catalogue, which both databases have: definitions, the versions of each object type, keys and
-- tokens. Objects are stored in separate tables, see object-table.ts. The first migration of each
-- database includes these tables; migrations.ts replaces the words that differ. Text sorts by code
-- point, as everywhere in the service.

CREATE TABLE oqs_catalogue (
  -- Exactly one row. The generation increases with every change of a definition.
  id INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL
) STRICT;
INSERT INTO oqs_catalogue (id, generation) VALUES (1, 0);

CREATE TABLE oqs_ontology (
  rid TEXT PRIMARY KEY,
  api_name TEXT NOT NULL UNIQUE,
  definition TEXT NOT NULL
) STRICT;

-- What is known about an ontology without reading its definition, which can have several megabytes
-- and may not be in memory.
CREATE TABLE oqs_ontology_summary (
  ontology_rid TEXT PRIMARY KEY REFERENCES oqs_ontology (rid) ON DELETE CASCADE,
  -- The generation of the catalogue in which the definition last changed.
  generation INTEGER NOT NULL,
  -- The size of the definition, as it counts against the limits.
  bytes INTEGER NOT NULL,
  -- The caller that created the ontology, and for which its bytes count.
  created_by TEXT NOT NULL,
  display_name TEXT,
  description TEXT
) STRICT;
CREATE INDEX oqs_ontology_summary_of_caller ON oqs_ontology_summary (created_by, bytes);

CREATE TABLE oqs_ontology_family (
  family TEXT PRIMARY KEY,
  ontology_rid TEXT NOT NULL REFERENCES oqs_ontology (rid) ON DELETE CASCADE
) STRICT;
CREATE INDEX oqs_ontology_family_of_ontology ON oqs_ontology_family (ontology_rid);

CREATE TABLE oqs_object_type (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  rid TEXT NOT NULL UNIQUE,
  ontology_rid TEXT NOT NULL REFERENCES oqs_ontology (rid),
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
  table_id INTEGER NOT NULL DEFAULT 0,
  -- The last change of a definition that rewrote the objects of the type: the first table with the
  -- new form, and the generation of the catalogue with the new definition.
  redefined_table INTEGER NOT NULL DEFAULT 0,
  redefined_generation INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The object tables. A type has one, and further ones while a replacement is being loaded or while
-- versions from before a replacement can still be read.
CREATE TABLE oqs_object_table (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Without a foreign key: a table outlives its type until no reader needs it any more.
  object_type_id INTEGER NOT NULL,
  -- `loading` is a replacement, `rewriting` a copy of another definition.
  state TEXT NOT NULL CHECK (state IN ('loading', 'rewriting', 'published', 'abandoned')),
  -- False until the table is first written to or read from, which creates it: an ontology can have many
  -- unused types, and every table and index slows down changes of the schema.
  is_created BOOLEAN NOT NULL DEFAULT FALSE,
  -- The first version that is read from this table, once it is published.
  first_version INTEGER NOT NULL,
  -- The version of the rows that were loaded before the publication.
  loaded_as INTEGER NOT NULL,
  live_count INTEGER NOT NULL DEFAULT 0,
  -- The number of closed rows. Most indexes contain them, so pages have to skip them until they are
  -- reclaimed.
  closed_count INTEGER NOT NULL DEFAULT 0,
  -- The size of the largest record that this table ever contained.
  max_record_bytes INTEGER NOT NULL DEFAULT 0,
  -- Increases whenever a replacement is used by a batch or an index build.
  use_count INTEGER NOT NULL DEFAULT 0,
  -- When maintenance first saw the replacement unused since its last use; NULL before.
  idle_since_ms INTEGER,
  -- How a replacement was published, for a client that publishes it twice; NULL for other tables.
  publish_mode TEXT,
  -- The fields whose index holds only the beginning of their texts, as a JSON array.
  prefix_fields TEXT NOT NULL DEFAULT '[]',
  -- The fields without an index, and the reason, as a JSON object; see unindexed-fields.ts.
  unindexed_fields TEXT NOT NULL DEFAULT '{}',
  -- The last version when the indexes were built. On SQLite, object ids of rows of later versions are
  -- in an index of their own.
  indexed_version INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX oqs_object_table_of_type ON oqs_object_table (object_type_id, state, first_version);

-- The files with columns of object tables. A file that has no record here is not used: a restored
-- backup must not meet the files of another time.
CREATE TABLE oqs_column_segment (
  -- The random name of the file.
  name TEXT PRIMARY KEY,
  type_rid TEXT NOT NULL,
  -- Without a foreign key: removing a table must not wait for the builder of its columns.
  table_id INTEGER NOT NULL,
  -- The generation of the catalogue in which the definition of the type had last changed.
  generation INTEGER NOT NULL,
  -- The version whose objects the file has.
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A type that is recreated with the RID of a dropped one continues its versions, so that a snapshot of
-- the old type never shows rows of the new one.
CREATE TABLE oqs_dropped_object_type (
  rid TEXT PRIMARY KEY,
  last_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Each property of a type, and each struct field, has a number that its columns and indexes are named
-- by, so no name of a user ever appears in SQL. The fields of a type are one text, because a definition
-- can have tens of thousands of them: as rows, they would keep the writer busy for a tenth of a second.
CREATE TABLE oqs_field_list (
  object_type_id INTEGER NOT NULL REFERENCES oqs_object_type (id) ON DELETE CASCADE,
  -- A table whose objects are converted to another definition, with fields of its own. They become
  -- those of the type, which have 0, when the table is published.
  table_id INTEGER NOT NULL,
  -- How many of the fields are properties, and how many are struct fields with a column.
  properties INTEGER NOT NULL,
  struct_columns INTEGER NOT NULL,
  -- A JSON array of `StoredField`, see field-numbers.ts.
  fields TEXT NOT NULL,
  PRIMARY KEY (object_type_id, table_id)
) STRICT;
-- The highest number that a field ever had.
CREATE TABLE oqs_field_counter (
  last_number INTEGER NOT NULL
) STRICT;
INSERT INTO oqs_field_counter (last_number) VALUES (0);

-- The result of each commit, for a client that publishes a replacement twice.
CREATE TABLE oqs_commit_log (
  object_type_id INTEGER NOT NULL REFERENCES oqs_object_type (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  put INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  -- Objects that an appended replacement left as they were.
  kept INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (object_type_id, version)
) STRICT, WITHOUT ROWID;

-- When maintenance first saw that a version was superseded. A time that a commit stores itself is
-- from before its end, so snapshots taken in between would be reclaimed too early.
-- Without a foreign key, whose check would wait for a change of the type.
CREATE TABLE oqs_version_time (
  object_type_id INTEGER NOT NULL,
  -- The published version at that time: every earlier version was superseded.
  version INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (object_type_id, version)
) STRICT, WITHOUT ROWID;

-- The rewrites in progress. On PostgreSQL a step locks its row, so that one
-- node works on a type at a time; if the node stops, the lock ends with its transaction, and another
-- node continues.
CREATE TABLE oqs_rewrite (
  object_type_id INTEGER PRIMARY KEY REFERENCES oqs_object_type (id) ON DELETE CASCADE,
  phase TEXT NOT NULL CHECK (phase IN ('copying', 'indexing', 'catchingUp')),
  -- The table that is copied, and the one of the copies.
  source_id INTEGER NOT NULL,
  table_id INTEGER NOT NULL,
  -- The generation of the definition by which objects are read.
  generation INTEGER NOT NULL,
  -- The change for which objects are converted.
  change_id TEXT NOT NULL,
  -- The objects up to this key are copied.
  copied_to TEXT NOT NULL DEFAULT '',
  -- Changes up to this version are copied, or their keys are listed below.
  noted_version INTEGER NOT NULL,
  -- Types of a change take turns by the number of their steps.
  steps INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The keys of objects that were changed after they were copied.
CREATE TABLE oqs_rewrite_key (
  object_type_id INTEGER NOT NULL REFERENCES oqs_rewrite (object_type_id) ON DELETE CASCADE,
  pk TEXT NOT NULL,
  PRIMARY KEY (object_type_id, pk)
) STRICT, WITHOUT ROWID;

-- The keys of converted objects, if a change gives them other ones.
CREATE TABLE oqs_converted_key (
  object_type_id INTEGER NOT NULL REFERENCES oqs_rewrite (object_type_id) ON DELETE CASCADE,
  source_pk TEXT NOT NULL,
  pk TEXT NOT NULL,
  PRIMARY KEY (object_type_id, source_pk),
  UNIQUE (object_type_id, pk)
) STRICT, WITHOUT ROWID;

-- The last change of the definition of an ontology that runs, or ran, in the background.
CREATE TABLE oqs_definition_change (
  ontology_rid TEXT PRIMARY KEY REFERENCES oqs_ontology (rid) ON DELETE CASCADE,
  id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'published', 'failed', 'cancelled')),
  -- The definition and what changes, as JSON.
  change TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  -- Why the change has failed, and the objects that do not fit, as JSON arrays.
  reasons TEXT NOT NULL DEFAULT '[]',
  unfit_objects TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;

CREATE TABLE oqs_page_token_key (
  -- The newest key seals tokens, all keys open them.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  secret BLOB NOT NULL
) STRICT;

CREATE TABLE oqs_api_token (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  ontologies TEXT,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER,
  -- A token that was issued to an OAuth client: for which grant, and which token signed in for it.
  client_id TEXT,
  grant_id TEXT,
  subject_id TEXT,
  -- The policies that limit the token: lists of names, as JSON. NULL: no policy limits it.
  policies TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX oqs_issued_token_expiry ON oqs_api_token (expires_at_ms) WHERE client_id IS NOT NULL;

-- Small JSON documents with an expiry, such as OAuth clients and temporary object sets.
CREATE TABLE oqs_document (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  -- NULL for a document that never expires.
  expires_at_ms INTEGER,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX oqs_document_expiry ON oqs_document (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

-- The idempotency keys of committed requests, each with the result of its commit. Written in the
-- transaction of the commit, so that a key exists exactly if its request was applied.
CREATE TABLE oqs_idempotency_key (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Identifies the request: the key cannot be used for another one.
  fingerprint TEXT NOT NULL,
  version INTEGER NOT NULL,
  put INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  note TEXT,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX oqs_idempotency_key_expiry ON oqs_idempotency_key (expires_at_ms);

-- The audit log. Rows are never changed; maintenance deletes those that have outlived their
-- retention.
CREATE TABLE oqs_audit_record (
  -- Never used again after a row was deleted.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  -- NULL for a request without a valid caller.
  caller_id TEXT,
  caller_name TEXT,
  operation TEXT NOT NULL,
  ontology TEXT,
  -- The whole record as JSON.
  record TEXT NOT NULL
) STRICT;
CREATE INDEX oqs_audit_record_time ON oqs_audit_record (at_ms, id);
