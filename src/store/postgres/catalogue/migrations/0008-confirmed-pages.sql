-- Numbers by which a page confirms, in its own statement, what a node remembers. Triggers count, so
-- that changes by nodes of an earlier release count too.

-- Increases whenever an API token is revoked or deleted. Nodes remember valid tokens; every page reads
-- this number together with its rows, so a token that was revoked on one node is refused by all.
CREATE TABLE oqs_token_generation (
  -- Exactly one row.
  id bigint PRIMARY KEY CHECK (id = 1),
  generation bigint NOT NULL
);
INSERT INTO oqs_token_generation (id, generation) VALUES (1, 0);

CREATE FUNCTION oqs_count_token_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM changed) THEN
    UPDATE oqs_token_generation SET generation = generation + 1;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER oqs_api_token_updated AFTER UPDATE ON oqs_api_token
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION oqs_count_token_change();
CREATE TRIGGER oqs_api_token_deleted AFTER DELETE ON oqs_api_token
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION oqs_count_token_change();

-- Increases when a field gets its first long text, which changes its indexes.
ALTER TABLE oqs_object_type ADD COLUMN long_fields bigint NOT NULL DEFAULT 0;
CREATE FUNCTION oqs_count_long_field() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE oqs_object_type SET long_fields = long_fields + 1 WHERE id = NEW.object_type_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER oqs_object_field_lengthened AFTER UPDATE OF has_long_text ON oqs_object_field
  FOR EACH ROW WHEN (NEW.has_long_text AND NOT OLD.has_long_text)
  EXECUTE FUNCTION oqs_count_long_field();
