-- The policies that limit a token: lists of names, as JSON. NULL: no policy limits it.
ALTER TABLE oqs_api_token ADD COLUMN policies text;

-- Nodes remember policies like tokens, and pages confirm both with one number.
CREATE FUNCTION oqs_count_policy_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE oqs_token_generation SET generation = generation + 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER oqs_policy_saved AFTER INSERT OR UPDATE ON oqs_document
  FOR EACH ROW WHEN (NEW.kind = 'policy') EXECUTE FUNCTION oqs_count_policy_change();
CREATE TRIGGER oqs_policy_deleted AFTER DELETE ON oqs_document
  FOR EACH ROW WHEN (OLD.kind = 'policy') EXECUTE FUNCTION oqs_count_policy_change();
