-- Object sets can list objects by RID. Every object table gets an index of object ids; these are the
-- tables that exist already.
DO $$
DECLARE
  object_table bigint;
BEGIN
  FOR object_table IN SELECT id FROM oqs_object_table WHERE is_made AND state = 'published' LOOP
    EXECUTE format(
      'CREATE INDEX IF NOT EXISTS oqs_object_%1$s_object_id ON oqs_object_%1$s (object_id)',
      object_table
    );
  END LOOP;
END
$$;
