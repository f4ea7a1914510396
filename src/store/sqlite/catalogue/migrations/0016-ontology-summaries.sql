-- What is known about an ontology without reading its definition, which can have several megabytes
-- and may not be in memory.
CREATE TABLE ontology_summary (
  ontology_rid TEXT PRIMARY KEY REFERENCES ontology (rid) ON DELETE CASCADE,
  -- The generation of the catalogue in which the definition last changed.
  generation INTEGER NOT NULL,
  -- The size of the definition, as it counts against the limits.
  bytes INTEGER NOT NULL,
  -- The caller that created the ontology, and for which its bytes count.
  created_by TEXT NOT NULL,
  display_name TEXT,
  description TEXT
) STRICT;
CREATE INDEX ontology_summary_of_caller ON ontology_summary (created_by, bytes);
INSERT INTO ontology_summary (ontology_rid, generation, bytes, created_by, display_name, description)
  SELECT rid, generation, max(octet_length(definition), 65536), 'internal',
    json_extract(definition, '$.displayName'), json_extract(definition, '$.description')
  FROM ontology;
ALTER TABLE ontology DROP COLUMN generation;

CREATE INDEX ontology_family_of_ontology ON ontology_family (ontology_rid);
