-- Rows have a checksum, see object-checksum.ts. Existing rows have none until they are written again.
DO $$
DECLARE
  object_table bigint;
BEGIN
  FOR object_table IN SELECT id FROM oqs_object_table WHERE is_made LOOP
    EXECUTE format(
      'ALTER TABLE IF EXISTS oqs_object_%s ADD COLUMN IF NOT EXISTS checksum integer', object_table
    );
  END LOOP;
END
$$;
