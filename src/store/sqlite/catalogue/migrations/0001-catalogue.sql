-- include catalogue.sql

-- The highest row number of all object tables.
ALTER TABLE oqs_catalogue ADD COLUMN last_row INTEGER NOT NULL DEFAULT 0;
CREATE INDEX oqs_field_list_with_structs ON oqs_field_list (struct_columns) WHERE struct_columns > 0;

-- Writes that are carried out in several transactions, so that others get their turn in between. What
-- they write is not visible before the last one, see staged-record.ts.
CREATE TABLE oqs_staged_write (
  table_id INTEGER PRIMARY KEY REFERENCES oqs_object_table (id) ON DELETE CASCADE,
  -- The version that the write will have: beyond those of the commits in between. In the table of a
  -- replacement: a negative number, which marks the rows that the write supersedes.
  version INTEGER NOT NULL,
  -- All rows that the write adds have higher numbers.
  after_row INTEGER NOT NULL,
  -- The number of objects that the write changes at most.
  changes INTEGER NOT NULL,
  -- The process that carries it out. If it ends before the write is complete, others undo the write.
  owner TEXT NOT NULL,
  -- The number of steps so far.
  steps INTEGER NOT NULL DEFAULT 0,
  -- While the write is undone in the table of a replacement: the last row that was looked at.
  undone_row INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The keys of objects that other commits have changed meanwhile: the write applies to them again.
CREATE TABLE oqs_staged_change (
  table_id INTEGER NOT NULL REFERENCES oqs_staged_write (table_id) ON DELETE CASCADE,
  pk TEXT NOT NULL,
  PRIMARY KEY (table_id, pk)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER oqs_audit_record_is_final BEFORE UPDATE ON oqs_audit_record
BEGIN
  SELECT RAISE(ABORT, 'records of the audit log cannot be changed');
END;
