-- The audit log. Rows are never changed; maintenance deletes those that have outlived their
-- retention.
CREATE TABLE oqs_audit_record (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at_ms bigint NOT NULL,
  -- NULL for a request without a valid caller.
  caller_id text COLLATE "C",
  caller_name text COLLATE "C",
  operation text COLLATE "C" NOT NULL,
  ontology text COLLATE "C",
  -- The whole record as JSON.
  record text NOT NULL
);
CREATE INDEX oqs_audit_record_time ON oqs_audit_record (at_ms, id);

CREATE FUNCTION oqs_refuse_audit_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'records of the audit log cannot be changed';
END
$$;
CREATE TRIGGER oqs_audit_record_is_final BEFORE UPDATE ON oqs_audit_record
  FOR EACH ROW EXECUTE FUNCTION oqs_refuse_audit_change();
