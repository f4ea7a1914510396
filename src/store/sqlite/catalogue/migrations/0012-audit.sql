-- The audit log. Rows are never changed; maintenance deletes those that have outlived their
-- retention.
CREATE TABLE audit_record (
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
CREATE INDEX audit_record_time ON audit_record (at_ms, id);
CREATE TRIGGER audit_record_is_final BEFORE UPDATE ON audit_record
BEGIN
  SELECT RAISE(ABORT, 'records of the audit log cannot be changed');
END;
