-- What is known about an ontology without reading its definition, which can have several megabytes
-- and may not be in memory.
CREATE TABLE oqs_ontology_summary (
  ontology_rid text COLLATE "C" PRIMARY KEY REFERENCES oqs_ontology (rid) ON DELETE CASCADE,
  -- The generation of the catalogue in which the definition last changed.
  generation bigint NOT NULL,
  -- The size of the definition, as it counts against the limits.
  bytes bigint NOT NULL,
  -- The caller that created the ontology, and for which its bytes count.
  created_by text COLLATE "C" NOT NULL,
  display_name text,
  description text
);
CREATE INDEX oqs_ontology_summary_of_caller ON oqs_ontology_summary (created_by, bytes);
INSERT INTO oqs_ontology_summary
  (ontology_rid, generation, bytes, created_by, display_name, description)
  SELECT rid, (SELECT generation FROM oqs_catalogue), greatest(octet_length(definition), 65536), 'internal',
    definition::json ->> 'displayName', definition::json ->> 'description'
  FROM oqs_ontology;

CREATE INDEX oqs_ontology_family_of_ontology ON oqs_ontology_family (ontology_rid);
